/* Random models with every sensor of MuJoCo 2.2.2, several of each kind, of random things: in Cardan and in libmujoco,
 * at random states, in contact and at limits too. What collides are spheres and a capsule on a plane, whose points of
 * contact have one answer; what is only seen has all shapes. */
#define _GNU_SOURCE
#include "mujoco_bridge.h"

#include <stdlib.h>

#include "../testing.h"
#include "core/core.h"
#include "random_mjcf.h"

enum { BODIES = 6, CALLS = 12, MODELS = FEWER(40), STATES = 12 };

/* ---- the text -------------------------------------------------------------------------------- */

typedef struct writer {
  FILE *out;
  uint64_t rng;
  int joints, balls, tendons, actuators, sensors;
  int scalar[2 * BODIES], ball[BODIES]; /* numbers of joints */
} writer;

static double any(writer *w, double lo, double hi) { return random_uniform(&w->rng, lo, hi); }
static int below(writer *w, int n) { return random_below(&w->rng, n); }

static void put_pose(writer *w, double far) {
  double q[4];
  random_quaternion(&w->rng, q);
  fprintf(w->out, " pos='%.6g %.6g %.6g' quat='%.9g %.9g %.9g %.9g'", any(w, -far, far), any(w, -far, far),
          any(w, -far, far), q[0], q[1], q[2], q[3]);
}

static void put_body(writer *w, int i) {
  static const char *const volumes[] = { "sphere", "capsule", "ellipsoid", "cylinder", "box" };
  static const int condims[] = { 1, 3, 4, 6 };
  fprintf(w->out, "<body name='b%d'", i);
  put_pose(w, i == 0 ? 0.1 : 0.3);
  fputs(">", w->out);
  if (i == 0) fputs("<freejoint name='root'/>", w->out);
  else if (below(w, 4) == 0) {
    fprintf(w->out, "<joint name='j%d' type='ball' limited='true' range='0 %.4g' margin='%.3g'/>", w->joints,
            any(w, 0.3, 2), any(w, 0, 0.2));
    w->ball[w->balls++] = w->joints++;
  } else {
    for (int k = 1 + below(w, 2); k > 0; k--) {
      fprintf(w->out,
              "<joint name='j%d' type='%s' axis='%.4g %.4g %.4g' pos='%.4g 0 0' limited='true' range='%.4g %.4g'",
              w->joints, below(w, 3) ? "hinge" : "slide", any(w, -1, 1), any(w, -1, 1), any(w, 0.1, 1),
              any(w, -0.1, 0.1), any(w, -0.8, 0), any(w, 0.1, 0.8));
      fprintf(w->out, " margin='%.3g' damping='0.1'/>", below(w, 2) ? any(w, 0, 0.2) : 0);
      int n = 0;
      while (n < w->joints - w->balls) n++;
      w->scalar[n] = w->joints++;
    }
  }
  fprintf(w->out, "<inertial");
  put_pose(w, 0.1);
  fprintf(w->out, " mass='%.4g' diaginertia='%.4g 0.013 0.015'/>", any(w, 0.5, 2), any(w, 0.009, 0.02));
  fprintf(w->out, "<geom name='g%d' type='%s' size='%.3g 0.1' condim='%d'", i, i == 2 ? "capsule" : "sphere",
          any(w, 0.05, 0.2), condims[below(w, 4)]);
  put_pose(w, 0.1);
  fprintf(w->out, "/><geom name='seen%d' type='%s' size='%.3g %.3g %.3g' contype='0' conaffinity='0' rgba='1 1 1 %d'",
          i, volumes[below(w, 5)], any(w, 0.03, 0.2), any(w, 0.03, 0.2), any(w, 0.03, 0.2), below(w, 5) > 0);
  put_pose(w, 0.3);
  fputs("/>", w->out);
  for (int k = 0; k < 2; k++) {
    fprintf(w->out, "<site name='s%d%d' type='%s' size='%.3g %.3g %.3g'", i, k, volumes[below(w, 5)], any(w, 0.05, 0.3),
            any(w, 0.05, 0.3), any(w, 0.05, 0.3));
    put_pose(w, 0.1);
    fputs("/>", w->out);
  }
  fprintf(w->out, "<camera name='c%d'", i);
  put_pose(w, 0.2);
  fputs("/>", w->out);
}

static void put_bodies(writer *w) {
  int open = 0;
  for (int i = 0; i < BODIES; i++) {
    put_body(w, i);
    open++;
    while (i > 0 && open > 1 && below(w, 3) == 0) fputs("</body>", w->out), open--;
  }
  while (open-- > 0) fputs("</body>", w->out);
}

static int scalars(const writer *w) { return w->joints - w->balls; }
static int any_scalar(writer *w) { return w->scalar[below(w, scalars(w))]; }

