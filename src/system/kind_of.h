/* Which kind of subsystem an id stands for. */
#ifndef CARDAN_SYSTEM_KIND_OF_H
#define CARDAN_SYSTEM_KIND_OF_H

#include "system/system.h"

/* Whether a subsystem is of the kind whose `declare` this is. */
bool cdni_subsystem_is_of(const cdn_system *system, cdn_subsystem id, cdn_status (*its)(void *, cdn_declarer *));

#endif
