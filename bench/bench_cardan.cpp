// Cardan against Simbody and MuJoCo on the same models in the same run: nanoseconds a mobility for forward dynamics,
// inverse dynamics, the mass matrix, a Jacobian and derivatives. See docs/evidence/benchmarks.md.
#include "agreement.h"
#include "auxiliary.h"
#include "bookkeeping.h"
#include "derivatives.h"
#include "ensembles.h"
#include "report.h"
#include "timing.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "../tests/peers/random_mjcf.h"

namespace bench {

namespace {

constexpr int n_samples = 8;
// Roundings of two algorithms on a thousand bodies; a wrong frame or sign would show as 1e-2 or more.
constexpr double must_agree = 1e-8;
// Differences by every coordinate of more than these take minutes.
constexpr int largest_derivatives = 1000;

const char *const operation_names[] = { "forward dynamics", "inverse dynamics", "mass matrix", "frame Jacobian" };
const char *const operation_words[] = { "forward", "inverse", "matrix", "jacobian" };

Samples random_samples(const peers::Tree &tree, int n) {
  uint64_t rng = 1;
  Samples samples;
  for (int i = 0; i < n; i++)
    samples.push_back({ peers::random_q(tree, &rng), peers::random_u(tree, 1, &rng), peers::random_u(tree, 1, &rng) });
  return samples;
}

struct Options {
  std::string json, once, models;
  Operation operation = FORWARD;
  int sweeps = 15, count = 1000;
  bool prescribed = false, derivatives = false;
};

struct Shape {
  const char *name;
  std::function<peers::Tree()> make;
  bool chain;
};

const Shape shapes[] = {
  { "chain7", [] { return peers::pin_chain(7); }, true },
  { "chain30", [] { return peers::pin_chain(30); }, true },
  { "chain100", [] { return peers::pin_chain(100); }, true },
  { "chain1000", [] { return peers::pin_chain(1000); }, true },
  { "tree63", [] { return peers::pin_binary_tree(6); }, false },
  { "tree511", [] { return peers::pin_binary_tree(9); }, false },
  { "humanoid", [] { return peers::humanoid(); }, false },
  { "floating37", [] { return peers::floating_tree(31); }, false },
  { "ball100", [] { return peers::ball_chain(100); }, false },
  { "free300", [] { return peers::free_bodies(300); }, false },
};

// Engines of one model, Cardan first; a peer that does not take the model is NULL.
struct Contest {
  peers::Tree tree;
  Samples samples;
  std::unique_ptr<Engine> engines[3];
  bool agree = true;