static void put_drives(writer *w) {
  fputs("<tendon>", w->out);
  for (int i = 0; i < 3; i++) {
    fprintf(w->out, "<fixed name='t%d' limited='true' range='%.4g %.4g' margin='%.3g'>", w->tendons++, any(w, -0.5, 0),
            any(w, 0.1, 0.5), any(w, 0, 0.1));
    fprintf(w->out, "<joint joint='j%d' coef='%.4g'/></fixed>", any_scalar(w), any(w, 0.3, 2));
  }
  fputs("</tendon><actuator>", w->out);
  for (int i = 0; i < 3; i++)
    fprintf(w->out, "<motor name='a%d' joint='j%d' gear='%.4g' forcelimited='true' forcerange='-1 2'/>", w->actuators++,
            any_scalar(w), any(w, 0.5, 3));
  fprintf(w->out, "<position name='a%d' tendon='t%d' kp='7'/></actuator>", w->actuators++, below(w, 3));
}

/* " objtype= objname=" or the reference's. */
static void put_object(writer *w, const char *type, const char *name) {
  static const char *const types[] = { "body", "xbody", "geom", "site", "camera" };
  static const char *const stems[] = { "b", "b", "g", "s", "c" };
  const int k = below(w, 5), i = below(w, BODIES);
  fprintf(w->out, " %s='%s' %s='%s%d", type, types[k], name, stems[k], i);
  if (k == 3) fprintf(w->out, "%d", below(w, 2));
  fputs("'", w->out);
}

/* Directions have no cutoff. */
static void finish_sensor(writer *w, const char *kind) {
  fputs(below(w, 4) || strstr(kind, "quat") || strstr(kind, "axis") ? "/>" : " cutoff='0.4'/>", w->out);
}

static void put_frame_sensor(writer *w, const char *kind, bool has_reference) {
  fprintf(w->out, "<%s name='%s%d'", kind, kind, w->sensors++);
  put_object(w, "objtype", "objname");
  if (has_reference && below(w, 2)) put_object(w, "reftype", "refname");
  finish_sensor(w, kind);
}

static void put_sensor(writer *w, const char *kind, const char *attribute, const char *stem, int i, int k) {
  fprintf(w->out, "<%s name='%s%d' %s='%s%d", kind, kind, w->sensors++, attribute, stem, i);
  if (k >= 0) fprintf(w->out, "%d", k);
  fputs("'", w->out);
  finish_sensor(w, kind);
}

static void put_sensors(writer *w) {
  static const char *const of_site[] = { "touch", "accelerometer", "velocimeter",  "gyro",
                                         "force", "torque",        "magnetometer", "rangefinder" };
  static const char *const of_frame[] = { "framepos",    "framequat",   "framexaxis",  "frameyaxis", "framezaxis",
                                          "framelinvel", "frameangvel", "framelinacc", "frameangacc" };
  static const char *const of_scalar[] = { "jointpos", "jointvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc" };
  static const char *const of_ball[] = { "ballquat", "ballangvel", "jointlimitpos", "jointlimitvel", "jointlimitfrc" };
  static const char *const of_tendon[] = { "tendonpos", "tendonvel", "tendonlimitpos", "tendonlimitvel",
                                           "tendonlimitfrc" };
  static const char *const of_actuator[] = { "actuatorpos", "actuatorvel", "actuatorfrc" };
  static const char *const of_subtree[] = { "subtreecom", "subtreelinvel", "subtreeangmom" };
  fputs("<sensor><clock name='clock'/>", w->out);
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < CDNI_COUNT(of_site); i++) put_sensor(w, of_site[i], "site", "s", below(w, BODIES), below(w, 2));
    for (int i = 0; i < CDNI_COUNT(of_frame); i++) put_frame_sensor(w, of_frame[i], i < 7);
    for (int i = 0; i < CDNI_COUNT(of_scalar); i++) put_sensor(w, of_scalar[i], "joint", "j", any_scalar(w), -1);
    for (int i = 0; i < CDNI_COUNT(of_ball) && w->balls > 0; i++)
      put_sensor(w, of_ball[i], "joint", "j", w->ball[below(w, w->balls)], -1);
    for (int i = 0; i < CDNI_COUNT(of_tendon); i++) put_sensor(w, of_tendon[i], "tendon", "t", below(w, 3), -1);
    for (int i = 0; i < CDNI_COUNT(of_actuator); i++) put_sensor(w, of_actuator[i], "actuator", "a", below(w, 4), -1);
    for (int i = 0; i < CDNI_COUNT(of_subtree); i++) put_sensor(w, of_subtree[i], "body", "b", below(w, BODIES), -1);
  }
  fputs("<user name='own' dim='3' objtype='site' objname='s00' datatype='real' needstage='pos'/></sensor>", w->out);
}

