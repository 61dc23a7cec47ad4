/* The implicit contact step: the singly diagonally implicit Runge-Kutta method of order 2 with two stages that is
 * L-stable (Alexander 1977; gamma = 1 - 1/sqrt 2), with
 *
 *    k_i = f(t_i, y_i),   y_1 = y0 + gamma h k_1,   y_2 = y0 + (1 - gamma) h k_1 + gamma h k_2 = y at the step's end.
 *
 * A stage is implicit in the forces of contacts, as convex functions of the velocities at its end, beside the exact
 * equations of constraints: its solution is the least value of a convex function, always exists, and is found
 * (soft/step.c). All else is explicit, at a y that is predicted: with the rates that the two stages before ended
 * with, the smaller one of each number, or none where they have opposite signs, as those of modes that steps do not
 * resolve have. Such a prediction misses y_i by O(h^2), and so leaves the order 2. It is the pose of the prediction
 * that contacts are found at: those that the stage leads to are there before they touch. Those of the step's start are
 * there as well.
 *
 * The error estimate goes with the difference to the quadrature of order 3 with the rates at 0, gamma h and h: it is
 * O(h^3), as is the error, and needs nothing more. Where rates follow from the time alone, that difference is the
 * error. Where they go with y, as y' = lambda y, it is 0.146 of the error. The estimate is the difference times 1 /
 * sqrt 0.146: in the middle. */
#include <math.h>

#include "contact/contact.h"
#include "core/archive.h"
#include "dynamics/dynamics.h"
#include "integrators/certificate.h"
#include "integrators/project.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "soft/soft.h"
#include "system/system.h"

/* 1 - 1/sqrt 2 */
static const double GAMMA = 0.29289321881345247560;

enum { KNOWN, HELD, NUMBERS = 8 };
enum { OLDER, BEFORE, FIRST, SECOND, TRIAL, BASE, VECTORS };

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return NUMBERS + VECTORS * cdni_stride(ny);
}

static double *vector_of(const cdn_stepper *s, int i) { return s->memory + NUMBERS + (size_t)i * s->stride; }

static void begin(cdn_stepper *s) { s->memory[KNOWN] = s->memory[HELD] = 0; }

/* ---- one stage ---- */

/* y = base + gamma h rates, but q moves with the u that results, where it leads to. */
static cdn_status predict(cdn_stepper *s, double t, const double *base, const double *rates) {
  const double gh = GAMMA * s->step.h;
  const int nq = s->nq;
  double *y = vector_of(s, TRIAL), *qdot = s->scratch;
  for (int i = 0; i < s->ny; i++) y[i] = base[i] + gh * rates[i];
  if (nq == 0) return cdn_state_set_ty(s->work, t, y);
  if (cdni_all_finite(y, (size_t)nq, NULL)) cdni_normalize(s, y);
  CDNI_TRY(cdn_state_set_q(s->work, y));
  CDNI_TRY(cdni_state_multiply_by_N(s->work, y + nq, qdot));
  for (int i = 0; i < nq; i++) y[i] = base[i] + gh * qdot[i];
  if (cdni_all_finite(y, (size_t)nq, NULL)) cdni_normalize(s, y);
  return cdn_state_set_ty(s->work, t, y);
}

/* Rates of z that are not the memory of friction. */
static cdn_status other_z(cdn_stepper *s, double *zdot) {
  int first = 0;
  const int n = cdni_contact_memory_z(s->work, &first);
  if (n == s->nz) return CDN_OK;
  CDNI_TRY(cdn_realize(s->work, CDN_STAGE_ACCELERATION));
  const double *there = cdn_state_zdot(s->work);
  for (int i = 0; i < s->nz; i++)
    if (i < first || i >= first + n) zdot[i] = there[i];
  return CDN_OK;
}

/* Of two numbers of one sign the smaller one, else 0. */
static double smaller(double a, double b) { return a * b > 0 ? (fabs(a) < fabs(b) ? a : b) : 0; }

/* k = f at the end of the stage that leads from `base`; older, last: rates that the two stages before ended with. */
static cdn_status stage(cdn_stepper *s, double t, const double *base, const double *older, const double *last,
                        double *k) {
  const double gh = GAMMA * s->step.h;
  const int nq = s->nq, nu = s->nu;
  const soft_step step = { .h = gh, .u = base + nq, .z = base + nq + nu };
  double *u = vector_of(s, TRIAL) + nq;
  s->certificate.evaluations++;
  for (int i = 0; i < s->ny; i++) k[i] = smaller(older[i], last[i]);
  CDNI_TRY(predict(s, t, base, k));
  CDNI_TRY(cdni_prescribe_values(s, s->work, NULL));
  if (cdni_singular_holds(s)) CDNI_TRY(cdni_project_rates(s, s->work));
  if (!cdni_dynamics_steps(s->system)) {
    CDNI_TRY(cdn_realize(s->work, CDN_STAGE_ACCELERATION));
    memcpy(k, cdni_state_ydot(s->work), sizeof(double) * (size_t)s->ny);
  } else {
    CDNI_TRY(cdn_realize(s->work, CDN_STAGE_VELOCITY));
    soft_effort effort;
    CDNI_TRY(cdni_dynamics_step(s->work, &step, k + nq, k + nq + nu, &effort));
    cdni_certificate_stage(s, &effort);
    CDNI_TRY(other_z(s, k + nq + nu));
  }
  for (int i = 0; i < nu; i++) u[i] = base[nq + i] + gh * k[nq + i];
  return nq ? cdni_state_multiply_by_N(s->work, u, k) : CDN_OK;
}

