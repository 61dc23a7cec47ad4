/* The companion: a second run of the same System from the same start, ten to forty times as accurate, that advances
 * beside the first. The distance between the two is the error of the first, to within a tenth. It is measured each
 * time the first run is shown.
 *
 * An event occurs in both runs, at slightly different times. Between these times the runs are on different sides of
 * the handler's change. There they are compared on one side: the run that has passed the event is taken as it was
 * before the handler, and extrapolated along its rates. The difference of the times counts as a distance of its own:
 * rates times the shift. */
#include <math.h>
#include <stdio.h>

#include <cardan/events.h>

#include "core/archive.h"
#include "core/sized.h"
#include "integrators/companion.h"
#include "integrators/events_run.h"
#include "integrators/failure.h"
#include "integrators/unresolved.h"
#include "integrators/gauge.h"
#include "integrators/norm.h"
#include "integrators/bifurcation.h"
#include "integrators/stepper.h"
#include "system/events.h"
#include "system/system.h"

/* measured: docs/constants.md */
static const double GROWN = 1.05;

/* ---- life ------------------------------------------------------------------------------------ */

static cdn_status keep_passages(cdn_stepper *s) {
  s->passage.event = -1;
  s->passage.y = cdni_calloc(&s->allocator, sizeof(double) * 2 * (s->stride + 1));
  if (!s->passage.y) return CDN_ERR_NOMEM;
  s->passage.f = s->passage.y + s->stride;
  return CDN_OK;
}

static void forget_passages(cdn_stepper *s) {
  if (s->passage.y) cdni_free(&s->allocator, s->passage.y, sizeof(double) * 2 * (s->stride + 1));
  s->passage.y = NULL;
}

/* Steps that stability keeps short, after which a problem is known to be stiff. Measured: docs/constants.md. */
enum { MOST_STIFF = 30 };

static const char creating[] = "cdn_stepper_create";

static cdn_status make_run(cdn_stepper *s, cdn_state *state, bool stiff, cdn_stepper **run) {
  const cdn_stepper_def def = cdni_judge_def(s, stiff);
  CDNI_TRY(cdni_stepper_make(state, &def, true, creating, run));
  (*run)->judged = s;
  (*run)->interrupt = &s->interrupted, (*run)->hurry = &s->hurried;
  return keep_passages(*run);
}

/* A companion without a start. The message of a failure is on `state`. */
static cdn_status make(cdn_stepper *s, cdn_state *state) {
  cdni_companion *c = cdni_calloc(&s->allocator, sizeof *c);
  if (!c) return cdni_state_fail(state, CDN_ERR_NOMEM, false, creating, NULL, "no memory for a companion");
  s->companion = c;
  c->until = c->anew = s->t;
  c->differs = -1;
  c->shifted = -INFINITY;
  c->compared = s->t;
  c->before = cdni_calloc(&s->allocator, sizeof(double) * 2 * (s->stride + 1));
  if (!c->before) return cdni_state_fail(state, CDN_ERR_NOMEM, false, creating, NULL, "no memory for a companion");
  c->given = c->before + s->stride;
  CDNI_TRY(make_run(s, state, false, &c->run));
  CDNI_TRY(keep_passages(s));
  if (cdni_judge_has_other(s)) {
    CDNI_TRY(make_run(s, state, true, &c->other));
    c->run->most_stiff = MOST_STIFF;
  }
  return cdn_state_create(s->system, &c->place);
}

cdn_status cdni_companion_create(cdn_stepper *s, cdn_state *initial) {
  if (!s->def.companion) return CDN_OK;
  CDNI_TRY(make(s, initial));
  cdn_stepper *run = s->companion->run;
  cdn_status status = cdni_start(run, initial);
  if (s->ny) memcpy(s->companion->given, s->y[s->at], sizeof(double) * (size_t)s->ny);
  if (status != CDN_OK) cdni_state_take_error(initial, run->work);
  return status;
}

void cdni_companion_destroy(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  forget_passages(s);
  if (!c) return;
  if (c->run) cdn_stepper_destroy(c->run);
  if (c->other) cdn_stepper_destroy(c->other);
  cdn_state_destroy(c->place);
  if (c->before) cdni_free(&s->allocator, c->before, sizeof(double) * 2 * (s->stride + 1));
  cdni_free(&s->allocator, c, sizeof *c);
  s->companion = NULL;
}

