/* Runs of a study that delivers: reports, the caller's functions, the record of the first companion. */
#include "studies/deliver.h"

#include <math.h>

#include "integrators/gauge.h"
#include "system/system.h"

static const char function[] = "cdn_deliver";

enum { RECORDED = 1000 };

/* ---- reports --------------------------------------------------------------------------------- */

/* A last report that rounding has put a little before the end is the end. */
static int64_t count_reports(const cdni_study *x) {
  const double end = x->def.final_time;
  if (!x->how.times) return (int64_t)fmax(1, ceil((end - x->t0) / x->interval - 1e-9));
  const int n = x->how.n_times;
  return n > 0 && x->how.times[n - 1] == end ? n : n + 1;
}

/* By multiplication, so that no rounding piles up. */
static double report_time(const cdni_study *x, int64_t k) {
  if (k >= x->reports) return x->def.final_time;
  return x->how.times ? x->how.times[k - 1] : fmin(x->t0 + (double)k * x->interval, x->def.final_time);
}

cdn_status cdni_study_begin(cdni_study *x, bool smooth) {
  x->interval = x->how.interval > 0 ? x->how.interval : (x->def.final_time - x->t0) / 100;
  x->reports = count_reports(x);
  if (!smooth) return CDN_OK;
  x->record.stride = (x->reports + RECORDED - 1) / RECORDED;
  x->record.rows = x->reports / x->record.stride + 1;
  x->record.y = cdni_calloc(&x->allocator, sizeof(double) * (size_t)x->record.rows * (size_t)(x->ny + 1));
  cdn_status status = x->record.y ? cdn_state_create(cdn_state_system(x->initial), &x->place) : CDN_ERR_NOMEM;
  return status == CDN_OK ? CDN_OK : cdni_state_fail(x->initial, status, false, function, NULL, "out of memory");
}

void cdni_study_end(cdni_study *x) {
  cdn_state_destroy(x->place);
  cdni_free(&x->allocator, x->record.y, sizeof(double) * (size_t)x->record.rows * (size_t)(x->ny + 1));
}

/* ---- the record ------------------------------------------------------------------------------ */

/* The row of report k, or NULL if it has none. */
static double *row_of(const cdni_study *x, int64_t k) {
  const cdni_record *r = &x->record;
  if (!r->y || (k % r->stride != 0 && k != x->reports)) return NULL;
  return r->y + ((k + r->stride - 1) / r->stride - 1) * x->ny;
}

static void keep_row(const cdni_study *x, cdn_stepper *companion, int64_t k) {
  const cdn_state *s = cdn_stepper_state(companion);
  double *y = row_of(x, k);
  if (y && x->ny) memcpy(y, cdni_state_y(s), sizeof *y * (size_t)x->ny);
}

static cdn_status compare_row(const cdni_study *x, cdn_stepper *stepper, int64_t k, cdni_found *found) {
  const double t = cdn_state_time(cdn_stepper_state(stepper)), *y = row_of(x, k);
  cdn_distance d;
  if (!y) return CDN_OK;
  CDNI_TRY(cdn_state_set_ty(x->place, t, y));
  CDNI_TRY(cdn_stepper_distance(stepper, x->place, &d));
  found->of[0] = fmax(found->of[0], d.q);
  found->of[1] = fmax(found->of[1], d.u);
  found->of[2] = fmax(found->of[2], d.z);
  if (d.largest > found->largest) {
    found->largest = d.largest;
    found->time = t;
    memcpy(found->slot, d.slot, sizeof d.slot);
  }
  if (found->largest <= CDNI_DELIVERED * x->def.accuracy) found->until = t;
  return CDN_OK;
}

/* ---- a run ----------------------------------------------------------------------------------- */

/* A status that the caller's own function returned. */
static cdn_status callers(cdni_study *x, const char *name, cdn_status status) {
  if (status == CDN_OK) return CDN_OK;
  x->ended = true;
  return cdni_state_fail(x->initial, status, false, function, NULL, "the function `%s` of the def returned %s", name,
                         cdn_status_name(status));
}

static cdn_status report(cdni_study *x, const cdni_attempt *a, int64_t k) {
  if (!x->how.report) return CDN_OK;
  return callers(x, "report", x->how.report(x->how.context, a->stepper, a->number, k));
}

