// Prescribed motion and locks in Cardan and in Simbody 3.7: random trees of every kind of mobilizer, with sinusoids,
// steady
// motions and locks at three levels on some of them; udot, tau, the effective q and u, and the power.
#include "simbody_compare.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <algorithm>
#include <cmath>

namespace simbody_motion {

using SimTK::Motion;
using SimTK::Vector;

constexpr double roundings = 1e-12;

struct Prescribed {
  peers::Tree tree;
  peers::SimbodyTree theirs;
  cdn_system *system;
  cdn_state *state = nullptr;
  uint64_t *rng;
  int nq, nu;

  Prescribed(const peers::Tree &t, uint64_t *random)
      : tree(t), theirs(t, true), system(peers::start_cardan(t)), rng(random) {
    cdn_system_add_gravity(system, "gravity", t.gravity);
    for (size_t i = 0; i < t.bodies.size(); i++)
      if (peers::nu(t.bodies[i]) > 0 && random_below(rng, 3) == 0) add_motion(i);
    peers::freeze_cardan(system);
    SUCCEEDS(nullptr, cdn_state_create(system, &state));
    theirs.realize_model();
    nq = cdn_system_nq(system), nu = cdn_system_nu(system);
    randomize();
    for (size_t i = 0; i < t.bodies.size(); i++)
      if (peers::nu(t.bodies[i]) > 0 && random_below(rng, 4) == 0) lock(i);
  }
  ~Prescribed() {
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  Prescribed(const Prescribed &) = delete;
  Prescribed &operator=(const Prescribed &) = delete;

  void add_motion(size_t i) {
    static const Motion::Level levels[] = { Motion::NoLevel, Motion::Acceleration, Motion::Velocity, Motion::Position };
    const peers::Body &body = tree.bodies[i];
    cdn_motion_def def = cdn_default_motion_def();
    def.body.i = static_cast<int>(i) + 1;
    for (double &p : def.params) p = random_uniform(rng, -2, 2);
    if (random_below(rng, 3) == 0) {
      def.kind = CDN_MOTION_STEADY;
      Motion::Steady steady(theirs.bodies[i], def.params[0]);
      for (int k = 0; k < peers::nu(body); k++) steady.setOneDefaultRate(SimTK::MobilizerUIndex(k), def.params[k]);
    } else {
      def.level = static_cast<cdn_motion_level>(1 + random_below(rng, 3));
      // No position of a quaternion, nor of a line, which cannot follow all of its angles.
      const cdn_mobilizer kind = peers::moves_as(body);
      const bool line = kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE;
      if (peers::has_quaternion(body) || line) def.level = std::min(def.level, CDN_LEVEL_VELOCITY);
      Motion::Sinusoid(theirs.bodies[i], levels[def.level], def.params[0], def.params[1], def.params[2]);
    }
    cdn_system_add_motion(system, &def);
  }

  void lock(size_t i) {
    const peers::Body &body = tree.bodies[i];
    const cdn_body ours{ static_cast<int>(i) + 1 };
    const int level = random_below(rng, 3);
    static const cdn_motion_level our_levels[] = { CDN_LEVEL_ACCELERATION, CDN_LEVEL_VELOCITY, CDN_LEVEL_POSITION };
    static const Motion::Level levels[] = { Motion::Acceleration, Motion::Velocity, Motion::Position };
    // What a motion has done so far stays, here by itself.
    theirs.system.realize(theirs.state, SimTK::Stage::Time);
    theirs.system.prescribe(theirs.state);
    if (random_below(rng, 2)) {
      theirs.system.realize(theirs.state, SimTK::Stage::Velocity);
      theirs.bodies[i].lock(theirs.state, levels[level]);
      SUCCEEDS(state, cdn_body_lock(state, ours, our_levels[level]));
    } else {
      const int n = level == 2 ? peers::nq(body) : peers::nu(body);
      Vector values(n);
      std::vector<double> same(static_cast<size_t>(n));
      for (int k = 0; k < n; k++) values[k] = random_uniform(rng, -1, 1);
      if (level == 2 && peers::has_quaternion(body)) {
        const double length =
            std::sqrt(values[0] * values[0] + values[1] * values[1] + values[2] * values[2] + values[3] * values[3]);
        for (int k = 0; k < 4; k++) values[k] /= length;
      }
      for (int k = 0; k < n; k++) same[static_cast<size_t>(k)] = values[k];
      theirs.bodies[i].lockAt(theirs.state, values, levels[level]);
      SUCCEEDS(state, cdn_body_lock_at(state, ours, our_levels[level], n, same.data()));
    }
  }

  void randomize() {
    const double t = random_uniform(rng, 0, 3);
    const std::vector<double> q = peers::random_q(tree, rng), u = peers::random_u(tree, 2, rng),
                              f = peers::random_u(tree, 5, rng);
    SUCCEEDS(state, cdn_state_set_time(state, t));
    SUCCEEDS(state, cdn_state_set_q(state, q.data()));
    SUCCEEDS(state, cdn_state_set_u(state, u.data()));
    SUCCEEDS(state, cdn_state_set_applied_mobility_forces(state, f.data()));
    theirs.state.setTime(t);
    theirs.set_q(q.data());
    theirs.set_u(u.data());
    theirs.applied.setAllMobilityForces(theirs.state, theirs.u_to_simbody(f.data()));
  }

  void near(const char *what, int k, double ours, double other, double tolerance) const {
    ck_assert_msg(std::fabs(ours - other) <= tolerance,
                  "%s: %s of slot %d: %.17g, Simbody %.17g: differ by %.3g > %.3g", tree.name.c_str(), what, k, ours,
                  other, std::fabs(ours - other), tolerance);
  }

  void compare() {
    SimTK::State &s = theirs.state;
    theirs.system.realize(s, SimTK::Stage::Time);
    theirs.system.prescribe(s);
    theirs.system.realize(s, SimTK::Stage::Acceleration);
    const std::vector<double> q = theirs.q_from_simbody(s.getQ()), u = theirs.u_from_simbody(s.getU());
    const std::vector<double> udot = theirs.u_from_simbody(s.getUDot());
    Vector tau_theirs, rest;
    theirs.matter.findMotionForces(s, tau_theirs);
    const std::vector<double> tau = theirs.u_from_simbody(tau_theirs);

    const double *our_q = cdn_state_q_eff(state), *our_u = cdn_state_u_eff(state), *our_udot = cdn_state_udot(state);
    const double *our_tau = cdn_motion_forces(state);
    ck_assert(our_q && our_u && our_udot && our_tau);
    for (int k = 0; k < nq; k++) near("q", k, our_q[k], q[k], 1e-13);
    for (int k = 0; k < nu; k++) near("u", k, our_u[k], u[k], 1e-12 * (1 + std::fabs(u[k])));

    // What is summed, in units in which all of M's diagonal is one; and how much of it M^-1 magnifies.
    SimTK::Matrix dense;
    theirs.matter.calcM(s, dense);
    std::vector<double> M(static_cast<size_t>(nu * nu)), root(static_cast<size_t>(nu));
    for (int i = 0; i < nu; i++)
      for (int j = 0; j < nu; j++) M[i * nu + j] = dense(theirs.u_at[i], theirs.u_at[j]);
    const double cond = scaled_condition(M.data(), nu, root.data());
    theirs.matter.calcResidualForceIgnoringConstraints(s, theirs.system.getMobilityForces(s, SimTK::Stage::Dynamics),
                                                       theirs.system.getRigidBodyForces(s, SimTK::Stage::Dynamics),
                                                       Vector(nu, 0.0), rest);
    double load = 1, power = 0, size = 1, ours = 0;
    for (int k = 0; k < nu; k++)
      load += (std::fabs(tau[k]) + std::fabs(rest[theirs.u_at[k]])) / root[k] + std::fabs(udot[k]) * root[k];
    for (int k = 0; k < nu; k++) {
      near("udot", k, our_udot[k], udot[k], roundings * cond * load / root[k]);
      near("tau", k, our_tau[k], tau[k], roundings * cond * load * root[k]);
      size += roundings * cond * load * root[k] * std::fabs(u[k]) / 1e-12 + std::fabs(tau[k] * u[k]);
    }
    power = theirs.matter.calcMotionPower(s);
    SUCCEEDS(state, cdn_motion_power(state, &ours));
    near("power", -1, ours, power, 1e-12 * size);

    // M^-1 of the free part, and reactions
    const std::vector<double> f = peers::random_u(tree, 3, rng);
    std::vector<double> a(static_cast<size_t>(nu));
    Vector a_theirs;
    theirs.matter.multiplyByMInv(s, theirs.u_to_simbody(f.data()), a_theirs);
    SUCCEEDS(state, cdn_multiply_by_M_inv(state, f.data(), a.data()));
    double of_f = 0;
    for (int k = 0; k < nu; k++) of_f += std::fabs(f[k]) / root[k];
    for (int k = 0; k < nu; k++) near("M^-1 f", k, a[k], a_theirs[theirs.u_at[k]], roundings * cond * of_f / root[k]);
  }
};

// Trees with massless bodies are not among these: where a mobilizer is held, what is beyond it may be singular.
START_TEST(test_motions) {
  for (uint64_t seed = 1; seed <= 200; seed++) {
    uint64_t rng = seed;
    const peers::Tree tree = peers::random_tree_of_kinds(seed, 1 + static_cast<int>(seed % 20), seed % 2);
    if (std::any_of(tree.bodies.begin(), tree.bodies.end(), peers::simbody_rates_wrong)) continue;
    Prescribed p(tree, &rng);
    for (int i = 0; i < 3; i++) {
      p.compare();
      p.randomize();
    }
  }
}
END_TEST

CHECK_MAIN("simbody_motion", test_motions)

} // namespace simbody_motion
