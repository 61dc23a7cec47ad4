/* Adams-Bashforth-Moulton in the form PECE, of variable order and step (F. T. Krogh 1969; L. F. Shampine, M. K. Gordon,
 * "Computer Solution of Ordinary Differential Equations", 1975): the rates of the last steps are kept as modified divided
 * differences, the coefficients follow from the step sizes themselves, and the corrected solution, one order above the
 * predictor's, is carried on. Two evaluations a step at any order, the second of them on the manifold, so that the
 * history is one of states that satisfy their constraints. Starts at order 1. */
#include "integrators/adams.h"

#include <stdlib.h>

#include "integrators/internal.h"

/* |gamma*_k|: error constants of the Adams-Moulton formulas. */
static const double moulton[ADAMS_MOST + 2] = { 1,         0.5,       0.083333333, 0.041666667, 0.026388889,
                                                0.01875,   0.014269,  0.011367,    0.0093565,   0.0078925,
                                                0.0067858, 0.0059240, 0.0052367,   0.0046775 };

/* |h lambda| up to which steps of equal size are stable with a predictor of order k, on the negative axis. */
static const double stable[ADAMS_MOST + 1] = {
  0, 2.00, 2.38, 1.92, 1.40, 1.04, 0.76, 0.58, 0.44, 0.32, 0.26, 0.20, 0.06
};

/* ---- memory: the struct, then two blocks of differences, then the correction; each with a slot more than y, for the power.
 * One block is the history up to the last accepted step, the other has the differences at the end of the one that is tried:
 * they are its dense output, and the next history if it is accepted as it is. ---- */

static const size_t head = (sizeof(cdni_adams_memory) + 63) / 64 * 8; /* doubles */

static cdni_adams_memory *memory_of(const cdn_stepper *s) { return (cdni_adams_memory *)(void *)s->memory; }

/* phi_i of the book, i = 1 .. ADAMS_KEPT, of one of the blocks. */
static double *difference(const cdn_stepper *s, int block, int i) {
  return s->memory + head + (size_t)(block * ADAMS_KEPT + i - 1) * cdni_stride(s->ny + 1);
}

static double *history(const cdn_stepper *s, int i) { return difference(s, memory_of(s)->at, i); }

static double *correction(const cdn_stepper *s) { return difference(s, 2, 1); }

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return head + (2 * ADAMS_KEPT + 1) * cdni_stride(ny + 1);
}

static void begin(cdn_stepper *s) { memory_of(s)->held = 0; }

/* ---- coefficients of the step that is tried ---- */

/* From step sizes to psi, alpha, beta, sigma (elements 1 ..) as in the book, for as many differences as are held. */
static void set_coefficients(cdni_adams_memory *m, double h) {
  int n = m->held;
  m->try_psi[1] = h;
  for (int i = 2; i <= n; i++) m->try_psi[i] = m->psi[i - 1] + h;
  m->beta[1] = m->sigma[1] = 1;
  for (int i = 2; i <= n; i++) m->beta[i] = m->beta[i - 1] * (m->try_psi[i - 1] / m->psi[i - 1]);
  for (int i = 1; i <= n; i++) m->sigma[i + 1] = i * (h / m->try_psi[i]) * m->sigma[i];
}

/* g_1 .. g_(k+1): integrals of the Newton polynomials over the step, over h. */
static void set_integrals(cdni_adams_memory *m, double h) {
  int k = m->order;
  double v[ADAMS_MOST + 2] = { 0 }; /* g_(i,q) for q = 1 .. k + 2 - i, to begin with those of i = 2 */
  for (int q = 1; q <= k; q++) v[q] = 1. / (q * (q + 1.));
  m->g[1] = 1;
  m->g[2] = v[1];
  for (int i = 3; i <= k + 1; i++) {
    double alpha = h / m->try_psi[i - 1];
    for (int q = 1; q <= k + 2 - i; q++) v[q] -= alpha * v[q + 1];
    m->g[i] = v[1];
  }
}

/* ---- one step ---- */

