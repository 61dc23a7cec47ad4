/* The law of invertible contact, and the checks of a problem in contact space. */
#include "soft/invertible.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"

CDNI_DEF(invertible_law, .kappa = 0.1, .R_min = 0.01, .R_max = 100, .w_max = 0.1, .correction = 0.2, .recovery = 1);
CDNI_DEF(invertible_problem, .kappa = 0.1);

const char *cdni_invertible_name(const cdn_invertible_problem *p, int i, char out[INVERTIBLE_NAME_SIZE]) {
  const bool limit = i < p->n_limits;
  snprintf(out, INVERTIBLE_NAME_SIZE, "%s %d", limit ? "limit" : "contact", limit ? i : i - p->n_limits);
  return out;
}

/* ---- the law ---- */

/* kappa and q of a law or a problem. */
static cdn_status check_barrier(const char *function, double kappa, double elastic) {
  if (!isfinite(kappa) || !isfinite(elastic))
    return cdni_refuse(CDN_ERR_NONFINITE, function, "kappa is %g and elastic is %g: give finite numbers", kappa,
                       elastic);
  if (!(kappa > 0)) return cdni_refuse(CDN_ERR_ARG, function, "kappa is %g: give an energy above 0 (J)", kappa);
  if (!(elastic >= 0))
    return cdni_refuse(CDN_ERR_ARG, function, "elastic is %g: give an impulse above 0 (N s), or 0 for none", elastic);
  return CDN_OK;
}

cdn_status cdni_invertible_read_law(const char *function, cdn_invertible_law *to, const cdn_invertible_law *from) {
  *to = invertible_law_defaults;
  const char *wrong = from ? read_invertible_law(to, from) : NULL;
  if (wrong) return cdni_refuse(CDN_ERR_VERSION, function, "%s", wrong);
  CDNI_TRY(check_barrier(function, to->kappa, to->elastic));
  const double numbers[] = { to->R_min, to->R_max, to->w_max, to->correction, to->recovery };
  if (!cdni_all_finite(numbers, CDNI_COUNT(numbers), NULL))
    return cdni_refuse(CDN_ERR_NONFINITE, function, "a number of the law is not finite: give finite numbers");
  if (!(to->R_min > 0 && to->R_max >= to->R_min))
    return cdni_refuse(CDN_ERR_ARG, function, "R_min is %g and R_max is %g: give 0 < R_min <= R_max (1/kg)", to->R_min,
                       to->R_max);
  if (!(to->w_max > 0))
    return cdni_refuse(CDN_ERR_ARG, function, "w_max is %g: give a distance above 0 (m)", to->w_max);
  if (!(to->correction >= 0 && to->recovery >= 0))
    return cdni_refuse(CDN_ERR_ARG, function, "correction is %g and recovery is %g: give numbers >= 0", to->correction,
                       to->recovery);
  if (to->growth != CDN_INVERTIBLE_LINEAR && to->growth != CDN_INVERTIBLE_EXPONENTIAL)
    return cdni_refuse(CDN_ERR_ARG, function, "growth is %d: give CDN_INVERTIBLE_LINEAR or CDN_INVERTIBLE_EXPONENTIAL",
                       (int)to->growth);
  return CDN_OK;
}

double cdni_invertible_R(const cdn_invertible_law *law, double w, double *derivative) {
  const bool within = w > 0 && w < law->w_max;
  const double part = within ? w / law->w_max : 0;
  double R, slope;
  if (law->growth == CDN_INVERTIBLE_LINEAR) {
    slope = (law->R_max - law->R_min) / law->w_max;
    R = law->R_min + (law->R_max - law->R_min) * part;
  } else {
    const double decades = log(law->R_max / law->R_min);
    R = law->R_min * exp(decades * part);
    slope = R * decades / law->w_max;
  }
  if (w >= law->w_max) R = law->R_max;
  if (derivative) *derivative = within ? slope : 0;
  return R;
}

double cdni_invertible_v_min(const cdn_invertible_law *law, double w, double h, double *derivative) {
  const double back = -law->correction * w / h;
  const bool capped = w < 0 && back > law->recovery;
  if (derivative) *derivative = w >= 0 ? -1 / h : capped ? 0 : -law->correction / h;
  return w >= 0 ? -w / h : capped ? law->recovery : back;
}

cdn_status cdn_invertible_regularisation(const cdn_invertible_law *law, double w, double *R, double *dR_dw) {
  CDNI_NEED_OBJECT(R, CDN_ERR_ARG);
  cdn_invertible_law l;
  CDNI_TRY(cdni_invertible_read_law(__func__, &l, law));
  if (!isfinite(w)) return cdni_refuse(CDN_ERR_NONFINITE, __func__, "the distance is %g: give a finite number", w);
  *R = cdni_invertible_R(&l, w, dR_dw);
  return CDN_OK;
}

