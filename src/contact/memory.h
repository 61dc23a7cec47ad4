/* Friction that remembers: bristles, patches and their slots. Private to the room. */
#ifndef CARDAN_CONTACT_MEMORY_H
#define CARDAN_CONTACT_MEMORY_H

#include "contact/motion.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "laws/laws.h"

/* Of a slot: displacement and turn about the normal; rolling, if some material has rolling friction. */
enum { SLOT_NUMBERS = 4, SLOT_MOST_NUMBERS = 7 };
#define SLOT_UNIT 1e-6 /* m */

/* memory.c: which slots the patches of a State have. */
typedef struct patch {
  int32_t first, count; /* touches */
  int32_t slot;         /* -1: none */
} patch;
void cdni_contact_declare_memory(contact_room *room, cdn_declarer *d);
cdn_status cdni_contact_patches(const contact_room *room, cdn_state *state, const patch **patches, int *n);
void cdni_contact_displacement(const contact_room *room, cdn_state *state, int slot, double x[SLOT_MOST_NUMBERS]);
/* Marks the touches whose friction comes from their patch; false everywhere without memory. */
cdn_status cdni_contact_mark_patches(const contact_room *room, cdn_state *state, int n, bool *of_patch);

/* sticking.c: friction of patches that have a slot. */
typedef struct patch_force {
  double normal;          /* sum of the normal forces */
  cdn_vec3 force, moment; /* of friction and torsion, on b */
  cdn_vec3 displacement;
  double rate[SLOT_MOST_NUMBERS]; /* of the displacements */
  bool sticks;
} patch_force;
/* What bears on a patch, and how its surfaces move. */
typedef struct patch_load {
  double N;
  cdn_vec3 normal; /* mean, weighted by the forces; a unit vector, or zero if there is none */
  cdn_vec3 center;
  double spread; /* mean square of the distances from the centre */
  cdn_vec3 V, turn, carried;
} patch_load;
patch_load cdni_patch_load(const touch *touches, const touch_force *forces, int n);
/* The bristles of a patch: against sliding and spin, with a fixed lever; against rolling. */
typedef struct patch_bristles {
  bristle sliding, rolling;
  double spread_lever; /* the part of the sliding lever that grows as the root of the depth */
  double roll_lever;   /* m */
  double stamp_lever;  /* the part of both fixed levers that grows with the patch */
} patch_bristles;
patch_bristles cdni_patch_bristles(const motion_view *v, const touch *t, const patch_load *l, double transition);
/* The same of a patch that is one touch. */
patch_bristles cdni_contact_bristles(const motion_view *v, const touch *t, const touch_force *f, double transition);
cdn_region_fn cdni_contact_calc_patch_forces;
/* The displacements that a patch with a slot keeps where its bodies stand still. */
void cdni_contact_relax_patch(const motion_view *v, cdn_state *state, const patch *p, const touch *touches,
                              const touch_force *forces, double transition, double to[SLOT_MOST_NUMBERS]);
cdn_status cdni_contact_calc_zdot(const void *self, cdn_state *state, double *zdot);

#endif
