// What the engines that run Cardan share: a System, one State of it and the samples.
#ifndef CARDAN_BENCH_STATE_ENGINE_H
#define CARDAN_BENCH_STATE_ENGINE_H

#include <cstdio>
#include <cstdlib>

#include "engine.h"

namespace bench {

class StateEngine : public Engine {
public:
  // Takes over a reference to the System.
  StateEngine(const Samples &given, cdn_system *owned) : samples(given), system(owned) {
    must(cdn_state_create(system, &state));
  }
  ~StateEngine() override {
    cdn_state_destroy(state);
    cdn_system_release(system);
  }

protected:
  void set_qu(int sample) {
    must(cdn_state_set_q(state, samples[sample].q.data()));
    must(cdn_state_set_u(state, samples[sample].u.data()));
  }
  void must(cdn_status status) {
    if (status == CDN_OK) return;
    cdn_error error = {};
    if (state) cdn_state_last_error(state, &error);
    std::fprintf(stderr, "Cardan: %s: %s\n", cdn_status_name(status), error.text);
    std::exit(1);
  }

  Samples samples;
  cdn_system *system;
  cdn_state *state = nullptr;
};

} // namespace bench

#endif
