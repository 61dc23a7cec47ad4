/* What steppers ask of the constraints beyond the public projections. */
#ifndef CARDAN_CONSTRAINTS_PROJECT_H
#define CARDAN_CONSTRAINTS_PROJECT_H

#include <cardan/constraints.h>

/* The largest errors, in units, of position and of velocity constraints (the latter times the time scale where they are
 * rates of the former), and the names of the constraints that have them ("": all are zero). Quaternions are not among them. */
typedef struct cdni_constraint_worst {
  double position, velocity;
  const char *of_position, *of_velocity;
} cdni_constraint_worst;
cdn_status cdni_constraint_errors(cdn_state *state, double time_scale, cdni_constraint_worst *worst);

/* A projector has memory for one projection of q and one of u, so that what has been factored there serves error
 * estimates as well. */
typedef struct cdni_projector cdni_projector;

/* Whether the System has constraints, on or off. */
bool cdni_projects(const cdn_system *system);
/* One for a System that has; NULL if memory ran out. */
cdni_projector *cdni_projector_create(const cdn_system *system);
void cdni_projector_destroy(cdni_projector *projector);
/* Makes room for the constraints that are on in a State. Projections do so themselves; then the first one allocates. */
cdn_status cdni_projector_reserve(cdni_projector *projector, cdn_state *state);
/* cdn_project_q and cdn_project_u; *moved is set if the State was not within the tolerance. */
cdn_status cdni_projector_q(cdni_projector *projector, cdn_state *state, const cdn_projection_def *def, bool *moved);
cdn_status cdni_projector_u(cdni_projector *projector, cdn_state *state, const cdn_projection_def *def, bool *moved);
/* Takes from error estimates e_q (nq) and e_u (nu) what the last projections took from the State (10.12 to 10.14), nothing
 * if they left it alone: in the same metrics and with the matrices of their last iterations. */
cdn_status cdni_projector_estimate(cdni_projector *projector, cdn_state *state, double *e_q, double *e_u);
/* From here on the projections have left everything alone. */
void cdni_projector_forget(cdni_projector *projector);

/* The sines of the angles at which equations stand to those eliminated before, by block of the elimination of the constraints that
 * are on: *n of them, most of which stay away from zero. One passes through zero where a mechanism passes a singular pose. Stage:
 * Acceleration. */
cdn_status cdni_constraint_sines(cdn_state *state, int *n, const double **sines);
/* How many there are at most, whatever is on. */
int cdni_constraint_most_sines(const cdn_system *system);
/* How many equations of a block are redundant. Stage: Acceleration. */
int cdni_constraint_redundant_in(cdn_state *state, int block);
/* By how much accelerations of position equations contradict each other where some are redundant: in units, times the time scale
 * squared; the constraint that is off most. Stage: Acceleration. */
cdn_status cdni_constraint_contradiction(cdn_state *state, double time_scale, double *size, int *constraint);
/* The constraints whose equations a block has, and the joints of their loops, by name. */
void cdni_constraint_name_block(cdn_state *state, int block, char *text, size_t size);
/* The same of one constraint. */
void cdni_constraint_name(const cdn_state *state, int constraint, char *text, size_t size);

/* The power (W) that constraints put in by the motion that they demand: that of cdn_constraint_power on the manifold. What
 * velocity errors do is no part of it. Stage: Acceleration. */
cdn_status cdni_constraint_source_power(cdn_state *state, double *power);

#endif