cdn_stepper *cdn_stepper_companion(cdn_stepper *s) { return s && s->companion ? s->companion->run : NULL; }

/* ---- distances ------------------------------------------------------------------------------- */

cdn_status cdni_companion_measure(cdn_stepper *s, double t, const double *a, const double *b, cdni_gap *d) {
  CDNI_TRY(cdn_state_set_ty(s->companion->place, t, b));
  CDNI_TRY(cdni_distance(s, s->companion->place, a, b, d->of, &d->pool, &d->slot));
  d->largest = fmax(d->of[0], fmax(d->of[1], d->of[2]));
  return CDN_OK;
}

static cdn_status distance_to(cdn_stepper *s, cdn_state *other, cdn_distance *out) {
  static const char function[] = "cdn_stepper_distance";
  cdn_pool pool;
  int slot;
  double of[3];
  *out = (cdn_distance){ .q = NAN, .u = NAN, .z = NAN, .largest = NAN };
  if (!other || cdn_state_system(other) != s->system) {
    return cdni_fail_argument(s, function, CDN_ERR_ARG, "the other State is %s", other ? "of another System" : "NULL");
  }
  cdn_status status = cdni_distance(s, other, cdni_state_y(s->report), cdni_state_y(other), of, &pool, &slot);
  if (status != CDN_OK) return cdni_fail_evaluation(s, function, status);
  *out = (cdn_distance){ .q = of[0], .u = of[1], .z = of[2], .largest = fmax(of[0], fmax(of[1], of[2])) };
  if (slot >= 0) cdn_system_slot_name(s->system, pool, slot, out->slot, sizeof out->slot);
  return CDN_OK;
}

cdn_status cdn_stepper_distance_sized(cdn_stepper *s, cdn_state *other, cdn_distance *out, size_t size) {
  cdn_distance d;
  if (!s || !out) return cdni_refuse(CDN_ERR_ARG, "cdn_stepper_distance", "the stepper or the result is NULL");
  const cdn_status status = distance_to(s, other, &d);
  cdni_sized_write(out, size, &d, sizeof d);
  return status;
}

/* The run `s` as it was before its last event, extrapolated along its rates to time t. */
static const double *before_event(const cdn_stepper *s, double t, double *y) {
  const cdni_passage *p = &s->passage;
  for (int i = 0; i < s->ny; i++) y[i] = p->y[i] + (t - p->time) * p->f[i];
  return y;
}

static void note_distance(cdn_stepper *s, double t, const cdni_gap *d) {
  cdni_companion *c = s->companion;
  double total[3], largest = 0;
  cdni_companion_total(s, d->of, total);
  for (int i = 0; i < 3; i++) c->of[i] = fmax(c->of[i], total[i]), largest = fmax(largest, total[i]);
  if (s->def.fixed_step == 0 && c->largest <= CDNI_DELIVERED * cdni_asked(s)) {
    if (largest <= CDNI_DELIVERED * cdni_asked(s)) c->until = t;
  }
  if (!(largest > c->largest)) return;
  c->largest = largest;
  c->time = t;
  if (d->slot >= 0) cdn_system_slot_name(s->system, d->pool, d->slot, c->slot, sizeof c->slot);
}

/* ---- events ---------------------------------------------------------------------------------- */

void cdni_companion_note_event(cdn_stepper *s, int32_t event) {
  cdni_passage *p = &s->passage;
  if (!p->y) return;
  p->event = event;
  p->time = s->t;
  if (s->ny == 0) return;
  memcpy(p->y, s->y[s->at], sizeof(double) * (size_t)s->ny);
  memcpy(p->f, s->f[s->at], sizeof(double) * (size_t)s->ny);
}

/* Where the handler of a set has changed no number of y, as at lift-off, the time of the event matters as little as it
 * changes what follows: the distance of the runs says so. */
