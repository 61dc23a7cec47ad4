/* What shapes do between two States of a step: whether two of them may meet there, and whether they have gone through
 * each other. All looks at what a step has swept come from here. */
#include <math.h>

#include "contact/entries.h"
#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/pairs.h"
#include "contact/rigid.h"
#include "contact/search.h"
#include "contact/swept.h"

/* What is seen of a pair: what the law acts between; of a mesh with springs, its surface, too. */
enum { LAW, SURFACE, SIGHTS };

static int64_t key_of(const contact_room *room, int a, int b, int kind) {
  return ((int64_t)a * (int64_t)room->shapes.count + b) * SIGHTS + kind;
}
static void shapes_of(const contact_room *room, int64_t key, int both[2]) {
  const int64_t n = (int64_t)room->shapes.count, pair = key / SIGHTS;
  both[0] = (int)(pair / n), both[1] = (int)(pair % n);
}
static bool is_of_surface(int64_t key) { return key % SIGHTS == SURFACE; }

static void add_pair(const contact_room *room, const shape_place *places, int a, int b, cdni_sights *out) {
  const cdn_geometry *const g[2] = { &places[a].geometry, &places[b].geometry };
  const contact_law *law = law_between(room, a, b);
  const bool springs = law && law->near, surfaces = cdni_pair_is_supported(g[0], g[1]);
  if (surfaces || springs) out->sights[out->n++] = (cdni_sight){ .key = key_of(room, a, b, LAW) };
  if (surfaces && springs && fmin(cdni_largest_depth(g[0]), cdni_largest_depth(g[1])) < INFINITY)
    out->sights[out->n++] = (cdni_sight){ .key = key_of(room, a, b, SURFACE) };
}

/* Over the depth: what moves by so little keeps its side of the other, unless it is so deep. */
static const double SHORT = 0.25, DEEP = 0.5;

/* What is looked at: the shapes at the end of a lapse. */
typedef struct view {
  const contact_room *room;
  const cdn_state *state;
  const cdni_lapse *lapse;
  const shape_place *places;
  const shape_mark *a, *b;
  const cdni_box *ends, *boxes;
  const double *travel;
  /* Of soft contact, at the end of a step: its points, in order (-1: not known), and how many are before the present
   * pair. */
  const contact_point *points;
  int n_points, before;
} view;

/* Whether it is known that two shapes are apart, because they have no point. Pairs come in ascending order. */
static bool has_no_point(view *v, int i, int j) {
  if (v->n_points < 0) return false;
  const contact_point *p = v->points;
  int k = v->before;
  while (k < v->n_points && (p[k].a < i || (p[k].a == i && p[k].b < j))) k++;
  v->before = k;
  return k == v->n_points || p[k].a != i || p[k].b != j;
}

/* Moved along an axis of Ground by as much as their boxes overlap there, two shapes are apart: so they are no deeper
 * in each other. *n: from i to j along that axis, if it is wanted. */
static double least_distance(const cdni_box *of_a, const cdni_box *of_b, cdn_vec3 *n) {
  double least = -INFINITY;
  for (int k = 0; k < 3; k++) {
    const double above = of_b->least[k] - of_a->most[k], below = of_a->least[k] - of_b->most[k];
    const double here = larger(above, below);
    if (!(here > least)) continue;
    least = here;
    if (n) *n = cdn_v3(0, 0, 0), (&n->x)[k] = above > below ? 1 : -1;
  }
  return least;
}

/* Of two convex shapes that are slow: whether they are not so deep in each other that it matters from where they
 * came. */
static bool is_shallow(const view *v, int i, int j) {
  const shape_place *p = &v->places[i], *q = &v->places[j];
  const double depth = smaller(p->depth, q->depth);
  if (!kind_of(&p->geometry)->is_convex || !kind_of(&q->geometry)->is_convex) return false;
  const double most = cdni_law_reach(law_between(v->room, i, j), &p->geometry, &q->geometry) - DEEP * depth;
  cdn_proximity near;
  return least_distance(&v->ends[i], &v->ends[j], NULL) > most ||
         !cdni_pair_distance(&p->geometry, &v->b[i].X, &q->geometry, &v->b[j].X, most, &near);
}

/* Whether two shapes move by less than this part of the depth of either, as seen from all, or from each other. */
static bool is_short(const view *v, int i, int j, double part) {
  const double little = part * smaller(v->places[i].depth, v->places[j].depth);
  const int both[2] = { i, j };
  return v->travel[i] + v->travel[j] < little ||
         cdni_swept_travel_of_pair(v->places, both, v->a, v->b, v->lapse->h) < little;
}

