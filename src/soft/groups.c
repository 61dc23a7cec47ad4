/* The groups of a State. */
#include "soft/provided.h"

/* Where the groups of soft elements go, and what scales them; NULL: the approximations. */
typedef struct element_list {
  cdn_region_output *out;
  const soft_diagonal *diagonal;
} element_list;

static cdn_status add_element(void *to, const soft_group *g) {
  const element_list *list = to;
  void *place;
  CDNI_TRY(cdn_region_output_add(list->out, 1, &place));
  memcpy(place, g, sizeof *g);
  if (list->diagonal) cdni_soft_diagonal_scale(list->diagonal, place);
  return CDN_OK;
}

/* The groups of soft elements and contacts. */
static cdn_status add_own(const soft_room *room, cdn_state *state, const soft_diagonal *diagonal,
                          cdn_region_output *out) {
  element_list list = { out, diagonal };
  if (room->elements)
    CDNI_TRY(cdni_soft_element_groups(room->elements, state, room->def.shortest_time, room->def.onset, room->def.rates,
                                      add_element, &list));
  return room->contact ? cdni_soft_add_contacts(room, state, diagonal, out) : CDN_OK;
}

cdn_status cdni_soft_calc_groups(const void *self, cdn_state *state, cdn_region_output *out) {
  const soft_room *room = *(const soft_room *const *)self;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  CDNI_TRY(cdni_soft_add_provided(room, state, out));
  if (!cdni_soft_is_exact(room)) return add_own(room, state, NULL, out);
  soft_diagonal diagonal;
  CDNI_TRY(cdni_soft_diagonal_begin(state, &diagonal));
  const cdn_status status = add_own(room, state, &diagonal, out);
  cdni_soft_diagonal_end(&diagonal, state);
  return status;
}
