/* Actuators along a path: a tendon or a cable. What makes the path longer is positive, so p is a negative tension. */
#include "actuators/internal.h"

static const char *check(const cdn_system *system, drive *a) {
  const int i = a->def.path.i;
  return i >= 0 && i < cdn_system_path_count(system) ? NULL : "there is no such path: add it before";
}

static cdn_status reach(const drive *a, cdn_state *state, bool moves, drive_reach *out) {
  const double gear = a->def.gear[0];
  CDNI_TRY(cdn_path_length(state, a->def.path, &out->length));
  out->length *= gear;
  if (!moves) return CDN_OK;
  CDNI_TRY(cdn_path_rate(state, a->def.path, &out->rate));
  out->rate *= gear;
  return CDN_OK;
}

static cdn_status push(const drive *a, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces) {
  (void)state, (void)at;
  cdn_forces_add_path(forces, a->def.path, -a->def.gear[0] * p);
  return CDN_OK;
}

static cdn_status add_moments(const drive *a, cdn_state *state, const drive_reach *at, double *moments) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  (void)at;
  double *own = cdn_work_push(state, (size_t)nu * sizeof *own);
  if (!own) return CDN_ERR_NOMEM;
  const cdn_status status = cdn_path_moments(state, a->def.path, own);
  for (int k = 0; k < nu && status == CDN_OK; k++) moments[k] += a->def.gear[0] * own[k];
  cdn_work_pop(state, own);
  return status;
}

static cdn_status vary(const drive *a, cdn_state *state, const drive_action *x, cdn_force_derivatives *derivatives) {
  const double gear = a->def.gear[0];
  (void)state;
  cdn_force_derivatives_add_path(derivatives, a->def.path, -gear * x->p, -gear * gear * x->by_length,
                                 -gear * gear * x->by_rate);
  return CDN_OK;
}

const transmission cdni_drive_on_path = { .word = "path",
                                          .check = check,
                                          .reach = reach,
                                          .push = push,
                                          .add_moments = add_moments,
                                          .vary = vary,
                                          .reads = cdn_path_rate_ticket };
