/* Boxes. */
#include "geometry/convex/convex.h"
#include "geometry/convex/feature.h"
#include "geometry/convex/stand.h"
#include "geometry/kind.h"
#include "geometry/kinds/interval.h"

static double ball(const cdn_geometry *g, cdn_vec3 *center) {
  *center = cdn_v3(0, 0, 0);
  return cdn_norm(cdn_v3(g->size[0], g->size[1], g->size[2]));
}

static cdn_vec3 support(const cdn_geometry *g, cdn_vec3 n) {
  return cdn_v3(copysign(g->size[0], n.x), copysign(g->size[1], n.y), copysign(g->size[2], n.z));
}

static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  return fabs(n.x) * g->size[0] + fabs(n.y) * g->size[1] + fabs(n.z) * g->size[2];
}

static void spread(const cdn_geometry *g, const cdn_rotation *R, double reach[3]) {
  for (int k = 0; k < 3; k++)
    reach[k] = fabs((&R->x.x)[k]) * g->size[0] + fabs((&R->y.x)[k]) * g->size[1] + fabs((&R->z.x)[k]) * g->size[2];
}

double cdni_box_point(const double half[3], cdn_vec3 p, cdn_vec3 *normal) {
  const double over[3] = { fabs(p.x) - half[0], fabs(p.y) - half[1], fabs(p.z) - half[2] };
  if (over[0] > 0 || over[1] > 0 || over[2] > 0) {
    const cdn_vec3 out =
        cdn_v3(copysign(fmax(over[0], 0), p.x), copysign(fmax(over[1], 0), p.y), copysign(fmax(over[2], 0), p.z));
    const double distance = cdn_norm(out);
    *normal = unit_or(out, cdn_v3(0, 0, 1));
    return distance;
  }
  const int axis = over[0] >= over[1] ? (over[0] >= over[2] ? 0 : 2) : (over[1] >= over[2] ? 1 : 2);
  *normal =
      cdn_v3(axis == 0 ? copysign(1, p.x) : 0, axis == 1 ? copysign(1, p.y) : 0, axis == 2 ? copysign(1, p.z) : 0);
  return over[axis];
}

static double point(const cdn_geometry *g, cdn_vec3 p, cdn_vec3 *normal, int *feature) {
  (void)feature;
  return cdni_box_point(g->size, p, normal);
}

static inline bool cross(const cdn_geometry *g, const ray *r, interval *out) {
  *out = (interval){ { -INFINITY, INFINITY }, { CURVE, CURVE } };
  return cut_by_slab(out, r->origin.x, r->direction.x, g->size[0], 0) &&
         cut_by_slab(out, r->origin.y, r->direction.y, g->size[1], 1) &&
         cut_by_slab(out, r->origin.z, r->direction.z, g->size[2], 2);
}

static inline cdn_vec3 normal_of(const cdn_geometry *g, int surface, cdn_vec3 p) {
  (void)g, (void)p;
  return normal_of_plane(surface);
}

static int ray_through(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 origin, cdn_vec3 direction,
                       double reach, int room, cdn_ray_hit *hits) {
  const double *s = g->size, square = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  return through_interval(g, square, cross, normal_of, X_WS, origin, direction, reach, room, hits);
}

/* A corner has the id of its signs: bit i is set where coordinate i is positive. */
static void face(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 d, flat_part *f) {
  const double *half = g->size, along[3] = { fabs(d.x), fabs(d.y), fabs(d.z) }, signs[3] = { d.x, d.y, d.z };
  const int i = along[0] >= along[1] ? (along[0] >= along[2] ? 0 : 2) : (along[1] >= along[2] ? 1 : 2);
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  const bool up = signs[i] >= 0;
  static const int around[4][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
  for (int c = 0; c < 4; c++) {
    const int *a = around[up ? c : 3 - c];
    double p[3];
    p[i] = up ? half[i] : -half[i], p[j] = a[0] * half[j], p[k] = a[1] * half[k];
    feature_add(f, X, p[0], p[1], p[2], (p[0] > 0) | (p[1] > 0) << 1 | (p[2] > 0) << 2);
  }
  const cdn_vec3 column = i == 0 ? X->R.x : i == 1 ? X->R.y : X->R.z;
  f->normal = up ? column : g_neg(column);
}

/* The corners below the middle: of two that face each other one, so four at most. Their ids are those of a face. */
static void stands(const stand *s, const cdn_geometry *g, const cdn_transform *X, cdn_manifold *out) {
  const double *half = g->size, along[3] = { half[0] * s->up_B.x, half[1] * s->up_B.y, half[2] * s->up_B.z };
  if (s->middle - fabs(along[0]) - fabs(along[1]) - fabs(along[2]) > s->margin) return;
  const cdn_vec3 *columns = &X->R.x;
  for (int32_t id = 0; id < 8 && out->n < 4; id++) {
    double rise = 0;
    cdn_vec3 p = X->p;
    for (int k = 0; k < 3; k++) {
      const double sign = id >> k & 1 ? 1 : -1;
      rise += sign * along[k];
      p = g_fma(sign * half[k], columns[k], p);
    }
    if (rise <= 0 && s->middle + rise <= s->margin) stand_point(out, s->middle + rise, s->up, p, id);
  }
}

static const double *faces(const cdn_geometry *g, double (*own)[4], int *n) {
  *n = 0;
  for (int k = 0; k < 3; k++)
    for (int s = -1; s <= 1; s += 2) {
      memset(own[*n], 0, sizeof own[*n]);
      own[*n][k] = s;
      own[(*n)++][3] = g->size[k];
    }
  return own[0];
}

static double depth(const cdn_geometry *g) { return fmin(fmin(g->size[0], g->size[1]), g->size[2]); }

const geometry_kind cdni_kind_box = {
  .name = "box",
  .n_sizes = 3,
  .size = { { "half length x", "half.x", false },
            { "half length y", "half.y", false },
            { "half length z", "half.z", false } },
  .is_convex = true,
  .is_even = true,
  .corner = CORNER_BOX,
  .page = { "box", 3 },
  .contact = CONTACT_FACES,
  .ball = ball,
  .support = support,
  .reach = reach_along,
  .spread = spread,
  .point = point,
  .ray = ray_through,
  .tensor = cdni_polytope_tensor,
  .feature = face,
  .stands = stands,
  .faces = faces,
  .depth = depth,
};
