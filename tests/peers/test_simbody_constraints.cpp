// Every kind of constraint that Simbody 3.7 has, one at a time on random trees. Where the equations are the same number
// by
// number, at random states: errors of position and velocity, G, the errors of acceleration of a random udot, then udot,
// the
// multipliers and the forces of the constrained dynamics. Where theirs are other equations for the same motions
// (directions
// across a line or a normal may be chosen; ours tell orientations by the rotation vector), at states that satisfy them:
// udot and
// forces.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed: lengths and velocities of the model's size; what
// comes out
// of the dynamics by the conditions of M and of G M^-1 G^T, each scaled to a unit diagonal.
#include "simbody_compare.h"

#include "../check_main.h"
#include "condition.h"
#include "simbody_constraints.h"

#include <cmath>

namespace simbody_constraints {

using namespace SimTK;

constexpr double roundings = 1e-13;

struct Model : peers::Looped {
  cdn_state *state = nullptr;
  std::string name;
  int nu, nb, m = 0;
  double size = 1, speed = 1;
  std::vector<double> M, root;
  double cond = 1;

  Model(const peers::Tree &tree, uint64_t seed)
      : Looped(tree, seed), nu(tree.nu()), nb(static_cast<int>(tree.bodies.size()) + 1) {}
  ~Model() { cdn_state_destroy(state); }
  bool start(const peers::ConstraintKind &kind);
  void randomize();
  bool satisfy();
  void measure();
  void compare_errors(bool accelerations);
  bool compare_dynamics(bool multipliers);
  void near(const char *what, double ours, double theirs, double scale) const;
};

// False: the tree has too few coordinates for it.
bool Model::start(const peers::ConstraintKind &kind) {
  if (coordinate.size() < 3) return false;
  std::unique_ptr<Constraint> other;
  name = tree.name + ", " + kind.name;
  kind.add(*this, other);
  peers::freeze_cardan(system);
  SUCCEEDS(nullptr, cdn_state_create(system, &state));
  theirs.realize_model();
  m = cdn_system_nudoterr(system);
  theirs.system.realize(theirs.state, Stage::Acceleration);
  ck_assert_int_eq(m, theirs.state.getNMultipliers());
  return true;
}

// ---- states -------------------------------------------------------------------------------------

void Model::measure() {
  theirs.system.realize(theirs.state, Stage::Acceleration);
  size = speed = 1;
  for (const MobilizedBody &body : theirs.bodies) {
    const SpatialVec V = body.getBodyVelocity(theirs.state);
    size = std::max(size, body.getBodyOriginLocation(theirs.state).norm());
    speed = std::max(speed, V[0].norm() + V[1].norm());
  }
  M.resize(nu * nu);
  root.resize(nu);
  SUCCEEDS(state, cdn_calc_M(state, M.data()));
  cond = scaled_condition(M.data(), nu, root.data());
  ck_assert_msg(cond > 0, "%s: the mass matrix is singular", name.c_str());
}

void Model::randomize() {
  const std::vector<double> q = peers::random_q(tree, &rng), u = peers::random_u(tree, 2, &rng);
  const double t = random_uniform(&rng, 0, 2);
  SUCCEEDS(state, cdn_state_set_q(state, q.data()));
  SUCCEEDS(state, cdn_state_set_u(state, u.data()));
  SUCCEEDS(state, cdn_state_set_time(state, t));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.state.setTime(t);
  measure();
}

// The same state on both sides, which satisfies the constraint of ours; theirs must agree that it does.
bool Model::satisfy() {
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = 1e-13 * speed;
  if (cdn_project_q(state, &def, nullptr) != CDN_OK || cdn_project_u(state, &def, nullptr) != CDN_OK) return false;
  theirs.set_q(cdn_state_q(state));
  theirs.set_u(cdn_state_u(state));
  measure();
  for (int i = 0; i < theirs.state.getNQErr(); i++)
    if (i < cdn_system_nqerr(system)) near("satisfied position error", 0, theirs.state.getQErr()[i], 10 * size);
  for (int i = 0; i < cdn_system_nuerr(system); i++)
    near("satisfied velocity error", 0, theirs.state.getUErr()[i], 10 * speed * size);
  return true;
}

// ---- comparing ----------------------------------------------------------------------------------

void Model::near(const char *what, double ours, double other, double scale) const {
  ck_assert_msg(std::fabs(ours - other) <= roundings * scale, "%s, %s: %.17g, Simbody %.17g: differ by %.2g of %.2g",
                name.c_str(), what, ours, other, std::fabs(ours - other) / scale, roundings);
}

void Model::compare_errors(bool accelerations) {
  const int np = cdn_system_nqerr(system), nv = cdn_system_nuerr(system);
  for (int i = 0; i < np; i++) near("position error", cdn_state_qerr(state)[i], theirs.state.getQErr()[i], size);
  for (int i = 0; i < nv; i++) near("velocity error", cdn_state_uerr(state)[i], theirs.state.getUErr()[i], speed);
  std::vector<double> G(m * nu), udot(nu), error(m);
  SUCCEEDS(state, cdn_calc_G(state, G.data()));
  Matrix other;
  theirs.matter.calcG(theirs.state, other);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < nu; k++) near("G", G[i * nu + k], other(i, theirs.u_at[k]), size);
  if (!accelerations) return;
  for (double &x : udot) x = random_uniform(&rng, -2, 2);
  SUCCEEDS(state, cdn_calc_udoterr(state, udot.data(), error.data()));
  Vector bias, Gu;
  theirs.matter.calcBiasForAccelerationConstraints(theirs.state, bias);
  theirs.matter.multiplyByG(theirs.state, theirs.u_to_simbody(udot.data()), Gu);
  for (int i = 0; i < m; i++)
    near("acceleration error", error[i], Gu[i] + bias[i], 10 * (speed * speed + 2 * nu * size));
}

