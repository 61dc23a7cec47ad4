/* Derivatives of the inverse at its solution. */
#include <math.h>

#include "math/cholesky.h"
#include "soft/invertible.h"

/* B of one contact. In x = f_t / mu it is S (R~ + barrier)^-1 S with S = (mu, mu, 1), which has a limit at mu = 0. */
static bool block(const double *f, const double *R, double mu, double kappa, double out[9]) {
  const double n = f[2], S[3] = { mu, mu, 1 };
  const double x[2] = { mu > 0 ? f[0] / mu : 0, mu > 0 ? f[1] / mu : 0 };
  const double length = hypot(x[0], x[1]);
  /* rounding can put a contact that slides onto the cone */
  const double D = fmax((n - length) * (n + length), 0x1p-52 * n * n), b = 2 * kappa / D, e = 2 * b / D;
  double H[9] = { mu * mu * R[0] + b + e * x[0] * x[0],  e * x[0] * x[1], -e * x[0] * n, e * x[0] * x[1],
                  mu * mu * R[1] + b + e * x[1] * x[1],  -e * x[1] * n,   -e * x[0] * n, -e * x[1] * n,
                  R[2] - b + e * n * n + kappa / (n * n) };
  if (cdni_cholesky(3, 3, H, 0, 0) >= 0) return false;
  cdni_cholesky_inverse(3, 3, H, out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] *= S[i] * S[j];
  return true;
}

cdn_status cdn_invertible_inverse_derivatives(const cdn_invertible_problem *problem, const double *v, const double *f,
                                              double *B, double *y, double *D) {
  cdn_invertible_problem p;
  CDNI_TRY(cdni_invertible_read_problem(__func__, &p, problem));
  if (invertible_rows(&p) == 0) return CDN_OK;
  CDNI_NEED_OBJECT(v, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(f, CDN_ERR_ARG);
  CDNI_TRY(cdni_invertible_check_rows(__func__, &p));
  const size_t n = (size_t)invertible_rows(&p);
  if (!cdni_all_finite(v, n, NULL)) return cdni_invertible_not_finite(__func__, &p, "v", v);
  if (!cdni_all_finite(f, n, NULL)) return cdni_invertible_not_finite(__func__, &p, "f", f);
  char name[INVERTIBLE_NAME_SIZE];
  for (int i = 0; i < invertible_normals(&p); i++) {
    const int row = invertible_normal_row(&p, i);
    const double s = v[row] - p.v_min[i];
    if (!(s > 0) && p.elastic == 0)
      return cdni_refuse(CDN_ERR_CONSTRAINT, __func__,
                         "the normal velocity of %s is %.17g, and v_min is %.17g: give v of "
                         "an inverse that succeeded",
                         cdni_invertible_name(&p, i, name), v[row], p.v_min[i]);
    double first, second;
    invertible_barrier(p.kappa, p.elastic, s, &first, &second);
    if (y) y[i] = first;
    if (D) D[i] = second;
    if (!(f[row] > 0))
      return cdni_refuse(CDN_ERR_ARG, __func__, "the normal impulse of %s is %g: give f of the inverse",
                         cdni_invertible_name(&p, i, name), f[row]);
    if (!B) continue;
    if (i < p.n_limits) B[i] = 1 / (p.R[i] + p.kappa / (f[i] * f[i]));
    else if (!block(f + row - 2, p.R + row - 2, p.mu[i - p.n_limits], p.kappa, B + p.n_limits + 9 * (i - p.n_limits)))
      return cdni_refuse(CDN_ERR_SINGULAR, __func__,
                         "the impulses of %s are on the border of the friction cone: give a "
                         "larger kappa",
                         cdni_invertible_name(&p, i, name));
  }
  return CDN_OK;
}
