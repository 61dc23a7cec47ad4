// Cardan against Simbody's integrators on the same motions in the same run: evaluations and wall time at equal achieved
// error, and the error achieved for the accuracy asked. See docs/evidence/methods.md.
#include "loops.h"
#include "report.h"
#include "run_options.h"
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

Problem pins(const char *name, size_t n, double end) {
  Problem p = chain10();
  p.name = name;
  p.end = end;
  p.tree.bodies.resize(n);
  p.q.resize(n);
  p.u.resize(n);
  return p;
}

// Three links on springs with dampers that are strong for their inertia: rates of decay from 10 to some thousand a
// second.
Problem stiff() {
  Problem p = pins("stiff", 3, 1);
  p.tree.stiffness = 300;
  p.tree.damping = 30;
  return p;
}

// Five links on springs without dampers: 5 to 100 Hz for ever.
Problem oscillatory() {
  Problem p = pins("oscillatory", 5, 1);
  p.tree.stiffness = 500;
  return p;
}

// A double pendulum that swings against a wall: some forty impacts.
Problem bouncing() {
  Problem p = pins("bouncing", 2, 10);
  p.q = { 0.8, 0.3 };
  p.restitution = 0.95;
  return p;
}

Problem of_linkage(const Linkage &linkage, double end) {
  Problem p;
  const Sample start = closed_samples(linkage, 1, 0)[0];
  p.name = linkage.name;
  p.end = end;
  p.tree = linkage.tree;
  p.loops = linkage.loops;
  p.q = start.q;
  p.u = start.u;
  return p;
}

// Closed loops: a crank that turns, rows and stacks of loops, one long ring. The row is stopped before its rods come
// into
// line, where it could go on in several ways: no run there can be exact enough to judge others by.
Problem crank() { return of_linkage(four_bar(), 3); }
Problem ladder10() { return of_linkage(ladder(10), 0.4); }
Problem scissors5() { return of_linkage(scissor_lift(5), 1); }
Problem ring10() { return of_linkage(ring(10), 1); }

Problem (*const problems[])() = { crank,   ladder10, scissors5, ring10,      chain10, top,
                                  springs, humanoid, stiff,     oscillatory, bouncing };

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

// What our curve costs at this error: between two runs by logarithms, or as much as a finer run that happens to cost
// less.
Point at_error(const std::vector<Point> &curve, double error) {
  Point best = { NAN, error, NAN, NAN };
  for (size_t i = 0; i < curve.size(); i++) {
    Point p = curve[i];
    if (!(p.error <= error)) continue;
    if (i > 0 && curve[i - 1].error > error) {
      const Point &coarse = curve[i - 1];
      const double share = std::log(error / p.error) / std::log(coarse.error / p.error);
      p.evaluations *= std::pow(coarse.evaluations / p.evaluations, share);
      p.seconds *= std::pow(coarse.seconds / p.seconds, share);
    }
    if (!(best.evaluations <= p.evaluations)) best = p;
  }
  return best;
}

void print_point(const char *who, const Point &p) {
  std::printf("  %-20s %7.0e  error %8.1e = %8.2f of it  %8.0f evaluations  %9.2f ms\n", who, p.accuracy, p.error,
              p.error / p.accuracy, p.evaluations, 1e3 * p.seconds);
  std::fflush(stdout);
}

const double accuracies[] = { 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9 };

// How the error goes with the accuracy: the slope of the straight line through the logarithms.
double slope_of(const std::vector<Point> &points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Point &p : points) {
    if (!(p.error > 0)) continue;
    double a = std::log10(p.accuracy), e = std::log10(p.error);
    n++, x += a, y += e, xx += a * a, xy += a * e;
  }
  return n > 2 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

// Every method of ours at every accuracy: what it delivers and costs.
std::vector<std::vector<Point>> survey(const Problem &problem, const Run &truth, const RunOptions &options,
                                       Report *report) {
  std::vector<std::vector<Point>> all;
  for (const OurMethod &m : our_methods) {
    std::vector<Point> points;
    double worst = 0, least = INFINITY;
    for (double accuracy : accuracies) {
      if (accuracy < 0.99 * m.tightest) continue;
      Point p =
          measure(problem, truth, accuracy, options.sweeps, [&](double a) { return run_cardan(problem, m.method, a); });
      if (std::isnan(p.error)) break;
      print_point(m.name, p);
      points.push_back(p);
      worst = std::max(worst, p.error / accuracy);
      least = std::min(least, p.error / accuracy);
    }
    if (!points.empty()) {
      std::printf("  %-20s delivers %.2g to %.2g times the accuracy, slope %.2f\n", m.name, least, worst,
                  slope_of(points));
      report->keep(problem.name + " " + m.name + " largest error over accuracy", "ratio", worst, NAN, "");
      report->keep(problem.name + " " + m.name + " slope", "", slope_of(points), NAN, "");
    } else {
      std::printf("  %-20s cannot\n", m.name);
    }
    all.push_back(points);
  }
  return all;
}

