/* The State: its block, its variables, and its workspace. */
#include <math.h>
#include <stddef.h>

#include "system/structs.h"

/* ---- life ---- */

static void set_defaults(cdn_state *s) {
  const cdn_system *sys = s->system;
  double *y = state_doubles(s, sys->off_y);
  if (sys->nq) memcpy(y, sys->q0.data, (size_t)sys->nq * sizeof *y);
  if (sys->nu) memcpy(y + sys->nq, sys->u0.data, (size_t)sys->nu * sizeof *y);
  if (sys->nz) memcpy(y + sys->nq + sys->nu, sys->z0.data, (size_t)sys->nz * sizeof *y);
  for (size_t i = TICKET_FIRST_FREE; i < sys->nodes.count; i++) {
    const node *n = node_at(sys, (int32_t)i);
    if (n->kind == NODE_VARIABLE && n->storage == IN_BLOCK) memcpy(s->block + n->offset, n->initial, n->size);
  }
}

/* A State's own struct, with the stack of what is being evaluated, and behind it the places of its regions and
 * shared arrays. */
static size_t stack_size(const cdn_system *system) {
  const size_t unit = _Alignof(max_align_t), size = sizeof(cdn_state) + (size_t)system->most_nested * sizeof(int32_t);
  return (size + unit - 1) / unit * unit;
}
static size_t state_size(const cdn_system *system) {
  return stack_size(system) + system->regions.count * sizeof(region_slot) + system->shared.count * sizeof(shared_slot);
}

cdn_state *cdni_state_alloc(const cdn_system *system) {
  cdn_state *s = cdni_calloc(&system->allocator, state_size(system));
  if (!s) return NULL;
  s->system = system;
  s->block = cdni_calloc(&system->allocator, system->block_size);
  if (!s->block) {
    cdni_free(&system->allocator, s, state_size(system));
    return NULL;
  }
  s->valid = (uint64_t *)(s->block + system->off_valid);
  s->audit = system->audit;
  s->shared = (shared_slot *)((char *)s + stack_size(system));
  s->regions = (region_slot *)(s->shared + system->shared.count);
  cdni_shared_set_defaults(s);
  bit_set(s->valid, TICKET_STAGE_EMPTY + CDN_STAGE_TOPOLOGY);
  return s;
}

cdn_status cdn_state_create(const cdn_system *system, cdn_state **out) {
  if (out) *out = NULL;
  if (!out || !system) return cdni_refuse(CDN_ERR_ARG, __func__, "the System, or where the State shall go, is NULL");
  if (!system->frozen)
    return cdni_refuse(CDN_ERR_NOT_FROZEN, __func__, "System '%s' is not frozen yet: call cdn_system_freeze first",
                       system->name);
  cdn_state *s = cdni_state_alloc(system);
  if (!s) return cdni_refuse(CDN_ERR_NOMEM, __func__, "no memory for a State of %zu bytes", system->block_size);
  cdn_system_retain(system);
  set_defaults(s);
  const cdn_status status = cdni_regions_set_defaults(s);
  if (status == CDN_OK) *out = s;
  else cdn_state_destroy(s);
  return status;
}

static void free_work(cdn_state *s) {
  while (s->work) {
    work_chunk *below = s->work->below;
    cdni_free(&s->system->allocator, s->work, s->work->size);
    s->work = below;
  }
}

void cdni_state_free(cdn_state *state) {
  const cdn_system *system = state->system;
  free_work(state);
  cdni_state_forget_times(state);
  cdni_regions_free(state);
  cdni_shared_free(state);
  cdni_free(&system->allocator, state->block, system->block_size);
  cdni_free(&system->allocator, state, state_size(system));
}

void cdn_state_destroy(cdn_state *state) {
  if (!state) return;
  const cdn_system *system = state->system;
  cdni_state_free(state);
  cdn_system_release(system);
}

cdn_status cdn_state_copy(cdn_state *dst, const cdn_state *src) {
  if (!dst || !src) return cdni_refuse(CDN_ERR_ARG, "cdn_state_copy", "a State is NULL");
  if (dst->system != src->system)
    return cdni_state_fail(dst, CDN_ERR_ARG, false, "cdn_state_copy", NULL,
                           "the two States belong to different Systems");
  CDNI_TRY(cdni_state_check_free(dst, "cdn_state_copy", "the State"));
  if (dst == src) return CDN_OK;
  const cdn_system *sys = dst->system;
  if (sys->regions.count > 0) CDNI_TRY(cdni_regions_reserve_like(dst, src, "cdn_state_copy"));
  memcpy(dst->block, src->block, sys->block_size);
  if (sys->regions.count > 0) cdni_regions_copy(dst, src);
  for (size_t i = 0; i < sys->shared.count; i++) cdni_shared_copy(dst, src, CDNI_AT(sys->shared, int32_t, i));
  return CDN_OK;
}

