/* Where forces of contact bend: where two shapes begin or cease to touch, and where a contact that is pulled apart lets
 * go. Steps end there. The number of kinks is fixed when the System is frozen: those of all pairs that may touch, if
 * they are not too many. */
#include <math.h>

#include "contact/internal.h"

enum { MOST_KINKS = 8192 };

/* Contacts of a pair that come and go one by one. */
static int features_of(cdn_geometry_kind a, cdn_geometry_kind b) {
  return cdni_contact_law(a, b) == cdni_law_ends ? 2 : 1;
}

cdn_status cdni_contact_list_pairs(cdn_system *system, contact_room *room) {
  const cdn_allocator *memory = cdni_system_allocator(system);
  const int n = (int)room->shapes.count;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      if (!cdni_contact_accepts(room, i, j)) continue;
      const watched_pair pair = {
        i, j, features_of(CDNI_AT(room->shapes, shape, i).geometry.kind, CDNI_AT(room->shapes, shape, j).geometry.kind)
      };
      room->n_kinks += 2 * pair.features;
      if (room->n_kinks > MOST_KINKS) {
        room->n_kinks = 0;
        cdni_array_free(memory, &room->watched);
        return CDN_OK;
      }
      if (!cdni_array_push(memory, &room->watched, sizeof pair, &pair))
        return cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory for pairs of shapes");
    }
  return CDN_OK;
}

/* ---- values ---- */

typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *sizes, *materials, *pair_numbers;
  const cdn_vec3 *center_rate; /* of the balls about the shapes */
} view;

/* Rate at which b's point moves away from a's, along n. */
static double parting(const view *v, const watched_pair *w, cdn_vec3 p_a, cdn_vec3 p_b, cdn_vec3 n) {
  const cdn_vec3 v_a = cdni_contact_velocity(v->pose, v->twist, shape_body(v->room, w->a), p_a);
  return cdn_dot(n, cdn_sub(cdni_contact_velocity(v->pose, v->twist, shape_body(v->room, w->b), p_b), v_a));
}

/* Gap, and its rate, of two balls about the shapes; false: they are so near that the shapes themselves must be looked
 * at. */
static bool far_apart(const view *v, const watched_pair *w, double *gap, double *rate) {
  const double radii = v->places[w->a].radius + v->places[w->b].radius;
  const cdn_vec3 d = cdn_sub(v->poses[w->b].center, v->poses[w->a].center);
  const double square = cdn_dot(d, d);
  if (!(square > 4 * radii * radii)) return false;
  const double length = sqrt(square);
  *gap = length - radii;
  *rate = cdn_dot(d, cdn_sub(v->center_rate[w->b], v->center_rate[w->a])) / length;
  return true;
}

/* The kinks of one contact: touching; letting go. */
static void kinks_of(const view *v, const watched_pair *w, const cdn_geometry *g[2], const cdn_transform *X[2],
                     double *values, double *rates) {
  cdn_proximity near;
  double share;
  if (!cdni_contact_near(g, X, INFINITY, &near, &share)) return;
  values[0] = near.distance;
  rates[0] = share * parting(v, w, near.point_a, near.point_b, near.normal);
  if (near.distance >= 0) return;
  const combined_material m =
      cdni_combine_materials(v->materials + MATERIAL_NUMBERS * w->a, v->materials + MATERIAL_NUMBERS * w->b,
                             cdni_contact_pair_numbers(v->room, v->pair_numbers, w->a, w->b));
  const cdn_vec3 p = cdn_add(near.point_a, cdn_scale(m.share_a * near.distance, near.normal));
  if (m.dissipation > 0) values[1] = 1 - 1.5 * m.dissipation * parting(v, w, p, p, near.normal);
}

static void kinks_of_pair(const view *v, const watched_pair *w, double *values, double *rates) {
  if (far_apart(v, w, &values[0], &rates[0])) {
    if (w->features == 2) values[2] = values[0], rates[2] = rates[0];
    return;
  }
  const cdn_geometry a = shape_geometry(v->room, v->sizes, w->a), b = shape_geometry(v->room, v->sizes, w->b);
  for (int i = 0; i < w->features; i++) {
    const cdn_geometry *g[2] = { &a, &b };
    const cdn_transform *X[2] = { &v->poses[w->a].X_GS, &v->poses[w->b].X_GS };
    cdn_geometry end;
    cdn_transform X_end;
    if (w->features == 2) cdni_capsule_end(g, X, i, &end, &X_end);
    kinks_of(v, w, g, X, values + 2 * i, rates + 2 * i);
  }
}

cdn_status cdni_contact_calc_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const size_t n = room->shapes.count;
  cdn_vec3 *center_rate = cdn_work_push(state, n * sizeof *center_rate);
  if (!center_rate) return CDN_ERR_NOMEM;
  const view v = { .room = room,
                   .places = cdni_state_storage(state, room->places),
                   .poses = cdni_state_storage(state, room->poses),
                   .pose = cdni_matter_pose(room->matter, state),
                   .twist = cdni_matter_twist(room->matter, state),
                   .sizes = cdn_state_parameters(state, room->sizes),
                   .materials = cdn_state_parameters(state, room->materials),
                   .pair_numbers = cdn_state_parameters(state, room->pair_numbers),
                   .center_rate = center_rate };
  const double *enabled = cdn_state_parameters(state, room->enabled);
  for (size_t i = 0; i < n; i++)
    center_rate[i] = cdni_contact_velocity(v.pose, v.twist, shape_body(room, (int)i), v.poses[i].center);
  for (size_t k = 0; k < room->watched.count; k++) {
    const watched_pair *w = &CDNI_AT(room->watched, watched_pair, k);
    if (enabled[w->a] != 0 && enabled[w->b] != 0) kinks_of_pair(&v, w, values, rates);
    values += 2 * w->features, rates += 2 * w->features;
  }
  cdn_work_pop(state, center_rate);
  return CDN_OK;
}
