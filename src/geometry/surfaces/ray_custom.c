/* Rays against geometries of the user's functions. */
#include <math.h>

#include "geometry/surfaces/ray.h"

/* ---- by a signed distance ---- */

/* So many steps are made along one ray; a distance that is one needs far fewer. */
enum { MOST_STEPS = 20000, MOST_HALVINGS = 200 };

static double distance_at(const cdn_surface *s, const ray *r, double t, cdn_vec3 *gradient) {
  return custom_distance(s, g_fma(t, r->direction, r->origin), gradient);
}

/* The place between a and b where the distance changes its sign, by false position that never stalls (Illinois). */
static double change_of_sign(const cdn_surface *s, const ray *r, double a, double fa, double b, double fb) {
  cdn_vec3 gradient;
  int last = 0;
  for (int i = 0; i < MOST_HALVINGS && b > a; i++) {
    double t = a + (b - a) * (fa / (fa - fb));
    if (!(t > a && t < b)) t = a + 0.5 * (b - a);
    if (!(t > a && t < b)) break;
    const double f = distance_at(s, r, t, &gradient);
    if (f == 0) return t;
    if ((f > 0) == (fa > 0)) {
      a = t, fa = f;
      if (last == 1) fb *= 0.5;
      last = 1;
    } else {
      b = t, fb = f;
      if (last == -1) fa *= 0.5;
      last = -1;
    }
  }
  return fabs(fa) < fabs(fb) ? a : b;
}

/* A ray may go on by the distance without meeting the surface. Near to the surface it goes on by a small length, so
 * that it gets through; a piece that is thinner than this length may be missed. */
static void march(const cdn_surface *s, const ray *r, double from, double to, ray_hits *hits) {
  const double small = 1e-7 * s->radius;
  cdn_vec3 gradient;
  double t = from, f = distance_at(s, r, t, &gradient);
  for (int i = 0; i < MOST_STEPS && t < to && t <= hits->reach; i++) {
    const double next = fmin(t + fmax(fabs(f), small), to), g = distance_at(s, r, next, &gradient);
    if (!(next > t)) return;
    if ((f > 0) != (g > 0)) {
      const double at = change_of_sign(s, r, t, f, next, g);
      distance_at(s, r, at, &gradient);
      add_hit(hits, r, at, gradient, 0);
    }
    t = next, f = g;
  }
}

/* ---- by a support function ---- */

/* From t on along `direction`, where a ray enters a convex geometry; false: it does not. The ray goes on to the plane
 * that supports the geometry at the point nearest to it: this never goes too far. */
static bool enter(const cdn_geometry *g, cdn_vec3 origin, cdn_vec3 direction, double *t, cdn_vec3 *normal) {
  const double tiny = 1e-14 * (g->surface->radius + cdn_norm(cdn_sub(origin, g->surface->center)));
  int feature;
  *normal = g_neg(direction);
  for (int i = 0; i < MOST_HALVINGS; i++) {
    cdn_vec3 n;
    const double distance = cdni_point_distance(g, g_fma(*t, direction, origin), &n, &feature);
    if (distance <= tiny) {
      if (i == 0 || distance < 0) *normal = n;
      return true;
    }
    *normal = n;
    const double speed = -cdn_dot(n, direction);
    if (!(speed > 0)) return false;
    const double step = distance / speed;
    if (!(step < 4 * g->surface->radius)) return false; /* beyond the ball */
    *t += step;
  }
  return true;
}

static void cross_convex(const cdn_geometry *g, const ray *r, double from, double to, ray_hits *hits) {
  /* Both ends are outside; the way back begins at the end. */
  double first = from, back = -to;
  cdn_vec3 normal[2];
  if (!enter(g, r->origin, r->direction, &first, &normal[0])) return;
  if (!enter(g, r->origin, g_neg(r->direction), &back, &normal[1])) return;
  add_hit(hits, r, first, normal[0], 0);
  if (-back > first) add_hit(hits, r, -back, normal[1], 0);
}

void cdni_ray_custom(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  const cdn_surface *s = g->surface;
  /* Within the ball about the geometry, and a little beyond. */
  const cdn_vec3 c = cdn_sub(s->center, r->origin);
  const double middle = cdn_dot(c, r->direction), radius = s->radius * (1 + 1e-6);
  const double aside = cdn_norm(g_fma(-middle, r->direction, c));
  if (aside > radius) return;
  const double half = sqrt((radius - aside) * (radius + aside)) + 1e-6 * s->radius;
  if (middle + half < 0 || middle - half > hits->reach) return;
  if (s->ops.distance) march(s, r, fmax(0, middle - half), fmin(hits->reach, middle + half), hits);
  else cross_convex(g, r, middle - half, middle + half, hits);
}
