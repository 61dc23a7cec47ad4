/* The numbers of the elimination of plan.h: a factorization of
 *
 *   [ M  G^T ] [ x      ]   [ f ]
 *   [ G   0  ] [ lambda ] = [ b ]
 *
 * along the tree, and solutions with it. M is one of two metrics: the mass matrix (dynamics), or a diagonal matrix of
 * weights (projection, 10.1: x is then the smallest weighted x with G x = b). Cost: O(bodies + constraints) if loops
 * close locally. */
#ifndef CARDAN_CONSTRAINTS_LOOPS_H
#define CARDAN_CONSTRAINTS_LOOPS_H

#include "constraints/elements.h"

/* The equations that take part: those of position level, those of position and velocity level, or all. */
typedef enum loop_level { LOOP_POSITION, LOOP_VELOCITY, LOOP_ALL } loop_level;

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
  articulated_inertia *passed; /* by body: what it adds to its parent's, if loop_weights.changed is given */
  sv *g;                       /* by mobility: of G = P H D^-1, at the parent's M */
  real *D_inv;                 /* by mobility: a row of D^-1, six numbers */
  sv *K;                       /* by slot and equation */
  real *v;                     /* by open slot, equation and mobility of the joint */
  real *S;                     /* matrices: afterwards S_cc^-1, and X_dc = S_dc S_cc^-1 */
  real *Z;                     /* diagonal ones: how redundant equations follow from the others of their block */
  real *T;                     /* by mix: its matrix, by rows: those of what goes on first */
  sv *Y;                       /* by equation: S_cc^-1 K_c */
  real *scale;                 /* by equation: the largest size that S_ee could have */
  real *sine;  /* by block: product of the sines of its equations' angles to those before; zero where it is singular */
  sv *C;       /* by coupling: six rows */
  sv *E, *E_D; /* by coupling and mobility of the body that is eliminated: H^T C, and D^-1 H^T C */
  sv *tip_Y;   /* by tip and equation: S_cc^-1 K_c there */
  real *lever; /* by equation: sum of squares of the largest moments of its forces about the joints passed */
} loop_factor;

/* Smaller contributions are rounding, and count as zero. */
#define LOOP_NOTHING 1e-11
/* Whether no equation eliminated earlier depends on equation e of a block. Sources of a mix are skipped, because the
 * blocks of the mix record their dependence. */
static inline bool cdni_loop_is_free(const loop_plan *p, const loop_factor *f, int block, int e) {
  for (int a = p->met_first[block]; a < p->met_first[block + 1]; a++) {
    const int b = p->met[a];
    const real *X = f->S + p->met_matrix[a] + e * p->equations[b];
    for (int k = 0; !p->is_mixed[b] && k < f->count[b]; k++)
      if (fabs(X[k]) > LOOP_NOTHING) return false;
  }
  return true;
}

/* The bytes of a factorization, and its parts in such memory. */
size_t cdni_loop_factor_size(const loop_plan *p);
loop_factor cdni_loop_factor_at(const loop_plan *p, void *memory);

/* Factors by the plan of the rows, which has m equations. `weights` (nu) is the diagonal of M, all positive. NULL: M is
 * the mass matrix of `d`, whose inertias must be valid. Poses must be valid. `was_redundant` (m; may be NULL) has the
 * flags of a factorization at a nearby pose; this factorization keeps them as long as pivots allow it. Returns -1, or a
 * body whose mobilizer has no inertia to work against. */
int cdni_loop_factor(const constraint_room *room, const tree_data *d, const constraint_rows *rows, loop_level level,
                     const double *weights, const int32_t *was_redundant, loop_factor *f);
/* Factors [M G^T; G -R] with a diagonal R >= 0 (m; NULL: zero). Multipliers are then solved with G M^-1 G^T + R, and
 * the solution misses b by R lambda (steps of Levenberg and Marquardt). */
int cdni_loop_factor_damped(const constraint_room *room, const tree_data *d, const constraint_rows *rows,
                            loop_level level, const double *weights, const int32_t *was_redundant,
                            const double *damping, loop_factor *f);
/* Factors [M + D G^T; G 0]: D adds to the joints' own (nu, by mobility six numbers, as in loop_factor.D_inv). */
int cdni_loop_factor_joints(const constraint_room *room, const tree_data *d, const constraint_rows *rows,
                            const int32_t *was_redundant, const double *D, loop_factor *f);

