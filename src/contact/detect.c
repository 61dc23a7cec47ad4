/* Finds the contacts of a State: poses of shapes, their boxes, pairs of boxes that overlap, and what the laws make of
 * these. */
#include <math.h>
#include <stdlib.h>

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/points.h"
#include "contact/rigid.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/touch.h"

cdn_status cdni_contact_calc_places(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  const double *frames = cdn_state_parameters(state, room->frames), *sizes = cdn_state_parameters(state, room->sizes);
  const double *materials = cdn_state_parameters(state, room->materials);
  shape_place *places = out;
  for (size_t i = 0; i < room->shapes.count; i++) {
    const double *X_BM = cdni_matter_X_BM(room->matter, state, (cdn_body){ shape_body(room, (int)i) });
    if (!X_BM) return cdni_state_last_status(state);
    cdn_transform body, X_BS;
    memcpy(&body, X_BM, sizeof body);
    memcpy(&X_BS, frames + FRAME_NUMBERS * i, sizeof X_BS);
    const cdn_transform X_MB = cdn_transform_invert(body), X_MS = cdn_transform_multiply(X_MB, X_BS);
    cdn_geometry g = shape_solid(&CDNI_AT(room->shapes, shape, i));
    memcpy(g.size, sizes + 3 * i, sizeof g.size);
    cdn_vec3 center;
    const double radius = cdni_bounding_ball(&g, &center);
    places[i] = (shape_place){ .geometry = g,
                               .R_MS = m3_load((const double *)&X_MS.R),
                               .p_MS = cdni_to_v3(X_MS.p),
                               .center_M = cdni_to_v3(cdn_transform_point(X_MS, center)),
                               .radius = radius,
                               .depth = cdni_largest_depth(&g) };
    cdni_prepare_material(materials + MATERIAL_NUMBERS * i, places[i].material);
  }
  return CDN_OK;
}

cdn_status cdni_contact_calc_poses(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  const int lanes = cdni_system_lanes(cdn_state_system(state));
  if (lanes > 1) return cdni_contact_calc_poses_lanes(room, state, lanes, out);
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  shape_pose *poses = out;
  cdni_box *boxes = (cdni_box *)(poses + room->shapes.count);
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  if (!pose) return cdni_state_last_status(state);
  for (size_t i = 0; i < room->shapes.count; i++) {
    const body_pose *M = &pose[shape_body(room, (int)i)];
    const shape_place *place = &places[i];
    cdn_transform *X = &poses[i].X_GS;
    *X = shape_pose_at(place, M);
    poses[i].center = cdni_from_v3(m3_mul_add(M->R_GM, place->center_M, M->p_GM));
    cdn_vec3 least, most;
    cdni_outer_bounds(&place->geometry, X, &least, &most);
    boxes[i] = (cdni_box){ { least.x, least.y, least.z }, { most.x, most.y, most.z } };
  }
  return CDN_OK;
}

/* ---- pairs ---- */

typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const double *pair_numbers;
} view;

static view view_of(const contact_room *room, cdn_state *state) {
  return (view){ .room = room,
                 .places = cdni_state_storage(state, room->places),
                 .poses = cdni_state_storage(state, room->poses),
                 .pair_numbers = cdn_state_parameters(state, room->pair_numbers) };
}

static touch_pair pair_of(const view *v, int i, int j) {
  return touch_pair_of(v->room, v->places, v->poses, v->pair_numbers, i, j);
}

static cdn_status add_pair(const view *v, int i, int j, cdn_state *state, cdn_region_output *out) {
  const touch_pair pair = pair_of(v, i, j);
  const bool compliant = contact_model_of(v->room, i, j) == CDN_CONTACT_COMPLIANT;
  return pair.law && compliant ? pair.law->find(&pair, state, out) : CDN_OK;
}

