/* The springs of a pressure field on a polygon. Private to the room. */
#ifndef CARDAN_CONTACT_BED_H
#define CARDAN_CONTACT_BED_H

#include "contact/motion.h"
#include "contact/touch.h"

/* ---- bed.c: the springs of a pressure field on a polygon ---- */

/* The moments: of the area about its middle, over the area, in the axes of `middle`: xx, xy, yy. */
void cdni_bed_set(touch *t, const double middle[2], const double moments[3]);
/* Each has a quarter of the stiffness. At the touch's point they have no moment. */
typedef struct bed_spring {
  cdn_vec3 arm; /* from the point */
  double force; /* elastic */
} bed_spring;
void cdni_bed_springs(const touch *t, bed_spring springs[4]);
/* The force along the normal, with its dissipation; *moment on b at the point. */
double cdni_bed_damped(const touch *t, const relative_motion *m, cdn_vec3 *moment);

#endif
