/* Stiff contact at rest by the implicit contact step: it costs next to nothing, and nothing creeps. */
#include "runs.h"

#include <cardan/contact.h>
#include <cardan/model.h>

#include "tower.h"

/* A box of the side 0.2 m that gives by 1 mm under `load`, and the load on it. */
static cdn_system *heavy_on_light(double load) {
  const double g = 9.81, side = 0.2, give = 1e-3;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  /* two beds in series, of the least half width each: pressure = E depth / (2 0.08 m) */
  m.modulus = load * g / give * 2 * 0.08 / (0.16 * 0.16), m.dissipation = 5;
  add_floor(system, &m);
  for (int i = 0; i < 2; i++) {
    const double mass = i ? load : 1, inertia = mass * side * side / 6, width = i ? 0.08 : 0.1;
    const double q0[7] = { 1, 0, 0, 0, 0, 0, side * (i + 0.5) };
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.q0 = q0, body.mass.mass = mass;
    body.mass.inertia = (cdn_inertia){ inertia, inertia, inertia, 0, 0, 0 };
    cdn_shape_def shape = cdn_default_shape_def();
    shape.material = &m, shape.body = cdn_system_add_body(system, &body);
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { width, width, 0.5 * side } };
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  return system;
}

START_TEST(a_million_kilograms_rest_on_one) {
  static const double loads[] = { 1e3, 3e4, 1e6 };
  for (int k = 0; k < 3; k++)
    for (int fixed = 0; fixed < 2; fixed++) {
      cdn_system *system = heavy_on_light(loads[k]);
      cdn_state *state;
      cdn_stepper *stepper;
      cdn_certificate c;
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = 1e-3, def.fixed_step = fixed ? 0.01 : 0;
      OK(cdn_state_create(system, &state));
      OK(cdn_stepper_create(state, &def, &stepper));
      OK_STEP(stepper, cdn_stepper_advance(stepper, fixed ? 5 : 100, NULL));
      OK(cdn_stepper_certificate(stepper, &c));
      const double lower = cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 1 })[6];
      const double upper = cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 2 })[6];
      if (getenv("CARDAN_TEST_SHOW"))
        printf("%.0e kg: gives by %.4f mm, %d steps\n", loads[k], 1e3 * (lower + 0.2 - upper), (int)c.steps);
      /* at its rim, a depth wide, a bed is nearer to the sides and bears less: 0.6 % */
      NEAR(lower + 0.2 - upper, 1e-3, 1e-5);
      cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
    }
}
END_TEST

/* A block on a slope of 20 degrees with mu = 0.7. */
START_TEST(what_sticks_does_not_creep) {
  cdn_system *system = cdn_system_create(NULL);
  const double slope = 20 * 3.141592653589793 / 180;
  cdn_system_add_gravity(system, "gravity", cdn_v3(9.81 * sin(slope), 0, -9.81 * cos(slope)));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e7, m.dissipation = 5, m.static_friction = m.dynamic_friction = 0.7;
  add_floor(system, &m);
  const double q0[7] = { 1, 0, 0, 0, 0, 0, 0.05 };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0, body.mass.mass = 1;
  body.mass.inertia = (cdn_inertia){ 0.004, 0.004, 0.005, 0, 0, 0 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.05 } };
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_certificate early, late;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = 1e-3;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
  const double x = cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 1 })[4];
  OK(cdn_stepper_certificate(stepper, &early));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 40, NULL));
  OK(cdn_stepper_certificate(stepper, &late));
  const double rate = (cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 1 })[4] - x) / 30;
  if (getenv("CARDAN_TEST_SHOW"))
    printf("block at 20 degrees: %.2e m/s, %d steps, of which %d in the last 30 s\n", rate, (int)late.steps,
           (int)(late.steps - early.steps));
  AT_MOST(fabs(rate), 1e-10);
  AT_MOST(late.steps - early.steps, 300);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* A tower of ten boxes that begins askew, settles, and stands for ten minutes. Nothing moves it, so only what the
 * accuracy leaves of its sway after half a minute may show. */
