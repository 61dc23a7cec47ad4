/* Assembly with shapes that touch rigidly: what is within something else is put on its surface, or refused by names. */
#include "hybrid_scenes.h"

/* A ball of radius 0.1 that is within the floor, a box that is aslant in it, two balls in each other and the floor, a
 * box that lies too deep. All are put on their surfaces; a ball between walls that are too near is refused by names. */
typedef enum inside { BALL_IN_FLOOR, BOX_ASLANT, TWO_BALLS, BOX_TOO_DEEP, BETWEEN_WALLS } inside;

static cdn_body add_shape_of(cdn_system *system, const char *name, cdn_geometry_kind kind) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 2, { 0, 0, 0 }, { 0.01, 0.01, 0.01, 0, 0, 0 } };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(system, &d), shape.name = name;
  shape.geometry = (cdn_geometry){ .kind = kind, .size = { 0.1, 0.1, 0.1 } };
  cdn_system_add_shape(system, &shape);
  return shape.body;
}

static cdn_state *shapes_inside(inside which) {
  const bool box = which == BOX_ASLANT || which == BOX_TOO_DEEP;
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "floor", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.name = "roof", shape.X_BS.R = (cdn_rotation){ { 1, 0, 0 }, { 0, -1, 0 }, { 0, 0, -1 } }, shape.X_BS.p.z = 0.15;
  if (which == BETWEEN_WALLS) cdn_system_add_shape(system, &shape);
  add_shape_of(system, "thing", box ? CDN_GEOMETRY_BOX : CDN_GEOMETRY_SPHERE);
  if (which == TWO_BALLS) add_shape_of(system, "other", CDN_GEOMETRY_SPHERE);
  double q[14] = { 1, 0, 0, 0, 0, 0, box ? 0.095 : 0.09, 1, 0, 0, 0, 0.02, 0, 0.2 };
  if (which == BOX_ASLANT) q[1] = 0.02, q[2] = -0.01;
  return hybrid_state(system, q, NULL);
}

START_TEST(an_assembly_sees_shapes) {
  const inside which = (inside)_i;
  cdn_state *state = shapes_inside(which);
  cdn_assembly *a = NULL;
  cdn_assembly_report report;
  OK_ON(state, cdn_assembly_create(cdn_state_system(state), NULL, &a));
  const cdn_status status = cdn_assemble(a, state, &report);
  if (which == BETWEEN_WALLS) {
    ck_assert_int_eq(status, CDN_ERR_CONSTRAINT);
    ck_assert_msg(strstr(cdn_last_error_text(), "- thing'") != NULL, "%s", cdn_last_error_text());
  } else {
    OK_ON(state, status);
    const double *q = cdn_state_q(state);
    NEAR(q[6], which == BOX_ASLANT ? q[6] : 0.1, 1e-10);
    if (which == TWO_BALLS) NEAR(sqrt(pow(q[11] - q[4], 2) + pow(q[12] - q[5], 2) + pow(q[13] - q[6], 2)), 0.2, 1e-10);
    for (int i = 0; i < cdn_system_one_sided_count(cdn_state_system(state)); i++) {
      if (cdn_one_sided_is_free(state, (cdn_one_sided){ i })) continue;
      double gap;
      OK_ON(state, cdn_one_sided_gap(state, (cdn_one_sided){ i }, &gap));
      AT_MOST(-gap, 1e-10);
    }
  }
  cdn_assembly_destroy(a);
  cdn_state_destroy(state);
}
END_TEST

/* The distance of the first two shapes. */
static double distance_in(cdn_state *state) {
  cdn_proximity near;
  OK_ON(state, cdn_shapes_distance(state, (cdn_shape){ 0 }, (cdn_shape){ 1 }, &near));
  return near.distance;
}

/* Two boxes turned anyhow, whose edges, corners and faces are in each other by up to 0.04 m. A run that begins so is
 * refused with their names, or puts what is not deep on its surface; an assembly parts them, and then a run begins. */
START_TEST(boxes_in_each_other_are_parted) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  add_shape_of(system, "box", CDN_GEOMETRY_BOX), add_shape_of(system, "other", CDN_GEOMETRY_BOX);
  const double i = _i;
  double q[14] = { 1, sin(i), cos(2 * i), sin(3 * i), 0, 0, 0, 1, cos(5 * i), sin(7 * i), cos(11 * i), 0, 0, 0.22 };
  for (int k = 0; k < 14; k += 7) {
    const double size = sqrt(q[k] * q[k] + q[k + 1] * q[k + 1] + q[k + 2] * q[k + 2] + q[k + 3] * q[k + 3]);
    for (int j = k; j < k + 4; j++) q[j] /= size;
  }
  cdn_state *state = hybrid_state(system, q, NULL);
  const double before = distance_in(state);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *run;
  if (before < -0.01) {
    OK_ON(state, cdn_stepper_create(state, &def, &run));
    ck_assert_int_ne(cdn_stepper_advance(run, 0.1, NULL), CDN_OK);
    ck_assert_msg(strstr(cdn_last_error_text(), "shapes 'box - other' overlap by"), "%s", cdn_last_error_text());
    cdn_stepper_destroy(run);
  }
  cdn_assembly *a;
  OK_ON(state, cdn_assembly_create(cdn_state_system(state), NULL, &a));
  OK_ON(state, cdn_assemble(a, state, NULL));
  cdn_assembly_destroy(a);
  AT_MOST(-distance_in(state), 1e-8);
  AT_MOST(distance_in(state), fmax(before, 0.05)); /* features beside the nearest ones may be parted first */
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, 0.1, NULL));
  AT_MOST(-distance_in(cdn_stepper_state(run)), 1e-7);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, an_assembly_sees_shapes, 0, 5);
  tcase_add_loop_test(c, boxes_in_each_other_are_parted, 0, 40);
}

CHECK_MAIN_OF("hybrid assembly", 20, add)
