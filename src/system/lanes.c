/* Several States of one System side by side: the System's twin, whose States have several lanes over the same graph. */
#include "math/lane_block.h"
#include "system/structs.h"

static size_t number_bytes(size_t n) { return n * sizeof(double); }

/* ---- the twin ---- */

/* Entries that live in the pools have no size of their own. */
static size_t entry_size(const cdn_system *s, int32_t ticket) {
  switch (ticket) {
    case TICKET_Q_EFF:
    case TICKET_QDOT: return number_bytes((size_t)s->nq);
    case TICKET_U_EFF:
    case TICKET_UDOT: return number_bytes((size_t)s->nu);
    case TICKET_ZDOT: return number_bytes((size_t)s->nz);
    default: return node_at(s, ticket)->size;
  }
}

/* Each lane's own State computes the entry that is under way. */
static cdn_status calc_lane_by_lane(const void *self, cdn_state *state, void *out) {
  (void)self;
  const cdn_system *sys = state->system;
  const int32_t ticket = state->stack[state->depth - 1];
  const node *n = node_at(sys, ticket);
  const size_t count = entry_size(sys, ticket) / sizeof(double) / (size_t)sys->lanes;
  for (int l = 0; l < sys->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    if (cdni_state_ensure(one, (cdn_ticket){ ticket }) != CDN_OK) cdni_lane_fail(state, l);
    else if (n->in_lanes == CDNI_LANES_GATHERED)
      lane_put(out, sys->lanes, l, (const double *)(one->block + node_at(one->system, ticket)->offset), count);
  }
  return CDN_OK;
}

static void widen_nodes(cdn_system *s, bool prescribed) {
  const size_t lanes = (size_t)s->lanes;
  for (size_t i = 0; i < s->nodes.count; i++) {
    node *n = node_at(s, (int32_t)i);
    const node *whose = n->kind == NODE_COMPANION ? node_at(s, n->of) : n;
    if (whose->in_lanes != CDNI_LANE_BY_LANE) n->size *= lanes;
    else if (n->kind == NODE_ENTRY || n->kind == NODE_COMPANION) n->size = 0;
    if (n->kind == NODE_ENTRY && n->calc && n->in_lanes != CDNI_LANES_TOGETHER) n->calc = calc_lane_by_lane;
  }
  node *zdot = node_at(s, TICKET_ZDOT);
  zdot->in_lanes = s->nz > 0 ? CDNI_LANES_GATHERED : CDNI_LANES_TOGETHER;
  if (s->nz == 0) zdot->calc = NULL;
  /* without a function they are the variables themselves */
  node_at(s, TICKET_Q_EFF)->calc = prescribed ? cdni_calc_q_eff : NULL;
  node_at(s, TICKET_U_EFF)->calc = prescribed ? cdni_calc_u_eff : NULL;
  node_at(s, TICKET_QDOT)->calc = cdni_calc_qdot;
  node_at(s, TICKET_UDOT)->calc = cdni_calc_udot;
}

static void widen_subsystems(cdn_system *s) {
  const int lanes = s->lanes;
  for (size_t i = 0; i < s->subsystems.count; i++) {
    subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
    cdni_runs *r = &sub->runs;
    r->q *= lanes, r->nq *= lanes, r->u *= lanes, r->nu *= lanes, r->z *= lanes, r->nz *= lanes;
  }
}

/* A copy of an array's elements. */
static bool copy_array(const cdn_allocator *a, cdni_array *to, const cdni_array *from, size_t size) {
  *to = (cdni_array){ 0 };
  if (from->count == 0) return true;
  void *elements = cdni_array_extend(a, to, size, from->count);
  if (elements) memcpy(elements, from->data, from->count * size);
  return elements != NULL;
}

/* The rooms' data are copied, and what is one of their subsystems gets the copy. */
static cdn_status copy_rooms(const cdn_system *system, cdn_system *s) {
  for (int r = 0; r < CDNI_MOST_ROOMS; r++) {
    if (!system->rooms[r]) continue;
    s->rooms[r] = cdni_alloc(&s->allocator, cdni_rooms[r]->size);
    if (!s->rooms[r]) return CDN_ERR_NOMEM;
    memcpy(s->rooms[r], system->rooms[r], cdni_rooms[r]->size);
    for (size_t i = 0; i < s->subsystems.count; i++) {
      subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
      if (sub->ops.self_size == sizeof(void *) && memcmp(sub->self, &system->rooms[r], sizeof(void *)) == 0)
        sub->self = &s->rooms[r];
    }
  }
  for (int r = 0; r < CDNI_MOST_ROOMS; r++)
    if (s->rooms[r] && cdni_rooms[r]->planned) CDNI_TRY(cdni_rooms[r]->planned(s, s->rooms[r]));
  return CDN_OK;
}

/* Entries of the System that no function computes, because they are the variables themselves or empty, are always
 * valid: nothing invalidates them. */
static const int32_t without_function[] = { TICKET_Q_EFF, TICKET_U_EFF, TICKET_ZDOT };

