/* Scalar functions with derivatives: counted, immutable, with a private part behind the header. */
#include <cardan/functions.h>

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include "core/archive.h"
#include "matter/custom.h"

struct cdn_function {
  atomic_int references;
  const char *kind; /* NULL: the user's */
  const char *name; /* of one that is the user's: it follows self */
  int n_inputs;
  cdn_status (*calc)(const void *self, const double *x, int order, cdn_function_result *out);
  void (*destroy)(void *self);
  size_t size;              /* bytes of self and of the name behind it */
  _Alignas(16) char self[]; /* doubles and pointers fit */
};

/* A function with room for its private part, not yet filled. */
static cdn_function *make(const char *kind, int n_inputs, size_t self_size,
                          cdn_status (*calc)(const void *, const double *, int, cdn_function_result *)) {
  cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  cdn_function *f = cdni_calloc(&a, sizeof *f + self_size);
  if (!f) return NULL;
  atomic_init(&f->references, 1);
  f->kind = kind;
  f->n_inputs = n_inputs;
  f->calc = calc;
  f->size = self_size;
  return f;
}

cdn_function *cdn_function_create(const cdn_function_ops *ops, const void *self) {
  cdn_function_ops known;
  if (CDNI_READ_OPS(cdn_function_ops, &known, ops)) return NULL;
  ops = &known;
  if (!ops->calc || (ops->self_size && !self)) return NULL;
  if (ops->n_inputs < 0 || ops->n_inputs > CDN_FUNCTION_MOST_INPUTS) return NULL;
  const char *name = ops->name ? ops->name : "";
  cdn_function *f = make(NULL, ops->n_inputs, ops->self_size + strlen(name) + 1, ops->calc);
  if (!f) return NULL;
  if (ops->self_size) memcpy(f->self, self, ops->self_size);
  strcpy(f->self + ops->self_size, name);
  f->name = f->self + ops->self_size;
  f->destroy = ops->destroy;
  return f;
}

void cdn_function_retain(const cdn_function *f) {
  if (f) atomic_fetch_add_explicit(&((cdn_function *)f)->references, 1, memory_order_relaxed);
}

void cdn_function_release(const cdn_function *f) {
  cdn_function *mine = (cdn_function *)f;
  if (!f || atomic_fetch_sub_explicit(&mine->references, 1, memory_order_acq_rel) != 1) return;
  cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  if (mine->destroy) mine->destroy(mine->self);
  cdni_free(&a, mine, sizeof *mine + mine->size);
}

int cdn_function_n_inputs(const cdn_function *f) { return f ? f->n_inputs : 0; }

cdn_status cdn_function_calc(const cdn_function *f, const double *x, int order, cdn_function_result *out) {
  if (!f || !out || order < 0 || order > 3 || (f->n_inputs > 0 && !x))
    return cdni_refuse(CDN_ERR_ARG, "cdn_function_calc", "%s",
                       f && out ? "the order is 0 to 3, and there is an x" : "the function or the result is NULL");
  size_t n = (size_t)f->n_inputs;
  out->value = 0;
  if (order >= 1) memset(out->d1, 0, n * sizeof(double));
  if (order >= 2) memset(out->d2, 0, n * n * sizeof(double));
  if (order >= 3) memset(out->d3, 0, n * n * n * sizeof(double));
  return f->calc(f->self, x, order, out);
}

/* The private part of the user's may hold pointers, which differ from run to run. */
void cdni_function_describe(const cdn_function *f, char *text, size_t size) {
  if (f->kind) snprintf(text, size, "%s function, checksum %08" PRIx32, f->kind, cdni_checksum(f->self, f->size));
  else snprintf(text, size, "function '%s' of one's own, %zu bytes", f->name, f->size - strlen(f->name) - 1);
}

/* ---- constant and linear: the coefficients, then the constant ---- */

static cdn_status calc_constant(const void *self, const double *x, int order, cdn_function_result *out) {
  (void)x, (void)order;
  out->value = *(const double *)self;
  return CDN_OK;
}

cdn_function *cdn_function_constant(double c) {
  cdn_function *f = isfinite(c) ? make("constant", 0, sizeof c, calc_constant) : NULL;
  if (f) memcpy(f->self, &c, sizeof c);
  return f;
}

typedef struct linear {
  int64_t n; /* so that there is no padding, and equal functions are equal bytes */
  double a[CDN_FUNCTION_MOST_INPUTS], c;
} linear;

static cdn_status calc_linear(const void *self, const double *x, int order, cdn_function_result *out) {
  const linear *l = self;
  out->value = l->c;
  for (int i = 0; i < l->n; i++) out->value += l->a[i] * x[i];
  if (order >= 1) memcpy(out->d1, l->a, (size_t)l->n * sizeof(double));
  return CDN_OK;
}

