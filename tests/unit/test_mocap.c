/* Mocap bodies: what follows from their inputs, in a State, in runs under error control, in ensembles, and what is
 * refused. */
#include <cardan/cardan.h>

#include "../check_main.h"
#include "../testing.h"

/* A mocap body whose frames are no identities, a pin on it, and a free body on springs to it. */
typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body target, arm, load;
  cdn_motion motion;
} rig;

static const cdn_quaternion FIRST = { 0.8, 0, 0.6, 0 };

static rig build(void) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  const double q0[7] = { 0.8, 0, 0.6, 0, 1, 2, 3 };
  def.name = "target", def.mobilizer = CDN_FREE, def.q0 = q0;
  def.X_PF = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.7), { 0.1, 0.2, 0.3 } };
  def.X_BM = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(3, -1, 1), 0.4), { -0.2, 0.1, 0.4 } };
  r.target = cdn_system_add_body(r.system, &def); /* without mass */
  def = cdn_default_body_def();
  def.name = "arm", def.parent = r.target, def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ 1, { 0.3, 0, 0 }, { 0.2, 0.3, 0.3, 0, 0, 0 } };
  r.arm = cdn_system_add_body(r.system, &def);
  def.name = "load", def.parent = cdn_ground(), def.mobilizer = CDN_FREE;
  r.load = cdn_system_add_body(r.system, &def);
  for (int i = 0; i < 3; i++) {
    static const char *const springs[] = { "spring", "spring 2", "spring 3" };
    static const char *const dampers[] = { "damper", "damper 2", "damper 3" };
    const cdn_vec3 at = { i == 0, i == 1, i == 2 }, on = { -0.4 * (i == 1), 0.3 * (i == 2), 0.5 * (i == 0) };
    cdn_system_add_two_point_spring(r.system, springs[i], r.target, at, r.load, on, 40, 0.3);
    cdn_system_add_two_point_damper(r.system, dampers[i], r.target, at, r.load, on, 3);
  }
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "target", motion.body = r.target, motion.kind = CDN_MOTION_MOCAP;
  r.motion = cdn_system_add_motion(r.system, &motion);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  return r;
}

static void drop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static void near_transform(cdn_transform a, cdn_transform b, double tolerance) {
  const double *x = (const double *)&a, *y = (const double *)&b;
  for (size_t i = 0; i < sizeof a / sizeof *x; i++) NEAR(x[i], y[i], tolerance);
}

static cdn_transform pose(cdn_state *state, cdn_body body) {
  cdn_transform X;
  OK_ON(state, cdn_body_pose(state, body, &X));
  return X;
}

START_TEST(it_begins_at_q0_and_goes_where_it_is_posed) {
  rig r = build();
  cdn_transform want = { cdn_rotation_from_quaternion(FIRST), { 1, 2, 3 } };
  want = cdn_transform_multiply(cdn_transform_multiply(cdn_body_X_PF(r.state, r.target), want),
                                cdn_transform_invert(cdn_body_X_BM(r.state, r.target)));
  near_transform(pose(r.state, r.target), want, 1e-14);
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, -1, 2), 2.5), { 0.5, -0.7, 0.2 } };
  OK_ON(r.state, cdn_mocap_set_pose(r.state, r.target, X));
  near_transform(pose(r.state, r.target), X, 1e-14);
  cdn_spatial V;
  OK_ON(r.state, cdn_body_velocity(r.state, r.target, &V));
  ck_assert(cdn_norm(V.w) == 0 && cdn_norm(V.v) == 0);
  /* at rest no time moves it, and nothing that only reads velocities is computed anew when it is posed as it is */
  OK_ON(r.state, cdn_state_set_time(r.state, 7));
  near_transform(pose(r.state, r.target), X, 1e-14);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  OK_ON(r.state, cdn_mocap_set_pose(r.state, r.target, pose(r.state, r.target)));
  ck_assert(cdn_body_is_mocap(r.system, r.target) && !cdn_body_is_mocap(r.system, r.load));
  const cdn_driver driver = cdn_body_driver(r.state, r.target);
  ck_assert(driver.level == CDN_LEVEL_POSITION && driver.rate == CDN_RATE_SLOW && driver.motion.i == r.motion.i);
  drop(&r);
}
END_TEST

