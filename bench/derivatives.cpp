// Derivatives under the clock.
#include "derivatives.h"

#include "../tests/peers/mujoco_bridge.h"
#include "state_engine.h"

namespace bench {

namespace {

// Cardan's State and room for two matrices. Of an engine's operations only `forward` and `inverse` are timed here.
class Derivatives : public StateEngine {
public:
  Derivatives(const peers::Tree &tree, const Samples &given) : StateEngine(given, peers::build_cardan(tree)) {
    size_t n = static_cast<size_t>(tree.nu());
    by_q.resize(n * n);
    by_u.resize(n * n);
    base.resize(n);
  }

protected:
  std::vector<double> by_q, by_u, base;
};

class Analytic : public Derivatives {
public:
  using Derivatives::Derivatives;
  const char *name() const override { return "analytic"; }
  void forward(int sample) override {
    set_qu(sample);
    must(cdn_forward_dynamics_derivatives(state, by_q.data(), by_u.data(), nullptr, nullptr));
  }
  void inverse(int sample) override {
    set_qu(sample);
    must(cdn_inverse_dynamics_derivatives(state, samples[sample].udot.data(), by_q.data(), by_u.data(), nullptr));
  }
};

// With M^-1 and M, which a controller takes along.
class Whole : public Derivatives {
public:
  Whole(const peers::Tree &tree, const Samples &given) : Derivatives(tree, given), M(by_q.size()) {}
  const char *name() const override { return "analytic, with M"; }
  void forward(int sample) override {
    set_qu(sample);
    must(cdn_forward_dynamics_derivatives(state, by_q.data(), by_u.data(), M.data(), nullptr));
  }
  void inverse(int sample) override {
    set_qu(sample);
    must(cdn_inverse_dynamics_derivatives(state, samples[sample].udot.data(), by_q.data(), by_u.data(), nullptr));
    must(cdn_calc_M(state, M.data()));
  }

private:
  std::vector<double> M;
};

// What a user without derivatives does: one evaluation a column.
class Differences : public Derivatives {
public:
  using Derivatives::Derivatives;
  const char *name() const override { return "differences"; }
  void forward(int sample) override {
    evaluate(sample, [this](double *out) {
      const double *udot = cdn_state_udot(state);
      if (!udot) must(CDN_ERR_SINGULAR);
      std::copy(udot, udot + base.size(), out);
    });
  }
  void inverse(int sample) override {
    evaluate(sample, [this, sample](double *out) { must(cdn_residual(state, samples[sample].udot.data(), out)); });
  }

private:
  template <class F> void evaluate(int sample, F f) {
    const double h = 1e-7;
    const size_t n = base.size();
    const std::vector<double> &q0 = samples[sample].q, &u0 = samples[sample].u;
    std::vector<double> q(q0.size()), u(u0), unit(n, 0.0), value(n);
    set_qu(sample);
    f(base.data());
    for (size_t k = 0; k < n; k++) {
      unit[k] = 1;
      must(cdn_state_set_q(state, q0.data()));
      must(cdn_multiply_by_N(state, unit.data(), q.data()));
      unit[k] = 0;
      for (size_t i = 0; i < q.size(); i++) q[i] = q0[i] + h * q[i];
      must(cdn_state_set_q(state, q.data()));
      f(value.data());
      for (size_t i = 0; i < n; i++) by_q[i * n + k] = (value[i] - base[i]) / h;
    }
    must(cdn_state_set_q(state, q0.data()));
    for (size_t k = 0; k < n; k++) {
      u[k] += h;
      must(cdn_state_set_u(state, u.data()));
      f(value.data());
      u[k] = u0[k];
      for (size_t i = 0; i < n; i++) by_u[i * n + k] = (value[i] - base[i]) / h;
    }
  }
};

class MujocoDifferences : public Engine {
public:
  MujocoDifferences(mjModel *model, const Samples &samples) : m(model), d(mj_makeData(model)) {
    m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT |
                           mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART;
    mj_bridge bridge;
    mj_bridge_init(&bridge, m, nullptr);
    for (const Sample &sample : samples) {
      std::vector<double> q(static_cast<size_t>(m->nq)), v(static_cast<size_t>(m->nv));
      mj_bridge_q_to_mujoco(&bridge, sample.q.data(), q.data());
      mj_bridge_u_to_mujoco(&bridge, sample.q.data(), sample.u.data(), v.data());
      qpos.push_back(q);
      qvel.push_back(v);
    }
    mj_bridge_free(&bridge);
    size_t width = 2 * static_cast<size_t>(m->nv);
    A.resize(width * width);
  }
  ~MujocoDifferences() override {
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  const char *name() const override { return "mjd_transitionFD"; }
  void forward(int sample) override {
    std::copy(qpos[sample].begin(), qpos[sample].end(), d->qpos);
    std::copy(qvel[sample].begin(), qvel[sample].end(), d->qvel);
    mjd_transitionFD(m, d, 1e-6, 0, A.data(), nullptr, nullptr, nullptr);
  }

private:
  mjModel *m;
  mjData *d;
  std::vector<std::vector<double>> qpos, qvel;
  std::vector<double> A;
};

std::unique_ptr<Engine> make_mujoco_differences(const peers::Tree &tree, const Samples &samples) {
  // Minutes a call, or deeper than its reader goes.
  if (tree.nu() > 100) return nullptr;
  char message[500] = "";
  bool hinges = true;
  for (const peers::Body &body : tree.bodies) hinges = hinges && body.kind == CDN_PIN;
  std::string text = hinges && tree.nu() > 90 ? tree_as_urdf(tree) : tree_as_mjcf(tree);
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text.c_str(), hinges && tree.nu() > 90 ? "model.urdf" : "model.xml", message,
                                     sizeof message);
  return m ? std::make_unique<MujocoDifferences>(m, samples) : nullptr;
}

} // namespace

std::unique_ptr<Engine> make_derivatives(const peers::Tree &tree, const Samples &samples) {
  return std::make_unique<Whole>(tree, samples);
}

void add_derivative_rows(Report *report, const std::string &model, const peers::Tree &tree, const Samples &samples,
                         int sweeps) {
  const std::vector<std::string> names = { "Cardan", "differences", "mjd_transitionFD" };
  Analytic analytic(tree, samples);
  Differences differences(tree, samples);
  std::unique_ptr<Engine> mujoco = make_mujoco_differences(tree, samples);
  const int n_samples = static_cast<int>(samples.size());
  const double nu = tree.nu();
  std::vector<double> times = time_engines({ &analytic, &differences, mujoco.get() }, FORWARD, n_samples, sweeps);
  for (double &t : times) t /= nu;
  report->add(model + " d(forward)", "ns/dof", times, names);
  times = time_engines({ &analytic, &differences, nullptr }, INVERSE, n_samples, sweeps);
  for (double &t : times) t /= nu;
  report->add(model + " d(inverse)", "ns/dof", times, names);
}

} // namespace bench
