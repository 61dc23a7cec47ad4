/* MuJoCo's parameters of a soft row: solref and solimp, and what they make of a violation. */
#ifndef CARDAN_SOFT_IMPEDANCE_H
#define CARDAN_SOFT_IMPEDANCE_H

#include <cardan/soft.h>

#include "soft/function.h"

typedef cdn_soft_law soft_law;

/* Of one row: the impedance d in (0, 1), and aref = -B v - K d x for the violation x = position - margin and its rate
 * v. By x, K d x varies by `stiffness`, and 1 / R, which goes with d / (1 - d), by the part `growth` of itself. */
typedef struct soft_response {
  double d, K, B, stiffness, growth;
} soft_response;
/* `safe`: the time constant counts as at least this, s (refsafe: two steps; 0: as it is given). */
soft_response cdni_soft_response(const soft_law *law, double x, double safe);
/* R of a row whose inverse inertia J M^-1 J^T is about `diagonal` (> 0). */
double cdni_soft_regularisation(double d, double diagonal);
/* The function of a contact with friction: SOFT_ELLIPTIC or SOFT_PYRAMIDAL, of 3, 4 or 6 rows, friction of those after
 * the first (each counts as at least 1e-5, MuJoCo's mjMINMU). R: of the normal row, for an elliptic cone; for a pyramid
 * of the first edge, whose diagonal is that of the normal row + friction[0]^2 that of the first tangent. `ratio` is
 * impratio. */
soft_function cdni_soft_cone(soft_kind kind, int rows, const double *friction, double R, double ratio);

#endif
