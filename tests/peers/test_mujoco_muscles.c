/* Muscles and suction cups against MuJoCo 2.2.2: the curves, also in closed form; peak forces and length ranges that a
 * file leaves open; actuators of a user; contacts that are pressed together; steps. */
#include <stdio.h>

#include "random_mjcf.h"
#include "step_rig.h"

/* ---- curves ---- */

static cdn_muscle draw_muscle(uint64_t *rng, double prm[9]) {
  cdn_muscle m = cdn_default_muscle();
  m.range[0] = random_uniform(rng, 0.5, 0.9), m.range[1] = random_uniform(rng, 0.95, 1.4);
  m.peak = random_uniform(rng, -1, 2), m.scale = random_uniform(rng, 10, 300);
  m.lmin = random_uniform(rng, 0.2, 0.8), m.lmax = random_uniform(rng, 1.2, 2);
  m.vmax = random_uniform(rng, 0.5, 4), m.fpmax = random_uniform(rng, 0.5, 2), m.fvmax = random_uniform(rng, 1.05, 2);
  m.length_range[0] = random_uniform(rng, -2, 1), m.length_range[1] = m.length_range[0] + random_uniform(rng, 0.1, 3);
  m.acceleration = random_uniform(rng, 0.1, 30);
  memcpy(prm, (double[9]){ m.range[0], m.range[1], m.peak, m.scale, m.lmin, m.lmax, m.vmax, m.fpmax, m.fvmax },
         9 * sizeof *prm);
  return m;
}

START_TEST(curves_are_mujocos) {
  uint64_t rng = 5;
  for (int i = 0; i < 20000; i++) {
    double prm[9];
    const cdn_muscle m = draw_muscle(&rng, prm);
    const double middle = 0.5 * (m.length_range[0] + m.length_range[1]), width = m.length_range[1] - m.length_range[0];
    const double l = middle + random_uniform(&rng, -2, 2) * width, v = random_uniform(&rng, -8, 8) * width;
    const double peak = m.peak < 0 ? m.scale / m.acceleration : m.peak, size = 1e-12 * (1 + 20 * peak);
    /* below lmin a muscle of 2.2.2 pushes; newer ones have no force */
    const double L = m.range[0] + (l - m.length_range[0]) / width * (m.range[1] - m.range[0]);
    const double active = L < m.lmin ? 0 : mju_muscleGain(l, v, m.length_range, m.acceleration, prm);
    NEAR(cdn_muscle_gain(&m, l, v), active, size);
    NEAR(cdn_muscle_bias(&m, l), mju_muscleBias(l, m.length_range, m.acceleration, prm), size);
    const double time[3] = { random_uniform(&rng, 0.01, 0.1), random_uniform(&rng, 0.02, 0.2), 0 };
    const double c = random_uniform(&rng, -0.5, 1.5), a = random_uniform(&rng, -0.5, 1.5);
    NEAR(cdn_muscle_rate(time, c, a), mju_muscleDynamics(c, a, time), 1e-11);
  }
}
END_TEST

/* Millard's curves at places that are known: optimal length, ends, full speed; a smooth change of time constants keeps
 * both ends, and has the mean in the middle. */
START_TEST(curves_have_their_closed_forms) {
  cdn_muscle m = cdn_default_muscle();
  m.peak = 3, m.range[0] = 0, m.range[1] = 2, m.length_range[0] = 0, m.length_range[1] = 2; /* L = l */
  NEAR(cdn_muscle_gain(&m, 1, 0), -3, 1e-15);
  NEAR(cdn_muscle_gain(&m, m.lmin, 0), 0, 1e-15);
  NEAR(cdn_muscle_gain(&m, m.lmax, 0), 0, 1e-15);
  NEAR(cdn_muscle_gain(&m, 0.5 * (m.lmin + 1), 0), -1.5, 1e-14);
  NEAR(cdn_muscle_gain(&m, 1, -m.vmax), 0, 1e-15);
  NEAR(cdn_muscle_gain(&m, 1, -0.5 * m.vmax), -0.75, 1e-14);
  NEAR(cdn_muscle_gain(&m, 1, 10), -3 * m.fvmax, 1e-14);
  NEAR(cdn_muscle_bias(&m, 1), 0, 1e-15);
  NEAR(cdn_muscle_bias(&m, m.lmax), -3 * 1.5 * m.fpmax, 1e-14);
  NEAR(cdn_muscle_bias(&m, 0.5 * (1 + m.lmax)), -3 * 0.5 * m.fpmax, 1e-14);
  const double time[3] = { 0.02, 0.06, 0.2 }, s = 0.5 + 1.5 * 0.4;
  NEAR(cdn_muscle_rate(time, 0.6, 0.4), 0.2 / (0.02 * s), 1e-12);
  NEAR(cdn_muscle_rate(time, 0.2, 0.4), -0.2 / (0.06 / s), 1e-12);
  NEAR(cdn_muscle_rate(time, 0.4 + 1e-9, 0.4), 1e-9 / (0.5 * (0.02 * s + 0.06 / s)), 1e-15);
}
END_TEST

