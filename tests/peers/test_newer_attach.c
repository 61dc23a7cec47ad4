/* Models that attach models, in Cardan and in MuJoCo 3.14, which reads them from the same files: names and their order,
 * the reference configuration, keyframes, accelerations and sensors at random states. CARDAN_NEWER_MUJOCO names where
 * MuJoCo is (newer_mujoco.h). */
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../testing.h"
#include "newer_mujoco.h"
#include "random_mjcf.h"

/* Of the attached files: an arm that stands in its world, with two kinds of classes and angles in degrees; a ball that
 * flies; a hook that is attached to the arm. */
static const char arm[] =
    "<mujoco model='arm'><compiler angle='degree' eulerseq='zyx' boundmass='.2'/><option timestep='.001'/><default>"
    "<joint damping='.1'/><geom density='700'/><default class='rod'><geom type='capsule' size='.03'/></default></default>"
    "<asset><model name='hook' file='hook.xml'/><mesh name='wedge' inertia='exact' vertex='0 0 0 .2 0 0 0 .2 0 0 0 .2' "
    "face='0 2 1 0 1 3 0 3 2 1 2 3'/></asset><worldbody><geom name='foot' type='box' size='.1 .2 .3' pos='0 .1 0' "
    "euler='10 0 0'/><site name='eye' pos='.1 .2 .3' euler='0 30 0'/><camera name='sight' pos='0 0 1'/><frame pos='.3 0 0' "
    "euler='0 0 20' childclass='rod'><body name='upper' pos='0 0 .2' euler='30 20 10'><joint name='shoulder' axis='0 1 0' "
    "range='-90 90'/><geom name='upper' fromto='0 0 0 0 0 .5'/><site name='mid' pos='0 0 .25'/><body name='fore' "
    "pos='0 0 .5'><joint name='elbow' axis='1 1 0' stiffness='2'/><geom name='fore' fromto='0 0 0 .4 0 0'/><geom "
    "name='wedge' class='main' type='mesh' mesh='wedge' pos='.4 0 0'/><site name='tip' pos='.4 0 0'/><frame name='end' "
    "pos='.4 0 0' euler='0 90 0'><geom name='cap' type='sphere' size='.04' pos='0 0 .1'/><site name='nail' pos='0 0 .1'/><attach "
    "model='hook' body='hook' prefix='h_'/></frame></body></body></frame><body name='post' pos='0 0 -1'><joint name='lift' "
    "type='slide' axis='0 0 1'/><geom name='post' size='.1'/></body></worldbody><contact><exclude body1='upper' "
    "body2='post'/></contact><tendon><fixed name='cord'><joint joint='shoulder' coef='.7'/><joint joint='elbow' "
    "coef='-.3'/></fixed></tendon><actuator><motor name='lifter' joint='lift'/><position name='bend' joint='elbow' "
    "kp='3'/><motor name='pull' tendon='cord'/><motor name='tug' site='tip' refsite='eye' gear='1 2 3 .1 .2 .3'/>"
    "<general name='push' site='nail' gear='0 1 0 0 0 0'/></actuator><sensor><jointpos name='angle' joint='elbow'/>"
    "<framepos name='seen' objtype='site' objname='tip' reftype='site' refname='eye'/><gyro name='turns' site='eye'/>"
    "<framepos name='at' objtype='geom' objname='cap'/><framequat name='nail' objtype='site' objname='nail'/>"
    "<actuatorfrc name='force' actuator='bend'/><tendonpos name='long' tendon='cord'/><subtreecom name='middle' "
    "body='fore'/></sensor><keyframe><key name='bent' time='2' qpos='.1 .2 .3 .4' qvel='1 2 3 4' "
    "ctrl='1 2 3 4 5'/><key name='plain' ctrl='5 4 3 2 1'/></keyframe></mujoco>";
static const char hook[] =
    "<mujoco model='hook'><worldbody><geom name='lost' size='3'/><body name='hook' euler='0 0 90'><joint name='swing' "
    "axis='0 1 0' damping='.2'/><geom name='hook' type='box' size='.02 .03 .04' pos='0 0 .05'/></body></worldbody>"
    "<sensor><jointvel name='swing' joint='swing'/></sensor></mujoco>";
