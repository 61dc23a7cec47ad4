/* One step of a solver of SUNDIALS, at the request of our loop. */
#include <math.h>

#include "core/archive.h"
#include "integrators/control.h"
#include "integrators/ggl.h"
#include "integrators/newton.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/stepper.h"
#include "integrators/sundials.h"
#include "integrators/sundials_order.h"
#include "system/system.h"

static cdni_sundials *solver_of(const cdn_stepper *s) { return s->solver; }

/* Terms of the series that a checkpoint keeps, the degree of Adams-Moulton's polynomials and one more. */
enum { MOST_TERMS = 14, GUARD_TERMS = 4 };

static double *term(const cdn_stepper *s, int k) { return s->memory + (size_t)k * cdni_stride(s->ny + 1); }

size_t cdni_sundials_memory(const cdni_method *method, int ny) {
  (void)method;
  return (MOST_TERMS + GUARD_TERMS) * cdni_stride(ny + 1);
}

/* The first steps after a start are of order 1 and have no history to be judged by. If they were allowed the usual
 * error, they would make most of the error of a run with many starts; to have smaller errors they need not be much
 * shorter. Measured: docs/constants.md. */
enum { FIRST = 6 };
/* measured: docs/constants.md */
static const double PART_OF_FIRST = 0.1;

/* The tolerance of the solver's steps: the part of the accuracy for which at most one step in a thousand errs by more
 * than a tenth of the accuracy, since errors add up and past ones influence the next. Backward differences continue
 * the very solution whose error they estimate, so errors of size h^6 in a step leave h^5 at the end: to make those
 * go with the accuracy, the tolerance goes with its power 6/5. */
static double tolerance_of(const cdn_stepper *s, const cdni_sundials *m) {
  const cdni_sundials_ops *ops = m->ops;
  double accuracy = s->def.accuracy, sharper = pow(fmin(1, fmax(1e-6, accuracy / 1e-3)), ops->sharper);
  double tolerance = ops->part * accuracy * fmin(sharper, cdni_share(s));
  return fmax(tolerance * (m->since < FIRST ? PART_OF_FIRST : 1), s->rounding);
}

/* ---- life ---- */

cdn_status cdni_sundials_create(cdn_stepper *s) {
  cdni_sundials *m = cdni_calloc(&s->allocator, sizeof *m);
  if (!m) return CDN_ERR_NOMEM;
  s->solver = m;
  m->s = s;
  m->ops = s->method->data;
  m->gain = 1;
  m->tolerance = tolerance_of(s, m);
  cdni_order_guard_begin(&m->guard, term(s, MOST_TERMS), (int)cdni_stride(s->ny + 1));
  if (m->ops->algebraic) CDNI_TRY(cdni_ggl_create(s, &m->ggl));
  if (SUNContext_Create(NULL, &m->context) != 0) return CDN_ERR_NOMEM;
  m->y = cdni_sundials_vector(s, m->context);
  if (m->y) {
    m->rates = N_VClone(m->y);
    m->scratch = N_VClone(m->y);
    if (!m->starved && m->ops->create(s, m) == 0 && !m->starved) return CDN_OK;
  }
  return cdni_state_fail(s->work, CDN_ERR_NOMEM, false, "cdn_stepper_create", NULL, "%s could not be set up: %s",
                         m->ops->name, m->text[0] ? m->text : "out of memory");
}

void cdni_sundials_destroy(cdn_stepper *s) {
  cdni_sundials *m = solver_of(s);
  if (m->memory) m->ops->destroy(&m->memory);
  if (m->linear) SUNLinSolFree(m->linear);
  if (m->matrix) SUNMatDestroy(m->matrix);
  if (m->nonlinear) SUNNonlinSolFree(m->nonlinear);
  cdni_newton_destroy(s, m->newton);
  cdni_ggl_destroy(s, m->ggl);
  if (m->scratch) N_VDestroy(m->scratch);
  if (m->rates) N_VDestroy(m->rates);
  if (m->y) N_VDestroy(m->y);
  if (m->context) SUNContext_Free(&m->context);
  cdni_free(&s->allocator, m, sizeof *m);
  s->solver = NULL;
}

/* ---- steps ---- */

void cdni_sundials_begin(cdn_stepper *s) { solver_of(s)->fresh = true; }

/* Behind a change of the limit; the orders rise by themselves then. */
static const double SHORT_START = 0.01;

