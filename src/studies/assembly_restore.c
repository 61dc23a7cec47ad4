/* Moving to the constraints from anywhere: Gauss-Newton steps of smallest change, damped (Levenberg, Marquardt)
 * where the equations differ from their linear model. Damping adds to the diagonal of the equations for the
 * multipliers, so a step costs one elimination along the tree, and works at singular poses and with redundant or
 * contradictory equations. */
#include <math.h>

#include "constraints/project.h"
#include "matter/operators.h"
#include "studies/assembly.h"

static const char function[] = "cdn_assemble";
static const double ENOUGH = 1e-3; /* of the tolerance: better is not asked for */

/* ---- errors --------------------------------------------------------------------------------- */

cdn_status cdni_assembly_take_plan(cdn_assembly *a, cdn_state *state) {
  if (!a->room) return CDN_OK;
  CDNI_TRY(cdni_constraint_plan(a->room, state, &a->plan));
  const size_t size = cdni_loop_factor_size(a->plan);
  if (size > a->factor_size) {
    void *block = cdni_alloc(&a->allocator, size);
    if (!block) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
    cdni_free(&a->allocator, a->factor_block, a->factor_size);
    a->factor_block = block, a->factor_size = size;
  }
  a->factor = cdni_loop_factor_at(a->plan, a->factor_block);
  return CDN_OK;
}

cdn_status cdni_assembly_measure(cdn_assembly *a, cdn_state *state, bool speeds, assembly_errors *e) {
  *e = (assembly_errors){ .worst = -1 };
  if (!a->room) return CDN_OK;
  const double *error = speeds ? cdn_state_uerr(state) : cdn_state_qerr(state);
  if (!error) {
    cdn_error message;
    cdn_state_last_error(state, &message);
    return message.code;
  }
  const cdni_runs runs = cdni_subsystem_runs(a->system, a->room->subsystem);
  const double *unit = cdn_state_parameters(state, a->room->units);
  double *b = a->b;
  for (int i = 0; i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    const double *of_c = error + (speeds ? runs.uerr + c->uerr : runs.qerr + c->qerr);
    const int n = speeds ? c->np + c->nv : c->np, id = a->plan->constraint[i];
    for (int k = 0; k < c->m; k++) *b++ = k < n ? of_c[k] : 0;
    for (int k = 0; k < n; k++) {
      const double size = fabs(of_c[k]) / unit[id] * (speeds && k < c->np ? a->def.time_scale : 1);
      e->half_square += size * size / 2;
      if (size > e->most || e->worst < 0) e->most = size, e->worst = id;
    }
  }
  return CDN_OK;
}

/* ---- one linear problem --------------------------------------------------------------------- */

/* Whatever is not to move has an infinite weight. Prescribed mobilizers are among it, if their positions are
 * prescribed. */
cdn_status cdni_assembly_factor(cdn_assembly *a, cdn_state *state, loop_level level, const double *damping) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(a->room, state, &rows));
  tree_data d = cdni_matter_data(a->m, state);
  d.prescribed = NULL;
  for (int k = 0; k < a->m->tree.nu; k++) a->weights[k] = a->fixed[a->first_u + k] ? INFINITY : 1;
  (void)!cdni_loop_factor_damped(a->room, &d, &rows, level, a->weights, NULL, damping, &a->factor);
  return CDN_OK;
}

cdn_status cdni_assembly_solve(cdn_assembly *a, cdn_state *state) {
  tree_data d = cdni_matter_data(a->m, state);
  void *scratch;
  d.prescribed = NULL;
  CDNI_TRY(cdni_operator_work(state, function, cdni_loop_solve_scratch(a->plan, &a->factor), &scratch));
  memset(a->x, 0, (size_t)a->nu * sizeof *a->x);
  const loop_problem problem = { .b = a->b, .weighted = true, .x = a->x + a->first_u, .lambda = a->lambda, .A = a->A };
  cdni_loop_solve(a->plan, &d, &a->factor, &problem, scratch);
  cdn_work_pop(state, scratch);
  return CDN_OK;
}

/* ---- moving --------------------------------------------------------------------------------- */

