/* MuJoCo seen through Cardan's conventions: loading, switching off all but the tree, and the changes of coordinates.
 *
 * MuJoCo's free joint has qpos = (p, quaternion) and qvel = (v in the world, w in the body's axes); its ball joint has
 * w in the axes of the child. Ours are q = (quaternion, p) and u = (w, v) of M in F expressed in F. So u = T qvel with
 * T orthogonal, made of permutations and of R_FM; and since R' w_B = R (w_B x w_B) = 0, also udot = T qacc;
 * generalized forces change as f = T qfrc, and M = T qM T^T. */
#ifndef CARDAN_TESTS_MUJOCO_BRIDGE_H
#define CARDAN_TESTS_MUJOCO_BRIDGE_H

#include <mujoco/mujoco.h>

#include <cardan/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Turns MuJoCo's exits, prompts and log file into a message on stderr and abort(), and silences its warnings. */
void mj_bridge_handlers(void);

/** Reads a file of the shared MJCF models; false if it is not there. `text` gets at most size - 1 characters and a
 *  0. */
bool mj_bridge_read_model(const char *name, char *text, size_t size);
/** Loads a model from memory or from a file; NULL with MuJoCo's message in `error` (of `size` bytes). `name` ends in
 *  .xml or .urdf. */
mjModel *mj_bridge_load_string(const char *text, const char *name, char *error, int size);
mjModel *mj_bridge_load_file(const char *path, char *error, int size);

/** Switches off contact, equality, limits, friction loss and actuation; switches energies on. */
void mj_bridge_tree_only(mjModel *m);

/** MuJoCo 2.2.2 finds principal axes by rotations that stop too early: the inertia that it then uses is off by up to
 *  2e-7 kg m^2 (trace and moments are right to rounding and 1e-12). This puts a body's central inertia, in body axes,
 *  there as it is; returns the largest element of I - R d R^T, the error of what is now there. Bodies whose principal
 *  axes MuJoCo knows to be the body's are left alone: it has found nothing there, and uses it elsewhere. */
double mj_bridge_set_inertia(mjModel *m, int body, cdn_inertia I);
/** The central inertia in body axes that MuJoCo works with. */
cdn_inertia mj_bridge_inertia(const mjModel *m, int body);

/** Where a joint of MuJoCo's has its coordinates there, and in a System of ours. */
typedef struct mj_bridge_joint {
  int nq, nu; /**< 7, 6: free; 4, 3: ball; 1, 1: hinge or slide */
  int qpos, qvel;
  int first_q, first_u;
} mj_bridge_joint;

typedef struct mj_bridge {
  const mjModel *m;
  mj_bridge_joint *joints;
  int count;
} mj_bridge;

/** Pairs the joints by their order, which both have depth first; `model` NULL: our coordinates are packed in that
 *  order; `m` NULL: its joints are as the model's. False if the joints do not correspond or memory ran out. */
bool mj_bridge_init(mj_bridge *bridge, const mjModel *m, const cdn_model *model);
void mj_bridge_free(mj_bridge *bridge);

void mj_bridge_q_to_mujoco(const mj_bridge *bridge, const double *q, double *qpos);
void mj_bridge_q_from_mujoco(const mj_bridge *bridge, const double *qpos, double *q);
/** Speeds, accelerations or generalized forces at configuration q (ours). */
void mj_bridge_u_to_mujoco(const mj_bridge *bridge, const double *q, const double *u, double *qvel);
void mj_bridge_u_from_mujoco(const mj_bridge *bridge, const double *q, const double *qvel, double *u);
/** Our M (row-major) from MuJoCo's after mj_crb; false if memory ran out. */
bool mj_bridge_M_from_mujoco(const mj_bridge *bridge, const mjData *d, const double *q, double *M);

#ifdef __cplusplus
}
#endif
#endif
