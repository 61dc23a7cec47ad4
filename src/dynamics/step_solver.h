/* The accelerations of an implicit step by a matrix. With K = M - h J, and the rows G of the constraints on the free
 * mobilities,
 *
 *   K a + G^T mu = M y + c,    G a = G y,
 *
 * for many y and c; prescribed mobilities keep those of y. O(n^3), less where K has the zeros of a tree. Private to the
 * room. */
#ifndef CARDAN_DYNAMICS_STEP_SOLVER_H
#define CARDAN_DYNAMICS_STEP_SOLVER_H

#include "dynamics/internal.h"
#include "math/null_space.h"

typedef struct step_solver {
  const dynamics *dyn;
  cdn_state *state;
  const char *function;
  size_t nu;
  int n, *at;           /* the free mobilities */
  double *M, *K;        /* nu x nu */
  double *factor;       /* of K on the null space of G */
  double *column;       /* nu */
  cdni_null_space rows; /* on the free mobilities; none: rank 0 */
  void *frame;
} step_solver;

/* M and K of the State. After success call cdni_step_solver_end. */
cdn_status cdni_step_solver_begin(step_solver *s, cdn_state *state, const char *function, step_damping damping,
                                  double h);
/* Fails where forces grow faster with speed than the step can follow. */
cdn_status cdni_step_solver_factor(step_solver *s);
/* y (nu rows) becomes a; c: NULL for zero. */
cdn_status cdni_step_solver_apply(const step_solver *s, int columns, const double *c, double *y);
void cdni_step_solver_end(step_solver *s);

#endif
