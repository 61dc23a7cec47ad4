/* Looking at a frame: the ball about it, cameras, and what a ray meets. */
#include <math.h>

#include "scene/internal.h"

/* ---- how large ---- */

static cdn_transform visual_pose(const cdn_scene *scene, const cdn_visual *v) {
  return cdn_transform_multiply(scene->poses[v->body.i], v->X_BV);
}

typedef struct box {
  double least[3], most[3];
} box;

static void include(box *b, cdn_vec3 least, cdn_vec3 most) {
  const double l[3] = { least.x, least.y, least.z }, m[3] = { most.x, most.y, most.z };
  for (int k = 0; k < 3; k++) b->least[k] = fmin(b->least[k], l[k]), b->most[k] = fmax(b->most[k], m[k]);
}

/* What people look at: looks of the groups that viewers show; without any, all looks; without any, what there is. */
enum { SHOWN_GROUPS = 3 };
static int rank_of(const cdn_visual *v) { return v->collision ? 2 : v->group >= SHOWN_GROUPS ? 1 : 0; }

bool cdn_scene_bounds(const cdn_scene *scene, cdn_vec3 *least_G, cdn_vec3 *most_G) {
  CDNI_NEED_OBJECT(scene, false);
  CDNI_NEED_OBJECT(least_G, false);
  CDNI_NEED_OBJECT(most_G, false);
  box b = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
  bool any = false;
  int best = 2;
  for (size_t i = 0; i < scene->visuals.count; i++) {
    const cdn_visual *v = scene_visual(scene, (int)i);
    if (v->geometry.kind != CDN_GEOMETRY_HALF_SPACE && rank_of(v) < best) best = rank_of(v);
  }
  for (size_t i = 0; scene->has_frame && i < scene->visuals.count; i++) {
    const cdn_visual *v = scene_visual(scene, (int)i);
    const cdn_transform X = visual_pose(scene, v);
    cdn_vec3 least, most;
    if (v->geometry.kind == CDN_GEOMETRY_HALF_SPACE || rank_of(v) > best) continue;
    if (cdn_geometry_bounds(&v->geometry, &X, &least, &most) != CDN_OK) continue;
    if (!isfinite(least.x + least.y + least.z + most.x + most.y + most.z)) continue;
    include(&b, least, most);
    any = true;
  }
  for (int i = 0; scene->has_frame && !any && i < scene->n_bodies; i++)
    include(&b, scene->poses[i].p, scene->poses[i].p);
  const bool found = isfinite(b.least[0]);
  *least_G = found ? cdn_v3(b.least[0], b.least[1], b.least[2]) : cdn_v3(0, 0, 0);
  *most_G = found ? cdn_v3(b.most[0], b.most[1], b.most[2]) : cdn_v3(0, 0, 0);
  return found;
}

/* ---- cameras ---- */

/* z is the direction from what is looked at to the camera. */
static cdn_rotation turn_to(cdn_vec3 z, cdn_vec3 up) {
  z = cdn_scale(1 / cdn_norm(z), z);
  cdn_vec3 x = cdn_cross(up, z);
  if (!(cdn_norm(x) > 1e-9 * cdn_norm(up))) x = cdn_cross(fabs(z.x) < 0.9 ? cdn_v3(1, 0, 0) : cdn_v3(0, 1, 0), z);
  x = cdn_scale(1 / cdn_norm(x), x);
  return (cdn_rotation){ x, cdn_cross(z, x), z };
}

/* The camera looks at the middle of the box, from where every corner is within the picture and the margin. */
cdn_status cdn_fit_view(cdn_vec3 least_G, cdn_vec3 most_G, cdn_vec3 direction, cdn_vec3 up, double aspect,
                        cdn_view_point *out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  static const double margin = 1.06;
  const double away = cdn_norm(direction), high = cdn_norm(up);
  if (!(away > 0) || !isfinite(away) || !(high > 0) || !isfinite(high) || !(aspect > 0) || !isfinite(aspect))
    return cdni_refuse(CDN_ERR_ARG, "cdn_fit_view",
                       "the direction and the way up must have a length, and the aspect must be above 0");
  cdn_vec3 half = cdn_scale(0.5, cdn_sub(most_G, least_G));
  if (!isfinite(cdn_norm(half)) || half.x < 0 || half.y < 0 || half.z < 0)
    return cdni_refuse(CDN_ERR_ARG, "cdn_fit_view", "the box must have finite numbers, and no side below 0");
  if (!(cdn_norm(half) > 0)) half = cdn_v3(0.5, 0.5, 0.5);
  out->fovy = 0.6;
  out->X_GC.R = turn_to(direction, up);
  const double tan_y = tan(0.5 * out->fovy) / margin, tan_x = tan_y * aspect;
  double distance = 0;
  for (int i = 0; i < 8; i++) {
    const cdn_vec3 corner = cdn_v3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    const cdn_vec3 c = cdn_rotate_inv(out->X_GC.R, corner);
    distance = fmax(distance, c.z + fmax(fabs(c.x) / tan_x, fabs(c.y) / tan_y));
  }
  out->X_GC.p = cdn_add(cdn_scale(0.5, cdn_add(least_G, most_G)), cdn_scale(distance, out->X_GC.R.z));
  return CDN_OK;
}

cdn_status cdn_scene_fit(const cdn_scene *scene, cdn_vec3 direction, cdn_vec3 up, double aspect, cdn_view_point *out) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  cdn_vec3 least, most;
  cdn_scene_bounds(scene, &least, &most);
  return cdn_fit_view(least, most, direction, up, aspect, out);
}

