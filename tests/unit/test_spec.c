/* Models as data: elements are copied when they are added, found by name, changed, removed and copied; any kind of
 * mobilizer that a spec holds becomes what the System would make of it. */
#include "testing.h"

#include <stdio.h>

static cdn_spec *spec;

static void begin(void) { OK(cdn_spec_create(NULL, &spec)); }
static void end(void) { cdn_spec_destroy(spec); }

static int add_body(const char *name, double mass) {
  cdn_spec_body body = cdn_default_spec_body();
  int index = -1;
  body.name = name;
  body.mass = (cdn_mass_properties){ mass, { 0.1, 0, 0 }, { mass, mass, mass, 0, 0, 0 } };
  OK(cdn_spec_add_body(spec, &body, &index));
  return index;
}

static int add_joint(const char *name, cdn_mobilizer kind, const char *parent, const char *child) {
  cdn_spec_joint joint = cdn_default_spec_joint();
  int index = -1;
  joint.name = name, joint.kind = kind, joint.parent = parent, joint.child = child;
  OK(cdn_spec_add_joint(spec, &joint, &index));
  return index;
}

START_TEST(test_elements_are_copied) {
  begin();
  char text[8] = "arm";
  ck_assert_int_eq(add_body(text, 2), 0);
  memcpy(text, "xyz", 4);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "arm"), 0);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "xyz"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_JOINT, "arm"), -1);
  double q[2] = { 1, 2 }, controls[3] = { 3, 4, 5 };
  cdn_spec_key key = cdn_default_spec_key();
  key.name = "k", key.q = q, key.nq = 2, key.time = 4;
  key.controls = controls, key.n_actuators = 3;
  OK(cdn_spec_add_key(spec, &key, NULL));
  q[0] = controls[2] = 9;
  OK(cdn_spec_get_key(spec, 0, &key));
  ck_assert(key.q[0] == 1 && key.q[1] == 2 && key.nq == 2 && key.nu == 0 && !key.u && key.time == 4);
  ck_assert(key.n_actuators == 3 && key.controls[2] == 5 && !key.activations);
  end();
}
END_TEST

START_TEST(test_elements_are_changed_and_removed) {
  begin();
  add_body("a", 1);
  add_body("b", 2);
  add_body("c", 3);
  cdn_spec_body body;
  OK(cdn_spec_get_body(spec, 1, &body));
  ck_assert(body.struct_size == sizeof body && body.mass.mass == 2);
  body.name = "bb", body.mass.mass = 5; /* what was got can be set, with texts that belong to the spec */
  OK(cdn_spec_set_body(spec, 1, &body));
  OK(cdn_spec_get_body(spec, 1, &body));
  OK(cdn_spec_set_body(spec, 1, &body));
  OK(cdn_spec_get_body(spec, 1, &body));
  ck_assert_str_eq(body.name, "bb");
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_BODY), 3);
  OK(cdn_spec_remove(spec, CDN_SPEC_BODY, 0));
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_BODY), 2);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "bb"), 0);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "c"), 1);
  FAILS(cdn_spec_get_body(spec, 2, &body), CDN_ERR_ARG);
  FAILS(cdn_spec_set_body(spec, -1, &body), CDN_ERR_ARG);
  FAILS(cdn_spec_remove(spec, CDN_SPEC_BODY, 2), CDN_ERR_ARG);
  FAILS(cdn_spec_remove(spec, CDN_SPEC_KIND_COUNT, 0), CDN_ERR_ARG);
  FAILS(cdn_spec_add_body(spec, &(cdn_spec_body){ 0 }, NULL), CDN_ERR_VERSION);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, "cdn_default_spec_body"), "%s", error.text);
  ck_assert_str_eq(error.function, "cdn_spec_add_body");
  end();
}
END_TEST

/* Adding an element that is one of the spec's own. */
START_TEST(test_elements_may_be_added_from_the_spec_itself) {
  begin();
  add_body("a", 1);
  for (int i = 0; i < 40; i++) {
    cdn_spec_body body;
    OK(cdn_spec_get_body(spec, 0, &body));
    OK(cdn_spec_add_body(spec, &body, NULL));
  }
  cdn_spec_body body;
  OK(cdn_spec_get_body(spec, 40, &body));
  ck_assert_str_eq(body.name, "a");
  end();
}
END_TEST

