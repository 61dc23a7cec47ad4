/* Boxes and balls that contain a geometry. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

double cdni_bounding_ball(const cdn_geometry *g, cdn_vec3 *center) {
  const double *size = g->size;
  *center = cdn_v3(0, 0, 0);
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return size[0];
    case CDN_GEOMETRY_CAPSULE: return size[0] + size[1];
    case CDN_GEOMETRY_ELLIPSOID: return fmax(size[0], fmax(size[1], size[2]));
    case CDN_GEOMETRY_CYLINDER: return hypot(size[0], size[1]);
    case CDN_GEOMETRY_BOX: return cdn_norm(cdn_v3(size[0], size[1], size[2]));
    case CDN_GEOMETRY_CONVEX:
    case CDN_GEOMETRY_MESH:
    case CDN_GEOMETRY_HEIGHT_FIELD:
    case CDN_GEOMETRY_CUSTOM: *center = g->surface->center; return g->surface->radius;
    default: return INFINITY;
  }
}

int mesh_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point) {
  int32_t stack[MOST_DEPTH];
  int depth = 0, triangle = -1;
  double best = -INFINITY;
  stack[depth++] = 0;
  while (depth > 0) {
    const box_node *node = &s->nodes[stack[--depth]];
    if (!(box_reach(node, n) >= best)) continue;
    if (node->count == 0) {
      const int first = node->first;
      const bool swap = box_reach(&s->nodes[first], n) > box_reach(&s->nodes[first + 1], n);
      stack[depth++] = first + swap;
      stack[depth++] = first + !swap;
      continue;
    }
    for (int i = node->first; i < node->first + node->count; i++)
      for (int k = 0; k < 3; k++) {
        const cdn_vec3 p = surface_vertex(s, s->triangles[3 * (size_t)s->order[i] + k]);
        const double along = cdn_dot(n, p);
        if (along < best || (along == best && s->order[i] > triangle)) continue;
        best = along, triangle = s->order[i], *point = p;
      }
  }
  return triangle;
}

int field_farthest(const cdn_surface *s, cdn_vec3 n, cdn_vec3 *point) {
  double best = -INFINITY;
  int at[2] = { 0, 0 };
  for (int j = 0; j < s->n_y; j++)
    for (int i = 0; i < s->n_x; i++) {
      const cdn_vec3 p = field_vertex(s, i, j);
      if (!(cdn_dot(n, p) > best)) continue;
      best = cdn_dot(n, p);
      *point = p;
      at[0] = i, at[1] = j;
    }
  /* A triangle that has this vertex. */
  const int i = at[0] < s->n_x - 1 ? at[0] : s->n_x - 2, j = at[1] < s->n_y - 1 ? at[1] : s->n_y - 2;
  return 2 * (j * (s->n_x - 1) + i) + (at[0] == i && at[1] == j + 1);
}

/* The largest n . x over what lies below the heights. */
static double field_reach(const cdn_surface *s, cdn_vec3 n) {
  if (n.z < 0) return INFINITY;
  if (n.z == 0) return fabs(n.x) * s->half_x + fabs(n.y) * s->half_y;
  if (n.x == 0 && n.y == 0) return n.z * s->highest;
  cdn_vec3 farthest;
  field_farthest(s, n, &farthest);
  return cdn_dot(n, farthest);
}

