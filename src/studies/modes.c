/* Eigenvalues and shapes: of the linearized equations, and of stiffness against mass at rest. */
#include <math.h>

#include "math/dense.h"
#include "matter/operators.h"
#include "studies/statics.h"

static cdn_status no_convergence(cdn_state *state, const char *function) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, false, function, NULL,
                         "the iteration for eigenvalues did not converge");
}

/* ---- of the linearized equations ---- */

/* The displacement part of an eigenvector's real or imaginary part. */
static void shape_of(int nu, int n, const double *D, const double *vector, double sign, double *shape) {
  for (int k = 0; k < nu; k++) {
    shape[k] = 0;
    for (int i = 0; i < n; i++) shape[k] += sign * vector[i] * D[i * nu + k];
  }
}

/* Turned and scaled so that its largest element is 1. */
static void normalize(int nu, double *a, double *b) {
  double most = 0, re = 1, im = 0;
  for (int k = 0; k < nu; k++)
    if (hypot(a[k], b[k]) > most) most = hypot(a[k], b[k]), re = a[k], im = b[k];
  for (int k = 0; k < nu && most > 0; k++) {
    const double x = (a[k] * re + b[k] * im) / (most * most), y = (b[k] * re - a[k] * im) / (most * most);
    a[k] = x, b[k] = y;
  }
}

typedef struct spectrum {
  int nu, n, size;
  double *D, *A, *by_column, *V, *re, *im;
  int *order;
} spectrum;

/* By magnitude; conjugates stay together. */
static void sort(spectrum *s) {
  for (int i = 0; i < s->size; i++) s->order[i] = i;
  for (int i = 1; i < s->size; i++)
    for (int j = i; j > 0; j--) {
      const int a = s->order[j - 1], b = s->order[j];
      if (hypot(s->re[a], s->im[a]) <= hypot(s->re[b], s->im[b])) break;
      s->order[j - 1] = b, s->order[j] = a;
    }
}

static void hand_out(const spectrum *s, double *re, double *im, double *shape_re, double *shape_im) {
  for (int k = 0; k < s->size; k++) {
    const int j = s->order[k];
    re[k] = s->re[j], im[k] = s->im[j];
    if (!shape_re || !shape_im) continue;
    const int first = s->im[j] < 0 ? j - 1 : j;
    double *a = shape_re + k * s->nu, *b = shape_im + k * s->nu;
    memset(b, 0, (size_t)s->nu * sizeof *b);
    shape_of(s->nu, s->n, s->D, s->V + first * s->size, 1, a);
    if (s->im[j] != 0) shape_of(s->nu, s->n, s->D, s->V + (first + 1) * s->size, s->im[j] > 0 ? 1 : -1, b);
    normalize(s->nu, a, b);
  }
}

cdn_status cdn_linear_modes(cdn_state *state, int *count, double *re, double *im, double *shape_re, double *shape_im) {
  static const char function[] = "cdn_linear_modes";
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, function, &m));
  const size_t nu = (size_t)m->tree.nu, most = 2 * nu;
  double *memory = cdn_work_push(state, (nu * nu + 3 * most * most + 3 * most + 1) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  spectrum s = { .nu = m->tree.nu, .D = memory, .A = memory + nu * nu };
  s.by_column = s.A + most * most, s.V = s.by_column + most * most;
  s.re = s.V + most * most, s.im = s.re + most, s.order = (int *)(s.im + most);
  int l = 0;
  cdn_status status = cdn_linearize(state, s.A, s.D, &s.n, NULL, &l);
  s.size = s.n + l;
  for (int i = 0; i < s.size && status == CDN_OK; i++)
    for (int j = 0; j < s.size; j++) s.by_column[j * s.size + i] = s.A[i * s.size + j];
  double *work = status == CDN_OK ? cdn_work_push(state, cdni_eigen_work(s.size) * sizeof *work) : NULL;
  if (status == CDN_OK && !work) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  if (status == CDN_OK && !cdni_eigen(s.size, s.by_column, s.re, s.im, s.V, work))
    status = no_convergence(state, function);
  cdn_work_pop(state, work);
  if (status == CDN_OK) {
    sort(&s);
    hand_out(&s, re, im, shape_re, shape_im);
    *count = s.size;
  }
  cdn_work_pop(state, memory);
  return status;
}

/* ---- normal modes ---- */

static cdn_status normal_modes(cdn_state *rest, const char *function, cdni_statics *s, double *work, double *omega2,
                               double *shapes) {
  CDNI_TRY(cdni_statics_fill(rest, function, s));
  const int n = s->n, nu = s->nu;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) s->H[i * n + j] = s->H[j * n + i] = 0.5 * (s->H[i * n + j] + s->H[j * n + i]);
  const int info = cdni_symmetric_eigen(n, s->H, s->B, omega2, work);
  if (info > n) return no_convergence(rest, function);
  if (info > 0)
    return cdni_state_fail(rest, CDN_ERR_SINGULAR, false, function, NULL,
                           "the mass matrix of what the constraints leave free is not positive definite");
  for (int j = 0; j < n && shapes; j++)
    for (int k = 0; k < nu; k++) {
      shapes[j * nu + k] = 0;
      for (int i = 0; i < n; i++) shapes[j * nu + k] += s->H[j * n + i] * s->Z[i * nu + k];
    }
  return CDN_OK;
}

cdn_status cdn_normal_modes(cdn_state *state, int *n, double *omega_squared, double *shapes) {
  static const char function[] = "cdn_normal_modes";
  cdn_state *rest;
  CDNI_TRY(cdni_rest_state(state, function, &rest));
  const int nu = cdn_system_nu(cdn_state_system(state));
  const size_t own = cdni_statics_size(nu);
  double *memory = cdn_work_push(state, (own + cdni_symmetric_eigen_work(nu)) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  else {
    cdni_statics s = cdni_statics_at(nu, memory);
    status = normal_modes(rest, function, &s, memory + own, omega_squared, shapes);
    *n = s.n;
    if (status != CDN_OK) {
      cdn_error story;
      cdn_state_last_error(rest, &story);
      cdni_state_set_error(state, &story);
    }
  }
  cdn_work_pop(state, memory);
  cdn_state_destroy(rest);
  return status;
}
