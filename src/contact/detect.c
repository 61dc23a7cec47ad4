/* Finds the contacts of a State: poses of shapes, their boxes, pairs of boxes that overlap, and what the laws make of these. */
#include <math.h>

#include "contact/internal.h"

cdn_status cdni_contact_calc_poses(const void *self, cdn_state *state, void *out) {
  const contact_room *room = contact_of(self);
  const matter *m = room->matter;
  const double *frames = cdn_state_parameters(state, room->frames);
  shape_pose *poses = out;
  const body_pose *pose = cdni_matter_pose(m, state);
  if (!pose) return cdni_state_last_status(state);
  for (size_t i = 0; i < room->shapes.count; i++) {
    const cdn_body body = { CDNI_AT(room->shapes, shape, i).body };
    const cdn_geometry g = shape_geometry(room, state, (int)i);
    cdn_transform X_BS;
    memcpy(&X_BS, frames + FRAME_NUMBERS * i, sizeof X_BS);
    const cdn_transform X_GB = cdni_body_transform(cdni_matter_X_BM(m, state, body), &pose[body.i]);
    poses[i].X_GS = cdn_transform_multiply(X_GB, X_BS);
    cdn_vec3 least, most;
    cdni_bounds(&g, &poses[i].X_GS, &least, &most);
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

static cdn_status add_pair(const contact_room *room, cdn_state *state, const shape_pose *poses, int i, int j,
                           cdn_region_output *out) {
  const cdn_geometry a = shape_geometry(room, state, i), b = shape_geometry(room, state, j);
  const double *materials = cdn_state_parameters(state, room->materials);
  const touch_pair pair = { .g = { &a, &b },
                            .X = { &poses[i].X_GS, &poses[j].X_GS },
                            .shape = { i, j },
                            .material = { materials + MATERIAL_NUMBERS * i, materials + MATERIAL_NUMBERS * j } };
  contact_law *law = cdni_contact_law(a.kind, b.kind);
  return law ? law(&pair, out) : CDN_OK;
}

/* Room for pairs grows until all of them have it; what the State's workspace has once been it stays. */
cdn_status cdni_contact_find_touches(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_pose *poses = cdni_state_storage(state, room->poses);
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
      status = add_pair(room, state, poses, pairs[2 * k], pairs[2 * k + 1], out);
    cdn_work_pop(state, frame);
    if (found <= most) return status;
    most = found;
  }
}