/* The largest n . x over the geometry, for a unit vector n of S. */
static double reach_along(const cdn_geometry *g, cdn_vec3 n) {
  const double *size = g->size;
  const cdn_surface *s = g->surface;
  cdn_vec3 farthest;
  switch (g->kind) {
    case CDN_GEOMETRY_SPHERE: return size[0];
    case CDN_GEOMETRY_HALF_SPACE: return n.x == 0 && n.y == 0 && n.z > 0 ? 0 : INFINITY;
    case CDN_GEOMETRY_CAPSULE: return size[0] + fabs(n.z) * size[1];
    case CDN_GEOMETRY_ELLIPSOID: return cdn_norm(cdn_v3(n.x * size[0], n.y * size[1], n.z * size[2]));
    case CDN_GEOMETRY_CYLINDER: return hypot(n.x, n.y) * size[0] + fabs(n.z) * size[1];
    case CDN_GEOMETRY_BOX: return fabs(n.x) * size[0] + fabs(n.y) * size[1] + fabs(n.z) * size[2];
    case CDN_GEOMETRY_MESH: mesh_farthest(s, n, &farthest); return cdn_dot(n, farthest);
    case CDN_GEOMETRY_HEIGHT_FIELD: return field_reach(s, n);
    default: break;
  }
  if (g->kind == CDN_GEOMETRY_CUSTOM && !s->ops.support) return cdn_dot(n, s->center) + s->radius;
  return cdn_dot(n, cdni_support(g, n));
}

void cdni_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  const bool reaches_alike = g->kind < CDN_GEOMETRY_CONVEX && g->kind != CDN_GEOMETRY_HALF_SPACE; /* to both sides */
  for (int k = 0; k < 3; k++) {
    const cdn_vec3 axis = cdn_v3((&X_WS->R.x.x)[k], (&X_WS->R.y.x)[k], (&X_WS->R.z.x)[k]);
    const double up = reach_along(g, axis), down = reaches_alike ? up : reach_along(g, g_neg(axis));
    (&most->x)[k] = (&X_WS->p.x)[k] + up;
    (&least->x)[k] = (&X_WS->p.x)[k] - down;
  }
}

/* The box of a hull in S, or that at the root of a mesh's tree; false: there is none. */
static bool box_in_S(const cdn_geometry *g, cdn_vec3 *middle, double half[3]) {
  const cdn_surface *s = g->surface;
  if (g->kind == CDN_GEOMETRY_CONVEX) {
    *middle = s->center;
    half[0] = s->half.x, half[1] = s->half.y, half[2] = s->half.z;
    return true;
  }
  if (g->kind != CDN_GEOMETRY_MESH || s->n_nodes == 0) return false;
  const box_node *root = &s->nodes[0];
  for (int k = 0; k < 3; k++) {
    (&middle->x)[k] = 0.5 * root->least[k] + 0.5 * root->most[k];
    half[k] = 0.5 * root->most[k] - 0.5 * root->least[k];
  }
  return true;
}

/* A hull and a mesh are within this box, and within their ball. */
void cdni_outer_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  double half[3];
  cdn_vec3 middle;
  if (!box_in_S(g, &middle, half)) {
    cdni_bounds(g, X_WS, least, most);
    return;
  }
  const cdn_vec3 box = g_point(X_WS, middle), ball = g_point(X_WS, g->surface->center);
  for (int k = 0; k < 3; k++) {
    const double x = (&X_WS->R.x.x)[k], y = (&X_WS->R.y.x)[k], z = (&X_WS->R.z.x)[k];
    const double reach = fabs(x) * half[0] + fabs(y) * half[1] + fabs(z) * half[2];
    const double at = (&box.x)[k], about = (&ball.x)[k], radius = g->surface->radius;
    const double slack = 1e-14 * (fabs(at) + fabs(about) + reach + radius);
    const double low = at - reach, high = at + reach, low_ball = about - radius, high_ball = about + radius;
    (&least->x)[k] = (low > low_ball ? low : low_ball) - slack;
    (&most->x)[k] = (high < high_ball ? high : high_ball) + slack;
  }
}

cdn_status cdn_geometry_bounds(const cdn_geometry *g, const cdn_transform *X_WS, cdn_vec3 *least, cdn_vec3 *most) {
  if (!least || !most) return cdni_misses("cdn_geometry_bounds", least ? "most" : "least");
  CDNI_TRY(check_query("cdn_geometry_bounds", g, X_WS));
  cdni_bounds(g, X_WS, least, most);
  return CDN_OK;
}
