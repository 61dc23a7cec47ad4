/* Mocap bodies against MuJoCo 2.2.2: what is welded or connected to them, pushed by them, or hangs on them, while they
 * are posed between steps; and the poses of keyframes. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include <cardan/cardan.h>

#include "../check_main.h"
#include "../testing.h"
#include "mujoco_bridge.h"

/* A hand on a soft weld, a pendulum on a connect, a finger whose parent is a mocap body, a ball that is pushed by a
 * mocap paddle which stands in the floor, and a second ball that the hand pushes. */
static const char model[] =
    "<mujoco><size njmax='2000' nconmax='500'/><option timestep='.002' integrator='%s' cone='elliptic'/>"
    "<default><geom condim='3' friction='.6 .01 .001'/></default><worldbody>"
    "<geom type='plane' size='9 9 9'/>"
    "<body name='target' mocap='true' pos='0 0 .5' quat='.8 0 0 .6'><geom type='box' size='.02 .02 .02' contype='0' "
    "conaffinity='0'/><site name='eye' pos='.1 0 0'/></body>"
    "<body name='hand' pos='0 0 .5' quat='.8 0 0 .6'><freejoint/><geom type='box' size='.1 .1 .1' mass='.7'/></body>"
    "<body name='hook' mocap='true' pos='1 1 2'/>"
    "<body name='bob' pos='1 1 1.5'><freejoint/><geom type='sphere' size='.1' mass='.5'/></body>"
    "<body name='wrist' mocap='true' pos='-1 0 1'><inertial pos='0 0 0' mass='5' diaginertia='1 2 3'/>"
    "<body name='finger' pos='.1 0 0'><joint name='knuckle' axis='0 1 0' damping='.05'/>"
    "<geom type='capsule' fromto='0 0 0 .3 0 0' size='.03' mass='.2'/></body></body>"
    "<body name='paddle' mocap='true' pos='2 0 .3'><geom type='box' size='.05 .4 .35'/></body>"
    "<body name='ball' pos='2.2 0 .12'><freejoint/><geom type='sphere' size='.12' mass='.4'/></body>"
    "<body name='other' pos='.35 0 .49'><freejoint/><geom type='sphere' size='.09' mass='.3'/></body>"
    "</worldbody><equality><weld body1='target' body2='hand' solref='.02 1'/>"
    "<connect body1='hook' body2='bob' anchor='0 0 0' solref='.03 1'/></equality>"
    "<sensor><framepos objtype='site' objname='eye'/><framelinvel objtype='body' objname='hand' reftype='site' "
    "refname='eye'/><framequat objtype='body' objname='wrist'/></sensor>"
    "<keyframe><key name='there' time='3' mpos='0 0 .7 1 1 2.1 -1 0 1.2 2.05 0 .3' mquat='1 0 0 0 .6 .8 0 0 1 0 0 0 3 0 0 4' "
    "qvel='0 0 0 0 0 0 .1 .2 .3 1 2 3 .5 0 0 0 0 0 0 0 0 0 0 0 0'/><key name='plain'/></keyframe></mujoco>";

static const char *const mocaps[] = { "target", "hook", "wrist", "paddle" };

typedef struct rig {
  cdn_model *ours;
  cdn_state *state;
  mjModel *m;
  mjData *d;
} rig;

static cdn_body body(const rig *r, const char *name) { return cdn_system_find_body(cdn_model_system(r->ours), name); }

