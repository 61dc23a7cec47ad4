/* Signed distances of the user's functions with convex geometries and half-spaces.
 *
 * The answer is the least value of the distance over the points of b. It is found from several points of b by going
 * down the gradient and back to the nearest point of b, with steps after Barzilai and Borwein (Two-point step size
 * gradient methods, 1988). */
#include <math.h>

#include "geometry/surfaces/pairs.h"

enum { STARTS = 15, ROUGH_STEPS = 12, FINE_STEPS = 200 };

typedef struct descent {
  const cdn_surface *s;
  const cdn_geometry *b;
  const cdn_transform *X_AB;
  cdn_vec3 x, gradient;
  double value, step;
} descent;

static cdn_vec3 nearest_in_b(const descent *d, cdn_vec3 p) {
  cdn_vec3 normal;
  const double distance = cdni_convex_point_distance(d->b, g_point_inv(d->X_AB, p), &normal);
  return distance > 0 ? g_fma(-distance, g_rotate(&d->X_AB->R, normal), p) : p;
}

static void start_at(descent *d, cdn_vec3 p) {
  d->x = nearest_in_b(d, p);
  d->value = custom_distance(d->s, d->x, &d->gradient);
  d->step = 0.5 * d->s->radius;
}

/* Goes down until nothing is gained, or `steps` values are computed. */
static void go_down(descent *d, int steps) {
  const double tiny = 1e-12 * d->s->radius;
  for (int i = 0; i < steps && d->step > tiny; i++) {
    const cdn_vec3 y = nearest_in_b(d, g_fma(-d->step, d->gradient, d->x)), way = cdn_sub(y, d->x);
    const double length = cdn_norm(way);
    if (length <= 1e-3 * tiny) return;
    cdn_vec3 gradient;
    const double value = custom_distance(d->s, y, &gradient);
    if (!(value < d->value)) {
      d->step *= 0.25;
      continue;
    }
    const double bend = cdn_dot(way, cdn_sub(gradient, d->gradient));
    d->step = bend > 0 ? fmin(length * length / bend, 4 * d->s->radius) : fmin(2 * d->step, 4 * d->s->radius);
    d->x = y, d->value = value, d->gradient = gradient;
  }
}

static descent least_distance(const cdn_surface *s, const cdn_geometry *b, const cdn_transform *X_AB) {
  descent best = { .value = INFINITY };
  for (int i = 0; i < STARTS; i++) {
    /* The centre, the ends of the axes, and the corners of a cube about it. */
    cdn_vec3 from = { 0, 0, 0 };
    if (i < 6) (&from.x)[i % 3] = i < 3 ? 1 : -1;
    else if (i < 14) from = cdn_v3(i & 1 ? 0.6 : -0.6, i & 2 ? 0.6 : -0.6, i & 4 ? 0.6 : -0.6);
    descent d = { .s = s, .b = b, .X_AB = X_AB };
    start_at(&d, g_fma(s->radius, from, s->center));
    go_down(&d, ROUGH_STEPS);
    if (d.value < best.value) best = d;
  }
  if (best.value == INFINITY) { /* the function gives no numbers */
    best = (descent){ .s = s, .b = b, .X_AB = X_AB };
    start_at(&best, s->center);
    return best;
  }
  best.step = fmax(best.step, 1e-3 * s->radius);
  go_down(&best, FINE_STEPS);
  return best;
}

bool cdni_custom_pair_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                               cdn_proximity *out) {
  const cdn_surface *s = a->surface;
  cdn_transform X = *X_AB;
  double lowered = 0;
  if (b->kind == CDN_GEOMETRY_HALF_SPACE) {
    /* Seen from a half-space that is below the ball about a, the lowest point is the nearest one. */
    lowered = cdn_dot(X.R.z, cdn_sub(s->center, X.p)) - 2 * s->radius;
    if (lowered + s->radius > reach) return false;
    X.p = g_fma(lowered, X.R.z, X.p);
  } else {
    cdn_vec3 normal;
    if (cdni_convex_point_distance(b, g_point_inv(X_AB, s->center), &normal) - s->radius > reach) return false;
  }
  const descent d = least_distance(s, b, &X);
  *out = (cdn_proximity){ .distance = d.value + lowered, .normal = d.gradient };
  out->point_a = g_fma(-d.value, d.gradient, d.x);
  if (b->kind == CDN_GEOMETRY_HALF_SPACE) out->normal = g_neg(X.R.z);
  out->point_b = g_fma(out->distance, out->normal, out->point_a);
  return out->distance <= reach;
}
