/* Singular poses that a run starts from, is driven into, or cannot leave: what goes on does so on the right branch,
 * what cannot says why. (test_constrained_runs.c has those that are passed.) */
#include <stdlib.h>

#include <cardan/stream.h>

#include "mechanisms.h"
#include "parts.h"
#include "runs.h"

static const cdn_body ground = { 0 };

static bool is_of_first_order(int method) {
  return method >= CDN_METHOD_SEMI_EXPLICIT_EULER && method <= CDN_METHOD_EXPLICIT_EULER;
}
static bool is_of_second_order(int method) { return method == CDN_METHOD_VERLET || method == CDN_METHOD_TRAPEZOID; }
/* Under sanitizers those that need few steps. */
static bool projects(int method) {
  if (SANITIZED && (is_of_first_order(method) || is_of_second_order(method))) return false;
  return method != CDN_METHOD_CVODE_ADAMS && controls_errors(method);
}

static cdn_stepper_def how(int method, double accuracy, double end) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = (cdn_method)method;
  def.accuracy = accuracy;
  def.final_time = end;
  return def;
}

static cdn_mass_properties rod(void) { return solid(1, cdn_v3(0.5, 0, 0), 0, 1. / 12, 1. / 12); }

/* ---- from the flat pose --------------------------------------------------------------------------- */

/* A parallelogram of 1 m, all rods level, with speeds along its branch: crank and rocker turn alike. */
static mechanism flat(double speed) {
  mechanism m = make_ladder(1);
  const double q = 0, u[3] = { speed, speed, -speed };
  for (int b = 1; b <= 3; b++) {
    OK_ON(m.state, cdn_body_set_q(m.state, (cdn_body){ b }, 1, &q));
    OK_ON(m.state, cdn_body_set_u(m.state, (cdn_body){ b }, 1, &u[b - 1]));
  }
  return m;
}

/* Angle of the crank: a'' = -k cos a with k = g 3 m / (5/3 m) for two cranks and a coupler, by Runge's and Kutta's
 * formula. */
static double angle_from_flat(double w, double t) {
  const double k = 9.81 * (2 * 0.5 + 1) / (2. / 3 + 1), h = t / 40000;
  double a = 0;
  for (int i = 0; i < 40000; i++) {
    const double w1 = w, f1 = -k * cos(a), w2 = w + h / 2 * f1, f2 = -k * cos(a + h / 2 * w1), w3 = w + h / 2 * f2,
                 f3 = -k * cos(a + h / 2 * w2), w4 = w + h * f3, f4 = -k * cos(a + h * w3);
    a += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    w += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
  }
  return a;
}

/* Turning on from there, and let go at rest: then it swings from flat to flat. IDA's iteration has no answer to a pose
 * in which the mechanism is at rest. */
START_TEST(starts_in_the_flat_pose) {
  static const double speeds[] = { -1, 0 };
  if (!projects(_i)) return;
  for (int k = 0; k < (_i == CDN_METHOD_IDA ? 1 : 2); k++) {
    const double accuracy = is_of_first_order(_i) ? 1e-3 : 1e-6, end = 3;
    if (speeds[k] == 0 && is_of_second_order(_i)) continue; /* long */
    mechanism m = flat(speeds[k]);
    const cdn_stepper_def def = how(_i, accuracy, end);
    cdn_stepper *stepper;
    OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
    cdn_state *state = cdn_stepper_state(stepper);
    const double *q = cdn_state_q(state), error = fabs(q[0] - angle_from_flat(speeds[k], end));
    AT_MOST(fabs(q[0] - q[1]), 10 * accuracy);
    AT_MOST(error, is_of_first_order(_i) ? 30 * sqrt(accuracy) : 30 * accuracy);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(m.state);
  }
}
END_TEST

