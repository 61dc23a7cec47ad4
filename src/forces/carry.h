/* Friction that remembers goes from a State of one System to a State of another. */
#ifndef CARDAN_FORCES_CARRY_H
#define CARDAN_FORCES_CARRY_H

#include <cardan/state.h>

/* Copies the z of elements of the same names and kinds. */
cdn_status cdni_forces_carry_memory(cdn_state *to, const cdn_state *from);

#endif
