/* How long the computations of a State take, entry by entry, without what they ask for themselves. */
#define _POSIX_C_SOURCE 200809L
#include <cardan/diagnostics.h>
#include <time.h>

#include "core/sized.h"
#include "system/structs.h"
#include "system/system.h"

typedef struct entry_time {
  int64_t count;
  double seconds;
} entry_time;

/* Place 0 is for what is outside of all entries. */
struct state_times {
  double since; /* when the present entry, or the outside, began or went on */
  int32_t present;
  int32_t n;
  entry_time of[];
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void turn_to(state_times *times, int32_t ticket) {
  const double t = now();
  times->of[times->present].seconds += t - times->since;
  times->since = t;
  times->present = ticket;
}

int32_t cdni_state_time_begins(state_times *times, int32_t ticket) {
  const int32_t before = times->present;
  turn_to(times, ticket);
  times->of[ticket].count++;
  return before;
}

void cdni_state_time_ends(state_times *times, int32_t before) { turn_to(times, before); }

static size_t bytes_of(int32_t n) { return sizeof(state_times) + (size_t)n * sizeof(entry_time); }

void cdni_state_forget_times(cdn_state *state) {
  if (state->times) cdni_free(cdni_system_allocator(state->system), state->times, bytes_of(state->times->n));
  state->times = NULL;
}

cdn_status cdn_state_set_timed(cdn_state *state, bool timed) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(cdni_state_check_free(state, __func__, "the State"));
  cdni_state_forget_times(state);
  if (!timed) return CDN_OK;
  const int32_t n = (int32_t)state->system->nodes.count;
  state->times = cdni_calloc(cdni_system_allocator(state->system), bytes_of(n));
  if (!state->times) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  state->times->n = n;
  state->times->since = now();
  return CDN_OK;
}

cdn_status cdn_state_get_time_sized(const cdn_state *state, cdn_ticket ticket, cdn_entry_time *out, size_t size) {
  const state_times *times = state ? state->times : NULL;
  if (!times || !out || ticket.i < 0 || ticket.i >= times->n)
    return cdni_refuse(CDN_ERR_ARG, "cdn_state_get_time",
                       times ? "there is no such ticket" : "the State is not timed: call cdn_state_set_timed first");
  const entry_time *t = &times->of[ticket.i];
  cdn_entry_time full = { .count = t->count, .seconds = t->seconds };
  if (ticket.i == 0 && times->present == 0) full.seconds += now() - times->since;
  if (ticket.i > 0)
    full.stage = node_at(state->system, ticket.i)->kind == NODE_ENTRY ? node_at(state->system, ticket.i)->eager
                                                                      : CDN_STAGE_EMPTY;
  cdni_sized_write(out, size, &full, sizeof full);
  return CDN_OK;
}
