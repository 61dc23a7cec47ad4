// The same tree in Simbody, whose conventions are ours: q, u, frames and mobilizers alike. What differs is told here:
// its inertia is about the body's origin, and its q and u are ordered by level of the tree.
#ifndef CARDAN_TESTS_PEERS_SIMBODY_TREE_H
#define CARDAN_TESTS_PEERS_SIMBODY_TREE_H

#include "functions.h"
#include "simbody_headers.h"
#include "tree.h"

namespace peers {

struct SimbodyTree {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::DiscreteForces applied;     // only if asked for: it costs time
  std::vector<SimTK::MobilizedBody> bodies; // as in the tree
  bool euler;                               // angles in place of quaternions
  SimTK::State state;
  std::vector<int> q_at, u_at; // where our slot i is in Simbody's q and u

  SimbodyTree(const Tree &tree, bool applied_forces);
  // A new State, after force elements have been added, for instance.
  void realize_model();
  void set_q(const double *q);
  void set_u(const double *u);
  SimTK::Vector u_to_simbody(const double *u) const;
  std::vector<double> q_from_simbody(const SimTK::Vector &q) const;
  std::vector<double> u_from_simbody(const SimTK::Vector &u) const;
};

// The mobilizer of every kind (simbody_kinds.cpp).
SimTK::MobilizedBody add_to_simbody(SimTK::MobilizedBody &parent, const Body &body, const SimTK::MassProperties &mass);

// True for reversed lines with a quaternion, where Simbody 3.7 takes the rotation of M in F for that of F in M: its N
// is
// not the one by which its own poses follow its velocities.
bool simbody_rates_wrong(const Body &body);
// A function-based one (simbody_functions.cpp).
SimTK::MobilizedBody add_function_based(SimTK::MobilizedBody &parent, const SimTK::Transform &F,
                                        const SimTK::Body &rigid, const SimTK::Transform &M, const FunctionMobilizer &m,
                                        SimTK::MobilizedBody::Direction direction);
// One of the functions of a function-based mobilizer; the caller's.
const SimTK::Function *simbody_function(const Function &f);

SimTK::Vec3 to_simbody(cdn_vec3 v);
SimTK::Transform to_simbody(const cdn_transform &X);

} // namespace peers

#endif
