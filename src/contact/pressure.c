/* A pressure field in each of two solids with flat faces (Elandt, Drumwright, Sherman and Ruina, A pressure field model
 * for fast, robust approximation of net contact force and moment between nominally rigid objects, 2019).
 *
 * The pressure in a solid is E d / L: d is the depth below its surface, the distance to its nearest face, and L the
 * thickness of the material, or the smaller one of both solids' largest depths (a half-space has none). Two solids that overlap meet where their pressures are
 * equal. That surface consists of polygons, one for each pair of faces that are nearest there, on which the pressure is
 * linear. So the force of each polygon is known in closed form, and the sum is continuous in the pose, also as faces
 * become parallel. The energy is the integral of the smaller of the two pressures over the overlap; nothing here
 * computes it. */
#include <float.h>
#include <math.h>

#include "contact/internal.h"

enum { MOST_FACES = 256, MOST_CORNERS = 64 };

/* Depths below faces in Ground: depth = offset - n . x. */
typedef struct field {
  int n, nearest;   /* the face that is nearest to the middle of the overlap */
  double stiffness; /* pressure by depth */
  struct {
    cdn_vec3 n;
    double offset;
    int index;
  } face[MOST_FACES];
} field;

/* The overlap of the boxes of two shapes: its middle, half of its sides, the radius of the ball about it. */
typedef struct overlap_box {
  cdn_vec3 center, half;
  double radius;
} overlap_box;

/* False: they have none. */
static bool find_overlap(const touch_pair *pair, overlap_box *out) {
  cdn_vec3 least[2], most[2];
  for (int i = 0; i < 2; i++) cdni_bounds(pair->g[i], pair->X[i], &least[i], &most[i]);
  const double l[3] = { fmax(least[0].x, least[1].x), fmax(least[0].y, least[1].y), fmax(least[0].z, least[1].z) };
  const double m[3] = { fmin(most[0].x, most[1].x), fmin(most[0].y, most[1].y), fmin(most[0].z, most[1].z) };
  for (int k = 0; k < 3; k++)
    if (!(l[k] <= m[k])) return false;
  out->center = cdn_v3(0.5 * (l[0] + m[0]), 0.5 * (l[1] + m[1]), 0.5 * (l[2] + m[2]));
  out->half = cdn_v3(0.5 * (m[0] - l[0]), 0.5 * (m[1] - l[1]), 0.5 * (m[2] - l[2]));
  out->radius = cdn_norm(out->half);
  return true;
}

/* How far the box reaches along n from its middle. */
static double reach_along(const overlap_box *box, cdn_vec3 n) {
  return fabs(n.x) * box->half.x + fabs(n.y) * box->half.y + fabs(n.z) * box->half.z;
}

/* Faces that may be the nearest one of some point within the box: nearer there than the face that is nearest to the
 * middle. */
static void collect_faces(const cdn_geometry *g, const cdn_transform *X, const overlap_box *box, field *out) {
  double planes[MOST_FACES][4], depth[MOST_FACES];
  const int n = cdni_faces(g, MOST_FACES, planes);
  const cdn_vec3 c = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p));
  int nearest = 0;
  for (int i = 0; i < n; i++) {
    depth[i] = planes[i][3] - cdn_dot(cdn_v3(planes[i][0], planes[i][1], planes[i][2]), c);
    if (depth[i] < depth[nearest]) nearest = i;
  }
  const cdn_vec3 n_nearest = cdn_rotate(X->R, cdn_v3(planes[nearest][0], planes[nearest][1], planes[nearest][2]));
  out->n = 0;
  for (int i = 0; i < n; i++) {
    const double over = depth[i] - depth[nearest];
    if (over > 2 * box->radius) continue;
    const cdn_vec3 normal = cdn_rotate(X->R, cdn_v3(planes[i][0], planes[i][1], planes[i][2]));
    if (over > 1.01 * reach_along(box, cdn_sub(normal, n_nearest))) continue;
    if (i == nearest) out->nearest = out->n;
    out->face[out->n].n = normal;
    out->face[out->n].offset = planes[i][3] + cdn_dot(normal, X->p);
    out->face[out->n++].index = i;
  }
}

/* ---- polygons ---- */

typedef struct polygon {
  int n;
  cdn_vec3 corner[MOST_CORNERS];
} polygon;

