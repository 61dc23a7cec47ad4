/* MJCF sensors in Cardan and in MuJoCo 2.2.2: the same file, the same random states, every number of every sensor that
 * we have. Positions and velocities are sums over a few links: a few hundred roundings (1e-13) of their sizes, some
 * units; for accelerations a system of equations was solved, whose condition is some hundreds. */
#include "mujoco_bridge.h"

#include "../testing.h"
#include "random_mjcf.h"

static const char text[] =
    "<mujoco><compiler angle='radian'/><option gravity='0.3 -0.2 -9.7'/>"
    "<default><default class='turned'><site pos='0.1 0 0.02' euler='0.3 -0.2 0.5'/></default></default>"
    "<worldbody><site name='post' pos='0.5 0.5 1' axisangle='1 2 3 0.7'/>"
    " <body name='base' pos='0 0 1'><freejoint name='root'/>"
    "  <inertial pos='0.01 -0.02 0.03' mass='2' diaginertia='0.03 0.04 0.05'/>"
    "  <site name='imu' class='turned' pos='0.05 0.02 -0.1'/><site name='plain'/>"
    "  <body name='arm' pos='0.2 0 0' euler='0.1 0.2 0.3'><joint name='hinge' axis='0 1 1' pos='0 0.05 0' ref='0.2'/>"
    "   <joint name='slide' type='slide' axis='1 0 0.5'/>"
    "   <inertial pos='0 0 -0.2' mass='1' diaginertia='0.02 0.02 0.01'/>"
    "   <site name='rod' type='capsule' size='0.01' fromto='0 0 0 0.1 0.2 -0.3'/>"
    "   <body name='hand' pos='0 0 -0.4'><joint name='wrist' type='ball'/>"
    "    <inertial pos='0.02 0 -0.1' mass='0.5' diaginertia='0.004 0.005 0.006'/>"
    "    <site name='finger' class='turned'/></body></body>"
    "  <body name='tail' pos='-0.2 0 0'><joint name='wag' axis='0 0 1'/>"
    "   <inertial pos='-0.1 0 0' mass='0.3' diaginertia='0.001 0.003 0.003'/></body></body></worldbody>"
    "<sensor>"
    " <jointpos name='hinge' joint='hinge'/><jointpos name='slide cut' joint='slide' cutoff='0.1'/>"
    " <jointvel name='hinge v' joint='hinge'/><jointvel name='wag v' joint='wag' cutoff='0.5'/>"
    " <ballquat name='wrist' joint='wrist'/><ballangvel name='wrist v' joint='wrist'/>"
    " <accelerometer name='acc' site='imu'/><accelerometer name='acc finger' site='finger'/>"
    " <velocimeter name='vel' site='finger'/><gyro name='gyro' site='finger'/><gyro name='gyro cut' site='imu' cutoff='0.4'/>"
    " <framepos name='p site' objtype='site' objname='finger'/><framepos name='p rod' objtype='site' objname='rod'/>"
    " <framepos name='p body' objtype='body' objname='hand'/><framepos name='p xbody' objtype='xbody' objname='hand'/>"
    " <framepos name='p rel' objtype='site' objname='finger' reftype='site' refname='imu'/>"
    " <framepos name='p post' objtype='xbody' objname='tail' reftype='site' refname='post'/>"
    " <framequat name='q site' objtype='site' objname='finger'/><framequat name='q xbody' objtype='xbody' objname='arm'/>"
    " <framequat name='q rel' objtype='site' objname='rod' reftype='xbody' refname='tail'/>"
    " <framexaxis name='x' objtype='site' objname='imu'/><frameyaxis name='y' objtype='xbody' objname='hand'/>"
    " <framezaxis name='z' objtype='site' objname='rod' reftype='site' refname='finger'/>"
    " <framelinvel name='v site' objtype='site' objname='finger'/><framelinvel name='v body' objtype='body' objname='arm'/>"
    " <framelinvel name='v rel' objtype='site' objname='finger' reftype='site' refname='imu'/>"
    " <frameangvel name='w' objtype='xbody' objname='hand'/>"
    " <frameangvel name='w rel' objtype='body' objname='hand' reftype='xbody' refname='base'/>"
    " <framelinacc name='a site' objtype='site' objname='finger'/><framelinacc name='a body' objtype='body' objname='tail'/>"
    " <frameangacc name='alpha' objtype='xbody' objname='arm'/>"
    " <subtreecom name='com' body='arm'/><subtreecom name='com all' body='base'/><subtreecom name='com world' body='world'/>"
    " <subtreelinvel name='com v' body='arm'/><subtreelinvel name='com v all' body='base'/>"
    " <subtreeangmom name='L' body='arm'/><subtreeangmom name='L all' body='base'/><clock name='t'/>"
    "</sensor></mujoco>";

