/* What MuJoCo 2.2.2 catches at its default step, our runs catch: falls, throws, shots, arms and pendulums with random
 * sizes. */
#include "../verify/fall_models.h"
#include "falls/trial.h"
#include "mujoco_bridge.h"

#include "../testing.h"

static cdn_transform pose_of(const mjData *d, int body) {
  const mjtNum *R = d->xmat + 9 * body, *p = d->xpos + 3 * body;
  return (cdn_transform){ { cdn_v3(R[0], R[3], R[6]), cdn_v3(R[1], R[4], R[7]), cdn_v3(R[2], R[5], R[8]) },
                          cdn_v3(p[0], p[1], p[2]) };
}

static bool mujoco_catches(const fall_model *f) {
  char error[500] = "";
  mjModel *m = mj_bridge_load_string(f->text, "fall.xml", error, sizeof error);
  ck_assert_msg(m != NULL, "%s\n%s", error, f->text);
  mjData *d = mj_makeData(m);
  const cdn_transform ground = cdn_transform_identity();
  bool behind = false;
  mj_resetDataKeyframe(m, d, 0);
  while (d->time < f->end && !behind) {
    mj_step(m, d);
    const cdn_transform X = pose_of(d, 1);
    behind = guard_is_behind(&f->guard, &X, &ground);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return !behind;
}

typedef struct way {
  cdn_model_contact contact;
  cdn_method method;
} way;
static const way ways[] = { { CDN_MODEL_COMPLIANT, CDN_METHOD_DEFAULT },
                            { CDN_MODEL_SOFT, CDN_METHOD_DEFAULT },
                            { CDN_MODEL_COMPLIANT, CDN_METHOD_IMPLICIT_CONTACT },
                            { CDN_MODEL_SOFT, CDN_METHOD_IMPLICIT_CONTACT } };

/* What a soft floor does not hold in motions whose steps are short, it does not hold in ours. */
static bool we_catch(const fall_model *f, const way *w, double accuracy) {
  scene s;
  scene_truth truth = { 0 };
  trial t;
  fall_model_scene(f, w->contact, &s);
  trial_run(&s, &truth, false, w->method, accuracy, 0, &t);
  if (t.behind) trial_print(stderr, &s, &t), fprintf(stderr, "%s\n", f->text);
  scene_truth_clear(&truth);
  scene_clear(&s);
  return !t.behind;
}

START_TEST(what_mujoco_catches_we_catch) {
  dice d = { 2 };
  int caught = 0, lost = 0;
  mj_bridge_handlers();
  for (int i = 0; i < 6 * FALL_MODEL_KINDS; i++) {
    fall_model f;
    fall_model_make(&d, i % FALL_MODEL_KINDS, &f);
    const double accuracy = dice_log(&d, 1e-5, 0.05);
    if (!mujoco_catches(&f)) continue;
    caught++;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) lost += !we_catch(&f, &ways[k], accuracy);
  }
  ck_assert_int_gt(caught, 3 * FALL_MODEL_KINDS);
  ck_assert_msg(lost == 0, "%d runs lose what MuJoCo catches", lost);
}
END_TEST

CHECK_MAIN("mujoco_falls", what_mujoco_catches_we_catch)
