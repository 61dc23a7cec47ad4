/* Matter's records for several States at once, for ensembles: blocks of lanes (math/lane_block.h). */
#ifndef CARDAN_MATTER_LANES_H
#define CARDAN_MATTER_LANES_H

#include "matter/matter.h"

/* Numbers a record has for one lane. */
#define RECORD_NUMBERS(type) (sizeof(type) / sizeof(double))

/* Bytes of the results of all passes, a multiple of 64. */
size_t cdni_tree_lanes_size(const matter *m, int lanes);
/* Pointers into such memory, 64-byte aligned; q, u, udot, constants and forces are left for the caller to fill in. */
tree_data cdni_tree_lanes(const matter *m, int lanes, void *memory);
/* Whether a lock or a motion drives any mobilizer of this State. */
bool cdni_matter_is_prescribed(const matter *m, const cdn_state *state);
/* What custom mobilizers give for a lane's State, which is realized to Velocity. */
cdn_status cdni_custom_lane(const matter *m, cdn_state *state, int lanes, int lane, custom_across *out);
/* qdot = N u for custom mobilizers in one lane. */
void cdni_custom_N_lane(const matter *m, int lanes, int lane, const double *q, const double *u, double *qdot);
/* The constants of a State's bodies, evaluated if need be. */
cdn_status cdni_matter_constants(const matter *m, cdn_state *state, const body_frames **frames, const body_mass **mass);

#endif
