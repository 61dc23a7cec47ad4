/* Rays against MuJoCo's, from anywhere to anywhere: nearest hits of all kinds that MuJoCo has, of a mesh and of a
 * height field. */
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

#include "../property/sample_geometries.h"
#include "../testing.h"
#include "mujoco_bridge.h"

enum { RAYS = 4000 };

static void to_mujoco(const cdn_transform *X, double p[3], double R[9]) {
  p[0] = X->p.x, p[1] = X->p.y, p[2] = X->p.z;
  R[0] = X->R.x.x, R[3] = X->R.x.y, R[6] = X->R.x.z;
  R[1] = X->R.y.x, R[4] = X->R.y.y, R[7] = X->R.y.z;
  R[2] = X->R.z.x, R[5] = X->R.z.y, R[8] = X->R.z.z;
}

/* A ray from within 2 m of the geometry's frame towards a point within 1 m of it. */
static void any_ray(const cdn_transform *X, uint64_t *seed, cdn_vec3 *origin, cdn_vec3 *direction) {
  *origin = cdn_add(X->p, cdn_scale(mesh_uniform(seed, 0, 2), mesh_direction(seed)));
  *direction = cdn_sub(cdn_add(X->p, cdn_scale(mesh_uniform(seed, 0, 1), mesh_direction(seed))), *origin);
}

static void put(cdn_vec3 a, double out[3]) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

/* MuJoCo's answer is in units of the direction; -1: no hit. */
static int compare(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 origin, cdn_vec3 direction, double theirs) {
  cdn_ray_hit hit;
  int n;
  OK(cdn_geometry_ray(g, X, origin, direction, INFINITY, 1, &hit, &n));
  ck_assert_msg(n == (theirs >= 0), "kind %d: %d hits, MuJoCo's is at %g", (int)g->kind, n, theirs);
  if (n) NEAR(hit.distance, theirs * cdn_norm(direction), 1e-9);
  return n;
}

START_TEST(kinds_of_mujoco) {
  static const struct {
    cdn_geometry g;
    int type;
  } kinds[] = { { { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.7 } }, mjGEOM_SPHERE },
                { { .kind = CDN_GEOMETRY_HALF_SPACE }, mjGEOM_PLANE },
                { { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.4, 0.6 } }, mjGEOM_CAPSULE },
                { { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.3, 0.6, 1.1 } }, mjGEOM_ELLIPSOID },
                { { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.5, 0.7 } }, mjGEOM_CYLINDER },
                { { .kind = CDN_GEOMETRY_BOX, .size = { 0.3, 0.5, 0.9 } }, mjGEOM_BOX } };
  uint64_t seed = 51;
  for (int i = 0; i < (int)(sizeof kinds / sizeof *kinds); i++) {
    int hits = 0;
    for (int k = 0; k < RAYS; k++) {
      const cdn_transform X = mesh_pose(&seed, 2);
      cdn_vec3 origin, direction;
      double p[3], R[9], o[3], v[3];
      any_ray(&X, &seed, &origin, &direction);
      to_mujoco(&X, p, R);
      put(origin, o);
      put(direction, v);
      /* MuJoCo's planes are met from the front only. */
      if (kinds[i].type == mjGEOM_PLANE && cdn_dot(direction, X.R.z) > 0) continue;
      const double theirs = mju_rayGeom(p, R, kinds[i].g.size, o, v, kinds[i].type);
      hits += compare(&kinds[i].g, &X, origin, direction, theirs);
    }
    ck_assert_int_gt(hits, RAYS / 4);
  }
}
END_TEST

static mjModel *load(const char *text) {
  char error[300] = "";
  mjModel *m = mj_bridge_load_string(text, "rays.xml", error, sizeof error);
  ck_assert_msg(m != NULL, "%s", error);
  return m;
}

