/* The factors that M^-1 is made of: see records.h. */
#ifndef CARDAN_MATTER_OPERATORS_FACTOR_H
#define CARDAN_MATTER_OPERATORS_FACTOR_H

#include "matter/operators.h"

/* Fills nu records from the articulated inertias, which must be valid; adds log det D of all mobilizers to *log_det
 * (may be NULL). Those that d says are prescribed have no g and no D^-1. Returns a body whose D is not positive definite,
 * or -1. O(n). */
int cdni_factor_mobilities(const matter *m, const tree_data *d, mobility_factor *out, double *log_det);

/* The same with scratch of the State, to be given back: realizes what it needs. `whole`: of the mass matrix of all
 * mobilities, whether they are prescribed or not, and d without prescribed ones. */
cdn_status cdni_operator_factor(cdn_state *state, const char *function, bool whole, const matter **m, tree_data *d,
                                size_t more_bytes, mobility_factor **out, double *log_det);

#endif
