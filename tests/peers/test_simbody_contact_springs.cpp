// Springs of meshes (elastic foundation) against Simbody's ElasticFoundationForce and against the springs of its
// CompliantContactSubsystem: meshes with half-spaces, spheres and meshes, at random poses and velocities.
//
// ElasticFoundationForce has the stiffness k of a mesh alone, so that here the other solid is rigid, and k is the
// mesh's modulus
// over its thickness. Of two meshes each has its own k there. So both have the same material here. Friction acts at the
// surface of the other solid there, here where both have given way: two meshes are compared without friction.
//
// Two meshes of which one is wholly inside the other do not touch in Simbody, as no two of their triangles cross; here
// they
// do. And in one pose of some hundred Simbody takes a triangle that is inside for one that is outside.
//
// CompliantContactSubsystem combines both materials as we do, with layers 1 m thick. Where two meshes meet, it weighs
// the
// springs of each so that both patches have the same area. Patches are all triangles that reach into the other. We
// weigh each
// mesh by a half. The test does Simbody's weighing and finds the same forces.
#include "contact_scene.h"

#include "../check_main.h"
#include "random_mjcf.h"

#include <cmath>
#include <memory>

namespace simbody_contact_springs {

using namespace SimTK;

double number(uint64_t *rng, double low, double high) { return random_uniform(rng, low, high); }

constexpr double rigid_modulus = 1e30;

enum Other { FLOOR, BALL, MESH, OTHERS };

struct Meshes {
  TriangleSurface surface[2];
  explicit Meshes(uint64_t *rng) {
    make_round_mesh(rng, number(rng, 0.2, 0.4), 0.03, 12, &surface[0]);
    make_round_mesh(rng, number(rng, 0.2, 0.4), 0.03, 9, &surface[1]);
  }
};

// A mesh on body 1, and the other solid on body 2 or on Ground.
void fill(Scene *scene, uint64_t *rng, Other other, const Meshes &meshes) {
  SceneSurface s = { 1, {}, &meshes.surface[0], random_frame(rng, 0.1), random_contact_material(rng) };
  s.geometry.kind = CDN_GEOMETRY_MESH;
  scene->surfaces.push_back(s);
  SceneSurface o = { 2, {}, nullptr, random_frame(rng, 0.1), random_contact_material(rng) };
  if (other == FLOOR) o.body = 0, o.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  if (other == BALL) o.geometry.kind = CDN_GEOMETRY_SPHERE, o.geometry.size[0] = number(rng, 0.2, 0.4);
  if (other == MESH) o.geometry.kind = CDN_GEOMETRY_MESH, o.mesh = &meshes.surface[1];
  scene->surfaces.push_back(o);
}

int touches(const Scene &scene) {
  int n;
  ck_assert_int_eq(cdn_contact_count(scene.state, &n), CDN_OK);
  return n;
}

// The force on body 2, and its moment about the origin of Ground, of those springs of two meshes that Simbody has, each
// weighed as its mesh is. Returns how many those are.
int springs_of(const Scene &scene, const Contact &contact, const double weights[2], SpatialVec *out) {
  const TriangleMeshContact &patch = TriangleMeshContact::getAs(contact);
  const int first = contact.getSurface1(); // the order is Simbody's
  const std::set<int> *faces[2];
  faces[first] = &patch.getSurface1Faces(), faces[1 - first] = &patch.getSurface2Faces();
  int n = 0;
  for (int i = 0; i < touches(scene); i++) {
    cdn_contact c;
    ck_assert_int_eq(cdn_contact_get(scene.state, i, &c), CDN_OK);
    const int mesh = c.feature % 2;
    if (faces[mesh]->count(c.feature / 2) == 0) continue;
    const cdn_vec3 f = cdn_add(cdn_scale(c.force, c.normal), c.friction);
    const Vec3 force = weights[mesh] * Vec3(f.x, f.y, f.z);
    *out += SpatialVec(Vec3(c.point.x, c.point.y, c.point.z) % force, force);
    n++;
  }
  return n;
}

// The difference of these from all that Simbody has on body 2.
double springs_difference(const Scene &scene, const SpatialVec &ours) {
  const SpatialVec theirs = scene.theirs.getRigidBodyForces(scene.their_state, Stage::Dynamics)[2];
  const Vec3 origin = scene.mobods[1].getBodyOriginLocation(scene.their_state);
  return fmax((theirs[0] + origin % theirs[1] - ours[0]).norm(), (theirs[1] - ours[1]).norm());
}

START_TEST(elastic_foundation_force) {
  for (int other = FLOOR; other < OTHERS; other++) {
    int touching = 0, complete = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      uint64_t rng = seed;
      const Meshes meshes(&rng);
      Scene scene(2, std::pow(10, number(&rng, -3, 0)), 0.3);
      fill(&scene, &rng, (Other)other, meshes);
      SceneSurface &mesh = scene.surfaces[0], &second = scene.surfaces[1];
      mesh.material.thickness = number(&rng, 0.01, 0.1);
      if (other == MESH)
        mesh.material.static_friction = mesh.material.dynamic_friction = mesh.material.viscous_friction = 0;
      double k = mesh.material.modulus / mesh.material.thickness;
      // coefficients of two equal materials are those of each
      second.material = mesh.material;
      if (other != MESH) second.material.modulus = rigid_modulus;
      else k /= 2; // in series
      scene.build_ours();

      GeneralForceSubsystem forces(scene.theirs);
      GeneralContactSubsystem contacts(scene.theirs);
      Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
      for (int i = 0; i < 2; i++)
        scene.mobods.push_back(MobilizedBody::Free(scene.matter.Ground(), Transform(), rigid, Transform()));
      const ContactSetIndex set = contacts.createContactSet();
      for (const SceneSurface &s : scene.surfaces)
        contacts.addBody(set, scene.matter.updMobilizedBody(MobilizedBodyIndex(s.body)), their_geometry(s),
                         their_frame(s));
      ElasticFoundationForce force(forces, contacts, set);
      force.setTransitionVelocity(scene.transition);
      for (int i = 0; i < 2; i++) {
        const cdn_contact_material &m = scene.surfaces[(size_t)i].material;
        if (scene.surfaces[(size_t)i].mesh)
          force.setBodyParameters(ContactSurfaceIndex(i), k, m.dissipation, m.static_friction, m.dynamic_friction,
                                  m.viscous_friction);
      }
      scene.their_state = scene.theirs.realizeTopology();
      for (int pose = 0; pose < 10; pose++) {
        scene.draw_pose(&rng);
        double largest;
        double difference = scene.difference(&largest);
        if (other == MESH) {
          const Array_<Contact> &all = contacts.getContacts(scene.their_state, set);
          SpatialVec ours(Vec3(0), Vec3(0));
          if (all.empty()) continue;
          const double whole[2] = { 1, 1 };
          if (springs_of(scene, all[0], whole, &ours) == touches(scene)) complete++;
          difference = springs_difference(scene, ours);
        }
        ck_assert_msg(difference <= 1e-12 * largest, "other %d, seed %llu, pose %d: forces differ by %.3g of %.3g",
                      other, (unsigned long long)seed, pose, difference, largest);
        if (touches(scene) > 0) touching++;
      }
    }
    ck_assert_int_gt(touching, 50);
    if (other == MESH) ck_assert_int_ge(complete, touching - 2);
  }
}
END_TEST