static bool tracks(const cdn_camera_def *c) { return c->mode == CDN_CAMERA_TRACK || c->mode == CDN_CAMERA_TRACK_COM; }
static bool turns(const cdn_camera_def *c) { return c->mode == CDN_CAMERA_TARGET || c->mode == CDN_CAMERA_TARGET_COM; }

/* The centre of mass of a body and all bodies outboard of it; the body's origin if they have no mass. */
static cdn_vec3 subtree_com(cdn_scene *scene, const cdn_state *state, cdn_body root) {
  double mass = 0;
  cdn_vec3 moment = cdn_v3(0, 0, 0);
  memset(scene->outboard, 0, (size_t)scene->n_bodies * sizeof *scene->outboard);
  for (int b = root.i; b < scene->n_bodies; b++) {
    const cdn_body body = { b };
    scene->outboard[b] = b == root.i || scene->outboard[cdn_body_parent(scene->system, body).i];
    if (!scene->outboard[b] || b == 0) continue;
    const cdn_mass_properties m = cdn_body_mass_properties(state, body);
    mass += m.mass;
    moment = cdn_add(moment, cdn_scale(m.mass, cdn_transform_point(scene->poses[b], m.com)));
  }
  return mass > 0 ? cdn_scale(1 / mass, moment) : scene->poses[root.i].p;
}

static bool follows_com(const cdn_camera_def *c) {
  return c->mode == CDN_CAMERA_TRACK_COM || c->mode == CDN_CAMERA_TARGET_COM;
}
static cdn_body followed(const cdn_camera_def *c) { return turns(c) ? c->target : c->body; }

static void aim(cdn_scene *scene, const cdn_state *state, scene_camera *c) {
  c->has_com = follows_com(&c->def);
  if (c->has_com) c->com_G = subtree_com(scene, state, followed(&c->def));
}

void cdni_scene_aim(cdn_scene *scene, const cdn_state *state) {
  for (size_t i = 0; i < scene->cameras.count; i++) aim(scene, state, &CDNI_AT(scene->cameras, scene_camera, i));
  for (size_t i = 0; i < scene->lights.count; i++) aim(scene, state, &CDNI_AT(scene->lights, scene_light, i).eye);
}

/* False: it is newer than the frame. */
static bool pose_of(const cdn_scene *scene, const scene_camera *c, cdn_transform *X_GC) {
  if (!scene->has_frame || (follows_com(&c->def) && !c->has_com)) return false;
  const cdn_vec3 follows_G = c->has_com ? c->com_G : scene->poses[followed(&c->def).i].p;
  *X_GC = cdn_transform_multiply(scene->poses[c->def.body.i], c->def.X_BC);
  if (tracks(&c->def)) *X_GC = (cdn_transform){ c->def.X_BC.R, cdn_add(follows_G, c->def.X_BC.p) };
  const cdn_vec3 away = cdn_sub(X_GC->p, follows_G);
  if (turns(&c->def) && cdn_norm(away) > 0) X_GC->R = turn_to(away, cdn_v3(0, 0, 1));
  return true;
}

cdn_status cdn_scene_camera_view(const cdn_scene *scene, int i, cdn_view_point *out) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  if (i < 0 || (size_t)i >= scene->cameras.count || !scene->has_frame)
    return cdni_refuse(CDN_ERR_ARG, __func__, "there is no camera %d: the scene has %zu, and needs an update first", i,
                       scene->cameras.count);
  const scene_camera *c = &CDNI_AT(scene->cameras, scene_camera, i);
  out->fovy = c->def.fovy;
  if (pose_of(scene, c, &out->X_GC)) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, __func__, "camera '%s' is newer than the frame: update the scene first", c->def.name);
}

cdn_status cdn_scene_light_ray(const cdn_scene *scene, int i, cdn_vec3 *position_G, cdn_vec3 *direction_G) {
  cdn_transform X;
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  const scene_light *light = cdni_scene_element(&scene->lights, i, __func__, "light");
  if (!light) return CDN_ERR_ARG;
  if (!pose_of(scene, &light->eye, &X))
    return cdni_refuse(CDN_ERR_ARG, __func__, "light %d is newer than the frame: update the scene first", i);
  if (position_G) *position_G = X.p;
  if (direction_G) *direction_G = cdn_scale(-1, X.R.z);
  return CDN_OK;
}

/* ---- picking ---- */

cdn_status cdn_scene_pick(const cdn_scene *scene, cdn_vec3 origin_G, cdn_vec3 direction_G, uint32_t groups,
                          cdn_pick *out) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = (cdn_pick){ .visual = -1, .body = { -1 }, .distance = INFINITY };
  const double length = cdn_norm(direction_G);
  if (!(length > 0) || !isfinite(length) || !isfinite(origin_G.x + origin_G.y + origin_G.z))
    return cdni_refuse(CDN_ERR_ARG, "cdn_scene_pick",
                       "the ray's numbers must be finite, and its direction must not be 0");
  for (size_t i = 0; scene->has_frame && i < scene->visuals.count; i++) {
    const cdn_visual *v = scene_visual(scene, (int)i);
    if (!(groups >> v->group & 1)) continue;
    const cdn_transform X = visual_pose(scene, v);
    cdn_ray_hit hit;
    int n;
    CDNI_TRY(cdn_geometry_ray(&v->geometry, &X, origin_G, direction_G, out->distance, 1, &hit, &n));
    if (n > 0 && hit.distance < out->distance)
      *out = (cdn_pick){ (int)i, v->body, hit.distance, hit.point, hit.normal };
  }
  return CDN_OK;
}