/* What soft rows add to [M G^T; G 0]: weights on accelerations. Their couplings are in f->C already, by given_C of the
 * plan. */
typedef struct loop_weights {
  const articulated_inertia *P; /* by body; read for bodies that take part */
  const real *D;                /* by mobility six numbers, as in loop_factor.D_inv; NULL: none */
  /* By body of an island without couplings and blocks; NULL: all. Bodies with other weights than in the factorization
   * before, and all bodies inboard of them: only these are eliminated again. */
  const uint8_t *changed;
} loop_weights;
/* Factors an island of a plan with couplings; flags of redundant equations as above. `rows` has the plan of all
 * constraints, or is NULL. */
int cdni_loop_factor_island(const constraint_room *room, const loop_plan *p, const tree_data *d,
                            const constraint_rows *rows, const int32_t *was_redundant, const loop_weights *weights,
                            int island, loop_factor *f);
/* The State's factorization of all equations by the mass matrix, and its plan. *f is NULL if no constraint is
 * enabled. */
cdn_status cdni_constraint_factor(const constraint_room *room, cdn_state *state, const loop_plan **plan,
                                  const loop_factor **f);

/* Its flags as cdni_loop_null_name gives them, by equation of all constraints. They are valid while the factorization
 * is. */
const int32_t *cdni_constraint_redundant(const constraint_room *room, cdn_state *state);

/* A right hand side, and the places of the solution. m: equations of the plan. */
typedef struct loop_problem {
  const sv *force;          /* a body; NULL: none */
  const double *f;          /* nu; NULL: zero */
  const double *b;          /* m; equations that do not take part are not read */
  bool velocity;            /* forces of inertia, Coriolis terms and prescribed udot count */
  bool weighted;            /* the metric is diagonal */
  const double *prescribed; /* nu: x of prescribed mobilities, if velocity is set */
  const double *weight;     /* by constraint, enabled or not: weights of the multipliers (9.4); NULL: ones */
  double *x;                /* nu */
  double *lambda;           /* m; zero for equations that do not take part */
  sv *A;                    /* by body: accelerations if velocity is set, else J x */
} loop_problem;

/* The bytes of scratch for a solution. */
size_t cdni_loop_solve_scratch(const loop_plan *p, const loop_factor *f);
/* Solves. If equations are redundant, the multipliers have the least norm |lambda / weight|. If right hand sides
 * contradict each other, they are met in the sense of least squares, |weight (G x - b)|. */
void cdni_loop_solve(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                     void *scratch);

/* Solves for an island: x and A of its mobilities and bodies; only `force`, `f`, `x` and `A` of the problem are read.
 * Right hand sides of the constraints are zero. */
void cdni_loop_solve_island(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                            int island, void *scratch);
size_t cdni_loop_solve_island_scratch(const loop_plan *p);

/* least_norm.c: the directions n of lambda without effect (G^T n = 0), divided by the weights, as sparse vectors. There
 * is one for each redundant equation that depends on others. */
typedef struct loop_null {
  int n;          /* vectors */
  int32_t *first; /* n + 1: the first entry of each vector */
  int32_t *own;   /* n: the redundant equation of each vector, among those of all blocks */
  int32_t *row;   /* equations of constraints */
  double *value;
} loop_null;
/* Bytes of a factorization's trail. */
size_t cdni_loop_trail_size(const loop_plan *p);
/* Finds the shared redundant equations. It is the last step of a factorization. */
void cdni_loop_null_mark(const loop_plan *p, const loop_factor *f);
/* The bytes of the vectors, and of the scratch of cdni_loop_null_project. */
size_t cdni_loop_null_size(const loop_plan *p, const loop_factor *f);
loop_null cdni_loop_null_make(const loop_plan *p, const loop_factor *f, const double *weight, void *memory);
/* Flags by equation of the plan. It flags as many equations of constraints as are redundant; for a redundant equation
 * of a mix it flags the main equation. 1: the row is zero; 2: the equation follows from others. */
void cdni_loop_null_name(const loop_plan *p, const loop_factor *f, int32_t *flags);
/* values -= N (N^T N)^-1 N^T values, for m values that are divided by the weights already. `residual` (m_all; may be
 * NULL) holds N^T values at the redundant equations, if the caller knows it more accurately. */
void cdni_loop_null_project(const loop_plan *p, const loop_null *null, const double *residual, double *values,
                            void *memory);

#endif
