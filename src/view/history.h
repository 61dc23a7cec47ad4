/* States of the past, in bounded memory. Private to the room. When there are too many, those go whose neighbours are
 * near in time for their age: what was just now is dense, what was long ago is sparse, and the first one stays. */
#ifndef CARDAN_VIEW_HISTORY_H
#define CARDAN_VIEW_HISTORY_H

#include <cardan/state.h>

#include "core/core.h"

typedef struct view_past {
  cdn_state *state;
  double time;
} view_past;

typedef struct view_history {
  const cdn_allocator *allocator;
  view_past *past; /* in the order of their times; beyond n: States to be used again */
  int n, made, capacity;
} view_history;

/* For States of one System in so many bytes; at least 16 States. CDN_ERR_NOMEM. */
cdn_status cdni_past_make(view_history *h, const cdn_system *system, size_t bytes, const cdn_allocator *allocator);
void cdni_past_free(view_history *h);
void cdni_past_clear(view_history *h);
/* Keeps a copy of a State that is later than all others, else does nothing. Allocates only while the history grows. */
cdn_status cdni_past_keep(view_history *h, const cdn_state *state);
/* Forgets all that is later. */
void cdni_past_cut(view_history *h, double time);
/* The State nearest to a time; NULL: there is none. */
const cdn_state *cdni_past_nearest(const view_history *h, double time);

#endif
