// Operators on random trees against Simbody 3.7: N and its transposes, Jacobians of stations and frames and their bias
// terms, M^-1, composite bodies, momentum and its rate, reactions.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed, not of the result, which may cancel. Lengths are
// scaled by the model's size, velocities by the sum of speeds, M^-1 and what needs it by the condition of M scaled to a
// unit diagonal. Reactions and accelerations are compared for Simbody's own udot, so that its rounding does not count.
#include "simbody_tree.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <cmath>

namespace simbody_operators {

using SimTK::Matrix;
using SimTK::MobilizedBodyIndex;
using SimTK::SpatialVec;
using SimTK::State;
using SimTK::Vec3;
using SimTK::Vector;
using SimTK::Vector_;

constexpr double roundings = 1e-13;

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
  std::vector<double> q, u, udot;
  double size, speed, rise, mass, load; // scales of lengths, velocities, accelerations, masses, forces
  uint64_t rng;

  Comparison(const peers::Tree &t, uint64_t seed);
  ~Comparison();
  void randomize();
  void near(const char *what, double ours, double other, double scale) const;
  void near(const char *what, cdn_vec3 ours, const Vec3 &other, double scale) const;
  void near(const char *what, const cdn_spatial &ours, const SpatialVec &other, double angular, double linear) const;
  MobilizedBodyIndex index(int b) const;
  void compare_N();
  void compare_system_jacobian() const;
  void compare_tasks();
  void compare_M_inv() const;
  void compare_inertias() const;
  void compare_momentum() const;
  void compare_reactions() const;
};

Comparison::Comparison(const peers::Tree &t, uint64_t seed)
    : tree(t), theirs(t, true), system(peers::build_cardan(t)), rng(seed) {
  OK_ON(nullptr, cdn_state_create(system, &state));
  nq = cdn_system_nq(system), nu = cdn_system_nu(system), nb = cdn_system_body_count(system);
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

void Comparison::near(const char *what, const cdn_spatial &ours, const SpatialVec &other, double angular,
                      double linear) const {
  near(what, ours.w, other[0], angular);
  near(what, ours.v, other[1], linear);
}

MobilizedBodyIndex Comparison::index(int b) const {
  return b == 0 ? MobilizedBodyIndex(0) : theirs.bodies[b - 1].getMobilizedBodyIndex();
}

// The same q, u and applied forces on both sides, and Simbody's udot for both.
void Comparison::randomize() {
  q = peers::random_q(tree, &rng);
  u = peers::random_u(tree, random_below(&rng, 4) ? 2 : 0, &rng);
  std::vector<double> f = peers::random_u(tree, 5, &rng);
  OK_ON(state, cdn_state_set_q(state, q.data()));
  OK_ON(state, cdn_state_set_u(state, u.data()));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f.data()));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.applied.setAllMobilityForces(theirs.state, theirs.u_to_simbody(f.data()));
  Vector_<SpatialVec> body_forces(nb, SpatialVec(Vec3(0), Vec3(0)));
  load = 1;
  for (int b = 1; b < nb; b++) {
    double x[6];
    for (double &component : x) component = random_uniform(&rng, -4, 4), load += std::fabs(component);
    body_forces[index(b)] = SpatialVec(Vec3(x[0], x[1], x[2]), Vec3(x[3], x[4], x[5]));
    OK_ON(state,
          cdn_state_set_applied_body_force(state, cdn_body{ b }, { { x[0], x[1], x[2] }, { x[3], x[4], x[5] } }));
  }
  theirs.applied.setAllBodyForces(theirs.state, body_forces);
  theirs.system.realize(theirs.state, SimTK::Stage::Acceleration);
  udot = theirs.u_from_simbody(theirs.state.getUDot());

  const State &s = theirs.state;
  size = 1;
  for (int b = 1; b < nb; b++) size = std::max(size, theirs.bodies[b - 1].getBodyOriginLocation(s).norm() + 1);
  speed = 1;
  for (double x : u) speed += std::fabs(x);
  rise = speed * speed;
  for (double x : udot) rise += std::fabs(x);
  mass = theirs.matter.calcSystemMass(s);
  load += mass * (rise * size + std::sqrt(cdn_dot(tree.gravity, tree.gravity)));
}

