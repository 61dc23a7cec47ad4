/* The medium around the bodies of a spec: forces "NAME fluid" on ellipsoids, for shapes that ask for it, and on boxes,
 * for all other bodies that have mass. */
#include <cardan/media.h>
#include <math.h>
#include <stdio.h>

#include "io/build.h"

static const double LIGHTEST = 1e-15; /* MuJoCo's: lighter bodies are in no medium */

/* Half axes of the ellipsoid; false: the shape has none of its own. */
static bool half_axes(const cdn_spec_shape *shape, double half[3]) {
  const double *a = shape->size;
  switch (shape->type) {
    case CDN_SHAPE_SPHERE: half[0] = half[1] = half[2] = a[0]; return true;
    case CDN_SHAPE_CAPSULE: half[0] = half[1] = a[0], half[2] = a[0] + a[1]; return true;
    case CDN_SHAPE_CYLINDER: half[0] = half[1] = a[0], half[2] = a[1]; return true;
    case CDN_SHAPE_ELLIPSOID:
    case CDN_SHAPE_BOX: memcpy(half, a, 3 * sizeof *half); return true;
    case CDN_SHAPE_PLANE:
    case CDN_SHAPE_HFIELD:
    case CDN_SHAPE_MESH: break;
  }
  return false;
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
  if (!half_axes(shape, def.half) || shape->fit_scale > 0) {
    io_warn(b->log, shape->line, "shape '%.60s': its ellipsoid in the medium is left out: its size is in a mesh",
            shape->name);
    return;
  }
  const double *c = shape->fluid_coefficients;
  name_force(b, shape->name, name, sizeof name);
  def.body = b->bodies[body], def.X_BF = shape->X_BS;
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
