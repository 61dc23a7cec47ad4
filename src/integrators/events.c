/* The events of a run: made ready for a stepper, and served as time passes. */
#include <math.h>

#include <cardan/events.h>

#include "core/archive.h"
#include "integrators/control.h"
#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/kinks.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "integrators/watch.h"
#include "system/events.h"
#include "system/system.h"
#include "system/triggers.h"

/* ---- creation ------------------------------------------------------------------------------ */

static size_t divide(struct cdni_events *ev, size_t ny, char *base) {
  size_t at = 0, n = (size_t)ev->n, kinks = 2 * (size_t)ev->n_kinks;
  ev->order = cdni_part(base, &at, n, sizeof *ev->order);
  ev->records = cdni_part(base, &at, n, sizeof *ev->records);
  ev->list = cdni_part(base, &at, n, sizeof *ev->list);
  ev->set = cdni_part(base, &at, n, sizeof *ev->set);
  ev->first_of_set = cdni_part(base, &at, n, sizeof *ev->first_of_set);
  ev->live = cdni_part(base, &at, n, sizeof *ev->live);
  ev->asleep = cdni_part(base, &at, n, sizeof *ev->asleep);
  double **const ways[] = { &ev->ways.sum,    &ev->ways.now,       &ev->ways.speed,
                            &ev->ways.change, &ev->ways.end_speed, &ev->ways.end_change };
  for (int i = 0; i < CDNI_COUNT(ways); i++) *ways[i] = cdni_part(base, &at, (size_t)ev->ways.n, sizeof(double));
  ev->timers = cdni_part(base, &at, (size_t)ev->n_timers, sizeof *ev->timers);
  ev->kinks = cdni_part(base, &at, kinks, sizeof(double));
  ev->kinks_end = cdni_part(base, &at, kinks, sizeof(double));
  ev->y = cdni_part(base, &at, ny, sizeof(double));
  ev->f = cdni_part(base, &at, ny, sizeof(double));
  ev->trial = cdni_part(base, &at, ny, sizeof(double));
  ev->push = cdni_part(base, &at, ny, sizeof(double));
  return at;
}

/* The tables of watches: `room` more than those of triggers. */
static size_t divide_table(struct cdni_events *ev, int room, char *base) {
  size_t at = 0, watches = (size_t)(ev->n_lasting + room), values = ev->first_kink + (size_t)room;
  ev->watches = cdni_part(base, &at, watches, sizeof *ev->watches);
  ev->saved = cdni_part(base, &at, (size_t)ev->n_lasting, sizeof *ev->saved);
  ev->values = cdni_part(base, &at, values, sizeof *ev->values);
  ev->turns = cdni_part(base, &at, values, sizeof *ev->turns);
  return at;
}

static cdn_status make_table(cdn_stepper *s, int room) {
  struct cdni_events *ev = s->events, before = *ev;
  const size_t size = divide_table(ev, room, NULL);
  void *table = size > 0 ? cdni_calloc(&s->allocator, size) : NULL;
  if (size > 0 && !table) {
    *ev = before;
    return CDN_ERR_NOMEM;
  }
  divide_table(ev, room, table);
  if (before.table) {
    const size_t values = before.first_kink + (size_t)before.room;
    memcpy(ev->watches, before.watches, (size_t)(before.n_lasting + before.room) * sizeof *ev->watches);
    memcpy(ev->saved, before.saved, (size_t)before.n_lasting * sizeof *ev->saved);
    memcpy(ev->values, before.values, values * sizeof *ev->values);
    memcpy(ev->turns, before.turns, values * sizeof *ev->turns);
    cdni_free(&s->allocator, before.table, before.table_size);
  }
  ev->table = table, ev->table_size = size, ev->room = room;
  return CDN_OK;
}

cdn_status cdni_watches_grow(cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  return ev->n_watches < ev->n_lasting + ev->room ? CDN_OK : make_table(s, 2 * ev->room);
}

/* A companion run ignores events that have only a reporter. */
static bool is_heard(const cdn_stepper *s, const cdni_event *e) { return cdni_event_is_handled(e) || !s->muted; }

static bool is_timer(const cdn_stepper *s, const cdni_event *e) {
  return (e->def.kind == CDN_EVENT_SCHEDULED || e->def.kind == CDN_EVENT_PERIODIC) && is_heard(s, e);
}

