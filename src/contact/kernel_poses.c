/* Poses and boxes of shapes in several lanes. */
#include "contact/kernel_poses.h"

#include "matter/records.h"

#if CDNI_LANES > 1
void KERNEL_NAME(cdni_shape_pose)(const shape_numbers *at, shape_extent extent, const void *of_place,
                                  const void *of_body, void *pose, void *of_box) {
  const real *place = of_place, *size = place + at->size;
  const body_pose *M = of_body;
  const m3 R = m3_mul_m3(M->R_GM, m3_load(place + at->R_MS));
  const v3 p = m3_mul_add(M->R_GM, v3_load(place + at->p_MS), M->p_GM);
  *(m3 *)pose = R;
  ((v3 *)pose)[3] = p;
  ((v3 *)pose)[4] = m3_mul_add(M->R_GM, v3_load(place + at->center_M), M->p_GM);
  real *box = of_box;
  for (int k = 0; k < 3 && extent != EXTENT_OTHER; k++) {
    const real x = (&R.x.x)[k], y = (&R.y.x)[k], z = (&R.z.x)[k];
    real reach = size[0];
    if (extent == EXTENT_ROD) reach = size[0] + r_abs(z) * size[1];
    if (extent == EXTENT_BOX) reach = r_abs(x) * size[0] + r_abs(y) * size[1] + r_abs(z) * size[2];
    box[k] = (&p.x)[k] - reach;
    box[3 + k] = (&p.x)[k] + reach;
  }
}
#endif
