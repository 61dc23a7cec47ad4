/* Motions and constraints that follow controls: at all levels, from all sources, with limits; what they read, what is
 * refused, runs. */
#include "testing.h"

#include <stdio.h>

enum { COUNT = 3 }; /* a slider and a ball, on another slider */

typedef struct rig {
  cdn_system *system;
  cdn_body body[COUNT];
  cdn_control control;
  cdn_motion motion;
  cdn_state *state;
} rig;

static rig make(cdn_motion_level level, double lower, double upper) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  rig r = { .system = cdn_system_create(&audited) };
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ .mass = 2, .com = { 0.1, 0, 0.2 }, .inertia = { 1, 1, 1, 0, 0, 0 } };
  for (int i = 0; i < COUNT; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    def.name = name, def.parent = i ? r.body[i - 1] : cdn_ground(), def.mobilizer = i == 2 ? CDN_BALL : CDN_SLIDER;
    r.body[i] = cdn_system_add_body(r.system, &def);
  }
  cdn_system_add_mobility_spring(r.system, "spring", r.body[0], 0, 30, 0);
  cdn_control_def control = cdn_default_control_def();
  control.name = "feed", control.lower = lower, control.upper = upper, control.initial = 0.5;
  r.control = cdn_system_add_control(r.system, &control);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = r.body[1], motion.kind = CDN_MOTION_CONTROLLED, motion.level = level;
  motion.control = r.control;
  r.motion = cdn_system_add_motion(r.system, &motion);
  return r;
}

static void freeze(rig *r) {
  OK_FREEZE(r->system);
  OK(cdn_state_create(r->system, &r->state));
}

static void drop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static double q_of(rig *r) {
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_POSITION));
  return cdn_state_q_eff(r->state)[1];
}
static double u_of(rig *r) {
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_VELOCITY));
  return cdn_state_u_eff(r->state)[1];
}
static double udot_of(rig *r) {
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION));
  return cdn_state_udot(r->state)[1];
}

/* ---- controls that the program writes -------------------------------------------------------- */

START_TEST(test_written_controls) {
  for (int level = CDN_LEVEL_ACCELERATION; level <= CDN_LEVEL_POSITION; level++) {
    rig r = make((cdn_motion_level)level, -1, 1);
    freeze(&r);
    const double given[] = { 0.5, -0.25, 7 }, effective[] = { 0.5, -0.25, 1 };
    ck_assert(cdn_body_driver(r.state, r.body[1]).rate == CDN_RATE_SLOW);
    OK_ON(r.state, cdn_state_set_q(r.state, (const double[]){ 0.3, 0, 1, 0, 0, 0 })); /* the spring pulls */
    OK_ON(r.state, cdn_state_set_u(r.state, (const double[]){ 0.3, 0.4, 0, 0, 0 }));
    for (int i = 0; i < 3; i++) {
      OK_ON(r.state, cdn_control_set(r.state, r.control, given[i]));
      const double a = udot_of(&r), u = u_of(&r), q = q_of(&r);
      ck_assert(a == (level == CDN_LEVEL_ACCELERATION ? effective[i] : 0));
      ck_assert(u == (level == CDN_LEVEL_ACCELERATION ? 0.4 : level == CDN_LEVEL_VELOCITY ? effective[i] : 0));
      ck_assert(q == (level == CDN_LEVEL_POSITION ? effective[i] : 0));
    }
    /* tau is what a mobility force must be to give the same acceleration */
    const double tau = cdn_motion_forces(r.state)[1], wanted = udot_of(&r);
    double residual[5];
    OK_ON(r.state, cdn_residual(r.state, cdn_state_udot(r.state), residual));
    NEAR(residual[1], -tau, 1e-13);
    OK_ON(r.state, cdn_motion_set_enabled(r.state, r.motion, false));
    ck_assert(level == CDN_LEVEL_POSITION || fabs(udot_of(&r) - wanted) > 1e-3);
    drop(&r);
  }
}
END_TEST

/* Writing the control makes only invalid what depends on it. */
START_TEST(test_what_becomes_invalid) {
  rig r = make(CDN_LEVEL_VELOCITY, -10, 10);
  freeze(&r);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  OK_ON(r.state, cdn_control_set(r.state, r.control, 2));
  ck_assert_int_ge(cdn_state_stage(r.state), CDN_STAGE_POSITION);
  ck_assert_int_lt(cdn_state_stage(r.state), CDN_STAGE_VELOCITY);
  ck_assert(u_of(&r) == 2);
  drop(&r);
}
END_TEST

/* ---- sources --------------------------------------------------------------------------------- */

