/* The error norm E of manual 9.2, which "accuracy" bounds. q, u and z have norms of their own, each over its own
 * count, so that many accurate z cannot hide one inaccurate q. The largest of the three norms is the error.
 *
 * The control of steps uses absolute errors of q and of u: an error of u that lasts becomes an error of q, however
 * large u is. Between two whole runs an error of phase makes an error of u as large as u itself: there errors of u
 * are relative to the vector of u that the component belongs to. */
#include <math.h>

#include <cardan/matter.h>

#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/stepper.h"
#include "matter/kinds.h"
#include "system/system.h"

/* ---- vectors among the components ---- */

static void join(int *first, int begin, int end) {
  for (int i = begin; i < end; i++) first[i] = begin;
}

void cdni_find_vectors(cdn_stepper *s) {
  int *q = s->vector, *u = s->vector + s->nq;
  for (int i = 0; i < s->nq; i++) q[i] = i;
  for (int i = 0; i < s->nu; i++) u[i] = i;
  for (int b = 1; b < cdn_system_body_count(s->system); b++) {
    const cdn_body body = { b };
    const int linear = cdni_kind_lengths(cdni_body_kind(cdni_matter(s->system), b)); /* they come last */
    if (linear < 0) continue;
    int first_q = cdn_body_first_q(s->system, body), end_q = first_q + cdn_body_nq(s->system, body);
    int first_u = cdn_body_first_u(s->system, body), end_u = first_u + cdn_body_nu(s->system, body);
    join(q, first_q, end_q - linear);
    join(q, end_q - linear, end_q);
    join(u, first_u, end_u - linear);
    join(u, end_u - linear, end_u);
  }
  s->n_quaternions = 0;
  for (int b = 1; b < cdn_system_body_count(s->system); b++)
    if (cdn_body_has_quaternion(s->system, (cdn_body){ b }))
      s->quaternion[s->n_quaternions++] = cdn_body_first_q(s->system, (cdn_body){ b });
  for (int i = 0; i < s->nq; i++) s->q_weight[i] = 1;
  for (int b = 1; s->def.q_weights && b < cdn_system_body_count(s->system); b++) {
    int q0 = cdn_body_first_q(s->system, (cdn_body){ b }), nq = cdn_body_nq(s->system, (cdn_body){ b });
    int u0 = cdn_body_first_u(s->system, (cdn_body){ b }), nu = cdn_body_nu(s->system, (cdn_body){ b });
    for (int i = 0; i < nq; i++) {
      s->q_weight[q0 + i] = 0;
      for (int k = 0; k < nu; k++) s->q_weight[q0 + i] = fmax(s->q_weight[q0 + i], s->def.q_weights[u0 + k]);
    }
  }
}

/* ---- weights ---- */

/* The part of a change of q that does not change lengths of quaternions: N N^+ e, where the rest of N is square. */
static cdn_status drop_lengths(const cdn_stepper *s, cdn_state *place, const double *e, double *f) {
  const double *at = cdn_state_q_eff(place);
  if (!at) return cdni_state_last_status(place);
  memcpy(f, e, sizeof(double) * (size_t)s->nq);
  for (int i = 0; i < s->n_quaternions; i++) {
    const double *q = at + s->quaternion[i];
    double *x = f + s->quaternion[i];
    const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    const double along = (q[0] * x[0] + q[1] * x[1] + q[2] * x[2] + q[3] * x[3]) / square;
    for (int k = 0; k < 4; k++) x[k] -= along * q[k];
  }
  return CDN_OK;
}

/* E_q e = N W_q N^+ e: absolute, in the units of q, blind to the length of quaternions (9.3). */
static cdn_status weigh_q(cdn_stepper *s, cdn_state *place, const double *e, double *f) {
  double *speeds = s->scratch;
  if (!s->def.q_weights && s->nq == s->nu + s->n_quaternions) return drop_lengths(s, place, e, f);
  CDNI_TRY(cdni_state_multiply_by_N_inv(place, e, speeds));
  if (s->def.q_weights) {
    for (int i = 0; i < s->nu; i++) speeds[i] *= s->def.q_weights[i];
  }
  return cdni_state_multiply_by_N(place, speeds, f);
}

