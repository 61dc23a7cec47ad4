/* Sensors that MuJoCo 2.2.2 does not have, in Cardan and in a newer MuJoCo (newer_mujoco.h): distances of geoms, points
 * in pictures and in volumes, contacts in volumes. CARDAN_NEWER_MUJOCO names where it is. */
#define _GNU_SOURCE
#include "newer_mujoco.h"

#include <stdlib.h>
#include <unistd.h>

#include "../testing.h"
#include "core/core.h"
#include "random_mjcf.h"

/* Distances have a cutoff below and above what bodies come to. Rounded and flat shapes are paired where the answer is
 * unique. */
static const char text[] =
    "<mujoco><compiler angle='radian'/><option cone='elliptic' ccd_iterations='2000' ccd_tolerance='1e-9'/><worldbody><geom name='floor' type='plane' size='0 0 1'/>"
    "<camera name='wide' pos='0 -3 1' xyaxes='1 0 0 0 .3 1' fovy='60' resolution='640 480'/>"
    "<camera name='eye' pos='0 -3 1' xyaxes='1 0 0 0 .3 1' fovy='50' resolution='5 6'/>"
    "<site name='pixel' pos='0 -3 1' zaxis='.155438 1.069490 .084857'/>"
    "<camera name='flat' pos='0 -2 1' xyaxes='1 0 0 0 .3 1' fovy='2' resolution='4 3' projection='orthographic'/>"
    "<body name='a' pos='0 0 .6'><freejoint/><geom name='ball' type='sphere' size='.2' pos='.1 0 0'/>"
    "<geom name='rod' type='capsule' size='.05 .3' pos='-.3 .1 0' euler='.3 .5 .1'/>"
    "<site name='tip' pos='.2 .1 .3'/><site name='zone' type='box' size='.4 .3 .5' euler='.1 .2 .3'/></body>"
    "<body name='b' pos='1 0 .8'><joint name='slide' type='slide' axis='1 .2 0' actuatorfrcrange='-.7 1'/><joint name='turn' axis='0 1 1'/>"
    "<geom name='egg' type='ellipsoid' size='.2 .1 .3'/><geom name='case' type='box' size='.1 .2 .1' pos='0 0 .5' "
    "contype='0' conaffinity='0'/><camera name='lens' pos='0 0 .4' euler='.3 .1 .2' focal='.05 .04' sensorsize='.02 "
    ".03' resolution='200 300'/><site name='can' type='cylinder' size='.4 .6' pos='-.5 0 0'/>"
    "<site name='pill' type='capsule' size='.5 .3' pos='-.5 0 0' euler='.3 0 .4'/><site name='egg' type='ellipsoid' "
    "size='.9 .7 .6'/><site name='disc' type='sphere' size='.8'/></body></worldbody>"
    "<tendon><fixed name='cord'><joint joint='slide' coef='2'/><joint joint='turn' coef='-1'/></fixed></tendon>"
    "<actuator><motor joint='slide' gear='3'/><motor joint='slide' gear='-2'/><motor tendon='cord' gear='.7'/><position "
    "tendon='cord' kp='2'/><general site='can' refsite='zone' gear='.3 .4 .1 .2 .5 1'/></actuator>"
    "<sensor><jointactuatorfrc name='j1' joint='slide'/><jointactuatorfrc name='j2' joint='turn'/>"
    "<tendonactuatorfrc name='cord' tendon='cord'/><distance name='d1' geom1='ball' geom2='rod' cutoff='5'/><distance name='d2' geom1='ball' geom2='egg' "
    "cutoff='5'/><distance name='d3' body1='a' body2='b' cutoff='5'/><distance name='near' body1='b' body2='a' "
    "cutoff='.6'/><distance name='d5' geom1='ball' geom2='case' cutoff='9'/>"
    "<normal name='n1' geom1='ball' geom2='egg' cutoff='5'/><normal name='n2' body1='a' body2='b' cutoff='.6'/>"
    "<fromto name='f1' geom1='case' geom2='ball' cutoff='5'/><fromto name='f2' body1='a' body2='b' cutoff='.6'/>"
    "<distance name='d6' geom1='floor' geom2='rod' cutoff='3'/><fromto name='f3' geom1='egg' geom2='floor' cutoff='3'/>"
    "<camprojection name='c1' site='tip' camera='wide'/><camprojection name='c2' site='tip' camera='lens'/>"
    "<insidesite name='i1' site='zone' objtype='geom' objname='egg'/><insidesite name='i2' site='can' objtype='body' "
    "objname='a'/><insidesite name='i3' site='pill' objtype='site' objname='tip'/><insidesite name='i4' site='egg' "
    "objtype='xbody' objname='a'/><insidesite name='i5' site='disc' objtype='camera' objname='wide'/>"
    "<insidesite name='i6' site='zone' objtype='geom' objname='ball'/>"
    "<contact name='k1' site='zone' data='found'/><contact name='k2' site='zone' geom2='ball' data='found dist'/>"
    "<magnetometer name='m' site='zone'/><e_kinetic name='ke'/><user name='own' dim='2' datatype='real' "
    "needstage='pos'/>"
    "<rangefinder name='r1' site='tip' data='dist dir origin point normal depth'/>"
    "<rangefinder name='r2' camera='eye' data='dist point normal depth'/>"
    "<rangefinder name='r4' site='pixel'/><rangefinder name='r3' camera='flat' data='dir origin depth'/></sensor></mujoco>";

