/* MJCF's actuators against what MuJoCo 2.2.2 makes of the same text, at random states, controls and activations: the
 * generalized forces of all actuators, accelerations, rates of activations, and the limits of controls; and keyframes.
 *
 * The actuators' forces are the differences between residuals without and with them, so their errors are a few hundred
 * roundings of the largest residual. */
#include "../check_main.h"
#include "../testing.h"
#include "mujoco_bridge.h"

#include <stdio.h>

static const char HEAD[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/>"
    "<default><general ctrlrange='-2 2' ctrllimited='true'/>"
    "<default class='weak'><motor forcelimited='true' forcerange='-1 .5' gear='3'/>"
    "<default class='weaker'><motor gear='-2'/></default></default>"
    "<default class='stiff'><position kp='40' forcelimited='true' forcerange='-30 30'/></default>"
    "<default class='mixed'><general gaintype='affine' gainprm='2 .3 -.4' biastype='affine' biasprm='.5 -3 -.7'/></default>"
    "</default><worldbody>"
    "<body name='base' pos='0 0 1' euler='.1 .2 .3'><freejoint name='root'/>"
    "<inertial pos='0 0 0' mass='3' diaginertia='.3 .4 .5'/><site name='nozzle' pos='.1 .2 -.3' euler='.4 0 .7'/>"
    "<body name='arm' pos='.3 0 0' euler='0 .5 0'><joint name='shoulder' type='ball' pos='0 .1 0'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='.1 .2 .15'/>"
    "<body name='rod' pos='0 0 .4'><joint name='elbow' axis='0 1 1' ref='.3'/><joint name='piston' type='slide' axis='1 0 0' ref='-.2'/>"
    "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .15'/><site name='tip' pos='0 0 .3' euler='1 2 .5'/>"
    "<site name='end' pos='.1 0 .2'/></body></body></body>"
    "<body name='cart' pos='2 0 0'><joint name='rail' type='slide' axis='1 .2 0'/><joint name='wheel' axis='0 1 0'/>"
    "<inertial pos='0 0 0' mass='2' diaginertia='.2 .2 .3'/><site name='hook' pos='0 .1 .3'/></body>"
    "<site name='origin' pos='1 .5 0'/><site name='corner' pos='1 2 3' euler='.3 -.4 .9'/></worldbody><actuator>";
static const char TAIL[] =
    "</actuator><tendon><fixed name='cord'><joint joint='elbow' coef='2'/><joint joint='piston' coef='-.5'/>"
    "<joint joint='rail' coef='.3'/></fixed>"
    "<spatial name='rope'><site site='hook'/><site site='tip'/><pulley divisor='2'/><site site='end'/><site "
    "site='origin'/></spatial></tendon></mujoco>";

enum { MOST = 40 };

typedef struct rig {
  cdn_model *ours;
  const cdn_system *system;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
} rig;

static uint64_t seed;
static double next(double size) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return size * ((double)(seed >> 11) / 4503599627370496.0 - 1);
}

static rig start(const char *text) {
  rig r = { .ours = NULL };
  char message[500] = "";
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  mj_bridge_handlers();
  r.m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(r.m != NULL, "%s in %s", message, text);
  r.d = mj_makeData(r.m);
  const cdn_status status = cdn_model_load_string(text, strlen(text), "model.xml", &options, &r.ours);
  cdn_error error;
  cdn_model_last_error(r.ours, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  ck_assert_int_eq(cdn_model_warning_count(r.ours), 0);
  r.system = cdn_model_system(r.ours);
  OK(cdn_state_create(r.system, &r.state));
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.ours));
  ck_assert_int_eq(cdn_model_actuator_count(r.ours), r.m->nu);
  return r;
}

static void stop(rig *r) {
  mj_bridge_free(&r->bridge);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->ours);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
}

/* The place of one of our actuators among MuJoCo's, which has those with activations last. */
static int theirs(const rig *r, const cdn_model_actuator *a) {
  const int id = mj_name2id(r->m, mjOBJ_ACTUATOR, a->name);
  ck_assert_msg(id >= 0, "MuJoCo has no actuator '%s'", a->name);
  return id;
}
static int activation(const rig *r, int id) { return id - (r->m->nu - r->m->na); }

