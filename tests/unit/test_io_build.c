/* From bodies and joints to a System: where bodies are, what acts on them, and what is listed. The
 * truth for poses is the plain product of displacements: a body stands at X_PB T_1 T_2 ..., where T_k turns by q - ref
 * about joint k's axis through its anchor, or slides by q - ref along it. */
#include "testing.h"

#include <stdio.h>

#include "io/joints.h"
#include "io/model.h"
#include "io/tree.h"

/* ---- specs by hand, as readers make them ---- */

static cdn_model *model;
static io_tree tree;
static cdn_state *state;

static const cdn_mass_properties solid = { 2, { 0.1, -0.2, 0.3 }, { 0.04, 0.05, 0.06, 0.001, 0.002, 0.003 } };
static const cdn_vec3 z_axis = { 0, 0, 1 };

/* A joint of a body, and where it is in that. */
typedef struct hand_joint {
  cdn_mobilizer kind;
  cdn_vec3 pos, axis;
  double ref, stiffness, springref, damping, armature;
  bool limited;
  double lower, upper, limit_timeconst, limit_dampratio;
} hand_joint;

/* The body added last has all its joints. */
static void end_body(void) {
  if (tree.places.count > 1) OK(io_tree_end_body(&tree));
}

static void add_body(const char *name, int parent, cdn_transform X_PB, cdn_mass_properties mass) {
  cdn_spec_body body = cdn_default_spec_body();
  end_body();
  body.name = name;
  body.line = (int)tree.places.count + 10;
  body.mass = mass;
  body.allow_improper = true;
  OK(io_tree_add_body(&tree, parent, X_PB, &body));
  OK(io_check_mass(&model->spec->log, body.line, "body", name, &mass));
}

/* On the body added last. */
static void add_joint(const char *name, hand_joint from) {
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = name;
  joint.line = cdn_spec_count(tree.spec, CDN_SPEC_JOINT) + 50;
  joint.kind = from.kind;
  joint.stiffness = from.stiffness, joint.springref = from.springref;
  joint.damping = from.damping, joint.armature = from.armature;
  joint.limited = from.limited;
  if (from.limited && from.kind != CDN_BALL) joint.lower = from.lower;
  if (from.limited) joint.upper = from.upper;
  joint.limit_timeconst = from.limit_timeconst, joint.limit_dampratio = from.limit_dampratio;
  OK(io_tree_add_joint(&tree, &joint, from.pos, from.axis, from.ref));
}

static void begin(void) {
  model = calloc(1, sizeof *model);
  model->allocator = cdni_allocator_or_default((cdn_allocator){ 0 });
  model->options = cdn_default_model_options();
  model->spec = io_spec_start(model->allocator, "hand.xml");
  model->spec->whole.from_file = true;
  model->spec->name = cdni_strdup(&model->allocator, "hand");
  OK(io_tree_start(&tree, model->spec));
}

static cdn_status try_build(void) {
  end_body();
  OK(io_tree_finish(&tree));
  io_tree_free(&tree);
  return io_build_frozen(model);
}

static void build(void) {
  const cdn_status status = try_build();
  ck_assert_msg(status == CDN_OK, "%s", model->spec->log.error.text);
  OK(cdn_state_create(model->system, &state));
}

static void end(void) {
  cdn_state_destroy(state);
  state = NULL;
  /* The model's memory is malloc's here: take it apart as cdn_model_destroy would. */
  cdn_model shell = *model;
  cdn_model *whole = cdni_alloc(&shell.allocator, sizeof *whole);
  *whole = shell;
  free(model);
  cdn_model_destroy(whole);
}

/* ---- poses ---- */

static cdn_transform about(cdn_vec3 anchor, cdn_rotation R) {
  return (cdn_transform){ R, cdn_sub(anchor, cdn_rotate(R, anchor)) };
}
static cdn_transform turned(const hand_joint *joint, double angle) {
  return about(joint->pos, cdn_rotation_axis_angle(joint->axis, angle));
}
static cdn_transform moved(cdn_vec3 axis, double distance) {
  return (cdn_transform){ cdn_rotation_identity(), cdn_scale(distance, axis) };
}

static void near_transform(cdn_transform a, cdn_transform b, double tolerance) {
  const double *x = &a.R.x.x, *y = &b.R.x.x;
  for (int i = 0; i < 12; i++)
    ck_assert_msg(fabs(x[i] - y[i]) <= tolerance, "number %d of R by columns and p: %.17g, not %.17g", i, x[i], y[i]);
}

