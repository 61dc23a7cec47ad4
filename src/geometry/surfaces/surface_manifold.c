/* Points that carry any load between a mesh, a height field or a distance of the user's, and something else: the points
 * of each triangle near b. Where a face of b lies on a triangle, it is cut by the triangle's edges. */
#include <math.h>

#include "geometry/convex/feature.h"
#include "geometry/surfaces/pairs.h"

enum {
  MOST_CORNERS = FEATURE_MOST, /* of a face of b */
  MOST_CUT = MOST_CORNERS + 3,
  MOST_GATHERED = 64,
  ONE_POINT = 1023 /* the number of a point that is of no face of b */
};

typedef struct gathering {
  const cdn_geometry *a, *b;
  const cdn_transform *X_AB;
  double margin, near; /* points within `near` of each other are one */
  int n;
  cdn_proximity point[MOST_GATHERED];
  int32_t id[MOST_GATHERED];
} gathering;

/* ---- the points that are kept ---- */

static void exchange(gathering *g, int i, int j) {
  const cdn_proximity point = g->point[i];
  const int32_t id = g->id[i];
  g->point[i] = g->point[j], g->id[i] = g->id[j];
  g->point[j] = point, g->id[j] = id;
}

/* Two unit vectors across the sum of the normals. */
static void tangents_of(const gathering *g, cdn_vec3 *s, cdn_vec3 *t) {
  cdn_vec3 n = { 0, 0, 0 };
  for (int i = 0; i < g->n; i++) n = cdn_add(n, g->point[i].normal);
  if (!(cdn_norm(n) > 0)) n = cdn_v3(0, 0, 1);
  const cdn_rotation R = cdn_rotation_z_to(n);
  *s = R.x, *t = R.y;
}

/* Differences of places that are smaller do not choose between points: the choice would change with rounding. */
static double least_difference(const gathering *g) {
  double most = 0;
  for (int i = 1; i < g->n; i++) most = fmax(most, cdn_norm(cdn_sub(g->point[i].point_a, g->point[0].point_a)));
  return 1e-7 * most;
}

/* Brings the outermost points in eight directions to the front. Returns how many these are. */
static int bring_outermost(gathering *g, double least) {
  static const double half = 0.70710678118654752;
  static const double way[8][2] = { { 1, 0 },  { half, half },   { 0, 1 },  { -half, half },
                                    { -1, 0 }, { -half, -half }, { 0, -1 }, { half, -half } };
  cdn_vec3 s, t;
  int kept = 0;
  tangents_of(g, &s, &t);
  for (int k = 0; k < 8; k++) {
    const cdn_vec3 along = g_fma(way[k][0], s, cdn_scale(way[k][1], t));
    int outermost = 0;
    for (int i = 1; i < g->n; i++)
      if (cdn_dot(along, cdn_sub(g->point[i].point_a, g->point[outermost].point_a)) > least) outermost = i;
    if (outermost >= kept) exchange(g, kept++, outermost);
  }
  return kept;
}

/* Keeps at most `room`, 8 or more: the outermost points, then always the one that is farthest from those that are kept;
 * and the deepest one. */
static void keep_some(gathering *g, int room) {
  if (g->n <= room) return;
  double apart[MOST_GATHERED];
  for (int i = 0; i < g->n; i++) apart[i] = INFINITY;
  const double least = least_difference(g);
  const int outermost = bring_outermost(g, least);
  for (int kept = 0; kept < room; kept++) {
    int next = kept;
    for (int i = kept + 1; i < g->n && kept >= outermost; i++)
      if (apart[i] > apart[next] + least) next = i;
    apart[next] = apart[kept];
    exchange(g, kept, next);
    for (int i = kept + 1; i < g->n; i++)
      apart[i] = fmin(apart[i], cdn_norm(cdn_sub(g->point[i].point_a, g->point[kept].point_a)));
  }
  int deepest = 0;
  for (int i = 1; i < g->n; i++)
    if (g->point[i].distance < g->point[deepest].distance - (i >= room ? g->near : 0)) deepest = i;
  if (deepest >= room) exchange(g, room - 1, deepest);
  g->n = room;
}

static void gather(gathering *g, const cdn_proximity *point, int32_t id) {
  for (int i = 0; i < g->n; i++) {
    if (cdn_norm(cdn_sub(g->point[i].point_b, point->point_b)) > g->near) continue;
    if (cdn_dot(g->point[i].normal, point->normal) < 0.999) continue;
    if (point->distance < g->point[i].distance) g->point[i] = *point, g->id[i] = id;
    return;
  }
  if (g->n == MOST_GATHERED) keep_some(g, MOST_GATHERED / 2);
  g->point[g->n] = *point;
  g->id[g->n++] = id;
}

