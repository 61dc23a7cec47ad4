/* Faces of a hull near a box, without a look at each of them. Faces that look alike are in one group; the mean of their
 * normals, and how far a normal is from it, bound the depth below all of them. */
#include <math.h>

#include "geometry/convex/hull.h"

/* Faces of a group, at most; groups that are split keep at least half as many. */
enum { MOST_IN_GROUP = 8 };

size_t cdni_face_groups_room(size_t n_faces) { return n_faces / (MOST_IN_GROUP / 2) + 1; }

static cdn_vec3 normal(const cdn_surface *s, int32_t face) {
  const double *plane = &s->face_planes[4 * (size_t)face];
  return cdn_v3(plane[0], plane[1], plane[2]);
}

static double depth_below(const cdn_surface *s, int32_t face, cdn_vec3 p) {
  return s->face_planes[4 * (size_t)face + 3] - cdn_dot(normal(s, face), p);
}

static int by_key(const void *x, const void *y) {
  const keyed_face *a = x, *b = y;
  return a->key != b->key ? (a->key > b->key) - (a->key < b->key) : (a->face > b->face) - (a->face < b->face);
}

static void close_group(cdn_surface *s, int first, int count) {
  face_group *g = &s->groups[s->n_groups++];
  *g = (face_group){ .least = INFINITY, .first = first, .count = count };
  for (int i = 0; i < count; i++) g->mean = cdn_add(g->mean, normal(s, s->group_faces[first + i]));
  g->mean = cdn_scale(1.0 / count, g->mean);
  for (int i = 0; i < count; i++) {
    const int32_t face = s->group_faces[first + i];
    g->spread = fmax(g->spread, cdn_norm(cdn_sub(normal(s, face), g->mean)));
    g->least = fmin(g->least, depth_below(s, face, s->center));
  }
}

/* Splits along the axis on which the normals differ most. The depth of recursion is the logarithm of the number of
 * faces. */
static void split(cdn_surface *s, keyed_face *faces, int first, int count) {
  if (count <= MOST_IN_GROUP) {
    for (int i = 0; i < count; i++) s->group_faces[first + i] = faces[i].face;
    close_group(s, first, count);
    return;
  }
  double least[3] = { 1, 1, 1 }, most[3] = { -1, -1, -1 };
  for (int i = 0; i < count; i++)
    for (int k = 0; k < 3; k++) {
      const double x = s->face_planes[4 * (size_t)faces[i].face + (size_t)k];
      least[k] = fmin(least[k], x), most[k] = fmax(most[k], x);
    }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (most[k] - least[k] > most[axis] - least[axis]) axis = k;
  for (int i = 0; i < count; i++) faces[i].key = s->face_planes[4 * (size_t)faces[i].face + (size_t)axis];
  qsort(faces, (size_t)count, sizeof *faces, by_key);
  split(s, faces, first, count / 2);
  split(s, faces + count / 2, first + count / 2, count - count / 2);
}

void cdni_face_groups_set(cdn_surface *s, keyed_face *work) {
  s->n_groups = 0;
  for (int i = 0; i < s->n_faces; i++) work[i].face = i;
  if (s->n_faces > 0) split(s, work, 0, s->n_faces);
}

/* No face of the group is nearer to a point at `d` from the surface's centre. */
static double bound(const face_group *g, cdn_vec3 d, double length) {
  const double rounding = 1e-12 * (fabs(g->least) + length);
  return g->least - cdn_dot(g->mean, d) - g->spread * length - rounding;
}

double cdni_hull_nearest_face(const cdn_surface *s, cdn_vec3 p, int *face) {
  const cdn_vec3 d = cdn_sub(p, s->center);
  const double length = cdn_norm(d);
  double least = INFINITY;
  *face = 0;
  for (int k = 0; k < s->n_groups; k++) {
    const face_group *g = &s->groups[k];
    if (bound(g, d, length) > least) continue;
    for (int i = g->first; i < g->first + g->count; i++) {
      const double depth = depth_below(s, s->group_faces[i], p);
      const bool less = depth < least || (depth == least && s->group_faces[i] < *face);
      if (less) least = depth, *face = s->group_faces[i];
    }
  }
  return least;
}

/* How far a box reaches along n from its middle. */
static double reach(const face_box *box, cdn_vec3 n) {
  return fabs(cdn_dot(box->edge[0], n)) + fabs(cdn_dot(box->edge[1], n)) + fabs(cdn_dot(box->edge[2], n));
}

bool cdni_face_is_near(const double *plane, const face_box *box) {
  const cdn_vec3 n = cdn_v3(plane[0], plane[1], plane[2]);
  return plane[3] - cdn_dot(n, box->center) <= box->depth + reach(box, cdn_sub(n, box->normal));
}

static bool group_is_near(const face_group *g, const face_box *box, cdn_vec3 d, double length) {
  return bound(g, d, length) <= box->depth + reach(box, cdn_sub(g->mean, box->normal)) + g->spread * box->radius;
}

int cdni_hull_faces_near(const cdn_surface *s, const face_box *box, int room, int32_t *list) {
  enum { WORDS = 1024 }; /* of 64 faces; a hull with more is looked at face by face */
  int n = 0;
  if (s->n_faces > 64 * WORDS) {
    for (int i = 0; i < s->n_faces && n < room; i++)
      if (cdni_face_is_near(&s->face_planes[4 * (size_t)i], box)) list[n++] = i;
    return n;
  }
  uint64_t found[WORDS];
  const int words = (s->n_faces + 63) / 64;
  memset(found, 0, sizeof *found * (size_t)words);
  const cdn_vec3 d = cdn_sub(box->center, s->center);
  const double length = cdn_norm(d);
  for (int k = 0; k < s->n_groups; k++) {
    const face_group *g = &s->groups[k];
    if (!group_is_near(g, box, d, length)) continue;
    for (int i = g->first; i < g->first + g->count; i++) {
      const int32_t face = s->group_faces[i];
      if (cdni_face_is_near(&s->face_planes[4 * (size_t)face], box)) found[face / 64] |= (uint64_t)1 << face % 64;
    }
  }
  for (int w = 0; w < words; w++)
    for (uint64_t rest = found[w]; rest && n < room; rest &= rest - 1) list[n++] = 64 * w + __builtin_ctzll(rest);
  return n;
}