/* Keeps the part where offset - n . x >= 0. */
static void clip(polygon *p, cdn_vec3 n, double offset) {
  double height[MOST_CORNERS];
  int inside = 0;
  for (int i = 0; i < p->n; i++) {
    height[i] = offset - cdn_dot(n, p->corner[i]);
    inside += height[i] >= 0;
  }
  if (inside == p->n) return;
  cdn_vec3 kept[MOST_CORNERS];
  int count = 0;
  for (int i = 0, w = p->n - 1; inside > 0 && i < p->n; w = i++) {
    if ((height[i] < 0) != (height[w] < 0) && count < MOST_CORNERS) {
      const double s = height[w] / (height[w] - height[i]);
      kept[count++] = cdn_add(p->corner[w], cdn_scale(s, cdn_sub(p->corner[i], p->corner[w])));
    }
    if (height[i] >= 0 && count < MOST_CORNERS) kept[count++] = p->corner[i];
  }
  p->n = count;
  for (int i = 0; i < count; i++) p->corner[i] = kept[i];
}

/* The square of half width r about the point of the plane n . x = offset nearest to c; counterclockwise about n. */
static void make_square(cdn_vec3 n, double offset, cdn_vec3 c, double r, polygon *out) {
  const cdn_rotation R = cdn_rotation_z_to(n);
  const cdn_vec3 p = cdn_add(c, cdn_scale(offset - cdn_dot(n, c), n)), x = cdn_scale(r, R.x), y = cdn_scale(r, R.y);
  out->n = 4;
  out->corner[0] = cdn_sub(cdn_sub(p, x), y), out->corner[1] = cdn_sub(cdn_add(p, x), y);
  out->corner[2] = cdn_add(cdn_add(p, x), y), out->corner[3] = cdn_add(cdn_sub(p, x), y);
}

/* Integrals over a polygon of the pressure k (offset - n . x): the force, and where it acts. */
static double integrate(const polygon *p, cdn_vec3 normal, cdn_vec3 n, double offset, double k, cdn_vec3 *center) {
  const cdn_vec3 o = p->corner[0];
  const double p_o = k * (offset - cdn_dot(n, o));
  double force = 0;
  cdn_vec3 moment = { 0, 0, 0 };
  for (int i = 1; i + 1 < p->n; i++) {
    const cdn_vec3 a = cdn_sub(p->corner[i], o), b = cdn_sub(p->corner[i + 1], o);
    const double area = 0.5 * cdn_dot(cdn_cross(a, b), normal);
    const double p_a = p_o - k * cdn_dot(n, a), p_b = p_o - k * cdn_dot(n, b), sum = p_o + p_a + p_b;
    force += area * sum / 3;
    /* of a linear function times x over a triangle: area / 12 ((sum + p_i) x_i) */
    moment = cdn_add(moment, cdn_scale(area / 12, cdn_add(cdn_scale(sum + p_a, a), cdn_scale(sum + p_b, b))));
  }
  *center = force > 0 ? cdn_add(o, cdn_scale(1 / force, moment)) : o;
  return force;
}

/* Mean square of the distances of the same pressure from its centre. Over a triangle with the corners x_i and s = sum x_i,
 * the integral of p |x|^2 is area / 60 sum p_i (|s|^2 + sum |x_k|^2 + 2 s.x_i + 2 |x_i|^2). */
static double mean_square(const polygon *p, cdn_vec3 normal, cdn_vec3 n, double offset, double k, cdn_vec3 center,
                          double force) {
  double sum = 0;
  for (int i = 1; i + 1 < p->n; i++) {
    const cdn_vec3 x[3] = { cdn_sub(p->corner[0], center), cdn_sub(p->corner[i], center),
                            cdn_sub(p->corner[i + 1], center) };
    const double area = 0.5 * cdn_dot(cdn_cross(cdn_sub(x[1], x[0]), cdn_sub(x[2], x[0])), normal);
    const cdn_vec3 s = cdn_add(x[0], cdn_add(x[1], x[2]));
    double squares = cdn_dot(s, s);
    for (int j = 0; j < 3; j++) squares += cdn_dot(x[j], x[j]);
    for (int j = 0; j < 3; j++) {
      const double p_j = k * (offset - cdn_dot(n, center) - cdn_dot(n, x[j]));
      sum += area / 60 * p_j * (squares + 2 * cdn_dot(cdn_add(s, x[j]), x[j]));
    }
  }
  return sum > 0 ? sum / force : 0;
}

/* ---- the law ---- */

