/* A newer MuJoCo than the library that is linked: newer_mujoco.mjs in a process of its own, one for many files.
 * CARDAN_NEWER_MUJOCO names the folder in which npm has installed @mujoco/mujoco. What is known of the model is in the
 * structs of the older one, so that mj_bridge_... go on working: joints, coordinates, inertias, ranges (a range that is
 * not empty is a limit), and the names of actuators. */
#ifndef CARDAN_TESTS_NEWER_MUJOCO_H
#define CARDAN_TESTS_NEWER_MUJOCO_H

#include <stdio.h>
#include <sys/types.h>

#include "mujoco_bridge.h"

typedef struct newer_server {
  pid_t child;
  FILE *to, *from;
} newer_server;

typedef struct newer_mujoco {
  const newer_server *server;
  char *line;  /* the last answer */
  bool silent; /* there was none: the process has ended */
  size_t room;
  mjModel m;
  mjData d;
  int *actadr; /* of each actuator its first activation, or -1 */
} newer_mujoco;

/** The folder, or NULL: the peer is not asked for. */
const char *newer_mujoco_folder(void);
bool newer_mujoco_is_there(void); /**< the package is in the folder */
/** Starts the process if it does not run; false: it cannot be had. Processes that fork later may ask it, one at a
 *  time. */
bool newer_server_start(newer_server *s);
/** Ends it, for instance because somebody may have left it in the middle of an answer. */
void newer_server_stop(newer_server *s);
/** Loads a file; false with the reason in `message`. Close in any case. */
bool newer_mujoco_open(newer_mujoco *n, const newer_server *s, const char *path, char *message, size_t size);
/** Takes the inertias of n->m over, and switches contact off; false: it has no answer. */
bool newer_mujoco_prepare(newer_mujoco *n, bool touching);
/** d->qacc at d->qpos, qvel, ctrl and act. */
bool newer_mujoco_forward(newer_mujoco *n);
/** d->sensordata there, `count` numbers; false if it has others. */
bool newer_mujoco_sensors(newer_mujoco *n, int count, double *values);
/** A step with the controls d->ctrl from where it is: d->qpos and qvel after it, and d->sensordata at its beginning,
 *  `count` numbers; false if it has others. */
bool newer_mujoco_step(newer_mujoco *n, int count, double *values);
/** A step by the controls of the last newer_mujoco_forward: d->time and qpos after it. */
bool newer_mujoco_go(newer_mujoco *n);
void newer_mujoco_close(newer_mujoco *n);

#endif