/* ---- the step ---- */

/* Keeps the contacts of the step's start. */
static cdn_status hold(cdn_stepper *s) {
  if (s->memory[HELD] != 0 || !cdni_dynamics_steps(s->system)) return CDN_OK;
  CDNI_TRY(cdn_state_set_ty(s->work, s->step.t0, s->step.y0));
  CDNI_TRY(cdni_prescribe_values(s, s->work, NULL));
  CDNI_TRY(cdni_dynamics_hold(s->work));
  s->memory[HELD] = 1;
  return CDN_OK;
}

/* Of the estimate to the difference: the error is the difference where rates follow from the time, and 6.83 times as
 * much for y' = lambda y; this is the root of 6.83 (docs/implicit_contact_step.md). */
static const double BALANCE = 2.61;

/* Weights of the quadrature of order 3 at 0, gamma and 1, less those of the method. */
static void estimate(cdn_stepper *s) {
  const double at_first = 1 / (6 * GAMMA * (1 - GAMMA)), at_second = (1.0 / 3 - GAMMA / 2) / (1 - GAMMA);
  const double weight[3] = { 1 - at_first - at_second, at_first - (1 - GAMMA), at_second - GAMMA };
  const double *k[3] = { vector_of(s, BEFORE), vector_of(s, FIRST), vector_of(s, SECOND) };
  for (int i = 0; i < s->ny; i++) {
    double sum = 0;
    for (int j = 0; j < 3; j++) sum += weight[j] * k[j][i];
    s->step.error[i] = BALANCE * s->step.h * sum;
  }
  cdni_note_estimate(s, s->step.error);
}

static cdn_status attempt(cdn_stepper *s) {
  cdni_step *step = &s->step;
  const double h = step->h;
  const size_t n = (size_t)s->ny;
  double *older = vector_of(s, OLDER), *before = vector_of(s, BEFORE), *first = vector_of(s, FIRST),
         *second = vector_of(s, SECOND), *base = vector_of(s, BASE);
  if (s->memory[KNOWN] == 0) {
    memcpy(before, step->f0, sizeof(double) * n);
    memcpy(older, step->f0, sizeof(double) * n);
  }
  CDNI_TRY(hold(s));
  CDNI_TRY(stage(s, step->t0 + GAMMA * h, step->y0, older, before, first));
  for (size_t i = 0; i < n; i++) base[i] = step->y0[i] + (1 - GAMMA) * h * first[i];
  CDNI_TRY(stage(s, step->t1, base, before, first, second));
  for (size_t i = 0; i < n; i++) step->y1[i] = base[i] + GAMMA * h * second[i];
  CDNI_TRY(cdni_land(s));
  /* the rates are those that the step has solved for: a fresh evaluation has the noise of stiff forces */
  memcpy(step->f1, second, sizeof(double) * n);
  if (s->nq) CDNI_TRY(cdni_state_multiply_by_N(s->work, step->y1 + s->nq, step->f1));
  step->work = 0.5 * h * (step->power0 + step->power1);
  estimate(s);
  return CDN_OK;
}

static void accepted(cdn_stepper *s) {
  memcpy(vector_of(s, OLDER), vector_of(s, FIRST), sizeof(double) * (size_t)s->ny);
  memcpy(vector_of(s, BEFORE), vector_of(s, SECOND), sizeof(double) * (size_t)s->ny);
  s->memory[KNOWN] = 1;
  s->memory[HELD] = cdni_dynamics_steps(s->system) && cdni_dynamics_hold(s->work) == CDN_OK;
}

static void archive(cdn_stepper *s, cdni_archive *a) {
  cdni_archive_doubles(a, &s->memory[KNOWN], 1);
  cdni_archive_doubles(a, &s->memory[HELD], 1);
  cdni_archive_doubles(a, vector_of(s, OLDER), (size_t)s->ny);
  cdni_archive_doubles(a, vector_of(s, BEFORE), (size_t)s->ny);
}

const cdni_method cdni_implicit_contact = { .name = "the implicit contact step",
                                            .error_order = 3,
                                            .order = 2,
                                            .continues_estimated = true,
                                            .over_kinks = true,
                                            .memory = memory,
                                            .attempt = attempt,
                                            .interpolate = cdni_hermite,
                                            .slope = cdni_hermite_slope,
                                            .begin = begin,
                                            .accepted = accepted,
                                            .archive = archive };