/* Random t, q and u on both sides. */
static void set_states(const cdn_model *model, cdn_state *state, const mj_bridge *bridge, mjData *d, uint64_t *rng) {
  double q[16], u[16];
  const cdn_system *system = cdn_model_system(model);
  for (int i = 0; i < cdn_system_nq(system); i++) q[i] = random_uniform(rng, -1, 1);
  for (int i = 0; i < cdn_system_nu(system); i++) u[i] = random_uniform(rng, -2, 2);
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
  }
  d->time = random_uniform(rng, 0, 5);
  OK_ON(state, cdn_state_set_time(state, d->time));
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  mj_bridge_q_to_mujoco(bridge, q, d->qpos);
  mj_bridge_u_to_mujoco(bridge, q, u, d->qvel);
}

static const double *value_of(cdn_state *state, const char *name) {
  const cdn_measure measure = cdn_system_find_measure(cdn_state_system(state), name);
  ck_assert_msg(measure.i >= 0, "'%s' is no measure", name);
  const double *value = cdn_measure_value(state, measure);
  cdn_error reason;
  cdn_state_last_error(state, &reason);
  ck_assert_msg(value != NULL, "%s: %s", name, reason.text);
  return value;
}

/* `loose`: to how much positions are compared. */
static void compare_to(const mjModel *m, const mjData *d, cdn_state *state, int i, double loose) {
  const char *name = mj_id2name(m, mjOBJ_SENSOR, i);
  const cdn_system *system = cdn_state_system(state);
  const cdn_measure measure = cdn_system_find_measure(system, name);
  ck_assert_msg(measure.i >= 0, "'%s' is no measure", name);
  ck_assert_int_eq(cdn_measure_size(system, measure), m->sensor_dim[i]);
  const double *ours = value_of(state, name), *theirs = d->sensordata + m->sensor_adr[i];
  double sign = 1, size = 1;
  if (m->sensor_dim[i] == 4) {
    for (int k = sign = 0; k < 4; k++) sign += ours[k] * theirs[k]; /* a quaternion and its negative are one rotation */
    sign = sign < 0 ? -1 : 1;
  }
  for (int k = 0; k < m->sensor_dim[i]; k++) size = fmax(size, fabs(theirs[k]));
  const double tolerance = (m->sensor_needstage[i] == mjSTAGE_ACC ? 1e3 : 1) * loose * size;
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    ck_assert_msg(fabs(sign * ours[k] - theirs[k]) <= tolerance, "%s[%d]: %.17g, MuJoCo %.17g: differ by %.3g > %.3g",
                  name, k, ours[k], theirs[k], fabs(sign * ours[k] - theirs[k]), tolerance);
  }
}

static void compare(const mjModel *m, const mjData *d, cdn_state *state, int i) { compare_to(m, d, state, i, 1e-12); }

/* MuJoCo has the frame of a mesh at the centre of its mass, along its principal axes, and that of a body's inertia. Its
 * vertices are floats, and it ends its turns of axes early. One mesh is not convex: its solid by the legacy way counts;
 * one has a refpos and a scale; a primitive is fitted to one. */
