/* One step of MuJoCo 2.2.2 and of ours from the same random states: Euler with implicit damping, implicit, RK4; and some steps on. */
#include "mujoco_bridge.h"

#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"
#include "random_mjcf.h"

enum { MOST = 80 };

typedef struct rig {
  cdn_model *model;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  const char *name;
} rig;

static rig load(const char *name, const char *text, const cdn_soft_def *soft) {
  rig r = { .name = name };
  char message[500] = "";
  mj_bridge_handlers();
  r.m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(r.m != NULL, "%s: MuJoCo: %s", name, message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  if (soft) cdn_system_set_soft(system, soft);
  OK(cdn_spec_load_string(text, strlen(text), name, &options, &spec));
  OK(cdn_model_build(spec, &options, system, &r.model));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &r.state));
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.model));
  /* MuJoCo's principal axes are off by up to 1e-6; what lies in these axes keeps its place */
  for (int i = 0; i < r.m->ngeom; i++) r.m->geom_sameframe[i] = 0;
  for (int i = 0; i < r.m->nsite; i++) r.m->site_sameframe[i] = 0;
  for (int b = 1; b < r.m->nbody; b++)
    mj_bridge_set_inertia(r.m, b, cdn_body_mass_properties(r.state, cdn_model_body(r.model, b - 1)).inertia);
  r.m->opt.tolerance = 1e-15, r.m->opt.iterations = 500;
  r.m->opt.disableflags |= mjDSBL_WARMSTART;
  for (int i = 0; i < r.m->ntendon; i++) r.m->tendon_limited[i] = 0; /* there are no tendons here */
  r.d = mj_makeData(r.m);
  mj_setConst(r.m, r.d);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  return r;
}

static void unload(rig *r) {
  mj_bridge_free(&r->bridge);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

static int activation_of(const rig *r, const cdn_model_actuator *a) {
  return mj_name2id(r->m, mjOBJ_ACTUATOR, a->name) - (r->m->nu - r->m->na);
}

/* The same random state on both sides. */
static void draw(rig *r, uint64_t *rng, double spread, double speed) {
  double q[MOST], u[MOST];
  mj_resetData(r->m, r->d);
  for (int i = 0; i < r->m->nq; i++) q[i] = random_uniform(rng, -spread, spread);
  for (int i = 0; i < r->m->njnt; i++) {
    const cdn_model_joint joint = cdn_model_joint_get(r->model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
    if (joint.nq == 7) q[joint.first_q + 6] = random_uniform(rng, 0.1, 1.5);
  }
  for (int i = 0; i < r->m->nv; i++) u[i] = random_uniform(rng, -speed, speed);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
  OK_ON(r->state, cdn_state_set_time(r->state, 0));
  mj_bridge_q_to_mujoco(&r->bridge, q, r->d->qpos);
  mj_bridge_u_to_mujoco(&r->bridge, q, u, r->d->qvel);
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_actuator_get(r->model, i, &a));
    const int id = mj_name2id(r->m, mjOBJ_ACTUATOR, a.name);
    r->d->ctrl[id] = random_uniform(rng, -2, 2);
    OK_ON(r->state, cdn_control_set(r->state, a.control, r->d->ctrl[id]));
    if (a.activation.group < 0) continue;
    double *act = &r->d->act[activation_of(r, &a)];
    *act = random_uniform(rng, -1, 1);
    OK_ON(r->state, cdn_state_set_zvar(r->state, a.activation, act));
  }
}

/* The largest difference of q, u and activations after n steps, relative to the largest change of speed in a step. */
static double differ(rig *r, cdn_method method, int n) {
  double q[MOST], u[MOST], u0[MOST], size = 0, off = 0;
  const int nq = r->m->nq, nv = r->m->nv;
  const double h = r->m->opt.timestep;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  memcpy(u0, cdn_state_u(r->state), (size_t)nv * sizeof *u0);
  def.method = method, def.fixed_step = h;
  OK_ON(r->state, cdn_stepper_create(r->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, n * h, NULL));
  cdn_certificate certificate;
  OK(cdn_stepper_certificate(stepper, &certificate));
  ck_assert_int_eq(certificate.steps, n);
  for (int i = 0; i < n; i++) mj_step(r->m, r->d);
  const cdn_state *end = cdn_stepper_state(stepper);
  mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
  for (int i = 0; i < nv; i++) {
    size = fmax(size, fabs(u[i] - u0[i]));
    off = fmax(off, fabs(u[i] - cdn_state_u(end)[i]));
  }
  for (int j = 0; j < r->m->njnt; j++) {
    const cdn_model_joint joint = cdn_model_joint_get(r->model, j);
    double same = 1;
    for (int i = 0; i < 4 && joint.nq >= 4; i++)
      same = q[joint.first_q + i] * cdn_state_q(end)[joint.first_q + i] < -0.1 ? -1 : same;
    for (int i = joint.first_q; i < joint.first_q + joint.nq; i++)
      off = fmax(off, fabs((i < joint.first_q + 4 ? same : 1) * q[i] - cdn_state_q(end)[i]));
  }
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_actuator_get(r->model, i, &a));
    if (a.activation.group >= 0)
      off = fmax(off, fabs(*cdn_state_zvar(end, a.activation) - r->d->act[activation_of(r, &a)]));
  }
  cdn_stepper_destroy(stepper);
  (void)nq;
  return off / fmax(size, 1e-3);
}

