/* The events of a run: shared by the files that find and handle them.
 *
 * An event with a handler is *active*: a step ends at it, so that the run continues from the State that the handler
 * left. So are *kinks*, triggers without an event: a step ends where the forces of the library, or custom ones, bend or
 * jump, and the method starts anew behind it. All other events are *passive*: dense output serves them within a step,
 * like reports, and the integration does not depend on them. */
#ifndef CARDAN_INTEGRATORS_EVENTS_RUN_H
#define CARDAN_INTEGRATORS_EVENTS_RUN_H

#include <cardan/events.h>

#include "core/archive.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "integrators/watch.h"
#include "system/system.h"
#include "system/triggers.h"

/* A scheduled or periodic event. */
typedef struct cdni_timer {
  int32_t event;
  int64_t n; /* in a list: index of its next time */
  double next;
} cdni_timer;

typedef struct cdni_record {
  int64_t count;
  double last, gap; /* time of the last occurrence, and the time between it and the one before */
  int close;        /* number of gaps in a row within the window */
  int64_t agreed;   /* of an event of a set: by how many its count exceeded the companion's when the two agreed */
  int32_t watch, timer;
} cdni_record;

/* How far the parts of a System have moved, and move in this step (sleep.c). */
typedef struct cdni_ways {
  int n;
  double *sum, *now; /* all that was before this attempt, and in it */
  double *speed, *change, *end_speed, *end_change;
  double total, alarm; /* sum of the largest way in each attempt; where it wakes the first that sleeps */
  bool known, known_end;
} cdni_ways;

struct cdni_events {
  int n, n_watches, n_timers;
  int32_t *order; /* events in the order of handling */
  cdni_record *records;
  cdni_watch *watches, *saved; /* watches, in the order of handling */
  cdni_timer *timers;
  cdn_occurrence *list; /* the events that occur now, or occurred last */
  int n_list;
  cdn_occurrence *set;   /* those of them that one function handles together */
  int32_t *first_of_set; /* events that stand for all others that such a function handles with them */
  int n_sets;
  double *values;       /* of triggers, at the samples of a step */
  cdni_turn *turns;     /* of triggers, before each sample and before the end */
  double *y, *f;        /* end of the method's step, if an event has cut it short or an event lies a little after it */
  double *trial, *push; /* what functions work with; nothing in them outlasts a call */
  void *block;
  size_t block_size;
  int32_t *live, *asleep;            /* watches that do not rest, but for those that sleep (sleep.c) */
  int n_live, n_asleep, n_evaluated; /* n_evaluated: evaluations of the attempt */
  cdni_ways ways;
  bool glances;      /* there are watches whose values come with the rates */
  int n_lasting;     /* of the watches: those of events. Kinks are watched in steps that seem to pass them (kinks.c) */
  int room;          /* for watches of kinks */
  size_t first_kink; /* index at which values of kinks begin in the tables */
  void *table;
  size_t table_size;

  /* Kinks with slots: values, then rates, at the start and at the end of the step. */
  int n_kinks;
  double *kinks, *kinks_end;
  /* Listed kinks: those near the start, the end, and a point of the step; the times within which the first two reach
   * zero. */
  bool has_near;
  cdni_near_list near, near_end, near_here;
  double near_reach, near_end_reach;
  double near_saved; /* reach of the list that a checkpoint had; -1: the list is here, or there was none */

  cdni_sweep sweep;
  cdn_state *scene; /* evaluates triggers within a step, with the discrete variables of that step */
  double scene_time, span;
  bool scene_set;
  bool look_ready; /* `report` has the discrete variables of this step, for the evaluations of dense output */
  uint64_t scene_discrete;

  /* A step in which an event occurs is taken again, to end just before the event (cut.c). */
  double aim;           /* end of the next attempt; NaN: the step size control decides, */
  int64_t aim_trigger;  /* the trigger behind that end */
  double limit;         /* but it must not be after this time */
  double margin;        /* time between that end and the event */
  int again;            /* how often this step has been taken again */
  bool fell_short;      /* the last step was taken again, and its event lies a little after its end */
  double planned;       /* size of the attempt that found the event */
  double planned_error; /* error of that attempt, over the tolerance */

