// What surrounds the passes over the tree: validity, checks, building.
#include "bookkeeping.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "../tests/peers/random_mjcf.h"
#include "../tests/peers/simbody_tree.h"
#include "raw_kernels.h"
#include "timing.h"

namespace bench {

namespace {

// Only `forward` is timed here.
class Realized : public Engine {
public:
  Realized(const peers::Tree &tree, const Samples &given) : samples(given), system(peers::start_cardan(tree)) {
    peers::freeze_cardan(system);
    if (cdn_state_create(system, &state) != CDN_OK || cdn_realize(state, CDN_STAGE_INSTANCE) != CDN_OK) std::abort();
  }
  ~Realized() override {
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  const char *name() const override { return "State"; }
  void forward(int sample) override {
    if (cdn_state_set_q(state, samples[sample].q.data()) != CDN_OK ||
        cdn_state_set_u(state, samples[sample].u.data()) != CDN_OK ||
        cdn_realize(state, CDN_STAGE_ACCELERATION) != CDN_OK)
      std::abort();
  }
  void inverse(int) override {}
  void matrix(int) override {}
  void jacobian(int) override {}
  std::vector<double> udot(int) override { return {}; }
  std::vector<double> forces(int) override { return {}; }
  std::vector<double> mass_matrix(int) override { return {}; }
  std::vector<double> tip_velocity(int) override { return {}; }

protected:
  Samples samples;
  cdn_system *system;
  cdn_state *state = nullptr;
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
  const double ours = time_building(20, [&large] {
    cdn_system *system = peers::start_cardan(large);
    peers::freeze_cardan(system);
    cdn_system_release(system);
  });
  const double theirs = time_building(5, [&large] { peers::SimbodyTree tree(large, false); });
  report->add("1000 pins, built, ms", "ms", { ours, theirs }, { "Cardan", "Simbody 3.7" });
}

} // namespace bench
