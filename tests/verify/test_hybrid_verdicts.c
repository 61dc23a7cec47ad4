/* Verdicts on rigid contact. What an error decides matters if motion behind it differs by more than that: a touch does,
 * a slip that begins does not. */
#include "hybrid_scenes.h"

/* To `end`, looked at 20 times. */
static cdn_stepper *judged_run(cdn_state *state, double accuracy, double end) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *run = NULL;
  def.accuracy = accuracy, def.companion = true, def.final_time = end;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  for (int k = 1; k <= 20; k++) OK_STEP(run, cdn_stepper_advance(run, end * k / 20, NULL));
  return run;
}

/* `doubt`: what the verdict is unknown for; NULL: it is delivered. */
static void verdict_is(cdn_stepper *run, const char *doubt) {
  char text[400];
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  cdn_certificate_verdict(&c, text, sizeof text);
  ck_assert_msg(c.delivered == (doubt ? CDN_VERDICT_UNKNOWN : CDN_VERDICT_DELIVERED), "%s", text);
  ck_assert_msg(!doubt || strstr(c.doubt, doubt), "%s", text);
}

/* ---- a force that comes near the bound of friction ---- */

typedef struct swing {
  double size;
} swing;

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, ((const swing *)self)->size * cdn_state_q(state)[1]);
  return CDN_OK;
}

static cdn_status press(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self;
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, cdn_state_time(state) - 1);
  return CDN_OK;
}

static void add_force(cdn_system *system, cdn_status (*force)(const void *, cdn_state *, cdn_forces *),
                      const swing *self) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = force };
  ops.subsystem.name = "force", ops.subsystem.self_size = self ? sizeof *self : 0;
  cdn_system_add_custom_force(system, &ops, self);
}

/* Of 1 kg, which friction of 1 N brakes, and 1.5 N or 1 N hold: pushed by a little more or less than holds, by
 * what another mass does that swings as sin t. Its amplitude is far more exact than its phase, so run and companion
 * know of a millionth that it slips, or not. */
START_TEST(a_slip_that_is_grazed) {
  for (int k = 0; k < 4; k++) {
    const double holds = k < 2 ? 1 : 1.5, more = k < 2 ? 1e-9 : 1e-6;
    const swing self = { holds * (1 + (k % 2 ? more : -more)) };
    cdn_system *system = cdn_system_create(NULL);
    add_belt(system, "belt", add_slider(system, "block", 1), 0, 1, holds, 1);
    cdn_system_add_mobility_spring(system, "spring", add_slider(system, "mass", 1), 0, 1, 0);
    add_force(system, push, &self);
    cdn_state *state = hybrid_state(system, NULL, (const double[]){ 0, 1 });
    cdn_stepper *run = judged_run(state, 1e-5, 3);
    if (holds == 1) { /* while it slips, for 1e-4 s, it comes no farther than an error of the force would push it */
      verdict_is(run, NULL);
      NEAR(cdn_state_q(cdn_stepper_state(run))[0], 0, 1e-6);
    } else {
      verdict_is(run, NULL);
      ck_assert_int_eq(cdn_state_q(cdn_stepper_state(run))[0] > 1e-3, k % 2);
    }
    end_event_run(run, state);
  }
}
END_TEST

/* ---- stops ---- */

/* A stop lets go when a force turns, and what goes is not nearly back: x = (t - 1)^3 / 6. */
START_TEST(a_stop_that_lets_go_is_not_grazed) {
  for (int k = 0; k < 8; k++) {
    const double accuracy = 3.7 * pow(10, -3 - k);
    cdn_system *system = cdn_system_create(NULL);
    cdn_one_sided_def stop = cdn_default_one_sided_def();
    stop.constraint = cdn_system_constrain_coordinate(system, "stop", add_slider(system, "block", 1), 0, 0);
    cdn_system_make_one_sided(system, &stop);
    add_force(system, press, NULL);
    cdn_state *state = hybrid_state(system, NULL, NULL);
    cdn_stepper *run = judged_run(state, accuracy, 2);
    verdict_is(run, NULL);
    NEAR(cdn_state_q(cdn_stepper_state(run))[0], 1. / 6, 3 * accuracy);
    end_event_run(run, state);
  }
}
END_TEST

/* A ball that is thrown up comes within a billionth of a ceiling, on either side. Its height has no error but rounding,
 * so it strikes the ceiling where that is lower. */
START_TEST(a_ceiling_that_is_grazed) {
  const double top = 0.5 * 2 * 2 / 9.81;
  for (int k = 0; k < 2; k++) {
    const double up = 2;
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    cdn_one_sided_def stop = cdn_default_one_sided_def();
    def.name = "ball", def.mobilizer = CDN_SLIDER, def.mass.mass = 1, def.u0 = &up;
    stop.name = "ceiling", stop.upper = true, stop.restitution = 0.5;
    stop.constraint =
        cdn_system_constrain_coordinate(system, NULL, cdn_system_add_body(system, &def), 0, top + (k ? 1e-9 : -1e-9));
    cdn_system_make_one_sided(system, &stop);
    cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81, 0, 0));
    cdn_state *state = hybrid_state(system, NULL, NULL);
    cdn_stepper *run = judged_run(state, 1e-5, 0.4);
    verdict_is(run, NULL);
    ck_assert_int_eq((int)cdn_hybrid_get_totals(cdn_stepper_state(run)).impacts, k == 0);
    end_event_run(run, state);
  }
}
END_TEST

