/* Eigenvalues and shapes freed of rounding, in an order that does not hang on it. */
#include "studies/spectrum.h"

#include <math.h>

#include "math/dense.h"
#include "matter/operators.h"

static const double SAME = 1e-6;        /* relative: eigenvalues and elements of shapes that differ by less are equal */
static const double DOUBLE_ROOT = 1e-7; /* relative: rounding splits a double root by this much */
static const double ROUNDING = 1e-11;   /* of stiffness, along a shape that rounding disturbs */

/* The first of the largest elements. */
static int largest(int nu, const double *a, const double *b) {
  int most = 0;
  for (int k = 1; k < nu; k++)
    if (hypot(a[k], b ? b[k] : 0) > hypot(a[most], b ? b[most] : 0) * (1 + SAME)) most = k;
  return most;
}

/* Turned and scaled so that its largest element is 1. b may be NULL: it is real. */
static void normalize(int nu, double *a, double *b) {
  const int k = largest(nu, a, b);
  const double re = a[k], im = b ? b[k] : 0, most = hypot(re, im);
  for (int i = 0; i < nu && most > 0; i++) {
    const double x = a[i], y = b ? b[i] : 0;
    a[i] = (x * re + y * im) / (most * most);
    if (b) b[i] = (y * re - x * im) / (most * most);
  }
}

/* The displacement parts of the eigenvectors. */
void cdni_spectrum_shapes(cdni_spectrum *s) {
  const int nu = s->nu;
  for (int j = 0; j < s->size; j++) {
    const int first = s->im[j] < 0 ? j - 1 : j;
    const double sign = s->im[j] > 0 ? 1 : s->im[j] < 0 ? -1 : 0;
    double *a = s->shape_re + j * nu, *b = s->shape_im + j * nu;
    for (int k = 0; k < nu; k++) {
      a[k] = b[k] = 0;
      for (int i = 0; i < s->n; i++) {
        a[k] += s->V[first * s->size + i] * s->D[i * nu + k];
        if (sign != 0) b[k] += sign * s->V[(first + 1) * s->size + i] * s->D[i * nu + k];
      }
    }
    normalize(nu, a, b);
  }
}

/* ---- zeros and rounding ---- */

/* The product of the linearized equations' columns first to end with a vector x, accelerations only. */
static void accelerations(const cdni_spectrum *s, const double *x, int first, int end, double *out) {
  for (int i = s->n; i < s->size; i++) {
    out[i - s->n] = 0;
    for (int k = first; k < end; k++) out[i - s->n] += s->A[i * s->size + k] * x[k];
  }
}

/* Mobility k of n vectors, combined by x. */
static double combine(int nu, int n, const double *vectors, const double *x, int k) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += vectors[i * nu + k] * x[i];
  return sum;
}

/* Whether eigenvector `first` (and the next, if the eigenvalue is not real) comes to rest at its eigenvalue by
 * damping. */
static bool is_damped(const cdni_spectrum *s, int first, double *damping) {
  const int n = s->n, l = s->size - n;
  const double re = s->re[first], im = s->im[first];
  const double *a = s->V + first * s->size, *b = im != 0 ? a + s->size : NULL;
  double other = 0, all = 0;
  accelerations(s, a, n, s->size, damping);
  if (b) accelerations(s, b, n, s->size, damping + l);
  for (int i = 0; i < l; i++) {
    const double x = a[n + i], y = b ? b[n + i] : 0, by = b ? damping[l + i] : 0;
    all += pow(re * x - im * y, 2) + pow(re * y + im * x, 2);
    other += pow(re * x - im * y - damping[i], 2) + pow(re * y + im * x - by, 2);
  }
  return all > 0 && other <= 0.25 * all;
}

/* Whether the force that pushes back along a displacement is rounding. The displacement may be complex, with two
 * parts of very different size. */
static bool is_neutral(const cdni_spectrum *s, const cdni_statics *rest, cdni_stiffness_scale scale, const double *x,
                       int parts, double *back) {
  const int nu = s->nu, l = s->size - s->n;
  double most = 0, square = 0;
  for (int part = 0; part < parts; part++) {
    accelerations(s, x + part * s->size, 0, s->n, back + part * l);
    for (int k = 0; k < nu; k++) {
      const double v = combine(nu, s->n, s->D, x + part * s->size, k);
      most = fmax(most, fabs(v)), square += rest->mass[k] * v * v;
    }
  }
  for (int part = 0; part < parts; part++)
    for (int k = 0; k < nu; k++) {
      const double force = rest->mass[k] * combine(nu, l, s->U, back + part * l, k);
      const double limit = fmin(scale.largest * most, scale.stiffest * sqrt(rest->mass[k] * square));
      if (fabs(force) > ROUNDING * limit) return false;
    }
  return true;
}

/* ---- shapes of neutral directions ---- */

