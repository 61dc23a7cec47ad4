// The whole of collision detection on MuJoCo's humanoid.
#ifndef CARDAN_BENCH_HUMANOID_COLLISION_H
#define CARDAN_BENCH_HUMANOID_COLLISION_H

#include "report.h"

namespace bench {

// Broad phase to contact points, against mj_collision, at poses of a humanoid that falls, lies and is thrown about.
// Says
// so where there is no file `humanoid.xml`.
void run_humanoid_collision(int sweeps, Report *report);

} // namespace bench

#endif
