/* The built-in force elements, one by one: numbers worked out by hand. */
#include "force_rig.h"

#include "core/core.h"

/* ---- numbers by hand: a few roundings of numbers of order one to a hundred ---- */

START_TEST(test_gravity) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ 2, v(1, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  rig r = { .system = system, .pin = cdn_system_add_body(system, &def) };
  cdn_force g = cdn_system_add_gravity(system, NULL, v(0, -10, 0));
  start(&r);
  set_q(&r, r.pin, PI / 6);
  cdn_spatial F = body_force(&r, r.pin);
  near3(F.v, v(0, -20, 0), 0);
  near3(F.w, v(0, 0, -20 * cos(PI / 6)), 1e-14);
  NEAR(potential(&r), 20 * sin(PI / 6), 1e-14);
  ck_assert_str_eq(cdn_force_name(system, g), "gravity");

  OK(cdn_gravity_set(r.state, g, v(0, 0, 4)));
  ck_assert_double_eq(cdn_gravity_get(r.state, g).z, 4);
  F = body_force(&r, r.pin);
  near3(F.v, v(0, 0, 8), 0);
  NEAR(potential(&r), 0, 0);
  ck_assert(isnan(cdn_gravity_get(r.state, (cdn_force){ 7 }).x));
  near3(body_force(&r, ground).v, v(0, 0, 0), 0);
  stop(&r);
}
END_TEST

START_TEST(test_mobility_elements) {
  rig r = make_rig();
  cdn_force spring = cdn_system_add_mobility_spring(r.system, "coil", r.slider, 0, 50, 0.25);
  cdn_force damper = cdn_system_add_mobility_damper(r.system, NULL, r.free, 4, 3);
  cdn_force push = cdn_system_add_mobility_force(r.system, NULL, r.ball, 2, -7);
  start(&r);
  const int slider = cdn_body_first_u(r.system, r.slider), ball = cdn_body_first_u(r.system, r.ball);
  const int box = cdn_body_first_u(r.system, r.free);
  set_q(&r, r.slider, 0.75);
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 1, 2, 3, 4, 5, 6 }));
  NEAR(mobility_force(&r, slider), -25, 0);
  NEAR(mobility_force(&r, box + 4), -15, 0);
  NEAR(mobility_force(&r, ball + 2), -7, 0);
  NEAR(potential(&r), 6.25, 0);
  OK(cdn_body_set_u(r.state, r.ball, 3, (double[]){ 0, 0, 2 }));
  NEAR(power(&r), -75 - 14, 0);

  OK(cdn_mobility_spring_set(r.state, spring, -8, 0.5)); /* an inverted spring is a spring */
  OK(cdn_mobility_damper_set(r.state, damper, 0));
  OK(cdn_mobility_force_set(r.state, push, 11));
  NEAR(mobility_force(&r, slider), 2, 0);
  NEAR(mobility_force(&r, box + 4), 0, 0);
  NEAR(mobility_force(&r, ball + 2), 11, 0);
  NEAR(potential(&r), -0.25, 0);
  stop(&r);
}
END_TEST

/* f = -k x max(0, 1 + d xdot), never pulling; the elastic part has the potential k x^2 / 2. */
START_TEST(test_mobility_stop) {
  rig r = make_rig();
  cdn_force s = cdn_system_add_mobility_stop(r.system, NULL, r.pin, 0, -1, 2, 100, 0.5);
  start(&r);
  const struct {
    double q, u, f, energy;
  } cases[] = {
    { 0, 9, 0, 0 },          { 2, 9, 0, 0 },           { -1, -9, 0, 0 },
    { 2.25, 0, -25, 3.125 }, { 2.25, 2, -50, 3.125 },  { 2.25, -1, -12.5, 3.125 },
    { 2.25, -2, 0, 3.125 },  { 2.25, -200, 0, 3.125 }, { -1.5, 0, 50, 12.5 },
    { -1.5, -2, 100, 12.5 }, { -1.5, 1, 25, 12.5 },    { -1.5, 2, 0, 12.5 },
    { -1.5, 77, 0, 12.5 },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    set_q(&r, r.pin, cases[i].q);
    set_u(&r, r.pin, cases[i].u);
    NEAR(mobility_force(&r, 0), cases[i].f, 0);
    NEAR(potential(&r), cases[i].energy, 0);
    /* what the potential does not give */
    const double elastic = cases[i].q > 0 ? -100 * fmax(0, cases[i].q - 2) : 100 * fmax(0, -1 - cases[i].q);
    NEAR(power(&r), (cases[i].f - elastic) * cases[i].u, 1e-12);
    AT_MOST(power(&r), 0);
  }
  /* One bound only. */
  OK(cdn_mobility_stop_set(r.state, s, -INFINITY, 0.5, 10, 0));
  set_q(&r, r.pin, -1e6);
  NEAR(mobility_force(&r, 0), 0, 0);
  set_q(&r, r.pin, 1.5);
  NEAR(mobility_force(&r, 0), -10, 0);
  OK(cdn_mobility_stop_set(r.state, s, 2, INFINITY, 10, 0));
  NEAR(mobility_force(&r, 0), 5, 0);
  set_q(&r, r.pin, 1e6);
  NEAR(mobility_force(&r, 0), 0, 0);
  stop(&r);
}
END_TEST

