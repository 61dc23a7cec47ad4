/* Springs, dampers, stops and falling bodies against elementary closed forms. */
#include "runs.h"

/* ---- mass, spring, damper ------------------------------------------------------------------- */

typedef struct oscillator {
  double m, k, c, x0, v0, f;
} oscillator;

/* m x'' + c x' + k x = f from (x0, v0): under-, over- or critically damped. */
static void oscillator_truth(const oscillator *o, double t, double *x, double *v) {
  double rest = o->f / o->k, a = o->c / (2 * o->m), d = o->k / o->m - a * a, y0 = o->x0 - rest;
  double b = o->v0 + a * y0, e = exp(-a * t);
  if (d > 1e-9) {
    double w = sqrt(d), c = cos(w * t), s = sin(w * t) / w;
    *x = rest + e * (y0 * c + b * s);
    *v = e * ((b - a * y0) * c - (a * b + d * y0) * s);
  } else if (d < -1e-9) {
    double w = sqrt(-d), c = cosh(w * t), s = sinh(w * t) / w;
    *x = rest + e * (y0 * c + b * s);
    *v = e * ((b - a * y0) * c - (a * b + d * y0) * s);
  } else {
    *x = rest + e * (y0 + b * t);
    *v = e * (b - a * (y0 + b * t));
  }
}

static void sliding_mass(double mass, cdn_vec3 axis, cdn_system **system, cdn_body *body) {
  *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "block";
  def.mobilizer = CDN_SLIDER;
  def.X_PF = def.X_BM = frame_x(axis, cdn_v3(0, 0, 0));
  def.mass = point_mass(mass, cdn_v3(0, 0, 0));
  *body = cdn_system_add_body(*system, &def);
}

