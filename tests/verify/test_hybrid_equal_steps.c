/* Rigid contact with equal steps and no error control: steps end at events, what happens within one step is captured,
 * and where beyond an event there are no rates, steps are shorter. */
#include "hybrid_scenes.h"

static const double G = 9.81;

static cdn_stepper *run_with(cdn_state *state, double step) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.fixed_step = step;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  return run;
}

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* ---- closed forms ---- */

/* A ball of 1 kg falls from 1 m, bounces with e = 0.5, and rests after 3 falls' time. Flights are parabolas, which the
 * method follows exactly; below the capture speed, that of one step, they are cut off. */
START_TEST(a_ball_bounces_and_rests) {
  const double step = (const double[]){ 1e-3, 3.7e-3, 0.011 }[_i], fall = sqrt(2 / G);
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.b = add_point(system, "ball", 1), floor.restitution = 0.5;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1 }, NULL);
  cdn_stepper *run = run_with(state, step);
  const cdn_state *now = cdn_stepper_state(run);
  OK_STEP(run, cdn_stepper_advance(run, fall + 0.3, NULL)); /* the first flight: up with half the speed */
  NEAR(cdn_state_q(now)[2], 0.5 * sqrt(2 * G) * 0.3 - 0.5 * G * 0.09,
       1e-11); /* the window of the impact's time, 1e-12 s */
  OK_STEP(run, cdn_stepper_advance(run, 3 * fall + 2 * step, NULL));
  AT_MOST(fabs(cdn_state_q(now)[2]), 1e-12);
  ck_assert(cdn_state_u(now)[2] == 0);
  NEAR(cdn_hybrid_get_totals(now).impact_energy, G, step * step);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

/* A point slides to rest in v / (mu g), and stays. */
START_TEST(a_slide_ends) {
  const double step = (const double[]){ 1e-3, 3.7e-3, 0.011 }[_i], mu = 0.3, v = 1.3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.b = add_point(system, "puck", 1), floor.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = hybrid_state(system, NULL, (double[]){ v * 0.6, v * 0.8, 0 });
  cdn_stepper *run = run_with(state, step);
  OK_STEP(run, cdn_stepper_advance(run, 1, NULL));
  const double way = v * v / (2 * mu * G);
  NEAR(cdn_state_q(cdn_stepper_state(run))[0], 0.6 * way, 1e-10);
  NEAR(cdn_state_q(cdn_stepper_state(run))[1], 0.8 * way, 1e-10);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

/* ---- shapes ---- */

/* The puppet of examples/models falls in a heap: friction jams, feet hammer, joints strike their limits. Nothing
 * overlaps, and energy is accounted for. */
START_TEST(a_puppet_falls) {
  const double step = (const double[]){ 1e-3, 4e-3 }[_i];
  cdn_state *state = NULL;
  cdn_model *model = rigid_example("puppet", &state);
  const double before = energy_of(state);
  cdn_stepper *run = run_with(state, step);
  cdn_state *now = cdn_stepper_state(run);
  for (int k = 1; k <= 10; k++) {
    int n;
    OK_STEP(run, cdn_stepper_advance(run, 0.1 * k, NULL));
    OK_ON(now, cdn_contact_count(now, &n));
    for (int i = 0; i < n; i++) {
      cdn_contact c;
      OK_ON(now, cdn_contact_get(now, i, &c));
      AT_MOST(c.depth, 1e-6);
    }
  }
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(now);
  cdn_certificate certificate;
  OK_STEP(run, cdn_stepper_certificate(run, &certificate));
  AT_MOST(fabs(certificate.energy_residual), 0.1); /* pushes of friction that is about to jam grow within a step */
  AT_MOST(totals.impact_energy, before);
  AT_MOST(totals.worst_residual, 1e-3); /* of captured steps: docs/hybrid.md */
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_ball_bounces_and_rests, 0, 3);
  tcase_add_loop_test(c, a_slide_ends, 0, 3);
  tcase_add_loop_test(c, a_puppet_falls, 0, 2);
}

CHECK_MAIN_OF("hybrid equal steps", 60, add)