void Comparison::compare_N() {
  std::vector<double> f_q(nq), f_u = peers::random_u(tree, 2, &rng), out_q(nq), out_u(nu);
  for (double &x : f_q) x = random_uniform(&rng, -2, 2);
  Vector in_q(nq), theirs_u, theirs_q;
  for (int i = 0; i < nq; i++) in_q[theirs.q_at[i]] = f_q[i];
  theirs.matter.multiplyByN(theirs.state, true, in_q, theirs_u);
  OK_ON(state, cdn_multiply_by_N_transpose(state, f_q.data(), out_u.data()));
  std::vector<double> expected = theirs.u_from_simbody(theirs_u);
  for (int i = 0; i < nu; i++) near("N^T f", out_u[i], expected[i], 10);
  theirs.matter.multiplyByNInv(theirs.state, true, theirs.u_to_simbody(f_u.data()), theirs_q);
  OK_ON(state, cdn_multiply_by_N_inv_transpose(state, f_u.data(), out_q.data()));
  expected = theirs.q_from_simbody(theirs_q);
  for (int i = 0; i < nq; i++) near("N^-T f", out_q[i], expected[i], 10);
  OK_ON(state, cdn_calc_qdotdot(state, udot.data(), out_q.data()));
  expected = theirs.q_from_simbody(theirs.state.getQDotDot());
  for (int i = 0; i < nq; i++) near("qdotdot", out_q[i], expected[i], rise);
}

void Comparison::compare_system_jacobian() const {
  std::vector<double> J(6 * nb * nu);
  std::vector<cdn_spatial> A(nb);
  Matrix J_S;
  Vector_<SpatialVec> bias;
  OK_ON(state, cdn_calc_J(state, J.data()));
  OK_ON(state, cdn_calc_Jdot_u(state, A.data()));
  theirs.matter.calcSystemJacobian(theirs.state, J_S);
  theirs.matter.calcBiasForSystemJacobian(theirs.state, bias);
  for (int b = 0; b < nb; b++) {
    near("Jdot u", A[b], bias[index(b)], speed * speed, speed * speed * size);
    for (int row = 0; row < 6; row++)
      for (int k = 0; k < nu; k++) near("J", J[(6 * b + row) * nu + k], J_S(6 * index(b) + row, theirs.u_at[k]), size);
  }
  OK_ON(state, cdn_calc_body_accelerations(state, udot.data(), A.data()));
  for (int b = 1; b < nb; b++)
    near("A_GB", A[b], theirs.bodies[b - 1].getBodyAcceleration(theirs.state), rise, rise * size);
}

