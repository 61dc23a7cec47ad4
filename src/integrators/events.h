/* Events in a run: what the files that find and handle them share.
 *
 * An event with a handler is *active*: a step ends where it occurs, so that what follows starts from a State that the
 * handler has seen. All others are *passive*: they are served from within steps by dense output, as reports are, and
 * leave no trace in the integration. */
#ifndef CARDAN_INTEGRATORS_EVENTS_H
#define CARDAN_INTEGRATORS_EVENTS_H

#include "integrators/internal.h"
#include "system/events.h"

/* Which side of zero a trigger's value is on: -1, 1, or one of these. */
enum { SIDE_ZERO = 0, SIDE_UNDEFINED = 2 };

/* A trigger's value went over to `target` in (lo, hi]. */
typedef struct cdni_crossing {
  double lo, hi, g_lo, g_hi;
  int8_t target;
} cdni_crossing;

/* A trigger and what is remembered of its sign. */
typedef struct cdni_watch {
  int32_t event, leader; /* leader: the first watch with the same samples */
  int samples;
  size_t first; /* where its values are in the table of samples; the last of them is that at the step's end */
  bool active, edges;
  cdn_direction direction;

  int8_t sign;   /* the side last seen; SIDE_ZERO: at its level and has not left it; SIDE_UNDEFINED: nothing but NaN */
  int8_t beyond; /* the side that NaN stands for where edges count */
  double level;  /* what counts as zero: other than 0 from a firing on until zero itself is left behind */

  double window;      /* in this step */
  double time, value; /* how far the present step has been followed */
  int next;           /* sample to look at next */
  double end;         /* value at the end of the step */

  bool fired;   /* active: at the end of the step */
  bool pending; /* passive: at `hi`, not reported yet */
  cdn_direction crossed;
  double lo, hi;
} cdni_watch;

/* A scheduled or periodic event. */
typedef struct cdni_timer {
  int32_t event;
  int64_t n; /* in a list: which of its times is next */
  double next;
} cdni_timer;

typedef struct cdni_record {
  int64_t count;
  double last, gap; /* time of the last occurrence, and since the one before */
  int close;        /* how many gaps in a row were within the window */
  int32_t watch, timer;
} cdni_record;

struct cdni_events {
  int n, n_watches, n_timers;
  int32_t *order; /* events as they are handled */
  cdni_record *records;
  cdni_watch *watches, *saved; /* watches: by order */
  cdni_timer *timers;
  cdn_occurrence *list; /* what occurs now, or did last */
  int n_list;
  double *values; /* of triggers, at the samples of a step */
  double *y, *f;  /* where a step that is cut short ends */
  void *block;
  size_t block_size;

  cdn_state *scene; /* where triggers are evaluated within a step; discrete variables as they are during it */
  double scene_time, span;
  bool scene_set;
  uint64_t scene_discrete;

  bool started, ended, stopped;
  bool boundary; /* what occurs at the stepper's time is still to be seen to */
  bool stepped;  /* ... after a step */
  bool cut;      /* the last step ended at an event */
};

/* watch.c: following signs. */

/* Which side of its level a value is on. */
int cdni_watch_side(const cdni_watch *w, double g);
/* Follows the samples from where the watch is to `end`, where its value is w->end. True: the event occurred in *c; the
 * watch has gone past it, and *before (may be NULL) is what it was before. False: it has come to `end`. */
bool cdni_watch_follow(cdni_watch *w, const double *values, double t0, double span, double end, cdni_watch *before,
                       cdni_crossing *c);
/* At a step's start: the value may leave zero and return within the step. Finds out to which side it leaves. */
cdn_status cdni_watch_leave(cdn_stepper *s, cdni_watch *w);
/* Takes signs from what `work` is now: of those that fired, and of all if something `changed`. */
cdn_status cdni_watches_afresh(cdn_stepper *s, bool changed);
/* A trigger's value in a State; the story of a failure goes to `work`. */
cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g);

void cdni_watch_archive(cdni_watch *w, cdni_archive *a);

/* locate.c: in which step, and where in it. */

/* Puts the scene to time t of the step. */
cdn_status cdni_scene_at(cdn_stepper *s, double t);
/* After a good attempt, before it is accepted: looks for triggers, and cuts the step short at the first active one. */
cdn_status cdni_events_examine(cdn_stepper *s);
/* Looks for the next occurrence of a passive trigger in the step. */
cdn_status cdni_watch_find(cdn_stepper *s, cdni_watch *w);

/* timer.c */

/* The first time at or after t; after t, if the event has occurred at t already. */
cdn_status cdni_timers_reset(cdn_stepper *s, double t);
/* The first time after t. */
cdn_status cdni_timer_advance(cdn_stepper *s, cdni_timer *timer, double t);
/* Those whose times follow from the State ask again. */
cdn_status cdni_timers_changed(cdn_stepper *s);
/* Skips the times before t, to which a handler has moved the run. */
cdn_status cdni_timers_skip(cdn_stepper *s, double t);

void cdni_timer_archive(const cdn_stepper *s, cdni_timer *timer, cdni_archive *a);

/* moment.c: what occurs at one time is reported and handled. */

/* At a time within the last step, of passive events. */
cdn_status cdni_moment_within(cdn_stepper *s, double t, bool *shown);
/* At the end of it. *shown: something occurred that cdn_stepper_advance may return for. */
cdn_status cdni_moment_at_end(cdn_stepper *s, bool *shown);

#endif
