/* Models that are open: a file's contents in a System that is not frozen yet, with more beside them; tables by name;
 * and a file read at once, in steps, or copied element by element through the public functions makes the same System,
 * bit by bit. */
#include "testing.h"

#include <stdio.h>

static const char arm[] =
    "<robot name='arm'><link name='base'/>\n"
    "<link name='upper'><inertial><origin xyz='0 0 -.5'/><mass value='1'/>"
    "<inertia ixx='.1' iyy='.1' izz='.01' ixy='0' ixz='0' iyz='0'/></inertial></link>\n"
    "<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>"
    "<limit lower='-1' upper='1' effort='10' velocity='2.5'/><dynamics damping='0.1' friction='0.5'/></joint>\n"
    "<link name='tool0'/><joint name='flange' type='fixed'><parent link='upper'/><child link='tool0'/>"
    "<origin xyz='0 0.2 -1' rpy='0.3 0 0'/></joint>\n"
    "<link name='tip'/><joint name='gripper' type='fixed'><parent link='tool0'/><child link='tip'/>"
    "<origin xyz='0.1 0 -0.3' rpy='0 0.5 0'/></joint></robot>";

static const char cart[] =
    "<mujoco model='cart'><option gravity='0 0 -9.81'/><worldbody><site name='mark' pos='1 2 3'/>"
    "<body name='cart' pos='0 0 1'>"
    "<joint name='x' type='slide' axis='1 0 0' range='-2 2' limited='true' frictionloss='0.2' actuatorfrcrange='-3 5'/>"
    "<joint name='turn' axis='0 0 1' armature='0.1' stiffness='4' springref='0'/><geom size='0.1'/>"
    "<site name='imu' pos='0 0 0.2' axisangle='1 0 0 90'/>"
    "<body name='pole'><joint name='hinge' axis='0 1 0'/><geom type='capsule' size='0.02' fromto='0 0 0 0 0 1'/></body>"
    "</body></worldbody><sensor><accelerometer name='acc' site='imu'/><jointpos name='where' joint='x'/></sensor>"
    "<keyframe><key name='up' time='2' qpos='0.5 0.1' qvel='0.3 0 0.4'/></keyframe></mujoco>";

static cdn_system *built;
static cdn_model *model;
static cdn_state *state;

static void fail_with(const char *what) {
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_abort_msg("%s: %s", what, error.text);
}

static void add(const char *text, const cdn_model_options *options) {
  cdn_spec *spec;
  OK(cdn_spec_load_string(text, strlen(text), "m.xml", options, &spec));
  if (!built) built = cdn_system_create(NULL);
  if (cdn_model_build(spec, options, built, &model) != CDN_OK) fail_with("cdn_model_build");
  cdn_spec_destroy(spec);
}

static void freeze(void) {
  OK_FREEZE(built);
  OK(cdn_state_create(built, &state));
}

static void end(void) {
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(built);
  state = NULL, model = NULL, built = NULL;
}

/* ---- beside the file ------------------------------------------------------------------------- */

typedef struct motor {
  cdn_body body;
  double torque;
} motor;

static cdn_status push(const void *self, cdn_state *s, cdn_forces *forces) {
  const motor *m = self;
  (void)s;
  cdn_forces_add_mobility(forces, m->body, 0, m->torque);
  return CDN_OK;
}