static newer_server server;

/* What the numbers of a kind are known to: MuJoCo looks for distances of convex shapes to 1e-6, if ccd_tolerance is
 * below that. The nearest points of an ellipsoid are where the distance hardly changes: to the root of that. */
static double tolerance_of(cdn_sensor_kind kind) {
  if (kind == CDN_SENSOR_NORMAL || kind == CDN_SENSOR_FROM_TO) return 1e-3;
  return kind == CDN_SENSOR_DISTANCE || kind == CDN_SENSOR_CONTACT ? 1e-6 : 1e-9;
}

typedef struct counts {
  int inside, outside, near, far, touched, rays, missed;
} counts;

/* Where convex shapes overlap, MuJoCo's depth is that of a polytope within them, which is wrong by up to 1e-3. Only
 * planes have exact depths there. */
static bool is_doubtful(const cdn_model_sensor *s, bool apart) {
  const bool of_shapes =
      s->kind == CDN_SENSOR_NORMAL || s->kind == CDN_SENSOR_FROM_TO || s->kind == CDN_SENSOR_DISTANCE;
  return of_shapes && !apart && strcmp(s->name, "d6") != 0 && strcmp(s->name, "f3") != 0;
}

static double value_of(const cdn_model *model, cdn_state *state, const char *name) {
  const double *value = cdn_measure_value(state, cdn_system_find_measure(cdn_model_system(model), name));
  ck_assert_ptr_nonnull(value);
  return *value;
}

/* The rays of a picture, 8 numbers each. Of some in a hundred MuJoCo 3.14 misses what it meets along that ray alone:
 * that of the fourth pixel is there twice. */
static void compare_pixels(const cdn_model *model, cdn_state *state, const double *ours, const double *theirs, int n,
                           counts *seen) {
  for (int i = 0; i < n; i += 8) {
    seen->rays++;
    if (theirs[i] == -1 && ours[i] > 0) {
      seen->missed++;
      if (i == 24) NEAR(value_of(model, state, "r4"), ours[i], 1e-4);
      continue;
    }
    for (int k = 0; k < 8; k++) NEAR(ours[i + k], theirs[i + k], 1e-9 * fmax(1, fabs(theirs[i + k])));
  }
}