/* Whether nothing is to be looked at, although boxes overlap. What was deeper than DEEP has been looked at before. What
 * was not, and has no point at the end, has not come to the other side if it moves by less than what is left to the
 * middle. */
static bool keep_their_sides(view *v, int i, int j) {
  if (!v->lapse->through) return false;
  if (has_no_point(v, i, j)) return is_short(v, i, j, 1 - DEEP);
  return is_short(v, i, j, SHORT) && is_shallow(v, i, j);
}

static cdn_status add_pairs(view *v, const int32_t *pair, int n, cdni_sights *out) {
  for (int k = 0; k < n; k++) {
    const int i = pair[2 * k], j = pair[2 * k + 1];
    if (!boxes_overlap(&v->boxes[i], &v->boxes[j]) || keep_their_sides(v, i, j)) continue;
    /* events of a run watch what touches rigidly, feature by feature */
    if (cdni_contact_any_rigid(v->room) && cdni_rigid_has_slot(v->room, v->state, i, j)) continue;
    CDNI_TRY(cdni_sights_reserve(out, out->n + SIGHTS));
    add_pair(v->room, v->places, i, j, out);
  }
  return CDN_OK;
}

/* Whether any two that have no point keep their sides. */
static bool are_all_short(const view *v) {
  double most = 0;
  for (size_t i = 0; i < v->room->shapes.count; i++) most = larger(most, v->travel[i]);
  for (size_t i = 0; i < v->room->shapes.count; i++)
    if (!(v->travel[i] + most < (1 - DEEP) * v->places[i].depth)) return false;
  return true;
}

static cdn_status pairs_with_points(view *v, cdni_sights *out) {
  for (int k = 0; k < v->n_points; k++) {
    const int i = v->points[k].a, j = v->points[k].b;
    if (k > 0 && v->points[k - 1].a == i && v->points[k - 1].b == j) continue;
    if (keep_their_sides(v, i, j)) continue;
    CDNI_TRY(cdni_sights_reserve(out, out->n + SIGHTS));
    add_pair(v->room, v->places, i, j, out);
  }
  return CDN_OK;
}

/* The list of neighbours is made for as many steps like this one. */
static const double STEPS_TO_COME = 4;

/* By the list of neighbours, which holds for many steps. `wide`: memory for a box of each shape. */
static cdn_status pairs_here(view *v, cdn_state *state, cdni_box *wide, cdni_sights *out) {
  const int32_t *found;
  int n;
  for (size_t i = 0; i < v->room->shapes.count; i++)
    wide[i] = v->travel[i] < INFINITY ? cdni_swept_grown(&v->ends[i], STEPS_TO_COME * v->travel[i]) : v->boxes[i];
  CDNI_TRY(cdni_contact_neighbours(v->room, state, v->ends, v->boxes, wide, 0, &found, &n));
  return add_pairs(v, found, n, out);
}

static cdn_status pairs_between(view *v, cdn_state *state, cdni_sights *out) {
  const int n = (int)v->room->shapes.count;
  const shapes_on f = { v->room, cdn_state_parameters(state, v->room->enabled) };
  for (int room_for = 4 * n + 64;;) {
    char *work = cdn_work_push(state, cdni_broad_size(n) + 2 * (size_t)room_for * sizeof(int32_t));
    if (!work) return CDN_ERR_NOMEM;
    int32_t *found = (int32_t *)(void *)(work + cdni_broad_size(n));
    const int count = cdni_broad_pairs(n, v->boxes, cdni_contact_take_part, &f, room_for, found, work);
    cdn_status status = count <= room_for ? add_pairs(v, found, count, out) : CDN_OK;
    cdn_work_pop(state, work);
    if (status != CDN_OK || count <= room_for) return status;
    room_for = count;
  }
}

static cdni_box box_of(const cdn_geometry *g, const cdn_transform *X) {
  cdn_vec3 least, most;
  cdni_outer_bounds(g, X, &least, &most);
  return (cdni_box){ { least.x, least.y, least.z }, { most.x, most.y, most.z } };
}

/* `boxes`: memory for three boxes of each shape: about what it sweeps, at the end, and for steps to come. */
static cdn_status pairs_by_boxes(view *v, cdn_state *state, cdni_box *boxes, cdni_sights *out) {
  static const cdni_box everywhere = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
  const size_t n = v->room->shapes.count;
  for (size_t i = 0; i < n; i++) {
    if (!v->lapse->last) boxes[n + i] = box_of(&v->places[i].geometry, &v->b[i].X);
    boxes[i] = v->travel[i] < INFINITY ? cdni_swept_grown(&v->ends[i], v->travel[i]) : everywhere;
  }
  return v->lapse->last ? pairs_here(v, state, boxes + 2 * n, out) : pairs_between(v, state, out);
}

