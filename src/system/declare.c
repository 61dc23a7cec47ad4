/* Declaring resources: the parts of a State that a subsystem asks for. */
#include <math.h>
#include <stdio.h>

#include "system/hints.h"
#include "system/structs.h"

/* A subsystem has the node of this ticket. */
static void take_node(subsystem *s, int32_t ticket) {
  if (s->nodes_to == 0 || ticket < s->nodes_from) s->nodes_from = ticket;
  if (ticket >= s->nodes_to) s->nodes_to = ticket + 1;
}

int32_t cdni_node_add(cdn_system *s, const char *subsystem_name, const char *name, node_kind kind, int32_t owner) {
  char full[192];
  snprintf(full, sizeof full, "%s.%s", subsystem_name, name ? name : "?");
  node n = { .kind = kind, .subsystem = owner, .name = cdni_strdup(&s->allocator, full) };
  if (!n.name || !cdni_array_push(&s->allocator, &s->nodes, sizeof n, &n)) {
    cdni_strfree(&s->allocator, n.name);
    cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", full, "out of memory");
    return TICKET_NONE;
  }
  const int32_t ticket = (int32_t)s->nodes.count - 1;
  if (owner >= 0) take_node(&CDNI_AT(s->subsystems, subsystem, owner), ticket);
  return ticket;
}

bool cdni_edge_add(cdn_system *s, int32_t from, int32_t to) {
  edge e = { from, to };
  return cdni_array_push(&s->allocator, &s->edges, sizeof e, &e) != NULL;
}

static const char *subsystem_name(const cdn_declarer *d) {
  return CDNI_AT(d->system->subsystems, subsystem, d->subsystem).name;
}
static subsystem *declaring(const cdn_declarer *d) { return &CDNI_AT(d->system->subsystems, subsystem, d->subsystem); }

void cdni_declare_differenced_rates(cdn_declarer *d) { declaring(d)->ops.calc_zdot_derivative = NULL; }

