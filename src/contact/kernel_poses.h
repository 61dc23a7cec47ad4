/* Kernels of the poses and boxes of shapes, for sets of several lanes. They round products and sums apart, as the code
 * for a lone State does. Private to the room. */
#ifndef CARDAN_CONTACT_KERNEL_POSES_H
#define CARDAN_CONTACT_KERNEL_POSES_H

#include "math/kernel_sets.h"

/* How far a shape reaches along a direction; OTHER: its box is left out. */
typedef enum shape_extent { EXTENT_BALL, EXTENT_ROD, EXTENT_BOX, EXTENT_OTHER } shape_extent;

/* Where a shape's place has its numbers (room.h), and its pose. */
typedef struct shape_numbers {
  int size, R_MS, p_MS, center_M;
} shape_numbers;
enum { POSE_NUMBERS = 15, BOX_NUMBERS = 6 };

/* One shape of all lanes: blocks of its place, its body's pose, its own pose and its box. */
#define POSE_KERNEL_EXTERN(name, lanes, level)                                                                   \
  void cdni_shape_pose_##name(const shape_numbers *at, shape_extent extent, const void *place, const void *body, \
                              void *pose, void *box);
KERNEL_SETS_WIDE(POSE_KERNEL_EXTERN)
#undef POSE_KERNEL_EXTERN

#endif