static cdn_status pairs(const void *self, cdn_state *state, const cdni_lapse *lapse, cdni_sights *out) {
  const contact_room *room = contact_of(self);
  const size_t n = room->shapes.count;
  const bool by_points = lapse->last && lapse->through && cdni_contact_any_soft(room) && !room->mixed;
  view v = { .room = room, .state = state, .lapse = lapse, .a = lapse->a, .b = lapse->b, .n_points = -1 };
  CDNI_TRY(cdni_state_ensure(state, lapse->last ? room->poses.ticket : room->places.ticket));
  if (by_points) CDNI_TRY(cdni_contact_points(room, state, &v.points, &v.n_points));
  v.places = cdni_state_storage(state, room->places);
  cdni_box *boxes = cdn_work_push(state, n * (3 * sizeof *boxes + sizeof(double)));
  if (!boxes) return CDN_ERR_NOMEM;
  double *travel = (double *)(void *)(boxes + 3 * n);
  v.boxes = boxes, v.ends = boxes + n, v.travel = travel;
  if (lapse->last) v.ends = shape_boxes(room, cdni_state_storage(state, room->poses));
  if (by_points) cdni_swept_travels(room, v.places, v.a, v.b, lapse->h, false, travel);
  const bool slow = by_points && are_all_short(&v);
  if (!slow) cdni_swept_travels(room, v.places, v.a, v.b, lapse->h, true, travel);
  const cdn_status status = slow ? pairs_with_points(&v, out) : pairs_by_boxes(&v, state, boxes, out);
  cdn_work_pop(state, boxes);
  return status;
}

/* ---- one pair at one time ---- */

/* A graze that is shallower than this, over the depth of the pair, is nothing. */
static const double GRAZE = 1e-9;

/* How deep a solid is in a mesh, over its own depth, where a spring should long have pressed. */
static const double UNHELD = 0.9;

/* A solid that is smaller than the triangles of a mesh may get between two springs. Its surface says nothing else. */
static void look_at_surface(const cdn_geometry *const g[2], const cdn_transform *const X[2], double depth,
                            cdni_sight *sight) {
  cdn_proximity near;
  sight->graze = INFINITY; /* nothing sets in there */
  if (!cdni_pair_distance(g[0], X[0], g[1], X[1], INFINITY, &near)) return;
  sight->distance = near.distance;
  if (near.distance >= -UNHELD * depth) return;
  if (cdni_springs_near(g, X, &near) && near.distance < 0) sight->distance = -UNHELD * depth;
}

static void look(const void *self, cdn_state *state, const void *mark, cdni_sight *sight) {
  const contact_room *room = contact_of(self);
  const shape_mark *marks = mark;
  int both[2];
  shapes_of(room, sight->key, both);
  const shape_place *places = cdni_state_storage(state, room->places);
  const cdn_geometry *const g[2] = { &places[both[0]].geometry, &places[both[1]].geometry };
  const cdn_transform *const X[2] = { &marks[both[0]].X, &marks[both[1]].X };
  cdn_proximity near;
  double share;
  const double depth = smaller(places[both[0]].depth, places[both[1]].depth);
  sight->distance = INFINITY;
  sight->graze = GRAZE * smaller(depth, cdn_norm(cdn_sub(marks[both[1]].c, marks[both[0]].c)));
  memset(sight->normal, 0, sizeof sight->normal);
  if (is_of_surface(sight->key)) look_at_surface(g, X, depth, sight);
  else if (cdni_law_near(law_between(room, both[0], both[1]), g, X, &near, &share)) {
    sight->distance = near.distance - cdni_law_reach(law_between(room, both[0], both[1]), g[0], g[1]);
    sight->normal[0] = near.normal.x, sight->normal[1] = near.normal.y, sight->normal[2] = near.normal.z;
  }
}

static cdn_vec3 normal_of(const cdni_sight *s) { return cdn_v3(s->normal[0], s->normal[1], s->normal[2]); }

/* Whether what is apart at y (and at x, if that is known) has been apart all the time. */
static bool stays_apart(const pair_motion *m, const cdni_sight *x, const cdni_sight *y) {
  if (y->distance > m->length) return true;
  if (m->convex && y->distance - cdni_swept_against(&m->p, normal_of(y), 3) - m->turned > 0) return true;
  if (!x) return false;
  if (x->distance + y->distance > m->length - 2 * y->graze) return true;
  return m->convex && x->distance - cdni_swept_against(&m->p, normal_of(x), 0) - m->turned > 0;
}

