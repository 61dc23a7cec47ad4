/* Events in a run: shared by the files that find and handle them.
 *
 * An event with a handler is *active*: a step ends at it, so that the run continues from the State that the handler
 * left. So are *kinks*, triggers without an event: a step ends where the forces of the library, or custom ones, bend or
 * jump, and the method starts anew behind it. All other events are *passive*: dense output serves them within a step,
 * like reports, and the integration does not depend on them. */
#ifndef CARDAN_INTEGRATORS_EVENTS_H
#define CARDAN_INTEGRATORS_EVENTS_H

#include "integrators/internal.h"
#include "system/events.h"
#include "system/triggers.h"

/* The side of zero on which a trigger's value is: -1, 1, or one of these. */
enum { SIDE_ZERO = 0, SIDE_UNDEFINED = 2 };

/* A trigger's value changed to the side `target` within (lo, hi]. */
typedef struct cdni_crossing {
  double lo, hi, g_lo, g_hi;
  int8_t target;
} cdni_crossing;

/* A turning point between two samples, at which the value comes near zero or passes it. time is NaN if there is
 * none. */
typedef struct cdni_turn {
  double time, value;
} cdni_turn;

/* A trigger and the memory of its sign. */
typedef struct cdni_watch {
  int64_t trigger; /* its number (system/triggers.h) */
  int32_t leader;  /* the first watch with the same samples */
  int samples;
  size_t first; /* index of its values at the start and at the samples in the table of a step, and of its turns */
  bool active, edges;
  bool near; /* in this step its value may reach zero between samples */
  cdn_direction direction;

  int8_t sign;   /* the side last seen; SIDE_ZERO: at its level, not left yet; SIDE_UNDEFINED: only NaN so far */
  int8_t beyond; /* with edges: the side that NaN stands for */
  double level;  /* the value that counts as zero; not 0 from a firing until the value has left zero behind */
  bool armed;    /* it has fired, and its handler may have turned it back: the next step finds out */
  double came;   /* slope of the value when it came to the last event */

  double window;            /* in this step, s */
  double time, value;       /* the point to which the present step has been followed */
  int next;                 /* turn or sample to look at next */
  double end;               /* value at the end of the step */
  double slope;             /* of the value at the start of the next step; NaN: unknown */
  double end_slope;         /* of the value at the end of this step */
  double lean, back, forth; /* a slope along the rates, and the two values of its difference */

  bool fired;   /* active: it fires at the end of the step */
  bool pending; /* passive: it occurred at `hi` and has not been reported */
  cdn_direction crossed;
  double lo, hi;
} cdni_watch;

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
  int32_t watch, timer;
} cdni_record;

/* Looks at what things have swept within a step (sweep.c). */
typedef struct cdni_sweep {
  const cdni_sweeper *ops; /* NULL: nothing can meet */
  const void *self;
  size_t mark_size;
  char *marks; /* of the start and the end of the step, then of times in between */
  int n_marks, first;
  cdni_sights sights;
  int64_t start, end;     /* ids of the quiet times at both ends, 0: not quiet */
  double reach, end_time; /* that the start is known for; of the end that has been looked at */
  bool marked, end_marked;
  bool has_scene; /* it is ready for times of the present step */
  int64_t met;    /* the two that meet where the step ends; -1: none */
  int shortened;  /* how often the present step has been made shorter for one that goes through the other */
} cdni_sweep;

struct cdni_events {
  int n, n_watches, n_timers;
  int32_t *order; /* events in the order of handling */
  cdni_record *records;
  cdni_watch *watches, *saved; /* watches, in the order of handling */
  cdni_timer *timers;
  cdn_occurrence *list; /* the events that occur now, or occurred last */
  int n_list;
  double *values;       /* of triggers, at the samples of a step */
  cdni_turn *turns;     /* of triggers, before each sample and before the end */
  double *y, *f;        /* end of the method's step, if an event has cut it short or an event lies a little after it */
  double *trial, *push; /* what functions work with; nothing in them outlasts a call */
  void *block;
  size_t block_size;
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

  bool started, ended, stopped;
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

/* watch.c: following signs. */

/* The side of its level on which a value is. */
int cdni_watch_side(const cdni_watch *w, double g);
/* At a step's start: finds what a handler has done to triggers that fired, and the side to which values at zero go. */
cdn_status cdni_watches_start(cdn_stepper *s);
/* Computes slopes along the rates f at y and time t for the watches that ask; the result is in w->lean. */
typedef bool cdni_asks(const struct cdni_events *ev, const cdni_watch *w);
cdn_status cdni_watches_lean(cdn_stepper *s, cdni_asks *asks, double t, const double *y, const double *f);
/* Follows the turns and samples from the watch's present time to `end`, where its value is w->end. True: the event
 * occurred at *c, the watch is now past it, and *before (may be NULL) is the watch as it was before. False: the
 * watch is at `end`. */
bool cdni_watch_follow(const struct cdni_events *ev, cdni_watch *w, double t0, double end, cdni_watch *before,
                       cdni_crossing *c);
/* Takes signs anew from the present `work`: of triggers that fired, and of all if something `changed`. */
cdn_status cdni_watches_afresh(cdn_stepper *s, bool changed);
/* A trigger's value in a State, and its rate if it is known (NaN); the message of a failure goes to `work`. */
cdn_status cdni_watch_read(cdn_stepper *s, int64_t trigger, cdn_state *state, double *g, double *rate);
cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g);
/* The change of the value, at the run's present point, for a change of y by its rounding. */
cdn_status cdni_watch_rounding(cdn_stepper *s, const cdni_watch *w, double *rounding);
/* The change of the value, which is g at time t of the step, for a change of y by the accuracy. */
cdn_status cdni_watch_uncertainty(cdn_stepper *s, const cdni_watch *w, double t, double g, double *most);

