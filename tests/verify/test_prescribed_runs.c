/* Runs with prescribed motion: closed forms, every method, the power balance, locks that events put on and take off. */
#include "runs.h"

static cdn_motion add_motion(cdn_system *system, cdn_body body, cdn_motion_kind kind, cdn_motion_level level, double p0,
                             double p1, double p2) {
  cdn_motion_def def = cdn_default_motion_def();
  def.body = body;
  def.kind = kind;
  def.level = level;
  def.params[0] = p0, def.params[1] = p1, def.params[2] = p2;
  return cdn_system_add_motion(system, &def);
}

static cdn_body add_slider(cdn_system *system, cdn_body parent, cdn_mass_properties mass) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent;
  def.mobilizer = CDN_SLIDER;
  def.mass = mass;
  return cdn_system_add_body(system, &def);
}

static cdn_stepper *stepper_with(cdn_state *state, cdn_method method, double accuracy) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  take_method(&def, method, 1e-3);
  def.accuracy = accuracy;
  def.max_step = 0.05;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static double energy_residual(cdn_stepper *stepper) {
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  return fabs(certificate.energy_residual);
}

/* What a method of that order delivers at its accuracy: those of order 1 and 2 are asked for less. */
static double accuracy_of(cdn_method method) {
  return method == CDN_METHOD_EXPLICIT_EULER || method == CDN_METHOD_SEMI_EXPLICIT_EULER ||
                 method == CDN_METHOD_SEMI_EXPLICIT_EULER_2 || cdn_method_needs_fixed_step(method)
             ? 1e-4
         : method == CDN_METHOD_VERLET || method == CDN_METHOD_TRAPEZOID || method == CDN_METHOD_BOGACKI_SHAMPINE ||
                 method == CDN_METHOD_IMPLICIT_CONTACT
             ? 1e-6
             : 1e-9;
}

/* ---- a slider on a base that turns steadily: r'' = w^2 r, and the Coriolis force asks for tau = -2 m r r' w
 * -------- */