/* The norm, over the tolerance, of the correction with the differences first .. k added. */
static cdn_status norm_with(cdn_stepper *s, int first, double factor, double *norm) {
  cdni_adams_memory *m = memory_of(s);
  double *e = s->step.error;
  memcpy(e, correction(s), sizeof(double) * (size_t)s->ny);
  for (int i = first; i <= m->order; i++) {
    const double *phi = history(s, i);
    for (int j = 0; j < s->ny; j++) e[j] += m->beta[i] * phi[j];
  }
  for (int j = 0; j < s->ny; j++) e[j] *= factor;
  CDNI_TRY(cdni_error_norm(s, e, s->step.y0, s->step.y1, norm));
  *norm /= cdni_tolerance(s);
  return CDN_OK;
}

/* Errors that this step would have at orders k, k - 1, k - 2: they decide whether the order should fall. They are judged before
 * the step's end is projected, with what lies across the constraints still in them: to take that away costs two
 * factorizations, and saves 5 % of the steps. */
static cdn_status estimate(cdn_stepper *s) {
  cdni_adams_memory *m = memory_of(s);
  int k = m->order;
  double h = s->step.h;
  m->error_below = m->error_two_below = 0;
  if (k > 2) CDNI_TRY(norm_with(s, k - 1, h * m->sigma[k - 1] * moulton[k - 2], &m->error_two_below));
  if (k > 1) CDNI_TRY(norm_with(s, k, h * m->sigma[k] * moulton[k - 1], &m->error_below));
  CDNI_TRY(norm_with(s, k + 1, h * m->sigma[k + 1] * moulton[k], &m->error_here));
  m->fall = k > 2 ? fmax(m->error_below, m->error_two_below) <= m->error_here
                  : k == 2 && m->error_below <= 0.5 * m->error_here;
  /* with the coefficient of this very step: what the step is judged by, and what is left in step.error */
  double norm;
  CDNI_TRY(norm_with(s, k + 1, h * fabs(m->g[k] - m->g[k + 1]), &norm));
  /* That coefficient is one of smooth motions. Where the rates have a kink within the step, the error of a step of any order
   * may be as large as the correction, at order 12 fifty times the estimate. */
  if (m->expected > 0 && norm > ADAMS_SURPRISE * fmax(m->expected, 0.05 * ADAMS_TARGET)) {
    CDNI_TRY(norm_with(s, k + 1, h * m->g[k + 1], &norm));
  }
  s->step.norm = norm * cdni_tolerance(s);
  return CDN_OK;
}

/* Differences at the end of a step, where the rates are f and the power is `power`, one more than the history has, into a
 * block that may be the history's own. */
static void advance_differences(cdn_stepper *s, int block, const double *f, double power) {
  cdni_adams_memory *m = memory_of(s);
  int n = s->ny, count = m->held < ADAMS_KEPT ? m->held + 1 : ADAMS_KEPT;
  double *next = correction(s);
  memcpy(next, f, sizeof(double) * (size_t)n);
  next[n] = power;
  /* phi_1 is the rate itself, and phi_(i+1) what phi_i has changed by */
  for (int i = 1; i <= count; i++) {
    const double *phi = history(s, i);
    double *out = difference(s, block, i), beta = i <= m->held ? m->beta[i] : 0;
    for (int j = 0; j <= n; j++) {
      double old = phi[j];
      out[j] = next[j];
      next[j] -= beta * old;
    }
  }
}

/* How far the corrected solution lies from the predicted one, and how far the rates at the two are apart: what that tells of
 * the Jacobian is where the step's error points, and fast modes are what grows when a step is too long for them. */
static void note_rates(cdni_adams_memory *m, int n, double weight, const double *delta, const double *predicted,
                       const double *corrected) {
  double y = 0, f = 0;
  for (int j = 0; j < n; j++) {
    y += delta[j] * delta[j];
    f += (corrected[j] - predicted[j]) * (corrected[j] - predicted[j]);
  }
  m->y_apart = weight * weight * y;
  m->f_apart = f;
}

/* Integrals of the Newton polynomials 1 .. count from t0 to t0 + theta h. By the rule of Gauss and Legendre with seven points,
 * exact for all of them: there is no cancellation however close to t0, where a trigger's sign is looked for. */
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

/* The work of the step. The order is one for y, which may need less than the power does: a constant force makes speeds linear.
 * So differences of the power count as long as they become smaller. */