/* ---- what a file leaves open ---- */

/* Arguments: of <compiler>, actuators. */
static const char ARM[] =
    "<mujoco><compiler angle='radian' autolimits='true'>%s</compiler><option integrator='%s' timestep='.002'/><worldbody>"
    "<body name='upper' pos='0 0 1' euler='.1 .2 .3'><joint name='shoulder' axis='0 1 .2' range='-1.1 .9' "
    "damping='.1'/><inertial pos='.1 0 .05' mass='2' diaginertia='.1 .2 .15'/><site name='a' pos='.1 .2 .1'/>"
    "<body name='lower' pos='.3 0 0'><joint name='elbow' axis='0 1 0' range='-.3 1.8' damping='.2'/><inertial pos='0 0 "
    ".2' mass='1' diaginertia='.1 .1 .15'/><site name='b' pos='.2 .1 .3'/>"
    "<body name='piston' pos='0 0 .3'><joint name='slide' type='slide' axis='1 0 0' range='-.2 .4' damping='1'/>"
    "<inertial pos='0 0 0' mass='.5' diaginertia='.01 .01 .01'/><site name='c' euler='0 1 0'/>"
    "</body></body></body><site name='o' pos='.5 -.3 .4'/></worldbody>"
    "<tendon><fixed name='cord'><joint joint='shoulder' coef='.7'/><joint joint='elbow' coef='-.4'/></fixed>"
    "<spatial name='rope'><site site='o'/><site site='a'/><site site='c'/></spatial></tendon>"
    "<actuator>%s</actuator></mujoco>";

static cdn_status load_arm(step_rig *r, const char *compiler, const char *actuators) {
  char text[4000];
  snprintf(text, sizeof text, ARM, compiler, "Euler", actuators);
  *r = step_rig_load("arm", text, NULL);
  return CDN_OK;
}

static void compare_forces(step_rig *r, double part) {
  uint64_t rng = 3;
  for (int round = 0; round < 50; round++) {
    step_rig_draw(r, &rng, 0.8, 2);
    mj_forward(r->m, r->d);
    for (int i = 0; i < r->m->nu; i++) {
      cdn_model_actuator a;
      double p;
      OK(cdn_model_get_actuator(r->model, i, &a));
      OK_ON(r->state, cdn_actuator_force(r->state, a.force, &p));
      const double expected = r->d->actuator_force[mj_name2id(r->m, mjOBJ_ACTUATOR, a.name)];
      NEAR(p, expected, part * fmax(1, fabs(expected)));
    }
  }
}

/* Peak forces by the acceleration at the default coordinates; the range of a joint is that of its length. */
START_TEST(open_numbers_follow_from_the_model) {
  step_rig r;
  OK(load_arm(
      &r, "<lengthrange uselimit='true'/>",
      "<muscle name='m1' joint='elbow' scale='90'/><muscle name='m2' joint='slide' gear='-3' lengthrange='-1.2 .6' "
      "scale='60'/>"
      "<muscle name='m3' tendon='cord' scale='50' gear='2' lengthrange='-3 2'/>"
      "<general name='m4' site='a' refsite='o' gear='1 .5 0 0 0 0' lengthrange='-1 2' dyntype='muscle' "
      "dynprm='.01 .04' gaintype='muscle' gainprm='.7 1.1 -1 70 .5 1.6 1.5 1.3 1.2' biastype='muscle' "
      "biasprm='.7 1.1 -1 70 .5 1.6 1.5 1.3 1.2'/>"
      "<muscle name='m5' cranksite='a' slidersite='c' cranklength='2' lengthrange='-4 2'/>"));
  compare_forces(&r, 1e-9);
  step_rig_drop(&r);
}
END_TEST

/* MuJoCo finds the range of a tendon by pulling the model into its limits, which give way: by some hundredths. Ours are
 * the extremes within the limits. */
