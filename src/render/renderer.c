/* The life of a renderer, and the work of drawing among threads. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/sized.h"
#include "render/internal.h"

CDNI_DEF(render_def, .width = 960, .height = 720, .samples = 3, .background = { 1, 1, 1, 1 }, .shadows = true,
         .opacity = 1, .groups = 7, .floor = NAN);

enum { MOST_PIXELS = 16384, MOST_SAMPLES = 16, MOST_THREADS = 64, SEGMENTS = 64 };

bool cdn_renderer_is_available(void) { return true; }

/* ---- forms ---- */

static cdn_status no_memory(void) {
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_renderer_create", "out of memory for the picture");
}

/* Takes the triangles over. */
static cdn_status add_form(cdn_renderer *r, cdn_painted_triangles painted) {
  form f = { painted, rtcNewScene(r->device) };
  const cdn_triangles t = painted.triangles;
  RTCGeometry g = rtcNewGeometry(r->device, RTC_GEOMETRY_TYPE_TRIANGLE);
  float *vertices =
      rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), (size_t)t.n_vertices);
  uint32_t *indices = rtcSetNewGeometryBuffer(g, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(uint32_t),
                                              (size_t)t.n_triangles);
  const bool ok = f.scene && vertices && indices;
  if (ok) {
    memcpy(vertices, t.positions, 3 * (size_t)t.n_vertices * sizeof(float));
    memcpy(indices, t.indices, 3 * (size_t)t.n_triangles * sizeof(uint32_t));
    rtcSetGeometryIntersectFilterFunction(g, cdni_render_filter);
    rtcCommitGeometry(g);
    rtcAttachGeometry(f.scene, g);
    rtcCommitScene(f.scene);
  }
  rtcReleaseGeometry(g);
  if (ok && cdni_array_push(&r->allocator, &r->forms, sizeof f, &f)) return CDN_OK;
  if (f.scene) rtcReleaseScene(f.scene);
  cdn_painted_triangles_free(&f.painted);
  return no_memory();
}

static cdn_status add_geometry(cdn_renderer *r, const cdn_geometry *g) {
  cdn_painted_triangles t = { .places = NULL };
  CDNI_TRY(cdn_geometry_triangles(g, SEGMENTS, FLOOR * r->radius, &t.triangles));
  return add_form(r, t);
}

/* A cylinder's triangles between z = 0 and 1 with radius 1; a cone's have no width at z = 1. */
static cdn_status add_pole(cdn_renderer *r, bool cone) {
  const cdn_geometry g = { CDN_GEOMETRY_CYLINDER, { 1, 0.5 }, NULL };
  cdn_painted_triangles t = { .places = NULL };
  CDNI_TRY(cdn_geometry_triangles(&g, 24, 1, &t.triangles));
  for (int i = 0; i < t.triangles.n_vertices; i++) {
    float *p = t.triangles.positions + 3 * (size_t)i;
    const bool top = p[2] > 0;
    p[2] = top ? 1 : 0;
    if (cone && top) p[0] = p[1] = 0;
  }
  return add_form(r, t);
}

static cdn_status add_forms(cdn_renderer *r) {
  const cdn_geometry ball = { CDN_GEOMETRY_SPHERE, { 1 }, NULL }, plane = { .kind = CDN_GEOMETRY_HALF_SPACE };
  CDNI_TRY(add_geometry(r, &ball));
  CDNI_TRY(add_pole(r, false));
  CDNI_TRY(add_pole(r, true));
  CDNI_TRY(add_geometry(r, &plane));
  for (int i = 0; i < cdn_scene_visual_count(r->scene); i++) {
    cdn_painted_triangles t;
    CDNI_TRY(cdn_scene_triangles(r->scene, i, SEGMENTS, FLOOR * r->radius, &t));
    CDNI_TRY(add_form(r, t));
  }
  return CDN_OK;
}

