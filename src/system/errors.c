/* Constraint errors and multipliers (manual 7.4.4): pools like those of y; every subsystem fills its own slots. */
#include "system/structs.h"

typedef cdn_status calc_fn(const void *self, cdn_state *state, double *values);

cdn_status cdni_calc_qerr(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  for (size_t i = 0; i < sys->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(sys->subsystems, subsystem, i);
    if (sub->runs.nqerr > 0) CDNI_TRY(sub->ops.calc_qerr(sub->self, state, (double *)out + sub->runs.qerr));
  }
  return CDN_OK;
}

cdn_status cdni_calc_uerr(const void *self, cdn_state *state, void *out) {
  const cdn_system *sys = self;
  for (size_t i = 0; i < sys->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(sys->subsystems, subsystem, i);
    if (sub->runs.nuerr > 0) CDNI_TRY(sub->ops.calc_uerr(sub->self, state, (double *)out + sub->runs.uerr));
  }
  return CDN_OK;
}

static cdn_status calc_late(const cdn_system *sys, cdn_state *state, bool multipliers, double *out) {
  for (size_t i = 0; i < sys->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(sys->subsystems, subsystem, i);
    calc_fn *calc = multipliers ? sub->ops.calc_multipliers : sub->ops.calc_udoterr;
    if (sub->runs.nudoterr > 0) CDNI_TRY(calc(sub->self, state, out + sub->runs.udoterr));
  }
  return CDN_OK;
}

cdn_status cdni_calc_udoterr(const void *self, cdn_state *state, void *out) {
  return calc_late(self, state, false, out);
}
cdn_status cdni_calc_multipliers(const void *self, cdn_state *state, void *out) {
  return calc_late(self, state, true, out);
}

static const double *pull(cdn_state *s, int32_t ticket) {
  CDNI_NEED_OBJECT(s, NULL);
  if (cdni_state_ensure(s, (cdn_ticket){ ticket }) != CDN_OK) return NULL;
  return state_doubles(s, node_at(s->system, ticket)->offset);
}

const double *cdn_state_qerr(cdn_state *state) { return pull(state, TICKET_QERR); }
const double *cdn_state_uerr(cdn_state *state) { return pull(state, TICKET_UERR); }
const double *cdn_state_udoterr(cdn_state *state) { return pull(state, TICKET_UDOTERR); }
const double *cdn_state_multipliers(cdn_state *state) { return pull(state, TICKET_MULTIPLIERS); }

int cdn_system_nqerr(const cdn_system *system) { return system ? system->n_qerr : 0; }
int cdn_system_nuerr(const cdn_system *system) { return system ? system->n_uerr : 0; }
int cdn_system_nudoterr(const cdn_system *system) { return system ? system->n_udoterr : 0; }
