/* Triangle meshes: equal vertices merged, triangles without area left out, neighbours, closedness, pseudo-normals. */
#include <math.h>

#include "geometry/surfaces/surfaces.h"

/* Beyond this the products of lengths that distances need overflow. */
static const double most_coordinate = 1e50;
/* A triangle that is lower than this, relative to its longest edge, has no normal that is worth the name. */
static const double least_height = 1e-13;

static const char function[] = "cdn_surface_create_mesh";

/* What is gathered before the surface's size is known. */
typedef struct mesh_draft {
  int n_vertices, n_triangles;
  double *vertices;
  int32_t *triangles;
  int32_t *beyond;
  double *normals; /* unit; zero: none was found */
  bool closed, turned;
} mesh_draft;

static void draft_free(mesh_draft *d) {
  cdni_free(NULL, d->vertices, 0);
  cdni_free(NULL, d->triangles, 0);
  cdni_free(NULL, d->beyond, 0);
  cdni_free(NULL, d->normals, 0);
}

static cdn_vec3 vertex_of(const double *vertices, int i) {
  return cdn_v3(vertices[3 * (size_t)i], vertices[3 * (size_t)i + 1], vertices[3 * (size_t)i + 2]);
}

/* ---- equal vertices ---- */

typedef struct placed_vertex {
  double p[3];
  int32_t index;
} placed_vertex;

static int by_place(const void *a, const void *b) {
  const placed_vertex *v = a, *w = b;
  for (int k = 0; k < 3; k++)
    if (v->p[k] != w->p[k]) return v->p[k] < w->p[k] ? -1 : 1;
  return (v->index > w->index) - (v->index < w->index);
}

/* first[i] becomes the first vertex that is where vertex i is. */
static bool find_equal(int n, const double *vertices, int32_t *first) {
  placed_vertex *v = cdni_alloc(NULL, (size_t)n * sizeof *v);
  if (!v) return false;
  for (int i = 0; i < n; i++) {
    memcpy(v[i].p, vertices + 3 * (size_t)i, sizeof v[i].p);
    v[i].index = i;
  }
  qsort(v, (size_t)n, sizeof *v, by_place);
  int32_t head = v[0].index;
  for (int i = 0; i < n; i++) {
    if (i > 0 && memcmp(v[i].p, v[i - 1].p, sizeof v[i].p) != 0 &&
        !(v[i].p[0] == v[i - 1].p[0] && v[i].p[1] == v[i - 1].p[1] && v[i].p[2] == v[i - 1].p[2]))
      head = v[i].index;
    first[v[i].index] = head;
  }
  cdni_free(NULL, v, 0);
  return true;
}

/* ---- triangles ---- */

typedef struct placed_triangle {
  int32_t corner[3]; /* turned round so that the least is first */
  int32_t index;
} placed_triangle;

static int by_corners(const void *a, const void *b) {
  const placed_triangle *t = a, *u = b;
  for (int k = 0; k < 3; k++)
    if (t->corner[k] != u->corner[k]) return t->corner[k] < u->corner[k] ? -1 : 1;
  return (t->index > u->index) - (t->index < u->index);
}

/* The unit normal of a triangle; false: it has no area. */
static bool triangle_normal(const double *vertices, const int32_t *t, cdn_vec3 *normal) {
  const cdn_vec3 a = vertex_of(vertices, t[0]), b = vertex_of(vertices, t[1]), c = vertex_of(vertices, t[2]);
  const cdn_vec3 edge[3] = { cdn_sub(b, a), cdn_sub(c, b), cdn_sub(a, c) };
  double length[3];
  for (int k = 0; k < 3; k++) length[k] = cdn_norm(edge[k]);
  /* The two shorter edges give the normal with the least rounding. */
  const int longest = length[0] >= length[1] && length[0] >= length[2] ? 0 : length[1] >= length[2] ? 1 : 2;
  const int k = (longest + 1) % 3, l = (longest + 2) % 3;
  if (!(length[k] > 0 && length[l] > 0)) return false;
  const cdn_vec3 cross = cdn_cross(cdn_scale(1 / length[k], edge[k]), cdn_scale(1 / length[l], edge[l]));
  const double sine = cdn_norm(cross);
  /* The height over the longest edge is sine length[k] length[l] / length[longest]. */
  const double shorter = fmin(length[k], length[l]), longer = fmax(length[k], length[l]);
  if (!(sine * (shorter / length[longest]) * (longer / length[longest]) > least_height)) return false;
  *normal = cdn_scale(1 / sine, cross);
  return true;
}