START_TEST(meshes) {
  uint64_t seed = 52;
  mesh_shape shape = mesh_bumpy_sphere(12, 8, 1, 0.3);
  const size_t size = 100000;
  char *text = malloc(size);
  size_t at = (size_t)snprintf(text, size, "<mujoco><asset><mesh name='m' vertex='");
  /* MuJoCo keeps vertices in single precision. */
  for (int i = 0; i < 3 * shape.n_vertices; i++) {
    shape.vertices[i] = (float)shape.vertices[i];
    at += (size_t)snprintf(text + at, size - at, "%.9g ", shape.vertices[i]);
  }
  at += (size_t)snprintf(text + at, size - at, "' face='");
  for (int i = 0; i < 3 * shape.n_triangles; i++)
    at += (size_t)snprintf(text + at, size - at, "%d ", shape.triangles[i]);
  snprintf(text + at, size - at, "'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>");
  mjModel *m = load(text);
  mjData *d = mj_makeData(m);
  mj_kinematics(m, d);
  free(text);
  /* MuJoCo moves the vertices into a frame of its own and rounds them again: they are read back from there. */
  ck_assert_int_eq(m->nmeshvert, shape.n_vertices);
  ck_assert_int_eq(m->nmeshface, shape.n_triangles);
  for (int i = 0; i < 3 * shape.n_vertices; i++) shape.vertices[i] = m->mesh_vert[i];
  for (int i = 0; i < 3 * shape.n_triangles; i++) shape.triangles[i] = m->mesh_face[i];
  const cdn_geometry g = { .kind = CDN_GEOMETRY_MESH, .surface = mesh_surface(&shape) };
  int hits = 0;
  for (int k = 0; k < RAYS; k++) {
    const cdn_transform X = mesh_pose(&seed, 2);
    cdn_vec3 origin, direction;
    any_ray(&X, &seed, &origin, &direction);
    double o[3], v[3];
    to_mujoco(&X, d->geom_xpos, d->geom_xmat);
    put(origin, o);
    put(direction, v);
    hits += compare(&g, &X, origin, direction, mj_rayMesh(m, d, 0, o, v));
  }
  ck_assert_int_gt(hits, RAYS / 4);
  cdn_surface_release(g.surface);
  mesh_shape_free(&shape);
  mj_deleteData(d);
  mj_deleteModel(m);
}
END_TEST

START_TEST(height_fields) {
  uint64_t seed = 53;
  enum { NX = 9, NY = 7 };
  mjModel *m = load("<mujoco><asset><hfield name='h' nrow='7' ncol='9' size='1 0.8 0.5 1'/></asset>"
                    "<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>");
  mjData *d = mj_makeData(m);
  mj_kinematics(m, d);
  double heights[NX * NY];
  for (int i = 0; i < NX * NY; i++) {
    m->hfield_data[i] = (float)mesh_uniform(&seed, 0, 1);
    heights[i] = 0.5 * m->hfield_data[i];
  }
  cdn_surface *s;
  OK(cdn_surface_create_height_field(NX, NY, heights, 1, 0.8, &s));
  const cdn_geometry g = { .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = s };
  int hits = 0;
  for (int k = 0; k < RAYS; k++) {
    /* From above, and within the sides: MuJoCo's height fields have sides, which rays meet, and are met from the front
     * only. */
    const cdn_transform X = mesh_pose(&seed, 2);
    const cdn_vec3 from = { mesh_uniform(&seed, -0.9, 0.9), mesh_uniform(&seed, -0.7, 0.7), 0.6 },
                   to = { mesh_uniform(&seed, -0.9, 0.9), mesh_uniform(&seed, -0.7, 0.7), 0 };
    const cdn_vec3 origin = cdn_transform_point(X, from), direction = cdn_sub(cdn_transform_point(X, to), origin);
    double o[3], v[3];
    to_mujoco(&X, d->geom_xpos, d->geom_xmat);
    put(origin, o);
    put(direction, v);
    hits += compare(&g, &X, origin, direction, mj_rayHfield(m, d, 0, o, v));
  }
  ck_assert_int_eq(hits, RAYS);
  cdn_surface_release(s);
  mj_deleteData(d);
  mj_deleteModel(m);
}
END_TEST

CHECK_MAIN("MuJoCo's rays", kinds_of_mujoco, meshes, height_fields)
