/* Ending a step at an event. The step that found the event goes across it, and so may go across a kink of the rates.
 * It is taken again, to end a little before the event: then no stage lies beyond. Dense output leads from there to
 * the change of sign, which is near. So the State at the event has the accuracy of a step.
 *
 * A method that chooses its steps itself (SUNDIALS) cannot do that. Its step is cut short on dense output. */
#include <float.h>
#include <math.h>

#include "integrators/control.h"
#include "integrators/events_run.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"

/* The part of a step by which dense output may be continued without a new step: the effect of a kink there is small. */
static const double AT_START = 1e-4;
/* A step is taken again this many times to end before one event; each time its margin grows by this factor. */
enum { MOST_AGAIN = 4 };
static const double WIDER = 16;
/* Dense output is good for this part of a step beyond its end: farther off its polynomials grow without any sense. */
static const double LATER = 0.05;

/* The time by which an error of the step's own size may shift an event; the margin must be larger. */
static cdn_status shift_of(cdn_stepper *s, double error, double *shift) {
  struct cdni_events *ev = s->events;
  size_t bytes = sizeof(double) * (size_t)s->ny;
  bool valid = s->weighted_valid;
  double rate = 0;
  *shift = 0;
  if (s->ny == 0) return CDN_OK;
  memcpy(ev->trial, s->weighted, bytes);
  CDNI_TRY(cdni_error_norm(s, s->step.f1, s->step.y0, s->step.y1, &rate));
  memcpy(s->weighted, ev->trial, bytes);
  s->weighted_valid = valid;
  if (rate > 0) *shift = (0.05 + error) * cdni_tolerance(s) / rate;
  return CDN_OK;
}

static cdn_status choose_margin(cdn_stepper *s, double length, double error) {
  struct cdni_events *ev = s->events;
  double resolved = 8 * DBL_EPSILON * fmax(fabs(s->step.t0), fabs(s->step.t1)), shift;
  CDNI_TRY(shift_of(s, error, &shift));
  ev->margin = fmax(resolved, fmin(0.01 * length, fmax(0.05 * s->def.accuracy * length, 4 * shift)));
  ev->planned = s->step.h;
  ev->planned_error = error;
  return CDN_OK;
}

cdn_status cdni_cut_again(cdn_stepper *s, const cdni_crossing *c, double error, bool *again) {
  struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  double end = step->t0 + step->h, length = c->lo - step->t0;
  bool aimed = !isnan(ev->aim);
  *again = false;
  if (!aimed) ev->again = 0;
  if (s->method->own_steps) return CDN_OK;
  if (!aimed) {
    if (length <= AT_START * step->h || ev->fell_short) return CDN_OK;
    CDNI_TRY(choose_margin(s, length, error));
    if (end - c->hi <= ev->margin) return CDN_OK;
  } else {
    /* too long again: the event is earlier than the first attempt found it */
    if (end - c->hi <= 2 * ev->margin || ev->again == MOST_AGAIN) return CDN_OK;
    ev->margin *= WIDER;
  }
  double aim = c->lo - ev->margin;
  if (aim - step->t0 < cdni_min_step(s)) return CDN_OK;
  ev->aim = aim;
  ev->again++;
  *again = true;
  return CDN_OK;
}

bool cdni_cut_shorter(cdn_stepper *s, double window) {
  struct cdni_events *ev = s->events;
  const cdni_step *step = &s->step;
  if (step->h <= 4 * window || 0.25 * step->h < cdni_min_step(s)) return false;
  ev->aim = NAN;
  ev->limit = step->t0 + 0.25 * step->h;
  /* a solver that has gone on by itself must be called back */
  if (s->method->own_steps) s->method->begin(s);
  return true;
}

double cdni_cut_reach(const cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  double end = s->step.t1;
  return isnan(ev->aim) ? end : fmin(s->step.end, end + fmin(4 * ev->margin, LATER * s->step.h));
}

cdn_status cdni_cut_at(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  cdni_step *step = &s->step;
  double work, power;
  if (step->y1 == s->y[!s->at]) {
    s->y[!s->at] = ev->y, ev->y = step->y1;
    s->f[!s->at] = ev->f, ev->f = step->f1;
  }
  double *y = s->y[!s->at], *f = s->f[!s->at];
  CDNI_TRY(cdni_look_ahead(s, t, y, &work));
  CDNI_TRY(cdni_project(s, s->work, t, y, CDNI_ALWAYS));
  CDNI_TRY(cdni_evaluate_here(s, f, &power));
  step->t1 = t;
  step->work = work;
  step->power1 = power;
  return CDN_OK;
}
