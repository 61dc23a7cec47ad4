/* Odd specs: whatever a program puts into one, building it either works or fails with a message, and memory that runs
 * out at any call leaves nothing behind. */
#include "counting_allocator.h"

#include <stdio.h>

static uint32_t seed;
static int draw(int n) {
  seed = seed * 1664525u + 1013904223u;
  return (int)((seed >> 8) % (uint32_t)n);
}

/* Mostly sensible; one in `odd` is not. */
static double draw_number(double usual, int odd) {
  static const double numbers[] = { NAN, INFINITY, -INFINITY, -1, 0, 1e300, -1e300, 1e-300 };
  return draw(odd) ? usual : numbers[draw(8)];
}

static const char *draw_name(const char *stem) {
  static char names[8][16];
  static int next;
  char *name = names[next++ % 8];
  if (draw(12) == 0) return draw(2) ? NULL : "Ground";
  snprintf(name, sizeof names[0], "%s%d", stem, draw(6));
  return name;
}

static cdn_transform draw_frame(void) {
  cdn_transform X = cdn_transform_identity();
  if (draw(2)) X.R = cdn_rotation_axis_angle(cdn_v3(1, draw(3), -1), draw(7));
  X.p = cdn_v3(draw_number(1, 60), draw(3) - 1, 0);
  if (draw(80) == 0) memset(&X.R, 0, sizeof X.R);
  return X;
}

static cdn_status no_pose(const void *self, const double *params, const double *q, cdn_transform *X, cdn_spatial *H) {
  (void)self, (void)params, (void)q;
  *X = cdn_transform_identity();
  H[0].w = cdn_v3(0, 0, 1);
  return CDN_OK;
}

static void draw_joint(cdn_spec *spec) {
  static const cdn_custom_mobilizer_ops ops = { .struct_size = sizeof ops, .nq = 1, .nu = 1, .across = no_pose };
  static const cdn_custom_mobilizer_ops wild = { .struct_size = sizeof wild, .nq = 100, .nu = -3, .across = no_pose };
  static cdn_function_mobilizer functions;
  functions = cdn_default_function_mobilizer();
  functions.nu = draw(20) ? 1 : 77;
  cdn_spec_joint j = cdn_default_spec_joint();
  j.name = draw(3) ? NULL : draw_name("j"), j.parent = draw_name("b"), j.child = draw_name("b");
  j.kind = draw(50) ? (cdn_mobilizer)draw(CDN_MOBILIZER_COUNT) : (cdn_mobilizer)(draw(3) * 50 - 1);
  j.reversed = draw(5) == 0, j.euler = draw(20) == 0;
  j.X_PF = draw_frame(), j.X_CM = draw_frame(), j.X_FM_rest = draw_frame();
  for (int i = 0; i < CDN_MOBILIZER_PARAMS; i++) j.params[i] = draw_number(1, 60);
  if (draw(2)) j.functions = &functions;
  if (draw(2)) j.custom = draw(5) ? &ops : &wild;
  for (int i = 0; i < 7; i++) j.q0[i] = draw_number(0.1, 100);
  if (draw(5) == 0) j.armature = draw_number(0.1, 8);
  if (draw(5) == 0) j.damping = draw_number(0.1, 8);
  if (draw(8) == 0) j.stiffness = draw_number(0.1, 8);
  if (draw(8) == 0) j.limited = true, j.lower = draw_number(-1, 8), j.upper = draw_number(1, 8);
  if (draw(20) == 0) j.limit_timeconst = draw_number(0.1, 2);
  j.weight = draw_number(1 + draw(2), 60);
  j.cut = draw(60) ? (cdn_spec_cut)draw(3) : (cdn_spec_cut)99;
  j.lock = draw(20) ? CDN_LEVEL_NONE : (cdn_motion_level)draw(6);
  (void)!cdn_spec_add_joint(spec, &j, NULL);
}

