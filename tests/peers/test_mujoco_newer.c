/* What MuJoCo 2.2.2 does not have, against a newer one (newer_mujoco.h): polynomial springs and dampers, compensation
 * of gravity among actuators, mass on surfaces, cables, copies of what names something in a replicate, both models of
 * fluids. Accelerations at random states. */
#define _GNU_SOURCE
#include "newer_mujoco.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../testing.h"
#include "random_mjcf.h"

static const struct {
  const char *name, *text;
  double tolerance; /* relative to the largest acceleration */
} models[] = {
  { "polynomials",
    "<worldbody><body><joint type='slide' stiffness='5 -2 3' springref='.1' damping='1 2 .5'/><geom size='.1'/>"
    "<body pos='.2 0 0'><joint axis='0 1 0' stiffness='3 1' damping='.1 0 .7'/><geom size='.1' pos='.3 0 0'/></body>"
    "</body></worldbody>",
    1e-12 },
  { "polynomials of balls",
    "<worldbody><body><joint type='ball' stiffness='5 -2 3' damping='.1 .2 .05'/><geom size='.1' pos='.2 .1 0'/>"
    "<body pos='.2 0 0'><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></body><body pos='1 0 0' euler='10 20 "
    "30'><joint type='free' stiffness='4 3 -.5' damping='.3 0 .1'/><geom type='box' size='.1 .2 .3' euler='4 5 6'/></body>"
    "</worldbody>",
    1e-11 },
  /* frames of free bodies that have no child are their inertias'; `kept` keeps its own */
  { "aligned",
    "<compiler alignfree='true'/><worldbody><body pos='1 2 3' euler='10 20 30'><freejoint/><geom type='box' size='.1 .2 "
    ".3' pos='.2 .1 0' euler='40 50 60'/><site name='a' pos='.3 .2 .1' euler='0 30 50'/></body><body euler='3 2 1'>"
    "<freejoint/><frame pos='.1 0 0' euler='0 0 20'><geom type='box' size='.1 .2 .3' pos='.2 .1 0' euler='40 50 60'/>"
    "<geom type='capsule' size='.1 .3' pos='.2 .4 0'/><site name='b' pos='.3 .2 .1'/></frame></body><body pos='0 1 0'>"
    "<joint type='free'/><inertial pos='.1 .2 .3' mass='2' fullinertia='.05 .06 .07 .01 .005 -.008'/><site name='c' "
    "pos='.3 .2 .1'/></body><body name='kept'><freejoint align='false'/><geom type='box' size='.1 .2 .3' pos='.2 .1 0'/>"
    "</body><body><freejoint/><geom size='.1' pos='.1 0 0'/><body><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body>"
    "</body></worldbody><actuator><motor site='a' gear='1 2 3 .1 .2 .3'/><motor site='b' gear='1 2 3 .1 .2 .3'/>"
    "<motor site='c' gear='1 2 3 .1 .2 .3'/></actuator>",
    2e-6 },
  { "compensation",
    "<worldbody><body gravcomp='.7'><joint name='j' type='slide' axis='0 0 1' actuatorgravcomp='true' "
    "actuatorfrcrange='-25 25'/><geom size='.1' mass='2'/><body gravcomp='1' pos='.2 0 0'><joint name='k' axis='0 1 0' "
    "actuatorgravcomp='true' actuatorfrcrange='-2 2'/><geom size='.1' pos='.3 0 0' mass='1'/></body></body></worldbody>"
    "<actuator><motor joint='j' gear='20'/><motor joint='k' gear='2'/></actuator>",
    1e-11 },
  /* its ellipsoid is thick by a millionth of a metre, its mesh has vertices in single precision */
  { "shells",
    "<asset><mesh name='m' inertia='shell' scale='.3 .4 .5' vertex='0 0 0 1 0 0 0 1 0 0 0 1' face='0 2 1 0 1 3 0 3 2 1 2 "
    "3'/></asset><worldbody><body><joint axis='1 2 3'/><geom type='sphere' size='.2' pos='.1 .2 .3' shellinertia='true'/>"
    "<body pos='.5 0 0'><joint axis='3 1 2'/><geom type='ellipsoid' size='.1 .2 .3' euler='10 20 30' "
    "shellinertia='true'/><body pos='.5 0 0'><joint axis='0 1 2'/><geom type='capsule' size='.1 .2' euler='40 50 60' "
    "shellinertia='true'/><body pos='.5 0 0'><joint axis='1 0 2'/><geom type='cylinder' size='.1 .2' euler='40 50 6' "
    "shellinertia='true'/><body pos='.5 0 0'><joint axis='1 0 1'/><geom type='box' size='.1 .2 .3' euler='40 5 60' "
    "shellinertia='true'/><body pos='.5 0 0'><joint axis='1 1 0'/><geom type='mesh' mesh='m' density='30'/></body></body>"
    "</body></body></body></body></worldbody>",
    1e-4 },
  { "cable",
    "<worldbody><body><joint axis='0 1 0'/><geom size='.1'/><composite prefix='C' type='cable' curve='cos(s) sin(s) s' "
    "count='6 1 1' size='2 .5 1.5' offset='0 0 .1' initial='ball'><joint kind='main' damping='.2' armature='.01'/>"
    "<geom type='capsule' size='.02' contype='0' conaffinity='0'/></composite></body></worldbody>",
    1e-5 },
  { "copies",
    "<worldbody><body><joint name='o' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/></body><replicate count='3' "
    "offset='1 0 0' euler='0 0 30' sep='-'><body><joint name='a' axis='0 1 0'/><geom size='.1' pos='.2 .1 0'/>"
    "<body pos='0 0 .3'><joint name='b' axis='1 0 0'/><geom size='.1' pos='.2 .1 0'/></body></body></replicate>"
    "</worldbody><tendon><fixed name='t'><joint joint='a' coef='.7'/><joint joint='b' coef='-.3'/></fixed></tendon>"
    "<actuator><motor name='m' joint='a'/><motor name='n' joint='o'/><motor name='s' tendon='t' gear='3'/></actuator>",
    1e-11 },
  { "fluids",
    "<option density='500' viscosity='.9' wind='.5 -1.5 .7'/><worldbody><body><freejoint/><geom type='ellipsoid' "
    "size='.1 .25 .15' pos='.1 0 .05' euler='3 2 1' fluidshape='ellipsoid' fluidcoef='.7 .1 2 .5 1.3'/><body pos='.3 0 0'>"
    "<joint type='ball'/><geom type='box' size='.1 .03 .2' pos='.1 0 .4'/></body></body></worldbody>",
    1e-5 },
};
enum { MODELS = sizeof models / sizeof *models, STATES = 20, MOST = 60 };

