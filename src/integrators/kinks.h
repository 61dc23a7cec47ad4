/* Kinks: triggers without an event (kinks.c). */
#ifndef CARDAN_INTEGRATORS_KINKS_H
#define CARDAN_INTEGRATORS_KINKS_H

#include <cardan/stepper.h>

/* Evaluates kinks once, so that they have their workspace before the first step. */
cdn_status cdni_kinks_begin(cdn_stepper *s);
/* Takes the kinks of the present `work` as those at the next step's start. */
cdn_status cdni_kinks_afresh(cdn_stepper *s);
/* Watches the kinks that the attempt passes, judged by their values at its end, or at the scene's time within it. */
cdn_status cdni_kinks_wake(cdn_stepper *s, bool at_scene);
/* The time until the first kink of a step of size h, as far as the present rates tell; h: none. If that cannot be found
 * out, the status says so, and the step may go on. */
cdn_status cdni_kinks_foresee(cdn_stepper *s, double h, double *tau);
/* Behind a kink at which a force sets in: shortens the step h so that it sees the force. */
cdn_status cdni_kinks_bound(cdn_stepper *s, double *h);
/* The same for one of them. */
cdn_status cdni_kinks_bound_at(cdn_stepper *s, int64_t trigger, double *h);
/* Forgets them when the step is accepted, whether a kink has ended it or not. */
cdn_status cdni_kinks_end(cdn_stepper *s);
void cdni_kinks_sleep(cdn_stepper *s);

/* Whether a passage within the attempt, at whose ends the kink has the same sign, changes the motion. The scene is
 * beyond the kink. */
cdn_status cdni_kinks_matters(cdn_stepper *s, int64_t trigger, bool *matters);
/* Aims the next attempt at a kink tau behind the start of the present one, of size h. */
void cdni_kinks_aim(cdn_stepper *s, int64_t trigger, double tau, double h);

#endif
