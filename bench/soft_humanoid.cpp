#include "soft_humanoid.h"

#include "timing.h"

#include "../tests/peers/mujoco_bridge.h"

#include <cardan/cardan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

namespace bench {

namespace {

using Numbers = std::vector<double>;

struct Moment {
  Numbers qpos, qvel, qacc, warm; // MuJoCo's
  Numbers q, u, udot;             // ours
};

void must(cdn_status status, const char *what) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "bench_soft: %s: %s\n", what, cdn_status_text(status));
  std::exit(1);
}

// Nanoseconds a call of each, in turn, over all moments; the best of the sweeps.
template <class A, class B> std::pair<double, double> in_turn(size_t n, int sweeps, A ours, B theirs) {
  std::pair<double, double> best = { INFINITY, INFINITY };
  for (int sweep = 0; sweep < sweeps; sweep++) {
    double from = now();
    for (size_t i = 0; i < n; i++) ours(i);
    best.first = std::min(best.first, (now() - from) / static_cast<double>(n));
    from = now();
    for (size_t i = 0; i < n; i++) theirs(i);
    best.second = std::min(best.second, (now() - from) / static_cast<double>(n));
  }
  return best;
}

class Humanoid {
public:
  Humanoid() = default;
  Humanoid(const Humanoid &) = delete;
  ~Humanoid() {
    if (stepper) cdn_stepper_destroy(stepper);
    if (state) cdn_state_destroy(state);
    if (model) cdn_model_destroy(model);
    if (d) mj_deleteData(d), mj_bridge_free(&bridge);
    if (m) mj_deleteModel(m);
  }
  bool load() {
    static char text[200000];
    char message[500] = "";
    if (!mj_bridge_read_model("humanoid.xml", text, sizeof text)) return false;
    mj_bridge_handlers();
    m = mj_bridge_load_string(text, "humanoid.xml", message, sizeof message);
    if (!m) return false;
    m->opt.solver = mjSOL_NEWTON, m->opt.cone = mjCONE_PYRAMIDAL;
    d = mj_makeData(m);
    cdn_model_options options = cdn_default_model_options();
    options.contact = CDN_MODEL_SOFT;
    must(cdn_model_load_string(text, std::strlen(text), "humanoid.xml", &options, &model), "the model");
    must(cdn_state_create(cdn_model_system(model), &state), "a State");
    if (!mj_bridge_init(&bridge, m, model)) return false;
    nq = static_cast<size_t>(cdn_system_nq(cdn_model_system(model)));
    nu = static_cast<size_t>(cdn_system_nu(cdn_model_system(model)));
    record();
    return true;
  }
  void compare(int sweeps, Report *report);
  void compare_steps(int sweeps, Report *report);

private:
  mjModel *m = nullptr;
  mjData *d = nullptr;
  mj_bridge bridge = {};
  cdn_model *model = nullptr;
  cdn_state *state = nullptr;
  cdn_stepper *stepper = nullptr;
  size_t nq = 0, nu = 0;
  std::vector<Moment> moments;
  double contacts = 0, rows = 0;

  // MuJoCo's own motion: it falls, and lies from about the first second on.
  void record() {
    for (int k = 0; k < 600; k++) {
      Moment a;
      a.warm.assign(d->qacc_warmstart, d->qacc_warmstart + m->nv);
      a.qpos.assign(d->qpos, d->qpos + m->nq), a.qvel.assign(d->qvel, d->qvel + m->nv);
      mj_step(m, d);
      a.qacc.assign(d->qacc, d->qacc + m->nv);
      if (k < 200) continue;
      a.q.resize(nq), a.u.resize(nu), a.udot.resize(nu);
      mj_bridge_q_from_mujoco(&bridge, a.qpos.data(), a.q.data());
      mj_bridge_u_from_mujoco(&bridge, a.q.data(), a.qvel.data(), a.u.data());
      mj_bridge_u_from_mujoco(&bridge, a.q.data(), a.qacc.data(), a.udot.data());
      contacts += d->ncon / 400., rows += d->nefc / 400.;
      moments.push_back(a);
    }
  }
  void put_ours(size_t i) {
    must(cdn_state_set_q(state, moments[i].q.data()), "q");
    must(cdn_state_set_u(state, moments[i].u.data()), "u");
  }
  void put_theirs(size_t i) {
    std::copy(moments[i].qpos.begin(), moments[i].qpos.end(), d->qpos);
    std::copy(moments[i].qvel.begin(), moments[i].qvel.end(), d->qvel);
    std::copy(moments[i].warm.begin(), moments[i].warm.end(), d->qacc_warmstart);
  }
};

