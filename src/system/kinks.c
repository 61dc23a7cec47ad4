/* Kinks: points at which forces bend or jump; steppers end steps there. */
#include <math.h>

#include "system/structs.h"

void cdni_declare_kinks(cdn_declarer *d, int n, cdn_cache entry, cdn_ticket of, cdni_kink_force *force) {
  const kink_group g = { d->subsystem, n, of.i, entry, force };
  if (!cdni_array_push(&d->system->allocator, &d->system->kinks, sizeof g, &g))
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
}

void cdni_kinks_freeze(cdn_system *s) {
  static const cdn_ticket rates[] = { { TICKET_QDOT }, { TICKET_UDOT }, { TICKET_ZDOT } };
  size_t kept = 0;
  for (size_t i = 0; i < s->kinks.count; i++) {
    const kink_group g = CDNI_AT(s->kinks, kink_group, i);
    bool counts = false;
    for (int r = 0; r < CDNI_COUNT(rates); r++)
      counts = counts || cdni_ticket_is_upstream(s, (cdn_ticket){ g.of }, rates[r]);
    if (counts) CDNI_AT(s->kinks, kink_group, kept++) = g;
  }
  s->kinks.count = kept;
  bool counts = false;
  for (int r = 0; s->near_kinks.ops && r < CDNI_COUNT(rates); r++)
    counts = counts || cdni_ticket_is_upstream(s, (cdn_ticket){ s->near_kinks.of }, rates[r]);
  if (!counts) s->near_kinks.ops = NULL;
}

int cdni_system_kinks(const cdn_system *system) {
  int n = 0;
  for (size_t i = 0; i < system->kinks.count; i++) n += CDNI_AT(system->kinks, kink_group, i).n;
  return n;
}

cdn_status cdni_state_kinks(cdn_state *state, double *values) {
  const cdn_system *s = state->system;
  const int all = cdni_system_kinks(s);
  int first = 0;
  for (size_t i = 0; i < s->kinks.count; i++) {
    const kink_group *g = &CDNI_AT(s->kinks, kink_group, i);
    CDNI_TRY(cdni_state_ensure(state, g->entry.ticket));
    const double *from = cdni_state_storage(state, g->entry);
    memcpy(values + first, from, (size_t)g->n * sizeof *from);
    memcpy(values + all + first, from + g->n, (size_t)g->n * sizeof *from);
    first += g->n;
  }
  return CDN_OK;
}

cdn_status cdni_state_kink_force(cdn_state *state, int k, double x, double *f, bool *known) {
  const cdn_system *s = state->system;
  *known = false;
  for (size_t i = 0; i < s->kinks.count; i++) {
    const kink_group *g = &CDNI_AT(s->kinks, kink_group, i);
    if (k >= g->n) {
      k -= g->n;
      continue;
    }
    return g->force ? g->force(CDNI_AT(s->subsystems, subsystem, g->subsystem).self, state, k, x, f, known) : CDN_OK;
  }
  return CDN_OK;
}

/* ---- those that are near ---- */

void cdni_declare_near_kinks(cdn_declarer *d, const cdni_near_kinks *ops, cdn_ticket of) {
  d->system->near_kinks.ops = ops;
  d->system->near_kinks.subsystem = d->subsystem;
  d->system->near_kinks.of = of.i;
}

bool cdni_system_has_near_kinks(const cdn_system *system) { return system->near_kinks.ops != NULL; }

static const void *self_of_near(const cdn_system *s) {
  return CDNI_AT(s->subsystems, subsystem, s->near_kinks.subsystem).self;
}

cdn_status cdni_state_near_kinks(cdn_state *state, double reach, cdni_near_list *list) {
  const cdn_system *s = state->system;
  list->n = 0;
  return s->near_kinks.ops->list(self_of_near(s), state, reach, list);
}

cdn_status cdni_state_near_kink(cdn_state *state, int64_t key, double *value, double *rate) {
  const cdn_system *s = state->system;
  *value = *rate = NAN;
  return s->near_kinks.ops->calc(self_of_near(s), state, key, value, rate);
}

cdn_status cdni_state_near_kink_force(cdn_state *state, int64_t key, double x, double *f, bool *known) {
  const cdn_system *s = state->system;
  return s->near_kinks.ops->force(self_of_near(s), state, key, x, f, known);
}

cdn_status cdni_near_list_add(cdni_near_list *list, int64_t key, double value, double rate) {
  if (list->n == list->room) {
    const int room = list->room > 0 ? 2 * list->room : 64;
    cdni_near_kink *kinks = cdni_alloc(list->allocator, (size_t)room * sizeof *kinks);
    if (!kinks) return CDN_ERR_NOMEM;
    if (list->n > 0) memcpy(kinks, list->kinks, (size_t)list->n * sizeof *kinks);
    if (list->kinks) cdni_free(list->allocator, list->kinks, (size_t)list->room * sizeof *kinks);
    list->kinks = kinks;
    list->room = room;
  }
  list->kinks[list->n++] = (cdni_near_kink){ key, value, rate };
  return CDN_OK;
}

void cdni_near_list_free(cdni_near_list *list) {
  if (list->kinks) cdni_free(list->allocator, list->kinks, (size_t)list->room * sizeof *list->kinks);
  list->kinks = NULL;
  list->n = list->room = 0;
}
