/* The shapes of a spec become shapes of the System, which touch by compliant contact.
 *
 * A file says little about how stiff things are. The rule: the weight of the whole model on one surface of the model's
 * mean radius sinks in by a hundredth of that radius. With f = 4/3 E* sqrt(R) x^(3/2) and x = R / 100 this is E* = 750
 * m g / R^2; R is the geometric mean over the shapes that move, of the smallest size of each. */
#include <math.h>
#include <stdio.h>

#include <cardan/meshes.h>

#include "io/build.h"

static const double usual_gravity = 9.81, usual_dissipation = 1;

/* ---- which geometry ---- */

static const cdn_spec_asset *find_asset(const io_builder *b, const char *name) {
  for (int i = 0; name && i < cdn_spec_count(b->spec, CDN_SPEC_ASSET); i++) {
    const cdn_spec_asset *asset = io_spec_asset(b->spec, i);
    if (asset->type == CDN_ASSET_MESH && asset->name && strcmp(asset->name, name) == 0) return asset;
  }
  return NULL;
}

/* The hull of a mesh; false, with a warning, if it is not to be had. */
static bool load_hull(io_builder *b, const cdn_spec_shape *shape, cdn_surface **out) {
  const cdn_spec_asset *asset = find_asset(b, shape->asset);
  *out = NULL;
  if (!asset || !asset->file) {
    if (!b->trial)
      io_warn(b->d, shape->line, "mesh '%s' has no file: its shape is left out of contact",
              shape->asset ? shape->asset : "?");
    return false;
  }
  char path[4096];
  const char *slash = asset->file[0] == '/' ? NULL : strrchr(b->d->file, '/');
  const int before = slash ? (int)(slash - b->d->file) + 1 : 0;
  if (snprintf(path, sizeof path, "%.*s%s", before, b->d->file, asset->file) >= (int)sizeof path) return false;
  if (cdn_surface_load(path, asset->scale, true, out) == CDN_OK) return true;
  cdn_error error;
  cdn_last_error(&error);
  if (!b->trial) io_warn(b->d, shape->line, "mesh '%s' is left out of contact: %s", asset->name, error.text);
  return false;
}

static const cdn_geometry_kind kinds[] = {
  [CDN_SHAPE_PLANE] = CDN_GEOMETRY_HALF_SPACE,
  [CDN_SHAPE_HFIELD] = CDN_GEOMETRY_HEIGHT_FIELD,
  [CDN_SHAPE_SPHERE] = CDN_GEOMETRY_SPHERE,
  [CDN_SHAPE_CAPSULE] = CDN_GEOMETRY_CAPSULE,
  [CDN_SHAPE_ELLIPSOID] = CDN_GEOMETRY_ELLIPSOID,
  [CDN_SHAPE_CYLINDER] = CDN_GEOMETRY_CYLINDER,
  [CDN_SHAPE_BOX] = CDN_GEOMETRY_BOX,
  [CDN_SHAPE_MESH] = CDN_GEOMETRY_CONVEX,
};

/* A program may have put any number into a spec. */
static bool takes_part(const cdn_spec_shape *shape) {
  return shape->collision && (int)shape->type >= 0 && (int)shape->type < CDNI_COUNT(kinds);
}

/* False: the shape takes no part. A surface has a reference for the caller. */
static bool geometry_of(io_builder *b, const cdn_spec_shape *shape, cdn_geometry *out) {
  if (!takes_part(shape) || (shape->contype == 0 && shape->conaffinity == 0)) return false;
  *out = (cdn_geometry){ .kind = kinds[shape->type] };
  memcpy(out->size, shape->size, sizeof out->size);
  if (out->kind == CDN_GEOMETRY_HEIGHT_FIELD) {
    if (!b->trial)
      io_warn(b->d, shape->line, "height fields of files are not read: shape '%s' is left out of contact",
              shape->name ? shape->name : "?");
    return false;
  }
  cdn_surface *surface = NULL;
  if (out->kind == CDN_GEOMETRY_CONVEX && !load_hull(b, shape, &surface)) return false;
  out->surface = surface;
  if (cdn_geometry_check(out) == CDN_OK) return true;
  cdn_error error;
  cdn_last_error(&error);
  if (!b->trial)
    io_warn(b->d, shape->line, "shape '%s' is left out of contact: %s", shape->name ? shape->name : "?", error.text);
  cdn_surface_release(surface);
  return false;
}

/* ---- how stiff ---- */

static double smallest_size(const cdn_geometry *g) {
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE:
    case CDN_GEOMETRY_CAPSULE: return g->size[0];
    case CDN_GEOMETRY_CYLINDER: return fmin(g->size[0], g->size[1]);
    case CDN_GEOMETRY_ELLIPSOID:
    case CDN_GEOMETRY_BOX: return fmin(fmin(g->size[0], g->size[1]), g->size[2]);
    default: return 0;
  }
}

static double mass_of(const io_builder *b) {
  double mass = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_BODY); i++) mass += io_spec_body(b->spec, i)->mass.mass;
  return mass;
}

