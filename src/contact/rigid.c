/* The slots of rigid contact in a State: which features of which shapes they hold, what may touch next, and how slots
 * are taken and freed. */
#include <math.h>
#include <stdlib.h>

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/rigid.h"
#include "contact/room.h"
#include "contact/search.h"

bool cdni_contact_is_rigid(const contact_room *room) {
  return room && room->matter && room->def.model == CDN_CONTACT_RIGID;
}
cdn_ticket cdni_rigid_places(const contact_room *room) { return room->places.ticket; }
int cdni_rigid_reads(const contact_room *room, cdn_ticket tickets[3]) {
  tickets[0] = room->places.ticket, tickets[1] = room->poses.ticket, tickets[2] = room->vicinity.ticket;
  return 3;
}
cdn_dvar cdni_rigid_variable(const contact_room *room) { return room->rigid; }
const rigid_feature *cdni_rigid_slot(const contact_room *room, const cdn_state *state, int slot) {
  return (const rigid_feature *)cdn_state_discrete(state, room->rigid) + slot;
}

/* ---- pairs ---- */

/* Features are told apart within this part of the smaller shape; what is nearer than this part counts as touching, as
 * the search for nearest points ends there. */
static const double REACH = 0.1, TOUCHING = 4e-11;
/* Overlaps that are no smaller than this part are no rounding. */
static const double OVERLAP = 1e-5;
/* Contacts are told while their surfaces are nearer than this part. */
static const double SHOWN = 1e-6;

typedef struct rigid_view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
} rigid_view;

static cdn_status look(const contact_room *room, cdn_state *state, rigid_view *v) {
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  *v = (rigid_view){ room, cdni_state_storage(state, room->places), cdni_state_storage(state, room->poses) };
  return CDN_OK;
}

static double size_of(const shape_place *a, const shape_place *b) {
  return fmin(fmin(a->radius, b->radius), fmin(a->depth, b->depth));
}

static rigid_pair pair_of(const rigid_view *v, int a, int b) {
  return (rigid_pair){ .g = { &v->places[a].geometry, &v->places[b].geometry },
                       .X = { &v->poses[a].X_GS, &v->poses[b].X_GS },
                       .size = size_of(&v->places[a], &v->places[b]) };
}

static double near_of(const rigid_pair *p) {
  const cdn_vec3 x = p->X[0]->p, y = p->X[1]->p;
  return TOUCHING * (p->size + fmax(cdn_norm(x), cdn_norm(y)));
}

/* Where a point has slid off by less than this part, the features that take over are already touching. */
static const double SLACK = 0.25;
/* The same of a gap, by its rounding. */
static const double NOISE = 2.5e-4;

double cdni_rigid_near(const contact_room *room, cdn_state *state, int slot) {
  const rigid_feature *f = cdni_rigid_slot(room, state, slot);
  rigid_view v;
  if (look(room, state, &v) != CDN_OK) return 0;
  const rigid_pair p = pair_of(&v, f->a, f->b);
  return near_of(&p);
}

double cdni_rigid_noise(const contact_room *room, cdn_state *state, int slot) {
  return NOISE * cdni_rigid_near(room, state, slot);
}

double cdni_rigid_slack(const contact_room *room, cdn_state *state, int slot) {
  return SLACK * cdni_rigid_near(room, state, slot);
}

/* ---- a slot ---- */

static rigid_motion motion_of(const body_pose *pose, const body_twist *twist) {
  return (rigid_motion){ cdni_from_v3(twist->V.w), cdni_from_v3(twist->V.v), cdni_from_v3(pose->p_GM) };
}

/* Where the axis comes as near to the normal, as a cosine, it makes way for another one. */
static const double STEEP = 0.95;

static cdn_vec3 axis_of(int k) { return cdn_v3(k == 0, k == 1, k == 2); }

/* The axis that is farthest from the normal. */
static int32_t flattest(cdn_vec3 n) {
  const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  return x <= y ? (x <= z ? 0 : 2) : (y <= z ? 1 : 2);
}

