/* What rays see: surfaces, their colours, and the light that comes to them. Lights with soft shadows, light from the
 * whole sky, and a little from the ground. */
#include "render/internal.h"

/* ---- surfaces ---- */

/* What is known of a place that a ray meets. */
typedef struct hit {
  const thing *thing;
  vec point, normal;
  float local[3]; /* the point in the form */
  float place[2]; /* in the texture */
  float width;    /* of the ray on the surface */
  float density;  /* pixels of the texture in a unit of length, where the form knows it */
  bool outside;   /* it is seen from outside */
} hit;

/* Pixels in a unit of length on a triangle. */
static float density_of(const form *f, const int32_t corner[3], const cdn_texture_def *t) {
  vec p[3];
  float place[3][2];
  for (int i = 0; i < 3; i++) {
    const float *at = f->painted.triangles.positions + 3 * (size_t)corner[i];
    p[i] = (vec){ at[0], at[1], at[2] };
    for (int k = 0; k < 2; k++) place[i][k] = f->painted.places[2 * (size_t)corner[i] + (size_t)k];
  }
  const vec a = minus(p[1], p[0]), b = minus(p[2], p[0]);
  const vec across = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
  const float u[2] = { place[1][0] - place[0][0], place[1][1] - place[0][1] };
  const float v[2] = { place[2][0] - place[0][0], place[2][1] - place[0][1] };
  const float area = sqrtf(dot(across, across)), painted = fabsf(u[0] * v[1] - u[1] * v[0]);
  return area > 0 ? sqrtf(painted * (float)t->width * (float)t->height / area) : 0;
}

static void meet_form(const form *f, const crossing *c, const thing *x, hit *out) {
  const cdn_triangles *triangles = &f->painted.triangles;
  const int32_t *corner = triangles->indices + 3 * (size_t)c->triangle;
  const float weight[3] = { 1 - c->u - c->v, c->u, c->v };
  float n[3] = { 0 };
  for (int i = 0; i < 3; i++) {
    const float *normal = triangles->normals + 3 * (size_t)corner[i];
    const float *p = triangles->positions + 3 * (size_t)corner[i];
    for (int k = 0; k < 3; k++) n[k] += weight[i] * normal[k], out->local[k] += weight[i] * p[k];
    for (int k = 0; f->painted.places && k < 2; k++)
      out->place[k] += weight[i] * f->painted.places[2 * (size_t)corner[i] + (size_t)k];
  }
  if (f->painted.places && x->texture) out->density = density_of(f, corner, &x->texture->levels[0]);
  out->normal = unit(add(scale(n[0], x->normal[0]), add(scale(n[1], x->normal[1]), scale(n[2], x->normal[2]))));
}

static hit hit_at(const tracer *t, const crossing *c, const ray *along) {
  const cdn_renderer *r = t->renderer;
  const thing *x = &CDNI_AT(r->things, thing, c->thing);
  hit out = { .thing = x, .point = add(along->from, scale(c->distance, along->along)) };
  if (x->is_floor) out.normal = x->normal[2], out.local[0] = c->u, out.local[1] = c->v;
  else meet_form(&CDNI_AT(r->forms, form, x->form), c, x, &out);
  out.outside = dot(out.normal, along->along) <= 0;
  if (!out.outside) out.normal = scale(-1, out.normal);
  /* between the width across the ray and that along the surface */
  const float facing = larger(fabsf(dot(out.normal, along->along)), 0.01f);
  out.width = (along->width + along->spread * c->distance) / sqrtf(facing);
  return out;
}

/* ---- colours ---- */

static double distance_to_middle(double x) { return fabs(x - floor(x) - 0.5); }
static bool is_odd(double x, double y) { return ((long)floor(x) + (long)floor(y)) & 1; }

/* How much of the other colour the pattern of a floor has at a place. */
static float pattern_at(const thing *t, const double p[2]) {
  const double x = p[0] / t->tile[0], y = p[1] / t->tile[1];
  if (t->pattern == CDN_PATTERN_CHECKER) return is_odd(x, y) ? 1 : 0;
  return (float)fmin(2 * hypot(distance_to_middle(x), distance_to_middle(y)), 1);
}

static float row_length(const double row[4]) {
  return sqrtf((float)(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]));
}

