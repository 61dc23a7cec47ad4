// Every force element that Simbody 3.7 has, on random trees: forces on bodies and mobilities one element at a time,
// potential energies, and the accelerations of all together; then again with the parameters changed in the States.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed: coefficients times lengths and speeds of the
// model's size; for two points divided by their distance, for bushings by the cosine of the second angle squared.
#include "simbody_tree.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <cmath>
#include <functional>

namespace simbody_forces {

using namespace SimTK;

constexpr double roundings = 1e-13;

void succeeds(const cdn_state *state, const char *call, cdn_status status) {
  cdn_error error = {};
  if (status != CDN_OK && state) cdn_state_last_error(state, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s: [%s] %s", call, cdn_status_name(status), error.element, error.text);
}
#define OK_ON(state, call) succeeds(state, #call, call)

// Numbers that serve one element: coefficients, stations, a force and a moment.
struct Numbers {
  double x[12];
  Vec3 vec(int i) const { return Vec3(x[i], x[i + 1], x[i + 2]); }
  cdn_vec3 v(int i) const { return { x[i], x[i + 1], x[i + 2] }; }
};

struct Model {
  const peers::Tree &tree;
  peers::SimbodyTree theirs;
  cdn_system *system;
  cdn_state *state = nullptr;
  uint64_t rng;
  double size = 1, speed = 1; // of the present state
  bool changed = false;       // the parameters have been set in the States
  struct Element {
    std::string name;
    cdn_force ours;
    Force theirs;
    std::function<void(const Numbers &)> set; // on both sides
    std::function<double()> scale;
  };
  std::vector<Element> elements;

  Model(const peers::Tree &tree, uint64_t seed);
  ~Model();
  cdn_body body(int i) const { return { i + 1 }; } // -1: Ground
  MobilizedBody mobod(int i) const { return theirs.matter.getMobilizedBody(MobilizedBodyIndex(i + 1)); }
  int any_body(int least) {
    return least + static_cast<int>(random_below(&rng, static_cast<int>(tree.bodies.size()) - least));
  }
  Numbers numbers(double low, double high);
  cdn_transform frame();
  void add(const char *name, cdn_force ours, const Force &other, std::function<void(const Numbers &)> set,
           std::function<double()> scale);
  void add_gravity();
  void add_on_mobility(int b);
  void add_two_points();
  void add_constant();
  void add_bushing();
  void add_drag();
  void freeze();
  void randomize();
  void compare_elements();
  void compare_together();
};

// A force of Simbody's user and of ours: the drag of the air at a body's origin, f = -c |v| v.
struct SimbodyDrag : Force::Custom::Implementation {
  MobilizedBody body;
  double c;
  SimbodyDrag(MobilizedBody b, double coefficient) : body(b), c(coefficient) {}
  void calcForce(const State &s, Vector_<SpatialVec> &F, Vector_<Vec3> &, Vector &) const override {
    const Vec3 v = body.getBodyOriginVelocity(s);
    body.applyBodyForce(s, SpatialVec(Vec3(0), -c * v.norm() * v), F);
  }
  Real calcPotentialEnergy(const State &) const override { return 0; }
};

struct CardanDrag {
  cdn_body body;
  double c;
};

cdn_status calc_drag(const void *self, cdn_state *state, cdn_forces *forces) {
  const CardanDrag *d = static_cast<const CardanDrag *>(self);
  cdn_spatial V;
  cdn_status status = cdn_body_velocity(state, d->body, &V);
  if (status == CDN_OK) cdn_forces_add_point(forces, d->body, { 0, 0, 0 }, cdn_scale(-d->c * cdn_norm(V.v), V.v));
  return status;
}

// ---- building both sides ------------------------------------------------------------------------

Model::Model(const peers::Tree &t, uint64_t seed)
    : tree(t), theirs(t, true), system(peers::start_cardan(t)), rng(seed) {}

Model::~Model() {
  cdn_state_destroy(state);
  cdn_system_release(system);
}

Numbers Model::numbers(double low, double high) {
  Numbers n;
  for (double &x : n.x) x = random_uniform(&rng, low, high);
  return n;
}

cdn_transform Model::frame() {
  double q[4];
  random_quaternion(&rng, q);
  return { cdn_rotation_from_quaternion({ q[0], q[1], q[2], q[3] }), numbers(-0.4, 0.4).v(0) };
}

void Model::add(const char *name, cdn_force ours, const Force &other, std::function<void(const Numbers &)> set,
                std::function<double()> scale) {
  elements.push_back({ name, ours, other, set, scale });
}

// Bodies left out by default and in the State.
void Model::add_gravity() {
  const Numbers g = numbers(-9, 9);
  cdn_force ours = cdn_system_add_gravity(system, "gravity", g.v(0));
  Force::Gravity other(theirs.forces, theirs.matter, g.vec(0));
  for (size_t i = 0; i < tree.bodies.size(); i += 3) {
    const int b = static_cast<int>(i);
    cdn_system_exclude_from_gravity(system, ours, body(b));
    other.setDefaultBodyIsExcluded(mobod(b).getMobilizedBodyIndex(), true);
  }
  add(
      "gravity", ours, other,
      [=](const Numbers &n) {
        OK_ON(state, cdn_gravity_set(state, ours, n.v(0)));
        other.setGravityVector(theirs.state, n.vec(0));
        for (size_t i = 0; i < tree.bodies.size(); i++) {
          const int b = static_cast<int>(i);
          const bool out = i % 2 == 1;
          OK_ON(state, cdn_gravity_set_body_excluded(state, ours, body(b), out));
          other.setBodyIsExcluded(theirs.state, mobod(b).getMobilizedBodyIndex(), out);
        }
      },
      [=]() { return 30 * theirs.matter.calcSystemMass(theirs.state) * size; });
}

// Spring, damper, constant force and stop on one mobility; those on a coordinate where its rate is u.
void Model::add_on_mobility(int b) {
  const int nu = peers::nu(tree.bodies[b]);
  if (nu == 0) return;
  const int k = random_below(&rng, nu);
  const Numbers n = numbers(0, 20);
  const cdn_body at = body(b);
  cdn_force ours = cdn_system_add_mobility_damper(system, nullptr, at, k, n.x[0]);
  Force::MobilityLinearDamper damper(theirs.forces, mobod(b), MobilizerUIndex(k), n.x[0]);
  add(
      "mobility damper", ours, damper,
      [=](const Numbers &to) {
        OK_ON(state, cdn_mobility_damper_set(state, ours, to.x[0]));
        damper.setDamping(theirs.state, to.x[0]);
      },
      [=]() { return 20 * speed; });

  cdn_force push = cdn_system_add_mobility_force(system, nullptr, at, k, n.x[1]);
  Force::MobilityConstantForce constant(theirs.forces, mobod(b), MobilizerUIndex(k), n.x[1]);
  add(
      "mobility force", push, constant,
      [=](const Numbers &to) {
        OK_ON(state, cdn_mobility_force_set(state, push, to.x[1]));
        constant.setForce(theirs.state, to.x[1]);
      },
      [=]() { return 20; });
  cdn_force discrete = cdn_system_add_mobility_force(system, nullptr, at, k, n.x[2]);
  Force::MobilityDiscreteForce settable(theirs.forces, mobod(b), MobilizerUIndex(k), n.x[2]);
  add(
      "mobility discrete force", discrete, settable,
      [=](const Numbers &to) {
        OK_ON(state, cdn_mobility_force_set(state, discrete, to.x[2]));
        settable.setMobilityForce(theirs.state, to.x[2]);
      },
      [=]() { return 20; });

  if (!peers::qdot_is_u(tree.bodies[b])) return;
  cdn_force spring = cdn_system_add_mobility_spring(system, nullptr, at, k, n.x[3], n.x[4] / 10);
  Force::MobilityLinearSpring linear(theirs.forces, mobod(b), MobilizerQIndex(k), n.x[3], n.x[4] / 10);
  add(
      "mobility spring", spring, linear,
      [=](const Numbers &to) {
        OK_ON(state, cdn_mobility_spring_set(state, spring, to.x[3], to.x[4] / 10));
        linear.setStiffness(theirs.state, to.x[3]);
        linear.setQZero(theirs.state, to.x[4] / 10);
      },
      [=]() { return 200; });
  const double low = -n.x[5] / 30, high = n.x[6] / 30;
  cdn_force stop = cdn_system_add_mobility_stop(system, nullptr, at, k, low, high, 1 + n.x[7], n.x[8] / 20);
  Force::MobilityLinearStop bumper(theirs.forces, mobod(b), MobilizerQIndex(k), 1 + n.x[7], n.x[8] / 20, low, high);
  add(
      "mobility stop", stop, bumper,
      [=](const Numbers &to) {
        OK_ON(state, cdn_mobility_stop_set(state, stop, -to.x[5] / 40, to.x[6] / 50, 1 + to.x[7], to.x[8] / 10));
        bumper.setMaterialProperties(theirs.state, 1 + to.x[7], to.x[8] / 10);
        bumper.setBounds(theirs.state, -to.x[5] / 40, to.x[6] / 50);
      },
      [=]() { return 50 * speed; });
}

void Model::add_two_points() {
  const int a = any_body(-1), b = any_body(0);
  if (a == b) return;
  const Numbers n = numbers(-0.5, 0.5);
  const double k = random_uniform(&rng, 1, 20), rest = random_uniform(&rng, 0, 1), f = random_uniform(&rng, -9, 9);
  const auto distance = [=]() {
    return (mobod(a).findStationLocationInGround(theirs.state, n.vec(0)) -
            mobod(b).findStationLocationInGround(theirs.state, n.vec(3)))
        .norm();
  };
  // Simbody keeps these parameters at Topology stage.
  cdn_force spring = cdn_system_add_two_point_spring(system, nullptr, body(a), n.v(0), body(b), n.v(3), k, rest);
  add("two-point spring", spring,
      Force::TwoPointLinearSpring(theirs.forces, mobod(a), n.vec(0), mobod(b), n.vec(3), k, rest), {},
      [=]() { return k * size * size * (1 + size / distance()); });
  cdn_force damper = cdn_system_add_two_point_damper(system, nullptr, body(a), n.v(0), body(b), n.v(3), k);
  add("two-point damper", damper, Force::TwoPointLinearDamper(theirs.forces, mobod(a), n.vec(0), mobod(b), n.vec(3), k),
      {}, [=]() { return k * speed * size * size * (1 + size / distance()); });
  cdn_force constant = cdn_system_add_two_point_force(system, nullptr, body(a), n.v(0), body(b), n.v(3), f);
  add("two-point force", constant,
      Force::TwoPointConstantForce(theirs.forces, mobod(a), n.vec(0), mobod(b), n.vec(3), f), {},
      [=]() { return 9 * size * (1 + size / distance()); });
}

void Model::add_constant() {
  const int b = any_body(0);
  const Numbers n = numbers(-5, 5);
  const cdn_vec3 none = { 0, 0, 0 };
  add("constant force", cdn_system_add_body_force(system, nullptr, body(b), n.v(0), n.v(3), none),
      Force::ConstantForce(theirs.forces, mobod(b), n.vec(0), n.vec(3)), {}, []() { return 50; });
  add("constant torque", cdn_system_add_body_force(system, nullptr, body(b), none, none, n.v(6)),
      Force::ConstantTorque(theirs.forces, mobod(b), n.vec(6)), {}, []() { return 50; });
  add("global damper", cdn_system_add_global_damper(system, nullptr, n.x[9] + 5),
      Force::GlobalDamper(theirs.forces, theirs.matter, n.x[9] + 5), {}, [=]() { return 10 * speed; });
}

void Model::add_bushing() {
  const int a = any_body(-1), b = any_body(0);
  if (a == b) return;
  const cdn_transform X_AF = frame(), X_BM = frame();
  const Numbers n = numbers(0, 10);
  cdn_force ours = cdn_system_add_linear_bushing(system, nullptr, body(a), X_AF, body(b), X_BM, n.x, n.x + 6);
  Force::LinearBushing other(theirs.forces, mobod(a), peers::to_simbody(X_AF), mobod(b), peers::to_simbody(X_BM),
                             Vec6(n.x), Vec6(n.x + 6));
  const cdn_transform new_F = frame(), new_M = frame();
  add(
      "linear bushing", ours, other,
      [=](const Numbers &to) {
        OK_ON(state, cdn_linear_bushing_set(state, ours, to.x, to.x + 6));
        OK_ON(state, cdn_linear_bushing_set_frames(state, ours, new_F, new_M));
        other.setStiffness(theirs.state, Vec6(to.x)).setDamping(theirs.state, Vec6(to.x + 6));
        other.setFrameOnBody1(theirs.state, peers::to_simbody(new_F));
        other.setFrameOnBody2(theirs.state, peers::to_simbody(new_M));
      },
      [=]() {
        const double cosine = std::cos(other.getQ(theirs.state)[1]);
        return 60 * (size + speed) * size / (cosine * cosine);
      });
}

void Model::add_drag() {
  const int b = any_body(0);
  CardanDrag self = { body(b), 0.3 };
  cdn_force_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.reads = CDN_READS_VELOCITY;
  ops.calc_force = calc_drag;
  const std::string name = "drag " + std::to_string(elements.size());
  ops.subsystem.name = name.c_str();
  ops.subsystem.self_size = sizeof self;
  add("custom", cdn_system_add_custom_force(system, &ops, &self),
      Force::Custom(theirs.forces, new SimbodyDrag(mobod(b), 0.3)), {}, [=]() { return speed * speed * size * size; });
}

void Model::freeze() {
  peers::freeze_cardan(system);
  OK_ON(nullptr, cdn_state_create(system, &state));
  theirs.realize_model();
}

// ---- comparing ----------------------------------------------------------------------------------

void Model::randomize() {
  const std::vector<double> q = peers::random_q(tree, &rng), u = peers::random_u(tree, 2, &rng);
  OK_ON(state, cdn_state_set_q(state, q.data()));
  OK_ON(state, cdn_state_set_u(state, u.data()));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.system.realize(theirs.state, Stage::Acceleration);
  size = speed = 1;
  for (const MobilizedBody &b : theirs.bodies) size = std::max(size, b.getBodyOriginLocation(theirs.state).norm());
  for (double x : u) speed += std::fabs(x);
  speed *= size;
}

void near(const std::string &what, double ours, double other, double scale) {
  ck_assert_msg(std::fabs(ours - other) <= roundings * scale, "%s: %.17g, Simbody %.17g: differ by %.2g of %.2g",
                what.c_str(), ours, other, std::fabs(ours - other) / scale, roundings);
}

// One element alone on our side against its contribution on theirs.
void Model::compare_elements() {
  const int nb = cdn_system_body_count(system), nu = cdn_system_nu(system);
  std::vector<cdn_spatial> F(nb);
  std::vector<double> f(nu);
  for (const Element &e : elements) OK_ON(state, cdn_force_set_enabled(state, e.ours, false));
  for (const Element &e : elements) {
    OK_ON(state, cdn_force_set_enabled(state, e.ours, true));
    Vector_<SpatialVec> body_forces;
    Vector_<Vec3> particle_forces;
    Vector mobility_forces;
    e.theirs.calcForceContribution(theirs.state, body_forces, particle_forces, mobility_forces);
    const std::vector<double> theirs_f = theirs.u_from_simbody(mobility_forces);
    OK_ON(state, cdn_applied_forces(state, F.data(), f.data()));
    const std::string name = tree.name + ", " + e.name;
    const double scale = e.scale();
    double energy;
    for (int i = 0; i < nu; i++) near(name + ": mobility force", f[i], theirs_f[i], scale);
    for (int b = 1; b < nb; b++)
      for (int i = 0; i < 3; i++) {
        near(name + ": moment", (&F[b].w.x)[i], body_forces[b][0][i], scale);
        near(name + ": force", (&F[b].v.x)[i], body_forces[b][1][i], scale);
      }
    OK_ON(state, cdn_potential_energy(state, &energy));
    near(name + ": energy", energy, e.theirs.calcPotentialEnergyContribution(theirs.state), scale);
    OK_ON(state, cdn_force_set_enabled(state, e.ours, false));
  }
  for (const Element &e : elements) OK_ON(state, cdn_force_set_enabled(state, e.ours, true));
}

// All of them, and forces applied from outside against Simbody's DiscreteForces.
void Model::compare_together() {
  const int nu = cdn_system_nu(system);
  const int b = any_body(0);
  const Numbers n = numbers(-5, 5);
  std::vector<double> applied(nu);
  for (double &x : applied) x = random_uniform(&rng, -5, 5);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, applied.data()));
  OK_ON(state, cdn_state_set_applied_body_force(state, body(b), { n.v(0), n.v(3) }));
  theirs.applied.setAllMobilityForces(theirs.state, theirs.u_to_simbody(applied.data()));
  theirs.applied.clearAllBodyForces(theirs.state);
  theirs.applied.setOneBodyForce(theirs.state, mobod(b), SpatialVec(n.vec(0), n.vec(3)));
  theirs.system.realize(theirs.state, Stage::Acceleration);

