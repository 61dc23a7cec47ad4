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

/* ---- principal axes ---- */

static const double SMALLEST = 1e-12; /* kg m^2: MuJoCo's moments and products differ where they differ by more */

/* The two axes of the largest product of inertia; false: it is nothing. */
static bool largest_product(cdn_inertia I, int *first, int *second, double *product) {
  const double xy = fabs(I.xy), xz = fabs(I.xz), yz = fabs(I.yz);
  if (xy > xz && xy > yz) *first = 0, *second = 1, *product = I.xy;
  else if (xz > yz) *first = 0, *second = 2, *product = I.xz;
  else *first = 1, *second = 2, *product = I.yz;
  return fabs(*product) >= SMALLEST;
}

/* Turns axis a towards axis b. */
static cdn_rotation turn(cdn_rotation R, int a, int b, double cosine, double sine) {
  cdn_vec3 axes[3] = { R.x, R.y, R.z };
  const cdn_vec3 at_a = axes[a], at_b = axes[b];
  axes[a] = cdn_add(cdn_scale(cosine, at_a), cdn_scale(sine, at_b));
  axes[b] = cdn_sub(cdn_scale(cosine, at_b), cdn_scale(sine, at_a));
  return (cdn_rotation){ axes[0], axes[1], axes[2] };
}

/* MuJoCo ends its turns early. These go on, but leave axes alone whose moments are equal but for what MuJoCo left: a
 * turn between them would be one by chance. */
static cdn_rotation finish_turns(cdn_inertia I, cdn_rotation R) {
  enum { SWEEPS = 3 };
  static const double SMALL = 1e-3;
  for (int k = 0; k < 3 * SWEEPS; k++) {
    const cdn_inertia D = cdn_inertia_reexpress(cdn_rotation_transpose(R), I);
    const double m[3] = { D.xx, D.yy, D.zz }, products[3] = { D.xy, D.xz, D.yz };
    static const int pair[3][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
    const int a = pair[k % 3][0], b = pair[k % 3][1];
    const double product = products[k % 3], difference = m[a] - m[b];
    if (!(fabs(product) < SMALL * fabs(difference))) continue;
    const double angle = atan(2 * product / difference) / 2;
    R = turn(R, a, b, cos(angle), sin(angle));
  }
  return R;
}

cdn_rotation io_mujoco_axes(cdn_inertia I) {
  enum { MOST_TURNS = 500 };
  cdn_rotation R = cdn_rotation_identity();
  double m[3] = { I.xx, I.yy, I.zz };
  for (int k = 0; k < MOST_TURNS; k++) {
    int a, b;
    double product;
    const cdn_inertia D = cdn_inertia_reexpress(cdn_rotation_transpose(R), I);
    m[0] = D.xx, m[1] = D.yy, m[2] = D.zz;
    if (!largest_product(D, &a, &b, &product)) break;
    const double tau = (m[b] - m[a]) / (2 * product), size = 1 / (fabs(tau) + sqrt(1 + tau * tau));
    const double tangent = tau >= 0 ? size : -size, cosine = 1 / sqrt(1 + tangent * tangent);
    if (!(cosine <= 1 - SMALLEST)) break;
    R = turn(R, a, b, cosine, -tangent * cosine);
  }
  for (int k = 0; k < 3; k++) { /* the largest moment first: 0 and 1, 1 and 2, 0 and 1 */
    const int a = k % 2, b = a + 1;
    if (!(m[a] + SMALLEST < m[b])) continue;
    const double larger = m[b];
    m[b] = m[a], m[a] = larger;
    R = turn(R, a, b, 0, 1);
  }
  return finish_turns(I, R);
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
  double half[3];
  const cdn_transform X = { io_mujoco_axes(m.inertia), m.com };
  const cdn_inertia D = cdn_inertia_reexpress(cdn_rotation_transpose(X.R), m.inertia);
  const double moments[3] = { D.xx, D.yy, D.zz };
  /* the longest side, along z, has the least moment */
  for (int i = 0; i < 3; i++) {
    const double rest = moments[0] + moments[1] + moments[2] - 2 * moments[i];
    half[i] = 0.5 * sqrt(fmax(0, 6 * rest / m.mass));
  }
  sizes_of(shape->type, half, shape->fit_scale, size);
  *X_BS = cdn_transform_multiply(shape->X_BS, cdn_transform_multiply(loaded.X, X));
  return CDN_OK;
}

cdn_status io_mesh_box(const io_log *log, const cdn_spec_asset *asset, double half[3], cdn_transform *X) {
  io_loaded_asset loaded;
  cdn_mass_properties m;
  cdn_surface_info info;
  if (io_load_asset(log, asset, false, &loaded) != CDN_OK) CDNI_TRY(io_load_asset(log, asset, true, &loaded));
  cdn_status status = io_legacy_solid_of(loaded.surface, &m);
  if (status == CDN_OK) status = cdn_surface_get_info(loaded.surface, &info);
  if (status == CDN_OK) *X = (cdn_transform){ io_mujoco_axes(m.inertia), m.com };
  half[0] = half[1] = half[2] = 0;
  for (int i = 0; status == CDN_OK && i < info.n_vertices; i++) {
    cdn_vec3 v;
    status = cdn_surface_vertex(loaded.surface, i, &v);
    v = cdn_transform_point(cdn_transform_invert(*X), v);
    half[0] = fmax(half[0], fabs(v.x)), half[1] = fmax(half[1], fabs(v.y)), half[2] = fmax(half[2], fabs(v.z));
  }
  cdn_surface_release(loaded.surface);
  *X = cdn_transform_multiply(loaded.X, *X);
  return status;
}
