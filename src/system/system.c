/* The System: building, freezing, references, and queries. */
#include <stdio.h>

#include "system/kind_of.h"
#include "system/structs.h"

const cdn_ticket CDN_T = { TICKET_T }, CDN_Q = { TICKET_Q }, CDN_U = { TICKET_U }, CDN_Z = { TICKET_Z };
const cdn_ticket CDN_Q_EFF = { TICKET_Q_EFF }, CDN_U_EFF = { TICKET_U_EFF };
const cdn_ticket CDN_QDOT = { TICKET_QDOT }, CDN_UDOT = { TICKET_UDOT }, CDN_ZDOT = { TICKET_ZDOT };
const cdn_ticket CDN_QERR = { TICKET_QERR }, CDN_UERR = { TICKET_UERR }, CDN_UDOTERR = { TICKET_UDOTERR };
const cdn_ticket CDN_MULTIPLIERS = { TICKET_MULTIPLIERS };

cdn_ticket cdn_stage_ticket(cdn_stage stage) {
  cdn_ticket t = { TICKET_NONE };
  if (stage > CDN_STAGE_EMPTY && stage < CDN_STAGE_COUNT) t.i = TICKET_STAGE_EMPTY + (int32_t)stage;
  return t;
}

#ifdef NDEBUG
#  define AUDIT false
#else
#  define AUDIT true
#endif
CDNI_DEF(system_def, .audit = AUDIT);

/* ---- creation and destruction ---- */

/* The nodes that every System has, at their fixed numbers. */
static bool add_fixed_nodes(cdn_system *s) {
  node *n = cdni_array_extend(&s->allocator, &s->nodes, sizeof(node), TICKET_FIRST_FREE);
  if (!n) return false;
  for (int32_t i = 0; i < TICKET_FIRST_FREE; i++) n[i].subsystem = -1;
  static const struct {
    int32_t ticket;
    node_kind kind;
    const char *name;
    cdn_stage eager;
    cdn_calc_fn *calc;
  } fixed[] = {
    { TICKET_T, NODE_VARIABLE, "t", CDN_STAGE_EMPTY, NULL },
    { TICKET_Q, NODE_VARIABLE, "q", CDN_STAGE_EMPTY, NULL },
    { TICKET_U, NODE_VARIABLE, "u", CDN_STAGE_EMPTY, NULL },
    { TICKET_Z, NODE_VARIABLE, "z", CDN_STAGE_EMPTY, NULL },
    { TICKET_Q_EFF, NODE_ENTRY, "q_eff", CDN_STAGE_EMPTY, NULL },
    { TICKET_U_EFF, NODE_ENTRY, "u_eff", CDN_STAGE_EMPTY, NULL },
    { TICKET_QDOT, NODE_ENTRY, "qdot", CDN_STAGE_VELOCITY, cdni_calc_qdot },
    { TICKET_UDOT, NODE_ENTRY, "udot", CDN_STAGE_ACCELERATION, cdni_calc_udot },
    { TICKET_ZDOT, NODE_ENTRY, "zdot", CDN_STAGE_ACCELERATION, cdni_calc_zdot },
    { TICKET_QERR, NODE_ENTRY, "qerr", CDN_STAGE_EMPTY, cdni_calc_qerr },
    { TICKET_UERR, NODE_ENTRY, "uerr", CDN_STAGE_EMPTY, cdni_calc_uerr },
    { TICKET_UDOTERR, NODE_ENTRY, "udoterr", CDN_STAGE_EMPTY, cdni_calc_udoterr },
    { TICKET_MULTIPLIERS, NODE_ENTRY, "multipliers", CDN_STAGE_EMPTY, cdni_calc_multipliers },
  };
  for (int i = 0; i < CDNI_COUNT(fixed); i++) {
    node *f = &n[fixed[i].ticket];
    f->kind = fixed[i].kind, f->eager = fixed[i].eager, f->calc = fixed[i].calc;
    if (!(f->name = cdni_strdup(&s->allocator, fixed[i].name))) return false;
  }
  for (int stage = CDN_STAGE_TOPOLOGY; stage < CDN_STAGE_COUNT; stage++) {
    node *f = &n[TICKET_STAGE_EMPTY + stage];
    f->kind = NODE_STAGE;
    if (!(f->name = cdni_strdup(&s->allocator, cdn_stage_name((cdn_stage)stage)))) return false;
  }
  return true;
}

