/* What hybrid mechanics offers the rooms above: friction that slips is a force within each evaluation. */
#ifndef CARDAN_HYBRID_HYBRID_ROOM_H
#define CARDAN_HYBRID_HYBRID_ROOM_H

#include <cardan/hybrid.h>

#include "constraints/constraints.h"

typedef struct hybrid_room hybrid_room;

/* The room of a System that has such elements; else NULL. */
const hybrid_room *cdni_hybrid(const cdn_system *system);
/* The variable that says which elements act, and how. */
cdn_ticket cdni_hybrid_status(const hybrid_room *room);
/* Declares the friction forces of an evaluation as a companion of the accelerations. The System is being frozen. */
void cdni_hybrid_declare_forces(const hybrid_room *room, cdn_declarer *d, cdn_cache acceleration);
/* Variables that handled moments change, and their numbers of doubles: at most 2. Returns how many. They switch
 * constraints, too. */
int cdni_hybrid_variables(const hybrid_room *room, cdn_dvar variables[2], int n[2]);
/* Tickets that slipping reads: at most 4. Returns the number. */
int cdni_hybrid_reads(const hybrid_room *room, cdn_ticket *tickets);

/* Whether any friction slips. Then its force is part of the applied forces. */
bool cdni_hybrid_slips(const hybrid_room *room, const cdn_state *state);
/* Adds the forces that do not depend on multipliers (F about M's origins, f on mobilities). *depends: there are others,
 * for which the System has to be solved. */
cdn_status cdni_hybrid_push_loads(const hybrid_room *room, cdn_state *state, sv *F, double *f, bool *depends);
/* From the multipliers of a solution with those forces: adds the forces that agree with their own multipliers. */
cdn_status cdni_hybrid_push_rest(const hybrid_room *room, cdn_state *state, sv *F, double *f);
/* The power of friction that slips, W. */
cdn_status cdni_hybrid_power(const hybrid_room *room, cdn_state *state, double *power);
/* The name of the first friction that slips; NULL: none does. */
const char *cdni_hybrid_first_slipping(const hybrid_room *room, const cdn_state *state);

#endif