/* A random state on both sides; quaternions of any direction. */
static void randomize(rig *r) {
  double q[MOST], u[MOST];
  for (int j = 0; j < r->m->njnt; j++) {
    double *at = q + r->bridge.joints[j].first_q, length = 0;
    const int type = r->m->jnt_type[j], n = type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1;
    for (int k = 0; k < n; k++) at[k] = next(1.5);
    for (int k = 0; k < 4 && n >= 4; k++) length += at[k] * at[k];
    for (int k = 0; k < 4 && n >= 4; k++) at[k] /= sqrt(length);
  }
  for (int i = 0; i < r->m->nv; i++) u[i] = next(2);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
  mj_bridge_q_to_mujoco(&r->bridge, q, r->d->qpos);
  mj_bridge_u_to_mujoco(&r->bridge, q, u, r->d->qvel);
  for (int i = 0; i < r->m->nu; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->ours, i, &a));
    const int id = theirs(r, &a);
    r->d->ctrl[id] = next(3); /* beyond the limits as well */
    OK_ON(r->state, cdn_control_set(r->state, a.control, r->d->ctrl[id]));
    ck_assert_int_eq(a.activation.group >= 0, activation(r, id) >= 0);
    if (a.activation.group < 0) continue;
    r->d->act[activation(r, id)] = next(1);
    OK_ON(r->state, cdn_state_set_zvar(r->state, a.activation, &r->d->act[activation(r, id)]));
  }
  mj_forward(r->m, r->d);
}

static void near_all(const char *what, const double *ours, const double *expected, int n, double tolerance) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(ours[i] - expected[i]) <= tolerance, "%s %d: %.17g, MuJoCo %.17g (difference %.3g)", what, i,
                  ours[i], expected[i], ours[i] - expected[i]);
}

static void enable(rig *r, bool on) {
  for (int i = 0; i < r->m->nu; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->ours, i, &a));
    OK_ON(r->state, cdn_force_set_enabled(r->state, a.force, on));
  }
}

/* MuJoCo 2.2.2 has another angle between sites that are turned in their bodies: see test_lengths_from_a_reference. */
static bool has_turned_sites(const rig *r, int id) {
  const double *gear = r->m->actuator_gear + 6 * id;
  return r->m->actuator_trntype[id] == mjTRN_SITE && r->m->actuator_trnid[2 * id + 1] >= 0 &&
         (gear[3] != 0 || gear[4] != 0 || gear[5] != 0);
}

/* Length, moments, rate and force of each. */
static void compare_readings(rig *r) {
  double moments[MOST], expected[MOST];
  for (int i = 0; i < r->m->nu; i++) {
    cdn_model_actuator a;
    double length, rate, p;
    OK(cdn_model_get_actuator(r->ours, i, &a));
    const int id = theirs(r, &a);
    OK_ON(r->state, cdn_actuator_length(r->state, a.force, &length));
    OK_ON(r->state, cdn_actuator_rate(r->state, a.force, &rate));
    OK_ON(r->state, cdn_actuator_force(r->state, a.force, &p));
    OK_ON(r->state, cdn_actuator_moments(r->state, a.force, moments));
    const double *theirs_of = r->d->actuator_moment + (size_t)id * (size_t)r->m->nv;
    mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), theirs_of, expected);
    double size = 1;
    for (int k = 0; k < r->m->nv; k++) size = fmax(size, fabs(expected[k]));
    near_all(a.name, moments, expected, r->m->nv, 1e-13 * size);
    NEAR(rate, r->d->actuator_velocity[id], 1e-12 * size);
    if (has_turned_sites(r, id)) continue;
    NEAR(length, r->d->actuator_length[id], 1e-13 * size);
    NEAR(p, r->d->actuator_force[id], 1e-11 * fmax(1, fabs(p)));
  }
}