void Comparison::compare_tasks() {
  constexpr int n = 3;
  cdn_body body[n];
  cdn_vec3 point[n], a[n];
  cdn_spatial A[n];
  SimTK::Array_<MobilizedBodyIndex> bodies(n);
  SimTK::Array_<Vec3> points(n);
  for (int i = 0; i < n; i++) {
    body[i].i = random_below(&rng, nb);
    double x[3];
    for (double &component : x) component = random_uniform(&rng, -1, 1);
    point[i] = { x[0], x[1], x[2] };
    bodies[i] = index(body[i].i), points[i] = Vec3(x[0], x[1], x[2]);
  }
  std::vector<double> J_S(3 * n * nu), J_F(6 * n * nu);
  Matrix S, F;
  Vector_<Vec3> bias_S;
  Vector_<SpatialVec> bias_F;
  OK_ON(state, cdn_calc_station_J(state, n, body, point, J_S.data()));
  OK_ON(state, cdn_calc_frame_J(state, n, body, point, J_F.data()));
  OK_ON(state, cdn_calc_station_Jdot_u(state, n, body, point, a));
  OK_ON(state, cdn_calc_frame_Jdot_u(state, n, body, point, A));
  theirs.matter.calcStationJacobian(theirs.state, bodies, points, S);
  theirs.matter.calcFrameJacobian(theirs.state, bodies, points, F);
  theirs.matter.calcBiasForStationJacobian(theirs.state, bodies, points, bias_S);
  theirs.matter.calcBiasForFrameJacobian(theirs.state, bodies, points, bias_F);
  for (int k = 0; k < nu; k++) {
    for (int row = 0; row < 3 * n; row++) near("J_S", J_S[row * nu + k], S(row, theirs.u_at[k]), size);
    for (int row = 0; row < 6 * n; row++) near("J_F", J_F[row * nu + k], F(row, theirs.u_at[k]), size);
  }
  for (int i = 0; i < n; i++) {
    near("Jdot_S u", a[i], bias_S[i], speed * speed * size);
    near("Jdot_F u", A[i], bias_F[i], speed * speed, speed * speed * size);
  }
  // for one task alone, another way is taken
  OK_ON(state, cdn_calc_frame_Jdot_u(state, 1, body, point, A));
  near("Jdot_F u of one", A[0], bias_F[0], speed * speed, speed * speed * size);
  OK_ON(state, cdn_calc_station_accelerations(state, udot.data(), 1, body, point, a));
  if (body[0].i > 0)
    near("station acceleration", a[0],
         theirs.bodies[body[0].i - 1].findStationAccelerationInGround(theirs.state, points[0]), rise * size);
}

void Comparison::compare_M_inv() const {
  std::vector<double> inverse(nu * nu), dense(nu * nu), root(nu);
  OK_ON(state, cdn_calc_M_inv(state, inverse.data()));
  Matrix M, M_inv;
  theirs.matter.calcM(theirs.state, M);
  theirs.matter.calcMInv(theirs.state, M_inv);
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++) dense[i * nu + j] = M(theirs.u_at[i], theirs.u_at[j]);
  double cond = scaled_condition(dense.data(), nu, root.data());
  // elements are at most cond / (root root), and roundings of M are amplified by cond once more
  for (int i = 0; i < nu; i++)
    for (int j = 0; j < nu; j++)
      near("M^-1", inverse[i * nu + j], M_inv(theirs.u_at[i], theirs.u_at[j]), cond * cond / (root[i] * root[j]));
}

void Comparison::compare_inertias() const {
  std::vector<cdn_spatial_inertia> R(nb);
  SimTK::Array_<SimTK::SpatialInertia, MobilizedBodyIndex> other;
  OK_ON(state, cdn_calc_composite_body_inertias(state, R.data()));
  theirs.matter.calcCompositeBodyInertias(theirs.state, other);
  for (int b = 1; b < nb; b++) {
    const SimTK::SpatialInertia &S = other[index(b)];
    double m = S.getMass();
    near("composite mass", R[b].mass, m, mass);
    if (m == 0) continue; // Simbody divides by it
    near("composite centre", R[b].mass_com, m * S.getMassCenter(), mass * size);
    SimTK::SymMat33 I = m * S.getUnitInertia().asSymMat33();
    double scale = mass * size * size;
    near("composite inertia", R[b].inertia.xx, I(0, 0), scale);
    near("composite inertia", R[b].inertia.yy, I(1, 1), scale);
    near("composite inertia", R[b].inertia.zz, I(2, 2), scale);
    near("composite inertia", R[b].inertia.xy, I(1, 0), scale);
    near("composite inertia", R[b].inertia.xz, I(2, 0), scale);
    near("composite inertia", R[b].inertia.yz, I(2, 1), scale);
  }
}