/* The quaternion of a turn by `angle` about a unit axis, of length `scale`. */
static void set_turn(const rig *r, cdn_body body, cdn_vec3 axis, double angle, double scale) {
  const double s = scale * sin(angle / 2), q[7] = { scale * cos(angle / 2), s * axis.x, s * axis.y, s * axis.z };
  OK_ON(r->state, cdn_body_set_q(r->state, body, cdn_mobilizer_nq(cdn_body_mobilizer(r->system, body)), q));
}

static cdn_vec3 turning_force(const rig *r, cdn_body body) {
  double f[16];
  OK_ON(r->state, cdn_applied_forces(r->state, NULL, f));
  const double *own = f + cdn_body_first_u(r->system, body);
  return v(own[0], own[1], own[2]);
}

START_TEST(test_rotation_spring) {
  const cdn_vec3 n = cdn_scale(1 / 7.0, v(2, -3, 6));
  for (int kind = 0; kind < 2; kind++) {
    rig r = make_rig();
    const cdn_body body = kind ? r.free : r.ball;
    cdn_force s = cdn_system_add_rotation_spring(r.system, NULL, body, 5, cdn_rotation_identity());
    start(&r);
    /* From the smallest angles to half a turn; no length or sign of the quaternion matters. */
    const double angles[] = { 0, 1e-200, 1e-12, 1e-6, 0.1, 1, 2, 3, PI - 1e-6, PI - 1e-12 };
    const double scales[] = { 1, -1, 1e-3, -1e6 };
    for (int i = 0; i < CDNI_COUNT(angles); i++)
      for (int k = 0; k < CDNI_COUNT(scales); k++) {
        set_turn(&r, body, n, angles[i], scales[k]);
        /* the quaternion itself has been rounded: that alone moves the angle by an ulp of 1 near pi */
        const double tolerance = 5 * (angles[i] < 1 ? 4 * angles[i] : 4) * 0x1p-52;
        near3(turning_force(&r, body), cdn_scale(-5 * angles[i], n), tolerance);
        NEAR(potential(&r), 2.5 * angles[i] * angles[i], 4 * tolerance * angles[i]);
      }
    /* Exactly half a turn: which way is open, how much is not; beyond it the other way is shorter. */
    OK(cdn_body_set_q(r.state, body, kind ? 7 : 4, (double[]){ 0, 0, 3, 0, 0, 0, 0 }));
    NEAR(fabs(turning_force(&r, body).y), 5 * PI, 1e-14);
    set_turn(&r, body, n, 2 * PI - 0.5, 1);
    near3(turning_force(&r, body), cdn_scale(5 * 0.5, n), 1e-14);

    /* At rest in R0 = turn of 0.4 about n: turned by 1.0 about the same axis, 0.6 is left. */
    OK(cdn_rotation_spring_set(r.state, s, 2, cdn_rotation_axis_angle(n, 0.4)));
    set_turn(&r, body, n, 1, 1);
    near3(turning_force(&r, body), cdn_scale(-2 * 0.6, n), 1e-15 * 4);
    /* About another axis: x is turned by 1/2 about F's z after R0 = 90 degrees about y. */
    OK(cdn_rotation_spring_set(r.state, s, 2, cdn_rotation_axis_angle(v(0, 1, 0), PI / 2)));
    const cdn_rotation R =
        cdn_rotation_multiply(cdn_rotation_axis_angle(v(0, 0, 1), 0.5), cdn_rotation_axis_angle(v(0, 1, 0), PI / 2));
    const cdn_quaternion e = cdn_quaternion_from_rotation(R);
    OK(cdn_body_set_q(r.state, body, kind ? 7 : 4, (double[]){ e.w, e.x, e.y, e.z, 0, 0, 0 }));
    near3(turning_force(&r, body), v(0, 0, -1), 1e-14);
    stop(&r);
  }
}
END_TEST

