/* Points of shapes that are nearer than a distance that the caller names, for studies with contact of their own. */
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/points.h"
#include "contact/room.h"
#include "contact/touch.h"

/* Where the points of two shapes go: the first `space` of them. */
typedef struct within {
  const contact_room *room;
  int i, j, space, found;
  double reach, friction;
  contact_within *out;
} within;

static void put(within *to, int feature, cdn_vec3 point, cdn_vec3 normal, double distance) {
  if (!(distance < to->reach)) return;
  if (to->found < to->space)
    to->out[to->found] = (contact_within){ .a = to->i,
                                           .b = to->j,
                                           .feature = feature,
                                           .body = { shape_body(to->room, to->i), shape_body(to->room, to->j) },
                                           .point = point,
                                           .normal = normal,
                                           .tangent = contact_tangent(normal),
                                           .distance = distance,
                                           .friction = to->friction };
  to->found++;
}

static cdn_status put_own(void *context, const cdn_law_contact *c, const combined_material *m) {
  (void)m;
  put(context, c->feature, c->point, c->normal, -c->depth);
  return CDN_OK;
}

/* Adds how many there are to *n. */
static cdn_status add_points(const contact_room *room, cdn_state *state, int i, int j, double reach, int space,
                             contact_within *out, int *n) {
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const touch_pair pair = touch_pair_of(room, places, poses, cdn_state_parameters(state, room->pair_numbers), i, j);
  const combined_material material = cdni_combine_materials(&pair);
  within to = { room, i, j, space > *n ? space - *n : 0, 0, reach, material.friction[1], out ? out + *n : NULL };
  if (cdni_is_own_law(pair.law)) CDNI_TRY(cdni_own_law_contacts(&pair, state, reach, put_own, &to));
  else if (cdn_geometry_pair_is_supported(pair.g[0]->kind, pair.g[1]->kind)) {
    cdn_manifold m;
    cdni_contact_pair_points(pair.g, pair.X, reach, &m);
    for (int k = 0; k < m.n; k++) {
      const cdn_proximity *near = &m.points[k];
      put(&to, m.id[k], cdn_scale(0.5, cdn_add(near->point_a, near->point_b)), near->normal, near->distance);
    }
  }
  *n += to.found;
  return CDN_OK;
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
    cdn_status status = CDN_OK;
    for (int k = 0; found <= most && k < found && status == CDN_OK; k++)
      status = add_points(room, state, pairs[2 * k], pairs[2 * k + 1], reach, space, out, n);
    cdn_work_pop(state, work);
    if (found <= most) return status;
    most = found;
  }
}

const double *cdni_contact_enabled(const contact_room *room, cdn_state *state) {
  return cdn_state_parameters(state, room->enabled);
}
