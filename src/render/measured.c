/* What each pixel shows, measured: rays in doubles meet the shapes themselves. Embree finds the boxes that a ray goes
 * through, and asks for the shapes in them. */
#include "geometry/geometry.h"
#include "render/internal.h"

/* A visual that rays may meet. */
typedef struct target {
  cdn_geometry geometry;
  cdn_transform X;
  int32_t visual;
  double half[2]; /* of a plane; 0: without end */
} target;

typedef struct measuring {
  const cdn_renderer *renderer;
  cdn_transform X_GC;
  double tan_x, tan_y;
  RTCScene bounded; /* a box for each target, in their order; NULL: there is none */
  size_t n_bounded; /* they come first; planes follow */
  float *depth, *distance;
  int32_t *visual;
} measuring;

/* A ray on its way. Embree hands it to those who are asked. */
typedef struct probe {
  struct RTCIntersectContext context; /* first, for Embree */
  const cdn_renderer *renderer;
  cdn_vec3 from, along; /* unit length */
  double distance;      /* of the nearest crossing so far */
  int32_t visual;       /* there, or -1 */
} probe;

static const target *target_at(const cdn_renderer *r, size_t i) { return &CDNI_AT(r->seen, target, i); }

/* ---- one ray ---- */

static bool is_on(const target *x, cdn_vec3 p_G) {
  if (x->half[0] <= 0 && x->half[1] <= 0) return true;
  const cdn_vec3 p = cdn_rotate_inv(x->X.R, cdn_sub(p_G, x->X.p));
  return (x->half[0] <= 0 || fabs(p.x) <= x->half[0]) && (x->half[1] <= 0 || fabs(p.y) <= x->half[1]);
}

/* True where the target is the nearest so far. */
static bool meet(probe *p, const target *x) {
  cdn_ray_hit hit;
  if (cdni_ray(&x->geometry, &x->X, p->from, p->along, p->distance, 1, &hit) == 0 || !is_on(x, hit.point)) return false;
  const bool is_nearer = hit.distance < p->distance || (hit.distance == p->distance && x->visual < p->visual);
  if (is_nearer) p->distance = hit.distance, p->visual = x->visual;
  return is_nearer;
}

/* The least float that is not below: boxes at the same distance are still entered. */
static float not_below(double x) {
  const float near = (float)x;
  return (double)near < x ? nextafterf(near, INFINITY) : near;
}

static void ask(const struct RTCIntersectFunctionNArguments *a) {
  probe *p = (probe *)a->context;
  struct RTCRayHit *h = (struct RTCRayHit *)a->rayhit; /* rays are single ones here */
  if (a->valid[0] != -1 || !meet(p, target_at(p->renderer, a->primID))) return;
  h->ray.tfar = not_below(p->distance);
  h->hit.geomID = a->geomID, h->hit.primID = a->primID;
}

