/* The linear bushing: coordinates, forces and energy against numbers by hand, its own power and differences. */
#include "force_rig.h"

static cdn_transform turned(cdn_vec3 axis, double angle, cdn_vec3 p) {
  return (cdn_transform){ cdn_rotation_axis_angle(axis, angle), p };
}

static const double none[6] = { 0 };
static const double stiff[6] = { 5, 7, 11, 13, 17, 19 }, damp[6] = { 0.5, 0.7, 0.9, 1.1, 1.3, 1.7 };

/* R = Rx(a) Ry(b) Rz(c) as a quaternion, and p. */
static void set_place(const rig *r, double a, double b, double c, cdn_vec3 p) {
  const cdn_rotation R = cdn_rotation_multiply(
      cdn_rotation_multiply(cdn_rotation_axis_angle(v(1, 0, 0), a), cdn_rotation_axis_angle(v(0, 1, 0), b)),
      cdn_rotation_axis_angle(v(0, 0, 1), c));
  const cdn_quaternion e = cdn_quaternion_from_rotation(R);
  OK(cdn_body_set_q(r->state, r->free, 7, (double[]){ e.w, e.x, e.y, e.z, p.x, p.y, p.z }));
}

/* Frames that are Ground's and the body's: the coordinates are those that the body was placed with. */
START_TEST(test_coordinates) {
  rig r = make_floater();
  cdn_force f = cdn_system_add_linear_bushing(r.system, "rubber", ground, cdn_transform_identity(), r.free,
                                              cdn_transform_identity(), stiff, none);
  start(&r);
  const double angles[] = { -3, -1.2, -1e-9, 0, 0.7, 1.5, 3.1 };
  double q[6], qdot[6];
  for (int i = 0; i < 7; i++)
    for (int j = 1; j < 6; j++)
      for (int k = 0; k < 7; k++) {
        set_place(&r, angles[i], angles[j], angles[k], v(0.1, -0.2, 0.3));
        OK_ON(r.state, cdn_linear_bushing_coordinates(r.state, f, q, NULL));
        /* the first and the third angle are as well told as the cosine of the second is large */
        const double tolerance = 4e-15 / cos(angles[j]);
        NEAR(q[0], angles[i], tolerance);
        NEAR(q[1], angles[j], 1e-14);
        NEAR(q[2], angles[k], tolerance);
        near3(v(q[3], q[4], q[5]), v(0.1, -0.2, 0.3), 0);
        const double energy = 5 * q[0] * q[0] + 7 * q[1] * q[1] + 11 * q[2] * q[2] + 0.13 + 17 * 0.04 + 19 * 0.09;
        NEAR(potential(&r), 0.5 * energy, 1e-13);
      }
  /* The rates: turning about the first axis, which is Ground's x; about the last, which is the body's z. */
  set_place(&r, 0.4, 0.3, -0.2, v(0, 0, 0));
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 2, 0, 0, 3, 4, 5 }));
  OK_ON(r.state, cdn_linear_bushing_coordinates(r.state, f, NULL, qdot));
  for (int k = 0; k < 6; k++) NEAR(qdot[k], ((double[]){ 2, 0, 0, 3, 4, 5 })[k], 1e-15 * 4);
  cdn_transform X;
  OK_ON(r.state, cdn_body_pose(r.state, r.free, &X));
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ X.R.z.x, X.R.z.y, X.R.z.z, 0, 0, 0 }));
  OK_ON(r.state, cdn_linear_bushing_coordinates(r.state, f, NULL, qdot));
  for (int k = 0; k < 6; k++) NEAR(qdot[k], k == 2, 1e-15 * 4);
  stop(&r);
}
END_TEST

START_TEST(test_forces_by_hand) {
  rig r = make_floater();
  /* M is 1 beyond the body's origin along its x. */
  cdn_force f = cdn_system_add_linear_bushing(r.system, "rubber", ground, cdn_transform_identity(), r.free,
                                              turned(v(0, 0, 1), 0, v(1, 0, 0)), stiff, damp);
  start(&r);
  set_place(&r, 0, 0, 0, v(-1 + 0.1, 0.2, -0.3)); /* p_FM = (0.1, 0.2, -0.3) */
  cdn_spatial F = body_force(&r, r.free);
  near3(F.v, v(-1.3, -3.4, 5.7), 1e-14);
  near3(F.w, v(0, -5.7, -3.4), 1e-14);     /* the arm (1, 0, 0) x F */
  set_place(&r, 0, 0, PI / 2, v(0, 0, 0)); /* the arm is now along y */
  F = body_force(&r, r.free);
  near3(F.v, v(0, -17, 0), 1e-14);
  near3(F.w, v(0, 0, -11 * PI / 2), 1e-14);
  /* At rest in the middle, moving: the dampers alone. */
  set_place(&r, 0, 0, 0, v(-1, 0, 0));
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 1, 2, 3, 10, 20, 30 }));
  /* v of M's origin: (10, 20, 30) + w x (1, 0, 0) = (10, 23, 28). */
  F = body_force(&r, r.free);
  near3(F.v, v(-11, -1.3 * 23, -1.7 * 28), 1e-13);
  near3(F.w, v(-0.5, -1.4 + 1.7 * 28, -2.7 - 1.3 * 23), 1e-13);
  NEAR(power(&r), -(0.5 + 0.7 * 4 + 0.9 * 9 + 110 + 1.3 * 529 + 1.7 * 784), 1e-12);
  OK(cdn_force_set_enabled(r.state, f, false));
  NEAR(power(&r), 0, 0);
  NEAR(potential(&r), 0, 0);
  stop(&r);
}
END_TEST

