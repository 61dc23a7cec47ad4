// Random trees in Cardan and in Simbody 3.7: the same parts, the same states, every operator compared.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed, not of the result, which may cancel. Lengths are
// scaled by the model's size, velocities by the sum of speeds, forces by sqrt(M_ii) times the norm of accelerations in
// the metric of the masses (Cauchy's inequality), udot by the condition of M scaled to a unit diagonal.
#include "simbody_tree.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <cmath>

using SimTK::Matrix;
using SimTK::SpatialVec;
using SimTK::State;
using SimTK::Vec3;
using SimTK::Vector;
using SimTK::Vector_;

namespace {

constexpr double roundings = 1e-13;

// A call on a State must succeed; if it does not, the State tells why.
void succeeds(const cdn_state *state, const char *call, cdn_status status) {
  cdn_error error = {};
  if (status != CDN_OK && state) cdn_state_last_error(state, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s: [%s] %s", call, cdn_status_name(status), error.element, error.text);
}
#define OK_ON(state, call) succeeds(state, #call, call)

struct Comparison {
  const peers::Tree &tree;
  peers::SimbodyTree theirs;
  cdn_system *system;
  cdn_state *state;
  int nq, nu, nb; // bodies with Ground
  std::vector<double> q, u, f;
  std::vector<cdn_spatial> F;
  // scales of the present state
  double size, speed, inertial, cond;
  std::vector<double> root; // sqrt(M_ii)

  explicit Comparison(const peers::Tree &t);
  ~Comparison();
  void randomize(uint64_t *rng);
  void measure();
  void near(const char *what, double ours, double theirs, double scale) const;
  void near(const char *what, cdn_vec3 ours, const Vec3 &other, double scale) const;
  void near(const char *what, const double *ours, const Vector &other, const std::vector<double> &scale) const;
  void compare_kinematics() const;
  void compare_N() const;
  void compare_matrix() const;
  void compare_inverse_dynamics(uint64_t *rng) const;
  void compare_accelerations() const;
  void compare_whole() const;
};

Comparison::Comparison(const peers::Tree &t) : tree(t), theirs(t, true), system(peers::build_cardan(t)) {
  OK_ON(nullptr, cdn_state_create(system, &state));
  nq = cdn_system_nq(system);
  nu = cdn_system_nu(system);
  nb = cdn_system_body_count(system);
  ck_assert_int_eq(nq, theirs.state.getNQ());
  ck_assert_int_eq(nu, theirs.state.getNU());
  ck_assert_int_eq(nb, theirs.matter.getNumBodies());
  ck_assert_int_eq(nq, t.nq());
}

Comparison::~Comparison() {
  cdn_state_destroy(state);
  cdn_system_release(system);
}

void Comparison::near(const char *what, double ours, double other, double scale) const {
  ck_assert_msg(std::fabs(ours - other) <= roundings * scale, "%s: %s %.17g, Simbody %.17g: differ by %.2g of %.2g",
                tree.name.c_str(), what, ours, other, std::fabs(ours - other) / scale, roundings);
}

void Comparison::near(const char *what, cdn_vec3 ours, const Vec3 &other, double scale) const {
  near(what, ours.x, other[0], scale);
  near(what, ours.y, other[1], scale);
  near(what, ours.z, other[2], scale);
}

void Comparison::near(const char *what, const double *ours, const Vector &other,
                      const std::vector<double> &scale) const {
  std::vector<double> reordered = theirs.u_from_simbody(other);
  for (int i = 0; i < nu; i++) near(what, ours[i], reordered[i], scale[i]);
}

// The same random q, u and applied forces on both sides; now and then at rest.
void Comparison::randomize(uint64_t *rng) {
  q = peers::random_q(tree, rng);
  u = peers::random_u(tree, random_below(rng, 4) ? 2 : 0, rng);
  f = peers::random_u(tree, 5, rng);
  OK_ON(state, cdn_state_set_q(state, q.data()));
  OK_ON(state, cdn_state_set_u(state, u.data()));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f.data()));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.applied.setAllMobilityForces(theirs.state, theirs.u_to_simbody(f.data()));
  Vector_<SpatialVec> body_forces(nb, SpatialVec(Vec3(0), Vec3(0)));
  F.assign(nb, cdn_spatial{});
  for (int b = 1; b < nb; b++) {
    double x[6];
    for (double &component : x) component = random_uniform(rng, -4, 4);
    F[b] = { { x[0], x[1], x[2] }, { x[3], x[4], x[5] } };
    body_forces[b] = SpatialVec(Vec3(x[0], x[1], x[2]), Vec3(x[3], x[4], x[5]));
    OK_ON(state, cdn_state_set_applied_body_force(state, cdn_body{ b }, F[b]));
  }
  theirs.applied.setAllBodyForces(theirs.state, body_forces);
  theirs.system.realize(theirs.state, SimTK::Stage::Acceleration);
}