/* Keeps the triangles with three different vertices, each once. */
static bool keep_triangles(mesh_draft *d, int n, const int *triangles, const int32_t *first) {
  placed_triangle *placed = cdni_alloc(NULL, (size_t)n * sizeof *placed);
  char *dropped = cdni_calloc(NULL, (size_t)n);
  d->triangles = cdni_alloc(NULL, 3 * (size_t)n * sizeof(int32_t));
  const bool ok = placed && dropped && d->triangles;
  if (ok) {
    for (int i = 0; i < n; i++) {
      int32_t t[3];
      for (int k = 0; k < 3; k++) t[k] = first[triangles[3 * (size_t)i + k]];
      const int least = t[0] <= t[1] && t[0] <= t[2] ? 0 : t[1] <= t[2] ? 1 : 2;
      for (int k = 0; k < 3; k++) placed[i].corner[k] = t[(least + k) % 3];
      placed[i].index = i;
      dropped[i] = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
    }
    qsort(placed, (size_t)n, sizeof *placed, by_corners);
    for (int i = 1; i < n; i++)
      if (memcmp(placed[i].corner, placed[i - 1].corner, sizeof placed[i].corner) == 0) dropped[placed[i].index] = 1;
    for (int i = 0; i < n; i++) {
      if (dropped[i]) continue;
      for (int k = 0; k < 3; k++) d->triangles[3 * (size_t)d->n_triangles + k] = first[triangles[3 * (size_t)i + k]];
      d->n_triangles++;
    }
  }
  cdni_free(NULL, placed, 0);
  cdni_free(NULL, dropped, 0);
  return ok;
}

/* Leaves out the vertices that no triangle has, and numbers the others anew, in their order. */
static bool keep_vertices(mesh_draft *d, int n) {
  int32_t *renamed = cdni_calloc(NULL, (size_t)n * sizeof *renamed);
  if (!renamed) return false;
  const size_t corners = 3 * (size_t)d->n_triangles;
  for (size_t i = 0; i < corners; i++) renamed[d->triangles[i]] = 1;
  for (int i = 0; i < n; i++) {
    if (!renamed[i]) continue;
    memmove(d->vertices + 3 * (size_t)d->n_vertices, d->vertices + 3 * (size_t)i, 3 * sizeof(double));
    renamed[i] = d->n_vertices++;
  }
  for (size_t i = 0; i < corners; i++) d->triangles[i] = renamed[d->triangles[i]];
  cdni_free(NULL, renamed, 0);
  return true;
}

/* ---- neighbours ---- */

typedef struct mesh_edge {
  int32_t least, most; /* vertices */
  int32_t place;       /* 3 triangle + edge */
  int32_t against;     /* 1: it runs from most to least */
} mesh_edge;

static int by_vertices(const void *a, const void *b) {
  const mesh_edge *e = a, *f = b;
  if (e->least != f->least) return e->least < f->least ? -1 : 1;
  if (e->most != f->most) return e->most < f->most ? -1 : 1;
  return (e->place > f->place) - (e->place < f->place);
}

/* Two triangles are neighbours where they have an edge in opposite directions. Where an edge has several triangles,
 * each of one direction gets the next of the other. The mesh is closed if no triangle is left alone at an edge. */
