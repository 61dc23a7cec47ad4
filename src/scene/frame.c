/* A frame: the poses of all bodies, and the marks of the layers that are on. */
#include <math.h>

#include "scene/internal.h"
#include "system/system.h"

static scene_layer_fn *const layers[] = {
  cdni_marks_joints, cdni_marks_frames, cdni_marks_masses, cdni_marks_constraints, cdni_marks_contacts,
  cdni_marks_forces, cdni_marks_points, cdni_marks_labels, cdni_marks_own,         cdni_marks_cones,
  cdni_marks_rows,   cdni_marks_paths,  cdni_marks_rays,   cdni_marks_media,       cdni_marks_statuses,
};
_Static_assert((1 << CDNI_COUNT(layers)) - 1 == CDN_LAYER_ALL, "each layer has a function");

/* Lengths that suit the model; they stay the same while the visuals do. */
static void measure(cdn_scene *scene) {
  cdn_vec3 least, most;
  cdn_scene_bounds(scene, &least, &most);
  const double radius = 0.5 * cdn_norm(cdn_sub(most, least));
  scene->scale = radius > 0 ? radius / 20 : 0.05;
  scene->force_scale = 10 * scene->scale / scene->weight;
  scene->is_measured = true;
}

cdn_status cdn_scene_update(cdn_scene *scene, cdn_state *state) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (cdn_state_system(state) != scene->system)
    return cdni_refuse(CDN_ERR_ARG, "cdn_scene_update", "the State belongs to another System than the scene");
  scene->marks.count = scene->text.count = 0;
  if (scene->n_bodies > 0) scene->poses[0] = cdn_transform_identity();
  for (int b = 1; b < scene->n_bodies; b++) CDNI_TRY(cdn_body_pose(state, (cdn_body){ b }, &scene->poses[b]));
  scene->time = cdn_state_time(state);
  scene->has_frame = true;
  if (!scene->is_measured) measure(scene);
  cdn_decorations d = { scene, state, 0 };
  cdn_status first = CDN_OK;
  cdni_scene_aim(scene, state);
  for (int i = 0; i < CDNI_COUNT(layers); i++) {
    d.layer = 1u << i;
    const cdn_status status = scene->layers & d.layer ? layers[i](&d) : CDN_OK;
    if (first == CDN_OK) first = status;
  }
  for (size_t i = 0; i < scene->marks.count; i++) {
    cdn_mark *m = &CDNI_AT(scene->marks, cdn_mark, i);
    if (m->kind == CDN_MARK_TEXT) m->text = (const char *)scene->text.data + ((uintptr_t)m->text - 1);
  }
  return first;
}

double cdn_scene_time(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, 0);
  return scene->time;
}

const cdn_transform *cdn_scene_poses(const cdn_scene *scene) {
  CDNI_NEED_OBJECT(scene, NULL);
  return scene->has_frame ? scene->poses : NULL;
}

const cdn_mark *cdn_scene_marks(const cdn_scene *scene, int *n) {
  CDNI_NEED_OBJECT(scene, NULL);
  CDNI_NEED_OBJECT(n, NULL);
  *n = (int)scene->marks.count;
  return scene->marks.data;
}

/* ---- adding marks ---- */

const float cdni_layer_colors[][4] = {
  { 0.20f, 0.45f, 0.85f, 1 },    /* joints */
  { 0.60f, 0.60f, 0.60f, 1 },    /* frames */
  { 0.85f, 0.65f, 0.15f, 0.4f }, /* masses */
  { 0.80f, 0.25f, 0.75f, 1 },    /* constraints */
  { 0.90f, 0.35f, 0.15f, 1 },    /* contacts */
  { 0.15f, 0.65f, 0.30f, 1 },    /* forces */
  { 0.90f, 0.20f, 0.35f, 1 },    /* points */
  { 0.50f, 0.50f, 0.50f, 1 },    /* labels */
  { 0.10f, 0.60f, 0.65f, 1 },    /* own */
  { 0.95f, 0.70f, 0.20f, 0.8f }, /* cones */
  { 0.55f, 0.30f, 0.80f, 1 },    /* rows */
  { 0.55f, 0.50f, 0.45f, 1 },    /* paths */
  { 0.95f, 0.80f, 0.10f, 1 },    /* rays */
  { 0.10f, 0.55f, 0.90f, 1 },    /* media */
  { 0.15f, 0.65f, 0.30f, 1 },    /* statuses */
};
_Static_assert((1 << CDNI_COUNT(cdni_layer_colors)) - 1 == CDN_LAYER_ALL, "each layer has a colour");

const float *cdni_layer_color(uint32_t layer) {
  int i = 0;
  while (i + 1 < CDNI_COUNT(layers) && !(layer >> i & 1)) i++;
  return cdni_layer_colors[i];
}

cdn_mark cdni_mark(const cdn_decorations *d, cdn_mark_kind kind, cdn_body body, cdn_transform X_G) {
  cdn_mark m = { .kind = kind, .layer = d->layer, .body = body, .X_G = X_G };
  memcpy(m.rgba, cdni_layer_color(d->layer), sizeof m.rgba);
  return m;
}