/* 3 - 2 t + t^2 / 2: value, rate and rate of the rate, within limits that hold it at first. */
START_TEST(test_functions_of_time) {
  const double a[] = { 0.5, -2, 3 };
  for (int level = CDN_LEVEL_ACCELERATION; level <= CDN_LEVEL_POSITION; level++) {
    rig r = make((cdn_motion_level)level, -INFINITY, 2.5);
    cdn_function *f = cdn_function_polynomial(3, a);
    cdn_control_follow_function(r.system, r.control, f);
    cdn_function_release(f);
    freeze(&r);
    ck_assert(cdn_body_driver(r.state, r.body[1]).rate == CDN_RATE_DYNAMIC);
    for (int i = 0; i < 5; i++) {
      const double t = 0.2 * i, c = 3 - 2 * t + t * t / 2;
      const double rate[3] = { fmin(c, 2.5), c < 2.5 ? t - 2 : 0, c < 2.5 ? 1 : 0 };
      OK_ON(r.state, cdn_state_set_time(r.state, t));
      const double found[3] = { q_of(&r), u_of(&r), udot_of(&r) };
      for (int k = 0; k <= level - CDN_LEVEL_ACCELERATION; k++)
        NEAR(found[CDN_LEVEL_POSITION - level + k], rate[k], 4e-15);
    }
    drop(&r);
  }
}
END_TEST

/* Speeds along straight lines: the coordinate is their integral, and no step passes a corner. */
START_TEST(test_samples_in_a_run) {
  rig r = make(CDN_LEVEL_VELOCITY, -INFINITY, INFINITY);
  const double t[] = { 0.25, 0.75, 1 }, v[] = { 1, -1, 3 };
  cdn_control_follow_samples(r.system, r.control, 3, t, v);
  freeze(&r);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.accuracy = 1e-7;
  OK(cdn_stepper_create(r.state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1.5, NULL));
  cdn_state *end = cdn_stepper_state(stepper);
  NEAR(cdn_state_q_eff(end)[1], 0.25 + 0 + 0.25 * 1 + 0.5 * 3, 1e-7);
  NEAR(cdn_state_u_eff(end)[1], 3, 0);
  cdn_certificate certificate;
  OK(cdn_stepper_certificate(stepper, &certificate));
  AT_MOST(certificate.energy_residual, 1e-5);
  cdn_stepper_destroy(stepper);
  drop(&r);
}
END_TEST

/* A program writes the speed between two parts of a run. */
START_TEST(test_a_run_with_written_speeds) {
  rig r = make(CDN_LEVEL_VELOCITY, -2, 2);
  freeze(&r);
  cdn_stepper *stepper;
  OK(cdn_stepper_create(r.state, NULL, &stepper));
  double q = 0;
  const double speeds[] = { 0.5, -1, 5, 0 };
  for (int i = 0; i < 4; i++) {
    OK_ON(r.state, cdn_control_set(cdn_stepper_state(stepper), r.control, speeds[i]));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5 * (i + 1), NULL));
    q += 0.5 * fmin(speeds[i], 2);
    NEAR(cdn_state_q_eff(cdn_stepper_state(stepper))[1], q, 1e-12);
  }
  cdn_stepper_destroy(stepper);
  drop(&r);
}
END_TEST

/* ---- constraints ------------------------------------------------------------------------------ */

/* The rig of `make`, with a constraint in place of the motion. */
static rig make_constrained(bool speed, double lower, double upper, cdn_constraint *made) {
  rig r = make(speed ? CDN_LEVEL_VELOCITY : CDN_LEVEL_POSITION, lower, upper);
  *made = speed ? cdn_system_constrain_speed_to_control(r.system, "rail", r.body[0], 0, r.control)
                : cdn_system_constrain_coordinate_to_control(r.system, "rail", r.body[0], 0, r.control);
  return r;
}

/* A constraint on one slider and a motion of the next follow the same function of time. The constraint's errors and the
 * accelerations are those of the function, and the multiplier is the force that inverse dynamics asks for. */
START_TEST(test_constraints_demand_what_motions_do) {
  const double a[] = { 0.5, -2, 3 };
  for (int speed = 0; speed < 2; speed++) {
    cdn_constraint rail;
    rig r = make_constrained(speed, -INFINITY, 2.5, &rail);
    cdn_function *f = cdn_function_polynomial(3, a);
    cdn_control_follow_function(r.system, r.control, f);
    cdn_function_release(f);
    freeze(&r);
    for (int i = 0; i < 4; i++) {
      const double t = 0.2 * i, c = 3 - 2 * t + t * t / 2; /* above the limit until t = 0.27 s */
      const double value = fmin(c, 2.5), first = c < 2.5 ? t - 2 : 0, second = c < 2.5 ? 1 : 0;
      OK_ON(r.state, cdn_state_set_time(r.state, t));
      OK_ON(r.state, cdn_state_set_q(r.state, (const double[]){ 0.3, 0, 1, 0, 0, 0 }));
      OK_ON(r.state, cdn_state_set_u(r.state, (const double[]){ 0.2, 0, 0.1, 0.3, -0.4 }));
      OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
      const double *uerr = cdn_state_uerr(r.state), *udot = cdn_state_udot(r.state);
      if (!speed) NEAR(cdn_state_qerr(r.state)[0], 0.3 - value, 2e-15);
      NEAR(uerr[0], 0.2 - (speed ? value : first), 2e-15);
      NEAR(udot[0], speed ? first : second, 2e-14);
      NEAR(udot[1], speed ? first : second, 2e-14); /* the motion's */
      /* the force that the constraint applies is what inverse dynamics asks for */
      double residual[5];
      OK_ON(r.state, cdn_residual(r.state, udot, residual));
      NEAR(residual[0], -cdn_state_multipliers(r.state)[0], 1e-12);
    }
    drop(&r);
  }
}
END_TEST

