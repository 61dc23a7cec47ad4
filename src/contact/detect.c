/* Finds the contacts of a State: poses of shapes, their boxes, pairs of boxes that overlap, and what the laws make of
 * these. */
#include <math.h>

#include "contact/internal.h"

cdn_status cdni_contact_calc_places(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  const double *frames = cdn_state_parameters(state, room->frames), *sizes = cdn_state_parameters(state, room->sizes);
  shape_place *places = out;
  for (size_t i = 0; i < room->shapes.count; i++) {
    const double *X_BM = cdni_matter_X_BM(room->matter, state, (cdn_body){ shape_body(room, (int)i) });
    if (!X_BM) return cdni_state_last_status(state);
    cdn_transform body, X_BS;
    memcpy(&body, X_BM, sizeof body);
    memcpy(&X_BS, frames + FRAME_NUMBERS * i, sizeof X_BS);
    const cdn_transform X_MB = cdn_transform_invert(body), X_MS = cdn_transform_multiply(X_MB, X_BS);
    const cdn_geometry g = shape_geometry(room, sizes, (int)i);
    cdn_vec3 center;
    const double radius = cdni_bounding_ball(&g, &center);
    places[i] = (shape_place){ .R_MS = m3_load((const double *)&X_MS.R),
                               .p_MS = cdni_to_v3(X_MS.p),
                               .p_MB = cdni_to_v3(X_MB.p),
                               .center_M = cdni_to_v3(cdn_transform_point(X_MS, center)),
                               .radius = radius };
  }
  return CDN_OK;
}

cdn_status cdni_contact_calc_poses(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const double *sizes = cdn_state_parameters(state, room->sizes);
  shape_pose *poses = out;
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  if (!pose) return cdni_state_last_status(state);
  for (size_t i = 0; i < room->shapes.count; i++) {
    const body_pose *M = &pose[shape_body(room, (int)i)];
    const shape_place *place = &places[i];
    const cdn_geometry g = shape_geometry(room, sizes, (int)i);
    const m3 R = m3_mul_m3(M->R_GM, place->R_MS);
    cdn_transform *X = &poses[i].X_GS;
    X->R = (cdn_rotation){ cdni_from_v3(R.x), cdni_from_v3(R.y), cdni_from_v3(R.z) };
    X->p = cdni_from_v3(m3_mul_add(M->R_GM, place->p_MS, M->p_GM));
    poses[i].center = cdni_from_v3(m3_mul_add(M->R_GM, place->center_M, M->p_GM));
    cdn_vec3 least, most;
    cdni_bounds(&g, X, &least, &most);
    poses[i].box = (cdni_box){ { least.x, least.y, least.z }, { most.x, most.y, most.z } };
  }
  return CDN_OK;
}

/* ---- pairs ---- */

typedef struct filter {
  const contact_room *room;
  const double *enabled;
} filter;

static bool accept(const void *context, int i, int j) {
  const filter *f = context;
  return f->enabled[i] != 0 && f->enabled[j] != 0 && cdni_contact_accepts(f->room, i, j);
}

static cdn_status add_pair(const contact_room *room, const double *sizes, const double *materials,
                           const double *pair_numbers, const shape_pose *poses, int i, int j, cdn_region_output *out) {
  const cdn_geometry a = shape_geometry(room, sizes, i), b = shape_geometry(room, sizes, j);
  const touch_pair pair = { .g = { &a, &b },
                            .X = { &poses[i].X_GS, &poses[j].X_GS },
                            .shape = { i, j },
                            .material = { materials + MATERIAL_NUMBERS * i, materials + MATERIAL_NUMBERS * j },
                            .numbers = cdni_contact_pair_numbers(room, pair_numbers, i, j) };
  contact_law *law = cdni_contact_law(a.kind, b.kind);
  return law ? law(&pair, out) : CDN_OK;
}

/* Room for pairs grows until all of them have it; what the State's workspace has once been it stays. */
cdn_status cdni_contact_find_touches(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const double *sizes = cdn_state_parameters(state, room->sizes);
  const double *materials = cdn_state_parameters(state, room->materials);
  const double *pair_numbers = cdn_state_parameters(state, room->pair_numbers);
  const int n = (int)room->shapes.count;
  const filter f = { room, cdn_state_parameters(state, room->enabled) };
  const size_t boxes_size = (size_t)n * sizeof(cdni_box), work_size = cdni_broad_size(n);
  for (int most = 4 * n + 64;;) {
    char *frame = cdn_work_push(state, boxes_size + work_size + 2 * (size_t)most * sizeof(int32_t));
    if (!frame) return CDN_ERR_NOMEM;
    cdni_box *boxes = (cdni_box *)frame;
    for (int i = 0; i < n; i++) boxes[i] = poses[i].box;
    int32_t *pairs = (int32_t *)(frame + boxes_size + work_size);
    const int found = cdni_broad_pairs(n, boxes, accept, &f, most, pairs, frame + boxes_size);
    cdn_status status = CDN_OK;
    for (int k = 0; found <= most && k < found && status == CDN_OK; k++)
      status = add_pair(room, sizes, materials, pair_numbers, poses, pairs[2 * k], pairs[2 * k + 1], out);
    cdn_work_pop(state, frame);
    if (found <= most) return status;
    most = found;
  }
}
