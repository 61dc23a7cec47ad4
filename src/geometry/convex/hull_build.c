/* The surface of a convex hull from its triangles: the vertices that are used, planes, neighbours, and faces of several
 * triangles. */
#include <math.h>

#include "geometry/convex/hull.h"

/* A directed edge of a triangle; the two of one edge are neighbours when sorted. */
typedef struct edge {
  int32_t least, most, triangle, side;
} edge;

static int by_vertices(const void *x, const void *y) {
  const edge *a = x, *b = y;
  if (a->least != b->least) return a->least < b->least ? -1 : 1;
  if (a->most != b->most) return a->most < b->most ? -1 : 1;
  if (a->triangle != b->triangle) return a->triangle < b->triangle ? -1 : 1;
  return a->side - b->side;
}

typedef struct work {
  edge *edges;
  int32_t *beyond; /* of triangle i, edge k: beyond[3 i + k], or -1 */
  int32_t *face;   /* of a triangle */
  int32_t *order;  /* triangles, the largest first; and a stack */
  double *area;
  int32_t *next; /* the vertex after this one along the border of a face */
} work;

static cdn_vec3 vertex(const cdn_surface *s, int i) {
  return cdn_v3(s->vertices[3 * i], s->vertices[3 * i + 1], s->vertices[3 * i + 2]);
}

/* Triangles get the plane through their corners, moved so that no vertex of the triangle is above it. */
static void set_planes(cdn_surface *s, double *area) {
  for (int i = 0; i < s->info.n_triangles; i++) {
    const int32_t *t = &s->triangles[3 * i];
    const cdn_vec3 a = vertex(s, t[0]), b = vertex(s, t[1]), c = vertex(s, t[2]);
    /* From the corner between the two shorter edges the product loses least. */
    const cdn_vec3 ab = cdn_sub(b, a), bc = cdn_sub(c, b), ca = cdn_sub(a, c);
    const double lab = cdn_dot(ab, ab), lbc = cdn_dot(bc, bc), lca = cdn_dot(ca, ca);
    const cdn_vec3 n = lab >= lbc && lab >= lca ? cdn_cross(bc, ca)
                       : lbc >= lca             ? cdn_cross(ca, ab)
                                                : cdn_cross(ab, bc);
    const double length = cdn_norm(n);
    area[i] = length;
    double *plane = &s->planes[4 * i];
    plane[0] = length > 0 ? n.x / length : 0, plane[1] = length > 0 ? n.y / length : 0,
    plane[2] = length > 0 ? n.z / length : 0;
    const cdn_vec3 u = cdn_v3(plane[0], plane[1], plane[2]);
    plane[3] = fmax(cdn_dot(u, a), fmax(cdn_dot(u, b), cdn_dot(u, c)));
  }
}

static void set_neighbours(cdn_surface *s, work *w) {
  const int n = 3 * s->info.n_triangles;
  for (int i = 0; i < n; i++) {
    const int32_t u = s->triangles[i], v = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
    w->edges[i] = (edge){ u < v ? u : v, u < v ? v : u, i / 3, i % 3 };
    w->beyond[i] = -1;
  }
  qsort(w->edges, (size_t)n, sizeof *w->edges, by_vertices);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) {
      const edge *e = &w->edges[i], *f = e + 1;
      if (i > 0 && e[-1].least == e->least && e[-1].most == e->most) continue;
      if (pass == 0) {
        s->first_neighbour[e->least + 1]++, s->first_neighbour[e->most + 1]++;
        if (i + 1 < n && f->least == e->least && f->most == e->most)
          w->beyond[3 * e->triangle + e->side] = f->triangle, w->beyond[3 * f->triangle + f->side] = e->triangle;
      } else {
        /* first_neighbour is shifted by one place while it is filled. */
        s->neighbours[s->first_neighbour[e->least]++] = e->most,
        s->neighbours[s->first_neighbour[e->most]++] = e->least;
      }
    }
    if (pass == 0)
      for (int i = 0; i < s->info.n_vertices; i++) s->first_neighbour[i + 1] += s->first_neighbour[i];
  }
  for (int i = s->info.n_vertices; i > 0; i--) s->first_neighbour[i] = s->first_neighbour[i - 1];
  s->first_neighbour[0] = 0;
}

