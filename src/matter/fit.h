/* A mobilizer's coordinates and speeds for a wanted pose and velocity. Private to the room. */
#ifndef CARDAN_MATTER_FIT_H
#define CARDAN_MATTER_FIT_H

#include <cardan/angles.h>
#include <cardan/spatial.h>

#include "matter/custom.h"
#include "matter/subsystem.h"

/* One mobilizer at any coordinates; these functions do not read the State's own. */
typedef struct joint {
  const matter *m;
  const tree_node *n;
  const body_frames *frames;
  const custom_mobilizer *custom; /* NULL: built in */
  const double *params;
  bool reversed;
} joint;

/* X_FM and the columns of H_FM in F's axes. `own`: by the kind's own formulas, before a reversed mobilizer is turned
 * round. */
cdn_status cdni_joint_across(const joint *j, const double *q, bool own, cdn_transform *X, cdn_spatial *H);
/* Moves q along N du, and brings its quaternion to unit length. */
void cdni_joint_move(const joint *j, const double *du, double *q);

/* The wanted X_FM: a rotation, a translation, or both. */
typedef struct wanted_pose {
  const cdn_rotation *R;
  const cdn_vec3 *p;
} wanted_pose;

/* Improves q by iteration, from its present value and, if that fails, from other places. A status that the mobilizer's
 * functions return at the first place is returned. */
cdn_status cdni_fit_iterate(const joint *j, const wanted_pose *wanted, double *q);

/* Decomposes a rows x nu matrix (at most 6 x 6) as A = U^T diag(s) V, with orthogonal rows of V (one-sided Jacobi).
 * The rows of A become s V. */
void cdni_fit_decompose(int rows, int nu, double (*A)[6], double (*U)[6], double *s);

#endif