static double oscillate(double accuracy, const void *what) {
  const oscillator *o = what;
  cdn_system *system;
  cdn_body block;
  sliding_mass(o->m, cdn_v3(0, 0, 1), &system, &block);
  cdn_system_add_mobility_spring(system, "spring", block, 0, o->k, 0);
  cdn_system_add_mobility_damper(system, "damper", block, 0, o->c);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, o->f / o->m));
  cdn_state *state = state_of(system);
  OK(cdn_body_set_q(state, block, 1, &o->x0));
  OK(cdn_body_set_u(state, block, 1, &o->v0));
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0;
  for (int i = 1; i <= 20; i++) {
    double t = 0.31 * i, x, v;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    oscillator_truth(o, t, &x, &v);
    worst = fmax(worst, fabs(cdn_state_q(cdn_stepper_state(stepper))[0] - x));
    worst = fmax(worst, fabs(cdn_state_u(cdn_stepper_state(stepper))[0] - v));
  }
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  /* the damper's work is booked: what is left of the energy balance is of the order of the accuracy */
  AT_MOST(fabs(certificate.energy_residual), 100 * accuracy + 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_spring_mass_damper) {
  static const oscillator cases[] = {
    { .m = 2, .k = 50, .c = 0, .x0 = 0.3, .v0 = -1, .f = 0 },     /* undamped */
    { .m = 2, .k = 50, .c = 3, .x0 = 0.3, .v0 = -1, .f = -19.6 }, /* under-damped, hanging */
    { .m = 2, .k = 50, .c = 20, .x0 = 0.3, .v0 = 2, .f = 5 },     /* critically damped */
    { .m = 2, .k = 50, .c = 60, .x0 = -0.5, .v0 = 4, .f = 0 },    /* over-damped */
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    check_convergence("oscillator", oscillate, &cases[i], 10, 1e-11, 1e-13);
}
END_TEST

/* Two free bodies on a spring between points: the reduced mass oscillates, the centre moves on. */
static double two_bodies(double accuracy, const void *what) {
  const double ma = 1.5, mb = 0.5, k = 30, rest = 0.8, stretch = 0.25;
  (void)what;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = solid(ma, cdn_v3(0, 0, 0), 1, 1, 1);
  cdn_body a = cdn_system_add_body(system, &def);
  def.mass = solid(mb, cdn_v3(0, 0, 0), 1, 1, 1);
  cdn_body b = cdn_system_add_body(system, &def);
  cdn_system_add_two_point_spring(system, "spring", a, cdn_v3(0, 0, 0), b, cdn_v3(0, 0, 0), k, rest);
  cdn_state *state = state_of(system);
  double qb[7] = { 1, 0, 0, 0, 0, rest + stretch, 0 }, u[6] = { 0, 0, 0, 0.2, 0.1, -0.3 }, worst = 0;
  OK(cdn_body_set_q(state, b, 7, qb));
  OK(cdn_body_set_u(state, a, 6, u));
  OK(cdn_body_set_u(state, b, 6, u));
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double w = sqrt(k * (ma + mb) / (ma * mb));
  for (int i = 1; i <= 10; i++) {
    double t = 0.27 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_transform Xa, Xb;
    OK(cdn_body_pose(cdn_stepper_state(stepper), a, &Xa));
    OK(cdn_body_pose(cdn_stepper_state(stepper), b, &Xb));
    cdn_vec3 apart = cdn_sub(Xb.p, Xa.p),
             centre = cdn_add(cdn_scale(ma / (ma + mb), Xa.p), cdn_scale(mb / (ma + mb), Xb.p));
    worst = fmax(worst, cdn_norm(cdn_sub(apart, cdn_v3(0, rest + stretch * cos(w * t), 0))));
    cdn_vec3 expected = cdn_v3(0.2 * t, mb / (ma + mb) * (rest + stretch) + 0.1 * t, -0.3 * t);
    AT_MOST(cdn_norm(cdn_sub(centre, expected)), 1e-14); /* linear in time: rounding only */
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_two_bodies_on_a_spring) { check_convergence("two bodies", two_bodies, NULL, 5, 1e-11, 1e-13); }
END_TEST

/* A pin's rotational inertia with armature on a spring: frequency sqrt(k / (I + armature)). */
static double torsion(double accuracy, const void *what) {
  const double I = 0.7, armature = 0.35, k = 8, q0 = 0.4;
  (void)what;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = solid(1, cdn_v3(0, 0, 0), I, I, I);
  def.armature = armature;
  def.q0 = &q0;
  cdn_body wheel = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", wheel, 0, k, 0.1);
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double worst = 0, w = sqrt(k / (I + armature));
  for (int i = 1; i <= 10; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5 * i, NULL));
    worst = fmax(worst, fabs(cdn_state_q(cdn_stepper_state(stepper))[0] - 0.1 - (q0 - 0.1) * cos(w * 0.5 * i)));
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return worst;
}

START_TEST(test_torsion_with_armature) { check_convergence("torsion", torsion, NULL, 2, 1e-11, 1e-13); }
END_TEST

/* ---- falling -------------------------------------------------------------------------------- */

START_TEST(test_projectile) {
  /* spinning about a principal axis while it flies: parabola and constant rate, exact for the method but rounding */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = solid(0.4, cdn_v3(0, 0, 0), 0.1, 0.2, 0.25);
  cdn_body ball = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  double u[6] = { 0, 3, 0, 4, 0, 6 };
  OK(cdn_body_set_u(state, ball, 6, u));
  cdn_stepper *stepper = stepper_of(state, 1e-9);
  for (int i = 1; i <= 12; i++) {
    double t = 0.1 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_transform X;
    OK(cdn_body_pose(cdn_stepper_state(stepper), ball, &X));
    AT_MOST(cdn_norm(cdn_sub(X.p, cdn_v3(4 * t, 0, 6 * t - 9.81 / 2 * t * t))), 2e-14);
    /* the angle 3 t is held to some tens of the accuracy */
    AT_MOST(cdn_norm(cdn_sub(X.R.x, cdn_v3(cos(3 * t), 0, -sin(3 * t)))), 1e-7);
  }
  double ke, pe;
  OK(cdn_kinetic_energy(cdn_stepper_state(stepper), &ke));
  OK(cdn_potential_energy(cdn_stepper_state(stepper), &pe));
  NEAR(ke + pe, 0.5 * 0.4 * (16 + 36) + 0.5 * 0.2 * 9, 1e-13);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_smooth_incline) {
  /* a frictionless slope of 30 degrees: g sin(30) down it */
  cdn_system *system;
  cdn_body block;
  sliding_mass(3, cdn_v3(cos(PI / 6), -sin(PI / 6), 0), &system, &block);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  const double *udot = cdn_state_udot(state);
  ck_assert_ptr_nonnull(udot);
  NEAR(udot[0], 9.81 / 2, 3e-15);
  cdn_state_destroy(state);
}
END_TEST

/* ---- the compliant stop --------------------------------------------------------------------- */

/* Hunt and Crossley's law with f = k x (1 + d xdot): the coefficient of restitution e depends on d v0 alone,
 * d v0 (1 + e) = ln((1 + d v0) / (1 - e d v0)); 25-digit roots. */
static const double restitution[][2] = {
  { 0.01, 0.9933774543987673634030332 }, { 0.1, 0.9374755799499050637728355 }, { 0.3, 0.8328697922656016650311731 },
  { 1, 0.5936242600400400923230419 },    { 3, 0.3068967982909621145202971 },   { 10, 0.09998162475294388687928343 },
};

/* A mass hits its stop at 2 m/s; returns the error of the speed with which it leaves, over the speed of arrival. */
static double bounce(double accuracy, const void *what) {
  const double *row = what, m = 0.5, k = 200, v0 = 2, upper = 0.1;
  cdn_system *system;
  cdn_body block;
  sliding_mass(m, cdn_v3(1, 0, 0), &system, &block);
  cdn_system_add_mobility_stop(system, "stop", block, 0, -INFINITY, upper, k, row[0] / v0);
  cdn_state *state = state_of(system);
  OK(cdn_body_set_u(state, block, 1, &v0));
  cdn_stepper *stepper = stepper_of(state, accuracy);
  double t = 0;
  do {
    t += 0.05;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
  } while (t < 20 && cdn_state_q(cdn_stepper_state(stepper))[0] > upper - 0.05);
  double e = -cdn_state_u(cdn_stepper_state(stepper))[0] / v0;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return fabs(e - row[1]);
}

START_TEST(test_restitution_of_a_stop) {
  /* the law has a kink where contact begins and ends; error control steps over it with some more error */
  for (size_t i = 0; i < sizeof restitution / sizeof restitution[0]; i++)
    for (double accuracy = 1e-4; accuracy > 1e-11; accuracy *= 0.01)
      AT_MOST(bounce(accuracy, restitution[i]), 100 * accuracy + 1e-13);
}
END_TEST

START_TEST(test_stops_on_both_sides) {
  /* at a penetration x with speed v the force is k x max(0, 1 + d v), v inwards, and zero between the bounds */
  const double lower = -0.3, upper = 0.2, k = 150, d = 0.4, m = 2;
  cdn_system *system;
  cdn_body block;
  sliding_mass(m, cdn_v3(1, 0, 0), &system, &block);
  cdn_system_add_mobility_stop(system, "stop", block, 0, lower, upper, k, d);
  cdn_state *state = state_of(system);
  for (double q = -0.5; q < 0.5; q += 0.07)
    for (double u = -6; u < 6; u += 0.9) {
      double x = q > upper ? q - upper : q < lower ? lower - q : 0, inwards = q > upper ? u : -u;
      double f = k * x * fmax(0, 1 + d * inwards) * (q > upper ? -1 : 1);
      OK(cdn_state_set_q(state, &q));
      OK(cdn_state_set_u(state, &u));
      NEAR(cdn_state_udot(state)[0], f / m, 2e-14 * (1 + fabs(f)));
    }
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("oscillators", test_spring_mass_damper, test_two_bodies_on_a_spring, test_torsion_with_armature,
           test_projectile, test_smooth_incline, test_restitution_of_a_stop, test_stops_on_both_sides)
