/* Convex geometries: what the files of this folder share. It is private to the room.
 *
 * A pair (a, b) is computed in the frame of a, so that neither large positions nor the frame W cost digits. For a unit
 * vector n let h(n) be the largest n . x over the difference M = { x_a - x_b }. The signed distance of the two is the
 * largest value of -h over all n, and the n where it is attained is the normal from a to b. This holds apart and deep.
 *
 * Each geometry is a *core* and a radius: the geometry is all points within the radius of the core. A core is the sum
 * of a *corner* part, whose support points are corners of a polytope, and a *curve* part, whose support point moves
 * smoothly with n. */
#ifndef CARDAN_GEOMETRY_CONVEX_CONVEX_H
#define CARDAN_GEOMETRY_CONVEX_CONVEX_H

#include <float.h>
#include <math.h>

#include "geometry/internal.h"
#include "math/lane.h"

typedef struct core {
  corner_form corner;
  curve_form curve;
  double size[3]; /* as the kind has them */
  double radius;
  const cdn_geometry *geometry;
  const cdn_vec3 *triangle;
  const struct survey_kernels *kernels; /* of a small hull, which is looked through */
} core;

typedef struct core_pair {
  core a, b;
  cdn_rotation R;  /* the axes of b in those of a */
  cdn_vec3 p;      /* the origin of b, in a */
  cdn_vec3 toward; /* from the middle of a to the middle of b */
  bool curved;
  double radii;
  double inner;   /* M contains the ball of this radius about -toward */
  double rolling; /* a ball of this radius rolls inside M, so that M is the sum of the ball and another convex set */
  double far;     /* h of a direction that parts the two by more than is asked for */
  bool parted;    /* such a direction has been seen */
  double scale;   /* a length that the numbers of the pair do not exceed by much: for tolerances */
} core_pair;

/* A support point of M. */
typedef struct probe {
  cdn_vec3 corner_a, corner_b; /* of the corner parts */
  cdn_vec3 a, b;               /* of the cores */
  cdn_vec3 w;                  /* a - b */
} probe;

/* Up to four probes; the weights of the point of their hull that is nearest to a point: the origin, or another. */
typedef struct simplex {
  int n;
  probe probe[4];
  cdn_vec3 at[4]; /* w, seen from the point that the simplex is near to */
  double weight[4];
  cdn_vec3 nearest;
} simplex;

/* An answer about the cores, in the frame of a. */
typedef struct core_answer {
  double distance;
  cdn_vec3 normal, point_a, point_b;
} core_answer;

/* A local minimum of h: the answer, and the corners of M that carry it. */
typedef struct minimum {
  core_answer answer;
  int k;
  cdn_vec3 corner[3];
  double weight[3];
  double flat; /* > 0: the caps of cylinders lie flat, a disk of this radius; how far the point is from its centre */
  cdn_vec3 from_center;
} minimum;

typedef enum gjk_end { GJK_APART, GJK_FAR, GJK_TOUCHING, GJK_INSIDE } gjk_end;

/* gjk.c: the nearest point of M to the origin, from the direction n on. FAR: the cores are surely farther apart than
 * reach. APART: *answer is right. Otherwise *s is where it stopped. */
gjk_end cdni_gjk(core_pair *pair, cdn_vec3 n, double reach, simplex *s, core_answer *answer);
/* The direction from M to a point beside it, from n on; s is the simplex near to that point, and may begin with probes.
 * `gap` is how far the bounds of the distance may be apart, in distances. False: the point is not beside M. */
bool cdni_gjk_beside(core_pair *pair, cdn_vec3 point, int most_steps, double gap, simplex *s, cdn_vec3 *n);
/* descend.c: a local minimum of h from answer->normal on, with its points, without Newton's method: for where that
 * fails. */
void cdni_descend_depth(core_pair *pair, core_answer *answer);
/* simplex.c: sets the weights and the nearest point and leaves out what has no weight; true: the origin is inside four
 * probes. */
bool cdni_simplex_reduce(simplex *s);
/* polish.c: from a direction n and the k <= 3 probes that carry the nearest face of M, the local minimum of h near
 * them. False: it did not get there, or the pair is parted. */
bool cdni_polish(core_pair *pair, cdn_vec3 n, int k, const probe *probes, minimum *found);
/* certificate.c, with tangents of half of an angle: within this angle of the normal of a minimum, h is nowhere less
 * than at the minimum; as large as `wanted`, if it can be. */
double cdni_safe_tangent(core_pair *pair, const minimum *found, double wanted);
/* Outside of this angle of the normal of a minimum, h is nowhere less: if the safe angle is as large, the minimum is
 * the least depth. */
double cdni_wanted_tangent(const core_pair *pair, const minimum *found);
/* Minima of h, each with the directions about it among which none is better. */
enum { MOST_CAPS = 12 };
typedef struct caps {
  int n;
  cdn_vec3 axis[MOST_CAPS];
  double cosine[MOST_CAPS];
} caps;
static inline void add_cap(caps *c, cdn_vec3 axis, double tangent) {
  /* Newton's method ends at strict minima: very near to one there is no other. A cap of less than a right angle holds
   * a cone when it holds the corners of the cone. */
  const double t = tangent < 5e-4 ? 5e-4 : tangent > 0.93 ? 0.93 : tangent;
  for (int i = 0; i < c->n; i++)
    if (cdn_dot(axis, c->axis[i]) > 1 - 1e-12) return;
  if (c->n == MOST_CAPS) return;
  c->axis[c->n] = axis;
  c->cosine[c->n++] = (1 - t * t) / (1 + t * t);
}

/* deep.c: the least depth of the origin in M, from the probes of s, which cdni_gjk left, or from a local minimum that
 * is known (or NULL). False: the cores are apart. */