static rig start(const char *integrator) {
  rig r = { .ours = NULL };
  static char text[6000];
  char message[500] = "";
  snprintf(text, sizeof text, model, integrator);
  cdn_model_options options = cdn_default_model_options();
  options.strict = true, options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  options.solving = CDN_MODEL_SOLVE_AS_FILE;
  mj_bridge_handlers();
  r.m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(r.m != NULL, "%s", message);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false; /* 2.2.2 leaves out how the arm of a connect turns */
  soft.tolerance = 1e-15;
  cdn_system *system = cdn_system_create(NULL);
  cdn_spec *spec;
  cdn_system_set_soft(system, &soft);
  OK(cdn_spec_load_string(text, strlen(text), "model.xml", &options, &spec));
  OK(cdn_model_build(spec, &options, system, &r.ours));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &r.state));
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  r.m->opt.tolerance = 1e-15, r.m->opt.iterations = 500;
  r.m->opt.disableflags |= mjDSBL_WARMSTART;
  r.d = mj_makeData(r.m);
  return r;
}

static void stop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->ours);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
}

/* Where the mocap bodies are at time t: they begin where the file has them. */
static void place(int which, double t, double p[3], double q[4]) {
  static const double p0[][3] = { { 0, 0, .5 }, { 1, 1, 2 }, { -1, 0, 1 }, { 2, 0, .3 } };
  const double s = sin(3 * t), c = 1 - cos(3 * t), turn = which == 3 ? 0 : 0.4 * s,
               first = which == 0 ? 2 * atan2(.6, .8) : 0;
  p[0] = p0[which][0] + 0.15 * s, p[1] = p0[which][1] + 0.1 * c * (which != 3),
  p[2] = p0[which][2] + 0.05 * c * (which != 3);
  q[0] = cos((first + turn) / 2), q[1] = q[2] = 0, q[3] = sin((first + turn) / 2);
}

static void pose_all(rig *r, cdn_state *state, double t) {
  for (int i = 0; i < 4; i++) {
    double p[3], q[4];
    place(i, t, p, q);
    const int id = r->m->body_mocapid[mj_name2id(r->m, mjOBJ_BODY, mocaps[i])];
    memcpy(r->d->mocap_pos + 3 * id, p, sizeof p);
    memcpy(r->d->mocap_quat + 4 * id, q, sizeof q);
    const cdn_quaternion e = { q[0], q[1], q[2], q[3] };
    OK_ON(state, cdn_mocap_set_pose(state, body(r, mocaps[i]),
                                    (cdn_transform){ cdn_rotation_from_quaternion(e), { p[0], p[1], p[2] } }));
  }
}

/* The largest difference of places and axes of all bodies. */
static double differ(const rig *r, cdn_state *state) {
  double off = 0;
  for (int b = 1; b < r->m->nbody; b++) {
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, body(r, mj_id2name(r->m, mjOBJ_BODY, b)), &X));
    const double ours[] = { X.p.x,   X.p.y,   X.p.z,   X.R.x.x, X.R.y.x, X.R.z.x,
                            X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z };
    for (int k = 0; k < 12; k++)
      off = fmax(off, fabs(ours[k] - (k < 3 ? r->d->xpos[3 * b + k] : r->d->xmat[9 * b + k - 3])));
  }
  return off;
}

typedef struct pair {
  const char *theirs;
  cdn_method ours;
} pair;
static const pair methods[] = { { "Euler", CDN_METHOD_MUJOCO_EULER },
                                { "implicit", CDN_METHOD_MUJOCO_IMPLICIT },
                                { "RK4", CDN_METHOD_MUJOCO_RK4 } };

START_TEST(what_mocap_bodies_hold_and_push_moves_as_in_mujoco) {
  rig r = start(methods[_i].theirs);
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = methods[_i].ours, def.fixed_step = 0.002;
  OK_ON(r.state, cdn_stepper_create(r.state, &def, &stepper));
  double off = 0, moved = 0;
  for (int i = 0; i < 150; i++) {
    cdn_state *state = cdn_stepper_state(stepper);
    pose_all(&r, state, 0.002 * i);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 0.002 * (i + 1), NULL));
    mj_step(r.m, r.d);
    mj_kinematics(r.m, r.d);
    off = fmax(off, differ(&r, cdn_stepper_state(stepper)));
  }
  moved = fabs(r.d->xpos[3 * mj_name2id(r.m, mjOBJ_BODY, "ball")] - 2.2);
  printf("%-9s 150 steps: bodies differ by %.2g m; the ball moved by %.2g m\n", methods[_i].theirs, off, moved);
  ck_assert_double_gt(moved, 0.05);
  AT_MOST(off, 1e-12); /* hundreds of roundings of a few metres */
  cdn_stepper_destroy(stepper);
  stop(&r);
}
END_TEST