static void compare(rig *r) {
  const int n = r->m->nv;
  double zero[MOST] = { 0 }, with[MOST], without[MOST], forces[MOST], expected[MOST], scale = 1;
  const double *q = cdn_state_q(r->state);
  OK_ON(r->state, cdn_residual(r->state, zero, with));
  enable(r, false);
  OK_ON(r->state, cdn_residual(r->state, zero, without));
  enable(r, true);
  for (int i = 0; i < n; i++) forces[i] = without[i] - with[i], scale = fmax(scale, fabs(with[i]));
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qfrc_actuator, expected);
  near_all("force of actuators on u", forces, expected, n, 1e-13 * scale);
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION));
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qacc, expected);
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(expected[i]));
  near_all("udot", cdn_state_udot(r->state), expected, n, 1e-11 * scale);
  compare_readings(r);
  for (int i = 0; i < r->m->nu; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->ours, i, &a));
    if (a.activation.group < 0) continue;
    const ptrdiff_t at = cdn_state_zvar(r->state, a.activation) - cdn_state_z(r->state);
    NEAR(cdn_state_zdot(r->state)[at], r->d->act_dot[activation(r, theirs(r, &a))], 1e-13);
  }
}

static void try_model(const char *actuators) {
  char text[8000];
  snprintf(text, sizeof text, "%s%s%s", HEAD, actuators, TAIL);
  rig r = start(text);
  seed = 20240101;
  for (int i = 0; i < 50; i++) {
    randomize(&r);
    compare(&r);
  }
  /* limits of the controls; MuJoCo has zeros where there are none */
  for (int i = 0; i < r.m->nu; i++) {
    cdn_model_actuator a;
    double lower, upper;
    OK(cdn_model_get_actuator(r.ours, i, &a));
    OK_ON(r.state, cdn_control_limits(r.state, a.control, &lower, &upper));
    const int id = theirs(&r, &a);
    const bool limited = r.m->actuator_ctrllimited[id];
    ck_assert_msg(lower == (limited ? r.m->actuator_ctrlrange[2 * id] : -INFINITY), "%s: %g", a.name, lower);
    ck_assert_msg(upper == (limited ? r.m->actuator_ctrlrange[2 * id + 1] : INFINITY), "%s: %g", a.name, upper);
  }
  stop(&r);
}

