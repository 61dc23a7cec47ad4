/* What things have swept in a step (sweep.c). */
#ifndef CARDAN_INTEGRATORS_SWEEP_H
#define CARDAN_INTEGRATORS_SWEEP_H

#include <cardan/stepper.h>

#include "integrators/events.h"
#include "system/system.h"

/* Looks at what things have swept within a step. */
typedef struct cdni_sweep {
  const cdni_sweeper *ops; /* NULL: nothing can meet */
  const void *self;
  size_t mark_size;
  char *marks; /* of the start and the end of the step, then of times in between */
  int n_marks, first;
  cdni_sights sights;
  int64_t start, end;     /* ids of the clear times at both ends, 0: not clear */
  double reach, end_time; /* that the start is known for; of the end that has been looked at */
  bool marked, end_marked;
  bool has_scene; /* it is ready for times of the present step */
  int64_t met;    /* the two that meet where the step ends; -1: none */
  int shortened;  /* how often the present step has been made shorter for one that goes through the other */
} cdni_sweep;

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

#endif