static cdn_transform pose_of(const char *name) {
  cdn_transform X_GB;
  OK_ON(state, cdn_body_pose(state, cdn_system_find_body(model->system, name), &X_GB));
  return X_GB;
}

static const cdn_vec3 tilted = { 2. / 7, 3. / 7, -6. / 7 }, other = { -0.6, 0, 0.8 };
static cdn_transform placed(void) {
  return (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.8), { 0.5, -1, 2 } };
}

/* A dozen products of rotations of order one. */
static const double pose_tolerance = 1e-14;

START_TEST(test_several_joints_in_a_body) {
  begin();
  add_body("frame", 0, placed(), solid);
  add_body("part", 1, placed(), solid);
  const hand_joint hinge = { .kind = CDN_PIN, .pos = { 0.3, 0.1, -0.2 }, .axis = tilted, .ref = 0.7 };
  const hand_joint slide = { .kind = CDN_SLIDER, .pos = { 1, 1, 1 }, .axis = other, .ref = -0.4 };
  const hand_joint turn = { .kind = CDN_PIN, .pos = { -0.1, 0, 0.6 }, .axis = other };
  add_joint("hinge", hinge);
  add_joint("slide", slide);
  add_joint("turn", turn);
  build();
  const cdn_transform frame = placed();
  near_transform(pose_of("frame"), frame, 0);
  /* The default configuration is the one that the file describes. */
  ck_assert(cdn_state_q(state)[0] == 0.7 && cdn_state_q(state)[1] == -0.4 && cdn_state_q(state)[2] == 0);
  near_transform(pose_of("part"), cdn_transform_multiply(frame, placed()), pose_tolerance);
  const double q[3] = { -0.9, 1.3, 2.1 };
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_transform X = cdn_transform_multiply(frame, placed());
  X = cdn_transform_multiply(X, turned(&hinge, q[0] - 0.7));
  X = cdn_transform_multiply(X, moved(other, q[1] + 0.4));
  X = cdn_transform_multiply(X, turned(&turn, q[2]));
  near_transform(pose_of("part"), X, pose_tolerance);
  /* The frames in between are nobody's business. */
  ck_assert_int_eq(cdn_model_body_count(model), 2);
  ck_assert_str_eq(cdn_body_name(model->system, cdn_model_body(model, 1)), "part");
  ck_assert_int_eq(cdn_model_joint_count(model), 3);
  ck_assert_int_eq(cdn_model_mobilizer_count(model), 4);
  double total, moving;
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  ck_assert(total == 4 && moving == 2);
  end();
}
END_TEST

START_TEST(test_ball_turns_about_its_anchor) {
  begin();
  add_body("body", 0, placed(), solid);
  const cdn_vec3 anchor = { 0.2, -0.3, 0.4 };
  add_joint("ball", (hand_joint){ .kind = CDN_BALL, .pos = anchor, .axis = z_axis });
  build();
  near_transform(pose_of("body"), placed(), pose_tolerance);
  const double q[4] = { 0.5, -0.1, 0.7, 0.2 };
  OK_ON(state, cdn_state_set_q(state, q));
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  near_transform(pose_of("body"), cdn_transform_multiply(placed(), about(anchor, R)), pose_tolerance);
  ck_assert_str_eq(cdn_model_get_joint(model, 0).units, "quaternion");
  end();
}
END_TEST

START_TEST(test_free_joint_holds_the_pose) {
  begin();
  add_body("body", 0, placed(), solid);
  add_joint("free", (hand_joint){ .kind = CDN_FREE, .axis = z_axis });
  build();
  near_transform(pose_of("body"), placed(), pose_tolerance);
  const double q[7] = { 0.3, 0.4, -0.5, 0.1, 7, 8, 9 };
  OK_ON(state, cdn_state_set_q(state, q));
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  near_transform(pose_of("body"), (cdn_transform){ R, { 7, 8, 9 } }, pose_tolerance);
  const cdn_model_joint joint = cdn_model_get_joint(model, 0);
  ck_assert_str_eq(joint.kind, "free");
  ck_assert_str_eq(joint.units, "quaternion, m");
  ck_assert(joint.nq == 7 && joint.nu == 6);
  end();
}
END_TEST