static void sort_by_area(int n, const double *area, int32_t *order) {
  /* Heap sort: the smallest at the root, moved to the end; equal areas by their numbers. */
  for (int i = 0; i < n; i++) order[i] = i;
#define LESS(x, y) (area[x] < area[y] || (area[x] == area[y] && (x) > (y)))
  for (int start = n / 2 - 1, end = n; end > 1;) {
    int root;
    if (start >= 0) root = start--;
    else {
      end--;
      const int32_t t = order[end];
      order[end] = order[0], order[0] = t;
      root = 0;
    }
    for (int child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && LESS(order[child + 1], order[child])) child++;
      if (!LESS(order[child], order[root])) break;
      const int32_t t = order[child];
      order[child] = order[root], order[root] = t;
    }
  }
#undef LESS
}

/* Triangles within 1e-7 of the size of one plane are one face: meshes are often written with seven digits. */
static void merge_faces(cdn_surface *s, work *w, int32_t *stack) {
  const double tolerance = 1e-7 * s->radius;
  const int n = s->info.n_triangles;
  for (int i = 0; i < n; i++) w->face[i] = -1;
  s->n_faces = 0;
  int n_corners = 0;
  for (int k = 0; k < n; k++) {
    const int seed = w->order[k];
    if (w->face[seed] >= 0) continue;
    const int f = s->n_faces++;
    const double *plane = &s->planes[4 * seed];
    const cdn_vec3 u = cdn_v3(plane[0], plane[1], plane[2]);
    int depth = 0;
    stack[depth++] = seed;
    w->face[seed] = f;
    while (depth > 0) {
      const int t = stack[--depth];
      for (int e = 0; e < 3; e++) {
        const int g = w->beyond[3 * t + e];
        if (g < 0 || w->face[g] >= 0) continue;
        bool in = u.x * s->planes[4 * g] + u.y * s->planes[4 * g + 1] + u.z * s->planes[4 * g + 2] > 0.9 ||
                  w->area[g] <= 1e-14 * s->radius * s->radius;
        for (int c = 0; c < 3; c++)
          in = in && fabs(cdn_dot(u, vertex(s, s->triangles[3 * g + c])) - plane[3]) <= tolerance;
        if (in) w->face[g] = f, stack[depth++] = g;
      }
    }
    memcpy(&s->face_planes[4 * f], plane, 4 * sizeof *plane);
  }
  /* The border of each face: edges with another face beyond. */
  for (int k = 0, f = 0; k < n; k++) {
    const int seed = w->order[k];
    if (w->face[seed] != f) continue;
    s->first_corner[f] = n_corners;
    int depth = 0, first = -1, n_edges = 0;
    stack[depth++] = seed;
    w->face[seed] = -2 - f;
    while (depth > 0) {
      const int t = stack[--depth];
      for (int e = 0; e < 3; e++) {
        const int g = w->beyond[3 * t + e];
        if (g >= 0 && w->face[g] == f) w->face[g] = -2 - f, stack[depth++] = g;
        else if (g < 0 || w->face[g] != -2 - f) {
          const int32_t from = s->triangles[3 * t + e];
          w->next[from] = s->triangles[3 * t + (e + 1) % 3];
          first = from, n_edges++;
        }
      }
    }
    double *plane = &s->face_planes[4 * f];
    const cdn_vec3 u = cdn_v3(plane[0], plane[1], plane[2]);
    for (int at = first, i = 0; i < n_edges; i++, at = w->next[at]) {
      s->corners[n_corners++] = at;
      plane[3] = fmax(plane[3], cdn_dot(u, vertex(s, at)));
    }
    f++;
  }
  s->first_corner[s->n_faces] = n_corners;
}

