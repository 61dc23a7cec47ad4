/* How far single steps are off: every accepted step of a run beside one at 1e-13 from the State at which it started. */
#ifndef CARDAN_TESTS_LOCAL_ERRORS_H
#define CARDAN_TESTS_LOCAL_ERRORS_H

#include "runs.h"

/* A motion for this purpose: what is fast, whips, rings, is damped or has kinks. */
typedef struct local_motion {
  const char *name;
  double end;
  cdn_state *(*start)(const double *p);
  double p[8];
} local_motion;

extern const local_motion local_motions[];
extern const int n_local_motions;

typedef struct local_errors {
  int steps;                /* that were judged */
  int beyond, far_beyond;   /* of those, with errors above what was allowed, and above ten times that */
  double worst, worst_time; /* the largest error over what was allowed, and the step's start */
  double worst_estimate;    /* what the method took that one for */
  double estimates; /* geometric mean of errors over estimates, where both are above a thousandth of what is allowed */
  double most_low;  /* the largest of those */
  cdn_certificate c;
  cdn_status status; /* of the run */
} local_errors;

/* Runs to m->end, or until so many steps were judged. Steps that an event with a handler ended are left out. */
void measure_local_errors(const local_motion *m, cdn_method method, double accuracy, int most_steps, local_errors *out);

#endif
