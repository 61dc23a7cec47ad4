/* Types and functions that the files of the room share. Private to the room. */
#ifndef CARDAN_CONTROLS_INTERNAL_H
#define CARDAN_CONTROLS_INTERNAL_H

#include "controls/controls.h"

typedef struct control {
  char *name, *unit;
  double lower, upper, initial;
  cdn_ticket ticket; /* of the value that counts, from adding on */
  control_source source;
  bool follows;
} control;

struct control_room {
  cdni_array controls; /* control */
  cdn_dvar given;      /* a number a control */
  cdn_dvar limits;     /* two a control */
};

/* controls.c: the control of an id, or NULL. */
const control *cdni_control_at(const control_room *room, cdn_control c);

/* values.c: the compute function of every control's entry, and the room's subsystem. */
extern const cdn_subsystem_ops cdni_controls_ops;
/* cdn_control_set_limits, on behalf of a public function. */
cdn_status cdni_control_set_limits(cdn_state *state, const char *function, cdn_control id, double lower, double upper);

#endif
