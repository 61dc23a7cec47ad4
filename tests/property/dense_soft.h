/* shared by tests in this folder */
/* Soft rows beside hard ones, solved densely and slowly: min 1/2 |a - a0|_M^2 + sum s(J a - ref) subject to G a = b.
 *
 * It shares nothing with the library. s is taken from its dual, s(r) = max over forces f that are allowed of
 * -f.r - f.R f / 2, whose maximum is a projection; numbers have 113 bits where the compiler has them; the hard rows are
 * removed by an orthonormal basis of their null space; Newton's steps are searched along to the zero of the slope. */
#ifndef CARDAN_TESTS_DENSE_SOFT_H
#define CARDAN_TESTS_DENSE_SOFT_H

#include <stdbool.h>

#include "soft/function.h"

typedef struct dense_group {
  soft_kind kind;
  int rows;
  const double *J; /* rows x nv */
  double ref[SOFT_MOST_ROWS];
  double R[SOFT_MOST_ROWS]; /* pyramid: R[0], of its edges */
  double loss, lower, upper;
  double friction[SOFT_MOST_ROWS - 1]; /* of elliptic cones, with R_k friction_k^2 alike for all tangents */
} dense_group;
/* The numbers of a function of the library's. */
dense_group dense_group_of(const soft_function *s, const double *ref, const double *J);

typedef struct dense_problem {
  int nv, groups, hard;
  const double *M, *a0; /* nv x nv; nv */
  const double *G, *b;  /* hard x nv; hard: ranks may be missing, if the rows do not contradict each other */
  const dense_group *group;
} dense_problem;

typedef struct dense_solution {
  double *a;                       /* nv */
  double (*force)[SOFT_MOST_ROWS]; /* a group: in the coordinates of its rows */
  double *hard_force;              /* nu: G^T lambda = M (a - a0) - J^T f */
  double cost;
  double gradient;  /* sqrt(g.H^-1 g) on the null space of G, over sqrt(scale) */
  double violation; /* the largest |G a - b| */
  int iterations, rank;
} dense_solution;

/* False: memory ran out, M is not positive definite, or it did not converge to 1e-20 (1e-12
 * where there are no 113 bits). */
bool dense_solve(const dense_problem *p, dense_solution *out);
void dense_free(dense_solution *out);

#endif
