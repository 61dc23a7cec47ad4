/* Who has a slot of rigid contact: what may touch next, and how slots are taken and freed. */
#include <math.h>

#include "contact/pairs.h"
#include "contact/rigid_view.h"
#include "contact/search.h"

/* Features are told apart within this part of the smaller shape. */
static const double REACH = 0.1;
/* Overlaps that are no smaller than this part are no rounding. */
static const double OVERLAP = 1e-5;

/* ---- who has a slot ---- */

/* One number for a feature. */
static int32_t number_of(const rigid_feature *f) {
  return (int32_t)((uint32_t)(f->kind * 2 + f->side) << 26 | (uint32_t)(f->i & 0x1fff) << 13 |
                   (uint32_t)(f->j & 0x1fff));
}

static bool is_same(const rigid_feature *f, const rigid_feature *g) {
  return f->kind == g->kind && f->a == g->a && f->b == g->b && f->side == g->side && f->i == g->i && f->j == g->j;
}

typedef struct slots {
  const rigid_feature *slot;
  int n;
} slots;

static bool has_slot(const slots *s, const rigid_feature *f) {
  for (int i = 0; i < s->n; i++)
    if (is_same(&s->slot[i], f)) return true;
  return false;
}
static bool pair_has_slot(const slots *s, int a, int b) {
  for (int i = 0; i < s->n; i++)
    if (s->slot[i].kind != RIGID_NONE && s->slot[i].a == a && s->slot[i].b == b) return true;
  return false;
}

bool cdni_rigid_has_slot(const contact_room *room, const cdn_state *state, int a, int b) {
  const slots s = { cdni_rigid_slot(room, state, 0), room->rigid_slots };
  return pair_has_slot(&s, a, b);
}

/* ---- the least gap ---- */

typedef struct least {
  const slots *slots;
  double gap, deepest; /* of what has no slot; of all */
  int a, b;            /* whose gap it is */
} least;

static void take_least(void *context, const rigid_feature *f, double gap) {
  least *l = context;
  l->deepest = fmin(l->deepest, gap);
  if (gap < l->gap && !has_slot(l->slots, f)) l->gap = gap;
}

static rigid_feature feature_of(const contact_room *room, int a, int b) {
  return (rigid_feature){ .a = a, .b = b, .body = { shape_body(room, a), shape_body(room, b) } };
}

/* How far a shape may come within `span` s, by its motion: its middle, and its points about that. */
typedef struct shape_motion {
  cdn_vec3 rate;
  double turn;
} shape_motion;

static shape_motion motion_of(const rigid_view *v, const body_pose *pose, const body_twist *twist, int i) {
  const int b = shape_body(v->room, i);
  const cdn_vec3 w = cdni_from_v3(twist[b].V.w), arm = cdn_sub(v->poses[i].center, cdni_from_v3(pose[b].p_GM));
  return (shape_motion){ cdn_add(cdni_from_v3(twist[b].V.v), cdn_cross(w, arm)), cdn_norm(w) };
}

/* How far points of a shape are from its middle, where it may meet the other one. */
static double extent_of(const rigid_view *v, int i, int other) {
  if (v->places[i].radius < INFINITY) return v->places[i].radius;
  const double apart = cdn_norm(cdn_sub(v->poses[i].center, v->poses[other].center));
  return v->places[other].radius < INFINITY ? apart + v->places[other].radius : apart;
}

/* Impulses may make shapes so much faster within the time. */
static const double FASTER = 2;

/* What may come to touch within `span` s; 0: what touches. */
static double margin_of(const rigid_view *v, const shape_motion *moves, int i, int j, double span) {
  if (!(span > 0)) return 0;
  const double along = cdn_norm(cdn_sub(moves[i].rate, moves[j].rate));
  const double about = moves[i].turn * extent_of(v, i, j) + moves[j].turn * extent_of(v, j, i);
  return FASTER * span * (along + about);
}

