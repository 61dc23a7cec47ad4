/* A moment: everything that occurs at one time is first reported, then handled, in the order of stages. */
#include <math.h>
#include <stdio.h>

#include <cardan/events.h>

#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/control.h"
#include "integrators/events_run.h"
#include "integrators/failure.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/watch.h"
#include "system/events.h"
#include "soft/soft.h"
#include "system/system.h"

/* ---- the list of events ---- */

static void list(cdn_stepper *s, const cdni_event *e, int32_t id, double t) {
  struct cdni_events *ev = s->events;
  const cdni_record *r = &ev->records[id];
  cdn_occurrence o = { .event = { id },
                       .name = e->def.name,
                       .time = t,
                       .earliest = t,
                       .direction = CDN_EITHER,
                       .count = r->count,
                       .user = s->def.user,
                       .accuracy = s->def.fixed_step > 0 ? 0 : s->def.accuracy,
                       .step = s->def.fixed_step,
                       .latest = fmax(t, fmin(s->until, s->def.final_time)) };
  for (int i = 0; i < ev->n_timers; i++)
    if (!e->def.handle_set || !cdni_events_in_one_set(s->system, e, cdni_event_at(s->system, ev->timers[i].event)))
      o.latest = fmin(o.latest, fmax(t, ev->timers[i].next));
  if (r->watch >= 0) {
    o.earliest = ev->watches[r->watch].lo;
    o.direction = ev->watches[r->watch].crossed;
  }
  ev->list[ev->n_list++] = o;
}

static bool occurs(const cdn_stepper *s, const cdni_event *e, int32_t id, double t) {
  const struct cdni_events *ev = s->events;
  const cdni_record *r = &ev->records[id];
  bool at_end = t == s->t;
  if (at_end && ev->rescue) return id == ev->rescuer;
  switch (e->def.kind) {
    case CDN_EVENT_TRIGGERED: {
      if (r->watch < 0) return false;
      const cdni_watch *w = &ev->watches[r->watch];
      return w->active ? at_end && w->fired : w->pending && w->hi <= t;
    }
    case CDN_EVENT_SCHEDULED:
    case CDN_EVENT_PERIODIC: return r->timer >= 0 && ev->timers[r->timer].next <= t;
    case CDN_EVENT_STEP: return at_end && ev->stepped;
    case CDN_EVENT_START: return at_end && (!ev->started || (ev->anew && e->def.handle_set));
    case CDN_EVENT_END: return at_end && !ev->ended && s->t >= s->def.final_time;
  }
  return false;
}

static void collect(cdn_stepper *s, double t) {
  struct cdni_events *ev = s->events;
  ev->n_list = 0;
  for (int i = 0; i < ev->n; i++) {
    const cdni_event *e = cdni_event_at(s->system, ev->order[i]);
    if (occurs(s, e, ev->order[i], t)) list(s, e, ev->order[i], t);
  }
}

/* The events have been handled: counts them, and looks for their next occurrence. */
static cdn_status consume(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_list; i++) {
    const cdn_occurrence *o = &ev->list[i];
    cdni_record *r = &ev->records[o->event.i];
    r->gap = r->count ? o->time - r->last : 0;
    r->last = o->time;
    r->count++;
    if (r->timer >= 0) CDNI_TRY(cdni_timer_advance(s, &ev->timers[r->timer], o->time));
    if (r->watch < 0 || ev->watches[r->watch].active) continue;
    cdn_status status = cdni_watch_find(s, &ev->watches[r->watch]);
    if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
  }
  return CDN_OK;
}

/* Whether an event occurred for which advance may return. */
static bool is_shown(const cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_list; i++) {
    if (cdni_event_at(s->system, ev->list[i].event.i)->def.kind != CDN_EVENT_STEP) return true;
  }
  return false;
}

/* ---- reporting ---- */

/* Calls the reporters from entry `first` of the list on; `report` shows the moment. */
static cdn_status report(cdn_stepper *s, int first) {
  struct cdni_events *ev = s->events;
  for (int i = first; i < ev->n_list; i++) {
    const cdn_occurrence *o = &ev->list[i];
    const cdni_event *e = cdni_event_at(s->system, o->event.i);
    if (!e->def.report || s->muted) continue;
    uint64_t before = cdni_state_changes(s->report);
    cdn_status status = e->def.report(cdni_event_self(s->system, e), s->report, o);
    if (status != CDN_OK) {
      cdni_state_take_error(s->work, s->report);
      return cdni_fail_event(s, status, o->name, "its reporter failed");
    }
    if (cdni_state_changes(s->report) != before) {
      return cdni_fail_event(s, CDN_ERR_ARG, o->name,
                             "its reporter has set a variable of the State; reporters look, handlers change");
    }
  }
  return CDN_OK;
}

cdn_status cdni_instant_within(cdn_stepper *s, double t, bool *shown) {
  bool again;
  cdn_status status = cdni_report_within(s, t, &again);
  if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
  *shown = false;
  if (again) return CDN_OK;
  collect(s, t);
  CDNI_TRY(report(s, 0));
  *shown = is_shown(s);
  return consume(s);
}