static bool find_neighbours(mesh_draft *d) {
  const size_t n = 3 * (size_t)d->n_triangles;
  mesh_edge *edges = cdni_alloc(NULL, n * sizeof *edges);
  cdni_free(NULL, d->beyond, 0);
  d->beyond = cdni_alloc(NULL, n * sizeof(int32_t));
  if (!edges || !d->beyond) return cdni_free(NULL, edges, 0), false;
  for (size_t i = 0; i < n; i++) {
    const int32_t a = d->triangles[i], b = d->triangles[i % 3 == 2 ? i - 2 : i + 1];
    edges[i] = (mesh_edge){ a < b ? a : b, a < b ? b : a, (int32_t)i, a > b };
    d->beyond[i] = -1;
  }
  qsort(edges, n, sizeof *edges, by_vertices);
  d->closed = true;
  for (size_t begin = 0, end; begin < n; begin = end) {
    for (end = begin; end < n && edges[end].least == edges[begin].least && edges[end].most == edges[begin].most;) end++;
    size_t with = begin, against = begin;
    for (;;) {
      while (with < end && edges[with].against) with++;
      while (against < end && !edges[against].against) against++;
      if (with == end || against == end) break;
      d->beyond[edges[with].place] = edges[against].place / 3;
      d->beyond[edges[against].place] = edges[with].place / 3;
      with++, against++;
    }
    if (with != end || against != end) d->closed = false;
  }
  cdni_free(NULL, edges, 0);
  return true;
}

/* ---- normals ---- */

static int longest_edge(const mesh_draft *d, int triangle) {
  const int32_t *t = d->triangles + 3 * (size_t)triangle;
  int longest = 0;
  double most = -1;
  for (int k = 0; k < 3; k++) {
    const double length = cdn_norm(cdn_sub(vertex_of(d->vertices, t[(k + 1) % 3]), vertex_of(d->vertices, t[k])));
    if (length > most) most = length, longest = k;
  }
  return longest;
}

static bool has_normal(const mesh_draft *d, int i) {
  const double *n = d->normals + 3 * (size_t)i;
  return n[0] != 0 || n[1] != 0 || n[2] != 0;
}

/* A triangle whose vertices are on a line fills a crack between others, which would be open without it. It lies within
 * rounding on the triangle beyond its longest edge, and takes its normal from there; that one may have to take its own
 * first. Each round finds one normal at least. */
static bool find_normals(mesh_draft *d) {
  const int n = d->n_triangles;
  cdni_free(NULL, d->normals, 0);
  d->normals = cdni_calloc(NULL, 3 * (size_t)n * sizeof(double));
  if (!d->normals) return false;
  int missing = 0;
  for (int i = 0; i < n; i++) {
    cdn_vec3 normal;
    if (triangle_normal(d->vertices, d->triangles + 3 * (size_t)i, &normal))
      memcpy(d->normals + 3 * (size_t)i, &normal, sizeof normal);
    else missing++;
  }
  for (int round = 0, found = missing; round < 100 && missing > 0 && found > 0; round++) {
    found = 0;
    for (int i = 0; i < n; i++) {
      if (has_normal(d, i)) continue;
      const int from = d->beyond[3 * (size_t)i + longest_edge(d, i)];
      if (from < 0 || !has_normal(d, from)) continue;
      memcpy(d->normals + 3 * (size_t)i, d->normals + 3 * (size_t)from, 3 * sizeof(double));
      found++, missing--;
    }
  }
  return true;
}

/* Finds neighbours and normals. Triangles that got no normal are left out. */
static bool find_shape(mesh_draft *d) {
  if (!find_neighbours(d) || !find_normals(d)) return false;
  int kept = 0;
  for (int i = 0; i < d->n_triangles; i++)
    if (has_normal(d, i)) memmove(d->triangles + 3 * (size_t)kept++, d->triangles + 3 * (size_t)i, 3 * sizeof(int32_t));
  const bool all = kept == d->n_triangles;
  d->n_triangles = kept;
  return all || kept == 0 || (find_neighbours(d) && find_normals(d));
}

