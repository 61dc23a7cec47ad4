/* The list to which providers of rows add. Private to the files of soft rows. */
#ifndef CARDAN_SOFT_PROVIDED_H
#define CARDAN_SOFT_PROVIDED_H

#include "soft/internal.h"

struct cdn_row_list {
  cdn_state *state;
  const soft_room *room;
  cdn_region_output *out;
  inverse_weights weights;
  int32_t provider;
  soft_group *last; /* the group added last, whose D is not known yet; NULL: none */
  cdn_status mistake;
  const char *reason;
};
/* The last group is complete. */
void cdni_soft_list_close(cdn_row_list *list);
/* The rows of all providers. */
cdn_status cdni_soft_add_provided(const soft_room *room, cdn_state *state, cdn_region_output *out);

#endif