/* Makes m vectors of nu numbers orthonormal; returns their number without those that depend on others. */
static int orthonormalize(int m, int nu, double *W) {
  int count = 0;
  for (int i = 0; i < m; i++) {
    double *w = W + count * nu, before = 0, left = 0;
    memmove(w, W + i * nu, (size_t)nu * sizeof *w);
    for (int k = 0; k < nu; k++) before += w[k] * w[k];
    for (int j = 0; j < 2 * count; j++) { /* twice: rounding of the first time is gone */
      const double *other = W + (j % count) * nu;
      double along = 0;
      for (int k = 0; k < nu; k++) along += other[k] * w[k];
      for (int k = 0; k < nu; k++) w[k] -= along * other[k];
    }
    for (int k = 0; k < nu; k++) left += w[k] * w[k];
    if (!(left > SAME * SAME * before)) continue;
    for (int k = 0; k < nu; k++) w[k] /= sqrt(left);
    count++;
  }
  return count;
}

/* A basis of the space of some orthonormal vectors that depends on the space only: each vector moves one mobility
 * that no other moves, in ascending order of these mobilities. Returns their number. */
static int canonical_basis(int m, int nu, double *W, int *pivots) {
  const int count = orthonormalize(m, nu, W);
  for (int r = 0; r < count; r++) {
    double most = 0;
    for (int k = 0; k < nu; k++) {
      double square = 0;
      for (int i = r; i < count; i++) square += W[i * nu + k] * W[i * nu + k];
      if (sqrt(square) > most * (1 + SAME)) most = sqrt(square), pivots[r] = k;
    }
    for (int i = r + 1; i < count; i++) { /* turn in the plane of two: only r moves the pivot */
      const double a = W[r * nu + pivots[r]], b = W[i * nu + pivots[r]], c = hypot(a, b);
      for (int k = 0; k < nu && b != 0; k++) {
        const double x = W[r * nu + k], y = W[i * nu + k];
        W[r * nu + k] = (a * x + b * y) / c, W[i * nu + k] = k == pivots[r] ? 0 : (a * y - b * x) / c;
      }
    }
  }
  for (int r = count - 1; r > 0; r--)
    for (int i = 0; i < r; i++) {
      const double factor = W[i * nu + pivots[r]] / W[r * nu + pivots[r]];
      for (int k = 0; k < nu; k++) W[i * nu + k] = k == pivots[r] ? 0 : W[i * nu + k] - factor * W[r * nu + k];
    }
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && pivots[j] < pivots[j - 1]; j--) {
      const int pivot = pivots[j];
      pivots[j] = pivots[j - 1], pivots[j - 1] = pivot;
      for (int k = 0; k < nu; k++) {
        const double x = W[j * nu + k];
        W[j * nu + k] = W[(j - 1) * nu + k], W[(j - 1) * nu + k] = x;
      }
    }
  return count;
}

/* Rate at which damping stops a motion along a displacement. */
static double stops(const cdni_spectrum *s, const double *shape, double *x) {
  const int nu = s->nu, l = s->size - s->n;
  double *damping = x + s->size, slow = 0, all = 0;
  for (int i = 0; i < l; i++) {
    x[s->n + i] = 0;
    for (int k = 0; k < nu; k++) x[s->n + i] += s->U[i * nu + k] * shape[k];
  }
  accelerations(s, x, s->n, s->size, damping);
  for (int i = 0; i < l; i++) slow += damping[i] * damping[i], all += x[s->n + i] * x[s->n + i];
  return all > 0 ? sqrt(slow / all) : 0;
}

/* Writes the displacements along which nothing pushes back into W; returns their number, or -1. */
static int neutral_space(const cdni_spectrum *s, const cdni_statics *rest, cdni_stiffness_scale scale, double *W,
                         double *work) {
  const int n = s->n, l = s->size - n, nu = s->nu;
  double *stiffness = W + nu * nu, *U = s->V, *VT = U + nu * nu, *sigma = VT + nu * nu; /* eigenvectors have served */
  for (int i = 0; i < l; i++)
    for (int k = 0; k < n; k++) stiffness[k * l + i] = s->A[(n + i) * s->size + k];
  if (!cdni_svd(l, n, stiffness, sigma, U, VT, work)) return -1;
  int count = 0;
  for (int i = n - 1; i >= 0; i--) {
    double *x = U, *back = U + n; /* so has U */
    for (int k = 0; k < n; k++) x[k] = VT[k * n + i];
    if (!is_neutral(s, rest, scale, x, 1, back)) break;
    for (int k = 0; k < nu; k++) W[count * nu + k] = combine(nu, n, s->D, x, k);
    count++;
  }
  return count;
}

/* All zeros share one space of shapes, in which rounding mixes them or makes two equal: gives them a basis of that
 * space, the span of the m vectors of W. A direction without damping has two zeros. */
