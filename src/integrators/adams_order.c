/* Order and size of the next step of the Adams method: the book's rules (Shampine and Gordon 1975), with sizes that
 * change more freely. The book raises the order only after as many equal steps, and so finds instability late; here
 * an estimate of the Jacobian replaces this rule. */
#include <math.h>

#include "integrators/adams.h"
#include "integrators/norm.h"
#include "integrators/stepper.h"

/* gamma_k: error constants of the Adams-Bashforth formulas. */
static const double bashforth[ADAMS_MOST + 2] = {
  1,        0.5,      0.416667, 0.375,    0.348611, 0.329861, 0.315592,
  0.304225, 0.294868, 0.286975, 0.280190, 0.274266, 0.269029, 0.264351
};

/* |h lambda| up to which steps of equal size with a predictor of order k are stable: on the negative axis (damped
 * motion), and on the imaginary axis (turning or swinging motion; growth of at most 1 % in a step). */
static const double stable_damped[ADAMS_MOST + 1] = { 0,    2.00, 2.38, 1.92, 1.40, 1.04, 0.76,
                                                      0.58, 0.44, 0.32, 0.26, 0.20, 0.06 };
static const double stable_swinging[ADAMS_MOST + 1] = { 0,    0.52, 1.20, 1.18, 0.94, 0.70, 0.52,
                                                        0.38, 0.26, 0.18, 0.12, 0.06, 0.04 };

/* The part of the interval of stability that steps of damped motions use, since the Jacobian is only an estimate.
 * Measured: docs/constants.md. */
static const double STABLE = 0.6;
/* The weight of a step in that estimate, relative to the step after it. Measured: docs/constants.md. */
static const double FADING = 0.6;
/* Orders whose terms differ by less are equivalent; they are so where stability limits the steps.
 * Measured: docs/constants.md. */
static const double ALIKE = 2;
/* A step that could grow by less than this keeps its size: coefficients of equal steps are the most stable.
 * Measured: docs/constants.md. */
static const double DEADBAND = 1.1;
/* A step after a rejected one, over that: at least and at most; after one with a kink; where the one before had one,
 * too; after three of them. Measured: docs/constants.md. */
static const double AGAIN_LEAST = 0.2, AGAIN_MOST = 0.7, AT_KINK = 0.5, LEAST_AT_KINK = 0.3, ANEW = 0.25;
/* measured: docs/constants.md */
enum { FAILURES = 3 };
/* ---- stability ---- */

static void add_fading(cdni_adams_apart *mean, const cdni_adams_apart *last) {
  mean->y = FADING * mean->y + last->y;
  mean->f = FADING * mean->f + last->f;
  mean->both = FADING * mean->both + last->both;
}

static double cosine(const cdni_adams_apart *a) { return a->y > 0 && a->f > 0 ? a->both / sqrt(a->y * a->f) : 0; }

/* The estimate of the Jacobian from the steps so far. Each of q, u and z is examined in the direction of its own
 * error. */
static void weigh_jacobian(cdni_adams_memory *m) {
  for (int pool = 0; pool < 3; pool++) add_fading(&m->apart_mean[pool], &m->apart[pool]);
  const cdni_adams_apart *q = &m->apart_mean[0], *u = &m->apart_mean[1], *z = &m->apart_mean[2], *most = q;
  if (u->y > most->y) most = u;
  if (z->y > most->y) most = z;
  m->jacobian = most->y > 0 ? sqrt(most->f / most->y) : 0;
  m->damping = -cosine(most);
  if (most == z || !(fmin(q->y, u->y) > 1e-6 * most->y) || !(fmin(q->f, u->f) > 0)) return;
  /* Coordinates and speeds drive each other, in units that make both equally large and fast: a swing then has its
   * own frequency, and an angle of 90 degrees, at each of its phases. If speeds damp themselves, coordinates follow
   * them. The limits of cosines are measured: docs/constants.md. */
  const double unit = sqrt(u->y * u->f / (q->y * q->f)), of_q = cosine(q), of_u = cosine(u);
  const bool as_damped = of_u < -0.7;
  m->jacobian = as_damped ? sqrt(u->f / u->y) : pow(q->f / q->y * (u->f / u->y), 0.25);
  m->damping = as_damped && of_q < -0.1
                   ? -of_u
                   : -(unit * q->both + u->both) / sqrt((unit * q->y + u->y) * (unit * q->f + u->f));
}

static bool is_damped(const cdni_adams_memory *m) { return m->damping > 0.7; }

/* The factor by which a step may grow before stability is at risk. */
static double room(const cdni_adams_memory *m, int order, double h) {
  const double c = fmax(0, m->damping), share = c * c * c * c;
  const double damped = stable_damped[order], swinging = stable_swinging[order];
  return (is_damped(m) ? STABLE : 1) * (swinging + (damped - swinging) * share) / (m->jacobian * h);
}

/* In swinging motion stability has no sharp limit: errors that grow a little from step to step are noticed, and
 * count when orders are compared. In damped motion they are noticed late. */
static bool tell_apart(const cdni_adams_memory *m, double lower, double higher) {
  return !is_damped(m) && lower > ALIKE * higher;
}

/* ---- order ---- */

/* The size of the last term of a step at an order, and the error of the solution that would be continued. */
typedef struct candidate {
  int order;
  double term, error;
} candidate;

/* The factor by which a step may grow as far as its error allows; the error is of one order more than the predictor. */
static double reach(const candidate *c) { return pow(ADAMS_TARGET / fmax(c->error, 1e-12), 1. / (c->order + 2)); }

/* The effect of another correction is of the size of the term, times the predictor's constant squared over the
 * corrector's. */