// A step of 5 ms of Euler's method with implicit damping, from MuJoCo's states of the first and fourth second on: the
// run of
// MuJoCo, which starts from the solution before; a run of ours; and an ensemble of 64 such runs.
void Humanoid::compare_steps(int sweeps, Report *report) {
  const std::vector<std::string> engines = { "cardan", "MuJoCo" };
  enum { STEPS = 100, COUNT = 64 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_MUJOCO_EULER, def.fixed_step = m->opt.timestep, def.companion = false;
  must(cdn_stepper_create(state, &def, &stepper), "a stepper");
  cdn_ensemble_def ensemble_def = cdn_default_ensemble_def();
  ensemble_def.count = COUNT, ensemble_def.threads = 1, ensemble_def.method = CDN_METHOD_MUJOCO_EULER;
  cdn_ensemble *ensemble = nullptr;
  must(cdn_ensemble_create(state, &ensemble_def, &ensemble), "an ensemble");
  double ours = INFINITY, theirs = INFINITY, together = INFINITY;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    double time[3] = { 0, 0, 0 };
    for (size_t i = 0; i < moments.size(); i += STEPS) {
      put_ours(i);
      must(cdn_state_set_time(state, 0), "t");
      must(cdn_stepper_restart(stepper, state), "restart");
      double from = now();
      must(cdn_stepper_advance(stepper, STEPS * m->opt.timestep, nullptr), "advance");
      time[0] += now() - from;
      put_theirs(i);
      from = now();
      for (int k = 0; k < STEPS; k++) mj_step(m, d);
      time[1] += now() - from;
    }
    Numbers q, u;
    for (int k = 0; k < COUNT; k++) {
      const Moment &a = moments[static_cast<size_t>(k) * moments.size() / COUNT];
      q.insert(q.end(), a.q.begin(), a.q.end()), u.insert(u.end(), a.u.begin(), a.u.end());
    }
    must(cdn_ensemble_set(ensemble, CDN_POOL_Q, q.data(), 0), "q");
    must(cdn_ensemble_set(ensemble, CDN_POOL_U, u.data(), 0), "u");
    const double from = now();
    must(cdn_ensemble_advance(ensemble, m->opt.timestep, 20), "advance");
    together = std::min(together, (now() - from) / (20 * COUNT));
    ours = std::min(ours, time[0] / static_cast<double>(moments.size()));
    theirs = std::min(theirs, time[1] / static_cast<double>(moments.size()));
  }
  report->add("a step", "us", { ours / 1000, theirs / 1000 }, engines);
  report->add("a step in an ensemble", "us", { together / 1000, theirs / 1000 }, engines);
  cdn_ensemble_destroy(ensemble);
}

void Humanoid::compare(int sweeps, Report *report) {
  const std::vector<std::string> engines = { "cardan", "MuJoCo" };
  std::printf("\nMuJoCo's humanoid on the floor: %.1f contacts, %.1f rows\n", contacts, rows);
  report->print_header("at 400 moments", engines);
  long iterations = 0, theirs_iterations = 0;
  double farthest = 0;
  for (size_t i = 0; i < moments.size(); i++) {
    put_ours(i), put_theirs(i);
    must(cdn_realize(state, CDN_STAGE_ACCELERATION), "realize");
    mj_forward(m, d);
    cdn_soft_statistics s;
    must(cdn_soft_get_statistics(state, &s), "statistics");
    iterations += s.factorizations, theirs_iterations += d->solver_iter;
    const double *udot = cdn_state_udot(state);
    double size = 0, error = 0;
    Numbers theirs(nu);
    mj_bridge_u_from_mujoco(&bridge, moments[i].q.data(), d->qacc, theirs.data());
    for (size_t k = 0; k < nu; k++) size += udot[k] * udot[k], error += std::pow(udot[k] - theirs[k], 2);
    farthest = std::max(farthest, std::sqrt(error / size));
  }
  std::printf("  iterations %.2f, MuJoCo's %.2f; accelerations agree to %.1e\n", iterations / 400.,
              theirs_iterations / 400., farthest);
  auto add = [&](const char *name, std::pair<double, double> t) {
    report->add(name, "us", { t.first / 1000, t.second / 1000 }, engines);
  };
  const size_t n = moments.size();
  add("forward dynamics", in_turn(
                              n, sweeps,
                              [&](size_t i) {
                                put_ours(i);
                                must(cdn_realize(state, CDN_STAGE_ACCELERATION), "realize");
                              },
                              [&](size_t i) {
                                put_theirs(i);
                                mj_forward(m, d);
                              }));
  compare_steps(sweeps, report);
  Numbers f(nu);
  add("inverse dynamics",
      in_turn(
          n, sweeps,
          [&](size_t i) {
            put_ours(i);
            must(cdn_constrained_inverse_dynamics(state, moments[i].udot.data(), nullptr, f.data(), nullptr, nullptr),
                 "inverse dynamics");
          },
          [&](size_t i) {
            put_theirs(i);
            std::copy(moments[i].qacc.begin(), moments[i].qacc.end(), d->qacc);
            mj_inverse(m, d);
          }));
  const size_t all = 2 * nu, controls = static_cast<size_t>(m->nu);
  Numbers by_q(nu * nu), by_u(nu * nu), by_f(nu * nu), A(all * all), B(all * controls);
  auto theirs = [&](size_t i) {
    put_theirs(10 * i);
    mjd_transitionFD(m, d, 1e-6, 0, A.data(), B.data(), nullptr, nullptr);
  };
  const int some = std::max(1, sweeps / 4);
  add("derivatives", in_turn(
                         n / 10, some,
                         [&](size_t i) {
                           put_ours(10 * i);
                           must(cdn_forward_dynamics_derivatives(state, by_q.data(), by_u.data(), by_f.data(), nullptr),
                                "derivatives");
                         },
                         theirs));
  add("derivatives of a step",
      in_turn(
          n / 10, some,
          [&](size_t i) {
            put_ours(10 * i);
            must(cdn_step_derivatives(state, CDN_METHOD_MUJOCO_EULER, m->opt.timestep, A.data(), nullptr, B.data()),
                 "derivatives of a step");
          },
          theirs));
}

} // namespace

void run_soft_humanoid(Report *report) {
  Humanoid humanoid;
  if (!humanoid.load()) {
    std::printf("There is no humanoid.xml: it is left out\n");
    return;
  }
  humanoid.compare(10, report);
}

} // namespace bench
