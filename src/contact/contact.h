/* Functions and types of the contact room for the rooms above it, beyond the public header. */
#ifndef CARDAN_CONTACT_CONTACT_H
#define CARDAN_CONTACT_CONTACT_H

#include <cardan/contact.h>

#include "system/system.h"

typedef struct contact_room contact_room;

/* The shapes of a System, NULL if it has none. */
const contact_room *cdni_contact(const cdn_system *system);

/* The variable in which a State has the owners of the slots of its friction's memory, and how many doubles it takes; 0:
 * there is no memory. */
int cdni_contact_memory_variable(const cdn_system *system, cdn_dvar *variable);
/* Whether a law acts between two kinds of geometry. */
bool cdni_contact_has_law(cdn_geometry_kind a, cdn_geometry_kind b);

#endif
