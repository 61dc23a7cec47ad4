// Trees of bodies as plain data, and the same in Cardan.
#include "tree.h"

#include "functions.h"
#include "random_mjcf.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <cstdio>
#include <cstdlib>

namespace peers {

// ---- kinds ---------------------------------------------------------------------------------------

static bool turns_freely(cdn_mobilizer kind) {
  return kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID || kind == CDN_LINE_ORIENTATION ||
         kind == CDN_FREE_LINE;
}

cdn_mobilizer moves_as(const Body &body) { return body.kind == CDN_CUSTOM_MOBILIZER ? body.like : body.kind; }
bool has_quaternion(const Body &body) { return turns_freely(moves_as(body)) && !body.euler; }
bool qdot_is_u(const Body &body) { return !turns_freely(moves_as(body)); }

int nu(const Body &body) {
  return body.kind == CDN_FUNCTION_BASED ? body.functions->nu : cdn_mobilizer_nu(moves_as(body));
}

int nq(const Body &body) {
  if (body.kind == CDN_FUNCTION_BASED) return body.functions->nu;
  return cdn_mobilizer_nq(moves_as(body)) - (turns_freely(moves_as(body)) && body.euler ? 1 : 0);
}

// ---- random parts -------------------------------------------------------------------------------

cdn_vec3 random_vec3(uint64_t *rng, double size) {
  double x = random_uniform(rng, -size, size), y = random_uniform(rng, -size, size);
  return cdn_v3(x, y, random_uniform(rng, -size, size));
}

static cdn_rotation random_rotation(uint64_t *rng) {
  double q[4];
  random_quaternion(rng, q);
  return cdn_rotation_from_quaternion({ q[0], q[1], q[2], q[3] });
}

cdn_transform random_frame(uint64_t *rng) { return { random_rotation(rng), random_vec3(rng, 0.5) }; }

// The inertia of masses on the three axes, turned: one that a body can have.
cdn_mass_properties random_mass(uint64_t *rng) {
  double a = random_uniform(rng, 0.02, 0.3), b = random_uniform(rng, 0.02, 0.3), c = random_uniform(rng, 0.02, 0.3);
  double mass = random_uniform(rng, 0.5, 3);
  cdn_vec3 com = random_vec3(rng, 0.3);
  cdn_inertia principal = { b + c, a + c, a + b, 0, 0, 0 };
  return { mass, com, cdn_inertia_reexpress(random_rotation(rng), principal) };
}

Tree random_tree(uint64_t seed, int n) {
  Tree tree;
  uint64_t rng = seed;
  tree.name = "random tree " + std::to_string(seed);
  tree.gravity = random_vec3(&rng, 10);
  std::vector<int> path = { -1 }; // the last body and its ancestors: depth-first order means to hang on one of these
  for (int i = 0; i < n; i++) {
    Body body;
    bool after_massless = i > 0 && tree.bodies[i - 1].mass.mass == 0;
    while (!after_massless && path.size() > 1 && random_below(&rng, 4) == 0) path.pop_back();
    body.parent = path.back();
    body.kind = after_massless ? CDN_PIN : static_cast<cdn_mobilizer>(random_below(&rng, CDN_FREE + 1));
    body.X_PF = random_frame(&rng);
    body.X_BM = random_frame(&rng);
    body.mass = random_mass(&rng);
    // A massless body is regular where something with inertia follows that moves otherwise.
    if (body.kind == CDN_PIN && !after_massless && i + 1 < n && random_below(&rng, 3) == 0) body.mass = {};
    tree.bodies.push_back(body);
    path.push_back(i);
  }
  return tree;
}

Body random_body(int parent, cdn_mobilizer kind, bool reversed, bool euler, bool custom, uint64_t *rng) {
  Body body = { parent, kind, random_frame(rng), random_frame(rng), random_mass(rng) };
  body.reversed = reversed && kind != CDN_WELD;
  body.euler = euler && turns_freely(kind);
  if (kind == CDN_SCREW) body.params[0] = random_uniform(rng, -0.5, 0.5);
  if (kind == CDN_ELLIPSOID)
    for (int i = 0; i < 3; i++) body.params[i] = random_uniform(rng, 0.1, 0.8);
  if (kind == CDN_SPHERICAL_COORDS) {
    body.params[0] = random_uniform(rng, -1, 1);
    body.params[1] = random_uniform(rng, -1, 1);
    body.params[2] = random_below(rng, 16);
  }
  if (kind == CDN_FUNCTION_BASED) body.functions = random_functions(rng);
  if (custom) body.kind = CDN_CUSTOM_MOBILIZER, body.like = kind;
  return body;
}

Tree random_tree_of_kinds(uint64_t seed, int n, bool euler) {
  Tree tree;
  uint64_t rng = seed;
  tree.name = "random tree " + std::to_string(seed) + " of kinds" + (euler ? ", Euler angles" : "");
  tree.gravity = random_vec3(&rng, 10);
  std::vector<int> path = { -1 };
  for (int i = 0; i < n; i++) {
    while (path.size() > 1 && random_below(&rng, 4) == 0) path.pop_back();
    // The last kind of the list is that of custom mobilizers, which repeat another.
    cdn_mobilizer kind = static_cast<cdn_mobilizer>(random_below(&rng, CDN_MOBILIZER_COUNT));
    if (i == 0 && kind == CDN_WELD) kind = CDN_PIN; // something moves
    const bool custom = kind == CDN_CUSTOM_MOBILIZER;
    if (custom) kind = euler || random_below(&rng, 2) ? CDN_BEND_STRETCH : CDN_BALL;
    tree.bodies.push_back(random_body(path.back(), kind, random_below(&rng, 2), euler, custom, &rng));
    path.push_back(i);
  }
  return tree;
}

// ---- regular shapes -----------------------------------------------------------------------------

static Body pin_link(int parent, uint64_t *rng) {
  return { parent,
           CDN_PIN,
           { random_rotation(rng), random_vec3(rng, 0.3) },
           { random_rotation(rng), random_vec3(rng, 0.1) },
           random_mass(rng) };
}

Tree pin_chain(int n) {
  Tree tree;
  uint64_t rng = 17;
  tree.name = "chain" + std::to_string(n);
  for (int i = 0; i < n; i++) tree.bodies.push_back(pin_link(i - 1, &rng));
  return tree;
}

static void grow(Tree *tree, int parent, int levels, uint64_t *rng) {
  if (levels == 0) return;
  tree->bodies.push_back(pin_link(parent, rng));
  int self = static_cast<int>(tree->bodies.size()) - 1;
  for (int k = 0; k < 2; k++) grow(tree, self, levels - 1, rng);
}

Tree pin_binary_tree(int levels) {
  Tree tree;
  uint64_t rng = 18;
  grow(&tree, -1, levels, &rng);
  tree.name = "tree" + std::to_string(tree.bodies.size());
  return tree;
}

Tree ball_chain(int n) {
  Tree tree = pin_chain(n);
  tree.name = "ball" + std::to_string(n);
  for (Body &body : tree.bodies) body.kind = CDN_BALL;
  return tree;
}

// MuJoCo's free joints are between Ground's frame and the body's own.
static Body free_base(uint64_t *rng) {
  return { -1, CDN_FREE, cdn_transform_identity(), cdn_transform_identity(), random_mass(rng) };
}

Tree free_bodies(int n) {
  Tree tree;
  uint64_t rng = 19;
  tree.name = "free" + std::to_string(n);
  for (int i = 0; i < n; i++) tree.bodies.push_back(free_base(&rng));
  return tree;
}

Tree floating_tree(int pins) {
  Tree tree;
  uint64_t rng = 20;
  tree.name = "floating" + std::to_string(pins + 6);
  tree.bodies.push_back(free_base(&rng));
  std::vector<int> path = { 0 };
  for (int i = 1; i <= pins; i++) {
    while (path.size() > 1 && random_below(&rng, 3) == 0) path.pop_back();
    tree.bodies.push_back(pin_link(path.back(), &rng));
    path.push_back(i);
  }
  return tree;
}

Tree chain_of_kind(cdn_mobilizer kind, int n) {
  Tree tree;
  uint64_t rng = 21;
  tree.name = cdn_mobilizer_name(kind);
  for (int i = 0; i < n; i++) tree.bodies.push_back(random_body(i - 1, kind, false, false, false, &rng));
  return tree;
}

// ---- a person -----------------------------------------------------------------------------------

namespace {

// Solid cylinders along z stand for the limbs: enough for inertias of the right size.
struct Part {
  double mass, radius, length;
  cdn_vec3 com;
};

struct Hinge {
  cdn_vec3 pos, axis; // in the frame of the body that it moves
};

} // namespace

static cdn_mass_properties cylinder(const Part &part) {
  double r2 = part.radius * part.radius, across = part.mass * (3 * r2 + part.length * part.length) / 12;
  return { part.mass, part.com, { across, across, part.mass * r2 / 2, 0, 0, 0 } };
}

// A body at `pos` of its parent that several hinges in turn move: all but the last move a massless body.
static int add_hinged(Tree *tree, int parent, cdn_vec3 pos, const Part &part, const std::vector<Hinge> &hinges) {
  for (size_t i = 0; i < hinges.size(); i++) {
    Body body;
    cdn_rotation R = cdn_rotation_z_to(hinges[i].axis);
    body.parent = parent;
    body.kind = CDN_PIN;
    body.X_PF = { R, i == 0 ? cdn_add(pos, hinges[i].pos) : hinges[i].pos };
    body.X_BM = { R, hinges[i].pos };
    body.mass = i + 1 == hinges.size() ? cylinder(part) : cdn_mass_properties{};
    tree->bodies.push_back(body);
    parent = static_cast<int>(tree->bodies.size()) - 1;
  }
  return parent;
}

static void add_welded(Tree *tree, int parent, cdn_vec3 pos, const Part &part) {
  tree->bodies.push_back(
      { parent, CDN_WELD, { cdn_rotation_identity(), pos }, cdn_transform_identity(), cylinder(part) });
}

static void add_leg(Tree *tree, int pelvis, double side) {
  cdn_vec3 o = { 0, 0, 0 };
  int thigh = add_hinged(tree, pelvis, { 0, -0.1 * side, -0.04 }, { 4.8, 0.06, 0.4, { 0, 0, -0.17 } },
                         { { o, { side, 0, 0 } }, { o, { 0, 0, side } }, { o, { 0, 1, 0 } } });
  int shin = add_hinged(tree, thigh, { 0, 0.01 * side, -0.4 }, { 2.8, 0.05, 0.35, { 0, 0, -0.15 } },
                        { { { 0, 0, 0.02 }, { 0, -1, 0 } } });
  add_hinged(tree, shin, { 0, 0, -0.39 }, { 1.1, 0.05, 0.1, { 0.035, 0, 0 } },
             { { { 0, 0, 0.08 }, { 0, 1, 0 } }, { { 0, 0, 0.04 }, { side, 0, 0.5 * side } } });
}

static void add_arm(Tree *tree, int torso, double side) {
  cdn_vec3 o = { 0, 0, 0 };
  int upper = add_hinged(tree, torso, { 0, -0.17 * side, 0.06 }, { 1.7, 0.04, 0.3, { 0.08, -0.08 * side, -0.08 } },
                         { { o, { 2 * side, 1, side } }, { o, { 0, -1, side } } });
  int lower = add_hinged(tree, upper, { 0.18, -0.18 * side, -0.18 }, { 1, 0.03, 0.3, { 0.09, 0.09 * side, 0.09 } },
                         { { o, { 0, -1, side } } });
  add_welded(tree, lower, { 0.18, 0.18 * side, 0.18 }, { 0.27, 0.04, 0.08, o });
}

Tree humanoid() {
  Tree tree;
  tree.name = "humanoid";
  cdn_vec3 o = { 0, 0, 0 };
  tree.bodies.push_back({ -1, CDN_FREE, cdn_transform_identity(), cdn_transform_identity(),
                          cylinder({ 5.9, 0.12, 0.3, { 0, 0, -0.046 } }) });
  add_welded(&tree, 0, { 0, 0, 0.19 }, { 3.1, 0.09, 0.2, o });
  int waist = add_hinged(&tree, 0, { -0.01, 0, -0.26 }, { 2.3, 0.09, 0.15, o },
                         { { { 0, 0, 0.065 }, { 0, 0, 1 } }, { { 0, 0, 0.065 }, { 0, 1, 0 } } });
  int pelvis = add_hinged(&tree, waist, { 0, 0, -0.165 }, { 6.6, 0.1, 0.2, { -0.02, 0, 0 } },
                          { { { 0, 0, 0.1 }, { 1, 0, 0 } } });
  add_leg(&tree, pelvis, 1);
  add_leg(&tree, pelvis, -1);
  add_arm(&tree, 0, 1);
  add_arm(&tree, 0, -1);
  return tree;
}

// ---- the same in Cardan -------------------------------------------------------------------------

int Tree::nq() const {
  int n = 0;
  for (const Body &body : bodies) n += peers::nq(body);
  return n;
}

int Tree::nu() const {
  int n = 0;
  for (const Body &body : bodies) n += peers::nu(body);
  return n;
}

cdn_system *start_cardan(const Tree &tree) {
  cdn_system_def system_def = cdn_default_system_def();
  system_def.name = tree.name.c_str();
  cdn_system *system = cdn_system_create(&system_def);
  std::vector<cdn_body> ids;
  for (const Body &body : tree.bodies) {
    cdn_body_def def = cdn_default_body_def();
    def.parent = body.parent < 0 ? cdn_ground() : ids[static_cast<size_t>(body.parent)];
    def.mobilizer = body.kind;
    def.reversed = body.reversed;
    def.euler = body.euler;
    std::copy(std::begin(body.params), std::end(body.params), def.params);
    CardanFunctions functions(body.functions.get());
    def.functions = functions.get();
    if (body.kind == CDN_CUSTOM_MOBILIZER) def.custom = custom_mobilizer(body.like);
    def.X_PF = body.X_PF;
    def.X_BM = body.X_BM;
    def.mass = body.mass;
    ids.push_back(cdn_system_add_body(system, &def));
    if (body.kind != CDN_PIN) continue;
    if (tree.stiffness > 0) cdn_system_add_mobility_spring(system, nullptr, ids.back(), 0, tree.stiffness, 0);
    if (tree.damping > 0) cdn_system_add_mobility_damper(system, nullptr, ids.back(), 0, tree.damping);
  }
  return system;
}

void freeze_cardan(cdn_system *system) {
  if (cdn_system_freeze(system) == CDN_OK) return;
  cdn_error error;
  cdn_system_last_error(system, &error);
  std::fprintf(stderr, "%s: [%s] %s\n", cdn_system_name(system), error.element, error.text);
  std::abort();
}

cdn_system *build_cardan(const Tree &tree) {
  cdn_system *system = start_cardan(tree);
  cdn_system_add_gravity(system, "gravity", tree.gravity);
  freeze_cardan(system);
  return system;
}

// Away from where three angles in a row, a length, or functions do not serve.
static void keep_regular(const Body &body, double *q, uint64_t *rng) {
  const cdn_mobilizer kind = moves_as(body);
  const bool angles = kind == CDN_GIMBAL || kind == CDN_BUSHING;
  if (angles || (turns_freely(kind) && body.euler)) q[1] = random_uniform(rng, -1.1, 1.1);
  if (kind == CDN_SPHERICAL_COORDS) q[2] = random_uniform(rng, 0.3, 1.5);
  for (int i = 0; kind == CDN_FUNCTION_BASED && i < nq(body); i++) q[i] *= 0.6;
}

std::vector<double> random_q(const Tree &tree, uint64_t *rng) {
  std::vector<double> q;
  for (const Body &body : tree.bodies) {
    double quaternion[4];
    const size_t first = q.size();
    if (has_quaternion(body)) {
      random_quaternion(rng, quaternion);
      q.insert(q.end(), quaternion, quaternion + 4);
    }
    while (q.size() < first + static_cast<size_t>(nq(body))) q.push_back(random_uniform(rng, -1.5, 1.5));
    keep_regular(body, q.data() + first, rng);
  }
  return q;
}

std::vector<double> random_u(const Tree &tree, double size, uint64_t *rng) {
  std::vector<double> u(static_cast<size_t>(tree.nu()));
  for (double &x : u) x = random_uniform(rng, -size, size);
  return u;
}

} // namespace peers