static int32_t number(int triangle, int part) { return (int32_t)((uint32_t)triangle * 1024u + (uint32_t)part); }

/* ---- the face of b that looks along `down` ---- */

typedef struct corner {
  cdn_vec3 p;
  int part; /* which corner it is */
  int edge; /* which edge begins here */
} corner;

/* Corners in order; two: a segment; one: b is round. */
static int face_of(const cdn_geometry *b, const cdn_transform *X_AB, cdn_vec3 down, corner *out) {
  flat_part f;
  cdni_feature(b, X_AB, down, &f);
  for (int i = 0; i < f.n; i++) out[i] = (corner){ g_fma(f.radius, down, f.p[i]), i, i };
  return f.n;
}

/* ---- cutting ---- */

/* What of the corners is on the inner side of edge k of a triangle with normal n. A segment or a point stays one. */
static int cut(const corner *in, int n, const cdn_vec3 v[3], cdn_vec3 normal, int k, corner *out) {
  const cdn_vec3 inward = cdn_cross(normal, cdn_sub(v[(k + 1) % 3], v[k]));
  const double slack = -1e-12 * cdn_norm(inward) * (cdn_norm(inward) + cdn_norm(v[k]));
  int m = 0;
  for (int i = 0; i < n; i++) {
    const corner *p = &in[i], *q = &in[(i + 1) % n];
    const double at_p = cdn_dot(inward, cdn_sub(p->p, v[k])), at_q = cdn_dot(inward, cdn_sub(q->p, v[k]));
    if (at_p >= slack && m < MOST_CUT) out[m++] = *p;
    if ((at_p >= slack) == (at_q >= slack) || (n == 2 && i == 1) || n == 1 || m == MOST_CUT) continue;
    /* An edge of b across an edge of the triangle, or a corner of the triangle. */
    const int part = p->edge < MOST_CORNERS ? 64 + 3 * p->edge + k : 200 + 3 * (p->edge - MOST_CORNERS) + k;
    const cdn_vec3 at = g_fma(at_p / (at_p - at_q), cdn_sub(q->p, p->p), p->p);
    out[m++] = (corner){ at, part, at_p >= slack ? MOST_CORNERS + k : p->edge };
  }
  return m;
}

/* Returns how many points there are. */
static int gather_face(gathering *g, int triangle, const cdn_vec3 v[3], cdn_vec3 normal) {
  corner one[MOST_CUT], other[MOST_CUT];
  int n = face_of(g->b, g->X_AB, g_neg(normal), one), gathered = 0;
  for (int k = 0; k < 3 && n > 0; k++) {
    n = cut(one, n, v, normal, k, other);
    memcpy(one, other, (size_t)n * sizeof *one);
  }
  for (int i = 0; i < n; i++) {
    cdn_proximity point = { .normal = normal, .point_b = one[i].p, .feature_a = triangle };
    point.distance = cdn_dot(normal, cdn_sub(one[i].p, v[0]));
    if (point.distance > g->margin) continue;
    point.point_a = g_fma(-point.distance, normal, one[i].p);
    gather(g, &point, number(triangle, one[i].part));
    gathered++;
  }
  return gathered;
}

static bool visit(void *context, int triangle, const cdn_vec3 v[3]) {
  gathering *g = context;
  cdn_proximity near;
  if (cdni_face_distance(g->a, triangle, v, g->b, g->X_AB, g->margin, &near) != FACE_COUNTS) return true;
  cdn_vec3 normal = cdni_face_normal(g->a, triangle, v);
  if (cdn_dot(normal, near.normal) < 0 && has_inside(g->a) && near.distance > 0) return true; /* b is behind it */
  if (cdn_dot(normal, near.normal) < 0 && !has_inside(g->a)) normal = g_neg(normal);
  if (cdn_dot(normal, near.normal) > 0.999 && gather_face(g, triangle, v, normal) > 0) return true;
  /* At an edge or a vertex only the way out of the whole surface counts. */
  if (near.feature_a != triangle) return true;
  if (cdni_leads_out(g->a, v, near.point_a, near.normal)) {
    gather(g, &near, number(triangle, ONE_POINT));
  } else if (near.distance <= 0 && !has_inside(g->a)) {
    /* The way out of this triangle leads onto the next one: b is on the side of the sheet where its middle is. */
    cdn_vec3 middle;
    cdni_bounding_ball(g->b, &middle);
    normal = cdni_face_normal(g->a, triangle, v);
    if (cdn_dot(normal, cdn_sub(g_point(g->X_AB, middle), v[0])) < 0) normal = g_neg(normal);
    gather_face(g, triangle, v, normal);
  }
  return true;
}

