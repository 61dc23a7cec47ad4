/* One step of MuJoCo 2.2.2 and of ours from the same random states: Euler with implicit damping, implicit, RK4; and
 * some steps on. */
#include <stdio.h>

#include "random_mjcf.h"
#include "step_rig.h"

typedef struct pair {
  const char *theirs;
  cdn_method ours;
} pair;
static const pair methods[] = { { "Euler", CDN_METHOD_MUJOCO_EULER },
                                { "implicit", CDN_METHOD_MUJOCO_IMPLICIT },
                                { "RK4", CDN_METHOD_MUJOCO_RK4 } };
enum { METHODS = sizeof methods / sizeof *methods };

/* The part of `states` steps that differ by less than `limit`; the largest difference. */
static void compare(step_rig *r, const pair *p, int states, int n, double speed, double limit, double part) {
  uint64_t rng = 77;
  int near = 0;
  double worst = 0;
  for (int i = 0; i < states; i++) {
    step_rig_draw(r, &rng, 0.7, speed);
    const double off = step_rig_differ(r, p->ours, n);
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
    snprintf(text, sizeof text, step_rig_smooth, slow ? 0.02 : 0.002, p->theirs);
    step_rig r = step_rig_load("smooth", text, NULL);
    compare(&r, p, 100, 1, 3, 1e-11, 1);
    compare(&r, p, 20, 50, 3, slow ? 1e-8 : 1e-9, 1);
    step_rig_drop(&r);
  }
}
END_TEST

/* Muscles, a slider-crank and a filter on a site, with the time step and the integrator. */
static const char driven[] =
    "<mujoco><compiler angle='radian'/><option timestep='%g' integrator='%s'/><worldbody>"
    "<body name='upper' pos='0 0 1' euler='.1 .2 .3'><joint name='shoulder' axis='0 1 .2' damping='.1'/><inertial "
    "pos='.1 0 .05' mass='2' diaginertia='.1 .2 .15'/><site name='a' pos='.1 .2 .1'/>"
    "<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0' damping='.2'/><inertial pos='0 0 .2' mass='1' "
    "diaginertia='.1 .1 .15'/><body name='hand' pos='0 0 .3'><joint name='ball' type='ball'/><inertial pos='0 0 .1' "
    "mass='.5' diaginertia='.05 .04 .06'/><site name='c' euler='0 1 0'/></body></body></body>"
    "<site name='o' pos='.5 -.3 .4'/></worldbody>"
    "<tendon><fixed name='cord'><joint joint='shoulder' coef='.7'/><joint joint='elbow' coef='-.4'/></fixed></tendon>"
    "<actuator><muscle name='m1' joint='elbow' lengthrange='-2 2' force='8'/>"
    "<muscle name='m2' tendon='cord' lengthrange='-2 2' force='6' gear='-1'/>"
    "<general name='m3' site='a' refsite='o' gear='1 .5 0 0 0 0' lengthrange='-2 2' dyntype='muscle' dynprm='.01 .04' "
    "gaintype='muscle' gainprm='.7 1.1 9 1 .5 1.6 1.5 1.3 1.2' biastype='muscle' biasprm='.7 1.1 9 1 .5 1.6 1.5 1.3 1.2'/>"
    "<general name='crank' cranksite='c' slidersite='a' cranklength='3' gear='.5' dyntype='filter' dynprm='.1'/>"
    "<general name='tip' site='c' dyntype='muscle' dynprm='.05 .1' gainprm='2'/></actuator></mujoco>";

START_TEST(steps_with_muscles_are_mujocos) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, driven, 0.002, p->theirs);
  step_rig r = step_rig_load("muscles", text, NULL);
  compare(&r, p, 100, 1, 2, 1e-10, 1);
  compare(&r, p, 20, 50, 2, 1e-8, 1);
  step_rig_drop(&r);
}
END_TEST

START_TEST(steps_with_soft_rows_are_mujocos) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, step_rig_touching, 0.002, p->theirs);
  cdn_soft_def soft = cdn_default_soft_def();
  /* 2.2.2 leaves out how the direction of a ball's limit turns */
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  step_rig r = step_rig_load("touching", text, &soft);
  compare(&r, p, 200, 1, 1, 1e-8, 0.99);
  compare(&r, p, 20, 20, 1, 1e-5, 0.9);
  step_rig_drop(&r);
}
END_TEST

START_TEST(a_humanoid_steps_as_mujocos) {
  static char text[200000];
  const pair *p = &methods[_i];
  if (!mj_bridge_read_model("humanoid.xml", text, sizeof text))
    SKIP("there is no humanoid.xml among the shared models");
  step_rig r = step_rig_load("humanoid", text, NULL);
  r.m->opt.integrator = p->ours == CDN_METHOD_MUJOCO_EULER      ? mjINT_EULER
                        : p->ours == CDN_METHOD_MUJOCO_IMPLICIT ? mjINT_IMPLICIT
                                                                : mjINT_RK4;
  compare(&r, p, 200, 1, 1, 1e-8, 0.99);
  step_rig_drop(&r);
}
END_TEST

/* MuJoCo's step with random forces; ours back from its speeds. With rows the forces are MuJoCo's as far as its solver
 * came. */
static void invert(step_rig *r, const pair *p, int states, double limit) {
  uint64_t rng = 5;
  double worst = 0;
  for (int i = 0; i < states; i++) {
    double f[STEP_RIG_MOST], q[STEP_RIG_MOST], u1[STEP_RIG_MOST], tau[STEP_RIG_MOST], size = 1;
    step_rig_draw(r, &rng, 0.7, 1);
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
  snprintf(text, sizeof text, step_rig_smooth, 0.01, p->theirs);
  step_rig r = step_rig_load("smooth", text, NULL);
  invert(&r, p, 100, 1e-9);
  step_rig_drop(&r);
  snprintf(text, sizeof text, step_rig_touching, 0.002, p->theirs);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  r = step_rig_load("touching", text, &soft);
  invert(&r, p, 100, 1e-6);
  step_rig_drop(&r);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, steps_are_inverted, 0, 2);
  tcase_add_loop_test(c, smooth_steps_are_mujocos, 0, METHODS);
  tcase_add_loop_test(c, steps_with_muscles_are_mujocos, 0, METHODS);
  tcase_add_loop_test(c, steps_with_soft_rows_are_mujocos, 0, METHODS);
  tcase_add_loop_test(c, a_humanoid_steps_as_mujocos, 0, METHODS);
}
CHECK_MAIN_OF("mujoco steps", 300, add)
