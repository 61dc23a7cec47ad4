// Trees of bodies as plain data, from which the same system is built in Cardan and in its peers.
#ifndef CARDAN_TESTS_PEERS_TREE_H
#define CARDAN_TESTS_PEERS_TREE_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <cardan/cardan.h>

namespace peers {

struct FunctionMobilizer; // functions.h

struct Body {
  int parent; // index, smaller than its own; -1: Ground
  cdn_mobilizer kind;
  cdn_transform X_PF, X_BM;
  cdn_mass_properties mass;
  bool reversed = false;
  bool euler = false; // all bodies of a tree alike: Simbody has one switch
  double params[CDN_MOBILIZER_PARAMS] = {};
  std::shared_ptr<const FunctionMobilizer> functions = nullptr; // of a function-based one
  cdn_mobilizer like = CDN_WELD; // of a custom one: the kind that it repeats (custom_mobilizers.cpp)
};

// The kind, or what a custom one repeats.
cdn_mobilizer moves_as(const Body &body);
int nq(const Body &body);
int nu(const Body &body);
bool has_quaternion(const Body &body);
// Whether its coordinates' rates are its speeds.
bool qdot_is_u(const Body &body);

// Bodies in depth-first order, so that q and u are packed in that order everywhere.
struct Tree {
  std::string name;
  std::vector<Body> bodies;
  cdn_vec3 gravity = { 0.7, -1.3, -9.6 };
  double stiffness = 0, damping = 0; // of a spring to q = 0 and a damper on every pin
  int nq() const;
  int nu() const;
};

// A custom mobilizer after CDN_BEND_STRETCH or CDN_BALL; no private part.
const cdn_custom_mobilizer_ops *custom_mobilizer(cdn_mobilizer like);

// Random numbers of that size at most; frames; masses that a body can have.
cdn_vec3 random_vec3(uint64_t *rng, double size);
cdn_transform random_frame(uint64_t *rng);
cdn_mass_properties random_mass(uint64_t *rng);

// Random frames, masses and kinds (weld, pin, slider, ball, free); a massless body between two pins now and then.
Tree random_tree(uint64_t seed, int n);
// A body of that kind, with frames, masses and parameters at random; `custom`: of a custom kind that repeats it.
Body random_body(int parent, cdn_mobilizer kind, bool reversed, bool euler, bool custom, uint64_t *rng);
// Random trees of every kind there is, forward and reversed.
Tree random_tree_of_kinds(uint64_t seed, int n, bool euler);
// Pins about z between general fixed frames.
Tree pin_chain(int n);
// The same in a complete binary tree of 2^levels - 1 bodies.
Tree pin_binary_tree(int levels);
// Ball joints (quaternions) between general fixed frames.
Tree ball_chain(int n);
// Bodies that move freely of each other.
Tree free_bodies(int n);
// A free base with so many pins on it and on each other, in a random tree.
Tree floating_tree(int pins);
// A chain of one kind, frames and parameters at random.
Tree chain_of_kind(cdn_mobilizer kind, int n);
// 27 mobilities in the arrangement of MuJoCo's humanoid.xml: a free torso, 21 hinges, up to three in a place with
// massless bodies between them, head and hands welded.
Tree humanoid();

// A System with the tree's bodies alone, not frozen yet.
cdn_system *start_cardan(const Tree &tree);
// Freezes it; aborts with the message if that fails.
void freeze_cardan(cdn_system *system);
// A frozen System with uniform gravity, and springs and dampers if the tree has them; aborts with the message if it
// cannot be built.
cdn_system *build_cardan(const Tree &tree);

// Random q (unit quaternions), u or any other numbers of a mobility.
std::vector<double> random_q(const Tree &tree, uint64_t *rng);
std::vector<double> random_u(const Tree &tree, double size, uint64_t *rng);

} // namespace peers

#endif
