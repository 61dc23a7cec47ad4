/* How accelerations vary where soft rows act, by the implicit function theorem.
 *
 * At the solution [M G^T; G 0] (udot, lambda) = (f + S, b), where the forces S of the soft rows follow from q, u and udot.
 * For a small change, let (d1, l1) be what the derivatives would be if S did not follow udot. S changes by -W dudot, with
 * W = J^T H J, so that ([M G^T; G 0] + W) (dudot, dlambda) = [M G^T; G 0] (d1, l1): dudot = d1 + e, where e solves with
 * the weights for the forces -W d1. The multipliers change by those that the forces -W dudot have alone. */
#include "constraints/soft/internal.h"
#include "matter/operators.h"

cdn_status cdni_soft_forces(const soft_room *room, cdn_state *state, const double *udot, bool left_out, sv *F,
                            double *f) {
  const matter *m = room->matter;
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  if (n == 0) return CDN_OK;
  const tree_data d = cdni_matter_data(m, state);
  sv *A = cdn_work_push(state, 2 * (size_t)m->tree.n * sizeof *A), *A_full = A + m->tree.n;
  if (!A) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  m->kernels->jacobian(&m->tree, &d, udot, A);
  cdni_operator_accelerations(m, &d, udot, A_full);
  for (int i = 0; i < n; i++) {
    soft_work w = { .g = (const soft_group *)elements + i };
    if (left_out && w.g->known) continue;
    cdni_soft_place(d.pose, &w);
    cdni_soft_multiply(&m->tree, &w, w.g->rates ? A_full : A, udot, w.r);
    for (int k = 0; k < w.g->s.rows; k++) w.r[k] -= w.g->ref[k];
    cdni_soft_function(&w.g->s, w.r, w.f, NULL, NULL);
    cdni_soft_add_force(&m->tree, &w, w.f, F, f);
  }
  cdn_work_pop(state, A);
  return CDN_OK;
}

cdn_status cdn_soft_forces(cdn_state *state, const double *udot, double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  static const char function[] = "cdn_soft_forces";
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const matter *m = NULL;
  void *frame;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  CDNI_TRY(cdni_operator_check_optional(state, function, "udot", udot, m->tree.nu));
  const size_t nb = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  CDNI_TRY(cdni_operator_work(state, function, nb * sizeof(sv) + (2 * nu + 1) * sizeof(double), &frame));
  sv *F = frame;
  double *f_mob = (double *)(F + nb), *a = f_mob + nu;
  memset(F, 0, nb * sizeof *F);
  memset(f_mob, 0, (2 * nu + 1) * sizeof *f_mob);
  if (udot && nu) memcpy(a, udot, nu * sizeof *a);
  cdn_status status = cdni_state_ensure(state, CDN_TWIST);
  if (status == CDN_OK && room) status = cdni_soft_forces(room, state, a, false, F, f_mob);
  if (status == CDN_OK) {
    tree_data d = cdni_matter_data(m, state);
    d.z = F;
    m->kernels->jacobian_transpose(&m->tree, &d, f);
    for (size_t k = 0; k < nu; k++) f[k] += f_mob[k];
  }
  cdn_work_pop(state, frame);
  return status;
}

/* ---- variations ---- */

/* The weights at the State's solution, factored. */
static cdn_status factor_all(soft_problem *p) {
  const soft_outcome *out = soft_outcomes(cdni_region_elements(p->state, p->room->results));
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    memcpy(w->r, out[p->order[i]].residual, sizeof w->r);
    cdni_soft_function(&w->g->s, w->r, w->f, w->H, NULL);
  }
  for (int k = 0; k < p->plan->n_islands; k++) CDNI_TRY(cdni_soft_factor(p, k, true));
  return CDN_OK;
}

/* F, f = -W x of the motion A. */
static void weigh(soft_problem *p, const double *x, const sv *A) {
  const tree *t = p->plan->tree;
  memset(p->F, 0, (size_t)t->n * sizeof *p->F);
  if (t->nu) memset(p->f, 0, (size_t)t->nu * sizeof *p->f);
  for (int i = 0; i < p->n; i++) {
    const soft_work *w = &p->work[i];
    const int n = w->g->s.rows;
    double Jx[SOFT_MOST_ROWS], force[SOFT_MOST_ROWS];
    cdni_soft_multiply(t, w, A, x, Jx);
    for (int e = 0; e < n; e++) {
      force[e] = 0;
      for (int g = 0; g < n; g++) force[e] -= w->H[e * n + g] * Jx[g];
    }
    cdni_soft_add_force(t, w, force, p->F, p->f);
  }
}

/* One column of udot's derivatives; `stride` apart. Leaves the forces -W dudot. */
static void vary(soft_problem *p, double *column, int stride) {
  const matter *m = p->room->matter;
  const int nu = m->tree.nu;
  for (int k = 0; k < nu; k++) p->x[k] = column[(size_t)k * (size_t)stride], p->y[k] = 0;
  m->kernels->jacobian(&m->tree, p->d, p->x, p->A_x);
  weigh(p, p->x, p->A_x);
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  for (int k = 0; k < p->plan->n_islands; k++)
    cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, k, p->scratch);
  for (int k = 0; k < nu; k++) column[(size_t)k * (size_t)stride] = p->x[k] += p->y[k];
}

/* Column c of the multipliers' derivatives: that of the forces -W dudot is added. X, b: scratch, a column. */
static cdn_status vary_multipliers(soft_problem *p, double *lambda, int stride, double *X, double *b) {
  const matter *m = p->room->matter;
  const int equations = cdni_constraints_equations(p->room->constraints);
  tree_data d = *p->d;
  m->kernels->jacobian(&m->tree, p->d, p->x, p->A_x);
  weigh(p, p->x, p->A_x);
  d.z = p->F;
  m->kernels->jacobian_transpose(&m->tree, &d, X);
  for (int k = 0; k < m->tree.nu; k++) X[k] += p->f[k];
  memset(b, 0, (size_t)equations * sizeof *b);
  CDNI_TRY(cdni_constraint_solve_columns(p->room->constraints, p->state, 1, 1, X, b));
  for (int k = 0; k < equations; k++) lambda[(size_t)k * (size_t)stride] += b[k];
  return CDN_OK;
}

cdn_status cdni_soft_vary(const soft_room *room, cdn_state *state, const char *function, int n,
                          const soft_variation *variations) {
  soft_problem p;
  const void *groups;
  int count;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &count));
  const tree_data d = cdni_matter_data(room->matter, state);
  const size_t nu = (size_t)room->matter->tree.nu;
  const bool constrained = room->constraints && cdni_constraint_any_enabled(room->constraints, state);
  const size_t equations = constrained ? (size_t)cdni_constraints_equations(room->constraints) : 0;
  void *X;
  CDNI_TRY(cdni_operator_work(state, function, (nu + equations + 1) * sizeof(double), &X));
  cdn_status status = cdni_soft_begin(&p, room, state, &d, d.udot, &room->newton, groups, count);
  if (status == CDN_OK) {
    status = factor_all(&p);
    for (int v = 0; v < n && status == CDN_OK; v++)
      for (int c = 0; c < variations[v].columns && status == CDN_OK; c++) {
        vary(&p, variations[v].udot + c, variations[v].columns);
        if (constrained && variations[v].lambda)
          status = vary_multipliers(&p, variations[v].lambda + c, variations[v].columns, X, (double *)X + nu);
      }
    cdni_soft_end(&p);
  }
  cdn_work_pop(state, X);
  return status;
}
