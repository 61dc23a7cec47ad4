/* Gradient and Hessian of the forward problem, and Newton's direction. */
#include <math.h>

#include "math/cholesky.h"
#include "soft/invertible_forward.h"

void cdni_forward_velocities(forward *k) {
  for (int i = 0; i < k->n; i++) {
    const double *row = k->A + (size_t)i * (size_t)k->n;
    double sum = 0;
    for (int j = 0; j < k->n; j++) sum += row[j] * k->f[j];
    k->Af[i] = sum;
  }
  for (int i = 0; i < k->normals; i++) {
    const int row = invertible_normal_row(k->p, i);
    k->s[i] = k->Af[row] + k->c[row] - k->p->v_min[i];
    /* a step that ends within the border may be on it by rounding */
    if (k->q == 0 && k->inside)
      k->s[i] = fmax(k->s[i], 0x1p-53 * (fabs(k->Af[row]) + fabs(k->c[row]) + fabs(k->p->v_min[i])));
  }
}

bool cdni_forward_feasible(const forward *k) {
  for (int i = 0; i < k->normals; i++)
    if (!(k->s[i] > 0)) return false;
  return true;
}

/* A contact moves along x, across x and, near the border of its cone, along the ray f / n in place of n. So the Hessian
 * of its barrier loses nothing by rounding, though its numbers differ by many powers of ten. */
typedef struct axes {
  double r, n, D; /* |x|, n, n^2 - r^2 */
  bool near;
  double e[2], ray[2]; /* the unit vector along x; x over n, or zero */
} axes;

static axes axes_at(const double *f) {
  const double r = hypot(f[0], f[1]), n = f[2];
  const bool near = r > 0.5 * n;
  return (axes){ .r = r,
                 .n = n,
                 .D = (n - r) * (n + r),
                 .near = near,
                 .e = { r > 0 ? f[0] / r : 1, r > 0 ? f[1] / r : 0 },
                 .ray = { near ? f[0] / n : 0, near ? f[1] / n : 0 } };
}

/* The three products of g with these directions; and the motion along them. */
static void turn(const axes *k, double *g) {
  const double along = k->e[0] * g[0] + k->e[1] * g[1], ray = k->ray[0] * g[0] + k->ray[1] * g[1] + g[2];
  g[2] = k->e[0] * g[1] - k->e[1] * g[0], g[0] = along, g[1] = ray;
}
static void turn_back(const axes *k, double *d) {
  const double along = d[0], ray = d[1], across = d[2];
  d[0] = k->e[0] * along + k->ray[0] * ray - k->e[1] * across;
  d[1] = k->e[1] * along + k->ray[1] * ray + k->e[0] * across;
  d[2] = ray;
}

/* Of all but the cones. */
static void smooth_gradient(forward *k) {
  const int n = k->n;
  for (int i = 0; i < n; i++) k->g[i] = k->Af[i] + k->c[i] + k->R[i] * k->f[i];
  for (int i = 0; i < k->normals; i++) {
    double first, second;
    invertible_barrier(k->kappa, k->q, k->s[i], &first, &second);
    const double *row = k->A + (size_t)invertible_normal_row(k->p, i) * (size_t)n;
    for (int j = 0; j < n; j++) k->g[j] += first * row[j];
  }
}

void cdni_forward_gradient(forward *k) {
  const int limits = k->p->n_limits;
  smooth_gradient(k);
  for (int i = 0; i < limits; i++) k->g[i] -= k->kappa / k->f[i];
  for (int i = limits; i < k->n; i += 3) {
    const axes at = axes_at(k->f + i);
    const double twice = 2 * k->kappa / at.D;
    k->g[i] += twice * k->f[i], k->g[i + 1] += twice * k->f[i + 1];
    k->g[i + 2] -= twice * at.n + k->kappa / at.n;
  }
}

/* Along the axes of contacts. */
static void turned_gradient(forward *k) {
  const int limits = k->p->n_limits;
  smooth_gradient(k);
  for (int i = 0; i < limits; i++) k->g[i] -= k->kappa / k->f[i];
  for (int i = limits; i < k->n; i += 3) {
    const axes to = axes_at(k->f + i);
    turn(&to, k->g + i);
    k->g[i] += 2 * k->kappa * to.r / to.D;
    k->g[i + 1] -= to.near ? 3 * k->kappa / to.n : k->kappa * (2 * to.n / to.D + 1 / to.n);
  }
}

/* H along the axes of contacts. */
static void hessian(forward *k) {
  const int n = k->n, limits = k->p->n_limits;
  const size_t rows = (size_t)n;
  memcpy(k->H, k->A, rows * rows * sizeof *k->H);
  for (int i = 0; i < n; i++) k->H[(size_t)i * rows + (size_t)i] += k->R[i];
  for (int l = 0; l < k->normals; l++) {
    double first, second;
    invertible_barrier(k->kappa, k->q, k->s[l], &first, &second);
    const double *a = k->A + (size_t)invertible_normal_row(k->p, l) * rows;
    for (int i = 0; i < n; i++) {
      const double weight = second * a[i];
      double *row = k->H + (size_t)i * rows;
      for (int j = 0; j < n; j++) row[j] += weight * a[j];
    }
  }
  for (int i = 0; i < limits; i++) k->H[(size_t)i * rows + (size_t)i] += k->kappa / (k->f[i] * k->f[i]);
  for (int i = limits; i < n; i += 3) {
    const axes to = axes_at(k->f + i);
    for (int j = 0; j < n; j++) turn(&to, k->H + (size_t)j * rows + (size_t)i);
    double *x = k->H + (size_t)i * rows, *y = x + rows, *z = y + rows;
    for (int j = 0; j < n; j++) {
      double column[3] = { x[j], y[j], z[j] };
      turn(&to, column);
      x[j] = column[0], y[j] = column[1], z[j] = column[2];
    }
    const double square = 2 * k->kappa / to.D, nn = k->kappa / (to.n * to.n);
    const double both = square * (to.n * to.n + to.r * to.r) / to.D;
    const double cross = to.near ? -square * to.r / to.n : -2 * square * to.r * to.n / to.D;
    x[i] += both, x[i + 1] += cross;
    y[i] += cross, y[i + 1] += to.near ? 3 * nn : both + nn;
    z[i + 2] += square;
  }
}

/* Where numbers of very different sizes meet, rounding can leave of a pivot nothing or less; it then gets what rounding
 * may have taken, and the direction still leads downward. One below zero by more than that is wrong. */
static const double WRONG = -1e-6, ROUNDING = 1e-14;

cdn_status cdni_forward_direction(forward *k, double *decrement, int *bad) {
  const int n = k->n;
  turned_gradient(k);
  hessian(k);
  *bad = cdni_cholesky(n, n, k->H, WRONG, ROUNDING);
  if (*bad >= 0) return CDN_ERR_SINGULAR;
  double square = 0;
  for (int i = 0; i < n; i++) k->d[i] = -k->g[i];
  cdni_cholesky_down(n, n, k->H, k->d);
  for (int i = 0; i < n; i++) square += k->d[i] * k->d[i];
  cdni_cholesky_up(n, n, k->H, k->d);
  for (int i = k->p->n_limits; i < n; i += 3) {
    const axes to = axes_at(k->f + i);
    turn_back(&to, k->d + i);
  }
  for (int i = 0; i < n; i++) {
    const double *row = k->A + (size_t)i * (size_t)n;
    double sum = 0;
    for (int j = 0; j < n; j++) sum += row[j] * k->d[j];
    k->Ad[i] = sum;
  }
  *decrement = square;
  return CDN_OK;
}
