/* Adams-Bashforth-Moulton in the form PECE, of variable order and step (F. T. Krogh 1969; L. F. Shampine, M. K. Gordon,
 * "Computer Solution of Ordinary Differential Equations", 1975): the rates of the last steps are kept as modified
 * divided differences, the coefficients follow from the step sizes themselves, and the corrected solution, one order
 * above the predictor's, is carried on. Two evaluations a step at any order, the second of them on the manifold, so
 * that the history is one of states that satisfy their constraints. Starts at order 1. */
#include <math.h>
#include <stdlib.h>

#include "core/archive.h"
#include "integrators/adams.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/stepper.h"

const double cdni_adams_moulton[ADAMS_MOST + 2] = { 1,         0.5,       0.083333333, 0.041666667, 0.026388889,
                                                    0.01875,   0.014269,  0.011367,    0.0093565,   0.0078925,
                                                    0.0067858, 0.0059240, 0.0052367,   0.0046775 };

/* ---- memory: the struct, then two blocks of differences, then the correction; each has one slot more than y, for
 * the power. One block has the history up to the last accepted step. The other has the differences at the end of the
 * attempt: they give its dense output, and become the history if it is accepted. ---- */

static const size_t head = (sizeof(cdni_adams_memory) + 63) / 64 * 8; /* doubles */

cdni_adams_memory *cdni_adams_memory_of(const cdn_stepper *s) { return (cdni_adams_memory *)(void *)s->memory; }

/* phi_i of the book, i = 1 ... ADAMS_KEPT, in one of the blocks. */
static double *difference(const cdn_stepper *s, int block, int i) {
  return s->memory + head + (size_t)(block * ADAMS_KEPT + i - 1) * cdni_stride(s->ny + 1);
}

double *cdni_adams_history(const cdn_stepper *s, int i) { return difference(s, cdni_adams_memory_of(s)->at, i); }

static double *correction(const cdn_stepper *s) { return difference(s, 2, 1); }
static double *weighted_correction(const cdn_stepper *s) { return difference(s, 2, 2); }

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return head + (2 * ADAMS_KEPT + 2) * cdni_stride(ny + 1);
}

static void begin(cdn_stepper *s) { cdni_adams_memory_of(s)->held = 0; }

/* ---- coefficients of the attempt ---- */

/* Computes psi, alpha, beta, sigma (indices from 1) of the book from step sizes, for as many differences as are
 * held. */
static void set_coefficients(cdni_adams_memory *m, double h) {
  int n = m->held;
  m->try_psi[1] = h;
  for (int i = 2; i <= n; i++) m->try_psi[i] = m->psi[i - 1] + h;
  m->beta[1] = m->sigma[1] = 1;
  for (int i = 2; i <= n; i++) m->beta[i] = m->beta[i - 1] * (m->try_psi[i - 1] / m->psi[i - 1]);
  for (int i = 1; i <= n; i++) m->sigma[i + 1] = i * (h / m->try_psi[i]) * m->sigma[i];
}

/* g_1 ... g_(k+2) (the last if that many differences are held): integrals of the Newton polynomials over the step,
 * over h. */
static void set_integrals(cdni_adams_memory *m, double h) {
  int most = m->order + 1 <= m->held ? m->order + 2 : m->order + 1;
  double v[ADAMS_MOST + 3] = { 0 }; /* g_(i,q) for q = 1 .. most + 1 - i, to begin with those of i = 2 */
  for (int q = 1; q < most; q++) v[q] = 1. / (q * (q + 1.));
  m->g[1] = 1;
  m->g[2] = v[1];
  for (int i = 3; i <= most; i++) {
    double alpha = h / m->try_psi[i - 1];
    for (int q = 1; q <= most + 1 - i; q++) v[q] -= alpha * v[q + 1];
    m->g[i] = v[1];
  }
}

/* ---- one step ---- */

/* A difference this many times its expected size is not that of a smooth motion. Measured: docs/constants.md. */
static const double KINK = 5;
/* Differences that are kept beyond the order. */
enum { AHEAD = 4 };
/* Corrections below this part of the tolerance are ignored as errors. */
static const double NEGLIGIBLE = 0.1;
/* Lower bound of the estimate of the quadrature's error, as a part of the estimate of the formula of one order less.
 * One of the two may be small by chance, but seldom both; and differences that do not shrink from order to order
 * show in the correction. Measured: docs/constants.md. */
static const double LEAST_OF_BELOW = 0.3, PART_OF_CORRECTION = 0.01;

