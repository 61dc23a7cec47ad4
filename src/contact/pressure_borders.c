/* Which faces matter where two pressure fields overlap, and which of them have a border: a polygon of equal pressures,
 * or a wall within one solid.
 *
 * The smaller one of the two pressures is the least of linear functions, one for each face of either solid. In a small
 * box most of these functions are nowhere the least one. So the box about the overlap is halved again and again, and
 * each half keeps the functions that may be the least one in it. A box in which none of them is positive, or that has
 * functions of one solid only, has no polygon. In a box with few functions left, two of them have a border if they are
 * equal somewhere in it, and no third one is less there. Nothing is left out for where it lies: a surface of equal
 * pressures may have several parts. */
#include <math.h>

#include "contact/pressure.h"

void cdni_pressure_bounds(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 *least, cdn_vec3 *most) {
  const double beyond = cdni_faces_beyond(g);
  const cdn_vec3 more = { beyond, beyond, beyond };
  cdni_bounds(g, X, least, most);
  *least = cdn_sub(*least, more), *most = cdn_add(*most, more);
}

/* False: they have none. */
bool cdni_pressure_overlap(const touch_pair *pair, overlap_box *out) {
  cdn_vec3 least[2], most[2];
  for (int i = 0; i < 2; i++) cdni_pressure_bounds(pair->g[i], pair->X[i], &least[i], &most[i]);
  const double l[3] = { fmax(least[0].x, least[1].x), fmax(least[0].y, least[1].y), fmax(least[0].z, least[1].z) };
  const double m[3] = { fmin(most[0].x, most[1].x), fmin(most[0].y, most[1].y), fmin(most[0].z, most[1].z) };
  for (int k = 0; k < 3; k++)
    if (!(l[k] <= m[k])) return false;
  out->center = cdn_v3(0.5 * (l[0] + m[0]), 0.5 * (l[1] + m[1]), 0.5 * (l[2] + m[2]));
  out->half = cdn_v3(0.5 * (m[0] - l[0]), 0.5 * (m[1] - l[1]), 0.5 * (m[2] - l[2]));
  out->radius = cdn_norm(out->half);
  return true;
}

static cdn_vec3 normal_of(const double plane[4]) { return cdn_v3(plane[0], plane[1], plane[2]); }

/* ---- a smaller box ---- */

/* A point of the overlap is below all planes of both solids. So each plane that cuts the box bounds each coordinate, by
 * the bounds of the other two. */
static bool cut_box(cdn_vec3 n, double depth, overlap_box *box) {
  const double N[3] = { fabs(n.x), fabs(n.y), fabs(n.z) };
  double h[3] = { box->half.x, box->half.y, box->half.z }, moved[3] = { 0, 0, 0 };
  for (int k = 0; k < 3; k++) {
    const double others = N[(k + 1) % 3] * h[(k + 1) % 3] + N[(k + 2) % 3] * h[(k + 2) % 3];
    const double over = N[k] * h[k] - (depth + others); /* by so much of n . x the box goes on behind the plane */
    if (!(over > 0)) continue;
    if (over > 2 * N[k] * h[k]) return false;
    moved[k] = 0.5 * over / N[k];
    h[k] -= moved[k];
    depth += N[k] * moved[k];
  }
  box->half = cdn_v3(h[0], h[1], h[2]);
  box->center = cdn_sub(box->center, cdn_v3(copysign(moved[0], n.x), copysign(moved[1], n.y), copysign(moved[2], n.z)));
  return true;
}

static bool cut_by_planes(const cdn_geometry *g, const cdn_transform *X, overlap_box *box) {
  double own[CDNI_OWN_FACES][4];
  int n;
  const double *planes = cdni_faces(g, own, &n);
  cdn_vec3 c_S = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p));
  for (int i = 0; i < n; i++) {
    const double *plane = &planes[4 * i], depth = plane[3] - cdn_dot(normal_of(plane), c_S);
    if (depth > box->radius) continue;
    const cdn_vec3 before = box->center;
    if (!cut_box(cdn_rotate(X->R, normal_of(plane)), depth, box)) return false;
    if (memcmp(&before, &box->center, sizeof before) == 0) continue;
    c_S = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p));
    box->radius = cdn_norm(box->half);
  }
  return true;
}

bool cdni_pressure_shrink(const touch_pair *pair, overlap_box *box) {
  const double rounding = 1e-9 * box->radius;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < 2; i++)
      if (!cut_by_planes(pair->g[i], pair->X[i], box)) return false;
  box->half = cdn_add(box->half, cdn_v3(rounding, rounding, rounding));
  box->radius = cdn_norm(box->half);
  return true;
}

