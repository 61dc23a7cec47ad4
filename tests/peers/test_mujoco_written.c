/* Files of MJCF that Cardan has written move in MuJoCo as those that they were made of. */
#include "testing.h"

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct run {
  mjModel *model;
  mjData *data;
} run;

static bool begin(run *r, const char *path) {
  char error[300] = "";
  r->model = mj_loadXML(path, NULL, error, sizeof error);
  r->data = r->model ? mj_makeData(r->model) : NULL;
  return r->data != NULL;
}
static void end(run *r) {
  if (r->data) mj_deleteData(r->data);
  if (r->model) mj_deleteModel(r->model);
}

/* Places of all bodies, and sensors, after steps; `within`: of the largest number. */
static void compare(const char *name, run *a, run *b, double within) {
  enum { STEPS = 25 };
  ck_assert_msg(a->model->nq == b->model->nq && a->model->nv == b->model->nv && a->model->na == b->model->na, "%s",
                name);
  ck_assert_msg(a->model->nu == b->model->nu && a->model->nbody == b->model->nbody, "%s", name);
  for (int k = 0; k < STEPS; k++) {
    for (int i = 0; i < a->model->nu; i++) a->data->ctrl[i] = b->data->ctrl[i] = 0.1 * ((i + k) % 5);
    mj_step(a->model, a->data);
    mj_step(b->model, b->data);
  }
  for (int i = 0; i < 3 * a->model->nbody; i++)
    ck_assert_msg(fabs(a->data->xpos[i] - b->data->xpos[i]) <= within * fmax(1, fabs(a->data->xpos[i])),
                  "%s: body %d is %.3g away", name, i / 3, fabs(a->data->xpos[i] - b->data->xpos[i]));
  if (a->model->nsensordata != b->model->nsensordata) return; /* sensors that are not simulated are not there */
  for (int i = 0; i < a->model->nsensordata; i++)
    ck_assert_msg(fabs(a->data->sensordata[i] - b->data->sensordata[i]) <=
                      1e3 * within * fmax(1, fabs(a->data->sensordata[i])),
                  "%s: sensor number %d", name, i);
}

/* True if MuJoCo has read the original. */
static bool try_model(const char *path, double within) {
  char written[64];
  cdn_spec *spec;
  run a = { NULL, NULL }, b = { NULL, NULL };
  snprintf(written, sizeof written, "/tmp/cardan-written-%ld.xml", (long)getpid());
  const bool known = begin(&a, path);
  if (known) {
    OK(cdn_spec_load(path, NULL, &spec));
    const cdn_status status = cdn_spec_save(spec, written, NULL);
    ck_assert_msg(status == CDN_OK, "%s: %s", path, cdn_last_error_text());
    cdn_spec_destroy(spec);
    ck_assert_msg(begin(&b, written), "MuJoCo does not read %s as it was written", path);
    compare(path, &a, &b, within);
    remove(written);
  }
  end(&a);
  end(&b);
  return known;
}

/* Rounding of frames grows in 25 steps with contacts by some powers of ten. */
START_TEST(test_examples) {
  static const char *const names[] = { "pendulum.xml", "walker.xml", "gripper.xml", "five_bar.xml", "puppet.xml",
                                       "hexapod.xml",  "press.xml",  "slope.xml",   "top.xml" };
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[400];
  int known = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/examples/models/%s", root ? root : ".", names[i]);
    known += try_model(path, 1e-11);
  }
  ck_assert_int_ge(known, 6);
}
END_TEST

START_TEST(test_models_of_others) {
  static const char *const names[] = { "mjcf/arm26.xml",
                                       "mjcf/example.xml",
                                       "mjcf/humanoid.xml",
                                       "mjcf/pendulum.xml",
                                       "mjcf/slider_crank.xml",
                                       "race/humanoid_Euler_elliptic.xml",
                                       "race/x_humanoid100.222.xml",
                                       "race/boxes_scattered_10_pyramidal.222.xml" };
  const char *shared = getenv("CARDAN_SHARED");
  char path[400];
  int known = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(path, sizeof path, "%s/models/%s", shared ? shared : "../shared", names[i]);
    known += try_model(path, 1e-11);
  }
  if (known == 0) SKIP("the models of others are not there");
}
END_TEST

CHECK_MAIN("mujoco written", test_examples, test_models_of_others)
