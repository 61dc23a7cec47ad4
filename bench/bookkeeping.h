// What surrounds the passes over the tree: validity, checks, building.
#ifndef CARDAN_BENCH_BOOKKEEPING_H
#define CARDAN_BENCH_BOOKKEEPING_H

#include "report.h"

namespace bench {

// Rows: a State of 8 pins realized to Acceleration against the bare kernels on its arrays; building and freezing a
// chain
// of 1000 pins against Simbody.
void add_bookkeeping_rows(Report *report, int sweeps);

} // namespace bench

#endif
