/* Velocity Verlet (manual 10.4 with its errata): q by a second-order Taylor step, then u and z by the trapezoidal rule,
 * implicit where rates depend on them, which functional iteration solves. Only the first of its evaluations moves q;
 * the others compute what depends on u and z. */
#include <math.h>

#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* Iterations in which changes at least halve, or it is too slow. A step that may be shortened has no more of them in
 * all. */
static const int MOST_ITERATIONS = 20;

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return 2 * cdni_stride(ny);
}

/* q1 = q0 + h qdot0 + h^2/2 qdotdot0 up to third order: h N u where N and u are half way, so that it needs no Ndot. */
static cdn_status move_q(cdn_stepper *s) {
  const cdni_step *step = &s->step;
  int nq = s->nq;
  double half = 0.5 * step->h, *speeds = s->memory, *qdot = s->scratch;
  if (nq == 0) return CDN_OK;
  for (int i = 0; i < nq; i++) qdot[i] = step->y0[i] + half * step->f0[i];
  for (int i = 0; i < s->nu; i++) speeds[i] = step->y0[nq + i] + half * step->f0[nq + i];
  CDNI_TRY(cdn_state_set_q(s->work, qdot));
  CDNI_TRY(cdni_state_multiply_by_N(s->work, speeds, qdot));
  for (int i = 0; i < nq; i++) step->y1[i] = step->y0[i] + step->h * qdot[i];
  if (cdni_all_finite(step->y1, (size_t)nq, NULL)) cdni_normalize(s, step->y1);
  return CDN_OK;
}

/* Rates at q on its manifold: the iteration moves only u and z. */
static cdn_status evaluate_q(cdn_stepper *s) {
  cdni_step *step = &s->step;
  bool moved = false;
  CDNI_TRY(cdn_state_set_ty(s->work, step->t1, step->y1));
  CDNI_TRY(cdni_prescribe_values(s, s->work, NULL));
  CDNI_TRY(cdni_project_q(s, s->work, CDNI_ALWAYS, &moved));
  if (moved) memcpy(step->y1, cdni_state_y(s->work), sizeof(double) * (size_t)s->nq);
  return cdni_evaluate_here(s, step->f1, &step->power1);
}

/* Rates for other u and z at the State's t and q. */
static cdn_status evaluate_uz(cdn_stepper *s, const double *y, double *ydot, double *power) {
  if (s->nu) CDNI_TRY(cdn_state_set_u(s->work, y + s->nq));
  if (s->nz) CDNI_TRY(cdn_state_set_z(s->work, y + s->nq + s->nu));
  return cdni_evaluate_here(s, ydot, power);
}

/* Iterates until the changes of u and z are a small part of their allowed errors; rounding stops it too. */
static cdn_status solve_uz(cdn_stepper *s) {
  cdni_step *step = &s->step;
  double *euler = s->memory, *change = s->memory + s->stride, *y = step->y1, last = INFINITY, older = INFINITY;
  double halved = INFINITY, whole;
  const bool fixed = s->def.fixed_step > 0;
  const double close = fixed ? 1e-13 : fmax(0.01 * s->def.accuracy, 1e-15);
  memset(change, 0, sizeof(double) * (size_t)s->nq);
  for (int i = s->nq; i < s->ny; i++) {
    euler[i] = y[i] = step->y0[i] + step->h * step->f0[i];
    change[i] = fabs(step->y0[i]) + fabs(step->h * step->f0[i]);
  }
  CDNI_TRY(evaluate_q(s));
  CDNI_TRY(cdni_error_norm(s, change, step->y0, y, &whole));
  const double rounding = 1e-14 * fmax(1, whole);
  for (int k = 0, left = MOST_ITERATIONS; left > 0; k++, left--) {
    double size;
    for (int i = s->nq; i < s->ny; i++) {
      double next = step->y0[i] + 0.5 * step->h * (step->f0[i] + step->f1[i]);
      change[i] = next - y[i];
      y[i] = next;
    }
    CDNI_TRY(cdni_error_norm(s, change, step->y0, y, &size));
    CDNI_TRY(evaluate_uz(s, y, step->f1, &step->power1));
    /* the last evaluation brings it closer by the factor that the last two changes show */
    double factor = k ? size / last : 1;
    if (size * fmin(factor, 1) <= close || size <= rounding) return CDN_OK;
    if (k > 1 && size > 2 * fmax(last, older)) break; /* changes of u and of z may take turns */
    if (fixed && size <= 0.5 * halved) halved = size, left = MOST_ITERATIONS;
    older = last, last = size;
  }
  return cdni_state_fail(
      s->work, CDN_ERR_STEP, true, "cdn_stepper_advance", NULL,
      "Verlet's iteration for u and z does not converge with a step of %.3g: forces depend on speeds "
      "too strongly for it",
      step->h);
}

/* Projects the speeds as well. */
static cdn_status arrive(cdn_stepper *s) {
  cdni_step *step = &s->step;
  bool moved = false;
  CDNI_TRY(cdni_project_u(s, s->work, CDNI_ALWAYS, &moved));
  if (!moved) return CDN_OK;
  memcpy(step->y1 + s->nq, cdni_state_y(s->work) + s->nq, sizeof(double) * (size_t)s->nu);
  return cdni_evaluate_here(s, step->f1, &step->power1);
}

static cdn_status attempt(cdn_stepper *s) {
  cdni_step *step = &s->step;
  int nq = s->nq;
  double *euler = s->memory;
  CDNI_TRY(move_q(s));
  CDNI_TRY(solve_uz(s));
  CDNI_TRY(arrive(s));
  for (int i = 0; i < nq; i++) {
    step->error[i] = step->y0[i] + 0.5 * step->h * (step->f0[i] + step->f1[i]) - step->y1[i];
  }
  for (int i = nq; i < s->ny; i++) step->error[i] = euler[i] - step->y1[i];
  step->work = 0.5 * step->h * (step->power0 + step->power1);
  return CDN_OK;
}

const cdni_method cdni_verlet = { .name = "velocity Verlet",
                                  .error_order = 2,
                                  .order = 2,
                                  .memory = memory,
                                  .attempt = attempt,
                                  .interpolate = cdni_hermite,
                                  .slope = cdni_hermite_slope };