static const char meshes[] =
    "<mujoco><compiler angle='radian'/><asset><mesh name='tetra' refpos='.1 .2 -.1' scale='.5 1 .8' vertex='0 0 0 1 0 0 0 "
    "1.5 0 0 0 .7' face='0 2 1 0 1 3 0 3 2 1 2 3'/><mesh name='angle' scale='.3 .3 .3' vertex='0 0 0 2 0 0 2 1 0 1 1 0 "
    "1 3 0 0 3 0 0 0 1.2 2 0 1.2 2 1 1.2 1 1 1.2 1 3 1.2 0 3 1.2' face='0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 "
    "11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6 11'/></asset>"
    "<worldbody><geom name='still' type='mesh' mesh='angle' pos='3 0 0' euler='.2 .3 .4' contype='0' conaffinity='0'/>"
    "<body name='a'><freejoint/><geom name='tetra' type='mesh' mesh='tetra' pos='.3 .1 .2' euler='.5 -.4 .3' mass='1'/>"
    "</body><body name='b' pos='0 1 0'><joint type='ball'/><geom name='angle' type='mesh' mesh='angle' pos='.1 0 0' "
    "euler='0 .6 .1' mass='0'/><geom name='fitted' type='ellipsoid' mesh='tetra' pos='0 .2 .3' euler='.1 .2 .3' mass='0'/>"
    "<geom name='rod' type='capsule' size='.1 .4' pos='.2 .5 0' euler='.3 1 0' mass='.5'/><geom size='.2' mass='1'/></body></worldbody><sensor>"
    "<framepos name='p t' objtype='geom' objname='tetra'/><framequat name='q t' objtype='geom' objname='tetra'/>"
    "<framepos name='p s' objtype='geom' objname='still'/><framequat name='q s' objtype='geom' objname='still'/>"
    "<framepos name='p a' objtype='geom' objname='angle' reftype='geom' refname='still'/>"
    "<framequat name='q a' objtype='geom' objname='angle' reftype='geom' refname='still'/>"
    "<framexaxis name='x f' objtype='geom' objname='fitted'/><framepos name='p f' objtype='geom' objname='fitted'/>"
    "<framelinvel name='v a' objtype='geom' objname='angle'/><frameangvel name='w a' objtype='geom' objname='angle' "
    "reftype='geom' refname='tetra'/><framequat name='q b' objtype='body' objname='b'/>"
    "<framequat name='q body a' objtype='body' objname='a'/><frameyaxis name='y b' objtype='body' objname='b'/></sensor>"
    "</mujoco>";

