/* Regions: arrays of elements of one size whose length varies from State to State. The count of the elements is in
 * the State's block. The elements are outside it, in memory of the State's that grows and never shrinks. What is
 * beyond the count is nobody's: it is neither copied, nor saved, nor compared. */
#include "system/hints.h"
#include "system/structs.h"

static int32_t ticket_at(const cdn_system *sys, size_t slot) { return CDNI_AT(sys->regions, int32_t, slot); }

/* ---- memory ---- */

static cdn_status no_room(cdn_state *s, const char *function, const node *n, int64_t count) {
  return cdni_state_fail(s, CDN_ERR_NOMEM, false, function, n->name,
                         "there is no memory for %lld elements of '%s' (%zu bytes each): nothing was changed",
                         (long long)count, n->name, n->element);
}

/* What has grown once often grows by a little again: there is a quarter more room than was asked for. */
static bool grow(cdn_state *s, const node *n, size_t wanted) {
  region_slot *slot = &s->regions[n->slot];
  size_t capacity = wanted + wanted / 4;
  if (capacity < 2 * slot->capacity) capacity = 2 * slot->capacity;
  capacity = cdni_aligned(capacity);
  char *data = cdni_alloc(&s->system->allocator, capacity);
  if (!data) return false;
  const size_t used = (size_t)*region_count(s, n) * n->element;
  if (used > 0) memcpy(data, slot->data, used);
  cdni_free(&s->system->allocator, slot->data, slot->capacity);
  *slot = (region_slot){ data, capacity };
  return true;
}

static cdn_status reserve(cdn_state *s, const char *function, const node *n, int64_t count) {
  if (count <= INT32_MAX && (size_t)count * n->element <= s->regions[n->slot].capacity) return CDN_OK;
  const size_t most = MOST_BYTES / n->element;
  if ((uint64_t)count > most)
    return cdni_state_fail(s, CDN_ERR_LIMIT, false, function, n->name,
                           "'%s' has %lld elements at most, of %zu bytes each: %lld were asked for", n->name,
                           (long long)most, n->element, (long long)count);
  return grow(s, n, (size_t)count * n->element) ? CDN_OK : no_room(s, function, n, count);
}

/* A region that updates itself changes places with its update, so that both need the same room. */
cdn_status cdni_region_reserve(cdn_state *s, const char *function, int32_t ticket, int64_t count) {
  const node *n = node_at(s->system, ticket);
  CDNI_TRY(reserve(s, function, n, count));
  return n->partner ? reserve(s, function, node_at(s->system, n->partner), count) : CDN_OK;
}

void cdni_regions_free(cdn_state *s) {
  for (size_t i = 0; i < s->system->regions.count; i++)
    cdni_free(&s->system->allocator, s->regions[i].data, s->regions[i].capacity);
}

/* ---- all of them ---- */

cdn_status cdni_regions_set_defaults(cdn_state *s) {
  for (size_t i = 0; i < s->system->regions.count; i++) {
    const node *n = node_at(s->system, ticket_at(s->system, i));
    if (n->initial_size == 0) continue;
    const int64_t count = (int64_t)(n->initial_size / n->element);
    CDNI_TRY(cdni_region_reserve(s, "cdn_state_create", ticket_at(s->system, i), count));
    memcpy(s->regions[i].data, n->initial, n->initial_size);
    *region_count(s, n) = count;
  }
  return CDN_OK;
}

cdn_status cdni_regions_reserve_like(cdn_state *s, const cdn_state *like, const char *function) {
  for (size_t i = 0; i < s->system->regions.count; i++) {
    const int32_t ticket = ticket_at(s->system, i);
    const int64_t count = region_live(like, node_at(like->system, ticket), ticket);
    if (count > 0) CDNI_TRY(cdni_region_reserve(s, function, ticket, count));
  }
  return CDN_OK;
}

void cdni_region_copy(cdn_state *to, const cdn_state *from, int32_t ticket) {
  const node *n = node_at(to->system, ticket);
  const int64_t count = region_live(from, n, ticket);
  if (count > 0) memcpy(to->regions[n->slot].data, from->regions[n->slot].data, (size_t)count * n->element);
  *region_count(to, n) = count;
}

void cdni_regions_copy(cdn_state *to, const cdn_state *from) {
  for (size_t i = 0; i < to->system->regions.count; i++) cdni_region_copy(to, from, ticket_at(to->system, i));
}

void cdni_region_swap(cdn_state *s, int32_t variable, int32_t update) {
  const node *v = node_at(s->system, variable), *u = node_at(s->system, update);
  const region_slot before = s->regions[v->slot];
  s->regions[v->slot] = s->regions[u->slot];
  s->regions[u->slot] = before;
  *region_count(s, v) = *region_count(s, u);
  *region_count(s, u) = 0;
}

bool cdni_region_is_same(const cdn_state *a, const cdn_state *b, int32_t ticket) {
  const int32_t slot = node_at(a->system, ticket)->slot;
  const size_t bytes = region_bytes(a, ticket);
  return bytes == region_bytes(b, ticket) &&
         (bytes == 0 || memcmp(a->regions[slot].data, b->regions[slot].data, bytes) == 0);
}