static const char ball[] =
    "<mujoco model='ball'><worldbody><body name='ball' pos='0 1 0' euler='10 20 30'><freejoint name='fly'/><geom "
    "name='ball' type='ellipsoid' size='.1 .2 .3'/><site name='spot' pos='.1 0 0'/></body><body name='lamp' pos='.5 .6 .7' "
    "euler='0 0 40'><joint name='nod' axis='0 1 0'/><geom name='lamp' size='.1' pos='.2 0 0'/></body>"
    "</worldbody><actuator><motor name='spin' joint='fly' gear='0 0 0 1 2 3'/></actuator><sensor>"
    "<framelinvel name='fast' objtype='site' objname='spot'/></sensor><keyframe><key name='up' qpos='1 2 3 .6 0 .8 0 .5' "
    "qvel='1 2 3 4 5 6 7' ctrl='9'/><key name='fast' qvel='1 2 3 4 5 6 7'/></keyframe></mujoco>";

/* Bodies of the main files begin so. */
#define BODY "<body pos='0 0 1' euler='.1 .2 .3' name="
#define BOX "><geom type='box' size='.2 .1 .1' pos='.1 0 0'/><joint axis='1 2 3' name="

/* What is in the worldbody, and behind it. MuJoCo 3.14 loses the controls of keyframes in a replicate, and the numbers
 * of a keyframe that came with something that is attached once more with the file: these are not compared. */
static const struct {
  const char *name, *world, *rest;
  bool lost_keys;
} mains[] = {
  { "a body, in the middle of the tree",
    BODY "'a'" BOX
         "'a'/><frame pos='.2 0 0' euler='0 0 .5'><attach model='arm' body='upper' prefix='l_'/></frame></body>" BODY
         "'b'" BOX "'b'/><attach model='hook' prefix='r_'/></body>" BODY "'c'" BOX "'c'/></body>",
    "<actuator><motor name='own' joint='l_elbow' gear='2'/><motor name='mine' joint='c'/></actuator><sensor><framepos "
    "name='own' objtype='site' objname='l_nail'/></sensor><keyframe><key name='own' qpos='1 2 3 4 5 6 7'/></keyframe>",
    false },
  { "a world on a body that it makes heavier",
    BODY "'a'" BOX "'a'/><frame pos='.2 0 0' euler='0 1 .5'><attach model='arm' prefix='w/'/></frame></body>" BODY
         "'b'" BOX "'b'/></body>",
    "<actuator><motor name='own' site='w/eye' gear='0 0 0 1 2 3'/></actuator>", false },
  { "a frame of a body",
    BODY "'a'" BOX
         "'a'/><frame pos='.2 0 0' euler='0 1 .5'><attach model='arm' frame='end' prefix='f_'/></frame></body>" BODY
         "'b'" BOX "'b'/></body>",
    "", false },
  { "a body of what is attached there",
    BODY "'a'" BOX "'a'/><frame pos='.2 0 0'><attach model='arm' body='h_hook' prefix='in_'/></frame></body>", "",
    false },
  { "free bodies in a frame of the world",
    BODY "'a'" BOX
         "'a'/></body><frame pos='1 0 2' euler='0 .4 .5'><attach model='ball' body='ball' prefix='one_'/></frame>"
         "<frame pos='3 0 2' euler='0 .4 .5'><attach model='arm' body='fore' prefix='two_'/></frame>",
    "", false },
  { "copies",
    "<replicate count='3' offset='0 1 0' euler='0 0 .3' sep='-'>" BODY "'a'" BOX
    "'a'/><attach model='arm' body='fore' prefix='m_'/></body></replicate>",
    "", true },
  { "itself",
    BODY "'a'" BOX "'a'/><body name='in'><joint name='in' axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></body>"
         "<frame name='stand' pos='0 2 0'><attach model='arm' body='upper' prefix='l_'/></frame>"
         "<frame pos='0 3 0' euler='1 0 0'><attach frame='stand' prefix='n_'/></frame>"
         "<frame pos='0 4 0'><attach body='in' prefix='o_'/></frame>",
    "<actuator><motor name='own' joint='l_elbow'/><motor name='mine' joint='in'/></actuator><sensor><jointpos name='s' "
    "joint='in'/></sensor>",
    true },
  { "its classes and meshes",
    "<frame pos='0 0 1'><attach model='arm' body='post' prefix='p_'/></frame><body name='z'><joint name='z' "
    "class='p_main' axis='0 1 0'/><geom name='z' class='p_rod' fromto='0 0 0 .3 0 0'/><geom name='y' type='mesh' "
    "mesh='p_wedge'/></body>",
    "", false },
};
enum { MAINS = sizeof mains / sizeof *mains, STATES = 20, MOST = 80 };

