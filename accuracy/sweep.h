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

/* Which runs. */
typedef struct sweep_request {
  cdn_method method;
  bool companion;
  int each;    /* every so many accuracies */
  double only; /* a single accuracy, or 0 */
  double
      seconds; /* what a run may take, by its evaluations: they are counted, not timed, so that every machine runs the
                * same */
} sweep_request;

double sweep_accuracy(int i);
/* From loose to tight. A run that is expected to take more than a fiftieth of the time allowed is done for every fifth
 * accuracy only, one that takes more than a fifth of it for every tenth. The default method has them all. */
void run_sweep(const problem *p, const true_motion *truth, const sweep_request *ask, sweep *out);

#endif
