#include "implicit_contact_step.h"

#include "timing.h"

#include <cardan/cardan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace bench {

namespace {

constexpr int bodies = 8, moments = 24;
constexpr double window = 0.05; // s

void must(cdn_status status, const char *what) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "bench_soft: convex: %s: %s\n", what, cdn_status_text(status));
  std::exit(1);
}

// Balls and boxes that fall on each other, with friction that sticks.
cdn_system *make_clutter() {
  cdn_system *s = cdn_system_create(nullptr);
  cdn_system_add_gravity(s, "gravity", cdn_v3(0, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(s, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e6, m.dissipation = 0.5, m.static_friction = 0.5, m.dynamic_friction = 0.4;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  for (int i = 0; i < bodies; i++) {
    const double q0[7] = { 1, 0, 0, 0, 0.06 * (i % 3 - 1), 0.05 * (i % 2), 0.08 + 0.13 * i };
    cdn_body_def b = cdn_default_body_def();
    b.mobilizer = CDN_FREE, b.q0 = q0;
    b.mass.mass = 1, b.mass.inertia = { 0.003, 0.004, 0.005, 0, 0, 0 };
    shape.body = cdn_system_add_body(s, &b);
    shape.geometry.kind = i % 2 ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_BOX;
    shape.geometry.size[0] = 0.06, shape.geometry.size[1] = 0.05, shape.geometry.size[2] = 0.04;
    cdn_system_add_shape(s, &shape);
  }
  must(cdn_system_freeze(s), "freeze");
  return s;
}

struct Outcome {
  double error, time; // root of the mean square over the moments; us a window
};

class Windows {
public:
  Windows() : system(make_clutter()) {
    cdn_state *state = nullptr;
    cdn_stepper *whole = nullptr;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-6;
    must(cdn_state_create(system, &state), "state");
    must(cdn_stepper_create(state, &def, &whole), "stepper");
    for (int i = 1; i <= moments; i++) {
      must(cdn_stepper_advance(whole, window * i, nullptr), "run");
      cdn_state *at = nullptr;
      must(cdn_state_create(system, &at), "state");
      must(cdn_state_copy(at, cdn_stepper_state(whole)), "copy");
      starts.push_back(at);
    }
    cdn_stepper_destroy(whole);
    cdn_state_destroy(state);
    def.accuracy = 1e-9;
    for (cdn_state *at : starts) truth.push_back(end_of(at, def));
  }
  Windows(const Windows &) = delete;
  ~Windows() {
    for (cdn_state *at : starts) cdn_state_destroy(at);
    cdn_system_release(system);
  }
  Outcome run(const cdn_stepper_def &def) const {
    double sum = 0, best = INFINITY;
    for (int sweep = 0; sweep < 3; sweep++) {
      const double from = now();
      sum = 0;
      for (size_t i = 0; i < starts.size(); i++) {
        const std::vector<double> y = end_of(starts[i], def);
        double square = 0;
        for (size_t k = 0; k < y.size(); k++) square += (y[k] - truth[i][k]) * (y[k] - truth[i][k]);
        sum += square / static_cast<double>(y.size());
      }
      best = std::min(best, (now() - from) / 1000 / static_cast<double>(starts.size()));
    }
    return { std::sqrt(sum / static_cast<double>(starts.size())), best };
  }

private:
  // q and u after the window.
  std::vector<double> end_of(cdn_state *at, cdn_stepper_def def) const {
    cdn_stepper *stepper = nullptr;
    def.final_time = cdn_state_time(at) + window;
    must(cdn_stepper_create(at, &def, &stepper), "stepper");
    must(cdn_stepper_advance(stepper, def.final_time, nullptr), "run");
    const cdn_state *end = cdn_stepper_state(stepper);
    const double *q = cdn_state_q(end), *u = cdn_state_u(end);
    std::vector<double> y(q, q + cdn_system_nq(system));
    y.insert(y.end(), u, u + cdn_system_nu(system));
    cdn_stepper_destroy(stepper);
    return y;
  }

  cdn_system *system;
  std::vector<cdn_state *> starts;
  std::vector<std::vector<double>> truth;
};

// The time at an error, between the measured ones, in logarithms; beyond them by the last two.
double time_at(const std::vector<Outcome> &fixed, double error) {
  size_t i = 1;
  while (i + 1 < fixed.size() && fixed[i].error > error) i++;
  const Outcome &a = fixed[i - 1], &b = fixed[i];
  const double s = std::log(error / a.error) / std::log(b.error / a.error);
  return a.time * std::pow(b.time / a.time, s);
}

} // namespace

void run_implicit_contact_step(Report *report) {
  const std::vector<std::string> engines = { "error control", "equal steps" };
  report->print_header("The implicit contact step among clutter, at equal error", engines);
  const Windows windows;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_IMPLICIT_CONTACT;
  std::vector<Outcome> fixed;
  for (int n = 4; n <= 4096; n *= 2) {
    def.fixed_step = window / n;
    fixed.push_back(windows.run(def));
  }
  def.fixed_step = 0;
  for (const int k : { 2, 3, 4, 5 }) {
    def.accuracy = std::pow(10, -k);
    const Outcome ours = windows.run(def);
    report->add("accuracy 1e-" + std::to_string(k), "us a window", { ours.time, time_at(fixed, ours.error) }, engines);
    std::printf("  error %.1e\n", ours.error);
  }
}

} // namespace bench
