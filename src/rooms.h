/* The rooms that keep data of their own on a System, in the order of freezing: a room follows the rooms that it may
 * include. But forces follow contact, which adds a force element while it is frozen. A new room needs a line here,
 * and a cdni_NAME_room in one of its files. */
#ifndef CARDAN_ROOMS_H
#define CARDAN_ROOMS_H

#define CDNI_ROOM_LIST(X)         \
  X(CONTROLS, controls)           \
  X(RANDOM, random)               \
  X(MATTER, matter)               \
  X(PATHS, paths)                 \
  X(CONTACT, contact)             \
  X(FORCES, forces)               \
  X(CONSTRAINTS, constraints)     \
  X(HYBRID, hybrid)               \
  X(SOFT_ELEMENTS, soft_elements) \
  X(SOFT, soft)                   \
  X(DYNAMICS, dynamics)           \
  X(MEASURES, measures)

#define CDNI_ROOM_ENUM(ENUM, name) CDNI_ROOM_##ENUM,
enum { CDNI_ROOM_LIST(CDNI_ROOM_ENUM) CDNI_ROOM_COUNT };
#undef CDNI_ROOM_ENUM

#endif
