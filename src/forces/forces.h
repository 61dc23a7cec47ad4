/* What forces offer the rooms above, beyond the public headers. */
#ifndef CARDAN_FORCES_FORCES_H
#define CARDAN_FORCES_FORCES_H

#include <cardan/forces.h>

#include "matter/matter.h"

typedef struct force_room force_room;
struct derivative_pass;

/* The forces of a System, NULL if it has none. */
const force_room *cdni_forces(const cdn_system *system);

/* How many subsystems there are behind its custom forces. */
int cdni_forces_subsystems(const force_room *room);

/* ---- sums: forces that read the same things and are alike in having a potential have a sum and a cache entry of their own ---- */

enum { CDNI_FORCE_SUMS = 6 }; /* at most */
/* Their tickets, known when the forces have been declared; returns how many there are. */
int cdni_forces_sums(const force_room *room, cdn_ticket *tickets);
/* Adds all of them to F (one a body, about M's origins) and f (matter's nu). There is at least one sum. */
cdn_status cdni_forces_add(const force_room *room, cdn_state *state, sv *F, double *f);
/* The power of those without a potential. */
cdn_status cdni_forces_nonpotential_power(const force_room *room, cdn_state *state, const body_twist *twist,
                                          const double *u, double *power);
/* The power of given forces; F and f may be NULL. */
double cdni_force_power(const matter *m, const body_twist *twist, const double *u, const sv *F, const double *f);

/* ---- derivatives ---- */

/* Adds to a pass over matter (matter/derivatives.h) what all force elements and the forces applied from outside do; dz: of tau,
 * nu x nz, NULL if not wanted. `function` is the public one. */
cdn_status cdni_forces_differentiate(struct derivative_pass *p, const char *function, double *dz);
/* g (zero if there is no gravity, or it is off), and which bodies it leaves out (NULL: none). */
v3 cdni_gravity(const force_room *room, cdn_state *state, const double **excluded);

#endif
