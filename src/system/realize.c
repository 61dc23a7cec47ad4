/* Realization: stage by stage (push) and entry by entry (pull) over one graph of validity bits, and the audit. */
#include <math.h>

#include "math/lane_block.h"
#include "system/structs.h"

/* ---- the audit ---- */

bool cdni_state_audit_read(const cdn_state *state, cdn_ticket ticket) {
  const cdn_system *sys = state->system;
  if (state->depth == 0) return true;
  int32_t reader = state->stack[state->depth - 1];
  if (reader == ticket.i || bit_is_set(sys->downstream + (size_t)ticket.i * (size_t)sys->words, reader)) return true;
  cdn_state *s = (cdn_state *)state;
  if (!s->audit_failed)
    cdni_state_fail(
        s, CDN_ERR_UNDECLARED, false, "cdn_eval", node_at(sys, reader)->name,
        "'%s' read '%s', which is not among its prerequisites or theirs: declare it, or the value will go stale unnoticed",
        node_at(sys, reader)->name, node_at(sys, ticket.i)->name);
  s->audit_failed = true;
  return false;
}

cdn_ticket cdni_state_computing(const cdn_state *state) {
  return (cdn_ticket){ state->depth > 0 ? state->stack[state->depth - 1] : TICKET_NONE };
}

/* ---- pull ---- */

void cdni_state_stop_by(cdn_state *state, const atomic_bool *stop) { state->stop = stop; }

cdn_status cdni_state_goes_on(cdn_state *s) {
  if (!s->stop || !atomic_load_explicit(s->stop, memory_order_relaxed)) return CDN_OK;
  return cdni_state_fail(s, CDN_ERR_LIMIT, false, "cdn_eval", NULL, "the evaluation was broken off");
}

static cdn_status evaluate(cdn_state *s, int32_t ticket);

static inline cdn_status ensure(cdn_state *s, int32_t ticket) {
  return bit_is_set(s->valid, ticket) ? CDN_OK : evaluate(s, ticket);
}

static cdn_status evaluate(cdn_state *s, int32_t ticket) {
  const cdn_system *sys = s->system;
  const node *n = node_at(sys, ticket);
  if (n->kind == NODE_COMPANION) return ensure(s, n->of);
  if (n->kind != NODE_ENTRY)
    return cdni_state_fail(s, CDN_ERR_ARG, false, "cdn_eval", n->name, "'%s' is not a cache entry of this System",
                           n->name ? n->name : "?");
  if (s->others && cdni_lanes_fetch(s, ticket)) return CDN_OK;
  CDNI_TRY(cdni_state_goes_on(s));
  for (int i = 0; i < s->depth; i++)
    if (s->stack[i] == ticket)
      return cdni_state_fail(s, CDN_ERR_CYCLE, false, "cdn_eval", n->name,
                             "'%s' was asked for while it is being computed", n->name);
  if (s->depth == sys->most_nested)
    return cdni_state_fail(
        s, CDN_ERR_UNDECLARED, false, "cdn_eval", n->name,
        "'%s' is asked for while %d cache entries wait for each other, more than their prerequisites "
        "lead to: one of them reads what it did not declare. Create the System with def.audit to see which",
        n->name, s->depth);

  cdn_status status = CDN_OK;
  if (n->calc) {
    const void *self = n->subsystem < 0 ? sys : CDNI_AT(sys->subsystems, subsystem, n->subsystem).self;
    s->error.code = CDN_OK;
    s->stack[s->depth++] = ticket;
    const int32_t before = s->times ? cdni_state_time_begins(s->times, ticket) : 0;
    status = n->calc(self, s, s->block + n->offset);
    if (s->times) cdni_state_time_ends(s->times, before);
    /* A failure without a message gets one. */
    if (status != CDN_OK && s->error.code == CDN_OK)
      cdni_state_fail(s, status, false, "cdn_eval", n->name, "'%s' could not be computed: %s", n->name,
                      cdn_status_text(status));
    s->depth--;
    if (s->audit_failed && (s->depth == 0 || status == CDN_OK)) {
      status = CDN_ERR_UNDECLARED;
      if (s->depth == 0) s->audit_failed = false;
    }
  }
  if (status == CDN_OK) bit_set(s->valid, ticket);
  return status;
}