static void share_out(cdni_spectrum *s, int m, double *W) {
  const int nu = s->nu, count = canonical_basis(m, nu, W, s->pivots);
  double *rate = s->V; /* the eigenvectors have served */
  m = 0;
  for (int j = 0; j < s->size; j++) m += s->zero[j];
  for (int i = 0; i < count; i++) {
    normalize(nu, W + i * nu, NULL);
    rate[i] = stops(s, W + i * nu, rate + count), s->twice[i] = 0;
  }
  for (int k = count; k < m; k++) {
    int least = -1;
    for (int i = 0; i < count; i++)
      if (!s->twice[i] && (least < 0 || rate[i] < rate[least])) least = i;
    if (least >= 0) s->twice[least] = 1;
  }
  for (int j = 0, i = 0; j < s->size && i < count; j++) {
    if (!s->zero[j]) continue;
    memcpy(s->shape_re + j * nu, W + i * nu, (size_t)nu * sizeof *W);
    if (s->twice[i]) s->twice[i] = 0;
    else i++;
  }
}

/* The eigenvalue of a neutral direction is zero, and a double one without damping. This is the worst case for
 * rounding, which turns it into a pair of its square root, real or imaginary. */
cdn_status cdni_spectrum_zeros(cdni_spectrum *s, cdn_state *state, const char *function) {
  cdn_state *rest;
  CDNI_TRY(cdni_rest_state(state, function, &rest));
  double *memory = cdn_work_push(state, cdni_statics_size(s->nu) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  cdni_statics statics = cdni_statics_at(s->nu, memory);
  if (status == CDN_OK) status = cdni_statics_fill(rest, function, CDN_LEVEL_POSITION, &statics, NULL);
  const cdni_stiffness_scale scale = status == CDN_OK ? cdni_statics_scale(&statics) : (cdni_stiffness_scale){ 0 };
  bool any = false;
  for (int j = 0; j < s->size && status == CDN_OK; j++) {
    const int first = s->im[j] < 0 ? j - 1 : j, parts = s->im[j] != 0 ? 2 : 1;
    s->zero[j] = is_neutral(s, &statics, scale, s->V + first * s->size, parts, s->by_column) &&
                 !is_damped(s, first, s->by_column);
    any |= s->zero[j] != 0;
  }
  for (int j = 0; j < s->size && status == CDN_OK; j++) {
    if (s->zero[j] == 0) continue;
    s->re[j] = s->im[j] = 0;
    memset(s->shape_im + j * s->nu, 0, (size_t)s->nu * sizeof *s->shape_im);
  }
  double *work = any ? cdn_work_push(state, cdni_svd_work(s->size - s->n, s->n) * sizeof *work) : NULL;
  if (any && !work) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  if (work) {
    const int count = neutral_space(s, &statics, scale, s->by_column, work);
    if (count >= 0) share_out(s, count, s->by_column);
    else status = cdni_state_fail(state, CDN_ERR_SINGULAR, false, function, NULL, "the singular values were not found");
  }
  cdn_work_pop(state, work);
  cdn_work_pop(state, memory);
  cdni_rest_destroy(state, rest, status);
  return status;
}

/* Restores a double root on the real axis that rounding may have split. */
void cdni_spectrum_double_roots(cdni_spectrum *s) {
  for (int j = 0; j < s->size; j++) {
    if (fabs(s->im[j]) > DOUBLE_ROOT * fabs(s->re[j])) continue;
    s->im[j] = 0;
    memset(s->shape_im + j * s->nu, 0, (size_t)s->nu * sizeof *s->shape_im);
  }
}

/* ---- the order ---- */

/* Whether eigenvalue j comes before i of the same magnitude: decaying first, then by the mobilities that they move. */
static bool comes_before(const cdni_spectrum *s, int j, int i, double magnitude) {
  if (fabs(s->re[j] - s->re[i]) > SAME * magnitude) return s->re[j] < s->re[i];
  const int nu = s->nu, a = largest(nu, s->shape_re + j * nu, s->shape_im + j * nu),
            b = largest(nu, s->shape_re + i * nu, s->shape_im + i * nu);
  return a < b;
}

/* Sorts by magnitude, and equal magnitudes in an order that does not depend on rounding; conjugates stay together. */
void cdni_spectrum_sort(cdni_spectrum *s) {
  int end;
  for (int i = 0; i < s->size; i++) {
    s->order[i] = i;
    for (int j = i; j > 0 && hypot(s->re[s->order[j - 1]], s->im[s->order[j - 1]]) > hypot(s->re[i], s->im[i]); j--)
      s->order[j] = s->order[j - 1], s->order[j - 1] = i;
  }
  for (int first = 0; first < s->size; first = end) {
    double magnitude = hypot(s->re[s->order[first]], s->im[s->order[first]]), next;
    for (end = first + 1; end < s->size; end++) {
      next = hypot(s->re[s->order[end]], s->im[s->order[end]]);
      if (next - magnitude > SAME * next) break;
      magnitude = next;
    }
    for (int i = first; i < end; i++) {
      const int moved = s->order[i];
      for (int j = i; j > first && comes_before(s, moved, s->order[j - 1], magnitude); j--)
        s->order[j] = s->order[j - 1], s->order[j - 1] = moved;
    }
  }
}
