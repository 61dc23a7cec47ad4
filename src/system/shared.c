/* Arrays that all States share until one of them is changed. A State reads the System's defaults, which nobody ever
 * writes to, until somebody sets the array in it. Then it holds values of its own, which copies of the State hold, too.
 * Whoever sets an array that others hold gets memory for values of its own first.
 *
 * Threads may work with several States of a System at once. The count of those who hold values is atomic, and values
 * are written to only by the one State that holds them. */
#include "system/structs.h"

static void *values_of(shared_values *v) { return (char *)v + CDNI_ALIGN; }
_Static_assert(sizeof(shared_values) <= CDNI_ALIGN, "the values come after the head");

static shared_slot *slot_of(const cdn_state *s, int32_t ticket) { return &s->shared[node_at(s->system, ticket)->slot]; }

static shared_values *make(cdn_state *s, size_t size) {
  shared_values *v = cdni_alloc(&s->system->allocator, CDNI_ALIGN + size);
  if (!v) return NULL;
  atomic_init(&v->holders, 1);
  v->size = CDNI_ALIGN + size;
  return v;
}

static bool is_held_alone(const shared_values *v) {
  return v && atomic_load_explicit(&v->holders, memory_order_acquire) == 1;
}

/* Who held it does so no longer. The last one keeps the memory for the next change. */
static void let_go(cdn_state *s, shared_slot *slot, shared_values *v) {
  if (!v || atomic_fetch_sub_explicit(&v->holders, 1, memory_order_acq_rel) > 1) return;
  if (slot->spare) {
    cdni_free(&s->system->allocator, v, v->size);
    return;
  }
  atomic_store_explicit(&v->holders, 1, memory_order_relaxed);
  slot->spare = v;
}

static void hold(shared_slot *slot, shared_values *v) {
  slot->held = v;
  slot->data = values_of(v);
}

void cdni_shared_set_defaults(cdn_state *s) {
  for (size_t i = 0; i < s->system->shared.count; i++)
    s->shared[i].data = node_at(s->system, CDNI_AT(s->system->shared, int32_t, i))->initial;
}

cdn_status cdni_shared_write(cdn_state *s, int32_t ticket, size_t from, size_t bytes, const void *values) {
  const node *n = node_at(s->system, ticket);
  shared_slot *slot = slot_of(s, ticket);
  /* who writes what is there already stays with the others */
  if (memcmp((const char *)slot->data + from, values, bytes) == 0) return CDN_OK;
  if (!is_held_alone(slot->held)) {
    shared_values *own = slot->spare ? slot->spare : make(s, n->size), *before = slot->held;
    if (!own)
      return cdni_state_fail(s, CDN_ERR_NOMEM, false, "cdn_state_set_parameters", n->name,
                             "there is no memory for own values of '%s' (%zu bytes): nothing was changed", n->name,
                             n->size);
    slot->spare = NULL;
    memcpy(values_of(own), slot->data, n->size);
    memcpy((char *)values_of(own) + from, values, bytes);
    hold(slot, own);
    let_go(s, slot, before); /* last, for the new values may be among the old ones */
  } else {
    memmove((char *)values_of(slot->held) + from, values, bytes);
  }
  return CDN_OK;
}

/* A State that has memory of its own copies the values into it, so that States which take turns in changing and copying
 * settle on memory of their own, and allocate no more. */
static void adopt(cdn_state *to, int32_t ticket, shared_values *theirs) {
  const node *n = node_at(to->system, ticket);
  shared_slot *mine = slot_of(to, ticket);
  if (mine->held == theirs) return;
  if (theirs && is_held_alone(mine->held)) {
    memcpy(values_of(mine->held), values_of(theirs), n->size);
    return;
  }
  shared_values *before = mine->held, *own = mine->spare;
  if (!theirs) {
    mine->held = NULL;
    mine->data = n->initial;
  } else if (own) {
    memcpy(values_of(own), values_of(theirs), n->size);
    mine->spare = NULL;
    hold(mine, own);
  } else {
    atomic_fetch_add_explicit(&theirs->holders, 1, memory_order_relaxed);
    hold(mine, theirs);
  }
  let_go(to, mine, before);
}

void cdni_shared_copy(cdn_state *to, const cdn_state *from, int32_t ticket) {
  adopt(to, ticket, slot_of(from, ticket)->held);
}

/* ---- for whoever keeps values of many States without the States ---- */

bool cdni_is_shared(const cdn_system *system, cdn_dvar v) { return node_at(system, v.ticket.i)->storage == SHARED; }

cdni_shared_values *cdni_shared_hold(const cdn_state *state, cdn_dvar v) {
  shared_values *held = slot_of(state, v.ticket.i)->held;
  if (held) atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
  return held;
}

void cdni_shared_let_go(const cdn_system *system, cdni_shared_values *held) {
  if (held && atomic_fetch_sub_explicit(&held->holders, 1, memory_order_acq_rel) == 1)
    cdni_free(&system->allocator, held, held->size);
}

void cdni_shared_give(cdn_state *state, cdn_dvar v, cdni_shared_values *held) {
  adopt(state, v.ticket.i, held);
  invalidate(state, v.ticket.i);
}

void cdni_shared_free(cdn_state *s) {
  for (size_t i = 0; i < s->system->shared.count; i++) {
    shared_slot *slot = &s->shared[i];
    let_go(s, slot, slot->held);
    if (slot->spare) cdni_free(&s->system->allocator, slot->spare, slot->spare->size);
  }
}