START_TEST(turning_base) {
  const double w = 1.5, r0 = 0.3, m = 2;
  cdn_method method = (cdn_method)_i;
  if (!cdn_method_is_available(method)) return;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body base =
      add_pin(system, "base", cdn_ground(), cdn_v3(0, 0, 1), cdn_v3(0, 0, 0), solid(1, cdn_v3(0, 0, 0), 1, 1, 1));
  cdn_body slider = add_slider(system, base, point_mass(m, cdn_v3(0, 0, 0)));
  cdn_motion motion = add_motion(system, base, CDN_MOTION_STEADY, CDN_LEVEL_VELOCITY, w, 0, 0);
  cdn_state *state = state_of(system);
  OK(cdn_body_set_q(state, slider, 1, &r0));
  double accuracy = accuracy_of(method), tau, power;
  cdn_stepper *stepper = stepper_with(state, method, accuracy);
  for (int i = 1; i <= 10; i++) {
    double t = 0.2 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    double r = r0 * cosh(w * t), rdot = r0 * w * sinh(w * t);
    NEAR(*cdn_body_q(now, slider), r, 300 * accuracy);
    NEAR(*cdn_body_u(now, slider), rdot, 300 * accuracy);
    ck_assert(*cdn_body_u(now, base) == w); /* written back */
    /* q of a steady speed is integrated: its roundings add up */
    NEAR(*cdn_body_q(now, base), w * t, 1e-11);
    OK_ON(now, cdn_motion_force(now, motion, &tau));
    OK_ON(now, cdn_motion_power(now, &power));
    NEAR(tau, -2 * m * r * rdot * w, 2 * m * w * (r + rdot) * 300 * accuracy);
    NEAR(power, -tau * w, 1e-14 * fabs(tau * w));
  }
  AT_MOST(energy_residual(stepper), 100 * accuracy);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a pendulum on a base that is shaken: theta'' = -(g sin theta + x'' cos theta) / l
 * ---------------------------- */

typedef struct shaken {
  double g, l, a, w, p;
} shaken;

/* Classical Runge-Kutta with steps that leave 1e-12. */
static void integrate(const shaken *c, double t0, double t1, double *theta, double *omega) {
  const int n = 8000;
  double h = (t1 - t0) / n;
#define BEND(t, x) (-(c->g * sin(x) - c->a * c->w * c->w * sin(c->w * (t) + c->p) * cos(x)) / c->l)
  for (int i = 0; i < n; i++) {
    double t = t0 + i * h, x = *theta, v = *omega;
    double a1 = BEND(t, x), v2 = v + 0.5 * h * a1, x2 = x + 0.5 * h * v;
    double a2 = BEND(t + 0.5 * h, x2), v3 = v + 0.5 * h * a2, x3 = x + 0.5 * h * v2;
    double a3 = BEND(t + 0.5 * h, x3), v4 = v + h * a3, x4 = x + h * v3;
    double a4 = BEND(t + h, x4);
    *theta = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    *omega = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

START_TEST(shaken_pendulum) {
  const shaken c = { .g = 9.81, .l = 0.7, .a = 0.15, .w = 7, .p = 0.4 };
  cdn_method method = (cdn_method)_i;
  if (!cdn_method_is_available(method)) return;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body base = add_slider(system, cdn_ground(), point_mass(3, cdn_v3(0, 0, 0)));
  cdn_body bob = add_pin(system, "bob", base, cdn_v3(0, 0, 1), cdn_v3(0, 0, 0), point_mass(1, cdn_v3(0, -c.l, 0)));
  add_motion(system, base, CDN_MOTION_SINUSOID, CDN_LEVEL_POSITION, c.a, c.w, c.p);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -c.g, 0));
  cdn_state *state = state_of(system);
  double theta = 0.8, omega = 0, accuracy = accuracy_of(method), away = 5;
  OK(cdn_body_set_q(state, bob, 1, &theta));
  OK(cdn_body_set_q(state, base, 1, &away)); /* no matter: the start is made consistent */
  cdn_stepper *stepper = stepper_with(state, method, accuracy);
  ck_assert(*cdn_body_q(cdn_stepper_state(stepper), base) == c.a * sin(c.p));
  for (int i = 1; i <= 6; i++) {
    double t = 0.23 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    cdn_state *now = cdn_stepper_state(stepper);
    integrate(&c, t - 0.23, t, &theta, &omega);
    NEAR(*cdn_body_q(now, bob), theta, 300 * accuracy);
    NEAR(*cdn_body_u(now, bob), omega, 3000 * accuracy);
    /* between steps, too, the base is where it is told to be */
    ck_assert(*cdn_body_q(now, base) == c.a * sin(c.w * t + c.p));
    ck_assert(*cdn_body_u(now, base) == c.a * c.w * cos(c.w * t + c.p));
  }
  AT_MOST(energy_residual(stepper), 300 * accuracy);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is prescribed has no part in the error
 * ------------------------------------------------------------------- */

/* A base shaken at 1 kHz beside a slow oscillator: the steps are those of the oscillator alone. */
START_TEST(free_slots_alone_limit_steps) {
  int64_t steps[2];
  for (int shaken_too = 0; shaken_too < 2; shaken_too++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body free_body = add_slider(system, cdn_ground(), point_mass(1, cdn_v3(0, 0, 0)));
    cdn_body base = add_slider(system, cdn_ground(), point_mass(1, cdn_v3(0, 0, 0)));
    cdn_system_add_mobility_spring(system, "spring", free_body, 0, 1, 0);
    if (shaken_too) add_motion(system, base, CDN_MOTION_SINUSOID, CDN_LEVEL_POSITION, 1e-3, 2000 * PI, 0);
    cdn_state *state = state_of(system);
    double one = 1;
    OK(cdn_body_set_q(state, free_body, 1, &one));
    if (!shaken_too) OK_ON(state, cdn_body_lock(state, base, CDN_LEVEL_POSITION));
    cdn_stepper *stepper = stepper_of(state, 1e-8);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
    NEAR(*cdn_body_q(cdn_stepper_state(stepper), free_body), cos(10), 1e-6);
    cdn_certificate certificate;
    OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
    steps[shaken_too] = certificate.steps;
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  ck_assert_int_eq(steps[0], steps[1]);
}
END_TEST

/* With nothing left to integrate there is no error, and states are exact. */
START_TEST(all_prescribed) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body = add_slider(system, cdn_ground(), point_mass(1, cdn_v3(0, 0, 0)));
  add_motion(system, body, CDN_MOTION_SINUSOID, CDN_LEVEL_POSITION, 2, 3, 0);
  cdn_state *state = state_of(system);
  for (int method = 0; method < ALL_METHODS; method++) {
    if (!cdn_method_is_available((cdn_method)method)) continue;
    cdn_stepper *stepper = stepper_with(state, (cdn_method)method, 1e-6);
    for (double t = 0.1; t < 3; t += 0.37) {
      OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
      ck_assert(*cdn_body_q(cdn_stepper_state(stepper), body) == 2 * sin(3 * t));
      ck_assert(*cdn_body_u(cdn_stepper_state(stepper), body) == 6 * cos(3 * t));
    }
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- velocities and accelerations given: integrals with closed forms
 * ---------------------------------------------- */

START_TEST(lower_levels) {
  const double a = 1.2, w = 2, p = 0.3;
  for (int level = CDN_LEVEL_ACCELERATION; level <= CDN_LEVEL_VELOCITY; level++)
    for (int method = 0; method < ALL_METHODS; method++) {
      if (!cdn_method_is_available((cdn_method)method)) continue;
      cdn_system *system = cdn_system_create(NULL);
      cdn_body body = add_slider(system, cdn_ground(), point_mass(1, cdn_v3(0, 0, 0)));
      add_motion(system, body, CDN_MOTION_SINUSOID, (cdn_motion_level)level, a, w, p);
      cdn_state *state = state_of(system);
      double accuracy = accuracy_of((cdn_method)method), u0 = 0.4, q0 = -0.2;
      OK(cdn_body_set_q(state, body, 1, &q0));
      OK(cdn_body_set_u(state, body, 1, &u0));
      cdn_stepper *stepper = stepper_with(state, (cdn_method)method, accuracy);
      for (double t = 0.5; t <= 2; t += 0.5) {
        OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
        cdn_state *now = cdn_stepper_state(stepper);
        double s = sin(w * t + p), c = cos(w * t + p), u = u0 - a / w * (c - cos(p));
        double q = q0 + (u0 + a / w * cos(p)) * t - a / (w * w) * (s - sin(p));
        if (level == CDN_LEVEL_VELOCITY) u = a * s, q = q0 - a / w * (c - cos(p));
        NEAR(*cdn_body_q(now, body), q, 300 * accuracy);
        NEAR(*cdn_body_u(now, body), u, level == CDN_LEVEL_VELOCITY ? 0 : 300 * accuracy);
      }
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
}
END_TEST

/* ---- locks by events: a double pendulum whose elbow is held for a while
 * -------------------------------------------- */

typedef struct elbow {
  cdn_body body;
  bool locks;
} elbow;

static cdn_status hold(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const elbow *e = self;
  (void)what, (void)action;
  return e->locks ? cdn_body_lock(state, e->body, CDN_LEVEL_POSITION) : cdn_body_unlock(state, e->body);
}

static void add_hold(cdn_system *system, cdn_body body, const double *time, bool locks) {
  cdn_event_def def = cdn_default_event_def();
  const elbow self = { body, locks };
  def.kind = CDN_EVENT_SCHEDULED;
  def.times = time, def.n_times = 1;
  def.handle = hold;
  def.self = &self, def.self_size = sizeof self;
  cdn_system_add_event(system, &def);
}

typedef struct arm {
  cdn_body upper, lower;
} arm;

static cdn_system *make_arm(arm *a, double welded_at) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_vec3 z = cdn_v3(0, 0, 1), end = cdn_v3(0, -0.5, 0), middle = cdn_v3(0, -0.25, 0);
  a->upper = add_pin(system, "upper", cdn_ground(), z, cdn_v3(0, 0, 0), solid(1, middle, 0.02, 0.01, 0.02));
  cdn_body_def def = cdn_default_body_def();
  def.name = "lower";
  def.parent = a->upper;
  def.mobilizer = isnan(welded_at) ? CDN_PIN : CDN_WELD;
  def.X_PF = frame_z(z, end);
  if (!isnan(welded_at)) def.X_PF.R = cdn_rotation_axis_angle(z, welded_at);
  def.mass = solid(0.7, middle, 0.02, 0.01, 0.02);
  a->lower = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return system;
}

START_TEST(elbow_held_for_a_while) {
  arm a, stiff;
  const double when[2] = { 0.5, 1.25 };
  cdn_system *system = make_arm(&a, NAN);
  add_hold(system, a.lower, &when[0], true);
  add_hold(system, a.lower, &when[1], false);
  cdn_state *state = state_of(system);
  double q[2] = { 1, 0.6 }, u[2], tau_power;
  OK(cdn_state_set_q(state, q));
  cdn_stepper *stepper = stepper_of(state, 1e-10);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
  cdn_state *now = cdn_stepper_state(stepper);
  memcpy(q, cdn_state_q(now), sizeof q);
  memcpy(u, cdn_state_u(now), sizeof u);
  ck_assert_int_eq(cdn_body_lock_level(now, a.lower), CDN_LEVEL_POSITION);
  ck_assert(u[1] == 0); /* it has stopped at once */
  OK_ON(now, cdn_motion_power(now, &tau_power));
  ck_assert(tau_power == 0); /* a lock that stands still takes no power */

  /* the same as one stiff body from there on */
  cdn_system *other = make_arm(&stiff, q[1]);
  cdn_state *stiff_state = state_of(other);
  OK(cdn_state_set_q(stiff_state, q));
  OK(cdn_state_set_u(stiff_state, u));
  OK(cdn_state_set_time(stiff_state, 0.5));
  cdn_stepper *stiff_stepper = stepper_of(stiff_state, 1e-10);
  for (double t = 0.6; t < 1.25; t += 0.1) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    OK_STEP(stiff_stepper, cdn_stepper_advance(stiff_stepper, t, NULL));
    NEAR(cdn_state_q(now)[0], cdn_state_q(cdn_stepper_state(stiff_stepper))[0], 1e-9);
    NEAR(cdn_state_u(now)[0], cdn_state_u(cdn_stepper_state(stiff_stepper))[0], 1e-8);
    ck_assert(cdn_state_q(now)[1] == q[1] && cdn_state_u(now)[1] == 0);
  }
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  ck_assert_int_eq(cdn_body_lock_level(now, a.lower), CDN_LEVEL_NONE);
  ck_assert(cdn_state_q(now)[1] != q[1] && cdn_state_u(now)[1] != 0);

  /* the jump of energy at the lock is booked; what is left is rounding and the method */
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  ck_assert(certificate.energy_jumps < -1e-3);
  AT_MOST(fabs(certificate.energy_residual), 1e-8);
  cdn_stepper_destroy(stepper), cdn_stepper_destroy(stiff_stepper);
  cdn_state_destroy(state), cdn_state_destroy(stiff_state);
}
END_TEST

/* A trigger sees the prescribed values where it is located: x = sin(t) goes up through 0.5 at pi / 6. */
static cdn_status above_half(const void *self, cdn_state *state, double *value) {
  const cdn_body *body = self;
  *value = *cdn_body_q(state, *body) - 0.5;
  return CDN_OK;
}
static cdn_status stop(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)self, (void)state, (void)what;
  *action = CDN_STOP;
  return CDN_OK;
}

START_TEST(events_see_prescribed_values) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body = add_slider(system, cdn_ground(), point_mass(1, cdn_v3(0, 0, 0)));
  add_motion(system, body, CDN_MOTION_SINUSOID, CDN_LEVEL_POSITION, 1, 1, 0);
  cdn_event_def def = cdn_default_event_def();
  def.value = above_half, def.handle = stop, def.direction = CDN_RISING;
  def.self = &body, def.self_size = sizeof body;
  def.window = 1e-12;
  cdn_system_add_event(system, &def);
  cdn_state *state = state_of(system);
  cdn_stepper *stepper = stepper_of(state, 1e-6);
  cdn_return_reason reason;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, &reason));
  ck_assert_int_eq(reason, CDN_STOPPED);
  NEAR(cdn_state_time(cdn_stepper_state(stepper)), PI / 6, 1e-12);
  NEAR(*cdn_body_q(cdn_stepper_state(stepper), body), 0.5, 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *all) {
  tcase_add_loop_test(all, turning_base, 0, ALL_METHODS);
  tcase_add_loop_test(all, shaken_pendulum, 0, ALL_METHODS);
  tcase_add_test(all, free_slots_alone_limit_steps);
  tcase_add_test(all, all_prescribed);
  tcase_add_test(all, lower_levels);
  tcase_add_test(all, elbow_held_for_a_while);
  tcase_add_test(all, events_see_prescribed_values);
}

CHECK_MAIN_OF("prescribed runs", 300, add)
