/* Meshes and height fields with convex geometries and half-spaces.
 *
 * Apart, the distance is the least one of all triangles. Where triangles go through the convex geometry b, each has a
 * way out: the least motion of b that parts the two. It counts if it leads out of the solid a, that is if it is an
 * outward normal of a at the deepest point of the triangle. For other triangles the point of b that is deepest below
 * the triangle's plane is taken, with its signed distance from a. The least value of all triangles is the answer.
 *
 * At a corner of a it happens that the way out of each triangle is not one out of a. Then the longest of these ways is
 * taken, which is somewhat shorter than the way out of a. */
#include <math.h>

#include "geometry/surfaces/closest.h"
#include "geometry/surfaces/pairs.h"

cdn_vec3 cdni_face_normal(const cdn_geometry *a, int triangle, const cdn_vec3 v[3]) {
  return a->kind == CDN_GEOMETRY_HEIGHT_FIELD ? field_normal(v) : surface_normal(a->surface, triangle);
}

/* The way leads away where it is the gradient of the distance. The point p is known to about 1e-8. */
bool cdni_leads_out(const cdn_geometry *a, const cdn_vec3 v[3], cdn_vec3 p, cdn_vec3 n) {
  double shortest = INFINITY;
  for (int k = 0; k < 3; k++) shortest = fmin(shortest, cdn_norm(cdn_sub(v[(k + 1) % 3], v[k])));
  const double little = fmax(1e-3 * shortest, 1e-7 * cdn_norm(p));
  cdn_vec3 gradient;
  int feature;
  const double distance = cdni_point_distance(a, g_fma(little, n, p), &gradient, &feature);
  return distance > 0.99 * little && cdn_norm(cdn_sub(gradient, n)) < 3e-3;
}

face_answer cdni_face_distance(const cdn_geometry *a, int triangle, const cdn_vec3 v[3], const cdn_geometry *b,
                               const cdn_transform *X_AB, double reach, cdn_proximity *out) {
  cdn_proximity near;
  if (!cdni_triangle_distance(v, b, X_AB, fmax(reach, 0), &near)) return FACE_IS_FAR;
  near.feature_a = triangle, near.feature_b = 0;
  *out = near;
  if (near.distance > 0 || !has_inside(a)) return FACE_COUNTS;
  const cdn_vec3 n = cdni_face_normal(a, triangle, v), on = closest_on_triangle(near.point_a, v, n).point;
  if (cdni_leads_out(a, v, on, near.normal)) return FACE_COUNTS;
  const cdn_proximity deep = at_point(a, support_of(b, X_AB, g_neg(n)));
  if (!(deep.distance < 0)) return FACE_IS_BEHIND;
  *out = deep;
  return FACE_COUNTS;
}

/* ---- the least value of all triangles ---- */

typedef struct search {
  const cdn_geometry *a, *b;
  const cdn_transform *X_AB;
  cdn_vec3 least, most; /* the box of b */
  double reach;         /* what is farther apart does not count */
  bool found, behind;
  cdn_proximity best;
  cdn_proximity way_out; /* the longest way out of a triangle that does not count, for when no other is there */
} search;

static void look_at(search *s, int triangle, const cdn_vec3 v[3]) {
  cdn_proximity near;
  const face_answer answer = cdni_face_distance(s->a, triangle, v, s->b, s->X_AB, s->reach, &near);
  if (answer == FACE_IS_FAR) return;
  if (answer == FACE_IS_BEHIND) {
    if (!s->behind || near.distance < s->way_out.distance) s->way_out = near;
    s->behind = true;
    return;
  }
  /* Of several triangles at one distance the first one counts. */
  const double distance = s->found ? s->best.distance : INFINITY;
  if (near.distance > distance || (near.distance == distance && near.feature_a > s->best.feature_a)) return;
  s->best = near;
  s->found = true;
  s->reach = fmin(s->reach, near.distance);
}

static void search_mesh(search *s) {
  const cdn_surface *mesh = s->a->surface;
  struct {
    double gap;
    int32_t node;
  } stack[MOST_DEPTH];
  int depth = 0;
  stack[depth].gap = box_gap(&mesh->nodes[0], s->least, s->most);
  stack[depth++].node = 0;
  while (depth > 0) {
    depth--;
    if (stack[depth].gap > fmax(s->reach, 0)) continue;
    const box_node *node = &mesh->nodes[stack[depth].node];
    if (node->count == 0) {
      const int32_t first = node->first;
      const double a = box_gap(&mesh->nodes[first], s->least, s->most),
                   b = box_gap(&mesh->nodes[first + 1], s->least, s->most);
      const bool swap = a <= b; /* the nearer one is the next */
      stack[depth].gap = swap ? b : a, stack[depth++].node = first + swap;
      stack[depth].gap = swap ? a : b, stack[depth++].node = first + !swap;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++) {
      cdn_vec3 v[3];
      surface_corners(mesh, mesh->order[i], v);
      look_at(s, mesh->order[i], v);
    }
  }
}