/* A cube is seen in the direction of a point from its middle. */
static void multiply_texture(const tracer *t, const hit *h, float color[4]) {
  const thing *x = h->thing;
  const cdn_texture_def *texture = &x->texture->levels[0];
  float pixel[4];
  if (texture->cube) {
    float d[3], most = 0;
    for (int k = 0; k < 3; k++) {
      d[k] = (float)(x->place[k][0] * h->local[0] + x->place[k][1] * h->local[1] + x->place[k][2] * h->local[2] +
                     x->place[k][3]);
      most = larger(most, row_length(x->place[k]));
    }
    cdni_render_cube_pixel(t->renderer, x->texture, d, most * h->width, pixel);
  } else if (x->is_floor) {
    double at[2];
    for (int k = 0; k < 2; k++) at[k] = x->place[k][0] * h->local[0] + x->place[k][1] * h->local[1] + x->place[k][3];
    const float columns = row_length(x->place[0]) * (float)texture->width;
    const float rows = row_length(x->place[1]) * (float)texture->height;
    cdni_render_pixel(t->renderer, x->texture, at[0], at[1], larger(columns, rows) * h->width, pixel);
  } else cdni_render_pixel(t->renderer, x->texture, h->place[0], h->place[1], h->density * h->width, pixel);
  for (int k = 0; k < 4; k++) color[k] *= pixel[k];
}

/* A floor has its texture, its pattern, or squares. One without end fades into the background far away. */
static void floor_color(const tracer *t, const hit *h, float color[4]) {
  const cdn_renderer *r = t->renderer;
  const thing *x = h->thing;
  const double p[2] = { h->local[0], h->local[1] };
  if (x->texture) multiply_texture(t, h, color);
  else if (x->pattern == CDN_PATTERN_PLAIN) {
    const float shade = is_odd(p[0] / r->square + 0.5, p[1] / r->square + 0.5) ? 0.82f : 1;
    for (int k = 0; k < 3; k++) color[k] *= shade;
  } else {
    const float other = pattern_at(x, p);
    for (int k = 0; k < 3; k++) color[k] += other * (x->color2[k] - color[k]);
  }
  if (x->has_end) return;
  const float far = sqrtf(h->local[0] * h->local[0] + h->local[1] * h->local[1]) / (float)r->radius;
  color[3] *= smaller(larger((12 - far) / 9, 0), 1);
}

static void color_at(const tracer *t, const hit *h, float color[4]) {
  memcpy(color, h->thing->color, sizeof h->thing->color);
  if (h->thing->is_floor) floor_color(t, h, color);
  else if (h->thing->texture) multiply_texture(t, h, color);
}

/* What is behind everything. */
static void background(const tracer *t, const ray *x, float out[4]) {
  memcpy(out, t->background, sizeof t->background);
  if (!t->sky) return;
  const cdn_rotation *R = &t->R_GS;
  const float d[3] = { dot(vec_of(R->x), x->along), dot(vec_of(R->y), x->along), dot(vec_of(R->z), x->along) };
  float pixel[4];
  cdni_render_cube_pixel(t->renderer, t->sky, d, x->spread, pixel);
  memcpy(out, pixel, 3 * sizeof *out);
}

/* ---- light ---- */

/* The power of a cosine; 0 where it is below exp(-8). Most exponents of files are whole numbers. */
static float power(float cosine, float exponent) {
  if (!(cosine > 0 && exponent * (1 - cosine) < 8)) return 0;
  if (exponent > 1000 || exponent != (float)(int)exponent) return powf(cosine, exponent);
  float all = 1;
  for (int rest = (int)exponent; rest > 0; rest >>= 1, cosine *= cosine) all *= rest & 1 ? cosine : 1;
  return all;
}

/* How strongly a lamp shines on a point, and the way to it; 0: not at all. */
static float lamp_at(const lamp *l, vec point, vec *towards, float *distance) {
  *towards = scale(-1, l->along), *distance = INFINITY;
  if (l->directional) return 1;
  const vec way = minus(l->position, point);
  const float d = sqrtf(dot(way, way));
  if (!(d > 0)) return 0;
  *towards = scale(1 / d, way), *distance = d;
  const float cosine = -dot(*towards, l->along), *a = l->attenuation;
  if (cosine < l->least_cosine) return 0;
  const float spot = l->exponent > 0 ? power(cosine, l->exponent) : 1;
  return spot / larger(a[0] + a[1] * d + a[2] * d * d, 1e-6f);
}