cdn_status cdni_assembly_move(cdn_assembly *a, cdn_state *state, double scale) {
  CDNI_TRY(cdni_state_multiply_by_N(state, a->x, a->q));
  for (int i = 0; i < a->nq; i++) a->q[i] = a->start[i] + scale * a->q[i];
  cdni_state_normalize_q(state, a->q, NULL);
  /* a body that does not move keeps the length of its quaternion too */
  for (int i = 1; a->m && i < a->m->tree.n; i++) {
    const tree_node *n = &a->m->tree.node[i];
    bool moves = false;
    for (int k = 0; k < n->nu; k++) moves = moves || a->x[a->first_u + n->u + k] != 0;
    if (!moves) memcpy(a->q + a->first_q + n->q, a->start + a->first_q + n->q, (size_t)n->nq * sizeof *a->q);
  }
  for (int k = 0; a->bounded && k < a->nu; k++)
    if (a->slot[k] >= 0 && !a->fixed[k]) a->q[a->slot[k]] = fmin(fmax(a->q[a->slot[k]], a->lower[k]), a->upper[k]);
  return cdn_state_set_q(state, a->q);
}

double cdni_assembly_shorten(cdn_assembly *a, cdn_state *state, const double *x) {
  double most = 0;
  if (!a->m) return 1;
  const tree_data d = cdni_matter_data(a->m, state);
  for (int i = 1; i < a->m->tree.n; i++) {
    const tree_node *n = &a->m->tree.node[i];
    double square = 0;
    for (int k = 0; k < n->nu; k++) {
      const v3 w = cdni_hinge_column(n, d.H, k).w;
      square += x[a->first_u + n->u + k] * x[a->first_u + n->u + k] * v3_dot(w, w);
    }
    most = fmax(most, square);
  }
  return most > 1 ? 1 / sqrt(most) : 1;
}

/* ---- bounds --------------------------------------------------------------------------------- */

/* Marks coordinates at bounds that errors would push out: they do not move in this step. */
static cdn_status hold_at_bounds(cdn_assembly *a, cdn_state *state, const bool *free) {
  const double *unit = cdn_state_parameters(state, a->room->units), *q = cdn_state_q(state);
  memset(a->pooled, 0, (size_t)cdn_system_nudoterr(a->system) * sizeof *a->pooled);
  for (int i = 0; i < a->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(a->room, a->plan, i);
    const double of_one = unit[a->plan->constraint[i]], *b = a->b + a->plan->first[i];
    for (int k = 0; k < c->np; k++) a->pooled[a->room->first_row + c->row + k] = b[k] / (of_one * of_one);
  }
  CDNI_TRY(cdn_multiply_by_G_transpose(state, a->pooled, a->push));
  for (int k = 0; k < a->nu; k++) {
    if (a->slot[k] < 0 || !free[k]) continue;
    const double at = q[a->slot[k]];
    a->fixed[k] = (at <= a->lower[k] && a->push[k] > 0) || (at >= a->upper[k] && a->push[k] < 0);
  }
  return CDN_OK;
}

/* ---- the iteration -------------------------------------------------------------------------- */

/* R = mu times the size that each equation's own diagonal element could have. */
static const double *damp(cdn_assembly *a, const double *unit, double mu, double size) {
  const loop_plan *p = a->plan;
  for (int i = 0; i < p->n_constraints; i++) {
    const double of_one = unit[p->constraint[i]];
    for (int k = p->first[i]; k < p->first[i] + p->equations[i]; k++) a->damping[k] = mu * size * of_one * of_one;
  }
  return a->damping;
}

/* The largest that a diagonal element of G G^T could be, in units, from the last factorization. */
static double size_of_rows(const cdn_assembly *a, const double *unit) {
  const loop_plan *p = a->plan;
  double size = 0;
  for (int i = 0; i < p->n_constraints; i++) {
    const double of_one = unit[p->constraint[i]];
    for (int k = 0; k < a->factor.count[i]; k++)
      size = fmax(size, a->factor.scale[p->first[i] + k] / (of_one * of_one));
  }
  return size;
}

