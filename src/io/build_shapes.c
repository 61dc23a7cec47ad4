/* The shapes of a spec become shapes of the System, which touch by compliant, soft or rigid contact.
 *
 * A file says little about how stiff things are. The rule: the weight of the whole model on one surface of the model's
 * mean radius sinks in by a hundredth of that radius. With f = 4/3 E* sqrt(R) x^(3/2) and x = R / 100 this is E* = 750
 * m g / R^2; R is the geometric mean over the shapes that move, of the smallest size of each. */
#include <math.h>
#include <stdio.h>

#include "contact/contact.h"
#include "io/build.h"

/* What hits at more than 0.1 m/s does not bounce, as joints do not that hit their limits. With 1 s/m light links rattle
 * on for long, and falls of robots amplify errors up to a thousand times. */
static const double usual_gravity = 9.81, usual_dissipation = 10;

static cdn_status no_memory(io_log *log) { return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- how stiff ---- */

/* Half of the least extent. */
static double smallest_size(const cdn_geometry *g) {
  const cdn_transform X = cdn_transform_identity();
  cdn_vec3 least, most;
  if (g->kind == CDN_GEOMETRY_HALF_SPACE || g->kind == CDN_GEOMETRY_HEIGHT_FIELD ||
      cdn_geometry_bounds(g, &X, &least, &most) != CDN_OK)
    return 0;
  return fmin(fmin(most.x - least.x, most.y - least.y), most.z - least.z) / 2;
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
    if (!b->ready[i].there || !io_spec_shape(b->spec, i)->body) continue;
    const double size = smallest_size(&b->ready[i].geometry);
    if (size > 0) sum += log(size), n++;
  }
  const double R = n > 0 ? exp(sum / n) : 0.1, mass = mass_of(b);
  const cdn_vec3 g = b->spec->whole.gravity;
  const double weight = (mass > 0 ? mass : 1) * (cdn_norm(g) > 0 ? cdn_norm(g) : usual_gravity);
  return 750 * weight / (R * R);
}

/* ---- adding ---- */

/* Names of shapes are unique in a System, though they need not be in a file. The table borrows the System's copy. */
static const char *unique_name(const io_builder *b, const cdn_spec_shape *shape, char *made, size_t size) {
  if (io_names_find(&b->shape_names, shape->name) < 0) return shape->name;
  for (int k = 2;; k++) {
    snprintf(made, size, "%.200s %d", shape->name, k);
    if (io_names_find(&b->shape_names, made) < 0) return made;
  }
}

static cdn_soft_material soft_of(const cdn_spec_shape *shape) {
  cdn_soft_material soft = cdn_default_soft_material();
  soft.law = shape->law, soft.condim = shape->condim, soft.priority = shape->priority, soft.solmix = shape->solmix;
  soft.margin = shape->margin, soft.gap = shape->gap;
  memcpy(soft.friction, shape->friction, sizeof soft.friction);
  return soft;
}

static cdn_status add_shape(io_builder *b, int i, double modulus) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  const int spec_body = shape->body ? io_spec_find_body(&b->names, shape->body) : -1;
  if (spec_body == -2) return CDN_OK; /* io_check_spec has reported it */
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = modulus;
  material.dissipation =
      b->model->options.contact_dissipation >= 0 ? b->model->options.contact_dissipation : usual_dissipation;
  const cdn_soft_material soft = soft_of(shape);
  material.priority = shape->priority;
  material.condim = shape->condim >= 6 ? 6 : shape->condim >= 4 ? 4 : shape->condim >= 2 ? 3 : 1;
  material.static_friction = material.dynamic_friction = fmax(shape->friction[0], 0);
  material.restitution = io_restitution(&shape->law);
  material.torsional_friction = fmax(shape->friction[1], 0), material.rolling_friction = fmax(shape->friction[2], 0);
  char made[256];
  cdn_shape_def def = cdn_default_shape_def();
  def.name = unique_name(b, shape, made, sizeof made);
  def.body = spec_body < 0 ? cdn_ground() : b->bodies[spec_body];
  def.geometry = b->ready[i].geometry, def.X_BS = b->ready[i].X_BS, def.material = &material,
  def.soft = b->convex ? &soft : NULL;
  def.type = (uint32_t)shape->contype, def.affinity = (uint32_t)shape->conaffinity;
  b->ready[i].shape = cdn_system_add_shape(b->system, &def);
  const char *name = cdn_shape_name(b->system, b->ready[i].shape);
  if (name && io_names_add(&b->log->allocator, &b->shape_names, name, i) < 0) return no_memory(b->log);
  return CDN_OK;
}

