/* Scenes: what does not move on its body, and the life of a scene. */
#include <math.h>
#include <stdio.h>

#include <cardan/contact.h>
#include <cardan/measures.h>

#include "core/sized.h"
#include "geometry/kind.h"
#include "matter/checks.h"
#include "geometry/kind.h"
#include "scene/internal.h"
#include "system/system.h"

#define IDENTITY                                           \
  {                                                        \
    { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } \
  }

CDNI_DEF(scene_def, .layers = CDN_LAYER_CONTACTS | CDN_LAYER_OWN | CDN_LAYER_PATHS | CDN_LAYER_RAYS);
CDNI_DEF(visual_def, .geometry.kind = (cdn_geometry_kind)-1, .X_BV = IDENTITY, .rgba = { 0.6, 0.6, 0.6, 1 },
         .rgb2 = { 0.8, 0.8, 0.8 }, .tile = { 1, 1 }, .texture = -1,
         .place = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } }, .specular = 0.5, .shininess = 0.5);
CDNI_DEF(camera_def, .X_BC = IDENTITY, .fovy = 0.785398163397448309616);
CDNI_DEF(light_def, .direction = { 0, 0, -1 }, .directional = true, .rgb = { 1, 1, 1 },
         .cutoff = 3.14159265358979323846, .attenuation = { 1 }, .castshadow = true);

bool cdni_scene_has_body(const cdn_scene *scene, cdn_body body) { return body.i >= 0 && body.i < scene->n_bodies; }

cdn_status cdni_scene_no_memory(const char *function) {
  return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for the scene");
}

static cdn_status no_body(const cdn_scene *scene, const char *function, cdn_body body) {
  return cdni_refuse(CDN_ERR_ARG, function, "there is no body %d in this System: it has bodies 0 to %d", (int)body.i,
                     scene->n_bodies - 1);
}

/* ---- lists of a scene ---- */

char *cdni_scene_name(const cdn_scene *scene, const char *name, const char *type, const cdni_array *list) {
  char made_up[32];
  snprintf(made_up, sizeof made_up, "%s%zu", type, list->count);
  return cdni_strdup(&scene->allocator, name ? name : made_up);
}

const void *cdni_scene_element(const cdni_array *list, int i, const char *function, const char *type) {
  if (i >= 0 && (size_t)i < list->count) return (const char *)list->data + (size_t)i * list->element;
  cdni_refuse(CDN_ERR_ARG, function, "there is no %s %d: the scene has %zu", type, i, list->count);
  return NULL;
}

/* ---- visuals ---- */

/* How many numbers the places of a mesh's corners are. */
static size_t corner_count(const cdn_geometry *g) {
  cdn_surface_info info;
  return g->surface && cdn_surface_get_info(g->surface, &info) == CDN_OK ? 6 * (size_t)info.n_triangles : 0;
}

static void free_visual(const cdn_scene *scene, cdn_visual *v) {
  const size_t bytes = v->corners ? corner_count(&v->geometry) * sizeof(float) : 0;
  cdni_strfree(&scene->allocator, (char *)v->name);
  cdni_free(&scene->allocator, (void *)v->corners, bytes);
}

static double part_of_one(double x) { return fmin(fmax(x, 0), 1); }

/* Without a skeleton flag; the def was read and the geometry is one. */
static cdn_status store_visual(cdn_scene *scene, const char *function, const cdn_visual_def *d) {
  cdn_visual v = { .name = cdni_scene_name(scene, d->name, "visual", &scene->visuals),
                   .body = d->body,
                   .geometry = d->geometry,
                   .X_BV = d->X_BV,
                   .group = d->group,
                   .collision = d->collision,
                   .pattern = d->pattern,
                   .texture = d->texture,
                   .specular = part_of_one(d->specular),
                   .shininess = part_of_one(d->shininess),
                   .emission = part_of_one(d->emission),
                   .reflectance = part_of_one(d->reflectance) };
  memcpy(v.place, d->place, sizeof v.place);
  for (int k = 0; k < 4; k++) v.rgba[k] = part_of_one(d->rgba[k]);
  for (int k = 0; k < 3; k++) v.rgb2[k] = part_of_one(d->rgb2[k]);
  for (int k = 0; k < 2; k++) v.tile[k] = d->tile[k], v.half[k] = fmax(d->half[k], 0);
  if (!kind_of(&v.geometry)->has_surface) v.geometry.surface = NULL;
  const size_t bytes = d->corners && d->texture >= 0 ? corner_count(&v.geometry) * sizeof(float) : 0;
  float *corners = bytes > 0 ? cdni_alloc(&scene->allocator, bytes) : NULL;
  if (corners) v.corners = memcpy(corners, d->corners, bytes);
  if (!v.name || (bytes > 0 && !corners) || !cdni_array_push(&scene->allocator, &scene->visuals, sizeof v, &v)) {
    free_visual(scene, &v);
    return cdni_scene_no_memory(function);
  }
  if (v.geometry.surface) cdn_surface_retain(v.geometry.surface);
  scene->is_measured = false;
  return CDN_OK;
}

