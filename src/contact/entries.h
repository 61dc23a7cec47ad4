/* What the subsystem declares: forces, their derivatives, kinks, sweeps, elements. Private to the room. */
#ifndef CARDAN_CONTACT_ENTRIES_H
#define CARDAN_CONTACT_ENTRIES_H

#include "contact/memory.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "system/elements.h"
#include "system/triggers.h"

/* derivatives.c: of the two forces of all contacts, if the shapes of the System are such that they are known. */
bool cdni_contact_has_derivatives(const contact_room *room);
cdn_status cdni_contact_elastic_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
cdn_status cdni_contact_rest_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
/* derivatives_sticking.c: of what has memory. */
cdn_status cdni_contact_sticking_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
cdn_status cdni_contact_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d);

/* kinks.c: touching and letting go of each contact that is near. */
extern const cdni_near_kinks cdni_contact_kinks;
/* The key of the touching of a pair: of its feature that is nearest to it. */
cdn_status cdni_contact_touching_kink(const void *self, cdn_state *state, int a, int b, int64_t *key);

/* sweep.c: what shapes do between two States. */
extern const cdni_sweeper cdni_contact_sweeper;
/* How far a body's origin may be from the axes that it, or a body inboard of it, turns about. */
double cdni_contact_lever(const contact_room *room, const body_pose *pose, int body);
/* How far a point with that lever leaves the cubic through two of its places, after such a turn between them. */
double cdni_contact_bulge(double turn, double lever);

/* forces.c */
void cdni_contact_declare_forces(contact_room *room, cdn_declarer *d);
/* The part of a patch's friction that a touch bears. */
void cdni_patch_share(const patch_force *p, const touch *t, const touch_force *f, cdn_vec3 *force, cdn_vec3 *moment);

/* elements.c */
extern const cdni_elements cdni_contact_elements[];

/* subsystem.c */
extern const cdn_subsystem_ops cdni_contact_ops;

#endif
