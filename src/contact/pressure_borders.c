/* Which faces matter where two pressure fields overlap, and which of them have a border: a polygon of equal pressures,
 * or a wall within one solid.
 *
 * The smaller one of the two pressures is the least of linear functions, one for each face of either solid. In a small
 * box most of these functions are nowhere the least one. So the box about the overlap is halved again and again, and
 * each half keeps the functions that may be the least one in it. A box in which none of them is positive, or that has
 * functions of one solid only, has no polygon. In a box with few functions left, two of them have a border if they are
 * equal somewhere in it. Nothing is left out for where it lies: a surface of equal pressures may have several parts. */
#include <math.h>
#include <stdlib.h>

#include "contact/pressure.h"

/* False: they have none. */
bool cdni_pressure_overlap(const touch_pair *pair, overlap_box *out) {
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

/* A function that is as small as another within this many times the box may be the least one. */
static const double ROUNDED = 1.01;

static cdn_vec3 normal_of(const double plane[4]) { return cdn_v3(plane[0], plane[1], plane[2]); }

/* Nearer somewhere in the box than the face that is nearest to its middle. A hull keeps its large faces first: if there
 * is no room for all, the smallest ones are left out. */
void cdni_pressure_collect(const cdn_geometry *g, const cdn_transform *X, const overlap_box *box, field *out) {
  double own[CDNI_OWN_FACES][4], least = INFINITY;
  int n, nearest = 0;
  const double *planes = cdni_faces(g, own, &n);
  const cdn_vec3 c = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p));
  for (int i = 0; i < n; i++) {
    const double depth = planes[4 * i + 3] - cdn_dot(normal_of(&planes[4 * i]), c);
    if (depth < least) least = depth, nearest = i;
  }
  const cdn_vec3 n_nearest = cdn_rotate(X->R, normal_of(&planes[4 * nearest]));
  out->n = out->nearest = 0;
  for (int i = 0; i < n && out->n < MOST_FACES; i++) {
    const double *plane = &planes[4 * i], over = plane[3] - cdn_dot(normal_of(plane), c) - least;
    if (over > 2 * box->radius) continue;
    const cdn_vec3 normal = cdn_rotate(X->R, normal_of(plane));
    if (i != nearest && over > ROUNDED * overlap_reach(box, cdn_sub(normal, n_nearest))) continue;
    if (i == nearest) out->nearest = out->n;
    out->face[out->n].n = normal;
    out->face[out->n].offset = plane[3] + cdn_dot(normal, X->p);
    out->face[out->n++].index = i;
  }
}

/* ---- halving ---- */

/* A box with so few pairs is not halved, nor one that has been so often: functions that are equal along an edge or in
 * a point stay together in any box about it. */
enum { FEW_PAIRS = 6, MOST_HALVINGS = 15, MOST_FOUND = 1 << 14, FACE_BITS = 16 };

typedef struct search {
  bool walls, all; /* all: there is no room for those that were found */
  int n_first;     /* faces of the first solid */
  /* At y, seen from the middle of the overlap, function i is h - w . y. */
  struct {
    cdn_vec3 w;
    double h;
  } function[2 * MOST_FACES];
  double value[2 * MOST_FACES]; /* in the middle of the box that is looked at */
  int32_t list[2 * MOST_FACES]; /* those that may be the least one there come first */
  int n_found;
  uint32_t found[MOST_FOUND];
} search;

static int compare(const void *x, const void *y) {
  const uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a > b) - (a < b);
}

/* Ascending, and each once. */
static void order(search *s) {
  if (s->n_found > 1) qsort(s->found, (size_t)s->n_found, sizeof s->found[0], compare);
  int n = 0;
  for (int i = 0; i < s->n_found; i++)
    if (n == 0 || s->found[i] != s->found[n - 1]) s->found[n++] = s->found[i];
  s->n_found = n;
}