/* ---- handling ---- */

/* Number of gaps in a row that make a chatter, and roundings that the trigger's value must have moved since the last
 * occurrence. Measured: docs/constants.md. */
enum { CLOSE_GAPS = 3, CLOSE_ROUNDINGS = 64 };
/* The handler of a set ends sequences by itself, and leaves values at zero, where rounding alone may bring the next
 * occurrences. */
enum { CLOSE_GAPS_OF_SET = 50 };

/* Whether an occurrence follows the last one so closely that the two cannot be distinguished: within the window, or
 * while the value has hardly left its own rounding. */
static cdn_status is_close(cdn_stepper *s, const cdni_watch *w, double gap, bool *close) {
  double rounding;
  *close = gap <= w->window;
  if (*close || gap > 1e-3 * s->certificate.largest_step) return CDN_OK;
  cdn_status status = cdni_watch_rounding(s, w, &rounding);
  if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
  *close = fabs(w->came) * gap <= CLOSE_ROUNDINGS * rounding;
  return CDN_OK;
}

static cdn_status fail_chatter(cdn_stepper *s, const cdn_occurrence *o, double gap, double window) {
  long long count = (long long)s->events->records[o->event.i].count + 1;
  if (gap <= window) {
    cdni_fail_event(
        s, CDN_ERR_CHATTER, o->name,
        "occurrence %lld was again within its window of %.3g s, %.3g s after the last: its handler brings the next occurrence ever nearer",
        count, window, gap);
  } else {
    cdni_fail_event(
        s, CDN_ERR_CHATTER, o->name,
        "occurrence %lld, %.3g s after the last: between the two its trigger's value has not changed by more than its rounding",
        count, gap);
  }
  snprintf(s->failure.advice, sizeof s->failure.advice,
           "let the handler end the sequence when the motion has become small (rest, lock, stop the run), or give the "
           "trigger hysteresis%s",
           gap <= window ? "; set a smaller window if such close events are intended" : "");
  return CDN_ERR_CHATTER;
}

/* Fails for an event that follows itself closely again and again, so that time does not advance. */
static cdn_status check_chatter(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_list; i++) {
    const cdn_occurrence *o = &ev->list[i];
    cdni_record *r = &ev->records[o->event.i];
    if (r->watch < 0 || !ev->watches[r->watch].active) continue;
    double gap = o->time - r->last;
    bool close = false;
    if (r->count > 0) CDNI_TRY(is_close(s, &ev->watches[r->watch], gap, &close));
    r->close = close ? r->close + 1 : 0;
    const bool in_set = cdni_event_at(s->system, o->event.i)->def.handle_set;
    if (r->close < (in_set ? CLOSE_GAPS_OF_SET : CLOSE_GAPS)) continue;
    r->close--;
    return fail_chatter(s, o, gap, ev->watches[r->watch].window);
  }
  return CDN_OK;
}

/* What a handler returned, and where it left the time. */
static cdn_status check_handled(cdn_stepper *s, const char *name, cdn_status status, double before) {
  if (status != CDN_OK) return cdni_fail_event(s, status, name, "its handler failed");
  const double now = cdn_state_time(s->work);
  if (now >= before && now <= s->def.final_time) return CDN_OK;
  return cdni_fail_event(s, CDN_ERR_ARG, name, "its handler set time to %.17g, which is %s", now,
                         now < before ? "back: time moves forward only" : "beyond final_time");
}

/* Calls the handlers of single events from entry `first` of the list on. */
static cdn_status handle(cdn_stepper *s, int first, bool *stop) {
  struct cdni_events *ev = s->events;
  for (int i = first; i < ev->n_list; i++) {
    const cdn_occurrence *o = &ev->list[i];
    const cdni_event *e = cdni_event_at(s->system, o->event.i);
    if (!e->def.handle) continue;
    cdn_action action = CDN_CONTINUE;
    double before = cdn_state_time(s->work);
    cdni_state_clear_error(s->work);
    s->certificate.events++;
    cdn_status status = e->def.handle(cdni_event_self(s->system, e), s->work, o, &action);
    CDNI_TRY(check_handled(s, o->name, status, before));
    *stop = *stop || action == CDN_STOP;
  }
  return CDN_OK;
}

/* Calls the handler of the set to which event e belongs, the first of its set. */
static cdn_status handle_set(cdn_stepper *s, const cdni_event *e, bool changed, bool *stop) {
  struct cdni_events *ev = s->events;
  int n = 0;
  for (int i = 0; i < ev->n_list; i++)
    if (cdni_events_in_one_set(s->system, e, cdni_event_at(s->system, ev->list[i].event.i))) ev->set[n++] = ev->list[i];
  if (n == 0 && !changed) return CDN_OK;
  cdn_action action = CDN_CONTINUE;
  const double before = cdn_state_time(s->work);
  cdni_state_clear_error(s->work);
  s->certificate.events += n;
  const cdn_status status =
      e->def.handle_set(cdni_event_self(s->system, e), s->work, n, n > 0 ? ev->set : NULL, &action);
  CDNI_TRY(check_handled(s, n > 0 ? ev->set[0].name : e->def.name, status, before));
  *stop = *stop || action == CDN_STOP;
  return CDN_OK;
}

