// Fair times: one core, engines in turn, the best of several sweeps.
#ifndef CARDAN_BENCH_TIMING_H
#define CARDAN_BENCH_TIMING_H

#include "engine.h"

namespace bench {

// Keeps this process on the core that it runs on.
void pin_to_one_core();

// Nanoseconds of processor time: what others do on the machine meanwhile does not count.
double now();

// Nanoseconds an evaluation for each engine (NULL: not a number). A sweep runs a batch of each engine in turn, so that
// what slows the machine down for a while slows down all; batches go round the samples.
std::vector<double> time_engines(const std::vector<Engine *> &engines, Operation operation, int samples, int sweeps);

// The power of n in time = c n^power that fits best (least squares of the logarithms).
double fit_exponent(const std::vector<double> &n, const std::vector<double> &time);

} // namespace bench

#endif
