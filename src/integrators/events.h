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

/* A turning point between two samples at which the value comes near zero, or passes it; time is NaN where there is none. */
typedef struct cdni_turn {
  double time, value;
} cdni_turn;

/* A trigger and what is remembered of its sign. */
typedef struct cdni_watch {
  int32_t event;        /* -1: it is a kink */
  int32_t kink, leader; /* leader: the first watch with the same samples */
  int samples;
  size_t
      first; /* where its values at the start and at the samples are in the table of a step, and its turns before them */
  bool active, edges;
  bool near; /* in this step its value might come to zero between samples */
  cdn_direction direction;

  int8_t sign;   /* the side last seen; SIDE_ZERO: at its level and has not left it; SIDE_UNDEFINED: nothing but NaN */
  int8_t beyond; /* the side that NaN stands for where edges count */
  double level;  /* what counts as zero: other than 0 from a firing on until zero itself is left behind */
  bool armed;    /* it has fired, and its handler may have turned it back: the next step finds out */
  double came;   /* the slope with which it came to the last event */

  double window;            /* in this step */
  double time, value;       /* how far the present step has been followed */
  int next;                 /* turn or sample to look at next */
  double end;               /* value at the end of the step */
  double slope;             /* of the value where the next step starts; NaN: not known */
  double end_slope;         /* and where this one ends */
  double lean, back, forth; /* a slope along the rates, and the values that it is from */

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
  double *values;   /* of triggers, at the samples of a step */
  cdni_turn *turns; /* of triggers, before each sample and before the end */
  double *y, *f;    /* the end of a method's step that an event has cut short, or prolonged a little */
  void *block;
  size_t block_size;

  /* The System's own kinks: values, then rates, at the step's start and at its end. A kink is watched, behind the triggers, in
   * steps in which it seems to be passed (kinks.c). */
  int n_kinks, n_triggers;
  size_t first_kink; /* where values of kinks begin in the tables */
  double *kinks, *kinks_end, *kinks_here;

  cdn_state *scene; /* where triggers are evaluated within a step; discrete variables as they are during it */
  double scene_time, span;
  bool scene_set;
  bool look_ready; /* `report` has the discrete variables of this step, for what dense output still has to evaluate */
  uint64_t scene_discrete;

  /* A step in which an event occurs is taken again, to end just before the event (cut.c). */
  double aim;           /* where the next attempt ends; NaN: where the step size control says, */
  double limit;         /* ... but not after this */
  double margin;        /* how much before the event that is */
  int again;            /* how often this step has been taken again */
  bool fell_short;      /* the last step was, and an event that it should have come to lies a little after it */
  double planned;       /* size of the attempt in which the event was found, */
  double planned_error; /* ... and its error over the tolerance */

  bool started, ended, stopped;
  bool boundary; /* events at the stepper's time have not been handled yet */
  bool stepped;  /* ... after a step */
  bool cut;      /* the last step ended at an event */
  bool begun;    /* no step has been accepted since the method began: the rates at the step's start are there */
};

/* watch.c: following signs. */

/* Which side of its level a value is on. */
int cdni_watch_side(const cdni_watch *w, double g);
/* At a step's start: finds out what a handler has done to triggers that fired, and to which side those go that are at zero. */
cdn_status cdni_watches_start(cdn_stepper *s);
/* Finds slopes along the rates f at y and time t, for the watches that ask: w->lean. */
typedef bool cdni_asks(const struct cdni_events *ev, const cdni_watch *w);
cdn_status cdni_watches_lean(cdn_stepper *s, cdni_asks *asks, double t, const double *y, const double *f);
/* Follows the turns and samples from where the watch is to `end`, where its value is w->end. True: the event occurred in *c; the
 * watch has gone past it, and *before (may be NULL) is what it was before. False: it has come to `end`. */
bool cdni_watch_follow(const struct cdni_events *ev, cdni_watch *w, double t0, double end, cdni_watch *before,
                       cdni_crossing *c);
/* Takes signs from what `work` is now: of those that fired, and of all if something `changed`. */
cdn_status cdni_watches_afresh(cdn_stepper *s, bool changed);
/* A trigger's value in a State; the story of a failure goes to `work`. */
cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g);
/* How much the value changes, where the run stands, when y changes by its rounding. */
cdn_status cdni_watch_rounding(cdn_stepper *s, const cdni_watch *w, double *rounding);
/* How much the value, which is g at time t of the step, changes when y changes by the accuracy asked. */
cdn_status cdni_watch_uncertainty(cdn_stepper *s, const cdni_watch *w, double t, double g, double *most);

void cdni_watch_archive(cdni_watch *w, cdni_archive *a);

/* turn.c: slopes, and turning points between samples. */

/* The slope at time t of the step, where the value is g, by dense output a little before t (after it where t is the start). */
cdn_status cdni_watch_slope(cdn_stepper *s, const cdni_watch *w, double t, double g, double *slope);
/* Fills the table of turns from values and slopes. */
cdn_status cdni_find_turns(cdn_stepper *s);
/* How many turns up to time t were so near to zero that an error of the accuracy asked decides whether the sign changed. */
int cdni_near_misses(const cdn_stepper *s, double t);

/* kinks.c */

/* Done once, so that what is computed for kinks has its workspace before the first step. */
cdn_status cdni_kinks_begin(cdn_stepper *s);
/* Values, then rates; the story of a failure goes to `work`. */
cdn_status cdni_kinks_read(cdn_stepper *s, cdn_state *state, double *values);
/* The kinks where `work` stands are those at the next step's start. */
cdn_status cdni_kinks_afresh(cdn_stepper *s);
/* Watches the kinks that the attempt passes, by what they are at its end, or at the scene's time within it. */
cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene);
/* Forgets them when the step is accepted, ended by one of them or not. */
cdn_status cdni_kinks_end(cdn_stepper *s);
void cdni_kinks_sleep(cdn_stepper *s);

/* locate.c: in which step, and where in it. */

/* y and the work at time t of a step that is not accepted yet. */
cdn_status cdni_look_ahead(cdn_stepper *s, double t, double *y, double *work);
/* The scene gets the discrete variables of `work`, if they may have changed. */
cdn_status cdni_scene_begin(cdn_stepper *s);
/* Puts the scene to time t of the step. */
cdn_status cdni_scene_at(cdn_stepper *s, double t);
/* No two occurrences are told apart that are nearer than so many roundings of the time. */
double cdni_least_window(const cdni_step *step);
/* Looks for the next occurrence of a passive trigger in the step. */
cdn_status cdni_watch_find(cdn_stepper *s, cdni_watch *w);

/* cut.c: how a step comes to end at an event. */

/* Whether the step should be taken again to end just before the crossing: sets where. */
cdn_status cdni_cut_again(cdn_stepper *s, const cdni_crossing *c, double error, bool *again);
/* The rates at the end of the step say that a trigger does not go where it went: whether a shorter step may know better. */
bool cdni_cut_shorter(cdn_stepper *s, double window);
/* Up to where the present attempt is looked at: its end, or a little further if it was to end before an event. */
double cdni_cut_reach(const cdn_stepper *s);
/* Ends the step at time t of its dense output. Its y1 and f1 stay, for dense output; the next step starts elsewhere. */
cdn_status cdni_cut_at(cdn_stepper *s, double t);

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
