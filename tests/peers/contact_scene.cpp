#include "contact_scene.h"

#include "../check_main.h"
#include "random_mjcf.h"

#include <cmath>

using namespace SimTK;

static double number(uint64_t *rng, double low, double high) { return random_uniform(rng, low, high); }

// ---- meshes ----

ContactGeometry::TriangleMesh TriangleSurface::theirs() const {
  Array_<Vec3> vertices;
  for (size_t i = 0; i < points.size(); i += 3) vertices.push_back(Vec3(points[i], points[i + 1], points[i + 2]));
  Array_<int> faces(triangles.begin(), triangles.end());
  return ContactGeometry::TriangleMesh(vertices, faces);
}

void make_round_mesh(uint64_t *rng, double radius, double bump, int rings, TriangleSurface *out) {
  const int around = 2 * rings;
  const auto add = [&](double polar, double angle) {
    const double r = radius * (1 + number(rng, -bump, bump));
    const double p[3] = { r * std::sin(polar) * std::cos(angle), r * std::sin(polar) * std::sin(angle),
                          r * std::cos(polar) };
    out->points.insert(out->points.end(), p, p + 3);
  };
  add(0, 0);
  for (int i = 1; i < rings; i++)
    for (int j = 0; j < around; j++) add(Pi * i / rings, 2 * Pi * j / around);
  add(Pi, 0);
  const int last = 1 + (rings - 1) * around;
  const auto triangle = [&](int a, int b, int c) { out->triangles.insert(out->triangles.end(), { a, b, c }); };
  for (int j = 0; j < around; j++) {
    const int k = (j + 1) % around;
    triangle(0, 1 + j, 1 + k);
    triangle(last, last - around + k, last - around + j);
    for (int i = 0; i + 2 < rings; i++) {
      const int up = 1 + i * around, down = up + around;
      triangle(up + j, down + j, down + k);
      triangle(up + j, down + k, up + k);
    }
  }
  ck_assert_int_eq(cdn_surface_create_mesh((int)out->points.size() / 3, out->points.data(),
                                           (int)out->triangles.size() / 3, out->triangles.data(), &out->ours),
                   CDN_OK);
}

// ---- shapes ----

Transform their_transform(const cdn_transform &X) {
  return Transform(
      Rotation(Mat33(X.R.x.x, X.R.y.x, X.R.z.x, X.R.x.y, X.R.y.y, X.R.z.y, X.R.x.z, X.R.y.z, X.R.z.z), true),
      Vec3(X.p.x, X.p.y, X.p.z));
}

Transform their_frame(const SceneSurface &s) {
  const Transform X = their_transform(s.X_BS);
  if (s.geometry.kind != CDN_GEOMETRY_HALF_SPACE) return X;
  return X * Transform(Rotation(Pi / 2, YAxis)); // its x is our -z
}

ContactGeometry their_geometry(const SceneSurface &s) {
  const double *size = s.geometry.size;
  switch (s.geometry.kind) {
    case CDN_GEOMETRY_SPHERE: return ContactGeometry::Sphere(size[0]);
    case CDN_GEOMETRY_HALF_SPACE: return ContactGeometry::HalfSpace();
    case CDN_GEOMETRY_ELLIPSOID: return ContactGeometry::Ellipsoid(Vec3(size[0], size[1], size[2]));
    case CDN_GEOMETRY_BOX: return ContactGeometry::Brick(Vec3(size[0], size[1], size[2]));
    default: return s.mesh->theirs();
  }
}

cdn_transform random_frame(uint64_t *rng, double spread) {
  const cdn_vec3 axis = { number(rng, -1, 1), number(rng, -1, 1), number(rng, 0.1, 1) };
  return { cdn_rotation_axis_angle(axis, number(rng, -Pi, Pi)),
           { number(rng, -spread, spread), number(rng, -spread, spread), number(rng, -spread, spread) } };
}

cdn_contact_material random_contact_material(uint64_t *rng) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = std::pow(10, number(rng, 4, 8));
  m.dissipation = number(rng, 0, 0.05);
  m.dynamic_friction = number(rng, 0, 1);
  m.static_friction = m.dynamic_friction + number(rng, 0, 1);
  m.viscous_friction = number(rng, 0, 1);
  return m;
}

// ---- scenes ----

Scene::~Scene() {
  cdn_state_destroy(state);
  cdn_system_release(ours);
}