static int order_limit(const cdn_stepper *s, const cdni_sundials *m) {
  const int most = m->guard.low ? 2 : 5, asked = s->def.max_order;
  return asked > 0 && asked < most ? asked : most;
}

/* From y0 at order one. */
static int restart(cdn_stepper *s, cdni_sundials *m) {
  const cdni_step *step = &s->step;
  double *y = cdni_vector_data(m->y);
  N_VConst(0, m->y);
  if (s->ny) memcpy(y, step->y0, sizeof(double) * (size_t)s->ny);
  m->t = step->t0;
  m->error = 0;
  m->fresh = false;
  m->terms = 0;
  cdni_order_guard_forget(&m->guard);
  if (m->ops->limit) (void)m->ops->limit(m, order_limit(s, m));
  const double h = m->changed ? SHORT_START * step->h : step->h;
  m->changed = false;
  return m->ops->restart(m, step->t0, fmax(h, cdni_min_step(s)));
}

/* The solver's own norm has the weights of the step's start; the reported norm is that of every method. */
static cdn_status estimate(cdn_stepper *s, cdni_sundials *m) {
  cdni_step *step = &s->step;
  if (m->ops->error(m, m->scratch) != 0) return CDN_OK;
  memcpy(step->error, cdni_vector_data(m->scratch), sizeof(double) * (size_t)s->ny);
  return cdni_error_norm(s, step->error, step->y0, step->y0, &m->error);
}

static cdn_status guard_order(cdn_stepper *s, cdni_sundials *m) {
  cdni_step *step = &s->step;
  const size_t size = sizeof(double) * (size_t)s->ny;
  double *e = cdni_vector_data(m->scratch), *Se = term(s, MOST_TERMS + 2), *before = term(s, MOST_TERMS + 3), norm;
  int order = 0;
  if (m->ops->order(m, &order) != 0) return CDN_OK;
  cdni_order_verdict verdict = cdni_order_guard_note(&m->guard, m->t - step->t0, order, s->weighted, s->ny);
  if (verdict == CDNI_ORDER_SUSPECT) {
    memcpy(before, s->weighted, size);
    cdni_newton_solve(m->newton, e);
    CDNI_TRY(cdni_error_norm(s, e, step->y0, step->y0, &norm));
    memcpy(Se, s->weighted, size);
    cdni_newton_solve(m->newton, e);
    CDNI_TRY(cdni_error_norm(s, e, step->y0, step->y0, &norm));
    verdict = cdni_order_guard_ask(&m->guard, cdni_newton_gamma(m->newton), Se, s->weighted, s->ny);
    memcpy(s->weighted, before, size);
  }
  m->changed = verdict == CDNI_ORDER_CHANGED;
  return CDN_OK;
}

static cdn_status advance(cdn_stepper *s, cdni_sundials *m) {
  cdni_step *step = &s->step;
  long tests, divergences, tests_before = 0, divergences_before = 0;
  m->status = CDN_OK;
  m->hopeless = false;
  m->tried = step->t1;
  if (m->fresh) m->since = 0;
  m->tolerance = tolerance_of(s, m);
  m->since++;
  int flag = m->fresh ? restart(s, m) : 0;
  m->ops->failures(m, &tests_before, &divergences_before);
  if (flag >= 0) flag = m->ops->step(m, cdni_min_step(s), step->end, &m->t);
  m->ops->failures(m, &tests, &divergences);
  s->certificate.rejected += tests - tests_before + divergences - divergences_before;
  if (flag >= 0) {
    CDNI_TRY(estimate(s, m));
    return m->ops->limit ? guard_order(s, m) : CDN_OK;
  }

  s->certificate.rejected--; /* the loop counts the last one */
  if (m->tried > step->t0) {
    step->t1 = m->tried;
    step->h = m->tried - step->t0;
  }
  m->fresh = true;
  cdn_status status = cdni_sundials_failure(s, flag);
  if (status == CDN_OK) status = estimate(s, m);
  /* the solver's own test rejected the step */
  step->norm = m->error = fmax(m->error, 2 * cdni_tolerance(s));
  return status;
}

/* These methods do not need the rates at a step's end, which would cost one evaluation of two; whoever reads them
 * computes them. */
static cdn_status arrive(cdn_stepper *s) {
  cdni_step *step = &s->step;
  step->power1 = step->h > 0 ? step->work / step->h : 0;
  return cdni_project(s, s->work, step->t1, step->y1, s->singular.hold ? CDNI_ALWAYS : CDNI_WHERE_OFF);
}