/* Boxes of all that may touch, wider by the reach of features, or by their way within `span`. */
static cdn_status widen(const rigid_view *v, cdn_state *state, double span, shape_motion *moves, cdni_box *wide) {
  const int n = (int)v->room->shapes.count;
  const cdni_box *boxes = shape_boxes(v->room, v->poses);
  const body_pose *pose = NULL;
  const body_twist *twist = NULL;
  if (span > 0) {
    CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
    pose = cdni_matter_pose(v->room->matter, state), twist = cdni_matter_twist(v->room->matter, state);
    if (!pose) return cdni_state_last_status(state);
  }
  for (int i = 0; i < n; i++) {
    const double radius = v->places[i].radius;
    double by = radius < INFINITY ? REACH * radius : 0;
    if (span > 0) {
      moves[i] = motion_of(v, pose, twist, i);
      by = radius < INFINITY ? FASTER * span * (cdn_norm(moves[i].rate) + moves[i].turn * radius) : 0;
    }
    for (int k = 0; k < 3; k++) wide[i].least[k] = boxes[i].least[k] - by, wide[i].most[k] = boxes[i].most[k] + by;
  }
  return CDN_OK;
}

/* Shapes may go so far, in parts of their sizes, while what touches is foreseen. */
static const double WAY = 0.2;

cdn_status cdni_rigid_time(const contact_room *room, cdn_state *state, double *time) {
  rigid_view v;
  *time = INFINITY;
  CDNI_TRY(rigid_look(room, state, &v));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  const body_twist *twist = cdni_matter_twist(room->matter, state);
  if (!pose) return cdni_state_last_status(state);
  for (int i = 0; i < (int)room->shapes.count; i++) {
    const shape_place *p = &v.places[i];
    const shape_motion m = motion_of(&v, pose, twist, i);
    const double speed = p->radius < INFINITY ? cdn_norm(m.rate) + m.turn * p->radius : 0;
    if (speed > 0) *time = fmin(*time, WAY * fmin(p->radius, p->depth) / speed);
  }
  return CDN_OK;
}

/* The pairs that may touch and whose boxes are near; within `margin` they may come to touch in the time `span`. */
typedef cdn_status pair_fn(const rigid_pair *p, const rigid_feature *pair, double margin, void *context);

static cdn_status visit_wide(const rigid_view *v, cdn_state *state, double span, const shape_motion *moves,
                             const cdni_box *wide, pair_fn *fn, void *context) {
  const int32_t *pairs;
  int n_pairs;
  CDNI_TRY(cdni_contact_neighbours(v->room, state, shape_boxes(v->room, v->poses), wide, wide, 0, &pairs, &n_pairs));
  for (int k = 0; k < n_pairs; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (!boxes_overlap(&wide[i], &wide[j]) || contact_model_of(v->room, i, j) != CDN_CONTACT_RIGID) continue;
    const rigid_pair p = rigid_pair_of(v, i, j);
    const rigid_feature f = feature_of(v->room, i, j);
    if (cdni_rigid_is_known(p.g[0], p.g[1])) CDNI_TRY(fn(&p, &f, margin_of(v, moves, i, j, span), context));
  }
  return CDN_OK;
}

static cdn_status visit_pairs(const contact_room *room, cdn_state *state, double span, pair_fn *fn, void *context) {
  const size_t n = room->shapes.count;
  int64_t clear = 0;
  rigid_view v;
  if (span == 0) CDNI_TRY(cdni_contact_is_clear(room, state, 0, 0, &clear));
  if (clear > 0) return CDN_OK;
  CDNI_TRY(rigid_look(room, state, &v));
  shape_motion *moves = cdn_work_push(state, n * (sizeof *moves + sizeof(cdni_box)));
  if (!moves) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  cdni_box *wide = (cdni_box *)(moves + n);
  cdn_status status = widen(&v, state, span, moves, wide);
  if (status == CDN_OK) status = visit_wide(&v, state, span, moves, wide, fn, context);
  cdn_work_pop(state, moves);
  return status;
}

