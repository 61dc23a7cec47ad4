/* A spring, a damper or a stop along a path. Private to the room. */
#ifndef CARDAN_FORCES_PATH_H
#define CARDAN_FORCES_PATH_H

#include "forces/internal.h"

typedef struct path_element {
  cdn_path path;
} path_element;

/* The describe of their kinds. */
void cdni_describe_path(const force_room *room, const void *element, char *text, size_t size);

#endif
