/* Kinks: triggers without an event (kinks.c). `work` is the stepper's State at the present time. The *scene* is a
 * second State, which evaluates triggers at times within a step (events_run.h). An *attempt* is a step that is not
 * accepted yet. */
#ifndef CARDAN_INTEGRATORS_KINKS_H
#define CARDAN_INTEGRATORS_KINKS_H

#include <cardan/stepper.h>

/* Evaluates kinks once, so that they have their workspace before the first step. */
cdn_status cdni_kinks_begin(cdn_stepper *s);
/* Reads the values of all kinks from `work`, as values at the start of the next step. */
cdn_status cdni_kinks_afresh(cdn_stepper *s);
/* Begins to watch the kinks that change their sign in the attempt: between its start and its end, or, if `at_scene`,
 * the time of the scene. */
cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene);
/* *tau: the time from the start of a step of size h to its first kink, by the present rates; h if there is none. An
 * error means that this could not be found out; the step may be taken all the same. */
cdn_status cdni_kinks_foresee(cdn_stepper *s, double h, double *tau);
/* After a kink at which a force begins: shortens the step h, so that the step sees the force. */
cdn_status cdni_kinks_bound(cdn_stepper *s, double *h);
/* The same for one kink. */
cdn_status cdni_kinks_bound_at(cdn_stepper *s, int64_t trigger, double *h);
/* When a step is accepted: reads the values of all kinks at its end. */
cdn_status cdni_kinks_end(cdn_stepper *s);
/* After that: the values at its end become those at the next start, and its kinks are no longer watched. */
void cdni_kinks_sleep(cdn_stepper *s);

/* A kink has the same sign at both ends of the attempt, and was passed twice within it. Whether that changes the
 * motion; the scene is at a time between the two passages. */
cdn_status cdni_kinks_matters(cdn_stepper *s, int64_t trigger, bool *matters);
/* Makes the next attempt end at a kink: at the time tau after the start of the present attempt, of size h. */
void cdni_kinks_aim(cdn_stepper *s, int64_t trigger, double tau, double h);

#endif
