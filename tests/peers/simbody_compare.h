// One tree in Cardan and in Simbody, in the same states: poses, velocities, qdot, M, dynamics, momentum, energies.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed, not of the result, which may cancel. Lengths are
// scaled by the model's size, velocities by the sum of speeds times the largest elements of the Jacobian's columns,
// forces by sqrt(M_ii) times the norm of accelerations in the metric of the masses (Cauchy's inequality), udot by the
// condition of M scaled to a unit diagonal.
#ifndef CARDAN_TESTS_PEERS_SIMBODY_COMPARE_H
#define CARDAN_TESTS_PEERS_SIMBODY_COMPARE_H

#include "simbody_tree.h"

namespace peers {

// A call on a State must succeed; if it does not, the State tells why.
void succeeds(const cdn_state *state, const char *call, cdn_status status);
#define SUCCEEDS(state, call) peers::succeeds(state, #call, call)

class Comparison {
public:
  explicit Comparison(const Tree &tree);
  ~Comparison();
  Comparison(const Comparison &) = delete;
  Comparison &operator=(const Comparison &) = delete;

  // The same random q, u and applied forces on both sides (now and then at rest), then all that follows.
  void compare_random_state(uint64_t *rng);

private:
  void randomize(uint64_t *rng);
  void measure();
  void near(const char *what, double ours, double theirs, double scale) const;
  void near(const char *what, cdn_vec3 ours, const SimTK::Vec3 &theirs, double scale) const;
  void near(const char *what, const cdn_spatial &ours, const SimTK::SpatialVec &theirs, double angular,
            double linear) const;
  void near(const char *what, const double *ours, const SimTK::Vector &theirs, const std::vector<double> &scale) const;

  void compare_kinematics() const;
  void compare_coordinates();
  void compare_rates(const std::vector<double> &qdot);
  void compare_mass_matrix() const;
  void compare_inverse_dynamics(uint64_t *rng) const;
  void compare_accelerations() const;
  void compare_residual() const;
  void compare_whole() const;

  const Tree &tree;
  SimbodyTree theirs;
  cdn_system *system;
  cdn_state *state = nullptr;
  int nq, nu, nb; // bodies with Ground
  std::vector<double> q, u, f;
  std::vector<cdn_spatial> F;
  // Scales of the present state.
  double size, speed, load, inertial, cond;
  std::vector<double> root; // sqrt(M_ii)
  std::vector<double> M;
};

} // namespace peers

#endif