const cdn_system *cdn_state_system(const cdn_state *state) { return state ? state->system : NULL; }

void cdn_state_last_error_sized(const cdn_state *state, cdn_error *out, size_t size) {
  if (state) cdni_sized_write(out, size, &state->error, sizeof state->error);
}

/* ---- failures ---- */

static cdn_stage stage_of(const cdn_state *s) {
  cdn_stage eager = s->depth ? node_at(s->system, s->stack[s->depth - 1])->eager : CDN_STAGE_EMPTY;
  return eager;
}

static cdn_status fail_v(cdn_state *state, cdn_status code, bool recoverable, const char *function, const char *element,
                         const char *format, va_list args) {
  cdni_error_vset(&state->error, code, function, element, format, args);
  state->error.recoverable = recoverable;
  state->error.stage = stage_of(state);
  cdni_error_tell(&state->error);
  return code;
}

cdn_status cdn_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *element, const char *format,
                          ...) {
  CDNI_NEED(state, format);
  va_list args;
  va_start(args, format);
  fail_v(state, code, recoverable, "cdn_state_fail", element, format, args);
  va_end(args);
  return code;
}

cdn_status cdni_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *function,
                           const char *element, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail_v(state, code, recoverable, function, element, format, args);
  va_end(args);
  return code;
}

cdn_status cdni_state_last_status(const cdn_state *state) {
  return state->error.code != CDN_OK ? state->error.code : CDN_ERR_CALLBACK;
}

cdn_status cdni_state_lacks(cdn_state *state, const char *function, const char *what, int number) {
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no %s %d in this System", what, number);
}

cdn_status cdni_state_misses(cdn_state *state, const char *function, const char *argument) {
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%s is NULL, and the call needs it", argument);
}

void cdni_state_set_error(cdn_state *state, const cdn_error *error) {
  state->error = *error;
  cdni_error_tell(error);
}

void cdni_state_clear_error(cdn_state *state) { state->error.code = CDN_OK; }

void cdni_state_take_error(cdn_state *state, const cdn_state *from) { cdni_state_set_error(state, &from->error); }

/* ---- reading variables ---- */

static int pool_first(const cdn_system *sys, cdn_pool pool) {
  return pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? sys->nq : sys->nq + sys->nu;
}

static int pool_size(const cdn_system *sys, cdn_pool pool) {
  return pool == CDN_POOL_Q ? sys->nq : pool == CDN_POOL_U ? sys->nu : sys->nz;
}

static double *pool_storage(const cdn_state *s, cdn_pool pool) {
  return state_doubles(s, s->system->off_y) + pool_first(s->system, pool);
}

static const double *read_pool(const cdn_state *s, cdn_pool pool) {
  CDNI_NEED_OBJECT(s, NULL);
  cdni_state_note_read(s, (cdn_ticket){ TICKET_Q + (int32_t)pool });
  return pool_storage(s, pool);
}

double cdn_state_time(const cdn_state *state) {
  CDNI_NEED_OBJECT(state, NAN);
  cdni_state_note_read(state, CDN_T);
  return *state_doubles(state, state->system->off_t);
}

double cdni_state_time_for_reuse(const cdn_state *state) { return *state_doubles(state, state->system->off_t); }

const double *cdn_state_q(const cdn_state *state) { return read_pool(state, CDN_POOL_Q); }
const double *cdn_state_u(const cdn_state *state) { return read_pool(state, CDN_POOL_U); }
const double *cdn_state_z(const cdn_state *state) { return read_pool(state, CDN_POOL_Z); }

const double *cdn_state_zvar(const cdn_state *state, cdn_zvar z) {
  CDNI_NEED_OBJECT(state, NULL);
  if (z.group < 0 || (size_t)z.group >= state->system->z_groups.count) return NULL;
  return cdn_state_z(state) + cdni_zvar_first(state->system, z);
}