START_TEST(length_ranges_are_extremes) {
  step_rig r;
  OK(load_arm(&r, "",
              "<muscle name='m1' tendon='cord' gear='2' force='1'/><muscle name='m2' joint='elbow' force='1'/>"
              "<muscle name='m4' joint='slide' gear='-3' force='1'/>"
              "<muscle name='m5' tendon='rope' force='1'/>"
              "<muscle name='m3' cranksite='a' slidersite='c' cranklength='2' force='1'/>"));
  const cdn_spec *spec = cdn_model_spec(r.model);
  const double of_cord[2] = { 2 * (-1.1 * 0.7 - 1.8 * 0.4), 2 * (0.9 * 0.7 + 0.3 * 0.4) };
  cdn_spec_actuator a;
  for (int i = 0; i < 5; i++) {
    OK(cdn_spec_get_actuator(spec, i, &a));
    const double *theirs = r.m->actuator_lengthrange + 2 * i, *ours = a.muscle.length_range;
    const double width = theirs[1] - theirs[0];
    ck_assert_msg(fabs(ours[0] - theirs[0]) < 0.05 * width && fabs(ours[1] - theirs[1]) < 0.05 * width,
                  "%s: %g %g, MuJoCo %g %g", a.name, ours[0], ours[1], theirs[0], theirs[1]);
    for (int k = 0; k < 2 && i == 0; k++) NEAR(ours[k], of_cord[k], 1e-12);
    for (int k = 0; k < 2 && i == 2; k++) NEAR(ours[k], k ? 0.6 : -1.2, 1e-12);
    ck_assert(a.muscle.length_range[0] == a.passive.length_range[0]);
  }
  /* no place within the limits is beyond them */
  cdn_model_actuator crank;
  uint64_t rng = 9;
  OK(cdn_model_get_actuator(r.model, 4, &crank));
  for (int i = 0; i < 3000; i++) {
    const double q[3] = { random_uniform(&rng, -1.1, 0.9), random_uniform(&rng, -0.3, 1.8),
                          random_uniform(&rng, -0.2, 0.4) };
    double length;
    OK_ON(r.state, cdn_state_set_q(r.state, q));
    OK_ON(r.state, cdn_actuator_length(r.state, crank.force, &length));
    ck_assert(length > a.muscle.length_range[0] - 1e-9 && length < a.muscle.length_range[1] + 1e-9);
  }
  step_rig_drop(&r);
}
END_TEST

/* ---- a user's ---- */

static double gain_of(double l, double v) { return 2 + sin(l) - 0.3 * v; }
static double bias_of(double l, double v) { return l * l - v; }
static double rate_of(double c, double a) { return 3 * (c - a * a * a); }

static cdn_status our_gain(void *context, cdn_state *state, const cdn_drive_view *v, double *value) {
  (void)context, (void)state;
  *value = gain_of(v->length, v->rate);
  return CDN_OK;
}
static cdn_status our_bias(void *context, cdn_state *state, const cdn_drive_view *v, double *value) {
  (void)state;
  *value = *(double *)context * bias_of(v->length, v->rate);
  return CDN_OK;
}
static cdn_status our_rate(void *context, cdn_state *state, const cdn_drive_view *v, double *value) {
  (void)context, (void)state;
  *value = rate_of(v->c, v->a);
  return CDN_OK;
}
static mjtNum their_gain(const mjModel *m, const mjData *d, int id) {
  (void)m;
  return gain_of(d->actuator_length[id], d->actuator_velocity[id]);
}
static mjtNum their_bias(const mjModel *m, const mjData *d, int id) {
  (void)m;
  return 1.5 * bias_of(d->actuator_length[id], d->actuator_velocity[id]);
}
static mjtNum their_rate(const mjModel *m, const mjData *d, int id) {
  return rate_of(d->ctrl[id], d->act[id - (m->nu - m->na)]);
}

START_TEST(functions_of_users_are_called) {
  char text[4000], message[500] = "";
  double factor = 1.5;
  snprintf(text, sizeof text, ARM, "", "Euler",
           "<general name='x' joint='elbow' gaintype='user' biastype='user'/><general name='y' tendon='cord' "
           "dyntype='user' gaintype='user' gear='2'/><general name='z' joint='slide' dyntype='user' gainprm='3'/>");
  mj_bridge_handlers();
  step_rig r = { .name = "user", .m = mj_bridge_load_string(text, "model.xml", message, sizeof message) };
  ck_assert_msg(r.m != NULL, "%s", message);
  r.d = mj_makeData(r.m);
  cdn_model_options options = cdn_default_model_options();
  options.strict = true, options.contact = CDN_MODEL_SOFT;
  options.actuator_user = (cdn_drive_user){ &factor, our_rate, our_gain, our_bias };
  OK(cdn_model_load_string(text, strlen(text), "user", &options, &r.model));
  OK(cdn_state_create(cdn_model_system(r.model), &r.state));
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.model));
  mjcb_act_gain = their_gain, mjcb_act_bias = their_bias, mjcb_act_dyn = their_rate;
  compare_forces(&r, 1e-12);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  for (int k = 0; k < 2; k++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r.model, 1 + k, &a));
    const ptrdiff_t at = cdn_state_zvar(r.state, a.activation) - cdn_state_z(r.state);
    NEAR(cdn_state_zdot(r.state)[at], r.d->act_dot[step_rig_activation(&r, &a)], 1e-12);
  }
  mjcb_act_gain = NULL, mjcb_act_bias = NULL, mjcb_act_dyn = NULL;
  step_rig_drop(&r);
  options.actuator_user = (cdn_drive_user){ NULL, NULL, NULL, NULL };
  ck_assert(cdn_model_load_string(text, strlen(text), "user", &options, &r.model) == CDN_ERR_UNSUPPORTED);
  cdn_model_destroy(r.model);
}
END_TEST

