/* What is in the picture: the frame's visuals, and its marks as balls, rods and cones. */
#include "render/internal.h"

/* A form at X, stretched along its axes. */
static cdn_status add_thing(cdn_renderer *r, int form_index, cdn_transform X, double sx, double sy, double sz,
                            const float color[4]) {
  if (!(sx > 0 && sy > 0 && sz > 0)) return CDN_OK;
  const cdn_vec3 c[3] = { X.R.x, X.R.y, X.R.z };
  const double s[3] = { sx, sy, sz };
  thing t = { .form = form_index, .specular = 0.5f, .exponent = 64 };
  for (int k = 0; k < 3; k++) {
    const vec column = vec_of(cdn_scale(s[k], c[k]));
    t.to_world[3 * k] = column.x, t.to_world[3 * k + 1] = column.y, t.to_world[3 * k + 2] = column.z;
    t.normal[k] = vec_of(cdn_scale(1 / s[k], c[k]));
  }
  t.to_world[9] = (float)X.p.x, t.to_world[10] = (float)X.p.y, t.to_world[11] = (float)X.p.z;
  for (int k = 0; k < 4; k++) t.color[k] = powf(fminf(fmaxf(color[k], 0), 1), k < 3 ? 2.2f : 1);
  t.lets_through = t.color[3] < 1;
  t.casts_shadows = form_index >= FORM_COUNT || t.color[3] >= 1;
  if (cdni_array_push(&r->allocator, &r->things, sizeof t, &t)) return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_renderer_draw", "out of memory for the picture");
}

/* The last thing is a plane, with sides so large in parts of a plane's without end. */
static cdn_status be_floor(cdn_renderer *r, const double part[2]) {
  const uint32_t i = (uint32_t)r->things.count - 1;
  thing *t = &CDNI_AT(r->things, thing, i);
  t->is_floor = true;
  for (int k = 0; k < 2; k++) t->half[k] = (float)(part[k] * FLOOR * r->radius);
  if (cdni_array_push(&r->allocator, &r->floors, sizeof i, &i)) return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_renderer_draw", "out of memory for the picture");
}

static cdn_status add_visuals(cdn_renderer *r) {
  const cdn_transform *poses = cdn_scene_poses(r->scene);
  for (int i = 0; i + FORM_COUNT < (int)r->forms.count; i++) {
    cdn_visual v;
    CDNI_TRY(cdn_scene_visual(r->scene, i, &v));
    if (v.collision != r->def.collision || !(r->def.groups >> v.group & 1)) continue;
    const cdn_transform X = cdn_transform_multiply(poses[v.body.i], v.X_BV);
    const bool is_floor = v.geometry.kind == CDN_GEOMETRY_HALF_SPACE;
    const float color[4] = { (float)v.rgba[0], (float)v.rgba[1], (float)v.rgba[2],
                             (float)(v.rgba[3] * (is_floor ? 1 : r->def.opacity)) };
    double s[2] = { 1, 1 };
    for (int k = 0; k < 2 && is_floor; k++)
      if (v.half[k] > 0) s[k] = fmin(v.half[k] / (FLOOR * r->radius), 1);
    CDNI_TRY(add_thing(r, FORM_COUNT + i, X, 1, 1, 1, color));
    if (is_floor) CDNI_TRY(be_floor(r, s));
    thing *t = &CDNI_AT(r->things, thing, r->things.count - 1);
    t->pattern = v.pattern;
    t->has_end = s[0] < 1 && s[1] < 1;
    for (int k = 0; k < 3; k++) t->color2[k] = powf((float)v.rgb2[k], 2.2f);
    for (int k = 0; k < 2; k++) t->tile[k] = v.tile[k];
    memcpy(t->place, v.place, sizeof t->place);
    t->texture = v.texture >= 0 && v.texture < r->n_textures ? &r->textures[v.texture] : NULL;
    if (t->texture && !t->texture->is_opaque) t->lets_through = true;
    if (is_floor && !t->has_end) t->lets_through = true; /* it fades */
    t->specular = (float)v.specular, t->exponent = (float)(128 * v.shininess);
    t->emission = (float)v.emission, t->reflectance = is_floor ? (float)v.reflectance : 0;
  }
  return CDN_OK;
}

/* In light grey, so that it is no part of the model. It fades around the place where the model was first, and stays
 * there: the model moves over its squares. */
static cdn_status add_floor(cdn_renderer *r) {
  static const float grey[4] = { 0.92f, 0.92f, 0.92f, 1 };
  for (size_t i = 0; i < r->things.count; i++)
    if (CDNI_AT(r->things, thing, i).is_floor) return CDN_OK;
  const cdn_transform X = { cdn_rotation_identity(), { r->middle.x, r->middle.y, r->def.floor } };
  CDNI_TRY(add_thing(r, FORM_FLOOR, X, 1, 1, 1, grey));
  CDNI_TRY(be_floor(r, (double[]){ 1, 1 }));
  thing *t = &CDNI_AT(r->things, thing, r->things.count - 1);
  t->pattern = CDN_PATTERN_PLAIN;
  t->specular = 0;
  t->lets_through = true;
  return CDN_OK;
}