/* ---- faces that matter ---- */

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
    if (i != nearest && over > OVERLAP_ROUNDED * overlap_reach(box, cdn_sub(normal, n_nearest))) continue;
    if (i == nearest) out->nearest = out->n;
    out->face[out->n].n = normal;
    out->face[out->n].offset = plane[3] + cdn_dot(normal, X->p);
    out->face[out->n++].index = i;
  }
}

/* ---- halving ---- */

/* A box with so few pairs is not halved. Functions that are equal along an edge or in a point stay together in any box
 * about it: neither is a box halved that has been so often, nor one with not many pairs that kept all its functions in
 * the last few halvings. */
enum { FEW_PAIRS = 16, MANY_PAIRS = 256, MOST_HALVINGS = 18, MOST_IN_VAIN = 3, FACE_BITS = 16 };
/* Borders that are found, and a table of their places, by which each is found once. */
enum { MOST_FOUND = 1 << 15, FIRST_PLACES = 1 << 9 };

/* At y, seen from the middle of the overlap, it is h - w . y; the length of w is its solid's stiffness. */
typedef struct linear {
  cdn_vec3 w;
  double h;
} linear;

typedef struct search {
  bool walls, all; /* all: there is no room for those that were found */
  int n_first;     /* faces of the first solid */
  double stiffness[2];
  bool comparable; /* neither solid is nearly rigid beside the other: their numbers may be mixed */
  linear function[2 * MOST_FACES];
  double value[2 * MOST_FACES]; /* in the middle of the box that is looked at */
  int32_t list[2 * MOST_FACES]; /* those that may be the least one there come first */
  bool seen[2 * MOST_FACES];    /* in a box with a border */
  int n_found, places;
  uint32_t found[MOST_FOUND];
  int32_t place[2 * MOST_FOUND]; /* 0: free; else 1 + the number of the one that was found */
} search;

static uint32_t code_of(int i, int j) { return (uint32_t)(i < j ? i : j) << FACE_BITS | (uint32_t)(i < j ? j : i); }

/* Where the border is in the table, or may be put. */
static int32_t *place_of(search *s, uint32_t code) {
  for (uint32_t at = code * 2654435769u >> 8;; at++) {
    int32_t *place = &s->place[at & (uint32_t)(s->places - 1)];
    if (*place == 0 || s->found[*place - 1] == code) return place;
  }
}

static void clear_places(search *s, int places) {
  s->places = places;
  memset(s->place, 0, sizeof s->place[0] * (size_t)places);
  for (int i = 0; i < s->n_found; i++) *place_of(s, s->found[i]) = i + 1;
}

static void note(search *s, uint32_t code) {
  if (s->n_found == MOST_FOUND) s->all = true;
  if (s->all) return;
  if (2 * s->n_found == s->places && s->places < CDNI_COUNT(s->place)) clear_places(s, 2 * s->places);
  s->found[s->n_found++] = code;
  if (s->n_found < CDNI_COUNT(s->place)) *place_of(s, code) = s->n_found;
}

/* Heap sort. */
static void order(int n, uint32_t *code) {
  for (int start = n / 2 - 1, end = n; end > 1;) {
    int root = 0;
    if (start >= 0) root = start--;
    else {
      const uint32_t last = code[--end];
      code[end] = code[0], code[0] = last;
    }
    for (int child; (child = 2 * root + 1) < end; root = child) {
      if (child + 1 < end && code[child] < code[child + 1]) child++;
      if (code[child] <= code[root]) break;
      const uint32_t up = code[child];
      code[child] = code[root], code[root] = up;
    }
  }
}

/* Keeps what may be the least one in the box, the least one in its middle first; returns how many of the first n
 * these are. 0: none of them is positive. */
static int keep_least(search *s, const overlap_box *box, int n, int *n_first) {
  int least = -1;
  *n_first = 0;
  for (int k = 0; k < n; k++) {
    const int i = s->list[k];
    s->value[i] = s->function[i].h - cdn_dot(s->function[i].w, box->center);
    if (least < 0 || s->value[i] < s->value[least]) least = i;
  }
  if (least < 0 || s->value[least] + OVERLAP_ROUNDED * overlap_reach(box, s->function[least].w) < 0) return 0;
  int kept = 0;
  for (int k = 0; k < n; k++) {
    const int i = s->list[k];
    const double over = s->value[i] - s->value[least];
    if (i != least && over > OVERLAP_ROUNDED * overlap_reach(box, cdn_sub(s->function[i].w, s->function[least].w)))
      continue;
    s->list[k] = s->list[kept];
    s->list[kept] = i;
    if (i == least) s->list[kept] = s->list[0], s->list[0] = i;
    kept++;
    *n_first += i < s->n_first;
  }
  return kept;
}

