// MuJoCo's humanoid on the floor, with soft contact: steps, iterations, inverse dynamics, derivatives.
#ifndef CARDAN_BENCH_SOFT_HUMANOID_H
#define CARDAN_BENCH_SOFT_HUMANOID_H

#include "mujocos.h"
#include "report.h"

namespace bench {

void run_soft_humanoid(Report *report, const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
