/* Model files in Cardan and in MuJoCo 2.2.2: the same text, the same states, everything compared. */
#define _GNU_SOURCE
#include "mujoco_compare.h"
#include "random_mjcf.h"

#include "../testing.h"

#include <dirent.h>
#include <stdio.h>

static cdn_model_options tree_only(void) {
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  return options;
}

static void loaded(cdn_status status, const cdn_model *model, const char *label) {
  cdn_error error = { .code = CDN_OK };
  if (status != CDN_OK && model) cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s: %s", label, cdn_status_name(status), error.text);
}

/* ---- generated models ---------------------------------------------------------------------- */

/* MuJoCo refuses one in twenty (a class may give a pos to a geom that has a fromto): the next seed takes its place. */
static void compare_seed(uint64_t seed, bool frames, tally *t) {
  char label[64], message[500] = "";
  snprintf(label, sizeof label, "seed %llu%s", (unsigned long long)seed, frames ? " with frames" : "");
  char *theirs = random_mjcf(seed, frames ? RANDOM_MJCF_FRAMES_AS_BODIES : RANDOM_MJCF_NO_FRAMES);
  char *ours = random_mjcf(seed, frames ? RANDOM_MJCF_FRAMES : RANDOM_MJCF_NO_FRAMES);
  ck_assert(theirs && ours);
  mjModel *m = mj_bridge_load_string(theirs, "model.xml", message, sizeof message);
  if (m) {
    cdn_model *model = NULL;
    cdn_model_options options = tree_only();
    loaded(cdn_model_load_string(ours, strlen(ours), label, &options, &model), model, label);
    mujoco_compare(label, model, m, 3, seed, t);
    cdn_model_destroy(model);
    mj_deleteModel(m);
  }
  free(ours);
  free(theirs);
}

static void compare_seeds(const char *title, uint64_t first, int models, bool frames) {
  mj_bridge_handlers();
  tally t = { 0 };
  int seeds = 0;
  for (; t.models < models && seeds < 2 * models; seeds++) compare_seed(first + (uint64_t)seeds, frames, &t);
  tally_print(title, &t);
  ck_assert_msg(t.models == models, "MuJoCo took only %d of %d models", t.models, seeds);
}

START_TEST(test_generated) { compare_seeds("generated models", 1, 100, false); }
END_TEST

/* MuJoCo 2.2.2 knows no frame element: a massless welded body in its place is the same tree. */
START_TEST(test_generated_frames) { compare_seeds("generated models with frames", 5001, 40, true); }
END_TEST

/* ---- files --------------------------------------------------------------------------------- */

static int compare_files(const char *directory, tally *t) {
  DIR *dir = opendir(directory);
  if (!dir) return 0;
  int files = 0;
  for (struct dirent *entry; (entry = readdir(dir));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".xml") != 0) continue;
    char path[4096], message[500] = "";
    snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    files++;
    mjModel *m = mj_bridge_load_file(path, message, sizeof message);
    if (!m) {
      printf("%s: skipped, MuJoCo %s: %.200s\n", entry->d_name, mj_versionString(), message);
      continue;
    }
    if (m->nmocap > 0) { /* here they are prescribed free bodies, with coordinates: test_mujoco_mocap has them */
      printf("%s: skipped, it has mocap bodies\n", entry->d_name);
      mj_deleteModel(m);
      continue;
    }
    cdn_model *model = NULL;
    cdn_model_options options = tree_only();
    loaded(cdn_model_load(path, &options, &model), model, entry->d_name);
    mujoco_compare(entry->d_name, model, m, 20, 77, t);
    cdn_model_destroy(model);
    mj_deleteModel(m);
  }
  closedir(dir);
  return files;
}

START_TEST(test_files) {
  mj_bridge_handlers();
  const char *shared = getenv("CARDAN_SHARED"), *root = getenv("CARDAN_SOURCE_ROOT");
  char directory[4096];
  tally t = { 0 };
  snprintf(directory, sizeof directory, "%s/models/mjcf", shared ? shared : "../shared");
  const int others = compare_files(directory, &t);
  char ours[4096];
  snprintf(ours, sizeof ours, "%s/examples/models", root ? root : ".");
  ck_assert_int_gt(compare_files(ours, &t), 0);
  tally_print("model files", &t);
  if (others == 0) SKIP("no models in %s", directory);
}
END_TEST

