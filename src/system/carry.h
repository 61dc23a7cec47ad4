/* What subsystems hold goes from a State of one System to a State of another. */
#ifndef CARDAN_SYSTEM_CARRY_H
#define CARDAN_SYSTEM_CARRY_H

#include <cardan/state.h>

/* Told of what does not fit. */
typedef void cdni_carried_fn(void *context, const char *name, const char *what);
/* What subsystems that are no rooms have in `from` goes to those of the same names and kinds in `to`. */
cdn_status cdni_carry_subsystems(cdn_state *to, const cdn_state *from, cdni_carried_fn *tell, void *context);

#endif
