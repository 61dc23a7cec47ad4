/* Memory: every allocation may fail, all of it is given back, and a step after warm-up asks for none. */
#include "../property/constraint_samples.h"
#include "counting_allocator.h"

/* ---- a scenario that uses every kind of object ---------------------------------------------- */

typedef struct memory {
  cdn_zvar z;
  cdn_cache entry;
} memory;

static cdn_status calc_entry(const void *self, cdn_state *state, void *out) {
  *(double *)out = 2 * cdn_state_zvar(state, ((const memory *)self)->z)[0];
  return CDN_OK;
}

static cdn_status declare_memory(void *self, cdn_declarer *d) {
  memory *m = self;
  const double z0 = 1;
  m->z = cdn_declare_z(d, 1, &z0);
  m->entry = cdn_declare_cache(d, "entry", sizeof(double), calc_entry, 1, &m->z.ticket);
  cdn_declare_parameters(d, "unused", 3, NULL);
  cdn_declare_previous(d);
  return CDN_OK;
}

static cdn_status memory_zdot(const void *self, cdn_state *state, double *zdot) {
  const double *x = cdn_eval(state, ((const memory *)self)->entry);
  if (!x) return CDN_ERR_CALLBACK;
  zdot[0] = -*x;
  return CDN_OK;
}

/* Mobilizers of functions and of ops own memory of their own. */
static cdn_status across(const void *self, const double *params, const double *q, cdn_transform *X, cdn_spatial *H) {
  (void)params;
  X->p.y = *(const double *)self * q[0];
  H->v.y = *(const double *)self;
  return CDN_OK;
}

/* Only of a copy that was made, whatever failed after it. */
static void destroy(void *self) { ck_assert_double_eq(*(double *)self, 2); }

static cdn_status push(const void *self, const cdn_motion_input *in, double *udot) {
  udot[0] = *(const double *)self * sin(in->t) - in->u[in->first_u];
  return CDN_OK;
}

/* Motions of the library's and of the user's. */
static void add_motions(cdn_system *system, cdn_body a, cdn_body b) {
  static const cdn_motion_ops ops = {
    .struct_size = sizeof ops, .name = "push", .self_size = sizeof(double), .udot = push, .destroy = destroy
  };
  const double strength = 2;
  cdn_motion_def def = cdn_default_motion_def();
  def.name = "shake", def.body = a, def.params[0] = 0.1, def.params[1] = 3;
  cdn_system_add_motion(system, &def);
  def.name = NULL, def.body = b, def.kind = CDN_MOTION_CUSTOM, def.level = CDN_LEVEL_ACCELERATION;
  def.custom = &ops, def.custom_self = &strength;
  cdn_system_add_motion(system, &def);
}

static void add_described(cdn_system *system, cdn_body parent) {
  static const cdn_custom_mobilizer_ops ops = { .struct_size = sizeof ops,
                                                .name = "geared",
                                                .self_size = sizeof(double),
                                                .nq = 1,
                                                .nu = 1,
                                                .across = across,
                                                .destroy = destroy };
  const double gear = 2, one = 1;
  cdn_function_mobilizer functions = cdn_default_function_mobilizer();
  cdn_function *f = cdn_function_linear(1, &one, 0);
  ck_assert_ptr_nonnull(f);
  functions.function[4] = f;
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.parent = parent, body.mobilizer = CDN_FUNCTION_BASED, body.functions = &functions;
  parent = cdn_system_add_body(system, &body);
  cdn_function_release(f);
  body.parent = parent, body.mobilizer = CDN_CUSTOM_MOBILIZER, body.custom = &ops, body.custom_self = &gear;
  add_motions(system, parent, cdn_system_add_body(system, &body));
  body.parent = cdn_ground(), body.mobilizer = CDN_BUSHING, body.reversed = true;
  cdn_system_add_body(system, &body);
}

static cdn_status drawer_position(const void *self, cdn_state *state, double *value) {
  *value = *cdn_body_q(state, *(const cdn_body *)self) - 1e-3;
  return CDN_OK;
}

static cdn_status handle_event(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  double slower = 0.9 * *cdn_body_u(state, *(const cdn_body *)self);
  (void)what, (void)action;
  return cdn_body_set_u(state, *(const cdn_body *)self, 1, &slower);
}

