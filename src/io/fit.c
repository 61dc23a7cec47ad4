/* Primitives that are fitted to a mesh, as MuJoCo fits them: to the box that has the mesh's volume and its principal moments of
 * inertia, whose longest side is along z. */
#include <math.h>

#include "io/build.h"

/* Of the tetrahedra from a point near it to all triangles. */
cdn_status io_solid_of(const cdn_surface *s, cdn_mass_properties *out) {
  cdn_surface_info info;
  cdn_vec3 o = { 0, 0, 0 };
  double volume = 0, first[3] = { 0 }, second[6] = { 0 }; /* integrals of 1, x, and xx yy zz xy xz yz about o */
  CDNI_TRY(cdn_surface_get_info(s, &info));
  if (info.n_vertices > 0) CDNI_TRY(cdn_surface_vertex(s, 0, &o));
  for (int i = 0; i < info.n_triangles; i++) {
    int corner[3];
    cdn_vec3 v[3];
    CDNI_TRY(cdn_surface_triangle(s, i, corner));
    for (int k = 0; k < 3; k++) {
      CDNI_TRY(cdn_surface_vertex(s, corner[k], &v[k]));
      v[k] = cdn_sub(v[k], o);
    }
    const double six = cdn_dot(v[0], cdn_cross(v[1], v[2]));
    const cdn_vec3 sum = cdn_add(v[0], cdn_add(v[1], v[2]));
    const double x[4][3] = {
      { v[0].x, v[0].y, v[0].z }, { v[1].x, v[1].y, v[1].z }, { v[2].x, v[2].y, v[2].z }, { sum.x, sum.y, sum.z }
    };
    static const int pair[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
    volume += six / 6;
    for (int a = 0; a < 3; a++) first[a] += six / 24 * x[3][a];
    for (int p = 0; p < 6; p++)
      for (int k = 0; k < 4; k++) second[p] += six / 120 * x[k][pair[p][0]] * x[k][pair[p][1]];
  }
  if (!(volume > 0)) return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "its mesh is not closed, or has no volume");
  const cdn_vec3 c = cdn_v3(first[0] / volume, first[1] / volume, first[2] / volume);
  const double *s2 = second;
  const double xx = s2[0] - volume * c.x * c.x, yy = s2[1] - volume * c.y * c.y, zz = s2[2] - volume * c.z * c.z;
  *out = (cdn_mass_properties){ volume,
                                cdn_add(o, c),
                                { yy + zz, xx + zz, xx + yy, volume * c.x * c.y - s2[3], volume * c.x * c.z - s2[4],
                                  volume * c.y * c.z - s2[5] } };
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

cdn_status io_fit_shape(const io_description *d, const cdn_spec_asset *asset, const cdn_spec_shape *shape,
                        double size[3], cdn_transform *X_BS) {
  io_loaded_asset loaded;
  cdn_mass_properties m = { 0 };
  if (io_load_asset(d, asset, false, &loaded) != CDN_OK) CDNI_TRY(io_load_asset(d, asset, true, &loaded));
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
