/* What rays meet. Embree finds triangles, for RAYS rays at once; planes are calculated. */
#include "render/internal.h"

/* Puts a crossing in its place. What is behind the last that fits is left out. */
static void insert(crossings *c, crossing x) {
  int i = c->n < MOST_LAYERS ? c->n++ : MOST_LAYERS;
  for (; i > 0 && c->list[i - 1].distance > x.distance; i--)
    if (i < MOST_LAYERS) c->list[i] = c->list[i - 1];
  if (i < MOST_LAYERS) c->list[i] = x;
}

/* ---- planes ---- */

/* Where a ray meets the plane of a floor, and the place on it. */
static bool meets_floor(const thing *floor, vec from, vec direction, float nearest, float reach, float *distance,
                        float place[2]) {
  const float *m = floor->to_world;
  const vec n = floor->normal[2], away = minus((vec){ m[9], m[10], m[11] }, from);
  const float speed = dot(n, direction);
  if (speed == 0) return false;
  *distance = dot(n, away) / speed;
  if (!(*distance >= nearest && *distance <= reach)) return false;
  const vec p = minus(scale(*distance, direction), away);
  place[0] = dot((vec){ m[0], m[1], m[2] }, p), place[1] = dot((vec){ m[3], m[4], m[5] }, p);
  return fabsf(place[0]) <= floor->half[0] && fabsf(place[1]) <= floor->half[1];
}

static void add_floors(const tracer *t, const ray *x, float nearest, float reach, crossings *c) {
  const cdn_renderer *r = t->renderer;
  for (size_t i = 0; i < r->floors.count; i++) {
    const uint32_t which = CDNI_AT(r->floors, uint32_t, i);
    crossing found = { .thing = which };
    float place[2];
    if (!meets_floor(&CDNI_AT(r->things, thing, which), x->from, x->along, nearest, reach, &found.distance, place))
      continue;
    found.u = place[0], found.v = place[1];
    insert(c, found);
  }
}

/* ---- things that let light pass ---- */

typedef struct veil_context {
  struct RTCIntersectContext context; /* first, for Embree */
  crossings *to;
} veil_context;

/* Embree asks about each crossing, in any order. Each is kept, and the ray goes on: going again from each to the next
 * would cost as much each time as the whole ray. */
static void keep(const struct RTCFilterFunctionNArguments *a) {
  veil_context *c = (veil_context *)a->context;
  const struct RTCRay *x = (const struct RTCRay *)a->ray; /* rays are single ones here */
  const struct RTCHit *h = (const struct RTCHit *)a->hit;
  if (a->valid[0] != -1) return;
  a->valid[0] = 0;
  insert(c->to, (crossing){ x->tfar, h->u, h->v, h->instID[0], h->primID });
}

static void add_veils(const tracer *t, const ray *x, float nearest, float reach, crossings *to) {
  veil_context c = { .to = to };
  rtcInitIntersectContext(&c.context);
  c.context.filter = keep;
  struct RTCRayHit h = { .ray = { .org_x = x->from.x,
                                  .org_y = x->from.y,
                                  .org_z = x->from.z,
                                  .tnear = nearest,
                                  .tfar = reach,
                                  .mask = ~0u,
                                  .dir_x = x->along.x,
                                  .dir_y = x->along.y,
                                  .dir_z = x->along.z },
                         .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
  rtcIntersect1(t->veils, &c.context, &h);
}

/* ---- all of it ---- */

void cdni_render_cast(const tracer *t, int n, const ray *rays, float nearest, crossings *out) {
  struct RTCRayHit16 h;
  _Alignas(64) int valid[RAYS];
  for (int i = 0; i < RAYS; i++) {
    const ray *x = &rays[i < n ? i : 0];
    valid[i] = i < n ? -1 : 0;
    h.ray.org_x[i] = x->from.x, h.ray.org_y[i] = x->from.y, h.ray.org_z[i] = x->from.z;
    h.ray.dir_x[i] = x->along.x, h.ray.dir_y[i] = x->along.y, h.ray.dir_z[i] = x->along.z;
    h.ray.tnear[i] = nearest, h.ray.tfar[i] = INFINITY;
    h.ray.time[i] = 0, h.ray.mask[i] = ~0u, h.ray.id[i] = 0, h.ray.flags[i] = 0;
    h.hit.geomID[i] = h.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
  }
  if (t->opaque) {
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect16(valid, t->opaque, &context, &h);
  }
  for (int i = 0; i < n; i++) {
    crossings *c = &out[i];
    const bool is_met = h.hit.geomID[i] != RTC_INVALID_GEOMETRY_ID;
    const float reach = is_met ? h.ray.tfar[i] : INFINITY;
    c->n = 0;
    if (t->veils) add_veils(t, &rays[i], nearest, reach, c);
    add_floors(t, &rays[i], nearest, reach, c);
    if (is_met) insert(c, (crossing){ reach, h.hit.u[i], h.hit.v[i], h.hit.instID[0][i], h.hit.primID[i] });
  }
}

/* ---- shadows ---- */

static bool meets_casters(const tracer *t, const float from[3], const float direction[3], float reach) {
  float begin = 0, end = reach;
  for (int k = 0; k < 3; k++) {
    const float rate = 1 / direction[k], a = (t->least[k] - from[k]) * rate, b = (t->most[k] - from[k]) * rate;
    begin = larger(begin, smaller(a, b)), end = smaller(end, larger(a, b));
  }
  return begin <= end;
}

void cdni_render_ask(const tracer *t, shadow_rays *s, vec from, vec direction, float reach, uint8_t *seen) {
  const cdn_renderer *r = t->renderer;
  const float a[3] = { from.x, from.y, from.z }, b[3] = { direction.x, direction.y, direction.z };
  *seen = 255;
  for (size_t i = 0; i < r->floors.count; i++) {
    float distance, place[2];
    const thing *floor = &CDNI_AT(r->things, thing, CDNI_AT(r->floors, uint32_t, i));
    if (meets_floor(floor, from, direction, 0, reach, &distance, place)) *seen = 0;
  }
  if (!*seen || !t->casters || !meets_casters(t, a, b, reach)) return;
  const int i = s->n++;
  s->rays.org_x[i] = from.x, s->rays.org_y[i] = from.y, s->rays.org_z[i] = from.z;
  s->rays.dir_x[i] = direction.x, s->rays.dir_y[i] = direction.y, s->rays.dir_z[i] = direction.z;
  s->rays.tnear[i] = 0, s->rays.tfar[i] = reach;
  s->rays.time[i] = 0, s->rays.mask[i] = ~0u, s->rays.id[i] = 0, s->rays.flags[i] = 0;
  s->seen[i] = seen;
  if (s->n == RAYS) cdni_render_answer(t, s);
}

void cdni_render_answer(const tracer *t, shadow_rays *s) {
  struct RTCIntersectContext context;
  _Alignas(64) int valid[RAYS];
  if (s->n == 0) return;
  for (int i = 0; i < RAYS; i++) valid[i] = i < s->n ? -1 : 0;
  /* Where a processor takes fewer rays at once, Embree does not read `valid`, but leaves out rays of no length. */
  for (int i = s->n; i < RAYS; i++) s->rays.tnear[i] = INFINITY, s->rays.tfar[i] = -INFINITY;
  rtcInitIntersectContext(&context);
  rtcOccluded16(valid, t->casters, &context, &s->rays);
  for (int i = 0; i < s->n; i++)
    if (s->rays.tfar[i] < 0) *s->seen[i] = 0;
  s->n = 0;
}
