// The same tree in Simbody.
#include "simbody_tree.h"

#include <algorithm>

using namespace SimTK;

namespace peers {

Vec3 to_simbody(cdn_vec3 v) { return Vec3(v.x, v.y, v.z); }

Transform to_simbody(const cdn_transform &X) {
  Mat33 R(X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z); // by rows
  return Transform(Rotation(R, true), to_simbody(X.p)); // true: as it is, not made orthogonal anew
}

static MassProperties mass_of(const cdn_mass_properties &m) {
  Inertia central(m.inertia.xx, m.inertia.yy, m.inertia.zz, m.inertia.xy, m.inertia.xz, m.inertia.yz);
  return MassProperties(m.mass, to_simbody(m.com), central.shiftFromMassCenter(to_simbody(m.com), m.mass));
}

SimbodyTree::SimbodyTree(const Tree &tree, bool applied_forces) : matter(system), forces(system) {
  matter.setShowDefaultGeometry(false);
  for (const peers::Body &b : tree.bodies)
    bodies.push_back(
        add_to_simbody(b.parent < 0 ? matter.Ground() : bodies[static_cast<size_t>(b.parent)], b, mass_of(b.mass)));
  if (applied_forces) applied = Force::DiscreteForces(forces, matter);
  Force::UniformGravity(forces, matter, to_simbody(tree.gravity));
  for (size_t i = 0; i < bodies.size(); i++) {
    if (tree.bodies[i].kind != CDN_PIN) continue;
    if (tree.stiffness > 0) Force::MobilityLinearSpring(forces, bodies[i], MobilizerQIndex(0), tree.stiffness, 0);
    if (tree.damping > 0) Force::MobilityLinearDamper(forces, bodies[i], MobilizerUIndex(0), tree.damping);
  }
  euler = std::any_of(tree.bodies.begin(), tree.bodies.end(), [](const peers::Body &b) { return b.euler; });
  realize_model();
  for (size_t i = 0; i < bodies.size(); i++) {
    for (int k = 0; k < nq(tree.bodies[i]); k++) q_at.push_back(bodies[i].getFirstQIndex(state) + k);
    for (int k = 0; k < nu(tree.bodies[i]); k++) u_at.push_back(bodies[i].getFirstUIndex(state) + k);
  }
}

void SimbodyTree::realize_model() {
  state = system.realizeTopology();
  matter.setUseEulerAngles(state, euler);
  system.realizeModel(state);
}

void SimbodyTree::set_q(const double *q) {
  Vector &slots = state.updQ();
  for (size_t i = 0; i < q_at.size(); i++) slots[q_at[i]] = q[i];
}

void SimbodyTree::set_u(const double *u) {
  Vector &slots = state.updU();
  for (size_t i = 0; i < u_at.size(); i++) slots[u_at[i]] = u[i];
}

Vector SimbodyTree::u_to_simbody(const double *u) const {
  Vector theirs(static_cast<int>(u_at.size()));
  for (size_t i = 0; i < u_at.size(); i++) theirs[u_at[i]] = u[i];
  return theirs;
}

std::vector<double> SimbodyTree::q_from_simbody(const Vector &q) const {
  std::vector<double> ours;
  for (int at : q_at) ours.push_back(q[at]);
  return ours;
}

std::vector<double> SimbodyTree::u_from_simbody(const Vector &u) const {
  std::vector<double> ours;
  for (int at : u_at) ours.push_back(u[at]);
  return ours;
}

} // namespace peers