/* The stages' order, and what the pools and their rates depend on (8.1). Where a motion is a function of time its
 * subsystem adds an edge from time to q_eff or u_eff (cdn_declare_effective); without one, time alone moves nothing. */
static bool add_fixed_edges(cdn_system *s) {
  static const edge fixed[] = {
    { TICKET_T, TICKET_STAGE_EMPTY + CDN_STAGE_TIME },
    { TICKET_Q, TICKET_Q_EFF },
    { TICKET_Q_EFF, TICKET_STAGE_EMPTY + CDN_STAGE_POSITION },
    { TICKET_U, TICKET_U_EFF },
    { TICKET_Q_EFF, TICKET_U_EFF },
    { TICKET_U_EFF, TICKET_STAGE_EMPTY + CDN_STAGE_VELOCITY },
    { TICKET_Z, TICKET_STAGE_EMPTY + CDN_STAGE_FORCE },
    { TICKET_STAGE_EMPTY + CDN_STAGE_POSITION, TICKET_QDOT },
    { TICKET_U_EFF, TICKET_QDOT },
    { TICKET_STAGE_EMPTY + CDN_STAGE_FORCE, TICKET_UDOT },
    { TICKET_UDOT, TICKET_ZDOT },
    { TICKET_STAGE_EMPTY + CDN_STAGE_POSITION, TICKET_QERR },
    { TICKET_STAGE_EMPTY + CDN_STAGE_VELOCITY, TICKET_UERR },
    { TICKET_UDOT, TICKET_UDOTERR },
    { TICKET_UDOT, TICKET_MULTIPLIERS },
    { TICKET_MULTIPLIERS, TICKET_ZDOT },
  };
  bool ok = true;
  for (int i = 0; i < CDNI_COUNT(fixed); i++) ok = ok && cdni_edge_add(s, fixed[i].from, fixed[i].to);
  for (int32_t stage = CDN_STAGE_TOPOLOGY + 1; stage < CDN_STAGE_COUNT; stage++)
    ok = ok && cdni_edge_add(s, TICKET_STAGE_EMPTY + stage - 1, TICKET_STAGE_EMPTY + stage);
  return ok;
}

static void system_destroy(cdn_system *s) {
  cdn_allocator a = s->allocator;
  for (int r = CDNI_MOST_ROOMS - 1; r >= 0; r--)
    if (s->rooms[r]) {
      if (cdni_rooms[r]->destroy) cdni_rooms[r]->destroy(s, s->rooms[r]);
      cdni_free(&a, s->rooms[r], cdni_rooms[r]->size);
    }
  for (size_t i = 0; i < s->subsystems.count; i++) {
    subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
    if (sub->ops.destroy) sub->ops.destroy(sub->self);
    if (sub->self) cdni_free(&a, sub->self, sub->ops.self_size);
    cdni_strfree(&a, sub->name);
  }
  for (size_t i = 0; i < s->nodes.count; i++) {
    node *n = node_at(s, (int32_t)i);
    cdni_strfree(&a, n->name);
    if (n->initial) cdni_free(&a, n->initial, n->initial_size);
  }
  cdni_array *arrays[] = {
    &s->subsystems,  &s->nodes,       &s->edges,   &s->z_groups,  &s->trigger_groups, &s->autos,
    &s->vector_runs, &s->prescribers, &s->moving,  &s->with_z,    &s->stopping,       &s->q0,
    &s->u0,          &s->z0,          &s->z_scale, &s->z_filters, &s->regions,        &s->shared
  };
  size_t tickets = s->nodes.count;
  if (s->downstream) cdni_free(&a, s->downstream, tickets * (size_t)s->words * sizeof(uint64_t));
  if (s->eager) cdni_free(&a, s->eager, tickets * sizeof(int32_t));
  cdni_events_free(s);
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(&a, arrays[i]);
  for (int i = 0; i < CDN_ELEMENT_COUNT; i++) cdni_array_free(&a, &s->users[i]);
  cdni_strfree(&a, s->name);
  cdni_free(&a, s, sizeof *s);
}

