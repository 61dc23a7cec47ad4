/* Saving a State and loading it: its variables, section by section, not its block. */
#include "system/structs.h"

/* ---- computed values that cannot be computed again ---- */

/* At the end of a step an update value becomes the variable's value, and results computed from it stay valid as the
 * results of the step. Computed anew, they would follow from the next update. Values given from outside cannot be
 * computed at all. */
static bool is_of_an_update(const cdn_system *sys, int32_t ticket) {
  for (size_t i = 0; i < sys->autos.count; i++) {
    int32_t update = CDNI_AT(sys->autos, auto_variable, i).update;
    if (ticket == update || bit_is_set(sys->downstream + (size_t)update * (size_t)sys->words, ticket)) return true;
  }
  return false;
}

/* Bytes of an entry, wherever they are. */
static size_t entry_size(const cdn_system *sys, int32_t ticket) {
  switch (ticket) {
    case TICKET_Q_EFF:
    case TICKET_QDOT: return (size_t)sys->nq * sizeof(double);
    case TICKET_U_EFF:
    case TICKET_UDOT: return (size_t)sys->nu * sizeof(double);
    case TICKET_ZDOT: return (size_t)sys->nz * sizeof(double);
    case TICKET_QERR: return (size_t)sys->n_qerr * sizeof(double);
    case TICKET_UERR: return (size_t)sys->n_uerr * sizeof(double);
    case TICKET_UDOTERR:
    case TICKET_MULTIPLIERS: return (size_t)sys->n_udoterr * sizeof(double);
    default: return node_at(sys, ticket)->size;
  }
}

static bool is_kept(const cdn_system *sys, int32_t ticket) {
  const node *n = node_at(sys, ticket);
  if (n->unsaved) return false;
  if (n->kind == NODE_COMPANION) return is_kept(sys, n->of);
  return n->kind == NODE_ENTRY && (n->given || n->hint || is_of_an_update(sys, ticket));
}

/* Other entries write the numbers of companions, and of the pools of udot and multipliers. These numbers are there
 * while the other entry is valid, whether anybody has asked for them or not. */
static void archive_entry(cdn_state *s, int32_t ticket, cdni_archive *a) {
  const cdn_system *sys = s->system;
  const node *n = node_at(sys, ticket);
  bool valid = !a->loading && bit_is_set(s->valid, ticket);
  bool is_there = valid || (!a->loading && n->of != TICKET_NONE && bit_is_set(s->valid, n->of));
  cdni_archive_bool(a, &valid);
  cdni_archive_bool(a, &is_there);
  if (!is_there) return;
  if (n->storage == IN_REGION) cdni_region_archive(s, ticket, a);
  else cdni_archive_bytes(a, s->block + n->offset, entry_size(sys, ticket));
  if (a->loading && valid) bit_set(s->valid, ticket);
}

static void archive_entries(cdn_state *s, cdni_archive *a) {
  const cdn_system *sys = s->system;
  cdni_archive_mark(a, "DONE");
  for (int32_t i = 0; (size_t)i < sys->nodes.count; i++)
    if (is_kept(sys, i)) archive_entry(s, i, a);
}

/* ---- variables ---- */

static void archive_finite(cdni_archive *a, double *x, size_t n) {
  cdni_archive_doubles(a, x, n);
  if (a->loading && n > 0 && !cdni_all_finite(x, n, NULL)) {
    cdni_archive_fail(a, CDN_ERR_PARSE, "a variable in it is not finite");
  }
}

