/* The geometries of a spec's shapes. Every file is read once, whatever the number of shapes that have it. What cannot
 * be had is left out of contact, and one warning names all meshes of that kind. */
#include <cardan/meshes.h>
#include <math.h>
#include <stdio.h>

#include "io/build.h"
#include "io/meshes.h"

bool io_geometry_kind(cdn_shape_type type, cdn_geometry_kind *kind) {
  switch (type) {
    case CDN_SHAPE_PLANE: *kind = CDN_GEOMETRY_HALF_SPACE; return true;
    case CDN_SHAPE_HFIELD: *kind = CDN_GEOMETRY_HEIGHT_FIELD; return true;
    case CDN_SHAPE_SPHERE: *kind = CDN_GEOMETRY_SPHERE; return true;
    case CDN_SHAPE_CAPSULE: *kind = CDN_GEOMETRY_CAPSULE; return true;
    case CDN_SHAPE_ELLIPSOID: *kind = CDN_GEOMETRY_ELLIPSOID; return true;
    case CDN_SHAPE_CYLINDER: *kind = CDN_GEOMETRY_CYLINDER; return true;
    case CDN_SHAPE_BOX: *kind = CDN_GEOMETRY_BOX; return true;
    case CDN_SHAPE_MESH: *kind = CDN_GEOMETRY_CONVEX; return true;
  }
  return false;
}

/* ---- lists of names in warnings ---- */

void io_list_add(io_list *list, const char *name) {
  const size_t used = strlen(list->text), n = strlen(name);
  list->count++;
  if (used + n + 5 < sizeof list->text)
    snprintf(list->text + used, sizeof list->text - used, "%s'%s'", used ? ", " : "", name);
  else list->more++;
}

const char *io_list_rest(io_list *list) {
  if (list->more == 0) return "";
  snprintf(list->rest, sizeof list->rest, ", and %d more", list->more);
  return list->rest;
}

/* ---- surfaces of assets ---- */

/* How a mesh that is loaded with its scale is placed in the frame of its shape. False: no frame does it. */
static bool reference_frame(const cdn_spec_asset *asset, cdn_transform *X) {
  const double *q = asset->refquat, *s = asset->scale;
  *X = cdn_transform_identity();
  const bool turned = q[1] != 0 || q[2] != 0 || q[3] != 0;
  if (turned && (s[0] != s[1] || s[1] != s[2])) return false;
  if (turned) X->R = cdn_rotation_transpose(cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] }));
  const cdn_vec3 p = cdn_rotate(X->R, cdn_v3(asset->refpos[0], asset->refpos[1], asset->refpos[2]));
  X->p = cdn_v3(-s[0] * p.x, -s[1] * p.y, -s[2] * p.z);
  return true;
}

static cdn_status hull_of_data(const cdn_spec_asset *asset, cdn_surface **out) {
  const int n = asset->n_data / 3;
  double *scaled = cdni_alloc(NULL, 3 * (size_t)n * sizeof *scaled);
  if (!scaled) return CDN_ERR_NOMEM;
  for (int i = 0; i < 3 * n; i++) scaled[i] = asset->scale[i % 3] * asset->data[i];
  const cdn_status status = cdn_surface_create_convex(n, scaled, out);
  cdni_free(NULL, scaled, 0);
  return status;
}

/* Heights of any range become those from 0 to size[2]. */
static cdn_status field_of_data(const cdn_spec_asset *asset, int rows, int columns, double *heights,
                                cdn_surface **out) {
  double least = INFINITY, most = -INFINITY;
  const int n = rows * columns;
  for (int i = 0; i < n; i++) least = fmin(least, heights[i]), most = fmax(most, heights[i]);
  const double scale = most - least > 1e-15 ? asset->size[2] / (most - least) : 0;
  for (int i = 0; i < n; i++) heights[i] = scale * (heights[i] - least);
  return cdn_surface_create_height_field(columns, rows, heights, asset->size[0], asset->size[1], out);
}

static cdn_status load_field(const io_files *files, const cdn_spec_asset *asset, const char *path, cdn_surface **out) {
  int rows = asset->n_rows, columns = asset->n_columns;
  double *heights = NULL;
  if (asset->file) {
    CDNI_TRY(cdni_field_read(files, path, &rows, &columns, &heights));
  } else {
    if (rows < 2 || columns < 2 || rows > 10000 || columns > 10000 || (asset->data && asset->n_data != rows * columns))
      return cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "its numbers of rows and columns are %d and %d", rows,
                         columns);
    const size_t bytes = (size_t)(rows * columns) * sizeof *heights;
    heights = cdni_calloc(NULL, bytes);
    if (heights && asset->data) memcpy(heights, asset->data, bytes);
  }
  const cdn_status status = heights ? field_of_data(asset, rows, columns, heights, out) : CDN_ERR_NOMEM;
  cdni_free(NULL, heights, 0);
  return status;
}