cdn_function *cdn_function_linear(int n, const double *a, double c) {
  if (n < 1 || n > CDN_FUNCTION_MOST_INPUTS || !a || !isfinite(c) || !cdni_all_finite(a, (size_t)n, NULL)) return NULL;
  linear l = { .n = n, .c = c };
  memcpy(l.a, a, (size_t)n * sizeof *a);
  cdn_function *f = make("linear", n, sizeof l, calc_linear);
  if (f) memcpy(f->self, &l, sizeof l);
  return f;
}

/* ---- polynomial: the number of coefficients, then they ---- */

static cdn_status calc_polynomial(const void *self, const double *x, int order, cdn_function_result *out) {
  const double *a = self;
  int n = (int)*a++;
  /* Horner's scheme for the value and the derivatives over k! at once. */
  double d[4] = { 0, 0, 0, 0 };
  for (int i = 0; i < n; i++) {
    for (int k = 3; k > 0; k--) d[k] = d[k] * x[0] + d[k - 1];
    d[0] = d[0] * x[0] + a[i];
  }
  out->value = d[0];
  if (order >= 1) out->d1[0] = d[1];
  if (order >= 2) out->d2[0] = 2 * d[2];
  if (order >= 3) out->d3[0] = 6 * d[3];
  return CDN_OK;
}

cdn_function *cdn_function_polynomial(int n, const double *a) {
  if (n < 1 || n > 1 << 20 || !a || !cdni_all_finite(a, (size_t)n, NULL)) return NULL;
  cdn_function *f = make("polynomial", 1, (size_t)(n + 1) * sizeof *a, calc_polynomial);
  if (!f) return NULL;
  double count = n;
  memcpy(f->self, &count, sizeof count);
  memcpy(f->self + sizeof count, a, (size_t)n * sizeof *a);
  return f;
}

/* ---- natural cubic spline: the number of knots, then x, y and the second derivatives there ---- */

static cdn_status calc_spline(const void *self, const double *at, int order, cdn_function_result *out) {
  const double *x = (const double *)self + 1;
  int n = (int)x[-1], low = 0, high = n - 1;
  const double *y = x + n, *m = y + n;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (at[0] < x[middle]) high = middle;
    else low = middle;
  }
  double h = x[high] - x[low], slope = (y[high] - y[low]) / h;
  bool left = at[0]<x[0], right = at[0]> x[n - 1];
  /* From the knot at `low`: y + b t + m/2 t^2 + c t^3; straight on from the end knots. */
  double b = slope - h * (2 * m[low] + m[high]) / 6, c = (m[high] - m[low]) / (6 * h), t = at[0] - x[low];
  double y0 = y[low], m0 = m[low];
  if (right) b = slope + h * (m[low] + 2 * m[high]) / 6, y0 = y[high], t = at[0] - x[high];
  if (left || right) m0 = c = 0;
  out->value = y0 + t * (b + t * (0.5 * m0 + t * c));
  if (order >= 1) out->d1[0] = b + t * (m0 + 3 * t * c);
  if (order >= 2) out->d2[0] = m0 + 6 * t * c;
  if (order >= 3) out->d3[0] = 6 * c;
  return CDN_OK;
}

/* The second derivatives m: h_i-1 m_i-1 + 2 (h_i-1 + h_i) m_i + h_i m_i+1 = 6 (s_i - s_i-1), m_0 = m_n-1 = 0. The
 * matrix is diagonally dominant: elimination needs no pivoting. `work`: n numbers. */
static void solve_spline(int n, const double *x, const double *y, double *m, double *work) {
  m[0] = m[n - 1] = 0;
  work[0] = 0; /* m_i + work_i m_i+1 = (what is in m_i) */
  for (int i = 1; i + 1 < n; i++) {
    double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    double right = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
    double pivot = 2 * (h0 + h1) - h0 * work[i - 1];
    work[i] = h1 / pivot;
    m[i] = (right - h0 * m[i - 1]) / pivot;
  }
  for (int i = n - 2; i > 0; i--) m[i] -= work[i] * m[i + 1];
}

cdn_function *cdn_function_natural_spline(int n, const double *x, const double *y) {
  if (n < 2 || n > 1 << 20 || !x || !y) return NULL;
  if (!cdni_all_finite(x, (size_t)n, NULL) || !cdni_all_finite(y, (size_t)n, NULL)) return NULL;
  for (int i = 1; i < n; i++)
    if (!(x[i] > x[i - 1])) return NULL;
  cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  double *work = cdni_alloc(&a, (size_t)n * sizeof *work);
  cdn_function *f = work ? make("natural_spline", 1, (size_t)(3 * n + 1) * sizeof *x, calc_spline) : NULL;
  if (f) {
    double *to = (double *)f->self;
    to[0] = n;
    memcpy(to + 1, x, (size_t)n * sizeof *x);
    memcpy(to + 1 + n, y, (size_t)n * sizeof *y);
    solve_spline(n, x, y, to + 1 + 2 * n, work);
  }
  if (work) cdni_free(&a, work, (size_t)n * sizeof *work);
  return f;
}