START_TEST(test_planar_joint) {
  begin();
  add_body("sled", 0, placed(), solid);
  add_joint("plane", (hand_joint){ .kind = CDN_PLANAR, .axis = tilted });
  build();
  const double q[3] = { 1.2, 0.4, -0.7 };
  OK_ON(state, cdn_state_set_q(state, q));
  const cdn_rotation A = cdn_rotation_z_to(tilted);
  cdn_transform X = placed();
  X = cdn_transform_multiply(X, moved(A.x, q[1]));
  X = cdn_transform_multiply(X, moved(A.y, q[2]));
  X = cdn_transform_multiply(X, (cdn_transform){ cdn_rotation_axis_angle(tilted, q[0]), { 0, 0, 0 } });
  near_transform(pose_of("sled"), X, pose_tolerance);
  ck_assert_int_eq(cdn_model_joint_count(model), 1);
  const cdn_model_joint joint = cdn_model_get_joint(model, 0);
  ck_assert_str_eq(joint.kind, "planar");
  ck_assert(joint.nq == 3 && joint.nu == 3 && joint.first_q == 0 && joint.first_u == 0);
  ck_assert_int_eq(cdn_model_mobilizer_count(model), 1);
  end();
}
END_TEST

/* Along the mobilizers' own axes nothing may be lost: the pose is the file's numbers, bit by bit. */
START_TEST(test_aligned_axes_are_exact) {
  const cdn_transform X = placed();
  for (int slider = 0; slider < 2; slider++) {
    begin();
    add_body("body", 0, X, solid);
    add_joint("joint",
              (hand_joint){ .kind = slider ? CDN_SLIDER : CDN_PIN, .axis = slider ? cdn_v3(1, 0, 0) : z_axis });
    build();
    near_transform(pose_of("body"), X, 0);
    end();
  }
}
END_TEST

/* ---- forces ---- */

static double potential(void) {
  double energy;
  OK_ON(state, cdn_potential_energy(state, &energy));
  return energy;
}

START_TEST(test_springs) {
  begin();
  add_body("a", 0, placed(), solid);
  add_joint("pin", (hand_joint){ .kind = CDN_PIN, .axis = tilted, .stiffness = 3, .springref = 0.2 });
  add_body("b", 0, placed(), solid);
  add_joint("ball", (hand_joint){ .kind = CDN_BALL, .axis = z_axis, .stiffness = 5 });
  add_body("c", 0, placed(), solid);
  add_joint("free", (hand_joint){ .kind = CDN_FREE, .axis = z_axis, .stiffness = 7 });
  build();
  ck_assert_int_eq(cdn_system_force_count(model->system), 4); /* a free joint's spring is two elements; no gravity */
  NEAR(potential(), 3. / 2 * 0.2 * 0.2, 1e-15);               /* ball and free rest where the file puts them */
  /* Turn the ball by 0.6 about some axis and move the free body by (1, -2, 2), turned by 0.8 about another. */
  double q[12];
  memcpy(q, cdn_state_q(state), sizeof q);
  q[0] = 1.2;
  const double ball[4] = { cos(0.3), 0, sin(0.3), 0 };
  memcpy(q + 1, ball, sizeof ball);
  const cdn_rotation R = cdn_rotation_multiply(cdn_rotation_axis_angle(tilted, 0.8), placed().R);
  const cdn_quaternion w = cdn_quaternion_from_rotation(R);
  const double free_q[7] = { w.w, w.x, w.y, w.z, placed().p.x + 1, placed().p.y - 2, placed().p.z + 2 };
  memcpy(q + 5, free_q, sizeof free_q);
  OK_ON(state, cdn_state_set_q(state, q));
  NEAR(potential(), 3. / 2 * 1 + 5. / 2 * 0.36 + 7. / 2 * 0.64 + 7. / 2 * 9, 1e-13);
  /* The forces are its slope: on the free body's linear mobilities, -k (p - p0). */
  double f[10];
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  NEAR(f[0], -3, 1e-15);
  NEAR(f[7], -7, 1e-14);
  NEAR(f[8], 14, 1e-14);
  NEAR(f[9], -14, 1e-14);
  end();
}
END_TEST