/* A State that is loaded goes on sharing what it has in common with the others. */
static void archive_shared(cdn_state *s, int32_t ticket, cdni_archive *a) {
  const node *n = node_at(s->system, ticket);
  if (!a->loading) {
    cdni_archive_doubles(a, (double *)variable_data(s, n), n->size / sizeof(double));
    return;
  }
  double *values = cdni_alloc(&s->system->allocator, n->size);
  if (!values) {
    cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  archive_finite(a, values, n->size / sizeof(double));
  if (a->status == CDN_OK && cdni_shared_write(s, ticket, 0, n->size, values) != CDN_OK)
    cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  cdni_free(&s->system->allocator, values, n->size);
}

/* `memory`: only what no other part of a vector has (vectors.c). */
static void archive(cdn_state *s, cdni_archive *a, bool memory) {
  const cdn_system *sys = s->system;
  size_t ny = (size_t)(sys->nq + sys->nu + sys->nz);
  cdni_archive_mark(a, "STAT");
  if (!memory) archive_finite(a, state_doubles(s, sys->off_t), 1);
  if (!memory) archive_finite(a, state_doubles(s, sys->off_y), ny);
  if (sys->keep_previous) archive_finite(a, state_doubles(s, sys->off_previous), 1 + ny);
  for (size_t i = TICKET_FIRST_FREE; i < sys->nodes.count; i++) {
    const node *n = node_at(sys, (int32_t)i);
    if (n->kind != NODE_VARIABLE || (memory && (n->parameters || n->in_vector))) continue;
    if (n->storage == IN_REGION) cdni_region_archive(s, (int32_t)i, a);
    else if (n->storage == SHARED) archive_shared(s, (int32_t)i, a);
    else if (n->parameters) archive_finite(a, state_doubles(s, n->offset), n->size / sizeof(double));
    else cdni_archive_bytes(a, s->block + n->offset, n->size);
  }
  for (int32_t i = TICKET_T; a->loading && (size_t)i < sys->nodes.count; i++) {
    if (node_at(sys, i)->kind == NODE_VARIABLE || node_at(sys, i)->given) invalidate(s, i);
    if (node_at(sys, i)->given || node_at(sys, i)->hint) bit_clear(s->valid, i);
  }
  archive_entries(s, a);
}

void cdni_state_archive(cdn_state *s, cdni_archive *a) { archive(s, a, false); }
void cdni_state_archive_memory(cdn_state *s, cdni_archive *a) { archive(s, a, true); }

void cdni_state_drop_kept(cdn_state *s) {
  for (int32_t i = 0; (size_t)i < s->system->nodes.count; i++)
    if (is_kept(s->system, i)) bit_clear(s->valid, i);
}

/* ---- the public face ---- */

cdn_status cdni_archive_finish(cdni_archive *a, cdn_state *state, const char *function) {
  cdn_status status = a->status;
  if (status != CDN_OK && a->reason) {
    cdni_state_fail(state, status, false, function, NULL, "the checkpoint could not be %s: %s",
                    a->loading ? "loaded" : "saved", a->reason);
  }
  cdni_archive_end(a);
  return status;
}

/* Stores the mistake of a call on the State. */
static cdn_status check_call(cdn_state *state, const char *function, bool has_stream) {
  if (!has_stream) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "no function for the bytes");
  if (state->depth == 0) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "not while '%s' is being computed",
                         node_at(state->system, state->stack[state->depth - 1])->name);
}

cdn_status cdn_state_save(cdn_state *state, cdn_write_fn *write, void *context) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check_call(state, __func__, write));
  cdni_archive a = cdni_archive_begin(&state->system->allocator, false);
  cdni_system_archive(state->system, &a, state, __func__);
  cdni_state_archive(state, &a);
  cdni_archive_send(&a, CDNI_ARCHIVE_STATE, write, context);
  return cdni_archive_finish(&a, state, __func__);
}

/* The State becomes what was loaded. To whoever has noted its serials, all of its variables have been written. */
cdn_status cdni_state_take(cdn_state *state, cdn_state *loaded) {
  const cdn_system *sys = state->system;
  uint64_t *serials = (uint64_t *)(loaded->block + sys->off_serials);
  memcpy(serials, state->block + sys->off_serials, sys->nodes.count * sizeof *serials);
  for (int32_t i = TICKET_T; (size_t)i < sys->nodes.count; i++)
    if (node_at(sys, i)->kind == NODE_VARIABLE || node_at(sys, i)->given) serials[i]++;
  return cdn_state_copy(state, loaded);
}

/* Loads into a separate State first, so that a failure changes nothing. */
static void load(cdn_state *state, cdni_archive *a) {
  cdn_state *trial = NULL;
  if (cdn_state_create(state->system, &trial) != CDN_OK) cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  if (a->status == CDN_OK) cdni_state_archive(trial, a);
  if (a->at != a->bytes.count) cdni_archive_fail(a, CDN_ERR_PARSE, "there is more in it than a State");
  if (a->status == CDN_OK && cdni_state_take(state, trial) != CDN_OK)
    cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  cdn_state_destroy(trial);
}

cdn_status cdn_state_load(cdn_state *state, cdn_read_fn *read, void *context) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check_call(state, __func__, read));
  cdni_archive a = cdni_archive_begin(&state->system->allocator, true);
  cdni_archive_receive(&a, CDNI_ARCHIVE_STATE, read, context);
  cdni_system_archive(state->system, &a, state, __func__);
  if (a.status == CDN_OK) load(state, &a);
  return cdni_archive_finish(&a, state, __func__);
}
