/* Cones that act on each other: one island of a problem, with rows of its own numbers. Private to the files of cones.
 */
#ifndef CARDAN_HYBRID_CONE_SET_H
#define CARDAN_HYBRID_CONE_SET_H

#include <stdint.h>

#include "hybrid/cones.h"

/* A front: `width` cones from place `first` on, which are eliminated together, and `outer` later ones, from `row` on in
 * the factor's row and local. It waits for its children. */
typedef struct cone_front {
  int first, width, outer, row;
  int parent, child, sibling; /* fronts, or -1 */
  int block, blocks;          /* the blocks of K that it takes, in the factor's block and to */
  size_t at;                  /* in the factor's upper and lower: 3 width rows of 3 (width + outer) numbers each */
} cone_front;

/* K by blocks of 3 x 3, one row and column of blocks for each cone, and its factors, by fronts (cone_fronts.c). */
typedef struct cone_factor {
  int n, fronts;
  int *order, *place; /* the cone at each place, and back */
  int *start, *with;  /* by cone: those that it is coupled with, itself too, in rising order; K: a block for each */
  int *block;         /* by front: the blocks of K, and where its matrix has them */
  size_t *to;
  cone_front *front;
  int *row, *local;          /* by front: its later places, and what of the front that waits for it they are */
  double *K, *upper, *lower; /* upper: U, with the inverse of its diagonal; lower: what is taken from later rows */
  double *F, *stack, *x;     /* a front's matrix; what fronts leave to others; 3 n and the size of a front */
  size_t plan_size, numbers_size;
  void *plan, *numbers;
} cone_factor;

typedef struct cone_set {
  const cdn_allocator *allocator;
  int rows, n;
  int *first, *column; /* W, as cone_matrix */
  double *value, *diagonal, most;
  double *b, *p, *w;
  cone *cones, *kept; /* kept, kept_p: a solution, beside which another is sought */
  double *kept_p;
  int *slot;               /* by row: 3 times its cone, and its place there */
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

/* Places in the block of a cone: 0 for its normal, 1 and 2 for its tangents, or all three for these. */
static inline int cone_place(const cone *c, int tangent) { return c->n > 2 ? tangent : 1 + tangent; }
/* The rows by place; -1: none. */
static inline void cone_places(const cone *c, int rows[3]) {
  rows[0] = c->normal, rows[1] = rows[2] = -1;
  for (int t = 0; t < c->n; t++) rows[cone_place(c, t)] = c->tangent + t;
}
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
int cdni_cone_tangents(const cone_set *s, const cone *a, int act[CONE_MOST_TANGENTS]);
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
  double e[CONE_MOST_TANGENTS];
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
/* From a solution to the least one, where there are many, if it is found; or to one with less, from_here. */
void cdni_cone_lessen(cone_set *s, bool from_here);
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

/* ---- cone_order.c ---- */

static inline bool bits_has(const uint64_t *bits, int i) { return bits[i / 64] >> (i % 64) & 1; }
static inline void bits_put(uint64_t *bits, int i) { bits[i / 64] |= UINT64_C(1) << (i % 64); }
static inline void bits_drop(uint64_t *bits, int i) { bits[i / 64] &= ~(UINT64_C(1) << (i % 64)); }
/* An order in which little fills up. bits: a row of words for each of n cones, with which others it is coupled; on
 * return when its turn comes. Writes the cone at each place, and the place of each cone. `degree`: scratch, n. */
void cdni_cone_order(int n, size_t words, uint64_t *bits, int *order, int *place, int *degree);

/* ---- cone_fronts.c ---- */

/* The plan of the elimination, and memory for its numbers. False: there is none. Once done nothing remains to do. */
bool cdni_cone_factor_prepare(cone_set *s);
void cdni_cone_factor_free(cone_set *s);

/* ---- cone_factor.c ---- */

/* Zero everywhere. */
void cdni_cone_factor_clear(cone_factor *f);
/* The block of row cone i and column cone j, rows of three numbers. */
double *cdni_cone_factor_block(const cone_factor *f, int i, int j);
/* False: it is singular. */
bool cdni_cone_factor_decompose(cone_factor *f);
/* x (3 numbers of each cone) = K^-1 x. */
void cdni_cone_factor_solve(const cone_factor *f, double *x);

#endif