/* Generalized forces of all that acts. */
static void generalized(const rig *r, double *f) {
  cdn_spatial F[8];
  double mob[16];
  OK_ON(r->state, cdn_applied_forces(r->state, F, mob));
  OK_ON(r->state, cdn_multiply_by_J_transpose(r->state, F, f));
  for (int k = 0; k < cdn_system_nu(r->system); k++) f[k] += mob[k];
}

static double spread(int i) { return 0.9 * sin(7.3 * i + 1.1); }

/* Between two branches, general frames: f . u = -dV/dt, qdot = dq/dt, the dampers' power is -sum c qdot^2, and the
 * momentum of both bodies together stays. */
START_TEST(test_gradient_power_and_pair) {
  for (int to_ground = 0; to_ground < 2; to_ground++) {
    rig r = make_rig();
    const cdn_body a = to_ground ? ground : r.slider;
    cdn_force f = cdn_system_add_linear_bushing(r.system, NULL, a, turned(v(1, -2, 1), 0.5, v(0.3, 0.1, -0.2)), r.ball,
                                                turned(v(0, 2, 1), -0.8, v(-0.1, 0.2, 0.4)), stiff, none);
    start(&r);
    const int nq = cdn_system_nq(r.system), nu = cdn_system_nu(r.system);
    double q0[16], u[16], step[16], moved[16], force[16], q[5][6], qdot[6], energy[5];
    for (int i = 0; i < nq; i++) q0[i] = spread(i);
    for (int direction = 0; direction < 4; direction++) {
      for (int i = 0; i < nu; i++) u[i] = spread(20 + 13 * direction + i);
      OK(cdn_state_set_q(r.state, q0));
      OK(cdn_state_set_u(r.state, u));
      OK_ON(r.state, cdn_multiply_by_N(r.state, u, step));
      generalized(&r, force);
      NEAR(power(&r), 0, 0);
      OK_ON(r.state, cdn_linear_bushing_coordinates(r.state, f, NULL, qdot));
      const double h = 1e-3; /* five points: h^4 and eps / h are about 1e-12 */
      for (int k = 0; k < 5; k++) {
        for (int i = 0; i < nq; i++) moved[i] = q0[i] + (k - 2) * h * step[i];
        OK(cdn_state_set_q(r.state, moved));
        energy[k] = potential(&r);
        OK_ON(r.state, cdn_linear_bushing_coordinates(r.state, f, q[k], NULL));
      }
      double rate = 0;
      for (int i = 0; i < nu; i++) rate -= force[i] * u[i];
      NEAR((8 * (energy[3] - energy[1]) - energy[4] + energy[0]) / (12 * h), rate, 1e-9);
      for (int i = 0; i < 6; i++) NEAR((8 * (q[3][i] - q[1][i]) - q[4][i] + q[0][i]) / (12 * h), qdot[i], 1e-10);

      OK(cdn_state_set_q(r.state, q0));
      OK(cdn_linear_bushing_set(r.state, f, none, damp));
      double dissipated = 0, work = 0;
      generalized(&r, force);
      for (int i = 0; i < nu; i++) work += force[i] * u[i];
      for (int k = 0; k < 6; k++) dissipated += damp[k] * qdot[k] * qdot[k];
      NEAR(work, -dissipated, 1e-13 * (1 + dissipated));
      NEAR(power(&r), -dissipated, 1e-13 * (1 + dissipated));

      OK(cdn_linear_bushing_set(r.state, f, stiff, NULL)); /* springs and dampers together */
      if (!to_ground) {
        const cdn_spatial A = body_force(&r, a), B = body_force(&r, r.ball);
        cdn_vec3 p_A, p_B;
        OK(cdn_body_station(r.state, a, v(0, 0, 0), &p_A, NULL));
        OK(cdn_body_station(r.state, r.ball, v(0, 0, 0), &p_B, NULL));
        near3(cdn_add(A.v, B.v), v(0, 0, 0), 1e-14);
        near3(cdn_add(cdn_add(A.w, cdn_cross(p_A, A.v)), cdn_add(B.w, cdn_cross(p_B, B.v))), v(0, 0, 0), 1e-13);
      }
      OK(cdn_linear_bushing_set(r.state, f, NULL, none));
    }
    stop(&r);
  }
}
END_TEST

