/* Rays: what each pixel shows. Lights with soft shadows, light from the whole sky, and a little from the ground. The
 * random numbers of a pixel are a function of its place, so that pictures do not depend on threads. */
#include <math.h>

#include "render/internal.h"

enum { MOST_LAYERS = 12 };

static vec add(vec a, vec b) { return (vec){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static vec scale(float s, vec a) { return (vec){ s * a.x, s * a.y, s * a.z }; }
static float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static vec unit(vec a) {
  const float length = sqrtf(dot(a, a));
  return length > 0 ? scale(1 / length, a) : (vec){ 0, 0, 1 };
}
static vec cross(vec a, vec b) { return (vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }

/* Numbers within 0 and 1, from a counter that is hashed (Wang and others; the constants are PCG's output permutation).
 * */
static float random_number(uint32_t *state) {
  *state = *state * 747796405u + 2891336453u;
  uint32_t word = ((*state >> ((*state >> 28) + 4)) ^ *state) * 277803737u;
  word = word >> 22 ^ word;
  return (float)(word >> 8) * (1.0f / 16777216);
}

/* The n-th of several draws for one pixel, which fill a square more evenly than random ones (the plane's counterpart of
 * the golden ratio's multiples). */
typedef struct draw {
  float first, second; /* where the draws of this pixel begin */
  int sample;
} draw;

static float part(float x) { return x - floorf(x); }

/* Some direction about n: evenly within a cone whose cosine is at least `least` (1: n itself), or, with `cosine`, as
 * often as a surface is lit from it. */
static vec direction_about(vec n, float least, bool cosine, const draw *d) {
  const float a = 6.2831853f * part(d->first + (float)d->sample * 0.75487767f),
              v = part(d->second + (float)d->sample * 0.56984029f);
  const float c = cosine ? sqrtf(1 - v) : 1 - v * (1 - least), s = sqrtf(fmaxf(1 - c * c, 0));
  const vec x = unit(cross(fabsf(n.x) < 0.8f ? (vec){ 1, 0, 0 } : (vec){ 0, 1, 0 }, n)), y = cross(n, x);
  return add(scale(c, n), add(scale(s * cosf(a), x), scale(s * sinf(a), y)));
}

/* ---- rays ---- */

static bool is_hidden(const tracer *t, vec from, vec direction, float reach) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  struct RTCRay ray = { .org_x = from.x,
                        .org_y = from.y,
                        .org_z = from.z,
                        .tnear = 0,
                        .tfar = reach,
                        .mask = ~0u,
                        .dir_x = direction.x,
                        .dir_y = direction.y,
                        .dir_z = direction.z };
  rtcOccluded1(t->casters, &context, &ray);
  return ray.tfar < 0;
}

typedef struct hit {
  const thing *thing;
  vec point, normal; /* the normal is on the side of the eye */
  float place[2];    /* in the texture */
  bool outside;      /* it is seen from outside */
} hit;

/* Where a ray meets a triangle of a thing. */
typedef struct crossing {
  float distance, u, v;
  unsigned thing, triangle;
} crossing;

/* A ray's first crossings, in their order, of things that let light pass. */
typedef struct ray_context {
  struct RTCIntersectContext context; /* first, for Embree */
  const tracer *tracer;
  crossing list[MOST_LAYERS];
  int n;
} ray_context;

/* Embree asks about each crossing, in any order. That with an opaque thing ends the ray; others are kept, and the ray
 * goes on: going
 * again from each to the next would cost as much each time as the whole ray. */
void cdni_render_filter(const struct RTCFilterFunctionNArguments *a) {
  ray_context *c = (ray_context *)a->context;
  const struct RTCRay *ray = (const struct RTCRay *)a->ray; /* rays are single ones here */
  const struct RTCHit *h = (const struct RTCHit *)a->hit;
  const crossing x = { ray->tfar, h->u, h->v, h->instID[0], h->primID };
  if (a->valid[0] != -1) return;
  if (!CDNI_AT(c->tracer->renderer->things, thing, x.thing).lets_through) return;
  a->valid[0] = 0;
  int i = c->n < MOST_LAYERS ? c->n++ : MOST_LAYERS;
  for (; i > 0 && c->list[i - 1].distance > x.distance; i--)
    if (i < MOST_LAYERS) c->list[i] = c->list[i - 1];
  if (i < MOST_LAYERS) c->list[i] = x;
}

/* All crossings up to the first with an opaque thing, which is the last of them. */
static void find_crossings(const tracer *t, vec from, vec direction, float nearest, ray_context *c) {
  rtcInitIntersectContext(&c->context);
  c->tracer = t, c->n = 0;
  struct RTCRayHit h = { .ray = { .org_x = from.x,
                                  .org_y = from.y,
                                  .org_z = from.z,
                                  .tnear = nearest,
                                  .tfar = INFINITY,
                                  .mask = ~0u,
                                  .dir_x = direction.x,
                                  .dir_y = direction.y,
                                  .dir_z = direction.z },
                         .hit = { .geomID = RTC_INVALID_GEOMETRY_ID } };
  h.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(t->scene, &c->context, &h);
  if (h.hit.geomID == RTC_INVALID_GEOMETRY_ID) return;
  while (c->n > 0 && c->list[c->n - 1].distance >= h.ray.tfar) c->n--; /* they are behind it */
  if (c->n == MOST_LAYERS) return;
  c->list[c->n++] = (crossing){ h.ray.tfar, h.hit.u, h.hit.v, h.hit.instID[0], h.hit.primID };
}

static hit hit_at(const tracer *t, const crossing *c, vec from, vec direction) {
  const cdn_renderer *r = t->renderer;
  const thing *x = &CDNI_AT(r->things, thing, c->thing);
  const cdn_painted_triangles *painted = &CDNI_AT(r->forms, form, x->form).painted;
  const cdn_triangles *triangles = &painted->triangles;
  const int32_t *corner = triangles->indices + 3 * (size_t)c->triangle;
  const float weight[3] = { 1 - c->u - c->v, c->u, c->v };
  float n[3] = { 0 };
  hit out = { .thing = x, .point = add(from, scale(c->distance, direction)) };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) n[k] += weight[i] * triangles->normals[3 * (size_t)corner[i] + (size_t)k];
  for (int i = 0; painted->places && i < 3; i++)
    for (int k = 0; k < 2; k++) out.place[k] += weight[i] * painted->places[2 * (size_t)corner[i] + (size_t)k];
  out.normal = unit(add(scale(n[0], x->normal[0]), add(scale(n[1], x->normal[1]), scale(n[2], x->normal[2]))));
  out.outside = dot(out.normal, direction) <= 0;
  if (!out.outside) out.normal = scale(-1, out.normal);
  return out;
}

/* ---- colours ---- */

static double distance_to_middle(double x) { return fabs(x - floor(x) - 0.5); }

/* How much of the other colour the pattern of a floor has at a place. */
static float pattern_at(const thing *t, cdn_vec3 p) {
  const double x = p.x / t->tile[0], y = p.y / t->tile[1];
  if (t->pattern == CDN_PATTERN_CHECKER) return (lround(floor(x)) + lround(floor(y))) & 1 ? 1 : 0;
  return (float)fmin(2 * hypot(distance_to_middle(x), distance_to_middle(y)), 1);
}

static void multiply_texture(const tracer *t, const hit *h, double x, double y, float color[4]) {
  float pixel[4];
  cdni_render_pixel(t->renderer, h->thing->texture, x, y, pixel);
  for (int k = 0; k < 4; k++) color[k] *= pixel[k];
}

/* A floor has its texture, its pattern, or squares. One without end fades into the background far away. */
static void floor_color(const tracer *t, const hit *h, float color[4]) {
  const cdn_renderer *r = t->renderer;
  const thing *x = h->thing;
  const double size = pow(10, ceil(log10(r->radius) - 0.5));
  const cdn_vec3 p = cdn_rotate_inv(x->X.R, cdn_sub(cdn_v3(h->point.x, h->point.y, h->point.z), x->X.p));
  const long squares = lround(floor(p.x / size + 0.5)) + lround(floor(p.y / size + 0.5));
  const bool is_plain = x->pattern == CDN_PATTERN_PLAIN;
  const float shade = squares & 1 ? 0.82f : 1;
  if (x->texture) {
    double at[2];
    for (int k = 0; k < 2; k++) at[k] = x->place[k][0] * p.x + x->place[k][1] * p.y + x->place[k][3];
    if (!x->texture->cube) multiply_texture(t, h, at[0], at[1], color);
    else multiply_texture(t, h, h->place[0], h->place[1], color);
  } else {
    const float other = is_plain ? 0 : pattern_at(x, p);
    for (int k = 0; k < 3; k++) color[k] = is_plain ? shade * color[k] : color[k] + other * (x->color2[k] - color[k]);
  }
  if (x->has_end) return;
  const float far = (float)(hypot(p.x, p.y) / r->radius);
  color[3] *= fminf(fmaxf((12 - far) / 9, 0), 1);
}

static void color_at(const tracer *t, const hit *h, float color[4]) {
  memcpy(color, h->thing->color, sizeof h->thing->color);
  if (h->thing->is_floor) floor_color(t, h, color);
  else if (h->thing->texture) multiply_texture(t, h, h->place[0], h->place[1], color);
}

/* How strongly a lamp shines on a point, and the way to it; 0: not at all. */
static float lamp_at(const lamp *l, vec point, vec *towards, float *distance) {
  *towards = scale(-1, l->along), *distance = INFINITY;
  if (l->directional) return 1;
  const vec way = add(l->position, scale(-1, point));
  const float d = sqrtf(dot(way, way));
  if (!(d > 0)) return 0;
  *towards = scale(1 / d, way), *distance = d;
  const float cosine = -dot(*towards, l->along), *a = l->attenuation;
  if (cosine < l->least_cosine) return 0;
  const float spot = l->exponent > 0 ? powf(fmaxf(cosine, 0), l->exponent) : 1;
  return spot / fmaxf(a[0] + a[1] * d + a[2] * d * d, 1e-6f);
}

/* Light that leaves a point of a surface towards the eye. A surface that faces a lamp of MJCF's usual brightness,
 * 0.7, and the sky, has its
 * own colour and a little more. */
static void shade(const tracer *t, const hit *h, vec direction, const float color[3], float weight, const draw *d,
                  float out[3]) {
  static const float FAINT = 1.0f / 16; /* in what is seen so little, shadows are not */
  static const float LAMP = 0.62f / 0.7f, SKY = 0.42f, GLOSS = 0.24f / 0.7f;
  const cdn_renderer *r = t->renderer;
  const thing *x = h->thing;
  const bool shadows = r->def.shadows && x->casts_shadows && weight > FAINT;
  const float away = 1e-4f * (float)r->radius;
  const vec from = add(h->point, scale(away, h->normal)), n = h->normal;
  float sky = 0.5f + 0.5f * n.z;
  sky = 0.35f + 0.65f * sky;
  if (shadows && is_hidden(t, from, direction_about(n, 0, true, d), 0.8f * (float)r->radius)) sky *= 0.25f;
  for (int k = 0; k < 3; k++) out[k] = color[k] * (SKY * sky + x->emission);
  for (size_t i = 0; i < r->lamps.count; i++) {
    const lamp *l = &CDNI_AT(r->lamps, lamp, i);
    vec towards;
    float distance;
    const float strength = lamp_at(l, h->point, &towards, &distance), facing = dot(n, towards);
    if (!(strength > 0 && facing > 0)) continue;
    if (shadows && l->casts_shadows && is_hidden(t, from, direction_about(towards, 0.997f, false, d), distance))
      continue;
    const vec half = unit(add(towards, scale(-1, direction)));
    const float gloss = x->specular > 0 ? GLOSS * x->specular * powf(fmaxf(dot(n, half), 0), x->exponent) : 0;
    for (int k = 0; k < 3; k++) out[k] += strength * l->rgb[k] * (LAMP * color[k] * facing + gloss);
  }
}

/* What is behind everything. */
static void background(const tracer *t, vec direction, float out[4]) {
  memcpy(out, t->background, sizeof t->background);
  if (!t->sky) return;
  const cdn_vec3 d = cdn_rotate_inv(t->R_GS, cdn_v3(direction.x, direction.y, direction.z));
  double place[2];
  float pixel[4];
  cdni_cube_place(d, t->sky->width, place);
  cdni_render_pixel(t->renderer, t->sky, place[0], place[1], pixel);
  memcpy(out, pixel, 3 * sizeof *out);
}

/* What a ray sees: through everything that lets light pass, down to the background. Premultiplied. A mirror seen in a
 * mirror has its own
 * colour. */
static void look(const tracer *t, vec from, vec direction, bool mirrored, const draw *d, float out[4]) {
  const float near = 1e-5f * (float)t->renderer->radius;
  float through = 1, nearest = mirrored ? near : 0, behind[4];
  ray_context c;
  memset(out, 0, 4 * sizeof *out);
  find_crossings(t, from, direction, nearest, &c);
  for (int i = 0; i < c.n && through > 0.01f; i++) {
    if (c.list[i].distance < nearest) continue; /* it is where the last one is */
    const hit h = hit_at(t, &c.list[i], from, direction);
    float color[4], light[3];
    color_at(t, &h, color);
    shade(t, &h, direction, color, through * color[3], d, light);
    if (h.thing->reflectance > 0 && h.outside && !mirrored) {
      const float part = h.thing->reflectance;
      float seen[4];
      look(t, h.point, add(direction, scale(-2 * dot(direction, h.normal), h.normal)), true, d, seen);
      for (int k = 0; k < 3; k++) light[k] += part * (seen[k] - seen[3] * light[k]);
    }
    for (int k = 0; k < 3; k++) out[k] += through * color[3] * light[k];
    out[3] += through * color[3];
    through *= 1 - color[3];
    nearest = c.list[i].distance * (1 + 1e-6f) + near;
  }
  background(t, direction, behind);
  for (int k = 0; k < 3; k++) out[k] += through * behind[3] * behind[k];
  out[3] += through * behind[3];
}

static uint8_t to_byte(float x) { return (uint8_t)lroundf(255 * fminf(fmaxf(x, 0), 1)); }

void cdni_render_row(const tracer *t, int row) {
  const cdn_render_def *d = &t->renderer->def;
  for (int column = 0; column < d->width; column++) {
    uint32_t random = (uint32_t)row * 9781u + (uint32_t)column * 6271u + 1;
    draw seed = { random_number(&random), random_number(&random), 0 };
    float sum[4] = { 0 };
    for (int i = 0; i < d->samples * d->samples; i++) {
      const float u = ((float)(i % d->samples) + random_number(&random)) / (float)d->samples;
      const float v = ((float)(i / d->samples) + random_number(&random)) / (float)d->samples;
      const float px = t->tan_x * (2 * ((float)column + u) / (float)d->width - 1);
      const float py = t->tan_y * (1 - 2 * ((float)row + v) / (float)d->height);
      float seen[4];
      look(t, t->eye, unit(add(add(scale(px, t->x), scale(py, t->y)), scale(-1, t->z))), false, &seed, seen);
      seed.sample++;
      for (int k = 0; k < 4; k++) sum[k] += seen[k];
    }
    uint8_t *pixel = t->rgba + 4 * ((size_t)row * (size_t)d->width + (size_t)column);
    for (int k = 0; k < 3; k++) pixel[k] = to_byte(powf(sum[3] > 0 ? sum[k] / sum[3] : 0, 1 / 2.2f));
    pixel[3] = to_byte(sum[3] / (float)(d->samples * d->samples));
  }
}