static char *write_model(uint64_t seed) {
  char *text = NULL;
  size_t size;
  writer w = { .out = open_memstream(&text, &size), .rng = seed };
  fprintf(w.out,
          "<mujoco><compiler angle='radian'/><option cone='%s' magnetic='%.3g %.3g %.3g'/><size nconmax='100' "
          "njmax='500'/><worldbody><geom name='floor' type='plane' size='0 0 1'/><geom name='lamp' type='box' "
          "size='.2 .3 .1' pos='0 .5 2' contype='0' conaffinity='0'/>",
          below(&w, 2) ? "elliptic" : "pyramidal", any(&w, -1, 1), any(&w, -1, 1), any(&w, -1, 1));
  put_bodies(&w);
  const bool enough = scalars(&w) > 2;
  fputs("</worldbody>", w.out);
  if (enough) put_drives(&w), put_sensors(&w);
  fputs("</mujoco>", w.out);
  fclose(w.out);
  if (!enough) free(text);
  return enough ? text : NULL;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* How often a kind had something to show. */
static int shown[mjSENS_USER + 1];

static const double *value_of(cdn_state *state, const char *name) {
  const cdn_measure measure = cdn_system_find_measure(cdn_state_system(state), name);
  ck_assert_msg(measure.i >= 0, "'%s' is no measure", name);
  const double *value = cdn_measure_value(state, measure);
  cdn_error reason;
  cdn_state_last_error(state, &reason);
  ck_assert_msg(value != NULL, "%s: %s", name, reason.text);
  return value;
}

static void compare(uint64_t seed, const mjModel *m, const mjData *d, cdn_state *state, int i) {
  const char *name = mj_id2name(m, mjOBJ_SENSOR, i);
  const cdn_system *system = cdn_state_system(state);
  const cdn_measure measure = cdn_system_find_measure(system, name);
  ck_assert_msg(measure.i >= 0, "'%s' is no measure", name);
  ck_assert_int_eq(cdn_measure_size(system, measure), m->sensor_dim[i]);
  const double *ours = value_of(state, name), *theirs = d->sensordata + m->sensor_adr[i];
  double sign = 1, size = 1;
  if (m->sensor_dim[i] == 4) {
    for (int k = sign = 0; k < 4; k++) sign += ours[k] * theirs[k]; /* a quaternion and its negative are one rotation */
    sign = sign < 0 ? -1 : 1;
  }
  for (int k = 0; k < m->nv; k++) size = fmax(size, m->sensor_needstage[i] == mjSTAGE_ACC ? fabs(d->qacc[k]) : 1);
  for (int k = 0; k < m->sensor_dim[i]; k++) size = fmax(size, fabs(theirs[k]));
  /* Positions and velocities are sums over a few bodies. Both solve for accelerations: to 1e-10 of the largest. */
  const double tolerance = (m->sensor_needstage[i] == mjSTAGE_ACC ? 3e-9 : 1e-12) * size;
  for (int k = 0; k < m->sensor_dim[i]; k++) {
    ck_assert_msg(fabs(sign * ours[k] - theirs[k]) <= tolerance,
                  "seed %d: %s[%d]: %.17g, MuJoCo %.17g: differ by %.3g > %.3g", (int)seed, name, k, ours[k], theirs[k],
                  fabs(sign * ours[k] - theirs[k]), tolerance);
    shown[m->sensor_type[i]] += theirs[k] != 0 && theirs[k] != -1;
  }
}

static void set_states(const cdn_model *model, cdn_state *state, const mj_bridge *bridge, mjData *d, uint64_t *rng) {
  double q[40], u[40];
  const cdn_system *system = cdn_model_system(model);
  for (int i = 0; i < cdn_system_nq(system); i++) q[i] = random_uniform(rng, -1, 1);
  for (int i = 0; i < cdn_system_nu(system); i++) u[i] = random_uniform(rng, -1, 1);
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
  }
  q[6] = random_uniform(rng, 0.1, 1); /* the root's height */
  d->time = random_uniform(rng, 0, 5);
  OK_ON(state, cdn_state_set_time(state, d->time));
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  mj_bridge_q_to_mujoco(bridge, q, d->qpos);
  mj_bridge_u_to_mujoco(bridge, q, u, d->qvel);
  for (int i = 0; i < bridge->m->nu; i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(model, i, &a));
    d->ctrl[i] = random_uniform(rng, -1, 1);
    OK_ON(state, cdn_control_set(state, a.control, d->ctrl[i]));
  }
}

static void check_model(uint64_t seed) {
  char message[500] = "", *text = write_model(seed);
  if (!text) return;
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  mj_bridge bridge;
  uint64_t rng = seed;
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "seed %d: MuJoCo: %s", (int)seed, message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT, options.strict = true;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "model.xml", &options, &model);
  cdn_error reason;
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "seed %d: %s", (int)seed, reason.text);
  m->opt.tolerance = 0, m->opt.iterations = 300;
  mjData *d = mj_makeData(m);
  ck_assert(mj_bridge_init(&bridge, m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  for (int k = 0; k < STATES; k++) {
    set_states(model, state, &bridge, d, &rng);
    mj_forward(m, d);
    for (int i = 0; i < m->nsensor; i++) compare(seed, m, d, state, i);
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  free(text);
}

START_TEST(test_random_models) {
  mj_bridge_handlers();
  memset(shown, 0, sizeof shown);
  for (int i = 0; i < MODELS; i++) check_model(1000 + (uint64_t)i);
  for (int i = 0; i < mjSENS_USER; i++)
    ck_assert_msg(shown[i] > MODELS / 2, "sensors of type %d of mjtSensor had something to show %d times", i, shown[i]);
}
END_TEST

CHECK_MAIN("mujoco sensor models", test_random_models)