const double *cdni_state_y(const cdn_state *state) { return state_doubles(state, state->system->off_y); }
const double *cdni_state_ydot(const cdn_state *state) { return state_doubles(state, state->system->off_ydot); }
double *cdni_state_ydot_storage(cdn_state *state) { return state_doubles(state, state->system->off_ydot); }

/* A variable of fixed size. */
static bool is_variable(const cdn_system *sys, int32_t ticket) {
  return ticket >= TICKET_FIRST_FREE && (size_t)ticket < sys->nodes.count &&
         node_at(sys, ticket)->kind == NODE_VARIABLE && node_at(sys, ticket)->storage != IN_REGION;
}

cdn_status cdni_state_refuse_other(const cdn_state *state, const char *function, cdn_ticket ticket) {
  const cdn_system *s = state->system;
  const bool exists = ticket.i > TICKET_NONE && (size_t)ticket.i < s->nodes.count && node_at(s, ticket.i)->name;
  return cdni_state_fail((cdn_state *)state, CDN_ERR_ARG, false, function, NULL,
                         "the id is of another System, which has declared it. In System '%s' its number is that of %s. "
                         "Give the id that was declared in the State's own System",
                         s->name, exists ? node_at(s, ticket.i)->name : "nothing");
}

const void *cdn_state_discrete(const cdn_state *state, cdn_dvar v) {
  CDNI_NEED_OBJECT(state, NULL);
  const cdn_system *sys = state->system;
  if (v.ticket.i < TICKET_FIRST_FREE || (size_t)v.ticket.i >= sys->nodes.count) return NULL;
  const node *n = node_at(sys, v.ticket.i);
  if (n->kind != NODE_VARIABLE) return NULL;
  if (sys->audit) {
    if (is_of_another(state, v.of)) return cdni_state_refuse_other(state, "cdn_state_discrete", v.ticket), NULL;
    cdni_state_note_read(state, v.ticket);
  }
  if (n->storage == IN_BLOCK) return state->block + n->offset;
  return n->storage == SHARED ? state->shared[n->slot].data : NULL;
}

const double *cdn_state_parameters(const cdn_state *state, cdn_dvar v) { return cdn_state_discrete(state, v); }

uint64_t cdn_state_serial(const cdn_state *state, cdn_ticket ticket) {
  CDNI_NEED_OBJECT(state, 0);
  if (ticket.i <= TICKET_NONE || (size_t)ticket.i >= state->system->nodes.count) return 0;
  return ((const uint64_t *)(state->block + state->system->off_serials))[ticket.i];
}

const double *cdn_state_previous_t(const cdn_state *state) {
  CDNI_NEED_OBJECT(state, NULL);
  return state->system->keep_previous ? state_doubles(state, state->system->off_previous) : NULL;
}

const double *cdn_state_previous_y(const cdn_state *state) {
  CDNI_NEED_OBJECT(state, NULL);
  return state->system->keep_previous ? state_doubles(state, state->system->off_previous) + 1 : NULL;
}

/* ---- setting variables ---- */

cdn_status cdni_state_check_free(cdn_state *s, const char *function, const char *what) {
  if (s->depth == 0) return CDN_OK;
  return cdni_state_fail(s, CDN_ERR_ARG, false, function, NULL, "%s cannot be set while '%s' is being computed", what,
                         node_at(s->system, s->stack[s->depth - 1])->name);
}

/* Refuses setters inside compute functions, and values that are not finite. */
static cdn_status check_set(cdn_state *s, const char *function, const char *what, const double *values, int n) {
  CDNI_TRY(cdni_state_check_free(s, function, what));
  if (n > 0 && !values) return cdni_state_fail(s, CDN_ERR_ARG, false, function, NULL, "no values given for %s", what);
  size_t bad;
  if (n > 0 && !cdni_all_finite(values, (size_t)n, &bad)) {
    cdni_state_fail(s, CDN_ERR_NONFINITE, false, function, NULL, "%s[%zu] is %g: nothing was changed", what, bad,
                    values[bad]);
    s->error.index = (int32_t)bad;
    s->error.value = values[bad];
    cdni_error_tell(&s->error);
    return CDN_ERR_NONFINITE;
  }
  return CDN_OK;
}

