/* The manifold of the constraints, with unit quaternions (10.1; project.c). */
#ifndef CARDAN_INTEGRATORS_PROJECT_H
#define CARDAN_INTEGRATORS_PROJECT_H

#include <cardan/stepper.h>

/* Ends of steps are always projected, however small their errors are: remaining errors would add up over the steps.
 * Near singular poses small constraint errors are large position errors, and could lead into another branch of the
 * motion. */
typedef enum cdni_when { CDNI_WHERE_OFF, CDNI_ALWAYS } cdni_when;

/* Brings quaternions to unit length if they are off by more than rounding. Returns the error that they had, or 0 if
 * nothing changed. Sets s->scale to new over old lengths. */
double cdni_normalize(cdn_stepper *s, double *q);
/* Sets a State to time t and the point of the manifold nearest to y, in the norm of the errors: normalizes
 * quaternions, prescribes (8.4), then projects q and u (CDNI_WHERE_OFF: only if errors exceed the tolerance). Writes
 * the result to y. */
cdn_status cdni_project(cdn_stepper *s, cdn_state *state, double t, double *y, cdni_when when);
/* Project q, and u, of a State that has been set; set *moved if they changed anything. Nothing without constraints. */
cdn_status cdni_project_q(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
cdn_status cdni_project_u(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
/* Projects a State that has been set, where rates must be evaluated on the manifold (singular.h). */
cdn_status cdni_project_rates(cdn_stepper *s, cdn_state *state);
/* Removes from an error estimate the part that the projections of this attempt removed from y. */
cdn_status cdni_project_estimate(cdn_stepper *s, double *e);
/* Projects `work` at the start of a run if it is near the manifold; fails if it is not. */
cdn_status cdni_project_start(cdn_stepper *s);
/* Refuses a start at a singular pose with speeds that lead off the manifold; needs the rates of `work`. */
cdn_status cdni_project_start_rates(cdn_stepper *s);

#endif
