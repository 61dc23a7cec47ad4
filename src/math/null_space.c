#include "math/null_space.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"

/* x -= scale v (v . x), for a reflection v of the numbers from `first` on. */
static void reflect(const cdni_null_space *s, int k, double *x) {
  const double *v = s->A + (size_t)s->order[k] * (size_t)s->n;
  const double by = s->scale[k] * cdni_dot(s->n - k, v + k, x + k);
  for (int i = k; i < s->n; i++) x[i] -= by * v[i];
}

/* The diagonal of R is kept where a dependent row's size would be: by pivot. */
void cdni_null_space_factor(cdni_null_space *s, double sine) {
  double largest = 0;
  for (int j = 0; j < s->m; j++) {
    s->order[j] = j;
    s->size[j] = sqrt(cdni_dot(s->n, s->A + (size_t)j * (size_t)s->n, s->A + (size_t)j * (size_t)s->n));
    largest = fmax(largest, s->size[j]);
  }
  s->rank = 0;
  for (int k = 0; k < s->m && k < s->n; k++) {
    /* the row that is most independent of the rows before, relative to its length */
    int best = -1;
    double most = sine;
    for (int j = k; j < s->m; j++) {
      const int row = s->order[j];
      const double *a = s->A + (size_t)row * (size_t)s->n;
      if (!(s->size[row] > 1e-13 * largest)) continue;
      const double left = sqrt(cdni_dot(s->n - k, a + k, a + k)) / s->size[row];
      if (left > most) most = left, best = j;
    }
    if (best < 0) break;
    const int32_t row = s->order[best];
    s->order[best] = s->order[k], s->order[k] = row;
    double *v = s->A + (size_t)row * (size_t)s->n;
    const double length = copysign(sqrt(cdni_dot(s->n - k, v + k, v + k)), v[k]);
    v[k] += length;
    s->scale[k] = 1 / (length * v[k]);
    for (int j = k + 1; j < s->m; j++) reflect(s, k, s->A + (size_t)s->order[j] * (size_t)s->n);
    s->size[row] = -length; /* R_kk */
    s->rank++;
  }
}

void cdni_null_space_enter(const cdni_null_space *s, double *x) {
  for (int k = 0; k < s->rank; k++) reflect(s, k, x);
}

void cdni_null_space_leave(const cdni_null_space *s, double *x) {
  for (int k = s->rank - 1; k >= 0; k--) reflect(s, k, x);
}

void cdni_null_space_reach(const cdni_null_space *s, const double *b, double *y) {
  for (int k = 0; k < s->rank; k++) {
    const double *row = s->A + (size_t)s->order[k] * (size_t)s->n; /* its first k numbers are of R */
    y[k] = (b[s->order[k]] - cdni_dot(k, row, y)) / s->size[s->order[k]];
  }
}

void cdni_null_space_multipliers(const cdni_null_space *s, const double *y, double *lambda) {
  for (int j = 0; j < s->m; j++) lambda[j] = 0;
  for (int k = s->rank - 1; k >= 0; k--) {
    double sum = y[k];
    for (int j = k + 1; j < s->rank; j++)
      sum -= s->A[(size_t)s->order[j] * (size_t)s->n + (size_t)k] * lambda[s->order[j]];
    lambda[s->order[k]] = sum / s->size[s->order[k]];
  }
}

void cdni_solve_again(int n, const double *L, double *x) {
  for (int i = 0; i < n; i++)
    x[i] = (x[i] - cdni_dot(i, L + (size_t)i * (size_t)n, x)) / L[(size_t)i * (size_t)n + (size_t)i];
  for (int i = n - 1; i >= 0; i--) {
    x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
    for (int j = 0; j < i; j++) x[j] -= L[(size_t)i * (size_t)n + (size_t)j] * x[i];
  }
}

int cdni_solve_shifted(int n, const double *H, double shift, double *L, double *x) {
  for (int i = 0; i < n; i++) {
    double *row = L + (size_t)i * (size_t)n;
    for (int j = 0; j <= i; j++) {
      const double *other = L + (size_t)j * (size_t)n;
      const double sum = H[(size_t)i * (size_t)n + (size_t)j] - cdni_dot(j, row, other);
      if (j < i) row[j] = sum / other[j];
      else if (!(sum + shift > 0)) return 0;
      else row[i] = sqrt(sum + shift);
    }
  }
  cdni_solve_again(n, L, x);
  return 1;
}