/* The distance of two shapes; the least gap of features where that is not known. */
static double distance_of(const rigid_pair *p, const rigid_feature *pair, const slots *none, double reach) {
  cdn_proximity near;
  if (cdni_pair_is_supported(p->g[0], p->g[1]))
    return cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], reach, &near) ? near.distance : reach;
  least l = { none, reach, reach, -1, -1 };
  cdni_rigid_visit(p, pair, reach, take_least, &l);
  return l.gap;
}

/* Features are as deep as projection leaves them, and not deeper than this part of the size. */
static const double HELD = 1e-3;

/* The distance of shapes that overlap; 0: they do not, or it is not known. */
static double overlap_between(const rigid_pair *p) {
  cdn_proximity near;
  const bool known =
      cdni_pair_is_supported(p->g[0], p->g[1]) && cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], 0, &near);
  return known ? fmin(near.distance, 0) : 0;
}

/* Of what overlaps by more than its features tell, and by more than is rounding, by how much; else 1. */
static double overlap_of(const rigid_pair *p, double deepest) {
  const double told = fmax(fmin(0, deepest), -HELD * p->size), overlap = overlap_between(p);
  return overlap < told - OVERLAP * p->size ? overlap : 1;
}

/* The deepest feature of two shapes that has a slot. Corners at the border of a face that a step has moved a little off
 * it are seen here alone. */
static double deepest_held(const rigid_pair *p, const rigid_feature *pair, const slots *s) {
  double deepest = INFINITY;
  for (int i = 0; i < s->n; i++) {
    rigid_touch t;
    if (s->slot[i].kind == RIGID_NONE || s->slot[i].a != pair->a || s->slot[i].b != pair->b) continue;
    if (cdni_rigid_measure(p, &s->slot[i], NULL, &t)) deepest = fmin(deepest, t.gap);
  }
  return deepest;
}

/* What has no slot anywhere is told by the distance of its shapes. Where some features of two shapes have slots, the
 * others are told one by one. */
static cdn_status add_gap(const rigid_pair *p, const rigid_feature *pair, double margin, void *context) {
  least *l = context;
  (void)margin;
  const double reach = REACH * p->size;
  double gap;
  if (pair_has_slot(l->slots, pair->a, pair->b)) {
    least of_pair = { l->slots, reach, deepest_held(p, pair, l->slots), -1, -1 };
    cdni_rigid_visit(p, pair, reach, take_least, &of_pair);
    gap = fmin(of_pair.gap, overlap_of(p, of_pair.deepest));
  } else gap = distance_of(p, pair, l->slots, reach);
  if (gap < l->gap) l->gap = gap, l->a = pair->a, l->b = pair->b;
  return CDN_OK;
}

cdn_status cdni_rigid_least_gap(const contact_room *room, cdn_state *state, double *gap, int shapes[2]) {
  const slots s = { cdni_rigid_slot(room, state, 0), room->rigid_slots };
  least l = { &s, 1, 1, -1, -1 };
  CDNI_TRY(visit_pairs(room, state, 0, add_gap, &l));
  *gap = l.gap;
  if (shapes) shapes[0] = l.a, shapes[1] = l.b;
  return CDN_OK;
}

/* ---- taking and freeing ---- */

typedef struct renewal {
  const contact_room *room;
  cdn_state *state;
  rigid_feature *slot;
  bool *changed, *met; /* met: by slot, whether its feature may touch */
  int n;
  double near;
  const rigid_pair *pair; /* whose features are being told; whether one touches, and whether nearest points do */
  bool touches, closest;
  rigid_pair nearest_pair;
  bool lacks; /* there was no free slot for... */
  rigid_feature lacking, nearest;
  double nearest_gap;
} renewal;

