/* Heaps of free boxes and of folding ones (two boxes on a hinge, a ball joint or a slider): many bodies that touch each
 * other are one island. Newton's method factors it once, and then what has changed. Accelerations that do not follow
 * from the forces would leave a gradient. */
#include "../testing.h"
#include "random_tree.h"

static const double STEP = 1.0 / 512;
enum { BODIES = 24, STEPS = 240, LOOK = 4 };

static cdn_body add_box(cdn_system *s, cdn_body parent, cdn_mobilizer mobilizer, const double *q0, double mass) {
  cdn_body_def b = cdn_default_body_def();
  b.parent = parent, b.mobilizer = mobilizer, b.q0 = q0;
  b.mass.mass = mass, b.mass.inertia = (cdn_inertia){ 0.007 * mass, 0.007 * mass, 0.007 * mass, 0, 0, 0 };
  if (parent.i > 0) b.X_PF.p = cdn_v3(0.11, 0, 0), b.X_BM.p = cdn_v3(-0.11, 0, 0);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(s, &b);
  shape.geometry.kind = CDN_GEOMETRY_BOX;
  for (int k = 0; k < 3; k++) shape.geometry.size[k] = 0.1;
  cdn_system_add_shape(s, &shape);
  return shape.body;
}

static cdn_state *heap(cdn_soft_kind cone) {
  static const cdn_mobilizer joints[] = { CDN_PIN, CDN_BALL, CDN_SLIDER };
  cdn_system *s = cdn_system_create(NULL);
  cdn_state *state;
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.cone = cone, soft.tolerance = 1e-9;
  cdn_system_set_soft(s, &soft);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, 0, -9.81));
  cdn_shape_def floor = cdn_default_shape_def();
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &floor);
  rng r = rng_of(5);
  for (int i = 0; i < BODIES; i++) {
    double q0[7] = { 1, 0, 0, 0, 0.3 * (i % 3), 0.3 * (i / 3 % 3), 0.25 + 0.4 * (double)(i / 9) };
    for (int k = 1; k < 4; k++) q0[k] = uniform(&r, -0.5, 0.5);
    const cdn_body base = add_box(s, (cdn_body){ 0 }, CDN_FREE, q0, 1 + (double)(i % 4));
    if (i % 4 == 0) add_box(s, base, joints[i / 4 % 3], NULL, 2);
  }
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

START_TEST(heaps_are_solved) {
  cdn_state *state = heap(_i ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_soft_statistics s;
  int most = 0, fewest = BODIES;
  def.method = CDN_METHOD_MUJOCO_EULER, def.fixed_step = STEP;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int k = LOOK; k <= STEPS; k += LOOK) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, k * STEP, NULL));
    OK(cdn_soft_get_statistics(cdn_stepper_state(stepper), &s));
    ck_assert_msg(s.residual <= 1e-9, "step %d: residual %g after %d iterations", k, s.residual, s.most_iterations);
    if (s.most_iterations > most) most = s.most_iterations;
    if (s.islands > 0 && s.islands < fewest) fewest = s.islands;
  }
  ck_assert_int_ge(most, 4);
  ck_assert_int_le(fewest, BODIES / 3);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, heaps_are_solved, 0, 2); }
CHECK_MAIN_OF("soft heaps", 60, add)