static cdn_status measure_height(const void *self, cdn_state *state, int derivative, double *value) {
  cdn_transform X;
  (void)derivative;
  cdn_status status = cdn_body_pose(state, *(const cdn_body *)self, &X);
  *value = X.p.z;
  return status;
}

/* One of every kind. */
static void add_measures(cdn_system *system, cdn_body body) {
  const cdn_ticket pose[] = { CDN_POSE };
  const cdn_measure_ops ops = { .struct_size = sizeof ops,
                                .self_size = sizeof body,
                                .n = 1,
                                .stage = CDN_STAGE_POSITION,
                                .prerequisites = pose,
                                .n_prerequisites = 1,
                                .calc_value = measure_height };
  const double two[] = { 1, 2 };
  cdn_measure height = cdn_system_add_custom_measure(system, "height", &ops, &body);
  cdn_measure wave = cdn_system_add_sinusoid_measure(system, NULL, 1, 2, 3);
  const cdn_measure terms[] = { height, wave, cdn_system_add_time_measure(system, "t") };
  cdn_measure sum = cdn_system_add_sum_measure(system, NULL, 3, terms, NULL);
  cdn_measure product = cdn_system_add_product_measure(system, NULL, sum, wave);
  cdn_measure station = cdn_system_add_station_measure(system, "tip", body, cdn_v3(1, 0, 0), CDN_STATION_ACCELERATION);
  cdn_system_add_component_measure(system, NULL, station, 2);
  cdn_system_add_constant_measure(system, NULL, 2, two);
  cdn_system_add_variable_measure(system, NULL, 2, two);
  cdn_system_add_result_measure(system, "result", 2, CDN_STAGE_TIME, 1, &CDN_Z);
  cdn_system_add_slot_measure(system, NULL, CDN_UDOT, 1);
  cdn_system_add_coordinate_measure(system, NULL, body, CDN_Q, 0);
  cdn_system_add_energy_measure(system, "energy", CDN_ENERGY_TOTAL);
  cdn_system_add_integral_measure(system, "integral", product, NULL, 1);
  cdn_system_add_derivative_measure(system, "rate", station);
  cdn_system_add_extreme_measure(system, "extreme", station, CDN_MAX_ABS);
  cdn_delay_def delay = cdn_default_delay_def();
  delay.operand = height, delay.delay = 0.05, delay.capacity = 64;
  cdn_system_add_delay_measure(system, &delay);
  cdn_system_add_sample_hold_measure(system, "held", height, 0.03, 0.01, NULL);
  cdn_event_def event = cdn_default_event_def();
  event.handle = handle_event, event.self = &body, event.self_size = sizeof body;
  cdn_system_add_measure_event(system, height, 0, 0.1, &event);
}

static cdn_system *build(cdn_allocator allocator) {
  cdn_system_def def = cdn_default_system_def();
  def.name = "scenario";
  def.allocator = allocator;
  cdn_system *system = cdn_system_create(&def);
  if (!system) return NULL;
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.1, 0.2, 0.3 }, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.name = "base", body.mobilizer = CDN_FREE;
  cdn_body base = cdn_system_add_body(system, &body);
  body.name = NULL, body.parent = base, body.mobilizer = CDN_BALL;
  cdn_body arm = cdn_system_add_body(system, &body);
  body.name = "hand", body.parent = arm, body.mobilizer = CDN_PIN;
  body.X_PF.p = cdn_v3(0, 0, 1);
  cdn_body hand = cdn_system_add_body(system, &body);
  body.mobilizer = CDN_SLIDER, body.parent = base, body.name = "drawer";
  cdn_body drawer = cdn_system_add_body(system, &body);
  add_described(system, hand);
  cdn_force gravity = cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_system_exclude_from_gravity(system, gravity, hand);
  cdn_system_add_mobility_spring(system, NULL, hand, 0, 10, 0);
  cdn_system_add_mobility_damper(system, "damper", hand, 0, 0.1);
  cdn_system_add_mobility_stop(system, "stop", drawer, 0, -0.1, 0.1, 100, 0.1);
  cdn_system_add_mobility_friction(system, NULL, drawer, 0, 0.5, 100, 0.1);
  cdn_system_add_rotation_spring(system, NULL, arm, 5, cdn_rotation_identity());
  cdn_system_add_two_point_spring(system, "cord", base, cdn_v3(0, 0, 0), hand, cdn_v3(1, 0, 0), 20, 1);
  cdn_system_add_body_force(system, "push", base, cdn_v3(0, 0, 0), cdn_v3(0, 0, 5), cdn_v3(0, 0, 0));
  static const double six[] = { 1, 2, 3, 4, 5, 6 };
  cdn_system_add_linear_bushing(system, "rubber", base, cdn_transform_identity(), hand, cdn_transform_identity(), six,
                                six);
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "memory",
                                         .self_size = sizeof(memory),
                                         .declare = declare_memory,
                                         .calc_zdot = memory_zdot };
  cdn_event_def event = cdn_default_event_def();
  static const double times[] = { 0.01, 0.02 };
  event.name = "drawer", event.value = drawer_position, event.self = &drawer, event.self_size = sizeof drawer;
  event.handle = handle_event;
  cdn_system_add_event(system, &event);
  event.name = NULL, event.kind = CDN_EVENT_SCHEDULED, event.times = times, event.n_times = 2;
  cdn_system_add_event(system, &event);
  memory blank = { .z = { 0, { 0 } } };
  cdn_system_add_subsystem(system, &ops, &blank);
  add_measures(system, drawer);
  return system;
}

