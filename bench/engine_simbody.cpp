// Simbody under the clock.
#include "../tests/peers/simbody_tree.h"

#include "engine.h"

namespace bench {

namespace {

class Simbody : public Engine {
public:
  Simbody(const peers::Tree &tree, const Samples &samples) : t(tree, false) {
    station = peers::to_simbody(tree.bodies.back().X_BM.p);
    for (const Sample &sample : samples) {
      t.set_q(sample.q.data());
      q.push_back(t.state.getQ());
      u.push_back(t.u_to_simbody(sample.u.data()));
      knowns.push_back(t.u_to_simbody(sample.udot.data()));
    }
  }
  const char *name() const override { return "Simbody 3.7"; }

  void forward(int sample) override {
    t.state.updQ() = q[sample];
    t.state.updU() = u[sample];
    t.system.realize(t.state, SimTK::Stage::Acceleration);
  }
  void inverse(int sample) override {
    t.state.updQ() = q[sample];
    t.state.updU() = u[sample];
    t.system.realize(t.state, SimTK::Stage::Velocity);
    t.matter.calcResidualForceIgnoringConstraints(t.state, none, no_forces, knowns[sample], residual);
  }
  void matrix(int sample) override {
    t.state.updQ() = q[sample];
    t.system.realize(t.state, SimTK::Stage::Position);
    t.matter.calcM(t.state, M);
  }
  void jacobian(int sample) override {
    t.state.updQ() = q[sample];
    t.system.realize(t.state, SimTK::Stage::Position);
    t.matter.calcFrameJacobian(t.state, t.bodies.back().getMobilizedBodyIndex(), station, J);
  }

  std::vector<double> udot(int) override { return t.u_from_simbody(t.state.getUDot()); }
  std::vector<double> forces(int) override { return t.u_from_simbody(residual); }
  std::vector<double> mass_matrix(int) override {
    std::vector<double> rows;
    for (int i : t.u_at)
      for (int j : t.u_at) rows.push_back(M(i, j));
    return rows;
  }
  std::vector<double> tip_velocity(int sample) override {
    const SimTK::Vector V = J * u[sample];
    return std::vector<double>(&V[0], &V[0] + V.size());
  }

private:
  peers::SimbodyTree t;
  std::vector<SimTK::Vector> q, u, knowns;
  SimTK::Vector none, residual;
  SimTK::Vector_<SimTK::SpatialVec> no_forces;
  SimTK::Matrix M, J;
  SimTK::Vec3 station;
};

} // namespace

std::unique_ptr<Engine> make_simbody(const peers::Tree &tree, const Samples &samples) {
  return std::make_unique<Simbody>(tree, samples);
}

} // namespace bench