static void take_slot(renewal *r, const rigid_pair *p, const rigid_feature *f) {
  rigid_touch t;
  for (int i = 0; i < r->n; i++) {
    if (r->slot[i].kind != RIGID_NONE) continue;
    r->slot[i] = *f, r->slot[i].number = number_of(f), r->changed[i] = r->met[i] = true;
    const bool elliptic = cdni_rigid_material(r->room, r->state, f).ratio != 1;
    if (cdni_rigid_measure(p, f, NULL, &t)) r->slot[i].axis = cdni_rigid_axis(p, t.normal, elliptic);
    return;
  }
  r->lacks = true, r->lacking = *f;
}

static void take_touching(void *context, const rigid_feature *f, double gap) {
  renewal *r = context;
  const slots s = { r->slot, r->n };
  if (f->kind == RIGID_CLOSEST) r->closest = true;
  else r->touches = r->touches || gap <= r->near;
  if (has_slot(&s, f)) return;
  if (gap <= r->near) take_slot(r, r->pair, f);
  else if (gap < r->nearest_gap) r->nearest_gap = gap, r->nearest = *f, r->nearest_pair = *r->pair;
}

/* Edges that have gone through each other are features of shapes that overlap already, as at a start. */
static double depth_of(const rigid_pair *p) {
  const double overlap = overlap_between(p);
  return overlap < -OVERLAP * p->size ? fmin(-2 * overlap, p->size) : 0;
}

static cdn_status renew_pair(const rigid_pair *p, const rigid_feature *pair, double margin, void *context) {
  renewal *r = context;
  const slots s = { r->slot, r->n };
  rigid_pair here = *p;
  (void)margin;
  if (!pair_has_slot(&s, pair->a, pair->b)) here.deep = depth_of(p);
  r->near = rigid_near(p), r->pair = &here, r->touches = r->closest = false;
  cdni_rigid_visit(&here, pair, REACH * p->size, take_touching, r);
  /* nearest points make way for a feature that has come to be as near: searches tell its normal less exactly */
  for (int i = 0; i < r->n && r->touches && !r->closest; i++) {
    const rigid_feature *f = &r->slot[i];
    if (f->kind == RIGID_CLOSEST && f->a == pair->a && f->b == pair->b)
      r->slot[i] = (rigid_feature){ 0 }, r->changed[i] = true;
  }
  return CDN_OK;
}

static cdn_status free_slots(cdn_state *state, const bool *kept, renewal *r) {
  rigid_view v;
  CDNI_TRY(rigid_look(r->room, state, &v));
  for (int i = 0; i < r->n; i++) {
    rigid_touch t;
    bool found;
    if (r->slot[i].kind == RIGID_NONE) continue;
    CDNI_TRY(cdni_rigid_touch(r->room, state, i, false, &found, &t));
    const rigid_pair p = rigid_pair_of(&v, r->slot[i].a, r->slot[i].b);
    const double near = rigid_near(&p);
    const bool parted = !kept[i] && !(found && t.gap <= 4 * near);
    if (!parted && found && t.within >= -RIGID_SLACK * near) continue;
    r->slot[i] = (rigid_feature){ 0 }, r->changed[i] = true;
  }
  return CDN_OK;
}

static bool any_changed(const renewal *r) {
  for (int i = 0; i < r->n; i++)
    if (r->changed[i]) return true;
  return false;
}

static cdn_status renew_touching(cdn_state *state, const bool *kept, bool fired, renewal *r) {
  CDNI_TRY(free_slots(state, kept, r));
  const bool freed = any_changed(r);
  CDNI_TRY(visit_pairs(r->room, state, 0, renew_pair, r));
  /* the search for nearest points may see a touch that no feature has to rounding */
  if (fired && !freed && !any_changed(r) && r->nearest_gap < OVERLAP * r->nearest_pair.size)
    take_slot(r, &r->nearest_pair, &r->nearest);
  return CDN_OK;
}

/* ---- the same ahead of time ---- */