static double iteration_at(const cdni_adams_memory *m, int order, double term) {
  const int k = m->order;
  const double here = bashforth[k] * bashforth[k] / cdni_adams_moulton[k];
  const double there = bashforth[order] * bashforth[order] / cdni_adams_moulton[order];
  return m->term > 0 ? m->iteration * (term / m->term) * (there / here) : 0;
}

/* Errors of the quadrature are the next order's terms. */
static candidate below(const cdni_adams_memory *m) {
  const int order = m->order - 1;
  const double term = m->term_below, error = m->term + iteration_at(m, order, term);
  return (candidate){ order, term, fmax(error, ADAMS_LEAST * term) };
}

static candidate above(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const int k = m->order, order = k + 1;
  candidate c = { order, INFINITY, INFINITY };
  double norm;
  memcpy(s->step.error, cdni_adams_history(s, k + 2), sizeof(double) * (size_t)s->ny);
  if (cdni_error_norm(s, s->step.error, s->step.y0, s->step.y1, &norm) != CDN_OK) return c;
  c.term = s->step.h * m->sigma[k + 2] * cdni_adams_moulton[order] * norm / cdni_tolerance(s);
  const double quadrature = m->term > 0 ? c.term * fmin(1, c.term / m->term) : c.term;
  c.error = fmax(quadrature + iteration_at(m, order, c.term), ADAMS_LEAST * c.term);
  return c;
}

static int highest_order(const cdn_stepper *s) {
  return s->def.max_order > 0 && s->def.max_order < ADAMS_MOST ? s->def.max_order : ADAMS_MOST;
}

/* The order that allows the longest next step. */
static candidate choose(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const int k = m->order;
  const double h = s->step.h;
  const candidate here = { k, m->term, m->error }, lower = k > 1 ? below(m) : here;
  if (m->fall) return lower;
  /* if stability limits the steps more than errors do, one order less helps: high orders are the least stable */
  const double most = room(m, k, h);
  if (k > 2 && most < fmin(reach(&here), reach(&lower)) && !tell_apart(m, lower.term, here.term)) return lower;

  candidate best = here;
  if (k > 1 && reach(&lower) >= reach(&here)) best = lower;
  if (k == highest_order(s) || k + 2 > m->held) return best;
  const candidate higher = above(s);
  if (room(m, k + 1, h) < 1 && !tell_apart(m, here.term, higher.term)) return best;
  if (k == 1 && !(higher.term < 0.5 * here.term)) return best;
  return reach(&higher) > reach(&best) ? higher : best;
}

/* ---- the next step ---- */

/* Restarts with the next attempt, at order 1, with a step short enough for rates that change by `change` in the time
 * `over`, and by `most` at most. The history says nothing about the motion behind a kink. */
static double start_anew(cdn_stepper *s, const double *change, double over, double most) {
  double norm;
  cdni_adams_memory_of(s)->held = 0;
  memcpy(s->step.error, change, sizeof(double) * (size_t)s->ny);
  if (cdni_error_norm(s, s->step.error, s->step.y0, s->step.y1, &norm) != CDN_OK || norm == 0) return most;
  return fmin(most, sqrt(ADAMS_TARGET * cdni_tolerance(s) * over / (0.5 * norm)));
}

static void go_on(cdn_stepper *s, const candidate *next) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  /* an error that has grown more than expected is likely to keep growing */
  const double growth = m->expected_error > 0 ? sqrt(fmax(1, m->error / m->expected_error)) : 1;
  candidate grown = *next;
  grown.error *= growth;
  double ratio = reach(&grown);
  if (m->patience > 0) {
    m->patience--;
    ratio = fmin(ratio, 1);
  }
  m->order = next->order;
  m->ratio = ratio >= 2 ? 2 : ratio >= DEADBAND ? ratio : ratio >= 1 ? 1 : fmax(0.5, fmin(0.9, ratio));
  m->expected_error = next->error * pow(m->ratio, m->order + 2);
}

void cdni_adams_choose(cdn_stepper *s) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const bool passed = m->cornered && m->kink;
  weigh_jacobian(m);
  s->step.stiffness = is_damped(m) ? 1 / room(m, m->order, s->step.h) : 0;
  m->failures = 0;
  m->cornered = false;
  if (passed) {
    double *change = s->step.error;
    const double h = s->step.h;
    for (int j = 0; j < s->ny; j++) change[j] = s->step.f1[j] - s->step.f0[j];
    m->ratio = start_anew(s, change, h, h) / h;
    return;
  }
  if (m->fall || m->order >= highest_order(s)) m->starting = false;
  if (!m->starting) {
    const candidate next = choose(s);
    go_on(s, &next);
    return;
  }
  m->expected_error = 0;
  m->order++;
  m->ratio = 2;
}

double cdni_adams_retreat(cdn_stepper *s, double h, double error) {
  cdni_adams_memory *m = cdni_adams_memory_of(s);
  const candidate here = { m->order, m->term, error };
  double ratio = fmax(AGAIN_LEAST, fmin(AGAIN_MOST, reach(&here)));
  /* it may not have been a kink; the error of a step with a kink goes with the square of its size */
  if (m->kink) ratio = m->cornered ? fmax(LEAST_AT_KINK, fmin(AT_KINK, sqrt(ADAMS_TARGET / error))) : AT_KINK;
  m->starting = false;
  m->cornered = m->kink;
  m->patience = m->kink ? 0 : m->order + 1;
  m->failures = m->kink ? 0 : m->failures + 1;
  if (m->failures >= FAILURES) {
    /* the history is no longer valid */
    if (m->held > 1) return start_anew(s, cdni_adams_history(s, 2), m->psi[1], ratio * h);
    m->held = 0;
    return ANEW * h;
  }
  if (m->fall && m->order > 1) m->order--;
  m->expected_error *= pow(ratio, m->order + 2);
  return h * ratio;
}
