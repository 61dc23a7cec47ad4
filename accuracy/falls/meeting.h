/* One solid that meets one obstacle. */
#ifndef CARDAN_ACCURACY_MEETING_H
#define CARDAN_ACCURACY_MEETING_H

#include "scene.h"

enum { CARRIER_NONE, CARRIER_FREE, CARRIER_STEADY, CARRIER_SINUSOID };

typedef struct meeting {
  dice *dice;
  scene *out;
  cdn_rotation world; /* how the whole scene is turned */
  solid_shape solid;
  cdn_body body; /* the solid's */
  double gravity, height;
  cdn_vec3 down, velocity; /* in the world's frame; velocity of the solid */
  cdn_geometry obstacle;
  cdn_transform obstacle_at;
  double middle, width; /* of the obstacle: along z of the world; half, where nothing gets by */
  double give;          /* how thick what gives way is: the depth must be small beside it, m */
  char obstacle_name[80];
  int carrier; /* what carries the obstacle; its speed is along z of the world */
  double carrier_speed, carrier_amplitude;
} meeting;

/* Draws the solid, of this size. */
bool meeting_begin(meeting *m, dice *d, scene *out, double size);
/* Builds the System of a meeting at this speed. `made`: whether there is an obstacle. */
bool meeting_end(meeting *m, bool made, double speed);

/* Materials with which solids of this density that meet at this speed sink in by a small part of `give`. */
void meeting_materials(dice *d, double density, double speed, double size, double give, cdn_contact_material *hard,
                       cdn_soft_material *soft);

#endif