static int solid_of(const search *s, int i) { return i >= s->n_first; }

/* What rounding may make of the difference of two functions, and much more. */
static double roughness(const linear *f, const linear *g) { return 1e-12 * (fabs(f->h) + fabs(g->h)); }

/* Whether a third function is less wherever in the box functions i and j are equal. There both are equal to a f_i +
 * (1 - a) f_j with any a. The a with the smallest slope against the third function tells most. */
static bool is_above(const search *s, const overlap_box *box, int i, int j, int third) {
  const linear *f = &s->function[i], *g = &s->function[j], *least = &s->function[third];
  const cdn_vec3 across = cdn_sub(f->w, g->w), over = cdn_sub(g->w, least->w);
  const double a = -cdn_dot(across, over) / cdn_dot(across, across);
  const double above = a * (s->value[i] - s->value[j]) + s->value[j] - s->value[third];
  const double rough = (1 + fabs(a)) * roughness(f, g) + roughness(least, least);
  return above > OVERLAP_ROUNDED * overlap_reach(box, cdn_add(cdn_scale(a, across), over)) + rough;
}

/* Whether functions i and j are the least ones, equal and positive somewhere in the box. Functions of one solid are
 * compared with each other, as far as may be: where the other one is nearly rigid, its numbers are too rough. Rounding
 * takes no border away: of solids that lie in each other as equal ones do, all functions are equal in pairs. */
static bool borders_in(const search *s, const overlap_box *box, int n, int i, int j) {
  const linear *f = &s->function[i], *g = &s->function[j];
  const cdn_vec3 across = cdn_sub(f->w, g->w);
  const double apart = s->value[i] - s->value[j], length = cdn_norm(across);
  if (fabs(apart) > OVERLAP_ROUNDED * overlap_reach(box, across)) return false;
  const int solid_i = solid_of(s, i), solid_j = solid_of(s, j);
  if (length < 1e-9 * (s->stiffness[solid_i] + s->stiffness[solid_j])) return false;
  for (int l = 0; l < n && s->comparable; l++)
    if (s->list[l] != i && s->list[l] != j && is_above(s, box, i, j, s->list[l])) return false;
  polygon p;
  if (!cdni_polygon_of_plane(box, cdn_scale(1 / length, across), (f->h - g->h) / length, &p)) return false;
  const int soft = s->stiffness[solid_i] <= s->stiffness[solid_j] ? i : j;
  cdni_polygon_clip(&p, s->function[soft].w, s->function[soft].h);
  cdn_vec3 center = { 0, 0, 0 };
  double square = 0;
  bool is_new = true;
  for (int l = 0; l < n && p.n > 2; l++) {
    const int k = s->list[l];
    if (k == i || k == j) continue;
    if (is_new) square = cdni_polygon_ball(&p, &center);
    const linear *less = solid_of(s, k) == solid_i ? f : g, *more = &s->function[k];
    const cdn_vec3 over = cdn_sub(more->w, less->w);
    const double slack = (OVERLAP_ROUNDED - 1) * overlap_reach(box, over) + roughness(more, less);
    is_new = cdni_polygon_clip_far(&p, over, more->h - less->h + slack, center, square);
  }
  cdni_polygon_clip_by_box(&p, box);
  return p.n > 2;
}

/* `all`: the box is the first one, and what is found is looked at again with the same functions. */
static void note_borders(search *s, const overlap_box *box, int n, bool all) {
  for (int k = 0; k < n; k++)
    for (int l = k + 1; l < n; l++) {
      const int i = s->list[k], j = s->list[l];
      if (!s->walls && solid_of(s, i) == solid_of(s, j)) continue;
      const uint32_t code = code_of(i, j);
      if (all || (*place_of(s, code) == 0 && borders_in(s, box, n, i, j))) note(s, code);
    }
}

/* The axis along which the functions differ most from the least one. Halves of a needle that are cut across its length
 * keep them all. */