/* ---- models ---- */

static const char SMOOTH[] =
    "<mujoco><compiler angle='radian'/><option timestep='%g' integrator='%s'/>"
    "<worldbody><body name='base' pos='0 0 1' euler='.1 .2 .3'><joint type='free' name='root' damping='.7'/>"
    "<inertial pos='.1 0 .05' mass='3' diaginertia='.3 .4 .5'/><site name='nozzle' pos='.1 .2 -.3' euler='.4 0 .7'/>"
    "<body name='arm' pos='.3 0 0' euler='0 .5 0'><joint name='shoulder' type='ball' pos='0 .1 0' damping='.5' stiffness='3'/>"
    "<inertial pos='.1 0 0' mass='1' diaginertia='.1 .2 .15'/>"
    "<body name='rod' pos='0 0 .4'><joint name='elbow' axis='0 1 1' ref='.3' damping='4' armature='.02'/>"
    "<joint name='piston' type='slide' axis='1 0 0' ref='-.2' damping='2' stiffness='50'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .15'/><site name='tip' pos='0 0 .3' euler='1 2 .5'/></body></body></body>"
    "<body name='cart' pos='2 0 0'><joint name='rail' type='slide' axis='1 .2 0' damping='3'/><joint name='wheel' axis='0 1 0' damping='.1'/>"
    "<inertial pos='.2 0 0.1' mass='2' diaginertia='.2 .2 .3'/></body>"
    "<body name='top' pos='4 0 0'><freejoint/><inertial pos='.1 .2 0' mass='2' diaginertia='.2 .3 .4'/></body></worldbody><actuator>"
    "<motor name='a' joint='elbow' gear='2'/><position name='b' kp='7' joint='wheel' gear='-2'/><velocity name='c' kv='3' joint='rail' gear='2'/>"
    "<velocity name='f' joint='shoulder' kv='2' gear='1 0 .5'/>"
    "<velocity name='g' joint='root' kv='3' gear='0 1 0 0 0 1'/><motor name='h' site='nozzle' gear='0 0 1 0 0 .2'/>"
    "<general name='d' joint='piston' dyntype='filter' dynprm='.25' biastype='affine' biasprm='.1 -20 -3'/>"
    "<general name='e' joint='elbow' dyntype='integrator' gainprm='3' gear='2'/>"
    "</actuator></mujoco>";

static const char TOUCHING[] =
    "<mujoco><size njmax='2000' nconmax='500'/><option timestep='%g' integrator='%s' cone='elliptic'/><default><geom condim='4' margin='.01'/></default><worldbody>"
    "<geom type='plane' size='9 9 9'/><body name='a' pos='0 0 1'><joint type='hinge' axis='0 1 0' range='-20 30' limited='true' margin='.1' "
    "solreflimit='.05 .6' frictionloss='.3' solimplimit='.5 .9 .1' damping='.3'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/>"
    "<body name='b' pos='.4 0 0'><joint type='ball' frictionloss='.1' solreffriction='.1 1' damping='.2'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/><body name='c' pos='.4 0 0'><joint type='slide' range='-.1 .2' limited='true' "
    "axis='1 0 0' frictionloss='2' solimpfriction='.4 .5' damping='5'/><geom type='sphere' size='.2'/></body></body></body>"
    "<body name='d' pos='0 1 .2'><joint type='free' damping='.4'/><geom type='sphere' size='.2'/></body></worldbody></mujoco>";

typedef struct pair {
  const char *theirs;
  cdn_method ours;
} pair;
static const pair methods[] = { { "Euler", CDN_METHOD_DAMPED_EULER },
                                { "implicit", CDN_METHOD_IMPLICIT },
                                { "RK4", CDN_METHOD_RUNGE_KUTTA_4 } };
enum { METHODS = sizeof methods / sizeof *methods };

