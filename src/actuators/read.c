/* What actuators do at a State, those on mobilities of the room of forces included. */
#include "actuators/actuators.h"
#include "actuators/internal.h"

static cdn_status no_actuator(cdn_state *state, const char *function, cdn_force force) {
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                         "force %d is no actuator of this System: give one of cdn_system_add_drive or "
                         "cdn_system_add_actuator",
                         (int)force.i);
}

cdn_status cdni_actuator_look(cdn_state *state, const char *function, cdn_force force, bool moves, actuator_look *out) {
  const cdn_system *system = cdn_state_system(state);
  *out = (actuator_look){ .drive = cdni_drive_of(system, force) };
  if (!out->drive && !cdni_force_is_actuator(system, force)) return no_actuator(state, function, force);
  if (out->drive && moves) return cdni_drive_act(out->drive, state, &out->action);
  if (out->drive) return cdni_transmission(out->drive)->reach(out->drive, state, false, &out->action.at);
  force_actuator *a = &out->actuator;
  CDNI_TRY(cdni_force_read_actuator(state, force, moves, a));
  out->action = (drive_action){
    .at = { .length = a->length, .rate = a->rate }, .p = a->force, .signal = a->signal, .by_signal = a->by_signal
  };
  return CDN_OK;
}

cdn_status cdni_actuator_add_moments(const actuator_look *a, cdn_state *state, double *moments) {
  if (a->drive) return cdni_transmission(a->drive)->add_moments(a->drive, state, &a->action.at, moments);
  moments[a->actuator.u] += a->actuator.gear;
  return CDN_OK;
}

static cdn_status read_force(cdn_state *state, const char *function, cdn_force force, bool moves, actuator_look *out) {
  CDNI_TRY(cdn_realize(state, moves ? CDN_STAGE_VELOCITY : CDN_STAGE_POSITION));
  return cdni_actuator_look(state, function, force, moves, out);
}

cdn_status cdn_actuator_length(cdn_state *state, cdn_force force, double *length) {
  actuator_look x;
  CDNI_NEED(state, length);
  CDNI_TRY(read_force(state, __func__, force, false, &x));
  *length = x.action.at.length;
  return CDN_OK;
}

cdn_status cdn_actuator_rate(cdn_state *state, cdn_force force, double *rate) {
  actuator_look x;
  CDNI_NEED(state, rate);
  CDNI_TRY(read_force(state, __func__, force, true, &x));
  *rate = x.action.at.rate;
  return CDN_OK;
}

cdn_status cdn_actuator_force(cdn_state *state, cdn_force force, double *p) {
  actuator_look x;
  CDNI_NEED(state, p);
  CDNI_TRY(read_force(state, __func__, force, true, &x));
  *p = x.action.p;
  return CDN_OK;
}

cdn_status cdn_actuator_signal(cdn_state *state, cdn_force force, double *a) {
  actuator_look x;
  CDNI_NEED(state, a);
  CDNI_TRY(read_force(state, __func__, force, true, &x));
  *a = x.action.signal;
  return CDN_OK;
}

cdn_status cdn_actuator_moments(cdn_state *state, cdn_force force, double *moments) {
  actuator_look x;
  CDNI_NEED(state, moments);
  CDNI_TRY(read_force(state, __func__, force, false, &x));
  const int nu = cdn_system_nu(cdn_state_system(state));
  if (nu > 0) memset(moments, 0, (size_t)nu * sizeof *moments);
  return cdni_actuator_add_moments(&x, state, moments);
}

cdn_zvar cdn_actuator_activation(const cdn_system *system, cdn_force force) {
  const cdn_zvar none = { .group = -1 };
  CDNI_NEED_OBJECT(system, none);
  const drive *a = cdn_system_is_frozen(system) ? cdni_drive_of(system, force) : NULL;
  return a ? a->z : none;
}

bool cdni_actuator_on_path(const cdn_system *system, cdn_force force, actuator_on_path *out) {
  const drive *a = cdni_drive_of(system, force);
  if (!a || a->def.on != CDN_ON_PATH) return false;
  *out = (actuator_on_path){ a->def.path, a->def.gear[0], a->def.dynamics == CDN_ACTUATOR_MUSCLE };
  return true;
}
