/* What laws of the library and the user's share: springs, pressure fields, varying stiffness. Private to the room. */
#ifndef CARDAN_CONTACT_LAW_KINDS_H
#define CARDAN_CONTACT_LAW_KINDS_H

#include "contact/laws.h"
#include "contact/room.h"
#include "contact/touch.h"

/* foundation.c, pressure.c: laws of several touches. */
cdn_status cdni_find_springs(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
cdn_status cdni_find_polygons(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
/* springs.c. Where the spring of a triangle is, on the mesh. */
cdn_vec3 cdni_spring_place(const cdn_vec3 vertices[3]);
/* Visits all triangles of g[mesh] whose springs are nearer to the other shape than `margin`, and others. */
void cdni_springs_within(const cdn_geometry *const g[2], const cdn_transform *const X[2], int mesh, double margin,
                         cdni_triangle_visitor *visit, void *context);
/* As cdni_pair_distance, of the springs of meshes from the other solid. */
bool cdni_springs_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_proximity *near);
/* As cdni_contact_near, of what the law acts between: its distance is zero where the force sets in. */
bool cdni_law_near(const contact_law *law, const cdn_geometry *const g[2], const cdn_transform *const X[2],
                   cdn_proximity *near, double *share);
/* varying.c: the force and moment by which the stiffness of an ellipsoid's contact varies, of a touch that has the
 * rest. */
void cdni_varying_stiffness(const touch_pair *pair, const cdn_proximity *near, touch *t);
/* pressure.c: the force of the pressure fields of a pair; where one of the two would be in the other altogether, which
 * has no force, as they are half as deep as they may be. */
double cdni_pressure_force(const touch_pair *pair, double depth, const cdn_proximity *near);
/* foundation.c: that of springs. */
double cdni_foundation_force(const touch_pair *pair, double depth, const cdn_proximity *near);
/* How much nearer than their distance two shapes are for the law that acts between them. */
double cdni_law_reach(const contact_law *law, const cdn_geometry *a, const cdn_geometry *b);
/* pressure.c */
double cdni_pressure_reach(const cdn_geometry *a, const cdn_geometry *b);
/* Whether some pressure acts between the two. */
bool cdni_pressure_acts(const touch_pair *pair);
/* pressure_energy.c: of all polygons of a pair. */
double cdni_pressure_energy(const touch_pair *pair);
/* own_laws.c: the user's law between two kinds, or NULL, which acts in place of the library's; laws of two shapes are
 * not looked at. */
const own_law *cdni_contact_own_law(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b);
void cdni_contact_free_laws(cdn_system *system, contact_room *room);
/* law_parts.c: bits of cdn_law_part of the law between two kinds. */
unsigned cdni_law_parts(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b);
/* What lacks of the `wanted` parts, in words. */
void cdni_law_lacks(unsigned parts, unsigned wanted, char *text, size_t size);

#endif
