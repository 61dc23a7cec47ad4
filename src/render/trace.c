/* Rays: what each pixel shows. One light far away with a soft shadow, light from the whole sky, and a little from the
 * ground. The random numbers of a pixel are a function of its place, so that pictures do not depend on threads. */
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
  float distance;
  vec point, normal; /* the normal is on the side of the eye */
} hit;

static bool find_hit(const tracer *t, vec from, vec direction, float nearest, hit *out) {
  struct RTCIntersectContext context;
  rtcInitIntersectContext(&context);
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
  rtcIntersect1(t->scene, &context, &h);
  if (h.hit.geomID == RTC_INVALID_GEOMETRY_ID) return false;
  const cdn_renderer *r = t->renderer;
  const thing *x = &CDNI_AT(r->things, thing, h.hit.instID[0]);
  const cdn_triangles *triangles = &CDNI_AT(r->forms, form, x->form).triangles;
  const int32_t *corner = triangles->indices + 3 * (size_t)h.hit.primID;
  const float weight[3] = { 1 - h.hit.u - h.hit.v, h.hit.u, h.hit.v };
  float n[3] = { 0 };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) n[k] += weight[i] * triangles->normals[3 * (size_t)corner[i] + (size_t)k];
  out->thing = x;
  out->distance = h.ray.tfar;
  out->point = add(from, scale(h.ray.tfar, direction));
  out->normal = unit(add(scale(n[0], x->normal[0]), add(scale(n[1], x->normal[1]), scale(n[2], x->normal[2]))));
  if (dot(out->normal, direction) > 0) out->normal = scale(-1, out->normal);
  return true;
}

/* ---- colours ---- */

static double distance_to_middle(double x) { return fabs(x - floor(x) - 0.5); }

/* How much of the other colour the pattern of a floor has at a place. */
static float pattern_at(const thing *t, cdn_vec3 p) {
  const double x = p.x / t->tile[0], y = p.y / t->tile[1];
  if (t->pattern == CDN_PATTERN_CHECKER) return (lround(floor(x)) + lround(floor(y))) & 1 ? 1 : 0;
  return (float)fmin(2 * hypot(distance_to_middle(x), distance_to_middle(y)), 1);
}

/* A floor has its pattern, or squares. One without end fades into the background far away. */
static void floor_color(const tracer *t, const hit *h, float color[4]) {
  const cdn_renderer *r = t->renderer;
  const double size = pow(10, ceil(log10(r->radius) - 0.5));
  const cdn_vec3 p = cdn_rotate_inv(h->thing->X.R, cdn_sub(cdn_v3(h->point.x, h->point.y, h->point.z), h->thing->X.p));
  const long squares = lround(floor(p.x / size + 0.5)) + lround(floor(p.y / size + 0.5));
  const bool is_plain = h->thing->pattern == CDN_PATTERN_PLAIN;
  const float shade = squares & 1 ? 0.82f : 1, other = is_plain ? 0 : pattern_at(h->thing, p);
  for (int k = 0; k < 3; k++)
    color[k] = is_plain ? shade * color[k] : color[k] + other * (h->thing->color2[k] - color[k]);
  if (h->thing->has_end) return;
  const float far = (float)(hypot(p.x, p.y) / r->radius);
  color[3] *= fminf(fmaxf((12 - far) / 9, 0), 1);
}

/* Light that leaves a point of a surface towards the eye. */
static void shade(const tracer *t, const hit *h, vec direction, const float color[3], const draw *d, float out[3]) {
  const bool shadows = t->renderer->def.shadows && h->thing->casts_shadows;
  const float away = 1e-4f * (float)t->renderer->radius;
  const vec from = add(h->point, scale(away, h->normal)), n = h->normal;
  const float facing = fmaxf(dot(n, t->light), 0);
  float sun = facing;
  if (sun > 0 && shadows && is_hidden(t, from, direction_about(t->light, 0.997f, false, d), INFINITY)) sun = 0;
  float sky = 0.5f + 0.5f * n.z;
  sky = 0.35f + 0.65f * sky;
  if (shadows && is_hidden(t, from, direction_about(n, 0, true, d), 0.8f * (float)t->renderer->radius)) sky *= 0.25f;
  const vec half = unit(add(t->light, scale(-1, direction)));
  const float gloss = h->thing->is_floor || sun <= 0 ? 0 : 0.12f * powf(fmaxf(dot(n, half), 0), 40);
  for (int k = 0; k < 3; k++) out[k] = color[k] * (0.62f * sun + 0.42f * sky) + gloss;
}

/* What a ray sees: through everything that lets light pass, down to the background. Premultiplied. */
static void look(const tracer *t, vec direction, const draw *d, float out[4]) {
  float through = 1, nearest = 0;
  memset(out, 0, 4 * sizeof *out);
  hit h;
  for (int i = 0; i < MOST_LAYERS && through > 0.01f && find_hit(t, t->eye, direction, nearest, &h); i++) {
    float color[4], light[3];
    memcpy(color, h.thing->color, sizeof color);
    if (h.thing->is_floor) floor_color(t, &h, color);
    shade(t, &h, direction, color, d, light);
    for (int k = 0; k < 3; k++) out[k] += through * color[3] * light[k];
    out[3] += through * color[3];
    through *= 1 - color[3];
    nearest = h.distance * (1 + 1e-6f) + 1e-5f * (float)t->renderer->radius;
  }
  for (int k = 0; k < 3; k++) out[k] += through * t->background[3] * t->background[k];
  out[3] += through * t->background[3];
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
      look(t, unit(add(add(scale(px, t->x), scale(py, t->y)), scale(-1, t->z))), &seed, seen);
      seed.sample++;
      for (int k = 0; k < 4; k++) sum[k] += seen[k];
    }
    uint8_t *pixel = t->rgba + 4 * ((size_t)row * (size_t)d->width + (size_t)column);
    for (int k = 0; k < 3; k++) pixel[k] = to_byte(powf(sum[3] > 0 ? sum[k] / sum[3] : 0, 1 / 2.2f));
    pixel[3] = to_byte(sum[3] / (float)(d->samples * d->samples));
  }
}
