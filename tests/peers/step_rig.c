#include "step_rig.h"

#include <stdlib.h>

#include "../testing.h"
#include "random_mjcf.h"

step_rig step_rig_load(const char *name, const char *text, const cdn_soft_def *soft) {
  step_rig r = { .name = name };
  char message[500] = "";
  mj_bridge_handlers();
  r.m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(r.m != NULL, "%s: MuJoCo: %s", name, message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY,
  options.solving = CDN_MODEL_SOLVE_AS_FILE;
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  if (soft) cdn_system_set_soft(system, soft);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), name, &options, &spec);
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s", name, error.text);
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
  r.d = mj_makeData(r.m);
  mj_setConst(r.m, r.d);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  return r;
}

void step_rig_drop(step_rig *r) {
  mj_bridge_free(&r->bridge);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
}

int step_rig_activation(const step_rig *r, const cdn_model_actuator *a) {
  return mj_name2id(r->m, mjOBJ_ACTUATOR, a->name) - (r->m->nu - r->m->na);
}

void step_rig_draw(step_rig *r, uint64_t *rng, double spread, double speed) {
  double q[STEP_RIG_MOST], u[STEP_RIG_MOST];
  mj_resetData(r->m, r->d);
  for (int i = 0; i < r->m->nq; i++) q[i] = random_uniform(rng, -spread, spread);
  for (int i = 0; i < r->m->njnt; i++) {
    const cdn_model_joint joint = cdn_model_get_joint(r->model, i);
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
    OK(cdn_model_get_actuator(r->model, i, &a));
    const int id = mj_name2id(r->m, mjOBJ_ACTUATOR, a.name);
    r->d->ctrl[id] = random_uniform(rng, -2, 2);
    OK_ON(r->state, cdn_control_set(r->state, a.control, r->d->ctrl[id]));
    if (a.activation.group < 0) continue;
    double *act = &r->d->act[step_rig_activation(r, &a)];
    *act = random_uniform(rng, -1, 1);
    OK_ON(r->state, cdn_state_set_zvar(r->state, a.activation, act));
  }
}

double step_rig_differ(step_rig *r, cdn_method method, int n) {
  double q[STEP_RIG_MOST], u[STEP_RIG_MOST], u0[STEP_RIG_MOST], size = 0, off = 0;
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
    const cdn_model_joint joint = cdn_model_get_joint(r->model, j);
    double same = 1;
    for (int i = 0; i < 4 && joint.nq >= 4; i++)
      same = q[joint.first_q + i] * cdn_state_q(end)[joint.first_q + i] < -0.1 ? -1 : same;
    for (int i = joint.first_q; i < joint.first_q + joint.nq; i++)
      off = fmax(off, fabs((i < joint.first_q + 4 ? same : 1) * q[i] - cdn_state_q(end)[i]));
  }
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->model, i, &a));
    if (a.activation.group >= 0)
      off = fmax(off, fabs(*cdn_state_zvar(end, a.activation) - r->d->act[step_rig_activation(r, &a)]));
  }
  cdn_stepper_destroy(stepper);
  (void)nq;
  return off / fmax(size, 1e-3);
}

/* ---- models ---- */

const char step_rig_smooth[] =
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

const char step_rig_touching[] =
    "<mujoco><size njmax='2000' nconmax='500'/><option timestep='%g' integrator='%s' cone='elliptic'/><default><geom condim='4' margin='.01'/></default><worldbody>"
    "<geom type='plane' size='9 9 9'/><body name='a' pos='0 0 1'><joint type='hinge' axis='0 1 0' range='-20 30' limited='true' margin='.1' "
    "solreflimit='.05 .6' frictionloss='.3' solimplimit='.5 .9 .1' damping='.3'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/>"
    "<body name='b' pos='.4 0 0'><joint type='ball' frictionloss='.1' solreffriction='.1 1' damping='.2'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.1'/><body name='c' pos='.4 0 0'><joint type='slide' range='-.1 .2' limited='true' "
    "axis='1 0 0' frictionloss='2' solimpfriction='.4 .5' damping='5'/><geom type='sphere' size='.2'/></body></body></body>"
    "<body name='d' pos='0 1 .2'><joint type='free' damping='.4'/><geom type='sphere' size='.2'/></body></worldbody></mujoco>";
