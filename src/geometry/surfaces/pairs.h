/* Private to the room: distances of meshes, height fields and distances of the user's. All in the frame of a. */
#ifndef CARDAN_GEOMETRY_PAIRS_H
#define CARDAN_GEOMETRY_PAIRS_H

#include "geometry/surfaces/surfaces.h"

/* b as a sees it. */
static inline cdn_transform seen_from(const cdn_transform *X_WA, const cdn_transform *X_WB) {
  return (cdn_transform){ { g_rotate_inv(&X_WA->R, X_WB->R.x), g_rotate_inv(&X_WA->R, X_WB->R.y),
                            g_rotate_inv(&X_WA->R, X_WB->R.z) },
                          g_point_inv(X_WA, X_WB->p) };
}
/* An answer in the frame of a, in W. */
static inline void turn_to_world(const cdn_transform *X_WA, cdn_proximity *p) {
  p->normal = g_rotate(&X_WA->R, p->normal);
  p->point_a = g_point(X_WA, p->point_a);
  p->point_b = g_point(X_WA, p->point_b);
}
/* The point of b that is farthest along a direction of a. */
static inline cdn_vec3 support_of(const cdn_geometry *b, const cdn_transform *X_AB, cdn_vec3 direction) {
  return g_point(X_AB, cdni_support(b, g_rotate_inv(&X_AB->R, direction)));
}
static inline bool has_inside(const cdn_geometry *a) {
  return a->kind == CDN_GEOMETRY_HEIGHT_FIELD || a->surface->info.closed;
}

/* What a point of b says: its signed distance from a. */
static inline cdn_proximity at_point(const cdn_geometry *a, cdn_vec3 p) {
  cdn_proximity out = { .point_b = p };
  out.distance = cdni_point_distance(a, p, &out.normal, &out.feature_a);
  out.point_a = g_fma(-out.distance, out.normal, p);
  return out;
}

/* mesh_pairs.c: one triangle of a and b, seen from outside a. */
typedef enum face_answer {
  FACE_IS_FAR, /* farther apart than `reach`; nothing is written */
  FACE_COUNTS,
  FACE_IS_BEHIND /* the way out of it leads into a: another triangle has the right one */
} face_answer;
face_answer cdni_face_distance(const cdn_geometry *a, int triangle, const cdn_vec3 v[3], const cdn_geometry *b,
                               const cdn_transform *X_AB, double reach, cdn_proximity *out);
cdn_vec3 cdni_face_normal(const cdn_geometry *a, int triangle, const cdn_vec3 v[3]);
/* True if the way from the point p of a triangle along n leads away from the surface: what is a little along it has its
 * nearest point at p. */
bool cdni_leads_out(const cdn_geometry *a, const cdn_vec3 v[3], cdn_vec3 p, cdn_vec3 n);
/* mesh_meshes.c, custom_pairs.c: as cdni_surface_distance, in the frame of a. */
bool cdni_meshes_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                          cdn_proximity *out);
bool cdni_custom_pair_distance(const cdn_geometry *a, const cdn_geometry *b, const cdn_transform *X_AB, double reach,
                               cdn_proximity *out);

/* The gap between a node's box and a box; 0 where they overlap. */
static inline double box_gap(const box_node *node, cdn_vec3 least, cdn_vec3 most) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    const double below = (&least.x)[k] - node->most[k], above = node->least[k] - (&most.x)[k];
    const double gap = below > 0 ? below : above > 0 ? above : 0;
    sum += gap * gap;
  }
  return sqrt(sum);
}

#endif