/* ---- slow slips of what is fast ---- */

/* A flywheel of 1 kg m^2 turns with 0.02 rad/s, and a pad rubs with 1 N a millimetre from its axis: that is a slip of
 * 2e-5 m/s, below the accuracy, and friction would take 20 s to end it. Then w = 0.02 - t / 1000. */
START_TEST(a_slow_slip_of_a_flywheel_goes_on) {
  const double accuracy = (const double[]){ 9e-3, 7.3e-4, 1e-4, 2.2e-5 }[_i], w = 0.02, arm = 1e-3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def wheel = cdn_default_body_def();
  wheel.name = "wheel", wheel.mobilizer = CDN_PIN, wheel.u0 = &w;
  wheel.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &wheel);
  cdn_dry_friction_def pad = cdn_default_dry_friction_def();
  pad.slip = cdn_system_constrain_slip_on_plane(system, "pad", (cdn_body){ 0 }, cdn_transform_identity(), body,
                                                cdn_v3(arm, 0, 0), 0);
  pad.load = pad.mu_dynamic = 1;
  cdn_system_add_dry_friction(system, &pad);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  cdn_stepper *run = judged_run(state, accuracy, 1);
  NEAR(cdn_state_u(cdn_stepper_state(run))[0], w - 1 * arm, fmin(3 * accuracy, 1e-5));
  NEAR(cdn_state_q(cdn_stepper_state(run))[0], w - 0.5 * arm, fmin(3 * accuracy, 1e-5));
  end_event_run(run, state);
}
END_TEST

/* ---- a tall box slides and spins ---- */

/* Of four corners with the least pushes one comes to zero where friction points along a diagonal; the box lies flat
 * before and after. */
static cdn_state *spinning_box(void) {
  const double a = 0.1, h = 0.16, u[] = { 0, 0, 4, 1.5, 0, 0 }, q[] = { 1, 0, 0, 0, 0, 0, h };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def box = cdn_default_body_def();
  box.name = "box", box.mobilizer = CDN_FREE;
  box.mass =
      (cdn_mass_properties){ 1, { 0, 0, 0 }, { (a * a + h * h) / 3, (a * a + h * h) / 3, 2 * a * a / 3, 0, 0, 0 } };
  const cdn_body body = cdn_system_add_body(system, &box);
  for (int k = 0; k < 4; k++) {
    cdn_rigid_contact_def corner = cdn_default_rigid_contact_def();
    corner.b = body, corner.p_B = cdn_v3(k & 1 ? a : -a, k & 2 ? a : -a, -h), corner.mu_dynamic = 0.5;
    cdn_system_add_rigid_contact(system, &corner);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  return hybrid_state(system, q, u);
}

START_TEST(a_corner_without_a_push_lets_go_once) {
  cdn_state *state = spinning_box();
  cdn_stepper *runs[4];
  for (int k = 0; k < 4; k++) {
    const double accuracy = (const double[]){ 4e-9, 2.2e-6, 3.8e-5, 3.8e-4 }[k];
    runs[k] = judged_run(state, accuracy, 0.3);
    const cdn_state *now = cdn_stepper_state(runs[k]), *truth = cdn_stepper_state(runs[0]);
    verdict_is(runs[k], NULL);
    NEAR(cdn_state_q(now)[1], 0, 1e-12); /* it does not tilt */
    NEAR(cdn_state_q(now)[2], 0, 1e-12);
    NEAR(cdn_state_q(now)[6], 0.16, 1e-12);
    for (int i = 0; i < 6; i++) NEAR(cdn_state_u(now)[i], cdn_state_u(truth)[i], 3 * accuracy);
    ck_assert_int_lt((int)cdn_hybrid_get_totals(now).moments, 20);
    ck_assert_int_eq((int)cdn_hybrid_get_totals(now).crowded_steps, 0);
  }
  for (int k = 0; k < 4; k++) cdn_stepper_destroy(runs[k]);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a walker whose six feet slip and stick at almost the same moments ---- */

START_TEST(feet_that_slip_one_after_another) {
  cdn_state *state = NULL;
  cdn_model *model = rigid_example("hexapod", &state);
  const int n = cdn_system_nu(cdn_state_system(state));
  cdn_stepper *runs[4];
  for (int k = 0; k < 4; k++) {
    const double accuracy = (const double[]){ 4e-9, 6.1e-7, 2.2e-5, 3.7e-4 }[k];
    runs[k] = judged_run(state, accuracy, 1);
    const double *u = cdn_state_u(cdn_stepper_state(runs[k])), *truth = cdn_state_u(cdn_stepper_state(runs[0]));
    if (k > 0) verdict_is(runs[k], NULL);
    for (int i = 0; i < n; i++) NEAR(u[i], truth[i], 3 * accuracy);
  }
  for (int k = 0; k < 4; k++) cdn_stepper_destroy(runs[k]);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_slip_that_is_grazed);
  tcase_add_test(c, a_stop_that_lets_go_is_not_grazed);
  tcase_add_test(c, a_ceiling_that_is_grazed);
  tcase_add_loop_test(c, a_slow_slip_of_a_flywheel_goes_on, 0, 4);
  tcase_add_test(c, a_corner_without_a_push_lets_go_once);
  tcase_add_test(c, feet_that_slip_one_after_another);
}

CHECK_MAIN_OF("hybrid verdicts", 60, add)