/* The norm, over the tolerance, of the correction with the differences first .. k added. */
static cdn_status norm_with(cdn_stepper *s, int first, double *norm) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  double *e = s->step.error;
  memcpy(e, correction(s), sizeof(double) * (size_t)s->ny);
  for (int i = first; i <= m->order; i++) {
    const double *phi = cdni_adams_history(s, i);
    for (int j = 0; j < s->ny; j++) e[j] += m->beta[i] * phi[j];
  }
  CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, norm));
  *norm /= cdni_tolerance(s);
  return CDN_OK;
}

/* The norm, over the tolerance, of difference i at the step's end if it stayed constant. */
static cdn_status norm_before(cdn_stepper *s, int i, double *norm) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const double *phi = cdni_adams_history(s, i);
  double *e = s->step.error;
  for (int j = 0; j < s->ny; j++) e[j] = m->beta[i] * phi[j];
  CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, norm));
  *norm /= cdni_tolerance(s);
  return CDN_OK;
}

/* All estimates hold for smooth motions, whose differences change little from step to step. If the rates have a kink
 * within the step they change a lot; then the error of a step of any order may be as large as the correction, at
 * order 12 fifty times the last term. `here`, `below`: norms of this step's differences at orders k and k - 1. */
static cdn_status look_for_kink(cdn_stepper *s, double here, double below) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const bool known = m->order + 1 <= m->held; /* false if the order has just been raised */
  const int i = known ? m->order + 1 : m->order;
  double before, change = 0;
  m->kink = false;
  if (i < 2 || m->correction < NEGLIGIBLE) return CDN_OK;
  CDNI_TRY(norm_before(s, i, &before));
  /* plus the last change: if few coordinates swing, a difference may just pass through zero */
  if (i + 1 <= m->held) CDNI_TRY(norm_before(s, i + 1, &change));
  m->kink = (known ? here : below) > KINK * (before + change);
  return CDN_OK;
}

/* The last terms of this step at orders k, k - 1, k - 2. They compare the orders, and tell whether correcting the
 * predicted solution is worth a second evaluation. All estimates are made before the step's end is projected, so
 * they contain the error across the constraints: to remove it would cost two factorizations, and would save 5 % of
 * the steps. */
static cdn_status compare_orders(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  int k = m->order;
  double h = s->step.h, norm, below = 0;
  m->term_below = m->term_two_below = 0;
  if (k > 2) {
    CDNI_TRY(norm_with(s, k - 1, &norm));
    m->term_two_below = h * m->sigma[k - 1] * cdni_adams_moulton[k - 2] * norm;
  }
  if (k > 1) {
    CDNI_TRY(norm_with(s, k, &below));
    m->term_below = h * m->sigma[k] * cdni_adams_moulton[k - 1] * below;
  }
  CDNI_TRY(norm_with(s, k + 1, &norm));
  memcpy(weighted_correction(s), s->weighted, sizeof(double) * (size_t)s->ny);
  m->term = h * m->sigma[k + 1] * cdni_adams_moulton[k] * norm;
  m->correction = h * m->g[k + 1] * norm;
  m->fall = k > 2 ? fmax(m->term_below, m->term_two_below) <= m->term : k == 2 && m->term_below <= 0.5 * m->term;
  m->error = h * fabs(m->g[k] - m->g[k + 1]) * norm;
  CDNI_TRY(look_for_kink(s, norm, below));
  if (m->kink && m->correction > 1) m->error = m->correction;
  return CDN_OK;
}

/* The error of the corrected solution. The formula of one order more gives the error of its quadrature; the rates at
 * its end give its distance from the result of another correction, which is by far the larger part if the motion
 * swings or turns. `predicted`: rates at the predicted solution. */
static cdn_status estimate(cdn_stepper *s, const double *predicted) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const int k = m->order, n = s->ny;
  const double h = s->step.h, *delta = correction(s), *corrected = s->step.f1;
  double *e = s->step.error, below = m->error, quadrature = below;
  if (k + 1 <= m->held) {
    const double weight = h * (m->g[k + 2] - m->g[k + 1]), *phi = cdni_adams_history(s, k + 1);
    for (int j = 0; j < n; j++) e[j] = weight * (delta[j] + corrected[j] - predicted[j] - m->beta[k + 1] * phi[j]);
    CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, &quadrature));
    quadrature /= cdni_tolerance(s);
  }
  for (int j = 0; j < n; j++) e[j] = h * m->g[k + 1] * (corrected[j] - predicted[j]);
  CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, &m->iteration));
  m->iteration /= cdni_tolerance(s);
  quadrature = fmax(quadrature, LEAST_OF_BELOW * below) + PART_OF_CORRECTION * m->correction;
  m->error = fmax(quadrature + m->iteration, ADAMS_LEAST * m->term);
  return CDN_OK;
}

