// Hunt and Crossley's contact with friction against Simbody's HuntCrossleyForce: spheres on free bodies and a
// half-space, at random poses and
// velocities. Both give the same forces on the bodies, to rounding.
//
// Tolerance: 1e-13 of the largest force in play. A depth is the difference of lengths of the scene's size (1 m), so a
// force
// k x^(3/2) has the error k 1.5 sqrt(x) 1e-16, which is at most 1e-13 of the largest force, as depths exceed 1e-3 where
// forces count.
//
// No contact is pulled apart faster than it can follow: there Simbody 3.7 leaves out that contact and all that come
// after it in its list,
// which is why dissipation is small here. Nor has a body two spheres, which Simbody lets touch.
#include <cardan/cardan.h>

#include "../check_main.h"
#include "random_mjcf.h"
#include "simbody_headers.h"

#include <cmath>
#include <vector>

namespace simbody_contact {

using namespace SimTK;

double number(uint64_t *rng, double low, double high) { return random_uniform(rng, low, high); }

struct Surface {
  int body; // 0: Ground
  double radius;
  Vec3 centre;
  double modulus, dissipation, mu_s, mu_d, mu_v;
};

Surface surface(uint64_t *rng, int body) {
  Surface s = { body,
                number(rng, 0.1, 0.4),
                Vec3(number(rng, -0.1, 0.1), number(rng, -0.1, 0.1), number(rng, -0.1, 0.1)),
                pow(10, number(rng, 4, 8)),
                number(rng, 0, 0.1),
                0,
                number(rng, 0, 1),
                number(rng, 0, 1) };
  s.mu_s = s.mu_d + number(rng, 0, 1);
  return s;
}

constexpr int bodies = 5, spheres = 5; // one each: Simbody lets spheres of one body touch

void compare(uint64_t seed) {
  uint64_t rng = seed;
  const double transition = pow(10, number(&rng, -3, 0));
  std::vector<Surface> surfaces;
  for (int i = 0; i < spheres; i++) surfaces.push_back(surface(&rng, 1 + i % bodies));
  const Surface floor = surface(&rng, 0);

  MultibodySystem theirs;
  SimbodyMatterSubsystem matter(theirs);
  GeneralForceSubsystem forces(theirs);
  GeneralContactSubsystem contacts(theirs);
  Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
  std::vector<MobilizedBody> mobods;
  for (int i = 0; i < bodies; i++)
    mobods.push_back(MobilizedBody::Free(matter.Ground(), Transform(), rigid, Transform()));
  const ContactSetIndex set = contacts.createContactSet();
  for (const Surface &s : surfaces)
    contacts.addBody(set, mobods[static_cast<size_t>(s.body - 1)], ContactGeometry::Sphere(s.radius),
                     Transform(s.centre));
  // Simbody's half-space is all points of x > 0
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(Pi / 2, YAxis), Vec3(0)));
  HuntCrossleyForce force(forces, contacts, set);
  force.setTransitionVelocity(transition);
  for (int i = 0; i <= spheres; i++) {
    const Surface &s = i < spheres ? surfaces[static_cast<size_t>(i)] : floor;
    force.setBodyParameters(ContactSurfaceIndex(i), s.modulus, s.dissipation, s.mu_s, s.mu_d, s.mu_v);
  }
  State their_state = theirs.realizeTopology();

  cdn_system *ours = cdn_system_create(nullptr);
  for (int i = 0; i < bodies; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE;
    def.mass.mass = 1;
    def.mass.inertia = { 1, 1, 1, 0, 0, 0 };
    cdn_system_add_body(ours, &def);
  }
  for (int i = 0; i <= spheres; i++) {
    const Surface &s = i < spheres ? surfaces[static_cast<size_t>(i)] : floor;
    cdn_contact_material m = cdn_default_contact_material();
    m.modulus = s.modulus, m.dissipation = s.dissipation;
    m.static_friction = s.mu_s, m.dynamic_friction = s.mu_d, m.viscous_friction = s.mu_v;
    cdn_shape_def def = cdn_default_shape_def();
    def.body = { s.body };
    def.material = &m;
    def.geometry.kind = i < spheres ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_HALF_SPACE;
    def.geometry.size[0] = s.radius;
    if (i < spheres) def.X_BS.p = { s.centre[0], s.centre[1], s.centre[2] };
    cdn_system_add_shape(ours, &def);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = transition;
  cdn_system_set_contact(ours, &contact);
  ck_assert_int_eq(cdn_system_freeze(ours), CDN_OK);
  cdn_state *state = nullptr;
  ck_assert_int_eq(cdn_state_create(ours, &state), CDN_OK);

  int touching = 0;
  for (int pose = 0; pose < 20; pose++) {
    for (int i = 0; i < bodies; i++) {
      double q[7], u[6];
      for (double &x : q) x = number(&rng, -1, 1);
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int k = 0; k < 4; k++) q[k] /= length;
      for (int k = 4; k < 7; k++) q[k] *= 0.3;
      for (double &x : u) x = number(&rng, -1, 1);
      ck_assert_int_eq(cdn_body_set_q(state, { i + 1 }, 7, q), CDN_OK);
      ck_assert_int_eq(cdn_body_set_u(state, { i + 1 }, 6, u), CDN_OK);
      for (int k = 0; k < 7; k++) mobods[static_cast<size_t>(i)].setOneQ(their_state, k, q[k]);
    }
    theirs.realize(their_state, Stage::Position);
    for (int i = 0; i < bodies; i++) {
      cdn_spatial V;
      ck_assert_int_eq(cdn_body_velocity(state, { i + 1 }, &V), CDN_OK);
      mobods[static_cast<size_t>(i)].setUToFitVelocity(
          their_state, SpatialVec(Vec3(V.w.x, V.w.y, V.w.z), Vec3(V.v.x, V.v.y, V.v.z)));
    }
    theirs.realize(their_state, Stage::Dynamics);
    Vector_<SpatialVec> body_forces;
    Vector_<Vec3> particle_forces;
    Vector mobility_forces;
    force.calcForceContribution(their_state, body_forces, particle_forces, mobility_forces);
    cdn_spatial F[bodies + 1];
    double f[6 * bodies], energy;
    ck_assert_int_eq(cdn_applied_forces(state, F, f), CDN_OK);
    ck_assert_int_eq(cdn_potential_energy(state, &energy), CDN_OK);
    int n;
    ck_assert_int_eq(cdn_contact_count(state, &n), CDN_OK);
    double largest = 0;
    for (int i = 0; i < n; i++) {
      cdn_contact c;
      ck_assert_int_eq(cdn_contact_get(state, i, &c), CDN_OK);
      largest = fmax(largest, c.force + cdn_norm(c.friction));
    }
    for (int i = 1; i <= bodies; i++) {
      const SpatialVec &T = body_forces[i];
      const double difference =
          fmax((T[0] - Vec3(F[i].w.x, F[i].w.y, F[i].w.z)).norm(), (T[1] - Vec3(F[i].v.x, F[i].v.y, F[i].v.z)).norm());
      ck_assert_msg(difference <= 1e-13 * n * largest, "seed %llu, pose %d, body %d: forces differ by %.3g of %.3g",
                    (unsigned long long)seed, pose, i, difference, largest);
    }
    // Simbody's energy is that of Hertz's force as well
    const double theirs_energy = force.calcPotentialEnergyContribution(their_state);
    ck_assert_msg(std::fabs(theirs_energy - energy) <= 1e-13 * n * (largest + energy), "energies %.17g and %.17g",
                  theirs_energy, energy);
    touching += n;
  }
  ck_assert_int_gt(touching, 20);
  cdn_state_destroy(state);
  cdn_system_release(ours);
}

START_TEST(hunt_crossley_force_is_simbodys) {
  for (uint64_t seed = 1; seed <= 20; seed++) compare(seed);
}
END_TEST

CHECK_MAIN("simbody_contact", hunt_crossley_force_is_simbodys)

} // namespace simbody_contact