START_TEST(a_tower_stands) {
  cdn_body body[BOXES];
  cdn_system *system = make_tower(body);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_certificate early, late;
  cdn_stepper_def def = cdn_default_stepper_def();
  double start[BOXES][7], moved, turned, most_moved = 0, most_turned = 0;
  OK_FREEZE(system);
  def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = 1e-3;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 30, NULL));
  OK(cdn_stepper_certificate(stepper, &early));
  for (int i = 0; i < BOXES; i++) memcpy(start[i], cdn_body_q(cdn_stepper_state(stepper), body[i]), sizeof start[i]);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 630, NULL));
  OK(cdn_stepper_certificate(stepper, &late));
  for (int i = 0; i < BOXES; i++) {
    drift(start[i], cdn_body_q(cdn_stepper_state(stepper), body[i]), &moved, &turned);
    most_moved = fmax(most_moved, moved), most_turned = fmax(most_turned, turned);
  }
  if (getenv("CARDAN_TEST_SHOW"))
    printf("tower: %d steps in 30 s, %d in 600 s, moved by %.1e m, turned by %.1e rad\n", (int)early.steps,
           (int)(late.steps - early.steps), most_moved, most_turned);
  AT_MOST(most_moved, 1e-6);
  AT_MOST(most_turned, 1e-6);
  AT_MOST(late.steps - early.steps, 600); /* it rests: steps of a second and more */
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* A gripper with four closed loops holds a box by friction for an hour, after it has lifted it. The accuracy of q is
 * 1e-3, but what rests is not moved by errors: the bound is a thousandth of that. */
START_TEST(a_gripper_holds_a_box) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/gripper.xml", root ? root : ".");
  cdn_model *model;
  cdn_model_options options = cdn_default_model_options();
  cdn_model_actuator grip, height;
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_certificate c;
  cdn_transform hand, box;
  cdn_vec3 first = { 0, 0, 0 };
  options.contact = CDN_MODEL_COMPLIANT;
  OK(cdn_model_load(path, &options, &model));
  OK(cdn_model_get_actuator(model, cdn_model_find_actuator(model, "grip"), &grip));
  OK(cdn_model_get_actuator(model, cdn_model_find_actuator(model, "height"), &height));
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_control_set(state, grip.control, 80));
  def.method = CDN_METHOD_IMPLICIT_CONTACT, def.accuracy = 1e-3;
  OK(cdn_stepper_create(state, &def, &stepper));
  cdn_state *now = cdn_stepper_state(stepper);
  for (int i = 1; i <= 100; i++) {
    const double s = fmin(fmax(0.01 * i - 0.5, 0), 0.5) / 0.5;
    OK_ON(now, cdn_control_set(now, height.control, 0.15 * s * s * (3 - 2 * s)));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01 * i, NULL));
  }
  OK_STEP(stepper, cdn_stepper_advance(stepper, 3, NULL));
  double moved = 0, open = 0;
  for (int minute = 0; minute <= 60; minute++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 3 + 60 * minute, NULL));
    OK_ON(now, cdn_body_pose(now, cdn_model_find_body(model, "left_finger"), &hand));
    OK_ON(now, cdn_body_pose(now, cdn_model_find_body(model, "box"), &box));
    const cdn_vec3 place = cdn_transform_point(cdn_transform_invert(hand), box.p);
    if (minute == 0) first = place;
    moved = fmax(moved, cdn_norm(cdn_sub(place, first)));
    const double *error = cdn_state_qerr(now);
    for (int k = 0; k < cdn_system_nqerr(cdn_model_system(model)); k++) open = fmax(open, fabs(error[k]));
  }
  OK(cdn_stepper_certificate(stepper, &c));
  if (getenv("CARDAN_TEST_SHOW"))
    printf("gripper: the box moved by %.1e m in an hour, loops are open by %.1e m, %d steps\n", moved, open,
           (int)c.steps);
  ck_assert_double_gt(box.p.z, 0.1); /* it was lifted */
  AT_MOST(moved, 1e-6);
  AT_MOST(open, 1e-6); /* constraints are kept to a tenth of the accuracy at most; these are far below it */
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_million_kilograms_rest_on_one);
  tcase_add_test(c, what_sticks_does_not_creep);
  tcase_add_test(c, a_tower_stands);
  tcase_add_test(c, a_gripper_holds_a_box);
}
CHECK_MAIN_OF("convex rest", 240, add)