START_TEST(test_rotation_stop) {
  rig r = make_rig();
  cdn_force s = cdn_system_add_rotation_stop(r.system, NULL, r.ball, 0.5, 8, 0.25);
  start(&r);
  const cdn_vec3 n = v(0.6, 0, -0.8);
  set_turn(&r, r.ball, n, 0.5 - 1e-9, 1);
  near3(turning_force(&r, r.ball), v(0, 0, 0), 0);
  const struct { double rate, factor; } cases[] = { { 0, 1 }, { 2, 1.5 }, { -2, 0.5 }, { -4, 0 }, { -400, 0 } };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    /* what turns about other axes does not count */
    const cdn_vec3 w = cdn_add(cdn_scale(cases[i].rate, n), v(0, 3, 0));
    set_turn(&r, r.ball, n, 1.25, 2);
    OK(cdn_body_set_u(r.state, r.ball, 3, (double[]){ w.x, w.y, w.z }));
    near3(turning_force(&r, r.ball), cdn_scale(-8 * 0.75 * cases[i].factor, n), 1e-13 * (1 + fabs(cases[i].rate)));
    NEAR(potential(&r), 4 * 0.75 * 0.75, 1e-14);
    NEAR(power(&r), -8 * 0.75 * (cases[i].factor - 1) * cases[i].rate, 1e-11);
  }
  OK(cdn_rotation_stop_set(r.state, s, 1.5, 8, 0));
  near3(turning_force(&r, r.ball), v(0, 0, 0), 0);
  stop(&r);
}
END_TEST

/* Ground's (1, 2, 2) and the station (1, 0, 0) of a body that is turned by 90 degrees about z. */
START_TEST(test_two_point) {
  rig r = make_floater();
  cdn_force spring = cdn_system_add_two_point_spring(r.system, "band", ground, v(1, 2, 2), r.free, v(1, 0, 0), 10, 1);
  cdn_force damper = cdn_system_add_two_point_damper(r.system, "dash", r.free, v(1, 0, 0), ground, v(1, 2, 2), 2);
  start(&r);
  const double c = sqrt(0.5);
  OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ c, 0, 0, c, 4, 5, 2 })); /* station at (4, 6, 2): 5 away */
  cdn_spatial F = body_force(&r, r.free);
  near3(F.v, v(-40 * 0.6, -40 * 0.8, 0), 1e-13);
  near3(F.w, v(0, 0, 40 * 0.6), 1e-13); /* (0, 1, 0) x F */
  near3(body_force(&r, ground).v, v(0, 0, 0), 0);
  NEAR(potential(&r), 5 * 16, 1e-13);
  NEAR(power(&r), 0, 0);

  /* Turning at 1 rad/s about z carries the station by (-1, 0, 0), the origin moves by (3, 5, 1):
   * the length's rate is 0.6 2 + 0.8 5. */
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 0, 0, 1, 3, 5, 1 }));
  OK(cdn_force_set_enabled(r.state, spring, false));
  F = body_force(&r, r.free);
  near3(F.v, v(-2 * 5.2 * 0.6, -2 * 5.2 * 0.8, 0), 1e-13);
  near3(F.w, v(0, 0, 2 * 5.2 * 0.6), 1e-13);
  NEAR(power(&r), -2 * 5.2 * 5.2, 1e-13);
  NEAR(potential(&r), 0, 0);

  OK(cdn_two_point_damper_set(r.state, damper, 0));
  OK(cdn_force_set_enabled(r.state, spring, true));
  OK(cdn_two_point_spring_set(r.state, spring, 1, 7));
  near3(body_force(&r, r.free).v, v(2 * 0.6, 2 * 0.8, 0), 1e-14); /* shorter than at rest: it pushes */
  stop(&r);
}
END_TEST