/* A face counts once at a vertex, however many of its triangles meet there. The list of a vertex has room for each of
 * its triangles, and is then moved to the end of the one before. merge_faces has left -2 - face. */
static void set_vertex_faces(cdn_surface *s, const work *w) {
  const int nv = s->info.n_vertices, nt = s->info.n_triangles;
  int32_t *first = s->first_face, *count = w->next;
  memset(first, 0, sizeof *first * (size_t)(nv + 1));
  memset(count, 0, sizeof *count * (size_t)nv);
  for (int i = 0; i < 3 * nt; i++) first[s->triangles[i] + 1]++;
  for (int i = 0; i < nv; i++) first[i + 1] += first[i];
  for (int i = 0; i < 3 * nt; i++) {
    const int32_t v = s->triangles[i], face = -2 - w->face[i / 3];
    int32_t *list = &s->vertex_faces[first[v]];
    bool known = false;
    for (int k = 0; k < count[v]; k++) known = known || list[k] == face;
    if (!known) list[count[v]++] = face;
  }
  int32_t end = 0;
  for (int i = 0; i < nv; i++) {
    memmove(&s->vertex_faces[end], &s->vertex_faces[first[i]], sizeof(int32_t) * (size_t)count[i]);
    first[i] = end;
    end += count[i];
  }
  first[nv] = end;
}

static void set_ball(cdn_surface *s) {
  double least[3] = { INFINITY, INFINITY, INFINITY }, most[3] = { -INFINITY, -INFINITY, -INFINITY };
  for (int i = 0; i < s->info.n_vertices; i++)
    for (int k = 0; k < 3; k++)
      least[k] = fmin(least[k], s->vertices[3 * i + k]), most[k] = fmax(most[k], s->vertices[3 * i + k]);
  s->center = cdn_v3(0.5 * (least[0] + most[0]), 0.5 * (least[1] + most[1]), 0.5 * (least[2] + most[2]));
  s->half = cdn_v3(0.5 * (most[0] - least[0]), 0.5 * (most[1] - least[1]), 0.5 * (most[2] - least[2]));
  s->radius = 0;
  for (int i = 0; i < s->info.n_vertices; i++) s->radius = fmax(s->radius, cdn_norm(cdn_sub(vertex(s, i), s->center)));
}

/* A part of the block behind the struct; every part begins at a multiple of 8 bytes. */
static void *part(char **at, size_t bytes) {
  char *begin = *at;
  *at += (bytes + 7) / 8 * 8;
  return begin;
}

/* Looking at all vertices costs less than a climb from one to another up to about so many. */
enum { MOST_COLUMNS = 96 };
static size_t columns_of(size_t n_vertices) { return n_vertices <= MOST_COLUMNS ? (n_vertices + 7) / 8 * 8 : 0; }

static void set_columns(cdn_surface *s) {
  s->n_columns = (int)columns_of((size_t)s->info.n_vertices);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < s->n_columns; i++)
      s->columns[k * s->n_columns + i] = s->vertices[i < s->info.n_vertices ? 3 * i + k : k];
}

/* Room for edges: three of each triangle, each of two. */
static size_t edge_columns_of(size_t n_vertices, size_t n_triangles) {
  return columns_of(n_vertices) > 0 ? (3 * n_triangles / 2 + 7) / 8 * 8 : 0;
}
static size_t plane_columns_of(size_t n_vertices, size_t n_triangles) {
  return columns_of(n_vertices) > 0 ? (n_triangles + 7) / 8 * 8 : 0;
}

/* Slivers have planes that cut corners off: such a hull has no columns of planes. */
static bool planes_support(const cdn_surface *s) {
  for (int i = 0; i < s->info.n_triangles; i++) {
    const double *plane = &s->planes[4 * i];
    for (int k = 0; k < s->info.n_vertices; k++)
      if (!(plane[0] * s->vertices[3 * k] + plane[1] * s->vertices[3 * k + 1] + plane[2] * s->vertices[3 * k + 2] <=
            plane[3] + 1e-13 * s->radius))
        return false;
  }
  return true;
}

