/* All accuracies of one problem and method. */
#ifndef CARDAN_ACCURACY_SWEEP_H
#define CARDAN_ACCURACY_SWEEP_H

#include "run.h"

enum { ACCURACIES = 91 }; /* 10^0.1 apart, from 1e-2 to 1e-11 */

typedef struct sweep {
  bool done; /* the process that was to run it came to its end */
  bool ran[ACCURACIES];
  int longer;   /* accuracies left out as they would have taken too long */
  int doubtful; /* accuracies left out as the truth is not known to a hundredth of them */
  run runs[ACCURACIES];
} sweep;

double sweep_accuracy(int i);
/* Every `each`-th accuracy, from loose to tight, while a run takes at most `seconds` by its evaluations (they are counted, not timed, so
 * that every machine runs the same): all where it takes a fiftieth of that, then every fifth, and every tenth from a fifth on. The default
 * method has them all. `only`: a single accuracy, or 0. */
void run_sweep(const problem *p, const true_motion *truth, cdn_method method, int each, double seconds, double only,
               sweep *out);

#endif