/* One kind at a time on hinges and slides, so that a failure names it; then all at once. */
static const char *const KINDS[] = {
  "<motor name='a' joint='elbow'/><motor name='b' joint='piston' gear='-1.5' ctrllimited='false'/>",
  "<motor name='a' class='weak' joint='elbow'/><motor name='b' class='weaker' joint='rail' ctrlrange='-.5 4'/>",
  "<position name='a' joint='elbow'/><position name='b' class='stiff' joint='piston' gear='.5'/>",
  "<position name='a' kp='7' joint='wheel' gear='-2' forcelimited='true' forcerange='-3 9'/>",
  "<velocity name='a' joint='elbow'/><velocity name='b' kv='3' joint='rail' gear='2'/>",
  "<damper name='a' joint='elbow' kv='2' ctrlrange='0 3'/><damper name='b' joint='rail' kv='.5' gear='-2' "
  "ctrlrange='.5 1'/>"
  "<damper name='c' joint='wheel' ctrlrange='0 1'/>",
  "<general name='a' joint='elbow'/><general name='b' joint='wheel' gainprm='4' biastype='affine' biasprm='1 2 3' "
  "gear='-2'/>",
  "<general name='a' class='mixed' joint='elbow' gear='2'/><motor name='b' class='mixed' joint='wheel'/>"
  "<position name='c' class='mixed' joint='rail'/><velocity name='d' class='mixed' joint='piston' kv='2'/>"
  "<general name='e' class='stiff' joint='wheel'/>",
  "<general name='a' joint='elbow' dyntype='integrator' gainprm='3' gear='2'/>"
  "<general name='b' joint='rail' dyntype='filter' dynprm='.25' biastype='affine' biasprm='.1 .2 .3'/>",
  "<cylinder name='a' joint='piston' timeconst='.3' area='.7' bias='.1 -.2 -.3'/><cylinder name='b' joint='rail' "
  "diameter='.6'/>",
  "<intvelocity name='a' joint='elbow' kp='5' actrange='-4 4'/>",
  "<motor name='a' joint='shoulder' gear='.3 -.4 .5'/><motor name='b' jointinparent='shoulder' gear='1 2 -.5'/>",
  "<position name='a' joint='shoulder' kp='6' gear='.6 .8 -.3'/><position name='b' jointinparent='shoulder' kp='4' "
  "gear='0 1 1'/>",
  "<velocity name='a' joint='shoulder' kv='2' gear='1 0 .5'/><general name='b' class='mixed' jointinparent='shoulder' "
  "gear='1 .1 .2'/>",
  "<motor name='a' joint='root' gear='1 2 3 .4 .5 .6'/><motor name='b' jointinparent='root' gear='-.1 .2 .3 .7 -.5 "
  "1'/>",
  "<velocity name='a' joint='root' kv='3' gear='0 1 0 0 0 1'/><general name='b' class='mixed' joint='root' gear='1 0 0 "
  "0 .3 0'/>",
  "<motor name='a' site='nozzle' gear='0 0 1 0 0 .2'/><motor name='b' site='tip' gear='.1 .2 .3 .4 .5 -.6'/>",
  "<velocity name='a' site='nozzle' kv='2' gear='1 0 0 0 1 0'/><general name='b' class='mixed' site='tip'/>",
  "<motor name='a' tendon='cord' gear='3'/><position name='b' class='stiff' tendon='cord'/>",
  "<velocity name='a' tendon='cord' kv='2' gear='-.5'/><general name='b' class='mixed' tendon='cord'/>",
  "<motor name='b' joint='elbow'/><general name='a' tendon='cord' dyntype='filter' dynprm='.25' biastype='affine' "
  "biasprm='.1 .2 .3'/>",
  "<motor name='a' site='tip' refsite='corner' gear='.1 .2 .3 .4 .5 -.6'/><position name='b' class='stiff' "
  "site='nozzle' refsite='corner' gear='1 0 .3 0 0 0'/>",
  "<position name='a' site='end' refsite='origin' gear='.1 .2 .3 .4 .5 -.6'/><general name='b' class='mixed' "
  "site='hook' refsite='end' gear='0 1 .2 .3 0 -1'/>",
  "<velocity name='a' kv='2' site='origin' refsite='end' gear='1 2 3 .4 .5 .6'/><general name='b' class='mixed' "
  "site='tip' refsite='hook' dyntype='filter' gear='.3 .1 -1 0 0 0'/>",
  "<motor name='a' cranksite='hook' slidersite='nozzle' cranklength='9' gear='2'/><general name='b' class='mixed' "
  "cranksite='tip' slidersite='hook' cranklength='7' gear='-.5'/>",
  "<velocity name='a' kv='2' cranksite='end' slidersite='corner' cranklength='8'/><motor name='b' cranksite='corner' "
  "slidersite='tip' cranklength='6'/>",
  "<motor name='a' cranksite='hook' slidersite='nozzle' cranklength='.02' gear='2'/>",
  "<muscle name='a' joint='elbow' lengthrange='-1.2 1.4' force='30'/><muscle name='b' joint='rail' lengthrange='-3 3' "
  "force='12' gear='-2' range='.6 1.2' lmin='.4' lmax='1.9' vmax='2.5' fpmax='.8' fvmax='1.5' timeconst='.02 .05'/>",
  "<muscle name='a' tendon='cord' lengthrange='-2 3' force='30'/><general name='b' site='tip' refsite='origin' "
  "gear='1 0 .5 0 0 0' lengthrange='-3 4' dyntype='muscle' dynprm='.01 .04' gaintype='muscle' gainprm='.7 1.1 9 1 .5 1.6 "
  "1.5 1.3 1.2' biastype='muscle' biasprm='.7 1.1 9 1 .5 1.6 1.5 1.3 1.2'/>",
  "<muscle name='a' cranksite='hook' slidersite='nozzle' cranklength='9' lengthrange='-9 -4' force='5'/><muscle "
  "name='b' joint='shoulder' gear='.5 1 0' lengthrange='-2 2' force='7'/>",
  "<muscle name='a' joint='elbow' lengthrange='-1.2 1.4' scale='90'/><muscle name='b' tendon='cord' gear='-1' "
  "lengthrange='-2 3' scale='50' forcelimited='true' forcerange='-2 0'/>",
  "<general name='b' joint='rail' gaintype='muscle' gainprm='.7 1.1 20 1 .5 1.6 1.5 1.3 1.2' lengthrange='-2 2' "
  "biastype='affine' biasprm='.1 .2 .3'/><general name='c' joint='wheel' biastype='muscle' gainprm='2' "
  "biasprm='.7 1.1 20 1 .5 1.6 1.5 1.3 1.2' lengthrange='-2 2'/><general name='a' joint='elbow' dyntype='muscle' "
  "dynprm='.03 .07' gainprm='3' biastype='affine' biasprm='1 2 3'/>",
  "<motor name='a' tendon='rope' gear='3'/><position name='b' class='stiff' tendon='rope' gear='-.5'/>",
  "<general name='b' class='mixed' tendon='rope'/><muscle name='a' tendon='rope' lengthrange='.5 6' scale='30'/>",
  "<general name='a' site='tip' dyntype='filter' dynprm='.1'/><general name='b' joint='shoulder' dyntype='integrator' "
  "gear='1 1 0'/>",
};
enum { KIND_COUNT = sizeof KINDS / sizeof *KINDS };