static void set_plane_columns(cdn_surface *s, const work *w) {
  const int nt = s->info.n_triangles, n_planes = (int)plane_columns_of((size_t)s->info.n_vertices, (size_t)nt);
  s->n_plane_columns = s->n_edge_columns = 0;
  if (n_planes == 0 || !planes_support(s)) return;
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < n_planes; i++) s->plane_columns[k * n_planes + i] = s->planes[4 * (i < nt ? i : 0) + k];
  /* Those between two planes: a face that is split into triangles has none within. */
  const int room = (int)edge_columns_of((size_t)s->info.n_vertices, (size_t)nt);
  int n = 0;
  for (int t = 0; t < nt; t++)
    for (int e = 0; e < 3; e++) {
      const int g = w->beyond[3 * t + e];
      if (g < 0) return;
      const double *p = &s->planes[4 * t], *q = &s->planes[4 * g];
      const cdn_vec3 between = cdn_cross(cdn_v3(p[0], p[1], p[2]), cdn_v3(q[0], q[1], q[2]));
      if (g < t || cdn_dot(between, between) < 1e-24 || n == room) continue;
      double *c = s->edge_columns + n;
      for (int k = 0; k < 4; k++) c[k * room] = p[k], c[(4 + k) * room] = q[k];
      c[8 * room] = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
      s->edge_ends[2 * n] = s->triangles[3 * t + e], s->edge_ends[2 * n + 1] = s->triangles[3 * t + (e + 1) % 3];
      n++;
    }
  for (int i = n; i < room; i++) {
    for (int k = 0; k < 9; k++) s->edge_columns[k * room + i] = s->edge_columns[k * room];
    s->edge_ends[2 * i] = s->edge_ends[0], s->edge_ends[2 * i + 1] = s->edge_ends[1];
  }
  s->n_edge_columns = room;
  s->n_plane_columns = n_planes;
}

static void lay_out(cdn_surface *s, char *at, size_t n_vertices, size_t n_triangles) {
  s->vertices = part(&at, sizeof(double) * 3 * n_vertices);
  s->planes = part(&at, sizeof(double) * 4 * n_triangles);
  s->face_planes = part(&at, sizeof(double) * 4 * n_triangles);
  s->columns = part(&at, sizeof(double) * 3 * columns_of(n_vertices));
  s->plane_columns = part(&at, sizeof(double) * 4 * plane_columns_of(n_vertices, n_triangles));
  s->edge_columns = part(&at, sizeof(double) * 9 * edge_columns_of(n_vertices, n_triangles));
  s->edge_ends = part(&at, sizeof(int32_t) * 2 * edge_columns_of(n_vertices, n_triangles));
  s->triangles = part(&at, sizeof(int32_t) * 3 * n_triangles);
  s->first_neighbour = part(&at, sizeof(int32_t) * (n_vertices + 2));
  s->neighbours = part(&at, sizeof(int32_t) * 6 * n_triangles);
  s->first_corner = part(&at, sizeof(int32_t) * (n_triangles + 1));
  s->corners = part(&at, sizeof(int32_t) * 3 * n_triangles);
  s->first_face = part(&at, sizeof(int32_t) * (n_vertices + 2));
  s->vertex_faces = part(&at, sizeof(int32_t) * 3 * n_triangles);
  s->groups = part(&at, sizeof(face_group) * cdni_face_groups_room(n_triangles));
  s->group_faces = part(&at, sizeof(int32_t) * n_triangles);
}

/* What a search for the farthest vertex begins with. The components of the middle of a cell are as their sizes are
 * ordered; where the bits contradict each other the cell is one of equal sizes. */