void cdni_watch_archive(cdni_watch *w, cdni_archive *a);

/* turn.c: slopes, and turning points between samples. */

/* The slope at time t of the step, where the value is g, from dense output a little before t (after t, if t is the
 * start). */
cdn_status cdni_watch_slope(cdn_stepper *s, const cdni_watch *w, double t, double g, double *slope);
/* Fills the table of turns from values and slopes. */
cdn_status cdni_find_turns(cdn_stepper *s);
/* Notes the events of an accepted step that an error of the size of the accuracy decides: counts near misses, and names
 * the first miss or hit of an event with a handler. */
cdn_status cdni_note_grazes(cdn_stepper *s);

/* kinks.c */

/* Evaluates kinks once, so that they have their workspace before the first step. */
cdn_status cdni_kinks_begin(cdn_stepper *s);
/* Takes the kinks of the present `work` as those at the next step's start. */
cdn_status cdni_kinks_afresh(cdn_stepper *s);
/* Watches the kinks that the attempt passes, judged by their values at its end, or at the scene's time within it. */
cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene);
/* The time until the first kink of a step of size h, as far as the present rates tell; h: none. If that cannot be found
 * out, the status says so, and the step may go on. */
cdn_status cdni_kinks_foresee(cdn_stepper *s, double h, double *tau);
/* Behind a kink at which a force sets in: shortens the step h so that it sees the force. */
cdn_status cdni_kinks_bound(cdn_stepper *s, double *h);
/* The same for one of them. */
cdn_status cdni_kinks_bound_at(cdn_stepper *s, int64_t trigger, double *h);
/* Forgets them when the step is accepted, whether a kink has ended it or not. */
cdn_status cdni_kinks_end(cdn_stepper *s);
void cdni_kinks_sleep(cdn_stepper *s);

/* Moves the scene to the start of the step. */
cdn_status cdni_scene_at_start(cdn_stepper *s);
/* Whether a passage within the attempt, at whose ends the kink has the same sign, changes the motion. The scene is
 * beyond the kink. */
cdn_status cdni_kinks_matters(cdn_stepper *s, int64_t trigger, bool *matters);
/* Aims the next attempt at a kink tau behind the start of the present one, of size h. */
void cdni_kinks_aim(cdn_stepper *s, int64_t trigger, double tau, double h);

/* sweep.c */

cdn_status cdni_sweep_create(cdn_stepper *s);
void cdni_sweep_destroy(cdn_stepper *s);
/* Looks at the present `work`, at which a run begins: nothing may lie wholly within another. */
cdn_status cdni_sweep_begin(cdn_stepper *s);
/* Forgets what was seen at the step's start: the run goes on from a state that was written. */
void cdni_sweep_forget(cdn_stepper *s);
/* Looks at what has been swept in an attempt that is good otherwise. If two things have met that no stage shows, the
 * step is taken again, to end where they meet; a step of a method that chooses its own is cut there. */
cdn_status cdni_sweep_step(cdn_stepper *s, cdni_outcome *outcome);
void cdni_sweep_accepted(cdn_stepper *s);
/* Behind such a step: shortens the step h so that it sees the force. */
cdn_status cdni_sweep_bound(cdn_stepper *s, double *h);

/* locate.c: finds the step and the time of an event. */

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

/* cut.c: makes a step end at an event. */

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

/* timer.c */

/* Sets each timer to its first time at or after t; after t, if the event has occurred at t already. */
cdn_status cdni_timers_reset(cdn_stepper *s, double t);
/* Sets a timer to its first time after t. */
cdn_status cdni_timer_advance(cdn_stepper *s, cdni_timer *timer, double t);
/* Asks the timers whose times depend on the State again. */
cdn_status cdni_timers_changed(cdn_stepper *s);
/* Skips the times before t, after a handler has moved the time to t. */
cdn_status cdni_timers_skip(cdn_stepper *s, double t);

void cdni_timer_archive(const cdn_stepper *s, cdni_timer *timer, cdni_archive *a);

/* moment.c: reports and handles the events of one moment. */

/* Passive events at a time within the last step. */
cdn_status cdni_moment_within(cdn_stepper *s, double t, bool *shown);
/* Events at the end of the step. *shown: an event occurred for which cdn_stepper_advance may return. */
cdn_status cdni_moment_at_end(cdn_stepper *s, bool *shown);

#endif
