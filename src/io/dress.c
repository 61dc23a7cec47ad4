/* What a model file says about looks becomes part of a scene: shapes with colours and meshes, named points, ranges. */
#include <math.h>
#include <stdio.h>

#include "io/dress.h"
#include "io/sensor.h"

/* ---- assets ---- */

static cdn_status name_assets(dresser *r, int n) {
  for (int i = 0; i < n; i++) {
    const cdn_spec_asset *asset = io_spec_asset(r->model->spec, i);
    if (asset->name && (int)asset->type >= 0 && (int)asset->type < CDNI_COUNT(r->names) &&
        io_names_add(&r->model->allocator, &r->names[asset->type], asset->name, i) < 0)
      return CDN_ERR_NOMEM;
  }
  return CDN_OK;
}

int io_dress_asset(const dresser *r, const char *name, cdn_asset_type type) {
  return name ? io_names_find(&r->names[type], name) : -1;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* The mesh or height field of a shape; NULL if it is not to be had. Points without triangles are their hull. */
static const io_loaded_asset *asset_of(dresser *r, const cdn_spec_shape *shape) {
  const int i = io_dress_asset(r, shape->asset, shape->type == CDN_SHAPE_MESH ? CDN_ASSET_MESH : CDN_ASSET_HFIELD);
  if (i < 0) return NULL;
  const cdn_spec_asset *asset = io_spec_asset(r->model->spec, i);
  io_loaded_asset *loaded = &CDNI_AT(r->loaded, io_loaded_asset, i);
  if (loaded->tried) return loaded->surface ? loaded : NULL;
  if (io_load_asset(r->log, asset, false, loaded) == CDN_OK || io_load_asset(r->log, asset, true, loaded) == CDN_OK) {
    if (io_says_up(r->log, asset)) io_list_add(&r->unturned, base_of(asset->name));
    return loaded;
  }
  cdn_error error;
  cdn_last_error(&error);
  loaded->surface = NULL;
  if (r->lost.count == 0) snprintf(r->reason, sizeof r->reason, "%.390s", error.text);
  io_list_add(&r->lost, base_of(asset->name));
  return NULL;
}

/* What a scene refuses is left out with a warning; lack of memory stays an error. */
static cdn_status leave_out(dresser *r, cdn_status status, int line, const char *what, const char *name) {
  if (status == CDN_OK || status == CDN_ERR_NOMEM) return status;
  cdn_error error;
  cdn_last_error(&error);
  io_warn(r->log, line, "%s '%s' is not shown: %s", what, name ? name : "?", error.text);
  return CDN_OK;
}

/* ---- shapes ---- */

static cdn_body find_body(const dresser *r, const char *name) {
  return name ? cdn_model_find_body(r->model, name) : cdn_ground();
}

static bool geometry_of(dresser *r, const cdn_spec_shape *shape, cdn_geometry *out, cdn_transform *X_BV) {
  *out = (cdn_geometry){ 0 };
  if (!io_geometry_kind(shape->type, &out->kind)) return false;
  *X_BV = shape->X_BS;
  memcpy(out->size, shape->size, sizeof out->size);
  if (shape->type == CDN_SHAPE_MESH || shape->type == CDN_SHAPE_HFIELD) {
    const io_loaded_asset *asset = asset_of(r, shape);
    cdn_surface_info info;
    if (!asset || cdn_surface_get_info(asset->surface, &info) != CDN_OK) return false;
    out->surface = asset->surface;
    out->kind = info.kind;
    *X_BV = cdn_transform_multiply(shape->X_BS, asset->X);
  }
  cdn_status fitted = CDN_OK;
  if (shape->fit_scale > 0) {
    const int i = io_dress_asset(r, shape->asset, CDN_ASSET_MESH);
    fitted = i < 0 ? cdni_refuse(CDN_ERR_ARG, "cdn_model_dress", "there is no mesh to fit it to")
                   : io_fit_shape(r->log, io_spec_asset(r->model->spec, i), shape, out->size, X_BV);
  }
  if (fitted == CDN_OK && cdn_geometry_check(out) == CDN_OK) return true;
  cdn_error error;
  cdn_last_error(&error);
  io_warn(r->log, shape->line, "shape '%s' is not shown: %s", shape->name ? shape->name : "?", error.text);
  return false;
}

static cdn_status add_visual(dresser *r, const cdn_spec_shape *shape, const cdn_visual_def *def) {
  return leave_out(r, cdn_scene_add_visual(r->scene, def, NULL), shape->line, "shape", shape->name);
}

/* A visual for each look that the mesh's own file has. */
static cdn_status add_parts(dresser *r, const cdn_spec_shape *shape, const dressed_mesh *mesh, cdn_visual_def *def) {
  for (int i = 0; i < mesh->n; i++) {
    CDNI_TRY(io_dress_part(r, &mesh->part[i], def));
    CDNI_TRY(add_visual(r, shape, def));
  }
  return CDN_OK;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

/* Where the mesh of a link's looks is not to be had, the shapes that it touches with are seen in its stead. */
static cdn_status add_stand_ins(dresser *r, const cdn_spec_shape *lost) {
  cdn_visual_def def = cdn_default_visual_def();
  def.body = find_body(r, lost->body);
  def.name = lost->name && lost->name[0] ? lost->name : lost->body;
  int n = 0;
  for (int i = 0; i < cdn_spec_count(r->model->spec, CDN_SPEC_SHAPE) && def.body.i >= 0 && lost->body; i++) {
    cdn_spec_shape shape;
    CDNI_TRY(cdn_spec_get_shape(r->model->spec, i, &shape));
    if (shape.visual || !shape.collision || !same_text(shape.body, lost->body) || !same_text(shape.part, lost->part))
      continue;
    if (!geometry_of(r, &shape, &def.geometry, &def.X_BV)) continue;
    CDNI_TRY(io_dress_paint(r, lost, &def));
    CDNI_TRY(leave_out(r, cdn_scene_add_visual(r->scene, &def, NULL), shape.line, "shape", shape.name));
    n++;
  }
  r->stand_ins += n > 0;
  return CDN_OK;
}

static cdn_status add_shape(dresser *r, const cdn_spec_shape *shape) {
  cdn_visual_def def = cdn_default_visual_def();
  if (!shape->visual && (!shape->collision || r->has_contact)) return CDN_OK;
  def.body = find_body(r, shape->body);
  if (def.body.i < 0) return CDN_OK;
  if (!geometry_of(r, shape, &def.geometry, &def.X_BV)) return shape->visual ? add_stand_ins(r, shape) : CDN_OK;
  def.name = shape->name && shape->name[0] ? shape->name : shape->body;
  def.collision = !shape->visual;
  def.group = shape->group >= 0 && shape->group < 32 ? shape->group : 0;
  if (shape->material && io_dress_asset(r, shape->material, CDN_ASSET_MATERIAL) < 0 &&
      !strstr(r->undefined.text, shape->material))
    io_list_add(&r->undefined, shape->material);
  const dressed_mesh *parts = io_dress_parts(r, shape);
  CDNI_TRY(io_dress_paint(r, shape, &def));
  return parts ? add_parts(r, shape, parts, &def) : add_visual(r, shape, &def);
}

/* ---- cameras and lights ---- */

/* For keep_pose: `rest` has no camera yet, and `state` is the State of rest. */
static cdn_status keep_pose_at(cdn_scene *rest, cdn_state *state, cdn_camera_def *camera) {
  cdn_camera_def fixed = *camera, follower = *camera;
  cdn_view_point at, from;
  fixed.mode = CDN_CAMERA_FIXED;
  follower.X_BC = cdn_transform_identity();
  CDNI_TRY(cdn_scene_add_camera(rest, &fixed));
  CDNI_TRY(cdn_scene_add_camera(rest, &follower));
  CDNI_TRY(cdn_scene_update(rest, state));
  CDNI_TRY(cdn_scene_camera_view(rest, 0, &at));
  CDNI_TRY(cdn_scene_camera_view(rest, 1, &from));
  camera->X_BC = (cdn_transform){ at.X_GC.R, cdn_sub(at.X_GC.p, from.X_GC.p) };
  return CDN_OK;
}

/* A camera that tracks keeps the place, relative to what it follows, and the axes in Ground that it has at rest. */
static cdn_status keep_pose(const dresser *r, cdn_camera_def *camera) {
  cdn_state *state = NULL;
  cdn_scene *rest = NULL;
  cdn_status status = cdn_state_create(r->model->system, &state);
  if (status == CDN_OK) status = cdn_scene_create(state, NULL, &rest);
  if (status == CDN_OK) status = keep_pose_at(rest, state, camera);
  cdn_scene_destroy(rest);
  cdn_state_destroy(state);
  return status;
}

static cdn_status add_camera(dresser *r, const cdn_spec_camera *camera) {
  cdn_camera_def def = cdn_default_camera_def();
  def.name = camera->name;
  def.body = find_body(r, camera->body);
  def.X_BC = camera->X_BC;
  def.fovy = camera->fovy;
  def.mode = camera->mode;
  def.target = find_body(r, camera->target);
  cdn_status status = CDN_OK;
  if (def.mode == CDN_CAMERA_TRACK || def.mode == CDN_CAMERA_TRACK_COM) status = keep_pose(r, &def);
  if (status == CDN_OK) status = cdn_scene_add_camera(r->scene, &def);
  return leave_out(r, status, camera->line, "camera", camera->name);
}

/* The same for a light: that of a camera which looks along it. */
static cdn_status keep_light(const dresser *r, cdn_light_def *light) {
  cdn_camera_def camera = cdn_default_camera_def();
  camera.body = light->body, camera.mode = light->mode, camera.target = light->target;
  camera.X_BC = (cdn_transform){ cdn_rotation_z_to(cdn_scale(-1, light->direction)), light->position };
  CDNI_TRY(keep_pose(r, &camera));
  light->position = camera.X_BC.p, light->direction = cdn_scale(-1, camera.X_BC.R.z);
  return CDN_OK;
}

static cdn_status add_light(dresser *r, const cdn_spec_light *light) {
  cdn_light_def def = cdn_default_light_def();
  def.body = find_body(r, light->body);
  def.position = light->position;
  def.direction = light->direction;
  def.directional = light->directional;
  def.mode = light->mode;
  def.target = find_body(r, light->target);
  memcpy(def.rgb, light->rgb, sizeof def.rgb);
  memcpy(def.attenuation, light->attenuation, sizeof def.attenuation);
  def.cutoff = light->cutoff, def.exponent = light->exponent;
  def.castshadow = light->castshadow;
  const bool tracks = def.mode == CDN_CAMERA_TRACK || def.mode == CDN_CAMERA_TRACK_COM;
  const cdn_status status = tracks && cdn_norm(def.direction) > 0 ? keep_light(r, &def) : CDN_OK;
  return leave_out(r, status == CDN_OK ? cdn_scene_add_light(r->scene, &def) : status, light->line, "light",
                   light->name);
}

/* ---- rays ---- */

/* Of a rangefinder that tells distances: each ray has `each` numbers, and the distance comes first. */
static cdn_status add_rays(const dresser *r, const cdn_spec_sensor *sensor, cdn_body body, cdn_measure measure, int n) {
  const int across = sensor->of_pixels ? (int)sensor->pixels[0] : 1,
            down = sensor->of_pixels ? (int)sensor->pixels[1] : 1;
  const int each = n / (across * down);
  for (int i = 0; i < across * down; i++) {
    cdn_vec3 eye, along;
    io_ray_line(sensor->focal, sensor->pixels, sensor->extent, sensor->of_pixels, i % across, i / across, &eye, &along);
    const cdn_transform X_BR = { cdn_rotation_multiply(sensor->X_BS.R, cdn_rotation_z_to(along)),
                                 cdn_transform_point(sensor->X_BS, eye) };
    CDNI_TRY(cdn_scene_add_ray(r->scene, body, X_BR, measure, i * each));
  }
  return CDN_OK;
}

static cdn_status add_sensor(const dresser *r, int i) {
  cdn_spec_sensor sensor;
  cdn_model_sensor made;
  CDNI_TRY(cdn_spec_get_sensor(r->model->spec, i, &sensor));
  if (sensor.kind != CDN_SENSOR_RANGE || !(sensor.data & CDN_RAY_DISTANCE)) return CDN_OK;
  const cdn_body body = find_body(r, sensor.body);
  const int at = cdn_model_find_sensor(r->model, sensor.name);
  if (body.i < 0 || at < 0) return CDN_OK;
  CDNI_TRY(cdn_model_get_sensor(r->model, at, &made));
  return made.measure.i < 0 ? CDN_OK : add_rays(r, &sensor, body, made.measure, made.n);
}

/* ---- all ---- */

static cdn_status dress(dresser *r) {
  cdn_model *m = r->model;
  const int n_assets = cdn_spec_count(m->spec, CDN_SPEC_ASSET);
  if (name_assets(r, n_assets) != CDN_OK ||
      (n_assets > 0 && (!cdni_array_extend(&m->allocator, &r->loaded, sizeof(io_loaded_asset), (size_t)n_assets) ||
                        !cdni_array_extend(&m->allocator, &r->meshes, sizeof(dressed_mesh), (size_t)n_assets))))
    return cdni_refuse(CDN_ERR_NOMEM, "cdn_model_dress", "out of memory");
  for (int i = 0; i < cdn_spec_count(m->spec, CDN_SPEC_SHAPE); i++) {
    cdn_spec_shape shape;
    CDNI_TRY(cdn_spec_get_shape(m->spec, i, &shape));
    CDNI_TRY(add_shape(r, &shape));
  }
  if (r->lost.count > 0)
    io_warn(r->log, 0, "not shown: %s%s%s; the first: %s", r->lost.text, io_list_rest(&r->lost),
            r->stand_ins > 0 ? " (shapes that touch are seen in place of it)" : "", r->reason);
  if (r->undefined.count > 0)
    io_warn(r->log, 0, "materials that are not defined: %s%s; what has them is grey, or has the colours of its mesh",
            r->undefined.text, io_list_rest(&r->undefined));
  if (r->unturned.count > 0)
    io_warn(r->log, 0,
            "meshes that say which axis is up (<up_axis>) are not turned for it, as in RViz: %s%s; "
            "if they lie wrong, export "
            "them with Z_UP",
            r->unturned.text, io_list_rest(&r->unturned));
  for (int i = 0; i < cdn_spec_count(m->spec, CDN_SPEC_CAMERA); i++)
    CDNI_TRY(add_camera(r, io_spec_camera(m->spec, i)));
  for (int i = 0; i < cdn_spec_count(m->spec, CDN_SPEC_LIGHT); i++) CDNI_TRY(add_light(r, io_spec_light(m->spec, i)));
  CDNI_TRY(io_dress_sky(r));
  io_dress_tell(r);
  for (int i = 0; i < cdn_model_frame_count(m); i++) {
    cdn_model_frame f;
    CDNI_TRY(cdn_model_get_frame(m, i, &f));
    if (f.name) CDNI_TRY(cdn_scene_add_point(r->scene, f.name, f.body, f.X_BF));
  }
  for (int i = 0; i < cdn_spec_count(m->spec, CDN_SPEC_SENSOR); i++) CDNI_TRY(add_sensor(r, i));
  for (int i = 0; i < cdn_model_joint_count(m); i++) {
    const cdn_model_joint j = cdn_model_get_joint(m, i);
    if (j.nq == 1 && (isfinite(j.lower) || isfinite(j.upper)))
      CDNI_TRY(cdn_scene_add_range(r->scene, j.mobilized, 0, j.lower, j.upper));
  }
  /* a warning that could not be kept */
  return r->log->error.code == CDN_ERR_NOMEM ? cdni_refuse(CDN_ERR_NOMEM, "cdn_model_dress", "out of memory") : CDN_OK;
}

cdn_status cdn_model_dress(cdn_model *model, cdn_scene *scene) {
  static const char function[] = "cdn_model_dress";
  CDNI_NEED_OBJECT(model, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  if (!model->spec || cdn_scene_system(scene) != model->system)
    return cdni_refuse(CDN_ERR_ARG, function, "the scene shows another System than the model's");
  dresser r = {
    .model = model, .scene = scene, .log = &model->spec->log, .has_contact = cdn_system_shape_count(model->system) > 0
  };
  const cdn_status status = dress(&r);
  for (size_t i = 0; i < r.loaded.count; i++) cdn_surface_release(CDNI_AT(r.loaded, io_loaded_asset, i).surface);
  cdni_array_free(&model->allocator, &r.loaded);
  io_dress_free(&r);
  for (int i = 0; i < CDNI_COUNT(r.names); i++) io_names_free(&model->allocator, &r.names[i]);
  return status;
}

cdn_status cdn_model_create_scene(cdn_model *model, cdn_state *state, const cdn_scene_def *def, cdn_scene **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(model, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_scene *scene;
  CDNI_TRY(cdn_scene_create(state, def, &scene));
  cdn_status status = cdn_model_dress(model, scene);
  if (status == CDN_OK) status = cdn_scene_complete(scene, state);
  if (status == CDN_OK) status = cdn_scene_update(scene, state);
  if (status == CDN_OK) *out = scene;
  else cdn_scene_destroy(scene);
  return status;
}
