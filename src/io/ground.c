/* A plane under a model that has none (cdn_model_options.ground): a shape and the looks of the spec like all others. */
#include <math.h>
#include <stdio.h>

#include "io/log.h"
#include "io/model.h"
#include "system/system.h"

typedef struct extent {
  cdn_vec3 least, most;
} extent;

static const extent nothing = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void include(extent *e, cdn_vec3 least, cdn_vec3 most) {
  e->least = cdn_v3(fmin(e->least.x, least.x), fmin(e->least.y, least.y), fmin(e->least.z, least.z));
  e->most = cdn_v3(fmax(e->most.x, most.x), fmax(e->most.y, most.y), fmax(e->most.z, most.z));
}

/* ---- how low ---- */

/* Shapes that can touch something. Planes and height fields lie about under the others. */
static cdn_status measure_shapes(cdn_state *state, extent *e) {
  for (int i = 0; i < cdn_system_shape_count(cdn_state_system(state)); i++) {
    cdn_geometry g;
    cdn_transform X;
    cdn_vec3 least, most;
    CDNI_TRY(cdn_shape_get(state, (cdn_shape){ i }, &g, &X));
    if (g.kind == CDN_GEOMETRY_HALF_SPACE || g.kind == CDN_GEOMETRY_HEIGHT_FIELD) continue;
    if (cdn_geometry_bounds(&g, &X, &least, &most) != CDN_OK) continue;
    if (isfinite(cdn_norm(least)) && isfinite(cdn_norm(most))) include(e, least, most);
  }
  return CDN_OK;
}

/* Looks, and without any the bodies' origins. */
static cdn_status measure_looks(cdn_model *model, cdn_state *state, extent *e) {
  cdn_scene *scene;
  cdn_vec3 least, most;
  CDNI_TRY(cdn_model_create_scene(model, state, NULL, &scene));
  if (cdn_scene_bounds(scene, &least, &most)) include(e, least, most);
  cdn_scene_destroy(scene);
  return CDN_OK;
}

static cdn_status measure(cdn_model *model, cdn_state *state, extent *e) {
  *e = nothing;
  CDNI_TRY(measure_shapes(state, e));
  if (!isfinite(e->least.z)) CDNI_TRY(measure_looks(model, state, e));
  if (!isfinite(e->least.z)) include(e, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0));
  return CDN_OK;
}

cdn_status cdn_model_lowest_point(cdn_model *model, cdn_state *state, double *height) {
  static const char function[] = "cdn_model_lowest_point";
  extent e;
  CDNI_NEED_OBJECT(model, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(height, CDN_ERR_ARG);
  *height = NAN;
  if (cdn_state_system(state) != model->system)
    return cdni_refuse(CDN_ERR_ARG, function, "the State belongs to another System than the model");
  CDNI_TRY(measure(model, state, &e));
  *height = e.least.z;
  return CDN_OK;
}

/* In the pose of the default State, by a System of its own: in the model's own the plane has to be there when it
 * freezes. */
static cdn_status measure_default(cdn_model *model, cdn_model **trial, cdn_state **state, extent *e) {
  cdn_model_options options = model->options;
  cdn_system_def def = cdn_default_system_def();
  def.allocator = model->allocator;
  options.ground = false;
  options.contact = CDN_MODEL_COMPLIANT;
  cdn_system *system = cdn_system_create(&def);
  if (!system) return cdni_refuse(CDN_ERR_NOMEM, "cdn_model_build", "out of memory");
  cdn_status status = io_build_again(model, &options, system, trial);
  if (status == CDN_OK) status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, state);
  if (status == CDN_OK) status = measure(*trial, *state, e);
  if (status == CDN_OK) { /* what it has read of meshes need not be read again */
    const cdni_array read = model->read;
    model->read = (*trial)->read, (*trial)->read = read;
  }
  cdn_system_release(system);
  return status;
}

/* ---- the plane ---- */

/* A name that no other element of the kind has. */
static const char *new_name(const cdn_spec *spec, cdn_spec_kind kind, char name[32]) {
  snprintf(name, 32, "ground");
  for (int k = 2; cdn_spec_find(spec, kind, name) >= 0; k++) snprintf(name, 32, "ground %d", k);
  return name;
}

/* 1, 2 or 5 times a power of ten, of about a fourth of a length. */
static double tile_of(double length) {
  const double fourth = length > 0 && isfinite(length) ? length / 4 : 1, power = pow(10, floor(log10(fourth)));
  return power * (fourth < 2 * power ? 1 : fourth < 5 * power ? 2 : 5);
}

static cdn_status add_plane(cdn_spec *spec, double height, double tile) {
  char shape_name[32], texture_name[32], material_name[32];
  cdn_spec_asset texture = cdn_default_spec_asset(), material = texture;
  cdn_spec_shape shape = cdn_default_spec_shape();
  texture.name = new_name(spec, CDN_SPEC_ASSET, texture_name);
  texture.type = CDN_ASSET_TEXTURE, texture.builtin = CDN_SPEC_TEXTURE_CHECKER;
  for (int k = 0; k < 3; k++) texture.rgb1[k] = 0.62 + 0.03 * k, texture.rgb2[k] = 0.72 + 0.03 * k;
  CDNI_TRY(cdn_spec_add_asset(spec, &texture, NULL));
  material.name = new_name(spec, CDN_SPEC_ASSET, material_name);
  material.type = CDN_ASSET_MATERIAL, material.texture = texture.name, material.texuniform = true;
  material.texrepeat[0] = material.texrepeat[1] = 1 / tile;
  CDNI_TRY(cdn_spec_add_asset(spec, &material, NULL));
  shape.name = new_name(spec, CDN_SPEC_SHAPE, shape_name);
  shape.type = CDN_SHAPE_PLANE, shape.material = material.name;
  shape.X_BS.p = cdn_v3(0, 0, height);
  memset(shape.size, 0, sizeof shape.size);
  /* whatever can touch anything touches it */
  shape.contype = shape.conaffinity = INT32_MAX;
  return cdn_spec_add_shape(spec, &shape, NULL);
}

cdn_status io_add_ground(cdn_model *model) {
  io_log *log = &model->spec->log;
  const double wanted = model->options.ground_height;
  cdn_model *trial = NULL;
  cdn_state *state = NULL;
  extent e;
  if (isinf(wanted)) return io_fail(log, CDN_ERR_ARG, 0, "ground_height is %g: it must be finite, or NaN", wanted);
  cdn_status status = measure_default(model, &trial, &state, &e);
  if (status == CDN_OK)
    status = add_plane(model->spec, isnan(wanted) ? e.least.z : wanted, tile_of(cdn_norm(cdn_sub(e.most, e.least))));
  cdn_state_destroy(state);
  cdn_model_destroy(trial);
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  return io_fail(log, status, 0, "the plane of the option ground could not be added: %s", error.text);
}