/* Numbers that go through all differences together, in registers. */
enum { TOGETHER = 8 };

/* Differences by their indices from 1, and where new ones go; weights of each. */
typedef struct columns {
  int count;
  const double *from[ADAMS_KEPT + 1];
  double *to[ADAMS_KEPT + 1], beta[ADAMS_KEPT + 1], weight[ADAMS_KEPT + 1];
} columns;

/* `f`: the rates of n <= TOGETHER slots from `at` on. */
static inline __attribute__((always_inline)) void advance_part(const columns *c, const double *f, int at, int n) {
  double next[TOGETHER], old[TOGETHER];
  for (int j = 0; j < n; j++) next[j] = f[j];
  /* phi_1 is the rate, and phi_(i+1) the change of phi_i */
  for (int i = 1; i <= c->count; i++) {
    const double *phi = c->from[i] + at, beta = c->beta[i];
    double *out = c->to[i] + at;
    for (int j = 0; j < n; j++) old[j] = phi[j];
    for (int j = 0; j < n; j++) out[j] = next[j];
    for (int j = 0; j < n; j++) next[j] -= beta * old[j];
  }
}

/* Writes the differences at the end of a step with rates f and power `power` into a block, one more than the history
 * has. The block may be the history's own. */
static void advance_differences(cdn_stepper *s, int block, const double *f, double power) {
  const cdni_adams_memory *m = cdni_adams_memory_of(s);
  const int n = s->ny;
  columns c = { .count = m->held < ADAMS_KEPT ? m->held + 1 : ADAMS_KEPT };
  for (int i = 1; i <= c.count; i++)
    c.from[i] = cdni_adams_history(s, i), c.to[i] = difference(s, block, i), c.beta[i] = i <= m->held ? m->beta[i] : 0;
  int at = 0;
  for (; at + TOGETHER <= n; at += TOGETHER) advance_part(&c, f + at, at, TOGETHER);
  for (; at < n; at++) advance_part(&c, f + at, at, 1);
  advance_part(&c, &power, n, 1);
}

/* The predicted y1, and in delta the rates there, of n <= TOGETHER slots from `at` on. */
static inline __attribute__((always_inline)) void predict_part(const columns *c, const double *y0, double *y1,
                                                               double *delta, int at, int n) {
  double rate[TOGETHER] = { 0 }, change[TOGETHER] = { 0 };
  for (int i = c->count; i >= 1; i--) {
    const double *phi = c->from[i] + at, beta = c->beta[i], weight = c->weight[i];
    for (int j = 0; j < n; j++) rate[j] += beta * phi[j];
    for (int j = 0; j < n; j++) change[j] += weight * phi[j];
  }
  for (int j = 0; j < n; j++) delta[at + j] = rate[j];
  for (int j = 0; j < n; j++) y1[at + j] = change[j] + y0[at + j];
}

static void predict(const cdn_stepper *s, double *delta) {
  const cdni_adams_memory *m = cdni_adams_memory_of(s);
  const cdni_step *step = &s->step;
  columns c = { .count = m->order };
  for (int i = 1; i <= c.count; i++)
    c.from[i] = cdni_adams_history(s, i), c.beta[i] = m->beta[i], c.weight[i] = step->h * m->g[i] * m->beta[i];
  int at = 0;
  for (; at + TOGETHER <= s->ny; at += TOGETHER) predict_part(&c, step->y0, step->y1, delta, at, TOGETHER);
  for (; at < s->ny; at++) predict_part(&c, step->y0, step->y1, delta, at, 1);
}

/* Distances of the corrected from the predicted solution, and of their rates. They estimate the Jacobian in the
 * direction of the step's error; fast modes dominate this error when a step is too long for them. In the norm of
 * errors; `estimate_corrected` has left the norms of the rates. */
static void note_rates(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const double *y = weighted_correction(s), *f = s->weighted;
  const double weight = s->step.h * m->g[m->order + 1];
  const int end[4] = { 0, s->nq, s->nq + s->nu, s->ny };
  for (int pool = 0; pool < 3; pool++) {
    cdni_adams_apart *apart = &m->apart[pool];
    *apart = (cdni_adams_apart){ 0 };
    for (int j = end[pool]; j < end[pool + 1]; j++) {
      apart->y += weight * weight * y[j] * y[j];
      apart->f += f[j] * f[j] / (weight * weight);
      apart->both += y[j] * f[j];
    }
  }
}