cdn_system *cdn_system_create(const cdn_system_def *def) {
  cdn_system_def d;
  if (read_system_def(&d, def ? def : &system_def_defaults)) return NULL;
  if (!d.allocator.alloc != !d.allocator.free) return NULL;
  cdn_allocator a = cdni_allocator_or_default(d.allocator);
  cdn_system *s = cdni_calloc(&a, sizeof *s);
  if (!s) return NULL;
  atomic_init(&s->references, 1);
  s->allocator = a;
  s->lanes = 1;
  s->audit = d.audit;
  s->mark = (int32_t)((uintptr_t)s / CDNI_ALIGN % INT32_MAX) + 1;
  s->name = cdni_strdup(&a, d.name ? d.name : "system");
  if (!s->name || !add_fixed_nodes(s) || !add_fixed_edges(s)) {
    system_destroy(s);
    return NULL;
  }
  return s;
}

/* The count is the one mutable member of a frozen System, and it is atomic. */
void cdn_system_retain(const cdn_system *system) {
  if (system) atomic_fetch_add_explicit(&((cdn_system *)system)->references, 1, memory_order_relaxed);
}

void cdn_system_release(const cdn_system *system) {
  cdn_system *s = (cdn_system *)system;
  if (s && atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) == 1) system_destroy(s);
}

/* ---- sticky errors ---- */

cdn_status cdni_system_fail(cdn_system *system, cdn_status code, const char *function, const char *element,
                            const char *format, ...) {
  if (system->error.code == CDN_OK) {
    va_list args;
    va_start(args, format);
    cdni_error_vset(&system->error, code, function, element, format, args);
    va_end(args);
  }
  return code;
}

bool cdni_system_refuses(cdn_system *system, const char *function) {
  if (!system) return true;
  if (system->frozen) {
    cdni_system_fail(system, CDN_ERR_FROZEN, function, NULL,
                     "the System is frozen; nothing can be added. Build a new System for another topology");
    return true;
  }
  return system->error.code != CDN_OK;
}

void cdn_system_last_error_sized(const cdn_system *system, cdn_error *out, size_t size) {
  cdn_error none;
  if (!system) cdni_error_set(&none, CDN_ERR_NOMEM, "cdn_system_create", NULL, "there is no System");
  cdni_sized_write(out, size, system ? &system->error : &none, sizeof none);
}

const cdn_allocator *cdni_system_allocator(const cdn_system *system) { return &system->allocator; }

/* ---- rooms ---- */

