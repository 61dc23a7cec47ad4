// The smooth force of a ball on a half-space against Simbody's SmoothSphereHalfSpaceForce at random poses, velocities
// and parameters, both
// bodies moving. Tolerance: 1e-12 of the force; a depth is a difference of lengths of 1 m, and the formula varies over
// 1 / b_x = 1 mm or more.
#include <cardan/cardan.h>

#include "../check_main.h"
#include "random_mjcf.h"
#include "simbody_headers.h"

#include <cmath>

namespace simbody_contact_smooth {

using namespace SimTK;

double number(uint64_t *rng, double low, double high) { return random_uniform(rng, low, high); }
Vec3 vec(cdn_vec3 v) { return Vec3(v.x, v.y, v.z); }
cdn_vec3 vec(const Vec3 &v) { return { v[0], v[1], v[2] }; }

void compare(uint64_t seed) {
  uint64_t rng = seed;
  cdn_smooth_contact_def def = cdn_default_smooth_contact_def();
  def.plane_body = { 1 }, def.ball_body = { 2 };
  def.radius = number(&rng, 0.1, 0.5), def.modulus = pow(10, number(&rng, 4, 8));
  def.dissipation = seed % 5 ? number(&rng, 0.1, 3) : 0;
  def.dynamic_friction = number(&rng, 0, 1), def.static_friction = def.dynamic_friction + number(&rng, 0, 1);
  def.viscous_friction = number(&rng, 0, 1), def.transition_velocity = pow(10, number(&rng, -3, 0));
  def.constant = pow(10, number(&rng, -6, -4)), def.depth_sharpness = number(&rng, 100, 500);
  def.rate_sharpness = number(&rng, 10, 100);
  const Vec3 station(number(&rng, -0.2, 0.2), number(&rng, -0.2, 0.2), number(&rng, -0.2, 0.2));
  def.p_B = vec(station);
  const Rotation R_AP(number(&rng, -3, 3), UnitVec3(1, number(&rng, -1, 1), number(&rng, -1, 1)));
  const Vec3 p_AP(number(&rng, -0.2, 0.2), number(&rng, -0.2, 0.2), number(&rng, -0.2, 0.2));
  def.X_AP = { { vec(Vec3(R_AP.x())), vec(Vec3(R_AP.y())), vec(Vec3(R_AP.z())) }, vec(p_AP) };

  MultibodySystem theirs;
  SimbodyMatterSubsystem matter(theirs);
  GeneralForceSubsystem forces(theirs);
  Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
  MobilizedBody::Free plane(matter.Ground(), Transform(), rigid, Transform());
  MobilizedBody::Free ball(matter.Ground(), Transform(), rigid, Transform());
  SmoothSphereHalfSpaceForce force(forces);
  force.setParameters(def.modulus, def.dissipation, def.static_friction, def.dynamic_friction, def.viscous_friction,
                      def.transition_velocity, def.constant, def.depth_sharpness, def.rate_sharpness);
  force.setContactSphereBody(ball);
  force.setContactSphereLocationInBody(station);
  force.setContactSphereRadius(def.radius);
  force.setContactHalfSpaceBody(plane);
  // Simbody's half-space is all points of x > 0, ours all points of z < 0
  force.setContactHalfSpaceFrame(Transform(R_AP * Rotation(Pi / 2, YAxis), p_AP));
  State their_state = theirs.realizeTopology();

  cdn_system *ours = cdn_system_create(nullptr);
  for (int i = 0; i < 2; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = { 1, 1, 1, 0, 0, 0 };
    cdn_system_add_body(ours, &body);
  }
  const cdn_force id = cdn_system_add_smooth_contact(ours, &def);
  ck_assert_int_eq(cdn_system_freeze(ours), CDN_OK);
  cdn_state *state = nullptr;
  ck_assert_int_eq(cdn_state_create(ours, &state), CDN_OK);
  ck_assert_str_eq(cdn_force_kind_name(ours, id), "smooth_contact");

  MobilizedBody *bodies[] = { &plane, &ball };
  for (int pose = 0; pose < 40; pose++) {
    for (int i = 0; i < 2; i++) {
      double q[7], u[6];
      for (double &x : q) x = number(&rng, -1, 1);
      const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int k = 0; k < 4; k++) q[k] /= length;
      for (int k = 4; k < 7; k++) q[k] *= 0.4;
      for (double &x : u) x = number(&rng, -1, 1);
      ck_assert_int_eq(cdn_body_set_q(state, { i + 1 }, 7, q), CDN_OK);
      ck_assert_int_eq(cdn_body_set_u(state, { i + 1 }, 6, u), CDN_OK);
      for (int k = 0; k < 7; k++) bodies[i]->setOneQ(their_state, k, q[k]);
    }
    theirs.realize(their_state, Stage::Position);
    for (int i = 0; i < 2; i++) {
      cdn_spatial V;
      ck_assert_int_eq(cdn_body_velocity(state, { i + 1 }, &V), CDN_OK);
      bodies[i]->setUToFitVelocity(their_state, SpatialVec(vec(V.w), vec(V.v)));
    }
    theirs.realize(their_state, Stage::Dynamics);
    Vector_<SpatialVec> body_forces;
    Vector_<Vec3> particle_forces;
    Vector mobility_forces;
    force.calcForceContribution(their_state, body_forces, particle_forces, mobility_forces);
    cdn_spatial F[3];
    double f[12];
    ck_assert_int_eq(cdn_applied_forces(state, F, f), CDN_OK);
    for (int i = 1; i <= 2; i++) {
      const SpatialVec &T = body_forces[i];
      const double size = T[1].norm();
      const double difference = fmax((T[0] - vec(F[i].w)).norm(), (T[1] - vec(F[i].v)).norm());
      ck_assert_msg(difference <= 1e-12 * size + 1e-15 * def.modulus,
                    "seed %llu, pose %d, body %d: forces differ by %.3g of %.3g", (unsigned long long)seed, pose, i,
                    difference, size);
    }
  }
  cdn_state_destroy(state);
  cdn_system_release(ours);
}

START_TEST(smooth_force_is_simbodys) {
  for (uint64_t seed = 1; seed <= 40; seed++) compare(seed);
}
END_TEST

CHECK_MAIN("simbody_contact_smooth", smooth_force_is_simbodys)

} // namespace simbody_contact_smooth
