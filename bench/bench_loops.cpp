// Constrained forward dynamics: closed loops in rows, in a stack and in a ring, against Simbody and MuJoCo in one run.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "loops.h"
#include "report.h"
#include "timing.h"

namespace bench {

namespace {

constexpr int n_samples = 8;

// Simbody forms and factors G M^-1 G^T as a dense matrix: beyond this it takes seconds an evaluation.
constexpr size_t most_loops_of_peers = 100;
// Where states satisfy the constraints to 1e-13 accelerations agree to what the condition of the linkage leaves.
constexpr double must_agree = 1e-6;

double difference(Engine *ours, Engine *peer) {
  double worst = 0;
  for (int sample = 0; sample < n_samples; sample++) {
    ours->forward(sample);
    peer->forward(sample);
    const std::vector<double> a = ours->udot(sample), b = peer->udot(sample);
    double apart = 0, size = 0;
    for (size_t i = 0; i < a.size(); i++) {
      apart = std::max(apart, std::fabs(a[i] - b[i]));
      size = std::max(size, std::fabs(a[i]));
    }
    worst = std::max(worst, apart / size);
  }
  return worst;
}

bool race(Report *report, const Linkage &linkage, int sweeps, std::vector<double> *times) {
  const std::vector<std::string> names = { "Cardan", "Simbody 3.7", "MuJoCo 2.2.2" };
  const Samples samples = closed_samples(linkage, n_samples, 0.1);
  std::unique_ptr<Engine> engines[3];
  engines[0] = make_cardan_linkage(linkage, samples);
  if (linkage.loops.size() <= most_loops_of_peers) {
    engines[1] = make_simbody_linkage(linkage, samples);
    engines[2] = make_mujoco_linkage(linkage, samples);
  }
  for (int i = 1; i < 3; i++) {
    if (!engines[i]) continue;
    const double apart = difference(engines[0].get(), engines[i].get());
    std::printf("%-12s is within %.0e of %s%s\n", linkage.name.c_str(), apart, engines[i]->name(),
                i == 2 ? ", which is soft" : "");
    if (i == 1 && !(apart <= must_agree)) return false;
  }
  *times = time_engines({ engines[0].get(), engines[1].get(), engines[2].get() }, FORWARD, n_samples, sweeps);
  std::vector<double> microseconds = *times;
  for (double &t : microseconds) t /= 1000;
  report->add(linkage.name, "us", microseconds, names);
  return true;
}

// Ten loops that are on, alone and among constraints that are declared and off.
void compare_declared(Report *report, int sweeps) {
  const std::vector<std::string> names = { "10 declared", "100 declared", "1000 declared" };
  Linkage linkage = ladder(10);
  const Samples samples = closed_samples(linkage, n_samples, 0.1);
  std::vector<std::unique_ptr<Engine>> engines;
  std::vector<Engine *> all;
  for (int declared : { 10, 100, 1000 }) {
    linkage.off = declared - 10;
    engines.push_back(make_cardan_linkage(linkage, samples));
    all.push_back(engines.back().get());
  }
  report->print_header("constrained forward dynamics, ten loops on, us", names);
  std::vector<double> times = time_engines(all, FORWARD, n_samples, sweeps);
  for (double &t : times) t /= 1000;
  report->add("ladder10, others off", "us", times, names);
}

int compare(const std::string &json, int sweeps) {
  Report report;
  const std::vector<std::string> names = { "Cardan", "Simbody 3.7", "MuJoCo 2.2.2" };
  const struct {
    const char *name;
    Linkage (*make)(int);
    std::vector<int> sizes;
  } families[] = {
    { "ladder", ladder, { 1, 3, 10, 20, 40, 100, 300, 1000 } },
    { "scissors", scissor_lift, { 2, 10, 20, 40, 100, 300, 1000 } },
    { "crossed", crossed_chains, { 2, 10, 20, 40, 100, 300 } },
    { "ring", ring, { 10, 30, 100 } },
  };
  for (const auto &family : families) {
    report.print_header(std::string("constrained forward dynamics, ") + family.name + ", us", names);
    std::vector<double> sizes;
    std::vector<std::vector<double>> all(names.size());
    for (int size : family.sizes) {
      std::vector<double> times;
      if (!race(&report, family.make(size), sweeps, &times)) {
        std::fprintf(stderr, "bench_loops: Simbody does not compute the same\n");
        return 1;
      }
      if (size < 10) continue;
      sizes.push_back(size);
      for (size_t i = 0; i < names.size(); i++) all[i].push_back(times[i]);
    }
    std::vector<double> exponents;
    for (const std::vector<double> &times : all) exponents.push_back(fit_exponent(sizes, times));
    report.add(std::string(family.name) + ", from 10 on", "exponent", exponents, names);
  }
  compare_declared(&report, sweeps);
  if (report.write_json(json)) return 0;
  std::fprintf(stderr, "bench_loops: cannot write %s\n", json.c_str());
  return 1;
}

int once(const std::string &family, int size, int count) {
  Linkage linkage = family == "ladder" || family == "declared" ? ladder(family == "ladder" ? size : 10)
                    : family == "scissors"                     ? scissor_lift(size)
                    : family == "crossed"                      ? crossed_chains(size)
                                                               : ring(size);
  if (family == "declared") linkage.off = std::max(0, size - 10);
  std::unique_ptr<Engine> engine = make_cardan_linkage(linkage, closed_samples(linkage, n_samples, 0.1));
  for (int i = 0; i < count; i++) engine->forward(i % n_samples);
  return 0;
}

int run(int argc, char **argv) {
  if (argc == 5 && std::strcmp(argv[1], "--once") == 0)
    return once(argv[2], std::max(2, std::atoi(argv[3])), std::atoi(argv[4]));
  if (argc > 2 || (argc == 2 && std::atoi(argv[1]) < 1)) {
    std::fprintf(
        stderr,
        "usage: bench_loops [SWEEPS]\n       bench_loops --once ladder|scissors|crossed|ring|declared SIZE COUNT\n");
    return 2;
  }
  std::string self = argv[0];
  const size_t slash = self.rfind('/');
  pin_to_one_core();
  return compare((slash == std::string::npos ? "" : self.substr(0, slash + 1)) + "bench_loops.json",
                 argc == 2 ? std::atoi(argv[1]) : 15);
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
