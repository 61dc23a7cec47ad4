/* Forces of soft rows at given accelerations. */
#include "matter/operators.h"
#include "soft/internal.h"

/* The groups of a State, their residuals and forces. */
struct soft_base {
  int n;
  soft_group *groups;
  double (*r)[SOFT_MOST_ROWS], (*f)[SOFT_MOST_ROWS];
  bool *free; /* of an exact row: it holds, and is at no bound */
};

/* What is left of a group's equations at accelerations. */
static void find_residual(const matter *m, const tree_data *d, const sv *A, const sv *A_full, const double *udot,
                          soft_work *w, double *r) {
  cdni_soft_place(d->pose, w);
  cdni_soft_multiply(&m->tree, w, w->g->rates ? A_full : A, udot, r);
  for (int k = 0; k < w->g->s.rows; k++) r[k] -= w->g->ref[k];
}

cdn_status cdni_soft_base_begin(const soft_room *room, cdn_state *state, const double *udot, soft_base **out) {
  const matter *m = room->matter;
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  const size_t size = sizeof(soft_group) + 2 * SOFT_MOST_ROWS * sizeof(double) + sizeof(bool);
  soft_base *base = cdn_work_push(state, sizeof *base + (size_t)n * size + 2 * (size_t)m->tree.n * sizeof(sv));
  soft_results *results = NULL;
  *out = NULL;
  if (!base) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  for (int i = 0; i < n && !results; i++) {
    const cdn_status status =
        ((const soft_group *)elements)[i].give > 0 ? cdni_soft_results(room, state, n, &results) : CDN_OK;
    if (status == CDN_OK) continue;
    cdn_work_pop(state, base);
    return status;
  }
  *out = base;
  base->n = n;
  base->groups = (soft_group *)(base + 1);
  base->r = (double(*)[SOFT_MOST_ROWS])(base->groups + n), base->f = base->r + n;
  sv *A = (sv *)(base->f + n), *A_full = A + m->tree.n;
  base->free = (bool *)(A_full + m->tree.n);
  if (n > 0) memcpy(base->groups, elements, (size_t)n * sizeof *base->groups);
  const tree_data d = cdni_matter_data(m, state);
  m->kernels->jacobian(&m->tree, &d, udot, A);
  cdni_operator_accelerations(m, &d, udot, A_full);
  for (int i = 0; i < n; i++) {
    soft_work w = { .g = &base->groups[i] };
    find_residual(m, &d, A, A_full, udot, &w, base->r[i]);
    if (w.g->give > 0) {
      const double force = soft_outcomes(results)[i].force[0];
      base->r[i][0] -= w.g->give * force;
      cdni_soft_function(&w.g->s, base->r[i], base->f[i], w.H, NULL);
      base->f[i][0] = force, base->free[i] = w.H[0] > 0;
    } else cdni_soft_function(&w.g->s, base->r[i], base->f[i], NULL, NULL);
  }
  return CDN_OK;
}

void cdni_soft_base_end(cdn_state *state, soft_base *base) { cdn_work_pop(state, base); }

static bool is_same(const soft_group *a, const soft_group *b) {
  return a->s.kind == b->s.kind && a->s.rows == b->s.rows && a->place == b->place && a->body[0] == b->body[0] &&
         a->body[1] == b->body[1] && a->terms == b->terms && (a->give > 0) == (b->give > 0) &&
         a->contact == b->contact && a->element == b->element && a->provider == b->provider;
}

static bool are_same(const soft_base *base, const soft_group *groups, int n) {
  bool same = base && base->n == n;
  for (int i = 0; same && i < n; i++) same = is_same(&base->groups[i], &groups[i]);
  return same;
}

/* The force at r by its change along a part of the way from the base: where a row is stiff its residual is small, and a
 * displaced pose at the same udot may lead beyond the piece of the function that the base is on. */
static void force_near(const soft_base *base, int i, const soft_function *s, const double *r, double *f) {
  static const double PART = 1e-3;
  const soft_function *from = &base->groups[i].s;
  soft_function near = *from;
  double at[SOFT_MOST_ROWS];
  for (int k = 0; k < s->rows; k++) {
    at[k] = base->r[i][k] + PART * (r[k] - base->r[i][k]);
    near.D[k] += PART * (s->D[k] - from->D[k]);
  }
  const int numbers = s->kind == SOFT_BOUNDED ? BOUNDED_UPPER + 1 : s->rows - 1;
  for (int k = 0; k < numbers; k++)
    if (s->friction[k] != from->friction[k]) near.friction[k] += PART * (s->friction[k] - from->friction[k]);
  near.loss += PART * (s->loss - from->loss);
  near.mu += PART * (s->mu - from->mu);
  cdni_soft_function(&near, at, f, NULL, NULL);
  for (int k = 0; k < s->rows; k++) f[k] = base->f[i][k] + (f[k] - base->f[i][k]) / PART;
}

/* An exact row has the force of the base, or is at its bound, wherever that is now. Returns what its equation lacks. */
static double exact_near(const soft_base *base, int i, soft_work *w) {
  const double r = w->r[0];
  w->r[0] -= w->g->give * base->f[i][0];
  cdni_soft_function(&w->g->s, w->r, w->f, NULL, NULL);
  if (!base->free[i]) return 0;
  w->f[0] = base->f[i][0];
  return r + w->g->R * w->f[0];
}