void *cdni_system_room(cdn_system *system, int which) {
  if (!system->rooms[which]) system->rooms[which] = cdni_calloc(&system->allocator, cdni_rooms[which]->size);
  if (!system->rooms[which]) cdni_system_fail(system, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  return system->rooms[which];
}

const void *cdni_system_room_get(const cdn_system *system, int which) { return system ? system->rooms[which] : NULL; }

/* ---- freezing ---- */

/* Those from `first` on. */
static cdn_status declare(cdn_system *s, size_t first) {
  for (size_t i = first; i < s->subsystems.count; i++) {
    subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
    if (!sub->ops.declare) continue;
    cdn_declarer d = { .system = s, .subsystem = (int32_t)i };
    cdn_status status = sub->ops.declare(sub->self, &d);
    sub = &CDNI_AT(s->subsystems, subsystem, i);
    if (status == CDN_OK) status = d.status;
    if (status == CDN_OK) status = s->error.code; /* what ran out of memory on the way */
    if (status != CDN_OK)
      return cdni_system_fail(s, status, "cdn_system_freeze", sub->name,
                              "subsystem '%s' failed to declare its resources: %s", sub->name, cdn_status_text(status));
  }
  return CDN_OK;
}

/* Which subsystems stages and steps ask for what. */
static cdn_status list_subsystems(cdn_system *s) {
  s->moving.count = s->with_z.count = s->stopping.count = 0;
  for (int32_t i = 0; (size_t)i < s->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(s->subsystems, subsystem, i);
    if ((sub->moves && !cdni_array_push(&s->allocator, &s->moving, sizeof i, &i)) ||
        (sub->runs.nz > 0 && !cdni_array_push(&s->allocator, &s->with_z, sizeof i, &i)) ||
        (sub->ops.next_stop && !cdni_array_push(&s->allocator, &s->stopping, sizeof i, &i)))
      return CDN_ERR_NOMEM;
  }
  return CDN_OK;
}

static cdn_status freeze(cdn_system *s) {
  for (int r = 0; r < CDNI_MOST_ROOMS && cdni_rooms[r]; r++)
    if (cdni_rooms[r]->prepare) CDNI_TRY(cdni_rooms[r]->prepare(s));
  for (int r = 0; r < CDNI_MOST_ROOMS && cdni_rooms[r]; r++) {
    if (s->rooms[r] && cdni_rooms[r]->freeze) CDNI_TRY(cdni_rooms[r]->freeze(s, s->rooms[r]));
  }
  CDNI_TRY(declare(s, 0));
  for (int r = 0; r < CDNI_MOST_ROOMS && cdni_rooms[r]; r++) {
    const cdni_room_ops *ops = cdni_rooms[r];
    if (!s->rooms[r] && ops->needed && ops->needed(s) && !cdni_system_room(s, r)) return s->error.code;
    if (!s->rooms[r] || !ops->subsystem) continue;
    const size_t before = s->subsystems.count;
    const cdn_subsystem made = cdn_system_add_subsystem(s, ops->subsystem, &s->rooms[r]);
    if (made.i < 0) return s->error.code;
    cdni_subsystem_is_room(s, made);
    CDNI_TRY(declare(s, before));
  }
  CDNI_TRY(list_subsystems(s));
  CDNI_TRY(cdni_names_freeze(s));
  CDNI_TRY(cdni_graph_freeze(s));
  cdni_triggers_freeze(s);
  CDNI_TRY(cdni_layout_plan(s));
  for (int r = 0; r < CDNI_MOST_ROOMS && cdni_rooms[r]; r++)
    if (s->rooms[r] && cdni_rooms[r]->planned) CDNI_TRY(cdni_rooms[r]->planned(s, s->rooms[r]));
  return CDN_OK;
}

cdn_status cdn_system_freeze(cdn_system *system) {
  CDNI_NEED_OBJECT(system, CDN_ERR_ARG);
  if (system->frozen)
    return cdni_refuse(CDN_ERR_FROZEN, __func__, "System '%s' is frozen already; it stays so", system->name);
  if (system->error.code != CDN_OK) {
    cdni_error_tell(&system->error);
    return system->error.code;
  }
  system->freezing = true;
  cdn_status status = freeze(system);
  system->freezing = false;
  if (status != CDN_OK && system->error.code == CDN_OK)
    cdni_error_set(&system->error, status, "cdn_system_freeze", NULL, "freezing failed: %s", cdn_status_text(status));
  system->frozen = status == CDN_OK;
  if (system->frozen) return CDN_OK;
  cdni_error_tell(&system->error);
  return system->error.code;
}

/* ---- queries ---- */

bool cdn_system_is_frozen(const cdn_system *system) { return system && system->frozen; }
const char *cdn_system_name(const cdn_system *system) { return system ? system->name : NULL; }
int cdn_system_nq(const cdn_system *system) { return system ? system->nq : 0; }
int cdn_system_nu(const cdn_system *system) { return system ? system->nu : 0; }
int cdn_system_nz(const cdn_system *system) { return system ? system->nz : 0; }
size_t cdn_system_state_size(const cdn_system *system) { return system ? system->block_size : 0; }

void cdn_system_slot_name(const cdn_system *system, cdn_pool pool, int i, char *text, size_t size) {
  if (!text || size == 0) return;
  text[0] = 0;
  if (pool < CDN_POOL_Q || pool > CDN_POOL_Z) return;
  for (size_t k = 0; system && k < system->subsystems.count; k++) {
    const subsystem *sub = &CDNI_AT(system->subsystems, subsystem, k);
    int first = pool == CDN_POOL_Q ? sub->runs.q : pool == CDN_POOL_U ? sub->runs.u : sub->runs.z;
    int n = pool == CDN_POOL_Q ? sub->runs.nq : pool == CDN_POOL_U ? sub->runs.nu : sub->runs.nz;
    if (i < first || i >= first + n) continue;
    if (sub->ops.slot_name && pool != CDN_POOL_Z) sub->ops.slot_name(sub->self, pool, i - first, text, size);
    else snprintf(text, size, "%s.%c[%d]", sub->name, "quz"[pool], i - first);
    return;
  }
}

/* ---- subsystems ---- */

cdn_subsystem cdn_system_add_subsystem(cdn_system *system, const cdn_subsystem_ops *ops, const void *self) {
  cdn_subsystem id = { -1 };
  if (cdni_system_refuses(system, __func__)) return id;
  cdn_subsystem_ops known;
  const char *unreadable = CDNI_READ_OPS(cdn_subsystem_ops, &known, ops);
  ops = &known;
  if (unreadable) {
    cdni_system_fail(system, CDN_ERR_VERSION, __func__, NULL, "%s", unreadable);
    return id;
  }
  if (ops->self_size > 0 && !self) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, ops->name, "self is NULL but ops.self_size is %zu", ops->self_size);
    return id;
  }
  subsystem sub = { .ops = *ops };
  char made_up[32];
  snprintf(made_up, sizeof made_up, "subsystem%zu", system->subsystems.count);
  sub.name = cdni_strdup(&system->allocator, ops->name ? ops->name : made_up);
  sub.self = ops->self_size ? cdni_alloc(&system->allocator, ops->self_size) : NULL;
  if (sub.self) memcpy(sub.self, self, ops->self_size);
  bool ok = sub.name && (sub.self || !ops->self_size);
  if (!ok || !cdni_array_push(&system->allocator, &system->subsystems, sizeof sub, &sub)) {
    cdni_strfree(&system->allocator, sub.name);
    if (sub.self) cdni_free(&system->allocator, sub.self, ops->self_size);
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, ops->name, "out of memory");
    return id;
  }
  CDNI_AT(system->subsystems, subsystem, system->subsystems.count - 1).ops.name = sub.name;
  id.i = (int32_t)system->subsystems.count - 1;
  return id;
}

