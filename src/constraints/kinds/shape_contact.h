/* Constraints of the slots of rigid contact. */
#ifndef CARDAN_CONSTRAINTS_KINDS_SHAPE_CONTACT_H
#define CARDAN_CONSTRAINTS_KINDS_SHAPE_CONTACT_H

#include "constraints/constraints.h"

/* Adds the equation of a slot's gap, or the two of the slip there. The System is being frozen. */
cdn_constraint cdni_constrain_slot(cdn_system *system, const char *name, int slot, bool slip);

#endif