START_TEST(test_dampers_and_armature) {
  begin();
  add_body("a", 0, placed(), solid);
  add_joint("ball", (hand_joint){ .kind = CDN_BALL, .axis = z_axis, .damping = 2, .armature = 0.5 });
  add_body("b", 0, placed(), solid);
  add_joint("plane", (hand_joint){ .kind = CDN_PLANAR, .axis = tilted, .damping = 3 });
  add_body("c", 0, placed(), (cdn_mass_properties){ 4, { 0, 0, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } });
  add_joint("slide", (hand_joint){ .kind = CDN_SLIDER, .axis = other, .armature = 1.5 });
  build();
  const double u[7] = { 1, 2, 3, 4, 5, 6, 7 };
  OK_ON(state, cdn_state_set_u(state, u));
  double f[7], M[49];
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  const double expected[7] = { -2, -4, -6, -12, -15, -18, 0 };
  for (int i = 0; i < 7; i++) NEAR(f[i], expected[i], 0);
  OK_ON(state, cdn_calc_M(state, M));
  NEAR(M[48], 5.5, 1e-14); /* the slider's mass and its rotor */
  /* The ball's is its inertia about the anchor and half a kg m^2 about each axis: the trace is the same in all axes. */
  const cdn_inertia I = cdn_inertia_shift(solid.inertia, solid.mass, solid.com);
  NEAR(M[0] + M[8] + M[16], I.xx + I.yy + I.zz + 1.5, 1e-14);
  end();
}
END_TEST

/* ---- limits ---- */

/* Force of the limit at x beyond `q`, the model at rest. */
static double stop_force(int i, double q) {
  OK_ON(state, cdn_state_set_slots(state, CDN_POOL_Q, i, 1, &q));
  double f[8];
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  return f[i];
}

static const cdn_mass_properties disc = { 4, { 0, 0, 0 }, { 0.2, 0.2, 0.3, 0, 0, 0 } };

static void add_limited_joints(void) {
  add_body("wheel", 0, cdn_transform_identity(), disc);
  add_joint("turn", (hand_joint){ .kind = CDN_PIN, .axis = z_axis, .limited = true, .lower = -1, .upper = 2 });
  add_body("block", 0, cdn_transform_identity(), disc);
  add_joint("slide", (hand_joint){ .kind = CDN_SLIDER,
                                   .axis = other,
                                   .limited = true,
                                   .lower = -1,
                                   .upper = 1,
                                   .limit_timeconst = 0.1,
                                   .limit_dampratio = 0.5 });
}

START_TEST(test_limits_fit_what_they_stop) {
  begin();
  add_limited_joints();
  build();
  /* k = inertia / (timeconst dampratio)^2, the default time constant being 20 ms. */
  const double k_turn = 0.3 / (0.02 * 0.02), k_slide = 4 / (0.1 * 0.1 * 0.5 * 0.5);
  NEAR(stop_force(0, 2), 0, 0);
  NEAR(stop_force(0, -1), 0, 0);
  NEAR(stop_force(0, 2.01), -k_turn * 0.01, 1e-11);
  NEAR(stop_force(0, -1.01), k_turn * 0.01, 1e-11);
  NEAR(stop_force(1, 1.5), -k_slide * 0.5, 1e-11);
  end();
}
END_TEST

START_TEST(test_tree_only_has_no_limits) {
  begin();
  model->options.tree_only = true;
  add_limited_joints();
  build();
  NEAR(stop_force(0, 3), 0, 0);
  ck_assert_int_eq(cdn_system_force_count(model->system), 0);
  end();
}
END_TEST