/* E_z: W, or relative where the variable exceeds its unit change, min(W, 1 / |z|). */
static void weigh_z(const cdn_stepper *s, const double *ya, const double *yb, double *w) {
  const cdn_stepper_def *def = &s->def;
  for (int i = 0, k = s->nq + s->nu; i < s->nz; i++, k++) {
    double size = fmax(fabs(ya[k]), fabs(yb[k])), weight = def->z_weights ? def->z_weights[i] : 1;
    w[k] = !def->z_absolute_each[i] && weight * size > 1 ? 1 / size : weight;
  }
}

void cdni_error_weights(const cdn_stepper *s, const double *ya, const double *yb, double *w) {
  for (int i = 0; i < s->nu; i++) w[s->nq + i] = s->def.u_weights ? s->def.u_weights[i] : 1;
  weigh_z(s, ya, yb, w);
}

/* Length of the vector of u, in its unit changes, that begins at slot i. */
static double length_at(const cdn_stepper *s, const double *y, int i) {
  const int *vector = s->vector + s->nq;
  double sum = 0;
  for (int k = i; k < s->nu && vector[k] == i; k++) {
    double part = y[s->nq + k] * (s->def.u_weights ? s->def.u_weights[k] : 1);
    sum += part * part;
  }
  return sqrt(sum);
}

/* The weights of u in a distance: W divided by the length of the vector that the component belongs to, if the length
 * exceeds 1. */
static void weigh_u_relative(const cdn_stepper *s, const double *ya, const double *yb, double *w) {
  const int *vector = s->vector + s->nq;
  double size = 1;
  for (int i = 0; i < s->nu; i++) {
    if (vector[i] == i) size = fmax(1, fmax(length_at(s, ya, i), length_at(s, yb, i)));
    w[s->nq + i] = (s->def.u_weights ? s->def.u_weights[i] : 1) / size;
  }
}

/* ---- norms ---- */

