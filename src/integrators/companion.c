/* The companion: a second run of the same System from the same start, ten to forty times as accurate, that advances
 * beside the first. The distance between the two is the error of the first, to within a tenth. It is measured each
 * time the first run is shown.
 *
 * An event occurs in both runs, at slightly different times. Between these times the runs are on different sides of
 * the handler's change. There they are compared on one side: the run that has passed the event is taken as it was
 * before the handler, and extrapolated along its rates. The difference of the times counts as a distance of its own:
 * rates times the shift. */
#include <stdio.h>

#include "integrators/events.h"

typedef struct cdni_companion {
  cdn_stepper *run;
  cdn_state *place; /* for norms: N at the compared q */
  bool lost;        /* it could not continue, or has parted from the run */
  bool owed;        /* the run has been shown, and the companion has not caught up */
  cdn_why why;      /* if so: the value that advance then returns */
  double largest, of[3], time, until, shift;
  char slot[96], alone[64], story[192];
  double alone_time;
  int32_t differs; /* at the last comparison: the event that only one run had had, or -1 */
  int64_t behind;  /* number of its occurrences in the other run */
  double since;    /* time since when they differ */
  double shifted;  /* time of the last event whose shift has been counted */
  double compared; /* time of the last comparison */
  cdni_parting parting;
} cdni_companion;

/* The companion's method and accuracy. A method of low order needs two to ten times its evaluations for a tenth of
 * the accuracy, so the default method judges it at less cost, at a hundredth. Adams' method of SUNDIALS is judged by
 * one of ours, and IDA by the other method for stiff problems: two methods do not make the same mistake. The convex step is judged by
 * itself: where contact is stiff, nothing else gets on. Its error goes with the power 2/3 of the accuracy.
 *
 * The errors of methods of variable order follow the accuracy less evenly, and may be as large at a tenth of it; a
 * fortieth costs little more. Close to rounding it gains nothing. */
static cdn_stepper_def judge_of(const cdn_stepper *s, cdn_stepper_def def) {
  double part = 0.1;
  switch (def.method) {
    case CDN_METHOD_BOGACKI_SHAMPINE:
    case CDN_METHOD_VERLET:
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2:
    case CDN_METHOD_EXPLICIT_EULER:
    case CDN_METHOD_TRAPEZOID:
      def.method = CDN_METHOD_DEFAULT;
      part = 0.01;
      break;
    case CDN_METHOD_CONVEX: part = 0.03; break;
    case CDN_METHOD_CVODE_ADAMS: def.method = CDN_METHOD_DEFAULT; break;
    case CDN_METHOD_IDA:
      def.method = CDN_METHOD_CVODE_BDF;
      part *= 0.7;
      break;
    default: break;
  }
  if (cdni_choose_method(&def, cdni_projects(s->system)) == &cdni_adams) part *= 0.25;
  def.accuracy = fmin(0.1 * def.accuracy, fmax(part * def.accuracy, 2.5e-12));
  def.accuracy = fmax(def.accuracy, 1e-15);
  return def;
}

static cdn_stepper_def def_of(const cdn_stepper *s) {
  cdn_stepper_def def = s->def;
  def.companion = false;
  def.user = s->def.companion_user;
  def.return_on_events = false;
  def.initial_step = 0;
  if (def.fixed_step > 0) {
    def.fixed_step *= 0.5;
    return def;
  }
  def.constraint_tolerance = fmax(0.1 * def.constraint_tolerance, 1e-13);
  return judge_of(s, def);
}

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

/* A companion without a start. The message of a failure is on `state`. */
static cdn_status make(cdn_stepper *s, cdn_state *state) {
  static const char function[] = "cdn_stepper_create";
  cdni_companion *c = cdni_calloc(&s->allocator, sizeof *c);
  if (!c) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "no memory for a companion");
  s->companion = c;
  c->until = s->t;
  c->differs = -1;
  c->shifted = -INFINITY;
  c->compared = s->t;
  const cdn_stepper_def def = def_of(s);
  cdn_status status = cdni_stepper_make(state, &def, true, function, &c->run);
  if (status == CDN_OK) status = cdn_state_create(s->system, &c->place);
  if (status == CDN_OK) status = keep_passages(s);
  if (status == CDN_OK) status = keep_passages(c->run);
  return status;
}