static void put_tangent(int axis, double size, bool moving, rigid_touch *t) {
  const cdn_vec3 e = axis_of(axis), n = t->normal;
  const double along = cdn_dot(e, n);
  const cdn_vec3 flat = cdn_sub(e, cdn_scale(along, n));
  const double length = fmax(cdn_norm(flat), 1e-9);
  t->tangent = cdn_scale(1 / length, flat);
  t->within = fmin(t->within, fabs(along) < STEEP ? INFINITY : (STEEP - fabs(along)) * size);
  if (!moving) return;
  const cdn_vec3 turn = cdn_add(cdn_scale(cdn_dot(e, t->normal_rate), n), cdn_scale(along, t->normal_rate));
  const cdn_vec3 across = cdn_sub(turn, cdn_scale(cdn_dot(turn, t->tangent), t->tangent));
  t->tangent_rate = cdn_scale(-1 / length, across);
}

cdn_status cdni_rigid_touch(const contact_room *room, cdn_state *state, int slot, bool moving, bool *found,
                            rigid_touch *out) {
  if (moving) CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  if (!pose) return cdni_state_last_status(state);
  return cdni_rigid_touch_at(room, state, slot, pose, moving ? cdni_matter_twist(room->matter, state) : NULL, found,
                             out);
}

cdn_status cdni_rigid_touch_at(const contact_room *room, cdn_state *state, int slot, const body_pose *pose,
                               const body_twist *twist, bool *found, rigid_touch *out) {
  const rigid_feature *f = cdni_rigid_slot(room, state, slot);
  rigid_motion motion[2];
  *found = false;
  if (f->kind == RIGID_NONE) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const cdn_transform X[2] = { shape_pose_at(&places[f->a], &pose[f->body[0]]),
                               shape_pose_at(&places[f->b], &pose[f->body[1]]) };
  for (int k = 0; k < 2 && twist; k++) motion[k] = motion_of(&pose[f->body[k]], &twist[f->body[k]]);
  const rigid_pair p = { .g = { &places[f->a].geometry, &places[f->b].geometry },
                         .X = { &X[0], &X[1] },
                         .size = size_of(&places[f->a], &places[f->b]) };
  *found = cdni_rigid_measure(&p, f, twist ? motion : NULL, out);
  if (*found) put_tangent(f->axis, p.size, twist, out);
  return CDN_OK;
}

rigid_material cdni_rigid_material(const contact_room *room, cdn_state *state, const rigid_feature *f) {
  const double *numbers = cdn_state_parameters(state, room->pair_numbers);
  const touch_pair pair = touch_pair_of(room, cdni_state_storage(state, room->places),
                                        cdni_state_storage(state, room->poses), numbers, f->a, f->b);
  const combined_material m = cdni_combine_materials(&pair);
  return (rigid_material){ { m.friction[0], m.friction[1], m.friction[2] }, m.torsional, m.rolling, m.restitution };
}

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
  double gap;
} least;

static void take_least(void *context, const rigid_feature *f, double gap) {
  least *l = context;
  if (gap < l->gap && !has_slot(l->slots, f)) l->gap = gap;
}

static rigid_feature feature_of(const contact_room *room, int a, int b) {
  return (rigid_feature){ .a = a, .b = b, .body = { shape_body(room, a), shape_body(room, b) } };
}

/* The pairs that may touch and whose boxes are nearer than the reach. */
typedef cdn_status pair_fn(const rigid_pair *p, const rigid_feature *pair, void *context);

static cdn_status visit_pairs(const contact_room *room, cdn_state *state, pair_fn *fn, void *context) {
  const int n = (int)room->shapes.count;
  int64_t clear;
  rigid_view v;
  CDNI_TRY(cdni_contact_is_clear(room, state, 0, 0, &clear));
  if (clear > 0) return CDN_OK;
  CDNI_TRY(look(room, state, &v));
  const cdni_box *boxes = shape_boxes(room, v.poses);
  const int32_t *pairs;
  int n_pairs;
  cdni_box *wide = cdn_work_push(state, (size_t)n * sizeof *wide);
  if (!wide) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  for (int i = 0; i < n; i++) {
    const double by = v.places[i].radius < INFINITY ? REACH * v.places[i].radius : 0;
    for (int k = 0; k < 3; k++) wide[i].least[k] = boxes[i].least[k] - by, wide[i].most[k] = boxes[i].most[k] + by;
  }
  cdn_status status = cdni_contact_neighbours(room, state, boxes, wide, wide, 0, &pairs, &n_pairs);
  for (int k = 0; k < n_pairs && status == CDN_OK; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (!boxes_overlap(&wide[i], &wide[j])) continue;
    const rigid_pair p = pair_of(&v, i, j);
    const rigid_feature f = feature_of(room, i, j);
    if (cdni_rigid_is_known(p.g[0], p.g[1])) status = fn(&p, &f, context);
  }
  cdn_work_pop(state, wide);
  return status;
}

