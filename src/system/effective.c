/* Prescribed coordinates (manual 8.3): everything downstream reads the effective values of q and u. They are the
 * variables, with prescribed slots overwritten. If no subsystem can prescribe any, they are the variables
 * themselves, and these functions do not run (layout.c). */
#include "system/structs.h"

static const subsystem *prescriber(const cdn_system *sys, size_t i) {
  return &CDNI_AT(sys->subsystems, subsystem, CDNI_AT(sys->prescribers, int32_t, i));
}

cdn_status cdni_calc_q_eff(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  double *q = out;
  memcpy(q, state_doubles(state, sys->off_y), (size_t)sys->nq * sizeof *q);
  for (size_t i = 0; i < sys->prescribers.count; i++) {
    const subsystem *sub = prescriber(sys, i);
    CDNI_TRY(sub->ops.calc_q_eff(sub->self, state, q + sub->runs.q));
  }
  return CDN_OK;
}

cdn_status cdni_calc_u_eff(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  double *u = out;
  memcpy(u, state_doubles(state, sys->off_y) + sys->nq, (size_t)sys->nu * sizeof *u);
  for (size_t i = 0; i < sys->prescribers.count; i++) {
    const subsystem *sub = prescriber(sys, i);
    CDNI_TRY(sub->ops.calc_u_eff(sub->self, state, u + sub->runs.u));
  }
  return CDN_OK;
}

/* Writes n effective values into their pool. They stay valid, since they do not depend on the values that they
 * replace. */
static cdn_status write_back(cdn_state *s, int32_t variable, int32_t effective, double *pool, int n, bool is_read,
                             bool *changed) {
  CDNI_TRY(cdni_state_ensure(s, (cdn_ticket){ effective }));
  const double *values = state_doubles(s, node_at(s->system, effective)->offset);
  const size_t bytes = (size_t)n * sizeof *values;
  if (n == 0 || values == pool || memcmp(pool, values, bytes) == 0) return CDN_OK;
  memcpy(pool, values, bytes);
  *changed = true;
  if (is_read) {
    invalidate(s, variable);
    return cdni_state_ensure(s, (cdn_ticket){ effective });
  }
  ((uint64_t *)(s->block + s->system->off_serials))[variable]++;
  return CDN_OK;
}

cdn_status cdn_prescribe(cdn_state *state, bool *changed) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *sys = state->system;
  bool any = false;
  if (state->depth > 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_prescribe", NULL,
                           "q and u cannot be set while '%s' is being computed",
                           node_at(sys, state->stack[state->depth - 1])->name);
  double *q = state_doubles(state, sys->off_y);
  CDNI_TRY(write_back(state, TICKET_Q, TICKET_Q_EFF, q, sys->nq, sys->q_is_read, &any));
  CDNI_TRY(write_back(state, TICKET_U, TICKET_U_EFF, q + sys->nq, sys->nu, sys->u_is_read, &any));
  if (changed) *changed = any;
  return CDN_OK;
}

void cdni_state_prescribed(const cdn_state *state, bool *q, bool *u) {
  const cdn_system *sys = state->system;
  if (sys->nq) memset(q, 0, (size_t)sys->nq * sizeof *q);
  if (sys->nu) memset(u, 0, (size_t)sys->nu * sizeof *u);
  for (size_t i = 0; i < sys->prescribers.count; i++) {
    const subsystem *sub = prescriber(sys, i);
    sub->ops.mark_prescribed(sub->self, state, q + sub->runs.q, u + sub->runs.u);
  }
}
