/* A slip that begins in a plane. Its direction follows its acceleration, not the noise of a speed that is almost
 * zero. */
#include "hybrid_scenes.h"

static const double g = 9.81, m = 2, mu = 0.4, r = 3, w = 2, from = 0.25;

/* ---- a block that is pushed so that it slips along a spiral ----
 *
 * Friction bears F while F <= mu m g. From `from` on the block shall move with v = r s^2 / 2 (cos w s, sin w s), where
 * s is the time since then. For this F = m dv/dt + mu m g e. Before it F grows to its limit. */

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const double s = cdn_state_time(state) - from, c = cos(w * s), d = sin(w * s), most = mu * m * g;
  double x = most * (1 + 2 * s), y = 0;
  (void)self;
  if (s > 0) {
    x = m * (r * s * c - 0.5 * r * s * s * w * d) + most * c;
    y = m * (r * s * d + 0.5 * r * s * s * w * c) + most * d;
  }
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, x);
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 1, y);
  return CDN_OK;
}

static cdn_state *pushed_block(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.name = "block", floor.b = add_point(system, "block", m), floor.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = push };
  ops.subsystem.name = "push";
  cdn_system_add_custom_force(system, &ops, NULL);
  return hybrid_state(system, NULL, NULL);
}

START_TEST(a_slip_begins_along_a_spiral) {
  static const double accuracies[] = { 1e-4, 2e-6, 1e-7, 3e-9, 1e-10 };
  const double accuracy = accuracies[_i], s = 1.2;
  cdn_state *state = pushed_block();
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "block slips", 1));
  NEAR(cdn_state_time(now), from, accuracy);
  cdn_return_reason reason = CDN_HANDLED_EVENT;
  while (reason == CDN_HANDLED_EVENT) OK_STEP(run, cdn_stepper_advance(run, from + s, &reason));
  NEAR(cdn_state_u(now)[0], 0.5 * r * s * s * cos(w * s), 10 * accuracy);
  NEAR(cdn_state_u(now)[1], 0.5 * r * s * s * sin(w * s), 10 * accuracy);
  /* the integral of r s^2 / 2 (cos w s, sin w s) */
  const double c = cos(w * s), d = sin(w * s);
  NEAR(cdn_state_q(now)[0], 0.5 * r * (s * s * d / w + 2 * s * c / (w * w) - 2 * d / (w * w * w)), 10 * accuracy);
  NEAR(cdn_state_q(now)[1], 0.5 * r * (-s * s * c / w + 2 * s * d / (w * w) + 2 * (c - 1) / (w * w * w)),
       10 * accuracy);
  cdn_certificate certificate;
  OK(cdn_stepper_certificate(run, &certificate));
  ck_assert(certificate.steps < 2000);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a slip that turns back before it was fast ---- */

/* F goes up to a little more than friction bears, and back: the block moves by the integral of its excess. */
static cdn_status pulse(const void *self, cdn_state *state, cdn_forces *forces) {
  const double t = cdn_state_time(state), excess = *(const double *)self;
  const double most = mu * m * g, x = most * (0.6 + (0.4 + excess) * sin(t));
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, 0.6 * x);
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 1, 0.8 * x);
  return CDN_OK;
}

START_TEST(a_slip_that_was_never_fast_ends) {
  const double excess = (const double[]){ 1e-2, 1e-4, 1e-6 }[_i], accuracy = 1e-9, a = mu * g;
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.name = "block", floor.b = add_point(system, "block", m), floor.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pulse };
  ops.subsystem.name = "pulse", ops.subsystem.self_size = sizeof excess;
  cdn_system_add_custom_force(system, &ops, &excess);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  /* it slips from t1 on, where the sine is 0.4 / (0.4 + excess), until the integral of a (sine / that - 1) is zero */
  const double sine = 0.4 / (0.4 + excess), t1 = asin(sine), k = a * (0.4 + excess);
  double low = PI / 2, high = 3;
  for (int i = 0; i < 60; i++) {
    const double t = 0.5 * (low + high);
    if (k * (cos(t1) - cos(t)) - 0.4 * a * (t - t1) > 0) low = t;
    else high = t;
  }
  ck_assert(run_to_event(run, "block slips", 3));
  NEAR(cdn_state_time(now), t1, 1e-9 / sqrt(excess));
  ck_assert(run_to_event(run, "block sticks", 3));
  NEAR(cdn_state_time(now), low, 1e-9 / excess);
  const double far = k * ((low - t1) * cos(t1) - sin(low) + sin(t1)) - 0.2 * a * (low - t1) * (low - t1);
  NEAR(cdn_state_q(now)[0], 0.6 * far, 1e-9);
  NEAR(cdn_state_q(now)[1], 0.8 * far, 1e-9);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_slip_begins_along_a_spiral, 0, 5);
  tcase_add_loop_test(c, a_slip_that_was_never_fast_ends, 0, 3);
}

CHECK_MAIN_OF("hybrid begin", 20, add)
