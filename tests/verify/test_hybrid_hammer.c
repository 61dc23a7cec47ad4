/* Contacts that hit again and again while they come to rest: slips that impacts leave, feet and joints at their limits
 * that strike by turns. */
#include <cardan/model.h>

#include "hybrid_scenes.h"

/* ---- a slow slip that an impact leaves ---- */

/* A point falls obliquely. Friction takes mu times the normal impulse. What is left of the slip is slower than the
 * accuracy; it ends after v / (mu g), and never turns back. */
START_TEST(a_slow_slip_after_an_impact_ends_where_it_stops) {
  const double g = 9.81, mu = 0.002, fall = 0.5, left = 2e-4, along = left + mu * fall, height = 0.01;
  const double down = sqrt(fall * fall - 2 * g * height), lands = (fall - down) / g, slips = left / (mu * g);
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.name = "floor", floor.b = add_point(system, "point", 2), floor.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, height }, (double[]){ along, 0, -down });
  cdn_stepper *run = event_run(state, 1e-3);
  ck_assert(run_to_event(run, "touches", 1));
  NEAR(cdn_state_time(cdn_stepper_state(run)), lands, 1e-10);
  NEAR(cdn_state_u(cdn_stepper_state(run))[0], left, 1e-12);
  ck_assert(run_to_event(run, "sticks", 1));
  NEAR(cdn_state_time(cdn_stepper_state(run)), lands + slips, 1e-8);
  NEAR(cdn_state_q(cdn_stepper_state(run))[0], along * lands + 0.5 * left * slips, 1e-11);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a biped falls on its feet ---- */

#define LEG(S, Y, IN, ROLL)                                                                              \
  "<body pos='0 " Y " 0'><joint name='hip" S "' range='-110 20'/><geom fromto='0 0 -.05 0 0 -.3'/>"      \
  "<body pos='0 " IN " -.45'><joint name='knee" S "' range='-160 2' pos='0 0 .02'/>"                     \
  "<geom fromto='0 0 -.05 0 0 -.25' size='.045'/>"                                                       \
  "<body pos='0 0 -.4'><joint name='ankle" S "' range='-50 50' stiffness='6'/>"                          \
  "<joint name='roll" S "' range='-50 50' axis='" ROLL " 0 .5' stiffness='3'/>"                          \
  "<geom fromto='-.07 -.01 0 .14 -.03 0' size='.027'/><geom fromto='-.07 .01 0 .14 .03 0' size='.027'/>" \
  "</body></body></body>"

static const char biped[] =
    "<mujoco><compiler angle='degree'/><default><geom type='capsule' size='.05' friction='.7'/>"
    "<joint type='hinge' damping='.2' stiffness='1' armature='.007' axis='0 1 0'/></default><worldbody>"
    "<geom type='plane' size='1 1 1'/><body pos='0 0 1.1' euler='0 8 0'><freejoint/>"
    "<geom fromto='0 -.1 .1 0 .1 .1' size='.1'/>" LEG("_r", "-.1", ".01", "1")
        LEG("_l", ".1", "-.01", "-1") "</body></worldbody></mujoco>";

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* It tilts forward, its light feet roll over the floor, and knees strike their limits. Both legs are alike, so a foot
 * lands with all of its corners within moments that others fill with impacts. Without cures for what is below rounding
 * and accuracy it makes no progress. */
START_TEST(a_biped_falls_on_its_feet) {
  const double accuracy = (const double[]){ 1e-3, 3e-4, 1e-4 }[_i];
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *run = NULL;
  options.contact = CDN_MODEL_RIGID;
  OK(cdn_model_load_string(biped, strlen(biped), "biped.xml", &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  double before = energy_of(state);
  for (int k = 1; k <= 80; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.01 * k, NULL));
    cdn_state *now = cdn_stepper_state(run);
    const double energy = energy_of(now);
    int n;
    AT_MOST(energy, before * (1 + 1e-3 * accuracy));
    before = energy;
    OK_ON(now, cdn_contact_count(now, &n));
    for (int i = 0; i < n; i++) {
      cdn_contact c;
      OK_ON(now, cdn_contact_get(now, i, &c));
      AT_MOST(c.depth, 1e-9);
    }
  }
  AT_MOST(cdn_hybrid_get_totals(cdn_stepper_state(run)).moments, 100);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_slow_slip_after_an_impact_ends_where_it_stops);
  tcase_add_loop_test(c, a_biped_falls_on_its_feet, 0, 3);
}

CHECK_MAIN_OF("hybrid hammer", 60, add)
