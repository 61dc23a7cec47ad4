/* The fastest vibration of a molecule, by Lanczos' method on M^-1 K (Golub and Van Loan, 10.1): K v is a difference of
 * forces, M^-1 is applied in O(n), and no matrix is made. Loops are left open, which can only make it faster. */
#include <cardan/operators.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"

enum { MOST = 40 };               /* vectors: the largest eigenvalue is known to a few percent after 20 */
static const double SHIFT = 1e-5; /* of the coordinate that moves most, rad or nm */

typedef struct lanczos {
  cdn_state *state;
  int nq, nu;
  double *q0, *q, *qdot, *plus, *minus; /* q at the start; room */
  cdn_spatial *F;
  double *v, *Mv, *before, *M_before, *w; /* vectors of nu numbers */
} lanczos;

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The forces along u at q0 + h N v. */
static cdn_status forces(lanczos *l, double h, double *f) {
  double *on_mobilities = l->w; /* free at that time */
  for (int i = 0; i < l->nq; i++) l->q[i] = l->q0[i] + h * l->qdot[i];
  CDN_TRY(cdn_state_set_q(l->state, l->q));
  CDN_TRY(cdn_applied_forces(l->state, l->F, on_mobilities));
  CDN_TRY(cdn_multiply_by_J_transpose(l->state, l->F, f));
  for (int i = 0; i < l->nu; i++) f[i] += on_mobilities[i];
  return CDN_OK;
}

/* plus = K v. */
static cdn_status stiffness(lanczos *l) {
  double most = 0;
  for (int i = 0; i < l->nu; i++) most = fmax(most, fabs(l->v[i]));
  const double h = SHIFT / most;
  CDN_TRY(cdn_state_set_q(l->state, l->q0));
  CDN_TRY(cdn_multiply_by_N(l->state, l->v, l->qdot));
  CDN_TRY(forces(l, h, l->plus));
  CDN_TRY(forces(l, -h, l->minus));
  for (int i = 0; i < l->nu; i++) l->plus[i] = (l->minus[i] - l->plus[i]) / (2 * h);
  return cdn_state_set_q(l->state, l->q0);
}

/* Eigenvalues of the tridiagonal matrix that are below x (Sturm's sequence). */
static int count_below(const double *alpha, const double *beta, int n, double x) {
  int below = 0;
  double d = 1;
  for (int i = 0; i < n; i++) {
    d = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d : 0);
    if (d == 0) d = 1e-300;
    below += d < 0;
  }
  return below;
}

static double largest_eigenvalue(const double *alpha, const double *beta, int n) {
  double low = -INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double around = (i > 0 ? beta[i - 1] : 0) + (i + 1 < n ? beta[i] : 0);
    low = fmax(low, alpha[i]), high = fmax(high, alpha[i] + around);
  }
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (count_below(alpha, beta, n, middle) < n) low = middle;
    else high = middle;
  }
  return high;
}

/* Scales v and Mv so that v M v is `one`. */
static void scale(lanczos *l, double one) {
  for (int i = 0; i < l->nu; i++) l->v[i] /= one, l->Mv[i] /= one;
}

/* Random numbers that are the same each time: every mode has a part in them. */
static cdn_status begin(lanczos *l) {
  uint32_t x = 1;
  for (int i = 0; i < l->nu; i++) {
    x = x * 1664525u + 1013904223u;
    l->Mv[i] = x / 2147483648.0 - 1;
  }
  CDN_TRY(cdn_multiply_by_M_inv(l->state, l->Mv, l->v));
  /* M is of other sizes for roots and pins: the second vector is nearer to what vibrates. */
  scale(l, sqrt(dot(l->v, l->Mv, l->nu)));
  return CDN_OK;
}

static cdn_status iterate(lanczos *l, double *omega_squared) {
  double alpha[MOST], beta[MOST] = { 0 };
  const size_t bytes = (size_t)l->nu * sizeof(double);
  const int most = l->nu < MOST ? l->nu : MOST;
  int n = 0;
  CDN_TRY(begin(l));
  while (n < most) {
    CDN_TRY(stiffness(l));
    alpha[n] = dot(l->v, l->plus, l->nu);
    CDN_TRY(cdn_multiply_by_M_inv(l->state, l->plus, l->w));
    const double b = n > 0 ? beta[n - 1] : 0;
    for (int i = 0; i < l->nu; i++) {
      l->w[i] -= alpha[n] * l->v[i] + b * l->before[i];
      l->plus[i] -= alpha[n] * l->Mv[i] + b * l->M_before[i];
    }
    memcpy(l->before, l->v, bytes), memcpy(l->M_before, l->Mv, bytes);
    memcpy(l->v, l->w, bytes), memcpy(l->Mv, l->plus, bytes);
    const double square = dot(l->v, l->Mv, l->nu);
    n++;
    if (!(square > 1e-20 * alpha[0] * alpha[0])) break;
    beta[n - 1] = sqrt(square);
    scale(l, beta[n - 1]);
  }
  *omega_squared = largest_eigenvalue(alpha, beta, n);
  return CDN_OK;
}

cdn_status md_fastest_period(cdn_state *original, double *period) {
  const cdn_system *system = cdn_state_system(original);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  lanczos l = { .nq = nq, .nu = nu };
  *period = INFINITY;
  if (nu == 0) return CDN_OK;
  CDN_TRY(cdn_state_create(system, &l.state));
  double *room = allocate(3 * (size_t)nq + 7 * (size_t)nu, sizeof *room);
  l.q0 = room, l.q = l.q0 + nq, l.qdot = l.q + nq, l.plus = l.qdot + nq, l.minus = l.plus + nu;
  l.v = l.minus + nu, l.Mv = l.v + nu, l.before = l.Mv + nu, l.M_before = l.before + nu, l.w = l.M_before + nu;
  l.F = allocate((size_t)cdn_system_body_count(system), sizeof *l.F);
  double omega_squared = 0;
  cdn_status status = cdn_state_copy(l.state, original);
  memcpy(l.q0, cdn_state_q(original), (size_t)nq * sizeof *l.q0);
  if (!status) status = iterate(&l, &omega_squared);
  if (!status && omega_squared > 0) *period = 2 * 3.14159265358979323846 / sqrt(omega_squared);
  cdn_state_destroy(l.state);
  free(room), free(l.F);
  return status;
}