START_TEST(test_two_point_pair) {
  rig r = make_rig();
  cdn_system_add_two_point_spring(r.system, NULL, r.slider, v(0.1, 0.2, 0.3), r.ball, v(-0.5, 0.1, 0), 7, 0.2);
  start(&r);
  cdn_spatial a = body_force(&r, r.slider), b = body_force(&r, r.ball);
  near3(cdn_add(a.v, b.v), v(0, 0, 0), 0);
  cdn_vec3 p_a, p_b, from_a, from_b;
  OK(cdn_body_station(r.state, r.slider, v(0, 0, 0), &from_a, NULL));
  OK(cdn_body_station(r.state, r.ball, v(0, 0, 0), &from_b, NULL));
  OK(cdn_body_station(r.state, r.slider, v(0.1, 0.2, 0.3), &p_a, NULL));
  OK(cdn_body_station(r.state, r.ball, v(-0.5, 0.1, 0), &p_b, NULL));
  const cdn_vec3 apart = cdn_sub(p_b, p_a);
  near3(a.v, cdn_scale(7 * (1 - 0.2 / cdn_norm(apart)), apart), 1e-14);
  near3(a.w, cdn_cross(cdn_sub(p_a, from_a), a.v), 1e-14);
  near3(b.w, cdn_cross(cdn_sub(p_b, from_b), b.v), 1e-14);
  stop(&r);
}
END_TEST

START_TEST(test_two_point_zero_length) {
  rig r = make_floater();
  cdn_force spring = cdn_system_add_two_point_spring(r.system, "band", ground, v(0, 0, 0), r.free, v(0, 0, 0), 10, 0);
  cdn_system_add_two_point_damper(r.system, "dash", ground, v(0, 0, 0), r.free, v(0, 0, 0), 2);
  start(&r);
  near3(body_force(&r, r.free).v, v(0, 0, 0), 0);
  /* The damper resists the motion through the point as it does on either side of it. */
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 0, 0, 0, 1, -2, 3 }));
  near3(body_force(&r, r.free).v, v(-2, 4, -6), 0);
  for (int side = -1; side <= 1; side += 2) {
    const double x = side * 1e-300;
    OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ 1, 0, 0, 0, x, -2 * x, 3 * x }));
    near3(body_force(&r, r.free).v, v(-2, 4, -6), 1e-14);
  }

  OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ 1, 0, 0, 0, 0, 0, 0 }));
  OK(cdn_two_point_spring_set(r.state, spring, 10, 0.5));
  FAILS(cdn_realize(r.state, CDN_STAGE_FORCE), CDN_ERR_SINGULAR);
  cdn_error e;
  cdn_state_last_error(r.state, &e);
  ck_assert_str_eq(e.element, "band");
  ck_assert(e.recoverable);
  NEAR(potential(&r), 1.25, 0); /* the energy is well defined */
  OK(cdn_force_set_enabled(r.state, spring, false));
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  stop(&r);
}
END_TEST

START_TEST(test_body_force) {
  rig r = make_floater();
  cdn_force f = cdn_system_add_body_force(r.system, NULL, r.free, v(2, 0, 0), v(0, 0, 5), v(1, 0, 0));
  cdn_system_add_body_force(r.system, "on Ground", ground, v(0, 0, 0), v(1, 1, 1), v(1, 1, 1));
  start(&r);
  const double c = sqrt(0.5);
  OK(cdn_body_set_q(r.state, r.free, 7, (double[]){ c, 0, 0, c, 1, 1, 1 })); /* the arm is (0, 2, 0) in Ground */
  cdn_spatial F = body_force(&r, r.free);
  near3(F.v, v(0, 0, 5), 0);
  near3(F.w, v(11, 0, 0), 1e-14);
  OK(cdn_body_set_u(r.state, r.free, 6, (double[]){ 2, 0, 0, 0, 0, 3 }));
  NEAR(power(&r), 22 + 15, 1e-13);
  NEAR(potential(&r), 0, 0);
  OK(cdn_body_force_set(r.state, f, v(1, 0, 0), v(0, 0, 0)));
  F = body_force(&r, r.free);
  near3(F.v, v(1, 0, 0), 0);
  near3(F.w, v(0, 0, -2), 1e-14);
  stop(&r);
}
END_TEST

CHECK_MAIN("force elements", test_gravity, test_mobility_elements, test_mobility_stop, test_rotation_spring,
           test_rotation_stop, test_two_point, test_two_point_pair, test_two_point_zero_length, test_body_force)
