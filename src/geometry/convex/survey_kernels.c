/* The kernels of each set. */
#include "geometry/convex/survey.h"

#define KERNELS(name, lanes, level) extern const survey_kernels cdni_survey_kernels_of_##name;
KERNEL_SETS_LONE(KERNELS)
#undef KERNELS

const survey_kernels *const cdni_survey_kernels[KERNEL_SET_COUNT] = {
#define KERNELS(name, lanes, level) [KERNEL_SET_##name] = &cdni_survey_kernels_of_##name,
  KERNEL_SETS_LONE(KERNELS)
#undef KERNELS
};