static void draw_rest(cdn_spec *spec) {
  cdn_spec_constraint c = cdn_default_spec_constraint();
  c.name = draw_name("c"), c.kind = (cdn_spec_constraint_kind)draw(4);
  c.body_a = draw_name("b"), c.body_b = draw_name("b"), c.X_A = draw_frame(), c.X_B = draw_frame();
  c.joint_y = draw(4) ? "joint0" : draw_name("j"), c.joint_x = draw(4) ? "joint1" : draw_name("j");
  c.c[0] = draw_number(0, 20);
  if (draw(4) == 0) (void)!cdn_spec_add_constraint(spec, &c, NULL);
  cdn_spec_sensor s = cdn_default_spec_sensor();
  s.kind = (cdn_sensor_kind)draw(CDN_SENSOR_KIND_COUNT + 2), s.joint = draw(2) ? "joint0" : draw_name("j"),
  s.body = draw_name("b");
  s.X_BS = draw_frame(), s.has_reference = draw(3) == 0, s.reference = draw_name("b"), s.cutoff = draw_number(0, 10);
  if (draw(4) == 0) (void)!cdn_spec_add_sensor(spec, &s, NULL);
  cdn_spec_actuator a = cdn_default_spec_actuator();
  a.name = draw(3) ? "a0" : "a1", a.joint = draw(4) ? "joint0" : draw(2) ? draw_name("j") : NULL;
  a.body = draw_name("b"), a.X_BS = draw_frame(), a.in_parent = draw(2), a.gear[draw(6)] = draw_number(2, 30);
  a.gain[draw(3)] = draw_number(2, 30), a.bias[draw(3)] = draw_number(2, 30);
  a.dynamics = (cdn_actuator_dynamics)(draw(30) ? draw(3) : 7), a.time_constant = draw_number(0.1, 30);
  a.force_lower = draw(3) ? -INFINITY : draw_number(-1, 30), a.control_upper = draw_number(1, 30);
  a.activation_upper = draw_number(1, 30);
  for (int i = draw(3); i-- > 0;) (void)!cdn_spec_add_actuator(spec, &a, NULL);
  const double q[30] = { 1 };
  cdn_spec_key key = cdn_default_spec_key();
  key.name = "k", key.q = q, key.nq = draw(30), key.u = q, key.nu = draw(30);
  key.controls = q, key.activations = q, key.n_actuators = draw(3);
  if (draw(6) == 0) (void)!cdn_spec_add_key(spec, &key, NULL);
  if (draw(3)) (void)!cdn_spec_set_gravity(spec, cdn_v3(0, draw_number(0, 20), -9.81));
}

static cdn_spec *draw_spec(void) {
  cdn_spec *spec;
  OK(cdn_spec_create(NULL, &spec));
  const int n = draw(7), m = draw(9);
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", draw(20) ? i : 0);
    cdn_spec_body body = cdn_default_spec_body();
    const double I = draw_number(1, 60);
    body.name = name;
    if (draw(6))
      body.mass = (cdn_mass_properties){ draw_number(1, 60), { draw_number(0.1, 90), 0, 0 }, { 1, I, 1, 0, 0, 0 } };
    body.must_be_base = draw(10) == 0, body.intermediate = draw(10) == 0, body.allow_improper = draw(3) == 0;
    (void)!cdn_spec_add_body(spec, &body, NULL);
  }
  for (int i = 0; i < m; i++) draw_joint(spec);
  draw_rest(spec);
  return spec;
}

static int built;

static void try_it(const cdn_spec *spec) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model;
  cdn_error error;
  cdn_model_options options = cdn_default_model_options();
  options.armature = draw(10) ? 0 : draw_number(0.1, 3);
  options.tree_only = draw(6) == 0;
  const cdn_status status = cdn_model_build(spec, &options, system, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == error.code && (status == CDN_OK || error.text[0]), "seed %u: %d is told as %d: %s", seed,
                status, error.code, error.text);
  const cdn_status frozen = cdn_system_freeze(system);
  ck_assert_msg(status == CDN_OK || frozen != CDN_OK, "seed %u: a System froze after '%s'", seed, error.text);
  if (frozen == CDN_OK) {
    cdn_state *state;
    built++;
    OK(cdn_state_create(system, &state));
    (void)!cdn_realize(state, CDN_STAGE_REPORT);
    for (int i = -1; i <= cdn_model_joint_count(model); i++) (void)cdn_model_get_joint(model, i);
    if (cdn_model_key_count(model)) (void)!cdn_model_set_key(model, "k", state);
    cdn_state_destroy(state);
  }
  cdn_model_destroy(model);
  cdn_system_release(system);
}

START_TEST(test_odd_specs) {
  built = 0;
  for (uint32_t i = 1; i <= 20000; i++) {
    seed = i * 2654435761u;
    cdn_spec *spec = draw_spec(), *copy;
    cdn_spec_tree *tree;
    cdn_error error;
    if (cdn_spec_make_tree(spec, &tree) != CDN_OK) {
      cdn_spec_last_error(spec, &error);
      ck_assert_msg(error.code != CDN_OK && error.text[0], "spec %u: no message", i);
    }
    cdn_spec_tree_destroy(tree);
    OK(cdn_spec_copy(spec, &copy));
    cdn_spec_destroy(spec);
    try_it(copy);
    cdn_spec_destroy(copy);
  }
  ck_assert_msg(built > 300, "only %d were built", built); /* or the test looks at nothing but mistakes */
}
END_TEST

