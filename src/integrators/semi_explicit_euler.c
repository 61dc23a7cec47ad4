/* Semi-explicit (symplectic) Euler: new speeds first, and coordinates by them, so that the energy of a conservative
 * motion swings but does not drift. One evaluation a step; for the form that two half steps make, two. */
#include "integrators/explicit_rk.h"
#include "integrators/project.h"
#include "integrators/stepper.h"

static cdn_status leap(cdn_stepper *s, double h, const double *y0, const double *f0, double *y1) {
  if (s->nq > 0) CDNI_TRY(cdn_state_set_q(s->work, y0));
  return cdni_euler_leap(s->work, 1, s->nq, s->ny, &h, y0, f0, y1, s->scratch);
}

/* ---- one step; its error is the distance from the trapezoidal rule's solution ---- */

static size_t no_memory(const cdni_method *method, int ny) {
  (void)method, (void)ny;
  return 0;
}

static cdn_status attempt(cdn_stepper *s) {
  cdni_step *step = &s->step;
  double h = step->h;
  CDNI_TRY(leap(s, h, step->y0, step->f0, step->y1));
  for (int i = 0; i < s->ny; i++) step->error[i] = step->y1[i] - step->y0[i];
  CDNI_TRY(cdni_arrive(s, NULL));
  for (int i = 0; i < s->ny; i++) step->error[i] -= 0.5 * h * (step->f0[i] + step->f1[i]);
  step->work = 0.5 * h * (step->power0 + step->power1);
  return CDN_OK;
}

const cdni_method cdni_semi_explicit_euler = { .name = "semi-explicit Euler",
                                               .error_order = 2,
                                               .order = 1,
                                               .bare = true,
                                               .memory = no_memory,
                                               .attempt = attempt,
                                               .interpolate = cdni_hermite,
                                               .slope = cdni_hermite_slope };

/* ---- two half steps; their error is their distance from one whole step ---- */

static size_t two_memory(const cdni_method *method, int ny) {
  (void)method;
  return 2 * cdni_stride(ny);
}

static cdn_status two_attempt(cdn_stepper *s) {
  cdni_step *step = &s->step;
  double h = step->h, power, *middle = s->memory, *rates = s->memory + s->stride;
  CDNI_TRY(leap(s, h, step->y0, step->f0, step->error));
  CDNI_TRY(leap(s, h / 2, step->y0, step->f0, middle));
  cdni_normalize(s, middle);
  CDNI_TRY(cdni_evaluate(s, step->t0 + h / 2, middle, rates, &power));
  CDNI_TRY(leap(s, h / 2, middle, rates, step->y1));
  for (int i = 0; i < s->ny; i++) step->error[i] -= step->y1[i];
  CDNI_TRY(cdni_arrive(s, NULL));
  step->work = 0.25 * h * (step->power0 + 2 * power + step->power1);
  return CDN_OK;
}

const cdni_method cdni_semi_explicit_euler_2 = { .name = "semi-explicit Euler, two half steps",
                                                 .error_order = 2,
                                                 .order = 1,
                                                 .bare = true,
                                                 .memory = two_memory,
                                                 .attempt = two_attempt,
                                                 .interpolate = cdni_hermite,
                                                 .slope = cdni_hermite_slope };
