/* Cones that act on each other: one island of a problem, with rows of its own numbers. Private to the files of cones.
 */
#ifndef CARDAN_HYBRID_CONE_SET_H
#define CARDAN_HYBRID_CONE_SET_H

#include "hybrid/cones.h"

/* K by blocks of 3 x 3, one row and column of blocks for each cone, in an order that fills little (cone_factor.c). */
typedef struct cone_factor {
  int n;
  int *order, *place;               /* the cone at each place, and back */
  int *first, *later;               /* by place: the later places that it is coupled with, in rising order */
  double *diagonal, *lower, *upper; /* 9 numbers each; lower: (later, place), upper: (place, later) */
  double *x;                        /* 3 n */
  size_t size;
  void *memory;
} cone_factor;

typedef struct cone_set {
  const cdn_allocator *allocator;
  int rows, n;
  int *first, *column; /* W, as cone_matrix */
  double *value, *diagonal, most;
  double *b, *p, *w;
  cone *cones, *kept; /* kept, kept_p: a solution, beside which another is sought */
  double *kept_p;
  int *slot;               /* by row: 3 times its cone, and 0 for its normal, 1 and 2 for its tangents */
  double scale_p, scale_w; /* the largest numbers among pushes and results */
  double residual;
  int solutions;
  bool large;  /* equations are factored by blocks; else they are dense */
  bool unique; /* the equations of the last guess are known to have one solution */
  bool out_of_memory;

  /* The equations of a guess: p = what is known + part * y[unknown]; unknowns have numbers of slots. -1: none. */
  int *unknown;
  double *part, *y, *near;                   /* near: pushes to which those that are not unique shall be near */
  double *K, *A, *U, *VT, *s, *svd_work, *x; /* dense */
  int *which;                                /* slots of the dense unknowns */
  cone_factor factor;                        /* large, and Newton's method */
  double *r, *d, *was; /* of Newton's method: residual and change, by slot; pushes before a change */
  void *inner;         /* of the interior point method: what it knows of each cone */
  size_t size;
  void *memory;
} cone_set;

/* Relative to the largest number of its sort: what a solution may violate, and what one by relaxation alone may. */
#define CONE_TOLERANCE 1e-10
#define CONE_ACCEPTED 1e-6

/* ---- cone_set.c ---- */

/* Whether the normal pushes freely, so that its push is an unknown. */
static inline bool cone_pushes(const cone *c) { return c->normal >= 0 && c->closed; }
/* The bound of the tangents for pushes p. */
static inline double cone_bound(const cone *c, const double *p, bool is_static) {
  const double N = c->normal >= 0 ? p[c->normal] : 0;
  return is_static ? c->mu_static * N + c->base_static : c->mu_dynamic * N + c->base_dynamic;
}
/* Whether the tangents' bound is the static one, as long as statuses are being sought. */
static inline bool cone_is_static(const cone *c) { return !c->slips && c->status != CONE_SLIPS; }
/* W p of one row. */
static inline double cone_row(const cone_set *s, int row, const double *p) {
  double sum = 0;
  for (int k = s->first[row]; k < s->first[row + 1]; k++) sum += s->value[k] * p[s->column[k]];
  return sum;
}
/* Whether forces along a row change anything. */
bool cdni_cone_acts(const cone_set *s, int row);
/* The tangents that act: their number, and whether the first does. */
int cdni_cone_tangents(const cone_set *s, const cone *a, int act[2]);
/* w of p, and the scales. */
void cdni_cone_results(cone_set *s);
/* The statuses that pushes and results agree with, and the residual of all conditions by them. */
void cdni_cone_read(cone_set *s, double narrow);
void cdni_cone_judge(cone_set *s);

/* What one cone violates, and what to change. */
typedef struct cone_violation {
  double size; /* relative */
  bool closed;
  cone_status status;
  double e[2];
  bool turns; /* only the direction of slip changes */
} cone_violation;
cone_violation cdni_cone_look(const cone_set *s, const cone *a);

/* ---- the methods; each returns whether it has found a solution ---- */

/* cone_guess.c: evaluates guesses of statuses, from those that are set, until one violates nothing. */
bool cdni_cone_guess(cone_set *s, int most);
/* cone_guess.c: p and w of the guess. Where p is not unique it is the one nearest to s->near. */
bool cdni_cone_evaluate(cone_set *s);
/* cone_newton.c: Newton's method on the cones as they are, from the pushes that are there, which s->near keeps; and
 * rounds of projected relaxation, each with Newton's method after it. */
bool cdni_cone_newton(cone_set *s);
bool cdni_cone_alternate(cone_set *s, int rounds);
/* From a solution to the least one, where there are many, if it is found. */
void cdni_cone_lessen(cone_set *s);
/* cone_interior.c: from far away, on a path within the cones. Rows give way by `give`, relative to the largest number
 * of W. */
bool cdni_cone_interior(cone_set *s, double give);
/* cone_relax.c: projected relaxation, from the pushes that are there; and from none, where statuses are then those that
 * it comes to. Makes a guess, not a solution. */
void cdni_cone_sweep(cone_set *s, int sweeps, double narrow);
void cdni_cone_relax(cone_set *s, int sweeps, double narrow);
/* cone_enumerate.c: all combinations of statuses; of those that fit, the one with the least pushes. How many there are;
 * INFINITY: they are endless. */
bool cdni_cone_enumerate(cone_set *s);
double cdni_cone_combinations(const cone_set *s);

/* ---- cone_factor.c ---- */

/* The order of elimination, and memory for the blocks. False: there is none. Once done nothing remains to do. */
bool cdni_cone_factor_prepare(cone_set *s);
/* Zero everywhere. */
void cdni_cone_factor_clear(cone_factor *f);
/* The block of row cone i and column cone j. */
double *cdni_cone_factor_block(const cone_factor *f, int i, int j);
/* False: it is singular. */
bool cdni_cone_factor_decompose(cone_factor *f);
/* x (3 numbers of each cone) = K^-1 x. */
void cdni_cone_factor_solve(const cone_factor *f, double *x);

#endif