/* Calls visit for the pairs that may touch and whose boxes overlap, in ascending order. */
typedef cdn_status pair_visitor(const view *v, int i, int j, cdn_state *state, cdn_region_output *out);
static cdn_status visit_pairs(const contact_room *room, cdn_state *state, pair_visitor *visit, cdn_region_output *out) {
  int64_t clear;
  CDNI_TRY(cdni_contact_is_clear(room, state, 0, 0, &clear));
  if (clear > 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const view v = view_of(room, state);
  const cdni_box *boxes = shape_boxes(room, v.poses);
  const int32_t *pairs;
  int n;
  CDNI_TRY(cdni_contact_neighbours(room, state, boxes, boxes, boxes, 0, &pairs, &n));
  for (int k = 0; k < n; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (boxes_overlap(&boxes[i], &boxes[j])) CDNI_TRY(visit(&v, i, j, state, out));
  }
  return CDN_OK;
}

/* ---- touches ---- */

static cdn_status find_touches_of(const contact_room *room, cdn_state *state, cdn_contact_model model,
                                  cdn_region_output *out) {
  switch (model) {
    case CDN_CONTACT_OF_SYSTEM: break;
    case CDN_CONTACT_COMPLIANT: return visit_pairs(room, state, add_pair, out);
    case CDN_CONTACT_SOFT: return cdni_contact_touch_points(room, state, out);
    case CDN_CONTACT_RIGID: return cdni_rigid_find_touches(room, state, out);
  }
  return CDN_OK;
}

/* Touches are found pair by pair, in ascending order. */
static int compare_touches(const void *x, const void *y) {
  const touch *t = x, *u = y;
  return t->a != u->a ? (t->a > u->a) - (t->a < u->a) : (t->b > u->b) - (t->b < u->b);
}

/* Touches of several models, each in order: list k ends before end[k]. */
static cdn_status put_in_order(cdn_state *state, touch *touches, const int *end, int lists) {
  const int n = end[lists - 1];
  int at[CDN_CONTACT_RIGID + 1];
  if (n == 0) return CDN_OK;
  touch *from = cdn_work_push(state, (size_t)n * sizeof *from);
  if (!from) return CDN_ERR_NOMEM;
  memcpy(from, touches, (size_t)n * sizeof *from);
  for (int k = 0; k < lists; k++) at[k] = k > 0 ? end[k - 1] : 0;
  for (int i = 0; i < n; i++) {
    int next = -1;
    for (int k = 0; k < lists; k++)
      if (at[k] < end[k] && (next < 0 || compare_touches(&from[at[k]], &from[at[next]]) < 0)) next = k;
    touches[i] = from[at[next]++];
  }
  cdn_work_pop(state, from);
  return CDN_OK;
}

cdn_status cdni_contact_find_touches(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  if (!room->mixed) return find_touches_of(room, state, room->def.model, out);
  int end[CDN_CONTACT_RIGID + 1];
  void *touches = NULL;
  for (int k = 0; k <= CDN_CONTACT_RIGID; k++) {
    if (room->uses[k]) CDNI_TRY(find_touches_of(room, state, (cdn_contact_model)k, out));
    touches = cdni_region_output_elements(out, &end[k]);
  }
  return put_in_order(state, touches, end, CDN_CONTACT_RIGID + 1);
}

/* ---- energies ---- */

/* Gives n touches of one pair parts of its energy, as force times depth has them. */
static void share_energy(const view *v, const touch *t, int n, double *energies) {
  const touch_pair pair = pair_of(v, t->a, t->b);
  const double energy = pair.law->energy(&pair);
  double sum = 0;
  for (int i = 0; i < n; i++) sum += t[i].elastic * t[i].depth;
  for (int i = 0; i < n; i++) energies[i] = sum > 0 ? energy * (t[i].elastic * t[i].depth / sum) : energy / n;
}

cdn_status cdni_contact_calc_energies(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  const void *elements;
  void *place;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->touches, &elements, &n));
  CDNI_TRY(cdn_region_output_add(out, n, &place));
  const view v = view_of(room, state);
  const touch *touches = elements;
  double *energies = place;
  for (int i = 0; i < n;) {
    int end = i + 1;
    energies[i] = touches[i].energy;
    while (touches[i].in_pair && end < n && touches[end].in_pair && touches[end].a == touches[i].a &&
           touches[end].b == touches[i].b)
      end++;
    if (touches[i].in_pair) share_energy(&v, &touches[i], end - i, &energies[i]);
    i = end;
  }
  return CDN_OK;
}

/* Where one of two solids is wholly within the other their pressures are nowhere equal. They touch at no place, and yet
 * have the energy that it has taken to get there. */
static cdn_status add_enclosed(const view *v, int i, int j, cdn_state *state, cdn_region_output *out) {
  const touch_pair pair = pair_of(v, i, j);
  if (!pair.law || !pair.law->energy) return CDN_OK;
  const void *touches;
  int n;
  CDNI_TRY(cdn_region_eval(state, v->room->touches, &touches, &n));
  const touch wanted = { .a = i, .b = j };
  if (n > 0 && bsearch(&wanted, touches, (size_t)n, sizeof wanted, compare_touches)) return CDN_OK;
  const double energy = pair.law->energy(&pair);
  void *place;
  if (!(energy > 0)) return CDN_OK;
  CDNI_TRY(cdn_region_output_add(out, 1, &place));
  *(enclosed_pair *)place = (enclosed_pair){ i, j, energy };
  return CDN_OK;
}

cdn_status cdni_contact_calc_enclosed(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  if (!cdni_contact_any_compliant(room)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->touches.ticket));
  return visit_pairs(room, state, add_enclosed, out);
}
