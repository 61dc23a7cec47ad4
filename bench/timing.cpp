// Fair times: one core, engines in turn, the best of several sweeps.
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <sched.h>

namespace bench {

void pin_to_one_core() {
  int here = sched_getcpu();
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(here < 0 ? 0 : here, &set);
  sched_setaffinity(0, sizeof set, &set);
}

double now() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

static double time_batch(Engine *engine, Operation operation, int samples, int rounds) {
  double start = now();
  for (int round = 0; round < rounds; round++)
    for (int sample = 0; sample < samples; sample++) engine->run(operation, sample);
  return (now() - start) / (rounds * samples);
}

std::vector<double> time_engines(const std::vector<Engine *> &engines, Operation operation, int samples, int sweeps) {
  const double batch = 3e6;    // ns: long against the clock, short against what else the machine does
  const double patience = 2e9; // ns that one engine may take for all its sweeps
  size_t n = engines.size();
  std::vector<double> best(n, std::numeric_limits<double>::quiet_NaN());
  std::vector<int> rounds(n), left(n, 0);
  for (size_t i = 0; i < n; i++) {
    if (!engines[i]) continue;
    time_batch(engines[i], operation, samples, 1); // warms up: code, caches, first allocations
    double once = time_batch(engines[i], operation, samples, 1) * samples;
    rounds[i] = std::max(1, static_cast<int>(batch / once));
    left[i] = std::clamp(static_cast<int>(patience / (once * rounds[i])), 1, sweeps);
    best[i] = once / samples;
  }
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (size_t i = 0; i < n; i++)
      if (left[i]-- > 0) best[i] = std::min(best[i], time_batch(engines[i], operation, samples, rounds[i]));
  return best;
}

double fit_exponent(const std::vector<double> &n, const std::vector<double> &time) {
  double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < n.size(); i++) {
    if (std::isnan(time[i])) continue;
    double a = std::log(n[i]), b = std::log(time[i]);
    count++;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  return count < 2 ? std::numeric_limits<double>::quiet_NaN() : (count * xy - x * y) / (count * xx - x * x);
}

} // namespace bench