START_TEST(test_names_are_made_up) {
  begin();
  add_body("body1", 1);
  add_body(NULL, 1); /* would be body1 */
  add_body("", 1);
  cdn_spec_body body;
  OK(cdn_spec_get_body(spec, 1, &body));
  ck_assert_str_eq(body.name, "body1_");
  OK(cdn_spec_get_body(spec, 2, &body));
  ck_assert_str_eq(body.name, "body2");
  end();
}
END_TEST

START_TEST(test_numbers_of_keys_and_gravity_are_finite) {
  begin();
  const double bad[2] = { 0, NAN };
  cdn_spec_key key = cdn_default_spec_key();
  key.q = bad, key.nq = 2;
  FAILS(cdn_spec_add_key(spec, &key, NULL), CDN_ERR_NONFINITE);
  key.q = NULL, key.activations = bad, key.n_actuators = 2;
  FAILS(cdn_spec_add_key(spec, &key, NULL), CDN_ERR_NONFINITE);
  key.n_actuators = -1;
  FAILS(cdn_spec_add_key(spec, &key, NULL), CDN_ERR_ARG);
  key.q = bad, key.activations = NULL, key.nq = -1;
  FAILS(cdn_spec_add_key(spec, &key, NULL), CDN_ERR_ARG);
  FAILS(cdn_spec_set_gravity(spec, cdn_v3(0, INFINITY, 0)), CDN_ERR_NONFINITE);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_KEY), 0);
  end();
}
END_TEST

/* ---- copies ---------------------------------------------------------------------------------- */

static cdn_status turn(const void *self, const double *params, const double *q, cdn_transform *X, cdn_spatial *H) {
  (void)params;
  *X = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(0, 0, 1), q[0]), { *(const double *)self, 0, 0 } };
  H[0].w = cdn_v3(0, 0, 1);
  return CDN_OK;
}

static int destroyed;
static void count_destroyed(void *self) {
  (void)self;
  destroyed++;
}

START_TEST(test_a_copy_is_whole) {
  begin();
  OK(cdn_spec_set_name(spec, "one"));
  OK(cdn_spec_set_gravity(spec, cdn_v3(1, 2, 3)));
  add_body("a", 1);
  double offset = 7;
  const cdn_custom_mobilizer_ops ops = {
    .struct_size = sizeof ops, .name = "own", .self_size = sizeof offset, .nq = 1, .nu = 1, .across = turn
  };
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  functions.nu = 1;
  cdn_function *f = cdn_function_linear(1, (const double[]){ 2 }, 0);
  functions.function[2] = f;
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.kind = CDN_CUSTOM_MOBILIZER, joint.custom = &ops, joint.custom_self = &offset, joint.child = "a";
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  joint = cdn_default_spec_joint();
  joint.kind = CDN_FUNCTION_BASED, joint.functions = &functions, joint.name = "f", joint.parent = "a";
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  cdn_function_release(f); /* the spec has retained it */
  cdn_spec_shape shape = cdn_default_spec_shape();
  shape.body = "a", shape.asset = "mesh", shape.material = "steel", shape.type = CDN_SHAPE_MESH;
  OK(cdn_spec_add_shape(spec, &shape, NULL));
  cdn_spec_asset asset = cdn_default_spec_asset();
  asset.name = "mesh", asset.file = "a.stl", asset.texture = "t";
  OK(cdn_spec_add_asset(spec, &asset, NULL));
  cdn_spec_constraint c = cdn_default_spec_constraint();
  c.name = "c", c.body_a = "a", c.joint_y = "y", c.joint_x = "x";
  OK(cdn_spec_add_constraint(spec, &c, NULL));
  cdn_spec *copy;
  OK(cdn_spec_copy(spec, &copy));
  end();
  cdn_vec3 g;
  OK(cdn_spec_get_gravity(copy, &g));
  ck_assert(g.x == 1 && g.y == 2 && g.z == 3);
  ck_assert_str_eq(cdn_spec_name(copy), "one");
  OK(cdn_spec_get_joint(copy, 0, &joint));
  ck_assert(*(const double *)joint.custom_self == 7 && joint.custom->across == turn);
  ck_assert_str_eq(joint.custom->name, "own");
  ck_assert(joint.child != NULL && joint.parent == NULL);
  OK(cdn_spec_get_joint(copy, 1, &joint));
  ck_assert_int_eq(joint.functions->nu, 1);
  OK(cdn_function_calc(joint.functions->function[2], (const double[]){ 3 }, 0, &(cdn_function_result){ .value = 0 }));
  OK(cdn_spec_get_shape(copy, 0, &shape));
  ck_assert_str_eq(shape.asset, "mesh");
  ck_assert_str_eq(shape.material, "steel");
  OK(cdn_spec_get_asset(copy, 0, &asset));
  ck_assert_str_eq(asset.file, "a.stl");
  OK(cdn_spec_get_constraint(copy, 0, &c));
  ck_assert_str_eq(c.joint_x, "x");
  ck_assert_str_eq(c.joint_y, "y");
  ck_assert_ptr_null(c.body_b);
  cdn_spec_destroy(copy);
}
END_TEST

