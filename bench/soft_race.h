// Steps of model files with contact, here and in MuJoCo, from the same states.
#ifndef CARDAN_BENCH_SOFT_RACE_H
#define CARDAN_BENCH_SOFT_RACE_H

#include "mujocos.h"
#include "report.h"

namespace bench {

// Files of models/race under CARDAN_SHARED (../shared without it); says so if there are none.
void run_soft_race(Report *report, const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
