#include "simbody_compare.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <algorithm>
#include <cmath>

using SimTK::Matrix;
using SimTK::MobilizedBodyIndex;
using SimTK::SpatialVec;
using SimTK::State;
using SimTK::Vec3;
using SimTK::Vector;
using SimTK::Vector_;

namespace peers {

static constexpr double roundings = 1e-13;

void succeeds(const cdn_state *state, const char *call, cdn_status status) {
  cdn_error error = {};
  if (status != CDN_OK && state) cdn_state_last_error(state, &error);
  ck_assert_msg(status == CDN_OK, "%s: %s: [%s] %s", call, cdn_status_name(status), error.element, error.text);
}

Comparison::Comparison(const Tree &t) : tree(t), theirs(t, true), system(build_cardan(t)) {
  SUCCEEDS(nullptr, cdn_state_create(system, &state));
  nq = cdn_system_nq(system);
  nu = cdn_system_nu(system);
  nb = cdn_system_body_count(system);
  ck_assert_int_eq(nq, t.nq());
  ck_assert_int_eq(nu, t.nu());
  ck_assert_int_eq(nu, theirs.state.getNU());
  ck_assert_int_eq(nb, theirs.matter.getNumBodies());
}

Comparison::~Comparison() {
  cdn_state_destroy(state);
  cdn_system_release(system);
}

void Comparison::compare_random_state(uint64_t *rng) {
  randomize(rng);
  measure();
  compare_kinematics();
  compare_coordinates();
  compare_mass_matrix();
  compare_inverse_dynamics(rng);
  compare_accelerations();
  compare_residual();
  compare_whole();
}

// ---- the state and its scales -------------------------------------------------------------------

void Comparison::randomize(uint64_t *rng) {
  q = random_q(tree, rng);
  u = random_u(tree, random_below(rng, 4) ? 2 : 0, rng);
  f = random_u(tree, 5, rng);
  SUCCEEDS(state, cdn_state_set_q(state, q.data()));
  SUCCEEDS(state, cdn_state_set_u(state, u.data()));
  SUCCEEDS(state, cdn_state_set_applied_mobility_forces(state, f.data()));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.applied.setAllMobilityForces(theirs.state, theirs.u_to_simbody(f.data()));
  Vector_<SpatialVec> body_forces(nb, SpatialVec(Vec3(0), Vec3(0)));
  F.assign(nb, cdn_spatial{});
  for (int b = 1; b < nb; b++) {
    F[b] = { random_vec3(rng, 4), random_vec3(rng, 4) };
    body_forces[b] = SpatialVec(to_simbody(F[b].w), to_simbody(F[b].v));
    SUCCEEDS(state, cdn_state_set_applied_body_force(state, cdn_body{ b }, F[b]));
  }
  theirs.applied.setAllBodyForces(theirs.state, body_forces);
  theirs.system.realize(theirs.state, SimTK::Stage::Acceleration);
}

// All from Simbody's results.
void Comparison::measure() {
  const State &s = theirs.state;
  size = 1;
  double rate = 0;
  load = 0;
  for (int b = 1; b < nb; b++) {
    size = std::max(size, theirs.bodies[b - 1].getBodyOriginLocation(s).norm());
    rate = std::max(rate, theirs.bodies[b - 1].getBodyAngularVelocity(s).norm());
    load += std::sqrt(cdn_dot(F[b].w, F[b].w) + size * size * cdn_dot(F[b].v, F[b].v));
  }
  for (double x : f) load += std::fabs(x);

  Matrix J, dense;
  theirs.matter.calcSystemJacobian(s, J);
  speed = 1;
  for (int k = 0; k < nu; k++) {
    double most = 1;
    for (int i = 0; i < J.nrow(); i++) most = std::max(most, std::fabs(J(i, theirs.u_at[k])));
    speed += most * std::fabs(u[k]);
    rate = std::max(rate, std::fabs(u[k])); // what stretches turns its Coriolis forces at such rates
  }
  theirs.matter.calcM(s, dense);
  root.resize(nu);
  M.resize(nu * nu);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) M[i * nu + j] = dense(theirs.u_at[i], theirs.u_at[j]);
  std::vector<double> scratch = M;
  cond = scaled_condition(scratch.data(), nu, root.data());
  ck_assert_msg(cond > 0, "%s: the mass matrix is singular", tree.name.c_str());
  double least = INFINITY;
  for (double r : root) least = std::min(least, r);
  double velocity = 0; // the norm of velocities if those that the mobilities give never cancelled
  for (int i = 0; i < nu; i++) velocity += root[i] * std::fabs(u[i]);
  const double g = std::sqrt(cdn_dot(tree.gravity, tree.gravity));
  inertial = std::sqrt(theirs.matter.calcSystemMass(s)) * g + 3 * rate * velocity + load / std::max(least, 0.1);
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

void Comparison::near(const char *what, const cdn_spatial &ours, const SpatialVec &other, double angular,
                      double linear) const {
  near(what, ours.w, other[0], angular);
  near(what, ours.v, other[1], linear);
}

void Comparison::near(const char *what, const double *ours, const Vector &other,
                      const std::vector<double> &scale) const {
  const std::vector<double> reordered = theirs.u_from_simbody(other);
  for (int i = 0; i < nu; i++) near(what, ours[i], reordered[i], scale[i]);
}

// ---- positions and velocities -------------------------------------------------------------------

void Comparison::compare_kinematics() const {
  for (int b = 1; b < nb; b++) {
    const SimTK::MobilizedBody &body = theirs.bodies[b - 1];
    cdn_transform X;
    cdn_spatial V;
    SUCCEEDS(state, cdn_body_pose(state, cdn_body{ b }, &X));
    const SimTK::Transform &Y = body.getBodyTransform(theirs.state);
    near("p_GB", X.p, Y.p(), size);
    near("R_GB x", X.R.x, Vec3(Y.R().x()), 1);
    near("R_GB y", X.R.y, Vec3(Y.R().y()), 1);
    near("R_GB z", X.R.z, Vec3(Y.R().z()), 1);
    SUCCEEDS(state, cdn_body_velocity(state, cdn_body{ b }, &V));
    near("V_GB", V, body.getBodyVelocity(theirs.state), speed, speed * size);
  }
}

// Rates by Euler angles have the square of a cosine of at least cos(1.1) in the denominator of their own rates.
void Comparison::compare_coordinates() {
  const double steep = tree.bodies.empty() || !theirs.euler ? 1 : 1 / std::pow(std::cos(1.1), 2);
  std::vector<double> qdot(nq), back(nu);
  SUCCEEDS(state, cdn_multiply_by_N(state, u.data(), qdot.data()));
  const std::vector<double> other = theirs.q_from_simbody(theirs.state.getQDot());
  const double *own = cdn_state_qdot(state);
  ck_assert_ptr_nonnull(own);
  int slot = 0;
  for (const Body &b : tree.bodies)
    for (int k = 0; k < peers::nq(b); k++, slot++) {
      near("realized qdot", own[slot], qdot[slot], 0);
      if (!simbody_rates_wrong(b)) near("qdot", qdot[slot], other[slot], speed * steep);
    }
  SUCCEEDS(state, cdn_multiply_by_N_inv(state, qdot.data(), back.data()));
  for (int i = 0; i < nu; i++) near("N+ N u", back[i], u[i], speed * steep);
  if (std::any_of(tree.bodies.begin(), tree.bodies.end(), simbody_rates_wrong)) compare_rates(qdot);
}

// Our qdot against the velocities of Simbody's bodies, as its poses move along it: five points, whose error h^4 is that
// of rounding, eps / h.
void Comparison::compare_rates(const std::vector<double> &qdot) {
  static const double weight[] = { 1.0 / 12, -8.0 / 12, 0, 8.0 / 12, -1.0 / 12 };
  const double h = 1e-3 / speed;
  std::vector<SpatialVec> V(nb);
  std::vector<Vec3> axis(3 * nb, Vec3(0)), velocity(nb, Vec3(0)); // their rates
  for (int b = 1; b < nb; b++) V[b] = theirs.bodies[b - 1].getBodyVelocity(theirs.state);
  for (int k = 0; k < 5; k++) {
    std::vector<double> moved = q;
    for (int i = 0; i < nq; i++) moved[i] += (k - 2) * h * qdot[i];
    theirs.set_q(moved.data());
    theirs.system.realize(theirs.state, SimTK::Stage::Position);
    for (int b = 1; b < nb; b++) {
      const SimTK::Transform &X = theirs.bodies[b - 1].getBodyTransform(theirs.state);
      for (int i = 0; i < 3; i++) axis[3 * b + i] += weight[k] / h * Vec3(X.R()(i));
      velocity[b] += weight[k] / h * X.p();
    }
  }
  theirs.set_q(q.data());
  theirs.system.realize(theirs.state, SimTK::Stage::Acceleration);
  for (int b = 1; b < nb; b++) {
    const SimTK::Rotation &R = theirs.bodies[b - 1].getBodyRotation(theirs.state);
    Vec3 w(0); // half the sum of e x edot
    for (int i = 0; i < 3; i++) w += 0.5 * (Vec3(R(i)) % axis[3 * b + i]);
    const double large = 1e4 * speed; // of roundings: 1e-9
    near("motion along qdot", { w[0], w[1], w[2] }, V[b][0], large);
    near("motion along qdot", { velocity[b][0], velocity[b][1], velocity[b][2] }, V[b][1], large * size);
  }
}

// ---- dynamics -----------------------------------------------------------------------------------

void Comparison::compare_mass_matrix() const {
  std::vector<double> ours(nu * nu);
  SUCCEEDS(state, cdn_calc_M(state, ours.data()));
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) near("M", ours[i * nu + j], M[i * nu + j], root[i] * root[j]);
}