static void cast(const measuring *m, probe *p) {
  if (m->bounded) {
    struct RTCRayHit h = { .ray = { .org_x = (float)p->from.x,
                                    .org_y = (float)p->from.y,
                                    .org_z = (float)p->from.z,
                                    .tfar = INFINITY,
                                    .mask = ~0u,
                                    .dir_x = (float)p->along.x,
                                    .dir_y = (float)p->along.y,
                                    .dir_z = (float)p->along.z },
                           .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
    rtcInitIntersectContext(&p->context);
    rtcIntersect1(m->bounded, &p->context, &h);
  }
  for (size_t i = m->n_bounded; i < m->renderer->seen.count; i++) meet(p, target_at(m->renderer, i));
}

/* ---- bands ---- */

static void measure_pixel(const measuring *m, int column, int row) {
  const cdn_render_def *d = &m->renderer->def;
  const cdn_vec3 v = { m->tan_x * ((2 * column + 1.0) / d->width - 1), m->tan_y * (1 - (2 * row + 1.0) / d->height),
                       -1 };
  const double length = cdn_norm(v);
  const size_t pixel = (size_t)row * (size_t)d->width + (size_t)column;
  probe p = { .renderer = m->renderer,
              .from = m->X_GC.p,
              .along = cdn_scale(1 / length, cdn_rotate(m->X_GC.R, v)),
              .distance = INFINITY,
              .visual = -1 };
  cast(m, &p);
  if (m->depth) m->depth[pixel] = (float)(p.distance / length);
  if (m->distance) m->distance[pixel] = (float)p.distance;
  if (m->visual) m->visual[pixel] = p.visual;
}

static bool measure_band(void *context, int thread, int band) {
  const measuring *m = context;
  const cdn_render_def *d = &m->renderer->def;
  const int begin = band * BAND, end = begin + BAND < d->height ? begin + BAND : d->height;
  (void)thread;
  for (int row = begin; row < end; row++)
    for (int column = 0; column < d->width; column++) measure_pixel(m, column, row);
  return begin < d->height;
}

/* ---- what there is ---- */

static bool is_shown(const cdn_renderer *r, const cdn_visual *v) {
  return v->collision == r->def.collision && r->def.groups >> v->group & 1 && v->rgba[3] > 0;
}

/* Planes have no box. */
static cdn_status add_targets(cdn_renderer *r, bool planes) {
  const cdn_transform *poses = cdn_scene_poses(r->scene);
  for (int i = 0; i < cdn_scene_visual_count(r->scene); i++) {
    cdn_visual v;
    CDNI_TRY(cdn_scene_visual(r->scene, i, &v));
    if (!is_shown(r, &v) || (v.geometry.kind == CDN_GEOMETRY_HALF_SPACE) != planes) continue;
    const target x = { v.geometry, cdn_transform_multiply(poses[v.body.i], v.X_BV), i, { v.half[0], v.half[1] } };
    if (!cdni_array_push(&r->allocator, &r->seen, sizeof x, &x))
      return cdni_refuse(CDN_ERR_NOMEM, "cdn_renderer_measure", "out of memory for the picture");
  }
  return CDN_OK;
}

/* Embree has floats: the box is wider by what it rounds of the box, of the ray's begin and of its direction. */
static void bound(const struct RTCBoundsFunctionArguments *a) {
  const measuring *m = a->geometryUserPtr;
  const target *x = target_at(m->renderer, a->primID);
  static const double ROUNDING = 8 * 0x1p-24;
  cdn_vec3 least, most;
  struct RTCBounds *b = a->bounds_o;
  *b = (struct RTCBounds){ .lower_x = INFINITY,
                           .lower_y = INFINITY,
                           .lower_z = INFINITY,
                           .upper_x = -INFINITY,
                           .upper_y = -INFINITY,
                           .upper_z = -INFINITY }; /* it has no place: nothing meets it */
  if (cdn_geometry_bounds(&x->geometry, &x->X, &least, &most) != CDN_OK) return;
  const cdn_vec3 eye = m->X_GC.p;
  const double size = fmax(cdn_norm(least), cdn_norm(most)) + cdn_norm(cdn_sub(least, eye)) +
                      cdn_norm(cdn_sub(most, eye)) + cdn_norm(eye);
  const double margin = ROUNDING * size;
  if (!isfinite(size)) return;
  *b = (struct RTCBounds){ .lower_x = (float)(least.x - margin),
                           .lower_y = (float)(least.y - margin),
                           .lower_z = (float)(least.z - margin),
                           .upper_x = (float)(most.x + margin),
                           .upper_y = (float)(most.y + margin),
                           .upper_z = (float)(most.z + margin) };
}

static bool place_boxes(measuring *m) {
  if (m->n_bounded == 0) return true;
  RTCGeometry g = rtcNewGeometry(m->renderer->device, RTC_GEOMETRY_TYPE_USER);
  m->bounded = rtcNewScene(m->renderer->device);
  if (g && m->bounded) {
    rtcSetSceneFlags(m->bounded, RTC_SCENE_FLAG_ROBUST);
    rtcSetGeometryUserPrimitiveCount(g, (unsigned)m->n_bounded);
    rtcSetGeometryUserData(g, m);
    rtcSetGeometryBoundsFunction(g, bound, NULL);
    rtcSetGeometryIntersectFunction(g, ask);
    rtcCommitGeometry(g);
    rtcAttachGeometry(m->bounded, g);
    rtcCommitScene(m->bounded);
  }
  if (g) rtcReleaseGeometry(g);
  return g && m->bounded;
}

cdn_status cdn_renderer_measure(cdn_renderer *r, const cdn_view_point *view, float *depth, float *distance,
                                int32_t *visual) {
  CDNI_NEED_OBJECT(r, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_TRY(cdni_render_check_view(r, view, __func__));
  const double tan_y = tan(0.5 * view->fovy);
  measuring m = { .renderer = r,
                  .X_GC = view->X_GC,
                  .tan_x = tan_y * r->def.width / r->def.height,
                  .tan_y = tan_y,
                  .depth = depth,
                  .distance = distance,
                  .visual = visual };
  r->seen.count = 0;
  CDNI_TRY(add_targets(r, false));
  m.n_bounded = r->seen.count;
  CDNI_TRY(add_targets(r, true));
  const bool is_placed = place_boxes(&m);
  if (is_placed) cdni_render_share(r, measure_band, &m);
  if (m.bounded) rtcReleaseScene(m.bounded);
  return is_placed ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for the picture");
}
