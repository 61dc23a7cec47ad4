/* Names of slots, variables and entries, by which they are found. */
#include <stdio.h>

#include "system/structs.h"

/* ---- slots ---- */

char *cdni_slot_name(const cdn_system *system, cdn_pool pool, int i) {
  for (size_t size = 256;; size *= 2) {
    char *text = cdni_alloc(&system->allocator, size);
    if (!text) return NULL;
    cdn_system_slot_name(system, pool, i, text, size);
    const bool fits = strlen(text) + 1 < size;
    char *whole = fits ? cdni_strdup(&system->allocator, text) : NULL;
    cdni_free(&system->allocator, text, size);
    if (fits) return whole;
  }
}

int cdn_system_find_slot(const cdn_system *system, cdn_pool pool, const char *name) {
  cdn_status wrong = CDN_OK;
  if (!system || !name) wrong = cdni_refuse(CDN_ERR_ARG, __func__, "the System or the name is NULL");
  else if (pool < CDN_POOL_Q || pool > CDN_POOL_Z)
    wrong = cdni_refuse(CDN_ERR_ARG, __func__, "there is no pool %d: give CDN_POOL_Q, _U or _Z", (int)pool);
  else if (!system->frozen)
    wrong = cdni_refuse(CDN_ERR_NOT_FROZEN, __func__, "slots are numbered when the System is frozen");
  if (wrong) return -1;
  const int n = pool == CDN_POOL_Q ? system->nq : pool == CDN_POOL_U ? system->nu : system->nz;
  for (int i = 0; i < n; i++) {
    char *text = cdni_slot_name(system, pool, i);
    if (!text) {
      (void)!cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
      return -1;
    }
    const bool found = strcmp(text, name) == 0;
    cdni_strfree(&system->allocator, text);
    if (found) return i;
  }
  return -1;
}

/* ---- tickets ---- */

static bool is_there(const cdn_system *s, cdn_ticket ticket) {
  return s && ticket.i > TICKET_NONE && (size_t)ticket.i < s->nodes.count && node_at(s, ticket.i)->kind != NODE_NONE;
}

int cdn_system_ticket_count(const cdn_system *system) { return system ? (int)system->nodes.count : 0; }

const char *cdn_ticket_name(const cdn_system *system, cdn_ticket ticket) {
  return is_there(system, ticket) ? node_at(system, ticket.i)->name : NULL;
}

cdn_ticket cdn_system_find_ticket(const cdn_system *system, const char *name) {
  const cdn_ticket none = { TICKET_NONE };
  CDNI_NEED_OBJECT(system, none);
  for (int32_t i = TICKET_NONE + 1; name && (size_t)i < system->nodes.count; i++) {
    const node *n = node_at(system, i);
    if (n->kind != NODE_NONE && n->name && strcmp(n->name, name) == 0) return (cdn_ticket){ i };
  }
  return none;
}

cdn_dvar cdn_system_find_parameters(const cdn_system *system, const char *name, int *n) {
  cdn_dvar found = { 0, cdn_system_find_ticket(system, name) };
  const node *x = found.ticket.i != TICKET_NONE ? node_at(system, found.ticket.i) : NULL;
  if (x && !(x->kind == NODE_VARIABLE && x->parameters)) x = NULL, found.ticket.i = TICKET_NONE;
  if (n) *n = x ? (int)(x->size / sizeof(double)) : 0;
  return found;
}

cdn_status cdn_state_entry(cdn_state *state, cdn_ticket ticket, const void **value, size_t *size) {
  if (!state || !value) return cdni_refuse(CDN_ERR_ARG, __func__, "the State or the result is NULL");
  const cdn_system *s = state->system;
  *value = NULL;
  if (!is_there(s, ticket)) return cdni_state_lacks(state, __func__, "ticket", (int)ticket.i);
  const node *n = node_at(s, ticket.i);
  const size_t d = sizeof(double);
  const void *pool[] = { &state->block[s->off_t], &state->block[s->off_y], &state->block[s->off_y + (size_t)s->nq * d],
                         &state->block[s->off_y + (size_t)(s->nq + s->nu) * d] };
  const size_t nq = (size_t)s->nq * d, nu = (size_t)s->nu * d, nz = (size_t)s->nz * d;
  const size_t sizes[] = { d, nq, nu, nz };
  size_t bytes = n->size;
  if (n->kind == NODE_STAGE)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, n->name, "'%s' is a stage, which has no value",
                           n->name);
  if (ticket.i <= TICKET_Z) {
    cdni_state_note_read(state, ticket);
    *value = pool[ticket.i - TICKET_T], bytes = sizes[ticket.i - TICKET_T];
  } else if (n->storage == IN_REGION) {
    int count;
    CDNI_TRY(n->kind == NODE_VARIABLE ? cdn_region_get(state, (cdn_region){ 0, ticket }, value, &count)
                                      : cdn_region_eval(state, (cdn_computed_region){ 0, ticket }, value, &count));
    bytes = (size_t)count * n->element;
  } else if (n->kind == NODE_VARIABLE) {
    *value = cdn_state_discrete(state, (cdn_dvar){ 0, ticket });
  } else {
    const void *entry = cdn_eval(state, (cdn_cache){ 0, ticket });
    if (!entry) return cdni_state_last_status(state);
    *value = entry;
    switch (ticket.i) { /* the System's own are as long as the pools */
      case TICKET_Q_EFF:
      case TICKET_QDOT: bytes = nq; break;
      case TICKET_U_EFF:
      case TICKET_UDOT: bytes = nu; break;
      case TICKET_ZDOT: bytes = nz; break;
      case TICKET_QERR: bytes = (size_t)s->n_qerr * d; break;
      case TICKET_UERR: bytes = (size_t)s->n_uerr * d; break;
      case TICKET_UDOTERR:
      case TICKET_MULTIPLIERS: bytes = (size_t)s->n_udoterr * d; break;
      default: break;
    }
  }
  if (size) *size = bytes;
  return CDN_OK;
}
