// Trees of bodies as plain data, from which the same system is built in Cardan and in its peers.
#ifndef CARDAN_TESTS_PEERS_TREE_H
#define CARDAN_TESTS_PEERS_TREE_H

#include <cstdint>
#include <string>
#include <vector>

#include <cardan/cardan.h>

namespace peers {

struct Body {
  int parent; // index, smaller than its own; -1: Ground
  cdn_mobilizer kind;
  cdn_transform X_PF, X_BM;
  cdn_mass_properties mass;
};

// Bodies in depth-first order, so that q and u are packed in that order everywhere.
struct Tree {
  std::string name;
  std::vector<Body> bodies;
  cdn_vec3 gravity = { 0.7, -1.3, -9.6 };
  double stiffness = 0, damping = 0; // of a spring to q = 0 and a damper on every pin
  int nq() const;
  int nu() const;
};

// Whether its coordinates' rates are its speeds.
bool qdot_is_u(const Body &body);

// Random kinds, frames and masses; a massless body between two pins now and then.
Tree random_tree(uint64_t seed, int n);
// Pins about z between general fixed frames.
Tree pin_chain(int n);
// The same in a complete binary tree of 2^levels - 1 bodies.
Tree pin_binary_tree(int levels);
// 27 mobilities in the arrangement of MuJoCo's humanoid.xml: a free torso, 21 hinges, up to three in a place with
// massless bodies between them, head and hands welded.
Tree humanoid();

// A System with the tree's bodies alone, not frozen yet.
cdn_system *start_cardan(const Tree &tree);
// Freezes it; aborts with the story if that fails.
void freeze_cardan(cdn_system *system);
// A frozen System with uniform gravity, and springs and dampers if the tree has them; aborts with the story if it
// cannot be built.
cdn_system *build_cardan(const Tree &tree);

// Random q (unit quaternions), u or any other numbers of a mobility.
std::vector<double> random_q(const Tree &tree, uint64_t *rng);
std::vector<double> random_u(const Tree &tree, double size, uint64_t *rng);

} // namespace peers

#endif