cdn_status cdn_scene_add_visual(cdn_scene *scene, const cdn_visual_def *def, int *visual) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(def, CDN_ERR_ARG);
  cdn_visual_def d;
  const char *unreadable = read_visual_def(&d, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!cdni_scene_has_body(scene, d.body)) return no_body(scene, __func__, d.body);
  CDNI_TRY(cdn_geometry_check(&d.geometry));
  if (cdni_check_frame(d.X_BV) != CDN_OK || !cdni_all_finite(d.rgba, 4, NULL))
    return cdni_refuse(
        CDN_ERR_ARG, __func__,
        "visual '%s': its frame must have finite numbers and axes that are right-handed unit vectors, and "
        "its colour must have finite numbers",
        d.name ? d.name : "?");
  if (d.pattern < 0 || d.pattern >= CDN_PATTERN_COUNT || !cdni_all_finite(d.rgb2, 3, NULL) ||
      !cdni_all_finite(d.half, 2, NULL) || !(d.tile[0] > 0 && d.tile[1] > 0) || !cdni_all_finite(d.tile, 2, NULL))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "visual '%s': its pattern must be one of cdn_pattern, with finite numbers and tiles above 0",
                       d.name ? d.name : "?");
  const double looks[] = { d.specular, d.shininess, d.emission, d.reflectance };
  const bool is_mesh = d.geometry.kind == CDN_GEOMETRY_MESH || d.geometry.kind == CDN_GEOMETRY_CONVEX;
  if (d.texture >= (int)scene->textures.count || !cdni_all_finite(&d.place[0][0], 12, NULL) ||
      !cdni_all_finite(looks, CDNI_COUNT(looks), NULL) ||
      (d.corners && (!is_mesh || d.texture < 0 || scene_texture(scene, d.texture)->cube)))
    return cdni_refuse(
        CDN_ERR_ARG, __func__,
        "visual '%s': its texture must be one of the scene's, its numbers must be finite, and corners are "
        "for a mesh with a texture that is no cube",
        d.name ? d.name : "?");
  if (d.group < 0 || d.group > 31)
    return cdni_refuse(CDN_ERR_ARG, __func__, "visual '%s': its group is %d: it must be 0 to 31", d.name ? d.name : "?",
                       d.group);
  CDNI_TRY(store_visual(scene, __func__, &d));
  if (visual) *visual = (int)scene->visuals.count - 1;
  return CDN_OK;
}

/* The shapes of contact, as this State has them. */
static cdn_status add_contact_shapes(cdn_scene *scene, cdn_state *state) {
  for (int i = 0; i < cdn_system_shape_count(scene->system); i++) {
    const cdn_shape shape = { i };
    cdn_visual_def d = visual_def_defaults;
    cdn_transform X_GS, X_GB;
    d.name = cdn_shape_name(scene->system, shape);
    d.body = cdn_shape_body(scene->system, shape);
    CDNI_TRY(cdn_shape_get(state, shape, &d.geometry, &X_GS));
    CDNI_TRY(cdn_body_pose(state, d.body, &X_GB));
    d.X_BV = cdn_transform_multiply(cdn_transform_invert(X_GB), X_GS);
    d.collision = true;
    CDNI_TRY(store_visual(scene, "cdn_scene_create", &d));
  }
  return CDN_OK;
}

/* ---- points, ranges, cameras, lights ---- */

cdn_status cdn_scene_add_point(cdn_scene *scene, const char *name, cdn_body body, cdn_transform X_BP) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(name, CDN_ERR_ARG);
  if (!cdni_scene_has_body(scene, body)) return no_body(scene, __func__, body);
  if (cdni_check_frame(X_BP) != CDN_OK)
    return cdni_refuse(CDN_ERR_ARG, __func__, "point '%s': its frame is not one", name);
  const scene_point p = { cdni_strdup(&scene->allocator, name), body, X_BP };
  if (p.name && cdni_array_push(&scene->allocator, &scene->points, sizeof p, &p)) return CDN_OK;
  cdni_strfree(&scene->allocator, p.name);
  return cdni_scene_no_memory(__func__);
}