/* ---- what becomes of joints ------------------------------------------------------------------ */

static cdn_model *model;
static cdn_system *system_of_spec;
static cdn_state *state;

static void build(void) {
  system_of_spec = cdn_system_create(NULL);
  const cdn_status status = cdn_model_build(spec, NULL, system_of_spec, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  OK_FREEZE(system_of_spec);
  OK(cdn_state_create(system_of_spec, &state));
}

static void drop(void) {
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(system_of_spec);
  end();
}

static const cdn_transform X_PF = { { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }, { 0.3, -0.2, 0.5 } };
static const cdn_transform X_CM = { { { 1, 0, 0 }, { 0, 0, -1 }, { 0, 1, 0 } }, { -0.1, 0.4, 0.2 } };

/* Every kind, both ways round, is to the last bit what the System makes of the same def. */
START_TEST(test_all_kinds_of_mobilizers) {
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  functions.nu = 2;
  cdn_function *f = cdn_function_linear(1, (const double[]){ 2 }, 0.1);
  functions.function[1] = functions.function[4] = f;
  functions.input[4][0] = 1;
  const double offset = 0.25;
  const cdn_custom_mobilizer_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof offset, .nq = 1, .nu = 1, .across = turn, .destroy = count_destroyed
  };
  destroyed = 0;
  for (int kind = CDN_PIN; kind < CDN_MOBILIZER_COUNT; kind++) {
    for (int reversed = 0; reversed < 2; reversed++) {
      begin();
      add_body("b", 2);
      cdn_spec_joint joint = cdn_default_spec_joint();
      joint.name = "j", joint.child = "b", joint.kind = (cdn_mobilizer)kind, joint.reversed = reversed;
      joint.X_PF = X_PF, joint.X_CM = X_CM;
      joint.params[0] = 0.7, joint.params[1] = 0.6;
      joint.params[2] = kind == CDN_SPHERICAL_COORDS ? 1 : 0.5;
      joint.armature = 0.2;
      if (kind == CDN_FUNCTION_BASED) joint.functions = &functions;
      if (kind == CDN_CUSTOM_MOBILIZER) joint.custom = &ops, joint.custom_self = &offset;
      OK(cdn_spec_add_joint(spec, &joint, NULL));
      build();
      cdn_system *direct = cdn_system_create(NULL);
      cdn_body_def def = cdn_default_body_def();
      def.mobilizer = joint.kind, def.reversed = joint.reversed, def.X_PF = X_PF, def.X_BM = X_CM;
      memcpy(def.params, joint.params, sizeof def.params);
      def.armature = joint.armature, def.functions = joint.functions, def.custom = joint.custom;
      def.custom_self = joint.custom_self;
      def.mass = (cdn_mass_properties){ 2, { 0.1, 0, 0 }, { 2, 2, 2, 0, 0, 0 } };
      const cdn_body body = cdn_system_add_body(direct, &def);
      OK_FREEZE(direct);
      cdn_state *other;
      OK(cdn_state_create(direct, &other));
      const int nq = cdn_system_nq(direct), nu = cdn_system_nu(direct);
      ck_assert_int_eq(cdn_system_nq(system_of_spec), nq);
      double q[7], u[6] = { 0.3, -0.5, 0.2, 0.7, -0.1, 0.4 }, a[36], b[36];
      memcpy(q, cdn_state_q(other), sizeof(double) * (size_t)nq);
      ck_assert_int_eq(memcmp(q, cdn_state_q(state), sizeof(double) * (size_t)nq), 0);
      for (int i = 0; i < nq; i++) q[i] += 0.1 * (i + 1);
      cdn_state *both[2] = { state, other };
      for (int i = 0; i < 2; i++) {
        OK_ON(both[i], cdn_state_set_q(both[i], q));
        OK_ON(both[i], cdn_state_set_u(both[i], u));
      }
      cdn_transform X[2];
      OK_ON(state, cdn_body_pose(state, cdn_model_find_body(model, "b"), &X[0]));
      OK_ON(other, cdn_body_pose(other, body, &X[1]));
      ck_assert_msg(memcmp(&X[0], &X[1], sizeof X[0]) == 0, "%s: poses differ", cdn_mobilizer_name(joint.kind));
      OK_ON(state, cdn_calc_M(state, a));
      OK_ON(other, cdn_calc_M(other, b));
      ck_assert_int_eq(memcmp(a, b, sizeof(double) * (size_t)(nu * nu)), 0);
      const cdn_model_joint told = cdn_model_get_joint(model, 0);
      ck_assert_str_eq(told.kind, cdn_mobilizer_name(joint.kind));
      ck_assert(told.nq == nq && told.nu == nu && told.armature == 0.2);
      cdn_state_destroy(other);
      cdn_system_release(direct);
      drop();
    }
  }
  ck_assert_int_eq(destroyed, 4); /* each System once: two ways round, by spec and directly */
  cdn_function_release(f);
}
END_TEST

