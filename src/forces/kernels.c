/* One set of force kernels, and its table. */
#include "forces/kernels.h"

#include "forces/elements/actuator.h"
#include "forces/elements/body_force.h"
#include "forces/elements/fluid.h"
#include "forces/elements/gravity.h"
#include "forces/elements/linear_bushing.h"
#include "forces/elements/mobility.h"
#include "forces/elements/mobility_friction.h"
#include "forces/elements/mobility_stop.h"
#include "forces/elements/rotation.h"
#include "forces/elements/two_point.h"

#define KERNEL(name) \
  static __attribute__((noinline)) void kernel_##name(const force_lanes *b) { lanes_##name(b); }
FORCE_KERNEL_LIST(KERNEL)

const force_kernels KERNEL_NAME(cdni_force_kernels) = {
  .calc = {
#define ENTRY(name) [FORCE_KERNEL_##name] = kernel_##name,
    FORCE_KERNEL_LIST(ENTRY)
  },
};