// With forces given, without the force elements; then the residual with gravity and what is applied.
void Comparison::compare_inverse_dynamics(uint64_t *rng) const {
  const std::vector<double> udot = random_u(tree, 3, rng);
  std::vector<double> r(nu), scale(nu);
  double norm = inertial;
  for (int i = 0; i < nu; i++) norm += root[i] * std::fabs(udot[i]);
  for (int i = 0; i < nu; i++) scale[i] = root[i] * norm + std::fabs(f[i]);
  Vector_<SpatialVec> body_forces(nb, SpatialVec(Vec3(0), Vec3(0)));
  for (int b = 1; b < nb; b++) body_forces[b] = SpatialVec(to_simbody(F[b].w), to_simbody(F[b].v));
  Vector mobility_forces = theirs.u_to_simbody(f.data()), knowns = theirs.u_to_simbody(udot.data()), residual;
  theirs.matter.calcResidualForceIgnoringConstraints(theirs.state, mobility_forces, body_forces, knowns, residual);
  SUCCEEDS(state, cdn_inverse_dynamics(state, udot.data(), F.data(), f.data(), r.data()));
  near("inverse dynamics", r.data(), residual, scale);

  const Vector_<SpatialVec> &all = theirs.system.getRigidBodyForces(theirs.state, SimTK::Stage::Dynamics);
  theirs.matter.calcResidualForceIgnoringConstraints(theirs.state, mobility_forces, all, knowns, residual);
  SUCCEEDS(state, cdn_residual(state, udot.data(), r.data()));
  near("residual", r.data(), residual, scale);
}