cdn_status cdn_declare_error(cdn_declarer *d, cdn_status code, const char *format, ...) {
  CDNI_NEED_OBJECT(d, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(format, CDN_ERR_ARG);
  if (d->status == CDN_OK) d->status = code;
  cdn_system *s = d->system;
  if (s->error.code == CDN_OK) {
    va_list args;
    va_start(args, format);
    cdni_error_vset(&s->error, code, "cdn_system_freeze", subsystem_name(d), format, args);
    va_end(args);
  }
  return code;
}

static bool no_memory(cdn_declarer *d) {
  cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
  return false;
}

/* ---- pools ---- */

/* Whether a pool of this size has room for n more. */
static bool fits(cdn_declarer *d, size_t has, int64_t n, const char *what) {
  if (n <= MOST_SLOTS && has <= (size_t)(MOST_SLOTS - n)) return true;
  cdn_declare_error(d, CDN_ERR_LIMIT, "subsystem '%s' declares %lld %s: a System has %d of them at most",
                    subsystem_name(d), (long long)n, what, (int)MOST_SLOTS);
  return false;
}

/* Whether one variable or entry may be so large. */
static bool is_sized(cdn_declarer *d, const char *name, size_t size) {
  if (size <= MOST_BYTES) return true;
  cdn_declare_error(d, CDN_ERR_LIMIT,
                    "'%s.%s' has %zu bytes: %zu is the most that one variable or cache entry may have",
                    subsystem_name(d), name ? name : "?", size, MOST_BYTES);
  return false;
}

/* Whether a list of prerequisites is one. */
static bool is_listed(cdn_declarer *d, const char *name, int n, const cdn_ticket *prerequisites) {
  if (n >= 0 && (n == 0 || prerequisites)) return true;
  cdn_declare_error(d, CDN_ERR_ARG, "'%s.%s' has %d prerequisites%s", subsystem_name(d), name ? name : "?", n,
                    prerequisites ? "" : ", but no list of them");
  return false;
}

static bool append_defaults(cdn_declarer *d, cdni_array *pool, int n, const double *values, const char *what) {
  size_t bad;
  if (!fits(d, pool->count, n, what)) return false;
  if (n < 0 || (values && !cdni_all_finite(values, (size_t)n, &bad))) {
    cdn_declare_error(d, n < 0 ? CDN_ERR_ARG : CDN_ERR_NONFINITE, "a %s group of '%s' has %s", what, subsystem_name(d),
                      n < 0 ? "a negative size" : "a default value that is not finite");
    return false;
  }
  if (n == 0) return true;
  double *to = cdni_array_extend(&d->system->allocator, pool, sizeof(double), (size_t)n);
  if (!to) return no_memory(d);
  if (values) memcpy(to, values, (size_t)n * sizeof(double));
  return true;
}

void cdn_declare_qu(cdn_declarer *d, int nq, const double *q0, int nu, const double *u0) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  cdn_system *s = d->system;
  subsystem *sub = declaring(d);
  if (sub->moves) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' declares q and u twice: one call with all of them", sub->name);
    return;
  }
  if (nu > 0 && !sub->ops.calc_udot) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' declares u but its ops have no calc_udot", sub->name);
    return;
  }
  bool own_N = sub->ops.calc_qdot && sub->ops.multiply_by_N && sub->ops.multiply_by_N_inv;
  if (nq != nu && !own_N) {
    cdn_declare_error(d, CDN_ERR_ARG,
                      "subsystem '%s' has %d q and %d u: it needs calc_qdot, multiply_by_N and multiply_by_N_inv",
                      sub->name, nq, nu);
    return;
  }
  if (!sub->ops.calc_q_eff != !sub->ops.calc_u_eff || !sub->ops.calc_q_eff != !sub->ops.mark_prescribed) {
    cdn_declare_error(d, CDN_ERR_ARG,
                      "subsystem '%s' has some of calc_q_eff, calc_u_eff and mark_prescribed: bring all or none",
                      sub->name);
    return;
  }
  if (sub->ops.calc_q_eff) {
    if (!cdni_array_push(&s->allocator, &s->prescribers, sizeof d->subsystem, &d->subsystem)) {
      no_memory(d);
      return;
    }
    node_at(s, TICKET_Q_EFF)->calc = cdni_calc_q_eff;
    node_at(s, TICKET_U_EFF)->calc = cdni_calc_u_eff;
  }
  int q = (int)s->q0.count, u = (int)s->u0.count;
  if (!append_defaults(d, &s->q0, nq, q0, "q") || !append_defaults(d, &s->u0, nu, u0, "u")) return;
  sub->moves = true;
  sub->runs.q = q, sub->runs.nq = nq, sub->runs.u = u, sub->runs.nu = nu;
}

void cdn_declare_effective(cdn_declarer *d, cdn_pool pool, int n_prerequisites, const cdn_ticket *prerequisites) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  if (pool != CDN_POOL_Q && pool != CDN_POOL_U) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s': only q and u have effective values", subsystem_name(d));
    return;
  }
  const int32_t entry = pool == CDN_POOL_Q ? TICKET_Q_EFF : TICKET_U_EFF;
  if (!is_listed(d, node_at(d->system, entry)->name, n_prerequisites, prerequisites)) return;
  for (int i = 0; i < n_prerequisites; i++) cdni_declare_prerequisite(d, (cdn_cache){ 0, { entry } }, prerequisites[i]);
}

cdn_zvar cdn_declare_z(cdn_declarer *d, int n, const double *z0) {
  CDNI_NEED_OBJECT(d, ((cdn_zvar){ -1, { TICKET_Z } }));
  cdn_system *s = d->system;
  subsystem *sub = declaring(d);
  cdn_zvar z = { -1, { TICKET_Z } };
  if (n > 0 && !sub->ops.calc_zdot) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' declares z but its ops have no calc_zdot", sub->name);
    return z;
  }
  z_group g = { d->subsystem, (int32_t)s->z0.count, n };
  if (!append_defaults(d, &s->z0, n, z0, "z")) return z;
  if (sub->runs.nz == 0) sub->runs.z = g.first;
  sub->runs.nz += n;
  if (!cdni_array_push(&s->allocator, &s->z_groups, sizeof g, &g)) no_memory(d);
  else z.group = (int32_t)s->z_groups.count - 1;
  return z;
}

