/* The life of a renderer, and the work of drawing among threads. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/sized.h"
#include "render/internal.h"

CDNI_DEF(render_def, .width = 960, .height = 720, .samples = 0, .background = { 1, 1, 1, 1 }, .shadows = true,
         .opacity = 1, .groups = 7, .floor = NAN);

enum { MOST_PIXELS = 16384, MOST_SAMPLES = 16, SEGMENTS = 64, LEAST_SEGMENTS = 32 };

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
    rtcSetSceneFlags(f.scene, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
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

/* A plane has no triangles. */
static cdn_status add_plane(cdn_renderer *r) {
  const form f = { .scene = NULL };
  return cdni_array_push(&r->allocator, &r->forms, sizeof f, &f) ? CDN_OK : no_memory();
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

/* Round things get fewer segments if they are small, so that corners of all are as far from being round. */
static int segments_of(const cdn_renderer *r, const cdn_visual *v) {
  const cdn_transform here = cdn_transform_identity();
  cdn_vec3 least, most;
  if (cdn_geometry_bounds(&v->geometry, &here, &least, &most) != CDN_OK) return SEGMENTS;
  const cdn_vec3 d = cdn_sub(most, least);
  const double part = 0.5 * fmin(fmax(d.x, d.y), fmin(fmax(d.y, d.z), fmax(d.x, d.z))) / r->radius;
  return (int)fmax(LEAST_SEGMENTS, SEGMENTS * fmin(sqrt(part), 1));
}

static cdn_status add_visual(cdn_renderer *r, int i) {
  cdn_visual v;
  cdn_painted_triangles t = { .places = NULL };
  CDNI_TRY(cdn_scene_visual(r->scene, i, &v));
  if (v.geometry.kind == CDN_GEOMETRY_HALF_SPACE) return add_plane(r);
  const int segments = segments_of(r, &v);
  if (v.texture >= 0 && v.texture < r->n_textures && r->textures[v.texture].levels[0].cube)
    CDNI_TRY(cdn_geometry_triangles(&v.geometry, segments, r->radius, &t.triangles)); /* its places are calculated */
  else CDNI_TRY(cdn_scene_triangles(r->scene, i, segments, r->radius, &t));
  return add_form(r, t);
}

static cdn_status add_forms(cdn_renderer *r) {
  const cdn_geometry ball = { CDN_GEOMETRY_SPHERE, { 1 }, NULL };
  cdn_painted_triangles t = { .places = NULL };
  CDNI_TRY(cdn_geometry_triangles(&ball, SEGMENTS, 1, &t.triangles));
  CDNI_TRY(add_form(r, t));
  CDNI_TRY(add_pole(r, false));
  CDNI_TRY(add_pole(r, true));
  CDNI_TRY(add_plane(r));
  for (int i = 0; i < cdn_scene_visual_count(r->scene); i++) CDNI_TRY(add_visual(r, i));
  return CDN_OK;
}

static bool is_opaque(const cdn_texture_def *t) {
  const size_t pixels = (size_t)t->width * (size_t)t->height;
  size_t k = 0;
  while (k < pixels && t->rgba[4 * k + 3] == 255) k++;
  return k == pixels;
}

static cdn_status add_textures(cdn_renderer *r) {
  const int n = cdn_scene_texture_count(r->scene);
  cdni_render_make_bytes(r);
  r->textures = cdni_calloc(&r->allocator, (size_t)n * sizeof *r->textures);
  r->n_textures = n;
  if (n > 0 && !r->textures) return no_memory();
  for (int i = 0; i < n; i++) {
    paint *p = &r->textures[i];
    CDNI_TRY(cdn_scene_texture(r->scene, i, &p->levels[0]));
    p->is_opaque = is_opaque(&p->levels[0]);
    if (!cdni_render_make_levels(r, p)) return no_memory();
  }
  return CDN_OK;
}

/* ---- life ---- */

static const char *check_def(const cdn_render_def *d) {
  if (d->width < 1 || d->height < 1 || d->width > MOST_PIXELS || d->height > MOST_PIXELS)
    return "the width and the height must be 1 to 16384 pixels";
  if (d->samples < 0 || d->samples > MOST_SAMPLES) return "there must be 0 to 16 samples";
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
  r->square = pow(10, ceil(log10(r->radius) - 0.5));
  r->device = rtcNewDevice("threads=1");
  cdn_status status = r->device ? add_textures(r) : no_memory();
  if (status == CDN_OK) status = add_forms(r);
  if (status == CDN_OK) *out = r;
  else cdn_renderer_destroy(r);
  return status;
}

static void drop_workers(cdn_renderer *r) {
  for (int i = 0; i < MOST_THREADS; i++) {
    cdni_render_drop_worker(r, r->workers[i]);
    r->workers[i] = NULL;
  }
}

void cdn_renderer_destroy(cdn_renderer *r) {
  if (!r) return;
  const cdn_allocator a = r->allocator;
  for (size_t i = 0; i < r->forms.count; i++) {
    if (CDNI_AT(r->forms, form, i).scene) rtcReleaseScene(CDNI_AT(r->forms, form, i).scene);
    cdn_painted_triangles_free(&CDNI_AT(r->forms, form, i).painted);
  }
  cdni_array_free(&a, &r->forms);
  cdni_array_free(&a, &r->things);
  cdni_array_free(&a, &r->floors);
  cdni_array_free(&a, &r->lamps);
  cdni_array_free(&a, &r->seen);
  drop_workers(r);
  for (int i = 0; r->textures && i < r->n_textures; i++) cdni_free(&a, r->textures[i].smaller, r->textures[i].bytes);
  cdni_free(&a, r->textures, (size_t)r->n_textures * sizeof *r->textures);
  if (r->device) rtcReleaseDevice(r->device);
  cdni_free(&a, r, sizeof *r);
}

/* ---- drawing ---- */

enum { OPAQUE, VEILS, CASTERS, PARTS };

static bool belongs(const thing *x, int part) {
  if (x->is_floor) return false;
  return part == CASTERS ? x->casts_shadows : x->lets_through == (part == VEILS);
}

/* Things of one part. *scene stays NULL where there are none. */
static bool place_things(const cdn_renderer *r, int part, RTCScene *scene) {
  for (size_t i = 0; i < r->things.count; i++) {
    const thing *x = &CDNI_AT(r->things, thing, i);
    if (!belongs(x, part)) continue;
    RTCGeometry g = rtcNewGeometry(r->device, RTC_GEOMETRY_TYPE_INSTANCE);
    if (!*scene) *scene = rtcNewScene(r->device);
    if (!g || !*scene) return false;
    rtcSetSceneFlags(*scene, RTC_SCENE_FLAG_CONTEXT_FILTER_FUNCTION);
    rtcSetGeometryInstancedScene(g, CDNI_AT(r->forms, form, x->form).scene);
    rtcSetGeometryTransform(g, 0, RTC_FORMAT_FLOAT3X4_COLUMN_MAJOR, x->to_world);
    rtcCommitGeometry(g);
    rtcAttachGeometryByID(*scene, g, (unsigned)i);
    rtcReleaseGeometry(g);
  }
  if (*scene) rtcCommitScene(*scene);
  return true;
}

/* Most often the opaque things are those that cast shadows. */
static bool are_casters_opaque(const cdn_renderer *r) {
  for (size_t i = 0; i < r->things.count; i++)
    if (belongs(&CDNI_AT(r->things, thing, i), CASTERS) != belongs(&CDNI_AT(r->things, thing, i), OPAQUE)) return false;
  return true;
}

static bool place_all(const cdn_renderer *r, RTCScene scenes[PARTS]) {
  if (!place_things(r, OPAQUE, &scenes[OPAQUE]) || !place_things(r, VEILS, &scenes[VEILS])) return false;
  if (!are_casters_opaque(r)) return place_things(r, CASTERS, &scenes[CASTERS]);
  scenes[CASTERS] = scenes[OPAQUE];
  if (scenes[CASTERS]) rtcRetainScene(scenes[CASTERS]);
  return true;
}

/* ---- threads ---- */

typedef struct work {
  cdni_render_part part;
  void *context;
  atomic_int next_band, next_thread;
} work;

static void *draw_bands(void *context) {
  work *w = context;
  const int thread = atomic_fetch_add(&w->next_thread, 1);
  while (w->part(w->context, thread, atomic_fetch_add(&w->next_band, 1))) {}
  return NULL;
}

static int count_threads(const cdn_renderer *r) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int wanted = r->def.threads > 0 ? r->def.threads : processors > 0 ? (int)processors : 1;
  const int bands = (r->def.height + BAND - 1) / BAND, most = bands < MOST_THREADS ? bands : MOST_THREADS;
  return wanted < most ? wanted : most;
}

