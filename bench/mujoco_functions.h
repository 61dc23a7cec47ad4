/* A MuJoCo behind functions that no version of its headers shows through: mujoco_functions.c is compiled once against
 * Debian's, and by `./run bench soft --mujoco PREFIX` against another that is installed. */
#ifndef CARDAN_BENCH_MUJOCO_FUNCTIONS_H
#define CARDAN_BENCH_MUJOCO_FUNCTIONS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mujoco_sizes {
  int nq, nv, controls, activations, keyframes;
  double step; /* s */
} mujoco_sizes;

typedef struct mujoco_counts {
  double contacts, rows, iterations;
} mujoco_counts;

typedef struct mujoco_functions {
  const char *version;
  /* NULL with a message if the file does not load. */
  void *(*load)(const char *path, char *message, int size);
  void (*destroy)(void *engine);
  mujoco_sizes (*sizes)(void *engine);
  /* The solver and the cones of the bench's own models. */
  void (*use_newton_and_pyramids)(void *engine);
  /* From now on rows are solved to rounding, whatever the file says. */
  void (*solve_to_the_end)(void *engine);
  /* A keyframe; below 0 the pose of the file. */
  void (*reset)(void *engine, int keyframe);
  /* `act` NULL: zeros. */
  void (*put)(void *engine, const double *qpos, const double *qvel, const double *warm, const double *act);
  void (*put_controls)(void *engine, const double *ctrl);
  /* The ranges of the controls; -1 and 1 without. */
  void (*control_ranges)(void *engine, double *lower, double *upper);
  /* Of an actuator's length, as the compiler found it. */
  void (*length_range)(void *engine, int actuator, double range[2]);
  /* Sensors are computed in every step; without they are not. */
  void (*use_sensors)(void *engine);
  /* What is NULL is not wanted. */
  void (*take)(void *engine, double *qpos, double *qvel, double *warm, double *act, double *qacc);
  void (*step)(void *engine, int count);
  void (*forward)(void *engine);
  void (*inverse)(void *engine, const double *qacc);
  void (*step_derivatives)(void *engine);
  /* The derivatives of a step by qpos, qvel and act, by rows; (2 nv + activations) squared numbers. */
  const double *(*transition)(void *engine);
  /* Poses from the coordinates that were put; with tendons their lengths and moments, too. */
  void (*poses)(void *engine, int with_tendons);
  mujoco_counts (*counts)(void *engine);
} mujoco_functions;

/* What a module is asked for: MuJoCo as it was compiled against. */
const mujoco_functions *mujoco_functions_here(void);

#ifdef __cplusplus
}
#endif
#endif
