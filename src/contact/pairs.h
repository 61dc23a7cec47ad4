/* Who may touch whom: groups, filters, pairs that the user has named. Private to the room. */
#ifndef CARDAN_CONTACT_PAIRS_H
#define CARDAN_CONTACT_PAIRS_H

#include "contact/room.h"

/* ---- shapes.c, filter.c ---- */

const shape *cdni_shape_at(const contact_room *room, cdn_shape s);
/* What freezing finds out about who may touch whom. */
cdn_status cdni_contact_find_groups(cdn_system *system, contact_room *room);
bool cdni_contact_accepts(const contact_room *room, int a, int b);
/* For the broad phase: of shapes that are switched on. `enabled`: one number a shape. */
typedef struct shapes_on {
  const contact_room *room;
  const double *enabled;
} shapes_on;
bool cdni_contact_take_part(const void *context, int i, int j);
/* The same without the user's filter, which may refuse them. */
bool cdni_contact_may_accept(const contact_room *room, int a, int b);

/* ---- pairs.c ---- */

cdn_status cdni_contact_order_pairs(cdn_system *system, contact_room *room);
const named_pair *cdni_pair_at(const contact_room *room, cdn_contact_pair pair);
/* The number of the pair that the user has named of two shapes, or -1. */
int cdni_contact_pair_of(const contact_room *room, int a, int b);
/* Where forces between two shapes come from. */
static inline cdn_contact_model contact_model_of(const contact_room *room, int a, int b) {
  const int i = room->mixed ? cdni_contact_pair_of(room, a, b) : -1;
  const cdn_contact_model own = i < 0 ? CDN_CONTACT_OF_SYSTEM : CDNI_AT(room->pairs, named_pair, i).model;
  return own == CDN_CONTACT_OF_SYSTEM ? room->def.model : own;
}
/* The numbers of that pair in a State, or NULL; `numbers`: the State's, of all pairs. */
const double *cdni_contact_pair_numbers(const contact_room *room, const double *numbers, int a, int b);
/* Sets the numbers of pair i in a State, if they are right. */
cdn_status cdni_contact_set_pair_numbers(cdn_state *state, const char *function, int i,
                                         const double numbers[MATERIAL_NUMBERS]);
void cdni_contact_free_pairs(cdn_system *system, contact_room *room);

#endif