cdn_status cdni_companion_create(cdn_stepper *s, cdn_state *initial) {
  if (!s->def.companion) return CDN_OK;
  CDNI_TRY(make(s, initial));
  cdn_stepper *run = s->companion->run;
  cdn_status status = cdni_start(run, initial);
  if (status != CDN_OK) cdni_state_take_error(initial, run->work);
  return status;
}

void cdni_companion_destroy(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  forget_passages(s);
  if (!c) return;
  if (c->run) cdn_stepper_destroy(c->run);
  cdn_state_destroy(c->place);
  cdni_free(&s->allocator, c, sizeof *c);
  s->companion = NULL;
}

cdn_stepper *cdn_stepper_companion(cdn_stepper *s) { return s && s->companion ? s->companion->run : NULL; }

/* ---- distances ------------------------------------------------------------------------------- */

typedef struct distance {
  double of[3], largest;
  cdn_pool pool;
  int slot;
} distance;

static cdn_status measure(cdn_stepper *s, double t, const double *a, const double *b, distance *d) {
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

static void note_distance(cdn_stepper *s, double t, const distance *d) {
  cdni_companion *c = s->companion;
  for (int i = 0; i < 3; i++) c->of[i] = fmax(c->of[i], d->of[i]);
  if (s->def.fixed_step == 0 && c->largest <= 3 * s->def.accuracy) {
    if (d->largest <= 3 * s->def.accuracy) c->until = t;
  }
  if (!(d->largest > c->largest)) return;
  c->largest = d->largest;
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

/* The number of triggered events with handlers by which the two runs differ. *event is the first of them; *lead is
 * the difference of their numbers in it, and *behind is the smaller number. */
static int count_differences(const cdn_stepper *s, int32_t *event, int64_t *lead, int64_t *behind) {
  const struct cdni_events *a = s->events, *b = s->companion->run->events;
  int differences = 0;
  *event = -1;
  *lead = *behind = 0;
  for (int32_t i = 0; a && i < a->n; i++) {
    const cdni_event *e = cdni_event_at(s->system, i);
    if (e->def.kind != CDN_EVENT_TRIGGERED || !e->def.handle) continue;
    int64_t d = a->records[i].count - b->records[i].count;
    if (d == 0) continue;
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
  distance d;
  if (a->event < 0 || a->event != b->event || a->time == c->shifted) return CDN_OK;
  c->shifted = a->time;
  c->shift = fmax(c->shift, fabs(a->time - b->time));
  CDNI_TRY(measure(s, a->time, a->y, before_event(c->run, a->time, y), &d));
  note_distance(s, a->time, &d);
  for (int i = 0; i < s->ny; i++) y[i] = a->y[i] + (a->time - b->time) * a->f[i];
  CDNI_TRY(measure(s, a->time, a->y, y, &d));
  note_distance(s, a->time, &d);
  return CDN_OK;
}

/* One run has passed an event that the other has not: compares before the event, if it is recent. */
static cdn_status compare_before(cdn_stepper *s, double t, bool run_leads, distance *d) {
  cdn_stepper *other = s->companion->run, *leader = run_leads ? s : other, *behind = run_leads ? other : s;
  double *y = s->scratch + s->stride;
  distance before;
  CDNI_TRY(measure(s, t, cdni_state_y(behind->report), before_event(leader, t, y), &before));
  if (before.largest < d->largest) *d = before;
  return CDN_OK;
}

static cdn_status compare(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  double t = s->reported;
  distance d;
  int32_t event;
  int64_t lead, behind;
  int differences = count_differences(s, &event, &lead, &behind);
  if (differences == 0) {
    c->differs = -1;
    CDNI_TRY(compare_passages(s));
  }
  /* both have been stopped, at slightly different times: the comparison before the event is all that is possible */
  if (c->run->reported != t) {
    if (cdn_stepper_is_stopped(s) && cdn_stepper_is_stopped(c->run) && differences == 0) return CDN_OK;
    c->lost = true;
    snprintf(c->story, sizeof c->story, "an event stopped %s at t = %.9g, and not the other run",
             c->run->reported < t ? "the companion" : "the run", fmin(c->run->reported, t));
    if (event >= 0) name_alone(s, event, fmin(c->run->reported, t));
    return CDN_OK;
  }
  CDNI_TRY(measure(s, t, cdni_state_y(s->report), cdni_state_y(c->run->report), &d));
  if (differences == 0) cdni_faint_compare(s, s->apart + s->stride);
  bool lasts = event >= 0 && c->differs == event && c->behind == behind;
  if (differences == 1 && !lasts) {
    const cdni_passage *p = lead > 0 ? &s->passage : &c->run->passage;
    if (p->event == event) CDNI_TRY(compare_before(s, t, lead > 0, &d));
    c->differs = event;
    c->behind = behind;
    c->since = t;
  } else if (differences > 0 && d.largest > 3 * s->def.accuracy) {
    name_alone(s, event, lasts ? c->since : t);
  }
  note_distance(s, t, &d);
  if (!c->parting.name[0]) cdni_parted(s, c->run, c->compared, t, &c->parting);
  c->compared = t;
  return CDN_OK;
}

/* ---- advancing ------------------------------------------------------------------------------- */

static void lose(cdni_companion *c, const cdn_error *error) {
  enum { MOST = 140 };
  /* a singular pose explains more than the error of a step */
  const bool posed = cdni_blames_pose(&c->run->failure) && c->run->failure.error.code == error->code;
  const char *text = posed ? c->run->failure.advice : error->text;
  int n = (int)strlen(text);
  c->lost = true;
  if (n > MOST) /* whole words */
    for (n = MOST; n > 0 && text[n] != ' ';) n--;
  snprintf(c->story, sizeof c->story, "the companion failed at t = %.9g: %.*s%s", c->run->t, n, text,
           text[n] ? " ..." : "");
}

static cdn_status go_to(cdni_companion *c, double t) {
  if (c->lost || c->run->reported >= t || cdn_stepper_is_stopped(c->run)) return CDN_OK;
  cdn_status status = cdn_stepper_advance(c->run, t, NULL);
  if (status == CDN_OK || status == CDN_ERR_LIMIT) return status;
  lose(c, &c->run->failure.error);
  return CDN_OK;
}

cdn_status cdni_companion_catch_up(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  return c ? go_to(c, s->reported) : CDN_OK;
}

cdn_status cdni_companion_follow(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c || c->lost) return CDN_OK;
  CDNI_TRY(go_to(c, s->reported));
  /* if a handler has stopped the run, the companion should be stopped soon after */
  if (cdn_stepper_is_stopped(s) && !cdn_stepper_is_stopped(c->run))
    CDNI_TRY(go_to(c, fmin(s->def.final_time, s->reported + 2 * fmax(s->taken, c->run->taken))));
  if (c->lost) return CDN_OK;
  cdn_status status = compare(s);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(c->place, &error);
    lose(c, &error);
  }
  return CDN_OK;
}

cdn_status cdni_companion_show(cdn_stepper *s, cdn_why why) {
  cdni_companion *c = s->companion;
  cdn_status status = cdni_companion_follow(s);
  if (c) c->owed = status == CDN_ERR_LIMIT, c->why = why;
  return status;
}

bool cdni_companion_owes(cdn_stepper *s, cdn_why *why) {
  cdni_companion *c = s->companion;
  if (!c || !c->owed) return false;
  *why = c->why;
  return true;
}

void cdni_companion_pass_on(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c || c->lost || cdni_state_pass_on(s->report, s->noted, c->run->report) == CDN_OK) return;
  cdn_error error;
  cdn_state_last_error(c->run->report, &error);
  lose(c, &error);
}