/* Solids within meshes. MuJoCo's vertices are floats. */
START_TEST(test_meshes) {
  mj_bridge_handlers();
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[4096], message[500] = "";
  snprintf(path, sizeof path, "%s/examples/models/lamp/lamp.xml", root ? root : ".");
  mjModel *m = mj_bridge_load_file(path, message, sizeof message);
  ck_assert_msg(m, "%s", message);
  cdn_model *model = NULL;
  cdn_state *state;
  loaded(cdn_model_load(path, NULL, &model), model, path);
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_INSTANCE));
  for (int i = 1; i < m->nbody; i++) {
    const cdn_body body = cdn_model_find_body(model, mj_id2name(m, mjOBJ_BODY, i));
    const cdn_mass_properties ours = cdn_body_mass_properties(state, body);
    const cdn_inertia theirs = mj_bridge_inertia(m, i);
    const double a[] = { ours.com.x,      ours.com.y,      ours.com.z,      ours.inertia.xx, ours.inertia.yy,
                         ours.inertia.zz, ours.inertia.xy, ours.inertia.xz, ours.inertia.yz };
    const double b[] = { m->body_ipos[3 * i],
                         m->body_ipos[3 * i + 1],
                         m->body_ipos[3 * i + 2],
                         theirs.xx,
                         theirs.yy,
                         theirs.zz,
                         theirs.xy,
                         theirs.xz,
                         theirs.yz };
    NEAR(ours.mass, m->body_mass[i], 2e-7 * ours.mass);
    for (int k = 0; k < 9; k++) NEAR(a[k], b[k], 2e-7);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  mj_deleteModel(m);
}
END_TEST

/* An angle of 2 by 3 with legs of 1, and its solid as MuJoCo's legacy way has it: the tetrahedra from one point
 * count up, also those
 * that lie outside. MuJoCo 2.2.2, which has no attribute `inertia`, takes this way; it differs from later versions
 * in the mass only,
 * so that is given. Its vertices are floats. */
static const char ANGLE[] = "<mujoco><asset><mesh name='angle'%s vertex='0 0 0 2 0 0 2 1 0 1 1 0 1 3 0 0 3 0 0 0 1 2 0 "
                            "1 2 1 1 1 1 1 1 3 1 0 3 1' "
                            "face='0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 "
                            "9 8 3 4 10 3 10 9 4 5 11 4 11 10 "
                            "5 0 6 5 6 11'/></asset><worldbody><body name='a'><freejoint/><geom type='mesh' "
                            "mesh='angle'%s/></body></worldbody></mujoco>";

static cdn_mass_properties angle_with(const char *inertia, const char *mass, int warnings) {
  char text[2000];
  cdn_model *model = NULL;
  cdn_state *state;
  snprintf(text, sizeof text, ANGLE, inertia, mass);
  loaded(cdn_model_load_string(text, strlen(text), "angle.xml", NULL, &model), model, "angle");
  ck_assert_int_eq(cdn_model_warning_count(model), warnings);
  if (warnings > 0) {
    const char *said = cdn_model_warning(model, 0);
    ck_assert_msg(strstr(said, "'angle'") && strstr(said, " 4 m^3") && strstr(said, " 4.161 m^3"), "%s", said);
  }
  OK(cdn_state_create(cdn_model_system(model), &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_INSTANCE));
  const cdn_mass_properties got = cdn_body_mass_properties(state, cdn_model_find_body(model, "a"));
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return got;
}

START_TEST(test_legacy_inertia) {
  mj_bridge_handlers();
  char text[2000], message[500] = "";
  snprintf(text, sizeof text, ANGLE, "", " mass='1'");
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m, "%s", message);
  const cdn_mass_properties ours = angle_with(" inertia='legacy'", " mass='1'", 1);
  const cdn_inertia theirs = mj_bridge_inertia(m, 1);
  const double *x = &ours.inertia.xx, *y = &theirs.xx, *p = m->body_ipos + 3;
  NEAR(ours.mass, 1, 0);
  NEAR(ours.com.x, p[0], 2e-7);
  NEAR(ours.com.y, p[1], 2e-7);
  NEAR(ours.com.z, p[2], 2e-7);
  for (int k = 0; k < 6; k++) NEAR(x[k], y[k], 2e-6);
  mj_deleteModel(m);
  /* The tetrahedra from that centre to the 20 triangles, added up by hand. */
  NEAR(angle_with(" inertia='legacy'", " density='1'", 1).mass, 4.161340544083907, 1e-12);
  NEAR(angle_with(" inertia='exact'", " density='1'", 0).mass, 4, 1e-14);
  NEAR(angle_with("", " density='1'", 1).mass, 4, 1e-14);
}
END_TEST

CHECK_MAIN("mujoco models", test_meshes, test_legacy_inertia, test_generated, test_generated_frames, test_files)
