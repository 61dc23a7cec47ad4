/* Points of soft contact. Private to the room. */
#ifndef CARDAN_CONTACT_POINTS_H
#define CARDAN_CONTACT_POINTS_H

#include "contact/room.h"

/* ---- points.c, point_pairs.c ---- */

cdn_region_fn cdni_contact_find_points; /* one contact_point each */
/* Touches without forces, for reports: the points that have rows. */
cdn_status cdni_contact_touch_points(const contact_room *room, cdn_state *state, cdn_region_output *out);
/* The points of two shapes nearer than the margin, and what tells them apart; the normal is from 0 to 1. */
void cdni_contact_pair_points(const cdn_geometry *const g[2], const cdn_transform *const X[2], double margin,
                              cdn_manifold *out);
/* A point of two shapes, without its place: what their bodies and materials say; a, b, of_pair: their soft numbers, and
 * those of a pair of the user's, or NULL. */
contact_point cdni_contact_point_between(const contact_room *room, int i, int j, const double *a, const double *b,
                                         const double *of_pair);
/* Its tangents: the first one is the axis made perpendicular to the normal. */
void cdni_contact_point_tangents(cdn_vec3 axis, contact_point *p);
/* What the first tangent of a point is made of, and which of the two shapes it turns with; -1: neither. */
cdn_vec3 cdni_contact_tangent_axis(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_vec3 normal,
                                   int *turning);

#endif
