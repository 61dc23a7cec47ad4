/* The numeric passes of the elimination, compiled for several instruction sets. Sets of several lanes are for plans
 * without constraints and couplings, and for solutions without velocity. */
#ifndef CARDAN_CONSTRAINTS_KERNELS_H
#define CARDAN_CONSTRAINTS_KERNELS_H

#include "constraints/plan.h"
#include "math/kernel_sets.h"

/* The numbers of one factorization. The owner has the memory. */
typedef struct loop_factor {
  int32_t *count;                  /* by block: the number of its equations that take part */
  int32_t *redundant;              /* by equation: 0: kept; left out: 1: its row is zero; 2: it depends on others */
  int32_t *n_redundant, *n_shared; /* the numbers of redundant equations, and of those with flag 2 (shared) */
  int32_t *n_entries;              /* entries of the null vectors of all shared equations (least_norm.c) */
  double *trail;                   /* scratch for finding the null vectors */
  /* For each equation of a mix: the constraint equation that it equals, up to multiples of the equations that the mix
   * passes on. */
  int32_t *main;
  /* The same for each equation that is passed on and by which no closed equation was reduced; -1 for the others. */
  int32_t *root;
  articulated_inertia *P;      /* by body, with the inertia that closed loops add */
  articulated_inertia *passed; /* by body: what it adds to its parent's, in factorizations of islands */
  uint8_t *in_ground;          /* by body: whether its joint is free, and its numbers are in Ground's axes */
  sv *g;                       /* by mobility: of G = P H D^-1, at the parent's M */
  real *D_inv;                 /* by mobility: a row of D^-1, six numbers */
  sv *K;                       /* by slot and equation */
  real *v;                     /* by open slot, equation and mobility of the joint */
  real *S;                     /* matrices: afterwards S_cc^-1, and X_dc = S_dc S_cc^-1 */
  real *Z;                     /* diagonal ones: how redundant equations follow from the others of their block */
  real *T;                     /* by mix: its matrix, by rows: those of what goes on first */
  sv *Y;                       /* by equation: S_cc^-1 K_c */
  real *scale;                 /* by equation: the largest size that S_ee could have */
  real *sine; /* by block: product of the sines of its equations' angles to those before; zero where it is singular */
  sv *C;      /* by coupling: six rows */
  sv *R;      /* by body that couplings reach: six rows, of what earlier bodies leave of its inertia */
  /* By coupling: E = H^T C, a row for each mobility of the body that is eliminated (not in Ground's axes, where it is
   * C); and E^T D^-1, six rows. */
  sv *E;
  real *E_D;
  sv *tip_Y;   /* by tip and equation: S_cc^-1 K_c there */
  real *lever; /* by equation: sum of squares of the largest moments of its forces about the joints passed */
} loop_factor;

/* What soft rows add to [M G^T; G 0]: weights on accelerations. Their couplings are in f->C already, by given_C of the
 * plan. */
typedef struct loop_weights {
  const articulated_inertia *P; /* by body; read for bodies that take part; NULL: none */
  const real *D;                /* by mobility six numbers, as in loop_factor.D_inv; NULL: none */
  const uint8_t *acts;          /* by body: whether P and D of its joint are not zero, and are read; NULL: on all */
  /* By body of an island without blocks; NULL: all. Bodies with other weights than in the factorization before, and all
   * that these reach: bodies inboard of them, and those that they are coupled with when they are eliminated. Only these
   * are eliminated again. What they have added to the couplings was given back. */
  const uint8_t *changed;
} loop_weights;

/* A right hand side, and the places of the solution. m: equations of the plan. */
typedef struct loop_problem {
  const sv *force;          /* a body; NULL: none */
  const real *f;            /* nu; NULL: zero */
  const double *b;          /* m; equations that do not take part are not read */
  bool velocity;            /* forces of inertia, Coriolis terms and prescribed udot count */
  bool weighted;            /* the metric is diagonal */
  const double *prescribed; /* nu: x of prescribed mobilities, if velocity is set */
  const double *weight;     /* by constraint, enabled or not: weights of the multipliers (9.4); NULL: ones */
  real *x;                  /* nu */
  double *lambda;           /* m; zero for equations that do not take part */
  sv *A;                    /* by body: accelerations if velocity is set, else J x */
} loop_problem;

/* One solution under way. */
typedef struct loop_solution {
  const loop_plan *p;
  const tree_data *d;
  const loop_factor *f;
  const loop_problem *in;
  int island;
  sv *z;        /* by body: bias forces */
  real *eps;    /* nu */
  real *lambda; /* m_all: of all blocks */
  real *
      beta; /* m_all: right hand sides; at redundant equations, after the inward pass, how they contradict the others */
} loop_solution;

typedef struct loop_kernels {
  /* as cdni_loop_factor, with rows entered. `soft`: NULL if there are no soft rows; without weights on bodies P is set
   * to the bodies' own. keeps: what bodies pass on, in f->passed. *singular: by lane the first body whose mobilizer has
   * no inertia to work against, or -1 */
  void (*factor)(const loop_plan *p, const tree_data *d, const double *weights, const loop_weights *soft,
                 const int32_t *was_redundant, int island, bool keeps, loop_factor *f, rmask *singular);
  /* of one lane */
  void (*give_back)(const loop_plan *p, const tree_data *d, int island, const uint8_t *changed, loop_factor *f);
  void (*inward)(const loop_solution *s);
  void (*outward)(const loop_solution *s);
} loop_kernels;

/* By kernel_set. */
extern const loop_kernels *const cdni_loop_kernels[KERNEL_SET_COUNT];

#endif