  int32_t rescuer;     /* rescue.c: the event that takes over where steps fail; -1: there is none */
  bool rescue;         /* it is to occur now, and nothing else */
  double rescued;      /* when it occurred last */
  double window_start; /* of a number of steps, whose mean length says whether they are very short */
  int window_steps;

  bool started, ended, stopped;
  bool anew;     /* the run goes on from another State, and nothing has been handled there */
  bool boundary; /* events at the stepper's time have not been handled yet */
  bool stepped;  /* the stepper came to this time by a step */
  bool cut;      /* the last step ended at an event */
  bool begun;    /* no step has been accepted since the method began: the rates at the step's start are known */
};

/* What failed in another State becomes a failure of `work`. */
static inline cdn_status cdni_take_failure(cdn_stepper *s, cdn_state *state, cdn_status status) {
  if (status != CDN_OK && state != s->work) cdni_state_take_error(s->work, state);
  return status;
}

static inline bool events_have_kinks(const struct cdni_events *ev) { return ev->n_kinks > 0 || ev->has_near; }
/* No event tells what happens there. */
static inline bool watch_is_kink(const struct cdni_events *ev, const cdni_watch *w) { return w->trigger >= ev->n; }
/* A kink whose rates are known wherever its values are. */
static inline bool watch_is_listed(const struct cdni_events *ev, const cdni_watch *w) {
  return w->trigger >= (int64_t)ev->n + ev->n_kinks;
}
/* events.c: makes room for one more watch of a kink. */
cdn_status cdni_watches_grow(cdn_stepper *s);

/* ---- locate.c: finds the step and the time of an event ---- */

/* y and the work at time t of a step that has not been accepted yet. */
cdn_status cdni_look_ahead(cdn_stepper *s, double t, double *y, double *work);
/* Copies the discrete variables of `work` to the scene, if they may have changed. */
cdn_status cdni_scene_begin(cdn_stepper *s);
/* Moves the scene to time t of the step. */
cdn_status cdni_scene_at(cdn_stepper *s, double t);
/* The least window: occurrences that are nearer in time than this many roundings cannot be distinguished. */
double cdni_least_window(const cdni_step *step);
/* Looks for the next occurrence of a passive trigger in the step. */
cdn_status cdni_watch_find(cdn_stepper *s, cdni_watch *w);

/* kinks.c: moves the scene to the start of the step. */
cdn_status cdni_scene_at_start(cdn_stepper *s);

/* ---- cut.c: makes a step end at an event ---- */

/* Whether the step should be taken again, to end just before the crossing; sets its end. */
cdn_status cdni_cut_again(cdn_stepper *s, const cdni_crossing *c, double error, bool *again);
/* The rates at the end of the step say that a trigger moves against its crossing: whether a shorter step may resolve
 * this. */
bool cdni_cut_shorter(cdn_stepper *s, double window);
/* The time up to which the attempt is examined: its end, or a little later if it was meant to end before an event. */
double cdni_cut_reach(const cdn_stepper *s);
/* Ends the step at time t of its dense output. y1 and f1 stay, for dense output; the next step starts from the new
 * end. */
cdn_status cdni_cut_at(cdn_stepper *s, double t);

/* ---- timer.c ---- */

/* Sets each timer to its first time at or after t; after t, if the event has occurred at t already. */
cdn_status cdni_timers_reset(cdn_stepper *s, double t);
/* Sets a timer to its first time after t. */
cdn_status cdni_timer_advance(cdn_stepper *s, cdni_timer *timer, double t);
/* Asks the timers whose times depend on the State again. */
cdn_status cdni_timers_changed(cdn_stepper *s);
/* Skips the times before t, after a handler has moved the time to t. */
cdn_status cdni_timers_skip(cdn_stepper *s, double t);

void cdni_timer_archive(const cdn_stepper *s, cdni_timer *timer, cdni_archive *a);

/* ---- rescue.c ---- */

/* The handlers have gone on from here. */
void cdni_rescue_forget(cdn_stepper *s);

/* ---- instant.c: reports and handles the events of one moment ---- */

/* Passive events at a time within the last step. */
cdn_status cdni_instant_within(cdn_stepper *s, double t, bool *shown);
/* Events at the end of the step. *shown: an event occurred for which cdn_stepper_advance may return. */
cdn_status cdni_instant_at_end(cdn_stepper *s, bool *shown);

#endif
