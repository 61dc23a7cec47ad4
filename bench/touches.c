#include "touches.h"

#include "contact/memory.h"

int bench_count_touches(cdn_state *state) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const void *touches;
  int n;
  return room && cdn_region_eval(state, room->touches, &touches, &n) == CDN_OK ? n : -1;
}
