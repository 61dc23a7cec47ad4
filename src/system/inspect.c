/* Questions about a System's contents and dependencies, for the rooms above. */
#include <stdio.h>

#include "system/structs.h"

bool cdni_ticket_is_upstream(const cdn_system *s, cdn_ticket ticket, cdn_ticket entry) {
  return bit_is_set(s->downstream + (size_t)ticket.i * (size_t)s->words, entry.i);
}

cdni_traits cdni_system_traits(const cdn_system *s) {
  return (cdni_traits){ .subsystems = (int)s->subsystems.count,
                        .events = s->events.count > 0,
                        .auto_updates = (int)s->autos.count,
                        .remembered =
                            s->autos.count > 0 ? node_at(s, CDNI_AT(s->autos, auto_variable, 0).variable)->name : NULL,
                        .constraints = s->n_udoterr > 0,
                        .previous = s->keep_previous };
}

bool cdni_system_parameters(const cdn_system *s, int i, cdn_dvar *v, int *n) {
  for (size_t k = TICKET_FIRST_FREE; k < s->nodes.count; k++) {
    const node *x = node_at(s, (int32_t)k);
    if (x->kind != NODE_VARIABLE || !x->parameters || i-- > 0) continue;
    *v = (cdn_dvar){ 0, { (int32_t)k } };
    *n = (int)(x->size / sizeof(double));
    return true;
  }
  return false;
}

void cdni_variable_name(const cdn_system *s, cdn_dvar v, char *text, size_t size) {
  snprintf(text, size, "%s", node_at(s, v.ticket.i)->name);
}

const char *cdni_state_difference(const cdn_state *a, const cdn_state *b, int n, const cdn_dvar *except) {
  const cdn_system *s = a->system;
  for (size_t k = TICKET_FIRST_FREE; k < s->nodes.count; k++) {
    const node *x = node_at(s, (int32_t)k);
    bool compared = x->kind == NODE_VARIABLE && !x->hint;
    for (int i = 0; i < n; i++) compared = compared && except[i].ticket.i != (int32_t)k;
    if (compared && !cdni_variable_is_same(a, b, (int32_t)k)) return x->name;
  }
  return NULL;
}