/* ---- memory ---------------------------------------------------------------------------------- */

static cdn_status make_and_build(cdn_allocator allocator) {
  cdn_spec_def def = cdn_default_spec_def();
  cdn_system_def system_def = cdn_default_system_def();
  cdn_model_options options = cdn_default_model_options();
  cdn_spec *spec, *copy = NULL;
  cdn_spec_tree *tree = NULL;
  cdn_model *model = NULL;
  const double q[5] = { 0.1, 0.2 };
  def.allocator = system_def.allocator = options.allocator = allocator;
  cdn_status status = cdn_spec_create(&def, &spec);
  if (status != CDN_OK) return status;
  cdn_spec_body body = cdn_default_spec_body();
  body.mass = (cdn_mass_properties){ 1, { 0, 0, 0.5 }, { 1, 1, 1, 0, 0, 0 } };
  for (int i = 0; i < 3 && status == CDN_OK; i++) status = cdn_spec_add_body(spec, &body, NULL);
  static const char *const ends[][2] = {
    { NULL, "body0" }, { "body0", "body1" }, { "body1", "body2" }, { "body2", NULL }
  };
  const cdn_custom_mobilizer_ops ops = {
    .struct_size = sizeof ops, .name = "own", .self_size = sizeof q[0], .nq = 1, .nu = 1, .across = no_pose
  };
  for (int i = 0; i < 4 && status == CDN_OK; i++) {
    cdn_spec_joint joint = cdn_default_spec_joint();
    joint.parent = ends[i][0], joint.child = ends[i][1], joint.kind = CDN_PIN;
    joint.limited = i == 0, joint.lower = -1, joint.upper = 1, joint.damping = 0.1;
    if (i == 1) joint.kind = CDN_CUSTOM_MOBILIZER, joint.custom = &ops, joint.custom_self = q;
    status = cdn_spec_add_joint(spec, &joint, NULL);
  }
  cdn_spec_key key = cdn_default_spec_key();
  key.name = "k", key.q = q, key.nq = 2;
  if (status == CDN_OK) status = cdn_spec_add_key(spec, &key, NULL);
  cdn_spec_sensor sensor = cdn_default_spec_sensor();
  sensor.kind = CDN_SENSOR_GYRO, sensor.body = "body1";
  if (status == CDN_OK) status = cdn_spec_add_sensor(spec, &sensor, NULL);
  cdn_spec_actuator actuator = cdn_default_spec_actuator();
  actuator.name = "motor", actuator.body = "body1", actuator.dynamics = CDN_ACTUATOR_FILTER;
  if (status == CDN_OK) status = cdn_spec_add_actuator(spec, &actuator, NULL);
  if (status == CDN_OK) status = cdn_spec_make_tree(spec, &tree);
  if (status == CDN_OK) status = cdn_spec_copy(spec, &copy);
  cdn_system *system = status == CDN_OK ? cdn_system_create(&system_def) : NULL;
  if (status == CDN_OK && !system) status = CDN_ERR_NOMEM;
  if (status == CDN_OK) status = cdn_model_build(copy, &options, system, &model);
  if (status == CDN_OK) status = cdn_system_freeze(system);
  cdn_model_destroy(model);
  cdn_system_release(system);
  cdn_spec_tree_destroy(tree);
  cdn_spec_destroy(copy);
  cdn_spec_destroy(spec);
  return status;
}

START_TEST(test_memory_runs_out_anywhere) {
  for (int after = 0; after < 2; after++) {
    counting_allocator c = { .calls = 0 };
    OK(make_and_build(allocator_of(&c)));
    const int64_t calls = c.calls;
    ck_assert(c.outstanding == 0 && c.misuse == 0 && calls > 50);
    for (int64_t k = 1; k <= calls; k++) {
      c = (counting_allocator){ .fail_at = k, .fail_after = after };
      const cdn_status status = make_and_build(allocator_of(&c));
      ck_assert_msg(status == CDN_ERR_NOMEM, "call %d: %s", (int)k, cdn_status_name(status));
      ck_assert_msg(c.outstanding == 0 && c.misuse == 0, "call %d: %d blocks left", (int)k, (int)c.outstanding);
    }
  }
}
END_TEST

CHECK_MAIN("spec_odd", test_odd_specs, test_memory_runs_out_anywhere)
