/* How contacts are found: places, poses, neighbours, times in which nothing can touch. Private to the room. */
#ifndef CARDAN_CONTACT_SEARCH_H
#define CARDAN_CONTACT_SEARCH_H

#include "contact/room.h"

/* ---- detect.c: compute functions of the entries ---- */

cdn_status cdni_contact_calc_places(const void *self, cdn_state *state, void *out);
cdn_status cdni_contact_calc_poses(const void *self, cdn_state *state, void *out);
cdn_region_fn cdni_contact_find_touches;
/* Two shapes that do not touch, of which one is within the other. */
typedef struct enclosed_pair {
  int32_t a, b;
  double energy;
} enclosed_pair;
cdn_region_fn cdni_contact_calc_enclosed;
cdn_region_fn cdni_contact_calc_energies; /* one double a touch; NaN: nobody computes it */
cdn_region_fn cdni_contact_calc_forces;   /* forces.c: one touch_force a touch */

/* neighbours.c: a list of pairs i < j in ascending order, all of which may touch. `boxes` has one box for each shape.
 * The list has each pair of shapes whose boxes overlap; it may have other pairs, too. It is kept from call to call, and
 * made anew where it may lack a pair. Then it is made for the boxes `wide`, which contain `boxes`, so that it lasts.
 * `present` has the boxes at the pose of the State. A longer `reach` (time) comes with larger boxes. */
cdn_status cdni_contact_neighbours(const contact_room *room, cdn_state *state, const cdni_box *present,
                                   const cdni_box *boxes, const cdni_box *wide, double reach, const int32_t **pairs,
                                   int *n_pairs);
/* The list as it is: some pairs that may touch. */
void cdni_contact_last_neighbours(const contact_room *room, cdn_state *state, const int32_t **pairs, int *n_pairs);
cdn_region_fn cdni_contact_forget_neighbours;
static inline bool boxes_overlap(const cdni_box *a, const cdni_box *b) {
  return (a->least[0] <= b->most[0]) & (b->least[0] <= a->most[0]) & (a->least[1] <= b->most[1]) &
         (b->least[1] <= a->most[1]) & (a->least[2] <= b->most[2]) & (b->least[2] <= a->most[2]);
}

/* clearance.c: asks whether nothing can touch near the State's time t, if all shapes go on with their present
 * velocities: from t - `reach` to t + `reach`. `turn` is the time within which bodies also turn as they do now.
 * *id > 0: nothing can touch; nor can it between two States that have the same id. *id = 0: it is not known, and the
 * caller has to look for pairs. */
struct clearance_list;
cdn_status cdni_contact_is_clear(const contact_room *room, cdn_state *state, double reach, double turn, int64_t *id);
/* Finds for how long after the State nothing can touch, and keeps the answer for cdni_contact_is_clear. *id as there;
 * 0: something may touch within `reach`, or it was not worth looking. */
cdn_status cdni_contact_find_clearance(const contact_room *room, cdn_state *state, double reach, double turn,
                                       int64_t *id);
/* The answer is kept behind the list of neighbours: how many bytes it has for n shapes, and how to forget it. */
size_t cdni_contact_clearance_size(int n);
void cdni_contact_clearance_forget(void *bytes);
struct clearance_list *cdni_contact_clearance_list(const contact_room *room, cdn_state *state);

/* poses_lanes.c: the poses of several States in lanes, and their boxes. */
cdn_status cdni_contact_calc_poses_lanes(const contact_room *room, cdn_state *state, int lanes, double *poses);

#endif
