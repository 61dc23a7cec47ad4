// Contact of smooth surfaces against Simbody's CompliantContactSubsystem, with all pairs that its trackers have:
// half-space
// with sphere and ellipsoid, sphere with sphere, sphere and ellipsoid with ellipsoid by the trackers of implicit
// surfaces,
// half-space with brick. Meshes are in test_simbody_contact_springs.cpp.
//
// Three things differ, and the tests hold them:
// - The coefficient of friction of CompliantContactSubsystem is another function of the slip speed than that of
//   HuntCrossleyForce, which is ours. The two are equal above the transition velocity where static and dynamic
//   coefficients are equal. So they are equal here, and the transition velocity is small.
// - The stiffness of an elliptical contact is an approximation in Simbody: elliptic integrals and the ratio of the axes
// by
//   fits. Ours is exact.
// - A brick has springs at the corners of its lowest face in Simbody.
#include "contact_scene.h"

#include "../check_main.h"
#include "random_mjcf.h"

#include <cmath>

namespace simbody_contact_compliant {

using namespace SimTK;

double number(uint64_t *rng, double low, double high) { return random_uniform(rng, low, high); }

struct Compliant {
  Scene scene;
  ContactTrackerSubsystem tracker{ scene.theirs };
  CompliantContactSubsystem contact{ scene.theirs, tracker };
  Compliant(int bodies, double transition, double spread) : scene(bodies, transition, spread) {}

  void build() {
    contact.setTransitionVelocity(scene.transition);
    for (int i = 0; i <= scene.bodies; i++) {
      Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
      Body &body = i == 0 ? scene.matter.Ground().updBody() : rigid;
      for (const SceneSurface &s : scene.surfaces) {
        const cdn_contact_material &m = s.material;
        if (s.body == i)
          body.addContactSurface(
              their_frame(s),
              ContactSurface(their_geometry(s), ContactMaterial(m.modulus, m.dissipation, m.static_friction,
                                                                m.dynamic_friction, m.viscous_friction)));
      }
      if (i > 0) scene.mobods.push_back(MobilizedBody::Free(scene.matter.Ground(), Transform(), rigid, Transform()));
    }
    scene.their_state = scene.theirs.realizeTopology();
    scene.build_ours();
  }
};

cdn_contact_material material(uint64_t *rng) {
  cdn_contact_material m = random_contact_material(rng);
  m.static_friction = m.dynamic_friction;
  return m;
}

SceneSurface surface(uint64_t *rng, int body, cdn_geometry_kind kind, double low, double high) {
  SceneSurface s = { body, {}, nullptr, random_frame(rng, 0.1), material(rng) };
  s.geometry.kind = kind;
  for (double &size : s.geometry.size) size = number(rng, low, high);
  return s;
}

// Largest difference of forces, as a part of all forces.
double compare(Compliant *c, uint64_t *rng, int poses, int *touching) {
  double most = 0;
  for (int pose = 0; pose < poses; pose++) {
    c->scene.draw_pose(rng);
    double largest;
    const double difference = c->scene.difference(&largest);
    int n;
    ck_assert_int_eq(cdn_contact_count(c->scene.state, &n), CDN_OK);
    *touching += n;
    if (largest == 0) ck_assert_msg(difference == 0, "only Simbody has a force");
    else most = fmax(most, difference / largest);
  }
  return most;
}

// Circular contacts agree to rounding. A depth is the difference of lengths of 1 m, and exceeds 1e-3 m where forces
// count.
START_TEST(spheres) {
  int touching = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t rng = seed;
    Compliant c(5, 1e-7, 0.3);
    c.scene.surfaces.push_back(surface(&rng, 0, CDN_GEOMETRY_HALF_SPACE, 1, 1));
    for (int i = 1; i <= 5; i++) c.scene.surfaces.push_back(surface(&rng, i, CDN_GEOMETRY_SPHERE, 0.1, 0.4));
    c.build();
    const double most = compare(&c, &rng, 20, &touching);
    ck_assert_msg(most <= 1e-12, "seed %llu: forces differ by %.3g", (unsigned long long)seed, most);
  }
  ck_assert_int_gt(touching, 1000);
}
END_TEST

cdn_contact only_contact(cdn_state *state) {
  cdn_contact c;
  ck_assert_int_eq(cdn_contact_get(state, 0, &c), CDN_OK);
  return c;
}

double their_depth(const Compliant &c) {
  const ContactSnapshot &all = c.tracker.getActiveContacts(c.scene.their_state);
  ck_assert_int_eq(all.getNumContacts(), 1);
  return EllipticalPointContact::getAs(all.getContact(0)).getDepth();
}

enum Pair { FLOOR, FLOOR_IMPLICIT, BALL_EGG, EGG_EGG, PAIRS };

