/* The caller's changes of the report State since it was shown (inputs.c). */
#ifndef CARDAN_INTEGRATORS_INPUTS_H
#define CARDAN_INTEGRATORS_INPUTS_H

#include <cardan/stepper.h>

/* Notes the contents of `report`, as the caller is shown them. */
void cdni_note_shown(cdn_stepper *s);
/* Whether the caller has written anything. */
bool cdni_has_inputs(const cdn_stepper *s);
/* Takes the caller's changes into the run, and restarts it if something jumped. */
cdn_status cdni_take_inputs(cdn_stepper *s);

#endif