/* Builds, runs and asks; returns the first failure. Whatever happens, everything is released. */
static cdn_status run(cdn_allocator allocator) {
  cdn_state *state = NULL, *copy = NULL;
  cdn_stepper *stepper = NULL;
  double x[32], matrix[32 * 32], energy;
  cdn_system *system = build(allocator);
  if (!system) return CDN_ERR_NOMEM;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = cdn_state_create(system, &copy);
  if (status == CDN_OK) status = cdn_state_copy(copy, state);
  if (status == CDN_OK) status = cdn_realize(state, CDN_STAGE_REPORT);
  if (status == CDN_OK) status = cdn_calc_bias(state, x);
  if (status == CDN_OK) status = cdn_multiply_by_M_inv(state, cdn_state_u(state), x);
  if (status == CDN_OK) status = cdn_body_lock(copy, cdn_system_find_body(system, "hand"), CDN_LEVEL_POSITION);
  if (status == CDN_OK) status = cdn_calc_log_det_M_gradient(copy, x);
  if (status == CDN_OK) status = cdn_forward_dynamics_derivatives(copy, matrix, NULL, NULL, NULL);
  if (status == CDN_OK) status = cdn_motion_power(copy, &energy);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true;
  if (status == CDN_OK) status = cdn_stepper_create(copy, &def, &stepper);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, 0.1, NULL);
  if (status == CDN_OK) status = cdn_potential_energy(cdn_stepper_state(stepper), &energy);
  if (status == CDN_OK) status = cdn_stepper_restart(stepper, state);
  if (status == CDN_OK) status = cdn_stepper_step(stepper, 1);
  cdn_certificate certificate;
  if (status == CDN_OK) status = cdn_stepper_certificate(stepper, &certificate);
  cdn_buffer of_state = { 0 }, of_stepper = { 0 };
  cdn_stepper *loaded = NULL;
  if (status == CDN_OK) status = cdn_state_save(state, cdn_buffer_write, &of_state);
  if (status == CDN_OK) status = cdn_state_load(copy, cdn_buffer_read, &of_state);
  if (status == CDN_OK) status = cdn_stepper_save(stepper, cdn_buffer_write, &of_stepper);
  if (status == CDN_OK) status = cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &of_stepper, &loaded);
  if (status == CDN_OK) status = cdn_stepper_step(loaded, 2);
  cdn_buffer_free(&of_state);
  cdn_buffer_free(&of_stepper);
  cdn_stepper_destroy(loaded);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status;
}

