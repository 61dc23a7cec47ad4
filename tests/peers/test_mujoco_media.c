/* Air and water: forces of both of MuJoCo's models of fluids, and steps through them, against MuJoCo 2.2.2. */
#include <stdio.h>
#include <stdlib.h>

#include "forces/fluid.h"
#include "random_mjcf.h"
#include "step_rig.h"

/* Density, viscosity, time step, integrator. Boxes stand for bodies of several geoms and for one with an <inertial>;
 * ellipsoids of all kinds, two of them on one body. */
static const char swimmer[] =
    "<mujoco><compiler angle='radian'/><option density='%g' viscosity='%g' wind='.5 -1.5 .7' timestep='%g' "
    "integrator='%s'><flag contact='disable'/></option><worldbody><body name='head' pos='0 0 1'><freejoint/>"
    "<geom type='ellipsoid' size='.1 .25 .15' pos='.1 0 .05' euler='.3 .2 .1' fluidshape='ellipsoid'/>"
    "<geom type='box' size='.1 .05 .07' pos='-.2 0 0' fluidshape='ellipsoid' fluidcoef='.7 .1 2 .5 1.3'/>"
    "<geom type='sphere' size='.05' pos='.2 .1 0'/>"
    "<body name='neck' pos='.2 .1 0'><joint type='ball'/><geom type='capsule' size='.05 .2' pos='0 .1 .3' euler='.5 0 0'/>"
    "<geom type='box' size='.1 .03 .2' pos='.1 0 .4'/>"
    "<body name='tail' pos='0 .3 .4' euler='.2 .4 0'><joint axis='1 .2 0' damping='.3'/><joint type='slide' axis='0 1 .3' "
    "pos='.1 0 0' stiffness='20'/><inertial pos='.05 .1 .2' mass='2' diaginertia='.05 .07 .03' euler='.3 -.2 .6'/>"
    "<geom type='cylinder' size='.1 .02' pos='.2 0 .1'/></body>"
    "<body name='fin' pos='.3 0 .5'><joint axis='0 1 1'/><geom type='cylinder' size='.08 .2' euler='.4 .3 .2' pos='.2 0 .1' "
    "fluidshape='ellipsoid' fluidcoef='.3 .6 1 -.4 .8'/><geom type='capsule' size='.04 .1' pos='0 .3 0' "
    "fluidshape='ellipsoid'/></body></body></body></worldbody></mujoco>";

/* MuJoCo finds the fluid that moves along by a quadrature whose weights have eight digits: tests of all else give it
 * the exact numbers. *off: the largest difference, relative to the largest of the six. */
static void exact_added_mass(mjModel *m, double *off) {
  *off = 0;
  for (int g = 0; g < m->ngeom; g++) {
    double *fluid = m->geom_fluid + mjNFLUID * g, half[3], exact[6], size[2] = { 0, 0 };
    const double *a = m->geom_size + 3 * g;
    if (fluid[0] == 0) continue;
    const int type = m->geom_type[g];
    half[0] = a[0], half[1] = type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER ? a[0] : a[1];
    half[2] = type == mjGEOM_CAPSULE ? a[0] + a[1] : type == mjGEOM_CYLINDER ? a[1] : a[2];
    cdni_fluid_added_mass(half, exact, exact + 3);
    for (int k = 0; k < 6; k++) size[k / 3] = fmax(size[k / 3], fabs(exact[k]));
    for (int k = 0; k < 6; k++) *off = fmax(*off, fabs(fluid[6 + k] - exact[k]) / size[k / 3]);
    memcpy(fluid + 6, exact, sizeof exact);
  }
}

static step_rig load(double density, double viscosity, double step, const char *integrator) {
  char text[4000];
  double off;
  snprintf(text, sizeof text, swimmer, density, viscosity, step, integrator);
  step_rig r = step_rig_load("swimmer", text, NULL);
  exact_added_mass(r.m, &off);
  AT_MOST(off, 1e-5);
  return r;
}

/* What passive forces do to the speeds, on both sides. */
static double compare_forces(step_rig *r, int states) {
  const int nv = r->m->nv, nb = cdn_system_body_count(cdn_model_system(r->model));
  cdn_spatial F[STEP_RIG_MOST];
  double f[STEP_RIG_MOST], of_bodies[STEP_RIG_MOST], theirs[STEP_RIG_MOST], worst = 0;
  uint64_t rng = 5;
  ck_assert_int_le(nb, STEP_RIG_MOST);
  for (int i = 0; i < states; i++) {
    double size = 1e-9;
    step_rig_draw(r, &rng, 0.7, 3);
    OK_ON(r->state, cdn_applied_forces(r->state, F, f));
    OK_ON(r->state, cdn_multiply_by_J_transpose(r->state, F, of_bodies));
    mj_forward(r->m, r->d);
    mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), r->d->qfrc_passive, theirs);
    for (int k = 0; k < nv; k++) size = fmax(size, fabs(theirs[k]));
    for (int k = 0; k < nv; k++) worst = fmax(worst, fabs(f[k] + of_bodies[k] - theirs[k]) / size);
  }
  return worst;
}

START_TEST(forces_are_mujocos) {
  static const double medium[][2] = { { 1.2, 0 }, { 0, 0.4 }, { 900, 0.9 } };
  step_rig r = load(medium[_i][0], medium[_i][1], 0.002, "Euler");
  OK_ON(r.state,
        cdn_gravity_set(r.state, cdn_system_find_force(cdn_model_system(r.model), "gravity"), cdn_v3(0, 0, 0)));
  AT_MOST(compare_forces(&r, 200), 1e-12);
  step_rig_drop(&r);
}
END_TEST

