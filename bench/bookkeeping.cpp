// What surrounds the passes over the tree: validity, checks, building.
#include "bookkeeping.h"

#include <algorithm>
#include <cmath>

#include "../tests/peers/random_mjcf.h"
#include "../tests/peers/simbody_tree.h"
#include "raw_kernels.h"
#include "state_engine.h"
#include "timing.h"

namespace bench {

namespace {

cdn_system *without_forces(const peers::Tree &tree) {
  cdn_system *system = peers::start_cardan(tree);
  peers::freeze_cardan(system);
  return system;
}

class Realized : public StateEngine {
public:
  Realized(const peers::Tree &tree, const Samples &given) : StateEngine(given, without_forces(tree)) {
    must(cdn_realize(state, CDN_STAGE_INSTANCE));
  }
  const char *name() const override { return "State"; }
  void forward(int sample) override {
    set_qu(sample);
    must(cdn_realize(state, CDN_STAGE_ACCELERATION));
  }
};

class Raw : public Realized {
public:
  using Realized::Realized;
  const char *name() const override { return "kernels"; }
  void forward(int sample) override { raw_forward_dynamics(state, samples[sample].q.data(), samples[sample].u.data()); }
};

// Milliseconds of the best of several goes.
template <class F> double time_building(int goes, F build) {
  double best = INFINITY;
  for (int i = 0; i < goes; i++) {
    const double start = now();
    build();
    best = std::min(best, 1e-6 * (now() - start));
  }
  return best;
}

} // namespace

void add_bookkeeping_rows(Report *report, int sweeps) {
  const peers::Tree small = peers::pin_chain(8), large = peers::pin_chain(1000);
  Samples samples;
  uint64_t rng = 1;
  for (int i = 0; i < 8; i++) samples.push_back({ random_q(small, &rng), random_u(small, 1, &rng), {} });
  Realized realized(small, samples);
  Raw raw(small, samples);
  report->print_header("bookkeeping", { "Cardan", "bare kernels" });
  report->add("8 pins to Acceleration, ns", "ns", time_engines({ &realized, &raw }, FORWARD, 8, sweeps),
              { "Cardan", "bare kernels" });
  report->print_header("building", { "Cardan", "Simbody 3.7" });
  const double ours = time_building(20, [&large] { cdn_system_release(without_forces(large)); });
  const double theirs = time_building(5, [&large] { peers::SimbodyTree tree(large, false); });
  report->add("1000 pins, built, ms", "ms", { ours, theirs }, { "Cardan", "Simbody 3.7" });
}

} // namespace bench
