/* A pose that people drag while the run stands still: one coordinate, or one station of a body, goes where it is
 * wanted, and the rest is assembled about it. Private to the room. */
#ifndef CARDAN_VIEW_DRAG_H
#define CARDAN_VIEW_DRAG_H

#include "view/internal.h"

typedef struct view_drag {
  cdn_assembly *assembly; /* NULL: nothing is dragged */
  cdn_goal goal;
  int coordinate; /* of the view's list; -1: a station */
  cdn_body body;
  cdn_vec3 station;
  cdn_state *trial;
} view_drag;

void cdni_drag_end(view_drag *d);
/* Each moves the State. If the assembly fails, or a constraint would stay open, the State keeps its pose. Returns NULL,
 * or why not. */
const char *cdni_drag_coordinate(cdn_view *view, view_drag *d, cdn_state *state, int coordinate, double value);
const char *cdni_drag_station(cdn_view *view, view_drag *d, cdn_state *state, cdn_body body, cdn_vec3 station,
                              cdn_vec3 target);
/* Closes the loops of a State that was put into another pose, within the limits of the joints: positions and speeds. */
const char *cdni_assemble_anew(cdn_view *view, cdn_state *state);

#endif