cdn_status cdni_state_evaluate(cdn_state *state, cdn_ticket entry) {
  cdni_state_note_read(state, entry);
  return ensure(state, entry.i);
}

bool cdni_state_is_valid(const cdn_state *state, cdn_ticket entry) {
  const node *n = node_at(state->system, entry.i);
  return bit_is_set(state->valid, n->kind == NODE_COMPANION ? n->of : entry.i);
}

void cdni_state_mark_valid(cdn_state *state, cdn_ticket entry) { bit_set(state->valid, entry.i); }

void *cdni_state_storage(cdn_state *state, cdn_cache entry) {
  return state->block + node_at(state->system, entry.ticket.i)->offset;
}

const void *cdn_eval(cdn_state *state, cdn_cache entry) {
  CDNI_NEED_OBJECT(state, NULL);
  if (is_of_another(state, entry.of)) return cdni_state_refuse_other(state, "cdn_eval", entry.ticket), NULL;
  if (entry.ticket.i <= TICKET_NONE || (size_t)entry.ticket.i >= state->system->nodes.count) {
    cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_eval", NULL, "there is no such cache entry in this System");
    return NULL;
  }
  return cdni_state_ensure(state, (cdn_ticket){ entry.ticket.i }) == CDN_OK ? cdni_state_storage(state, entry) : NULL;
}

static const double *pull(cdn_state *s, int32_t ticket) {
  CDNI_NEED_OBJECT(s, NULL);
  if (cdni_state_ensure(s, (cdn_ticket){ ticket }) != CDN_OK) return NULL;
  return state_doubles(s, node_at(s->system, ticket)->offset);
}

const double *cdn_state_q_eff(cdn_state *state) { return pull(state, TICKET_Q_EFF); }
const double *cdn_state_u_eff(cdn_state *state) { return pull(state, TICKET_U_EFF); }
const double *cdn_state_qdot(cdn_state *state) { return pull(state, TICKET_QDOT); }
const double *cdn_state_udot(cdn_state *state) { return pull(state, TICKET_UDOT); }
const double *cdn_state_zdot(cdn_state *state) { return pull(state, TICKET_ZDOT); }

/* ---- push ---- */

cdn_status cdn_realize(cdn_state *state, cdn_stage stage) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (stage >= CDN_STAGE_COUNT)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_realize", NULL, "there is no stage %d", (int)stage);
  const cdn_system *sys = state->system;
  for (int g = CDN_STAGE_MODEL; g <= (int)stage; g++) {
    if (bit_is_set(state->valid, TICKET_STAGE_EMPTY + g)) continue;
    for (int32_t i = sys->eager_first[g]; i < sys->eager_first[g + 1]; i++) {
      cdn_status status = ensure(state, sys->eager[i]);
      if (status != CDN_OK) {
        state->error.stage = (cdn_stage)g;
        cdni_error_tell(&state->error);
        return status;
      }
    }
    bit_set(state->valid, TICKET_STAGE_EMPTY + g);
  }
  return CDN_OK;
}

cdn_stage cdn_state_stage(const cdn_state *state) {
  CDNI_NEED_OBJECT(state, (cdn_stage){ 0 });
  int g = CDN_STAGE_TOPOLOGY;
  while (g + 1 < CDN_STAGE_COUNT && bit_is_set(state->valid, TICKET_STAGE_EMPTY + g + 1)) g++;
  return (cdn_stage)g;
}

/* ---- the rates: each subsystem fills its own runs ---- */

/* A lane whose rates are not finite fails. */
static cdn_status check_lanes(cdn_state *s, const double *rates, size_t n) {
  const int lanes = s->system->lanes;
  if (n == 0 || cdni_all_finite(rates, n, NULL)) return CDN_OK;
  for (int l = 0; l < lanes; l++)
    if (!lane_is_finite(rates, lanes, l, n / (size_t)lanes)) cdni_lane_fail(s, l);
  return CDN_OK;
}