static bool is_trigger(const cdn_stepper *s, const cdni_event *e) {
  return e->def.kind == CDN_EVENT_TRIGGERED && is_heard(s, e);
}

/* The order of events at one time: start events first, then the others by stage, then step events, then end events. */
static int rank(const cdni_event *e) {
  switch (e->def.kind) {
    case CDN_EVENT_START: return 0;
    case CDN_EVENT_STEP: return CDN_STAGE_COUNT + 1;
    case CDN_EVENT_END: return CDN_STAGE_COUNT + 2;
    default: return 1 + (int)e->def.stage;
  }
}

static void put_in_order(const cdn_system *system, struct cdni_events *ev) {
  int n = 0;
  for (int r = 0; r <= CDN_STAGE_COUNT + 2; r++) {
    for (int32_t i = 0; i < ev->n; i++) {
      if (rank(cdni_event_at(system, i)) == r) ev->order[n++] = i;
    }
  }
}

static void set_watch(const cdn_system *system, struct cdni_events *ev, int i, int32_t id, size_t *first) {
  const cdn_event_def *def = &cdni_event_at(system, id)->def;
  cdni_watch *w = &ev->watches[i];
  *w = (cdni_watch){ .trigger = id,
                     .samples = def->samples,
                     .first = *first,
                     .active = def->handle || def->handle_set,
                     .edges = def->edges,
                     .moves = cdni_trigger_has_motion(system, id),
                     .bounded = cdni_trigger_has_bound(system, id),
                     .shows = cdni_trigger_shows(system, id),
                     .rate = NAN,
                     .direction = def->direction,
                     .beyond = SIDE_UNDEFINED };
  *first += (size_t)def->samples + 1;
  while (ev->watches[w->leader].samples != w->samples) w->leader++;
}

/* Which events stand for the sets that are handled together. */
static void find_sets(const cdn_system *system, struct cdni_events *ev) {
  for (int32_t i = 0; i < ev->n; i++) {
    const cdni_event *e = cdni_event_at(system, i);
    bool first = e->def.handle_set != NULL;
    for (int k = 0; first && k < ev->n_sets; k++)
      first = !cdni_events_in_one_set(system, e, cdni_event_at(system, ev->first_of_set[k]));
    if (first) ev->first_of_set[ev->n_sets++] = i;
  }
}

static void set_up(const cdn_stepper *s, struct cdni_events *ev) {
  size_t first = 0;
  int watches = 0, timers = 0;
  put_in_order(s->system, ev);
  find_sets(s->system, ev);
  for (int i = 0; i < ev->n; i++) {
    int32_t id = ev->order[i];
    const cdni_event *e = cdni_event_at(s->system, id);
    ev->records[id] = (cdni_record){ .watch = -1, .timer = -1 };
    if (is_trigger(s, e)) {
      ev->records[id].watch = watches;
      set_watch(s->system, ev, watches++, id, &first);
    } else if (is_timer(s, e)) {
      ev->records[id].timer = timers;
      ev->timers[timers++] = (cdni_timer){ .event = id, .next = INFINITY };
    }
  }
}