// ---- CompliantContactSubsystem ----

// Area of those triangles of a mesh that Simbody has in the patch.
double area_of(const ContactGeometry::TriangleMesh &mesh, const std::set<int> &faces) {
  double area = 0;
  for (const int face : faces) area += mesh.getFaceArea(face);
  return area;
}

START_TEST(compliant_springs) {
  for (int other = FLOOR; other < OTHERS; other++) {
    int touching = 0, complete = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      uint64_t rng = seed;
      const Meshes meshes(&rng);
      Scene scene(2, 1e-7, 0.3);
      ContactTrackerSubsystem tracker(scene.theirs);
      CompliantContactSubsystem contact(scene.theirs, tracker);
      contact.setTransitionVelocity(scene.transition);
      fill(&scene, &rng, (Other)other, meshes);
      for (SceneSurface &s : scene.surfaces)
        s.material.static_friction = s.material.dynamic_friction, s.material.thickness = 1;
      for (int i = 0; i <= 2; i++) {
        Body::Rigid rigid(MassProperties(1, Vec3(0), Inertia(1)));
        Body &body = i == 0 ? scene.matter.Ground().updBody() : rigid;
        for (const SceneSurface &s : scene.surfaces) {
          const cdn_contact_material &m = s.material;
          if (s.body == i)
            body.addContactSurface(their_frame(s),
                                   ContactSurface(their_geometry(s),
                                                  ContactMaterial(m.modulus, m.dissipation, m.static_friction,
                                                                  m.dynamic_friction, m.viscous_friction),
                                                  1));
        }
        if (i > 0) scene.mobods.push_back(MobilizedBody::Free(scene.matter.Ground(), Transform(), rigid, Transform()));
      }
      scene.their_state = scene.theirs.realizeTopology();
      scene.build_ours();
      for (int pose = 0; pose < 10; pose++) {
        scene.draw_pose(&rng);
        double largest;
        double difference = scene.difference(&largest);
        if (touches(scene) > 0) touching++;
        if (other == MESH) {
          const ContactSnapshot &all = tracker.getActiveContacts(scene.their_state);
          if (all.getNumContacts() == 0) continue;
          const TriangleMeshContact &patch = TriangleMeshContact::getAs(all.getContact(0));
          const double areas[2] = { area_of(meshes.surface[0].theirs(), patch.getSurface1Faces()),
                                    area_of(meshes.surface[1].theirs(), patch.getSurface2Faces()) };
          double weights[2];
          for (int i = 0; i < 2; i++) weights[i] = 0.5 * (areas[0] + areas[1]) / areas[i];
          SpatialVec ours(Vec3(0), Vec3(0));
          if (springs_of(scene, all.getContact(0), weights, &ours) == touches(scene)) complete++;
          difference = springs_difference(scene, ours);
        }
        ck_assert_msg(difference <= 1e-12 * largest, "other %d, seed %llu, pose %d: forces differ by %.3g of %.3g",
                      other, (unsigned long long)seed, pose, difference, largest);
      }
    }
    ck_assert_int_gt(touching, 50);
    if (other == MESH) ck_assert_int_ge(complete, touching - 2);
  }
}
END_TEST

CHECK_MAIN("simbody_contact_springs", elastic_foundation_force, compliant_springs)

} // namespace simbody_contact_springs