/* The distance of two shapes; the least gap of features where that is not known. */
static double distance_of(const rigid_pair *p, const rigid_feature *pair, const slots *none, double reach) {
  cdn_proximity near;
  if (cdni_pair_is_supported(p->g[0], p->g[1]))
    return cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], reach, &near) ? near.distance : reach;
  least l = { none, reach };
  cdni_rigid_visit(p, pair, reach, take_least, &l);
  return l.gap;
}

/* Of what touches and overlaps by more than rounding and projection leave, by how much; else 1. */
static double overlap_of(const rigid_pair *p) {
  cdn_proximity near;
  if (!cdni_pair_is_supported(p->g[0], p->g[1])) return 1;
  const bool known = cdni_pair_distance(p->g[0], p->X[0], p->g[1], p->X[1], 0, &near);
  return known && near.distance < -OVERLAP * p->size ? near.distance : 1;
}

/* What has no slot anywhere is told by the distance of its shapes. Where some features of two shapes have slots, the
 * others are told one by one. */
static cdn_status add_gap(const rigid_pair *p, const rigid_feature *pair, void *context) {
  least *l = context;
  const double reach = REACH * p->size;
  if (pair_has_slot(l->slots, pair->a, pair->b)) {
    least of_pair = { l->slots, reach };
    cdni_rigid_visit(p, pair, reach, take_least, &of_pair);
    l->gap = fmin(l->gap, fmin(of_pair.gap, overlap_of(p)));
  } else l->gap = fmin(l->gap, distance_of(p, pair, l->slots, reach));
  return CDN_OK;
}

cdn_status cdni_rigid_least_gap(const contact_room *room, cdn_state *state, double *gap) {
  const slots s = { cdni_rigid_slot(room, state, 0), room->rigid_slots };
  least l = { &s, 1 };
  CDNI_TRY(visit_pairs(room, state, add_gap, &l));
  *gap = l.gap;
  return CDN_OK;
}

/* ---- taking and freeing ---- */