/* A four-bar whose loop is closed by a ball, one equation of which is redundant. */
static cdn_system *build_loop(cdn_allocator allocator) {
  static const double q[3] = { 1, 1, -1 }, u[3] = { -1, -1, 1 };
  const cdn_vec3 tip = { 1, 0, 0 };
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator;
  cdn_system *system = cdn_system_create(&def);
  if (!system) return NULL;
  cdn_body_def body = cdn_default_body_def();
  cdn_body rod[3];
  body.mobilizer = CDN_PIN;
  body.mass = (cdn_mass_properties){ .mass = 1, .com = { 0.5, 0, 0 }, .inertia = { .yy = 0.1, .zz = 0.1 } };
  for (int i = 0; i < 3; i++) {
    body.q0 = &q[i], body.u0 = &u[i];
    body.X_PF.p = i ? tip : cdn_v3(0, 0, 0);
    if (i == 2) body.parent = rod[0];
    rod[i] = cdn_system_add_body(system, &body);
  }
  cdn_system_constrain_ball(system, "loop", rod[2], tip, rod[1], tip);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return system;
}

/* The same loop, on a floor that it hits, with soft contact: two of its bodies touch each other, too. */
static cdn_system *build_soft(cdn_allocator allocator) {
  cdn_system *system = build_loop(allocator);
  if (!system) return NULL;
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT, contact.parent_child = true;
  cdn_system_set_contact(system, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  shape.X_BS.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.5707963267948966); /* up is y */
  shape.X_BS.p.y = -0.5;
  cdn_system_add_shape(system, &shape);
  shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.6, shape.X_BS.p.x = 0.5;
  for (int i = 0; i < 3; i++) {
    shape.body.i = 1 + i;
    cdn_system_add_shape(system, &shape);
  }
  return system;
}

/* Runs it, and shows it within steps; a start that is a little off. */
static cdn_status run_system(cdn_system *system, double end) {
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_certificate certificate;
  if (!system) return CDN_ERR_NOMEM;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  const double q = 1.001;
  if (status == CDN_OK) status = cdn_body_set_q(state, (cdn_body){ 1 }, 1, &q);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_ADAMS;
  if (status == CDN_OK) status = cdn_stepper_create(state, &def, &stepper);
  for (int i = 1; i <= 20 && status == CDN_OK; i++) status = cdn_stepper_advance(stepper, end / 20 * i, NULL);
  if (status == CDN_OK) status = cdn_stepper_certificate(stepper, &certificate);
  if (status == CDN_OK) status = cdn_project_u(state, NULL, NULL);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status;
}

static cdn_status run_loop(cdn_allocator allocator) { return run_system(build_loop(allocator), 2); }
static cdn_status run_soft(cdn_allocator allocator) { return run_system(build_soft(allocator), 0.1); }

/* Fails the k-th allocation, for every k until one run needs fewer than k. */
static void fail_everywhere(cdn_status scenario(cdn_allocator), bool and_after) {
  for (int64_t k = 1;; k++) {
    counting_allocator c = { .fail_at = k, .fail_after = and_after };
    cdn_status status = scenario(allocator_of(&c));
    ck_assert_msg(c.outstanding == 0, "%ld blocks lost after failure at call %ld", (long)c.outstanding, (long)k);
    ck_assert_msg(c.misuse == 0, "%ld bad frees after failure at call %ld", (long)c.misuse, (long)k);
    if (c.calls < k) {
      ck_assert_int_eq(status, CDN_OK);
      ck_assert_int_gt(k, 10); /* the allocator was asked at all */
      return;
    }
    /* a workspace may do without; but whoever reports must call it what it is */
    must_say_no_memory(status, k);
  }
}

START_TEST(test_failure_at_every_call) { fail_everywhere(run, false); }
END_TEST
START_TEST(test_failure_from_every_call_on) { fail_everywhere(run, true); }
END_TEST
START_TEST(test_failure_in_a_run_with_a_loop) {
  fail_everywhere(run_loop, false);
  fail_everywhere(run_loop, true);
}
END_TEST
START_TEST(test_failure_in_a_run_with_soft_rows) {
  fail_everywhere(run_soft, false);
  fail_everywhere(run_soft, true);
}
END_TEST

START_TEST(test_error_of_a_failed_build) {
  /* the System that ran out of memory says so, and can still be asked and released */
  for (int64_t k = 2; k < 20; k++) {
    counting_allocator c = { .fail_at = k, .fail_after = true };
    cdn_error error;
    cdn_system *system = build(allocator_of(&c));
    if (!system) continue;
    FAILS(cdn_system_freeze(system), CDN_ERR_NOMEM);
    cdn_system_last_error(system, &error);
    ck_assert_int_eq(error.code, CDN_ERR_NOMEM);
    ck_assert_int_gt((int)strlen(error.text), 0);
    cdn_system_release(system);
    ck_assert_int_eq(c.outstanding, 0);
  }
}
END_TEST