START_TEST(test_parameters) {
  rig r = make_floater();
  cdn_force f = cdn_system_add_linear_bushing(r.system, "rubber", ground, cdn_transform_identity(), r.free,
                                              cdn_transform_identity(), NULL, NULL);
  cdn_force g = cdn_system_add_gravity(r.system, NULL, v(0, 0, 0));
  start(&r);
  set_place(&r, 0, 0, 0.5, v(1, 2, 3));
  near3(body_force(&r, r.free).v, v(0, 0, 0), 0);
  OK(cdn_linear_bushing_set(r.state, f, stiff, NULL));
  near3(body_force(&r, r.free).v, v(-13, -34, -57), 0);
  /* F where M is: nothing is left to do. */
  OK(cdn_linear_bushing_set_frames(r.state, f, turned(v(0, 0, 1), 0.5, v(1, 2, 3)), cdn_transform_identity()));
  near3(body_force(&r, r.free).v, v(0, 0, 0), 0);
  near3(body_force(&r, r.free).w, v(0, 0, 0), 1e-15);
  NEAR(potential(&r), 0, 1e-30);
  /* In F's axes, a force along its x is stiff[3]'s alone. */
  set_place(&r, 0, 0, 0.5, v(1 + cos(0.5), 2 + sin(0.5), 3));
  near3(body_force(&r, r.free).v, v(-13 * cos(0.5), -13 * sin(0.5), 0), 1e-14);

  cdn_transform bent = cdn_transform_identity();
  bent.R.x.y = 1e-6;
  double q[6];
  FAILS(cdn_linear_bushing_set_frames(r.state, f, bent, cdn_transform_identity()), CDN_ERR_ARG);
  FAILS(cdn_linear_bushing_set(r.state, f, NULL, (double[]){ 0, 0, 0, 0, 0, -1 }), CDN_ERR_ARG);
  FAILS(cdn_linear_bushing_set(r.state, f, (double[]){ 0, NAN, 0, 0, 0, 0 }, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_linear_bushing_set(r.state, g, stiff, NULL), CDN_ERR_ARG);
  FAILS(cdn_linear_bushing_set(r.state, (cdn_force){ 8 }, stiff, NULL), CDN_ERR_ARG);
  FAILS(cdn_linear_bushing_coordinates(r.state, g, q, NULL), CDN_ERR_ARG);
  near3(body_force(&r, r.free).v, v(-13 * cos(0.5), -13 * sin(0.5), 0), 1e-14); /* nothing was changed */
  stop(&r);
}
END_TEST

START_TEST(test_singular) {
  rig r = make_floater();
  cdn_force f = cdn_system_add_linear_bushing(r.system, "rubber", ground, cdn_transform_identity(), r.free,
                                              cdn_transform_identity(), stiff, none);
  start(&r);
  set_place(&r, 0, PI / 2, 0, v(1, 0, 0));
  FAILS(cdn_realize(r.state, CDN_STAGE_FORCE), CDN_ERR_SINGULAR);
  cdn_error e;
  cdn_state_last_error(r.state, &e);
  ck_assert_str_eq(e.element, "rubber");
  ck_assert(e.recoverable);
  double energy, q[6];
  FAILS(cdn_potential_energy(r.state, &energy), CDN_ERR_SINGULAR);
  FAILS(cdn_linear_bushing_coordinates(r.state, f, q, NULL), CDN_ERR_SINGULAR);
  /* Springs along the axes only do not mind. */
  OK(cdn_linear_bushing_set(r.state, f, (double[]){ 0, 0, 0, 2, 2, 2 }, NULL));
  near3(body_force(&r, r.free).v, v(-2, 0, 0), 1e-15);
  NEAR(potential(&r), 1, 1e-15);
  stop(&r);
}
END_TEST

static void refused(int which, cdn_status status) {
  rig r = make_floater();
  cdn_transform X = cdn_transform_identity(), wrong = X;
  wrong.p.x = NAN;
  cdn_force f = { 0 };
  switch (which) {
    case 0: f = cdn_system_add_linear_bushing(r.system, "x", r.free, X, r.free, X, stiff, damp); break;
    case 1: f = cdn_system_add_linear_bushing(r.system, "x", r.free, X, (cdn_body){ 7 }, X, stiff, damp); break;
    case 2: f = cdn_system_add_linear_bushing(r.system, "x", ground, wrong, r.free, X, stiff, damp); break;
    case 3:
      f = cdn_system_add_linear_bushing(r.system, "x", ground, X, r.free, (cdn_transform){ 0 }, stiff, damp);
      break;
    default:
      f = cdn_system_add_linear_bushing(r.system, "x", ground, X, r.free, X, stiff, (double[]){ -1, 0, 0, 0, 0, 0 });
  }
  ck_assert_int_eq(f.i, -1);
  FAILS(cdn_system_freeze(r.system), status);
  cdn_error e;
  cdn_system_last_error(r.system, &e);
  ck_assert_str_eq(e.element, "x");
  cdn_system_release(r.system);
}

START_TEST(test_refused) {
  refused(0, CDN_ERR_ARG);
  refused(1, CDN_ERR_ARG);
  refused(2, CDN_ERR_NONFINITE);
  refused(3, CDN_ERR_ARG);
  refused(4, CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("linear bushing", test_coordinates, test_forces_by_hand, test_gradient_power_and_pair, test_parameters,
           test_singular, test_refused)