/* Its velocity and its acceleration are the rates of its pose. */
START_TEST(it_moves_on_at_its_velocity) {
  rig r = build();
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, -1, 2), 2.5), { 0.5, -0.7, 0.2 } };
  const cdn_spatial V = { { 0.3, -0.2, 0.5 }, { 0.4, 0.1, -0.6 } };
  OK_ON(r.state, cdn_state_set_time(r.state, 2));
  OK_ON(r.state, cdn_mocap_set_velocity(r.state, r.target, V));
  OK_ON(r.state, cdn_mocap_set_pose(r.state, r.target, X));
  OK_ON(r.state, cdn_mocap_set_velocity(r.state, r.target, V));
  cdn_spatial W, A;
  OK_ON(r.state, cdn_body_velocity(r.state, r.target, &W));
  for (int k = 0; k < 3; k++) {
    NEAR((&W.w.x)[k], (&V.w.x)[k], 1e-14);
    NEAR((&W.v.x)[k], (&V.v.x)[k], 1e-14);
  }
  /* velocity and acceleration against differences of poses, which are right to h^2 and roundings */
  const double h = 1e-4;
  cdn_transform side[2];
  cdn_spatial speed[2];
  for (int k = 0; k < 2; k++) {
    OK_ON(r.state, cdn_state_set_time(r.state, 2.5 + (k ? h : -h)));
    side[k] = pose(r.state, r.target);
    OK_ON(r.state, cdn_body_velocity(r.state, r.target, &speed[k]));
  }
  OK_ON(r.state, cdn_state_set_time(r.state, 2.5));
  OK_ON(r.state, cdn_body_velocity(r.state, r.target, &W));
  OK_ON(r.state, cdn_body_acceleration(r.state, r.target, &A));
  const cdn_vec3 v = cdn_scale(0.5 / h, cdn_sub(side[1].p, side[0].p)),
                 a = cdn_scale(0.5 / h, cdn_sub(speed[1].v, speed[0].v));
  for (int k = 0; k < 3; k++) {
    NEAR((&v.x)[k], (&W.v.x)[k], 1e-8);
    NEAR((&a.x)[k], (&A.v.x)[k], 1e-8);
    NEAR((&W.w.x)[k], (&V.w.x)[k], 1e-14);
  }
  drop(&r);
}
END_TEST

/* What hangs on a mocap body that moves steadily moves as seen from a frame that moves along. */
START_TEST(runs_agree_with_a_moving_frame) {
  rig still = build(), moving = build();
  const cdn_spatial V = { { 0, 0, 0 }, { 0.4, 0.1, -0.6 } };
  const double T = 1.5;
  cdn_stepper *stepper[2];
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  double u[32] = { 0 };
  const int first = cdn_body_first_u(moving.system, moving.load);
  u[first + 3] = V.v.x, u[first + 4] = V.v.y, u[first + 5] = V.v.z;
  OK_ON(moving.state, cdn_state_set_u(moving.state, u));
  OK_ON(moving.state, cdn_mocap_set_velocity(moving.state, moving.target, V));
  OK_ON(still.state, cdn_stepper_create(still.state, &def, &stepper[0]));
  OK_ON(moving.state, cdn_stepper_create(moving.state, &def, &stepper[1]));
  for (int i = 0; i < 2; i++) OK_STEP(stepper[i], cdn_stepper_advance(stepper[i], T, NULL));
  const cdn_body bodies[] = { still.target, still.arm, still.load };
  for (int i = 0; i < 3; i++) {
    const cdn_transform a = pose(cdn_stepper_state(stepper[0]), bodies[i]),
                        b = pose(cdn_stepper_state(stepper[1]), bodies[i]);
    const cdn_vec3 gone = cdn_sub(cdn_sub(b.p, a.p), cdn_scale(T, V.v));
    ck_assert_msg(cdn_norm(gone) < 1e-7, "body %d is %g away", i, cdn_norm(gone));
  }
  for (int i = 0; i < 2; i++) cdn_stepper_destroy(stepper[i]);
  drop(&still), drop(&moving);
}
END_TEST

START_TEST(each_state_of_an_ensemble_has_its_own) {
  enum { N = 6 };
  rig r = build();
  cdn_ensemble *e;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_transform X[N];
  def.count = N, def.vary = CDN_VARY_MOCAP, def.method = CDN_METHOD_MERSON;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &e));
  cdn_state *lone;
  OK(cdn_state_create(r.system, &lone));
  for (int k = 0; k < N; k++) {
    const cdn_transform to = { cdn_rotation_axis_angle(cdn_v3(1, k, 2), 0.3 * k), { 0.1 * k, 1, 0 } };
    OK_ON(r.state, cdn_mocap_set_pose(r.state, r.target, to));
    OK_ON(r.state, cdn_mocap_set_velocity(r.state, r.target, (cdn_spatial){ { 0, 0, 0 }, { 0, 0.2, 0 } }));
    OK(cdn_ensemble_set_state(e, k, r.state));
  }
  OK(cdn_ensemble_advance(e, 0.1, 10));
  OK(cdn_ensemble_body(e, r.load, X, NULL));
  for (int k = 0; k < N; k++) {
    OK(cdn_ensemble_get_state(e, k, lone));
    near_transform(pose(lone, r.load), X[k], 0);
    NEAR(pose(lone, r.target).p.y, 1 + 0.2 * cdn_state_time(lone), 1e-13);
  }
  ck_assert(memcmp(&X[0], &X[1], sizeof X[0]) != 0);
  cdn_state_destroy(lone);
  cdn_ensemble_destroy(e);
  drop(&r);
}
END_TEST

