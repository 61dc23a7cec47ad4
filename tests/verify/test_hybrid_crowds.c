/* Where moments crowd, runs capture them in steps. Points on vertical paths: a column that falls on a floor, each point
 * on the one below; and many that fall side by side, whose bounces have closed forms. */
#include "hybrid_scenes.h"

static const double G = 9.81;
enum { MOST_POINTS = 100 };

typedef struct scene {
  int n;
  bool column;
  double e, start[MOST_POINTS];
} scene;

static cdn_stepper *run_of(const scene *s, double accuracy, bool companion) {
  cdn_system *system = cdn_system_create(NULL);
  double q[3 * MOST_POINTS] = { 0 };
  cdn_body below = { 0 };
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
  for (int i = 0; i < s->n; i++) {
    cdn_body_def d = cdn_default_body_def();
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    d.mobilizer = CDN_TRANSLATION, d.mass.mass = 1;
    c.b = cdn_system_add_body(system, &d), c.restitution = s->e;
    if (s->column) c.a = below;
    cdn_system_add_rigid_contact(system, &c);
    below = c.b, q[3 * i] = s->column ? 0 : i, q[3 * i + 2] = s->start[i];
  }
  OK_FREEZE(system);
  cdn_state *state = NULL;
  cdn_stepper *run = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = companion;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  cdn_state_destroy(state);
  return run;
}

static double energy_of(cdn_stepper *run) {
  double kinetic, potential;
  OK_ON(cdn_stepper_state(run), cdn_kinetic_energy(cdn_stepper_state(run), &kinetic));
  OK_ON(cdn_stepper_state(run), cdn_potential_energy(cdn_stepper_state(run), &potential));
  return kinetic + potential;
}

static scene column(int n, double apart, double e) {
  scene s = { .n = n, .column = true, .e = e };
  for (int i = 0; i < n; i++) s.start[i] = 0.05 + apart * i;
  return s;
}

/* Of 100 points some 5000 impacts in half a second. Energy falls from one look to the next, as exactly as what is put
 * on its surface has moved; all points come to rest on the floor, with nothing below it. */
START_TEST(a_column_falls_in_captured_steps) {
  const scene s = column(100, 0.01, 0.5);
  cdn_stepper *run = run_of(&s, 1e-3, false);
  const double start = energy_of(run);
  double before = start;
  for (int k = 1; k <= 12; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.05 * k, NULL));
    NEAR(cdn_state_time(cdn_stepper_state(run)), 0.05 * k, 1e-15);
    AT_MOST(energy_of(run), before + 1e-6 * start);
    before = energy_of(run);
    for (int i = 0; i < s.n; i++) {
      double gap;
      OK_ON(cdn_stepper_state(run), cdn_one_sided_gap(cdn_stepper_state(run), (cdn_one_sided){ i }, &gap));
      AT_MOST(-gap, 1e-9);
    }
  }
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(cdn_stepper_state(run));
  ck_assert_double_gt(totals.crowded_steps, 100);
  NEAR(totals.crowded_time / totals.crowded_steps, 1e-3, 1e-4);
  AT_MOST(totals.worst_residual, 1e-10);
  AT_MOST(before, 0.01 * start);
  cdn_stepper_destroy(run);
}
END_TEST

/* A plastic column: point i lands after sqrt(2 start / g), and stays. At 1e-2 s its landings crowd. */
START_TEST(a_plastic_column_lands_as_it_must) {
  const scene s = column(100, 0.003, 0);
  cdn_stepper *run = run_of(&s, 1e-2, false);
  OK_STEP(run, cdn_stepper_advance(run, 0.25, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run)), fallen = G / 2 * 0.25 * 0.25;
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  for (int i = 0; i < s.n; i++) NEAR(q[3 * i + 2], fmax(0, s.start[i] - fallen), 1e-9);
  cdn_stepper_destroy(run);
}
END_TEST

/* Points side by side that bounce: their impacts crowd. The mean error of heights falls at least with the power 0.8 of
 * the step, and is no more than what the run says that times of impacts may be off. */
START_TEST(captured_steps_converge) {
  const double accuracies[] = { 8e-3, 2e-3 };
  double errors[2];
  scene s = { .n = 100, .e = 0.7 };
  for (int i = 0; i < s.n; i++) s.start[i] = 0.05 + 0.001 * i + 0.0007 * ((i * 37) % 11);
  for (int k = 0; k < 2; k++) {
    cdn_stepper *run = run_of(&s, accuracies[k], false);
    OK_STEP(run, cdn_stepper_advance(run, 0.35, NULL));
    const double *q = cdn_state_q(cdn_stepper_state(run));
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(cdn_stepper_state(run));
    double sum = 0;
    for (int i = 0; i < s.n; i++) sum += fabs(q[3 * i + 2] - bouncing_height(G, s.start[i], s.e, 0.35));
    ck_assert_double_gt(totals.crowded_steps, 5);
    AT_MOST(sum, totals.crowded_error);
    errors[k] = sum / s.n;
    cdn_stepper_destroy(run);
  }
  AT_MOST(errors[1], errors[0] * pow(accuracies[1] / accuracies[0], 0.8));
}
END_TEST

/* The companion finds every event, so the verdict is about the captured run, and it is true to the closed form. */
START_TEST(the_verdict_on_captured_steps_is_honest) {
  scene s = { .n = 40, .e = 0.5 };
  for (int i = 0; i < s.n; i++) s.start[i] = 0.05 + 0.002 * i;
  cdn_stepper *run = run_of(&s, 1e-2, true);
  OK_STEP(run, cdn_stepper_advance(run, 0.3, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run));
  double worst = 0;
  for (int i = 0; i < s.n; i++) worst = fmax(worst, fabs(q[3 * i + 2] - bouncing_height(G, s.start[i], s.e, 0.3)));
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  ck_assert_double_gt(cdn_hybrid_get_totals(cdn_stepper_state(run)).crowded_steps, 0);
  if (c.delivered == CDN_VERDICT_DELIVERED) AT_MOST(worst, 1e-2);
  cdn_stepper_destroy(run);
}
END_TEST

/* A caller that asks for one step after another names no end. */
START_TEST(captured_steps_need_no_end) {
  const scene s = column(30, 0.01, 0.5);
  cdn_stepper *run = run_of(&s, 1e-3, false);
  const double start = energy_of(run);
  for (int k = 0; k < 5000 && cdn_state_time(cdn_stepper_state(run)) < 0.4; k++)
    OK_STEP(run, cdn_stepper_step(run, INFINITY));
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(cdn_state_time(now) >= 0.4 && isfinite(cdn_state_u(now)[2]));
  ck_assert(cdn_hybrid_get_totals(now).crowded_steps > 0);
  AT_MOST(energy_of(run), start);
  cdn_stepper_destroy(run);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, captured_steps_need_no_end);
  tcase_add_test(c, a_column_falls_in_captured_steps);
  tcase_add_test(c, a_plastic_column_lands_as_it_must);
  tcase_add_test(c, captured_steps_converge);
  tcase_add_test(c, the_verdict_on_captured_steps_is_honest);
}

CHECK_MAIN_OF("hybrid crowds", 60, add)