static cdn_status not_finite(void) {
  return cdni_refuse(CDN_ERR_NONFINITE, "cdn_decorate", "a number of the mark is not finite: the mark is left out");
}

cdn_status cdn_decorate(cdn_decorations *d, const cdn_mark *mark) {
  CDNI_NEED_OBJECT(d, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(mark, CDN_ERR_ARG);
  cdn_scene *s = d->scene;
  if (mark->kind < 0 || mark->kind >= CDN_MARK_KIND_COUNT || (mark->kind == CDN_MARK_TEXT) != (mark->text != NULL))
    return cdni_refuse(CDN_ERR_ARG, "cdn_decorate", "a mark is of no known kind, or text and kind do not go together");
  bool finite = cdni_all_finite((const double *)&mark->X_G, sizeof mark->X_G / sizeof(double), NULL) &&
                cdni_all_finite(mark->size, 3, NULL);
  for (int k = 0; k < 4; k++) finite = finite && isfinite(mark->rgba[k]);
  if (!finite) return not_finite();
  cdn_mark m = *mark;
  m.layer = d->layer;
  if (m.text) {
    const size_t length = strlen(m.text) + 1;
    char *copy = cdni_array_extend(&s->allocator, &s->text, 1, length);
    if (!copy) return cdni_refuse(CDN_ERR_NOMEM, "cdn_decorate", "out of memory for the text of a mark");
    memcpy(copy, m.text, length);
    m.text = (const char *)(uintptr_t)(s->text.count - length + 1);
  }
  if (cdni_array_push(&s->allocator, &s->marks, sizeof m, &m)) return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_decorate", "out of memory for a mark");
}

static cdn_status add(cdn_decorations *d, cdn_mark_kind kind, cdn_transform X_G, double size, const char *text,
                      const float rgba[4]) {
  CDNI_NEED_OBJECT(d, CDN_ERR_ARG);
  cdn_mark m = cdni_mark(d, kind, (cdn_body){ MARK_NO_BODY }, X_G);
  m.size[0] = size;
  m.text = text;
  if (rgba) memcpy(m.rgba, rgba, sizeof m.rgba);
  return cdn_decorate(d, &m);
}

static cdn_transform at(cdn_vec3 p) { return (cdn_transform){ cdn_rotation_identity(), p }; }

/* From one point to another. */
static cdn_status add_between(cdn_decorations *d, cdn_mark_kind kind, cdn_vec3 from, cdn_vec3 to, const float rgba[4]) {
  const cdn_vec3 along = cdn_sub(to, from);
  const double length = cdn_norm(along);
  return add(d, kind, (cdn_transform){ length > 0 ? cdn_rotation_z_to(along) : cdn_rotation_identity(), from }, length,
             NULL, rgba);
}

cdn_status cdn_decorate_point(cdn_decorations *d, cdn_vec3 p_G, double radius, const float rgba[4]) {
  return add(d, CDN_MARK_POINT, at(p_G), radius, NULL, rgba);
}

cdn_status cdn_decorate_line(cdn_decorations *d, cdn_vec3 from_G, cdn_vec3 to_G, const float rgba[4]) {
  return add_between(d, CDN_MARK_LINE, from_G, to_G, rgba);
}

cdn_status cdn_decorate_arrow(cdn_decorations *d, cdn_vec3 from_G, cdn_vec3 to_G, const float rgba[4]) {
  return add_between(d, CDN_MARK_ARROW, from_G, to_G, rgba);
}

cdn_status cdn_decorate_text(cdn_decorations *d, cdn_vec3 p_G, const char *text, const float rgba[4]) {
  CDNI_NEED_OBJECT(text, CDN_ERR_ARG);
  return add(d, CDN_MARK_TEXT, at(p_G), 0, text, rgba);
}

double cdn_decorations_scale(const cdn_decorations *d) {
  CDNI_NEED_OBJECT(d, 0);
  return d->scene->scale;
}

cdn_status cdni_mark_force(cdn_decorations *d, cdn_body body, cdn_vec3 p_G, cdn_vec3 force) {
  const double size = cdn_norm(force);
  if (!(size > 0)) return CDN_OK;
  cdn_mark m = cdni_mark(d, CDN_MARK_ARROW, body, (cdn_transform){ cdn_rotation_z_to(force), p_G });
  m.size[0] = size * d->scene->force_scale;
  return cdn_decorate(d, &m);
}

/* A moment is as long as the force that has it at a tenth of the model's radius. */
cdn_status cdni_mark_moment(cdn_decorations *d, cdn_body body, cdn_vec3 p_G, cdn_vec3 moment) {
  const double size = cdn_norm(moment);
  if (!(size > 0)) return CDN_OK;
  cdn_mark m = cdni_mark(d, CDN_MARK_TURN, body, (cdn_transform){ cdn_rotation_z_to(moment), p_G });
  m.size[0] = size / (2 * d->scene->scale) * d->scene->force_scale;
  return cdn_decorate(d, &m);
}