void Comparison::compare_momentum() const {
  const State &s = theirs.state;
  cdn_spatial momentum;
  cdn_vec3 v, a;
  OK_ON(state, cdn_central_momentum(state, &momentum));
  OK_ON(state, cdn_center_of_mass_velocity(state, &v));
  OK_ON(state, cdn_calc_center_of_mass_acceleration(state, udot.data(), &a));
  near("central momentum", momentum, theirs.matter.calcSystemCentralMomentum(s), mass * size * speed * size,
       mass * speed * size);
  near("velocity of the centre", v, theirs.matter.calcSystemMassCenterVelocityInGround(s), speed * size);
  near("acceleration of the centre", a, theirs.matter.calcSystemMassCenterAccelerationInGround(s), rise * size);
  // Its rate is what acts from outside: gravity, what is applied, and what Ground's mobilizers do.
  cdn_spatial rate;
  OK_ON(state, cdn_calc_momentum_rate(state, udot.data(), &rate, nullptr));
  Vector_<SpatialVec> all = theirs.system.getRigidBodyForces(s, SimTK::Stage::Dynamics);
  SpatialVec external(Vec3(0), Vec3(0));
  for (int b = 1; b < nb; b++) {
    const SimTK::MobilizedBody &body = theirs.bodies[b - 1];
    SpatialVec F = all[index(b)];
    Vec3 p = body.getBodyOriginLocation(s);
    external += SpatialVec(F[0] + p % F[1], F[1]);
    if (!body.getParentMobilizedBody().isGround()) continue;
    F = body.findMobilizerReactionOnBodyAtOriginInGround(s);
    external += SpatialVec(F[0] + p % F[1], F[1]);
  }
  near("rate of momentum", rate, external, load * size * size, load * size);
}

void Comparison::compare_reactions() const {
  const State &s = theirs.state;
  std::vector<cdn_spatial> at_M(nb), at_B(nb), at_F(nb), at_P(nb);
  Vector_<SpatialVec> all;
  OK_ON(state, cdn_calc_reaction_forces(state, udot.data(), CDN_REACTION_ON_BODY_AT_M, at_M.data()));
  OK_ON(state, cdn_calc_reaction_forces(state, udot.data(), CDN_REACTION_ON_BODY_AT_ORIGIN, at_B.data()));
  OK_ON(state, cdn_calc_reaction_forces(state, udot.data(), CDN_REACTION_ON_PARENT_AT_F, at_F.data()));
  OK_ON(state, cdn_calc_reaction_forces(state, udot.data(), CDN_REACTION_ON_PARENT_AT_ORIGIN, at_P.data()));
  theirs.matter.calcMobilizerReactionForces(s, all);
  double moment = load * size * size, force = load * size;
  for (int b = 0; b < nb; b++) near("reaction", at_M[b], all[index(b)], moment, force);
  for (int b = 1; b < nb; b++) {
    const SimTK::MobilizedBody &body = theirs.bodies[b - 1];
    near("reaction at M", at_M[b], body.findMobilizerReactionOnBodyAtMInGround(s), moment, force);
    near("reaction at B", at_B[b], body.findMobilizerReactionOnBodyAtOriginInGround(s), moment, force);
    near("reaction at F", at_F[b], body.findMobilizerReactionOnParentAtFInGround(s), moment, force);
    near("reaction at P", at_P[b], body.findMobilizerReactionOnParentAtOriginInGround(s), moment, force);
  }
}

void compare(const peers::Tree &tree, int states, uint64_t seed) {
  Comparison c(tree, seed);
  for (int i = 0; i < states; i++) {
    c.randomize();
    c.compare_N();
    c.compare_system_jacobian();
    c.compare_tasks();
    if (c.nu > 0) c.compare_M_inv();
    c.compare_inertias();
    c.compare_momentum();
    c.compare_reactions();
  }
}

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

CHECK_MAIN("simbody_operators", test_random_trees, test_regular_trees)

} // namespace simbody_operators
