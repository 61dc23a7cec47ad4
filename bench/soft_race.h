// Steps of model files with contact, here and in MuJoCo, from the same states.
#ifndef CARDAN_BENCH_SOFT_RACE_H
#define CARDAN_BENCH_SOFT_RACE_H

#include "mujocos.h"
#include "report.h"

namespace bench {

// A run of the last MuJoCo is recorded: from `starts` poses (the file's and its keyframes in turn) with random speeds
// of the deviation `speed` (m/s, rad/s), after `warm_up` steps, `steps` steps in segments. What is timed begins at the
// start of each segment.
struct Race_entry {
  const char *label, *file;
  int starts;
  double speed;
  int warm_up, steps, segment, sweeps;
  bool controlled; // by random controls within their ranges, constant from each start on
  bool sensors;    // are computed and read before each step
};

// One row, and lines that say how far the motions agree.
void run_race(const Race_entry &entry, const std::string &path, const std::vector<const mujoco_functions *> &mujocos,
              Report *report);

// Files of models/race under CARDAN_SHARED (../shared without it); says so if there are none.
void run_soft_race(Report *report, const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