static newer_server server = { .child = -1 };
static char folder[60];

static void put_file(const char *name, const char *text) {
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs(text, file);
  ck_assert_int_eq(fclose(file), 0);
}

static void remove_files(void) {
  static const char *const names[] = { "main.xml", "arm.xml", "hook.xml", "ball.xml" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    char path[120];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  rmdir(folder);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* "a","b","c" between the brackets of a list in the answer. */
static void their_names(const newer_mujoco *n, const char *key, char *to, size_t size) {
  char quoted[40];
  snprintf(quoted, sizeof quoted, "\"%s\":[", key);
  const char *at = strstr(n->line, quoted);
  ck_assert_ptr_nonnull(at);
  at += strlen(quoted);
  snprintf(to, size, "%.*s", (int)strcspn(at, "]"), at);
}

static void add_name(char *to, size_t size, const char *name) {
  const size_t used = strlen(to);
  snprintf(to + used, size - used, "%s\"%s\"", used ? "," : "", name);
}

/* The names of bodies, actuators, sensors or keyframes in our words. */
typedef const char *name_of(const cdn_model *model, int i);
static const char *body_name(const cdn_model *model, int i) {
  return cdn_body_name(cdn_model_system(model), cdn_model_body(model, i));
}
static const char *actuator_name(const cdn_model *model, int i) {
  cdn_model_actuator a;
  OK(cdn_model_get_actuator(model, i, &a));
  return a.name;
}
static const char *sensor_name(const cdn_model *model, int i) {
  cdn_model_sensor s;
  OK(cdn_model_get_sensor(model, i, &s));
  return s.name;
}

static void same_list(const newer_mujoco *n, const char *key, const char *first, const cdn_model *model, int count,
                      name_of *name) {
  char theirs[4000], ours[4000];
  their_names(n, key, theirs, sizeof theirs);
  snprintf(ours, sizeof ours, "%s", first);
  for (int i = 0; i < count; i++) add_name(ours, sizeof ours, name(model, i));
  ck_assert_str_eq(ours, theirs);
}

static void same_names(const newer_mujoco *n, const cdn_model *model) {
  same_list(n, "bodies", "\"world\"", model, cdn_model_body_count(model), body_name);
  same_list(n, "actuators", "", model, cdn_model_actuator_count(model), actuator_name);
  same_list(n, "sensors", "", model, cdn_model_sensor_count(model), sensor_name);
  same_list(n, "keys", "", model, cdn_model_key_count(model), cdn_model_key_name);
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void near(const char *what, const double *ours, const double *theirs, int n, double slack) {
  double size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(theirs[i]));
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(ours[i] - theirs[i]) <= slack * size, "%s[%d]: %.15g, MuJoCo %.15g", what, i, ours[i],
                  theirs[i]);
}

static void same_configurations(const newer_mujoco *n, const mj_bridge *bridge, bool lost_keys, cdn_model *model,
                                cdn_state *state) {
  double q[MOST], u[MOST];
  mj_bridge_q_to_mujoco(bridge, cdn_state_q(state), q);
  near("qpos0", q, n->m.qpos0, n->m.nq, 1e-14);
  for (int k = 0; k < n->m.nkey && !lost_keys; k++) {
    const char *name = cdn_model_key_name(model, k);
    OK(cdn_model_set_key(model, name, state));
    mj_bridge_q_to_mujoco(bridge, cdn_state_q(state), q);
    mj_bridge_u_to_mujoco(bridge, cdn_state_q(state), cdn_state_u(state), u);
    near(name, q, n->m.key_qpos + k * n->m.nq, n->m.nq, 1e-14);
    near(name, u, n->m.key_qvel + k * n->m.nv, n->m.nv, 1e-14);
    for (int i = 0; i < n->m.nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(model, i, &a));
      const double control = cdn_control_given(state, a.control), theirs = n->m.key_ctrl[k * n->m.nu + i];
      ck_assert_msg(control == theirs, "%s of %s: %g, MuJoCo %g", a.name, name, control, theirs);
    }
  }
}