static void sum_work(cdn_stepper *s) {
  cdni_adams_memory *m = memory_of(s);
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
  cdni_adams_memory *m = memory_of(s);
  cdni_step *step = &s->step;
  double h = step->h, *delta = correction(s), power;
  int n = s->ny;
  if (m->held == 0) {
    *m = (cdni_adams_memory){ .held = 1, .order = 1, .starting = true };
    memcpy(history(s, 1), step->f0, sizeof(double) * (size_t)n);
    history(s, 1)[n] = step->power0;
  }
  set_coefficients(m, h);
  set_integrals(m, h);

  /* predict y1, and in delta the rates there */
  double *y1 = step->y1;
  int k = m->order;
  memset(delta, 0, sizeof(double) * (size_t)n);
  memset(y1, 0, sizeof(double) * (size_t)n);
  for (int i = k; i >= 1; i--) {
    const double *phi = history(s, i);
    double beta = m->beta[i], weight = h * m->g[i] * beta;
    for (int j = 0; j < n; j++) {
      delta[j] += beta * phi[j];
      y1[j] += weight * phi[j];
    }
  }
  for (int j = 0; j < n; j++) y1[j] += step->y0[j];

  CDNI_TRY(cdni_evaluate(s, step->t1, y1, step->f1, &power));
  for (int j = 0; j < n; j++) delta[j] = step->f1[j] - delta[j];
  CDNI_TRY(estimate(s));
  if (!(step->norm <= cdni_tolerance(s)) && s->def.fixed_step == 0) return CDN_OK;

  /* correct, and evaluate again; the block of the differences to come has room for the rates of both */
  double weight = h * m->g[k + 1], *predicted = difference(s, !m->at, 1), *corrected = difference(s, !m->at, 2);
  for (int j = 0; j < n; j++) y1[j] += weight * delta[j];
  memcpy(predicted, step->f1, sizeof(double) * (size_t)n);
  CDNI_TRY(cdni_arrive(s, corrected));
  note_rates(m, n, weight, delta, predicted, corrected);

  /* the step's polynomial: events are looked for before it is accepted */
  m->dense = !m->at;
  m->terms = k + 1;
  memcpy(m->terms_psi, m->try_psi, sizeof m->terms_psi);
  advance_differences(s, m->dense, step->f1, step->power1);
  sum_work(s);
  return CDN_OK;
}

/* ---- after the step ---- */

/* The error that order k + 1 would have had; infinite if it cannot be told. */
static double error_above(cdn_stepper *s) {
  cdni_adams_memory *m = memory_of(s);
  int k = m->order;
  double norm;
  if (k + 2 > m->held) return INFINITY;
  memcpy(s->step.error, history(s, k + 2), sizeof(double) * (size_t)s->ny);
  if (cdni_error_norm(s, s->step.error, s->step.y0, s->step.y1, &norm) != CDN_OK) return INFINITY;
  return s->step.h * m->sigma[k + 2] * moulton[k + 1] * norm / cdni_tolerance(s);
}

/* By how much a step may grow as far as its error goes, and before stability is at stake. */
static double reach(int order, double error) { return pow(ADAMS_TARGET / fmax(error, 1e-12), 1. / (order + 1)); }

static double room(const cdni_adams_memory *m, int order, double h) {
  return ADAMS_STABLE * stable[order] * sqrt(m->y_apart_mean / m->f_apart_mean) / h;
}

/* Stability keeps the steps shorter than their error would, and one order less helps: high orders are the least stable ones. */
static bool is_unstable(const cdni_adams_memory *m, double h) {
  int k = m->order;
  double most = room(m, k, h);
  return k > 2 && most < reach(k, m->error_here) && most < reach(k - 1, m->error_below);
}

/* Order and size of the next step (the book's rules, with sizes that change more freely; its rule that the order rises only
 * after as many equal steps, which finds instability late, is replaced by an estimate of stability). */
static void choose_next(cdn_stepper *s) {
  cdni_adams_memory *m = memory_of(s);
  int k = m->order, most = s->def.max_order > 0 && s->def.max_order < ADAMS_MOST ? s->def.max_order : ADAMS_MOST;
  double error = m->error_here, h = s->step.h;
  /* an error that has grown more than expected is likely to go on */
  double growth = m->expected > 0 ? sqrt(fmax(1, error / m->expected)) : 1;
  m->expected = 0;
  if (m->fall || k >= most) m->starting = false;
  if (m->starting) {
    m->order = k + 1;
    m->ratio = 2;
    return;
  }
  if (m->fall || is_unstable(m, h)) {
    m->order = k - 1;
    error = m->error_below;
  } else if (k < most && k + 1 <= m->held && !(room(m, k + 1, h) < 1)) {
    double above = error_above(s);
    if (k > 1 ? m->error_below <= fmin(error, above) : false) {
      m->order = k - 1;
      error = m->error_below;
    } else if (k > 1 ? above < error : above < 0.5 * error) {
      m->order = k + 1;
      error = above;
    }
  }
  double ratio = reach(m->order, error * growth);
  if (m->patience > 0) {
    m->patience--;
    ratio = fmin(ratio, 1);
  }
  m->ratio = ratio >= 2 ? 2 : ratio >= ADAMS_DEADBAND ? ratio : ratio >= 1 ? 1 : fmax(0.5, fmin(0.9, ratio));
  m->expected = error * pow(m->ratio, m->order + 1);
}

