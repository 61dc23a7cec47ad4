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
#include "constraints/kernels.h"

/* The equations that take part: those of position level, those of position and velocity level, or all. */
typedef enum loop_level { LOOP_POSITION, LOOP_VELOCITY, LOOP_ALL } loop_level;

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

/* Takes what changed bodies have added to couplings out of them again. Then those that they have themselves may change.
 */
void cdni_loop_give_back(const loop_plan *p, const tree_data *d, int island, const uint8_t *changed, loop_factor *f);
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

/* least_norm.c: the directions n of lambda without effect (G^T n = 0), divided by the weights, as sparse vectors. There
 * is one for each redundant equation that depends on others. */
typedef struct loop_null {
  int n;          /* vectors */
  int32_t *first; /* n + 1: the first entry of each vector */
  int32_t *own;   /* n: the redundant equation of each vector, among those of all blocks */
  int32_t *row;   /* equations of constraints */
  double *value;
  /* The factor of N^T N by rows: the vector of each row, where it begins (its column, and in L); NULL: products are
   * solved by steps */
  int32_t *order, *begin, *at; /* n, n, n + 1 */
  double *L;
} loop_null;

/* The bytes of scratch for a solution. */
size_t cdni_loop_solve_scratch(const loop_plan *p, const loop_factor *f);
/* For several right hand sides: what solutions need of redundant equations, in memory of this size. *L: how many
 * numbers cdni_loop_null_factor then takes; 0: there is nothing to factor. */
size_t cdni_loop_prepare_size(const loop_plan *p, const loop_factor *f);
loop_null cdni_loop_prepare(const loop_plan *p, const loop_factor *f, const double *weight, void *memory, size_t *L);
/* Solves. If equations are redundant, the multipliers have the least norm |lambda / weight|. If right hand sides
 * contradict each other, they are met in the sense of least squares, |weight (G x - b)|. */
void cdni_loop_solve(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                     void *scratch);
/* The same with what has been prepared. */
void cdni_loop_solve_prepared(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                              const loop_null *null, void *scratch);

/* Solves for an island: x and A of its mobilities and bodies; only `force`, `f`, `x` and `A` of the problem are read.
 * Right hand sides of the constraints are zero. */
void cdni_loop_solve_island(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                            int island, void *scratch);
size_t cdni_loop_solve_island_scratch(const loop_plan *p);

/* The same for several States side by side, whose plans are alike, without constraints and couplings: blocks of lanes
 * (math/lane_block.h) in place of numbers, and in every lane the bits that a lone State has. `changed` of the weights
 * must be NULL. *singular: by lane, as cdni_loop_factor returns it. */
bool cdni_loop_fits_lanes(const loop_plan *p);
size_t cdni_loop_factor_lanes_size(const loop_plan *p, int lanes);
loop_factor cdni_loop_factor_lanes_at(const loop_plan *p, int lanes, void *memory);
void cdni_loop_factor_lanes(int lanes, const loop_plan *p, const tree_data *d, const loop_weights *weights, int island,
                            loop_factor *f, int64_t *singular);
size_t cdni_loop_solve_lanes_scratch(const loop_plan *p, int lanes);
void cdni_loop_solve_lanes(int lanes, const loop_plan *p, const tree_data *d, const loop_factor *f,
                           const loop_problem *problem, int island, void *scratch);

/* Bytes of a factorization's trail. */
size_t cdni_loop_trail_size(const loop_plan *p);
/* Finds the shared redundant equations. It is the last step of a factorization. */
void cdni_loop_null_mark(const loop_plan *p, const loop_factor *f);
/* The bytes of the vectors, and of the scratch of cdni_loop_null_project. */
size_t cdni_loop_null_size(const loop_plan *p, const loop_factor *f);
loop_null cdni_loop_null_make(const loop_plan *p, const loop_factor *f, const double *weight, void *memory);
/* null_factor.c: the order of N's vectors in the factor of N^T N, in memory of this size, which stays in use. Returns
 * how many numbers the factor has; 0: too many for one. */
size_t cdni_loop_null_order_size(const loop_plan *p, const loop_factor *f);
size_t cdni_loop_null_order(const loop_plan *p, loop_null *null, void *memory);
/* The factor, at L; where rounding makes it impossible there is none. x: scratch for m_all numbers. */
void cdni_loop_null_factor(const loop_plan *p, loop_null *null, double *x, double *L);
/* r = (N^T N)^-1 r. y: scratch of as many numbers. */
void cdni_loop_null_solve(const loop_null *null, double *r, double *y);
/* Flags by equation of the plan. It flags as many equations of constraints as are redundant; for a redundant equation
 * of a mix it flags the main equation. 1: the row is zero; 2: the equation follows from others. */
void cdni_loop_null_name(const loop_plan *p, const loop_factor *f, int32_t *flags);
/* values -= N (N^T N)^-1 N^T values, for m values that are divided by the weights already. `residual` (m_all; may be
 * NULL) holds N^T values at the redundant equations, if the caller knows it more accurately. */
void cdni_loop_null_project(const loop_plan *p, const loop_null *null, const double *residual, double *values,
                            void *memory);

#endif