static void note(search *s, int i, int j) {
  if (s->n_found == MOST_FOUND) {
    order(s);
    if (s->n_found > MOST_FOUND / 2) s->all = true;
  }
  if (s->all) return;
  s->found[s->n_found++] = (uint32_t)(i < j ? i : j) << FACE_BITS | (uint32_t)(i < j ? j : i);
}

/* Keeps what may be the least one in the box; returns how many of the first n these are. 0: none of them is positive. */
static int keep_least(search *s, const overlap_box *box, int n, int *n_first) {
  int least = -1;
  *n_first = 0;
  for (int k = 0; k < n; k++) {
    const int i = s->list[k];
    s->value[i] = s->function[i].h - cdn_dot(s->function[i].w, box->center);
    if (least < 0 || s->value[i] < s->value[least]) least = i;
  }
  if (least < 0 || s->value[least] + ROUNDED * overlap_reach(box, s->function[least].w) < 0) return 0;
  int kept = 0;
  for (int k = 0; k < n; k++) {
    const int i = s->list[k];
    const double over = s->value[i] - s->value[least];
    if (i != least && over > ROUNDED * overlap_reach(box, cdn_sub(s->function[i].w, s->function[least].w))) continue;
    s->list[k] = s->list[kept];
    s->list[kept++] = i;
    *n_first += i < s->n_first;
  }
  return kept;
}

static void note_pairs(search *s, const overlap_box *box, int n) {
  for (int k = 0; k < n; k++)
    for (int l = k + 1; l < n; l++) {
      const int i = s->list[k], j = s->list[l];
      if (!s->walls && (i < s->n_first) == (j < s->n_first)) continue;
      const double apart = fabs(s->value[i] - s->value[j]);
      if (apart <= ROUNDED * overlap_reach(box, cdn_sub(s->function[i].w, s->function[j].w))) note(s, i, j);
    }
}

static void look(search *s, const overlap_box *box, int n, int level) {
  int n_first;
  n = keep_least(s, box, n, &n_first);
  const int pairs = s->walls ? n * (n - 1) / 2 : n_first * (n - n_first);
  if (pairs == 0 || s->all) return;
  if (pairs <= FEW_PAIRS || level == MOST_HALVINGS) {
    note_pairs(s, box, n);
    return;
  }
  for (int side = -1; side <= 1; side += 2) {
    overlap_box half = *box;
    double *length = &half.half.x, *middle = &half.center.x;
    if (half.half.y > *length) length = &half.half.y, middle = &half.center.y;
    if (half.half.z > *length) length = &half.half.z, middle = &half.center.z;
    *length *= 0.5;
    *middle += side * *length;
    look(s, &half, n, level + 1);
  }
}

static void set_functions(search *s, const pressure_overlap *o) {
  for (int solid = 0; solid < 2; solid++) {
    const field *f = &o->field[solid];
    for (int i = 0, at = solid * s->n_first; i < f->n; i++, at++) {
      s->function[at].w = cdn_scale(f->stiffness, f->face[i].n);
      s->function[at].h = f->stiffness * (f->face[i].offset - cdn_dot(f->face[i].n, o->box.center));
      s->list[at] = at;
    }
  }
}

cdn_status cdni_pressure_borders(const pressure_overlap *o, bool walls, border_visitor *visit, void *context) {
  search s; /* it is large, and most of it is not needed */
  const int n = o->field[0].n + o->field[1].n;
  s.walls = walls, s.all = false, s.n_first = o->field[0].n, s.n_found = 0;
  set_functions(&s, o);
  const overlap_box box = { .half = o->box.half, .radius = o->box.radius };
  look(&s, &box, n, 0);
  order(&s);
  for (int k = 0; k < s.n_found && !s.all; k++)
    CDNI_TRY(visit(context, o, (int)(s.found[k] >> FACE_BITS), (int)(s.found[k] & ((1u << FACE_BITS) - 1))));
  for (int i = 0; i < n && s.all; i++)
    for (int j = walls || i >= s.n_first ? i + 1 : s.n_first; j < n && (walls || i < s.n_first); j++)
      CDNI_TRY(visit(context, o, i, j));
  return CDN_OK;
}
