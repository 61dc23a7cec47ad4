// MuJoCo's humanoid on the floor, with soft contact: steps, iterations, inverse dynamics, derivatives.
#ifndef CARDAN_BENCH_SOFT_HUMANOID_H
#define CARDAN_BENCH_SOFT_HUMANOID_H

#include "report.h"

namespace bench {

void run_soft_humanoid(Report *report);

} // namespace bench

#endif