/* The half square of errors that remains because of the last solution's damping, by the linear model. */
static double predicted(const cdn_assembly *a, const double *unit, bool damped) {
  const loop_plan *p = a->plan;
  double sum = 0;
  for (int i = 0; damped && i < p->n_constraints; i++)
    for (int k = p->first[i]; k < p->first[i] + a->factor.count[i]; k++) {
      const double left = a->damping[k] * a->lambda[k] / unit[p->constraint[i]];
      sum += left * left / 2;
    }
  return sum;
}

enum { STALLED = 12 }; /* steps in a row without progress */

/* `free` marks the mobilities that may move; bounds are added to `fixed`. */
static cdn_status iterate(cdn_assembly *a, cdn_state *state, const bool *free, int most_iterations,
                          assembly_errors *e) {
  const double *unit = cdn_state_parameters(state, a->room->units);
  const double enough = ENOUGH * a->def.tolerance;
  double mu = 0;
  int stalled = 0;
  for (int step = 0; step < most_iterations && e->most > enough && stalled < STALLED; step++) {
    assembly_errors now = *e;
    double size = 0;
    memcpy(a->start, cdn_state_q(state), (size_t)a->nq * sizeof *a->start);
    if (a->bounded) CDNI_TRY(hold_at_bounds(a, state, free));
    if (mu > 0) {
      CDNI_TRY(cdni_assembly_factor(a, state, LOOP_POSITION, NULL));
      size = size_of_rows(a, unit);
    }
    for (;;) {
      CDNI_TRY(cdni_assembly_factor(a, state, LOOP_POSITION, mu > 0 ? damp(a, unit, mu, size) : NULL));
      if (mu == 0) size = size_of_rows(a, unit);
      CDNI_TRY(cdni_assembly_solve(a, state));
      const double left = predicted(a, unit, mu > 0), scale = cdni_assembly_shorten(a, state, a->x);
      cdn_status status = cdni_assembly_move(a, state, -scale);
      if (status == CDN_OK) status = cdni_assembly_measure(a, state, false, &now);
      const double promised = (e->half_square - left) * scale * (2 - scale);
      const double ratio = status == CDN_OK ? (e->half_square - now.half_square) / promised : -1;
      a->iterations++;
      if (status == CDN_OK && now.half_square < e->half_square) {
        if (ratio < 0.25) mu = fmax(4 * mu, 1e-6);
        else if (ratio > 0.75) mu = mu > 1e-8 ? mu / 10 : 0;
        break;
      }
      CDNI_TRY(cdn_state_set_q(state, a->start));
      CDNI_TRY(cdni_assembly_measure(a, state, false, &now));
      mu = fmax(10 * mu, 1e-6);
      if (mu > 1e6 || e->most <= a->def.tolerance) return CDN_OK; /* there is no better place nearby */
    }
    stalled = now.half_square > 0.9999 * e->half_square ? stalled + 1 : 0;
    /* within the tolerance: continue only as long as convergence is fast */
    if (e->most <= a->def.tolerance && now.most > 0.5 * e->most) stalled = STALLED;
    *e = now;
  }
  return CDN_OK;
}

cdn_status cdni_assembly_restore(cdn_assembly *a, cdn_state *state, int most_iterations, assembly_errors *e) {
  CDNI_TRY(cdni_assembly_measure(a, state, false, e));
  if (!a->room || a->plan->np == 0) return CDN_OK;
  bool *fixed = cdn_work_push(state, 2 * (size_t)a->nu + 1), *free = fixed + a->nu;
  if (!fixed) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  cdni_assembly_concern_errors(a, state, false, ENOUGH * a->def.tolerance);
  if (a->nu) memcpy(fixed, a->fixed, (size_t)a->nu);
  for (int k = 0; k < a->nu; k++) {
    free[k] = !fixed[k] && cdni_assembly_is_concerned(a, k);
    a->fixed[k] = !free[k];
  }
  const cdn_status status = iterate(a, state, free, most_iterations, e);
  if (a->nu) memcpy(a->fixed, fixed, (size_t)a->nu);
  cdn_work_pop(state, fixed);
  return status;
}
