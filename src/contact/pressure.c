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
  int n;
  double stiffness; /* pressure by depth */
  struct {
    cdn_vec3 n;
    double offset;
    int index;
  } face[MOST_FACES];
} field;

/* The ball about the overlap of two boxes. False: they have none. */
static bool overlap_ball(const touch_pair *pair, cdn_vec3 *center, double *radius) {
  cdn_vec3 least[2], most[2];
  for (int i = 0; i < 2; i++) cdni_bounds(pair->g[i], pair->X[i], &least[i], &most[i]);
  const double l[3] = { fmax(least[0].x, least[1].x), fmax(least[0].y, least[1].y), fmax(least[0].z, least[1].z) };
  const double m[3] = { fmin(most[0].x, most[1].x), fmin(most[0].y, most[1].y), fmin(most[0].z, most[1].z) };
  double c[3], square = 0;
  for (int k = 0; k < 3; k++) {
    if (!(l[k] <= m[k])) return false;
    c[k] = 0.5 * (l[k] + m[k]);
    square += 0.25 * (m[k] - l[k]) * (m[k] - l[k]);
  }
  *center = cdn_v3(c[0], c[1], c[2]);
  *radius = sqrt(square);
  return true;
}

/* Faces that may be the nearest one of some point within the ball. */
static void collect_faces(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 center, double radius, field *out) {
  double planes[MOST_FACES][4], least = INFINITY;
  const int n = cdni_faces(g, MOST_FACES, planes);
  const cdn_vec3 c = cdn_rotate_inv(X->R, cdn_sub(center, X->p));
  out->n = 0;
  for (int i = 0; i < n; i++)
    least = fmin(least, planes[i][3] - cdn_dot(cdn_v3(planes[i][0], planes[i][1], planes[i][2]), c));
  for (int i = 0; i < n; i++) {
    const cdn_vec3 normal = cdn_v3(planes[i][0], planes[i][1], planes[i][2]);
    if (planes[i][3] - cdn_dot(normal, c) > least + 2 * radius) continue;
    out->face[out->n].n = cdn_rotate(X->R, normal);
    out->face[out->n].offset = planes[i][3] + cdn_dot(out->face[out->n].n, X->p);
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
  polygon out = { 0 };
  double before = p->n > 0 ? offset - cdn_dot(n, p->corner[p->n - 1]) : 0;
  for (int i = 0; i < p->n; i++) {
    const cdn_vec3 *x = &p->corner[i], *w = &p->corner[i > 0 ? i - 1 : p->n - 1];
    const double here = offset - cdn_dot(n, *x);
    if ((here < 0) != (before < 0) && out.n < MOST_CORNERS) {
      const double s = before / (before - here);
      out.corner[out.n++] = cdn_add(*w, cdn_scale(s, cdn_sub(*x, *w)));
    }
    if (here >= 0 && out.n < MOST_CORNERS) out.corner[out.n++] = *x;
    before = here;
  }
  *p = out;
}

/* The square of half width r about the point of the plane n . x = offset nearest to c; counterclockwise about n. */
static polygon square(cdn_vec3 n, double offset, cdn_vec3 c, double r) {
  const cdn_rotation R = cdn_rotation_z_to(n);
  const cdn_vec3 p = cdn_add(c, cdn_scale(offset - cdn_dot(n, c), n)), x = cdn_scale(r, R.x), y = cdn_scale(r, R.y);
  return (polygon){
    4, { cdn_sub(cdn_sub(p, x), y), cdn_sub(cdn_add(p, x), y), cdn_add(cdn_add(p, x), y), cdn_add(cdn_sub(p, x), y) }
  };
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
  cdn_vec3 center;
  double radius;
} overlap;

/* The polygon where face i of a and face j of b are the nearest ones and the pressures are equal. */
static cdn_status add_polygon(const overlap *o, int i, int j, cdn_region_output *out) {
  const field *a = o->a, *b = o->b;
  const cdn_vec3 n_a = a->face[i].n, n_b = b->face[j].n;
  const cdn_vec3 across = cdn_sub(cdn_scale(a->stiffness, n_a), cdn_scale(b->stiffness, n_b));
  const double length = cdn_norm(across);
  if (length < 1e-9 * (a->stiffness + b->stiffness)) return CDN_OK; /* faces that look the same way do not meet */
  const cdn_vec3 normal = cdn_scale(1 / length, across);
  const double offset = (a->stiffness * a->face[i].offset - b->stiffness * b->face[j].offset) / length;
  if (fabs(offset - cdn_dot(normal, o->center)) > o->radius) return CDN_OK;
  polygon p = square(normal, offset, o->center, 1.01 * o->radius);
  /* the pressure by the softer solid's depth, which is well defined also where the other hardly gives way */
  const field *soft = a->stiffness <= b->stiffness ? a : b;
  const int face = soft == a ? i : j;
  clip(&p, soft->face[face].n, soft->face[face].offset);
  for (int k = 0; k < a->n && p.n > 2; k++)
    if (k != i) clip(&p, cdn_sub(a->face[k].n, n_a), a->face[k].offset - a->face[i].offset);
  for (int k = 0; k < b->n && p.n > 2; k++)
    if (k != j) clip(&p, cdn_sub(b->face[k].n, n_b), b->face[k].offset - b->face[j].offset);
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
  if (!overlap_ball(pair, &o.center, &o.radius)) return CDN_OK;
  field fields[2];
  double depth[2];
  for (int i = 0; i < 2; i++) {
    collect_faces(pair->g[i], pair->X[i], o.center, o.radius, &fields[i]);
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
