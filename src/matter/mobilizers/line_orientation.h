/* Line orientation: q as a ball's; u = angular velocity of M in F about M's x and y, with none about z. H = these
 * two axes. They turn only about each other, so Hdot u = w x w = 0. */
#ifndef CARDAN_MOBILIZERS_LINE_ORIENTATION_H
#define CARDAN_MOBILIZERS_LINE_ORIENTATION_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void line_orientation_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  v3 *h = (v3 *)H;
  (void)c;
  *R_GM = m3_mul_m3(R, quaternion_rotation(q));
  *p = v3_zero();
  h[0] = R_GM->x, h[1] = R_GM->y;
}

CDNI_INLINE void line_orientation_euler_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  v3 *h = (v3 *)H;
  (void)c;
  *R_GM = euler_turn(R, q, NULL);
  *p = v3_zero();
  h[0] = R_GM->x, h[1] = R_GM->y;
}

RATES_OF_LINE(line_orientation, 0)
FIT_ANY_ROTATION(line_orientation)
FIT_NO_TRANSLATION(line_orientation)
FIT_NO_TRANSLATION(line_orientation_euler)

#endif
