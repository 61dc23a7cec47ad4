// The command line of the benchmarks of runs through time.
#include "run_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace bench {

bool parse_run_options(int argc, char **argv, const char *usage, RunOptions *options, int *code) {
  options->json = std::string(argv[0]) + ".json";
  for (int i = 1; i < argc; i += 2) {
    const std::string option = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (option == "--problem" && value) options->only = value;
    else if (option == "--json" && value) options->json = value;
    else if (option == "--sweeps" && value) options->sweeps = std::max(1, std::atoi(value));
    else {
      std::fputs(usage, option == "--help" ? stdout : stderr);
      *code = option == "--help" ? 0 : 2;
      return false;
    }
  }
  return true;
}

int finish_run(const Report &report, const RunOptions &options) {
  if (report.write_json(options.json)) {
    std::printf("\nRows written to %s\n", options.json.c_str());
    return 0;
  }
  std::fprintf(stderr, "cannot write %s\n", options.json.c_str());
  return 1;
}

} // namespace bench
