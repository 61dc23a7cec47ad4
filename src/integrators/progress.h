/* Whether a run ever comes to its end (progress.c). */
#ifndef CARDAN_INTEGRATORS_HEADWAY_H
#define CARDAN_INTEGRATORS_HEADWAY_H

#include <cardan/stepper.h>

#include "integrators/chatter.h"

/* Progress of the run. */
typedef struct cdni_progress {
  int steps, length;  /* steps accepted in the present window; how many it will have */
  int windows;        /* in a row without progress */
  int turns;          /* steps of the present window whose rates change the other way than over the step before */
  double since, mean; /* start of the window; mean step of the window before it, 0: there is none */
  double change;      /* of all rates, over the last step */
  double moved, path; /* weighted, over the short steps of the window: how far from `start` they led; their sum */
  double *start;      /* y at the start of the window */
  cdni_chatter chatter;
} cdni_progress;

/* A run starts, or restarts, at the present y. */
void cdni_progress_begin(cdn_stepper *s);
/* After an accepted step: false if steps of this size will never reach the time `goal`. */
bool cdni_makes_progress(cdn_stepper *s, double goal);
/* The report of such a run: the cause of the short steps, and the cure. */
cdn_status cdni_fail_progress(cdn_stepper *s, double goal);

#endif