/* A motor, a spring to a frame of the file and a constraint, by the file's names, before the System is frozen. */
START_TEST(test_elements_are_added_by_the_files_names) {
  add(arm, NULL);
  const cdn_body upper = cdn_model_find_body(model, "upper");
  ck_assert(!cdn_system_is_frozen(built) && upper.i > 0);
  ck_assert_int_eq(cdn_system_find_body(built, "upper").i, upper.i);
  const cdn_model_joint shoulder = cdn_model_get_joint(model, cdn_model_find_joint(model, "shoulder"));
  const motor m = { shoulder.mobilized, 7 };
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops), .name = "motor", .self_size = sizeof m },
    .struct_size = sizeof ops,
    .calc_force = push
  };
  cdn_system_add_custom_force(built, &ops, &m);
  cdn_model_frame tip;
  OK(cdn_model_find_frame(model, "tip", &tip));
  cdn_body_def load = cdn_default_body_def();
  load.name = "load", load.parent = tip.body, load.X_PF = tip.X_BF, load.mass.mass = 2;
  cdn_system_add_body(built, &load);
  freeze();
  double f[1];
  OK_ON(state, cdn_applied_forces(state, NULL, f));
  NEAR(f[0], 7, 0); /* at rest at zero: no damper, no stop */
  double mass, moving;
  OK_ON(state, cdn_system_mass(state, &mass, &moving));
  NEAR(mass, 3, 0);
  end();
}
END_TEST

