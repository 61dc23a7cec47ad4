/* One run of a problem, and what it was worth. */
#ifndef CARDAN_ACCURACY_RUN_H
#define CARDAN_ACCURACY_RUN_H

#include "distance.h"
#include "truth.h"

typedef struct run {
  cdn_method method;
  double accuracy; /* asked */
  cdn_status status;
  bool cut;       /* it was stopped, as it took more evaluations than it may */
  double reached; /* the time at which it ended */
  double error;   /* the largest distance from the truth over reports that it reached: delivered */
  double error_q, error_u, error_z, error_time; /* at the report that is farthest off */
  char error_slot[96];
  /* What the run says itself, by its companion; NaN without one. */
  double estimate, amplification, delivered_until;
  cdn_verdict verdict;
  double residual; /* of the energy */
  int64_t evaluations, companion_evaluations, steps, rejected;
  double seconds;
  char message[400]; /* of a failure */
} run;

typedef struct run_request {
  cdn_method method;
  double accuracy;
  bool companion;
  int64_t most; /* evaluations, those of the companion not counted */
} run_request;

/* Runs from `start`, which is left as it is. */
void run_problem(const problem *p, cdn_state *start, const true_motion *truth, const run_request *ask, run *out);

/* It ended with a failure where it ought to have gone on. */
bool run_has_failed(const problem *p, const run *r);

#endif