cdn_status cdni_events_create(cdn_stepper *s) {
  int n = cdn_system_event_count(s->system);
  /* methods with steps of their own see kinks, others step over them, and without error control nobody asks */
  const void *sweeper_self;
  const cdni_sweeper *sweeper = cdni_system_sweeper(s->system, &sweeper_self);
  const bool asks = !s->method->own_steps && !s->method->over_kinks && s->def.fixed_step == 0;
  const bool has_near = asks && cdni_system_has_near_kinks(s->system);
  int n_kinks = asks ? cdni_system_kinks(s->system) : 0;
  if (n == 0 && n_kinks == 0 && !has_near && !sweeper) return CDN_OK;
  struct cdni_events *ev = cdni_calloc(&s->allocator, sizeof *ev);
  if (!ev) return CDN_ERR_NOMEM;
  s->events = ev;
  ev->n = n;
  ev->rescuer = -1, ev->rescued = -INFINITY;
  for (int i = 0; i < n; i++)
    if (cdni_event_at(s->system, i)->rescues) ev->rescuer = i;
  ev->ways.n = cdni_trigger_parts(s->system);
  ev->n_kinks = n_kinks;
  ev->has_near = has_near;
  ev->near_reach = ev->near_end_reach = ev->near_saved = -1;
  ev->near.allocator = ev->near_end.allocator = ev->near_here.allocator = &s->allocator;
  ev->aim = ev->limit = NAN;
  size_t n_values = 0;
  bool needs_scene = events_have_kinks(ev) || sweeper;
  for (int i = 0; i < n; i++) {
    const cdni_event *e = cdni_event_at(s->system, i);
    bool triggered = is_trigger(s, e);
    needs_scene = needs_scene || triggered || cdni_event_is_handled(e);
    ev->n_watches += triggered;
    ev->n_timers += is_timer(s, e);
    n_values += triggered ? (size_t)e->def.samples + 1 : 0;
  }
  ev->n_lasting = ev->n_watches;
  ev->first_kink = n_values;
  ev->block_size = divide(ev, s->stride, NULL);
  ev->block = cdni_calloc(&s->allocator, ev->block_size);
  if (!ev->block && ev->block_size > 0) return CDN_ERR_NOMEM; /* without coordinates it is empty */
  divide(ev, s->stride, ev->block);
  CDNI_TRY(make_table(s, n_kinks + (has_near ? 16 : 0)));
  set_up(s, ev);
  ev->sweep.ops = sweeper, ev->sweep.self = sweeper_self;
  CDNI_TRY(cdni_sweep_create(s));
  return needs_scene ? cdn_state_create(s->system, &ev->scene) : CDN_OK;
}

void cdni_events_destroy(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev) return;
  cdn_state_destroy(ev->scene);
  cdni_sweep_destroy(s);
  if (ev->block) cdni_free(&s->allocator, ev->block, ev->block_size);
  if (ev->table) cdni_free(&s->allocator, ev->table, ev->table_size);
  cdni_near_list *lists[] = { &ev->near, &ev->near_end, &ev->near_here };
  for (int i = 0; i < CDNI_COUNT(lists); i++) cdni_near_list_free(lists[i]);
  cdni_free(&s->allocator, ev, sizeof *ev);
  s->events = NULL;
}

cdn_status cdni_events_reset(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev) return CDN_OK;
  ev->scene_discrete = UINT64_MAX;
  ev->stopped = ev->ended = ev->stepped = ev->rescue = false;
  ev->rescued = -INFINITY, ev->window_start = s->t, ev->window_steps = 0;
  ev->boundary = ev->anew = true;
  ev->aim = ev->limit = NAN;
  if (ev->scene) {
    /* evaluated once on its own, so that its workspace has its size before the first step */
    CDNI_TRY(cdn_state_copy(ev->scene, s->work));
    CDNI_TRY(cdn_state_set_ty(ev->scene, s->t, s->y[s->at]));
    CDNI_TRY(cdn_realize(ev->scene, CDN_STAGE_ACCELERATION));
    CDNI_TRY(cdni_kinks_begin(s));
    CDNI_TRY(cdni_sweep_begin(s));
  }
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch *w = &ev->watches[i];
    w->fired = w->armed = false;
    w->sign = SIDE_ZERO;
    w->end = w->came = w->level = 0;
    w->end_slope = NAN;
  }
  ev->n_watches = ev->n_lasting;
  CDNI_TRY(cdni_watches_afresh(s, true));
  return cdni_timers_reset(s, s->t);
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static void archive_occurrence(const cdn_stepper *s, cdn_occurrence *o, cdni_archive *a) {
  int event = o->event.i, direction = (int)o->direction;
  cdni_archive_int(a, &event, 0, s->events->n - 1);
  cdni_archive_double(a, &o->time);
  cdni_archive_double(a, &o->earliest);
  cdni_archive_int(a, &direction, 0, CDN_EITHER);
  cdni_archive_int64(a, &o->count, 0, INT64_MAX);
  o->event.i = event;
  o->direction = (cdn_direction)direction;
  o->name = cdn_event_name(s->system, o->event);
  o->user = s->def.user;
}