cdn_status cdn_scene_add_range(cdn_scene *scene, cdn_body body, int k, double lower, double upper) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  if (!cdni_scene_has_body(scene, body)) return no_body(scene, __func__, body);
  if (k < 0 || k >= cdn_body_nq(scene->system, body) || isnan(lower) || isnan(upper))
    return cdni_refuse(CDN_ERR_ARG, __func__, "body '%s' has %d coordinates, and a bound must be a number",
                       cdn_body_name(scene->system, body), cdn_body_nq(scene->system, body));
  const scene_range r = { body, k, lower, upper };
  return cdni_array_push(&scene->allocator, &scene->ranges, sizeof r, &r) ? CDN_OK : cdni_scene_no_memory(__func__);
}

cdn_status cdn_scene_add_ray(cdn_scene *scene, cdn_body body, cdn_transform X_BR, cdn_measure measure, int k) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  if (!cdni_scene_has_body(scene, body)) return no_body(scene, __func__, body);
  if (cdni_check_frame(X_BR) != CDN_OK) return cdni_refuse(CDN_ERR_ARG, __func__, "the frame of the ray is not one");
  const int n = cdn_measure_size(scene->system, measure);
  if (k < 0 || k >= n) return cdni_refuse(CDN_ERR_ARG, __func__, "measure %d has %d numbers", (int)measure.i, n);
  const scene_ray r = { body, X_BR, measure, k };
  return cdni_array_push(&scene->allocator, &scene->rays, sizeof r, &r) ? CDN_OK : cdni_scene_no_memory(__func__);
}

cdn_status cdn_scene_add_camera(cdn_scene *scene, const cdn_camera_def *def) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(def, CDN_ERR_ARG);
  cdn_camera_def d;
  const char *unreadable = read_camera_def(&d, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!cdni_scene_has_body(scene, d.body)) return no_body(scene, __func__, d.body);
  if (!cdni_scene_has_body(scene, d.target)) return no_body(scene, __func__, d.target);
  if (cdni_check_frame(d.X_BC) != CDN_OK || !(d.fovy > 0 && d.fovy < 3.14159) ||
      (unsigned)d.mode >= CDN_CAMERA_MODE_COUNT)
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "camera '%s': its frame is not one, its angle of view is not within 0 and pi, or its mode "
                       "is none",
                       d.name ? d.name : "?");
  scene_camera camera = { .def = d };
  camera.def.name = cdni_scene_name(scene, d.name, "camera", &scene->cameras);
  if (camera.def.name && cdni_array_push(&scene->allocator, &scene->cameras, sizeof camera, &camera)) return CDN_OK;
  cdni_strfree(&scene->allocator, (char *)camera.def.name);
  return cdni_scene_no_memory(__func__);
}

cdn_status cdn_scene_add_light(cdn_scene *scene, const cdn_light_def *def) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(def, CDN_ERR_ARG);
  cdn_light_def d;
  const char *unreadable = read_light_def(&d, def);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!cdni_scene_has_body(scene, d.body)) return no_body(scene, __func__, d.body);
  if (!cdni_scene_has_body(scene, d.target)) return no_body(scene, __func__, d.target);
  const double numbers[] = { d.position.x,  d.position.y, d.position.z, d.direction.x, d.direction.y,
                             d.direction.z, d.rgb[0],     d.rgb[1],     d.rgb[2] };
  if (!cdni_all_finite(numbers, CDNI_COUNT(numbers), NULL) || !(cdn_norm(d.direction) > 0) ||
      (unsigned)d.mode >= CDN_CAMERA_MODE_COUNT)
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "a light's numbers must be finite, its direction must not be 0, and its mode must be one");
  const double *a = d.attenuation;
  if (!(d.cutoff > 0) || !(d.exponent >= 0) || !isfinite(d.exponent) || !cdni_all_finite(a, 3, NULL) ||
      !(a[0] >= 0 && a[1] >= 0 && a[2] >= 0 && a[0] + a[1] + a[2] > 0))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "a light's cutoff must be above 0, its exponent and attenuation must not be negative, and the "
                       "attenuation must not be 0 0 0");
  scene_light light = { .def = d };
  light.eye.def = (cdn_camera_def){ .body = d.body, .mode = d.mode, .target = d.target };
  light.eye.def.X_BC = (cdn_transform){ cdn_rotation_z_to(cdn_scale(-1, d.direction)), d.position };
  return cdni_array_push(&scene->allocator, &scene->lights, sizeof light, &light) ? CDN_OK
                                                                                  : cdni_scene_no_memory(__func__);
}

/* ---- asking ---- */

const cdn_system *cdn_scene_system(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, NULL);
  return scene->system;
}

void cdn_scene_set_layers(cdn_scene *scene, uint32_t layers) {
  CDNI_NEED_OBJECT_OR_NOTHING(scene);
  scene->layers = layers;
}

uint32_t cdn_scene_layers(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return scene->layers;
}

