/* Models whose soft rows are compared with MuJoCo's: a jointed figure over a floor, with limits, friction losses,
 * equalities and contacts of every dimension, and all forms of solref and solimp. */
#ifndef CARDAN_TESTS_SOFT_MODELS_H
#define CARDAN_TESTS_SOFT_MODELS_H

#include <mujoco/mujoco.h>
#include <stdint.h>

typedef struct soft_choice {
  const char *cone; /* pyramidal, elliptic */
  double impratio;
  const char *refsafe; /* enable, disable */
  const char *solver;  /* PGS, CG, Newton */
} soft_choice;

enum { SOFT_MODELS = 4 };
extern const char *const soft_model_names[SOFT_MODELS];

/* Model `which` as text; the caller frees it. */
char *soft_model_text(int which, const soft_choice *choice);
mjModel *soft_model_load(const char *text);
/* A random state near the floor; qvel up to `speed`. */
void soft_model_state(const mjModel *m, mjData *d, uint64_t *seed, double speed);

#endif
