/* The medium around the bodies of a spec: forces "NAME fluid" on ellipsoids, for shapes that ask for it, and on boxes,
 * for all other bodies that have mass. */
#include <cardan/media.h>
#include <math.h>
#include <stdio.h>

#include "io/build.h"

static const double LIGHTEST = 1e-15; /* MuJoCo's: lighter bodies are in no medium */

/* Half axes of the ellipsoid of a primitive. */
static void half_axes(cdn_shape_type type, const double *a, double half[3]) {
  memcpy(half, a, 3 * sizeof *half);
  if (type == CDN_SHAPE_SPHERE) half[1] = half[2] = a[0];
  if (type == CDN_SHAPE_CAPSULE || type == CDN_SHAPE_CYLINDER)
    half[1] = a[0], half[2] = type == CDN_SHAPE_CAPSULE ? a[0] + a[1] : a[1];
}

static const cdn_spec_asset *find_mesh(const io_builder *b, const char *name) {
  for (int i = 0; name && i < cdn_spec_count(b->spec, CDN_SPEC_ASSET); i++) {
    const cdn_spec_asset *asset = io_spec_asset(b->spec, i);
    if (asset->type == CDN_ASSET_MESH && asset->name && strcmp(asset->name, name) == 0) return asset;
  }
  return NULL;
}

/* Half axes and frame of the ellipsoid: of a mesh those of the box around it. What fails is the thread's last
 * failure. */
static cdn_status find_ellipsoid(const io_builder *b, const cdn_spec_shape *shape, double half[3], cdn_transform *X) {
  double size[3];
  memcpy(size, shape->size, sizeof size);
  *X = shape->X_BS;
  if (shape->type == CDN_SHAPE_PLANE || shape->type == CDN_SHAPE_HFIELD)
    return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "a plane or height field is no ellipsoid");
  if (shape->type == CDN_SHAPE_MESH || shape->fit_scale > 0) {
    const cdn_spec_asset *mesh = find_mesh(b, shape->asset);
    if (!mesh) return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "there is no mesh '%.60s'", shape->asset);
    if (shape->type != CDN_SHAPE_MESH) CDNI_TRY(io_fit_shape(b->log, mesh, shape, size, X));
    else {
      CDNI_TRY(io_mesh_box(b->log, mesh, size, X));
      *X = cdn_transform_multiply(shape->X_BS, *X);
    }
  }
  half_axes(shape->type, size, half);
  return CDN_OK;
}

/* Names of forces are unique in a System; those of shapes need not be, and may be those of bodies. */
static void name_force(const io_builder *b, const char *of, char *name, size_t size) {
  snprintf(name, size, "%.200s fluid", of);
  for (int k = 2; cdn_system_find_force(b->system, name).i >= 0; k++) snprintf(name, size, "%.200s fluid %d", of, k);
}

static void add_ellipsoid(io_builder *b, const cdn_spec_shape *shape, int body) {
  const cdn_spec_medium *medium = &b->spec->whole.medium;
  char name[256];
  cdn_fluid_ellipsoid_def def = cdn_default_fluid_ellipsoid_def();
  if (find_ellipsoid(b, shape, def.half, &def.X_BF) != CDN_OK) {
    cdn_error error;
    cdn_last_error(&error);
    io_warn(b->log, shape->line, "shape '%.60s': its ellipsoid in the medium is left out: %s", shape->name, error.text);
    return;
  }
  const double *c = shape->fluid_coefficients;
  name_force(b, shape->name, name, sizeof name);
  def.body = b->bodies[body];
  def.density = medium->density, def.viscosity = medium->viscosity, def.wind = medium->wind;
  def.blunt_drag = c[0], def.slender_drag = c[1], def.angular_drag = c[2], def.kutta_lift = c[3],
  def.magnus_lift = c[4];
  cdn_system_add_fluid_ellipsoid(b->system, name, &def);
}

static void add_box(io_builder *b, const cdn_spec_body *body, cdn_body in_system) {
  static const cdn_rotation unsaid = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
  const cdn_spec_medium *medium = &b->spec->whole.medium;
  char name[256];
  cdn_fluid_box_def def = cdn_default_fluid_box_def();
  const bool said = memcmp(&body->principal, &unsaid, sizeof unsaid) != 0;
  if (cdn_fluid_box_of_mass(&body->mass, said ? &body->principal : NULL, &def) != CDN_OK) return; /* it has mass */
  name_force(b, body->name, name, sizeof name);
  def.body = in_system;
  def.density = medium->density, def.viscosity = medium->viscosity, def.wind = medium->wind;
  cdn_system_add_fluid_box(b->system, name, &def);
}

cdn_status io_build_medium(io_builder *b) {
  const cdn_spec_medium *medium = &b->spec->whole.medium;
  const int bodies = cdn_spec_count(b->spec, CDN_SPEC_BODY);
  if (medium->density == 0 && medium->viscosity == 0) return CDN_OK;
  bool *round = cdni_calloc(&b->log->allocator, (size_t)bodies + 1); /* bodies that are in it as ellipsoids */
  if (!round) return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
    const int body = shape->fluid && shape->body ? io_spec_find_body(&b->names, shape->body) : -1;
    if (body < 0 || !(io_spec_body(b->spec, body)->mass.mass >= LIGHTEST)) continue;
    round[body] = true;
    add_ellipsoid(b, shape, body);
  }
  for (int i = 0; i < bodies; i++) {
    const cdn_spec_body *body = io_spec_body(b->spec, i);
    if (!round[i] && body->mass.mass >= LIGHTEST) add_box(b, body, b->bodies[i]);
  }
  cdni_free(&b->log->allocator, round, (size_t)bodies + 1);
  return CDN_OK;
}