void cdni_render_share(const cdn_renderer *r, cdni_render_part part, void *context) {
  const int n = count_threads(r);
  work w = { part, context, 0, 0 };
  pthread_t threads[MOST_THREADS];
  int started = 0;
  while (started < n - 1 && pthread_create(&threads[started], NULL, draw_bands, &w) == 0) started++;
  draw_bands(&w);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

/* The scene may have got more lamps since the last frame. */
static bool make_workers(cdn_renderer *r, int n) {
  if (r->lamps_before != r->lamps.count) drop_workers(r);
  r->lamps_before = r->lamps.count;
  for (int i = 0; i < n; i++)
    if (!r->workers[i] && !(r->workers[i] = cdni_render_make_worker(r))) return false;
  return true;
}

static bool draw_band(void *context, int thread, int band) {
  const tracer *t = context;
  return cdni_render_band(t->renderer->workers[thread], t, band);
}

static bool draw_all(tracer *t) {
  if (!make_workers(t->renderer, count_threads(t->renderer))) return false;
  cdni_render_share(t->renderer, draw_band, t);
  return true;
}

static bool is_view(const cdn_view_point *v) {
  return cdni_all_finite((const double *)&v->X_GC, sizeof v->X_GC / sizeof(double), NULL) && v->fovy > 0 &&
         v->fovy < 3.14159;
}

cdn_status cdni_render_check_view(const cdn_renderer *r, const cdn_view_point *view, const char *function) {
  if (is_view(view) && cdn_scene_poses(r->scene)) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function,
                     "the view must be finite, with an angle within 0 and pi, and the scene needs an update first");
}