static newer_server server = { .child = -1 };

/* The model in a file for the peer, and in memory for us. */
static void write_model(const char *text, char *path, size_t size) {
  snprintf(path, size, "/tmp/cardan_newer_XXXXXX.xml");
  const int file = mkstemps(path, 4);
  ck_assert_int_ge(file, 0);
  ck_assert(write(file, text, strlen(text)) == (ssize_t)strlen(text));
  close(file);
}

static void draw(const cdn_model *model, cdn_state *state, const mj_bridge *bridge, newer_mujoco *n, uint64_t *rng) {
  double q[MOST], u[MOST];
  const int nq = n->m.nq, nv = n->m.nv;
  ck_assert_int_le(nq, MOST);
  for (int i = 0; i < nq; i++) q[i] = random_uniform(rng, -1, 1);
  for (int j = 0; j < bridge->count; j++)
    if (bridge->joints[j].nq >= 4) random_quaternion(rng, q + bridge->joints[j].first_q);
  for (int i = 0; i < nv; i++) u[i] = random_uniform(rng, -3, 3);
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  mj_bridge_q_to_mujoco(bridge, q, n->d.qpos);
  mj_bridge_u_to_mujoco(bridge, q, u, n->d.qvel);
  ck_assert_int_eq(cdn_model_actuator_count(model), n->m.nu);
  for (int i = 0; i < n->m.nu; i++) { /* in the order of the file, also of copies */
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(model, i, &a));
    n->d.ctrl[i] = random_uniform(rng, -1, 1);
    OK_ON(state, cdn_control_set(state, a.control, n->d.ctrl[i]));
  }
}

static void compare(int i) {
  char text[4000], path[100], message[600] = "";
  newer_mujoco n;
  mj_bridge bridge;
  cdn_model *model;
  cdn_state *state;
  cdn_error error;
  uint64_t rng = 11;
  cdn_model_options options = cdn_default_model_options();
  snprintf(text, sizeof text,
           "<mujoco><compiler autolimits='true'/><default><geom contype='0' conaffinity='0'/></default>%s</mujoco>",
           models[i].text);
  write_model(text, path, sizeof path);
  const bool opened = newer_mujoco_open(&n, &server, path, message, sizeof message);
  remove(path);
  ck_assert_msg(opened, "%s: %s", models[i].name, message);
  options.strict = true;
  const cdn_status status = cdn_model_load_string(text, strlen(text), models[i].name, &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  ck_assert_msg(mj_bridge_init(&bridge, &n.m, model), "%s: other joints", models[i].name);
  OK(cdn_state_create(cdn_model_system(model), &state));
  ck_assert(newer_mujoco_prepare(&n, false));
  double worst = 0;
  for (int k = 0; k < STATES; k++) {
    double theirs[MOST], size = 1;
    draw(model, state, &bridge, &n, &rng);
    ck_assert(newer_mujoco_forward(&n));
    mj_bridge_u_from_mujoco(&bridge, cdn_state_q(state), n.d.qacc, theirs);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    for (int c = 0; c < n.m.nv; c++) size = fmax(size, fabs(theirs[c]));
    for (int c = 0; c < n.m.nv; c++) worst = fmax(worst, fabs(cdn_state_udot(state)[c] - theirs[c]) / size);
  }
  printf("%-12s worst %.2g\n", models[i].name, worst);
  ck_assert_msg(worst <= models[i].tolerance, "%s: %.3g", models[i].name, worst);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  mj_bridge_free(&bridge);
  newer_mujoco_close(&n);
}

START_TEST(passive_forces_and_files_are_those_of_a_newer_mujoco) {
  if (!newer_mujoco_folder() || !newer_mujoco_is_there())
    SKIP("CARDAN_NEWER_MUJOCO names no folder with @mujoco/mujoco of npm");
  mj_bridge_handlers();
  ck_assert(newer_server_start(&server));
  compare(_i);
  newer_server_stop(&server);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, passive_forces_and_files_are_those_of_a_newer_mujoco, 0, MODELS); }
CHECK_MAIN_OF("mujoco newer", 300, add)
