/* Functions and types of the contact room for the rooms above it, beyond the public header. */
#ifndef CARDAN_CONTACT_CONTACT_H
#define CARDAN_CONTACT_CONTACT_H

#include <cardan/contact.h>

#include "system/system.h"

typedef struct contact_room contact_room;

/* The shapes of a System, NULL if it has none. */
const contact_room *cdni_contact(const cdn_system *system);

#endif
