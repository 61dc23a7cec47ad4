// The same tree in Simbody, whose conventions are ours: q, u, frames and mobilizers alike. What differs is told here:
// its inertia is about the body's origin, and its q and u are ordered by level of the tree.
#ifndef CARDAN_TESTS_PEERS_SIMBODY_TREE_H
#define CARDAN_TESTS_PEERS_SIMBODY_TREE_H

// The packaged library keeps its asserts, and the layout of its classes depends on them.
#ifdef NDEBUG
#  undef NDEBUG
#endif
#include <Simbody.h>

#include "tree.h"

namespace peers {

struct SimbodyTree {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter;
  SimTK::GeneralForceSubsystem forces;
  SimTK::Force::DiscreteForces applied;     // only if asked for: it costs time
  std::vector<SimTK::MobilizedBody> bodies; // as in the tree
  SimTK::State state;
  std::vector<int> q_at, u_at; // where our slot i is in Simbody's q and u

  SimbodyTree(const Tree &tree, bool applied_forces);
  void set_q(const double *q);
  void set_u(const double *u);
  SimTK::Vector u_to_simbody(const double *u) const;
  std::vector<double> q_from_simbody(const SimTK::Vector &q) const;
  std::vector<double> u_from_simbody(const SimTK::Vector &u) const;
};

SimTK::Vec3 to_simbody(cdn_vec3 v);
SimTK::Transform to_simbody(const cdn_transform &X);

} // namespace peers

#endif
