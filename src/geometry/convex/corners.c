/* Corners of boxes, hulls and meshes, edges of boxes and hulls, and where a point is over one of their faces. All in
 * S. */
#include "geometry/convex/convex.h"

int cdni_corners(const cdn_geometry *g) {
  if (g->kind == CDN_GEOMETRY_BOX) return 8;
  return g->kind == CDN_GEOMETRY_CONVEX || g->kind == CDN_GEOMETRY_MESH ? g->surface->info.n_vertices : 0;
}

int cdni_most_corners(const cdn_geometry *g) {
  if (g->kind != CDN_GEOMETRY_CONVEX) return g->kind == CDN_GEOMETRY_BOX ? 4 : 0;
  const cdn_surface *s = g->surface;
  int most = 0;
  for (int i = 0; i < s->n_faces; i++)
    if (s->first_corner[i + 1] - s->first_corner[i] > most) most = s->first_corner[i + 1] - s->first_corner[i];
  return most;
}

static double sign_of(int i, int axis) { return i >> axis & 1 ? 1 : -1; }

static cdn_vec3 hull_corner(const cdn_surface *s, int i) {
  return cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
}

cdn_vec3 cdni_corner(const cdn_geometry *g, int i) {
  if (g->kind != CDN_GEOMETRY_BOX) return hull_corner(g->surface, i);
  return cdn_v3(sign_of(i, 0) * g->size[0], sign_of(i, 1) * g->size[1], sign_of(i, 2) * g->size[2]);
}

double cdni_lowest_neighbour(const cdn_geometry *g, int i, cdn_vec3 n) {
  const cdn_vec3 at = cdni_corner(g, i);
  double least = INFINITY;
  if (g->kind == CDN_GEOMETRY_BOX) {
    for (int axis = 0; axis < 3; axis++) least = fmin(least, cdn_dot(n, cdn_sub(cdni_corner(g, i ^ 1 << axis), at)));
    return least;
  }
  const cdn_surface *s = g->surface;
  if (!s->first_neighbour) return 0;
  for (int k = s->first_neighbour[i]; k < s->first_neighbour[i + 1]; k++)
    least = fmin(least, cdn_dot(n, cdn_sub(hull_corner(s, s->neighbours[k]), at)));
  return least;
}

/* ---- edges: the four of a box along each axis; of a hull the sides of its faces, each from one of its two ---- */

int cdni_edges(const cdn_geometry *g) {
  if (g->kind == CDN_GEOMETRY_BOX) return 12;
  return g->kind == CDN_GEOMETRY_CONVEX ? g->surface->first_corner[g->surface->n_faces] : 0;
}

static cdn_vec3 unit_along(int axis, double sign) {
  return cdn_v3(axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0);
}

static bool box_edge(const cdn_geometry *g, int i, cdni_edge *out) {
  const int axis = i / 4, b = (axis + 1) % 3, c = (axis + 2) % 3;
  const int at = (i & 1) << b | (i >> 1 & 1) << c;
  out->end[0] = cdni_corner(g, at), out->end[1] = cdni_corner(g, at | 1 << axis);
  out->normal[0] = unit_along(b, i & 1 ? 1 : -1), out->normal[1] = unit_along(c, i >> 1 & 1 ? 1 : -1);
  return true;
}

static int face_of_side(const cdn_surface *s, int side) {
  int low = 0, high = s->n_faces;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (s->first_corner[middle] <= side) low = middle;
    else high = middle;
  }
  return low;
}

static bool has_face(const cdn_surface *s, int vertex, int face) {
  for (int k = s->first_face[vertex]; k < s->first_face[vertex + 1]; k++)
    if (s->vertex_faces[k] == face) return true;
  return false;
}

static cdn_vec3 face_normal(const cdn_surface *s, int face) {
  const double *plane = &s->face_planes[4 * face];
  return cdn_v3(plane[0], plane[1], plane[2]);
}

static bool hull_edge(const cdn_surface *s, int i, cdni_edge *out) {
  const int face = face_of_side(s, i), first = s->first_corner[face], end = s->first_corner[face + 1];
  const int a = s->corners[i], b = s->corners[i + 1 < end ? i + 1 : first];
  if (a > b) return false;
  int other = -1;
  for (int k = s->first_face[a]; k < s->first_face[a + 1] && other < 0; k++)
    if (s->vertex_faces[k] != face && has_face(s, b, s->vertex_faces[k])) other = s->vertex_faces[k];
  if (other < 0) return false;
  out->end[0] = hull_corner(s, a), out->end[1] = hull_corner(s, b);
  out->normal[0] = face_normal(s, face), out->normal[1] = face_normal(s, other);
  return true;
}

bool cdni_edge_at(const cdn_geometry *g, int i, cdni_edge *out) {
  return g->kind == CDN_GEOMETRY_BOX ? box_edge(g, i, out) : hull_edge(g->surface, i, out);
}

/* ---- faces ---- */

double cdni_within_face(const cdn_geometry *g, int face, cdn_vec3 p) {
  if (g->kind == CDN_GEOMETRY_HALF_SPACE) return INFINITY;
  double least = INFINITY;
  if (g->kind == CDN_GEOMETRY_BOX) {
    double own[CDNI_OWN_FACES][4];
    int n;
    const double *plane = cdni_faces(g, own, &n) + 4 * face, x[3] = { p.x, p.y, p.z };
    for (int axis = 0; axis < 3; axis++)
      if (plane[axis] == 0) least = fmin(least, g->size[axis] - fabs(x[axis]));
    return least;
  }
  const cdn_surface *s = g->surface;
  const cdn_vec3 n = face_normal(s, face);
  const int first = s->first_corner[face], end = s->first_corner[face + 1];
  for (int k = first; k < end; k++) {
    const cdn_vec3 a = hull_corner(s, s->corners[k]), b = hull_corner(s, s->corners[k + 1 < end ? k + 1 : first]);
    const cdn_vec3 inward = cdn_cross(n, cdn_sub(b, a));
    least = fmin(least, cdn_dot(inward, cdn_sub(p, a)) / cdn_norm(inward));
  }
  return least;
}
