/* MJCF sensors in Cardan and in MuJoCo 2.2.2: the same file, the same random states, every number of every sensor that we
 * have. Positions and velocities are sums over a few links: a few hundred roundings (1e-13) of their sizes, some units; for
 * accelerations a system of equations was solved, whose condition is some hundreds. */
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
    const cdn_model_joint joint = cdn_model_joint_get(model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
  }
  d->time = random_uniform(rng, 0, 5);
  OK_ON(state, cdn_state_set_time(state, d->time));
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  mj_bridge_q_to_mujoco(bridge, q, d->qpos);
  mj_bridge_u_to_mujoco(bridge, q, u, d->qvel);
}

static void compare(const mjModel *m, const mjData *d, cdn_state *state, int i) {
  const char *name = mj_id2name(m, mjOBJ_SENSOR, i);
  const cdn_system *system = cdn_state_system(state);
  const cdn_measure measure = cdn_system_find_measure(system, name);
  ck_assert_msg(measure.i >= 0, "'%s' is no measure", name);
  ck_assert_int_eq(cdn_measure_size(system, measure), m->sensor_dim[i]);
  const double *ours = cdn_measure_value(state, measure), *theirs = d->sensordata + m->sensor_adr[i];
  ck_assert_ptr_nonnull(ours);
  double sign = 1, size = 1;
  if (m->sensor_dim[i] == 4) {
    for (int k = sign = 0; k < 4; k++) sign += ours[k] * theirs[k]; /* a quaternion and its negative are one rotation */
    sign = sign < 0 ? -1 : 1;
  }
  for (int k = 0; k < m->sensor_dim[i]; k++) size = fmax(size, fabs(theirs[k]));
  const double tolerance = (m->sensor_needstage[i] == mjSTAGE_ACC ? 1e-10 : 1e-13) * 10 * size;
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    ck_assert_msg(fabs(sign * ours[k] - theirs[k]) <= tolerance, "%s[%d]: %.17g, MuJoCo %.17g: differ by %.3g > %.3g",
                  name, k, ours[k], theirs[k], fabs(sign * ours[k] - theirs[k]), tolerance);
  }
}

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
  cdn_error why;
  cdn_model_last_error(model, &why);
  ck_assert_msg(status == CDN_OK, "%s", why.text);
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

CHECK_MAIN("mujoco sensors", test_sensors)
