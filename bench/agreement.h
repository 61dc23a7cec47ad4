// Before anything is timed: do the engines compute the same?
#ifndef CARDAN_BENCH_AGREEMENT_H
#define CARDAN_BENCH_AGREEMENT_H

#include "engine.h"

namespace bench {

// The largest disagreement of a peer with Cardan over all samples and operations, relative to the largest number of
// each result. Where M is ill conditioned, udot is compared by the forces that it needs, which is what is determined.
double disagreement(const peers::Tree &tree, Engine *ours, Engine *peer, int samples);

} // namespace bench

#endif
