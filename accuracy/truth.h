/* The true motion of a problem at its reports. */
#ifndef CARDAN_ACCURACY_TRUTH_H
#define CARDAN_ACCURACY_TRUTH_H

#include "problem.h"

enum { REPORTS = 100, TRUTH_MOST = 64 };

typedef struct true_motion {
  int n;             /* reports: REPORTS */
  double t[REPORTS]; /* equally spaced up to the end, but moved away from events: runs may have them a little earlier or
                  * later */
  double y[REPORTS][TRUTH_MOST]; /* q, u, z */
  /* How far it may be wrong: the distance of two runs of different methods where it is known by them, else 0.
   * Accuracies below a hundred times as much are not judged. */
  double doubt;
  double published; /* its distance from published numbers; NAN: there are none */
  bool failed;      /* the runs by which it was to be known did not reach the end */
  double seconds;
} true_motion;

/* Finds it. `out` holds no pointers and may be in memory that processes share. */
void find_truth(const problem *p, true_motion *out);

#endif