/* Largest difference of speeds after n steps, over the largest change of speed. */
static double compare_steps(step_rig *r, cdn_method method, int n, int states) {
  double worst = 0;
  uint64_t rng = 9;
  for (int i = 0; i < states; i++) {
    double q[STEP_RIG_MOST], u[STEP_RIG_MOST], u0[STEP_RIG_MOST], size = 1e-3;
    const double h = r->m->opt.timestep;
    cdn_stepper_def def = cdn_default_stepper_def();
    cdn_stepper *stepper;
    step_rig_draw(r, &rng, 0.7, 2);
    memcpy(u0, cdn_state_u(r->state), (size_t)r->m->nv * sizeof *u0);
    def.method = method, def.fixed_step = h;
    OK_ON(r->state, cdn_stepper_create(r->state, &def, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, n * h, NULL));
    for (int k = 0; k < n; k++) mj_step(r->m, r->d);
    mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
    mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
    const double *end = cdn_state_u(cdn_stepper_state(stepper));
    for (int k = 0; k < r->m->nv; k++) size = fmax(size, fabs(u[k] - u0[k]));
    for (int k = 0; k < r->m->nv; k++) worst = fmax(worst, fabs(u[k] - end[k]) / size);
    cdn_stepper_destroy(stepper);
  }
  return worst;
}

START_TEST(steps_are_mujocos) {
  static const char *const theirs[] = { "Euler", "RK4", "implicit" };
  static const cdn_method ours[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_RK4, CDN_METHOD_MUJOCO_IMPLICIT };
  step_rig r = load(50, 0.9, 0.005, theirs[_i]);
  const double one = compare_steps(&r, ours[_i], 1, 100), many = compare_steps(&r, ours[_i], 50, 20);
  printf("%s: one step %.2g, 50 steps %.2g\n", theirs[_i], one, many);
  AT_MOST(one, 1e-10);
  AT_MOST(many, 1e-8);
  step_rig_drop(&r);
}
END_TEST

/* The ellipsoid of a mesh has the half sides of the box around it, in MuJoCo's frame of the mesh; that of a primitive
 * that is fitted to a mesh has the fitted sizes. MuJoCo's vertices are floats. */
START_TEST(ellipsoids_of_meshes) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><option density='300' viscosity='.9' wind='.5 -1.5 .7' gravity='0 0 0'/><asset>"
      "<mesh name='m' scale='.5 1 .8' vertex='0 0 0 1 0 0 0 1.5 0 0 0 .7' face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset>"
      "<worldbody><body><freejoint/><geom type='mesh' mesh='m' pos='.3 .1 .2' euler='.5 -.4 .3' fluidshape='ellipsoid'/>"
      "<geom type='box' mesh='m' euler='.1 .2 .3' mass='0' fluidshape='ellipsoid'/></body></worldbody></mujoco>";
  double off;
  step_rig r = step_rig_load("mesh", text, NULL);
  ck_assert_int_eq(cdn_model_not_understood_count(r.model), 0);
  exact_added_mass(r.m, &off);
  AT_MOST(compare_forces(&r, 20), 3e-6);
  step_rig_drop(&r);
}
END_TEST

/* Two moments are equal: the box has the axes that the file writes, of a geom or of an <inertial>. */
START_TEST(boxes_have_the_axes_of_the_file) {
  static const char text[] =
      "<mujoco><compiler angle='radian'/><option density='30' gravity='0 0 0'/><worldbody>"
      "<body><freejoint/><geom type='capsule' size='.1 .4' euler='.7 .4 .9' pos='.1 .2 .3'/></body>"
      "<body pos='3 0 0'><freejoint/><inertial pos='0 0 0' mass='2' diaginertia='.1 .1 .05' euler='.2 .5 1.1'/>"
      "<geom size='.1'/></body></worldbody></mujoco>";
  char message[500] = "";
  cdn_model *model;
  cdn_state *state;
  mj_bridge bridge;
  uint64_t rng = 4;
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "%s", message);
  mjData *d = mj_makeData(m);
  OK(cdn_model_load_string(text, sizeof text - 1, "model.xml", NULL, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  ck_assert(mj_bridge_init(&bridge, m, model));
  step_rig r = { .model = model, .state = state, .m = m, .d = d, .bridge = bridge, .name = "axes" };
  for (int i = 0; i < 20; i++) {
    double expected[12], size = 0;
    step_rig_draw(&r, &rng, 1, 3);
    mj_forward(m, d);
    mj_bridge_u_from_mujoco(&bridge, cdn_state_q(state), d->qacc, expected);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    for (int k = 0; k < 12; k++) size = fmax(size, fabs(expected[k]));
    for (int k = 0; k < 12; k++) NEAR(cdn_state_udot(state)[k], expected[k], 1e-9 * size);
  }
  step_rig_drop(&r);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, forces_are_mujocos, 0, 3);
  tcase_add_loop_test(c, steps_are_mujocos, 0, 3);
  tcase_add_test(c, boxes_have_the_axes_of_the_file);
  tcase_add_test(c, ellipsoids_of_meshes);
}
CHECK_MAIN_OF("mujoco media", 300, add)
