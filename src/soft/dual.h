/* The dual problem of the soft rows of an island: in the forces f of the groups,
 *
 *   least 1/2 f.(A + R) f + b.f  among forces that the groups allow,   A = J P J^T,
 *
 * where b is the residual at udot0 and P is M^-1 on the accelerations that the constraints allow. Then b + A f is the
 * residual at udot0 + P J^T f. */
#ifndef CARDAN_SOFT_DUAL_H
#define CARDAN_SOFT_DUAL_H

#include "soft/internal.h"

/* Groups count from the first one of the island. Two groups have a block of A if they are on one piece of it. */
typedef struct soft_dual {
  soft_problem *p;
  int island, n;
  soft_work *work;
  int32_t *first; /* by group: its first block (n + 1) */
  int32_t *with;  /* by block: the other group */
  int32_t *own;   /* by group: the block that it has with itself */
  size_t *at;     /* by block: its place in A, row by row of the group that has it */
  double *A;
  double (*b)[SOFT_MOST_ROWS]; /* residuals at udot0 */
  void *frame, *numbers;       /* of the State's workspace */
} soft_dual;

/* From a problem without couplings whose pieces are factored. Cost: a solution along its pieces for each row, and
 * memory for the square of the rows of each piece. */
cdn_status cdni_soft_dual_begin(soft_dual *dual, soft_problem *p, int island);
void cdni_soft_dual_end(soft_dual *dual);
/* b + A f of group i. */
void cdni_soft_dual_residual(const soft_dual *dual, int i, double *g);
/* The motion that the forces f make, P J^T f, goes to x; residuals are those there. */
void cdni_soft_dual_move(const soft_dual *dual);

/* ball.c: the least 1/2 y.A y + b.y with |y| <= size, for n <= 5 and A positive semidefinite. */
void cdni_soft_least_in_ball(int n, const double *A, const double *b, double size, double *y);

/* pgs.c: forces of a contact with an elliptic cone along its surface, the best ones at its normal force f[0]; g, the
 * residual, follows. A: the block of its own; `regular`: R counts. Returns by how much the cost falls. */
double cdni_soft_take_friction(const soft_function *s, const double *A, bool regular, double *g, double *f);

#endif
