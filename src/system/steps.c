/* Changes of a State by a run, besides t and y: the start of a run, and the end of each step. */
#include "system/structs.h"

cdn_status cdni_system_decorate(const cdn_system *system, cdn_state *state, cdn_decorations *d) {
  for (size_t i = 0; i < system->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(system->subsystems, subsystem, i);
    if (sub->ops.decorate) CDNI_TRY(sub->ops.decorate(sub->self, state, d));
  }
  return CDN_OK;
}

cdn_status cdni_state_begin_run(cdn_state *state) {
  const cdn_system *sys = state->system;
  for (size_t i = 0; i < sys->subsystems.count; i++) {
    const subsystem *sub = &CDNI_AT(sys->subsystems, subsystem, i);
    if (sub->ops.begin_run) CDNI_TRY(sub->ops.begin_run(sub->self, state));
  }
  return CDN_OK;
}

/* Regions that change places with their updates get the same room here, where nobody reads them. */
static cdn_status make_room(cdn_state *state, const char *function) {
  const cdn_system *sys = state->system;
  for (size_t i = 0; i < sys->autos.count; i++) {
    const auto_variable *a = &CDNI_AT(sys->autos, auto_variable, i);
    const node *u = node_at(sys, a->update);
    if (u->storage == IN_REGION && bit_is_set(state->valid, a->update))
      CDNI_TRY(cdni_region_reserve(state, function, a->update, *region_count(state, u)));
  }
  return CDN_OK;
}

/* All of them before any is swapped in: one may read another. */
cdn_status cdni_state_finish_step(cdn_state *state) {
  const cdn_system *sys = state->system;
  for (size_t i = 0; i < sys->autos.count; i++) {
    CDNI_TRY(cdni_state_ensure(state, (cdn_ticket){ CDNI_AT(sys->autos, auto_variable, i).update }));
  }
  return make_room(state, "cdn_stepper_advance");
}

static void swap_in_updates(cdn_state *state) {
  const cdn_system *sys = state->system;
  for (size_t i = 0; i < sys->autos.count; i++) {
    const auto_variable *a = &CDNI_AT(sys->autos, auto_variable, i);
    if (!bit_is_set(state->valid, a->update)) continue;
    const node *v = node_at(sys, a->variable);
    if (v->storage == IN_REGION) cdni_region_swap(state, a->variable, a->update);
    else memcpy(state->block + v->offset, state->block + node_at(sys, a->update)->offset, v->size);
    bit_clear(state->valid, a->update);
  }
}

cdn_status cdn_state_auto_update(cdn_state *state) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(cdni_state_check_free(state, "cdn_state_auto_update", "an auto-update variable"));
  CDNI_TRY(make_room(state, "cdn_state_auto_update"));
  swap_in_updates(state);
  return CDN_OK;
}

void cdni_state_accept_step(cdn_state *state) {
  const cdn_system *sys = state->system;
  swap_in_updates(state);
  if (!sys->keep_previous) return;
  double *previous = state_doubles(state, sys->off_previous);
  previous[0] = *state_doubles(state, sys->off_t);
  memcpy(previous + 1, cdni_state_y(state), (size_t)(sys->nq + sys->nu + sys->nz) * sizeof(double));
}

double cdni_state_next_stop(const cdn_state *state, double end) {
  const cdn_system *sys = state->system;
  const double now = *state_doubles(state, sys->off_t);
  for (size_t i = 0; i < sys->stopping.count; i++) {
    const subsystem *sub = &CDNI_AT(sys->subsystems, subsystem, CDNI_AT(sys->stopping, int32_t, i));
    const double stop = sub->ops.next_stop(sub->self, state);
    if (stop > now && stop < end) end = stop;
  }
  return end;
}

double cdni_system_z_filter(const cdn_system *system, int i) {
  return (size_t)i < system->z_filters.count ? CDNI_AT(system->z_filters, double, i) : 0;
}

const double *cdni_system_z_scale(const cdn_system *system) { return system->z_scale.data; }