START_TEST(test_a_hit_is_damped) {
  begin();
  add_limited_joints();
  build();
  /* Into the stop at 1 rad/s; the wheel weighs in with 0.3 kg m^2 alone. */
  const double q[2] = { 2, 0 }, u[2] = { 1, 0 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  const double *after = cdn_state_u(cdn_stepper_state(stepper));
  /* Out again, and below 1/d = 0.1 rad/s, as Hunt and Crossley's law promises for any speed. */
  ck_assert_msg(after[0] < 0 && after[0] > -0.1, "it leaves at %g rad/s", after[0]);
  cdn_stepper_destroy(stepper);
  end();
}
END_TEST

START_TEST(test_ball_limit) {
  begin();
  add_body("a", 0, placed(), disc);
  add_joint("ball", (hand_joint){ .kind = CDN_BALL, .axis = z_axis, .limited = true, .upper = 0.5 });
  build();
  NEAR(potential(), 0, 0);
  const double q[4] = { cos(0.35), sin(0.35), 0, 0 };
  OK_ON(state, cdn_state_set_q(state, q));
  /* 0.2 rad beyond; the inertia is the mean that 3 / (1/0.2 + 1/0.2 + 1/0.3) is. */
  const double k = 3 / (5 + 5 + 1 / 0.3) / (0.02 * 0.02);
  NEAR(potential(), k / 2 * 0.04, 1e-12 * k);
  end();
}
END_TEST

/* ---- what is told ---- */

static bool warned(const char *text) {
  for (int i = 0; i < cdn_model_warning_count(model); i++)
    if (strstr(cdn_model_warning(model, i), text)) return true;
  return false;
}

START_TEST(test_warnings) {
  begin();
  const cdn_mass_properties bad = { 1, { 0, 0, 0 }, { 1, 1, 3, 0, 0, 0 } };
  add_body("bad", 0, cdn_transform_identity(), bad);
  add_joint("j", (hand_joint){ .kind = CDN_PIN, .axis = z_axis, .limited = true, .lower = 1, .upper = 2 });
  add_body("ghost", 0, cdn_transform_identity(), (cdn_mass_properties){ 0 });
  add_joint("g", (hand_joint){ .kind = CDN_PIN, .axis = z_axis });
  add_body("carried", 2, cdn_transform_identity(), disc);
  add_joint("c", (hand_joint){ .kind = CDN_SLIDER, .axis = other });
  build();
  ck_assert(warned("hand.xml:11: body 'bad': its principal moments 1, 1, 3 kg m^2 break the triangle inequality"));
  ck_assert(warned("hand.xml:12: body 'ghost' has no mass and is moved by joint 'g'; it is a frame"));
  ck_assert(warned("hand.xml:50: 1 joint is outside of its limits in the default pose: 'j'"));
  ck_assert_int_eq(cdn_model_warning_count(model), 3);
  end();
}
END_TEST

/* Nothing beyond the last joint has mass: the model can be read and looked at; its accelerations name the joint. */
START_TEST(test_singular_models_are_told) {
  begin();
  add_body("arm", 0, cdn_transform_identity(), disc);
  add_joint("shoulder", (hand_joint){ .kind = CDN_PIN, .axis = z_axis });
  add_body("ghost", 1, placed(), (cdn_mass_properties){ 0 });
  add_joint("loose", (hand_joint){ .kind = CDN_PIN, .axis = z_axis, .limited = true, .lower = -1, .upper = 1 });
  build();
  ck_assert(warned("body 'ghost' has no mass and is moved by joint 'loose', as is all that follows it"));
  ck_assert(warned("joint 'loose': the inertia that its limit meets cannot be told"));
  pose_of("ghost");
  FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "loose") || strstr(error.element, "loose") || strstr(error.element, "ghost"),
                "[%s] %s", error.element, error.text);
  end();
}
END_TEST

START_TEST(test_names_are_unique) {
  begin();
  add_body("a", 0, cdn_transform_identity(), disc);
  add_body("a", 1, cdn_transform_identity(), disc);
  FAILS(try_build(), CDN_ERR_PARSE);
  ck_assert_str_eq(model->spec->log.error.text, "hand.xml:12: body 'a' is defined twice, first at line 11; rename one");
  end();
  begin();
  add_body("a", 0, cdn_transform_identity(), disc);
  add_joint("j", (hand_joint){ .kind = CDN_PIN, .axis = z_axis });
  add_body("b", 0, cdn_transform_identity(), disc);
  add_joint("j", (hand_joint){ .kind = CDN_PIN, .axis = z_axis });
  FAILS(try_build(), CDN_ERR_PARSE);
  ck_assert_str_eq(model->spec->log.error.text,
                   "hand.xml:51: joint 'j' is defined twice, first at line 50; rename one");
  end();
}
END_TEST

/* ---- keyframes ---- */

static void add_key(const char *name, const double *q, int nq, const double *u, int nu) {
  cdn_spec_key key = cdn_default_spec_key();
  key.name = name;
  key.time = q ? 3 : 0;
  key.q = q, key.nq = nq;
  key.u = u, key.nu = nu;
  OK(cdn_spec_add_key(model->spec, &key, NULL));
}

START_TEST(test_keyframes) {
  begin();
  add_body("a", 0, cdn_transform_identity(), disc);
  add_joint("j", (hand_joint){ .kind = CDN_PIN, .axis = z_axis, .ref = 0.5 });
  add_joint("k", (hand_joint){ .kind = CDN_SLIDER, .axis = z_axis });
  const double q[2] = { 4, 5 }, u[2] = { 6, 7 };
  add_key("both", q, 2, u, 2);
  add_key("neither", NULL, 0, NULL, 0);
  build();
  ck_assert_int_eq(cdn_model_key_count(model), 2);
  OK(cdn_model_set_key(model, "both", state));
  ck_assert(cdn_state_time(state) == 3 && cdn_state_q(state)[1] == 5 && cdn_state_u(state)[0] == 6);
  OK(cdn_model_set_key(model, "neither", state));
  ck_assert(cdn_state_time(state) == 0 && cdn_state_q(state)[0] == 0.5 && cdn_state_u(state)[0] == 0);
  FAILS(cdn_model_set_key(model, "none", state), CDN_ERR_ARG);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_str_eq(error.text, "hand.xml: no keyframe 'none'; there are: both, neither");
  end();
}
END_TEST