// One of Simbody's runs beside what ours cost at the error that it achieved: the default, and the cheapest.
void compare(const Problem &problem, const char *who, const Point &theirs, const std::vector<Point> &curve,
             const std::vector<std::vector<Point>> &all, Report *report) {
  Point ours = at_error(curve, theirs.error), best = ours;
  const char *best_name = "the default";
  for (size_t i = 0; i < all.size(); i++) {
    Point p = at_error(all[i], theirs.error);
    if (!(p.evaluations < best.evaluations)) continue;
    best = p;
    best_name = our_methods[i].name;
  }
  char asked[32];
  std::snprintf(asked, sizeof asked, " %.0e", theirs.accuracy);
  report->keep(problem.name + asked + " evaluations at equal error", "evaluations", ours.evaluations,
               theirs.evaluations, std::string("Simbody 3.7 ") + who);
  report->keep(problem.name + asked + " wall time at equal error", "ms", 1e3 * ours.seconds, 1e3 * theirs.seconds,
               std::string("Simbody 3.7 ") + who);
  std::printf("  %20s at that error: default %.0f evaluations (%.2f), %.2f ms (%.3f); fewest: %s, %.0f (%.2f), %.2f ms "
              "(%.3f)\n",
              "", ours.evaluations, ours.evaluations / theirs.evaluations, 1e3 * ours.seconds,
              ours.seconds / theirs.seconds, best_name, best.evaluations, best.evaluations / theirs.evaluations,
              1e3 * best.seconds, best.seconds / theirs.seconds);
}

bool run_problem(const Problem &problem, const RunOptions &options, Report *report) {
  Run truth = run_cardan(problem, CDN_METHOD_DORMAND_PRINCE_8, 1e-14);
  Run check = run_simbody(problem, Peer::merson, 1e-9);
  double agree = error_of(problem, check, truth);
  std::printf("\n%s: reference and Simbody's RungeKuttaMerson at 1e-9 agree to %.1e\n", problem.name.c_str(), agree);
  if (!(agree < 1e-6)) {
    std::fprintf(stderr, "bench_time: the engines do not compute the same on %s\n", problem.name.c_str());
    return false;
  }

  std::vector<Point> curve; // of the default method, four runs a decade
  for (double accuracy = 0.1; accuracy > 2e-12; accuracy *= std::pow(10, -0.25)) {
    curve.push_back(measure(problem, truth, accuracy, options.sweeps,
                            [&](double a) { return run_cardan(problem, CDN_METHOD_DEFAULT, a); }));
  }
  std::vector<std::vector<Point>> all = survey(problem, truth, options, report);
  for (double accuracy : { 1e-3, 1e-6, 1e-9 }) {
    for (Peer peer : all_peers) {
      if (peer == Peer::verlet && accuracy < 1e-6) continue; // hours
      Point theirs = measure(problem, truth, accuracy, accuracy < 1e-8 ? 1 : options.sweeps,
                             [&](double a) { return run_simbody(problem, peer, a); });
      print_point((std::string("S37 ") + name_of(peer)).c_str(), theirs);
      if (!std::isnan(theirs.error)) compare(problem, name_of(peer), theirs, curve, all, report);
    }
  }
  return true;
}

const char usage[] =
    "usage: bench_time [--problem NAME] [--sweeps N] [--json FILE]\n"
    "problems: four-bar ladder10 scissors5 ring10 chain10 top springs humanoid stiff oscillatory bouncing\n";

int run(int argc, char **argv) {
  RunOptions options;
  int code;
  if (!parse_run_options(argc, argv, usage, &options, &code)) return code;
  pin_to_one_core();
  Report report;
  for (auto make : problems) {
    Problem problem = make();
    if (options.wants(problem.name) && !run_problem(problem, options, &report)) return 1;
  }
  return finish_run(report, options);
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
