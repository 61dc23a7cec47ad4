/* Rigid contact delivers what is asked, at accuracies between decades, or says that it does not; and bounces of several
 * elements at once come to rest at their common limit. A sample of ./run accuracy, whose truths are closed forms. */
#include "hybrid_scenes.h"
#include "run.h"

static const char *const sample[] = { "rigid-motor", "rigid-ratchet",   "rigid-bar",    "rigid-flat",  "rigid-groove",
                                      "rigid-belt",  "shapes-backspin", "shapes-slide", "shapes-flat", "shapes-stack" };
enum { SAMPLE = sizeof sample / sizeof *sample, ACCURACIES = 5 };

START_TEST(what_is_asked_is_delivered) {
  static true_motion truth;
  const problem *p = find_problem(sample[_i]);
  find_truth(p, &truth);
  cdn_state *start = p->start(p);
  for (int k = 0; k < ACCURACIES; k++) {
    run r;
    const run_request ask = { CDN_METHOD_DEFAULT, pow(10, -2.3 - 2 * k - 0.1 * (_i % 7)), true, 100000 };
    run_problem(p, start, &truth, &ask, &r);
    ck_assert_msg(!r.status, "%s at %g: %s", p->name, r.accuracy, r.message);
    ck_assert_msg(r.error <= 10 * r.accuracy && r.verdict == CDN_VERDICT_DELIVERED, "%s at %g: off by %g, verdict %d",
                  p->name, r.accuracy, r.error, r.verdict);
  }
  cdn_state_destroy(start);
}
END_TEST

/* ---- limits ---- */

static double last_touch(const char *name, double accuracy) {
  const problem *p = find_problem(name);
  cdn_state *state = p->start(p);
  cdn_stepper *stepper = event_run(state, accuracy);
  double t = 0;
  while (run_to_event(stepper, "touches", p->end)) t = cdn_state_time(cdn_stepper_state(stepper));
  end_event_run(stepper, state);
  return t;
}

/* The time of rest is (1 + e) / (1 - e) times that of the first fall, from 0.7 m with e = 0.5. Below 1e-5 m/s bounces
 * are not followed any more, and roundings of gaps over such speeds are 1e-11 s. */
START_TEST(what_falls_flat_rests_at_its_limit) {
  static const char *const falls[] = { "rigid-flat", "rigid-groove", "shapes-flat", "shapes-stack" };
  const double rest = 3 * sqrt(2 * 0.7 / 9.81);
  NEAR(last_touch(falls[_i], 3.7e-3), rest, 1e-7);
  NEAR(last_touch(falls[_i], 2.2e-6), rest, 1e-10);
  NEAR(last_touch(falls[_i], 4.1e-10), rest, 1e-10);
}
END_TEST

/* Housner's block, as a shape. Each impact is late by the rounding of a gap of shapes, over its speed. */
START_TEST(a_block_of_shapes_rocks_to_its_limit) {
  NEAR(last_touch("shapes-rock", 3.1e-7), 4.308047091692417, 5e-7);
  NEAR(last_touch("rigid-rocking", 3.1e-9), 4.308047091692417, 5e-9);
}
END_TEST

/* Two corners that hammer by turns come to rest together, however long the accuracy, in s, is beside that. */
START_TEST(two_corners_hammer_to_their_limit) {
  const problem *p = find_problem("rigid-clearance");
  cdn_state *state = p->start(p);
  cdn_stepper *stepper = event_run(state, (const double[]){ 7e-3, 2.4e-4, 3.3e-6, 6e-8 }[_i]);
  const cdn_state *now = cdn_stepper_state(stepper);
  while (!cdn_one_sided_is_on(now, (cdn_one_sided){ 0 }) || !cdn_one_sided_is_on(now, (cdn_one_sided){ 1 }))
    ck_assert(run_to_event(stepper, "touches", 0.003));
  NEAR(cdn_state_time(now), 0.0026925481074, 1e-8);
  NEAR(cdn_state_u(now)[0] + cdn_state_u(now)[1] + cdn_state_u(now)[2], 0, 1e-10);
  ck_assert_int_eq((int)cdn_hybrid_get_totals(now).crowded_steps, 0);
  end_event_run(stepper, state);
}
END_TEST

/* ---- what begins to slip, and is fast when forces turn against it ---- */

/* A ladder leaves its wall: the floor goes on braking its foot. */
START_TEST(a_ladder_is_braked_when_it_leaves_the_wall) {
  const problem *p = find_problem("rigid-ladder");
  cdn_state *state = p->start(p);
  cdn_stepper *stepper = event_run(state, (const double[]){ 8e-3, 1e-3, 3e-5 }[_i]);
  cdn_state *now = cdn_stepper_state(stepper);
  double force[2];
  ck_assert(run_to_event(stepper, "wall lets go", 1.2));
  run_to_event(stepper, "nothing", 1.15);
  OK_ON(now, cdn_dry_friction_force(now, (cdn_dry_friction){ 0 }, force));
  ck_assert(force[0] < -0.5);
  end_event_run(stepper, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, what_is_asked_is_delivered, 0, SAMPLE);
  tcase_add_loop_test(c, what_falls_flat_rests_at_its_limit, 0, 4);
  tcase_add_test(c, a_block_of_shapes_rocks_to_its_limit);
  tcase_add_loop_test(c, two_corners_hammer_to_their_limit, 0, 4);
  tcase_add_loop_test(c, a_ladder_is_braked_when_it_leaves_the_wall, 0, 3);
}

CHECK_MAIN_OF("hybrid delivered", 60, add)