cdn_status io_build_shapes(io_builder *b) {
  if (!io_shapes_touch(&b->model->options)) return CDN_OK;
  const double modulus = modulus_of(b);
  io_names_free(&b->log->allocator, &b->shape_names);
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++)
    if (b->ready[i].there) CDNI_TRY(add_shape(b, i, modulus));
  if (!b->has_def) {
    cdn_contact_def contact = cdn_default_contact_def();
    contact.pass_without_law = true, contact.combining = CDN_COMBINE_MUJOCO;
    contact.parent_child = b->parents_touch;
    contact.friction = b->model->options.contact_friction;
    contact.model = b->convex ? CDN_CONTACT_SOFT : b->rigid ? CDN_CONTACT_RIGID : CDN_CONTACT_COMPLIANT;
    cdn_system_set_contact(b->system, &contact);
  }
  return io_build_touch(b);
}

/* ---- before and after ---- */

/* Shapes that a pair names take part whatever their masks are. */
static cdn_status mark_pairs(io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++)
    if (io_names_add(&b->log->allocator, &b->spec_shapes, io_spec_shape(b->spec, i)->name, i) < 0)
      return no_memory(b->log);
  for (int k = 0; k < cdn_spec_count(b->spec, CDN_SPEC_CONTACT); k++) {
    const cdn_spec_contact *contact = io_spec_contact(b->spec, k);
    const char *ends[] = { contact->shape_a, contact->shape_b };
    for (int e = 0; e < 2 && !contact->exclude; e++) {
      const int i = ends[e] ? io_names_find(&b->spec_shapes, ends[e]) : -1;
      if (i >= 0) b->ready[i].paired = true;
    }
  }
  return CDN_OK;
}

cdn_status io_prepare_shapes(io_builder *b) {
  if (!io_shapes_touch(&b->model->options)) return CDN_OK;
  const size_t shapes = (size_t)cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  const size_t assets = (size_t)cdn_spec_count(b->spec, CDN_SPEC_ASSET);
  const cdn_contact_def *def = cdni_contact_given(b->system);
  b->convex = def ? def->model == CDN_CONTACT_SOFT : b->model->options.contact == CDN_MODEL_SOFT;
  b->rigid = def ? def->model == CDN_CONTACT_RIGID : io_is_rigid(&b->model->options);
  b->has_def = def != NULL, b->parents_touch = def ? def->parent_child : b->spec->whole.parents_touch;
  b->ready = shapes ? cdni_calloc(&b->log->allocator, shapes * sizeof *b->ready) : NULL;
  b->loaded = assets ? cdni_calloc(&b->log->allocator, assets * sizeof *b->loaded) : NULL;
  const size_t mobilizers = b->tree.mobilizers.count, bodies = (size_t)cdn_spec_count(b->spec, CDN_SPEC_BODY);
  b->pieces = mobilizers ? cdni_calloc(&b->log->allocator, mobilizers * sizeof *b->pieces) : NULL;
  b->mobilizer_of = bodies ? cdni_calloc(&b->log->allocator, bodies * sizeof *b->mobilizer_of) : NULL;
  if ((shapes && !b->ready) || (assets && !b->loaded) || (mobilizers && !b->pieces) || (bodies && !b->mobilizer_of))
    return no_memory(b->log);
  const double tolerance = b->model->options.hull_tolerance;
  if (!(tolerance >= 0 && tolerance < INFINITY))
    return io_fail(b->log, CDN_ERR_ARG, 0, "hull_tolerance is %g; it must be finite and not negative", tolerance);
  CDNI_TRY(mark_pairs(b));
  CDNI_TRY(io_load_geometries(b));
  return io_find_overlaps(b);
}

void io_free_shapes(io_builder *b) {
  const cdn_allocator *a = &b->log->allocator;
  const size_t shapes = (size_t)cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  const size_t assets = (size_t)cdn_spec_count(b->spec, CDN_SPEC_ASSET);
  for (size_t i = 0; b->loaded && i < assets; i++) cdn_surface_release(b->loaded[i].surface);
  if (b->loaded) cdni_free(a, b->loaded, assets * sizeof *b->loaded);
  if (b->ready) cdni_free(a, b->ready, shapes * sizeof *b->ready);
  for (int i = 0; i < CDNI_COUNT(b->asset_names); i++) io_names_free(a, &b->asset_names[i]);
  io_names_free(a, &b->shape_names);
  const size_t mobilizers = b->tree.mobilizers.count, bodies = (size_t)cdn_spec_count(b->spec, CDN_SPEC_BODY);
  if (b->pieces) cdni_free(a, b->pieces, mobilizers * sizeof *b->pieces);
  if (b->mobilizer_of) cdni_free(a, b->mobilizer_of, bodies * sizeof *b->mobilizer_of);
  io_names_free(a, &b->spec_shapes);
  cdni_array_free(a, &b->excluded);
  cdni_array_free(a, &b->excluded_shapes);
  cdni_array_free(a, &b->pairs);
  cdni_array_free(a, &b->overlaps);
}