bool cdni_z_scale_complete(cdn_system *s) {
  const double one = 1;
  while (s->z_scale.count < s->z0.count) {
    if (!cdni_array_push(&s->allocator, &s->z_scale, sizeof one, &one)) return false;
  }
  return true;
}

void cdn_declare_z_scale(cdn_declarer *d, cdn_zvar z, const double *scale) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  cdn_system *s = d->system;
  if (z.group < 0 || (size_t)z.group >= s->z_groups.count) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' scales a group of z that it has not declared", subsystem_name(d));
    return;
  }
  if (!scale) {
    cdn_declare_error(d, CDN_ERR_ARG, "the unit changes of z of '%s' are NULL", subsystem_name(d));
    return;
  }
  const z_group g = CDNI_AT(s->z_groups, z_group, z.group);
  for (int i = 0; i < g.n; i++) {
    if (scale[i] > 0 && isfinite(scale[i])) continue;
    cdn_declare_error(d, CDN_ERR_ARG, "the unit change of z[%d] of '%s' is %g: it must be positive and finite", i,
                      subsystem_name(d), scale[i]);
    return;
  }
  if (!cdni_z_scale_complete(s)) no_memory(d);
  else if (g.n > 0) memcpy(&CDNI_AT(s->z_scale, double, g.first), scale, (size_t)g.n * sizeof *scale);
}

void cdni_declare_z_filter(cdn_declarer *d, cdn_zvar z, double time) {
  cdn_system *s = d->system;
  const double none = 0;
  if (z.group < 0) return; /* an error is there */
  const z_group g = CDNI_AT(s->z_groups, z_group, z.group);
  while (s->z_filters.count < (size_t)(g.first + g.n))
    if (!cdni_array_push(&s->allocator, &s->z_filters, sizeof none, &none)) {
      no_memory(d);
      return;
    }
  for (int i = 0; i < g.n; i++) CDNI_AT(s->z_filters, double, g.first + i) = time;
}

/* ---- discrete variables ---- */

static int32_t add_variable(cdn_declarer *d, const char *name, size_t size, const void *initial) {
  cdn_system *s = d->system;
  if (size == 0) {
    cdn_declare_error(d, CDN_ERR_ARG, "variable '%s.%s' has size 0", subsystem_name(d), name);
    return TICKET_NONE;
  }
  if (!is_sized(d, name, size)) return TICKET_NONE;
  int32_t t = cdni_node_add(s, subsystem_name(d), name, NODE_VARIABLE, d->subsystem);
  if (t == TICKET_NONE) return t;
  node *n = node_at(s, t);
  n->size = n->initial_size = size;
  n->initial = cdni_calloc(&s->allocator, size);
  if (!n->initial) no_memory(d);
  else if (initial) memcpy(n->initial, initial, size);
  return t;
}

cdn_dvar cdn_declare_discrete(cdn_declarer *d, const char *name, size_t size, const void *initial,
                              cdn_stage invalidates) {
  CDNI_NEED_OBJECT(d, ((cdn_dvar){ 0, { TICKET_NONE } }));
  cdn_dvar v = { 0, { TICKET_NONE } };
  if (invalidates < CDN_STAGE_MODEL || invalidates >= CDN_STAGE_COUNT) {
    cdn_declare_error(d, CDN_ERR_ARG, "variable '%s.%s' must invalidate Model stage or a later one", subsystem_name(d),
                      name);
    return v;
  }
  v = (cdn_dvar){ d->system->mark, { add_variable(d, name, size, initial) } };
  if (v.ticket.i == TICKET_NONE) return v;
  node_at(d->system, v.ticket.i)->eager = invalidates;
  if (!cdni_edge_add(d->system, v.ticket.i, TICKET_STAGE_EMPTY + (int32_t)invalidates)) no_memory(d);
  return v;
}