/* The same for values of y from slot `first` on; what is not finite is named. */
static cdn_status check_slots(cdn_state *s, const char *function, int first, const double *values, int n) {
  static const char names[] = "quz";
  const cdn_system *sys = s->system;
  cdn_status status = check_set(s, function, "y", values, n);
  if (status != CDN_ERR_NONFINITE) return status;
  int i = first + s->error.index;
  cdn_pool pool = i < sys->nq ? CDN_POOL_Q : i < sys->nq + sys->nu ? CDN_POOL_U : CDN_POOL_Z;
  double value = s->error.value;
  char slot[sizeof s->error.element];
  i -= pool_first(sys, pool);
  cdn_system_slot_name(sys, pool, i, slot, sizeof slot);
  cdni_state_fail(s, status, false, function, slot, "'%s' (%c[%d]) is %g: nothing was changed", slot, names[pool], i,
                  value);
  s->error.index = i;
  s->error.value = value;
  cdni_error_tell(&s->error);
  return status;
}

cdn_status cdn_state_set_time(cdn_state *state, double t) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check_set(state, "cdn_state_set_time", "time", &t, 1));
  *state_doubles(state, state->system->off_t) = t;
  invalidate(state, TICKET_T);
  return CDN_OK;
}

static cdn_status set_slots(cdn_state *state, const char *function, cdn_pool pool, int first, int n,
                            const double *values) {
  static const char *const names[] = { "q", "u", "z" };
  if (pool < CDN_POOL_Q || pool > CDN_POOL_Z)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no pool %d: give CDN_POOL_Q, _U or _Z",
                           (int)pool);
  const int size = pool_size(state->system, pool);
  if (first < 0 || n < 0 || first > size || n > size - first)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "%d slots of %s from slot %d on are not all there: it has %d", n, names[pool], first, size);
  CDNI_TRY(check_slots(state, function, pool_first(state->system, pool) + first, values, n));
  if (n > 0) memcpy(pool_storage(state, pool) + first, values, (size_t)n * sizeof *values);
  invalidate(state, TICKET_Q + (int32_t)pool);
  return CDN_OK;
}

cdn_status cdn_state_set_slots(cdn_state *state, cdn_pool pool, int first, int n, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_slots(state, "cdn_state_set_slots", pool, first, n, values);
}
cdn_status cdn_state_set_q(cdn_state *state, const double *q) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_slots(state, "cdn_state_set_q", CDN_POOL_Q, 0, state->system->nq, q);
}
cdn_status cdn_state_set_u(cdn_state *state, const double *u) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_slots(state, "cdn_state_set_u", CDN_POOL_U, 0, state->system->nu, u);
}
cdn_status cdn_state_set_z(cdn_state *state, const double *z) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_slots(state, "cdn_state_set_z", CDN_POOL_Z, 0, state->system->nz, z);
}

cdn_status cdn_state_set_zvar(cdn_state *state, cdn_zvar z, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (z.group < 0 || (size_t)z.group >= state->system->z_groups.count)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_state_set_zvar", NULL, "there is no such group of z");
  const z_group *g = &CDNI_AT(state->system->z_groups, z_group, z.group);
  return set_slots(state, "cdn_state_set_zvar", CDN_POOL_Z, g->first, g->n, values);
}

cdn_status cdn_state_set_ty(cdn_state *state, double t, const double *y) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *sys = state->system;
  int ny = sys->nq + sys->nu + sys->nz;
  CDNI_TRY(check_set(state, "cdn_state_set_ty", "time", &t, 1));
  CDNI_TRY(check_slots(state, "cdn_state_set_ty", 0, y, ny));
  *state_doubles(state, sys->off_t) = t;
  if (ny > 0) memmove(state_doubles(state, sys->off_y), y, (size_t)ny * sizeof *y);
  invalidate_ty(state);
  return CDN_OK;
}

void *cdni_state_update_discrete(cdn_state *state, cdn_dvar v) {
  invalidate(state, v.ticket.i);
  return state->block + node_at(state->system, v.ticket.i)->offset;
}

void *cdni_state_update_part(cdn_state *state, cdn_dvar v, cdn_ticket entry) {
  ((uint64_t *)(state->block + state->system->off_serials))[v.ticket.i]++;
  invalidate(state, entry.i);
  bit_clear(state->valid, entry.i);
  return state->block + node_at(state->system, v.ticket.i)->offset;
}

/* So many bytes, from one on. */
static cdn_status write_variable(cdn_state *state, cdn_dvar v, size_t from, size_t bytes, const void *values) {
  if (node_at(state->system, v.ticket.i)->storage == SHARED) {
    CDNI_TRY(cdni_shared_write(state, v.ticket.i, from, bytes, values));
    invalidate(state, v.ticket.i);
  } else {
    memmove((char *)cdni_state_update_discrete(state, v) + from, values, bytes);
  }
  return CDN_OK;
}