/* The sum of squares, in eight parts that do not wait for each other. */
static double square_of(int n, const double *f) {
  enum { PARTS = 8 };
  double sum[PARTS] = { 0 };
  int i = 0;
  for (; i + PARTS <= n; i += PARTS)
    for (int k = 0; k < PARTS; k++) sum[k] += f[i + k] * f[i + k];
  for (int k = 0; i + k < n; k++) sum[k] += f[i + k] * f[i + k];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* Of n values; `count` of them are not prescribed. The infinity norm is the longest vector's: it does not depend on
 * axes. */
static double norm_of(const cdn_stepper *s, int n, const double *f, int count, const int *vector) {
  double norm = 0, length = 0;
  if (s->def.norm != CDN_NORM_INFINITY) return count ? sqrt(square_of(n, f) / count) : 0;
  for (int i = 0; i < n; i++) {
    if (!(vector && vector[i] < i)) length = 0;
    length += f[i] * f[i];
    if (length > norm || isnan(length)) norm = length;
  }
  return sqrt(norm);
}

/* The norms of the q, u and z parts of a weighted vector. */
static void take_norms(const cdn_stepper *s, const double *f, double norms[3]) {
  int nq = s->nq, nqu = s->nq + s->nu;
  norms[0] = norm_of(s, nq, f, nq - s->n_prescribed_q, s->vector);
  norms[1] = norm_of(s, s->nu, f + nq, s->nu - s->n_prescribed_u, s->vector + nq);
  norms[2] = norm_of(s, s->nz, f + nqu, s->nz, NULL);
}

/* E e into f, its weights of u and z being w (which may be f), and the norms of q, u and z. */
static cdn_status measure(cdn_stepper *s, cdn_state *place, const double *e, const double *w, double *f,
                          double norms[3]) {
  int nq = s->nq, nqu = s->nq + s->nu;
  if (nq) CDNI_TRY(weigh_q(s, place, e, f));
  for (int k = nq; k < s->ny; k++) f[k] = e[k] * w[k];
  for (int k = 0; s->n_prescribed_q + s->n_prescribed_u && k < nqu; k++) f[k] = s->prescribed[k] ? 0 : f[k];
  take_norms(s, f, norms);
  return CDN_OK;
}

cdn_status cdni_weighted_norm(cdn_stepper *s, const double *e, const double *w, double *norm) {
  double norms[3];
  CDNI_TRY(measure(s, s->work, e, w, s->weighted, norms));
  s->weighted_valid = true;
  *norm = fmax(norms[0], fmax(norms[1], norms[2]));
  /* fmax drops NaN, and an error that is not a number is none that can be accepted */
  for (int i = 0; i < 3; i++) *norm = isnan(norms[i]) ? INFINITY : *norm;
  return CDN_OK;
}

cdn_status cdni_error_norm(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm) {
  cdni_error_weights(s, ya, yb, s->weighted);
  return cdni_weighted_norm(s, e, s->weighted, norm);
}

cdn_status cdni_norm_beside(cdn_stepper *s, cdn_state *place, const double *e, const double *ya, const double *yb,
                            double *f, double *norm) {
  double norms[3];
  cdni_error_weights(s, ya, yb, f);
  CDNI_TRY(measure(s, place, e, f, f, norms));
  *norm = fmax(norms[0], fmax(norms[1], norms[2]));
  return CDN_OK;
}

cdn_status cdni_step_norm(cdn_stepper *s, double *e, double *norm) {
  CDNI_TRY(cdni_project_estimate(s, e));
  return cdni_error_norm(s, e, s->step.y0, s->step.y1, norm);
}

/* ---- the worst component ---- */

static int worst_of(const double *f, int begin, int end) {
  int worst = -1;
  for (int k = begin; k < end; k++) {
    if (worst < 0 || !(fabs(f[k]) <= fabs(f[worst]))) worst = k;
    if (isnan(f[k])) break;
  }
  return worst;
}

static int slot_of(const cdn_stepper *s, int k, cdn_pool *pool) {
  *pool = k < s->nq ? CDN_POOL_Q : k < s->nq + s->nu ? CDN_POOL_U : CDN_POOL_Z;
  return k - (*pool == CDN_POOL_Q ? 0 : *pool == CDN_POOL_U ? s->nq : s->nq + s->nu);
}

bool cdni_worst_slot(const cdn_stepper *s, cdn_pool *pool, int *i, double *share) {
  double norms[3];
  if (!s->weighted_valid) return false;
  int worst = worst_of(s->weighted, 0, s->ny);
  if (worst < 0 || s->weighted[worst] == 0) return false;
  take_norms(s, s->weighted, norms);
  *share = fabs(s->weighted[worst]) / fmax(norms[0], fmax(norms[1], norms[2]));
  *i = slot_of(s, worst, pool);
  return true;
}

cdn_status cdni_distance(cdn_stepper *s, cdn_state *place, const double *ya, const double *yb, double of[3],
                         cdn_pool *pool, int *i) {
  const int begin[4] = { 0, s->nq, s->nq + s->nu, s->ny };
  double *apart = s->apart, *f = s->apart + s->stride;
  int largest = 0, worst;
  for (int k = 0; k < s->ny; k++) apart[k] = ya[k] - yb[k];
  weigh_u_relative(s, ya, yb, f);
  weigh_z(s, ya, yb, f);
  CDNI_TRY(measure(s, place, apart, f, f, of));
  for (int p = 1; p < 3; p++) largest = of[p] <= of[largest] ? largest : p;
  worst = worst_of(f, begin[largest], begin[largest + 1]);
  *pool = CDN_POOL_Q;
  *i = worst < 0 ? -1 : slot_of(s, worst, pool);
  return CDN_OK;
}