void Comparison::compare_accelerations() const {
  SUCCEEDS(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state);
  ck_assert_ptr_nonnull(udot);
  const Vector &other = theirs.state.getUDot();
  double norm = inertial, least = INFINITY;
  for (int i = 0; i < nu; i++) norm = std::max(norm, root[i] * std::fabs(other[theirs.u_at[i]]));
  for (int i = 0; i < nu; i++) least = std::min(least, root[i]);
  std::vector<double> scale(nu);
  for (int i = 0; i < nu; i++) scale[i] = cond * norm / root[i];
  near("udot", udot, other, scale);
  const double sum = nu > 0 ? cond * norm / least * size * nb : 1;
  for (int b = 1; b < nb; b++) {
    cdn_spatial A;
    SUCCEEDS(state, cdn_body_acceleration(state, cdn_body{ b }, &A));
    near("A_GB", A, theirs.bodies[b - 1].getBodyAcceleration(theirs.state), sum, sum);
  }
}

// Our own udot put into Newton's and Euler's equations: what is left, of the magnitudes that are summed. 1e-12.
void Comparison::compare_residual() const {
  std::vector<double> bias(nu), r(nu), given(nu);
  std::vector<cdn_spatial> all(nb);
  SUCCEEDS(state, cdn_residual(state, cdn_state_udot(state), r.data()));
  SUCCEEDS(state, cdn_calc_bias(state, bias.data()));
  const double *udot = cdn_state_udot(state);
  std::vector<double> summed(nu);
  for (int i = 0; i < nu; i++) {
    summed[i] = std::fabs(bias[i]) + std::fabs(f[i]);
    for (int j = 0; j < nu; j++) summed[i] += std::fabs(M[i * nu + j] * udot[j]);
  }
  SUCCEEDS(state, cdn_applied_forces(state, all.data(), nullptr));
  for (int b = 1; b < nb; b++) {
    std::vector<cdn_spatial> one(nb);
    one[b] = all[b];
    SUCCEEDS(state, cdn_multiply_by_J_transpose(state, one.data(), given.data()));
    for (int i = 0; i < nu; i++) summed[i] += std::fabs(given[i]);
  }
  for (int i = 0; i < nu; i++)
    ck_assert_msg(std::fabs(r[i]) <= 1e-12 * summed[i], "%s: residual %d is %.2g of what is summed", tree.name.c_str(),
                  i, std::fabs(r[i]) / summed[i]);
}

void Comparison::compare_whole() const {
  const State &s = theirs.state;
  double total, moving, ke, pe;
  cdn_vec3 com;
  cdn_spatial momentum;
  SUCCEEDS(state, cdn_system_mass(state, &total, &moving));
  SUCCEEDS(state, cdn_center_of_mass(state, &com));
  SUCCEEDS(state, cdn_kinetic_energy(state, &ke));
  SUCCEEDS(state, cdn_potential_energy(state, &pe));
  SUCCEEDS(state, cdn_momentum(state, &momentum));
  const double mass = theirs.matter.calcSystemMass(s), fastest = speed * size;
  near("mass", total, mass, mass);
  near("centre of mass", com, theirs.matter.calcSystemMassCenterLocationInGround(s), size);
  near("kinetic energy", ke, theirs.system.calcKineticEnergy(s), mass * fastest * fastest);
  near("potential energy", pe, theirs.system.calcPotentialEnergy(s),
       mass * size * std::sqrt(cdn_dot(tree.gravity, tree.gravity)));
  near("momentum", momentum, theirs.matter.calcSystemMomentumAboutGroundOrigin(s), mass * size * fastest,
       mass * fastest);
}

} // namespace peers
