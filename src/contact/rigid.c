/* The slots of rigid contact in a State: which features of which shapes they hold, and what is told of them. Who has a
 * slot: rigid_slots.c. */
#include <math.h>
#include <stdlib.h>

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/rigid_view.h"
#include "rooms.h"

bool cdni_contact_any_rigid(const contact_room *room) { return room && room->matter && room->uses[CDN_CONTACT_RIGID]; }
cdn_ticket cdni_rigid_places(const contact_room *room) { return room->places.ticket; }
int cdni_rigid_reads(const contact_room *room, cdn_ticket tickets[3]) {
  tickets[0] = room->places.ticket, tickets[1] = room->poses.ticket, tickets[2] = room->vicinity.ticket;
  return 3;
}
cdn_dvar cdni_rigid_variable(const contact_room *room) { return room->rigid; }
const rigid_feature *cdni_rigid_slot(const contact_room *room, const cdn_state *state, int slot) {
  return (const rigid_feature *)cdn_state_discrete(state, room->rigid) + slot;
}

/* Whether a shape touches some other one by other laws, which may be those of meshes. */
static bool touches_otherwise(const contact_room *room, int i) {
  for (size_t k = 0; k < room->pairs.count; k++) {
    const named_pair *p = &CDNI_AT(room->pairs, named_pair, k);
    if ((p->a == i || p->b == i) && p->model >= 0 && p->model != CDN_CONTACT_RIGID) return true;
  }
  return false;
}

cdn_status cdni_rigid_find_hulls(cdn_system *system) {
  if (!cdni_contact(system) || cdni_contact(system)->def.model != CDN_CONTACT_RIGID) return CDN_OK;
  contact_room *room = cdni_system_room(system, CDNI_ROOM_CONTACT);
  for (size_t i = 0; i < room->shapes.count; i++) {
    shape *s = &CDNI_AT(room->shapes, shape, i);
    if (s->geometry.kind != CDN_GEOMETRY_MESH || touches_otherwise(room, (int)i)) continue;
    if (!s->hull) CDNI_TRY(cdni_mesh_hull(s->geometry.surface, &s->hull));
  }
  return CDN_OK;
}

/* Contacts are told while their surfaces are nearer than this part of the smaller shape. */
static const double SHOWN = 1e-6;
/* How far rounding moves a gap, in parts of what counts as touching. */
static const double NOISE = 2.5e-4;

double cdni_rigid_near(const contact_room *room, cdn_state *state, int slot) {
  const rigid_feature *f = cdni_rigid_slot(room, state, slot);
  rigid_view v;
  if (rigid_look(room, state, &v) != CDN_OK) return 0;
  const rigid_pair p = rigid_pair_of(&v, f->a, f->b);
  return rigid_near(&p);
}

double cdni_rigid_noise(const contact_room *room, cdn_state *state, int slot) {
  return NOISE * cdni_rigid_near(room, state, slot);
}

double cdni_rigid_slack(const contact_room *room, cdn_state *state, int slot) {
  return RIGID_SLACK * cdni_rigid_near(room, state, slot);
}

/* ---- a slot ---- */

static rigid_motion motion_of(const body_pose *pose, const body_twist *twist) {
  return (rigid_motion){ cdni_from_v3(twist->V.w), cdni_from_v3(twist->V.v), cdni_from_v3(pose->p_GM) };
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
                         .size = rigid_size(&places[f->a], &places[f->b]) };
  *found = cdni_rigid_measure_slot(&p, f, twist ? motion : NULL, out);
  return CDN_OK;
}

rigid_material cdni_rigid_material(const contact_room *room, cdn_state *state, const rigid_feature *f) {
  const double *numbers = cdn_state_parameters(state, room->pair_numbers);
  const touch_pair pair = touch_pair_of(room, cdni_state_storage(state, room->places),
                                        cdni_state_storage(state, room->poses), numbers, f->a, f->b);
  const combined_material m = cdni_combine_materials(&pair);
  return (rigid_material){ .friction = { m.friction[0], m.friction[1], m.friction[2] },
                           .ratio = m.ratio,
                           .torsional = m.torsional,
                           .rolling = m.rolling,
                           .restitution = m.restitution };
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
  CDNI_TRY(rigid_look(room, state, &v));
  for (int i = 0; i < room->rigid_slots; i++) {
    const rigid_feature *f = cdni_rigid_slot(room, state, i);
    rigid_touch t;
    bool found;
    CDNI_TRY(cdni_rigid_touch(room, state, i, false, &found, &t));
    if (!found || t.gap > SHOWN * rigid_pair_of(&v, f->a, f->b).size) continue;
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
                             .model = CDN_CONTACT_RIGID,
                             .point = t.point,
                             .normal = t.normal,
                             .tangent = t.tangent,
                             .depth = -t.gap,
                             .friction = { m.friction[0], m.friction[0] * m.ratio } };
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