/* Two ways lead on from there: both cranks turn alike, or one stays while the rocker and the coupler turn as one. */
START_TEST(speeds_between_two_ways_are_refused) {
  for (int k = 0; k < 2; k++) {
    mechanism m = flat(0);
    const double u[3] = { -0.5, k ? -0.75 : -0.5, k ? 0.25 : 0.5 };
    const cdn_stepper_def def = how(CDN_METHOD_DEFAULT, 1e-4, 1);
    cdn_stepper *stepper = NULL;
    cdn_error error;
    for (int b = 1; b <= 3; b++) OK_ON(m.state, cdn_body_set_u(m.state, (cdn_body){ b }, 1, &u[b - 1]));
    const cdn_status status = cdn_stepper_create(m.state, &def, &stepper);
    ck_assert_int_eq(status, k ? CDN_ERR_CONSTRAINT : CDN_OK);
    if (k) {
      cdn_state_last_error(m.state, &error);
      ck_assert_str_eq(error.element, "constraint0");
      ck_assert_msg(strstr(error.text, "singular pose") && strstr(error.text, "none of the ways"), "%s", error.text);
      ck_assert_msg(strstr(error.text, "Start beside the pose"), "%s", error.text);
      ck_assert_msg(strstr(error.text, "body3"), "%s", error.text);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(m.state);
  }
}
END_TEST

/* ---- runs that end in a pose ----------------------------------------------------------------------- */

/* The report blames the pose, and no force: constraint, joints, time, the pivot, and what to do. */
static void check_report(cdn_stepper *stepper, const char *constraint, double earliest, double latest) {
  cdn_failure f;
  cdn_stepper_failure(stepper, &f);
  ck_assert_msg(f.time >= earliest && f.time <= latest, "at t = %.17g: %s", f.time, f.error.text);
  ck_assert_msg(strstr(f.advice, "a singular pose: at t = "), "%s; %s", f.error.text, f.advice);
  ck_assert_msg(strstr(f.advice, constraint), "%s", f.advice);
  ck_assert_msg(strstr(f.advice, "joints of 'coupler', 'crank'"), "%s", f.advice);
  ck_assert_msg(strstr(f.advice, "smallest pivot ratio "), "%s", f.advice);
  ck_assert_msg(strstr(f.advice, "End what drives it there"), "%s", f.advice);
  ck_assert_msg(strstr(f.advice, "another accuracy"), "%s", f.advice); /* nothing was cut off */
  const double ratio = atof(strstr(f.advice, "smallest pivot ratio ") + strlen("smallest pivot ratio "));
  ck_assert_msg(ratio > 0 && ratio < 1e-2, "%s", f.advice);
}

/* Two rods of 1 m between Ground and a slider that goes outwards at 0.2 m/s from 1.5 m: at 2.5 s they are stretched. */
START_TEST(pulled_beyond_its_reach) {
  const cdn_vec3 x = cdn_v3(1, 0, 0), z = cdn_v3(0, 0, 1), o = cdn_v3(0, 0, 0);
  const double angle = acos(0.75), v = 0.2, w = -v / (2 * sin(angle));
  const double q[3] = { angle, -2 * angle, 1.5 }, u[3] = { w, -2 * w, v };
  if (!projects(_i)) return;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_pin(system, "crank", ground, z, o, rod());
  const cdn_body coupler = add_pin(system, "coupler", crank, z, x, rod());
  const cdn_body slider = add_mobile(system, "slider", ground, CDN_SLIDER, point_mass(1, o));
  const cdn_body body[3] = { crank, coupler, slider };
  cdn_system_constrain_ball(system, "end", coupler, x, slider, o);
  cdn_state *state = state_of(system);
  for (int b = 0; b < 3; b++) {
    OK_ON(state, cdn_body_set_q(state, body[b], 1, &q[b]));
    OK_ON(state, cdn_body_set_u(state, body[b], 1, &u[b]));
  }
  OK_ON(state, cdn_body_lock(state, slider, CDN_LEVEL_VELOCITY));
  /* 1e-5 takes those of second order half a minute */
  cdn_stepper_def def = how(_i, is_of_first_order(_i) ? 1e-2 : is_of_second_order(_i) ? 1e-4 : 1e-5, 10);
  def.max_steps = 2000000;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  const cdn_status status = cdn_stepper_advance(stepper, 10, NULL);
  ck_assert_msg(status == CDN_ERR_CONSTRAINT || status == CDN_ERR_STEP, "%s", cdn_status_name(status));
  check_report(stepper, "constraint 'end'", 2.4, 2.501);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Flat and at rest, and pushed at both ends. */
static cdn_state *pushed(double rocker_push, double crank_push) {
  const cdn_vec3 x = cdn_v3(1, 0, 0), z = cdn_v3(0, 0, 1), o = cdn_v3(0, 0, 0);
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_pin(system, "crank", ground, z, o, rod());
  const cdn_body rocker = add_pin(system, "rocker", ground, z, x, rod());
  const cdn_body coupler = add_pin(system, "coupler", crank, z, x, rod());
  cdn_system_constrain_ball(system, "loop", coupler, x, rocker, x);
  cdn_system_add_mobility_force(system, "push", rocker, 0, rocker_push);
  cdn_system_add_mobility_force(system, "other push", crank, 0, crank_push);
  return state_of(system);
}

/* What its joints would do leads along none of its ways. It cannot get away from the pose. */
START_TEST(pushed_where_it_cannot_go) {
  cdn_state *state = pushed(1, 0);
  const cdn_stepper_def def = how(CDN_METHOD_DEFAULT, 1e-5, 2);
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  ck_assert(cdn_stepper_advance(stepper, 2, NULL) != CDN_OK);
  check_report(stepper, "constraint 'loop'", 0, 0.1);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

/* Loose accuracies let it go one way or the other, by chance. Where run and companion go different ones the verdict
 * says so. */
START_TEST(branches_that_part_are_named) {
  static const cdn_method methods[] = { CDN_METHOD_MERSON, CDN_METHOD_FEHLBERG, CDN_METHOD_DORMAND_PRINCE };
  int parted = 0;
  for (int k = 0; k < 3; k++) {
    for (double crank_push = -1; crank_push <= 2; crank_push += 0.25) {
      cdn_state *state = pushed(1, crank_push);
      cdn_stepper_def def = how(methods[k], 0.1, 2);
      def.companion = true;
      cdn_stepper *stepper;
      cdn_status status = CDN_OK;
      cdn_certificate c;
      char text[400];
      OK_ON(state, cdn_stepper_create(state, &def, &stepper));
      for (int i = 1; i <= 20 && status == CDN_OK; i++) status = cdn_stepper_advance(stepper, 0.1 * i, NULL);
      OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
      cdn_certificate_verdict(&c, text, sizeof text);
      if (status == CDN_OK && c.error_estimate > 1) {
        parted++;
        ck_assert_int_eq(c.delivered, CDN_VERDICT_NOT_DELIVERED);
        ck_assert_msg(strstr(c.bifurcation, "constraint 'loop' with the joints of "), "%s", text);
        ck_assert_msg(c.bifurcation_time >= 0 && c.bifurcation_time < 0.3, "at %g: %s", c.bifurcation_time, text);
        ck_assert_msg(strstr(text, "at a singular pose of constraint 'loop'"), "%s", text);
        ck_assert_msg(strstr(text, "go on in different ways"), "%s", text);
        ck_assert(cdn_certificate_suggestion(&c) == 0);
      } else if (c.delivered == CDN_VERDICT_DELIVERED) {
        ck_assert_str_eq(c.bifurcation, "");
      }
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  }
  ck_assert_msg(parted >= 3, "%d", parted);
}
END_TEST

/* Poses that both pass as they should are no branches. */
START_TEST(poses_that_are_passed_are_not_named) {
  mechanism m = make_ladder(1);
  cdn_stepper_def def = how(CDN_METHOD_DEFAULT, 1e-3, 20);
  def.companion = true;
  cdn_stepper *stepper;
  cdn_certificate c;
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &stepper));
  for (int i = 1; i <= 200; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 0.1 * i, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  ck_assert_str_eq(c.bifurcation, "");
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(m.state);
}
END_TEST

/* ---- checkpoints in the midst of it ---------------------------------------------------------------- */

/* Saved, and loaded from what was saved; the old one is gone. */
static cdn_stepper *reborn(cdn_stepper *stepper) {
  cdn_buffer bytes = { 0 };
  cdn_state *state = NULL;
  cdn_stepper *loaded = NULL;
  OK(cdn_state_create(cdn_state_system(cdn_stepper_state(stepper)), &state));
  OK_STEP(stepper, cdn_stepper_save(stepper, cdn_buffer_write, &bytes));
  cdn_stepper_destroy(stepper);
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &loaded));
  cdn_state_destroy(state);
  cdn_buffer_free(&bytes);
  return loaded;
}

/* At the time given the rods are in line. There the step over the pose is another method's. */
START_TEST(checkpoints_around_a_pose) {
  static const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_ADAMS, CDN_METHOD_CVODE_BDF };
  static const double pose = 0.70845;
  mechanism m = make_ladder(1);
  const cdn_stepper_def def = how(methods[_i], 1e-9, 2);
  cdn_stepper *a, *b;
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &a));
  OK_ON(m.state, cdn_stepper_create(m.state, &def, &b));
  for (double t = pose - 0.06; t < pose + 0.1; t += 0.004) {
    cdn_buffer bytes = { 0 };
    OK_STEP(a, cdn_stepper_advance(a, t, NULL));
    OK_STEP(b, cdn_stepper_advance(b, t, NULL));
    for (int i = 0; i < 3; i++) {
      const double x = cdn_state_q(cdn_stepper_state(a))[i], y = cdn_state_q(cdn_stepper_state(b))[i];
      ck_assert_msg(x == y, "%s at t = %g: %.17g, %.17g", cdn_method_name(methods[_i]), t, x, y);
    }
    /* saving makes SUNDIALS' methods begin anew */
    OK_STEP(a, cdn_stepper_save(a, cdn_buffer_write, &bytes));
    cdn_buffer_free(&bytes);
    b = reborn(b);
  }
  cdn_stepper_destroy(a);
  cdn_stepper_destroy(b);
  cdn_state_destroy(m.state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, checkpoints_around_a_pose, 0, 4);
  tcase_add_loop_test(c, starts_in_the_flat_pose, 0, ALL_METHODS);
  tcase_add_test(c, speeds_between_two_ways_are_refused);
  tcase_add_loop_test(c, pulled_beyond_its_reach, 0, ALL_METHODS);
  tcase_add_test(c, pushed_where_it_cannot_go);
  tcase_add_test(c, branches_that_part_are_named);
  tcase_add_test(c, poses_that_are_passed_are_not_named);
}

CHECK_MAIN_OF("singular poses", 120, add)
