/* MuJoCo's parameters of a soft row: solref and solimp, and what they make of a violation. */
#ifndef CARDAN_CONSTRAINTS_SOFT_IMPEDANCE_H
#define CARDAN_CONSTRAINTS_SOFT_IMPEDANCE_H

#include <cardan/soft.h>

typedef cdn_soft_law soft_law;

/* Of one row: the impedance d in (0, 1), and aref = -B v - K d x for the violation x = position - margin and its rate
 * v. */
typedef struct soft_response {
  double d, K, B;
} soft_response;
/* `safe`: the time constant counts as at least this, s (refsafe: two steps; 0: as it is given). */
soft_response cdni_soft_response(const soft_law *law, double x, double safe);
/* R of a row whose inverse inertia J M^-1 J^T is about `diagonal` (> 0). */
double cdni_soft_regularisation(double d, double diagonal);

#endif