bool cdni_deep(core_pair *pair, simplex *s, const minimum *known, core_answer *answer);
/* The same of polytopes, where h(*n) > 0 along the way *n between the middles, which `toward` is the probe of. False:
 * along *n they do not overlap, or nothing is known. */
bool cdni_deep_toward(core_pair *pair, cdn_vec3 *n, const probe *toward, core_answer *answer);

/* curvature.c: the column `tensor` of solids between planes. */
surface_tensor cdni_polytope_tensor(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 at, cdn_vec3 n);
/* kinds/box.c: as cdni_convex_point_distance. */
double cdni_box_point(const double half[3], cdn_vec3 p, cdn_vec3 *normal);

/* Answers of the files by family: as cdni_pair_distance, with kinds in ascending order. */
typedef bool pair_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double reach, cdn_proximity *out);
pair_distance cdni_sphere_distance;      /* a sphere and anything convex, or a half-space */
pair_distance cdni_half_space_distance;  /* a half-space and anything convex */
pair_distance cdni_capsules_distance;    /* two capsules */
pair_distance cdni_capsule_box_distance; /* a capsule and a box */
pair_distance cdni_boxes_distance;       /* two boxes */
pair_distance cdni_box_hull_distance;    /* a box and a hull */

/* Writes a proximity from a signed distance, a normal and a point of a. */
static inline void proximity_from_a(double distance, cdn_vec3 normal, cdn_vec3 point_a, cdn_proximity *out) {
  out->distance = distance;
  out->normal = normal;
  out->point_a = point_a;
  out->point_b = g_fma(distance, normal, point_a);
  out->feature_a = out->feature_b = 0;
}

/* A shorter vector has no direction: 1 / length would overflow. */
#define LEAST_LENGTH 1e-290

static inline double length_of(cdn_vec3 v) { return sqrt(cdn_dot(v, v)); }

static inline cdn_vec3 unit_or(cdn_vec3 v, cdn_vec3 otherwise) {
  const double length = cdn_norm(v);
  return length > LEAST_LENGTH && isfinite(length) ? cdn_scale(1 / length, v) : otherwise;
}

/* A unit vector across n. */
static inline cdn_vec3 across(cdn_vec3 n) {
  if (fabs(n.x) < 0.6) {
    const double s = 1 / sqrt(n.y * n.y + n.z * n.z);
    return cdn_v3(0, n.z * s, -n.y * s);
  }
  const double s = 1 / sqrt(n.x * n.x + n.y * n.y);
  return cdn_v3(n.y * s, -n.x * s, 0);
}

/* ---- support points of the parts of a core, in its frame, for a unit vector n ---- */

int32_t cdni_hull_support(const cdn_surface *s, cdn_vec3 n);
int32_t cdni_small_hull_support(const core *c, cdn_vec3 n);

static inline cdn_vec3 core_corner(const core *c, cdn_vec3 n) {
  switch (c->corner) {
    case CORNER_POINT: break;
    case CORNER_SEGMENT: return cdn_v3(0, 0, copysign(c->size[1], n.z));
    case CORNER_BOX: return cdn_v3(copysign(c->size[0], n.x), copysign(c->size[1], n.y), copysign(c->size[2], n.z));
    case CORNER_HULL: {
      const cdn_surface *s = c->geometry->surface;
      const double *v = &s->vertices[3 * (c->kernels ? cdni_small_hull_support(c, n) : cdni_hull_support(s, n))];
      return cdn_v3(v[0], v[1], v[2]);
    }
    case CORNER_SUPPORT: return kind_of(c->geometry)->support(c->geometry, n);
    case CORNER_TRIANGLE: {
      const cdn_vec3 *t = c->triangle;
      const double d0 = cdn_dot(n, t[0]), d1 = cdn_dot(n, t[1]), d2 = cdn_dot(n, t[2]);
      return d0 >= d1 ? (d0 >= d2 ? t[0] : t[2]) : (d1 >= d2 ? t[1] : t[2]);
    }
  }
  return cdn_v3(0, 0, 0);
}

static inline cdn_vec3 core_curve(const core *c, cdn_vec3 n) {
  if (c->curve == CURVE_DISK) {
    const double rho = n.x * n.x + n.y * n.y;
    if (!(rho > 1e-300)) return cdn_v3(0, 0, 0);
    const double s = c->size[0] / sqrt(rho);
    return cdn_v3(s * n.x, s * n.y, 0);
  }
  const cdn_vec3 e = cdn_v3(c->size[0] * n.x, c->size[1] * n.y, c->size[2] * n.z);
  const double s = 1 / sqrt(cdn_dot(e, e));
  return cdn_v3(s * c->size[0] * e.x, s * c->size[1] * e.y, s * c->size[2] * e.z);
}

/* The probe of M along the unit vector n, which is m in b, from the corners that are known. */
static inline void probe_from_corners(const core_pair *pair, cdn_vec3 n, cdn_vec3 m, probe *q) {
  q->a = q->corner_a, q->b = q->corner_b;
  if (pair->a.curve) q->a = cdn_add(q->a, core_curve(&pair->a, n));
  if (pair->b.curve) q->b = cdn_add(q->b, g_rotate(&pair->R, core_curve(&pair->b, m)));
  q->w = cdn_sub(q->a, q->b);
}
CDNI_INLINE void pair_probe(core_pair *pair, cdn_vec3 n, probe *q) {
  const cdn_vec3 m = g_neg(g_rotate_inv(&pair->R, n));
  q->corner_a = core_corner(&pair->a, n);
  q->corner_b = cdn_add(pair->p, g_rotate(&pair->R, core_corner(&pair->b, m)));
  probe_from_corners(pair, n, m, q);
}

#endif