/* Whether the closed mesh has a volume, and of which sign. A mesh whose volume is rounding has no inside. */
static void find_inside(mesh_draft *d) {
  if (!d->closed) return;
  const cdn_vec3 origin = vertex_of(d->vertices, 0);
  double volume = 0, size = 0, area = 0;
  for (int i = 0; i < d->n_triangles; i++) {
    const int32_t *t = d->triangles + 3 * (size_t)i;
    cdn_vec3 p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = cdn_sub(vertex_of(d->vertices, t[k]), origin);
      size = fmax(size, cdn_norm(p[k]));
    }
    const cdn_vec3 cross = cdn_cross(cdn_sub(p[1], p[0]), cdn_sub(p[2], p[0]));
    volume += cdn_dot(p[0], cross);
    area += cdn_norm(cross);
  }
  d->closed = fabs(volume) > 1e-14 * area * size;
  d->turned = d->closed && volume < 0;
  if (!d->turned) return;
  for (int i = 0; i < d->n_triangles; i++) {
    /* Corners a, b, c become a, c, b; so the edges are those that were 2, 1, 0. */
    int32_t *t = d->triangles + 3 * (size_t)i, *beyond = d->beyond + 3 * (size_t)i, kept = t[1];
    t[1] = t[2], t[2] = kept;
    kept = beyond[0], beyond[0] = beyond[2], beyond[2] = kept;
    for (int k = 0; k < 3; k++) d->normals[3 * (size_t)i + k] = -d->normals[3 * (size_t)i + k];
  }
}

/* ---- the surface ---- */

/* The pseudo-normal of a vertex: the normals of its triangles, weighted by their angles at the vertex (Baerentzen and
 * Aanaes, Signed distance computation using the angle weighted pseudonormal, 2005). */
static void set_vertex_normals(cdn_surface *s, const mesh_draft *d) {
  for (int i = 0; i < d->n_triangles; i++)
    for (int k = 0; k < 3; k++) {
      const int32_t *t = s->triangles + 3 * (size_t)i;
      const cdn_vec3 p = surface_vertex(s, t[k]);
      const cdn_vec3 e = cdn_sub(surface_vertex(s, t[(k + 1) % 3]), p),
                     f = cdn_sub(surface_vertex(s, t[(k + 2) % 3]), p);
      const double le = cdn_norm(e), lf = cdn_norm(f);
      const cdn_vec3 u = cdn_scale(1 / le, e), v = cdn_scale(1 / lf, f);
      const double angle = 2 * atan2(cdn_norm(cdn_sub(u, v)), cdn_norm(cdn_add(u, v)));
      double *normal = s->vertex_normals + 3 * (size_t)t[k];
      for (int j = 0; j < 3; j++) normal[j] += angle * s->planes[4 * (size_t)i + j];
    }
}

static cdn_surface *make_surface(const mesh_draft *d) {
  const size_t v = (size_t)d->n_vertices, n = (size_t)d->n_triangles;
  cdn_surface *s = cdni_surface_allocate(CDN_GEOMETRY_MESH, (6 * v + 4 * n) * sizeof(double) + n * sizeof(box_node) +
                                                                7 * n * sizeof(int32_t));
  double *centers = cdni_alloc(NULL, 3 * n * sizeof(double));
  if (!s || !centers) {
    cdn_surface_release(s);
    cdni_free(NULL, centers, 0);
    return NULL;
  }
  s->vertices = (double *)(s + 1);
  s->vertex_normals = s->vertices + 3 * v;
  s->planes = s->vertex_normals + 3 * v;
  s->nodes = (box_node *)(s->planes + 4 * n);
  s->triangles = (int32_t *)(s->nodes + n);
  s->beyond = s->triangles + 3 * n;
  s->order = s->beyond + 3 * n;
  memcpy(s->vertices, d->vertices, 3 * v * sizeof(double));
  memcpy(s->triangles, d->triangles, 3 * n * sizeof(int32_t));
  memcpy(s->beyond, d->beyond, 3 * n * sizeof(int32_t));
  s->info.n_vertices = d->n_vertices;
  s->info.n_triangles = d->n_triangles;
  s->info.closed = d->closed;
  s->info.turned = d->turned;
  for (size_t i = 0; i < n; i++) {
    double *plane = s->planes + 4 * i;
    memcpy(plane, d->normals + 3 * i, 3 * sizeof(double));
    cdn_vec3 p[3];
    surface_corners(s, (int)i, p);
    const cdn_vec3 normal = cdn_v3(plane[0], plane[1], plane[2]);
    plane[3] = (cdn_dot(normal, p[0]) + cdn_dot(normal, p[1]) + cdn_dot(normal, p[2])) / 3;
    for (int k = 0; k < 3; k++) centers[3 * i + k] = (&p[0].x)[k] + (&p[1].x)[k] + (&p[2].x)[k];
  }
  set_vertex_normals(s, d);
  surface_build_tree(s, centers);
  s->radius = surface_ball(d->n_vertices, s->vertices, &s->center);
  cdni_free(NULL, centers, 0);
  return s;
}