/* Two files in one System, on bodies of their own; one brings gravity. */
START_TEST(test_two_models_in_one_system) {
  cdn_model_options options = cdn_default_model_options();
  add(arm, NULL);
  cdn_model *first = model;
  options.no_gravity = true;
  add(cart, &options);
  freeze();
  int gravities = 0;
  for (int i = 0; i < cdn_system_force_count(built); i++)
    gravities += strcmp(cdn_force_name(built, (cdn_force){ i }), "gravity") == 0;
  ck_assert_int_eq(gravities, 1);
  ck_assert_int_eq(cdn_system_nq(built), 4);
  ck_assert_int_eq(cdn_model_get_joint(first, 0).first_q, 0);
  ck_assert_int_eq(cdn_model_get_joint(model, 0).first_q, 1);
  ck_assert_int_eq(cdn_model_joint_count(model), 3);
  /* A key sets its own model's joints, and what it leaves out to the defaults. */
  const double q[4] = { 0.7, 1, 1, 1 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK(cdn_model_set_key(model, "up", state));
  const double *set = cdn_state_q(state);
  ck_assert(set[0] == 0.7 && set[1] == 0.5 && set[2] == 0.1 && set[3] == 0 && cdn_state_time(state) == 2);
  ck_assert(cdn_state_u(state)[3] == 0.4);
  cdn_model_destroy(first);
  end();
}
END_TEST

START_TEST(test_a_failure_stays_with_the_system) {
  cdn_error error;
  cdn_spec *spec;
  cdn_spec_joint joint = cdn_default_spec_joint();
  OK(cdn_spec_create(NULL, &spec));
  joint.child = "nobody", joint.name = "j";
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  built = cdn_system_create(NULL);
  FAILS(cdn_model_build(spec, NULL, built, &model), CDN_ERR_ARG);
  cdn_model_last_error(model, &error);
  ck_assert_msg(strstr(error.text, "joint 'j': there is no body 'nobody'"), "%s", error.text);
  ck_assert_str_eq(error.function, "cdn_model_build");
  ck_assert_ptr_null(cdn_model_system(model));
  cdn_model_destroy(model);
  FAILS(cdn_system_freeze(built), CDN_ERR_ARG);
  FAILS(cdn_model_build(spec, NULL, built, &model), CDN_ERR_ARG);
  cdn_model_destroy(model);
  FAILS(cdn_model_build(spec, NULL, NULL, &model), CDN_ERR_ARG);
  cdn_model_destroy(model);
  cdn_system_release(built);
  built = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  cdn_system_add_body(built, &body);
  OK_FREEZE(built);
  FAILS(cdn_model_build(spec, NULL, built, &model), CDN_ERR_FROZEN);
  cdn_model_last_error(model, &error);
  ck_assert_msg(strstr(error.text, "before cdn_system_freeze"), "%s", error.text);
  cdn_spec_destroy(spec);
  end();
}
END_TEST

/* ---- tables ---------------------------------------------------------------------------------- */

START_TEST(test_joints_tell_their_limits) {
  add(arm, NULL);
  freeze();
  const cdn_model_joint j = cdn_model_get_joint(model, cdn_model_find_joint(model, "shoulder"));
  ck_assert(j.lower == -1 && j.upper == 1 && j.effort_lower == -10 && j.effort_upper == 10 && j.speed_limit == 2.5);
  ck_assert(j.damping == 0.1 && j.friction == 0.5 && j.mobilized.i == cdn_model_find_body(model, "upper").i);
  ck_assert_int_eq(j.line, 3);
  ck_assert_int_eq(cdn_model_find_joint(model, "flange"), -1);
  ck_assert_int_eq(cdn_model_find_joint(model, NULL), -1);
  end();
  add(cart, NULL);
  freeze();
  const cdn_model_joint x = cdn_model_get_joint(model, cdn_model_find_joint(model, "x"));
  ck_assert(x.effort_lower == -3 && x.effort_upper == 5 && x.friction == 0.2 && isinf(x.speed_limit));
  ck_assert_str_eq(x.body, "cart"); /* it moves a frame before the next joint of the same body */
  const cdn_model_joint turn = cdn_model_get_joint(model, cdn_model_find_joint(model, "turn"));
  ck_assert(turn.stiffness == 4 && turn.armature == 0.1 && isinf(turn.lower) && isinf(turn.effort_upper));
  end();
}
END_TEST

/* Finding: the limits of a file did not bind an assembly. They do where the model was added to a System, too. */
START_TEST(test_assemblies_keep_within_limits) {
  add(arm, NULL);
  freeze();
  const cdn_body shoulder = cdn_model_get_joint(model, 0).mobilized;
  for (int bound = 0; bound < 2; bound++) {
    cdn_assembly *assembly;
    OK(cdn_assembly_create(built, NULL, &assembly));
    if (bound) OK(cdn_model_bound_assembly(model, assembly));
    cdn_assembly_add_coordinate(assembly, NULL, shoulder, 0, 2, 1);
    OK(cdn_assemble(assembly, state, NULL));
    NEAR(cdn_body_q(state, shoulder)[0], bound ? 1 : 2, 1e-12);
    cdn_assembly_destroy(assembly);
  }
  end();
}
END_TEST

/* Finding: links behind fixed joints had no name any more. Their frames are where the links are if they are kept as
 * bodies. */
START_TEST(test_links_behind_fixed_joints_are_frames) {
  cdn_model_options keep = cdn_default_model_options();
  keep.keep_fixed = true;
  static const char *const links[] = { "tool0", "tip", "upper" };
  const double q = 0.6;
  cdn_transform X[2][3];
  for (int kept = 0; kept < 2; kept++) {
    add(arm, kept ? &keep : NULL);
    freeze();
    ck_assert_int_eq(cdn_model_frame_count(model), kept ? 0 : 2);
    OK_ON(state, cdn_state_set_q(state, &q));
    for (int i = 0; i < 3; i++) {
      cdn_model_frame frame;
      cdn_transform X_GB;
      OK(cdn_model_find_frame(model, links[i], &frame));
      ck_assert_str_eq(frame.name, links[i]);
      OK_ON(state, cdn_body_pose(state, frame.body, &X_GB));
      X[kept][i] = cdn_transform_multiply(X_GB, frame.X_BF);
    }
    cdn_model_frame none;
    FAILS(cdn_model_find_frame(model, "elbow", &none), CDN_ERR_ARG);
    ck_assert_int_eq(none.body.i, -1);
    end();
  }
  for (int i = 0; i < 36; i++) NEAR((&X[0][0].R.x.x)[i], (&X[1][0].R.x.x)[i], 1e-15);
}
END_TEST

START_TEST(test_sites_and_sensors) {
  add(cart, NULL);
  freeze();
  cdn_model_frame mark, imu;
  OK(cdn_model_find_frame(model, "mark", &mark));
  ck_assert(mark.body.i == 0 && mark.X_BF.p.y == 2);
  OK(cdn_model_get_frame(model, 1, &imu));
  ck_assert_str_eq(imu.name, "imu");
  ck_assert(imu.X_BF.p.z == 0.2 && imu.body.i == cdn_model_find_body(model, "cart").i);
  cdn_model_sensor sensor;
  ck_assert_int_eq(cdn_model_sensor_count(model), 2);
  OK(cdn_model_get_sensor(model, cdn_model_find_sensor(model, "acc"), &sensor));
  ck_assert(sensor.kind == CDN_SENSOR_ACCELEROMETER && sensor.n == 3);
  ck_assert_int_eq(sensor.measure.i, cdn_system_find_measure(built, "acc").i);
  FAILS(cdn_model_get_sensor(model, cdn_model_find_sensor(model, "no"), &sensor), CDN_ERR_ARG);
  end();
}
END_TEST

/* ---- the same System, whatever the way ------------------------------------------------------- */

static bool read_file(const char *variable, const char *name, char *path, size_t size) {
  const char *root = getenv(variable);
  snprintf(path, size, "%s/%s", root ? root : ".", name);
  FILE *file = fopen(path, "rb");
  if (!file) printf("skipped: there is no %s\n", path);
  if (file) fclose(file);
  return file != NULL;
}

#define COPY_ALL(KIND, type)                                                      \
  for (int i = 0; i < cdn_spec_count(from, CDN_SPEC_##KIND); i++) {               \
    cdn_spec_##type element;                                                      \
    int index;                                                                    \
    OK(cdn_spec_get_##type(from, i, &element));                                   \
    ck_assert_int_eq(cdn_spec_find(from, CDN_SPEC_##KIND, element.name) <= i, 1); \
    OK(cdn_spec_add_##type(to, &element, &index));                                \
    ck_assert_int_eq(index, i);                                                   \
  }

/* Built from nothing, through the public functions alone. */
static cdn_spec *copy_by_hand(const cdn_spec *from) {
  cdn_spec *to;
  cdn_vec3 g;
  OK(cdn_spec_create(NULL, &to));
  OK(cdn_spec_set_name(to, cdn_spec_name(from)));
  OK(cdn_spec_get_gravity(from, &g));
  OK(cdn_spec_set_gravity(to, g));
  COPY_ALL(BODY, body)
  COPY_ALL(JOINT, joint)
  COPY_ALL(CONSTRAINT, constraint)
  COPY_ALL(FRAME, frame)
  COPY_ALL(SHAPE, shape)
  COPY_ALL(ASSET, asset)
  COPY_ALL(SENSOR, sensor)
  COPY_ALL(TENDON, tendon)
  COPY_ALL(PATH_ITEM, path_item)
  COPY_ALL(ACTUATOR, actuator)
  COPY_ALL(KEY, key)
  return to;
}

static void same_bits(const char *what, const double *a, const double *b, int n) {
  ck_assert_msg(n == 0 || memcmp(a, b, sizeof *a * (size_t)n) == 0, "%s differs", what);
}

static void same_systems(cdn_state *a, cdn_state *b) {
  const cdn_system *s = cdn_state_system(a), *t = cdn_state_system(b);
  const int nq = cdn_system_nq(s), nu = cdn_system_nu(s);
  ck_assert(nq == cdn_system_nq(t) && nu == cdn_system_nu(t));
  ck_assert_int_eq(cdn_system_state_size(s), cdn_system_state_size(t));
  ck_assert_int_eq(cdn_system_body_count(s), cdn_system_body_count(t));
  ck_assert_int_eq(cdn_system_force_count(s), cdn_system_force_count(t));
  ck_assert_int_eq(cdn_system_constraint_count(s), cdn_system_constraint_count(t));
  ck_assert_int_eq(cdn_system_measure_count(s), cdn_system_measure_count(t));
  for (int i = 0; i < cdn_system_body_count(s); i++) {
    ck_assert_str_eq(cdn_body_name(s, (cdn_body){ i }), cdn_body_name(t, (cdn_body){ i }));
    ck_assert_str_eq(cdn_body_mobilizer_name(s, (cdn_body){ i }), cdn_body_mobilizer_name(t, (cdn_body){ i }));
  }
  for (int i = 0; i < cdn_system_force_count(s); i++)
    ck_assert_str_eq(cdn_force_name(s, (cdn_force){ i }), cdn_force_name(t, (cdn_force){ i }));
  same_bits("q", cdn_state_q(a), cdn_state_q(b), nq);
  ck_assert_int_eq(cdn_system_control_count(s), cdn_system_control_count(t));
  for (int i = 0; i < cdn_system_control_count(s); i++) {
    const cdn_control control = { i };
    double limits[2][2];
    ck_assert_str_eq(cdn_control_name(s, control), cdn_control_name(t, control));
    ck_assert_str_eq(cdn_control_unit(s, control), cdn_control_unit(t, control));
    OK_ON(a, cdn_control_limits(a, control, &limits[0][0], &limits[0][1]));
    OK_ON(b, cdn_control_limits(b, control, &limits[1][0], &limits[1][1]));
    same_bits("limits of a control", limits[0], limits[1], 2);
    OK_ON(a, cdn_control_set(a, control, 0.1 * i - 0.3));
    OK_ON(b, cdn_control_set(b, control, 0.1 * i - 0.3));
  }
  double *q = malloc(sizeof *q * (size_t)(nq + nu + 1)), *u = q + nq;
  for (int i = 0; i < nq; i++) q[i] = cdn_state_q(a)[i] + 0.01 * ((i * 7) % 5 - 2);
  for (int i = 0; i < nu; i++) u[i] = 0.1 * ((i * 5) % 7 - 3);
  cdn_state *both[2] = { a, b };
  for (int i = 0; i < 2; i++) {
    OK_ON(both[i], cdn_state_set_q(both[i], q));
    OK_ON(both[i], cdn_state_set_u(both[i], u));
    OK_ON(both[i], cdn_realize(both[i], CDN_STAGE_ACCELERATION));
  }
  free(q);
  double energy[2];
  OK_ON(a, cdn_potential_energy(a, &energy[0]));
  OK_ON(b, cdn_potential_energy(b, &energy[1]));
  same_bits("energy", &energy[0], &energy[1], 1);
  same_bits("udot", cdn_state_udot(a), cdn_state_udot(b), nu);
  same_bits("qerr", cdn_state_qerr(a), cdn_state_qerr(b), cdn_system_nqerr(s));
  for (int i = 0; i < cdn_system_measure_count(s); i++)
    same_bits(cdn_measure_name(s, (cdn_measure){ i }), cdn_measure_value(a, (cdn_measure){ i }),
              cdn_measure_value(b, (cdn_measure){ i }), cdn_measure_size(s, (cdn_measure){ i }));
}

static void check_ways(const char *path) {
  cdn_model *at_once, *ways[3];
  cdn_spec *spec, *copy, *by_hand;
  cdn_state *reference;
  /* who may touch whom is not in what a program copies */
  cdn_model_options untouched = cdn_default_model_options();
  untouched.contact = CDN_MODEL_NO_CONTACT;
  OK(cdn_model_load(path, &untouched, &at_once));
  OK(cdn_spec_load(path, &untouched, &spec));
  OK(cdn_spec_copy(spec, &copy));
  by_hand = copy_by_hand(spec);
  for (int way = 0; way < 3; way++) {
    cdn_system *system = cdn_system_create(NULL);
    model = NULL;
    cdn_status status = way == 0   ? cdn_model_load_into(path, &untouched, system, &ways[way])
                        : way == 1 ? cdn_model_build(copy, &untouched, system, &ways[way])
                                   : cdn_model_build(by_hand, &untouched, system, &ways[way]);
    model = ways[way];
    if (status != CDN_OK) fail_with(path);
    OK_FREEZE(system);
    OK(cdn_state_create(cdn_model_system(at_once), &reference));
    OK(cdn_state_create(system, &state));
    same_systems(reference, state);
    ck_assert_int_eq(cdn_model_joint_count(at_once), cdn_model_joint_count(model));
    for (int k = 0; k < cdn_model_key_count(model); k++) {
      const char *name = cdn_model_key_name(model, k);
      OK(cdn_model_set_key(model, name, state));
      OK(cdn_model_set_key(at_once, name, reference));
      same_bits("key", cdn_state_q(state), cdn_state_q(reference), cdn_system_nq(system));
      same_bits("key", cdn_state_u(state), cdn_state_u(reference), cdn_system_nu(system));
      same_bits("key", cdn_state_z(state), cdn_state_z(reference), cdn_system_nz(system));
      for (int c = 0; c < cdn_system_control_count(system); c++)
        ck_assert(cdn_control_given(state, (cdn_control){ c }) == cdn_control_given(reference, (cdn_control){ c }));
    }
    cdn_state_destroy(reference);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    cdn_system_release(system);
  }
  cdn_spec_destroy(spec);
  cdn_spec_destroy(copy);
  cdn_spec_destroy(by_hand);
  cdn_model_destroy(at_once);
  state = NULL, model = NULL;
}

START_TEST(test_all_ways_lead_to_the_same_system) {
  static const char *const shipped[] = { "arm.urdf",     "five_bar.xml", "gymnast.xml",
                                         "pendulum.xml", "top.xml",      "walker.xml" };
  static const char *const others[] = { "mjcf/arm26.xml",        "mjcf/car.xml",
                                        "mjcf/humanoid.xml",     "mjcf/pendulum.xml",
                                        "mjcf/slider_crank.xml", "urdf/panda.urdf",
                                        "urdf/solo12.urdf",      "urdf/simple_humanoid.urdf",
                                        "urdf/ur5_robot.urdf",   "urdf/double_pendulum.urdf" };
  char path[1024], name[64];
  for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
    snprintf(name, sizeof name, "examples/models/%s", shipped[i]);
    ck_assert(read_file("CARDAN_SOURCE_ROOT", name, path, sizeof path));
    check_ways(path);
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    snprintf(name, sizeof name, "models/%s", others[i]);
    if (read_file("CARDAN_SHARED", name, path, sizeof path)) check_ways(path);
  }
}
END_TEST

/* The finding's own robot. */
START_TEST(test_the_hand_of_a_real_robot) {
  char path[1024];
  if (!read_file("CARDAN_SHARED", "models/urdf/panda.urdf", path, sizeof path)) return;
  static const char *const links[] = { "panda_link7", "panda_link8", "panda_hand", "panda_hand_tcp" };
  cdn_transform X[2][4];
  for (int kept = 0; kept < 2; kept++) {
    cdn_model_options options = cdn_default_model_options();
    options.keep_fixed = kept;
    built = cdn_system_create(NULL);
    OK(cdn_model_load_into(path, &options, built, &model));
    freeze();
    double q[16] = { 0 };
    for (int i = 0; i < cdn_system_nq(built); i++) q[i] = 0.1 * (i + 1);
    OK_ON(state, cdn_state_set_q(state, q));
    for (int i = 0; i < 4; i++) {
      cdn_model_frame frame;
      cdn_transform X_GB;
      OK(cdn_model_find_frame(model, links[i], &frame));
      OK_ON(state, cdn_body_pose(state, frame.body, &X_GB));
      X[kept][i] = cdn_transform_multiply(X_GB, frame.X_BF);
    }
    end();
  }
  for (int i = 0; i < 48; i++) NEAR((&X[0][0].R.x.x)[i], (&X[1][0].R.x.x)[i], 2e-15);
}
END_TEST

CHECK_MAIN("model_open", test_elements_are_added_by_the_files_names, test_two_models_in_one_system,
           test_a_failure_stays_with_the_system, test_joints_tell_their_limits, test_assemblies_keep_within_limits,
           test_links_behind_fixed_joints_are_frames, test_sites_and_sensors, test_all_ways_lead_to_the_same_system,
           test_the_hand_of_a_real_robot)
