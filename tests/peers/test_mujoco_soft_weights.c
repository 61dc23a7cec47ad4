/* Inverse weights of bodies and mobilities at the default coordinates, against MuJoCo 2.2.2 on the same files. */
#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"
#include "matter/matter.h"
#include "mujoco_bridge.h"
#include "random_mjcf.h"
#include "soft_models.h"

static double worst;

static void judge(const char *label, const char *what, int i, double ours, double theirs) {
  /* both invert M, in other orders; a body that cannot move has rounding left in MuJoCo */
  const double error = fabs(ours - theirs) / fmax(fabs(theirs), 1e-12);
  ck_assert_msg(error <= 1e-10, "%s, %s %d: %.17g, MuJoCo %.17g", label, what, i, ours, theirs);
  worst = fmax(worst, error);
}

static void compare(const char *label, const char *text, mjModel *m) {
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_model_options options = cdn_default_model_options();
  mj_bridge bridge;
  options.tree_only = true;
  OK(cdn_model_load_string(text, strlen(text), "model.xml", &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  mjData *d = mj_makeData(m);
  for (int b = 1; b < m->nbody; b++) {
    const cdn_body ours = cdn_model_body(model, b - 1);
    mj_bridge_set_inertia(m, b, cdn_body_mass_properties(state, ours).inertia);
  }
  mj_setConst(m, d);
  ck_assert(mj_bridge_init(&bridge, m, model));
  const matter *own = cdni_matter(cdn_state_system(state));
  inverse_weights w;
  OK_ON(state, cdni_matter_inverse_weights(own, state, &w));
  for (int b = 1; b < m->nbody; b++) {
    const int i = cdn_model_body(model, b - 1).i;
    /* MuJoCo shifts the centre of a body without mass by the body's own place */
    if (m->body_mass[b] > 0) judge(label, "translation of body", b, w.body[i][0], m->body_invweight0[2 * b]);
    judge(label, "rotation of body", b, w.body[i][1], m->body_invweight0[2 * b + 1]);
  }
  for (int j = 0; j < m->njnt; j++) {
    const int dofs = m->jnt_type[j] == mjJNT_FREE ? 6 : m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
    for (int k = 0; k < dofs; k++) {
      /* MuJoCo's free joints have translations first */
      const int dof = m->jnt_dofadr[j] + (dofs == 6 ? (k + 3) % 6 : k);
      judge(label, "joint", j, w.mobility[bridge.joints[j].first_u + k], m->dof_invweight0[dof]);
    }
  }
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
}

START_TEST(test_models) {
  for (int which = 0; which < SOFT_MODELS; which++) {
    const soft_choice choice = { "elliptic", 1, "enable", "Newton" };
    char *text = soft_model_text(which, &choice);
    mjModel *m = soft_model_load(text);
    compare(soft_model_names[which], text, m);
    mj_deleteModel(m);
    free(text);
  }
  printf("relative difference at most %.2g\n", worst);
}
END_TEST

START_TEST(test_generated) {
  int models = 0;
  mj_bridge_handlers();
  for (uint64_t seed = 1; seed <= 100; seed++) {
    char *text = random_mjcf(seed, RANDOM_MJCF_NO_FRAMES), message[500], label[40];
    mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
    snprintf(label, sizeof label, "seed %llu", (unsigned long long)seed);
    if (m) compare(label, text, m), models++;
    mj_deleteModel(m);
    free(text);
  }
  ck_assert_int_ge(models, 80);
  printf("relative difference at most %.2g\n", worst);
}
END_TEST

CHECK_MAIN("mujoco soft weights", test_models, test_generated)