/* ---- marks ---- */

/* From `from` to `to` along z of X. */
static cdn_status add_rod(cdn_renderer *r, cdn_transform X, double from, double to, double radius,
                          const float color[4]) {
  X.p = cdn_add(X.p, cdn_scale(from, X.R.z));
  return add_thing(r, FORM_ROD, X, radius, radius, to - from, color);
}

static cdn_status add_head(cdn_renderer *r, cdn_transform X, double tip, double length, const float color[4]) {
  X.p = cdn_add(X.p, cdn_scale(tip - length, X.R.z));
  return add_thing(r, FORM_CONE, X, 0.4 * length, 0.4 * length, length, color);
}

static cdn_status add_arrow(cdn_renderer *r, const cdn_mark *m, double radius, int heads) {
  const double length = m->size[0], head = fmin(6 * radius, 0.4 * length);
  CDNI_TRY(add_rod(r, m->X_G, 0, length - head, radius, m->rgba));
  for (int i = 0; i < heads; i++) CDNI_TRY(add_head(r, m->X_G, length - 0.7 * head * i, head, m->rgba));
  return CDN_OK;
}

static cdn_status add_frame(cdn_renderer *r, const cdn_mark *m, double radius) {
  static const float colors[3][4] = { { 0.9f, 0.2f, 0.2f, 1 }, { 0.2f, 0.7f, 0.2f, 1 }, { 0.2f, 0.3f, 0.9f, 1 } };
  const cdn_rotation R = m->X_G.R;
  const cdn_rotation turned[3] = { { R.y, R.z, R.x }, { R.z, R.x, R.y }, R };
  for (int k = 0; k < 3; k++)
    CDNI_TRY(add_rod(r, (cdn_transform){ turned[k], m->X_G.p }, 0, m->size[0], radius, colors[k]));
  return CDN_OK;
}

static cdn_status add_arc(cdn_renderer *r, const cdn_mark *m, double radius) {
  enum { PARTS = 32 };
  const double from = m->size[0], step = (m->size[1] - from) / PARTS;
  cdn_vec3 before = { 0, 0, 0 };
  for (int i = 0; i <= PARTS; i++) {
    const double a = from + i * step;
    const cdn_vec3 p = cdn_transform_point(m->X_G, cdn_v3(m->size[2] * cos(a), m->size[2] * sin(a), 0)),
                   d = cdn_sub(p, before);
    const double length = cdn_norm(d);
    if (i > 0 && length > 0)
      CDNI_TRY(add_rod(r, (cdn_transform){ cdn_rotation_z_to(d), before }, 0, length, radius, m->rgba));
    before = p;
  }
  return CDN_OK;
}

static cdn_status add_mark(cdn_renderer *r, const cdn_mark *m) {
  const double thin = 0.003 * r->radius;
  switch ((cdn_mark_kind)m->kind) {
    case CDN_MARK_POINT: return add_thing(r, FORM_BALL, m->X_G, m->size[0], m->size[0], m->size[0], m->rgba);
    case CDN_MARK_LINE: return add_rod(r, m->X_G, 0, m->size[0], m->size[1] > 0 ? m->size[1] : thin, m->rgba);
    case CDN_MARK_ARROW: return add_arrow(r, m, 1.5 * thin, 1);
    case CDN_MARK_TURN: return add_arrow(r, m, 1.5 * thin, 2);
    case CDN_MARK_FRAME: return add_frame(r, m, thin);
    case CDN_MARK_ELLIPSOID: return add_thing(r, FORM_BALL, m->X_G, m->size[0], m->size[1], m->size[2], m->rgba);
    case CDN_MARK_DISC: return add_thing(r, FORM_ROD, m->X_G, m->size[0], m->size[1], 0.2 * thin, m->rgba);
    case CDN_MARK_ARC: return add_arc(r, m, thin);
    case CDN_MARK_TEXT:
    case CDN_MARK_KIND_COUNT: break;
  }
  return CDN_OK;
}

cdn_status cdni_render_things(cdn_renderer *r, double eye_height) {
  int n;
  const cdn_mark *marks = cdn_scene_marks(r->scene, &n);
  r->things.count = r->floors.count = 0;
  CDNI_TRY(add_visuals(r));
  if (eye_height > r->def.floor) CDNI_TRY(add_floor(r));
  for (int i = 0; i < n; i++) CDNI_TRY(add_mark(r, &marks[i]));
  return CDN_OK;
}
