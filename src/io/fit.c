/* Volumes, areas and moments of meshes. Primitives that are fitted to a mesh, as MuJoCo fits them: to the box that has
 * the mesh's volume and its principal moments of inertia, whose longest side is along z. */
#include <math.h>

#include "io/build.h"

/* Integrals of 1, x, and xx yy zz xy xz yz about a point o, over a solid or over a surface: volume is its area then. */
typedef struct integrals {
  double volume, first[3], second[6];
} integrals;

/* Adds what lies between o and the corners v, or between the corners alone: `content` is its volume or area. */
static void add_simplex(integrals *out, double content, const cdn_vec3 v[3], bool from_o) {
  const cdn_vec3 sum = cdn_add(v[0], cdn_add(v[1], v[2]));
  const double first = content / (from_o ? 4 : 3), second = content / (from_o ? 20 : 12);
  const double x[4][3] = {
    { v[0].x, v[0].y, v[0].z }, { v[1].x, v[1].y, v[1].z }, { v[2].x, v[2].y, v[2].z }, { sum.x, sum.y, sum.z }
  };
  static const int pair[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
  out->volume += content;
  for (int a = 0; a < 3; a++) out->first[a] += first * x[3][a];
  for (int p = 0; p < 6; p++)
    for (int k = 0; k < 4; k++) out->second[p] += second * x[k][pair[p][0]] * x[k][pair[p][1]];
}

static cdn_status corners_of(const cdn_surface *s, int i, cdn_vec3 o, cdn_vec3 v[3]) {
  int corner[3];
  CDNI_TRY(cdn_surface_triangle(s, i, corner));
  for (int k = 0; k < 3; k++) {
    CDNI_TRY(cdn_surface_vertex(s, corner[k], &v[k]));
    v[k] = cdn_sub(v[k], o);
  }
  return CDN_OK;
}

/* Of the tetrahedra from o to all triangles. `counted_up`: none of them counts as negative. */
static cdn_status integrate(const cdn_surface *s, int triangles, cdn_vec3 o, bool counted_up, integrals *out) {
  *out = (integrals){ .volume = 0 };
  for (int i = 0; i < triangles; i++) {
    cdn_vec3 v[3];
    CDNI_TRY(corners_of(s, i, o, v));
    const double six = cdn_dot(v[0], cdn_cross(v[1], v[2]));
    add_simplex(out, (counted_up ? fabs(six) : six) / 6, v, true);
  }
  return CDN_OK;
}

/* Moments of inertia about a point c beside o, from integrals about o, of a volume whose centre is at c. */
static cdn_inertia moments_of(const integrals *m, cdn_vec3 c) {
  const double *s = m->second, v = m->volume;
  const double xx = s[0] - v * c.x * c.x, yy = s[1] - v * c.y * c.y, zz = s[2] - v * c.z * c.z;
  return (cdn_inertia){ yy + zz, xx + zz, xx + yy, v * c.x * c.y - s[3], v * c.x * c.z - s[4], v * c.y * c.z - s[5] };
}

static cdn_vec3 centre_of(const integrals *m) {
  return cdn_v3(m->first[0] / m->volume, m->first[1] / m->volume, m->first[2] / m->volume);
}

cdn_status io_solid_of(const cdn_surface *s, cdn_mass_properties *out) {
  cdn_surface_info info;
  cdn_vec3 o = { 0, 0, 0 };
  integrals m;
  CDNI_TRY(cdn_surface_get_info(s, &info));
  if (info.n_vertices > 0) CDNI_TRY(cdn_surface_vertex(s, 0, &o));
  CDNI_TRY(integrate(s, info.n_triangles, o, false, &m));
  if (!(m.volume > 0)) return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "its mesh is not closed, or has no volume");
  const cdn_vec3 c = centre_of(&m);
  *out = (cdn_mass_properties){ m.volume, cdn_add(o, c), moments_of(&m, c) };
  return CDN_OK;
}

cdn_status io_shell_of(const cdn_surface *s, cdn_mass_properties *out) {
  cdn_surface_info info;
  cdn_vec3 o = { 0, 0, 0 }, v[3];
  integrals m = { .volume = 0 };
  CDNI_TRY(cdn_surface_get_info(s, &info));
  if (info.n_vertices > 0) CDNI_TRY(cdn_surface_vertex(s, 0, &o));
  for (int i = 0; i < info.n_triangles; i++) {
    CDNI_TRY(corners_of(s, i, o, v));
    add_simplex(&m, cdn_norm(cdn_cross(cdn_sub(v[1], v[0]), cdn_sub(v[2], v[0]))) / 2, v, false);
  }
  if (!(m.volume > 0)) return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "its mesh has no area");
  const cdn_vec3 c = centre_of(&m);
  *out = (cdn_mass_properties){ m.volume, cdn_add(o, c), moments_of(&m, c) };
  return CDN_OK;
}

cdn_status io_legacy_solid_of(const cdn_surface *s, cdn_mass_properties *out) {
  cdn_surface_info info;
  cdn_mass_properties shell;
  cdn_vec3 com;
  integrals m, about_com;
  CDNI_TRY(cdn_surface_get_info(s, &info));
  CDNI_TRY(io_shell_of(s, &shell)); /* the point in the middle */
  CDNI_TRY(integrate(s, info.n_triangles, shell.com, true, &m));
  if (!(m.volume > 0)) return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "its mesh has no volume");
  com = cdn_add(shell.com, centre_of(&m));
  CDNI_TRY(integrate(s, info.n_triangles, com, true, &about_com));
  *out = (cdn_mass_properties){ about_com.volume, com, moments_of(&about_com, cdn_v3(0, 0, 0)) };
  return CDN_OK;
}

static void sizes_of(cdn_shape_type type, const double half[3], double scale, double size[3]) {
  memcpy(size, half, 3 * sizeof *size);
  if (type == CDN_SHAPE_SPHERE) size[0] = (half[0] + half[1] + half[2]) / 3;
  if (type == CDN_SHAPE_CAPSULE || type == CDN_SHAPE_CYLINDER) {
    size[0] = (half[0] + half[1]) / 2;
    size[1] = type == CDN_SHAPE_CAPSULE ? fmax(0, half[2] - size[0] / 2) : half[2];
  }
  for (int i = 0; i < 3; i++) size[i] *= scale;
}

cdn_status io_fit_shape(const io_log *log, const cdn_spec_asset *asset, const cdn_spec_shape *shape, double size[3],
                        cdn_transform *X_BS) {
  io_loaded_asset loaded;
  cdn_mass_properties m = { 0 };
  if (io_load_asset(log, asset, false, &loaded) != CDN_OK) CDNI_TRY(io_load_asset(log, asset, true, &loaded));
  const cdn_status status = io_solid_of(loaded.surface, &m);
  cdn_surface_release(loaded.surface);
  CDNI_TRY(status);
  double moments[3], half[3];
  cdn_rotation axes;
  cdn_inertia_principal(m.inertia, moments, &axes);
  /* the longest side has the least moment */
  for (int i = 0; i < 3; i++) {
    const double rest = moments[0] + moments[1] + moments[2] - 2 * moments[2 - i];
    half[i] = 0.5 * sqrt(fmax(0, 6 * rest / m.mass));
  }
  sizes_of(shape->type, half, shape->fit_scale, size);
  const cdn_transform X = { { axes.z, axes.y, cdn_scale(-1, axes.x) }, m.com };
  *X_BS = cdn_transform_multiply(shape->X_BS, cdn_transform_multiply(loaded.X, X));
  return CDN_OK;
}