static void accepted(cdn_stepper *s) {
  cdni_adams_memory *m = memory_of(s);
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
  m->y_apart_mean = ADAMS_FADING * m->y_apart_mean + m->y_apart;
  m->f_apart_mean = ADAMS_FADING * m->f_apart_mean + m->f_apart;
  step->stiffness = 1 / room(m, m->order, step->h);
  choose_next(s);
  /* the size of the step after that is not chosen by this one's error */
  if (step->t1 - step->t0 != step->h) m->expected = 0;
}

static double resize(cdn_stepper *s, double h, double error, bool was_accepted) {
  cdni_adams_memory *m = memory_of(s);
  if (was_accepted) return h * m->ratio;
  m->starting = false;
  m->failures++;
  m->patience = m->order + 1;
  if (m->fall && m->order > 1) m->order--;
  if (m->failures >= 3) {
    /* what the history says is not so any more */
    m->held = 0;
    return 0.25 * h;
  }
  double ratio = fmin(0.7, fmax(0.2, reach(m->order, error)));
  m->expected *= pow(ratio, m->order + 1);
  return h * ratio;
}

/* ---- within the step ---- */

/* The polynomial of degree k + 1 through y0 with the rates at t1 and k steps before it; it misses y1 by an error of the
 * step's own size, which is made good with a cubic that has no slope at the ends. */
static void interpolate(const cdn_stepper *s, double theta, double *y, double *work) {
  const cdni_adams_memory *m = memory_of(s);
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

/* ---- checkpoints ---- */

static void archive(cdn_stepper *s, cdni_archive *a) {
  cdni_adams_memory *m = memory_of(s);
  cdni_archive_int(a, &m->held, 0, ADAMS_KEPT);
  cdni_archive_int(a, &m->order, m->held > 0, ADAMS_MOST);
  cdni_archive_int(a, &m->failures, 0, INT32_MAX);
  cdni_archive_int(a, &m->patience, 0, INT32_MAX);
  cdni_archive_bool(a, &m->starting);
  cdni_archive_bool(a, &m->fall);
  cdni_archive_double(a, &m->ratio);
  cdni_archive_double(a, &m->error_here);
  cdni_archive_double(a, &m->error_below);
  cdni_archive_double(a, &m->error_two_below);
  cdni_archive_double(a, &m->expected);
  cdni_archive_double(a, &m->y_apart_mean);
  cdni_archive_double(a, &m->f_apart_mean);
  cdni_archive_doubles(a, m->psi, CDNI_COUNT(m->psi));
  /* the coefficients are those of the next attempt, which computes them; differences beyond those held mean nothing */
  cdni_archive_int(a, &m->at, 0, 1);
  for (int i = 1; i <= m->held; i++) cdni_archive_doubles(a, history(s, i), (size_t)s->ny + 1);
  cdni_archive_int(a, &m->terms, 0, ADAMS_KEPT);
  cdni_archive_doubles(a, m->terms_psi, CDNI_COUNT(m->terms_psi));
  cdni_archive_int(a, &m->work_terms, 0, ADAMS_KEPT);
  cdni_archive_int(a, &m->dense, 0, 1);
  for (int i = 1; i <= m->terms || i <= m->work_terms; i++)
    cdni_archive_doubles(a, difference(s, m->dense, i), (size_t)s->ny + 1);
}

const cdni_method cdni_adams = { .name = "Adams PECE",
                                 .error_order = 2,
                                 .memory = memory,
                                 .attempt = attempt,
                                 .interpolate = interpolate,
                                 .begin = begin,
                                 .accepted = accepted,
                                 .resize = resize,
                                 .archive = archive };