int cdn_scene_visual_count(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return (int)scene->visuals.count;
}

cdn_status cdn_scene_visual_sized(const cdn_scene *scene, int i, cdn_visual *out, size_t size) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const cdn_visual *v = cdni_scene_element(&scene->visuals, i, "cdn_scene_visual", "visual");
  if (!v) return CDN_ERR_ARG;
  cdni_sized_write(out, size, v, sizeof *v);
  return CDN_OK;
}

int cdn_scene_camera_count(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return (int)scene->cameras.count;
}

const char *cdn_scene_camera_name(const cdn_scene *scene, int i) {
  CDNI_NEED_OBJECT(scene, NULL);
  return i >= 0 && (size_t)i < scene->cameras.count ? CDNI_AT(scene->cameras, scene_camera, i).def.name : NULL;
}

cdn_status cdn_scene_camera_sized(const cdn_scene *scene, int i, cdn_camera_def *out, size_t size) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const scene_camera *camera = cdni_scene_element(&scene->cameras, i, "cdn_scene_camera", "camera");
  if (!camera) return CDN_ERR_ARG;
  cdn_camera_def d = camera->def;
  d.struct_size = (uint32_t)size;
  cdni_sized_write(out, size, &d, sizeof d);
  return CDN_OK;
}

int cdn_scene_light_count(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return (int)scene->lights.count;
}

cdn_status cdn_scene_light_sized(const cdn_scene *scene, int i, cdn_light_def *out, size_t size) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  const scene_light *light = cdni_scene_element(&scene->lights, i, "cdn_scene_light", "light");
  if (!light) return CDN_ERR_ARG;
  cdn_light_def d = light->def;
  d.struct_size = (uint32_t)size;
  cdni_sized_write(out, size, &d, sizeof d);
  return CDN_OK;
}

/* ---- life ---- */

static cdn_status fill(cdn_scene *scene, cdn_state *state) {
  double moving = 0;
  CDNI_TRY(cdn_system_mass(state, NULL, &moving));
  scene->weight = 9.81 * (moving > 0 ? moving : 1);
  return add_contact_shapes(scene, state);
}

cdn_status cdn_scene_create(cdn_state *state, const cdn_scene_def *def, cdn_scene **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_scene_def d = scene_def_defaults;
  const char *unreadable = def ? read_scene_def(&d, def) : NULL;
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_system_body_count(system);
  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_scene *scene = cdni_calloc(a, sizeof *scene);
  if (!scene) return cdni_scene_no_memory(__func__);
  scene->system = system;
  scene->allocator = *a;
  scene->sky = -1;
  scene->layers = d.layers;
  scene->n_bodies = n;
  scene->poses = cdni_calloc(a, (size_t)n * sizeof *scene->poses);
  scene->loads = cdni_calloc(a, (size_t)n * sizeof *scene->loads);
  scene->outboard = cdni_calloc(a, (size_t)n * sizeof *scene->outboard);
  cdn_system_retain(system);
  const cdn_status status = n > 0 && (!scene->poses || !scene->loads || !scene->outboard)
                                ? cdni_scene_no_memory(__func__)
                                : fill(scene, state);
  if (status == CDN_OK) *out = scene;
  else cdn_scene_destroy(scene);
  return status;
}

void cdn_scene_destroy(cdn_scene *scene) {
  if (!scene) return;
  const cdn_system *system = scene->system;
  const cdn_allocator a = scene->allocator;
  for (size_t i = 0; i < scene->visuals.count; i++) {
    const cdn_surface *surface = scene_visual(scene, (int)i)->geometry.surface;
    free_visual(scene, scene_visual(scene, (int)i));
    if (surface) cdn_surface_release(surface);
  }
  for (size_t i = 0; i < scene->points.count; i++) cdni_strfree(&a, CDNI_AT(scene->points, scene_point, i).name);
  for (size_t i = 0; i < scene->cameras.count; i++)
    cdni_strfree(&a, (char *)CDNI_AT(scene->cameras, scene_camera, i).def.name);
  cdni_scene_free_textures(scene);
  cdni_array *arrays[] = { &scene->visuals, &scene->points, &scene->ranges,   &scene->cameras, &scene->lights,
                           &scene->marks,   &scene->text,   &scene->textures, &scene->rays };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(&a, arrays[i]);
  cdni_free(&a, scene->poses, (size_t)scene->n_bodies * sizeof *scene->poses);
  cdni_free(&a, scene->loads, (size_t)scene->n_bodies * sizeof *scene->loads);
  cdni_free(&a, scene->outboard, (size_t)scene->n_bodies * sizeof *scene->outboard);
  cdni_free(&a, scene, sizeof *scene);
  cdn_system_release(system);
}
