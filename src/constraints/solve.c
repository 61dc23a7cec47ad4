/* Solving with the elimination: what of lambda, or of the right hand sides, is left open is settled here. */
#include <math.h>

#include "constraints/loops.h"

/* ---- both ---- */

static size_t own_scratch(const loop_plan *p) {
  return (size_t)p->tree->n * sizeof(sv) + ((size_t)p->tree->nu + 2 * (size_t)p->m_all + (size_t)p->m) * sizeof(double);
}

size_t cdni_loop_solve_scratch(const loop_plan *p, const loop_factor *f) {
  return own_scratch(p) + (*f->n_shared > 0 ? cdni_loop_null_size(p, f) : 0);
}

static void divide(const loop_plan *p, const double *weight, bool inverse, double *values) {
  for (int c = 0; weight && c < p->n_constraints; c++)
    for (int e = p->first[c]; e < p->first[c] + p->equations[c]; e++)
      values[e] = inverse ? values[e] * weight[p->constraint[c]] : values[e] / weight[p->constraint[c]];
}

/* Whether right hand sides contradict each other by more than rounding. */
static bool contradicts(const loop_solution *s, const loop_null *null) {
  double most = 0, size = 0;
  for (int j = 0; j < null->n; j++) most = fmax(most, fabs(s->beta[null->own[j]]));
  for (int e = 0; e < s->p->m; e++) size = fmax(size, fabs(s->in->b[e]));
  return most > 1e-13 * size;
}

size_t cdni_loop_prepare_size(const loop_plan *p, const loop_factor *f) {
  return *f->n_shared > 0 ? cdni_aligned(cdni_loop_null_size(p, f)) + cdni_loop_null_order_size(p, f) : 0;
}

loop_null cdni_loop_prepare(const loop_plan *p, const loop_factor *f, const double *weight, void *memory, size_t *L) {
  *L = 0;
  if (*f->n_shared == 0) return (loop_null){ .n = 0 };
  loop_null null = cdni_loop_null_make(p, f, weight, memory);
  *L = cdni_loop_null_order(p, &null, (char *)memory + cdni_aligned(cdni_loop_null_size(p, f)));
  return null;
}

void cdni_loop_solve(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                     void *scratch) {
  loop_null null = { .n = 0 };
  if (*f->n_shared > 0) null = cdni_loop_null_make(p, f, problem->weight, (char *)scratch + own_scratch(p));
  cdni_loop_solve_prepared(p, d, f, problem, &null, scratch);
}

void cdni_loop_solve_prepared(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                              const loop_null *null, void *scratch) {
  loop_solution s = { .p = p, .d = d, .f = f, .in = problem, .z = scratch };
  s.eps = (double *)(s.z + p->tree->n);
  s.beta = s.eps + p->tree->nu;
  s.lambda = s.beta + p->m_all;
  double *b = s.lambda + p->m_all;
  const loop_kernels *kernels = cdni_loop_kernels[cdni_kernel_set(1)];
  memcpy(s.beta, problem->b, (size_t)p->m * sizeof *s.beta);
  memset(s.lambda, 0, (size_t)p->m_all * sizeof *s.lambda);
  kernels->inward(&s);
  if (null->n == 0) {
    kernels->outward(&s);
    memcpy(problem->lambda, s.lambda, (size_t)p->m * sizeof *s.lambda);
    return;
  }
  char *memory = (char *)scratch + own_scratch(p);
  if (contradicts(&s, null)) {
    memcpy(b, problem->b, (size_t)p->m * sizeof *b);
    divide(p, problem->weight, true, b);
    cdni_loop_null_project(p, null, s.beta, b, memory);
    divide(p, problem->weight, false, b);
    memcpy(s.beta, b, (size_t)p->m * sizeof *s.beta);
    kernels->inward(&s);
  }
  kernels->outward(&s);
  memcpy(problem->lambda, s.lambda, (size_t)p->m * sizeof *s.lambda);
  divide(p, problem->weight, false, problem->lambda);
  cdni_loop_null_project(p, null, NULL, problem->lambda, memory);
  divide(p, problem->weight, true, problem->lambda);
}

size_t cdni_loop_solve_island_scratch(const loop_plan *p) { return own_scratch(p); }

size_t cdni_loop_solve_lanes_scratch(const loop_plan *p, int lanes) {
  return ((size_t)p->tree->n * sizeof(sv) + (size_t)p->tree->nu * sizeof(real)) * (size_t)lanes;
}

void cdni_loop_solve_lanes(int lanes, const loop_plan *p, const tree_data *d, const loop_factor *f,
                           const loop_problem *problem, int island, void *scratch) {
  loop_solution s = { .p = p, .d = d, .f = f, .in = problem, .island = island, .z = scratch };
  s.eps = (double *)(s.z + (size_t)p->tree->n * (size_t)lanes);
  const loop_kernels *kernels = cdni_loop_kernels[cdni_kernel_set(lanes)];
  kernels->inward(&s);
  kernels->outward(&s);
}

void cdni_loop_solve_island(const loop_plan *p, const tree_data *d, const loop_factor *f, const loop_problem *problem,
                            int island, void *scratch) {
  loop_solution s = { .p = p, .d = d, .f = f, .in = problem, .island = island, .z = scratch };
  s.eps = (double *)(s.z + p->tree->n);
  s.beta = s.eps + p->tree->nu;
  s.lambda = s.beta + p->m_all;
  for (int n = p->island_block[island]; n < p->island_block[island + 1]; n++) {
    const int b = p->block_listed[n];
    for (int e = p->first[b]; e < p->first[b] + p->equations[b]; e++) s.beta[e] = s.lambda[e] = 0;
  }
  const loop_kernels *kernels = cdni_loop_kernels[cdni_kernel_set(1)];
  kernels->inward(&s);
  kernels->outward(&s);
}
