/* What a State of one System keeps in another one that has the same bodies and joints, such as that of another law of
 * contact. Elements are the same if their type, name, kind and number of parameters are. Private to the room. */
#ifndef CARDAN_VIEW_CARRY_H
#define CARDAN_VIEW_CARRY_H

#include <cardan/elements.h>
#include <cardan/state.h>

#include "core/core.h"

typedef struct view_carry {
  const cdn_system *from, *to; /* not retained */
  const cdn_allocator *allocator;
  cdni_array blocks;   /* carry_block: parameters of elements, all that the first System has */
  cdni_array numbers;  /* double: values of parameters in new States of the first System */
  cdni_array controls; /* int, two by two: its number in the second System and in the first */
  cdni_array z;        /* likewise */
  int most;            /* parameters of one element */
} view_carry;

/* CDN_ERR_ARG: the Systems do not have the same joints; CDN_ERR_NOMEM. */
cdn_status cdni_carry_make(const cdn_system *from, const cdn_system *to, const cdn_allocator *allocator,
                           view_carry *out);
void cdni_carry_free(view_carry *c);
/* Time, q, u; z, controls, locks, changed parameters and what is switched on of the same names. `to` is a new State.
 * What could not be carried is told in `lost` (may be NULL), "" if there is nothing. */
cdn_status cdni_carry(view_carry *c, const cdn_state *from, cdn_state *to, char *lost, size_t size);

#endif
