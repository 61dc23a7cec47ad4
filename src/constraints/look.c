/* One constraint, on or off, by itself: its rows over all speeds, its errors, and forces along its equations. */
#include "constraints/internal.h"
#include "matter/operators.h"

cdn_status cdni_constraint_take_rows(const constraint_room *room, cdn_state *state, int i, constraint_view *v) {
  void *rows;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  *v = cdni_constraint_view(room, state, i);
  const size_t J = (size_t)(v->c->m * v->c->n_bodies) * sizeof(sv),
               g = (size_t)(v->c->m * v->c->n_mobilities) * sizeof(double);
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", J + g + 1, &rows));
  memset(rows, 0, J + g);
  v->J = rows, v->g = (double *)((char *)rows + J);
  const cdn_status status = cdni_constraint_kinds[v->c->kind]->calc_rows(v);
  if (status != CDN_OK) cdn_work_pop(state, rows);
  return status;
}

/* J A + g a of equation k. */
static double along(const constraint_view *v, int k, const sv *A, const double *a) {
  const constraint_element *c = v->c;
  double sum = 0;
  for (int b = 0; b < c->n_bodies; b++) sum += sv_dot(v->J[k * c->n_bodies + b], A[v->body[b]]);
  for (int g = 0; g < c->n_mobilities; g++) sum += v->g[k * c->n_mobilities + g] * a[v->mobility[g].u];
  return sum;
}

cdn_status cdni_constraint_rates(const constraint_room *room, cdn_state *state, int i, double *rate, double *verr) {
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(room, state, i, &v));
  const constraint_kind *kind = cdni_constraint_kinds[v.c->kind];
  cdn_status status = CDN_OK;
  for (int k = 0; k < v.c->np + v.c->nv; k++) {
    const double r = cdni_constraint_row_rate(&v, k);
    if (rate) rate[k] = r;
    verr[k] = r;
  }
  if (kind->finish_velocity) status = kind->finish_velocity(&v, verr);
  cdn_work_pop(state, v.J);
  return status;
}

cdn_status cdni_constraint_full_rows(const constraint_room *room, cdn_state *state, int i, double *G) {
  const tree *t = &room->matter->tree;
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(room, state, i, &v));
  const tree_data d = cdni_matter_data(room->matter, state);
  memset(G, 0, (size_t)v.c->m * (size_t)t->nu * sizeof *G);
  for (int k = 0; k < v.c->m; k++) {
    double *row = G + (size_t)k * (size_t)t->nu;
    for (int g = 0; g < v.c->n_mobilities; g++) row[v.mobility[g].u] += v.g[k * v.c->n_mobilities + g];
    for (int b = 0; b < v.c->n_bodies; b++) {
      sv F = v.J[k * v.c->n_bodies + b];
      for (int at = v.body[b]; at > 0; at = t->node[at].parent) {
        const tree_node *n = &t->node[at];
        for (int l = 0; l < n->nu; l++) row[n->u + l] += sv_dot(F, cdni_hinge_column(n, d.H, l));
        F = sv_shift_force(F, d.pose[at].r);
      }
    }
  }
  cdn_work_pop(state, v.J);
  return CDN_OK;
}

cdn_status cdni_constraint_accelerations(const constraint_room *room, cdn_state *state, int i, const sv *A,
                                         const double *udot, double *aerr) {
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(room, state, i, &v));
  memset(aerr, 0, (size_t)v.c->m * sizeof *aerr);
  const cdn_status status = cdni_constraint_kinds[v.c->kind]->add_bias(&v, aerr);
  for (int k = 0; k < v.c->m && status == CDN_OK; k++) aerr[k] += along(&v, k, A, udot);
  cdn_work_pop(state, v.J);
  return status;
}

cdn_status cdni_constraint_motion(const constraint_room *room, cdn_state *state, int i, const sv *A, const double *udot,
                                  double *error, double *rate, double *second) {
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(room, state, i, &v));
  const constraint_kind *kind = cdni_constraint_kinds[v.c->kind];
  *error = *second = 0;
  *rate = cdni_constraint_row_rate(&v, 0);
  cdn_status status = kind->calc_position(&v, error);
  if (status == CDN_OK && kind->finish_velocity) status = kind->finish_velocity(&v, rate);
  if (status == CDN_OK) status = kind->add_bias(&v, second);
  *second += along(&v, 0, A, udot);
  cdn_work_pop(state, v.J);
  return status;
}

cdn_status cdni_constraint_bound(const constraint_room *room, cdn_state *state, int i, double *error, int most, int *n,
                                 int32_t *part, double *weight) {
  const constraint_view v = cdni_constraint_view(room, state, i);
  const constraint_kind *kind = cdni_constraint_kinds[v.c->kind];
  double arm[CONSTRAINT_MOST_BODIES] = { 0 };
  *n = 0;
  if (!kind->find_arms || 2 * v.c->n_bodies + v.c->n_mobilities > most) return CDN_OK;
  CDNI_TRY(kind->calc_position(&v, error));
  kind->find_arms(&v, *error, arm);
  for (int b = 0; b < v.c->n_bodies; b++) {
    if (v.body[b] == 0) continue;
    part[*n] = 2 * v.body[b], weight[(*n)++] = 1;
    part[*n] = 2 * v.body[b] + 1, weight[(*n)++] = arm[b];
  }
  for (int k = 0; k < v.c->n_mobilities; k++) part[*n] = 2 * room->matter->tree.n + v.mobility[k].u, weight[(*n)++] = 1;
  return CDN_OK;
}

cdn_status cdni_constraint_push(const constraint_room *room, cdn_state *state, int i, const double *force, sv *F,
                                double *f) {
  constraint_view v;
  CDNI_TRY(cdni_constraint_take_rows(room, state, i, &v));
  for (int k = 0; k < v.c->m; k++) {
    for (int b = 0; b < v.c->n_bodies; b++) F[v.body[b]] = sv_fma(force[k], v.J[k * v.c->n_bodies + b], F[v.body[b]]);
    for (int g = 0; g < v.c->n_mobilities; g++) f[v.mobility[g].u] += force[k] * v.g[k * v.c->n_mobilities + g];
  }
  cdn_work_pop(state, v.J);
  return CDN_OK;
}