cdn_status cdni_sundials_attempt(cdn_stepper *s) {
  cdni_sundials *m = solver_of(s);
  cdni_step *step = &s->step;
  double *y = cdni_vector_data(m->y);
  m->fresh = m->fresh || m->changed;
  if (m->fresh || m->t <= step->t0) {
    m->work0 = m->fresh ? 0 : y[s->ny];
    CDNI_TRY(advance(s, m));
    if (m->fresh) return CDN_OK;
  } else {
    /* an event that changed nothing cut the last step short: this is its rest */
    m->ops->within(m, step->t0, 0, m->scratch);
    m->work0 = cdni_vector_data(m->scratch)[s->ny];
  }
  if (m->t > step->end) {
    m->ops->within(m, step->end, 0, m->scratch);
    y = cdni_vector_data(m->scratch);
  }
  step->t1 = fmin(m->t, step->end);
  step->h = step->t1 - step->t0;
  memcpy(step->y1, y, sizeof(double) * (size_t)s->ny);
  step->work = y[s->ny] - m->work0;
  step->norm = fmin(m->error, cdni_tolerance(s));
  return arrive(s);
}

double cdni_sundials_resize(cdn_stepper *s, double h, double error, bool accepted) {
  cdni_sundials *m = solver_of(s);
  double next = h;
  (void)error;
  if (!accepted) return 0.25 * h;
  return m->ops->next(m, &next) == 0 ? next : h;
}

/* ---- within the step ---- */

void cdni_sundials_interpolate(const cdn_stepper *s, double theta, double *y, double *work) {
  cdni_sundials *m = solver_of(s);
  double t = fmin(m->t, s->step.t0 + theta * s->step.h), *all = cdni_vector_data(m->scratch);
  if (m->terms == 0) {
    m->ops->within(m, t, 0, m->scratch);
  } else {
    for (int i = 0; i <= s->ny; i++) {
      double sum = 0;
      for (int k = m->terms - 1; k >= 0; k--) sum = sum * (t - m->t) + term(s, k)[i];
      all[i] = sum;
    }
  }
  memcpy(y, all, sizeof(double) * (size_t)s->ny);
  *work = all[s->ny] - m->work0;
}

void cdni_sundials_slope(const cdn_stepper *s, double theta, double *ydot) {
  cdni_sundials *m = solver_of(s);
  const double t = fmin(m->t, s->step.t0 + theta * s->step.h);
  if (m->terms == 0) {
    m->ops->within(m, t, 1, m->scratch);
    memcpy(ydot, cdni_vector_data(m->scratch), sizeof(double) * (size_t)s->ny);
    return;
  }
  for (int i = 0; i < s->ny; i++) {
    double sum = 0;
    for (int k = m->terms - 1; k > 0; k--) sum = sum * (t - m->t) + k * term(s, k)[i];
    ydot[i] = sum;
  }
}

/* The solver's dense output is a polynomial, fully described by its Taylor series about the step's end. */
static void expand(cdn_stepper *s, cdni_sundials *m) {
  const double *all = cdni_vector_data(m->scratch);
  int order = 0;
  double factorial = 1;
  if (m->ops->order(m, &order) != 0) order = 0;
  for (int k = 0; k <= order && k < MOST_TERMS; k++) {
    if (k > 1) factorial *= k;
    if (m->ops->within(m, m->t, k, m->scratch) != 0) break;
    for (int i = 0; i <= s->ny; i++) term(s, k)[i] = all[i] / factorial;
    m->terms = k + 1;
  }
}

/* A solver's history cannot be read. When it is saved the solver begins anew, and later questions about the last
 * step are answered from its Taylor series. */
void cdni_sundials_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_sundials *m = solver_of(s);
  if (!a->loading && s->dense && m->terms == 0) expand(s, m);
  m->fresh = true;
  if (m->newton) cdni_newton_forget(m->newton);
  cdni_order_guard_archive(&m->guard, a);
  cdni_archive_double(a, &m->t);
  cdni_archive_double(a, &m->work0);
  cdni_archive_int(a, &m->terms, 0, MOST_TERMS);
  for (int k = 0; k < m->terms; k++) cdni_archive_doubles(a, term(s, k), (size_t)s->ny + 1);
}