static bool keeps_its_side(const pair_motion *m) { return m->length < SHORT * m->depth; }

/* Of what moves by so little within a step, over its depth, errors of the step do not decide to which side it is
 * pushed. */
static const double SLOW = 0.01;

/* What moves by so little, over the size of the smaller of two shapes, while it parts from one that is not convex, has
 * parted. */
static const double BRIEF = 1e-6;

/* Whether two that touch at first only part, as the normal at their end has it, and so do not touch again. */
static bool only_parts(const pair_motion *m, const cdni_sight *y) {
  for (int i = 0; i < 3; i++)
    if (cdn_dot(normal_of(y), cdn_sub(m->p.point[i + 1], m->p.point[i])) < 0) return false;
  return true;
}

/* Of the surface of a mesh: whether something gets through it between its springs. */
static cdni_passing judge_surface(const pair_motion *m, const cdni_sight *x, const cdni_sight *y) {
  if (y->distance > 0 && (!x || x->distance > 0)) {
    cdni_sight end = *y;
    end.graze = 0; /* the sight's own says that nothing sets in there */
    return stays_apart(m, x, &end) ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  }
  if (y->distance < -UNHELD * m->depth) return CDNI_PASSES_SLOWLY;
  return m->length > (1 - UNHELD) * m->depth ? CDNI_PASSES_UNKNOWN : CDNI_PASSES_NOTHING;
}

/* Of what touches at first and has parted. Other places of a shape that is not convex may be near. */
static bool may_touch_again(const pair_motion *m, const cdni_sight *y) {
  return m->convex ? !only_parts(m, y) : m->length > BRIEF * fmax(y->distance, m->size);
}

/* What the sight at the end says alone. */
static cdni_passing judge_end(const pair_motion *m, const cdni_lapse *lapse, const cdni_sight *y) {
  if (lapse->through && y->distance > 0 && keeps_its_side(m)) return CDNI_PASSES_NOTHING;
  if (is_of_surface(y->key)) return judge_surface(m, NULL, y);
  if (y->distance > 0) return stays_apart(m, NULL, y) ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  /* what is so shallow, and moves by so little, comes from where it looks to come from; and what is in a half-space at
   * the end of a step, from above */
  const bool shallow = y->distance > -DEEP * m->depth && keeps_its_side(m);
  const bool from_above = m->flat && lapse->last && y->distance >= -m->depth;
  return shallow || from_above || m->depth == INFINITY ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
}

/* Of what is on the side from which it has come: whether it still goes in there. On a line, of the faces that are
 * nearest one after the other each is left by no less than the one before: none of them was on the other side. */
static bool goes_in(const pair_motion *m, const cdni_sight *y) {
  const cdn_vec3 moved = cdn_sub(m->p.point[3], m->p.point[0]);
  return m->convex && y->distance <= 0 && cdn_dot(normal_of(y), moved) <= 0;
}

static cdni_passing judge(const void *self, cdn_state *state, const cdni_lapse *lapse, const cdni_sight *x,
                          const cdni_sight *y) {
  const contact_room *room = contact_of(self);
  const shape_place *places = cdni_state_storage(state, room->places);
  int both[2];
  shapes_of(room, y->key, both);
  const pair_motion m = cdni_swept_pair(places, both, lapse->a, lapse->b, lapse->h);
  if (lapse->through && y->distance > 0 && keeps_its_side(&m)) return CDNI_PASSES_NOTHING;
  if (is_of_surface(y->key)) return judge_surface(&m, x, y);
  const bool same_side = cdn_dot(normal_of(x), normal_of(y)) > 0.5;
  if (lapse->through && same_side && m.length <= m.depth && m.angle <= CDNI_WIDE) return CDNI_PASSES_NOTHING;
  if (y->distance > 0 && x->distance > 0) {
    const bool apart = stays_apart(&m, x, y) ||
                       cdni_swept_beside(&m, places, both, lapse->a, lapse->b, lapse->h, normal_of(y), y->distance);
    return apart ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  }
  if (x->distance <= 0 && y->distance > 0 && may_touch_again(&m, y)) return CDNI_PASSES_UNKNOWN;
  if (m.depth == INFINITY) return CDNI_PASSES_NOTHING;
  if (m.angle > CDNI_WIDE) return CDNI_PASSES_UNKNOWN;
  if (m.length > m.depth) return same_side && goes_in(&m, y) ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  if (!(cdn_dot(normal_of(x), normal_of(y)) < -0.5)) return CDNI_PASSES_NOTHING;
  return m.length > SLOW * m.depth ? CDNI_PASSES_THROUGH : CDNI_PASSES_SLOWLY;
}