/* ---- the public door ---- */

static void refuse(const char *text, cdn_model_options options, cdn_status code, const char *expected) {
  cdn_model *m = NULL;
  FAILS(cdn_model_load_string(text, strlen(text), "x.urdf", &options, &m), code);
  cdn_error error;
  cdn_model_last_error(m, &error);
  ck_assert_msg(strstr(error.text, expected), "'%s' is not in '%s'", expected, error.text);
  ck_assert_int_eq(error.code, code);
  ck_assert_ptr_null(cdn_model_system(m));
  ck_assert_int_eq(cdn_model_joint_count(m), 0);
  cdn_model_destroy(m);
}

START_TEST(test_loading) {
  const cdn_model_options options = cdn_default_model_options();
  cdn_model_options strict = options, wrong = options;
  strict.strict = true;
  wrong.struct_size = 3;
  refuse("<sdf/>", options, CDN_ERR_PARSE, "x.urdf:1: the root element is <sdf>; a model begins with <robot> (URDF)");
  refuse("", options, CDN_ERR_PARSE, "x.urdf:1: the file is empty");
  refuse("<robot name='r'><link name='a'/>\n<gazebo/><gazebo/><world/></robot>", strict, CDN_ERR_UNSUPPORTED,
         "x.urdf:2: not simulated, and strict reading was asked for: gazebo (2, line 2), world (1, line 2)");
  refuse("<robot/>", wrong, CDN_ERR_VERSION, "cdn_default_model_options()");
  cdn_model *m;
  FAILS(cdn_model_load(NULL, NULL, &m), CDN_ERR_ARG);
  cdn_model_destroy(m);
  FAILS(cdn_model_load("/nonexistent.urdf", NULL, &m), CDN_ERR_FILE);
  cdn_model_destroy(m);
  const char *text = "<robot name='r'><link name='a'/><gazebo/></robot>";
  OK(cdn_model_load_string(text, strlen(text), NULL, NULL, &m));
  ck_assert_str_eq(cdn_model_name(m), "r");
  ck_assert_int_eq(cdn_model_not_understood_count(m), 1);
  ck_assert_str_eq(cdn_model_not_understood(m, 0).element, "gazebo");
  ck_assert_int_eq(cdn_model_not_understood(m, 1).count, 0); /* past the end */
  ck_assert_int_eq(cdn_model_mobilizer_count(m), 1);
  ck_assert_int_eq(cdn_model_body_count(m), 1);
  cdn_model_destroy(m);
}
END_TEST

/* The arm that is shipped is a good example: nothing in it is left out or warned about. */
START_TEST(test_shipped_arm) {
  char path[1024];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  snprintf(path, sizeof path, "%s/examples/models/arm.urdf", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  cdn_model *m;
  OK(cdn_model_load(path, &options, &m));
  ck_assert_int_eq(cdn_model_warning_count(m), 0);
  static const char *const joints[] = { "turn", "shoulder", "elbow", "wrist", "finger_slide" };
  ck_assert_int_eq(cdn_model_joint_count(m), 5);
  for (int i = 0; i < 5; i++) ck_assert_str_eq(cdn_model_get_joint(m, i).name, joints[i]);
  OK(cdn_state_create(cdn_model_system(m), &state));
  double total, moving;
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  NEAR(total, 20.13, 1e-13);
  NEAR(moving, 8.13, 1e-13);
  cdn_state_destroy(state);
  cdn_model_destroy(m);
}
END_TEST

CHECK_MAIN("io_build", test_several_joints_in_a_body, test_ball_turns_about_its_anchor, test_free_joint_holds_the_pose,
           test_planar_joint, test_aligned_axes_are_exact, test_springs, test_dampers_and_armature,
           test_limits_fit_what_they_stop, test_tree_only_has_no_limits, test_a_hit_is_damped, test_ball_limit,
           test_warnings, test_singular_models_are_told, test_names_are_unique, test_keyframes, test_loading,
           test_shipped_arm)