START_TEST(test_each_kind) { try_model(KINDS[_i]); }
END_TEST

START_TEST(test_a_model_without_clamped_controls) {
  rig r = start("<mujoco><option><flag clampctrl='disable'/></option><worldbody><body><joint name='j'/>"
                "<inertial pos='0 0 0' mass='1' diaginertia='1 1 1'/></body></worldbody><actuator>"
                "<motor name='m' joint='j' ctrllimited='true' ctrlrange='-.1 .1'/></actuator></mujoco>");
  for (int i = 0; i < 5; i++) {
    randomize(&r);
    compare(&r);
  }
  stop(&r);
}
END_TEST

START_TEST(test_keyframes_set_controls_and_activations) {
  char text[8000];
  /* MuJoCo has its actuators without activation first: so has this file, or the numbers would mean others */
  snprintf(text, sizeof text,
           "%s<motor name='a' joint='elbow'/><position name='b' joint='rail'/>"
           "<general name='c' joint='wheel' dyntype='filter'/><general name='d' joint='elbow' dyntype='integrator'/>"
           "</actuator><keyframe><key name='one' ctrl='.1 .2 .3 .4' act='.5 .6'/><key name='two' ctrl='5 6 7 8'/>"
           "<key name='three' act='1 2'/></keyframe></mujoco>",
           HEAD);
  rig r = start(text);
  for (int k = 0; k < r.m->nkey; k++) {
    OK(cdn_model_set_key(r.ours, mj_id2name(r.m, mjOBJ_KEY, k), r.state));
    mj_resetDataKeyframe(r.m, r.d, k);
    for (int i = 0; i < r.m->nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(r.ours, i, &a));
      const int id = theirs(&r, &a);
      ck_assert_msg(cdn_control_given(r.state, a.control) == r.d->ctrl[id], "key %d, %s", k, a.name);
      if (a.activation.group < 0) continue;
      ck_assert_msg(cdn_state_zvar(r.state, a.activation)[0] == r.d->act[activation(&r, id)], "key %d, %s", k, a.name);
    }
    mj_forward(r.m, r.d);
    compare(&r);
  }
  stop(&r);
}
END_TEST

