/* Steps: one that is accepted, and the evaluations of it (step.c). */
#ifndef CARDAN_INTEGRATORS_STEP_H
#define CARDAN_INTEGRATORS_STEP_H

#include <cardan/stepper.h>

/* Takes one accepted step that ends at `end` or before. If `serve` lies before its end, prepares the report
 * State for times within the step. On failure `work` is back at the last accepted step, and the failure is stored. */
cdn_status cdni_take_step(cdn_stepper *s, double end, double serve);

/* Starts, or restarts, from the contents of `work`: normalizes, and evaluates what is not valid. */
cdn_status cdni_begin(cdn_stepper *s);
/* Notes an error estimate before it is projected. */
void cdni_note_estimate(cdn_stepper *s, const double *e);
/* ydot and power of the present `work`; valid results are not computed again. */
cdn_status cdni_evaluate_here(cdn_stepper *s, double *ydot, double *power);
/* Realizes Acceleration of a State from which a step starts. */
cdn_status cdni_realize_start(const cdn_stepper *s, cdn_state *state);
/* Whether a shorter step may avoid a failure: one marked recoverable, or numbers that are not finite. */
bool cdni_is_recoverable(const cdn_stepper *s, cdn_status status);
/* Puts `work` back at the last accepted step. */
void cdni_restore(cdn_stepper *s);

/* Finds the slots that are prescribed at the present `work`. */
void cdni_note_prescribed(cdn_stepper *s);
/* Writes the prescribed values of `state` into its q and u, and into y (may be NULL). */
cdn_status cdni_prescribe_values(const cdn_stepper *s, cdn_state *state, double *y);

/* y and the work done at time t within the last accepted step, unprojected. First makes the evaluations that the
 * method's dense output needs, on `report`, which must hold the discrete variables of that step. */
cdn_status cdni_look(cdn_stepper *s, double t, double *y, double *work);

#endif
