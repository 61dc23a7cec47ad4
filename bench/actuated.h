// Steps of models with actuators, tendons, sensors and media, here and in MuJoCo.
#ifndef CARDAN_BENCH_ACTUATED_H
#define CARDAN_BENCH_ACTUATED_H

#include "mujocos.h"
#include "report.h"

namespace bench {

// Full steps; sensors that are read, and that are not; tendons; a model of 1000 bodies from its file to its first step;
// derivatives of a step. Files of CARDAN_SHARED (../shared without it) are left out where they are not there.
void run_actuated(Report *report, const std::vector<const mujoco_functions *> &mujocos);

// One operation of one engine, for valgrind and perf: "step" (50 of them), "read" (the same, with sensors that are
// read), "poses", "tendons" (poses, too), "derivatives"; at eight moments, `rounds` times. Returns the exit code.
int run_actuated_once(const std::string &model, const std::string &operation, int rounds, bool peer,
                      const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
