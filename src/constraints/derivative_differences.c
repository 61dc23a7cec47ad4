/* Derivatives of kinds that bring none: central differences of their rows and biases along one change. */
#include <math.h>

#include "constraints/derivatives.h"

/* By the rotation vector w. */
static m3 turned(m3 R, v3 w) {
  const real angle = v3_norm(w);
  if (angle == 0) return R;
  const v3 axis = v3_scale(1 / angle, w);
  const real s = sin(angle), c = cos(angle);
  v3 *const columns[] = { &R.x, &R.y, &R.z };
  for (int k = 0; k < 3; k++) {
    const v3 a = *columns[k];
    *columns[k] = v3_fma((1 - c) * v3_dot(axis, a), axis, v3_fma(s, v3_cross(axis, a), v3_scale(c, a)));
  }
  return R;
}

/* Whether place b names a body that an earlier place has named, too. */
static bool is_repeated(const constraint_view *v, int b) {
  for (int k = 0; k < b; k++)
    if (v->body[k] == v->body[b]) return true;
  return false;
}

/* The copy is where the State is, but h times the change away. */
static void displace(const constraint_view *v, const constraint_copy *to, const constraint_change *change, double h) {
  for (int b = 0; b < v->c->n_bodies; b++) {
    const int i = v->body[b];
    sv S = change->S[b], dV = change->dV[b];
    if (is_repeated(v, b)) continue;
    for (int k = b + 1; k < v->c->n_bodies; k++) /* all places of the body together make its change */
      if (v->body[k] == i) S = sv_add(S, change->S[k]), dV = sv_add(dV, change->dV[k]);
    to->pose[i].R_GM = turned(v->pose[i].R_GM, v3_scale(h, S.w));
    to->pose[i].p_GM = v3_fma(h, S.v, v->pose[i].p_GM);
    to->twist[i].V = sv_fma(h, dV, v->twist[i].V);
  }
  for (int k = 0; k < v->c->n_mobilities; k++) {
    const constraint_mobility *x = &v->mobility[k];
    if (x->q >= 0) to->q[x->q] = v->q[x->q];
    to->u[x->u] = v->u[x->u];
  }
  for (int k = 0; k < v->c->n_mobilities; k++) {
    const constraint_mobility *x = &v->mobility[k];
    if (x->q >= 0) to->q[x->q] += h * change->dq[k];
    to->u[x->u] += h * change->du[k];
  }
}

/* What the velocity errors are beside J V + g u. */
static cdn_status add_rest(const constraint_view *v, double *rest) {
  const constraint_kind *kind = cdni_constraint_kinds[v->c->kind];
  const int n = v->c->np + v->c->nv;
  double error[CONSTRAINT_MOST_EQUATIONS];
  if (!kind->finish_velocity) return CDN_OK;
  for (int k = 0; k < n; k++) error[k] = cdni_constraint_row_rate(v, k);
  CDNI_TRY(kind->finish_velocity(v, error));
  for (int k = 0; k < n; k++) rest[k] += error[k] - cdni_constraint_row_rate(v, k);
  return CDN_OK;
}

/* Adds `scale` times the element's values in the copy to the results of the change. */
static cdn_status add_values(const constraint_view *v, const constraint_copy *at, const constraint_change *change,
                             double scale) {
  const constraint_element *c = v->c;
  const constraint_kind *kind = cdni_constraint_kinds[c->kind];
  constraint_view there = *v;
  there.pose = at->pose, there.twist = at->twist, there.q = at->q, there.u = at->u;
  there.J = at->J, there.g = at->g;
  memset(at->J, 0, (size_t)(c->m * c->n_bodies) * sizeof *at->J);
  memset(at->g, 0, (size_t)(c->m * c->n_mobilities) * sizeof *at->g);
  memset(at->bias, 0, (size_t)c->m * sizeof *at->bias);
  CDNI_TRY(kind->calc_rows(&there));
  CDNI_TRY(change->of_speeds ? add_rest(&there, at->bias) : kind->add_bias(&there, at->bias));
  for (int e = 0; e < c->m; e++) {
    const sv *J = at->J + e * c->n_bodies;
    const double *g = at->g + e * c->n_mobilities;
    double a = at->bias[e];
    for (int b = 0; b < c->n_bodies; b++) {
      change->dF[b] = sv_fma(scale * change->lambda[e], J[b], change->dF[b]);
      a += sv_dot(J[b], change->A[b]);
    }
    for (int k = 0; k < c->n_mobilities; k++) {
      change->df[k] += scale * change->lambda[e] * g[k];
      a += g[k] * change->udot[k];
    }
    change->da[e] += scale * a;
  }
  return CDN_OK;
}

/* Steps h and h / 2, extrapolated: the remaining error is of order h^4, a tenth of 1e-12 if nothing curves faster
 * than a turn; rounding is 1e-12. */
cdn_status cdni_constraint_vary_by_differences(const constraint_view *v, const constraint_copy *copy,
                                               const constraint_change *change) {
  static const double weight[4] = { -1 / 6.0, 1 / 6.0, 8 / 6.0, -8 / 6.0 }, h = 1e-3;
  cdn_status status = CDN_OK;
  for (int step = 0; step < 4 && status == CDN_OK; step++) {
    displace(v, copy, change, (step & 1 ? -h : h) * (step < 2 ? 1 : 0.5));
    status = add_values(v, copy, change, weight[step] / h);
  }
  displace(v, copy, change, 0);
  return status;
}