static cdn_dvar declare_numbers(cdn_declarer *d, const char *name, int n, const double *defaults, cdn_stage stage) {
  size_t bad;
  cdn_dvar v = { 0, { TICKET_NONE } };
  if (n < 0) {
    cdn_declare_error(d, CDN_ERR_ARG, "the parameter array '%s.%s' has a negative size", subsystem_name(d), name);
    return v;
  }
  if (!is_sized(d, name, (size_t)n * sizeof(double))) return v;
  if (n > 0 && defaults && !cdni_all_finite(defaults, (size_t)n, &bad)) {
    cdn_declare_error(d, CDN_ERR_NONFINITE, "parameter %zu of '%s.%s' is not finite", bad, subsystem_name(d), name);
    n = 0;
  }
  /* An empty array still has a ticket that may be named as a prerequisite. */
  double none = 0;
  v = cdn_declare_discrete(d, name, (size_t)(n > 0 ? n : 1) * sizeof(double), n > 0 ? defaults : &none, stage);
  if (v.ticket.i != TICKET_NONE) node_at(d->system, v.ticket.i)->parameters = true;
  return v;
}

cdn_dvar cdn_declare_parameters(cdn_declarer *d, const char *name, int n, const double *defaults) {
  CDNI_NEED_OBJECT(d, ((cdn_dvar){ 0, { TICKET_NONE } }));
  return declare_numbers(d, name, n, defaults, CDN_STAGE_INSTANCE);
}

cdn_dvar cdni_declare_values(cdn_declarer *d, const char *name, int n, const double *defaults) {
  return declare_numbers(d, name, n, defaults, CDN_STAGE_REPORT);
}

cdn_autovar cdn_declare_auto_update(cdn_declarer *d, const char *name, size_t size, const void *initial,
                                    cdn_calc_fn *calc, int n_prerequisites, const cdn_ticket *prerequisites) {
  CDNI_NEED_OBJECT(d, ((cdn_autovar){ { 0, { TICKET_NONE } }, { 0, { TICKET_NONE } } }));
  cdn_autovar v = { { 0, { TICKET_NONE } }, { 0, { TICKET_NONE } } };
  v.variable = (cdn_dvar){ d->system->mark, { add_variable(d, name, size, initial) } };
  if (v.variable.ticket.i == TICKET_NONE) return v;
  char update[128];
  snprintf(update, sizeof update, "%s.update", name);
  v.update = cdn_declare_cache(d, update, size, calc, n_prerequisites, prerequisites);
  if (v.update.ticket.i == TICKET_NONE) return v;
  /* The next value is computed from the present one. */
  auto_variable a = { v.variable.ticket.i, v.update.ticket.i };
  if (!cdni_edge_add(d->system, a.variable, a.update) ||
      !cdni_array_push(&d->system->allocator, &d->system->autos, sizeof a, &a))
    no_memory(d);
  return v;
}

/* ---- cache entries ---- */

cdn_ticket cdni_ticket_reserve(cdn_system *s) {
  const node blank = { .kind = NODE_NONE, .subsystem = -1 };
  if (!cdni_array_push(&s->allocator, &s->nodes, sizeof blank, &blank)) {
    cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
    return (cdn_ticket){ TICKET_NONE };
  }
  return (cdn_ticket){ (int32_t)s->nodes.count - 1 };
}

void cdni_declare_well_known(cdn_declarer *d, cdn_ticket ticket) { d->well_known = ticket.i; }

static int32_t add_entry(cdn_declarer *d, const char *name, node_kind kind, size_t size) {
  cdn_system *s = d->system;
  int32_t t = cdni_node_add(s, subsystem_name(d), name, kind, d->subsystem);
  if (t != TICKET_NONE && d->well_known) {
    /* Move it to its fixed number. */
    node *fixed = node_at(s, d->well_known);
    if (fixed->kind != NODE_NONE)
      cdn_declare_error(d, CDN_ERR_ARG, "'%s' and '%s' claim the same well-known ticket", fixed->name,
                        node_at(s, t)->name);
    else {
      *fixed = *node_at(s, t);
      s->nodes.count--;
      t = d->well_known;
      take_node(declaring(d), t);
    }
  }
  d->well_known = 0;
  if (t != TICKET_NONE) node_at(s, t)->size = size;
  return t;
}

