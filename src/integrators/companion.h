/* What a run knows of its companion: shared by companion.c and companion_writes.c. */
#ifndef CARDAN_INTEGRATORS_COMPANION_H
#define CARDAN_INTEGRATORS_COMPANION_H

#include "integrators/gauge.h"
#include "integrators/internal.h"

/* How the run's steps have grown: those longer than all before them by a twentieth. There is room for growth by
 * 1e21. */
enum { CDNI_MOST_GROWN = 1024 };
typedef struct cdni_growth {
  int n;
  double from[CDNI_MOST_GROWN], size[CDNI_MOST_GROWN];
} cdni_growth;

typedef struct cdni_companion {
  cdn_stepper *run;
  cdn_stepper *other; /* the method for stiff problems, until it is needed; then the method before it; or NULL */
  bool stiff;         /* it is needed */
  int64_t evaluated;  /* evaluations until then */
  cdn_state *place;   /* for norms: N at the compared q */
  bool lost;          /* it could not continue, or has parted from the run */
  bool owed;          /* the run has been shown, and the companion has not caught up */
  cdn_why why;        /* if so: the value that advance then returns */
  double largest, of[3], time, until, shift;
  char slot[96], alone[64], story[192];
  double alone_time;
  int32_t differs; /* at the last comparison: the event that only one run had had, or -1 */
  int64_t behind;  /* number of its occurrences in the other run */
  double since;    /* time since when they differ */
  double shifted;  /* time of the last event whose shift has been counted */
  double compared; /* time of the last comparison */
  cdni_parting parting;
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
 * the difference of their numbers in it, and *behind is the smaller number. */
int cdni_companion_differences(const cdn_stepper *s, int32_t *event, int64_t *lead, int64_t *behind);
/* The companion ends, for this error. */
void cdni_companion_lose(cdni_companion *c, const cdn_error *error);

#endif