static int widest(const search *s, const overlap_box *box, int n) {
  double sum[3] = { 0, 0, 0 };
  const cdn_vec3 least = s->function[s->list[0]].w;
  for (int k = 1; k < n; k++) {
    const cdn_vec3 across = cdn_sub(s->function[s->list[k]].w, least);
    sum[0] += fabs(across.x), sum[1] += fabs(across.y), sum[2] += fabs(across.z);
  }
  const double x = sum[0] * box->half.x, y = sum[1] * box->half.y, z = sum[2] * box->half.z;
  return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

static void look(search *s, const overlap_box *box, int n, int level, int in_vain) {
  int n_first;
  const int n_before = n;
  n = keep_least(s, box, n, &n_first);
  in_vain = n < n_before ? 0 : in_vain + 1;
  const int pairs = s->walls ? n * (n - 1) / 2 : n_first * (n - n_first);
  if ((!s->walls && pairs == 0) || n == 0 || s->all) return;
  if (pairs <= FEW_PAIRS || level == MOST_HALVINGS || (pairs <= MANY_PAIRS && in_vain >= MOST_IN_VAIN)) {
    for (int k = 0; k < n; k++) s->seen[s->list[k]] = true;
    note_borders(s, box, n, level == 0);
    return;
  }
  const int axis = widest(s, box, n);
  for (int side = -1; side <= 1; side += 2) {
    overlap_box half = *box;
    double *length = &half.half.x + axis, *middle = &half.center.x + axis;
    *length *= 0.5;
    *middle += side * *length;
    half.radius = cdn_norm(half.half);
    look(s, &half, n, level + 1, in_vain);
  }
}

/* Beyond this ratio of stiffness the numbers of the stiffer solid are too rough to be mixed with the other's. */
static const double COMPARABLE = 1e6;

static void set_functions(search *s, const pressure_overlap *o) {
  const double ratio = o->field[0].stiffness / o->field[1].stiffness;
  s->comparable = ratio < COMPARABLE && ratio > 1 / COMPARABLE;
  for (int solid = 0; solid < 2; solid++) {
    const field *f = &o->field[solid];
    s->stiffness[solid] = f->stiffness;
    for (int i = 0, at = solid * s->n_first; i < f->n; i++, at++) {
      s->function[at].w = cdn_scale(f->stiffness, f->face[i].n);
      s->function[at].h = f->stiffness * (f->face[i].offset - cdn_dot(f->face[i].n, o->box.center));
      s->list[at] = at, s->seen[at] = false;
    }
  }
}

/* Leaves the faces that have been seen, and changes the numbers of those that were found. What has not been seen is
 * nowhere equal to the least one, and cuts no polygon. (A column is cut out of an overlap: there it may.) */
static void leave_seen(search *s, pressure_overlap *o) {
  int32_t *number = s->list, count = 0;
  for (int solid = 0; solid < 2; solid++) {
    field *f = &o->field[solid];
    const int n = f->n, nearest = f->nearest;
    f->n = f->nearest = 0;
    for (int i = 0; i < n; i++) {
      const int at = solid * s->n_first + i;
      number[at] = count;
      if (!s->seen[at]) continue;
      if (i == nearest) f->nearest = f->n;
      f->face[f->n++] = f->face[i];
      count++;
    }
  }
  for (int k = 0; k < s->n_found; k++)
    s->found[k] = code_of(number[s->found[k] >> FACE_BITS], number[s->found[k] & ((1u << FACE_BITS) - 1)]);
}

cdn_status cdni_pressure_borders(pressure_overlap *o, bool walls, border_visitor *visit, void *context) {
  search s; /* it is large, and most of it is not needed */
  s.walls = walls, s.all = false, s.n_first = o->field[0].n, s.n_found = 0;
  set_functions(&s, o);
  clear_places(&s, FIRST_PLACES);
  const overlap_box box = { .half = o->box.half, .radius = o->box.radius };
  look(&s, &box, o->field[0].n + o->field[1].n, 0, 0);
  if (!s.all) {
    if (o->n_sides == 0) leave_seen(&s, o);
    order(s.n_found, s.found);
    for (int k = 0; k < s.n_found; k++)
      CDNI_TRY(visit(context, o, (int)(s.found[k] >> FACE_BITS), (int)(s.found[k] & ((1u << FACE_BITS) - 1))));
    return CDN_OK;
  }
  const int n = o->field[0].n + o->field[1].n;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      if (walls || (i < s.n_first && j >= s.n_first)) CDNI_TRY(visit(context, o, i, j));
  return CDN_OK;
}