static cdn_status add_textures(cdn_renderer *r) {
  const int n = cdn_scene_texture_count(r->scene);
  for (int i = 0; i < CDNI_COUNT(r->linear); i++) r->linear[i] = powf((float)i / 255, 2.2f);
  r->textures = cdni_calloc(&r->allocator, (size_t)n * sizeof *r->textures);
  r->opaque = cdni_calloc(&r->allocator, (size_t)n * sizeof *r->opaque);
  r->n_textures = n;
  if (n > 0 && (!r->textures || !r->opaque)) return no_memory();
  for (int i = 0; i < n; i++) {
    CDNI_TRY(cdn_scene_texture(r->scene, i, &r->textures[i]));
    const size_t pixels = (size_t)r->textures[i].width * (size_t)r->textures[i].height;
    size_t k = 0;
    while (k < pixels && r->textures[i].rgba[4 * k + 3] == 255) k++;
    r->opaque[i] = k == pixels;
  }
  return CDN_OK;
}

/* ---- life ---- */

static const char *check_def(const cdn_render_def *d) {
  if (d->width < 1 || d->height < 1 || d->width > MOST_PIXELS || d->height > MOST_PIXELS)
    return "the width and the height must be 1 to 16384 pixels";
  if (d->samples < 1 || d->samples > MOST_SAMPLES) return "there must be 1 to 16 samples";
  if (d->threads < 0) return "the number of threads must not be negative";
  if (isinf(d->floor)) return "the height of the floor must be finite, or NaN";
  if (!(d->opacity >= 0 && d->opacity <= 1)) return "the opacity must be 0 to 1";
  for (int k = 0; k < 4; k++)
    if (!(d->background[k] >= 0 && d->background[k] <= 1)) return "numbers of the background must be 0 to 1";
  return NULL;
}

cdn_status cdn_renderer_create(const cdn_scene *scene, const cdn_render_def *def, cdn_renderer **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  cdn_render_def d = render_def_defaults;
  const char *unreadable = def ? read_render_def(&d, def) : NULL;
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  const char *wrong = check_def(&d);
  if (wrong) return cdni_refuse(CDN_ERR_ARG, __func__, "%s", wrong);
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  cdn_renderer *r = cdni_calloc(&a, sizeof *r);
  if (!r) return no_memory();
  cdn_vec3 least, most;
  r->scene = scene, r->def = d, r->allocator = a;
  cdn_scene_bounds(scene, &least, &most);
  r->radius = 0.5 * cdn_norm(cdn_sub(most, least));
  r->middle = cdn_scale(0.5, cdn_add(least, most));
  if (!(r->radius > 0)) r->radius = 1;
  r->device = rtcNewDevice("threads=1");
  cdn_status status = r->device ? add_textures(r) : no_memory();
  if (status == CDN_OK) status = add_forms(r);
  if (status == CDN_OK) *out = r;
  else cdn_renderer_destroy(r);
  return status;
}

void cdn_renderer_destroy(cdn_renderer *r) {
  if (!r) return;
  const cdn_allocator a = r->allocator;
  for (size_t i = 0; i < r->forms.count; i++) {
    rtcReleaseScene(CDNI_AT(r->forms, form, i).scene);
    cdn_painted_triangles_free(&CDNI_AT(r->forms, form, i).painted);
  }
  cdni_array_free(&a, &r->forms);
  cdni_array_free(&a, &r->things);
  cdni_array_free(&a, &r->lamps);
  cdni_free(&a, r->textures, (size_t)r->n_textures * sizeof *r->textures);
  cdni_free(&a, r->opaque, (size_t)r->n_textures * sizeof *r->opaque);
  if (r->device) rtcReleaseDevice(r->device);
  cdni_free(&a, r, sizeof *r);
}

/* ---- drawing ---- */