// Scales, all from Simbody's results.
void Comparison::measure() {
  const State &s = theirs.state;
  size = 1;
  double rate = 0, load = 0;
  for (int b = 1; b < nb; b++) {
    size = std::max(size, theirs.bodies[b - 1].getBodyOriginLocation(s).norm());
    rate = std::max(rate, theirs.bodies[b - 1].getBodyAngularVelocity(s).norm());
    load += std::sqrt(cdn_dot(F[b].w, F[b].w) + size * size * cdn_dot(F[b].v, F[b].v));
  }
  speed = 1;
  for (double x : u) speed += std::fabs(x);
  for (double x : f) load += std::fabs(x);
  Matrix M;
  theirs.matter.calcM(s, M);
  root.resize(nu);
  std::vector<double> dense(nu * nu);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) dense[i * nu + j] = M(theirs.u_at[i], theirs.u_at[j]);
  cond = scaled_condition(dense.data(), nu, root.data());
  ck_assert_msg(cond > 0, "%s: the mass matrix is singular", tree.name.c_str());
  double least = INFINITY;
  for (double r : root) least = std::min(least, r);
  double g = std::sqrt(cdn_dot(tree.gravity, tree.gravity));
  double velocity = 0; // the norm of velocities if those that the mobilities give never cancelled
  for (int i = 0; i < nu; i++) velocity += root[i] * std::fabs(u[i]);
  inertial = std::sqrt(theirs.matter.calcSystemMass(s)) * g + 3 * rate * velocity + load / std::max(least, 0.1);
}

void Comparison::compare_kinematics() const {
  for (int b = 1; b < nb; b++) {
    const SimTK::MobilizedBody &body = theirs.bodies[b - 1];
    cdn_transform X;
    cdn_spatial V;
    OK_ON(state, cdn_body_pose(state, cdn_body{ b }, &X));
    const SimTK::Transform &Y = body.getBodyTransform(theirs.state);
    near("p_GB", X.p, Y.p(), size);
    near("R_GB x", X.R.x, Vec3(Y.R().x()), 1);
    near("R_GB y", X.R.y, Vec3(Y.R().y()), 1);
    near("R_GB z", X.R.z, Vec3(Y.R().z()), 1);
    OK_ON(state, cdn_body_velocity(state, cdn_body{ b }, &V));
    const SpatialVec &W = body.getBodyVelocity(theirs.state);
    near("w_GB", V.w, W[0], speed);
    near("v_GB", V.v, W[1], speed * size);
  }
}

void Comparison::compare_N() const {
  std::vector<double> qdot(nq), back(nu);
  OK_ON(state, cdn_multiply_by_N(state, u.data(), qdot.data()));
  std::vector<double> other = theirs.q_from_simbody(theirs.state.getQDot());
  for (int i = 0; i < nq; i++) near("qdot", qdot[i], other[i], speed);
  OK_ON(state, cdn_multiply_by_N_inv(state, qdot.data(), back.data()));
  for (int i = 0; i < nu; i++) near("N+ N u", back[i], u[i], speed);
  const double *own = cdn_state_qdot(state);
  ck_assert_ptr_nonnull(own);
  for (int i = 0; i < nq; i++) near("realized qdot", own[i], other[i], speed);
}

void Comparison::compare_matrix() const {
  std::vector<double> M(nu * nu);
  OK_ON(state, cdn_calc_M(state, M.data()));
  Matrix other;
  theirs.matter.calcM(theirs.state, other);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) near("M", M[i * nu + j], other(theirs.u_at[i], theirs.u_at[j]), root[i] * root[j]);
}

