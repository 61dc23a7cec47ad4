/* Contacts that hit again and again while they come to rest: slips that impacts leave, feet and joints at their limits
 * that strike by turns. */
#include <cardan/model.h>
#include <cardan/queries.h>

#include "hybrid_scenes.h"

/* ---- a slow slip that an impact leaves ---- */

/* A point falls obliquely. Friction takes mu times the normal impulse; what is left of the slip ends after v / (mu g),
 * and never turns back. What is slower than the accuracy may end at once. */
START_TEST(a_slow_slip_after_an_impact_ends_where_it_stops) {
  const double accuracy = (const double[]){ 1e-3, 1e-4, 1e-6 }[_i], g = 9.81, mu = 0.002, fall = 0.5, left = 2e-4;
  const double along = left + mu * fall, height = 0.01, down = sqrt(fall * fall - 2 * g * height);
  const double lands = (fall - down) / g, slips = left / (mu * g), most = fmin(left, accuracy);
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def floor = cdn_default_rigid_contact_def();
  floor.name = "floor", floor.b = add_point(system, "point", 2), floor.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &floor);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, height }, (double[]){ along, 0, -down });
  cdn_stepper *run = event_run(state, accuracy);
  cdn_return_reason reason = CDN_HANDLED_EVENT;
  while (reason == CDN_HANDLED_EVENT) {
    OK_STEP(run, cdn_stepper_advance(run, 0.1, &reason));
    AT_MOST(-cdn_state_u(cdn_stepper_state(run))[0], 1e-11);
  }
  ck_assert_int_eq(cdn_dry_friction_get_status(cdn_stepper_state(run), (cdn_dry_friction){ 0 }), CDN_FRICTION_STICK);
  NEAR(cdn_state_q(cdn_stepper_state(run))[0], along * lands + 0.5 * left * slips,
       0.5 * most * most / (mu * g) + 1e-11);
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

/* Where both knees strike their limits rounding must not choose one of them: a leg that is struck first would hammer
 * with the other one. Steps may be as long as they were before they have been cut short for events. */
static double fall_of_biped(double accuracy) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *run = NULL;
  cdn_certificate c;
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
      cdn_contact touch;
      OK_ON(now, cdn_contact_get(now, i, &touch));
      /* constraints hold to a tenth of the accuracy; where feet are held by more equations than they have freedoms, the
       * last projection leaves about the square of what a step has drifted */
      AT_MOST(touch.depth, 1e-3 * accuracy);
    }
  }
  OK(cdn_stepper_certificate(run, &c));
  AT_MOST(cdn_hybrid_get_totals(cdn_stepper_state(run)).moments, 10);
  AT_MOST(c.steps, 200);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return before;
}

/* It tilts forward, its light feet roll over the floor, and knees strike their limits. Both legs are alike, so a foot
 * lands with all of its corners within moments that others fill with impacts. Without cures for what is below rounding
 * and accuracy it makes no progress. */
START_TEST(a_biped_falls_on_its_feet) {
  static const double accuracies[] = { 1e-3, 3.7e-4, 1e-4, 1e-5, 3.2e-6, 1e-6 };
  const double finest = fall_of_biped(1e-7);
  for (int i = 0; i < (int)(sizeof accuracies / sizeof *accuracies); i++)
    NEAR(fall_of_biped(accuracies[i]), finest, accuracies[i] * finest);
}
END_TEST

/* ---- a foot that comes to lie on both of its ends ---- */

/* A person stands on an end of a foot, which turns until the other end touches. The event finds that end within what
 * the accuracy allows; where it has its slot then, nothing touches without one. */
START_TEST(an_end_of_a_foot_touches_once) {
  cdn_state *state = NULL;
  cdn_model *model = rigid_example("puppet", &state);
  cdn_stepper *run = event_run(state, 2e-4);
  int touches = 0;
  while (run_to_event(run, "touches", 0.039)) touches++;
  ck_assert_int_eq(touches, 1);
  end_event_run(run, state);
  cdn_model_destroy(model);
}
END_TEST