cdn_cache cdn_declare_eager_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc,
                                  int n_prerequisites, const cdn_ticket *prerequisites, cdn_stage stage) {
  CDNI_NEED_OBJECT(d, ((cdn_cache){ 0, { TICKET_NONE } }));
  cdn_cache c = { 0, { TICKET_NONE } };
  if (!calc || stage >= CDN_STAGE_COUNT || (stage != CDN_STAGE_EMPTY && stage < CDN_STAGE_MODEL)) {
    cdn_declare_error(d, CDN_ERR_ARG, "cache entry '%s.%s' %s", subsystem_name(d), name,
                      calc ? "cannot be computed at that stage" : "has no compute function");
    return c;
  }
  if (!is_sized(d, name, size) || !is_listed(d, name, n_prerequisites, prerequisites)) return c;
  c = (cdn_cache){ d->system->mark, { add_entry(d, name, NODE_ENTRY, size) } };
  if (c.ticket.i == TICKET_NONE) return c;
  node *n = node_at(d->system, c.ticket.i);
  n->calc = calc;
  n->eager = stage;
  for (int i = 0; i < n_prerequisites; i++) cdni_declare_prerequisite(d, c, prerequisites[i]);
  return c;
}

cdn_cache cdn_declare_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc, int n_prerequisites,
                            const cdn_ticket *prerequisites) {
  CDNI_NEED_OBJECT(d, ((cdn_cache){ 0, { TICKET_NONE } }));
  return cdn_declare_eager_cache(d, name, size, calc, n_prerequisites, prerequisites, CDN_STAGE_EMPTY);
}

void cdni_declare_prerequisite(cdn_declarer *d, cdn_cache entry, cdn_ticket prerequisite) {
  cdn_system *s = d->system;
  if (entry.ticket.i <= TICKET_NONE || (size_t)entry.ticket.i >= s->nodes.count) return;
  if (prerequisite.i <= TICKET_NONE || (size_t)prerequisite.i >= s->nodes.count) {
    cdn_declare_error(d, CDN_ERR_ARG, "cache entry '%s' names a prerequisite that does not exist",
                      node_at(s, entry.ticket.i)->name);
    return;
  }
  if (!cdni_edge_add(s, prerequisite.i, entry.ticket.i)) no_memory(d);
}

void cdni_declare_given(cdn_declarer *d, cdn_cache entry) {
  if (entry.ticket.i != TICKET_NONE) node_at(d->system, entry.ticket.i)->given = true;
}

void cdni_declare_hint(cdn_declarer *d, cdn_ticket ticket) {
  if (ticket.i != TICKET_NONE) node_at(d->system, ticket.i)->hint = true;
}

void cdni_declare_written_by(cdn_declarer *d, cdn_ticket entry, cdn_cache by) {
  node_at(d->system, entry.i)->of = by.ticket.i;
}

cdn_cache cdni_declare_companion(cdn_declarer *d, const char *name, size_t size, cdn_cache of) {
  const cdn_cache c = { d->system->mark, { add_entry(d, name, NODE_COMPANION, size) } };
  if (c.ticket.i == TICKET_NONE) return c;
  node_at(d->system, c.ticket.i)->of = of.ticket.i;
  if (!cdni_edge_add(d->system, of.ticket.i, c.ticket.i)) no_memory(d);
  return c;
}

/* ---- the rest ---- */

