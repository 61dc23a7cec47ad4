// The IFToMM problems to a given accuracy: wall time of Cardan's default and of its fastest method, of Simbody's
// fastest in
// the same run, and what others have published from their machines.
#include "iftomm.h"
#include "report.h"
#include "run_options.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

// The cheapest run that solves the problem. Without evaluations: none does, and this is the nearest to doing so.
struct Solution {
  const char *method = "";
  double accuracy = NAN, error = INFINITY, evaluations = 0, seconds = NAN;
};

// The loosest accuracy, by half decades, that solves the problem, and not by luck: the next one does so too.
template <class Runner>
Solution solve(const Iftomm &task, const char *method, double tightest, int sweeps, Runner run) {
  Solution found, nearest;
  for (double accuracy = 1e-2; accuracy > 0.9 * tightest; accuracy /= std::sqrt(10)) {
    const Run r = run(accuracy);
    if (r.failed) return nearest;
    const double error = task.error(r);
    if (error < nearest.error) nearest = { method, accuracy, error, 0, r.seconds };
    if (!(error <= task.most)) {
      found = {};
    } else if (found.evaluations > 0) {
      for (int i = 1; i < sweeps; i++) found.seconds = std::min(found.seconds, run(found.accuracy).seconds);
      return found;
    } else {
      found = { method, accuracy, error, r.evaluations, r.seconds };
    }
  }
  return nearest;
}

void print(const char *who, const Solution &s) {
  if (s.evaluations > 0)
    std::printf("  %-20s %-20s asked %.0e, error %.1e, %8.0f evaluations, %10.2f ms\n", who, s.method, s.accuracy,
                s.error, s.evaluations, 1e3 * s.seconds);
  else if (std::isfinite(s.error))
    std::printf("  %-20s %-20s does not solve it: asked %.0e, error %.1e, %10.2f ms\n", who, s.method, s.accuracy,
                s.error, 1e3 * s.seconds);
  else std::printf("  %-20s does not solve it: no run comes to an end\n", who);
  std::fflush(stdout);
}

void take(Solution *best, const Solution &s) {
  const bool solved = s.evaluations > 0,
             better = best->evaluations > 0 ? s.seconds < best->seconds : s.error < best->error;
  if (solved == (best->evaluations > 0) ? better : solved) *best = s;
}

void run_task(const Iftomm &task, int sweeps, Report *report) {
  const Problem &p = task.problem;
  std::printf("\n%s: %s\n", p.name.c_str(), task.criterion);
  Solution first, ours, theirs;
  for (const OurMethod &m : our_methods) {
    const Solution s =
        solve(task, m.name, m.tightest, sweeps, [&](double accuracy) { return run_cardan(p, m.method, accuracy); });
    if (m.method == CDN_METHOD_DEFAULT) first = s;
    take(&ours, s);
  }
  print("Cardan", first);
  print("Cardan, fastest", ours);
  for (Peer peer : all_peers)
    take(&theirs, solve(task, name_of(peer), peer == Peer::verlet ? 1e-6 : 1e-10, sweeps,
                        [&](double accuracy) { return run_simbody(p, peer, accuracy); }));
  print("Simbody 3.7, fastest", theirs);
  for (const Published &other : task.published)
    std::printf("  published: %-31s %10.0f ms\n", other.program, 1e3 * other.seconds);
  const std::string peer = std::string("Simbody 3.7 ") + theirs.method;
  auto value = [](const Solution &s, double x) { return s.evaluations > 0 ? x : NAN; };
  report->keep(p.name + " wall time", "ms", value(first, 1e3 * first.seconds), value(theirs, 1e3 * theirs.seconds),
               peer);
  report->keep(p.name + " wall time, fastest method", "ms", value(ours, 1e3 * ours.seconds),
               value(theirs, 1e3 * theirs.seconds), peer);
  report->keep(p.name + " evaluations", "evaluations", value(first, first.evaluations),
               value(theirs, theirs.evaluations), peer);
}

const char usage[] =
    "usage: bench_iftomm [--problem A01|\"A02, 2\"|\"A02, 40\"|A03|A04|A05] [--sweeps N] [--json FILE]\n";

int run(int argc, char **argv) {
  RunOptions options;
  int code;
  if (!parse_run_options(argc, argv, usage, &options, &code)) return code;
  pin_to_one_core();
  Report report;
  for (const Iftomm &task : iftomm_problems())
    if (options.wants(task.problem.name)) run_task(task, options.sweeps, &report);
  return finish_run(report, options);
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
