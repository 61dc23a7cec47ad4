/* The changes of a State since its serials were noted: every write raises a serial. */
#include "system/structs.h"

static const uint64_t *serials_of(const cdn_state *s) { return (const uint64_t *)(s->block + s->system->off_serials); }

/* A variable of the user's, or an entry that gets its value from outside. */
static bool can_be_written(const node *n) { return !n->hint && (n->kind == NODE_VARIABLE || n->given); }

size_t cdni_system_serial_count(const cdn_system *system) { return system->nodes.count; }

void cdni_state_note_serials(const cdn_state *state, uint64_t *out) {
  memcpy(out, serials_of(state), state->system->nodes.count * sizeof *out);
}

cdni_written cdni_state_written(const cdn_state *state, const uint64_t *noted) {
  const uint64_t *now = serials_of(state);
  cdni_written w = { .t = now[TICKET_T] != noted[TICKET_T] };
  for (int i = TICKET_Q; i <= TICKET_Z; i++) w.y = w.y || now[i] != noted[i];
  for (size_t i = TICKET_FIRST_FREE; i < state->system->nodes.count; i++) {
    w.variables = w.variables || (now[i] != noted[i] && can_be_written(node_at(state->system, (int32_t)i)));
  }
  return w;
}

bool cdni_state_is_written(const cdn_state *state, const uint64_t *noted, cdn_ticket ticket) {
  return serials_of(state)[ticket.i] != noted[ticket.i];
}

static void pass_on(const cdn_state *from, int32_t i, cdn_state *to) {
  const node *n = node_at(from->system, i);
  invalidate(to, i);
  if (n->storage == IN_REGION) cdni_region_copy(to, from, i);
  else if (n->storage == SHARED) cdni_shared_copy(to, from, i);
  else memcpy(to->block + n->offset, from->block + n->offset, n->size);
  if (!n->given) return;
  if (bit_is_set(from->valid, i)) bit_set(to->valid, i);
  else bit_clear(to->valid, i);
}

/* What another State must have room for is made sure of first: then nothing fails halfway. */
cdn_status cdni_state_pass_on(const cdn_state *from, const uint64_t *noted, cdn_state *to) {
  const uint64_t *now = serials_of(from);
  CDNI_TRY(cdni_regions_reserve_like(to, from, "cdn_stepper_advance"));
  for (int32_t i = TICKET_FIRST_FREE; (size_t)i < from->system->nodes.count; i++)
    if (now[i] != noted[i] && can_be_written(node_at(from->system, i))) pass_on(from, i, to);
  return CDN_OK;
}

bool cdni_variable_is_same(const cdn_state *a, const cdn_state *b, int32_t ticket) {
  const node *n = node_at(a->system, ticket);
  if (n->storage == IN_REGION) return cdni_region_is_same(a, b, ticket);
  const void *x = variable_data(a, n), *y = variable_data(b, n);
  return x == y || memcmp(x, y, n->size) == 0;
}

/* Of what can be written. */
static bool is_same(const cdn_state *a, const cdn_state *b, int32_t i) {
  const node *n = node_at(a->system, i);
  if (n->given && bit_is_set(a->valid, i) != bit_is_set(b->valid, i)) return false;
  return (n->given && !bit_is_set(a->valid, i)) || cdni_variable_is_same(a, b, i);
}

bool cdni_state_same_variables(const cdn_state *a, const cdn_state *b) {
  for (int32_t i = TICKET_FIRST_FREE; (size_t)i < a->system->nodes.count; i++)
    if (can_be_written(node_at(a->system, i)) && !is_same(a, b, i)) return false;
  return true;
}

cdn_status cdni_state_pass_on_differences(const cdn_state *from, const cdn_state *base, cdn_state *to) {
  CDNI_TRY(cdni_regions_reserve_like(to, from, "cdn_stepper_restart"));
  for (int32_t i = TICKET_FIRST_FREE; (size_t)i < from->system->nodes.count; i++)
    if (can_be_written(node_at(from->system, i)) && !is_same(from, base, i)) pass_on(from, i, to);
  return CDN_OK;
}

void cdni_state_archive_noted(const cdn_state *state, uint64_t *noted, cdni_archive *a) {
  const uint64_t *now = serials_of(state);
  for (size_t i = 0; i < state->system->nodes.count; i++) {
    bool written = !a->loading && now[i] != noted[i];
    cdni_archive_bool(a, &written);
    if (a->loading) noted[i] = now[i] - written;
  }
}