/* A limit needs the tree to be built on trial; what a custom mobilizer owns is destroyed for the System alone. */
START_TEST(test_trials_destroy_nothing) {
  begin();
  destroyed = 0;
  const double offset = 0.25;
  const cdn_custom_mobilizer_ops ops = {
    .struct_size = sizeof ops, .self_size = sizeof offset, .nq = 1, .nu = 1, .across = turn, .destroy = count_destroyed
  };
  add_body("b", 2);
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = "j", joint.child = "b", joint.kind = CDN_CUSTOM_MOBILIZER, joint.custom = &ops;
  joint.custom_self = &offset;
  joint.limited = true, joint.lower = -1, joint.upper = 1;
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  build();
  ck_assert_int_eq(destroyed, 0);
  const cdn_model_joint told = cdn_model_get_joint(model, cdn_model_find_joint(model, "j"));
  ck_assert(told.lower == -1 && told.upper == 1);
  drop();
  ck_assert_int_eq(destroyed, 1);
}
END_TEST

/* The spec changes, the model that was built of it does not. */
START_TEST(test_a_model_is_independent_of_its_spec) {
  begin();
  add_body("b", 2);
  add_joint("j", CDN_PIN, NULL, "b");
  build();
  OK(cdn_spec_remove(spec, CDN_SPEC_JOINT, 0));
  OK(cdn_spec_remove(spec, CDN_SPEC_BODY, 0));
  ck_assert_str_eq(cdn_model_get_joint(model, 0).name, "j");
  ck_assert_int_eq(cdn_spec_count(cdn_model_spec(model), CDN_SPEC_BODY), 1);
  drop();
}
END_TEST

CHECK_MAIN("spec", test_elements_are_copied, test_elements_are_changed_and_removed,
           test_elements_may_be_added_from_the_spec_itself, test_names_are_made_up,
           test_numbers_of_keys_and_gravity_are_finite, test_a_copy_is_whole, test_all_kinds_of_mobilizers,
           test_trials_destroy_nothing, test_a_model_is_independent_of_its_spec)