static bool visit(void *context, int triangle, const cdn_vec3 v[3]) {
  look_at(context, triangle, v);
  return true;
}

static void search_field(search *s) {
  const double around = fmax(s->reach, 0);
  const cdn_vec3 more = cdn_v3(around, around, around);
  cdni_triangles_in_box(s->a->surface, cdn_sub(s->least, more), cdn_add(s->most, more), visit, s);
}

/* ---- b as a whole ---- */

/* True if the point of b is inside a; cheap where it is far away. */
static bool is_inside(const cdn_geometry *a, cdn_vec3 p) {
  const cdn_surface *s = a->surface;
  cdn_vec3 gradient;
  int triangle;
  double height;
  if (!has_inside(a)) return false;
  if (s->heights) return field_height(s, p.x, p.y, &height, &triangle) && p.z < height;
  return cdn_norm(cdn_sub(p, s->center)) <= s->radius && cdni_point_distance(a, p, &gradient, &triangle) < 0;
}

static bool convex_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                            cdn_proximity *out) {
  search s = { .a = a, .b = b, .X_AB = X_AB, .reach = reach };
  cdni_bounds(b, X_AB, &s.least, &s.most);
  /* No point of b is nearer to a than b. */
  const cdn_vec3 some = support_of(b, X_AB, cdn_v3(0, 0, -1));
  const bool inside = is_inside(a, some);
  if (inside || reach == INFINITY)
    s.reach = fmin(inside ? INFINITY : reach, fabs(at_point(a, some).distance) * (1 + 1e-9));
  if (a->kind == CDN_GEOMETRY_MESH) search_mesh(&s);
  else search_field(&s);
  if (s.behind && (!s.found || s.best.distance > 0)) s.best = s.way_out, s.found = true;
  /* what touches may round to farther than a point of it is */
  if (!s.found && !inside && reach < INFINITY) return false;
  if (!s.found) s.best = at_point(a, some);
  if (s.best.distance > 0 && inside) {
    /* No triangle meets b, which is inside: its deepest point, away from the nearest triangle. */
    const cdn_proximity near = at_point(a, s.best.point_b), deep = at_point(a, support_of(b, X_AB, s.best.normal));
    s.best = deep.distance < near.distance ? deep : near;
  }
  /* Nor is the middle of b deeper than b. */
  cdn_vec3 middle, normal;
  cdni_bounding_ball(b, &middle);
  if (s.best.distance <= 0 && cdni_convex_point_distance(b, middle, &normal) <= 0) {
    middle = g_point(X_AB, middle);
    const cdn_proximity deep = is_inside(a, middle) ? at_point(a, middle) : s.best;
    if (deep.distance < s.best.distance) s.best = deep;
  }
  *out = s.best;
  return out->distance <= reach;
}

/* The lowest vertex, seen from a half-space: right for whatever solid. */
static bool half_space_distance(const cdn_geometry *a, const cdn_transform *X_AB, double reach, cdn_proximity *out) {
  const cdn_surface *s = a->surface;
  const cdn_vec3 down = g_neg(X_AB->R.z);
  cdn_vec3 lowest;
  const int triangle = s->heights ? field_farthest(s, down, &lowest) : mesh_farthest(s, down, &lowest);
  *out = (cdn_proximity){ .normal = down, .point_a = lowest, .feature_a = triangle };
  out->distance = cdn_dot(down, cdn_sub(X_AB->p, lowest));
  out->point_b = g_fma(out->distance, down, lowest);
  return out->distance <= reach;
}

/* A ball is as far from a mesh as its centre, less the radius. */
static bool ball_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                          cdn_proximity *out) {
  const cdn_surface *s = a->surface;
  const double radius = b->size[0];
  if (cdn_norm(cdn_sub(X_AB->p, s->center)) - s->radius - radius > reach) return false;
  *out = at_point(a, X_AB->p);
  out->distance -= radius;
  out->point_b = g_fma(-radius, out->normal, X_AB->p);
  return out->distance <= reach;
}

bool cdni_surface_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  const cdn_transform X_AB = seen_from(X_WA, X_WB);
  bool near;
  if (a->kind == CDN_GEOMETRY_CUSTOM) near = cdni_custom_pair_distance(a, b, &X_AB, reach, out);
  else if (b->kind == CDN_GEOMETRY_MESH) near = cdni_meshes_distance(a, b, &X_AB, reach, out);
  else if (b->kind == CDN_GEOMETRY_HALF_SPACE) near = half_space_distance(a, &X_AB, reach, out);
  else if (b->kind == CDN_GEOMETRY_SPHERE && a->kind == CDN_GEOMETRY_MESH)
    near = ball_distance(a, b, &X_AB, reach, out);
  else near = convex_distance(a, b, &X_AB, reach, out);
  if (near) turn_to_world(X_WA, out);
  return near;
}