cdn_status cdn_state_set_discrete(cdn_state *state, cdn_dvar v, const void *value) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (is_of_another(state, v.of)) return cdni_state_refuse_other(state, "cdn_state_set_discrete", v.ticket);
  if (!is_variable(state->system, v.ticket.i) || !value)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_state_set_discrete", NULL,
                           value ? "there is no such variable in this System" : "no value given");
  const node *n = node_at(state->system, v.ticket.i);
  CDNI_TRY(check_set(state, "cdn_state_set_discrete", n->name, n->parameters ? value : NULL,
                     n->parameters ? (int)(n->size / sizeof(double)) : 0));
  return write_variable(state, v, 0, n->size, value);
}

cdn_status cdn_state_set_parameters(cdn_state *state, cdn_dvar v, int first, int n, const double *values) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (is_of_another(state, v.of)) return cdni_state_refuse_other(state, "cdn_state_set_parameters", v.ticket);
  if (!is_variable(state->system, v.ticket.i) || !node_at(state->system, v.ticket.i)->parameters)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_state_set_parameters", NULL,
                           "there is no such parameter array in this System");
  const node *p = node_at(state->system, v.ticket.i);
  const int size = (int)(p->size / sizeof(double));
  if (first < 0 || n < 0 || first > size || n > size - first)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_state_set_parameters", p->name,
                           "%d parameters of '%s' from parameter %d on are not all there: it has %d", n, p->name, first,
                           size);
  CDNI_TRY(check_set(state, "cdn_state_set_parameters", p->name, values, n));
  return n > 0 ? write_variable(state, v, (size_t)first * sizeof *values, (size_t)n * sizeof *values, values) : CDN_OK;
}

/* ---- values from outside ---- */

cdn_status cdni_state_give(cdn_state *state, const char *function, cdn_cache entry, const void *value) {
  const node *n = node_at(state->system, entry.ticket.i);
  CDNI_TRY(check_set(state, function, n->name, NULL, 0));
  invalidate(state, entry.ticket.i);
  bit_clear(state->valid, entry.ticket.i);
  if (!value) return CDN_OK;
  memcpy(state->block + n->offset, value, n->size);
  bit_set(state->valid, entry.ticket.i);
  return CDN_OK;
}

/* ---- workspace: a stack of chunks that settles into one ---- */

void *cdn_work_push(cdn_state *state, size_t bytes) {
  CDNI_NEED_OBJECT(state, NULL);
  const size_t header = CDNI_ALIGN;
  if (bytes > SIZE_MAX / 2) return NULL;
  bytes = cdni_aligned(bytes) + header;
  work_chunk *top = state->work;
  if (!top || top->size - top->used < bytes) {
    /* A further chunk is no larger than the one below it unless it must be: many come and go while that one is held. */
    const size_t usual = top ? top->size : state->work_wanted;
    size_t size = header + (bytes > usual ? bytes : usual);
    work_chunk *chunk = cdni_alloc(&state->system->allocator, size);
    if (!chunk) {
      cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_work_push", NULL,
                      "out of memory: the workspace of the State needs %zu bytes more", size);
      return NULL;
    }
    chunk->below = top, chunk->size = size, chunk->used = header;
    state->work = top = chunk;
  }
  /* Each frame remembers how far its chunk was used before it. */
  char *frame = (char *)top + top->used;
  memcpy(frame, &top->used, sizeof top->used);
  top->used += bytes;
  state->work_depth++;
  return frame + header;
}

void cdn_work_pop(cdn_state *state, void *frame) {
  if (!frame || !state->work) return;
  work_chunk *top = state->work;
  memcpy(&top->used, (char *)frame - CDNI_ALIGN, sizeof top->used);
  state->work_depth--;
  if (top->below && top->used <= CDNI_ALIGN) {
    size_t all = 0;
    for (const work_chunk *chunk = top; chunk; chunk = chunk->below) all += chunk->size;
    if (state->work_wanted < all) state->work_wanted = all;
    state->work = top->below;
    cdni_free(&state->system->allocator, top, top->size);
  }
  /* Once nothing is in use, a chunk that proved too small makes way for one large enough. */
  if (state->work_depth == 0 && state->work && state->work->size < state->work_wanted) free_work(state);
}
