/* Kinks: points at which forces bend or jump; steppers end steps there. */
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
