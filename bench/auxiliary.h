// Auxiliary states: what they cost a run of an implicit method.
#ifndef CARDAN_BENCH_AUXILIARY_H
#define CARDAN_BENCH_AUXILIARY_H

#include "report.h"

namespace bench {

// Rows: half a second of a chain of 20 pins under CVODE's backward differences, with 300 z that are independent of each
// other and
// read a joint each, against the same with one; rates that bring derivatives, and rates that are differenced.
void add_auxiliary_rows(Report *report, int sweeps);

} // namespace bench

#endif