// False: equations depend on each other here, or nearly, and there is nothing to compare.
bool Model::compare_dynamics(bool multipliers) {
  std::vector<double> G(m * nu), A(m * m), x(nu), scale(m);
  SUCCEEDS(state, cdn_calc_G(state, G.data()));
  double largest = 0;
  for (int i = 0; i < m; i++) {
    SUCCEEDS(state, cdn_multiply_by_M_inv(state, &G[i * nu], x.data()));
    for (int j = 0; j < m; j++) {
      A[j * m + i] = 0;
      for (int k = 0; k < nu; k++) A[j * m + i] += G[j * nu + k] * x[k];
    }
    largest = std::max(largest, A[i * m + i]);
  }
  for (int i = 0; i < m; i++)
    if (!(A[i * m + i] > 1e-6 * largest)) return false;
  const double loops = scaled_condition(A.data(), m, scale.data());
  if (!(loops > 0 && loops * cond < 1e6)) return false;

  const double *udot = cdn_state_udot(state), *lambda = cdn_state_multipliers(state);
  ck_assert(udot && lambda);
  const std::vector<double> other = theirs.u_from_simbody(theirs.state.getUDot());
  const double hard = loops + cond;
  double load = 0; // accelerations in the metric of the masses
  for (int i = 0; i < nu; i++) load += std::fabs(other[i]) * root[i] + root[i];
  for (int i = 0; i < nu; i++) near("udot", udot[i], other[i], hard * load / root[i]);
  for (int i = 0; i < m && multipliers; i++)
    near("multiplier", lambda[i], theirs.state.getMultipliers()[i], hard * load / scale[i]);

  std::vector<cdn_spatial> F(nb);
  std::vector<double> f(nu);
  SUCCEEDS(state, cdn_constraint_forces(state, F.data(), f.data()));
  Vector_<SpatialVec> their_F;
  Vector their_f;
  theirs.matter.calcConstraintForcesFromMultipliers(theirs.state, theirs.state.getMultipliers(), their_F, their_f);
  const std::vector<double> push = theirs.u_from_simbody(their_f);
  double force = 0;
  for (int i = 0; i < m; i++) force += std::fabs(lambda[i]);
  for (int i = 0; i < nu; i++) near("mobility force", f[i], -push[i], hard * load + force);
  for (int i = 1; i < nb; i++)
    for (int k = 0; k < 3; k++) {
      near("moment", (&F[i].w.x)[k], -their_F[i][0][k], (hard * load + force) * size);
      near("force", (&F[i].v.x)[k], -their_F[i][1][k], hard * load + force);
    }
  return true;
}

// Simbody's splines end where their data do, and projection may go farther.
peers::Tree without_functions(peers::Tree tree) {
  for (peers::Body &b : tree.bodies)
    if (b.kind == CDN_FUNCTION_BASED) b.kind = CDN_PIN;
  return tree;
}

START_TEST(test_every_kind) {
  using peers::ConstraintKind;
  for (const ConstraintKind &kind : peers::constraint_kinds()) {
    int compared = 0, satisfied = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const peers::Tree tree =
          without_functions(peers::random_tree_of_kinds(400 + seed, 5 + static_cast<int>(seed % 6), false));
      Model m(tree, seed);
      if (!m.start(kind)) continue;
      for (int round = 0; round < 3; round++) {
        m.randomize();
        if (kind.like != ConstraintKind::OTHERS) m.compare_errors(kind.like == ConstraintKind::SAME);
        if (kind.like == ConstraintKind::SAME) compared += m.compare_dynamics(true);
        if (m.satisfy())
          satisfied += kind.like == ConstraintKind::VELOCITIES || m.compare_dynamics(kind.like == ConstraintKind::SAME);
      }
    }
    ck_assert_msg(satisfied >= 20 && (kind.like != ConstraintKind::SAME || compared >= 20),
                  "%s: compared at %d states and at %d that satisfy it", kind.name, compared, satisfied);
  }
}
END_TEST

CHECK_MAIN("simbody_constraints", test_every_kind)

} // namespace simbody_constraints