START_TEST(recordings_and_checkpoints_have_it) {
  rig r = build();
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, -1, 2), 2.5), { 0.5, -0.7, 0.2 } };
  const cdn_spatial V = { { 0.3, -0.2, 0.5 }, { 0.4, 0.1, -0.6 } };
  cdn_state *other;
  cdn_buffer bytes = { 0 };
  OK(cdn_state_create(r.system, &other));
  OK_ON(r.state, cdn_mocap_set_pose(r.state, r.target, X));
  OK_ON(r.state, cdn_mocap_set_velocity(r.state, r.target, V));
  OK_ON(r.state, cdn_state_set_time(r.state, 0.5));
  OK_ON(r.state, cdn_prescribe(r.state, NULL)); /* as a stepper shows it */
  OK_ON(other, cdn_state_set_time(other, 0.5));
  OK_ON(other, cdn_state_set_q(other, cdn_state_q(r.state)));
  OK_ON(other, cdn_state_set_u(other, cdn_state_u(r.state)));
  ck_assert(cdn_norm(cdn_sub(pose(other, r.target).p, pose(r.state, r.target).p)) > 0.1);
  OK_ON(other, cdn_mocap_take(other));
  near_transform(pose(other, r.target), pose(r.state, r.target), 1e-14);
  OK_ON(r.state, cdn_state_save(r.state, cdn_buffer_write, &bytes));
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &bytes));
  near_transform(pose(other, r.target), pose(r.state, r.target), 0);
  cdn_buffer_free(&bytes);
  cdn_state_destroy(other);
  drop(&r);
}
END_TEST

static void says(const cdn_state *state, const char *what) {
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, what) != NULL, "'%s' lacks '%s'", error.text, what);
}

START_TEST(mistakes_are_told) {
  rig r = build();
  const cdn_transform I = cdn_transform_identity();
  cdn_transform bad = I;
  bad.R.x.x = 1.1;
  FAILS(cdn_mocap_set_pose(r.state, r.load, I), CDN_ERR_ARG);
  says(r.state, "'load' is no mocap body");
  FAILS(cdn_mocap_set_pose(r.state, (cdn_body){ 77 }, I), CDN_ERR_ARG);
  FAILS(cdn_mocap_set_pose(r.state, r.target, bad), CDN_ERR_ARG);
  bad = I, bad.p.y = NAN;
  FAILS(cdn_mocap_set_pose(r.state, r.target, bad), CDN_ERR_NONFINITE);
  FAILS(cdn_mocap_set_velocity(r.state, r.target, (cdn_spatial){ { NAN, 0, 0 }, { 0, 0, 0 } }), CDN_ERR_NONFINITE);
  FAILS(cdn_motion_set_enabled(r.state, r.motion, false), CDN_ERR_ARG);
  says(r.state, "cannot be switched off");
  drop(&r);
  /* of a pin */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "b", def.mobilizer = CDN_PIN;
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = cdn_system_add_body(system, &def), motion.kind = CDN_MOTION_MOCAP;
  ck_assert_int_lt(cdn_system_add_motion(system, &motion).i, 0);
  cdn_error error;
  cdn_system_last_error(system, &error);
  ck_assert_msg(strstr(error.text, "must be CDN_FREE") != NULL, "%s", error.text);
  cdn_system_release(system);
}
END_TEST

static void file_fails(const char *inside, const char *what) {
  static char text[2000];
  cdn_model *model = NULL;
  snprintf(text, sizeof text, "<mujoco><worldbody>\n<body name='a' mocap='true' pos='0 0 1'/>%s</mujoco>", inside);
  ck_assert_int_ne(cdn_model_load_string(text, strlen(text), "m.xml", NULL, &model), CDN_OK);
  ck_assert_msg(strstr(cdn_last_error_text(), what) && strstr(cdn_last_error_text(), "m.xml:"), "'%s' lacks '%s'",
                cdn_last_error_text(), what);
  cdn_model_destroy(model);
}

START_TEST(mistakes_of_files_are_told) {
  file_fails("<body name='c'><joint/><geom size='1'/><body mocap='true'/></body></worldbody>",
             "directly in the worldbody");
  file_fails("<body name='c' mocap='true'><freejoint/><geom size='1'/></body></worldbody>", "has no joints");
  file_fails("</worldbody><keyframe><key mpos='1 2 3 4'/></keyframe>", "mpos has 4 numbers");
  file_fails("</worldbody><keyframe><key mquat='1 0 0 0 1'/></keyframe>", "mquat has 5 numbers");
  file_fails("</worldbody><keyframe><key mquat='0 0 0 0'/></keyframe>", "is zero");
}
END_TEST

CHECK_MAIN("mocap", it_begins_at_q0_and_goes_where_it_is_posed, it_moves_on_at_its_velocity,
           runs_agree_with_a_moving_frame, each_state_of_an_ensemble_has_its_own, recordings_and_checkpoints_have_it,
           mistakes_are_told, mistakes_of_files_are_told)