/* Integrals of the Newton polynomials 1 ... count from t0 to t0 + theta h, by Gauss and Legendre's rule with seven
 * points, which is exact for all of them. It has no cancellation close to t0, where events look for the sign of a
 * trigger. */
static void integrals(const cdni_adams_memory *m, int count, double theta, double h, double *g) {
  static const double middle = 0.2089795918367347,
                      at[3] = { 0.4058451513773972, 0.7415311855993945, 0.9491079123427585 },
                      weight[3] = { 0.1909150252525595, 0.1398526957446383, 0.0647424830844348 };
  for (int i = 1; i <= count; i++) g[i] = 0;
  for (int p = -3; p <= 3; p++) {
    double c = p ? 0.5 * (1 + copysign(at[abs(p) - 1], p)) : 0.5, w = theta * h * (p ? weight[abs(p) - 1] : middle);
    double x = (theta * c - 1) * h, before = 0; /* the time from t1 */
    for (int i = 1; i <= count; i++) {
      g[i] += w;
      if (i == count) break;
      w *= (x + before) / m->terms_psi[i];
      before = m->terms_psi[i];
    }
  }
}

/* The work of the step. y may need a lower order than the power does: under a constant force speeds are linear. So
 * differences of the power count as long as they become smaller. */
static void sum_work(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  int most = m->held < ADAMS_KEPT ? m->held + 1 : ADAMS_KEPT;
  double g[ADAMS_KEPT + 1], last = INFINITY;
  integrals(m, most, 1, s->step.h, g);
  s->step.work = 0;
  for (m->work_terms = 0; m->work_terms < most; m->work_terms++) {
    int i = m->work_terms + 1;
    double term = g[i] * difference(s, m->dense, i)[s->ny];
    if (i > m->terms && fabs(term) > last) break;
    s->step.work += term;
    last = fabs(term);
  }
}

static cdn_status attempt(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  cdni_step *step = &s->step;
  double h = step->h, *delta = correction(s);
  int n = s->ny;
  if (m->held == 0) {
    *m = (cdni_adams_memory){ .held = 1, .order = 1, .starting = true };
    memcpy(cdni_adams_history(s, 1), step->f0, sizeof(double) * (size_t)n);
    cdni_adams_history(s, 1)[n] = step->power0;
  }
  set_coefficients(m, h);
  set_integrals(m, h);

  double *y1 = step->y1;
  const int k = m->order;
  predict(s, delta);

  /* Rates grow with the length of a quaternion; that is no error of a rotation. The block for the new differences
   * has room for the predicted solution, and then for its rates. */
  double *predicted = difference(s, !m->at, 1);
  memcpy(predicted, y1, sizeof(double) * (size_t)n);
  if (cdni_all_finite(y1, (size_t)n, NULL)) cdni_normalize(s, predicted);
  CDNI_TRY(cdni_evaluate(s, step->t1, predicted, step->f1, NULL));
  for (int j = 0; j < n; j++) delta[j] = step->f1[j] - delta[j];
  CDNI_TRY(compare_orders(s));
  step->norm = m->error * cdni_tolerance(s);
  if (!(m->error <= ADAMS_HOPELESS) && s->def.fixed_step == 0) return CDN_OK;

  /* correct, and evaluate again */
  double weight = h * m->g[k + 1];
  for (int j = 0; j < n; j++) y1[j] += weight * delta[j];
  memcpy(predicted, step->f1, sizeof(double) * (size_t)n);
  CDNI_TRY(cdni_arrive(s, NULL));
  CDNI_TRY(estimate(s, predicted));
  step->norm = m->error * cdni_tolerance(s);
  note_rates(s);

  /* the step's polynomial: events need it before the step is accepted */
  m->dense = !m->at;
  m->terms = k + 1;
  memcpy(m->terms_psi, m->try_psi, sizeof m->terms_psi);
  advance_differences(s, m->dense, step->f1, step->power1);
  sum_work(s);
  return CDN_OK;
}

/* ---- after the step ---- */

static void accepted(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  cdni_step *step = &s->step;
  if (step->t1 - step->t0 == step->h) {
    m->at = m->dense;
  } else {
    /* an event has cut the step short */
    set_coefficients(m, step->t1 - step->t0);
    advance_differences(s, m->at, s->f[!s->at], step->power1);
  }
  /* psi_i is t1 less the time i steps ago */
  for (int i = 1; i <= m->held; i++) m->psi[i] = m->try_psi[i];
  if (m->held < ADAMS_KEPT) m->held++;
  m->failures = 0;
  cdni_adams_choose(s);
  /* the order rises by one a step, and asks for two more; the power may need a higher one than y does */
  if (m->held > m->order + AHEAD) m->held = m->order + AHEAD;
  /* the error of this step does not decide the size of the next */
  if (step->t1 - step->t0 != step->h) m->expected_error = 0;
}