typedef struct renewal {
  const contact_room *room;
  rigid_feature *slot;
  bool *changed;
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
    r->slot[i] = *f, r->slot[i].number = number_of(f), r->changed[i] = true;
    if (cdni_rigid_measure(p, f, NULL, &t)) r->slot[i].axis = flattest(t.normal);
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

static cdn_status renew_pair(const rigid_pair *p, const rigid_feature *pair, void *context) {
  renewal *r = context;
  r->near = near_of(p), r->pair = p, r->touches = r->closest = false;
  cdni_rigid_visit(p, pair, REACH * p->size, take_touching, r);
  /* nearest points make way for a feature that has come to be as near: searches tell its normal less exactly */
  for (int i = 0; i < r->n && r->touches && !r->closest; i++) {
    const rigid_feature *f = &r->slot[i];
    if (f->kind == RIGID_CLOSEST && f->a == pair->a && f->b == pair->b)
      r->slot[i] = (rigid_feature){ 0 }, r->changed[i] = true;
  }
  return CDN_OK;
}

static cdn_status free_slots(const contact_room *room, cdn_state *state, const bool *kept, renewal *r) {
  rigid_view v;
  CDNI_TRY(look(room, state, &v));
  for (int i = 0; i < r->n; i++) {
    rigid_touch t;
    bool found;
    if (r->slot[i].kind == RIGID_NONE) continue;
    CDNI_TRY(cdni_rigid_touch(room, state, i, false, &found, &t));
    const rigid_pair p = pair_of(&v, r->slot[i].a, r->slot[i].b);
    const double near = near_of(&p);
    const bool parted = !kept[i] && !(found && t.gap <= 4 * near);
    if (!parted && found && t.within >= -SLACK * near) continue;
    r->slot[i] = (rigid_feature){ 0 }, r->changed[i] = true;
  }
  return CDN_OK;
}

static bool any_changed(const renewal *r) {
  for (int i = 0; i < r->n; i++)
    if (r->changed[i]) return true;
  return false;
}

cdn_status cdni_rigid_renew(const contact_room *room, cdn_state *state, const bool *kept, bool fired, bool *changed) {
  const size_t size = (size_t)room->rigid_slots * sizeof(rigid_feature);
  renewal r = { .room = room, .n = room->rigid_slots, .changed = changed, .nearest_gap = INFINITY };
  memset(changed, 0, (size_t)r.n * sizeof *changed);
  r.slot = cdn_work_push(state, size);
  if (!r.slot) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  memcpy(r.slot, cdni_rigid_slot(room, state, 0), size);
  cdn_status status = free_slots(room, state, kept, &r);
  const bool freed = any_changed(&r);
  if (status == CDN_OK) status = visit_pairs(room, state, renew_pair, &r);
  /* the search for nearest points may see a touch that no feature has to rounding */
  if (status == CDN_OK && fired && !freed && !any_changed(&r) && r.nearest_gap < OVERLAP * r.nearest_pair.size)
    take_slot(&r, &r.nearest_pair, &r.nearest);
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

/* ---- reports ---- */

/* Slots in the order in which contacts are told. */
typedef struct told {
  int32_t a, b, feature, slot;
} told;

static int compare_told(const void *x, const void *y) {
  const told *p = x, *q = y;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->b != q->b) return p->b < q->b ? -1 : 1;
  return p->feature != q->feature ? (p->feature < q->feature ? -1 : 1) : p->slot - q->slot;
}

/* The slots whose surfaces touch; returns how many. */
static cdn_status list_touching(const contact_room *room, cdn_state *state, told *list, int *n) {
  rigid_view v;
  *n = 0;
  CDNI_TRY(look(room, state, &v));
  for (int i = 0; i < room->rigid_slots; i++) {
    const rigid_feature *f = cdni_rigid_slot(room, state, i);
    rigid_touch t;
    bool found;
    CDNI_TRY(cdni_rigid_touch(room, state, i, false, &found, &t));
    if (!found || t.gap > SHOWN * pair_of(&v, f->a, f->b).size) continue;
    list[(*n)++] = (told){ f->a, f->b, f->number, i };
  }
  qsort(list, (size_t)*n, sizeof *list, compare_told);
  return CDN_OK;
}

static told *take_list(const contact_room *room, cdn_state *state) {
  told *list = cdn_work_push(state, (size_t)(room->rigid_slots + 1) * sizeof *list);
  if (!list) cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  return list;
}

static cdn_status add_touch(const contact_room *room, cdn_state *state, const told *x, cdn_region_output *out) {
  const rigid_feature *f = cdni_rigid_slot(room, state, x->slot);
  rigid_touch t;
  bool found;
  void *place;
  CDNI_TRY(cdni_rigid_touch(room, state, x->slot, false, &found, &t));
  CDNI_TRY(cdn_region_output_add(out, 1, &place));
  const rigid_material m = cdni_rigid_material(room, state, f);
  *(touch *)place = (touch){ .a = f->a,
                             .b = f->b,
                             .feature = x->feature,
                             .point = t.point,
                             .normal = t.normal,
                             .tangent = t.tangent,
                             .depth = -t.gap,
                             .friction = { m.friction[0], m.friction[0] } };
  return CDN_OK;
}

cdn_status cdni_rigid_find_touches(const contact_room *room, cdn_state *state, cdn_region_output *out) {
  told *list = take_list(room, state);
  int n = 0;
  if (!list) return CDN_ERR_NOMEM;
  cdn_status status = list_touching(room, state, list, &n);
  for (int i = 0; i < n && status == CDN_OK; i++) status = add_touch(room, state, &list[i], out);
  cdn_work_pop(state, list);
  return status;
}

int cdni_rigid_slot_of(const contact_room *room, cdn_state *state, int contact) {
  told *list = take_list(room, state);
  int n = 0, slot = -1;
  if (!list) return -1;
  if (list_touching(room, state, list, &n) == CDN_OK && contact < n) slot = list[contact].slot;
  cdn_work_pop(state, list);
  return slot;
}