static void archive_record(cdni_record *r, cdni_archive *a) {
  cdni_archive_int64(a, &r->count, 0, INT64_MAX);
  cdni_archive_double(a, &r->last);
  cdni_archive_double(a, &r->gap);
  cdni_archive_int(a, &r->close, 0, INT32_MAX);
  cdni_archive_int64(a, &r->agreed, INT64_MIN, INT64_MAX);
}

void cdni_events_archive(cdn_stepper *s, cdni_archive *a) {
  struct cdni_events *ev = s->events;
  size_t n_values = 0;
  if (!ev) return;
  cdni_archive_mark(a, "EVNT");
  bool *const flags[] = { &ev->started, &ev->ended, &ev->stopped, &ev->boundary,   &ev->stepped,
                          &ev->cut,     &ev->begun, &ev->anew,    &ev->fell_short, &ev->rescue };
  for (int i = 0; i < CDNI_COUNT(flags); i++) cdni_archive_bool(a, flags[i]);
  double *const numbers[] = { &ev->span,    &ev->aim,           &ev->limit,   &ev->margin,
                              &ev->planned, &ev->planned_error, &ev->rescued, &ev->window_start };
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  double reach = ev->near_saved > 0 ? ev->near_saved : ev->near_reach;
  cdni_archive_double(a, &reach);
  cdni_archive_int(a, &ev->again, 0, INT32_MAX);
  cdni_archive_int(a, &ev->window_steps, 0, INT32_MAX);
  for (int i = 0; i < ev->n; i++) archive_record(&ev->records[i], a);
  for (int i = 0; i < ev->n_timers; i++) cdni_timer_archive(s, &ev->timers[i], a);
  for (int i = 0; i < ev->n_watches; i++) {
    cdni_watch_archive(&ev->watches[i], ev->ways.n, a);
    n_values += (size_t)ev->watches[i].samples + 1;
  }
  cdni_sleep_archive(s, a);
  cdni_archive_doubles(a, ev->kinks, 2 * (size_t)ev->n_kinks);
  cdni_archive_doubles(a, ev->values, n_values);
  if (n_values > 0) cdni_archive_doubles(a, &ev->turns->time, 2 * n_values);
  cdni_archive_int(a, &ev->n_list, 0, ev->n);
  for (int i = 0; i < ev->n_list; i++) archive_occurrence(s, &ev->list[i], a);
  /* it has the discrete variables that were there during the step */
  if (ev->scene) cdni_state_archive(ev->scene, a);
  if (!a->loading) return;
  cdni_quiet_afresh(s);
  ev->scene_set = false;
  ev->near_reach = -1;
  ev->near_saved = reach;
  ev->look_ready = true;
  ev->scene_discrete = UINT64_MAX;
}

/* ---- in the course of time ------------------------------------------------------------------ */

/* The next active time: no step may go beyond it. */
double cdni_events_end(const cdn_stepper *s, double end) {
  const struct cdni_events *ev = s->events;
  for (int i = 0; ev && i < ev->n_timers; i++) {
    const cdni_timer *timer = &ev->timers[i];
    if (cdni_event_is_handled(cdni_event_at(s->system, timer->event))) end = fmin(end, timer->next);
  }
  return end;
}

/* When the next passive event within the last step occurs, or INFINITY. */
static double next_within(const cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  double next = INFINITY;
  for (int i = 0; i < ev->n_watches; i++) {
    if (ev->watches[i].pending) next = fmin(next, ev->watches[i].hi);
  }
  for (int i = 0; i < ev->n_timers; i++) next = fmin(next, ev->timers[i].next);
  return next;
}

bool cdni_events_within(const cdn_stepper *s) { return s->events && next_within(s) < s->step.t1; }

bool cdni_events_cut(const cdn_stepper *s) { return s->events && s->events->cut; }

void cdni_events_attempt(cdn_stepper *s) {
  if (!s->events) return;
  s->events->cut = s->events->look_ready = false;
  cdni_quiet_attempt(s);
}

/* A step that would pass a kink ends a little before it, as if it had been taken already. */
static const double BEFORE_KINK = 1e-3;

void cdni_kinks_aim(cdn_stepper *s, int64_t trigger, double tau, double h) {
  struct cdni_events *ev = s->events;
  ev->margin = BEFORE_KINK * tau;
  ev->planned = h, ev->planned_error = 1;
  ev->again = 1;
  ev->aim = s->t + tau - ev->margin;
  ev->aim_trigger = trigger;
}