/* ---- constraints of every kind, all at once ---- */

static cdn_status constrain(cdn_allocator allocator) {
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator;
  random_tree tree = { .system = cdn_system_create(&def), .bodies = 4 };
  if (!tree.system) return CDN_ERR_NOMEM;
  rng r = rng_of(5);
  cdn_body_def body = cdn_default_body_def();
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  body.mobilizer = CDN_FREE;
  for (int i = 0; i < tree.bodies; i++) cdn_system_add_body(tree.system, &body);
  const constraint_place place = constraint_place_on(&tree, &r);
  for (int i = 0; i < constraint_sample_count(); i++) constraint_sample_add(i, &place, &r);
  cdn_state *state = NULL;
  double x[64];
  cdn_status status = cdn_system_freeze(tree.system);
  if (status == CDN_OK) status = cdn_state_create(tree.system, &state);
  if (status == CDN_OK) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (status == CDN_OK) status = cdn_constraint_power(state, x);
  if (status == CDN_OK) status = cdn_constraint_forces(state, NULL, x);
  cdn_state_destroy(state);
  cdn_system_release(tree.system);
  return status;
}

START_TEST(test_constraints) {
  fail_everywhere(constrain, false);
  fail_everywhere(constrain, true);
}
END_TEST

/* ---- model files ---------------------------------------------------------------------------- */

static const char URDF[] =
    "<robot name='two'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 0.5'/><mass value='2'/>"
    "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='hinge' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='1' velocity='1'/><dynamics damping='0.1' friction='0.2'/></joint>"
    "<link name='hand'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>"
    "<joint name='wrist' type='continuous'><parent link='arm'/><child link='hand'/><mimic joint='hinge'/></joint>"
    "<transmission name='t' type='pr2_mechanism_model/SimpleTransmission'><joint name='hinge'/><actuator name='m'/>"
    "<mechanicalReduction>3</mechanicalReduction></transmission></robot>";

static const char MJCF[] =
    "<mujoco model='two'><default><geom density='500'/><default class='light'><geom density='50'/></default></default>"
    "<worldbody><body name='a' pos='0 0 1'><freejoint/><geom type='box' size='.1 .2 .3'/>"
    "<body name='b' pos='0 0 1'><joint name='x' axis='1 0 0' range='-90 90' limited='true' stiffness='2'/>"
    "<joint name='y' axis='0 1 0' damping='1'/><geom class='light' type='capsule' size='.05' fromto='0 0 0 0 0 1'/>"
    "</body></body></worldbody><equality><connect body1='b' anchor='0 0 1'/><weld body1='a' body2='b' active='false'/>"
    "<joint joint1='x' joint2='y'/></equality><keyframe><key name='up' qpos='0 0 2 1 0 0 0 0.1 0.2'/></keyframe></mujoco>";

static cdn_status load(const char *text, cdn_allocator allocator) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  options.allocator = allocator;
  cdn_status status = cdn_model_load_string(text, strlen(text), "test.xml", &options, &model);
  if (status == CDN_OK) status = cdn_state_create(cdn_model_system(model), &state);
  if (status == CDN_OK && cdn_model_key_count(model) > 0) status = cdn_model_set_key(model, "up", state);
  if (status == CDN_OK) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return status;
}
static cdn_status load_urdf(cdn_allocator a) { return load(URDF, a); }
static cdn_status load_mjcf(cdn_allocator a) { return load(MJCF, a); }

START_TEST(test_loading_urdf) {
  fail_everywhere(load_urdf, false);
  fail_everywhere(load_urdf, true);
}
END_TEST
START_TEST(test_loading_mjcf) {
  fail_everywhere(load_mjcf, false);
  fail_everywhere(load_mjcf, true);
}
END_TEST

/* ---- no allocation in a step ---------------------------------------------------------------- */

