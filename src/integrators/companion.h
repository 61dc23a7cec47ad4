/* The second run and its distance from this one (companion.c, companion_writes.c, judge.c). */
#ifndef CARDAN_INTEGRATORS_COMPANION_H
#define CARDAN_INTEGRATORS_COMPANION_H

#include <cardan/stepper.h>

#include "core/archive.h"
#include "integrators/gauge.h"
#include "integrators/bifurcation.h"

/* ---- what a run asks of its companion; these functions do nothing without one ---- */

/* Makes a companion that starts at `initial`, if the def asks for one. The message of a failure is on `initial`. */
cdn_status cdni_companion_create(cdn_stepper *s, cdn_state *initial);
void cdni_companion_destroy(cdn_stepper *s);
/* Advances the companion to the time at which the run is shown. CDN_ERR_LIMIT: call again. */
cdn_status cdni_companion_catch_up(cdn_stepper *s);
/* Catches up, and compares the two runs. */
cdn_status cdni_companion_follow(cdn_stepper *s);
/* Follows when advance is about to return for the reason `why`. After CDN_ERR_LIMIT the next call must finish this
 * first. */
cdn_status cdni_companion_show(cdn_stepper *s, cdn_return_reason reason);
bool cdni_companion_owes(cdn_stepper *s, cdn_return_reason *reason);
/* companion_writes.c: what the caller changes in the run changes in the companion. */

/* Passes the caller's changes of variables on: those of the report State since it was shown, or those in which
 * `state`, another State, differs from the report State. */
void cdni_companion_pass_on(cdn_stepper *s, cdn_state *state);
/* The caller is about to change y of the run; the run has restarted with the change. */
void cdni_companion_note_before(cdn_stepper *s);
void cdni_companion_jump(cdn_stepper *s);
/* Starts anew from the report State, which is at another time than before: nothing of what was known holds. */
void cdni_companion_begin_elsewhere(cdn_stepper *s);
/* The distances `of` of q, u and z, and the error that the run had where the companion last started anew. */
void cdni_companion_total(const cdn_stepper *s, const double of[3], double total[3]);
/* A triggered event is about to be handled at the present `work`. */
void cdni_companion_note_event(cdn_stepper *s, int32_t event);
/* It has been handled. */
void cdni_companion_note_handled(cdn_stepper *s);
/* The run has taken a step; the longest step that it began at time t or before. */
void cdni_companion_note_step(cdn_stepper *s);
double cdni_companion_longest_step(const cdn_stepper *s, double t);
/* Fills the companion's part of the certificate. */
void cdni_companion_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_companion_archive(cdn_stepper *s, cdn_state *state, cdni_archive *a);

/* judge.c: how the companion is run; `stiff`: by the method that takes over where the problem is stiff, if there is
 * one. */
cdn_stepper_def cdni_judge_def(const cdn_stepper *s, bool stiff);
bool cdni_judge_has_other(const cdn_stepper *s);
/* Limits the next step of a companion by those of its run; nothing for other runs. */
void cdni_judge_limit_steps(cdn_stepper *judge);

/* ---- what the files of the companion share ---- */

/* How the run's steps have grown: those longer than all before them by a twentieth. There is room for growth by
 * 1e21. */
enum { CDNI_MOST_GROWN = 1024 };
typedef struct cdni_growth {
  int n;
  double from[CDNI_MOST_GROWN], size[CDNI_MOST_GROWN];
} cdni_growth;

typedef struct cdni_companion {
  cdn_stepper *run;
  cdn_stepper *other;       /* the method for stiff problems, until it is needed; then the method before it; or NULL */
  bool stiff;               /* it is needed */
  int64_t evaluated;        /* evaluations until then */
  cdn_state *place;         /* for norms: N at the compared q */
  bool lost;                /* it could not continue, or has parted from the run */
  bool owed;                /* the run has been shown, and the companion has not caught up */
  cdn_return_reason reason; /* if so: the value that advance then returns */
  double largest, of[3], time, until, shift;
  char slot[96], alone[64], message[192];
  double alone_time;
  int32_t differs; /* at the last comparison: the event that only one run had had, or -1 */
  int64_t behind;  /* number of its occurrences in the other run */
  double since;    /* time since when they differ */
  double shifted;  /* time of the last event whose shift has been counted */
  double compared; /* time of the last comparison */
  cdni_bifurcation bifurcation;
  cdni_growth growth;
  double present[3]; /* of q, u and z: the last distance */
  /* Where the companion started anew: the time (the start of the run if it never did), the error that the run had
   * there, and the sum of the estimated errors of the run's steps up to there. */
  double anew, carried[3], local;
  double *before; /* y of the run before the caller changed it (ny numbers) */
  double *given;  /* the last value that each number of y was given, at the start or by the caller (ny numbers) */
} cdni_companion;

typedef struct cdni_gap {
  double of[3], largest;
  cdn_pool pool;
  int slot;
} cdni_gap;
/* The distance of two y at time t. */
cdn_status cdni_companion_measure(cdn_stepper *s, double t, const double *a, const double *b, cdni_gap *d);
/* The number of triggered events with handlers by which the two runs differ. *event is the first of them; *lead is
 * the difference of their numbers in it, and *behind is the smaller number. *only_sets: they are all of sets. */
int cdni_companion_differences(const cdn_stepper *s, int32_t *event, int64_t *lead, int64_t *behind, bool *only_sets);
/* The companion ends, for this error. */
void cdni_companion_lose(cdni_companion *c, const cdn_error *error);

#endif
