/* A second look at a step where it is shown. A step knows the rates at its ends and at its stages only: a pulse of a
 * force between them leaves no trace in its error estimate. So where a State within a step is shown, its true rates are
 * compared with the rates of dense output. If they differ by more than errors explain, the run goes back to what it has
 * shown last (or to the step's start, if that is later), and comes again in steps that become shorter towards the
 * surprise, and longer behind it.
 *
 * Next to singular poses rates have poles, and say nothing. */
#include <math.h>

#include "constraints/project.h"
#include "integrators/control.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/second_look.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* What a difference of the rates would change in y, if it lasted for the whole step, is surprising above so many
 * tolerances, so many errors of the step, and so many times what the two looks before have found. (Of 600,000 looks at
 * the problems of accuracy/ two were above all three.) */
static const double OF_TOLERANCE = 3, OF_ERROR = 1000, OF_USUAL = 30;
/* The step's own error is known to this part of the tolerance. */
static const double LEAST_ERROR = 1e-3;

/* Steps next to a surprise, over the distance from it, and over the whole way. A Gaussian pulse that is seen in its
 * tail is three of its widths away. */
static const double PART_OF_DISTANCE = 1. / 3, PART_OF_WAY = 1e-6;

static cdn_status measure(cdn_stepper *s, const double *e, double *norm) {
  return cdni_norm_beside(s, s->report, e, s->step.y0, s->step.y1, s->apart + s->stride, norm);
}

static bool is_surprising(const cdn_stepper *s, double norm) {
  const double tolerance = cdni_tolerance(s), error = fmax(s->step.norm, LEAST_ERROR * tolerance);
  const double *usual = s->looks.usual;
  return norm > OF_TOLERANCE * tolerance && norm > OF_ERROR * error && norm > OF_USUAL * fmax(usual[0], usual[1]);
}

/* The norm without the part that projection has removed from y; the report State comes back to y. */
static cdn_status measure_along(cdn_stepper *s, double t, const double *y, double *e, double *norm) {
  cdn_status status = cdni_project_rates(s, s->report);
  for (int i = 0; s->n_prescribed_q + s->n_prescribed_u && i < s->nq + s->nu; i++) e[i] = s->prescribed[i] ? 0 : e[i];
  if (status == CDN_OK) status = cdni_projector_estimate(s->projector, s->report, e, e + s->nq);
  if (status == CDN_OK) status = measure(s, e, norm);
  if (status != CDN_OK) *norm = 0;
  CDNI_TRY(cdn_state_set_ty(s->report, t, y));
  return status == CDN_ERR_NOMEM ? status : CDN_OK;
}

static cdn_status differ(cdn_stepper *s, double t, const double *f, double *e, double *norm) {
  const cdni_step *step = &s->step;
  s->method->slope(s, (t - step->t0) / step->h, e);
  for (int i = 0; i < s->ny; i++) e[i] = step->h * (f[i] - e[i]);
  return measure(s, e, norm);
}

/* The rates of the run are nearly those of its companion. Only if they surprise does the companion evaluate its own. */
static const double *rates_of_guide(const cdn_stepper *s, double t) {
  cdn_state *guide = s->judged ? s->judged->report : NULL;
  const bool known = guide && cdn_state_time(guide) == t && cdni_state_is_valid(guide, CDN_UDOT) &&
                     cdni_state_is_valid(guide, CDN_ZDOT);
  return known ? cdni_state_ydot(guide) : NULL;
}

static cdn_status look_at_own(cdn_stepper *s, double t, const double *y, double *norm) {
  double *e = s->apart;
  s->certificate.report_evaluations++;
  const cdn_status status = cdn_realize(s->report, CDN_STAGE_ACCELERATION);
  *norm = 0;
  /* the State can be shown without rates */
  if (status != CDN_OK) return status == CDN_ERR_NOMEM ? status : CDN_OK;
  CDNI_TRY(differ(s, t, cdni_state_ydot(s->report), e, norm));
  return s->projector && is_surprising(s, *norm) ? measure_along(s, t, y, e, norm) : CDN_OK;
}

cdn_status cdni_look_twice(cdn_stepper *s, double t, const double *y, bool *surprising) {
  double *usual = s->looks.usual, norm = INFINITY;
  *surprising = false;
  if (s->def.fixed_step > 0 || s->ny == 0 || cdni_singular_holds(s)) return CDN_OK;
  const double *f = rates_of_guide(s, t);
  if (f) CDNI_TRY(differ(s, t, f, s->apart, &norm));
  if (!f || is_surprising(s, norm)) CDNI_TRY(look_at_own(s, t, y, &norm));
  *surprising = is_surprising(s, norm);
  usual[1] = usual[0], usual[0] = norm;
  return CDN_OK;
}

cdn_status cdni_go_back(cdn_stepper *s, double t) {
  const cdni_step *step = &s->step;
  const double from = fmax(s->reported, step->t0);
  double work, *y = s->scratch + s->stride;
  if (from > step->t0) CDNI_TRY(cdni_look(s, from, y, &work));
  else memcpy(y, step->y0, sizeof(double) * (size_t)s->ny);
  CDNI_TRY(cdni_project(s, s->report, from, y, CDNI_WHERE_OFF));
  s->covered -= s->t - from;
  s->certificate.rejected++;
  CDNI_TRY(cdni_restart(s, s->report, false, "cdn_stepper_advance"));
  s->looks.from = from, s->looks.until = t;
  return CDN_OK;
}

double cdni_looks_end(const cdn_stepper *s, double end) {
  const cdni_looks *k = &s->looks;
  const double way = k->until - k->from;
  if (!(s->t >= k->from && s->t < k->until + way)) return end;
  const double size = fmax(PART_OF_DISTANCE * fabs(k->until - s->t), fmax(PART_OF_WAY * way, cdni_min_step(s)));
  const double most = s->t < k->until && k->until - s->t < 2 * size ? k->until : s->t + size;
  return fmin(end, most);
}