void cdni_companion_restart(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c || c->lost) return;
  c->owed = false;
  c->differs = -1;
  c->compared = s->t;
  s->passage.event = c->run->passage.event = -1;
  cdn_status status = cdn_state_copy(c->place, s->report);
  if (status == CDN_OK) status = cdni_restart(c->run, c->place, true, "cdn_stepper_restart");
  if (status != CDN_OK) lose(c, &c->run->failure.error);
  /* from now on both have had the same events */
  const struct cdni_events *a = s->events, *b = c->run->events;
  for (int32_t i = 0; a && i < a->n; i++) b->records[i].count = a->records[i].count;
}

/* ---- the certificate ------------------------------------------------------------------------- */

/* With half the step a method of order p has 2^-p of the error, so the distance is 1 - 2^-p of the error. */
static double share(const cdn_stepper *s) {
  if (s->def.fixed_step == 0) return 1;
  return 1 / (1 - pow(0.5, fmax(1, s->method->error_order - 1)));
}

/* Two runs that both err by rounding, or that are about as accurate, may come close to each other by chance. */
static bool is_doubtful(const cdn_stepper *s, cdn_certificate *out) {
  static const double NOISE = 0.2, NEAR_ROUNDING = 3e-12;
  const cdn_stepper *judge = s->companion->run;
  const double alpha = s->def.accuracy;
  if (s->singular.rounding > NOISE * alpha) {
    snprintf(out->doubt, sizeof out->doubt,
             "rounding at singular poses may add %.1g, and more where the motion amplifies it", s->singular.rounding);
  } else if (judge->def.method >= CDN_METHOD_CVODE_BDF && judge->def.accuracy <= NEAR_ROUNDING &&
             s->companion->largest > alpha) {
    snprintf(out->doubt, sizeof out->doubt, "the companion, at %.1g, is too near to rounding to tell",
             judge->def.accuracy);
  }
  return out->doubt[0];
}

