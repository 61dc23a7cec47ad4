/* What rows add to derivatives. Private to the room. */
#ifndef CARDAN_DYNAMICS_ROW_DERIVATIVES_H
#define CARDAN_DYNAMICS_ROW_DERIVATIVES_H

#include "dynamics/internal.h"

/* How the equations of exact rows change by q, u and z at constant udot and forces: a row each; NULL: not wanted. */
typedef struct row_changes {
  double *by[3];
} row_changes;
struct derivative_pass;
/* What rows add to the derivatives of tau at constant udot, and the changes. Of a System with soft rows. */
cdn_status cdni_rows_differentiate(const dynamics *dyn, struct derivative_pass *p, double *dz,
                                   const row_changes *changes);

#endif
