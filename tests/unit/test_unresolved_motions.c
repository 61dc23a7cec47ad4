/* Coordinates that an absolute accuracy does not fit are named: those that move by less than it, those that are rounded
 * by more. */
#include "ode.h"

/* Masses of 1 kg on sliders: each with a spring of 1 N/m (or none), from a place, with a speed. */
typedef struct mass {
  double stiffness, q, u;
} mass;

static cdn_state *masses(int n, const mass *m) {
  static const char *const names[] = { "first", "second", "third" };
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  for (int i = 0; i < n; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.name = names[i], def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
    def.q0 = &m[i].q, def.u0 = &m[i].u;
    cdn_body body = cdn_system_add_body(system, &def);
    if (m[i].stiffness > 0) cdn_system_add_mobility_spring(system, NULL, body, 0, m[i].stiffness, 0);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Its certificate after a run with a hundred reports, and its verdict; *largest: of |q| of the first mass. */
static cdn_certificate run(cdn_state *state, const cdn_stepper_def *how, double until, char verdict[400],
                           double *largest) {
  cdn_stepper_def def = *how;
  def.final_time = until;
  cdn_stepper *stepper = ode_stepper(state, &def);
  *largest = 0;
  for (int i = 1; i <= 100; i++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, until * i / 100, NULL));
    *largest = fmax(*largest, fabs(cdn_state_q(cdn_stepper_state(stepper))[0]));
  }
  cdn_certificate c = certificate_of(stepper);
  cdn_certificate_verdict(&c, verdict, 400);
  cdn_stepper_destroy(stepper);
  return c;
}

static cdn_stepper_def at(double accuracy, bool companion) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  def.companion = companion;
  return def;
}

/* An oscillator of 1e-9 m: nothing of it is seen at 1e-3, and errors of steps grow until they are. */
START_TEST(a_motion_below_its_accuracy_is_named) {
  char verdict[400];
  double largest;
  cdn_state *state = masses(1, (const mass[]){ { 1, 1e-9, 0 } });
  for (int companion = 0; companion < 2; companion++) {
    const cdn_stepper_def def = at(1e-3, companion);
    const cdn_certificate c = run(state, &def, 200 * PI, verdict, &largest);
    ck_assert_msg(largest > 1e-6, "it does not grow: %g", largest);
    ck_assert_str_eq(c.below_tolerance, "first.q");
    ck_assert(c.below_tolerance_motion >= 0.9 * largest && c.below_tolerance_motion < 1e-3);
    ck_assert_msg(!companion || (strstr(verdict, "first.q moves by ") && strstr(verdict, "not resolved")), "%s",
                  verdict);
    ck_assert_str_eq(c.below_rounding, "");
    ck_assert_int_eq(c.delivered, CDN_VERDICT_UNKNOWN);
    ck_assert_msg(!companion || strstr(verdict, ", delivered: unknown, as first.q moves by "), "%s", verdict);
  }
  /* told that 1e-9 m is what counts, it is right */
  const double weight = 1e9;
  cdn_stepper_def def = at(1e-3, true);
  def.q_weights = def.u_weights = &weight;
  const cdn_certificate c = run(state, &def, 200 * PI, verdict, &largest);
  NEAR(largest, 1e-9, 1e-11);
  ck_assert_str_eq(c.below_tolerance, "");
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  cdn_state_destroy(state);
}
END_TEST

/* One of several, that swings faster than the steps which the others need; and small motions that are resolved are
 * none. */
START_TEST(small_motions_that_are_resolved_are_not_named) {
  char verdict[400];
  double largest;
  cdn_state *state = masses(3, (const mass[]){ { 1, 1, 0 }, { 100, 1e-9, 0 }, { 4, 0.5, 0 } });
  const cdn_stepper_def def = at(1e-3, true);
  cdn_certificate c = run(state, &def, 200 * PI, verdict, &largest);
  ck_assert_str_eq(c.below_tolerance, "second.q");
  cdn_state_destroy(state);

  /* the steps of others resolve it */
  state = masses(3, (const mass[]){ { 1, 1, 0 }, { 2, 1e-9, 0 }, { 4, 0.5, 0 } });
  c = run(state, &def, 20, verdict, &largest);
  ck_assert_str_eq(c.below_tolerance, "");
  cdn_state_destroy(state);

  /* 1e-4 m at 1e-3: a single swing keeps its shape */
  state = masses(1, (const mass[]){ { 0, 0, 1e-4 } });
  c = run(state, &def, 1, verdict, &largest);
  ck_assert_str_eq(c.below_tolerance, "");
  ck_assert_ptr_null(strstr(verdict, "resolved"));
  cdn_state_destroy(state);
}
END_TEST