/* ---- dominoes ---- */

enum { DOMINOES = 3 };

/* One is tilted and topples, the others stand. All turn in one plane: how wide they are does not matter. Where they are
 * as wide as each other corners touch at the borders of faces. With a friction of 1, four corners that slide on a floor
 * and on a wall may hand loads to and fro: the least of them count. */
static void topple(const double widths[DOMINOES], double accuracy, double mu, int hundredths, double q[7 * DOMINOES]) {
  const double x = 0.008, z = 0.089, m = 0.09, tilt = 0.12;
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_contact_material material = cdn_default_contact_material();
  cdn_shape_def shape = cdn_default_shape_def();
  contact.model = CDN_CONTACT_RIGID, material.static_friction = material.dynamic_friction = mu;
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  shape.material = &material, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  shape.name = "floor", shape.body = cdn_ground();
  cdn_system_add_shape(system, &shape);
  for (int k = 0; k < DOMINOES; k++) {
    char name[16];
    cdn_body_def d = cdn_default_body_def();
    snprintf(name, sizeof name, "domino %d", k);
    d.name = name, d.mobilizer = CDN_FREE;
    d.mass =
        (cdn_mass_properties){ m, { 0, 0, 0 }, { m * z * z / 3, m * (x * x + z * z) / 3, m * x * x / 3, 0, 0, 0 } };
    shape.name = name, shape.body = cdn_system_add_body(system, &d);
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, widths[k], z } };
    cdn_system_add_shape(system, &shape);
    memcpy(q + 7 * k, (double[]){ 1, 0, 0, 0, 0.05 * k, 0, z }, 7 * sizeof *q);
  }
  q[0] = cos(0.5 * tilt), q[2] = sin(0.5 * tilt), q[6] = z * cos(tilt) + x * sin(tilt);
  cdn_state *state = hybrid_state(system, q, NULL);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  for (int k = 1; k <= hundredths; k++) {
    OK_STEP(run, cdn_stepper_advance(run, 0.01 * k, NULL));
    for (int i = 0; i <= DOMINOES; i++)
      for (int j = 0; j < i; j++) {
        cdn_proximity near;
        OK_ON(cdn_stepper_state(run),
              cdn_shapes_distance(cdn_stepper_state(run), (cdn_shape){ j }, (cdn_shape){ i }, &near));
        ck_assert_msg(near.distance > -0.1 * accuracy, "%d and %d overlap by %g at %g s", i, j, -near.distance,
                      0.01 * k);
      }
  }
  memcpy(q, cdn_state_q(cdn_stepper_state(run)), 7 * DOMINOES * sizeof *q);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}

START_TEST(dominoes_of_any_width_topple_alike) {
  const double accuracy = (const double[]){ 1e-4, 1e-5, 1e-6 }[_i % 3], mu = _i < 3 ? 1 : 0.5;
  const int hundredths = _i < 3 ? 42 : 60;
  double alike[7 * DOMINOES], other[7 * DOMINOES];
  topple((const double[]){ 0.044, 0.044, 0.044 }, accuracy, mu, hundredths, alike);
  topple((const double[]){ 0.044, 0.05, 0.04 }, accuracy, mu, hundredths, other);
  /* where sides lie in one plane they may press on each other by as much as friction bears, which with a friction of 1
   * is not unique: seen are 0.0012 N of 0.41 N, which rub, too */
  const double apart = mu == 1 ? 1e-3 : 10 * accuracy;
  for (int i = 0; i < 7 * DOMINOES; i++) NEAR(alike[i], other[i], apart);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_slow_slip_after_an_impact_ends_where_it_stops, 0, 3);
  tcase_add_test(c, a_biped_falls_on_its_feet);
  tcase_add_test(c, an_end_of_a_foot_touches_once);
  tcase_add_loop_test(c, dominoes_of_any_width_topple_alike, 0, 6);
}

CHECK_MAIN_OF("hybrid hammer", 60, add)