  Matrix M;
  theirs.matter.calcM(theirs.state, M);
  std::vector<double> dense(nu * nu), root(nu);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) dense[i * nu + j] = M(theirs.u_at[i], theirs.u_at[j]);
  const double cond = scaled_condition(dense.data(), nu, root.data());
  ck_assert_msg(cond > 0, "%s: the mass matrix is singular", tree.name.c_str());
  double load = 50 * size, scale = 0, energy, least = INFINITY;
  for (const Element &e : elements) load += e.scale(), scale += e.scale();
  for (double r : root) least = std::min(least, r);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state);
  const std::vector<double> other = theirs.u_from_simbody(theirs.state.getUDot());
  for (int i = 0; i < nu; i++)
    near(tree.name + ": udot", udot[i], other[i], cond * (load / least + root[i] * std::fabs(other[i])) / root[i]);
  OK_ON(state, cdn_potential_energy(state, &energy));
  near(tree.name + ": potential energy", energy, theirs.system.calcPotentialEnergy(theirs.state), scale);

  applied.assign(nu, 0);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, applied.data()));
  OK_ON(state, cdn_state_set_applied_body_force(state, body(b), { { 0, 0, 0 }, { 0, 0, 0 } }));
}

void compare(peers::Tree tree, uint64_t seed) {
  tree.gravity = { 0, 0, 0 }; // an element of its own here
  Model m(tree, seed);
  m.add_gravity();
  for (int b = 0; b < static_cast<int>(tree.bodies.size()); b++) m.add_on_mobility(b);
  for (int i = 0; i < 4; i++) {
    m.add_two_points();
    m.add_constant();
    m.add_bushing();
    m.add_drag();
  }
  m.freeze();
  for (int round = 0; round < 4; round++) {
    m.randomize();
    m.compare_elements();
    m.compare_together();
    if (round != 1) continue;
    for (const Model::Element &e : m.elements)
      if (e.set) e.set(m.numbers(0, 20));
  }
}

START_TEST(test_forces) {
  for (uint64_t seed = 1; seed <= 30; seed++) compare(peers::random_tree(seed, 2 + static_cast<int>(seed % 12)), seed);
}
END_TEST

START_TEST(test_forces_on_all_kinds) {
  for (uint64_t seed = 1; seed <= 60; seed++)
    compare(peers::random_tree_of_kinds(seed, 2 + static_cast<int>(seed % 9), seed % 2), seed);
}
END_TEST

CHECK_MAIN("simbody_forces", test_forces, test_forces_on_all_kinds)

} // namespace simbody_forces
