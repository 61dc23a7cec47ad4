/* A set of contacts at one moment, as mathematics. The rows have pushes p and results w = b + W p (accelerations, or
 * velocities after an impact). Each cone has a normal row, tangent rows, or both:
 *
 *   w_n >= 0,  p_n >= floor,  one of them an equality                                                      (8.52)
 *   |p_t| <= mu p_n + base;  where w_t is not zero, p_t is at its bound, against w_t
 *
 * A cone without a normal has its bound from `base` alone. One with three tangents has no normal. */
#ifndef CARDAN_HYBRID_CONES_H
#define CARDAN_HYBRID_CONES_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <cardan/base.h>

typedef enum cone_status { CONE_OPEN, CONE_STICKS, CONE_SLIPS } cone_status;

enum { CONE_MOST_TANGENTS = 3 };

typedef struct cone {
  int normal, tangent, n; /* rows; -1: none. n tangents: 0 to 3 */
  double mu_static, mu_dynamic;
  double base_static, base_dynamic; /* part of the bound that is not of p_n, N */
  double floor;
  /* Known beforehand: it slips in this direction. */
  bool slips;
  double e[CONE_MOST_TANGENTS]; /* the rest is 0 */
  /* The status to try first; afterwards that of the solution: whether the normal holds (w_n = 0), and what the tangents
   * do. e is the direction of slip, or of the slip that is about to begin. */
  bool closed;
  cone_status status;
} cone;

/* The norm of three numbers, of which those that are not there are 0. */
/* Squares that are too large or too small for their sum take the slow way. */
static inline double cone_norm(const double *x) {
  const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
  return square > 1e-280 && square < 1e280 ? sqrt(square) : hypot(hypot(x[0], x[1]), x[2]);
}
static inline double cone_dot(const double *x, const double *y) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }
/* By how much x is off the direction of the unit vector e. */
static inline double cone_across(const double *x, const double *e) {
  const double c[3] = { x[1] * e[2] - x[2] * e[1], x[2] * e[0] - x[0] * e[2], x[0] * e[1] - x[1] * e[0] };
  return cone_norm(c);
}
/* The numbers of a cone's tangents among those of all rows; the rest is 0. */
static inline void cone_get(const cone *c, const double *rows, double *out) {
  for (int t = 0; t < CONE_MOST_TANGENTS; t++) out[t] = t < c->n ? rows[c->tangent + t] : 0;
}
static inline double cone_size(const cone *c, const double *rows) {
  double x[CONE_MOST_TANGENTS];
  cone_get(c, rows, x);
  return cone_norm(x);
}

/* W, symmetric, by rows: row r has value[k] in column[k] for k from first[r] to first[r + 1], in rising columns. The
 * diagonal is there, and where (r, c) is, (c, r) is, too. */
typedef struct cone_matrix {
  const int *first, *column;
  const double *value;
} cone_matrix;

typedef struct cone_problem {
  const cdn_allocator *allocator;
  int rows, n;
  cone_matrix W;
  const double *b;
  cone *cones;
  bool rough;         /* what is near a solution is enough, if looking for it takes long */
  bool nearby;        /* of many solutions one with less than the first is enough: evaluations share pushes anew */
  double *p, *w;      /* results */
  double residual;    /* of the conditions, relative to the largest numbers */
  int solutions;      /* how many there are, where they were counted; else 1 */
  bool out_of_memory; /* why none was found */
} cone_problem;

/* Finds a solution. False: none was found; p and w are the nearest to one. Cones that do not act on each other are
 * solved apart. Of many solutions it is the one with the least pushes, by the sum of their squares. */
bool cdni_cones_solve(cone_problem *problem);

#endif