static double resize(cdn_stepper *s, double h, double error, bool was_accepted) {
  return was_accepted ? h * cdni_adams_memory_of(s)->ratio : cdni_adams_retreat(s, h, error);
}

/* ---- within the step ---- */

/* The polynomial of degree k + 1 through y0 with the rates at t1 and at the k steps before. It misses y1 by an error
 * of the size of the step's own; a cubic with zero slope at both ends corrects that. */
static void interpolate(const cdn_stepper *s, double theta, double *y, double *work) {
  const cdni_adams_memory *m = cdni_adams_memory_of(s);
  const cdni_step *step = &s->step;
  int count = m->terms, n = s->ny;
  double g[ADAMS_KEPT + 1], whole[ADAMS_KEPT + 1], end = theta * theta * (3 - 2 * theta);
  integrals(m, count, theta, step->h, g);
  integrals(m, count, 1, step->h, whole);
  for (int j = 0; j < n; j++) y[j] = 0;
  for (int i = count; i >= 1; i--) {
    const double *phi = difference(s, m->dense, i);
    double weight = g[i] - end * whole[i];
    for (int j = 0; j < n; j++) y[j] += weight * phi[j];
  }
  for (int j = 0; j < n; j++) y[j] += step->y0[j] + end * (step->y1[j] - step->y0[j]);

  integrals(m, m->work_terms, theta, step->h, g);
  *work = 0;
  for (int i = m->work_terms; i >= 1; i--) *work += g[i] * difference(s, m->dense, i)[n];
}

static void slope(const cdn_stepper *s, double theta, double *ydot) {
  const cdni_adams_memory *m = cdni_adams_memory_of(s);
  const cdni_step *step = &s->step;
  const int count = m->terms, n = s->ny;
  const double end = 6 * theta * (1 - theta) / step->h, x = (theta - 1) * step->h; /* the time from t1 */
  double whole[ADAMS_KEPT + 1], newton = 1, before = 0;
  integrals(m, count, 1, step->h, whole);
  for (int j = 0; j < n; j++) ydot[j] = end * (step->y1[j] - step->y0[j]);
  for (int i = 1; i <= count; i++) {
    const double *phi = difference(s, m->dense, i), weight = newton - end * whole[i];
    for (int j = 0; j < n; j++) ydot[j] += weight * phi[j];
    newton *= i < count ? (x + before) / m->terms_psi[i] : 0;
    before = m->terms_psi[i];
  }
}

/* ---- checkpoints ---- */

static void archive(cdn_stepper *s, cdni_archive *a) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  cdni_archive_int(a, &m->held, 0, ADAMS_KEPT);
  cdni_archive_int(a, &m->order, m->held > 0, ADAMS_MOST);
  cdni_archive_int(a, &m->failures, 0, INT32_MAX);
  cdni_archive_int(a, &m->patience, 0, INT32_MAX);
  cdni_archive_bool(a, &m->starting);
  cdni_archive_bool(a, &m->cornered);
  cdni_archive_double(a, &m->expected_error);
  cdni_archive_doubles(a, &m->apart_mean[0].y, CDNI_COUNT(m->apart_mean) * sizeof *m->apart_mean / sizeof(double));
  cdni_archive_doubles(a, m->psi, CDNI_COUNT(m->psi));
  /* the next attempt computes its coefficients itself; differences beyond those held have no meaning */
  cdni_archive_int(a, &m->at, 0, 1);
  for (int i = 1; i <= m->held; i++) cdni_archive_doubles(a, cdni_adams_history(s, i), (size_t)s->ny + 1);
  cdni_archive_int(a, &m->terms, 0, ADAMS_KEPT);
  cdni_archive_doubles(a, m->terms_psi, CDNI_COUNT(m->terms_psi));
  cdni_archive_int(a, &m->work_terms, 0, ADAMS_KEPT);
  cdni_archive_int(a, &m->dense, 0, 1);
  for (int i = 1; i <= m->terms || i <= m->work_terms; i++)
    cdni_archive_doubles(a, difference(s, m->dense, i), (size_t)s->ny + 1);
}

const cdni_method cdni_adams = { .name = "Adams PECE",
                                 .error_order = 2,
                                 .order = 3, /* the error of the first step, which has order 2, stays */
                                 .memory = memory,
                                 .attempt = attempt,
                                 .interpolate = interpolate,
                                 .slope = slope,
                                 .begin = begin,
                                 .accepted = accepted,
                                 .resize = resize,
                                 .archive = archive };
