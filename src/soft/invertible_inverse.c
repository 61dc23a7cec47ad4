/* The inverse (23): one problem for each contact. */
#include <math.h>

#include "soft/invertible.h"

static const char *const forward_message =
    "the normal velocity of %s is %.17g, and v_min is %.17g: an inverse needs more "
    "than v_min, or elastic > 0";

/* The kernels of one lane, and of as many as this machine has. */
static const invertible_kernels *lone(void) { return cdni_invertible_kernels[cdni_kernel_set(1)]; }
static const invertible_kernels *widest(void) {
  for (int lanes = CDNI_MOST_LANES; lanes > 1; lanes /= 2)
    if (cdni_kernel_set(lanes) >= 0) return cdni_invertible_kernels[cdni_kernel_set(lanes)];
  return lone();
}

/* ---- contacts wait until all lanes are taken ---- */

typedef struct queue {
  const invertible_kernels *kernels;
  int taken;
  double *to[CDNI_MOST_LANES];
  _Alignas(64) double in[INVERTIBLE_IN * CDNI_MOST_LANES];
} queue;

static void flush(queue *q) {
  const int lanes = q->kernels->lanes;
  if (q->taken == 0) return;
  for (int l = q->taken; l < lanes; l++)
    for (int i = 0; i < INVERTIBLE_IN; i++) q->in[i * lanes + l] = q->in[i * lanes];
  _Alignas(64) double out[INVERTIBLE_OUT * CDNI_MOST_LANES];
  q->kernels->contacts(q->in, out);
  for (int l = 0; l < q->taken; l++)
    for (int i = 0; i < 3; i++) q->to[l][i] = out[i * lanes + l];
  q->taken = 0;
}

/* `f` has the gradient of a contact, and gets its impulses. */
static void put(queue *q, double *f, const double *R, double mu, double kappa) {
  const int lanes = q->kernels->lanes;
  double *in = q->in + q->taken;
  for (int i = 0; i < 3; i++) in[i * lanes] = f[i], in[(3 + i) * lanes] = R[i];
  in[6 * lanes] = mu, in[7 * lanes] = kappa;
  q->to[q->taken++] = f;
  if (q->taken == lanes) flush(q);
}

/* ---- one problem ---- */

/* Writes v + A grad d_V into g. */
static cdn_status gradient(const char *function, const cdn_invertible_problem *p, const double *v, double *g) {
  const int n = invertible_rows(p), normals = invertible_normals(p);
  memcpy(g, v, (size_t)n * sizeof *g);
  enum { MOST = 64 };
  int32_t rows[MOST];
  double y[MOST], second;
  for (int first = 0; first < normals; first += MOST) {
    const int count = normals - first < MOST ? normals - first : MOST;
    for (int i = 0; i < count; i++) {
      rows[i] = invertible_normal_row(p, first + i);
      const double s = v[rows[i]] - p->v_min[first + i];
      if (!(s > 0) && p->elastic == 0) {
        if (!isfinite(s)) return cdni_invertible_not_finite(function, p, "v", v);
        char name[INVERTIBLE_NAME_SIZE];
        return cdni_refuse(CDN_ERR_CONSTRAINT, function, forward_message, cdni_invertible_name(p, first + i, name),
                           v[rows[i]], p->v_min[first + i]);
      }
      invertible_barrier(p->kappa, p->elastic, s, &y[i], &second);
    }
    lone()->add_rows(n, p->A, count, rows, y, g);
  }
  return CDN_OK;
}

static cdn_status enter(const char *function, const cdn_invertible_problem *p, const double *v, double *f, queue *q) {
  CDNI_TRY(cdni_invertible_check_rows(function, p));
  CDNI_TRY(gradient(function, p, v, f));
  for (int i = 0; i < p->n_limits; i++) {
    const double g = f[i], root = sqrt(g * g + 4 * p->kappa * p->R[i]);
    f[i] = g > 0 ? 2 * p->kappa / (g + root) : (root - g) / (2 * p->R[i]);
  }
  for (int i = 0; i < p->n_contacts; i++) {
    const int row = p->n_limits + 3 * i;
    put(q, f + row, p->R + row, p->mu[i], p->kappa);
  }
  return CDN_OK;
}

static cdn_status leave(const char *function, const cdn_invertible_problem *p, const double *v, const double *f,
                        double *c) {
  const int n = invertible_rows(p);
  if (!cdni_all_finite(f, (size_t)n, NULL)) return cdni_invertible_not_finite(function, p, "v", v);
  if (!c) return CDN_OK;
  memcpy(c, v, (size_t)n * sizeof *c);
  enum { MOST = 64 };
  int32_t rows[MOST];
  double minus[MOST];
  for (int first = 0; first < n; first += MOST) {
    const int count = n - first < MOST ? n - first : MOST;
    for (int i = 0; i < count; i++) rows[i] = first + i, minus[i] = -f[first + i];
    lone()->add_rows(n, p->A, count, rows, minus, c);
  }
  return cdni_all_finite(c, (size_t)n, NULL) ? CDN_OK : cdni_invertible_not_finite(function, p, "v", v);
}

cdn_status cdn_invertible_inverse(const cdn_invertible_problem *problem, const double *v, double *f, double *c) {
  cdn_invertible_problem p;
  CDNI_TRY(cdni_invertible_read_problem(__func__, &p, problem));
  if (invertible_rows(&p) == 0) return CDN_OK;
  CDNI_NEED_OBJECT(v, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(f, CDN_ERR_ARG);
  queue q;
  q.kernels = widest(), q.taken = 0;
  CDNI_TRY(enter(__func__, &p, v, f, &q));
  flush(&q);
  return leave(__func__, &p, v, f, c);
}

/* ---- many problems ---- */

static cdn_status of_problem(int k, cdn_status status) {
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  error.index = k;
  cdni_error_tell(&error);
  return status;
}

cdn_status cdn_invertible_inverse_many(int count, const cdn_invertible_problem *const *problems, const double *const *v,
                                       double *const *f, double *const *c) {
  if (count < 0) return cdni_refuse(CDN_ERR_ARG, __func__, "count is %d: give a number >= 0", count);
  if (count == 0) return CDN_OK;
  CDNI_NEED_OBJECT(problems, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(v, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(f, CDN_ERR_ARG);
  /* a few problems at a time, so that what they wrote is still near when it is read */
  enum { TOGETHER = 16 };
  queue q;
  q.kernels = widest(), q.taken = 0;
  for (int first = 0; first < count; first += TOGETHER) {
    const int end = count - first < TOGETHER ? count : first + TOGETHER;
    cdn_invertible_problem p[TOGETHER];
    for (int k = first; k < end; k++) {
      cdn_invertible_problem *own = &p[k - first];
      CDNI_TRY(of_problem(k, cdni_invertible_read_problem(__func__, own, problems[k])));
      if (invertible_rows(own) == 0) continue;
      if (!v[k] || !f[k]) return of_problem(k, cdni_misses(__func__, v[k] ? "f" : "v"));
      CDNI_TRY(of_problem(k, enter(__func__, own, v[k], f[k], &q)));
    }
    flush(&q);
    for (int k = first; k < end; k++)
      if (invertible_rows(&p[k - first]) > 0)
        CDNI_TRY(of_problem(k, leave(__func__, &p[k - first], v[k], f[k], c ? c[k] : NULL)));
  }
  return CDN_OK;
}