typedef struct overlap {
  const touch_pair *pair;
  const field *a, *b;
  combined_material m;
  overlap_box box;
} overlap;

/* Keeps the part where face i is nearer than face k. */
static void clip_by_face(polygon *p, const field *f, int i, int k) {
  if (k != i) clip(p, cdn_sub(f->face[k].n, f->face[i].n), f->face[k].offset - f->face[i].offset);
}

/* The polygon where face i of a and face j of b are the nearest ones and the pressures are equal. */
static cdn_status add_polygon(const overlap *o, int i, int j, cdn_region_output *out) {
  const field *a = o->a, *b = o->b;
  const cdn_vec3 n_a = a->face[i].n, n_b = b->face[j].n;
  const cdn_vec3 across = cdn_sub(cdn_scale(a->stiffness, n_a), cdn_scale(b->stiffness, n_b));
  const double length = cdn_norm(across);
  if (length < 1e-9 * (a->stiffness + b->stiffness)) return CDN_OK; /* faces that look the same way do not meet */
  const cdn_vec3 normal = cdn_scale(1 / length, across);
  const double offset = (a->stiffness * a->face[i].offset - b->stiffness * b->face[j].offset) / length;
  if (fabs(offset - cdn_dot(normal, o->box.center)) > 1.01 * reach_along(&o->box, normal)) return CDN_OK;
  polygon p;
  make_square(normal, offset, o->box.center, 1.01 * o->box.radius, &p);
  /* the pressure by the softer solid's depth, which is well defined also where the other hardly gives way */
  const field *soft = a->stiffness <= b->stiffness ? a : b;
  const int face = soft == a ? i : j;
  /* what is nearest to the middle leaves little of most polygons, and comes first */
  clip_by_face(&p, a, i, a->nearest);
  clip_by_face(&p, b, j, b->nearest);
  clip(&p, soft->face[face].n, soft->face[face].offset);
  for (int k = 0; k < a->n && p.n > 2; k++)
    if (k != a->nearest) clip_by_face(&p, a, i, k);
  for (int k = 0; k < b->n && p.n > 2; k++)
    if (k != b->nearest) clip_by_face(&p, b, j, k);
  if (p.n < 3) return CDN_OK;
  cdn_vec3 center;
  const double force = integrate(&p, normal, soft->face[face].n, soft->face[face].offset, soft->stiffness, &center);
  if (!(force > 0)) return CDN_OK;
  void *place;
  CDNI_TRY(cdn_region_output_add(out, 1, &place));
  const double d_a = a->face[i].offset - cdn_dot(n_a, center), d_b = b->face[j].offset - cdn_dot(n_b, center);
  *(touch *)place = (touch){ .a = o->pair->shape[0],
                             .b = o->pair->shape[1],
                             .feature = a->face[i].index * MOST_FACES + b->face[j].index,
                             .point = center,
                             .normal = normal,
                             .tangent = contact_tangent(normal),
                             .depth = d_a + d_b,
                             .elastic = force,
                             .energy = NAN,
                             .damping = o->m.dissipation };
  ((touch *)place)->spread =
      sqrt(mean_square(&p, normal, soft->face[face].n, soft->face[face].offset, soft->stiffness, center, force));
  cdni_touch_friction(place, &o->m);
  return CDN_OK;
}

cdn_status cdni_law_pressure(const touch_pair *pair, cdn_region_output *out) {
  overlap o = { .pair = pair, .m = cdni_combine_materials(pair->material[0], pair->material[1], pair->numbers) };
  if (!find_overlap(pair, &o.box)) return CDN_OK;
  field fields[2];
  double depth[2];
  for (int i = 0; i < 2; i++) {
    collect_faces(pair->g[i], pair->X[i], &o.box, &fields[i]);
    depth[i] = cdni_largest_depth(pair->g[i]);
  }
  double E[2];
  cdni_moduli_in_series(pair->material[0], pair->material[1], pair->numbers, E);
  for (int i = 0; i < 2; i++) {
    const double thickness = cdni_thickness(pair->material[i], pair->numbers);
    fields[i].stiffness = E[i] / (thickness > 0 ? thickness : fmin(depth[0], depth[1]));
  }
  o.a = &fields[0], o.b = &fields[1];
  for (int i = 0; i < o.a->n; i++)
    for (int j = 0; j < o.b->n; j++) CDNI_TRY(add_polygon(&o, i, j, out));
  return CDN_OK;
}