/* What rests is no motion: without a force, held, or where errors alone have moved it. */
START_TEST(what_rests_is_not_named) {
  char verdict[400];
  double largest;
  cdn_state *state = masses(3, (const mass[]){ { 1, 1, 0 }, { 1, 0, 0 }, { 0, 7, 0 } });
  for (int companion = 0; companion < 2; companion++) {
    for (double accuracy = 1e-2; accuracy > 1e-10; accuracy *= 0.1) {
      const cdn_stepper_def def = at(accuracy, companion);
      cdn_certificate c = run(state, &def, 20, verdict, &largest);
      ck_assert_str_eq(c.below_tolerance, "");
      ck_assert_str_eq(c.below_rounding, "");
    }
  }
  OK_ON(state, cdn_body_lock(state, (cdn_body){ 1 }, CDN_LEVEL_POSITION));
  const cdn_stepper_def def = at(1e-3, true);
  cdn_certificate c = run(state, &def, 20, verdict, &largest);
  ck_assert_str_eq(c.below_tolerance, "");
  cdn_state_destroy(state);

  /* a pendulum on a ball joint that swings in a plane: two of its three angles rest, all but for rounding */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  body.mobilizer = CDN_BALL;
  body.q0 = (const double[]){ cos(0.4), sin(0.4), 0, 0 };
  body.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, 0, -1 }, .inertia = { .xx = 1.1, .yy = 1.2, .zz = 0.3 } };
  for (int i = 0; i < 2; i++) {
    body.parent = cdn_system_add_body(system, &body);
    body.X_PF.p = cdn_v3(0, 0, -1);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  for (double accuracy = 1e-2; accuracy > 1e-10; accuracy *= 0.1) {
    const cdn_stepper_def how = at(accuracy, true);
    c = run(state, &how, 3, verdict, &largest);
    ck_assert_str_eq(c.below_tolerance, "");
  }
  cdn_state_destroy(state);
}
END_TEST

/* A billion metres away a micrometre is below rounding. */
START_TEST(an_accuracy_below_rounding_is_named) {
  char verdict[400];
  double largest;
  cdn_state *state = masses(2, (const mass[]){ { 1, 1, 0 }, { 0, 1e9, 1 } });
  cdn_stepper_def def = at(1e-9, true);
  cdn_certificate c = run(state, &def, 10, verdict, &largest);
  ck_assert_str_eq(c.below_rounding, "second.q");
  ck_assert_msg(c.below_rounding_size > 1e-7 && c.below_rounding_size < 3e-7, "%g", c.below_rounding_size);
  ck_assert_msg(strstr(verdict, "second.q is rounded to 2.2e-7"), "%s", verdict);
  ck_assert(cdn_certificate_suggestion(&c) == 0); /* a tighter one is no cure */
  /* what can be had is not complained of */
  def = at(1e-5, true);
  c = run(state, &def, 10, verdict, &largest);
  ck_assert_str_eq(c.below_rounding, "");
  ck_assert_int_eq(c.delivered, CDN_VERDICT_DELIVERED);
  cdn_state_destroy(state);

  /* what stays there has no rounding errors */
  state = masses(2, (const mass[]){ { 1, 1, 0 }, { 0, 1e9, 0 } });
  def = at(1e-9, true);
  c = run(state, &def, 10, verdict, &largest);
  ck_assert_str_eq(c.below_rounding, "");
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("unresolved motions", a_motion_below_its_accuracy_is_named, small_motions_that_are_resolved_are_not_named,
           what_rests_is_not_named, an_accuracy_below_rounding_is_named)
