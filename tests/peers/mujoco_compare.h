/* One model in Cardan and in MuJoCo at random states: everything that both can say, compared. */
#ifndef CARDAN_TESTS_MUJOCO_COMPARE_H
#define CARDAN_TESTS_MUJOCO_COMPARE_H

#include "mujoco_bridge.h"

#include <stdint.h>

/** What is compared; errors are relative to the scales that mujoco_compare.c gives, so that one number judges all. */
#define COMPARED_LIST(X)                        \
  X(POSE, "pose", 1e-13)                        \
  X(MASS, "mass", 1e-14)                        \
  X(MOMENTS, "principal moments", 1e-11)        \
  X(INERTIA, "inertia", 1e-5)                   \
  X(COM, "centre of mass", 1e-13)               \
  X(VELOCITY, "velocity", 1e-13)                \
  X(MATRIX, "mass matrix", 1e-13)               \
  X(BIAS, "bias", 1e-13)                        \
  X(INVERSE, "inverse dynamics", 1e-13)         \
  X(KINETIC, "kinetic energy", 1e-14)           \
  X(POTENTIAL, "potential energy", 1e-14)       \
  X(UDOT, "udot / cond", 1e-13)                 \
  X(ACCELERATION, "acceleration / cond", 1e-14) \
  X(KEY, "keyframe", 1e-15)

typedef enum compared {
#define COMPARED_ENUM(name, text, tolerance) COMPARED_##name,
  COMPARED_LIST(COMPARED_ENUM)
#undef COMPARED_ENUM
      COMPARED_COUNT
} compared;

/** The largest relative error of each kind met so far. */
typedef struct tally {
  int models, states;
  double worst[COMPARED_COUNT];
  char where[COMPARED_COUNT][128];
} tally;

/** Compares at the default state, the keyframes and `states` random states; every disagreement fails the running test,
 *  with `label` in the message. `m` is switched to tree only. */
void mujoco_compare(const char *label, cdn_model *model, mjModel *m, int states, uint64_t seed, tally *t);

void tally_print(const char *title, const tally *t);

#endif