/* ---- contacts ---- */

static const char CUP[] =
    "<mujoco><option integrator='%s' timestep='.002' cone='%s'/><worldbody><geom name='floor' type='plane' size='5 5 "
    ".1' margin='.3' gap='.2'/>"
    "<body name='cup' pos='0 0 .25'><freejoint/><geom type='box' size='.2 .15 .1' mass='2'/></body>"
    "<body name='ball' pos='.1 0 .55'><freejoint/><geom type='sphere' size='.15' mass='1' margin='.3' gap='.1'/></body>"
    "</worldbody><actuator><adhesion name='grip' body='cup' gain='40' ctrlrange='0 1'/>"
    "<general name='hold' body='ball' ctrlrange='-1 1' ctrllimited='true' gainprm='20' biastype='affine' biasprm='.5 0 "
    "-3' gear='.5'/></actuator></mujoco>";

static void draw_near(step_rig *r, uint64_t *rng) {
  double q[14], u[12];
  step_rig_draw(r, rng, 0.1, 0.3);
  for (int b = 0; b < 2; b++) {
    double *at = q + 7 * b;
    const double turn[4] = { 1, random_uniform(rng, -0.05, 0.05), random_uniform(rng, -0.05, 0.05),
                             random_uniform(rng, -0.5, 0.5) };
    double size = 0;
    for (int k = 0; k < 4; k++) size += turn[k] * turn[k];
    for (int k = 0; k < 4; k++) at[k] = turn[k] / sqrt(size);
    at[4] = random_uniform(rng, -0.1, 0.1), at[5] = random_uniform(rng, -0.1, 0.1);
    at[6] = (b ? 0.36 : 0.11) + random_uniform(rng, -0.01, 0.1);
  }
  memcpy(u, cdn_state_u(r->state), sizeof u);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  mj_bridge_q_to_mujoco(&r->bridge, q, r->d->qpos);
  mj_bridge_u_to_mujoco(&r->bridge, q, u, r->d->qvel);
}

START_TEST(contacts_are_pressed_together) {
  static const char *const cones[] = { "pyramidal", "elliptic" };
  for (int cone = 0; cone < 2; cone++) {
    char text[3000];
    uint64_t rng = 4;
    int touching = 0;
    snprintf(text, sizeof text, CUP, "Euler", cones[cone]);
    step_rig r = step_rig_load("cup", text, NULL);
    for (int round = 0; round < 50; round++) {
      draw_near(&r, &rng);
      mj_forward(r.m, r.d);
      touching += r.d->ncon > 4;
      for (int i = 0; i < 2; i++) {
        cdn_model_actuator a;
        double moments[12], expected[12], p, rate;
        OK(cdn_model_get_actuator(r.model, i, &a));
        OK_ON(r.state, cdn_actuator_moments(r.state, a.force, moments));
        OK_ON(r.state, cdn_actuator_rate(r.state, a.force, &rate));
        OK_ON(r.state, cdn_actuator_force(r.state, a.force, &p));
        mj_bridge_u_from_mujoco(&r.bridge, cdn_state_q(r.state), r.d->actuator_moment + 12 * i, expected);
        for (int k = 0; k < 12; k++) NEAR(moments[k], expected[k], 1e-6);
        NEAR(rate, r.d->actuator_velocity[i], 1e-6);
        NEAR(p, r.d->actuator_force[i], 1e-5);
      }
    }
    ck_assert_int_gt(touching, 10);
    step_rig_drop(&r);
  }
}
END_TEST

static void add_tests(TCase *tests) {
  tcase_add_test(tests, curves_are_mujocos);
  tcase_add_test(tests, curves_have_their_closed_forms);
  tcase_add_test(tests, open_numbers_follow_from_the_model);
  tcase_add_test(tests, length_ranges_are_extremes);
  tcase_add_test(tests, functions_of_users_are_called);
  tcase_add_test(tests, contacts_are_pressed_together);
}

CHECK_MAIN_OF("mujoco_muscles", 300, add_tests)
