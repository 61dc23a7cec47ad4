/* The factors of M^-1 (records.h). */
#ifndef CARDAN_MATTER_OPERATORS_FACTOR_H
#define CARDAN_MATTER_OPERATORS_FACTOR_H

#include "matter/operators.h"

/* Fills nu records from the articulated inertias, which must be valid. Adds log det D of all mobilizers to *log_det
 * (may be NULL). Mobilities that d prescribes have zero g and D^-1. Returns a body whose D is not positive definite,
 * or -1. O(n). */
int cdni_factor_mobilities(const matter *m, const tree_data *d, mobility_factor *out, double *log_det);

/* Realizes the inertias and fills the records in scratch of the State, which the caller gives back. `whole`: for the
 * mass matrix of all mobilities, prescribed or not. */
cdn_status cdni_operator_factor(cdn_state *state, const char *function, bool whole, const matter **m, tree_data *d,
                                size_t more_bytes, mobility_factor **out, double *log_det);

#endif
