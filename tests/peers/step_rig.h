/* shared by tests in this folder */
/* A model in MuJoCo and in ours, and random states of both, for tests of single steps. */
#ifndef CARDAN_TESTS_STEP_RIG_H
#define CARDAN_TESTS_STEP_RIG_H

#include "mujoco_bridge.h"

#include "../testing.h"

enum { STEP_RIG_MOST = 80 };

typedef struct step_rig {
  cdn_model *model;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  const char *name;
} step_rig;

/* From the text of a file, with soft contact; `soft` NULL: as the file says. */
step_rig step_rig_load(const char *name, const char *text, const cdn_soft_def *soft);
void step_rig_drop(step_rig *r);
/* The same random state on both sides: coordinates up to `spread`, speeds up to `speed`, controls, activations. */
void step_rig_draw(step_rig *r, uint64_t *rng, double spread, double speed);
/* The largest difference of q, u and activations after n steps from where both stand, relative to the largest change of
 * speed in a step. */
double step_rig_differ(step_rig *r, cdn_method method, int n);
/* MuJoCo's number of an activation. */
int step_rig_activation(const step_rig *r, const cdn_model_actuator *a);

/* Formats of files, with the time step and the integrator: joints of all kinds with actuators, and what touches, has
 * limits and dry friction. */
extern const char step_rig_smooth[], step_rig_touching[];

#endif