cdn_status cdn_invertible_least_velocity(const cdn_invertible_law *law, double w, double h, double *v_min,
                                         double *dv_dw) {
  CDNI_NEED_OBJECT(v_min, CDN_ERR_ARG);
  cdn_invertible_law l;
  CDNI_TRY(cdni_invertible_read_law(__func__, &l, law));
  if (!isfinite(w) || !isfinite(h))
    return cdni_refuse(CDN_ERR_NONFINITE, __func__, "the distance is %g and the step is %g: give finite numbers", w, h);
  if (!(h > 0)) return cdni_refuse(CDN_ERR_ARG, __func__, "the step is %g: give a time above 0 (s)", h);
  *v_min = cdni_invertible_v_min(&l, w, h, dv_dw);
  if (!isfinite(*v_min))
    return cdni_refuse(CDN_ERR_NONFINITE, __func__,
                       "the distance %g over the step %g is not finite: give a longer step", w, h);
  return CDN_OK;
}

/* ---- a problem ---- */

cdn_status cdni_invertible_read_problem(const char *function, cdn_invertible_problem *to,
                                        const cdn_invertible_problem *from) {
  if (!from) return cdni_misses(function, "problem");
  const char *wrong = read_invertible_problem(to, from);
  if (wrong) return cdni_refuse(CDN_ERR_VERSION, function, "%s", wrong);
  enum { MOST = 10000 };
  if (to->n_limits < 0 || to->n_contacts < 0 || to->n_limits > MOST || to->n_contacts > MOST)
    return cdni_refuse(CDN_ERR_ARG, function, "there are %d limits and %d contacts: give numbers from 0 to %d",
                       to->n_limits, to->n_contacts, (int)MOST);
  const bool any = invertible_rows(to) > 0;
  if (any && !to->A) return cdni_misses(function, "problem->A");
  if (any && !to->R) return cdni_misses(function, "problem->R");
  if (to->n_contacts > 0 && !to->mu) return cdni_misses(function, "problem->mu");
  if (any && !to->v_min) return cdni_misses(function, "problem->v_min");
  return check_barrier(function, to->kappa, to->elastic);
}

static int normal_of_row(const cdn_invertible_problem *p, int row) {
  return row < p->n_limits ? row : p->n_limits + (row - p->n_limits) / 3;
}

static cdn_status refuse_number(const char *function, const cdn_invertible_problem *p, int normal, const char *what,
                                double x, const char *remedy) {
  char name[INVERTIBLE_NAME_SIZE];
  return cdni_refuse(isfinite(x) ? CDN_ERR_ARG : CDN_ERR_NONFINITE, function, "%s of %s is %g: give %s", what,
                     cdni_invertible_name(p, normal, name), x, remedy);
}

cdn_status cdni_invertible_check_rows(const char *function, const cdn_invertible_problem *p) {
  const int n = invertible_rows(p), normals = invertible_normals(p);
  for (int i = 0; i < n; i++)
    if (!(p->R[i] > 0) || !isfinite(p->R[i]))
      return refuse_number(function, p, normal_of_row(p, i), "R", p->R[i], "a finite number above 0 (1/kg)");
  for (int i = 0; i < p->n_contacts; i++)
    if (!(p->mu[i] >= 0) || !isfinite(p->mu[i]))
      return refuse_number(function, p, p->n_limits + i, "mu", p->mu[i], "a finite number >= 0");
  for (int i = 0; i < normals; i++)
    if (!isfinite(p->v_min[i])) return refuse_number(function, p, i, "v_min", p->v_min[i], "a finite number (m/s)");
  return CDN_OK;
}

cdn_status cdni_invertible_not_finite(const char *function, const cdn_invertible_problem *p, const char *what,
                                      const double *x) {
  size_t bad = 0;
  char name[INVERTIBLE_NAME_SIZE];
  const size_t n = (size_t)invertible_rows(p);
  if (!cdni_all_finite(x, n, &bad))
    return cdni_refuse(CDN_ERR_NONFINITE, function, "%s of %s is %g: give finite numbers", what,
                       cdni_invertible_name(p, normal_of_row(p, (int)bad), name), x[bad]);
  if (!cdni_all_finite(p->A, n * n, &bad))
    return cdni_refuse(CDN_ERR_NONFINITE, function, "A has %g in row %d and column %d: give finite numbers", p->A[bad],
                       (int)(bad / n), (int)(bad % n));
  return cdni_refuse(CDN_ERR_NONFINITE, function, "the impulses are too large for numbers: scale the problem");
}