static cdn_status check_mesh(int n_vertices, const double *vertices, int n_triangles, const int *triangles) {
  if (n_vertices < 1 || n_triangles < 1)
    return cdni_refuse(CDN_ERR_ARG, function,
                       "the mesh has %d vertices and %d triangles: it needs at least one triangle", n_vertices,
                       n_triangles);
  if (!vertices) return cdni_misses(function, "vertices");
  if (!triangles) return cdni_misses(function, "triangles");
  if (n_triangles > INT32_MAX / 3)
    return cdni_refuse(CDN_ERR_ARG, function, "the mesh has %d triangles: split it into meshes of at most %d",
                       n_triangles, INT32_MAX / 3);
  for (size_t i = 0; i < 3 * (size_t)n_vertices; i++)
    if (!(fabs(vertices[i]) <= most_coordinate))
      return cdni_refuse(CDN_ERR_ARG, function,
                         "coordinate %c of vertex %zu is %g: give a finite number of at most %g m", (char)('x' + i % 3),
                         i / 3, vertices[i], most_coordinate);
  for (size_t i = 0; i < 3 * (size_t)n_triangles; i++)
    if (triangles[i] < 0 || triangles[i] >= n_vertices)
      return cdni_refuse(CDN_ERR_ARG, function, "corner %zu of triangle %zu is vertex %d: there are vertices 0 to %d",
                         i % 3, i / 3, triangles[i], n_vertices - 1);
  return CDN_OK;
}

cdn_status cdn_surface_create_mesh(int n_vertices, const double *vertices, int n_triangles, const int *triangles,
                                   cdn_surface **out) {
  if (!out) return cdni_misses(function, "out");
  *out = NULL;
  CDNI_TRY(check_mesh(n_vertices, vertices, n_triangles, triangles));
  mesh_draft d = { .n_vertices = 0 };
  int32_t *first = cdni_alloc(NULL, (size_t)n_vertices * sizeof *first);
  d.vertices = cdni_alloc(NULL, 3 * (size_t)n_vertices * sizeof(double));
  bool ok = first && d.vertices;
  if (ok) memcpy(d.vertices, vertices, 3 * (size_t)n_vertices * sizeof(double));
  ok = ok && find_equal(n_vertices, vertices, first) && keep_triangles(&d, n_triangles, triangles, first);
  cdni_free(NULL, first, 0);
  ok = ok && (d.n_triangles == 0 || find_shape(&d));
  if (ok && d.n_triangles == 0) {
    draft_free(&d);
    return cdni_refuse(CDN_ERR_ARG, function,
                       "none of the %d triangles has an area: give one whose three vertices are not on a line",
                       n_triangles);
  }
  ok = ok && keep_vertices(&d, n_vertices);
  if (ok) find_inside(&d);
  cdn_surface *s = ok ? make_surface(&d) : NULL;
  const int n_dropped = n_triangles - d.n_triangles, n_kept = d.n_vertices;
  draft_free(&d);
  if (!s)
    return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for a mesh of %d vertices and %d triangles", n_vertices,
                       n_triangles);
  s->info.n_merged = n_vertices - n_kept;
  s->info.n_dropped = n_dropped;
  *out = s;
  return CDN_OK;
}
