/* MuJoCo's distance of two geometries: a model of two geoms, whose poses are set by hand, and the function of its
 * table. */
#ifndef CARDAN_TESTS_MUJOCO_GEOMETRY_H
#define CARDAN_TESTS_MUJOCO_GEOMETRY_H

#include <mujoco/mujoco.h>

#include <cardan/geometry.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mj_geometry_pair {
  mjModel *m;
  mjData *d;
  int geom[2];           /**< of a and of b */
  cdn_transform X_SM[2]; /**< MuJoCo's frame of a mesh in ours */
  bool turned;           /**< MuJoCo's table has b first */
  mjfCollision function; /**< NULL: it has none */
  mjContact contacts[mjMAXCONPAIR];
} mj_geometry_pair;

/** A hull has `n_points` points (of a, of b). False: MuJoCo refuses the model. */
bool mj_geometry_init(mj_geometry_pair *pair, const cdn_geometry *a, int n_points_a, const double *points_a,
                      const cdn_geometry *b, int n_points_b, const double *points_b);
void mj_geometry_free(mj_geometry_pair *pair);
void mj_geometry_pose(mj_geometry_pair *pair, const cdn_transform *X_WA, const cdn_transform *X_WB);
/** How many contacts within `margin` it writes. */
static inline int mj_geometry_collide(mj_geometry_pair *pair, double margin) {
  return pair->function(pair->m, pair->d, pair->contacts, pair->geom[pair->turned], pair->geom[!pair->turned], margin);
}
/** From a to b. */
cdn_vec3 mj_geometry_normal(const mj_geometry_pair *pair, int contact);

#ifdef __cplusplus
}
#endif
#endif
