/* The table of rooms, which the system room goes through without knowing who is in it. */
#include "rooms.h"

#include "system/system.h"

#define ROOM_EXTERN(ENUM, name) extern const cdni_room_ops cdni_##name##_room;
CDNI_ROOM_LIST(ROOM_EXTERN)
#undef ROOM_EXTERN

_Static_assert((int)CDNI_ROOM_COUNT <= (int)CDNI_MOST_ROOMS, "more rooms than a System has places for");

const cdni_room_ops *const cdni_rooms[CDNI_MOST_ROOMS] = {
#define ROOM_ENTRY(ENUM, name) [CDNI_ROOM_##ENUM] = &cdni_##name##_room,
  CDNI_ROOM_LIST(ROOM_ENTRY)
};