static void draw(const newer_mujoco *n, const mj_bridge *bridge, const cdn_model *model, cdn_state *state,
                 uint64_t *rng) {
  double q[MOST], u[MOST];
  for (int i = 0; i < n->m.nq; i++) q[i] = random_uniform(rng, -1, 1);
  for (int j = 0; j < bridge->count; j++)
    if (bridge->joints[j].nq >= 4) random_quaternion(rng, q + bridge->joints[j].first_q);
  for (int i = 0; i < n->m.nv; i++) u[i] = random_uniform(rng, -3, 3);
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  mj_bridge_q_to_mujoco(bridge, q, n->d.qpos);
  mj_bridge_u_to_mujoco(bridge, q, u, n->d.qvel);
  for (int i = 0; i < n->m.nu; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(model, i, &a));
    n->d.ctrl[i] = random_uniform(rng, -1, 1);
    OK_ON(state, cdn_control_set(state, a.control, n->d.ctrl[i]));
  }
}

static void same_sensors(newer_mujoco *n, const cdn_model *model, cdn_state *state) {
  double theirs[MOST];
  int count = 0;
  for (int i = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(model, i, &s));
    count += s.n;
  }
  ck_assert_int_le(count, MOST);
  ck_assert_msg(newer_mujoco_sensors(n, count, theirs), "%s", n->line);
  for (int i = 0, at = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(model, i, &s));
    const double *ours = cdn_measure_value(state, s.measure);
    double turned[4] = { 0 }, along = 0;
    const bool quaternion = s.kind == CDN_SENSOR_QUATERNION; /* both signs are the same rotation */
    for (int k = 0; k < 4 && quaternion; k++) along += ours[k] * theirs[at + k];
    for (int k = 0; k < 4 && quaternion; k++) turned[k] = along < 0 ? -ours[k] : ours[k];
    near(s.name, quaternion ? turned : ours, theirs + at, s.n, 1e-7);
    at += s.n;
  }
}

static void compare(const char *name, const char *world, const char *rest, bool lost_keys) {
  char path[120], message[600] = "", text[4000];
  newer_mujoco n;
  mj_bridge bridge;
  cdn_model *model;
  cdn_state *state;
  cdn_error error;
  uint64_t rng = 5;
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_NO_CONTACT;
  snprintf(text, sizeof text,
           "<mujoco><compiler angle='radian'/><asset><model name='arm' file='arm.xml'/><model name='ball' "
           "file='ball.xml'/><model name='hook' file='hook.xml'/></asset><worldbody>%s</worldbody>%s</mujoco>",
           world, rest);
  put_file("main.xml", text);
  snprintf(path, sizeof path, "%s/main.xml", folder);
  ck_assert_msg(newer_mujoco_open(&n, &server, path, message, sizeof message), "%s: %s", name, message);
  const cdn_status status = cdn_model_load(path, &options, &model);
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s", name, error.text);
  same_names(&n, model);
  ck_assert_msg(mj_bridge_init(&bridge, &n.m, model), "%s: other joints", name);
  ck_assert_int_le(n.m.nq, MOST);
  OK(cdn_state_create(cdn_model_system(model), &state));
  same_configurations(&n, &bridge, lost_keys, model, state);
  ck_assert(newer_mujoco_prepare(&n, false));
  for (int k = 0; k < STATES; k++) {
    double theirs[MOST];
    draw(&n, &bridge, model, state, &rng);
    ck_assert(newer_mujoco_forward(&n));
    mj_bridge_u_from_mujoco(&bridge, cdn_state_q(state), n.d.qacc, theirs);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    near(name, cdn_state_udot(state), theirs, n.m.nv, 1e-7); /* its mesh has vertices in single precision */
    same_sensors(&n, model, state);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  mj_bridge_free(&bridge);
  newer_mujoco_close(&n);
}

START_TEST(attached_models_are_those_of_a_newer_mujoco) {
  if (!newer_mujoco_folder() || !newer_mujoco_is_there()) SKIP("CARDAN_NEWER_MUJOCO names no newer MuJoCo");
  snprintf(folder, sizeof folder, "/tmp/cardan_attached_XXXXXX");
  ck_assert_ptr_nonnull(mkdtemp(folder));
  put_file("arm.xml", arm), put_file("hook.xml", hook), put_file("ball.xml", ball);
  mj_bridge_handlers();
  ck_assert(newer_server_start(&server));
  compare(mains[_i].name, mains[_i].world, mains[_i].rest, mains[_i].lost_keys);
  newer_server_stop(&server);
  remove_files();
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, attached_models_are_those_of_a_newer_mujoco, 0, MAINS); }
CHECK_MAIN_OF("newer attach", 300, add)