// With forces given, without the force elements; then the residual with gravity and what is applied.
void Comparison::compare_inverse_dynamics(uint64_t *rng) const {
  std::vector<double> udot = peers::random_u(tree, 3, rng), r(nu), scale(nu);
  double norm = inertial;
  for (int i = 0; i < nu; i++) norm += root[i] * std::fabs(udot[i]);
  for (int i = 0; i < nu; i++) scale[i] = root[i] * norm + std::fabs(f[i]);
  Vector_<SpatialVec> body_forces(nb, SpatialVec(Vec3(0), Vec3(0)));
  for (int b = 1; b < nb; b++) body_forces[b] = SpatialVec(peers::to_simbody(F[b].w), peers::to_simbody(F[b].v));
  Vector mobility_forces = theirs.u_to_simbody(f.data()), knowns = theirs.u_to_simbody(udot.data()), residual;
  theirs.matter.calcResidualForceIgnoringConstraints(theirs.state, mobility_forces, body_forces, knowns, residual);
  OK_ON(state, cdn_inverse_dynamics(state, udot.data(), F.data(), f.data(), r.data()));
  near("inverse dynamics", r.data(), residual, scale);

  const Vector_<SpatialVec> &all = theirs.system.getRigidBodyForces(theirs.state, SimTK::Stage::Dynamics);
  theirs.matter.calcResidualForceIgnoringConstraints(theirs.state, mobility_forces, all, knowns, residual);
  OK_ON(state, cdn_residual(state, udot.data(), r.data()));
  near("residual", r.data(), residual, scale);
}

void Comparison::compare_accelerations() const {
  const double *udot = cdn_state_udot(state);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert_ptr_nonnull(udot);
  const Vector &other = theirs.state.getUDot();
  double norm = inertial, least = INFINITY;
  for (int i = 0; i < nu; i++) norm = std::max(norm, root[i] * std::fabs(other[theirs.u_at[i]]));
  for (int i = 0; i < nu; i++) least = std::min(least, root[i]);
  std::vector<double> scale(nu);
  for (int i = 0; i < nu; i++) scale[i] = cond * norm / root[i];
  near("udot", udot, other, scale);
  double sum = nu > 0 ? cond * norm / least * size * nb : 1;
  for (int b = 1; b < nb; b++) {
    cdn_spatial A;
    OK_ON(state, cdn_body_acceleration(state, cdn_body{ b }, &A));
    const SpatialVec &B = theirs.bodies[b - 1].getBodyAcceleration(theirs.state);
    near("b_GB", A.w, B[0], sum);
    near("a_GB", A.v, B[1], sum);
  }
}

void Comparison::compare_whole() const {
  const State &s = theirs.state;
  double total, moving, ke, pe;
  cdn_vec3 com;
  cdn_spatial momentum;
  OK_ON(state, cdn_system_mass(state, &total, &moving));
  OK_ON(state, cdn_center_of_mass(state, &com));
  OK_ON(state, cdn_kinetic_energy(state, &ke));
  OK_ON(state, cdn_potential_energy(state, &pe));
  OK_ON(state, cdn_momentum(state, &momentum));
  double mass = theirs.matter.calcSystemMass(s), fastest = speed * size;
  near("mass", total, mass, mass);
  near("centre of mass", com, theirs.matter.calcSystemMassCenterLocationInGround(s), size);
  near("kinetic energy", ke, theirs.system.calcKineticEnergy(s), mass * fastest * fastest);
  near("potential energy", pe, theirs.system.calcPotentialEnergy(s),
       mass * size * std::sqrt(cdn_dot(tree.gravity, tree.gravity)));
  SpatialVec other = theirs.matter.calcSystemMomentumAboutGroundOrigin(s);
  near("angular momentum", momentum.w, other[0], mass * size * fastest);
  near("linear momentum", momentum.v, other[1], mass * fastest);
}

void compare(const peers::Tree &tree, int states, uint64_t seed) {
  uint64_t rng = seed;
  Comparison c(tree);
  for (int i = 0; i < states; i++) {
    c.randomize(&rng);
    c.measure();
    c.compare_kinematics();
    c.compare_N();
    c.compare_matrix();
    c.compare_inverse_dynamics(&rng);
    c.compare_accelerations();
    c.compare_whole();
  }
}

} // namespace

START_TEST(test_random_trees) {
  for (int seed = 1; seed <= 100; seed++) compare(peers::random_tree(seed, 1 + seed % 25), 3, seed);
}
END_TEST

START_TEST(test_regular_trees) {
  compare(peers::humanoid(), 10, 1);
  compare(peers::pin_chain(30), 5, 2);
  compare(peers::pin_binary_tree(5), 5, 3);
}
END_TEST

CHECK_MAIN("simbody trees", test_random_trees, test_regular_trees)
