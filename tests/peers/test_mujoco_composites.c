#define _GNU_SOURCE
/* <composite> of all types against MuJoCo 2.2.2: names, numbers of coordinates, mass matrices, accelerations and one
 * step. */
#include <stdio.h>

#include "random_mjcf.h"
#include "step_rig.h"

#include <cardan/operators.h>

typedef struct composite {
  const char *name, *text; /* the contents of the worldbody */
} composite;

static const composite composites[] = {
  { "particles",
    "<body name='hand' pos='0 0 2'><joint axis='0 1 0'/><geom size='.1'/><composite type='particle' count='2 2 3' "
    "spacing='.2' offset='.1 .2 .3'><joint kind='main' damping='.3' stiffness='5'/><geom size='.05' density='300'/>"
    "</composite></body>" },
  { "a line",
    "<composite type='grid' prefix='L' count='5' spacing='.2' offset='0 0 2'><geom size='.05'/>"
    "<joint kind='main' armature='.01'/><tendon kind='main' stiffness='3' damping='.2'/><pin coord='0'/></composite>" },
  { "a grid",
    "<body name='hand' pos='0 0 2'><freejoint/><geom size='.1'/><composite type='grid' count='4 3 1' spacing='.2'>"
    "<geom size='.05' group='2'/><site size='.01'/><tendon kind='main' width='.002' solreffix='.03'/>"
    "<tendon kind='shear' solreffix='.04 .9' solimpfix='.8 .92'/><pin coord='1 2'/><pin coord='3 0'/></composite>"
    "</body>" },
  { "a rope", "<body name='RB3' pos='0 0 2'><freejoint/><composite type='rope' prefix='R' count='7' spacing='.2'>"
              "<joint kind='main' damping='.01' stiffness='.02'/><joint kind='twist' damping='.02' solreffix='.05'/>"
              "<joint kind='stretch' solimpfix='.7 .8 .01'/><geom type='capsule' size='.02 .07'/></composite></body>" },
  { "a loop",
    "<body name='B0' pos='0 0 2'><joint type='ball'/><composite type='loop' count='8' spacing='.2' solrefsmooth='.02'>"
    "<joint kind='main' damping='.01'/><geom type='ellipsoid' size='.02 .03 .07' mass='.3'/></composite></body>" },
  { "a cloth", "<body name='cB1_2' pos='0 0 2'><freejoint/><composite type='cloth' prefix='c' count='4 4' spacing='.1' "
               "flatinertia='.05'><joint kind='main' damping='.001'/><joint kind='twist'/><joint kind='stretch'/>"
               "<geom type='capsule' size='.01 .03'/><tendon kind='shear'/></composite></body>" },
  { "a plain cloth", "<body name='B0_0' pos='0 0 2'><composite type='cloth' count='3 4' spacing='.1' flatinertia='0'>"
                     "<geom type='ellipsoid' size='.01 .02 .03'/></composite></body>" },
  { "a box",
    "<body name='box' pos='0 0 2'><freejoint/><composite type='box' prefix='x' count='3 3 3' spacing='.1'>"
    "<joint kind='main' armature='.01' solreffix='.03'/><geom type='capsule' size='.02 .01' density='200'/></composite>"
    "</body>" },
  { "a cylinder",
    "<body name='box' pos='0 0 2'><freejoint/><composite type='cylinder' count='3 3 3' spacing='.1' "
    "solrefsmooth='.04 .8' solimpsmooth='.8 .9'><geom type='ellipsoid' size='.02 .03 .04'/><tendon kind='main' "
    "solreffix='.02'/></composite></body>" },
  { "an ellipsoid", "<body name='box' pos='0 0 2'><freejoint/><composite type='ellipsoid' count='2 3 4' spacing='.1'>"
                    "<geom size='.02'/></composite></body>" },
};
enum { TYPES = sizeof composites / sizeof *composites };

/* Classes of the file have no effect on a composite. */
static void write_model(const composite *c, char *text, size_t size) {
  snprintf(text, size,
           "<mujoco><compiler angle='radian'/><option timestep='.001' integrator='Euler'/><default><geom density='7' "
           "contype='0' conaffinity='0'/><joint damping='9'/><site size='.3'/><tendon stiffness='44'/>"
           "<equality solref='.5 1'/></default><worldbody>%s</worldbody></mujoco>",
           c->text);
}

static void same_names(const step_rig *r) {
  const cdn_system *system = cdn_model_system(r->model);
  ck_assert_int_eq(cdn_model_not_understood_count(r->model), 0);
  ck_assert_int_eq(cdn_model_body_count(r->model), r->m->nbody - 1);
  ck_assert_int_eq(cdn_system_path_count(system), r->m->ntendon);
  for (int i = 1; i < r->m->nbody; i++) {
    const char *name = mj_id2name(r->m, mjOBJ_BODY, i);
    if (name) ck_assert_str_eq(cdn_body_name(system, cdn_model_body(r->model, i - 1)), name);
  }
  for (int i = 0; i < r->m->njnt; i++) {
    const char *name = mj_id2name(r->m, mjOBJ_JOINT, i);
    if (name) ck_assert_str_eq(cdn_model_get_joint(r->model, i).name, name);
  }
  for (int i = 0; i < r->m->ntendon; i++)
    ck_assert_str_eq(cdn_path_name(system, (cdn_path){ i }), mj_id2name(r->m, mjOBJ_TENDON, i));
}

static void same_masses(step_rig *r) {
  static double M[STEP_RIG_MOST * STEP_RIG_MOST], theirs[STEP_RIG_MOST * STEP_RIG_MOST];
  double most = 0;
  OK_ON(r->state, cdn_calc_M(r->state, M));
  ck_assert(mj_bridge_M_from_mujoco(&r->bridge, r->d, cdn_state_q(r->state), theirs));
  for (int i = 0; i < r->m->nv * r->m->nv; i++) most = fmax(most, fabs(theirs[i]));
  for (int i = 0; i < r->m->nv * r->m->nv; i++) NEAR(M[i], theirs[i], 1e-13 * most);
}

static double acceleration_off(step_rig *r) {
  double theirs[STEP_RIG_MOST], size = 1, error = 0;
  mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), r->d->qacc, theirs);
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION));
  for (int k = 0; k < r->m->nv; k++) {
    error = fmax(error, fabs(cdn_state_udot(r->state)[k] - theirs[k]));
    size = fmax(size, fabs(theirs[k]));
  }
  return error / size;
}

START_TEST(test_composite) {
  const composite *c = &composites[_i];
  char text[4000];
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false, soft.tolerance = 1e-15;
  write_model(c, text, sizeof text);
  step_rig r = step_rig_load(c->name, text, &soft);
  ck_assert_int_le(r.m->nq, STEP_RIG_MOST);
  uint64_t rng = 1;
  same_names(&r);
  for (int i = 0; i < 3; i++) {
    step_rig_draw(&r, &rng, 0.05, 0.5);
    mj_forward(r.m, r.d);
    same_masses(&r);
    const double off = acceleration_off(&r), step = step_rig_differ(&r, CDN_METHOD_MUJOCO_EULER, 1);
    ck_assert_msg(off <= 1e-8 && step <= 1e-8, "%s, state %d: udot differs by %.3g, a step by %.3g", c->name, i, off,
                  step);
  }
  step_rig_drop(&r);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, test_composite, 0, TYPES); }
CHECK_MAIN_OF("mujoco composites", 60, add)