void Scene::build_ours() {
  ours = cdn_system_create(nullptr);
  for (int i = 0; i < bodies; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE;
    def.mass.mass = 1;
    def.mass.inertia = { 1, 1, 1, 0, 0, 0 };
    cdn_system_add_body(ours, &def);
  }
  for (const SceneSurface &s : surfaces) {
    cdn_shape_def def = cdn_default_shape_def();
    def.body = { s.body };
    def.material = &s.material;
    def.geometry = s.geometry;
    if (s.mesh) def.geometry.surface = s.mesh->ours;
    def.X_BS = s.X_BS;
    cdn_system_add_shape(ours, &def);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = transition;
  cdn_system_set_contact(ours, &contact);
  ck_assert_int_eq(cdn_system_freeze(ours), CDN_OK);
  ck_assert_int_eq(cdn_state_create(ours, &state), CDN_OK);
}

void Scene::draw_pose(uint64_t *rng) {
  for (int i = 0; i < bodies; i++) {
    double q[7], u[6];
    for (double &x : q) x = number(rng, -1, 1);
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++) q[k] /= length;
    for (int k = 4; k < 7; k++) q[k] *= spread;
    for (double &x : u) x = number(rng, -1, 1);
    ck_assert_int_eq(cdn_body_set_q(state, { i + 1 }, 7, q), CDN_OK);
    ck_assert_int_eq(cdn_body_set_u(state, { i + 1 }, 6, u), CDN_OK);
    for (int k = 0; k < 7; k++) mobods[static_cast<size_t>(i)].setOneQ(their_state, k, q[k]);
  }
  theirs.realize(their_state, Stage::Position);
  for (int i = 0; i < bodies; i++) {
    cdn_spatial V;
    ck_assert_int_eq(cdn_body_velocity(state, { i + 1 }, &V), CDN_OK);
    mobods[static_cast<size_t>(i)].setUToFitVelocity(their_state,
                                                     SpatialVec(Vec3(V.w.x, V.w.y, V.w.z), Vec3(V.v.x, V.v.y, V.v.z)));
  }
  theirs.realize(their_state, Stage::Dynamics);
}

// Simbody leaves out the force by which the stiffness of an ellipsoid's contact varies;
// tests/property/test_contact_energy.c
// tests that force.
static void take_side_forces(cdn_state *state, std::vector<cdn_spatial> *F) {
  int n;
  ck_assert_int_eq(cdn_contact_count(state, &n), CDN_OK);
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    ck_assert_int_eq(cdn_contact_get(state, i, &c), CDN_OK);
    for (const cdn_shape shape : { c.a, c.b }) {
      const cdn_body body = cdn_shape_body(cdn_state_system(state), shape);
      const double sign = shape.i == c.b.i ? -1 : 1;
      cdn_transform X;
      ck_assert_int_eq(cdn_body_pose(state, body, &X), CDN_OK);
      cdn_spatial &on = (*F)[static_cast<size_t>(body.i)];
      const cdn_vec3 moment = cdn_add(c.side_moment, cdn_cross(cdn_sub(c.point, X.p), c.side_force));
      on.v = cdn_add(on.v, cdn_scale(sign, c.side_force)), on.w = cdn_add(on.w, cdn_scale(sign, moment));
    }
  }
}

double Scene::difference(double *largest) const {
  const Vector_<SpatialVec> &theirs_on = theirs.getRigidBodyForces(their_state, Stage::Dynamics);
  std::vector<cdn_spatial> F(static_cast<size_t>(bodies) + 1);
  std::vector<double> f(6 * static_cast<size_t>(bodies));
  ck_assert_int_eq(cdn_applied_forces(state, F.data(), f.data()), CDN_OK);
  take_side_forces(state, &F);
  double most = 0;
  for (int i = 1; i <= bodies; i++) {
    const SpatialVec &T = theirs_on[i];
    const cdn_spatial &O = F[static_cast<size_t>(i)];
    most = fmax(most, fmax((T[0] - Vec3(O.w.x, O.w.y, O.w.z)).norm(), (T[1] - Vec3(O.v.x, O.v.y, O.v.z)).norm()));
  }
  int n;
  ck_assert_int_eq(cdn_contact_count(state, &n), CDN_OK);
  *largest = 0;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    ck_assert_int_eq(cdn_contact_get(state, i, &c), CDN_OK);
    *largest += c.force + cdn_norm(c.friction);
  }
  return most;
}
