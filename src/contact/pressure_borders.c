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

#include "contact/law_kinds.h"
#include "contact/pressure.h"

void cdni_pressure_bounds(const cdn_geometry *g, const cdn_transform *X, cdn_vec3 *least, cdn_vec3 *most) {
  const double beyond = cdni_faces_beyond(g);
  const cdn_vec3 more = { beyond, beyond, beyond };
  cdni_bounds(g, X, least, most);
  *least = cdn_sub(*least, more), *most = cdn_add(*most, more);
}

/* Where the boxes of both overlap. */
static bool overlap_of_boxes(const touch_pair *pair, overlap_box *out) {
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

/* The box, larger by a factor, as a shape sees it. */
static face_box seen_from(const cdn_transform *X, const overlap_box *box, double larger) {
  const cdn_rotation R = cdn_rotation_transpose(X->R);
  return (face_box){ .center = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p)),
                     .edge = { cdn_scale(larger * box->half.x, R.x), cdn_scale(larger * box->half.y, R.y),
                               cdn_scale(larger * box->half.z, R.z) },
                     .radius = larger * box->radius };
}

static bool cut_by_planes(const cdn_geometry *g, const cdn_transform *X, overlap_box *box) {
  double own[CDNI_OWN_FACES][4];
  int32_t list[MOST_FACES];
  int n;
  const double *planes = cdni_faces(g, own, &n);
  face_box seen = seen_from(X, box, 1);
  n = cdni_faces_near(g, planes, n, &seen, MOST_FACES, list);
  for (int i = 0; i < n; i++) {
    const double *plane = &planes[4 * list[i]], depth = plane[3] - cdn_dot(normal_of(plane), seen.center);
    const cdn_vec3 before = box->center;
    if (!cut_box(cdn_rotate(X->R, normal_of(plane)), depth, box)) return false;
    if (memcmp(&before, &box->center, sizeof before) != 0)
      seen.center = cdn_rotate_inv(X->R, cdn_sub(box->center, X->p));
  }
  box->radius = cdn_norm(box->half);
  return true;
}

/* The box of what a half-space cuts off a hull. */
static hull_cut cut_by_half_space(const touch_pair *pair, overlap_box *box) {
  const int ground = pair->g[0]->kind == CDN_GEOMETRY_HALF_SPACE ? 0 : 1;
  const cdn_geometry *hull = pair->g[1 - ground];
  if (pair->g[ground]->kind != CDN_GEOMETRY_HALF_SPACE || hull->kind != CDN_GEOMETRY_CONVEX) return HULL_CUT_UNKNOWN;
  const cdn_transform *X = pair->X[1 - ground], *X_G = pair->X[ground];
  const cdn_vec3 up = X_G->R.z;
  cdn_vec3 least, most;
  const hull_cut cut =
      cdni_hull_cap(hull->surface, X, cdn_rotate_inv(X->R, up), cdn_dot(up, cdn_sub(X_G->p, X->p)), &least, &most);
  if (cut != HULL_CUT) return cut;
  box->center = cdn_scale(0.5, cdn_add(least, most)), box->half = cdn_scale(0.5, cdn_sub(most, least));
  box->radius = cdn_norm(box->half);
  return cut;
}

static bool are_apart(const touch_pair *pair) {
  const double reach = cdni_faces_beyond(pair->g[0]) + cdni_faces_beyond(pair->g[1]);
  return pair->g[0]->kind != CDN_GEOMETRY_HALF_SPACE && pair->g[1]->kind != CDN_GEOMETRY_HALF_SPACE &&
         cdni_convex_apart(pair->g[0], pair->X[0], pair->g[1], pair->X[1], reach);
}

/* Planes of both solids in turn cut the box down, as long as that helps. */
static bool cut_by_both(const touch_pair *pair, overlap_box *box) {
  enum { MOST_PASSES = 4 };
  static const double HELPS = 0.9;
  double before = INFINITY;
  for (int k = 0; k < MOST_PASSES && (k < 2 || box->radius < HELPS * before); k++) {
    before = box->radius;
    if (!cut_by_planes(pair->g[k % 2], pair->X[k % 2], box)) return false;
  }
  return true;
}