START_TEST(accelerations_sensors_and_weights_are_mujocos) {
  rig r = start("Euler");
  pose_all(&r, r.state, 0.21);
  mj_forward(r.m, r.d);
  mj_sensorPos(r.m, r.d), mj_sensorVel(r.m, r.d);
  const cdn_system *system = cdn_model_system(r.ours);
  int at = 0;
  for (int i = 0; i < cdn_system_measure_count(system); i++) {
    const double *values = cdn_measure_value(r.state, (cdn_measure){ i });
    ck_assert_msg(values != NULL, "%s", cdn_last_error_text());
    for (int k = 0; k < cdn_measure_size(system, (cdn_measure){ i }); k++, at++)
      NEAR(values[k], r.d->sensordata[at], 1e-13);
  }
  ck_assert_int_eq(at, r.m->nsensordata);
  /* of the hinge alone: the axes of free joints differ */
  const int knuckle = r.m->jnt_dofadr[mj_name2id(r.m, mjOBJ_JOINT, "knuckle")];
  const int slot = cdn_body_first_u(system, body(&r, "finger"));
  NEAR(cdn_state_udot(r.state)[slot], r.d->qacc[knuckle], 1e-9 * fabs(r.d->qacc[knuckle]));
  stop(&r);
}
END_TEST

/* MuJoCo's model of the file that is written of ours. */
static mjModel *written(void) {
  static char text[6000];
  char path[64], message[500] = "";
  cdn_spec *spec;
  snprintf(text, sizeof text, model, "Euler");
  snprintf(path, sizeof path, "/tmp/cardan-mocap-%ld.xml", (long)getpid());
  OK(cdn_spec_load_string(text, strlen(text), "model.xml", NULL, &spec));
  const cdn_status status = cdn_spec_save(spec, path, NULL);
  ck_assert_msg(status == CDN_OK, "%s", cdn_last_error_text());
  cdn_spec_destroy(spec);
  mjModel *m = mj_bridge_load_file(path, message, sizeof message);
  ck_assert_msg(m != NULL, "%s", message);
  remove(path);
  return m;
}

START_TEST(keys_have_poses) {
  rig r = start("Euler");
  mjModel *m = written();
  mjData *d = mj_makeData(m);
  ck_assert_int_eq(m->nmocap, 4);
  ck_assert_int_eq(m->nq, r.m->nq);
  for (int k = 0; k < 2; k++) {
    mj_resetDataKeyframe(r.m, r.d, k);
    mj_kinematics(r.m, r.d);
    OK(cdn_model_set_key(r.ours, k ? "plain" : "there", r.state));
    AT_MOST(differ(&r, r.state), 1e-15);
    NEAR(cdn_state_time(r.state), r.d->time, 0);
    mj_resetDataKeyframe(m, d, k);
    for (int i = 0; i < 12; i++) NEAR(d->mocap_pos[i], r.d->mocap_pos[i], 0);
    mj_kinematics(m, d);
    for (int i = 0; i < 9 * m->nbody; i++) NEAR(d->xmat[i], r.d->xmat[i], 1e-15);
    for (int i = 0; i < m->nv; i++) NEAR(d->qvel[i], r.d->qvel[i], 1e-15);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  stop(&r);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, what_mocap_bodies_hold_and_push_moves_as_in_mujoco, 0, 3);
  tcase_add_test(c, accelerations_sensors_and_weights_are_mujocos);
  tcase_add_test(c, keys_have_poses);
}
CHECK_MAIN_OF("mujoco mocap", 120, add)
