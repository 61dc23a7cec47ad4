// Ensembles of Systems that lanes do not have all to themselves.
#ifndef CARDAN_BENCH_ENSEMBLES_H
#define CARDAN_BENCH_ENSEMBLES_H

#include "report.h"

namespace bench {

// Rows: rates of 64 States of a chain of pins with springs and gravity, in lanes against State by State: as it is, with
// a z, with a
// body in prescribed motion, with a rod.
void add_lane_rows(Report *report, int sweeps);

} // namespace bench

#endif