static void step_without_allocating(cdn_system *build_system(cdn_allocator)) {
  counting_allocator c = { .calls = 0 };
  cdn_system *system = build_system(allocator_of(&c));
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.max_step = 0.15;
  def.companion = true;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_step(stepper, 1)); /* warm-up */
  int64_t before = c.calls;
  for (int i = 0; i < 50; i++) OK_STEP(stepper, cdn_stepper_step(stepper, 10));
  ck_assert_int_eq(c.calls, before);
  cdn_certificate certificate;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL)); /* reports by dense output */
  for (int i = 1; i <= 20; i++) OK_STEP(stepper, cdn_stepper_advance(stepper, 10 + 0.013 * i, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  ck_assert_int_eq(c.calls, before);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  ck_assert_int_eq(c.outstanding, 0);
}

START_TEST(test_steps_do_not_allocate) {
  step_without_allocating(build);
  step_without_allocating(build_loop);
  step_without_allocating(build_soft);
}
END_TEST

START_TEST(test_workspace_stays_as_large_as_is_needed) {
  /* while one frame is held, any number of others may come and go */
  counting_allocator c = { .calls = 0 };
  cdn_system *system = build(allocator_of(&c));
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  for (int round = 0; round < 3; round++) {
    const int64_t before = c.calls;
    void *held = cdn_work_push(state, 1000);
    ck_assert_ptr_nonnull(held);
    for (int i = 0; i < 100; i++) {
      void *frame = cdn_work_push(state, 5000);
      ck_assert_msg(frame != NULL, "frame %d", i);
      cdn_work_pop(state, frame);
    }
    cdn_work_pop(state, held);
    if (round == 2) ck_assert_int_eq(c.calls, before); /* by now one chunk holds both */
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
  ck_assert_int_eq(c.outstanding, 0);
}
END_TEST

START_TEST(test_evaluations_do_not_allocate) {
  counting_allocator c = { .calls = 0 };
  cdn_system *system = build(allocator_of(&c));
  cdn_state *state = NULL;
  int64_t before = 0;
  double x[32], u[32] = { 0 }, M[32 * 32], energy;
  cdn_spatial V[8];
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  for (int i = 0; i < 3; i++) { /* the first time warms up */
    u[0] = 0.1 * i;
    OK(cdn_state_set_u(state, u));
    OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
    OK_ON(state, cdn_calc_M(state, M));
    OK_ON(state, cdn_multiply_by_M(state, u, x));
    OK_ON(state, cdn_multiply_by_M_inv(state, u, x));
    OK_ON(state, cdn_multiply_by_J(state, u, V));
    OK_ON(state, cdn_multiply_by_J_transpose(state, V, x));
    OK_ON(state, cdn_inverse_dynamics(state, u, V, NULL, x));
    OK_ON(state, cdn_forward_dynamics(state, V, NULL, x, NULL));
    OK_ON(state, cdn_residual(state, u, x));
    OK_ON(state, cdn_kinetic_energy(state, &energy));
    OK_ON(state, cdn_potential_energy(state, &energy));
    if (i == 0) before = c.calls;
  }
  ck_assert_int_eq(c.calls, before);
  cdn_state_destroy(state);
  cdn_system_release(system);
  ck_assert_int_eq(c.outstanding, 0);
}
END_TEST

START_TEST(test_release_order_is_free) {
  /* States and steppers keep their System; all orders of letting go are fine */
  counting_allocator c = { .calls = 0 };
  cdn_system *system = build(allocator_of(&c));
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  cdn_system_retain(system);
  cdn_system_release(system);
  cdn_system_release(system);
  cdn_state_destroy(state);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05, NULL));
  cdn_stepper_destroy(stepper);
  ck_assert_int_eq(c.outstanding, 0);
  cdn_stepper_destroy(NULL);
  cdn_state_destroy(NULL);
  cdn_system_release(NULL);
  cdn_model_destroy(NULL);
}
END_TEST

CHECK_MAIN("allocation", test_failure_at_every_call, test_failure_from_every_call_on, test_failure_in_a_run_with_a_loop,
           test_failure_in_a_run_with_soft_rows, test_error_of_a_failed_build, test_constraints, test_loading_urdf,
           test_loading_mjcf, test_steps_do_not_allocate, test_workspace_stays_as_large_as_is_needed,
           test_evaluations_do_not_allocate, test_release_order_is_free)
