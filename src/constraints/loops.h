/* The elimination of plan.h in numbers: a factorization of
 *
 *   [ M  G^T ] [ x      ]   [ f ]
 *   [ G   0  ] [ lambda ] = [ b ]
 *
 * along the tree, and solutions with it, for two metrics M: the mass matrix (dynamics), or a diagonal matrix of weights
 * (projection, 10.1: then x is the smallest weighted x with G x = b). O(bodies) and O(constraints) where loops close locally. */
#ifndef CARDAN_CONSTRAINTS_LOOPS_H
#define CARDAN_CONSTRAINTS_LOOPS_H

#include "constraints/elements.h"

/* Which equations take part: those of position level, of position and velocity level, or all. */
typedef enum loop_level { LOOP_POSITION, LOOP_VELOCITY, LOOP_ALL } loop_level;

/* Numbers of one factorization, in memory of the owner's. */
typedef struct loop_factor {
  int32_t *count;                  /* by block: how many of its equations take part */
  int32_t *redundant;              /* by equation: 0; if it was left out: 1, its row is zero; 2, it depends on others */
  int32_t *n_redundant, *n_shared; /* redundant equations; those of them that depend on others (flag 2) */
  int32_t *n_entries;              /* entries of the null vectors of the shared ones in all (least_norm.c) */
  double *trail;                   /* scratch for finding these vectors */
  /* For each equation of a mix: the constraint equation it equals, up to multiples of the equations that are passed on. */
  int32_t *main;
  /* Likewise for passed-on equations that no closed equation was reduced by; -1 otherwise. */
  int32_t *root;
  articulated_inertia *P; /* by body, with what its closed loops add */
  sv *g;                  /* by mobility: of G = P H D^-1, at the parent's M */
  real *D_inv;            /* by mobility: a row of D^-1, six numbers */
  sv *K;                  /* by slot and equation */
  real *v;                /* by open slot, equation and mobility of the joint */
  real *S;                /* matrices: afterwards S_cc^-1, and X_dc = S_dc S_cc^-1 */
  real *Z;                /* diagonal ones: how redundant equations follow from the others of their block */
  real *T;                /* by mix: its matrix, by rows: those of what goes on first */
  sv *Y;                  /* by equation: S_cc^-1 K_c */
  real *scale;            /* by equation: the size that S_ee could have had */
  real *sine;  /* by block: product of the sines of its equations' angles to those before; zero where it is singular */
  real *lever; /* by equation: sum of squares of the moments that its forces could have had about the joints passed */
} loop_factor;

/* Contributions of less than rounding are none. */
#define LOOP_NOTHING 1e-11
/* Whether no equation that was eliminated earlier depends on equation e of a block. Sources of a mix are skipped: their
 * dependence is recorded in the mix's own blocks. */
static inline bool cdni_loop_is_free(const loop_plan *p, const loop_factor *f, int block, int e) {
  for (int a = p->met_first[block]; a < p->met_first[block + 1]; a++) {
    const int b = p->met[a];
    const real *X = f->S + p->met_matrix[a] + e * p->equations[b];
    for (int k = 0; !p->is_mixed[b] && k < f->count[b]; k++)
      if (fabs(X[k]) > LOOP_NOTHING) return false;
  }
  return true;
}

/* Bytes that one needs, and where its parts are in such memory. */
size_t cdni_loop_factor_size(const loop_plan *p);
loop_factor cdni_loop_factor_at(const loop_plan *p, void *memory);

/* Factors, by the plan of the rows; m is the number of its equations. `weights` (nu): the diagonal of M, all positive; NULL: the
 * mass matrix of `d`, whose inertias must be valid. Poses must be valid. `was_redundant` (m; may be NULL) are the flags of a
 * factorization nearby, to which this one keeps while it reasonably can. Returns a body whose mobilizer has no inertia to work
 * against, or -1. */
int cdni_loop_factor(const constraint_room *room, const tree_data *d, const constraint_rows *rows, loop_level level,
                     const double *weights, const int32_t *was_redundant, loop_factor *f);
/* The same of [M G^T; G -R] with a diagonal R >= 0 (m; NULL: zero): then G M^-1 G^T + R is what multipliers are found with, and
 * of right hand sides b the solution leaves R lambda unmet (Levenberg's and Marquardt's steps). */
int cdni_loop_factor_damped(const constraint_room *room, const tree_data *d, const constraint_rows *rows,
                            loop_level level, const double *weights, const int32_t *was_redundant,
                            const double *damping, loop_factor *f);

/* The State's own, of all equations by the mass matrix, and its plan. *f is NULL where no constraint is on. */
cdn_status cdni_constraint_factor(const constraint_room *room, cdn_state *state, const loop_plan **plan,
                                  const loop_factor **f);

/* Flags of it (by equation of all, on or off), as cdni_loop_null_name tells them: valid where the factorization is. */
const int32_t *cdni_constraint_redundant(const constraint_room *room, cdn_state *state);

/* What is solved for. m: equations of the plan. */
typedef struct loop_problem {
  const sv *force;          /* a body; NULL: none */
  const double *f;          /* nu; NULL: zero */
  const double *b;          /* m, of which those that take part are read */
  bool velocity;            /* forces of inertia and Coriolis terms count, and udot of what is prescribed */
  bool weighted;            /* the metric is diagonal */
  const double *prescribed; /* nu: x of prescribed mobilities, where velocity is set */
  const double *weight; /* a constraint, on or off: of its multipliers where they are not unique (9.4); NULL: ones */
  double *x;            /* nu */
  double *lambda;       /* m; zero for equations that do not take part */
  sv *A;                /* a body: where velocity is set the accelerations, else J x */
} loop_problem;

/* Bytes of scratch for it. */
size_t cdni_loop_solve_scratch(const loop_plan *p, const loop_factor *f);
/* Solves. Multipliers that redundant equations leave open are those of least norm, |lambda / weight|; right hand sides that
 * contradict each other are met in the sense of least squares, |weight (G x - b)|. */
void cdni_loop_solve(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                     void *scratch);

/* least_norm.c: the directions n of lambda that do nothing (G^T n = 0), one a redundant equation to which others contribute,
 * as sparse vectors, divided by the weights. */
typedef struct loop_null {
  int n;          /* vectors */
  int32_t *first; /* n + 1: where each starts */
  int32_t *own;   /* n: the redundant equation of each, among those of all blocks */
  int32_t *row;   /* equations of constraints */
  double *value;
} loop_null;
/* Bytes of a factorization's trail. */
size_t cdni_loop_trail_size(const loop_plan *p);
/* Finds which redundant equations are shared: the last act of a factorization. */
void cdni_loop_null_mark(const loop_plan *p, const loop_factor *f);
/* Bytes for them and for what cdni_loop_null_project needs. */
size_t cdni_loop_null_size(const loop_plan *p, const loop_factor *f);
loop_null cdni_loop_null_make(const loop_plan *p, const loop_factor *f, const double *weight, void *memory);
/* Flags (by equation of the plan): as many equations of constraints as are redundant; of a mix's, its
 * main one. 1: the row is zero; 2: it follows from others. */
void cdni_loop_null_name(const loop_plan *p, const loop_factor *f, int32_t *flags);
/* values -= N (N^T N)^-1 N^T values, for m values that are divided by the weights already. `residual` (m_all; may be NULL) holds
 * N^T values at the redundant equations, if it is known better than by multiplying. */
void cdni_loop_null_project(const loop_plan *p, const loop_null *null, const double *residual, double *values,
                            void *memory);

#endif