static cdn_status keep_valid(const cdn_system *system, cdn_system *s) {
  const size_t words = (size_t)s->words, n = s->nodes.count;
  uint64_t *down = cdni_alloc(&s->allocator, n * words * sizeof *down);
  if (!down) return CDN_ERR_NOMEM;
  memcpy(down, system->downstream, n * words * sizeof *down);
  s->downstream = down;
  for (int k = 0; k < CDNI_COUNT(without_function); k++)
    for (size_t i = 0; i < n && !node_at(s, without_function[k])->calc; i++)
      bit_clear(down + i * words, without_function[k]);
  return CDN_OK;
}

static cdn_status widen(const cdn_system *system, bool prescribed, cdn_system *s) {
  if (!copy_array(&s->allocator, &s->nodes, &system->nodes, sizeof(node)) ||
      !copy_array(&s->allocator, &s->subsystems, &system->subsystems, sizeof(subsystem)))
    return CDN_ERR_NOMEM;
  widen_nodes(s, prescribed);
  widen_subsystems(s);
  CDNI_TRY(cdni_layout_plan(s));
  CDNI_TRY(keep_valid(system, s));
  return copy_rooms(system, s);
}

cdn_status cdni_lanes_system(const cdn_system *system, int lanes, bool prescribed, cdn_system **out) {
  *out = NULL;
  cdn_system *s = cdni_alloc(&system->allocator, sizeof *s);
  if (!s) return CDN_ERR_NOMEM;
  memcpy(s, system, sizeof *s);
  memset(s->rooms, 0, sizeof s->rooms);
  s->nodes = s->subsystems = (cdni_array){ 0 };
  s->downstream = NULL;
  s->lanes = lanes;
  s->twin_of = system;
  /* what no lane asks for has no place */
  s->n_qerr = s->n_uerr = s->n_udoterr = 0;
  s->keep_previous = false;
  cdn_system_retain(system);
  const cdn_status status = widen(system, prescribed, s);
  if (status == CDN_OK) *out = s;
  else cdni_lanes_system_free(s);
  return status;
}

void cdni_lanes_system_free(cdn_system *s) {
  if (!s) return;
  const cdn_allocator a = s->allocator;
  const cdn_system *system = s->twin_of;
  for (int r = 0; r < CDNI_MOST_ROOMS; r++)
    if (s->rooms[r]) cdni_free(&a, s->rooms[r], cdni_rooms[r]->size);
  if (s->downstream) cdni_free(&a, s->downstream, s->nodes.count * (size_t)s->words * sizeof *s->downstream);
  cdni_array_free(&a, &s->nodes);
  cdni_array_free(&a, &s->subsystems);
  cdni_free(&a, s, sizeof *s);
  cdn_system_release(system);
}

int cdni_system_lanes(const cdn_system *system) { return system->lanes; }

void cdni_declare_in_lanes(cdn_declarer *d, cdn_ticket ticket, cdni_in_lanes how) {
  if (ticket.i > TICKET_NONE) node_at(d->system, ticket.i)->in_lanes = how;
}

/* ---- its States ---- */

static bool is_kept_by_lane(const node *n) { return n->kind == NODE_VARIABLE && n->in_lanes == CDNI_LANES_TOGETHER; }

cdn_state *cdni_lanes_state(const cdn_system *twin, const cdn_state *like, cdni_lanes *lanes) {
  cdn_state *s = cdni_state_alloc(twin);
  if (!s) return NULL;
  s->lanes = lanes;
  for (int k = 0; k < CDNI_COUNT(without_function); k++)
    if (!node_at(twin, without_function[k])->calc) bit_set(s->valid, without_function[k]);
  for (size_t i = TICKET_FIRST_FREE; i < twin->nodes.count; i++) {
    const node *n = node_at(twin, (int32_t)i), *one = node_at(like->system, (int32_t)i);
    /* regions and shared arrays are read in each lane's own State */
    if (n->kind == NODE_VARIABLE && n->storage == IN_BLOCK && !is_kept_by_lane(n))
      memcpy(s->block + n->offset, like->block + one->offset, n->size);
  }
  return s;
}

void cdni_lanes_state_free(cdn_state *state) {
  if (state) cdni_state_free(state);
}

cdn_state *cdni_lane_state(cdn_state *state, int lane) {
  cdni_lanes *x = state->lanes;
  return x->failed[lane] ? NULL : x->state(x->context, lane);
}

void cdni_lane_fail(cdn_state *state, int lane) { state->lanes->failed[lane] = true; }

int64_t cdni_lanes_fail(cdn_state *state, const int64_t *which) {
  if (!state->lanes) return which[0];
  for (int l = 0; l < state->system->lanes; l++)
    if (which[l] >= 0) cdni_lane_fail(state, l);
  return -1;
}

void cdni_lanes_set_ty(cdn_state *state, const double *t, const double *y) {
  const cdn_system *sys = state->system;
  const int ny = sys->nq + sys->nu + sys->nz;
  memcpy(state_doubles(state, sys->off_t), t, number_bytes((size_t)sys->lanes));
  if (ny > 0 && y != state_doubles(state, sys->off_y))
    memcpy(state_doubles(state, sys->off_y), y, number_bytes((size_t)ny));
  invalidate_ty(state);
}