/* Lengths and velocities are what sensors of actuators show. */
START_TEST(test_lengths_from_a_reference) {
  char text[8000];
  snprintf(text, sizeof text,
           "%s<position name='a' site='end' refsite='origin' gear='.1 .2 .3 .4 .5 -.6'/>"
           "<position name='b' site='tip' refsite='corner' gear='1 2 -.3 0 0 0'/>"
           "<position name='c' site='hook' refsite='end' gear='.1 .2 .3 1 0 .5'/>"
           "</actuator><sensor><actuatorpos name='la' actuator='a'/><actuatorpos name='lb' actuator='b'/>"
           "<actuatorpos name='lc' actuator='c'/><actuatorvel name='va' actuator='a'/>"
           "<actuatorvel name='vb' actuator='b'/><actuatorvel name='vc' actuator='c'/></sensor></mujoco>",
           HEAD);
  rig r = start(text);
  seed = 7;
  for (int i = 0; i < 100; i++) {
    randomize(&r);
    for (int k = 0; k < r.m->nsensor; k++) {
      const char *name = mj_id2name(r.m, mjOBJ_SENSOR, k);
      const double *ours = cdn_measure_value(r.state, cdn_system_find_measure(r.system, name));
      ck_assert_ptr_nonnull(ours);
      near_all(name, ours, r.d->sensordata + k, 1, 1e-12);
    }
  }
  stop(&r);
}
END_TEST

/* A reference on a body that moves, in a tree that floats: 2.2.2 lets such an actuator push the whole (its changes of
 * 3.1.2 tell of it). Then the momentum is as without it, and where the reference's own body carries the frame the
 * velocity is the rate of the length. */
START_TEST(test_a_reference_in_the_same_tree) {
  char text[8000];
  snprintf(text, sizeof text,
           "%s<motor name='a' site='end' refsite='nozzle' gear='.1 .2 .3 .4 .5 -.6'/>"
           "<motor name='b' site='nozzle' refsite='end' gear='.7 .2 -.3 .4 .5 -.6'/>"
           "<motor name='c' site='tip' refsite='nozzle' gear='1 2 3 0 0 0'/></actuator>"
           "<sensor><actuatorpos name='l' actuator='c'/><actuatorvel name='v' actuator='c'/></sensor></mujoco>",
           HEAD);
  rig r = start(text);
  const cdn_measure length = cdn_system_find_measure(r.system, "l"), velocity = cdn_system_find_measure(r.system, "v");
  seed = 9;
  for (int i = 0; i < 20; i++) {
    randomize(&r);
    double with[MOST], without[MOST], zero[MOST] = { 0 }, l[2], q[MOST], moved[MOST];
    OK_ON(r.state, cdn_residual(r.state, zero, with));
    enable(&r, false);
    OK_ON(r.state, cdn_residual(r.state, zero, without));
    enable(&r, true);
    /* the forces on the floating base are those on the whole tree */
    near_all("force on the base", with, without, 6, 1e-12);
    ck_assert(fabs(with[6] - without[6]) > 1e-3);
    const double v = cdn_measure_value(r.state, velocity)[0];
    const int nq = cdn_system_nq(r.system);
    memcpy(q, cdn_state_q(r.state), (size_t)nq * sizeof *q);
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_VELOCITY));
    const double *qdot = cdn_state_qdot(r.state);
    ck_assert_ptr_nonnull(qdot);
    double rates[MOST];
    memcpy(rates, qdot, (size_t)nq * sizeof *rates);
    for (int side = 0; side < 2; side++) {
      for (int k = 0; k < nq; k++) moved[k] = q[k] + (side ? 1e-5 : -1e-5) * rates[k];
      OK_ON(r.state, cdn_state_set_q(r.state, moved));
      l[side] = cdn_measure_value(r.state, length)[0];
    }
    NEAR(v, (l[1] - l[0]) / 2e-5, 1e-6 * fmax(1, fabs(v)));
  }
  stop(&r);
}
END_TEST

static void add_tests(TCase *tests) {
  tcase_add_test(tests, test_lengths_from_a_reference);
  tcase_add_test(tests, test_a_reference_in_the_same_tree);
  tcase_add_loop_test(tests, test_each_kind, 0, KIND_COUNT);
  tcase_add_test(tests, test_a_model_without_clamped_controls);
  tcase_add_test(tests, test_keyframes_set_controls_and_activations);
}

CHECK_MAIN_OF("mujoco_actuators", 300, add_tests)