cdn_status io_load_asset(const io_log *log, const cdn_spec_asset *asset, bool convex, io_loaded_asset *to) {
  static const char function[] = "cdn_model_build";
  char path[4096] = "";
  *to = (io_loaded_asset){ .tried = true, .X = cdn_transform_identity() };
  if (asset->file) CDNI_TRY(io_find_file(log, asset->file, path, sizeof path));
  if (asset->type == CDN_ASSET_HFIELD) return load_field(&log->files, asset, path, &to->surface);
  if (!reference_frame(asset, &to->X))
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "it has both a refquat and a scale that is not uniform");
  if (asset->file) return cdni_mesh_load(&log->files, path, asset->scale, convex, &to->surface);
  if (asset->n_data > 0) return hull_of_data(asset, &to->surface);
  return cdni_refuse(CDN_ERR_ARG, function, "it has neither a file nor vertices");
}

bool io_says_up(const io_log *log, const cdn_spec_asset *asset) {
  char path[4096];
  return asset->type == CDN_ASSET_MESH && asset->file && io_find_file(log, asset->file, path, sizeof path) == CDN_OK &&
         cdni_mesh_says_up(&log->files, path);
}

cdn_status io_load_parts(const io_log *log, const cdn_spec_asset *asset, bool by_looks, mesh_part **parts, int *n) {
  char path[4096];
  *parts = NULL, *n = 0;
  if (!asset->file || asset->type != CDN_ASSET_MESH) return CDN_OK;
  CDNI_TRY(io_find_file(log, asset->file, path, sizeof path));
  return cdni_mesh_load_parts(&log->files, path, asset->scale, by_looks, parts, n);
}

/* ---- hulls of fewer corners ---- */

static double least_extent(const cdn_surface *hull) {
  const cdn_geometry g = { .kind = CDN_GEOMETRY_CONVEX, .surface = hull };
  const cdn_transform X = cdn_transform_identity();
  cdn_vec3 least, most;
  if (cdn_geometry_bounds(&g, &X, &least, &most) != CDN_OK) return 0;
  return fmin(most.x - least.x, fmin(most.y - least.y, most.z - least.z));
}

static cdn_status simplify(io_builder *b, io_loaded_asset *loaded) {
  cdn_model_hull_info *hulls = &b->model->hulls;
  const double tolerance = b->convex ? 0 : fmin(b->model->options.hull_tolerance, 0.01 * least_extent(loaded->surface));
  double farthest;
  cdn_surface *simple;
  cdn_surface_info before, after;
  CDNI_TRY(cdn_surface_simplify(loaded->surface, tolerance, &simple, &farthest));
  CDNI_TRY(cdn_surface_get_info(loaded->surface, &before));
  CDNI_TRY(cdn_surface_get_info(simple, &after));
  cdn_surface_release(loaded->surface);
  loaded->surface = simple;
  hulls->count++;
  hulls->triangles_of_files += before.n_triangles, hulls->triangles += after.n_triangles;
  hulls->farthest = fmax(hulls->farthest, farthest);
  return CDN_OK;
}

/* The asset as an earlier build has read it, or as it is read now. */
static cdn_status read_asset(io_builder *b, int i, const cdn_spec_asset *asset, io_loaded_asset *loaded) {
  cdni_array *read = &b->model->read;
  if ((size_t)i < read->count && CDNI_AT(*read, io_loaded_asset, i).surface) {
    *loaded = CDNI_AT(*read, io_loaded_asset, i);
    cdn_surface_retain(loaded->surface);
    return CDN_OK;
  }
  CDNI_TRY(io_load_asset(b->log, asset, true, loaded));
  if (!b->model->keeps_read) return CDN_OK;
  const size_t assets = (size_t)cdn_spec_count(b->spec, CDN_SPEC_ASSET);
  if (read->count < assets && !cdni_array_extend(&b->model->allocator, read, sizeof *loaded, assets - read->count))
    return CDN_ERR_NOMEM;
  CDNI_AT(*read, io_loaded_asset, i) = *loaded;
  cdn_surface_retain(loaded->surface);
  return CDN_OK;
}

void io_forget_read(cdn_model *model) {
  for (size_t i = 0; i < model->read.count; i++) cdn_surface_release(CDNI_AT(model->read, io_loaded_asset, i).surface);
  cdni_array_free(&model->allocator, &model->read);
}

