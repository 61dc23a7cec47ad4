// Cardan under the clock: through the public API and a realized State.
#include "state_engine.h"

namespace bench {

namespace {

class Cardan : public StateEngine {
public:
  Cardan(const peers::Tree &tree, const Samples &given, bool prescribed)
      : StateEngine(given, peers::build_cardan(tree)) {
    for (int b = 1; prescribed && b < cdn_system_body_count(system); b++) prescribe(cdn_body{ b });
    size_t n = static_cast<size_t>(tree.nu());
    force.resize(n);
    M.resize(n * n);
    J.resize(6 * n);
    tip = { static_cast<int32_t>(tree.bodies.size()) };
    station = tree.bodies.back().X_BM.p;
  }
  const char *name() const override { return "Cardan"; }

  void forward(int sample) override {
    set_qu(sample);
    must(cdn_realize(state, CDN_STAGE_ACCELERATION));
  }
  void inverse(int sample) override {
    set_qu(sample);
    must(cdn_inverse_dynamics(state, samples[sample].udot.data(), nullptr, nullptr, force.data()));
  }
  void matrix(int sample) override {
    must(cdn_state_set_q(state, samples[sample].q.data()));
    must(cdn_calc_M(state, M.data()));
  }
  void jacobian(int sample) override {
    must(cdn_state_set_q(state, samples[sample].q.data()));
    must(cdn_calc_frame_J(state, 1, &tip, &station, J.data()));
  }

  std::vector<double> udot(int) override {
    const double *udot = cdn_state_udot(state);
    return std::vector<double>(udot, udot + force.size());
  }
  std::vector<double> forces(int) override { return force; }
  std::vector<double> mass_matrix(int) override { return M; }
  std::vector<double> tip_velocity(int sample) override {
    const std::vector<double> &u = samples[sample].u;
    std::vector<double> V(6);
    for (size_t i = 0; i < V.size(); i++)
      for (size_t k = 0; k < u.size(); k++) V[i] += J[i * u.size() + k] * u[k];
    return V;
  }

private:
  // At the level that leaves q and u as they are set, with the first sample's accelerations.
  void prescribe(cdn_body body) {
    const double *udot = samples[0].udot.data() + cdn_body_first_u(system, body);
    must(cdn_body_lock_at(state, body, CDN_LEVEL_ACCELERATION, cdn_body_nu(system, body), udot));
  }
  std::vector<double> force, M, J;
  cdn_body tip;
  cdn_vec3 station;
};

} // namespace

std::unique_ptr<Engine> make_cardan(const peers::Tree &tree, const Samples &samples, bool prescribed) {
  return std::make_unique<Cardan>(tree, samples, prescribed);
}

} // namespace bench
