// Cardan against Simbody's integrators on the same motions in the same run: evaluations and wall time at equal achieved
// error, and the error achieved for the accuracy asked. See docs/methods.md.
#include "report.h"
#include "runs_in_time.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace bench {

namespace {

// ---- problems ------------------------------------------------------------------------------------

// Ten rods of 0.3 m on pins whose axes turn from link to link, released near hanging.
Problem chain10() {
  Problem p;
  p.name = "chain10";
  p.end = 10;
  p.tree.gravity = { 0, 0, -9.81 };
  for (int i = 0; i < 10; i++) {
    cdn_vec3 axis = i % 3 == 0 ? cdn_v3(1, 0, 0) : i % 3 == 1 ? cdn_v3(0, 1, 0) : cdn_v3(0.3, 0.2, 1);
    cdn_rotation R = cdn_rotation_z_to(axis);
    cdn_mass_properties mass = { 1, { 0.01, 0.02, -0.15 }, { 0.012, 0.011, 0.004, 0, 0, 0 } };
    p.tree.bodies.push_back({ i - 1, CDN_PIN, { R, { 0, 0, i ? -0.3 : 0 } }, { R, { 0, 0, 0 } }, mass });
    p.q.push_back(0.15 * std::sin(i + 1));
    p.u.push_back(0.2 * std::cos(2 * i));
  }
  return p;
}

// The same on springs that make it oscillate at 2 to 80 Hz, well damped: stiff-ish.
Problem springs() {
  Problem p = chain10();
  p.name = "springs";
  p.end = 5;
  p.tree.stiffness = 200;
  p.tree.damping = 0.4;
  return p;
}

// A torque-free body turning near its middle axis.
Problem top() {
  Problem p;
  p.name = "top";
  p.end = 20;
  p.tree.bodies.push_back(
      { -1, CDN_BALL, cdn_transform_identity(), cdn_transform_identity(), { 1, {}, { 1, 2, 2.5, 0, 0, 0 } } });
  p.q = { 1, 0, 0, 0 };
  p.u = { 0.3, 2, 0.5 };
  return p;
}

// A person in the arrangement of MuJoCo's humanoid.xml, limp, thrown: 27 mobilities, a free base.
Problem humanoid() {
  Problem p;
  p.name = "humanoid";
  p.end = 3;
  p.tree = peers::humanoid();
  p.tree.stiffness = 10;
  p.tree.damping = 0.5;
  p.q.assign(static_cast<size_t>(p.tree.nq()), 0);
  p.u.assign(static_cast<size_t>(p.tree.nu()), 0);
  p.q[0] = 1;
  for (size_t i = 7; i < p.q.size(); i++) p.q[i] = 0.3 * std::sin(static_cast<double>(i));
  for (size_t i = 0; i < p.u.size(); i++) p.u[i] = std::cos(static_cast<double>(3 * i));
  return p;
}

Problem (*const problems[])() = { chain10, top, springs, humanoid };

// ---- work and precision --------------------------------------------------------------------------

struct Point {
  double accuracy, error, evaluations, seconds;
};

template <class Runner>
Point measure(const Problem &problem, const Run &truth, double accuracy, int sweeps, Runner run) {
  Point point = { accuracy, NAN, NAN, NAN };
  for (int i = 0; i < sweeps; i++) {
    Run r = run(accuracy);
    if (r.failed) return point;
    point.error = error_of(problem, r, truth);
    point.evaluations = r.evaluations;
    point.seconds = i ? std::min(point.seconds, r.seconds) : r.seconds;
  }
  return point;
}

// What our curve costs at this error: between two runs by logarithms, never better than the best of them.
Point at_error(const std::vector<Point> &curve, double error) {
  Point best = { NAN, error, NAN, NAN };
  for (size_t i = 0; i < curve.size(); i++) {
    const Point &fine = curve[i];
    if (!(fine.error <= error)) continue;
    if (i == 0) return fine;
    const Point &coarse = curve[i - 1];
    double share = coarse.error > error ? std::log(error / fine.error) / std::log(coarse.error / fine.error) : 0;
    best.evaluations = fine.evaluations * std::pow(coarse.evaluations / fine.evaluations, share);
    best.seconds = fine.seconds * std::pow(coarse.seconds / fine.seconds, share);
    return best;
  }
  return best;
}

struct Options {
  std::string json = "bench_time.json", only;
  int sweeps = 3;
};

void print_point(const char *who, const Point &p) {
  std::printf("  %-20s %7.0e  error %8.1e = %8.2f of it  %8.0f evaluations  %9.2f ms\n", who, p.accuracy, p.error,
              p.error / p.accuracy, p.evaluations, 1e3 * p.seconds);
  std::fflush(stdout);
}

bool run_problem(const Problem &problem, const Options &options, Report *report) {
  Run truth = run_cardan(problem, CDN_METHOD_DORMAND_PRINCE_8, 1e-14);
  Run check = run_simbody(problem, Peer::merson, 1e-10);
  double agree = error_of(problem, check, truth);
  std::printf("\n%s: reference and Simbody's RungeKuttaMerson at 1e-10 agree to %.1e\n", problem.name.c_str(), agree);
  if (!(agree < 1e-6)) {
    std::fprintf(stderr, "bench_time: the engines do not compute the same on %s\n", problem.name.c_str());
    return false;
  }

  std::vector<Point> curve; // of the default method, four runs a decade
  for (double accuracy = 0.1; accuracy > 2e-12; accuracy *= std::pow(10, -0.25)) {
    curve.push_back(measure(problem, truth, accuracy, options.sweeps,
                            [&](double a) { return run_cardan(problem, CDN_METHOD_DEFAULT, a); }));
  }
  for (double accuracy : { 1e-3, 1e-6, 1e-9 }) {
    for (const OurMethod &m : our_methods) {
      Point ours =
          measure(problem, truth, accuracy, options.sweeps, [&](double a) { return run_cardan(problem, m.method, a); });
      print_point(m.name, ours);
    }
    double least = INFINITY;
    Point best = { accuracy, NAN, NAN, NAN };
    for (Peer peer : all_peers) {
      if (peer == Peer::verlet && accuracy < 1e-6) continue; // hours
      Point theirs = measure(problem, truth, accuracy, accuracy < 1e-8 ? 1 : options.sweeps,
                             [&](double a) { return run_simbody(problem, peer, a); });
      print_point((std::string("S37 ") + name_of(peer)).c_str(), theirs);
      if (std::isnan(theirs.error)) continue;
      Point ours = at_error(curve, theirs.error);
      char asked[32];
      std::snprintf(asked, sizeof asked, " %.0e", accuracy);
      report->keep(problem.name + asked + " evaluations at equal error", "evaluations", ours.evaluations,
                   theirs.evaluations, std::string("Simbody 3.7 ") + name_of(peer));
      report->keep(problem.name + asked + " wall time at equal error", "ms", 1e3 * ours.seconds, 1e3 * theirs.seconds,
                   std::string("Simbody 3.7 ") + name_of(peer));
      std::printf("  %20s default at that error: %.0f evaluations (%.2f), %.2f ms (%.3f)\n", "", ours.evaluations,
                  ours.evaluations / theirs.evaluations, 1e3 * ours.seconds, ours.seconds / theirs.seconds);
      double ratio = ours.evaluations / theirs.evaluations;
      if (1 / ratio < least) {
        least = 1 / ratio;
        best = theirs;
      }
    }
    Point ours =
        measure(problem, truth, accuracy, 1, [&](double a) { return run_cardan(problem, CDN_METHOD_DEFAULT, a); });
    char asked[32];
    std::snprintf(asked, sizeof asked, " %.0e", accuracy);
    report->keep(problem.name + asked + " error over accuracy", "ratio", ours.error / accuracy, best.error / accuracy,
                 "Simbody 3.7, its best method at equal error");
  }
  return true;
}

const char usage[] = "usage: bench_time [--problem NAME] [--sweeps N] [--json FILE]\n"
                     "problems: chain10 top springs humanoid\n";

int run(int argc, char **argv) {
  Options options;
  std::string self = argv[0];
  size_t slash = self.rfind('/');
  options.json = (slash == std::string::npos ? "" : self.substr(0, slash + 1)) + options.json;
  for (int i = 1; i < argc; i += 2) {
    std::string option = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (option == "--problem" && value) options.only = value;
    else if (option == "--json" && value) options.json = value;
    else if (option == "--sweeps" && value) options.sweeps = std::max(1, std::atoi(value));
    else {
      std::fputs(usage, option == "--help" ? stdout : stderr);
      return option == "--help" ? 0 : 2;
    }
  }
  pin_to_one_core();
  Report report;
  for (auto make : problems) {
    Problem problem = make();
    if (!options.only.empty() && options.only != problem.name) continue;
    if (!run_problem(problem, options, &report)) return 1;
  }
  if (report.write_json(options.json)) {
    std::printf("\nRows written to %s\n", options.json.c_str());
    return 0;
  }
  std::fprintf(stderr, "bench_time: cannot write %s\n", options.json.c_str());
  return 1;
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