START_TEST(test_frames_of_meshes) {
  char message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  mj_bridge bridge;
  uint64_t rng = 3;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(meshes, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "MuJoCo: %s", message);
  OK(cdn_model_load_string(meshes, strlen(meshes), "meshes", NULL, &model));
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  mj_bridge_tree_only(m);
  m->opt.disableflags &= ~mjDSBL_SENSOR;
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  for (int k = 0; k < 5; k++) {
    set_states(model, state, &bridge, d, &rng);
    mj_forward(m, d);
    for (int i = 0; i < m->nsensor; i++) compare_to(m, d, state, i, 3e-6);
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

START_TEST(test_sensors) {
  char message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  mj_bridge bridge;
  uint64_t rng = 3;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "MuJoCo: %s", message);
  cdn_status status = cdn_model_load_string(text, strlen(text), "sensors", NULL, &model);
  cdn_error reason;
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "%s", reason.text);
  ck_assert_int_eq(cdn_model_not_understood_count(model), 0);
  mj_bridge_tree_only(m);
  m->opt.disableflags &= ~mjDSBL_SENSOR;
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  ck_assert_int_eq(m->nsensor, cdn_system_measure_count(cdn_model_system(model)));
  for (int k = 0; k < 50; k++) {
    set_states(model, state, &bridge, d, &rng);
    mj_forward(m, d);
    for (int i = 0; i < m->nsensor; i++) compare(m, d, state, i);
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

/* What is in contact, driven, and held. The body of a joint has its force from its parent; what is touched is seen
 * along the force. */
static const char touching[] =
    "<mujoco><compiler angle='radian'/><option cone='elliptic'/><size nconmax='100' njmax='400'/><worldbody><geom "
    "type='plane' size='0 0 1'/>"
    "<geom name='lamp' type='sphere' size='.3' pos='0 0 3'/>"
    "<body name='trunk' pos='0 0 .5'><freejoint name='root'/><geom name='trunk' type='sphere' size='.2'/><site "
    "name='eye' pos='.05 0 .1' euler='.2 .1 0'/>"
    "<site name='belly' type='sphere' size='.25'/><body name='leg' pos='.3 0 -.2'><joint name='hip' axis='0 1 0'/>"
    "<joint name='twist' axis='0 0 1' pos='0 .1 0'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 -.2'/>"
    "<site name='shin' pos='0 .01 -.1' euler='.3 .5 .1'/><body name='foot' pos='0 0 -.25'><geom type='sphere' "
    "size='.07'/>"
    "<site name='sole' type='box' size='.08 .08 .05' pos='0 0 -.05'/><site name='ankle' euler='.1 0 "
    "0'/></body></body></body></worldbody>"
    "<tendon><fixed name='cord'><joint joint='hip' coef='2'/><joint joint='twist' coef='-.5'/></fixed></tendon>"
    "<actuator><position name='drive' joint='hip' kp='20' gear='3' forcelimited='true' forcerange='-4 9'/><motor "
    "name='pull' tendon='cord'/>"
    "<general name='slow' joint='twist' dyntype='filter' gainprm='2'/></actuator>"
    "<sensor><force name='f shin' site='shin'/><torque name='t shin' site='shin'/><force name='f ankle' site='ankle'/>"
    "<torque name='t ankle' site='ankle'/><force name='f eye' site='eye'/><touch name='sole' site='sole'/><touch "
    "name='belly' site='belly'/>"
    "<rangefinder name='up' site='eye'/><rangefinder name='out' site='shin' cutoff='2'/>"
    "<actuatorpos name='l' actuator='drive'/><actuatorvel name='v' actuator='drive'/><actuatorfrc name='p' "
    "actuator='drive'/>"
    "<actuatorpos name='l2' actuator='pull'/><actuatorfrc name='p2' actuator='pull'/><actuatorfrc name='p3' "
    "actuator='slow'/>"
    "<tendonpos name='cord' tendon='cord'/><tendonvel name='cord v' tendon='cord'/></sensor></mujoco>";

START_TEST(test_forces_and_touch) {
  char message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  mj_bridge bridge;
  uint64_t rng = 5;
  int touched = 0, seen = 0;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(touching, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "MuJoCo: %s", message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.strict = true;
  const cdn_status status = cdn_model_load_string(touching, strlen(touching), "touching", &options, &model);
  cdn_error reason;
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "%s", reason.text);
  m->opt.tolerance = 0, m->opt.iterations = 300;
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  for (int k = 0; k < 100; k++) {
    double q[9], u[8];
    for (int i = 0; i < 9; i++) q[i] = random_uniform(&rng, -1, 1);
    for (int i = 0; i < 8; i++) u[i] = random_uniform(&rng, -1, 1);
    random_quaternion(&rng, q);
    q[6] = random_uniform(&rng, 0.1, 0.6);
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    mj_bridge_q_to_mujoco(&bridge, q, d->qpos);
    mj_bridge_u_to_mujoco(&bridge, q, u, d->qvel);
    for (int i = 0; i < m->nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(model, i, &a));
      d->ctrl[i] = random_uniform(&rng, -1, 1);
      OK_ON(state, cdn_control_set(state, a.control, d->ctrl[i]));
      if (a.activation.group < 0) continue;
      d->act[0] = random_uniform(&rng, -1, 1);
      OK_ON(state, cdn_state_set_zvar(state, a.activation, d->act));
    }
    mj_forward(m, d);
    for (int i = 0; i < m->nsensor; i++) {
      const char *name = mj_id2name(m, mjOBJ_SENSOR, i);
      const double *ours = value_of(state, name);
      const double *theirs = d->sensordata + m->sensor_adr[i];
      double size = 10;
      for (int j = 0; j < m->sensor_dim[i]; j++) size = fmax(size, fabs(theirs[j]));
      /* Both solve the rows to about 1e-10 of the largest accelerations, which are hundreds of times these numbers. */
      for (int j = 0; j < m->sensor_dim[i]; j++)
        ck_assert_msg(fabs(ours[j] - theirs[j]) <= 1e-7 * size, "%s[%d]: %.12g, MuJoCo %.12g", name, j, ours[j],
                      theirs[j]);
      touched += m->sensor_type[i] == mjSENS_TOUCH && theirs[0] > 0;
      seen += m->sensor_type[i] == mjSENS_RANGEFINDER && theirs[0] > 0;
    }
  }
  ck_assert_msg(touched > 20 && seen > 20, "touched %d times, seen %d times", touched, seen);
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}
END_TEST

CHECK_MAIN("mujoco sensors", test_frames_of_meshes, test_sensors, test_forces_and_touch)