void cdni_companion_note_handled(cdn_stepper *s) {
  cdni_passage *p = &s->passage;
  if (!p->y || p->event < 0) return;
  p->smooth = cdni_event_at(s->system, p->event)->def.handle_set;
  for (int i = 0; i < s->ny && p->smooth; i++)
    p->smooth = fabs(s->y[s->at][i] - p->y[i]) <= s->def.accuracy * (1 + fabs(p->y[i]));
}

int cdni_companion_differences(const cdn_stepper *s, int32_t *event, int64_t *lead, int64_t *behind, bool *only_sets) {
  const struct cdni_events *a = s->events, *b = s->companion->run->events;
  int differences = 0;
  *event = -1;
  *lead = *behind = 0;
  *only_sets = true;
  for (int32_t i = 0; a && i < a->n; i++) {
    const cdni_event *e = cdni_event_at(s->system, i);
    if (e->def.kind != CDN_EVENT_TRIGGERED || !cdni_event_is_handled(e)) continue;
    int64_t d = a->records[i].count - a->records[i].agreed - b->records[i].count;
    if (d == 0) continue;
    *only_sets = *only_sets && e->def.handle_set;
    if (*event < 0) *event = i, *lead = d, *behind = d > 0 ? b->records[i].count : a->records[i].count;
    differences += (int)fmin(fabs((double)d), 1000);
  }
  return differences;
}

static void name_alone(cdn_stepper *s, int32_t event, double t) {
  cdni_companion *c = s->companion;
  if (c->alone[0]) return;
  snprintf(c->alone, sizeof c->alone, "%s", cdn_event_name(s->system, (cdn_event){ event }));
  c->alone_time = t;
}

/* Counts the last event of both runs, once: their distance before it, and its shift in time. */
static cdn_status compare_passages(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  const cdni_passage *a = &s->passage, *b = &c->run->passage;
  double *y = s->scratch + s->stride;
  cdni_gap d;
  if (a->event < 0 || a->event != b->event || a->time == c->shifted) return CDN_OK;
  if (s->events->records[a->event].agreed != 0) return CDN_OK; /* not the same occurrence */
  c->shifted = a->time;
  if (a->smooth && b->smooth) return CDN_OK;
  c->shift = fmax(c->shift, fabs(a->time - b->time));
  CDNI_TRY(cdni_companion_measure(s, a->time, a->y, before_event(c->run, a->time, y), &d));
  note_distance(s, a->time, &d);
  for (int i = 0; i < s->ny; i++) y[i] = a->y[i] + (a->time - b->time) * a->f[i];
  CDNI_TRY(cdni_companion_measure(s, a->time, a->y, y, &d));
  note_distance(s, a->time, &d);
  return CDN_OK;
}

/* One run has passed an event that the other has not: compares before the event, if it is recent. */
static cdn_status compare_before(cdn_stepper *s, double t, bool run_leads, cdni_gap *d) {
  cdn_stepper *other = s->companion->run, *leader = run_leads ? s : other, *behind = run_leads ? other : s;
  double *y = s->scratch + s->stride;
  cdni_gap before;
  CDNI_TRY(cdni_companion_measure(s, t, cdni_state_y(behind->report), before_event(leader, t, y), &before));
  if (before.largest < d->largest) *d = before;
  return CDN_OK;
}

/* Events of sets need not occur equally often: the more exact run hammers longer before it rests. The runs agree where
 * they are near each other, whatever the counts; until then the nearest of three distances counts, of the runs as they
 * are and with either as it was before its last event. */
static cdn_status compare_sets(cdn_stepper *s, double t, cdni_gap *d) {
  const struct cdni_events *a = s->events, *b = s->companion->run->events;
  if (d->largest > CDNI_DELIVERED * cdni_asked(s)) {
    if (s->passage.event >= 0) CDNI_TRY(compare_before(s, t, true, d));
    if (s->companion->run->passage.event >= 0) CDNI_TRY(compare_before(s, t, false, d));
    return CDN_OK;
  }
  for (int32_t i = 0; i < a->n; i++) {
    const int64_t agreed = a->records[i].count - b->records[i].count;
    if (!cdni_event_at(s->system, i)->def.handle_set || a->records[i].agreed == agreed) continue;
    a->records[i].agreed = agreed;
    cdni_grazes_settle(s, i);
  }
  return CDN_OK;
}