/* Light that leaves a point of a surface towards the eye, if nothing is in its way: from the sky, and from each lamp.
 * A surface that faces a lamp of MJCF's usual brightness, 0.7, and the sky, has its own colour and a little more. */
static void shine(const tracer *t, const hit *h, vec direction, const float color[3], float weight, float *light) {
  static const float LAMP = 0.62f / 0.7f, SKY = 0.42f, GLOSS = 0.24f / 0.7f;
  const cdn_renderer *r = t->renderer;
  const thing *x = h->thing;
  const vec n = h->normal;
  const float sky = 0.35f + 0.65f * (0.5f + 0.5f * n.z);
  for (int k = 0; k < 3; k++) light[k] = weight * SKY * sky * color[k];
  for (size_t i = 0; i < r->lamps.count; i++) {
    const lamp *l = &CDNI_AT(r->lamps, lamp, i);
    float distance, *to = light + 3 * (i + 1);
    vec towards;
    const float strength = lamp_at(l, h->point, &towards, &distance), facing = dot(n, towards);
    to[0] = to[1] = to[2] = 0;
    if (!(strength > 0 && facing > 0)) continue;
    const float gloss =
        x->specular > 0 ? GLOSS * x->specular * power(dot(n, unit(minus(towards, direction))), x->exponent) : 0;
    for (int k = 0; k < 3; k++) to[k] = weight * strength * l->rgb[k] * (LAMP * color[k] * facing + gloss);
  }
}

/* Some direction about n: evenly within a cone whose cosine is at least `least`, or, with `cosine`, as often as a
 * surface is lit from it. */
static vec direction_about(vec n, float least, bool cosine, draw d) {
  const float a = 6.2831853f * d.u, c = cosine ? sqrtf(1 - d.v) : 1 - d.v * (1 - least),
              s = sqrtf(larger(1 - c * c, 0));
  /* axes across n: Duff and others, Building an orthonormal basis, revisited, JCGT 6, 2017 */
  const float sign = copysignf(1, n.z), p = -1 / (sign + n.z), q = n.x * n.y * p;
  const vec x = { 1 + sign * n.x * n.x * p, sign * q, -sign * n.x }, y = { q, sign + n.y * n.y * p, -n.y };
  return add(scale(c, n), add(scale(s * cosf(a), x), scale(s * sinf(a), y)));
}

/* Whether a thing that hides light may be so near. */
static bool is_near_casters(const tracer *t, vec p, float reach) {
  const float at[3] = { p.x, p.y, p.z };
  float sum = 0;
  for (int k = 0; k < 3; k++) {
    const float away = larger(larger(t->least[k] - at[k], at[k] - t->most[k]), 0);
    sum += away * away;
  }
  return t->casters && sum <= reach * reach;
}

void cdni_render_ask_lights(const tracer *t, shadow_rays *s, const surface *at, const float *light, int n,
                            const draw *draws, uint8_t *seen) {
  static const float LAMP_COSINE = 0.997f, SKY_REACH = 0.8f;
  const cdn_renderer *r = t->renderer;
  const size_t channels = r->lamps.count + 1;
  memset(seen, 255, channels * (size_t)n);
  if (!at->in_shadows) return;
  const vec from = add(at->point, scale(1e-4f * (float)r->radius, at->normal));
  const float reach = SKY_REACH * (float)r->radius;
  for (int k = 0; k < n && is_near_casters(t, from, reach); k++)
    cdni_render_ask(t, s, from, direction_about(at->normal, 0, true, draws[k]), reach, seen + channels * (size_t)k);
  for (size_t i = 0; i < r->lamps.count; i++) {
    const lamp *l = &CDNI_AT(r->lamps, lamp, i);
    const float *own = light + 3 * (i + 1);
    vec towards;
    float distance;
    if (!l->casts_shadows || !(own[0] + own[1] + own[2] > 0)) continue;
    lamp_at(l, at->point, &towards, &distance);
    for (int k = 0; k < n; k++)
      cdni_render_ask(t, s, from, direction_about(towards, LAMP_COSINE, false, draws[k]), distance,
                      seen + channels * (size_t)k + i + 1);
  }
}

