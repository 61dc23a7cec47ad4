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

/* neighbours.c: pairs i < j in ascending order, all of which may touch. Each pair of `boxes`, one a shape, that overlap
 * is among them, and so are others. If the list is renewed, it is one for the boxes `wide`, which contain these.
 * `present`: the boxes of the State. Calls with a longer `reach` have larger boxes. */
cdn_status cdni_contact_neighbours(const contact_room *room, cdn_state *state, const cdni_box *present,
                                   const cdni_box *boxes, const cdni_box *wide, double reach, const int32_t **pairs,
                                   int *n_pairs);
cdn_region_fn cdni_contact_forget_neighbours;
static inline bool boxes_overlap(const cdni_box *a, const cdni_box *b) {
  return (a->least[0] <= b->most[0]) & (b->least[0] <= a->most[0]) & (a->least[1] <= b->most[1]) &
         (b->least[1] <= a->most[1]) & (a->least[2] <= b->most[2]) & (b->least[2] <= a->most[2]);
}

/* clearance.c: *id > 0: nothing can touch while the shapes go on as they move now, from `reach` before the State on
 * until `reach` behind it, and between two States with the same id; `turn`: the time for which their turns count. 0:
 * somebody has to look. */
struct clearance_list;
cdn_status cdni_contact_is_clear(const contact_room *room, cdn_state *state, double reach, double turn, int64_t *id);
/* Finds out for how long it is clear behind a State; 0: not for so long, or nobody has looked. */
cdn_status cdni_contact_find_clearance(const contact_room *room, cdn_state *state, double reach, double turn,
                                       int64_t *id);
/* Its bytes among those of the neighbours. */
size_t cdni_contact_clearance_size(int n);
void cdni_contact_clearance_forget(void *bytes);
struct clearance_list *cdni_contact_clearance_list(const contact_room *room, cdn_state *state);

#endif
