// Steps of models with actuators, tendons, sensors and media, here and in MuJoCo.
#ifndef CARDAN_BENCH_ACTUATED_H
#define CARDAN_BENCH_ACTUATED_H

#include "mujocos.h"
#include "report.h"

namespace bench {

// Full steps; sensors that are read, and that are not; tendons; a model of 1000 bodies from its file to its first step;
// derivatives of a step. Files of CARDAN_SHARED (../shared without it) are left out where they are not there.
void run_actuated(Report *report, const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
