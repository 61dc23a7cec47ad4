/* Translation: q = p_FM; u = qdot. H = F's axes. */
#ifndef CARDAN_MOBILIZERS_TRANSLATION_H
#define CARDAN_MOBILIZERS_TRANSLATION_H

#include "matter/mobilizers/common.h"

CDNI_INLINE void translation_place(const body_frames *c, const real *q, m3 R, m3 *R_GM, v3 *p, real *H) {
  (void)c;
  *R_GM = R;
  *p = m3_mul(R, (v3){ q[0], q[1], q[2] });
  *(m3 *)H = R;
}

RATES_ARE_SPEEDS(translation, 3)
FIT_NO_ROTATION(translation)
FIT_POINT(translation, 0)

#endif