/* All things, or those that cast shadows. */
static RTCScene place_things(const cdn_renderer *r, bool casters) {
  RTCScene top = rtcNewScene(r->device);
  for (size_t i = 0; top && i < r->things.count; i++) {
    const thing *x = &CDNI_AT(r->things, thing, i);
    if (casters && !x->casts_shadows) continue;
    RTCGeometry g = rtcNewGeometry(r->device, RTC_GEOMETRY_TYPE_INSTANCE);
    if (!g) {
      rtcReleaseScene(top);
      return NULL;
    }
    rtcSetGeometryInstancedScene(g, CDNI_AT(r->forms, form, x->form).scene);
    rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, x->to_world);
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(top, g, (unsigned)i);
    rtcReleaseGeometry(g);
  }
  if (top) rtcCommitScene(top);
  return top;
}

typedef struct work {
  const tracer *tracer;
  atomic_int next; /* row */
} work;

static void *draw_rows(void *context) {
  work *w = context;
  const int height = w->tracer->renderer->def.height;
  for (int row; (row = atomic_fetch_add(&w->next, 1)) < height;) cdni_render_row(w->tracer, row);
  return NULL;
}

static void draw_all(const cdn_renderer *r, const tracer *t) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int wanted = r->def.threads > 0 ? r->def.threads : processors > 0 ? (int)processors : 1;
  const int n = wanted < MOST_THREADS ? wanted : MOST_THREADS;
  work w = { t, 0 };
  pthread_t threads[MOST_THREADS];
  int started = 0;
  while (started < n - 1 && pthread_create(&threads[started], NULL, draw_rows, &w) == 0) started++;
  draw_rows(&w);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

static bool is_view(const cdn_view_point *v) {
  return cdni_all_finite((const double *)&v->X_GC, sizeof v->X_GC / sizeof(double), NULL) && v->fovy > 0 &&
         v->fovy < 3.14159;
}

cdn_status cdn_renderer_draw(cdn_renderer *r, const cdn_view_point *view, uint8_t *rgba) {
  CDNI_NEED_OBJECT(r, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(rgba, CDN_ERR_ARG);
  if (!is_view(view) || !cdn_scene_poses(r->scene))
    return cdni_refuse(CDN_ERR_ARG, __func__,
                       "the view must be finite, with an angle within 0 and pi, and the scene needs an update first");
  CDNI_TRY(cdni_render_things(r, view->X_GC.p.z));
  CDNI_TRY(cdni_render_lamps(r));
  RTCScene top = place_things(r, false), casters = place_things(r, true);
  tracer t = { .renderer = r,
               .scene = top,
               .casters = casters,
               .eye = vec_of(view->X_GC.p),
               .x = vec_of(view->X_GC.R.x),
               .y = vec_of(view->X_GC.R.y),
               .z = vec_of(view->X_GC.R.z),
               .tan_y = (float)tan(0.5 * view->fovy),
               .rgba = rgba };
  const int sky = cdn_scene_sky(r->scene, &t.R_GS);
  if (sky >= 0 && sky < r->n_textures) t.sky = &r->textures[sky];
  t.tan_x = t.tan_y * (float)r->def.width / (float)r->def.height;
  for (int k = 0; k < 4; k++) t.background[k] = powf((float)r->def.background[k], k < 3 ? 2.2f : 1);
  if (top && casters) draw_all(r, &t);
  if (top) rtcReleaseScene(top);
  if (casters) rtcReleaseScene(casters);
  return top && casters ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for the picture");
}

bool cdn_renderer_project(const cdn_renderer *r, const cdn_view_point *view, cdn_vec3 p_G, double pixel[2]) {
  CDNI_NEED_OBJECT(r, false);
  CDNI_NEED_OBJECT(view, false);
  CDNI_NEED_OBJECT(pixel, false);
  const cdn_vec3 p = cdn_rotate_inv(view->X_GC.R, cdn_sub(p_G, view->X_GC.p));
  if (!(p.z < 0) || !is_view(view)) return false;
  const double half = 0.5 * r->def.height, focal = half / tan(0.5 * view->fovy);
  pixel[0] = 0.5 * r->def.width + focal * p.x / -p.z;
  pixel[1] = half - focal * p.y / -p.z;
  return true;
}