void cdn_declare_constraint_errors(cdn_declarer *d, int np, int nv, int na) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  cdn_system *s = d->system;
  subsystem *sub = declaring(d);
  const cdn_subsystem_ops *ops = &sub->ops;
  if (np < 0 || nv < 0 || na < 0 || sub->runs.nudoterr > 0) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' declares %s", sub->name,
                      sub->runs.nudoterr > 0 ? "constraint equations twice: one call with all of them"
                                             : "a negative number of constraint equations");
    return;
  }
  const int64_t all = (int64_t)np + nv + na;
  if ((np > 0 && !ops->calc_qerr) || ((np > 0 || nv > 0) && !ops->calc_uerr) ||
      (all > 0 && (!ops->calc_udoterr || !ops->calc_multipliers))) {
    cdn_declare_error(
        d, CDN_ERR_ARG,
        "subsystem '%s' declares constraint equations but its ops lack calc_qerr, calc_uerr, calc_udoterr "
        "or calc_multipliers",
        sub->name);
    return;
  }
  if (!fits(d, (size_t)s->n_udoterr, all, "constraint equations")) return;
  cdni_runs *r = &sub->runs;
  r->qerr = s->n_qerr, r->nqerr = np;
  r->uerr = s->n_uerr, r->nuerr = np + nv;
  r->udoterr = s->n_udoterr, r->nudoterr = np + nv + na;
  s->n_qerr += r->nqerr;
  s->n_uerr += r->nuerr;
  s->n_udoterr += r->nudoterr;
}

void cdn_declare_previous(cdn_declarer *d) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  d->system->keep_previous = true;
}

cdn_ticket cdn_find_ticket(cdn_declarer *d, const char *name) {
  CDNI_NEED_OBJECT(d, (cdn_ticket){ TICKET_NONE });
  cdn_ticket t = { TICKET_NONE };
  for (size_t i = 1; name && i < d->system->nodes.count; i++) {
    const char *n = node_at(d->system, (int32_t)i)->name;
    if (n && strcmp(n, name) == 0) t.i = (int32_t)i;
  }
  if (t.i == TICKET_NONE)
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' asks for '%s', which nothing declared before it",
                      subsystem_name(d), name ? name : "");
  return t;
}

cdn_subsystem cdni_declarer_subsystem(const cdn_declarer *d) { return (cdn_subsystem){ d->subsystem }; }
const cdn_system *cdni_declarer_system(const cdn_declarer *d) { return d->system; }

static bool has_edge(const cdn_system *s, int32_t from, int32_t to) {
  for (size_t e = 0; e < s->edges.count; e++)
    if (CDNI_AT(s->edges, edge, e).from == from && CDNI_AT(s->edges, edge, e).to == to) return true;
  return false;
}

/* Whether an entry reads rates, or prerequisites of rates: then the rates cannot depend on it. */
static bool reads_rates(const cdn_system *s, int32_t entry) {
  for (size_t e = 0; e < s->edges.count; e++) {
    const edge *p = &CDNI_AT(s->edges, edge, e);
    if (p->to != entry) continue;
    bool late_stage = p->from >= TICKET_STAGE_EMPTY + CDN_STAGE_FORCE && p->from < TICKET_STAGE_EMPTY + CDN_STAGE_COUNT;
    if (late_stage || p->from == TICKET_UDOT || p->from == TICKET_ZDOT || p->from == TICKET_UDOTERR ||
        p->from == TICKET_MULTIPLIERS)
      return true;
    if (p->from >= CDNI_TICKET_WELL_KNOWN && has_edge(s, p->from, TICKET_UDOT)) return true;
  }
  return false;
}

cdn_ticket cdni_subsystem_variable(const cdn_system *system, cdn_subsystem id, int i) {
  cdn_ticket t = { TICKET_NONE };
  const subsystem *s = &CDNI_AT(system->subsystems, subsystem, id.i);
  if (s->runs.nz > 0 && i-- == 0) return CDN_Z;
  for (int32_t k = s->nodes_from; k < s->nodes_to && (size_t)k < system->nodes.count; k++) {
    const node *n = node_at(system, k);
    if (n->subsystem != id.i || (n->kind != NODE_VARIABLE && n->kind != NODE_ENTRY)) continue;
    if (n->kind == NODE_ENTRY && (n->eager >= CDN_STAGE_ACCELERATION || reads_rates(system, k))) continue;
    if (i-- == 0) {
      t.i = k;
      return t;
    }
  }
  return t;
}
