// Auxiliary states: what they cost a run of an implicit method.
#include "auxiliary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "timing.h"

#include <cardan/cardan.h>

namespace bench {

namespace {

// Filters of sines of joint angles: z' = -k (z - sin(q) / 2).
struct Filters {
  cdn_body pins[20];
  int n;
  cdn_zvar z;
};

double rate(int i) { return 20 + i % 7; }

cdn_status declare(void *self, cdn_declarer *d) {
  auto *f = static_cast<Filters *>(self);
  f->z = cdn_declare_z(d, f->n, nullptr);
  return CDN_OK;
}

cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const auto *f = static_cast<const Filters *>(self);
  const double *z = cdn_state_zvar(state, f->z);
  for (int i = 0; i < f->n; i++) zdot[i] = -rate(i) * (z[i] - 0.5 * std::sin(cdn_body_q(state, f->pins[i % 20])[0]));
  return CDN_OK;
}

cdn_status calc_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d) {
  const auto *f = static_cast<const Filters *>(self);
  for (int i = 0; i < f->n; i++) {
    const cdn_body pin = f->pins[i % 20];
    cdn_zdot_derivatives_add_z(d, f->z, i, f->z, i, -rate(i));
    cdn_zdot_derivatives_add_mobility(d, f->z, i, pin, 0, 0.5 * rate(i) * std::cos(cdn_body_q(state, pin)[0]), 0, 0);
  }
  return CDN_OK;
}

void must(cdn_status status) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "Cardan: %s\n", cdn_status_name(status));
  std::exit(1);
}

// Milliseconds of the best of several runs.
double time_run(int n_z, bool with_derivatives, int sweeps) {
  cdn_system *system = cdn_system_create(nullptr);
  Filters f = {};
  f.n = n_z;
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = { 1, { 0, -0.2, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
  for (int i = 0; i < 20; i++) {
    def.X_PF.p = cdn_v3(0, i ? -0.4 : 0, 0);
    def.parent = f.pins[i] = cdn_system_add_body(system, &def);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_subsystem_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.name = "filters";
  ops.self_size = sizeof f;
  ops.declare = declare;
  ops.calc_zdot = calc_zdot;
  if (with_derivatives) ops.calc_zdot_derivative = calc_derivative;
  cdn_system_add_subsystem(system, &ops, &f);
  must(cdn_system_freeze(system));
  cdn_state *state = nullptr;
  must(cdn_state_create(system, &state));
  std::vector<double> q;
  for (int i = 0; i < 20; i++) q.push_back(0.1 * (i % 3));
  must(cdn_state_set_q(state, q.data()));
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = CDN_METHOD_CVODE_BDF;
  double best = INFINITY;
  for (int i = 0; i < std::max(3, sweeps); i++) {
    cdn_stepper *stepper = nullptr;
    const double start = now();
    const cdn_status status = cdn_stepper_create(state, &how, &stepper);
    if (status == CDN_ERR_UNSUPPORTED) best = NAN; // without SUNDIALS
    else must(status);
    if (status == CDN_OK) must(cdn_stepper_advance(stepper, 0.5, nullptr));
    best = std::min(best, 1e-6 * (now() - start));
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
  return best;
}

} // namespace

void add_auxiliary_rows(Report *report, int sweeps) {
  const std::vector<std::string> names = { "300 z", "1 z" };
  report->print_header("20 pins, backward differences over 0.5 s, ms", names);
  for (bool with : { true, false })
    report->add(with ? "300 z with derivatives, ms" : "300 z that are differenced, ms", "ms",
                { time_run(300, with, sweeps), time_run(1, with, sweeps) }, names);
}

} // namespace bench