static void compare(const cdn_model *model, cdn_state *state, const double *theirs, counts *seen) {
  const bool apart = fmin(value_of(model, state, "d3"), value_of(model, state, "d5")) > 0;
  for (int i = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(model, i, &s));
    const double *ours = cdn_measure_value(state, s.measure);
    ck_assert_ptr_nonnull(ours);
    double size = 1;
    for (int k = 0; k < s.n; k++) size = fmax(size, fabs(theirs[k]));
    const int sure = is_doubtful(&s, apart) ? 0 : s.kind == CDN_SENSOR_CONTACT && !apart ? 1 : s.n; /* 1: how many */
    const bool pixels = strcmp(s.name, "r2") == 0;
    if (pixels) compare_pixels(model, state, ours, theirs, s.n, seen);
    for (int k = 0; k < sure && !pixels; k++)
      ck_assert_msg(fabs(ours[k] - theirs[k]) <= tolerance_of(s.kind) * size, "%s[%d]: %.12g, MuJoCo %.12g", s.name, k,
                    ours[k], theirs[k]);
    if (s.kind == CDN_SENSOR_INSIDE) *(theirs[0] > 0 ? &seen->inside : &seen->outside) += 1;
    if (strcmp(s.name, "near") == 0) *(theirs[0] < 0.6 ? &seen->near : &seen->far) += 1;
    if (s.kind == CDN_SENSOR_CONTACT) seen->touched += theirs[0] > 0;
    theirs += s.n;
  }
}

START_TEST(test_newer_sensors) {
  if (!newer_mujoco_folder() || !newer_mujoco_is_there()) SKIP("CARDAN_NEWER_MUJOCO names no newer MuJoCo");
  char path[] = "/tmp/newer_sensors_XXXXXX.xml", message[400] = "";
  const int file = mkstemps(path, 4);
  ck_assert(file >= 0 && write(file, text, sizeof text - 1) == (ssize_t)(sizeof text - 1));
  close(file);
  ck_assert(newer_server_start(&server));
  newer_mujoco n;
  ck_assert_msg(newer_mujoco_open(&n, &server, path, message, sizeof message), "%s", message);
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT; /* one camera is not drawn as it sees */
  const cdn_status status = cdn_model_load(path, &options, &model);
  cdn_error reason;
  cdn_model_last_error(model, &reason);
  ck_assert_msg(status == CDN_OK, "%s", reason.text);
  mj_bridge bridge;
  ck_assert(mj_bridge_init(&bridge, &n.m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  int count = 0;
  for (int i = 0; i < cdn_model_sensor_count(model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(model, i, &s));
    count += s.n;
  }
  double *theirs = calloc((size_t)count, sizeof *theirs);
  counts seen = { 0 };
  uint64_t rng = 8;
  for (int k = 0; k < 200; k++) {
    double q[9], u[8];
    for (int i = 0; i < 9; i++) q[i] = random_uniform(&rng, -1, 1);
    for (int i = 0; i < 8; i++) u[i] = random_uniform(&rng, -1, 1);
    random_quaternion(&rng, q);
    q[6] = random_uniform(&rng, 0.1, 1);
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    mj_bridge_q_to_mujoco(&bridge, q, n.d.qpos);
    mj_bridge_u_to_mujoco(&bridge, q, u, n.d.qvel);
    for (int i = 0; i < n.m.nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(model, i, &a));
      n.d.ctrl[i] = random_uniform(&rng, -1, 1);
      OK_ON(state, cdn_control_set(state, a.control, n.d.ctrl[i]));
    }
    ck_assert_msg(newer_mujoco_forward(&n) && newer_mujoco_sensors(&n, count, theirs), "%s", n.line);
    compare(model, state, theirs, &seen);
  }
  ck_assert_msg(seen.inside > 100 && seen.outside > 100 && seen.near > 20 && seen.far > 20 && seen.touched > 20,
                "inside %d, outside %d, near %d, far %d, touched %d", seen.inside, seen.outside, seen.near, seen.far,
                seen.touched);
  ck_assert_msg(seen.missed <= 0.03 * seen.rays, "MuJoCo misses %d of %d rays", seen.missed, seen.rays);
  free(theirs);
  mj_bridge_free(&bridge);
  newer_mujoco_close(&n);
  newer_server_stop(&server);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  unlink(path);
}
END_TEST

CHECK_MAIN("newer sensors", test_newer_sensors)
