/* ln det(G M^-1 G^T), for the rooms above. */
#ifndef CARDAN_CONSTRAINTS_LOG_DET_H
#define CARDAN_CONSTRAINTS_LOG_DET_H

#include <cardan/fixman.h>

#include "constraints/constraints.h"

/* Adds ln det(G M^-1 G^T), over the position equations of the enabled constraints, to *log_det, and its gradient to g
 * (nu; may be NULL). room may be NULL. */
cdn_status cdni_constraint_add_log_det(const constraint_room *room, cdn_state *state, const char *function,
                                       double *log_det, double *g);
/* The tickets that it reads, apart from matter: at most 4. Returns the number. */
int cdni_constraint_log_det_reads(const constraint_room *room, cdn_ticket *tickets);

#endif