cdn_status cdn_renderer_draw(cdn_renderer *r, const cdn_view_point *view, uint8_t *rgba) {
  CDNI_NEED_OBJECT(r, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(rgba, CDN_ERR_ARG);
  CDNI_TRY(cdni_render_check_view(r, view, __func__));
  CDNI_TRY(cdni_render_things(r, view->X_GC.p.z));
  CDNI_TRY(cdni_render_lamps(r));
  RTCScene scenes[PARTS] = { NULL };
  const bool is_placed = place_all(r, scenes);
  tracer t = { .renderer = r,
               .opaque = scenes[OPAQUE],
               .veils = scenes[VEILS],
               .casters = scenes[CASTERS],
               .eye = vec_of(view->X_GC.p),
               .x = vec_of(view->X_GC.R.x),
               .y = vec_of(view->X_GC.R.y),
               .z = vec_of(view->X_GC.R.z),
               .tan_y = (float)tan(0.5 * view->fovy),
               .rgba = rgba };
  const int sky = cdn_scene_sky(r->scene, &t.R_GS);
  if (sky >= 0 && sky < r->n_textures) t.sky = &r->textures[sky];
  t.spread = 2 * t.tan_y / (float)r->def.height;
  t.tan_x = t.tan_y * (float)r->def.width / (float)r->def.height;
  for (int k = 0; k < 4; k++) t.background[k] = powf((float)r->def.background[k], k < 3 ? 2.2f : 1);
  if (t.casters) {
    struct RTCBounds box;
    rtcGetSceneBounds(t.casters, &box);
    t.least[0] = box.lower_x, t.least[1] = box.lower_y, t.least[2] = box.lower_z;
    t.most[0] = box.upper_x, t.most[1] = box.upper_y, t.most[2] = box.upper_z;
  }
  const bool is_drawn = is_placed && draw_all(&t);
  for (int i = 0; i < PARTS; i++)
    if (scenes[i]) rtcReleaseScene(scenes[i]);
  return is_drawn ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for the picture");
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