/* A plane across an axis of Ground between the boxes is as good as the nearest points. That two convex shapes are
 * farther apart than they move is known before their distance is. */
static cdn_status glance(const void *self, cdn_state *state, const cdni_lapse *lapse, cdni_sight *y,
                         cdni_passing *passing) {
  const contact_room *room = contact_of(self);
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_mark *a = lapse->a, *b = lapse->b;
  int both[2];
  shapes_of(room, y->key, both);
  const cdn_geometry *const g[2] = { &places[both[0]].geometry, &places[both[1]].geometry };
  const cdn_transform *const X[2] = { &b[both[0]].X, &b[both[1]].X };
  const pair_motion m = cdni_swept_pair(places, both, a, b, lapse->h);
  const double reach = cdni_law_reach(law_between(room, both[0], both[1]), g[0], g[1]);
  const cdni_box *ends = lapse->last ? shape_boxes(room, cdni_state_storage(state, room->poses)) : NULL;
  const cdni_box of_a = ends ? ends[both[0]] : box_of(g[0], X[0]), of_b = ends ? ends[both[1]] : box_of(g[1], X[1]);
  cdni_sight boxes = { .key = y->key };
  cdn_vec3 n = { 0, 0, 0 };
  boxes.distance = least_distance(&of_a, &of_b, &n) - reach;
  memcpy(boxes.normal, &n, sizeof boxes.normal);
  *passing = CDNI_PASSES_NOTHING;
  if (boxes.distance > 0 && ((lapse->through && keeps_its_side(&m)) || stays_apart(&m, NULL, &boxes))) return CDN_OK;
  cdn_proximity near;
  if (m.convex && !cdni_pair_distance(g[0], X[0], g[1], X[1], m.length + reach, &near)) return CDN_OK;
  look(self, state, b, y);
  *passing = judge_end(&m, lapse, y);
  if (*passing != CDNI_PASSES_NOTHING && !is_of_surface(y->key) &&
      cdni_swept_beside(&m, places, both, a, b, lapse->h, normal_of(y), y->distance))
    *passing = CDNI_PASSES_NOTHING;
  return CDN_OK;
}

/* ---- what else is asked of a pair ---- */

/* Pressure fields of two solids of which one is wholly within the other are nowhere equal. */
static bool loses(const void *self) {
  return cdni_contact_any_compliant(contact_of(self)) || cdni_contact_any_rigid(contact_of(self));
}

static cdn_status lost(const void *self, cdn_state *state, const cdni_sight *sight, bool *is_lost) {
  const contact_room *room = contact_of(self);
  int both[2];
  *is_lost = false;
  shapes_of(room, sight->key, both);
  if (contact_model_of(room, both[0], both[1]) == CDN_CONTACT_SOFT) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const shape_place *p[2] = { &places[both[0]], &places[both[1]] };
  const double depth = fmin(cdni_largest_depth(&p[0]->geometry), cdni_largest_depth(&p[1]->geometry));
  if (!(sight->distance < -depth)) return CDN_OK;
  const double *numbers = cdn_state_parameters(state, room->pair_numbers);
  const touch_pair pair = touch_pair_of(room, places, poses, numbers, both[0], both[1]);
  *is_lost = pair.law && pair.law->acts && !pair.law->acts(&pair);
  return CDN_OK;
}

static cdn_status kink(const void *self, cdn_state *state, int64_t key, int64_t *out) {
  const contact_room *room = contact_of(self);
  int both[2];
  shapes_of(room, key, both);
  return cdni_contact_touching_kink(self, state, both[0], both[1], out);
}

static void name(const void *self, int64_t key, const char *names[2]) {
  const contact_room *room = contact_of(self);
  int both[2];
  shapes_of(room, key, both);
  for (int i = 0; i < 2; i++) names[i] = cdni_shape_at(room, (cdn_shape){ both[i] })->name;
}

static cdn_status clear(const void *self, cdn_state *state, double reach, double turn, int64_t *id) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_contact_is_clear(room, state, reach, turn, id));
  return *id == 0 ? cdni_contact_find_clearance(room, state, reach, turn, id) : CDN_OK;
}

const cdni_sweeper cdni_contact_sweeper = { .clear = clear,
                                            .mark_size = cdni_swept_mark_size,
                                            .mark = cdni_swept_mark,
                                            .pairs = pairs,
                                            .strays = cdni_swept_strays,
                                            .glance = glance,
                                            .look = look,
                                            .judge = judge,
                                            .loses = loses,
                                            .lost = lost,
                                            .kink = kink,
                                            .name = name };
