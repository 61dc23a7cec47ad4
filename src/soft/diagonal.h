/* The inverse inertia J M^-1 J^T that soft rows meet at the pose of the State, in place of MuJoCo's approximation of
 * it. */
#ifndef CARDAN_SOFT_DIAGONAL_H
#define CARDAN_SOFT_DIAGONAL_H

#include "matter/operators_factor.h"
#include "soft/rows.h"

typedef struct soft_diagonal {
  const tree *tree;
  const body_pose *pose;
  mobility_factor *factor; /* of M, in the State's workspace */
} soft_diagonal;

/* Factors M: O(bodies). To be ended if it succeeds. */
cdn_status cdni_soft_diagonal_begin(cdn_state *state, soft_diagonal *out);
void cdni_soft_diagonal_end(const soft_diagonal *x, cdn_state *state);
/* Scales the rows of a complete group, whose D go by g->about, by what they meet. How the group varies is then not
 * known. A row takes O(length of the paths from its bodies to Ground). */
void cdni_soft_diagonal_scale(const soft_diagonal *x, soft_group *g);

#endif