static cdn_status compare(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  double t = s->reported;
  cdni_gap d;
  int32_t event;
  int64_t lead, behind;
  bool only_sets;
  int differences = cdni_companion_differences(s, &event, &lead, &behind, &only_sets);
  if (differences == 0) {
    c->differs = -1;
    CDNI_TRY(compare_passages(s));
  }
  /* both have been stopped, at slightly different times: the comparison before the event is all that is possible */
  if (c->run->reported != t) {
    if (cdn_stepper_is_stopped(s) && cdn_stepper_is_stopped(c->run) && differences == 0) {
      c->compared = t;
      return CDN_OK;
    }
    c->lost = true;
    cdni_print(c->message, sizeof c->message, "an event stopped %s at t = %.9g, and not the other run",
               c->run->reported < t ? "the companion" : "the run", fmin(c->run->reported, t));
    if (event >= 0) name_alone(s, event, fmin(c->run->reported, t));
    return CDN_OK;
  }
  CDNI_TRY(cdni_companion_measure(s, t, cdni_state_y(s->report), cdni_state_y(c->run->report), &d));
  cdni_grazes_compare(s);
  if (differences == 0) cdni_unresolved_compare(s, s->apart + s->stride);
  bool lasts = event >= 0 && c->differs == event && c->behind == behind;
  if (s->events && s->events->n_sets > 0 && only_sets) {
    CDNI_TRY(compare_sets(s, t, &d));
    if (event >= 0 && d.largest > CDNI_DELIVERED * cdni_asked(s)) name_alone(s, event, t);
  } else if (differences == 1 && !lasts) {
    const cdni_passage *p = lead > 0 ? &s->passage : &c->run->passage;
    if (p->event == event) CDNI_TRY(compare_before(s, t, lead > 0, &d));
    c->differs = event;
    c->behind = behind;
    c->since = t;
  } else if (differences > 0 && d.largest > CDNI_DELIVERED * cdni_asked(s)) {
    name_alone(s, event, lasts ? c->since : t);
  }
  memcpy(c->present, d.of, sizeof c->present);
  note_distance(s, t, &d);
  if (!c->bifurcation.name[0]) cdni_bifurcated(s, c->run, c->compared, t, &c->bifurcation);
  c->compared = t;
  return CDN_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

void cdni_companion_note_step(cdn_stepper *s) {
  if (!s->companion) return;
  cdni_growth *g = &s->companion->growth;
  if (g->n == CDNI_MOST_GROWN || (g->n > 0 && s->taken < GROWN * g->size[g->n - 1])) return;
  g->from[g->n] = s->step.t0, g->size[g->n++] = s->taken;
}

double cdni_companion_longest_step(const cdn_stepper *s, double t) {
  const cdni_growth *g = &s->companion->growth;
  int k = g->n - 1;
  while (k > 0 && g->from[k] > t) k--;
  return k < 0 ? INFINITY : g->size[k];
}

/* ---- advancing ------------------------------------------------------------------------------- */

void cdni_companion_lose(cdni_companion *c, const cdn_error *error) {
  enum { MOST = 140 };
  /* a singular pose explains more than the error of a step */
  const bool posed = cdni_blames_pose(&c->run->failure) && c->run->failure.error.code == error->code;
  const char *text = posed ? c->run->failure.advice : error->text;
  int n = (int)strlen(text);
  c->lost = true;
  if (n > MOST) /* whole words */
    for (n = MOST; n > 0 && text[n] != ' ';) n--;
  cdni_print(c->message, sizeof c->message, "the companion failed at t = %.9g: %.*s%s", c->run->t, n, text,
             text[n] ? " ..." : "");
}

static void exchange(cdni_companion *c) {
  cdn_stepper *run = c->run;
  c->run = c->other, c->other = run;
  c->stiff = true;
}

/* The problem is stiff: the other method goes on from where this one has come to, with the same events behind it. */
static void go_on_stiff(cdni_companion *c) {
  const cdn_stepper *from = c->run;
  cdn_stepper *run = c->other;
  const int32_t n = from->events ? from->events->n : 0;
  c->evaluated = from->certificate.evaluations;
  for (int32_t i = 0; i < n; i++) run->events->records[i] = from->events->records[i];
  const cdn_status status = cdni_start(run, from->report);
  if (n > 0) run->events->started = from->events->started;
  run->passage.event = from->passage.event, run->passage.time = from->passage.time;
  memcpy(run->passage.y, from->passage.y, sizeof(double) * 2 * (run->stride + 1));
  exchange(c);
  if (status == CDN_OK) return;
  cdn_error error;
  cdn_state_last_error(run->work, &error);
  cdni_companion_lose(c, &error);
}

/* Or it is so fast, undamped, that a method of ours takes too many steps. */
static bool is_too_slow(const cdn_stepper *s) {
  enum { TIMES = 4, FREE = 500 };
  const cdni_companion *c = s->companion;
  return c->other && !c->stiff && !c->lost && !cdn_stepper_is_stopped(c->run) &&
         c->run->certificate.evaluations > TIMES * s->certificate.evaluations + FREE;
}

static cdn_status go_to(cdn_stepper *s, double t) {
  cdni_companion *c = s->companion;
  if (c->lost || c->run->reported >= t || cdn_stepper_is_stopped(c->run)) return CDN_OK;
  cdn_status status = cdn_stepper_advance(c->run, t, NULL);
  if (status == CDN_ERR_LIMIT && cdni_is_too_stiff(c->run)) {
    go_on_stiff(c);
    return go_to(s, t);
  }
  if (status == CDN_OK || status == CDN_ERR_LIMIT) return status;
  cdni_companion_lose(c, &c->run->failure.error);
  return CDN_OK;
}

cdn_status cdni_companion_catch_up(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  return c ? go_to(s, s->reported) : CDN_OK;
}

cdn_status cdni_companion_follow(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c || c->lost) return CDN_OK;
  CDNI_TRY(go_to(s, s->reported));
  if (is_too_slow(s)) go_on_stiff(c);
  /* if a handler has stopped the run, the companion should be stopped soon after */
  if (cdn_stepper_is_stopped(s) && !cdn_stepper_is_stopped(c->run))
    CDNI_TRY(go_to(s, fmin(s->def.final_time, s->reported + 2 * fmax(s->taken, c->run->taken))));
  if (c->lost) return CDN_OK;
  cdn_status status = compare(s);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(c->place, &error);
    cdni_companion_lose(c, &error);
  }
  return CDN_OK;
}

