// An ensemble under the clock: all its States are set and evaluated at once.
#include "engine.h"

#include <cstdio>
#include <cstdlib>

namespace bench {

namespace {

class Ensemble : public Engine {
public:
  Ensemble(const peers::Tree &tree, const Samples &samples) : system(peers::build_cardan(tree)) {
    cdn_ensemble_def def = cdn_default_ensemble_def();
    def.count = ensemble_size;
    must(cdn_state_create(system, &state));
    must(cdn_ensemble_create(state, &def, &ensemble));
    for (int k = 0; k < ensemble_size; k++) {
      const Sample &s = samples[static_cast<size_t>(k) % samples.size()];
      q.insert(q.end(), s.q.begin(), s.q.end());
      u.insert(u.end(), s.u.begin(), s.u.end());
      given.insert(given.end(), s.udot.begin(), s.udot.end());
    }
    out.resize(u.size());
  }
  ~Ensemble() override {
    cdn_ensemble_destroy(ensemble);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  const char *name() const override { return "ensemble"; }

  void forward(int) override {
    set();
    must(cdn_ensemble_rates(ensemble, CDN_POOL_U, out.data(), 0));
  }
  void inverse(int) override {
    set();
    must(cdn_ensemble_inverse_dynamics(ensemble, given.data(), 0, out.data(), 0));
  }

  std::vector<double> udot(int sample) override { return row(sample); }
  std::vector<double> forces(int sample) override { return row(sample); }

private:
  void set() {
    must(cdn_ensemble_set(ensemble, CDN_POOL_Q, q.data(), 0));
    must(cdn_ensemble_set(ensemble, CDN_POOL_U, u.data(), 0));
  }
  std::vector<double> row(int sample) const {
    const size_t n = u.size() / ensemble_size;
    const double *first = out.data() + static_cast<size_t>(sample) * n;
    return std::vector<double>(first, first + n);
  }
  void must(cdn_status status) {
    if (status == CDN_OK) return;
    cdn_error error = {};
    if (ensemble) cdn_ensemble_last_error(ensemble, &error);
    else if (state) cdn_state_last_error(state, &error);
    std::fprintf(stderr, "Cardan: %s: %s\n", cdn_status_name(status), error.text);
    std::exit(1);
  }

  cdn_system *system;
  cdn_state *state = nullptr;
  cdn_ensemble *ensemble = nullptr;
  std::vector<double> q, u, given, out;
};

} // namespace

std::unique_ptr<Engine> make_ensemble(const peers::Tree &tree, const Samples &samples) {
  return std::make_unique<Ensemble>(tree, samples);
}

} // namespace bench
