/* A trigger in a run: its value is followed, so that a change of sign is found once. */
#ifndef CARDAN_INTEGRATORS_WATCH_H
#define CARDAN_INTEGRATORS_WATCH_H

#include <math.h>

#include <cardan/events.h>
#include <cardan/stepper.h>

#include "core/archive.h"
#include "system/triggers.h"

struct cdni_events; /* events_run.h */

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
  bool active;  /* it ends steps; otherwise it is passive, and its events are only reported */
  bool edges;   /* NaN counts as one of the two sides (`beyond`) */
  bool moves;   /* the motion of its value is known */
  bool bounded; /* it is known how far its value can change (sleep.c) */
  bool shows;   /* its value comes with the rates (quiet.c) */
  bool near;    /* in this step its value may reach zero between samples */
  cdn_direction direction;

  int8_t sign;   /* the side last seen; SIDE_ZERO: at its level, not left yet; SIDE_UNDEFINED: only NaN so far */
  int8_t beyond; /* with edges: the side that NaN stands for */
  double level;  /* the value that counts as zero. After an event it is that of the event, until the value has left
                    zero; otherwise 0 */
  bool armed;    /* it has fired, and its handler may have reversed the motion of the value: the next step finds out */
  double came;   /* slope of the value just before the last event */

  double window;               /* in this step, s */
  double time, value;          /* the point to which the present step has been followed */
  int next;                    /* turn or sample to look at next */
  double end;                  /* value at the end of the step */
  double slope;                /* of the value at the start of the next step; NaN: unknown */
  double end_slope;            /* of the value at the end of this step */
  double rate, second;         /* of a value that moves, at the start of the next step (quiet.c); NaN: unknown */
  double end_rate, end_second; /* at the end of this step */
  int glances;                 /* evaluations within this attempt in which its value was looked at, */
  double least, most;          /* and the least and the largest of these values */
  int parts; /* it sleeps until weights times ways of as many parts exceed its margin; 0: it is awake (sleep.c) */
  int32_t part[TRIGGER_PARTS];
  double weight[TRIGGER_PARTS], way[TRIGGER_PARTS], margin;
  double sleepless;                   /* it may sleep where its value is larger than that */
  bool woken;                         /* in this attempt: its value at the start of the step is not known */
  double from, past[2], past_time[2]; /* at the start of this step and of those before it; NaN: none */
  double lean;                        /* slope along the rates of the motion, by a central difference */
  double back, forth;                 /* values nearby, of which a slope is the difference */

  bool fired;   /* active: it fires at the end of the step */
  bool pending; /* passive: it occurred at `hi` and has not been reported */
  cdn_direction crossed;
  double lo, hi;
} cdni_watch;

/* ---- watch.c: following signs; turn.c: turning points between samples ---- */

/* The side of its level on which a value is. */
int cdni_watch_side(const cdni_watch *w, double g);
/* At a step's start: finds whether a handler has reversed the values of triggers that fired, and to which side values
 * that are zero go. */
cdn_status cdni_watches_start(cdn_stepper *s);
/* Computes the slopes w->lean along the rates f, at y and time t, of the watches for which `asks` is true. */
typedef bool cdni_asks(const struct cdni_events *ev, const cdni_watch *w);
cdn_status cdni_watches_lean(cdn_stepper *s, cdni_asks *asks, double t, const double *y, const double *f);
/* Follows the turns and samples from the watch's present time to `end`, where its value is w->end. True: the event
 * occurred at *c, the watch is now past it, and *before (may be NULL) is the watch as it was before. False: the
 * watch is at `end`. */
bool cdni_watch_follow(const struct cdni_events *ev, cdni_watch *w, double t0, double end, cdni_watch *before,
                       cdni_crossing *c);
/* Reads signs from `work`, the stepper's State: of triggers that fired; of all triggers, if a handler has `changed`
 * something. */
cdn_status cdni_watches_afresh(cdn_stepper *s, bool changed);
/* A trigger's value in a State, and its rate, NaN if it is not known; the message of a failure goes to `work`. */
cdn_status cdni_watch_read(cdn_stepper *s, int64_t trigger, cdn_state *state, double *g, double *rate);
cdn_status cdni_watch_value(cdn_stepper *s, const cdni_watch *w, cdn_state *state, double *g);
/* How much the value changes at the present time of the run, if y changes by its rounding error. */
cdn_status cdni_watch_rounding(cdn_stepper *s, const cdni_watch *w, double *rounding);
/* How much the value changes if y changes by the accuracy, at time t of the step, where the value is g. */
cdn_status cdni_watch_uncertainty(cdn_stepper *s, const cdni_watch *w, double t, double g, double *most);

/* quiet.c: whether no trigger can come to zero in the step that has just been made. Then nothing else has to look. */
cdn_status cdni_events_are_far(cdn_stepper *s, bool *far);
/* Whether the value is NaN until a handler changes the State. */
static inline bool cdni_watch_rests(const cdni_watch *w) { return (w->moves || w->shows) && isnan(w->value); }
/* Lists the watches that do not rest; an attempt begins; a step has been accepted. */
void cdni_quiet_afresh(cdn_stepper *s);
void cdni_quiet_attempt(cdn_stepper *s);
void cdni_quiet_accepted(cdn_stepper *s);

/* ---- sleep.c: values that are far away ---- */

static inline bool cdni_watch_sleeps(const cdni_watch *w) { return w->parts > 0; }
/* Nothing can become of it in this step. */
static inline bool cdni_watch_is_idle(const cdni_watch *w) {
  return cdni_watch_sleeps(w) || (cdni_watch_rests(w) && !w->edges);
}
/* All are awake, and nothing is known of how things move: a handler has changed the State, or the run begins. */
void cdni_sleep_afresh(cdn_stepper *s);
/* An attempt has come to its end: finds how far things have moved, and wakes what may be near by now. */
cdn_status cdni_sleep_attempt(cdn_stepper *s);
/* Whether an awake value cannot come to zero in this attempt, as things do not move so far. If it is farther away than
 * twice that it sleeps. */
cdn_status cdni_sleep_try(cdn_stepper *s, cdni_watch *w, bool *far);
/* Values that have been woken are looked at: finds what they were at the start of the step. */
cdn_status cdni_sleep_end(cdn_stepper *s);
void cdni_sleep_accepted(cdn_stepper *s);
void cdni_sleep_archive(cdn_stepper *s, cdni_archive *a);

/* `parts`: how many the System has. */
void cdni_watch_archive(cdni_watch *w, int parts, cdni_archive *a);

/* Whether it is no kink, and its value may reach zero between samples. */
bool cdni_watch_may_turn(const struct cdni_events *ev, const cdni_watch *w);
/* The slopes at time t of the step of the watches for which `asks` is true, from dense output a little before t (after
 * t, if t is the start). t is the place of w->end and w->end_slope (of_end), or of w->value and w->slope. */
cdn_status cdni_watches_slope(cdn_stepper *s, cdni_asks *asks, double t, bool of_end);
/* Fills the table of turns from values and slopes. */
cdn_status cdni_find_turns(cdn_stepper *s);
/* Looks for events of an accepted step that are doubtful: an error as large as the accuracy decides whether they occur.
 * Counts those that nearly occurred, and keeps the name of the first doubtful event with a handler. */
cdn_status cdni_note_grazes(cdn_stepper *s);

#endif
