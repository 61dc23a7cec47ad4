/* A mobilizer's coordinates and speeds from a wanted pose and velocity. Private to the room. */
#ifndef CARDAN_MATTER_FIT_H
#define CARDAN_MATTER_FIT_H

#include <cardan/angles.h>
#include <cardan/spatial.h>

#include "matter/custom.h"
#include "matter/subsystem.h"

/* One mobilizer, for any coordinates: nothing here looks at the State's own. */
typedef struct joint {
  const matter *m;
  const tree_node *n;
  const body_frames *frames;
  const custom_mobilizer *custom; /* NULL: built in */
  const double *params;
  bool reversed;
} joint;

/* X_FM and the columns of H_FM in F's axes; `own`: as the kind's own formulas have them, before a reversed one is
 * turned round. */
cdn_status cdni_joint_across(const joint *j, const double *q, bool own, cdn_transform *X, cdn_spatial *H);
/* q moved along by N du, with its quaternion at length one. */
void cdni_joint_move(const joint *j, const double *du, double *q);

/* What is wanted of X_FM: a rotation, a translation, or both. */
typedef struct wanted_pose {
  const cdn_rotation *R;
  const cdn_vec3 *p;
} wanted_pose;

/* Improves q by iteration, from where it is and, if that does not get there, from other places too. What the
 * mobilizer's functions report at the first place is passed on. */
cdn_status cdni_fit_iterate(const joint *j, const wanted_pose *wanted, double *q);

/* rows x nu, at most 6 x 6: A = U^T diag(s) V, with rows of V that are at right angles to each other (one-sided
 * Jacobi). Rows of A become s V. */
void cdni_fit_decompose(int rows, int nu, double (*A)[6], double (*U)[6], double *s);

#endif