static const io_loaded_asset *find_asset(io_builder *b, const cdn_spec_shape *shape) {
  const cdn_asset_type wanted = shape->type == CDN_SHAPE_HFIELD ? CDN_ASSET_HFIELD : CDN_ASSET_MESH;
  const int i = shape->asset ? io_names_find(&b->asset_names[wanted], shape->asset) : -1;
  if (i < 0) return NULL;
  const cdn_spec_asset *asset = io_spec_asset(b->spec, i);
  io_loaded_asset *loaded = &b->loaded[i];
  if (loaded->tried) return loaded;
  cdn_status status = read_asset(b, i, asset, loaded);
  if (status == CDN_OK && wanted == CDN_ASSET_MESH) status = simplify(b, loaded);
  if (status == CDN_OK) return loaded;
  cdn_error error;
  cdn_last_error(&error);
  cdn_surface_release(loaded->surface);
  loaded->surface = NULL;
  if (b->lost_assets.count == 0) {
    snprintf(b->lost_reason, sizeof b->lost_reason, "%.390s", status == CDN_ERR_NOMEM ? "out of memory" : error.text);
    b->lost_line = shape->line;
    b->lost_word = asset->type == CDN_ASSET_HFIELD ? "height field" : "mesh";
  }
  const char *slash = strrchr(asset->name, '/'); /* URDF's have the name of their file */
  io_list_add(&b->lost_assets, slash ? slash + 1 : asset->name);
  return loaded;
}

/* ---- shapes ---- */

static const char *name_of(const cdn_spec_shape *shape) { return shape->name ? shape->name : "?"; }

/* False: the shape takes no part. */
static bool geometry_of(io_builder *b, const cdn_spec_shape *shape, io_ready_shape *out) {
  out->geometry = (cdn_geometry){ 0 };
  if (!io_geometry_kind(shape->type, &out->geometry.kind)) return false;
  out->X_BS = shape->X_BS;
  memcpy(out->geometry.size, shape->size, sizeof shape->size);
  if (shape->type == CDN_SHAPE_MESH || shape->type == CDN_SHAPE_HFIELD) {
    const io_loaded_asset *asset = find_asset(b, shape);
    if (!asset) {
      io_warn(b->log, shape->line, "shape '%.60s' is left out of contact: there is no %s '%.60s'", name_of(shape),
              shape->type == CDN_SHAPE_MESH ? "mesh" : "height field", shape->asset ? shape->asset : "?");
      return false;
    }
    if (!asset->surface) return false; /* the list of lost assets has it */
    out->geometry.surface = asset->surface;
    out->X_BS = cdn_transform_multiply(shape->X_BS, asset->X);
  }
  cdn_status fitted = CDN_OK;
  if (shape->fit_scale > 0) {
    const int i = shape->asset ? io_names_find(&b->asset_names[CDN_ASSET_MESH], shape->asset) : -1;
    fitted = i < 0 ? cdni_refuse(CDN_ERR_ARG, "cdn_model_build", "there is no mesh to fit it to")
                   : io_fit_shape(b->log, io_spec_asset(b->spec, i), shape, out->geometry.size, &out->X_BS);
  }
  if (fitted == CDN_OK && cdn_geometry_check(&out->geometry) == CDN_OK) return true;
  cdn_error error;
  cdn_last_error(&error);
  io_warn(b->log, shape->line, "shape '%.60s' is left out of contact: %s", name_of(shape), error.text);
  return false;
}

bool io_shape_takes_part(const io_builder *b, int i) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  cdn_geometry_kind kind;
  if (!io_geometry_kind(shape->type, &kind)) return false;
  return b->ready[i].paired || (shape->collision && (shape->contype != 0 || shape->conaffinity != 0));
}

static cdn_status name_assets(io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ASSET); i++) {
    const cdn_spec_asset *asset = io_spec_asset(b->spec, i);
    if (asset->type != CDN_ASSET_MESH && asset->type != CDN_ASSET_HFIELD) continue;
    if (io_names_add(&b->log->allocator, &b->asset_names[asset->type], asset->name, i) < 0)
      return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  return CDN_OK;
}

cdn_status io_load_geometries(io_builder *b) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SHAPE);
  CDNI_TRY(name_assets(b));
  for (int i = 0; i < n; i++)
    if (io_shape_takes_part(b, i)) b->ready[i].there = geometry_of(b, io_spec_shape(b->spec, i), &b->ready[i]);
    else if (io_is_sensed(b, i)) b->ready[i].seen = geometry_of(b, io_spec_shape(b->spec, i), &b->ready[i]);
  io_list *lost = &b->lost_assets;
  if (lost->count == 1)
    io_warn(b->log, b->lost_line, "%s %s is left out of contact: %s", b->lost_word, lost->text, b->lost_reason);
  else if (lost->count > 1)
    io_warn(b->log, b->lost_line, "%d meshes are left out of contact: %s%s; the first: %s", lost->count, lost->text,
            io_list_rest(lost), b->lost_reason);
  return b->log->error.code;
}
