/* Where forces of contact bend: where two shapes begin or cease to touch, and where a contact that is pulled apart lets go. Steps end
 * there. The number of kinks is fixed when the System is frozen: those of all pairs that may touch, if they are not too many. */
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
  cdn_state *state;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *materials, *enabled;
} view;

/* Velocity of b's point seen from a's, along n. */
static double approach(const view *v, int a, cdn_vec3 p_a, int b, cdn_vec3 p_b, cdn_vec3 n) {
  const int body_a = CDNI_AT(v->room->shapes, shape, a).body, body_b = CDNI_AT(v->room->shapes, shape, b).body;
  return cdn_dot(n, cdn_sub(cdni_contact_velocity(v->pose, v->twist, body_b, p_b),
                            cdni_contact_velocity(v->pose, v->twist, body_a, p_a)));
}

/* Gap, and its rate, of two balls about the shapes; false: they are so near that the shapes themselves must be looked at. */
static bool far_apart(const view *v, const cdn_geometry *g_a, const cdn_geometry *g_b, int a, int b, double *gap,
                      double *rate) {
  cdn_vec3 c_a, c_b;
  const double r_a = cdni_bounding_ball(g_a, &c_a), r_b = cdni_bounding_ball(g_b, &c_b);
  if (!isfinite(r_a + r_b)) return false;
  const cdn_vec3 p_a = cdn_transform_point(v->poses[a].X_GS, c_a), p_b = cdn_transform_point(v->poses[b].X_GS, c_b);
  const cdn_vec3 d = cdn_sub(p_b, p_a);
  const double length = cdn_norm(d);
  if (length < 2 * (r_a + r_b)) return false;
  *gap = length - r_a - r_b;
  *rate = approach(v, a, p_a, b, p_b, cdn_scale(1 / length, d));
  return true;
}

/* The kinks of one contact: touching; letting go. */
static void kinks_of(const view *v, const watched_pair *w, const cdn_geometry *g[2], const cdn_transform *X[2],
                     double *touching, double *touching_rate, double *letting_go) {
  cdn_proximity near;
  if (far_apart(v, g[0], g[1], w->a, w->b, touching, touching_rate)) return;
  if (!cdni_pair_distance(g[0], X[0], g[1], X[1], INFINITY, &near)) return;
  *touching = near.distance;
  *touching_rate = approach(v, w->a, near.point_a, w->b, near.point_b, near.normal);
  if (near.distance >= 0) return;
  const combined_material m =
      cdni_combine_materials(v->materials + MATERIAL_NUMBERS * w->a, v->materials + MATERIAL_NUMBERS * w->b);
  const cdn_vec3 p = cdn_add(near.point_a, cdn_scale(m.share_a * near.distance, near.normal));
  if (m.dissipation > 0) *letting_go = 1 - 1.5 * m.dissipation * approach(v, w->a, p, w->b, p, near.normal);
}

cdn_status cdni_contact_calc_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const view v = { room,
                   state,
                   cdni_state_storage(state, room->poses),
                   cdni_matter_pose(room->matter, state),
                   cdni_matter_twist(room->matter, state),
                   cdn_state_parameters(state, room->materials),
                   cdn_state_parameters(state, room->enabled) };
  int at = 0;
  for (size_t k = 0; k < room->watched.count; k++) {
    const watched_pair *w = &CDNI_AT(room->watched, watched_pair, k);
    if (v.enabled[w->a] != 0 && v.enabled[w->b] != 0) {
      const cdn_geometry a = shape_geometry(room, state, w->a), b = shape_geometry(room, state, w->b);
      for (int i = 0; i < w->features; i++) {
        const cdn_geometry *g[2] = { &a, &b };
        const cdn_transform *X[2] = { &v.poses[w->a].X_GS, &v.poses[w->b].X_GS };
        cdn_geometry end;
        cdn_transform X_end;
        if (w->features == 2) cdni_capsule_end(g, X, i, &end, &X_end);
        kinks_of(&v, w, g, X, &values[at + 2 * i], &rates[at + 2 * i], &values[at + 2 * i + 1]);
      }
    }
    at += 2 * w->features;
  }
  return CDN_OK;
}
