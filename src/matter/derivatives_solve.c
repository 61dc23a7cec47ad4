/* M^-1 for all columns of a matrix at once: by its factors or, in deep trees, by the tree's own passes. */
#include "matter/derivatives.h"
#include "matter/operators_factor.h"
#include "matter/subsystem.h"

/* The mean number of mobilities inboard of one from which the O(n) passes win; measured. */
enum { DEEP = 20 };

static bool is_deep(const tree *t) {
  size_t sum = 0;
  for (int k = 0; k < t->n_blocks; k++) {
    const tree_block *b = &t->block[k];
    size_t inboard = 0;
    for (int j = b->parent; j >= 0; j = t->block[j].parent) inboard += (size_t)t->block[j].nu;
    sum += (size_t)b->nu * inboard + (size_t)(b->nu * (b->nu - 1) / 2);
  }
  return sum > (size_t)DEEP * (size_t)t->nu;
}

/* Prescribed mobilities do not take part: in M their rows and columns are those of the identity, */
static void take_out(const derivative_pass *p, double *M) {
  const int32_t *prescribed = cdni_matter_data(p->m, p->state).prescribed;
  const int nu = p->m->tree.nu;
  for (int i = 1; prescribed && i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    for (int r = n->u; prescribed[i] && r < n->u + n->nu; r++)
      for (int k = 0; k < nu; k++) M[r * nu + k] = M[k * nu + r] = k == r;
  }
}

/* and on the right sides their rows are zero. */
static void clear_rows(const derivative_pass *p, double *X, int columns) {
  const int32_t *prescribed = cdni_matter_data(p->m, p->state).prescribed;
  for (int i = 1; prescribed && i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    if (prescribed[i] && n->nu) memset(X + (size_t)n->u * (size_t)columns, 0, n->nu * (size_t)columns * sizeof *X);
  }
}

cdn_status cdni_mass_solver_begin(mass_solver *s, const derivative_pass *p, double *M) {
  const matter *m = p->m;
  const tree *t = &m->tree;
  *s = (mass_solver){ .pass = p, .L = M };
  CDNI_TRY(cdni_state_ensure(p->state, m->articulated.ticket));
  const size_t bytes = m->kernels->mass_solve_scratch(t);
  if (!is_deep(t)) {
    CDNI_TRY(cdni_operator_work(p->state, "derivatives", bytes, &s->scratch));
    take_out(p, M);
    m->kernels->mass_factor(t, M);
    return CDN_OK;
  }
  tree_data d;
  const matter *same;
  mobility_factor *mobilities;
  CDNI_TRY(cdni_operator_work(p->state, "derivatives", bytes, &s->scratch));
  const cdn_status status = cdni_operator_factor(p->state, "derivatives", false, &same, &d, 0, &mobilities, NULL);
  if (status != CDN_OK) cdn_work_pop(p->state, s->scratch);
  s->mobilities = mobilities;
  return status;
}

void cdni_mass_solver_end(mass_solver *s) {
  if (s->mobilities) cdn_work_pop(s->pass->state, s->mobilities);
  cdn_work_pop(s->pass->state, s->scratch);
}

void cdni_mass_solver_apply(const mass_solver *s, double scale, double *X, int columns) {
  const matter *m = s->pass->m;
  clear_rows(s->pass, X, columns);
  if (s->mobilities) m->kernels->mass_solve_deep(&m->tree, s->pass->pose, s->mobilities, scale, X, columns, s->scratch);
  else m->kernels->mass_solve(&m->tree, s->L, scale, X, columns, s->scratch);
}