  explicit Contest(const Shape &shape) : tree(shape.make()), samples(random_samples(tree, n_samples)) {
    std::string reason;
    engines[0] = make_cardan(tree, samples, false);
    engines[1] = make_simbody(tree, samples);
    engines[2] = make_mujoco(tree, samples, &reason);
    if (!engines[2]) std::printf("%-10s MuJoCo does not take it: %s\n", shape.name, reason.c_str());
    for (int i = 1; i < 3; i++) {
      if (!engines[i]) continue;
      double error = disagreement(tree, engines[0].get(), engines[i].get(), n_samples);
      std::printf("%-10s agrees with %-12s to %.0e\n", shape.name, engines[i]->name(), error);
      agree = agree && error <= must_agree;
    }
    std::fflush(stdout);
  }
};

bool wanted(const Options &options, const char *name) {
  std::string list = "," + options.models + ",", word = "," + std::string(name) + ",";
  return options.models.empty() || list.find(word) != std::string::npos;
}

// An ensemble's time a State, beside a lone State's and MuJoCo's.
void add_ensemble_rows(Report *report, const std::vector<const Shape *> &entered,
                       const std::vector<std::unique_ptr<Contest>> &contests, int sweeps) {
  const std::vector<std::string> names = { "ensemble", "one State", "MuJoCo 2.2.2" };
  for (Operation operation : { FORWARD, INVERSE }) {
    if (!contests.empty()) report->print_header(std::string(operation_names[operation]) + ", ns/dof and State", names);
    for (size_t c = 0; c < contests.size(); c++) {
      const Contest &contest = *contests[c];
      std::unique_ptr<Engine> ensemble = make_ensemble(contest.tree, contest.samples);
      std::vector<double> times = time_engines({ ensemble.get(), contest.engines[0].get(), contest.engines[2].get() },
                                               operation, n_samples, sweeps);
      times[0] /= ensemble_size;
      for (double &t : times) t /= contest.tree.nu();
      report->add(std::string(entered[c]->name) + " ensemble " + operation_names[operation], "ns/dof", times, names);
    }
  }
}

int compare(const Options &options) {
  const std::vector<std::string> names = { "Cardan", "Simbody 3.7", "MuJoCo 2.2.2" };
  std::vector<std::unique_ptr<Contest>> contests;
  std::vector<const Shape *> entered;
  for (const Shape &shape : shapes) {
    if (!wanted(options, shape.name)) continue;
    contests.push_back(std::make_unique<Contest>(shape));
    entered.push_back(&shape);
    if (!contests.back()->agree) {
      std::fprintf(stderr, "bench_cardan: the engines do not compute the same on %s: no times are given\n", shape.name);
      return 1;
    }
  }
  Report report;
  for (int k = 0; k < OPERATION_COUNT && !contests.empty(); k++) {
    report.print_header(std::string(operation_names[k]) + ", ns/dof", names);
    std::vector<double> lengths;
    std::vector<std::vector<double>> chain_times(names.size());
    for (size_t c = 0; c < contests.size(); c++) {
      Contest &contest = *contests[c];
      std::vector<double> times =
          time_engines({ contest.engines[0].get(), contest.engines[1].get(), contest.engines[2].get() },
                       static_cast<Operation>(k), n_samples, options.sweeps);
      double n = contest.tree.nu();
      if (entered[c]->chain) {
        lengths.push_back(n);
        for (size_t i = 0; i < names.size(); i++) chain_times[i].push_back(times[i]);
      }
      for (double &t : times) t /= n;
      report.add(std::string(entered[c]->name) + " " + operation_names[k], "ns/dof", times, names);
    }
    if (lengths.size() < 2) continue;
    std::vector<double> exponents;
    for (const std::vector<double> &times : chain_times) exponents.push_back(fit_exponent(lengths, times));
    report.add(std::string("chains ") + operation_names[k], "exponent", exponents, names);
  }
  const std::vector<std::string> ways = { "prescribed", "free" };
  if (!contests.empty()) report.print_header("forward dynamics with all mobilizers prescribed, ns/dof", ways);
  for (size_t c = 0; c < contests.size(); c++) {
    const Contest &contest = *contests[c];
    std::unique_ptr<Engine> prescribed = make_cardan(contest.tree, contest.samples, true);
    std::vector<double> times =
        time_engines({ prescribed.get(), contest.engines[0].get() }, FORWARD, n_samples, options.sweeps);
    for (double &t : times) t /= contest.tree.nu();
    report.add(std::string(entered[c]->name) + " prescribed", "ns/dof", times, ways);
  }
  add_ensemble_rows(&report, entered, contests, options.sweeps);
  if (!contests.empty())
    report.print_header("derivatives by q and u, ns/dof", { "Cardan", "differences", "mjd_trans.FD" });
  for (size_t c = 0; c < contests.size(); c++)
    if (contests[c]->tree.nu() <= largest_derivatives)
      add_derivative_rows(&report, entered[c]->name, contests[c]->tree, contests[c]->samples, options.sweeps);
  if (wanted(options, "bookkeeping")) add_bookkeeping_rows(&report, options.sweeps);
  if (wanted(options, "ensembles")) add_lane_rows(&report, options.sweeps);
  if (wanted(options, "auxiliary")) add_auxiliary_rows(&report, options.sweeps);
  std::printf("\nRatios are Cardan's time over the peer's; exponents fit time = c n^p over the chains.\n");
  if (report.write_json(options.json)) {
    std::printf("Rows written to %s\n", options.json.c_str());
    return 0;
  }
  std::fprintf(stderr, "bench_cardan: cannot write %s\n", options.json.c_str());
  return 1;
}

// Cardan alone, for a profiler.
int run_once(const Options &options) {
  peers::Tree tree;
  for (const Shape &shape : shapes)
    if (options.once == shape.name) tree = shape.make();
  // The kinds after Weld that are described by parameters alone.
  for (int kind = CDN_WELD + 1; kind < CDN_FUNCTION_BASED; kind++)
    if (options.once == cdn_mobilizer_name(static_cast<cdn_mobilizer>(kind)))
      tree = peers::chain_of_kind(static_cast<cdn_mobilizer>(kind), 20);
  if (!tree.bodies.empty()) {
    const Samples samples = random_samples(tree, n_samples);
    std::unique_ptr<Engine> engine =
        options.derivatives ? make_derivatives(tree, samples) : make_cardan(tree, samples, options.prescribed);
    for (int i = 0; i < options.count; i++) engine->run(options.operation, i % n_samples);
    std::printf("%s: %d times %s%s\n", options.once.c_str(), options.count,
                options.derivatives ? "derivatives of " : "", operation_names[options.operation]);
    return 0;
  }
  std::fprintf(stderr, "bench_cardan: no model '%s'\n", options.once.c_str());
  return 2;
}

const char usage[] =
    "usage: bench_cardan [--models A,B,...] [--sweeps N] [--json FILE]\n"
    "       bench_cardan --once MODEL [--operation forward|inverse|matrix|jacobian|d-forward|d-inverse]\n"
    "                    [--mobilizers free|prescribed] [--count N]\n"
    "\n"
    "The first times Cardan, Simbody and MuJoCo in turn and prints ratios; the second runs Cardan alone, for a\n"
    "profiler.\n"
    "models: bookkeeping auxiliary chain7 chain30 chain100 chain1000 tree63 tree511 humanoid floating37 ball100 free300;\n"
    "MODEL may also be a kind of mobilizer (pin, free, ...): a chain of 20 of them\n"
    "d-forward, d-inverse: the derivatives, with M^-1 and M\n"
    "--json FILE   where the rows go (default: bench.json beside the program)\n";

int refuse(const char *text) {
  std::fprintf(stderr, "bench_cardan: %s\n%s", text, usage);
  return 2;
}

int run(int argc, char **argv) {
  Options options;
  std::string self = argv[0];
  size_t slash = self.rfind('/');
  options.json = (slash == std::string::npos ? "" : self.substr(0, slash + 1)) + "bench.json";
  for (int i = 1; i < argc; i++) {
    std::string option = argv[i];
    if (option == "--help" || option == "-h") {
      std::fputs(usage, stdout);
      return 0;
    }
    if (i + 1 == argc) return refuse((option + " is unknown or needs a value").c_str());
    const char *value = argv[++i];
    if (option == "--json") options.json = value;
    else if (option == "--models") options.models = value;
    else if (option == "--once") options.once = value;
    else if (option == "--sweeps") options.sweeps = std::max(1, std::atoi(value));
    else if (option == "--mobilizers") options.prescribed = std::strcmp(value, "prescribed") == 0;
    else if (option == "--count") options.count = std::max(1, std::atoi(value));
    else if (option == "--operation") {
      options.derivatives = std::strncmp(value, "d-", 2) == 0;
      if (options.derivatives) value += 2;
      int k = 0;
      while (k < OPERATION_COUNT && std::strcmp(value, operation_words[k]) != 0) k++;
      if (k == OPERATION_COUNT || (options.derivatives && k > INVERSE))
        return refuse("--operation is forward, inverse, matrix, jacobian, d-forward or d-inverse");
      options.operation = static_cast<Operation>(k);
    } else {
      return refuse((option + " is unknown").c_str());
    }
  }
  pin_to_one_core();
  return options.once.empty() ? compare(options) : run_once(options);
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