/* What the slots hold and may touch is met; the others are free then. */
static void meet(void *context, const rigid_feature *f, double gap) {
  renewal *r = context;
  rigid_touch t;
  (void)gap;
  for (int i = 0; i < r->n; i++) {
    if (!is_same(&r->slot[i], f)) continue;
    r->met[i] = cdni_rigid_measure_slot(r->pair, &r->slot[i], NULL, &t) && t.within >= -RIGID_SLACK * r->near;
    return;
  }
}

/* What has come through a surface has to have a slot, what is before it can wait. */
static void take_ahead(void *context, const rigid_feature *f, double gap) {
  renewal *r = context;
  const slots s = { r->slot, r->n };
  const bool lacked = r->lacks;
  rigid_touch t;
  if (has_slot(&s, f) || !cdni_rigid_measure(r->pair, f, NULL, &t) || !(t.within >= -RIGID_SLACK * r->near)) return;
  take_slot(r, r->pair, f);
  if (gap > r->near) r->lacks = lacked;
}

static void visit_ahead(const rigid_pair *p, const rigid_feature *pair, double margin, rigid_visitor *visit,
                        renewal *r) {
  cdn_proximity near;
  rigid_pair deep = *p;
  const double reach = margin + rigid_near(p);
  if (cdni_pair_is_supported(p->g[0], p->g[1]) &&
      !(cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], reach, &near) && near.distance <= reach))
    return;
  r->near = rigid_near(p), r->pair = &deep;
  deep.deep = fmin(fmax(reach, OVERLAP * p->size), REACH * p->size);
  cdni_rigid_visit(&deep, pair, reach, visit, r);
}

static cdn_status meet_pair(const rigid_pair *p, const rigid_feature *pair, double margin, void *context) {
  visit_ahead(p, pair, margin, meet, context);
  return CDN_OK;
}

static cdn_status take_pair(const rigid_pair *p, const rigid_feature *pair, double margin, void *context) {
  visit_ahead(p, pair, margin, take_ahead, context);
  return CDN_OK;
}

static cdn_status renew_ahead(cdn_state *state, double span, renewal *r) {
  CDNI_TRY(visit_pairs(r->room, state, span, meet_pair, r));
  for (int i = 0; i < r->n; i++)
    if (r->slot[i].kind != RIGID_NONE && !r->met[i]) r->slot[i] = (rigid_feature){ 0 }, r->changed[i] = true;
  return visit_pairs(r->room, state, span, take_pair, r);
}

cdn_status cdni_rigid_renew(const contact_room *room, cdn_state *state, const rigid_renewal *how, bool *changed) {
  const size_t n = (size_t)room->rigid_slots, size = n * sizeof(rigid_feature);
  renewal r = { .room = room, .state = state, .n = room->rigid_slots, .changed = changed, .nearest_gap = INFINITY };
  memset(changed, 0, n * sizeof *changed);
  r.slot = cdn_work_push(state, size + n * sizeof *r.met);
  if (!r.slot) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  r.met = (bool *)(r.slot + n);
  memset(r.met, 0, n * sizeof *r.met);
  memcpy(r.slot, cdni_rigid_slot(room, state, 0), size);
  cdn_status status =
      how->span > 0 ? renew_ahead(state, how->span, &r) : renew_touching(state, how->kept, how->fired, &r);
  if (status == CDN_OK && r.lacks)
    status = cdni_state_fail(state, CDN_ERR_LIMIT, false, "cdn_settle", CDNI_AT(room->shapes, shape, r.lacking.a).name,
                             "shapes '%s' and '%s' touch, and all %d slots of rigid contact are taken: give the System "
                             "more (cdn_contact_def.rigid_slots)",
                             CDNI_AT(room->shapes, shape, r.lacking.a).name,
                             CDNI_AT(room->shapes, shape, r.lacking.b).name, r.n);
  if (status == CDN_OK && any_changed(&r)) status = cdn_state_set_discrete(state, room->rigid, r.slot);
  cdn_work_pop(state, r.slot);
  return status;
}