START_TEST(test_a_constraint_in_a_run) {
  cdn_constraint rail;
  rig r = make_constrained(true, -2, 2, &rail);
  freeze(&r);
  OK_ON(r.state, cdn_motion_set_enabled(r.state, r.motion, false));
  OK_ON(r.state, cdn_project_u(r.state, NULL, NULL));
  cdn_stepper *stepper;
  OK(cdn_stepper_create(r.state, NULL, &stepper));
  double q = 0;
  const double speeds[] = { 0.5, -1, 5, 0 };
  for (int i = 0; i < 4; i++) {
    cdn_state *now = cdn_stepper_state(stepper);
    OK_ON(now, cdn_control_set(now, r.control, speeds[i]));
    ck_assert(i == 0 || fabs(cdn_state_uerr(now)[0]) > 0.1); /* the change is seen */
    OK_ON(now, cdn_project_u(now, NULL, NULL));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5 * (i + 1), NULL));
    q += 0.5 * fmin(speeds[i], 2);
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[0], q, 1e-6);
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[0], fmin(speeds[i], 2), 1e-9);
  }
  cdn_stepper_destroy(stepper);
  drop(&r);
}
END_TEST

/* ---- what is refused ------------------------------------------------------------------------- */

static void refuses(rig *r, cdn_status expected, const char *words) {
  FAILS(cdn_system_freeze(r->system), expected);
  cdn_error error;
  cdn_system_last_error(r->system, &error);
  ck_assert_msg(strstr(error.text, words) && strstr(error.text, "drive"), "%s", error.text);
  cdn_system_release(r->system);
}

START_TEST(test_what_is_refused) {
  rig r = make(CDN_LEVEL_VELOCITY, -1, 1);
  const cdn_measure where = cdn_system_add_coordinate_measure(r.system, "where", r.body[0], CDN_Q, 0);
  cdn_control_follow_measure(r.system, r.control, where, 0);
  refuses(&r, CDN_ERR_UNSUPPORTED, "follows a measure");
  cdn_constraint rail;
  r = make_constrained(true, -1, 1, &rail);
  cdn_system_constrain_speed_to_control(r.system, "drive 2", r.body[2], 1, (cdn_control){ 4 });
  refuses(&r, CDN_ERR_ARG, "no control 4");
  for (int i = 0; i < 2; i++) {
    r = make(CDN_LEVEL_VELOCITY, -1, 1);
    cdn_motion_def motion = cdn_default_motion_def();
    motion.name = "drive 2", motion.body = r.body[2], motion.kind = CDN_MOTION_CONTROLLED;
    motion.level = i ? CDN_LEVEL_POSITION : CDN_LEVEL_VELOCITY;
    if (i) motion.control = r.control;
    ck_assert_int_eq(cdn_system_add_motion(r.system, &motion).i, -1);
    refuses(&r, CDN_ERR_ARG, i ? "quaternion" : "no control -1");
  }
}
END_TEST

/* ---- several States ------------------------------------------------------------------------- */

START_TEST(test_an_ensemble) {
  rig r = make(CDN_LEVEL_VELOCITY, -5, 5);
  freeze(&r);
  enum { N = 6 };
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *ensemble;
  double rates[5 * N], truth[5 * N];
  def.count = N, def.vary = CDN_VARY_CONTROLS;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &ensemble));
  for (int k = 0; k < N; k++) {
    OK_ON(r.state, cdn_state_set_u(r.state, (const double[]){ 0.1 * k, 0, 0.3, -0.2, 0.5 }));
    OK_ON(r.state, cdn_control_set(r.state, r.control, 0.7 * k - 2));
    OK(cdn_ensemble_set_state(ensemble, k, r.state));
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
    memcpy(truth + 5 * k, cdn_state_udot(r.state), 5 * sizeof *truth);
  }
  OK(cdn_ensemble_rates(ensemble, CDN_POOL_U, rates, 5));
  for (int i = 0; i < 5 * N; i++) ck_assert(rates[i] == truth[i]);
  cdn_ensemble_destroy(ensemble);
  drop(&r);
}
END_TEST

CHECK_MAIN("controlled_motions", test_written_controls, test_what_becomes_invalid, test_functions_of_time,
           test_samples_in_a_run, test_a_run_with_written_speeds, test_constraints_demand_what_motions_do,
           test_a_constraint_in_a_run, test_what_is_refused, test_an_ensemble)
