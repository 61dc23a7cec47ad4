/* States of the past, in bounded memory. */
#include "view/history.h"

#include <math.h>

cdn_status cdni_past_make(view_history *h, const cdn_system *system, size_t bytes, const cdn_allocator *allocator) {
  enum { LEAST = 16, MOST = 20000 };
  /* regions of a State are about as large as the rest in models with contacts and loops */
  const size_t each = 2 * cdn_system_state_size(system) + sizeof(view_past), many = bytes / each;
  *h = (view_history){ .allocator = allocator, .capacity = many < LEAST ? LEAST : many > MOST ? MOST : (int)many };
  h->past = cdni_calloc(allocator, (size_t)h->capacity * sizeof *h->past);
  return h->past ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, "cdn_view_run", "out of memory for the history");
}

void cdni_past_free(view_history *h) {
  for (int i = 0; i < h->made; i++) cdn_state_destroy(h->past[i].state);
  if (h->past) cdni_free(h->allocator, h->past, (size_t)h->capacity * sizeof *h->past);
  *h = (view_history){ 0 };
}

void cdni_past_clear(view_history *h) { h->n = 0; }

/* Moves one behind the last, and closes the gap. */
static void forget(view_history *h, int i) {
  const view_past gone = h->past[i];
  memmove(&h->past[i], &h->past[i + 1], (size_t)(h->n - i - 1) * sizeof gone);
  h->past[--h->n] = gone;
}

/* Neither the first nor the last. */
static int least_missed(const view_history *h) {
  const double now = h->past[h->n - 1].time;
  double least = INFINITY;
  int best = 1;
  for (int i = 1; i + 1 < h->n; i++) {
    const double gap = (h->past[i + 1].time - h->past[i - 1].time) / (now - h->past[i].time);
    if (gap < least) least = gap, best = i;
  }
  return best;
}

cdn_status cdni_past_keep(view_history *h, const cdn_state *state) {
  const double time = cdn_state_time(state);
  if (h->n > 0 && !(time > h->past[h->n - 1].time)) return CDN_OK;
  if (h->n == h->capacity) forget(h, least_missed(h));
  if (h->n == h->made) {
    CDNI_TRY(cdn_state_create(cdn_state_system(state), &h->past[h->made].state));
    h->made++;
  }
  CDNI_TRY(cdn_state_copy(h->past[h->n].state, state));
  h->past[h->n++].time = time;
  return CDN_OK;
}

void cdni_past_cut(view_history *h, double time) {
  while (h->n > 0 && h->past[h->n - 1].time > time) h->n--;
}

const cdn_state *cdni_past_nearest(const view_history *h, double time) {
  int low = 0, high = h->n - 1;
  if (high < 0) return NULL;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (h->past[middle].time < time) low = middle + 1;
    else high = middle;
  }
  return h->past[low > 0 && time - h->past[low - 1].time < h->past[low].time - time ? low - 1 : low].state;
}
