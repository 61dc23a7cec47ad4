/* Constraints of the slots of rigid contact. */
#ifndef CARDAN_CONSTRAINTS_KINDS_SHAPE_CONTACT_H
#define CARDAN_CONSTRAINTS_KINDS_SHAPE_CONTACT_H

#include "constraints/constraints.h"

/* Rolling contact has three equations, sliding contact one, and slip the other two. Beside these there are the spin
 * about the normal, and the two of turning about the tangents. */
typedef enum contact_equations {
  CONTACT_SLIDING,
  CONTACT_ROLLING,
  CONTACT_SLIP,
  CONTACT_SPIN,
  CONTACT_TURN
} contact_equations;

/* Adds the equation of a slot's gap (CONTACT_SLIDING), or those of the slip, the spin or the turning there. The System
 * is being frozen. */
cdn_constraint cdni_constrain_slot(cdn_system *system, const char *name, int slot, contact_equations equations);
/* sphere_on_plane.c: spin or turning of a body on the plane z = 0 of a frame of a. */
cdn_constraint cdni_constrain_turn_on_plane(cdn_system *system, const char *name, cdn_body a, cdn_transform X_AP,
                                            cdn_body b, contact_equations equations);

#endif