cdn_status cdni_soft_count_exact(const soft_room *room, cdn_state *state, int *n) {
  const void *groups;
  int count;
  *n = 0;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &count));
  for (int i = 0; i < count; i++) *n += ((const soft_group *)groups)[i].give > 0;
  return CDN_OK;
}

cdn_status cdni_soft_forces(const soft_room *room, cdn_state *state, const double *udot, soft_which which,
                            const soft_base *base, sv *F, double *f, double *equation, bool *same) {
  const matter *m = room->matter;
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  const bool near = are_same(base, elements, n);
  if (same) *same = near;
  if (n == 0) return CDN_OK;
  const tree_data d = cdni_matter_data(m, state);
  sv *A = cdn_work_push(state, 2 * (size_t)m->tree.n * sizeof *A), *A_full = A + m->tree.n;
  if (!A) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  m->kernels->jacobian(&m->tree, &d, udot, A);
  cdni_operator_accelerations(m, &d, udot, A_full);
  for (int i = 0; i < n; i++) {
    soft_work w = { .g = (const soft_group *)elements + i };
    if ((which == SOFT_LEFT_OUT && w.g->known) || (which == SOFT_SCALED && w.g->provider > 0)) continue;
    find_residual(m, &d, A, A_full, udot, &w, w.r);
    if (near && w.g->give > 0) {
      const double lack = exact_near(base, i, &w);
      if (equation) *equation++ = lack;
    } else if (near) force_near(base, i, &w.g->s, w.r, w.f);
    else {
      soft_function s = w.g->s;
      if (w.g->give > 0) s.D[0] = 1 / w.g->R;
      cdni_soft_function(&s, w.r, w.f, NULL, NULL);
    }
    cdni_soft_add_force(&m->tree, &w, w.f, F, f);
  }
  cdn_work_pop(state, A);
  return CDN_OK;
}

/* Adds J^T H J of a group; J has a row of nu numbers for each of its rows. */
static void add_weights(const soft_group *g, const double *H, const double *J, size_t nu, double *M) {
  const int n = g->s.rows;
  for (int e = 0; e < n; e++)
    for (int f = 0; f < n; f++) {
      const double h = H[e * n + f];
      for (size_t i = 0; h != 0 && i < nu; i++) {
        const double by = h * J[(size_t)e * nu + i];
        for (size_t k = 0; by != 0 && k < nu; k++) M[i * nu + k] += by * J[(size_t)f * nu + k];
      }
    }
}

cdn_status cdni_soft_add_weights(const soft_room *room, cdn_state *state, const char *function, const double *udot,
                                 double *M) {
  const matter *m = room->matter;
  const size_t nb = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  const void *elements;
  void *frame;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  if (n == 0) return CDN_OK;
  CDNI_TRY(
      cdni_operator_work(state, function, 3 * nb * sizeof(sv) + (SOFT_MOST_ROWS + 1) * nu * sizeof(double), &frame));
  sv *A = frame, *A_full = A + nb, *F = A_full + nb;
  double *J = (double *)(F + nb), *f = J + SOFT_MOST_ROWS * nu;
  tree_data d = cdni_matter_data(m, state);
  m->kernels->jacobian(&m->tree, &d, udot, A);
  cdni_operator_accelerations(m, &d, udot, A_full);
  d.z = F;
  for (int i = 0; i < n; i++) {
    soft_work w = { .g = (const soft_group *)elements + i };
    find_residual(m, &d, A, A_full, udot, &w, w.r);
    cdni_soft_function(&w.g->s, w.r, w.f, w.H, NULL);
    for (int e = 0; e < w.g->s.rows; e++) {
      double unit[SOFT_MOST_ROWS] = { 0 };
      unit[e] = 1;
      memset(F, 0, nb * sizeof *F);
      memset(f, 0, nu * sizeof *f);
      cdni_soft_add_force(&m->tree, &w, unit, F, f);
      m->kernels->jacobian_transpose(&m->tree, &d, J + (size_t)e * nu);
      for (size_t k = 0; k < nu; k++) J[(size_t)e * nu + k] += f[k];
    }
    add_weights(w.g, w.H, J, nu, M);
  }
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_soft_forces(cdn_state *state, const double *udot, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  return cdni_soft_generalized_forces(state, "cdn_soft_forces", udot, SOFT_ALL, f);
}

cdn_status cdni_soft_generalized_forces(cdn_state *state, const char *function, const double *udot, soft_which which,
                                        double *f) {
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
  if (status == CDN_OK && room && which == SOFT_ALL) status = cdni_soft_refuse_exact(room, state, function);
  if (status == CDN_OK && room) status = cdni_soft_forces(room, state, a, which, NULL, F, f_mob, NULL, NULL);
  if (status == CDN_OK) {
    tree_data d = cdni_matter_data(m, state);
    d.z = F;
    m->kernels->jacobian_transpose(&m->tree, &d, f);
    for (size_t k = 0; k < nu; k++) f[k] += f_mob[k];
  }
  cdn_work_pop(state, frame);
  return status;
}