// Elliptical contacts agree to the accuracy of Simbody's fits, 2e-6, and their depths to rounding. Where two ellipsoids
// are
// deeper in each other than the smallest half axis, 0.15, there are several places at which the normals are opposite
// and in
// line with the points. Simbody's iteration ends at any of them, or before; ours ends at the least depth.
void compare_ellipsoids(Pair pair) {
  int touching = 0, elsewhere = 0;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t rng = seed;
    Compliant c(2, 1e-7, 0.3);
    const ContactGeometryTypeId ball = ContactGeometry::Sphere::classTypeId(),
                                egg = ContactGeometry::Ellipsoid::classTypeId();
    c.tracker.adoptContactTracker(new ContactTracker::ConvexImplicitPair(ball, egg));
    c.tracker.adoptContactTracker(new ContactTracker::GeneralImplicitPair(egg, egg));
    if (pair == FLOOR_IMPLICIT) c.tracker.adoptContactTracker(new ContactTracker::HalfSpaceConvexImplicit(egg));
    if (pair <= FLOOR_IMPLICIT) c.scene.surfaces.push_back(surface(&rng, 0, CDN_GEOMETRY_HALF_SPACE, 1, 1));
    else
      c.scene.surfaces.push_back(
          surface(&rng, 1, pair == BALL_EGG ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_ELLIPSOID, 0.15, 0.4));
    c.scene.surfaces.push_back(surface(&rng, 2, CDN_GEOMETRY_ELLIPSOID, 0.15, 0.4));
    c.build();
    for (int pose = 0; pose < 20; pose++) {
      int n = 0;
      const double difference = compare(&c, &rng, 1, &n);
      if (n == 0) continue;
      touching++;
      const double ours = only_contact(c.scene.state).depth, theirs = their_depth(c);
      if (pair >= BALL_EGG && ours > 0.15 && std::fabs(ours - theirs) > 1e-11) elsewhere++;
      else {
        ck_assert_msg(std::fabs(ours - theirs) < 1e-11, "depths %.15g and Simbody's %.15g", ours, theirs);
        ck_assert_msg(difference <= 2e-6, "depth %g: forces differ by %.3g", ours, difference);
      }
    }
  }
  ck_assert_int_gt(touching, 500);
  ck_assert_int_lt(elsewhere, touching / 10);
}

START_TEST(ellipsoids) {
  for (int pair = FLOOR; pair < PAIRS; pair++) compare_ellipsoids((Pair)pair);
}
END_TEST

// In Simbody a brick has springs of the stiffness k1 k2 / (k1 + k2) at those corners of the lowest face that are below
// the
// half-space, whatever the size of the face. Ours is a pressure over the area. Both push along the normal, and nothing
// else.
START_TEST(bricks) {
  int touching = 0;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    uint64_t rng = seed;
    Compliant c(1, 1e-7, 0.3);
    c.scene.surfaces.push_back(surface(&rng, 0, CDN_GEOMETRY_HALF_SPACE, 1, 1));
    c.scene.surfaces.push_back(surface(&rng, 1, CDN_GEOMETRY_BOX, 0.15, 0.4));
    const SceneSurface floor = c.scene.surfaces[0], brick = c.scene.surfaces[1];
    c.build();
    c.scene.draw_pose(&rng);
    const double rest[6] = {};
    ck_assert_int_eq(cdn_body_set_u(c.scene.state, { 1 }, 6, rest), CDN_OK);
    c.scene.mobods[0].setUToFitVelocity(c.scene.their_state, SpatialVec(Vec3(0), Vec3(0)));
    c.scene.theirs.realize(c.scene.their_state, Stage::Dynamics);
    const Vec3 theirs = c.scene.theirs.getRigidBodyForces(c.scene.their_state, Stage::Dynamics)[1][1];
    const Transform X = c.scene.mobods[0].getBodyTransform(c.scene.their_state) * their_transform(brick.X_BS);
    const Transform X_floor = their_transform(floor.X_BS);
    const Vec3 up(X_floor.R().z());
    int lowest = 0;
    for (int axis = 1; axis < 3; axis++)
      if (std::fabs(dot(X.R().getAxisUnitVec(CoordinateAxis(axis)), up)) >
          std::fabs(dot(X.R().getAxisUnitVec(CoordinateAxis(lowest)), up)))
        lowest = axis;
    const bool upper = dot(X.R().getAxisUnitVec(CoordinateAxis(lowest)), up) < 0;
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
      const Vec3 at(corner & 1 ? brick.geometry.size[0] : -brick.geometry.size[0],
                    corner & 2 ? brick.geometry.size[1] : -brick.geometry.size[1],
                    corner & 4 ? brick.geometry.size[2] : -brick.geometry.size[2]);
      if ((((corner >> lowest) & 1) != 0) == upper) sum += fmax(0, -dot(X * at - X_floor.p(), up));
    }
    const double k1 = floor.material.modulus, k2 = brick.material.modulus, k = k1 * k2 / (k1 + k2);
    ck_assert_double_le((theirs - k * sum * up).norm(), 1e-10 * k);
    cdn_spatial F[2];
    double f[6];
    ck_assert_int_eq(cdn_applied_forces(c.scene.state, F, f), CDN_OK);
    const Vec3 ours(F[1].v.x, F[1].v.y, F[1].v.z);
    ck_assert_int_eq(dot(ours, up) > 0, sum > 0);
    ck_assert_double_le((ours % up).norm(), 1e-10 * fmax(k1, k2));
    if (sum > 0) touching++;
  }
  ck_assert_int_gt(touching, 10);
}
END_TEST

CHECK_MAIN("simbody_contact_compliant", spheres, ellipsoids, bricks)

} // namespace simbody_contact_compliant
