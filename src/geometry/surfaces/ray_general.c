/* Rays against what is known by functions alone: a signed distance, or a support function. */
#include <math.h>

#include "geometry/surfaces/ray.h"

/* The ball about a geometry, and where a ray is within it and a little beyond; false: nowhere. */
typedef struct ball_about {
  cdn_vec3 center;
  double radius, from, to;
} ball_about;

static bool meets_ball(const cdn_geometry *g, const ray *r, const ray_hits *hits, ball_about *ball) {
  ball->radius = cdni_bounding_ball(g, &ball->center);
  const cdn_vec3 c = cdn_sub(ball->center, r->origin);
  const double middle = cdn_dot(c, r->direction), radius = ball->radius * (1 + 1e-6);
  const double aside = cdn_norm(g_fma(-middle, r->direction, c));
  if (aside > radius) return false;
  const double half = sqrt((radius - aside) * (radius + aside)) + 1e-6 * ball->radius;
  ball->from = middle - half, ball->to = middle + half;
  return !(ball->to < 0 || ball->from > hits->reach);
}

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

void cdni_ray_distance(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  ball_about ball;
  if (meets_ball(g, r, hits, &ball)) march(g->surface, r, fmax(0, ball.from), fmin(hits->reach, ball.to), hits);
}

/* ---- by a support function ---- */

/* From t on along `direction`, where a ray enters a convex geometry; false: it does not. The ray goes on to the plane
 * that supports the geometry at the point nearest to it: this never goes too far. */
static bool enter(const cdn_geometry *g, const ball_about *ball, cdn_vec3 origin, cdn_vec3 direction, double *t,
                  cdn_vec3 *normal) {
  const double tiny = 1e-14 * (ball->radius + cdn_norm(cdn_sub(origin, ball->center)));
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
    if (!(step < 4 * ball->radius)) return false; /* beyond the ball */
    *t += step;
  }
  return true;
}

void cdni_ray_support(const cdn_geometry *g, const ray *r, ray_hits *hits) {
  ball_about ball;
  if (!meets_ball(g, r, hits, &ball)) return;
  /* Both ends are outside; the way back begins at the end. */
  double first = ball.from, back = -ball.to;
  cdn_vec3 normal[2];
  if (!enter(g, &ball, r->origin, r->direction, &first, &normal[0])) return;
  if (!enter(g, &ball, r->origin, g_neg(r->direction), &back, &normal[1])) return;
  add_hit(hits, r, first, normal[0], 0);
  if (-back > first) add_hit(hits, r, -back, normal[1], 0);
}
