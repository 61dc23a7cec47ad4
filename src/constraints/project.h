/* What steppers ask of the constraints beyond the public projections. */
#ifndef CARDAN_CONSTRAINTS_PROJECT_H
#define CARDAN_CONSTRAINTS_PROJECT_H

#include <cardan/constraints.h>

/* The largest errors, in units, of position and of velocity constraints (the latter times the time scale where they are
 * rates of the former). Quaternions are not among them. */
cdn_status cdni_constraint_errors(cdn_state *state, double time_scale, double *position, double *velocity);
/* Takes from error estimates e_q (nq) and e_u (nu) what projection would take (10.12 to 10.14), in the metrics of W_u and E_u
 * (nu; NULL: ones). Reads the State's positions. */
cdn_status cdni_constraint_project_errors(cdn_state *state, const double *q_weights, const double *u_weights,
                                          double *e_q, double *e_u);

#endif
