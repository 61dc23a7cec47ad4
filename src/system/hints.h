/* Hints: numbers that steps give, and from which later steps may start a search. */
#ifndef CARDAN_SYSTEM_HINTS_H
#define CARDAN_SYSTEM_HINTS_H

#include "system/system.h"

/* Declares that a variable, or an entry that steps mark as valid, is a hint: copied and saved with the State. That
 * hints differ is no difference between two States, and giving one is no change of a State. */
void cdni_declare_hint(cdn_declarer *d, cdn_ticket ticket);

/* The elements of a hint's region, for an entry that a step computes. They are no prerequisite of the entry: who starts
 * from them takes back what came of it before anybody else looks at the State. */
void cdni_hint_elements(const cdn_state *state, cdn_region r, const void **elements, int *n);

#endif
