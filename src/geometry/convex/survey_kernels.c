/* The kernels of each set. */
#include "geometry/convex/survey.h"
#include "geometry/convex/wide_farthest.h"

#define KERNELS(name, lanes, level)                          \
  extern const survey_kernels cdni_survey_kernels_of_##name; \
  extern const box_hull_kernels cdni_box_hull_kernels_of_##name;
KERNEL_SETS_LONE(KERNELS)
#undef KERNELS

const survey_kernels *const cdni_survey_kernels[KERNEL_SET_COUNT] = {
#define KERNELS(name, lanes, level) [KERNEL_SET_##name] = &cdni_survey_kernels_of_##name,
  KERNEL_SETS_LONE(KERNELS)
#undef KERNELS
};

const box_hull_kernels *const cdni_box_hull_kernels[KERNEL_SET_COUNT] = {
#define KERNELS(name, lanes, level) [KERNEL_SET_##name] = &cdni_box_hull_kernels_of_##name,
  KERNEL_SETS_LONE(KERNELS)
#undef KERNELS
};

#define EIGHT(n) (n), (n) + 1, (n) + 2, (n) + 3, (n) + 4, (n) + 5, (n) + 6, (n) + 7
#define MANY(n)                                                                                                  \
  EIGHT(n), EIGHT((n) + 8), EIGHT((n) + 16), EIGHT((n) + 24), EIGHT((n) + 32), EIGHT((n) + 40), EIGHT((n) + 48), \
      EIGHT((n) + 56)
const int64_t cdni_places[MOST_PLACES] = { MANY(0),   MANY(64),  MANY(128), MANY(192), MANY(256), MANY(320),
                                           MANY(384), MANY(448), MANY(512), MANY(576), MANY(640), MANY(704),
                                           MANY(768), MANY(832), MANY(896), MANY(960) };