static double aim_at_kink(cdn_stepper *s, double t1) {
  struct cdni_events *ev = s->events;
  const double h = t1 - s->t;
  double tau = h;
  if (s->def.fixed_step > 0 || cdni_kinks_foresee(s, h, &tau) != CDN_OK || !(tau < h)) return t1;
  cdni_kinks_aim(s, ev->aim_trigger, tau, h);
  return ev->aim;
}

double cdni_events_aim(cdn_stepper *s, double t1, double end) {
  struct cdni_events *ev = s->events;
  if (!ev) return t1;
  if (ev->aim > s->t && ev->aim < end) return ev->aim;
  ev->aim = NAN;
  if (ev->limit > s->t) return fmin(t1, ev->limit);
  return aim_at_kink(s, t1);
}

void cdni_events_rejected(cdn_stepper *s) {
  if (s->events) s->events->aim = s->events->limit = NAN;
}

bool cdni_events_shorten(cdn_stepper *s) {
  if (!s->events || s->events->rescuer < 0) return false;
  s->events->limit = s->step.t0 + 0.5 * (s->step.t1 - s->step.t0);
  return true;
}

void cdni_events_accepted(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev) return;
  ev->boundary = ev->stepped = true;
  ev->begun = false;
  ev->look_ready = true;
  cdni_sweep_accepted(s);
  cdni_quiet_accepted(s);
  bool fired = false;
  for (int i = 0; i < ev->n_watches; i++) fired = fired || ev->watches[i].fired;
  /* the rates may have a kink here: a method's memory of earlier steps is of no use for the next step */
  cdni_kinks_sleep(s);
  if (fired && s->method->begin && !s->method->own_steps) s->method->begin(s);
}

cdn_status cdni_events_resize(cdn_stepper *s, double error) {
  const struct cdni_events *ev = s->events;
  if (!cdni_events_cut(s)) return CDN_OK;
  bool was_again = ev->again > 0, at_kink = false;
  for (int i = ev->n_lasting; i < ev->n_watches; i++) at_kink = at_kink || ev->watches[i].fired;
  /* behind a kink the motion is as smooth as before it, so the length of the cut step does not limit the next step */
  double h = at_kink ? INFINITY : s->step.t1 - s->step.t0;
  const double planned = was_again ? ev->planned : at_kink ? s->step.h : 0;
  cdni_control_cut(s, h, planned, was_again ? ev->planned_error : error);
  if (s->def.fixed_step > 0) return CDN_OK;
  return at_kink ? cdni_kinks_bound(s, &s->control.next) : cdni_sweep_bound(s, &s->control.next);
}

cdn_status cdni_events_serve(cdn_stepper *s, double t, bool all, cdn_return_reason *reason) {
  struct cdni_events *ev = s->events;
  *reason = CDN_REACHED_TIME;
  if (!ev) return CDN_OK;
  while (!ev->stopped) {
    bool shown = false;
    double within = next_within(s);
    if (within < s->t) {
      if (within > t) return CDN_OK;
      CDNI_TRY(cdni_instant_within(s, within, &shown));
    } else {
      if (s->t > t || !ev->boundary) return CDN_OK;
      CDNI_TRY(cdni_instant_at_end(s, &shown));
      if (ev->stopped || (shown && s->def.return_on_events && !all)) CDNI_TRY(cdni_report_step(s));
    }
    if (ev->stopped) break;
    if (shown && s->def.return_on_events && !all) {
      *reason = CDN_HANDLED_EVENT;
      return CDN_OK;
    }
  }
  *reason = CDN_STOPPED;
  return CDN_OK;
}

int cdn_stepper_occurrence_count(const cdn_stepper *s) { return s && s->events ? s->events->n_list : 0; }

const cdn_occurrence *cdn_stepper_occurrence(const cdn_stepper *s, int i) {
  return i >= 0 && i < cdn_stepper_occurrence_count(s) ? &s->events->list[i] : NULL;
}

bool cdn_stepper_is_stopped(const cdn_stepper *s) { return s && s->events && s->events->stopped; }
