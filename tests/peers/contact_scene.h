// The same shapes on free bodies in both libraries, at the same random poses and velocities, for the tests of contact
// against Simbody.
#ifndef CARDAN_PEERS_CONTACT_SCENE_H
#define CARDAN_PEERS_CONTACT_SCENE_H

#include <cardan/cardan.h>

#include "simbody_headers.h"

#include <cstdint>
#include <vector>

struct TriangleSurface {
  std::vector<double> points;
  std::vector<int> triangles;
  cdn_surface *ours = nullptr;
  TriangleSurface() = default;
  TriangleSurface(const TriangleSurface &) = delete;
  ~TriangleSurface() { cdn_surface_release(ours); }
  SimTK::ContactGeometry::TriangleMesh theirs() const;
};
// A closed mesh, round and bumpy: a sphere of this radius, whose points are moved by up to `bump` of it.
void make_round_mesh(uint64_t *rng, double radius, double bump, int rings, TriangleSurface *out);

struct SceneSurface {
  int body; // 0: Ground
  cdn_geometry geometry;
  const TriangleSurface *mesh;
  cdn_transform X_BS;
  cdn_contact_material material;
};

struct Scene {
  std::vector<SceneSurface> surfaces;
  int bodies;
  double transition;
  double spread; // of the bodies' places, m

  cdn_system *ours = nullptr;
  cdn_state *state = nullptr;
  SimTK::MultibodySystem theirs;
  SimTK::SimbodyMatterSubsystem matter{ theirs };
  std::vector<SimTK::MobilizedBody> mobods; // of all bodies but Ground
  SimTK::State their_state;

  Scene(int n, double v, double s) : bodies(n), transition(v), spread(s) {}
  Scene(const Scene &) = delete;
  ~Scene();

  void build_ours();
  void draw_pose(uint64_t *rng); // both States get it; theirs is realized to Dynamics
  // How far apart the forces on the bodies are; the sum of our contacts' forces and moments.
  double difference(double *largest) const;
};

SimTK::Transform their_transform(const cdn_transform &X);
SimTK::ContactGeometry their_geometry(const SceneSurface &s);
// Theirs fills all x > 0, ours all z < 0.
SimTK::Transform their_frame(const SceneSurface &s);

cdn_transform random_frame(uint64_t *rng, double spread);
cdn_contact_material random_contact_material(uint64_t *rng);

#endif