/* The caller's function has failed where the stepper has not. */
static cdn_status check_callers(cdni_study *x, cdn_stepper *stepper, cdn_status status) {
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  return failure.error.code == status ? status : callers(x, "advance", status);
}

/* To the time t, with pauses, one of them at each moment with events where the caller wants to see these. */
static cdn_status advance(cdni_study *x, const cdni_attempt *a, double t, cdn_return_reason *reason) {
  for (;;) {
    *reason = CDN_REACHED_TIME;
    const cdn_status status = x->how.advance ? x->how.advance(x->how.context, a->stepper, a->number, t, reason)
                                             : cdn_stepper_advance(a->stepper, t, reason);
    const bool pauses = status == CDN_ERR_LIMIT || (status == CDN_OK && *reason == CDN_HANDLED_EVENT);
    if (!pauses) return x->how.advance ? check_callers(x, a->stepper, status) : status;
    if (x->how.pause) CDNI_TRY(callers(x, "pause", x->how.pause(x->how.context, a->stepper, a->number)));
  }
}

static cdn_status run_reports(cdni_study *x, const cdni_attempt *a, cdni_found *found) {
  cdn_stepper *companion = cdn_stepper_companion(a->stepper);
  cdn_return_reason reason = CDN_REACHED_TIME;
  CDNI_TRY(report(x, a, 0));
  for (int64_t k = 1; k <= x->reports && reason != CDN_STOPPED; k++) {
    const double t = report_time(x, k);
    if (t < cdn_state_time(cdn_stepper_state(a->stepper))) continue; /* a handler has moved the time */
    CDNI_TRY(advance(x, a, t, &reason));
    if (companion && a->number == 0) keep_row(x, companion, k);
    if (!companion) CDNI_TRY(compare_row(x, a->stepper, k, found));
    CDNI_TRY(report(x, a, k));
  }
  return CDN_OK;
}

static cdn_stepper_def def_of(const cdni_study *x, const cdni_attempt *a, bool companion) {
  cdn_stepper_def def = x->def;
  def.asked_accuracy = x->def.accuracy;
  def.accuracy = a->accuracy;
  def.companion = companion;
  if (a->number == 0) return def;
  def.initial_step = 0;
  if (def.constraint_tolerance > 0)
    def.constraint_tolerance = fmax(1e-13, def.constraint_tolerance * a->accuracy / x->def.accuracy);
  return def;
}

/* What the record is worth: the companion of the first attempt. */
static void note_companion(cdni_study *x, cdn_stepper *stepper) {
  const cdn_stepper_def own = cdn_stepper_get_def(stepper), judge = cdn_stepper_get_def(cdn_stepper_companion(stepper));
  x->record.accuracy = judge.accuracy;
  x->record.same_method = judge.method == own.method;
}

/* The message of a failed run goes to the caller's State. */
static cdn_status tell(cdni_study *x, cdn_stepper *stepper, cdn_status status) {
  cdn_failure failure;
  if (x->ended) return status;
  cdn_stepper_failure(stepper, &failure);
  if (failure.error.code != CDN_OK) cdni_state_set_error(x->initial, &failure.error);
  else cdni_state_fail(x->initial, status, false, function, NULL, "two runs could not be compared");
  return status;
}

cdn_status cdni_study_run(cdni_study *x, double accuracy, bool companion, cdni_attempt *out, cdni_found *found) {
  cdn_delivery *d = &x->delivery;
  *out = (cdni_attempt){ .number = d->attempts++, .accuracy = accuracy };
  *found = (cdni_found){ .until = x->t0 };
  const cdn_stepper_def def = def_of(x, out, companion);
  d->runs += companion ? 2 : 1;
  CDNI_TRY(cdn_stepper_create(x->initial, &def, &out->stepper));
  if (out->number == 0) note_companion(x, out->stepper);
  cdn_status status = run_reports(x, out, found), certified = cdn_stepper_certificate(out->stepper, &out->certificate);
  d->evaluations += out->certificate.evaluations;
  if (companion) d->evaluations += out->certificate.companion_evaluations;
  if (status == CDN_OK) status = certified;
  return status == CDN_OK ? CDN_OK : tell(x, out->stepper, status);
}