/* The part of `states` steps that differ by less than `limit`; the largest difference. */
static void compare(rig *r, const pair *p, int states, int n, double speed, double limit, double part) {
  uint64_t rng = 77;
  int near = 0;
  double worst = 0;
  for (int i = 0; i < states; i++) {
    draw(r, &rng, 0.7, speed);
    const double off = differ(r, p->ours, n);
    near += off <= limit;
    worst = fmax(worst, off);
  }
  printf("%-10s %-9s %d steps: %d of %d within %g, worst %.2g\n", r->name, p->theirs, n, near, states, limit, worst);
  ck_assert_msg(near >= part * states, "%s, %s, %d steps: %d of %d within %g, worst %.3g", r->name, p->theirs, n, near,
                states, limit, worst);
}

START_TEST(smooth_steps_are_mujocos) {
  const pair *p = &methods[_i];
  for (int slow = 0; slow < 2; slow++) {
    char text[5000];
    snprintf(text, sizeof text, SMOOTH, slow ? 0.02 : 0.002, p->theirs);
    rig r = load("smooth", text, NULL);
    compare(&r, p, 100, 1, 3, 1e-11, 1);
    compare(&r, p, 20, 50, 3, slow ? 1e-8 : 1e-9, 1);
    unload(&r);
  }
}
END_TEST

START_TEST(steps_with_soft_rows_are_mujocos) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, TOUCHING, 0.002, p->theirs);
  cdn_soft_def soft = cdn_default_soft_def();
  /* 2.2.2 leaves out how the direction of a ball's limit turns */
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  rig r = load("touching", text, &soft);
  compare(&r, p, 200, 1, 1, 1e-8, 0.99);
  compare(&r, p, 20, 20, 1, 1e-5, 0.9);
  unload(&r);
}
END_TEST

START_TEST(a_humanoid_steps_as_mujocos) {
  static char text[200000];
  const pair *p = &methods[_i];
  if (!mj_bridge_read_model("humanoid.xml", text, sizeof text))
    SKIP("there is no humanoid.xml among the shared models");
  rig r = load("humanoid", text, NULL);
  r.m->opt.integrator = p->ours == CDN_METHOD_DAMPED_EULER ? mjINT_EULER
                        : p->ours == CDN_METHOD_IMPLICIT   ? mjINT_IMPLICIT
                                                           : mjINT_RK4;
  compare(&r, p, 200, 1, 1, 1e-8, 0.99);
  unload(&r);
}
END_TEST

/* MuJoCo's step with random forces; ours back from its speeds. With rows the forces are MuJoCo's as far as its solver came. */
static void invert(rig *r, const pair *p, int states, double limit) {
  uint64_t rng = 5;
  double worst = 0;
  for (int i = 0; i < states; i++) {
    double f[MOST], q[MOST], u1[MOST], tau[MOST], size = 1;
    draw(r, &rng, 0.7, 1);
    for (int k = 0; k < r->m->nv; k++) f[k] = random_uniform(&rng, -5, 5);
    memcpy(q, cdn_state_q(r->state), (size_t)r->m->nq * sizeof *q);
    mj_bridge_u_to_mujoco(&r->bridge, q, f, r->d->qfrc_applied);
    mj_step(r->m, r->d);
    /* the speeds in the axes of the start of the step: those of balls and free joints turn about themselves */
    mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
    mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u1);
    OK_ON(r->state, cdn_step_inverse_dynamics(r->state, p->ours, r->m->opt.timestep, u1, tau));
    for (int k = 0; k < r->m->nv; k++) size = fmax(size, fabs(r->d->qfrc_constraint[k]));
    for (int k = 0; k < r->m->nv; k++) worst = fmax(worst, fabs(tau[k] - f[k]) / size);
  }
  printf("%-10s %-9s inverse: worst %.2g\n", r->name, p->theirs, worst);
  AT_MOST(worst, limit);
}

START_TEST(steps_are_inverted) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, SMOOTH, 0.01, p->theirs);
  rig r = load("smooth", text, NULL);
  invert(&r, p, 100, 1e-9);
  unload(&r);
  snprintf(text, sizeof text, TOUCHING, 0.002, p->theirs);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  r = load("touching", text, &soft);
  invert(&r, p, 100, 1e-6);
  unload(&r);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, steps_are_inverted, 0, 2);
  tcase_add_loop_test(c, smooth_steps_are_mujocos, 0, METHODS);
  tcase_add_loop_test(c, steps_with_soft_rows_are_mujocos, 0, METHODS);
  tcase_add_loop_test(c, a_humanoid_steps_as_mujocos, 0, METHODS);
}
int main(void) { return check_suite("mujoco steps", 300, add); }