bool cdni_pressure_overlap(const touch_pair *pair, overlap_box *box) {
  const hull_cut cut = cut_by_half_space(pair, box);
  if (cut == HULL_CUT_NOWHERE) return false;
  if (cut == HULL_CUT_UNKNOWN && (are_apart(pair) || !overlap_of_boxes(pair, box))) return false;
  const double rounding = 1e-9 * box->radius;
  if (cut == HULL_CUT_UNKNOWN && !cut_by_both(pair, box)) return false;
  box->half = cdn_add(box->half, cdn_v3(rounding, rounding, rounding));
  box->radius = cdn_norm(box->half);
  return true;
}

/* ---- faces that matter ---- */

/* Nearer somewhere in the box than the face that is nearest to its middle. A hull keeps its large faces first: if there
 * is no room for all, the smallest ones are left out. */
void cdni_pressure_collect(const cdn_geometry *g, const cdn_transform *X, const overlap_box *box, field *out) {
  double own[CDNI_OWN_FACES][4];
  int32_t list[MOST_FACES];
  int n, nearest;
  const double *planes = cdni_faces(g, own, &n);
  face_box seen = seen_from(X, box, OVERLAP_ROUNDED);
  seen.depth = cdni_nearest_face(g, planes, n, seen.center, &nearest);
  seen.normal = normal_of(&planes[4 * nearest]);
  out->n = cdni_faces_near(g, planes, n, &seen, MOST_FACES, list);
  out->nearest = 0;
  for (int k = 0; k < out->n; k++) {
    const double *plane = &planes[4 * list[k]];
    const cdn_vec3 normal = cdn_rotate(X->R, normal_of(plane));
    if (list[k] == nearest) out->nearest = k;
    out->face[k].n = normal;
    out->face[k].offset = plane[3] + cdn_dot(normal, X->p);
    out->face[k].index = list[k];
  }
}

/* ---- halving ---- */

/* A box with so few pairs is not halved. Functions that are equal along an edge or in a point stay together in any box
 * about it: neither is a box halved that has been so often, nor one with not many pairs that kept all its functions in
 * the last few halvings. Measured: docs/constants.md. */
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

/* False: functions i and j are surely nowhere in the box equal and the least ones. Rounding takes no border away: of
 * solids that lie in each other as equal ones do, all functions are equal in pairs. Where one solid is nearly rigid,
 * its numbers are too rough to be mixed with the other's. */
static bool may_border(const search *s, const overlap_box *box, int n, int i, int j) {
  const linear *f = &s->function[i], *g = &s->function[j];
  const cdn_vec3 across = cdn_sub(f->w, g->w);
  const double apart = s->value[i] - s->value[j], reach = OVERLAP_ROUNDED * overlap_reach(box, across);
  if (fabs(apart) > reach) return false;
  if (cdn_norm(across) < 1e-9 * (s->stiffness[solid_of(s, i)] + s->stiffness[solid_of(s, j)])) return false;
  for (int l = 0; l < n && s->comparable; l++)
    if (s->list[l] != i && s->list[l] != j && is_above(s, box, i, j, s->list[l])) return false;
  return true;
}

/* `all`: the box is the first one, and what is found is looked at again with the same functions. */
static void note_borders(search *s, const overlap_box *box, int n, bool all) {
  for (int k = 0; k < n; k++)
    for (int l = k + 1; l < n; l++) {
      const int i = s->list[k], j = s->list[l];
      if (!s->walls && solid_of(s, i) == solid_of(s, j)) continue;
      const uint32_t code = code_of(i, j);
      if (all || (*place_of(s, code) == 0 && may_border(s, box, n, i, j))) note(s, code);
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