/* Calls the handlers of sets. The first event of a set stands for it. */
static cdn_status handle_sets(cdn_stepper *s, bool changed, bool *stop) {
  struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_sets; i++)
    CDNI_TRY(handle_set(s, cdni_event_at(s->system, ev->first_of_set[i]), changed, stop));
  return CDN_OK;
}

/* Ends a run that a handler has stopped. */
static cdn_status end_run(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  int first = ev->n_list;
  bool stop = true;
  if (ev->ended || s->t >= s->def.final_time) return CDN_OK;
  for (int i = 0; i < ev->n; i++) {
    const cdni_event *e = cdni_event_at(s->system, ev->order[i]);
    if (e->def.kind == CDN_EVENT_END) list(s, e, ev->order[i], s->t);
  }
  if (first == ev->n_list) return CDN_OK;
  CDNI_TRY(cdni_report_step(s));
  CDNI_TRY(report(s, first));
  return handle(s, first, &stop);
}

/* Continues from the State that the handlers left in `work`. */
static cdn_status resume(cdn_stepper *s, double energy) {
  double before = s->t;
  cdn_status status = cdni_begin(s);
  if (status == CDN_OK) status = cdni_certificate_restart(s, energy);
  if (status == CDN_OK) status = cdni_watches_afresh(s, true);
  /* a start has not been measured by steps yet */
  if (status == CDN_OK && (s->certificate.steps == 0 || s->events->anew)) status = cdni_first_step(s);
  if (status != CDN_OK) {
    return cdni_fail_event(s, status, s->events->list[0].name, "the State that its handler left cannot be realized");
  }
  CDNI_TRY(cdni_timers_changed(s));
  if (s->t > before) CDNI_TRY(cdni_timers_skip(s, s->t));
  return CDN_OK;
}

static cdn_status run_handlers(cdn_stepper *s, bool *stop) {
  double energy = 0;
  cdn_status status = cdni_certificate_energy(s, &energy);
  if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
  uint64_t before = cdni_state_changes(s->work);
  CDNI_TRY(handle(s, 0, stop));
  CDNI_TRY(handle_sets(s, cdni_state_changes(s->work) != before, stop));
  if (*stop) CDNI_TRY(end_run(s));
  bool changed = cdni_state_changes(s->work) != before;
  CDNI_TRY(consume(s));
  return changed ? resume(s, energy) : cdni_watches_afresh(s, false);
}

static bool has_handlers(const cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_list; i++) {
    if (cdni_event_is_handled(cdni_event_at(s->system, ev->list[i].event.i))) return true;
  }
  return false;
}

/* The step is finished, so the scene can keep the variables that handlers may change. */
static cdn_status keep(cdn_stepper *s) {
  s->events->scene_set = false;
  s->events->scene_discrete = cdni_state_discrete_changes(s->work);
  return cdn_state_copy(s->events->scene, s->work);
}

/* Restores the state before the handlers. */
static void undo(cdn_stepper *s) {
  (void)!cdn_state_copy(s->work, s->events->scene);
  (void)!cdni_begin(s); /* it was realized before */
}

/* Notes the first trigger of this moment, for the comparison of two runs. */
static void note_trigger(cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  for (int i = 0; i < ev->n_list; i++) {
    const int32_t event = ev->list[i].event.i, watch = ev->records[event].watch;
    if (watch < 0 || !ev->watches[watch].active) continue;
    cdni_companion_note_event(s, event);
    return;
  }
}

cdn_status cdni_instant_at_end(cdn_stepper *s, bool *shown) {
  struct cdni_events *ev = s->events;
  collect(s, s->t);
  if (ev->n_list > 0) {
    CDNI_TRY(check_chatter(s));
    CDNI_TRY(cdni_report_step(s));
    CDNI_TRY(report(s, 0));
  }
  bool stop = false;
  if (has_handlers(s)) {
    note_trigger(s);
    cdni_soft_hide_step(s->work);
    CDNI_TRY(keep(s));
    cdn_status status = run_handlers(s, &stop);
    if (status != CDN_OK) {
      undo(s);
      return status;
    }
    cdni_rescue_forget(s);
    cdni_companion_note_handled(s);
  } else {
    CDNI_TRY(consume(s));
  }
  *shown = is_shown(s);
  ev->started = true;
  ev->anew = false;
  ev->ended = ev->ended || stop || s->t >= s->def.final_time;
  ev->stopped = stop;
  ev->stepped = false;
  ev->boundary = false;
  /* a handler may have moved the time, so that others are due */
  for (int i = 0; i < ev->n_timers; i++) ev->boundary = ev->boundary || ev->timers[i].next <= s->t;
  return CDN_OK;
}
