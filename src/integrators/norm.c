/* The error norm E of manual 9.2: what "accuracy" measures. q, u and z have norms of their own, each over its own
 * count, so that many good z cannot hide one bad q; the largest of the three is the error. */
#include "integrators/internal.h"

/* E_q e = N W_u N^+ e: absolute, in the units of u, blind to the length of quaternions (9.3). */
static cdn_status weigh_q(cdn_stepper *s, const double *e, double *f) {
  double *speeds = s->scratch;
  CDNI_TRY(cdni_state_multiply_by_N_inv(s->work, e, speeds));
  if (s->def.u_weights) {
    for (int i = 0; i < s->nu; i++) speeds[i] *= s->def.u_weights[i];
  }
  return cdni_state_multiply_by_N(s->work, speeds, f);
}

/* E_u, E_z: W, or relative where the variable exceeds its unit change, min(W, 1 / |y|). */
static double weight_of(const double *w, int i, bool absolute, double ya, double yb) {
  double size = fmax(fabs(ya), fabs(yb)), weight = w ? w[i] : 1;
  return !absolute && weight * size > 1 ? 1 / size : weight;
}

/* Of n values; `count` of them are not prescribed. */
static double norm_of(const cdn_stepper *s, int n, const double *f, int count) {
  double norm = 0;
  if (s->def.norm == CDN_NORM_INFINITY) {
    for (int i = 0; i < n; i++) norm = fabs(f[i]) > norm || isnan(f[i]) ? fabs(f[i]) : norm;
    return norm;
  }
  for (int i = 0; i < n; i++) norm += f[i] * f[i];
  return count ? sqrt(norm / count) : 0;
}

void cdni_error_weights(const cdn_stepper *s, const double *ya, const double *yb, double *w) {
  const cdn_stepper_def *def = &s->def;
  for (int i = 0, k = s->nq; i < s->nu; i++, k++) w[k] = weight_of(def->u_weights, i, def->u_absolute, ya[k], yb[k]);
  for (int i = 0, k = s->nq + s->nu; i < s->nz; i++, k++) {
    w[k] = weight_of(def->z_weights, i, def->z_absolute_each[i], ya[k], yb[k]);
  }
}

cdn_status cdni_weighted_norm(cdn_stepper *s, const double *e, const double *w, double *norm) {
  int nq = s->nq, nqu = s->nq + s->nu;
  double *f = s->weighted;
  if (nq) CDNI_TRY(weigh_q(s, e, f));
  for (int k = nq; k < s->ny; k++) f[k] = e[k] * w[k];
  for (int k = 0; s->n_prescribed_q + s->n_prescribed_u && k < nqu; k++) f[k] = s->prescribed[k] ? 0 : f[k];
  s->weighted_valid = true;

  double q = norm_of(s, nq, f, nq - s->n_prescribed_q), z = norm_of(s, s->nz, f + nqu, s->nz);
  double u = norm_of(s, s->nu, f + nq, s->nu - s->n_prescribed_u);
  *norm = fmax(q, fmax(u, z));
  /* fmax drops NaN, and an error that is not a number is none that can be accepted */
  if (isnan(q) || isnan(u) || isnan(z)) *norm = INFINITY;
  return CDN_OK;
}

cdn_status cdni_error_norm(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm) {
  cdni_error_weights(s, ya, yb, s->weighted);
  return cdni_weighted_norm(s, e, s->weighted, norm);
}

cdn_status cdni_step_norm(cdn_stepper *s, double *e, double *norm) {
  CDNI_TRY(cdni_project_estimate(s, e));
  return cdni_error_norm(s, e, s->step.y0, s->step.y1, norm);
}

bool cdni_worst_slot(const cdn_stepper *s, cdn_pool *pool, int *i, double *error) {
  int worst = -1;
  if (!s->weighted_valid) return false;
  for (int k = 0; k < s->ny; k++) {
    if (worst < 0 || !(fabs(s->weighted[k]) <= fabs(s->weighted[worst]))) worst = k;
    if (isnan(s->weighted[k])) break;
  }
  if (worst < 0 || s->weighted[worst] == 0) return false;
  *error = fabs(s->weighted[worst]);
  *pool = worst < s->nq ? CDN_POOL_Q : worst < s->nq + s->nu ? CDN_POOL_U : CDN_POOL_Z;
  *i = worst - (*pool == CDN_POOL_Q ? 0 : *pool == CDN_POOL_U ? s->nq : s->nq + s->nu);
  return true;
}

/* TEMPORARY */
cdn_status cdni_distance(cdn_stepper *s, cdn_state *place, const double *ya, const double *yb, double of[3],
                         cdn_pool *pool, int *slot) {
  double *e = s->scratch, norm, worst = 0;
  (void)place;
  double *d = s->step.error;
  for (int i = 0; i < s->ny; i++) d[i] = ya[i] - yb[i];
  (void)e;
  CDNI_TRY(cdni_error_norm(s, d, ya, yb, &norm));
  of[0] = of[1] = of[2] = norm;
  *slot = -1;
  for (int i = 0; i < s->ny; i++)
    if (fabs(s->weighted[i]) > worst)
      worst = fabs(s->weighted[i]),
      *pool = i < s->nq           ? CDN_POOL_Q
              : i < s->nq + s->nu ? CDN_POOL_U
                                  : CDN_POOL_Z,
      *slot = i < s->nq           ? i
              : i < s->nq + s->nu ? i - s->nq
                                  : i - s->nq - s->nu;
  return CDN_OK;
}