/* ---- others ---- */

/* Vertices of the surface within the margin of a half-space. */
static bool visit_vertices(void *context, int triangle, const cdn_vec3 v[3]) {
  gathering *g = context;
  const cdn_vec3 down = g_neg(g->X_AB->R.z);
  int corners[3];
  if (cdn_surface_triangle(g->a->surface, triangle, corners)) return false;
  for (int k = 0; k < 3; k++) {
    cdn_proximity point = { .normal = down, .point_a = v[k], .feature_a = triangle };
    point.distance = cdn_dot(down, cdn_sub(g->X_AB->p, v[k]));
    if (point.distance > g->margin) continue;
    point.point_b = g_fma(point.distance, down, v[k]);
    gather(g, &point, corners[k]);
  }
  return true;
}

/* Vertices of one mesh near the other; X leads from the frame of `of` to that of `in`. */
typedef struct vertices {
  gathering *g;
  const cdn_geometry *of, *in;
  const cdn_transform *X, *back;
  bool turned; /* `of` is a */
} vertices;

static bool visit_near_vertices(void *context, int triangle, const cdn_vec3 v[3]) {
  const vertices *w = context;
  int corners[3];
  if (cdn_surface_triangle(w->of->surface, triangle, corners)) return false;
  for (int k = 0; k < 3; k++) {
    const cdn_proximity at = at_point(w->in, g_point(w->X, v[k]));
    if (at.distance > w->g->margin) continue;
    cdn_proximity point = at;
    point.feature_b = triangle;
    if (w->turned) {
      point.normal = g_neg(g_rotate(&w->back->R, at.normal));
      point.point_a = v[k];
      point.point_b = g_point(w->back, at.point_a);
      point.feature_a = triangle, point.feature_b = at.feature_a;
    }
    gather(w->g, &point, 2 * corners[k] + w->turned);
  }
  return true;
}

static void gather_near_vertices(gathering *g, const cdn_geometry *of, const cdn_geometry *in, const cdn_transform *X,
                                 const cdn_transform *back, bool turned) {
  vertices w = { g, of, in, X, back, turned };
  cdn_vec3 least, most;
  const cdn_vec3 more = { g->margin, g->margin, g->margin };
  cdni_bounds(in, back, &least, &most);
  cdni_triangles_in_box(of->surface, cdn_sub(least, more), cdn_add(most, more), visit_near_vertices, &w);
}

void cdni_surface_manifold(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                           const cdn_transform *X_WB, double margin, cdn_manifold *out) {
  const cdn_transform X_AB = seen_from(X_WA, X_WB);
  gathering g = { .a = a, .b = b, .X_AB = &X_AB, .margin = margin };
  cdn_vec3 least = { -INFINITY, -INFINITY, -INFINITY }, most = { INFINITY, INFINITY, INFINITY };
  const cdn_vec3 more = { margin, margin, margin };
  out->n = 0;
  /* The deepest point is among them whatever the triangles give. */
  cdn_proximity deepest;
  if (!cdni_surface_distance(a, X_WA, b, X_WB, margin, &deepest)) return;
  if (a->kind != CDN_GEOMETRY_CUSTOM) g.near = 1e-9 * (a->surface->heights ? a->surface->half_x : a->surface->radius);
  if (a->kind == CDN_GEOMETRY_CUSTOM) {
    g.n = 0;
  } else if (b->kind == CDN_GEOMETRY_HALF_SPACE) {
    cdni_triangles_in_box(a->surface, least, most, visit_vertices, &g);
  } else if (b->kind == CDN_GEOMETRY_MESH) {
    const cdn_transform X_BA = cdn_transform_invert(X_AB);
    gather_near_vertices(&g, b, a, &X_AB, &X_BA, false);
    gather_near_vertices(&g, a, b, &X_BA, &X_AB, true);
  } else {
    cdni_bounds(b, &X_AB, &least, &most);
    cdni_triangles_in_box(a->surface, cdn_sub(least, more), cdn_add(most, more), visit, &g);
  }
  keep_some(&g, CDN_MANIFOLD_MOST);
  for (int i = 0; i < g.n; i++) {
    turn_to_world(X_WA, &g.point[i]);
    out->points[i] = g.point[i];
    out->id[i] = g.id[i];
  }
  out->n = g.n;
  if (g.n > 0) return;
  out->points[0] = deepest;
  out->id[0] = number(deepest.feature_a, ONE_POINT);
  out->n = 1;
}