static cdn_status check_rates(cdn_state *s, const char *what, cdn_pool pool, const double *rates, int n) {
  size_t bad;
  if (s->lanes) return check_lanes(s, rates, (size_t)n);
  if (n == 0 || cdni_all_finite(rates, (size_t)n, &bad)) return CDN_OK;
  char slot[96];
  cdn_system_slot_name(s->system, pool, (int)bad, slot, sizeof slot);
  cdni_state_fail(
      s, CDN_ERR_NONFINITE, true, "cdn_realize", slot,
      "the rate of '%s' (%s[%zu]) is %g: a force or a rate function returned a NaN or an infinity, or numbers overflowed",
      slot, what, bad, rates[bad]);
  s->error.index = (int32_t)bad;
  cdni_error_tell(&s->error);
  return CDN_ERR_NONFINITE;
}

static const subsystem *in_list(const cdn_system *sys, const cdni_array *list, size_t i) {
  return &CDNI_AT(sys->subsystems, subsystem, CDNI_AT(*list, int32_t, i));
}

cdn_status cdni_calc_qdot(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  double *qdot = out;
  for (size_t i = 0; i < sys->moving.count; i++) {
    const subsystem *sub = in_list(sys, &sys->moving, i);
    if (sub->ops.calc_qdot) CDNI_TRY(sub->ops.calc_qdot(sub->self, state, qdot + sub->runs.q));
    else if (sub->runs.nu)
      memcpy(qdot + sub->runs.q, cdn_state_u_eff(state) + sub->runs.u, (size_t)sub->runs.nu * sizeof *qdot);
  }
  return check_rates(state, "qdot", CDN_POOL_Q, qdot, sys->nq);
}

cdn_status cdni_calc_udot(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  double *udot = out;
  for (size_t i = 0; i < sys->moving.count; i++) {
    const subsystem *sub = in_list(sys, &sys->moving, i);
    if (sub->runs.nu) CDNI_TRY(sub->ops.calc_udot(sub->self, state, udot + sub->runs.u));
  }
  return check_rates(state, "udot", CDN_POOL_U, udot, sys->nu);
}

cdn_status cdni_calc_zdot(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  double *zdot = out;
  for (size_t i = 0; i < sys->with_z.count; i++) {
    const subsystem *sub = in_list(sys, &sys->with_z, i);
    CDNI_TRY(sub->ops.calc_zdot(sub->self, state, zdot + sub->runs.z));
  }
  return check_rates(state, "zdot", CDN_POOL_Z, zdot, sys->nz);
}

/* ---- N for the whole System ---- */

static cdn_status multiply_by_N(cdn_state *state, const double *in, double *out, bool inverse) {
  const cdn_system *sys = state->system;
  for (size_t i = 0; i < sys->moving.count; i++) {
    const subsystem *sub = in_list(sys, &sys->moving, i);
    const double *from = in + (inverse ? sub->runs.q : sub->runs.u);
    double *to = out + (inverse ? sub->runs.u : sub->runs.q);
    cdn_status (*own)(const void *, cdn_state *, const double *, double *) =
        inverse ? sub->ops.multiply_by_N_inv : sub->ops.multiply_by_N;
    if (own) CDNI_TRY(own(sub->self, state, from, to));
    else memcpy(to, from, (size_t)sub->runs.nu * sizeof *to);
  }
  return CDN_OK;
}

cdn_status cdni_state_multiply_by_N(cdn_state *state, const double *u, double *q) {
  return multiply_by_N(state, u, q, false);
}
cdn_status cdni_state_multiply_by_N_inv(cdn_state *state, const double *q, double *u) {
  return multiply_by_N(state, q, u, true);
}

double cdni_state_normalize_q(const cdn_state *state, double *q, double *scale) {
  const cdn_system *sys = state->system;
  double worst = 0;
  for (int i = 0; scale && i < sys->nq; i++) scale[i] = 1;
  for (size_t i = 0; i < sys->moving.count; i++) {
    const subsystem *sub = in_list(sys, &sys->moving, i);
    if (sub->ops.normalize_q)
      worst = fmax(worst, sub->ops.normalize_q(sub->self, state, q + sub->runs.q, scale ? scale + sub->runs.q : NULL));
  }
  return worst;
}
