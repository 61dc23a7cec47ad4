/* Projection and constraint errors for steppers, beyond the public functions. */
#ifndef CARDAN_CONSTRAINTS_PROJECT_H
#define CARDAN_CONSTRAINTS_PROJECT_H

#include <cardan/constraints.h>

/* The largest position error and the largest velocity error, in units, and the names of their constraints ("": all
 * errors are zero). Rates of position errors are multiplied by the time scale. Quaternions do not count. */
typedef struct cdni_constraint_worst {
  double position, velocity;
  const char *of_position, *of_velocity;
} cdni_constraint_worst;
cdn_status cdni_constraint_errors(cdn_state *state, double time_scale, cdni_constraint_worst *worst);

/* cdn_project_q to 1e-10 in model units: 1 rad, or this length of the model (matter/scale.h; 0: it is not known). Unit
 * errors of constraints do not count. Bodies far from Ground's origin are held as well as rounding of places allows. */
#define CDNI_CONSTRAINTS_HELD 1e-10
cdn_status cdni_project_q_in_model_units(cdn_state *state, bool always, double length, double *error);

/* A projector has memory for one projection of q and one of u. It keeps the factors of both, which serve for error
 * estimates as well. */
typedef struct cdni_projector cdni_projector;

/* Whether the System has constraints, enabled or not. */
bool cdni_projects(const cdn_system *system);
/* A projector for a System with constraints; NULL if memory ran out. */
cdni_projector *cdni_projector_create(const cdn_system *system);
void cdni_projector_destroy(cdni_projector *projector);
/* Takes the memory that the State's enabled constraints need. Without this call the first projection takes it. */
cdn_status cdni_projector_reserve(cdni_projector *projector, cdn_state *state);
/* Like cdn_project_q and cdn_project_u. *moved becomes true if the State was not within the tolerance. */
cdn_status cdni_projector_q(cdni_projector *projector, cdn_state *state, const cdn_projection_def *def, bool *moved);
cdn_status cdni_projector_u(cdni_projector *projector, cdn_state *state, const cdn_projection_def *def, bool *moved);
/* Projects error estimates e_q (nq) and e_u (nu) as the last projections have projected the State (10.12 to 10.14):
 * with the same metrics, and with the matrices of their last iterations. Does nothing if they left the State alone. */
cdn_status cdni_projector_estimate(cdni_projector *projector, cdn_state *state, double *e_q, double *e_u);
/* Forgets the last projections: cdni_projector_estimate then does nothing. */
void cdni_projector_forget(cdni_projector *projector);

/* For each of the *n blocks of the elimination, the product of the sines of the angles between its equations and those
 * eliminated before. A sine passes through zero where the mechanism passes a singular pose. Contacts and friction may
 * hold more than once: where they have a part the sine counts as 1. Stage: Acceleration. */
cdn_status cdni_constraint_sines(cdn_state *state, int *n, double *sines);
/* The most sines, whichever constraints are enabled. */
int cdni_constraint_most_sines(const cdn_system *system);
/* The number of redundant equations of a block, as for sines. Stage: Acceleration. */
int cdni_constraint_redundant_in(cdn_state *state, int block);
/* The largest acceleration error that redundant position equations leave, in units, times the time scale squared; and
 * its constraint. Stage: Acceleration. */
cdn_status cdni_constraint_contradiction(cdn_state *state, double time_scale, double *size, int *constraint);
/* Names the constraints of a block, and the joints of their loops. */
void cdni_constraint_name_block(cdn_state *state, int block, char *text, size_t size);
/* Names a constraint, and the joints of its loop. */
void cdni_constraint_name(const cdn_state *state, int constraint, char *text, size_t size);

/* The power (W) of the constraints by the motion that they demand. It is cdn_constraint_power without the power of
 * velocity errors. Stage: Acceleration. */
cdn_status cdni_constraint_source_power(cdn_state *state, double *power);

/* Variations of q (in the tangent basis) and of u, one column each, of as many rows as matter has mobilities. */
typedef struct projection_variation {
  int columns;
  double *q, *u;
} projection_variation;
/* Projects the q of a State, and turns its variations into those of the projected q and u; u itself is left alone. The
 * metric is that of a run without weights. The State has matter only. */
cdn_status cdni_project_vary(cdn_state *state, const char *function, int n, const projection_variation *variations);

#endif