void cdni_companion_certify(const cdn_stepper *s, cdn_certificate *out) {
  const cdni_companion *c = s->companion;
  out->delivered = CDN_VERDICT_UNKNOWN;
  out->accuracy = s->def.fixed_step > 0 ? 0 : s->def.accuracy;
  out->error_estimate = out->error_estimate_q = out->error_estimate_u = out->error_estimate_z = NAN;
  out->error_time = out->delivered_until = out->amplification = out->event_shift = NAN;
  memset(out->doubt, 0, sizeof out->doubt);
  if (!c) return;
  double scale = share(s);
  out->error_estimate = scale * c->largest;
  out->error_estimate_q = scale * c->of[0];
  out->error_estimate_u = scale * c->of[1];
  out->error_estimate_z = scale * c->of[2];
  out->error_time = c->time;
  memcpy(out->error_slot, c->slot, sizeof c->slot);
  out->event_shift = c->shift;
  memcpy(out->event_alone, c->alone, sizeof c->alone);
  out->event_alone_time = c->alone_time;
  memcpy(out->companion_story, c->story, sizeof c->story);
  out->companion_evaluations = c->run->certificate.evaluations;
  if (s->local_errors > 0) out->amplification = c->largest / s->local_errors;
  if (s->def.fixed_step > 0) return;
  out->delivered_until = c->until;
  if (c->largest > 3 * s->def.accuracy) {
    out->delivered = CDN_VERDICT_NOT_DELIVERED;
    memcpy(out->parting, c->parting.name, sizeof out->parting);
    out->parting_time = c->parting.time;
  } else if (!c->lost && !is_doubtful(s, out)) out->delivered = CDN_VERDICT_DELIVERED;
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
  int differs = c->differs, why = (int)c->why;
  double *const numbers[] = { &c->largest, &c->of[0], &c->of[1],      &c->of[2],   &c->time,     &c->until,
                              &c->shift,   &c->since, &c->alone_time, &c->shifted, &c->compared, &c->parting.time };
  cdni_archive_mark(a, "PAIR");
  cdni_archive_bool(a, &c->lost);
  cdni_archive_bool(a, &c->owed);
  cdni_archive_int(a, &why, 0, CDN_STOPPED);
  cdni_archive_int(a, &differs, -1, cdn_system_event_count(s->system) - 1);
  cdni_archive_int64(a, &c->behind, 0, INT64_MAX);
  c->differs = differs;
  c->why = (cdn_why)why;
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  archive_text(a, c->slot, sizeof c->slot);
  archive_text(a, c->alone, sizeof c->alone);
  archive_text(a, c->story, sizeof c->story);
  archive_text(a, c->parting.name, sizeof c->parting.name);
  archive_passage(s, a);
  archive_passage(c->run, a);
  cdni_archive_run(c->run, a);
}