void cdni_render_add_light(int channels, const float *light, const uint8_t *seen, float rgb[3]) {
  for (int c = 0; c < channels; c++) {
    const float part = (1.0f / 255) * (float)seen[c], all = c == 0 ? 0.25f + 0.75f * part : part;
    for (int k = 0; k < 3; k++) rgb[k] += all * light[3 * c + k];
  }
}

/* ---- sights ---- */

/* A ray that leaves a mirror: which sight it belongs to, and the mirror's surface in it. */
typedef struct mirrored {
  int sight, at; /* sight: negative while there is none */
  float part, weight, glow[3];
  ray along;
} mirrored;

/* What a ray sees from `nearest` on, times `through`: through everything that lets light pass, down to the background.
 * Returns the opacity. `mirror` is NULL in a mirror: there mirrors have their own colour. */
static float walk(const tracer *t, sights *out, int number, const ray *x, const crossings *c, float through,
                  float nearest, mirrored *mirror) {
  static const float FAINT = 1.0f / 16; /* in what is seen so little, shadows are not */
  const cdn_renderer *r = t->renderer;
  const float near = 1e-5f * (float)r->radius, all = through;
  sight *s = &out->of[number];
  float behind[4], opacity = 0;
  for (int i = 0; i < c->n && through > 0.01f * all && s->n < MOST_SEEN; i++) {
    if (c->list[i].distance < nearest) continue; /* it is where the last one is */
    const hit h = hit_at(t, &c->list[i], x);
    float color[4];
    color_at(t, &h, color);
    const float weight = through * color[3];
    nearest = c->list[i].distance * (1 + 1e-6f) + near;
    if (!(weight > 0)) continue;
    const bool in_shadows = r->def.shadows && h.thing->casts_shadows && weight > FAINT;
    float glow[3];
    for (int k = 0; k < 3; k++) s->base[k] += glow[k] = weight * color[k] * h.thing->emission;
    if (mirror && mirror->sight < 0 && h.thing->reflectance > 0 && h.outside)
      *mirror = (mirrored){ number,
                            s->n,
                            h.thing->reflectance,
                            weight,
                            { glow[0], glow[1], glow[2] },
                            { h.point, minus(x->along, scale(2 * dot(x->along, h.normal), h.normal)),
                              x->width + x->spread * c->list[i].distance, x->spread } };
    shine(t, &h, x->along, color, weight, light_of(out, number, s->n));
    s->at[s->n++] = (surface){ h.point, h.normal, c->list[i].thing, in_shadows };
    opacity += weight;
    through *= 1 - color[3];
  }
  if (!(through > 0)) return opacity;
  background(t, x, behind);
  for (int k = 0; k < 3; k++) s->base[k] += through * behind[3] * behind[k];
  return opacity + through * behind[3];
}

/* Adds what is seen in a mirror, in place of as much of the mirror's own light. */
static void add_mirrored(const tracer *t, sights *out, const mirrored *m, const crossings *c) {
  const float near = 1e-5f * (float)t->renderer->radius;
  const float opacity = walk(t, out, m->sight, &m->along, c, m->weight * m->part, near, NULL) / m->weight;
  float *light = light_of(out, m->sight, m->at);
  for (int k = 0; k < 3; k++) out->of[m->sight].base[k] -= opacity * m->glow[k];
  for (int k = 0; k < 3 * out->channels; k++) light[k] *= 1 - opacity;
}

void cdni_render_look(const tracer *t, int n, const ray *rays, sights *out) {
  crossings met[RAYS];
  mirrored mirrors[RAYS + 1];
  ray leaving[RAYS];
  int n_mirrors = 0;
  cdni_render_cast(t, n, rays, 0, met);
  for (int i = 0; i < n; i++) {
    sight *s = &out->of[i];
    s->n = 0, memset(s->base, 0, sizeof s->base);
    mirrors[n_mirrors].sight = -1;
    s->base[3] = walk(t, out, i, &rays[i], &met[i], 1, 0, &mirrors[n_mirrors]);
    if (mirrors[n_mirrors].sight >= 0) leaving[n_mirrors] = mirrors[n_mirrors].along, n_mirrors++;
  }
  if (n_mirrors == 0) return;
  cdni_render_cast(t, n_mirrors, leaving, 1e-5f * (float)t->renderer->radius, met);
  for (int i = 0; i < n_mirrors; i++) add_mirrored(t, out, &mirrors[i], &met[i]);
}