static double modulus_of(const io_builder *b) {
  if (b->model->options.contact_modulus > 0) return b->model->options.contact_modulus;
  double sum = 0;
  int n = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
    if (!shape->body || !takes_part(shape)) continue;
    cdn_geometry g = { .kind = kinds[shape->type] };
    memcpy(g.size, shape->size, sizeof g.size);
    const double size = smallest_size(&g);
    if (size > 0) sum += log(size), n++;
  }
  const double R = n > 0 ? exp(sum / n) : 0.1, mass = mass_of(b);
  const cdn_vec3 g = b->d->gravity;
  const double weight = (mass > 0 ? mass : 1) * (cdn_norm(g) > 0 ? cdn_norm(g) : usual_gravity);
  return 750 * weight / (R * R);
}

/* ---- adding ---- */

static cdn_status add_shape(io_builder *b, const cdn_spec_shape *shape, const cdn_geometry *geometry, double modulus) {
  const int spec_body = shape->body ? io_spec_find_body(&b->names, shape->body) : -1;
  if (spec_body == -2) return CDN_OK; /* io_check_spec has reported it */
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = modulus;
  material.dissipation =
      b->model->options.contact_dissipation >= 0 ? b->model->options.contact_dissipation : usual_dissipation;
  material.static_friction = material.dynamic_friction = fmax(shape->friction[0], 0);
  char name[256];
  snprintf(name, sizeof name, "%.150s shape %d", shape->body ? shape->body : "world", (int)b->shape_bodies.count);
  cdn_shape_def def = cdn_default_shape_def();
  def.name = shape->name && shape->name[0] ? shape->name : name;
  def.body = spec_body < 0 ? cdn_ground() : b->bodies[spec_body];
  def.geometry = *geometry, def.X_BS = shape->X_BS, def.material = &material;
  def.type = (uint32_t)shape->contype, def.affinity = (uint32_t)shape->conaffinity;
  cdn_system_add_shape(b->system, &def);
  return cdni_array_push(&b->d->allocator, &b->shape_bodies, sizeof spec_body, &spec_body)
             ? CDN_OK
             : io_fail(b->d, CDN_ERR_NOMEM, 0, "out of memory");
}

cdn_status io_build_shapes(io_builder *b) {
  if (b->model->options.contact == CDN_MODEL_NO_CONTACT || b->model->options.tree_only) return CDN_OK;
  const double modulus = modulus_of(b);
  b->shape_bodies.count = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
    cdn_geometry geometry;
    if (!geometry_of(b, shape, &geometry)) continue;
    const cdn_status status = add_shape(b, shape, &geometry, modulus);
    cdn_surface_release(geometry.surface);
    CDNI_TRY(status);
  }
  cdn_contact_def contact = cdn_default_contact_def();
  contact.pass_without_law = true;
  cdn_system_set_contact(b->system, &contact);
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2) {
    const int first = CDNI_AT(b->overlaps, int, k), second = CDNI_AT(b->overlaps, int, k + 1);
    cdn_system_exclude_contact(b->system, b->bodies[first], b->bodies[second]);
  }
  return CDN_OK;
}

/* ---- what overlaps from the beginning ---- */

static cdn_status note_overlap(io_builder *b, int first, int second) {
  for (size_t k = 0; k + 1 < b->overlaps.count; k += 2)
    if (CDNI_AT(b->overlaps, int, k) == first && CDNI_AT(b->overlaps, int, k + 1) == second) return CDN_OK;
  if (!cdni_array_push(&b->d->allocator, &b->overlaps, sizeof first, &first) ||
      !cdni_array_push(&b->d->allocator, &b->overlaps, sizeof second, &second))
    return io_fail(b->d, CDN_ERR_NOMEM, 0, "out of memory");
  io_warn(b->d, 0, "'%s' and '%s' overlap in the model's first pose: they do not touch each other",
          io_spec_body(b->spec, first)->name, io_spec_body(b->spec, second)->name);
  return CDN_OK;
}

static cdn_status look_at(io_builder *b, cdn_state *state) {
  int n;
  if (cdn_contact_count(state, &n) != CDN_OK) return CDN_OK;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    if (cdn_contact_get(state, i, &c) != CDN_OK) return CDN_OK;
    const int first = CDNI_AT(b->shape_bodies, int, c.a.i), second = CDNI_AT(b->shape_bodies, int, c.b.i);
    if (first >= 0 && second >= 0)
      CDNI_TRY(note_overlap(b, first < second ? first : second, first < second ? second : first));
  }
  return CDN_OK;
}

/* A System that is looked at and thrown away; what is wrong with it, the real one will tell. */
cdn_status io_find_overlaps(io_builder *b) {
  if (b->model->options.contact == CDN_MODEL_NO_CONTACT || b->model->options.tree_only) return CDN_OK;
  cdn_system_def def = cdn_default_system_def();
  def.allocator = b->d->allocator;
  cdn_system *real = b->system, *trial = cdn_system_create(&def);
  if (!trial) return io_fail(b->d, CDN_ERR_NOMEM, 0, "out of memory");
  b->system = trial;
  b->trial = true;
  io_build_tree(b, true);
  cdn_status status = io_build_shapes(b);
  cdn_state *state = NULL;
  if (status == CDN_OK && cdn_system_freeze(trial) == CDN_OK && cdn_state_create(trial, &state) == CDN_OK)
    status = look_at(b, state);
  cdn_state_destroy(state);
  cdn_system_release(trial);
  b->system = real;
  b->trial = false;
  return status;
}
