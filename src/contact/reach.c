/* Points of shapes that are nearer than a distance that the caller names, for studies with contact of their own. */
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/points.h"
#include "contact/room.h"
#include "contact/touch.h"

static int add_points(const contact_room *room, cdn_state *state, int i, int j, double reach, int space,
                      contact_within *out) {
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const cdn_geometry *const g[2] = { &places[i].geometry, &places[j].geometry };
  const cdn_transform *const X[2] = { &poses[i].X_GS, &poses[j].X_GS };
  if (!cdn_geometry_pair_is_supported(g[0]->kind, g[1]->kind)) return 0;
  cdn_manifold m;
  cdni_contact_pair_points(g, X, reach, &m);
  const touch_pair pair = touch_pair_of(room, places, poses, cdn_state_parameters(state, room->pair_numbers), i, j);
  const combined_material material = cdni_combine_materials(&pair);
  int found = 0;
  for (int k = 0; k < m.n; k++) {
    const cdn_proximity *near = &m.points[k];
    if (!(near->distance < reach)) continue;
    if (found < space)
      out[found] = (contact_within){ .a = i,
                                     .b = j,
                                     .feature = m.id[k],
                                     .body = { shape_body(room, i), shape_body(room, j) },
                                     .point = cdn_scale(0.5, cdn_add(near->point_a, near->point_b)),
                                     .normal = near->normal,
                                     .tangent = contact_tangent(near->normal),
                                     .distance = near->distance,
                                     .friction = material.friction[1] };
    found++;
  }
  return found;
}

cdn_status cdni_contact_within(const contact_room *room, cdn_state *state, const double *enabled, double reach,
                               int space, contact_within *out, int *n) {
  *n = 0;
  if (!room || !room->matter) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const int shapes = (int)room->shapes.count;
  const shapes_on t = { room, enabled };
  int most = 4 * shapes + 64, found;
  for (;;) {
    char *work = cdn_work_push(state, (size_t)shapes * sizeof(cdni_box) + 2 * (size_t)most * sizeof(int32_t) +
                                          CDNI_ALIGN + cdni_broad_size(shapes));
    if (!work) return CDN_ERR_NOMEM;
    cdni_box *boxes = (cdni_box *)(void *)work;
    const cdni_box *own = shape_boxes(room, cdni_state_storage(state, room->poses));
    int32_t *pairs = (int32_t *)(void *)(boxes + shapes);
    const size_t used = cdni_aligned((size_t)((char *)(pairs + 2 * most) - work));
    for (int i = 0; i < shapes; i++)
      for (int k = 0; k < 3; k++)
        boxes[i].least[k] = own[i].least[k] - 0.5 * reach, boxes[i].most[k] = own[i].most[k] + 0.5 * reach;
    found = cdni_broad_pairs(shapes, boxes, cdni_contact_take_part, &t, most, pairs, work + used);
    for (int k = 0; found <= most && k < found; k++) {
      const int space_left = space > *n ? space - *n : 0;
      *n += add_points(room, state, pairs[2 * k], pairs[2 * k + 1], reach, space_left, space_left ? out + *n : NULL);
    }
    cdn_work_pop(state, work);
    if (found <= most) return CDN_OK;
    most = found;
  }
}

const double *cdni_contact_enabled(const contact_room *room, cdn_state *state) {
  return cdn_state_parameters(state, room->enabled);
}