/* ---- a lane's own State takes what is there ---- */

void cdni_lanes_stand_for(cdn_state *state, const cdn_state *others, int lane) {
  if (state->others && state->others->lanes->standing[state->lane] == state)
    state->others->lanes->standing[state->lane] = NULL;
  state->others = others;
  state->lane = lane;
  if (others) others->lanes->standing[lane] = state;
}

/* For all that `to` has. */
static void fetch_numbers(const cdn_state *from, cdn_state *const *to, int32_t ticket) {
  const int lanes = from->system->lanes;
  const node *one = node_at(from->system->twin_of, ticket);
  double *values[CDNI_MOST_LANES];
  for (int l = 0; l < lanes; l++) values[l] = to[l] ? (double *)(to[l]->block + one->offset) : NULL;
  cdni_lanes_get((const double *)(from->block + node_at(from->system, ticket)->offset), lanes,
                 one->size / sizeof(double), values);
}

/* Who asks for a result may read the effective q and u that it follows from, without asking for them. */
static bool has_effective(cdn_state *state, int32_t ticket) {
  const cdn_system *sys = state->system;
  for (int32_t of = TICKET_Q_EFF; of <= TICKET_U_EFF; of++) {
    if (of == ticket || !bit_is_set(sys->downstream + (size_t)of * (size_t)sys->words, ticket)) continue;
    if (cdni_state_ensure(state, (cdn_ticket){ of }) != CDN_OK) return false;
  }
  return true;
}

bool cdni_lanes_fetch(cdn_state *state, int32_t ticket) {
  const cdn_system *sys = state->system;
  const node *n = node_at(sys, ticket);
  /* entries of accelerations leave numbers in pools as well, and those of the pools are found as quickly as they are
   * fetched */
  if (n->in_lanes == CDNI_LANE_BY_LANE || n->size == 0 || n->eager == CDN_STAGE_ACCELERATION) return false;
  const cdn_state *from = state->others;
  if (!bit_is_set(from->valid, ticket)) return false;
  /* what one wants the others will want, too */
  cdn_state *to[CDNI_MOST_LANES] = { 0 };
  for (int l = 0; l < from->system->lanes; l++) {
    cdn_state *other = from->lanes->standing[l];
    if (other && other != state && !bit_is_set(other->valid, ticket) && has_effective(other, ticket)) to[l] = other;
  }
  if (!has_effective(state, ticket)) return false;
  to[state->lane] = state;
  fetch_numbers(from, to, ticket);
  for (size_t i = TICKET_FIRST_FREE; i < sys->nodes.count; i++)
    if (node_at(sys, (int32_t)i)->kind == NODE_COMPANION && node_at(sys, (int32_t)i)->of == ticket)
      fetch_numbers(from, to, (int32_t)i);
  for (int l = 0; l < from->system->lanes; l++)
    if (to[l]) bit_set(to[l]->valid, ticket);
  return true;
}

/* ---- constants ---- */

static bool is_constant(const node *n) {
  return is_kept_by_lane(n) ||
         (n->kind == NODE_ENTRY && n->in_lanes != CDNI_LANE_BY_LANE && n->eager == CDN_STAGE_INSTANCE);
}

size_t cdni_lanes_constants(const cdn_system *twin) {
  size_t n = 0;
  for (size_t i = TICKET_FIRST_FREE; i < twin->nodes.count; i++)
    if (is_constant(node_at(twin, (int32_t)i))) n += node_at(twin, (int32_t)i)->size;
  return n / sizeof(double) / (size_t)twin->lanes;
}

void cdni_lanes_collect_constants(const cdn_system *twin, const cdn_state *from, int lane, double *constants) {
  for (size_t i = TICKET_FIRST_FREE; i < twin->nodes.count; i++) {
    if (!is_constant(node_at(twin, (int32_t)i))) continue;
    const node *one = node_at(from->system, (int32_t)i);
    const size_t n = one->size / sizeof(double);
    lane_put(constants, twin->lanes, lane, (const double *)(from->block + one->offset), n);
    constants += n * (size_t)twin->lanes;
  }
}

void cdni_lanes_use_constants(cdn_state *state, const double *constants) {
  const cdn_system *sys = state->system;
  for (size_t i = TICKET_FIRST_FREE; i < sys->nodes.count; i++) {
    const node *n = node_at(sys, (int32_t)i);
    if (!is_constant(n)) continue;
    memcpy(state->block + n->offset, constants, n->size);
    constants += n->size / sizeof(double);
    invalidate(state, (int32_t)i);
  }
  for (size_t i = TICKET_FIRST_FREE; i < sys->nodes.count; i++)
    if (is_constant(node_at(sys, (int32_t)i)) && node_at(sys, (int32_t)i)->kind == NODE_ENTRY)
      bit_set(state->valid, (int32_t)i);
}
