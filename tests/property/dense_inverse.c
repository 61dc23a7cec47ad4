#include "dense_inverse.h"

#include <math.h>
#include <string.h>

size_t dense_inverse_work(int n) { return (size_t)n * (size_t)n + 3 * (size_t)n; }

typedef struct dense {
  const cdn_invertible_problem *p;
  int n;
  double *H, *b, *g, *d; /* b: v + A grad d_V */
} dense;

static void gradient(const dense *k, const double *f) {
  const cdn_invertible_problem *p = k->p;
  for (int i = 0; i < k->n; i++) k->g[i] = p->R[i] * f[i] + k->b[i];
  for (int i = 0; i < p->n_limits; i++) k->g[i] -= p->kappa / f[i];
  for (int i = 0; i < p->n_contacts; i++) {
    const double *x = f + p->n_limits + 3 * i, mu2 = p->mu[i] * p->mu[i];
    double *g = k->g + p->n_limits + 3 * i;
    const double a = 2 * p->kappa / (mu2 * x[2] * x[2] - x[0] * x[0] - x[1] * x[1]);
    g[0] += a * x[0], g[1] += a * x[1], g[2] -= a * mu2 * x[2] + p->kappa / x[2];
  }
}

/* The whole matrix is filled and factored: nothing is known of its structure. */
static int newton(const dense *k, const double *f) {
  const cdn_invertible_problem *p = k->p;
  const int n = k->n;
  memset(k->H, 0, (size_t)n * (size_t)n * sizeof *k->H);
  for (int i = 0; i < n; i++) k->H[i * n + i] = p->R[i];
  for (int i = 0; i < p->n_limits; i++) k->H[i * n + i] += p->kappa / (f[i] * f[i]);
  for (int i = 0; i < p->n_contacts; i++) {
    const int at = p->n_limits + 3 * i;
    const double *x = f + at, mu2 = p->mu[i] * p->mu[i];
    const double D = mu2 * x[2] * x[2] - x[0] * x[0] - x[1] * x[1], a = 2 * p->kappa / D;
    const double w[3] = { -x[0], -x[1], mu2 * x[2] }, own[3] = { a, a, -a * mu2 + p->kappa / (x[2] * x[2]) };
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) k->H[(at + r) * n + at + c] += 2 * a / D * w[r] * w[c] + (r == c ? own[r] : 0);
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = k->H[i * n + j];
      for (int l = 0; l < j; l++) sum -= k->H[i * n + l] * k->H[j * n + l];
      if (j < i) k->H[i * n + j] = sum / k->H[j * n + j];
      else if (sum > 0) k->H[i * n + i] = sqrt(sum);
      else return 0;
    }
  }
  for (int i = 0; i < n; i++) {
    double sum = -k->g[i];
    for (int j = 0; j < i; j++) sum -= k->H[i * n + j] * k->d[j];
    k->d[i] = sum / k->H[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    k->d[i] /= k->H[i * n + i];
    for (int j = 0; j < i; j++) k->d[j] -= k->H[i * n + j] * k->d[i];
  }
  return 1;
}

/* The step to the nearest cone, of which a part is gone. */
static double border(const dense *k, const double *f) {
  const cdn_invertible_problem *p = k->p;
  double most = INFINITY;
  for (int i = 0; i < p->n_limits; i++)
    if (k->d[i] < 0) most = fmin(most, -f[i] / k->d[i]);
  for (int i = 0; i < p->n_contacts; i++) {
    const double *x = f + p->n_limits + 3 * i, *d = k->d + p->n_limits + 3 * i, mu2 = p->mu[i] * p->mu[i];
    const double D = mu2 * x[2] * x[2] - x[0] * x[0] - x[1] * x[1];
    const double D1 = mu2 * x[2] * d[2] - x[0] * d[0] - x[1] * d[1], D2 = mu2 * d[2] * d[2] - d[0] * d[0] - d[1] * d[1];
    const double square = D1 * D1 - D * D2, below = square >= 0 ? sqrt(square) - D1 : 0;
    if (below > 0) most = fmin(most, D / below);
    if (d[2] < 0) most = fmin(most, -x[2] / d[2]);
  }
  return most;
}

/* The slope of the function along d at a step. */
static double slope(const dense *k, const double *f, double step) {
  const cdn_invertible_problem *p = k->p;
  double sum = 0;
  for (int i = 0; i < k->n; i++) sum += k->d[i] * (p->R[i] * (f[i] + step * k->d[i]) + k->b[i]);
  for (int i = 0; i < p->n_limits; i++) sum -= p->kappa * k->d[i] / (f[i] + step * k->d[i]);
  for (int i = 0; i < p->n_contacts; i++) {
    const double *x = f + p->n_limits + 3 * i, *d = k->d + p->n_limits + 3 * i, mu2 = p->mu[i] * p->mu[i];
    const double y[3] = { x[0] + step * d[0], x[1] + step * d[1], x[2] + step * d[2] };
    const double D = mu2 * y[2] * y[2] - y[0] * y[0] - y[1] * y[1];
    sum -= p->kappa * (2 * (mu2 * y[2] * d[2] - y[0] * d[0] - y[1] * d[1]) / D + d[2] / y[2]);
  }
  return sum;
}

int dense_inverse(const cdn_invertible_problem *p, const double *v, double *f, double *c, double *work) {
  const int n = p->n_limits + 3 * p->n_contacts, normals = p->n_limits + p->n_contacts;
  const dense k = { .p = p, .n = n, .H = work, .b = work + n * n, .g = work + n * n + n, .d = work + n * n + 2 * n };
  memcpy(k.b, v, (size_t)n * sizeof *k.b);
  for (int i = 0; i < normals; i++) {
    const int row = i < p->n_limits ? i : p->n_limits + 3 * (i - p->n_limits) + 2;
    const double y = -p->kappa / (v[row] - p->v_min[i]);
    for (int j = 0; j < n; j++) k.b[j] += y * p->A[row * n + j];
  }
  /* the default start: without friction */
  for (int i = 0; i < normals; i++) {
    const int row = i < p->n_limits ? i : p->n_limits + 3 * (i - p->n_limits) + 2;
    const double weight = i < p->n_limits ? 4 : 12;
    f[row] = (sqrt(k.b[row] * k.b[row] + weight * p->kappa * p->R[row]) - k.b[row]) / (2 * p->R[row]);
    if (i >= p->n_limits) f[row - 2] = f[row - 1] = 0;
  }
  int steps = 0;
  for (double before = INFINITY; steps < 200; steps++) {
    gradient(&k, f);
    if (!newton(&k, f)) return -1;
    double decrement = 0;
    for (int i = 0; i < n; i++) decrement -= k.g[i] * k.d[i];
    double length = fmin(1, 0.95 * border(&k, f));
    while (decrement > 1e-6 * p->kappa && slope(&k, f, length) > 0.5 * decrement) length *= 0.6;
    for (int i = 0; i < n; i++) f[i] += length * k.d[i];
    if (decrement < 1e-14 * p->kappa || (decrement < 1e-8 * p->kappa && decrement > 0.1 * before)) break;
    before = decrement;
  }
  for (int i = 0; c && i < n; i++) {
    c[i] = v[i];
    for (int j = 0; j < n; j++) c[i] -= p->A[i * n + j] * f[j];
  }
  return steps + 1;
}
