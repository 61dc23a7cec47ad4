// The convex step under error control against the same step with equal sizes, at equal errors.
#ifndef CARDAN_BENCH_SOFT_CONVEX_H
#define CARDAN_BENCH_SOFT_CONVEX_H

#include "report.h"

namespace bench {

void run_soft_convex(Report *report);

} // namespace bench

#endif