const void *cdn_subsystem_self(const cdn_system *system, cdn_subsystem id) {
  if (!system || id.i < 0 || (size_t)id.i >= system->subsystems.count) return NULL;
  return CDNI_AT(system->subsystems, subsystem, id.i).self;
}

void *cdni_subsystem_self_mutable(cdn_system *system, cdn_subsystem id) {
  return (void *)cdn_subsystem_self(system, id);
}

bool cdni_subsystem_is_of(const cdn_system *system, cdn_subsystem id, cdn_status (*its)(void *, cdn_declarer *)) {
  if (!system || id.i < 0 || (size_t)id.i >= system->subsystems.count) return false;
  return CDNI_AT(system->subsystems, subsystem, id.i).ops.declare == its;
}

cdni_runs cdni_subsystem_runs(const cdn_system *system, cdn_subsystem id) {
  return CDNI_AT(system->subsystems, subsystem, id.i).runs;
}

static const z_group *group_of(const cdn_system *system, cdn_zvar z) {
  return z.group < 0 || (size_t)z.group >= system->z_groups.count ? NULL : &CDNI_AT(system->z_groups, z_group, z.group);
}

int cdni_zvar_first(const cdn_system *system, cdn_zvar z) {
  const z_group *g = group_of(system, z);
  return g ? g->first : -1;
}

int cdni_zvar_count(const cdn_system *system, cdn_zvar z) {
  const z_group *g = group_of(system, z);
  return g ? g->n : 0;
}

const cdn_subsystem_ops *cdni_subsystem_ops(const cdn_system *system, int i) {
  return i < 0 || (size_t)i >= system->subsystems.count ? NULL : &CDNI_AT(system->subsystems, subsystem, i).ops;
}