void cdni_region_archive(cdn_state *s, int32_t ticket, cdni_archive *a) {
  const node *n = node_at(s->system, ticket);
  int64_t count = a->loading ? 0 : *region_count(s, n);
  cdni_archive_int64(a, &count, 0, (int64_t)(MOST_BYTES / n->element));
  if (a->status != CDN_OK) return;
  if (!a->loading) {
    cdni_archive_bytes(a, s->regions[n->slot].data, (size_t)count * n->element);
    return;
  }
  /* first the bytes, then the memory: a count that is not true costs none */
  const char *elements = cdni_archive_look(a, (size_t)count * n->element);
  if (!elements) return;
  const cdn_status status = cdni_region_reserve(s, "cdn_state_load", ticket, count);
  if (status != CDN_OK) {
    cdni_archive_fail(a, status, "out of memory");
    return;
  }
  if (count > 0) memcpy(s->regions[n->slot].data, elements, (size_t)count * n->element);
  *region_count(s, n) = count;
}

/* ---- for whoever evaluates elsewhere for a while ---- */

size_t cdni_state_snapshot_size(const cdn_state *s) {
  size_t size = s->system->block_size;
  for (size_t i = 0; i < s->system->regions.count; i++) size += cdni_aligned(region_bytes(s, ticket_at(s->system, i)));
  return size;
}

void cdni_state_take_snapshot(const cdn_state *s, char *to) {
  memcpy(to, s->block, s->system->block_size);
  to += s->system->block_size;
  for (size_t i = 0; i < s->system->regions.count; i++) {
    const size_t bytes = region_bytes(s, ticket_at(s->system, i));
    if (bytes > 0) memcpy(to, s->regions[i].data, bytes);
    to += cdni_aligned(bytes);
  }
}

void cdni_state_return_to(cdn_state *s, const char *from) {
  memcpy(s->block, from, s->system->block_size);
  from += s->system->block_size;
  for (size_t i = 0; i < s->system->regions.count; i++) {
    const size_t bytes = region_bytes(s, ticket_at(s->system, i));
    if (bytes > 0) memcpy(s->regions[i].data, from, bytes);
    from += cdni_aligned(bytes);
  }
}

/* ---- reading ---- */

static bool is_region(const cdn_state *s, int32_t ticket, bool variable) {
  if (ticket < TICKET_FIRST_FREE || (size_t)ticket >= s->system->nodes.count) return false;
  const node *n = node_at(s->system, ticket);
  return n->storage == IN_REGION && (n->kind == NODE_VARIABLE) == variable;
}

static cdn_status no_region(cdn_state *s, const char *function) {
  return cdni_state_fail(s, CDN_ERR_ARG, false, function, NULL,
                         "there is no such region in this System: its id comes from the function that declares it");
}

static void show(const cdn_state *s, int32_t ticket, const void **elements, int *n) {
  const node *r = node_at(s->system, ticket);
  if (elements) *elements = s->regions[r->slot].data;
  if (n) *n = (int)*region_count(s, r);
}

static void show_nothing(const void **elements, int *n) {
  if (elements) *elements = NULL;
  if (n) *n = 0;
}

cdn_status cdn_region_get(const cdn_state *state, cdn_region r, const void **elements, int *n) {
  show_nothing(elements, n);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (is_of_another(state, r.of)) return cdni_state_refuse_other(state, "cdn_region_get", r.ticket);
  if (!is_region(state, r.ticket.i, true)) return no_region((cdn_state *)state, "cdn_region_get");
  cdni_state_note_read(state, (cdn_ticket){ r.ticket.i });
  show(state, r.ticket.i, elements, n);
  return CDN_OK;
}

cdn_status cdn_region_eval(cdn_state *state, cdn_computed_region r, const void **elements, int *n) {
  show_nothing(elements, n);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (is_of_another(state, r.of)) return cdni_state_refuse_other(state, "cdn_region_eval", r.ticket);
  if (!is_region(state, r.ticket.i, false)) return no_region(state, "cdn_region_eval");
  CDNI_TRY(cdni_state_ensure(state, (cdn_ticket){ r.ticket.i }));
  show(state, r.ticket.i, elements, n);
  return CDN_OK;
}

/* ---- writing ---- */

/* What every writer checks: `count` elements from `first` on, of which there are `size` now. */
static cdn_status check(cdn_state *s, const char *function, cdn_region r, int first, int count) {
  if (is_of_another(s, r.of)) return cdni_state_refuse_other(s, function, r.ticket);
  if (!is_region(s, r.ticket.i, true)) return no_region(s, function);
  const node *n = node_at(s->system, r.ticket.i);
  CDNI_TRY(cdni_state_check_free(s, function, n->name));
  if (first >= 0 && count >= 0) return CDN_OK;
  return cdni_state_fail(s, CDN_ERR_ARG, false, function, n->name,
                         "%d elements of '%s' from element %d on make no sense", count, n->name, first);
}