static void set_starts(cdn_surface *s) {
  for (int cell = 0; cell < HULL_CELLS; cell++) {
    const int xy = cell >> 3 & 1, yz = cell >> 4 & 1, zx = cell >> 5 & 1;
    static const double sizes[] = { 0.25, 0.6, 1 };
    cdn_vec3 d = cdn_v3(sizes[xy + !zx], sizes[yz + !xy], sizes[zx + !yz]);
    if (cell & 1) d.x = -d.x;
    if (cell & 2) d.y = -d.y;
    if (cell & 4) d.z = -d.z;
    for (int i = 1; i < s->info.n_vertices; i++)
      if (cdn_dot(d, vertex(s, i)) > cdn_dot(d, vertex(s, s->start[cell]))) s->start[cell] = i;
  }
}

cdn_surface *cdni_hull_build(int n, const double *points, int n_triangles, const int32_t *triangles) {
  const size_t nt = (size_t)n_triangles;
  int32_t *number = malloc(sizeof *number * (size_t)n);
  if (!number) return NULL;
  for (int i = 0; i < n; i++) number[i] = -1;
  for (size_t i = 0; i < 3 * nt; i++) number[triangles[i]] = 0;
  int n_vertices = 0;
  for (int i = 0; i < n; i++)
    if (number[i] == 0) number[i] = n_vertices++;

  const size_t nv = (size_t)n_vertices;
  cdn_surface *s = cdni_surface_allocate(
      CDN_GEOMETRY_CONVEX,
      64 +
          sizeof(double) *
              (3 * nv + 8 * nt + 3 * columns_of(nv) + 4 * plane_columns_of(nv, nt) + 10 * edge_columns_of(nv, nt)) +
          sizeof(int32_t) * (2 * nv + 20 * nt + 42) + sizeof(face_group) * cdni_face_groups_room(nt));
  char *memory = malloc((sizeof(edge) * 3 + sizeof(keyed_face) + sizeof(double)) * nt +
                        sizeof(int32_t) * (3 * nt + 3 * nt + nv) + 64);
  if (!s || !memory) {
    free(number), free(memory);
    cdn_surface_release(s);
    return NULL;
  }
  lay_out(s, (char *)(s + 1), nv, nt);
  char *at = memory;
  work w;
  w.area = part(&at, sizeof(double) * nt);
  w.edges = part(&at, sizeof(edge) * 3 * nt);
  w.beyond = part(&at, sizeof(int32_t) * 3 * nt);
  w.face = part(&at, sizeof(int32_t) * nt);
  w.order = part(&at, sizeof(int32_t) * nt);
  int32_t *stack = part(&at, sizeof(int32_t) * nt);
  w.next = part(&at, sizeof(int32_t) * nv);
  keyed_face *keyed = part(&at, sizeof(keyed_face) * nt);

  s->info.n_vertices = n_vertices, s->info.n_triangles = n_triangles;
  s->info.n_merged = n - n_vertices;
  s->info.closed = true;
  for (int i = 0; i < n; i++)
    if (number[i] >= 0) memcpy(&s->vertices[3 * number[i]], &points[3 * i], 3 * sizeof(double));
  for (size_t i = 0; i < 3 * nt; i++) s->triangles[i] = number[triangles[i]];
  set_ball(s);
  set_planes(s, w.area);
  set_neighbours(s, &w);
  set_columns(s);
  set_plane_columns(s, &w);
  set_starts(s);
  sort_by_area(n_triangles, w.area, w.order);
  merge_faces(s, &w, stack);
  set_vertex_faces(s, &w);
  cdni_face_groups_set(s, keyed);
  s->inner_radius = INFINITY;
  for (int i = 0; i < n_triangles; i++)
    s->inner_radius = fmin(
        s->inner_radius, s->planes[4 * i + 3] -
                             cdn_dot(cdn_v3(s->planes[4 * i], s->planes[4 * i + 1], s->planes[4 * i + 2]), s->center));
  s->inner_radius = fmax(s->inner_radius, 0);
  free(number), free(memory);
  return s;
}