cdn_status cdni_companion_show(cdn_stepper *s, cdn_return_reason reason) {
  cdni_companion *c = s->companion;
  cdn_status status = cdni_companion_follow(s);
  if (c) c->owed = status == CDN_ERR_LIMIT, c->reason = reason;
  return status;
}

bool cdni_companion_owes(cdn_stepper *s, cdn_return_reason *reason) {
  cdni_companion *c = s->companion;
  if (!c || !c->owed) return false;
  *reason = c->reason;
  return true;
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* With half the step a method of order p has 2^-p of the error, so the distance is 1 - 2^-p of the error. */
static double share(const cdn_stepper *s) {
  if (s->def.fixed_step == 0) return 1;
  return 1 / (1 - pow(0.5, s->method->order));
}

void cdni_companion_certify(const cdn_stepper *s, cdn_certificate *out) {
  const cdni_companion *c = s->companion;
  out->delivered = CDN_VERDICT_UNKNOWN;
  out->accuracy = s->def.fixed_step > 0 ? 0 : cdni_asked(s);
  out->step_accuracy = s->def.fixed_step > 0 ? 0 : s->def.accuracy;
  out->error_estimate = out->error_estimate_q = out->error_estimate_u = out->error_estimate_z = NAN;
  out->error_time = out->delivered_until = out->amplification = out->event_shift = out->compared_since =
      out->compared_until = NAN;
  if (!c) return;
  double scale = share(s);
  out->error_estimate = scale * c->largest;
  out->error_estimate_q = scale * c->of[0];
  out->error_estimate_u = scale * c->of[1];
  out->error_estimate_z = scale * c->of[2];
  out->error_time = c->time;
  memcpy(out->error_slot, c->slot, sizeof c->slot);
  out->event_shift = c->shift;
  out->compared_since = c->anew;
  out->compared_until = c->compared;
  memcpy(out->event_alone, c->alone, sizeof c->alone);
  out->event_alone_time = c->alone_time;
  memcpy(out->companion_message, c->message, sizeof c->message);
  out->companion_evaluations = c->evaluated + c->run->certificate.evaluations;
  if (s->local_errors > 0) out->amplification = c->largest / s->local_errors;
  if (s->def.fixed_step > 0) return;
  out->delivered_until = c->until;
  if (c->largest > CDNI_DELIVERED * cdni_asked(s)) {
    out->delivered = CDN_VERDICT_NOT_DELIVERED;
    memcpy(out->bifurcation, c->bifurcation.name, sizeof out->bifurcation);
    out->bifurcation_time = c->bifurcation.time;
  } else if (!c->lost) out->delivered = CDN_VERDICT_DELIVERED;
}

/* ---- checkpoints ----------------------------------------------------------------------------- */

static void archive_text(cdni_archive *a, char *text, size_t size) {
  cdni_archive_bytes(a, text, size);
  if (a->loading && !memchr(text, 0, size)) {
    text[size - 1] = 0;
    cdni_archive_fail(a, CDN_ERR_PARSE, "a text in it does not end");
  }
}

static void archive_passage(cdn_stepper *s, cdni_archive *a) {
  cdni_passage *p = &s->passage;
  int event = p->event;
  cdni_archive_int(a, &event, -1, cdn_system_event_count(s->system) - 1);
  p->event = event;
  cdni_archive_double(a, &p->time);
  cdni_archive_bool(a, &p->smooth);
  cdni_archive_doubles(a, p->y, (size_t)s->ny);
  cdni_archive_doubles(a, p->f, (size_t)s->ny);
}

void cdni_companion_archive(cdn_stepper *s, cdn_state *state, cdni_archive *a) {
  if (!s->def.companion || a->status != CDN_OK) return;
  if (a->loading) {
    cdn_status status = make(s, state);
    if (status != CDN_OK) {
      cdni_archive_fail(a, status, NULL);
      return;
    }
  }
  cdni_companion *c = s->companion;
  bool stiff = c->stiff;
  int differs = c->differs, reason = (int)c->reason;
  double *const numbers[] = { &c->largest, &c->of[0], &c->of[1],      &c->of[2],   &c->time,     &c->until,
                              &c->shift,   &c->since, &c->alone_time, &c->shifted, &c->compared, &c->bifurcation.time,
                              &c->anew,    &c->local };
  cdni_archive_mark(a, "PAIR");
  cdni_archive_bool(a, &stiff);
  if (stiff && !c->other) cdni_archive_fail(a, CDN_ERR_PARSE, "its companion is not possible");
  if (stiff && !c->stiff && c->other) exchange(c);
  cdni_archive_int64(a, &c->evaluated, 0, INT64_MAX);
  cdni_archive_bool(a, &c->lost);
  cdni_archive_bool(a, &c->owed);
  cdni_archive_int(a, &reason, 0, CDN_STOPPED);
  cdni_archive_int(a, &differs, -1, cdn_system_event_count(s->system) - 1);
  cdni_archive_int64(a, &c->behind, 0, INT64_MAX);
  c->differs = differs;
  c->reason = (cdn_return_reason)reason;
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_doubles(a, c->present, 3);
  cdni_archive_doubles(a, c->carried, 3);
  cdni_archive_doubles(a, c->given, (size_t)s->ny);
  cdni_archive_int(a, &c->growth.n, 0, CDNI_MOST_GROWN);
  cdni_archive_doubles(a, c->growth.from, (size_t)c->growth.n);
  cdni_archive_doubles(a, c->growth.size, (size_t)c->growth.n);
  archive_text(a, c->slot, sizeof c->slot);
  archive_text(a, c->alone, sizeof c->alone);
  archive_text(a, c->message, sizeof c->message);
  archive_text(a, c->bifurcation.name, sizeof c->bifurcation.name);
  archive_passage(s, a);
  archive_passage(c->run, a);
  cdni_archive_run(c->run, a);
}
