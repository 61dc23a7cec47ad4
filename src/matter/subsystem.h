/* Matter as a subsystem: what it declares and computes. Private to the room. */
#ifndef CARDAN_MATTER_SUBSYSTEM_H
#define CARDAN_MATTER_SUBSYSTEM_H

#include "matter/internal.h"

extern const cdn_subsystem_ops cdni_matter_ops;

/* Pointers into the State's block for the kernels; nothing is evaluated. udot, eps, z, A are those of the State's own
 * acceleration entry. */
tree_data cdni_matter_data(const matter *m, const cdn_state *state);
/* Looks up where everything is, once the State's block has been planned. */
void cdni_matter_planned(const cdn_system *system, void *room);
/* "joint 'x' ... no inertia": the story of a kernel that returned a body. */
cdn_status cdni_matter_singular(const matter *m, cdn_state *state, int body, const char *function);

#endif
