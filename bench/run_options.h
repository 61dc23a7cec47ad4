// The command line of the benchmarks of runs through time.
#ifndef CARDAN_BENCH_RUN_OPTIONS_H
#define CARDAN_BENCH_RUN_OPTIONS_H

#include <string>

#include "report.h"

namespace bench {

struct RunOptions {
  std::string json, only; // where the rows go; the only problem wanted, or all
  int sweeps = 3;
  bool wants(const std::string &problem) const { return only.empty() || only == problem; }
};

// True: go on. Otherwise the usage has been printed, and *code is what to exit with. The rows go beside the program
// unless
// stated, to a file of its name.
bool parse_run_options(int argc, char **argv, const char *usage, RunOptions *options, int *code);

// Writes the rows and says where; what to exit with.
int finish_run(const Report &report, const RunOptions &options);

} // namespace bench

#endif