/* The region gets `size` elements, of which those from `first` on are set: NULL: to zeros. */
static cdn_status put(cdn_state *s, const char *function, cdn_region r, int64_t size, int64_t first,
                      const void *elements) {
  const node *n = node_at(s->system, r.ticket.i);
  region_slot *slot = &s->regions[n->slot];
  /* the elements may be the region's own, which growing moves */
  const uintptr_t begin = (uintptr_t)slot->data, at = (uintptr_t)elements;
  const bool own = slot->data && elements && at >= begin && at < begin + slot->capacity;
  CDNI_TRY(cdni_region_reserve(s, function, r.ticket.i, size));
  if (own) elements = slot->data + (at - begin);
  const size_t bytes = (size_t)(size - first) * n->element;
  invalidate(s, r.ticket.i);
  *region_count(s, n) = size;
  if (bytes == 0) return CDN_OK;
  char *to = slot->data + (size_t)first * n->element;
  if (elements) memmove(to, elements, bytes);
  else memset(to, 0, bytes);
  return CDN_OK;
}

cdn_status cdn_region_set(cdn_state *state, cdn_region r, int n, const void *elements) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, __func__, r, 0, n));
  return put(state, __func__, r, n, 0, elements);
}

cdn_status cdn_region_append(cdn_state *state, cdn_region r, int n, const void *elements) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, __func__, r, 0, n));
  const int64_t size = *region_count(state, node_at(state->system, r.ticket.i));
  return n > 0 ? put(state, __func__, r, size + n, size, elements) : CDN_OK;
}

cdn_status cdn_region_resize(cdn_state *state, cdn_region r, int n) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, __func__, r, 0, n));
  const int64_t size = *region_count(state, node_at(state->system, r.ticket.i));
  return n != size ? put(state, __func__, r, n, n < size ? n : size, NULL) : CDN_OK;
}

cdn_status cdn_region_set_elements(cdn_state *state, cdn_region r, int first, int n, const void *elements) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check(state, __func__, r, first, n));
  const node *v = node_at(state->system, r.ticket.i);
  const int64_t size = *region_count(state, v);
  if (first > size || n > size - first)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, v->name,
                           "%d elements of '%s' from element %d on are not all there: it has %lld. "
                           "cdn_region_append and cdn_region_resize make it longer",
                           n, v->name, first, (long long)size);
  if (n == 0) return CDN_OK;
  invalidate(state, r.ticket.i);
  char *to = state->regions[v->slot].data + (size_t)first * v->element;
  if (elements) memmove(to, elements, (size_t)n * v->element);
  else memset(to, 0, (size_t)n * v->element);
  return CDN_OK;
}

/* ---- computing ---- */

struct cdn_region_output {
  cdn_state *state;
  int32_t ticket;
};

cdn_status cdni_calc_region(const void *self, cdn_state *state, void *out) {
  const int32_t ticket = state->stack[state->depth - 1];
  int64_t *count = out;
  cdn_region_output output = { state, ticket };
  *count = 0;
  return node_at(state->system, ticket)->calc_region(self, state, &output);
}

cdn_status cdn_region_output_add(cdn_region_output *out, int n, void **elements) {
  if (elements) *elements = NULL;
  if (!out) return cdni_refuse(CDN_ERR_ARG, __func__, "there is no region to add to: the output is NULL");
  cdn_state *s = out->state;
  const node *r = node_at(s->system, out->ticket);
  if (n < 0 || !elements)
    return cdni_state_fail(s, CDN_ERR_ARG, false, __func__, r->name, "%d elements cannot be added to '%s'%s", n,
                           r->name, elements ? "" : ": there is nowhere to tell where they are");
  int64_t *count = region_count(s, r);
  region_slot *slot = &s->regions[r->slot];
  /* not that of a partner, whose elements the compute function may be reading */
  CDNI_TRY(reserve(s, __func__, r, *count + n));
  if (n == 0) return CDN_OK;
  *elements = slot->data + (size_t)*count * r->element;
  memset(*elements, 0, (size_t)n * r->element);
  *count += n;
  return CDN_OK;
}

void *cdni_region_output_elements(const cdn_region_output *out, int *n) {
  const node *r = node_at(out->state->system, out->ticket);
  *n = (int)*region_count(out->state, r);
  return out->state->regions[r->slot].data;
}

cdn_status cdni_region_take(cdn_state *s, const char *function, cdn_computed_region r, size_t n, void **elements) {
  const node *x = node_at(s->system, r.ticket.i);
  *region_count(s, x) = 0; /* growing need not keep what is there */
  CDNI_TRY(reserve(s, function, x, (int64_t)n));
  *region_count(s, x) = (int64_t)n;
  *elements = s->regions[x->slot].data;
  return CDN_OK;
}

size_t cdni_region_size(const cdn_state *s, cdn_computed_region r) {
  return (size_t)*region_count(s, node_at(s->system, r.ticket.i));
}

void cdni_hint_elements(const cdn_state *state, cdn_region r, const void **elements, int *n) {
  show(state, r.ticket.i, elements, n);
}

void *cdni_region_elements(const cdn_state *s, cdn_computed_region r) {
  return s->regions[node_at(s->system, r.ticket.i)->slot].data;
}
