/* Free line: q as a free joint's; u = (angular velocity of M in F about M's x and y, linear velocity in F's axes). Hdot
 * u = 0, as for the line orientation. */
#ifndef CARDAN_MOBILIZERS_FREE_LINE_H
#define CARDAN_MOBILIZERS_FREE_LINE_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void free_line_H(m3 R, m3 R_GM, real *H) {
  sv *h = (sv *)H;
  h[0] = (sv){ R_GM.x, v3_zero() };
  h[1] = (sv){ R_GM.y, v3_zero() };
  h[2] = (sv){ v3_zero(), R.x };
  h[3] = (sv){ v3_zero(), R.y };
  h[4] = (sv){ v3_zero(), R.z };
}

CDNI_INLINE void free_line_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = m3_mul_m3(R, quaternion_rotation(q));
  *p = m3_mul(R, (v3){ q[4], q[5], q[6] });
  free_line_H(R, *R_GM, H);
}

CDNI_INLINE void free_line_euler_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = euler_turn(R, q, NULL);
  *p = m3_mul(R, (v3){ q[3], q[4], q[5] });
  free_line_H(R, *R_GM, H);
}

RATES_OF_LINE(free_line, 3)
FIT_ANY_ROTATION(free_line)
FIT_POINT(free_line, 4)
FIT_POINT(free_line_euler, 3)

#endif
