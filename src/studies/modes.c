/* Eigenvalues and shapes: of the linearized equations, and of stiffness against mass at rest. */
#include <math.h>

#include <cardan/operators.h>

#include "math/dense.h"
#include "matter/operators.h"
#include "studies/spectrum.h"

static cdn_status no_convergence(cdn_state *state, const char *function) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, false, function, NULL,
                         "the iteration for eigenvalues did not converge");
}

/* ---- of the linearized equations ---- */

static void hand_out(const cdni_spectrum *s, double *re, double *im, double *shape_re, double *shape_im) {
  const size_t nu = (size_t)s->nu;
  for (int k = 0; k < s->size; k++) {
    const size_t j = (size_t)s->order[k];
    re[k] = s->re[j], im[k] = s->im[j];
    if (!shape_re || !shape_im) continue;
    memcpy(shape_re + (size_t)k * nu, s->shape_re + j * nu, nu * sizeof *shape_re);
    memcpy(shape_im + (size_t)k * nu, s->shape_im + j * nu, nu * sizeof *shape_im);
  }
}

static bool is_at_rest(cdn_state *state) {
  const double *u = cdn_state_u_eff(state);
  for (int k = 0; u && k < cdn_system_nu(cdn_state_system(state)); k++)
    if (u[k] != 0) return false;
  return u;
}

static double power_of_two(double x) { return x > 0 ? exp2(rint(log2(x))) : 1; }

static double largest_in(const cdni_spectrum *s, int first_row, int rows, int first, int columns) {
  double most = 0;
  for (int j = first; j < first + columns; j++)
    for (int i = first_row; i < first_row + rows; i++) most = fmax(most, fabs(s->by_column[j * s->size + i]));
  return most;
}

/* The matrix in units that make masses 1, and displacements as large as velocities: there rounding disturbs light links
 * and heavy ones alike, and slow modes beside stiff ones least. Number i is unit[i] times what it was. */
static cdn_status in_units(cdni_spectrum *s, cdn_state *state, double *unit) {
  const int n = s->n, l = s->size - n, nu = s->nu;
  double *M = s->V; /* which is not needed yet */
  CDNI_TRY(cdn_calc_M(state, M));
  for (int j = 0; j < s->size; j++) {
    const double *x = j < n ? s->D + j * nu : s->U + (j - n) * nu;
    double mass = 0;
    for (int i = 0; i < nu; i++)
      for (int k = 0; k < nu; k++) mass += x[i] * M[i * nu + k] * x[k];
    unit[j] = power_of_two(sqrt(mass));
  }
  for (int i = 0; i < s->size; i++)
    for (int j = 0; j < s->size; j++) s->by_column[j * s->size + i] = s->A[i * s->size + j] * unit[i] / unit[j];
  const double pushed = largest_in(s, n, l, 0, n), moved = largest_in(s, 0, n, n, l);
  const double rate = pushed > 0 && moved > 0 ? power_of_two(sqrt(pushed / moved)) : 1;
  for (int j = 0; j < n; j++) unit[j] *= rate;
  for (int i = 0; i < s->size; i++)
    for (int j = 0; j < s->size; j++) s->by_column[j * s->size + i] = s->A[i * s->size + j] * unit[i] / unit[j];
  return CDN_OK;
}

static cdn_status solve(cdni_spectrum *s, cdn_state *state, const char *function) {
  int l = 0;
  CDNI_TRY(cdn_linearize(state, s->A, s->D, &s->n, s->U, &l));
  s->size = s->n + l;
  double *unit = s->shape_re; /* which is not needed yet */
  CDNI_TRY(in_units(s, state, unit));
  double *work = cdn_work_push(state, cdni_eigen_work(s->size) * sizeof *work);
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  const bool found = cdni_eigen(s->size, s->by_column, s->re, s->im, s->V, work);
  cdn_work_pop(state, work);
  if (!found) return no_convergence(state, function);
  for (int j = 0; j < s->size; j++)
    for (int i = 0; i < s->size; i++) s->V[j * s->size + i] /= unit[i];
  cdni_spectrum_shapes(s);
  if (is_at_rest(state)) CDNI_TRY(cdni_spectrum_zeros(s, state, function));
  cdni_spectrum_double_roots(s);
  cdni_spectrum_sort(s);
  return CDN_OK;
}

cdn_status cdn_linear_modes(cdn_state *state, int *count, double *re, double *im, double *shape_re, double *shape_im) {
  CDNI_NEED(state, count);
  CDNI_NEED_SOME(state, re, cdn_system_nu(cdn_state_system(state)));
  CDNI_NEED_SOME(state, im, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, __func__, &m));
  const size_t nu = (size_t)m->tree.nu, most = 2 * nu;
  double *memory =
      cdn_work_push(state, (2 * nu * nu + 3 * most * most + 2 * most * nu + 4 * most + 1) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  cdni_spectrum s = { .nu = m->tree.nu, .D = memory, .U = memory + nu * nu, .A = memory + 2 * nu * nu };
  s.by_column = s.A + most * most, s.V = s.by_column + most * most;
  s.shape_re = s.V + most * most, s.shape_im = s.shape_re + most * nu;
  s.re = s.shape_im + most * nu, s.im = s.re + most, s.order = (int *)(s.im + most), s.zero = s.order + most;
  s.pivots = s.zero + most, s.twice = s.pivots + most;
  const cdn_status status = solve(&s, state, __func__);
  if (status == CDN_OK) {
    hand_out(&s, re, im, shape_re, shape_im);
    *count = s.size;
  }
  cdn_work_pop(state, memory);
  return status;
}

/* ---- normal modes ---- */

static cdn_status normal_modes(cdn_state *rest, const char *function, cdni_statics *s, double *work, double *omega2,
                               double *shapes) {
  /* From rest, velocities are where accelerations are: no direction is free that an equation of any level forbids. */
  CDNI_TRY(cdni_statics_fill(rest, function, CDN_LEVEL_ACCELERATION, s, NULL));
  const int n = s->n, nu = s->nu;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < j; i++) s->H[i * n + j] = s->H[j * n + i] = 0.5 * (s->H[i * n + j] + s->H[j * n + i]);
  const int info = cdni_symmetric_eigen(n, s->H, s->B, omega2, work);
  if (info > n) return no_convergence(rest, function);
  if (info > 0)
    return cdni_state_fail(rest, CDN_ERR_SINGULAR, false, function, NULL,
                           "the mass matrix of the free directions is not positive definite");
  for (int j = 0; j < n && shapes; j++)
    for (int k = 0; k < nu; k++) {
      shapes[j * nu + k] = 0;
      for (int i = 0; i < n; i++) shapes[j * nu + k] += s->H[j * n + i] * s->Z[i * nu + k];
    }
  return CDN_OK;
}

cdn_status cdn_normal_modes(cdn_state *state, int *n, double *omega_squared, double *shapes) {
  CDNI_NEED(state, n);
  CDNI_NEED_SOME(state, omega_squared, cdn_system_nu(cdn_state_system(state)));
  cdn_state *rest;
  CDNI_TRY(cdni_rest_state(state, __func__, &rest));
  const int nu = cdn_system_nu(cdn_state_system(state));
  const size_t own = cdni_statics_size(nu);
  double *memory = cdn_work_push(state, (own + cdni_symmetric_eigen_work(nu)) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  else {
    cdni_statics s = cdni_statics_at(nu, memory);
    status = normal_modes(rest, __func__, &s, memory + own, omega_squared, shapes);
    *n = s.n;
  }
  cdn_work_pop(state, memory);
  cdni_rest_destroy(state, rest, status);
  return status;
}
