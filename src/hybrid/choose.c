/* Statuses that studies choose on their way: of a State at rest, one after another. */
#include <math.h>

#include "hybrid/slip.h"

int cdni_hybrid_side_count(const hybrid_room *room) { return hybrid_sides(room); }
cdn_constraint cdni_hybrid_side_constraint(const hybrid_room *room, int i) {
  return (cdn_constraint){ side_at(room, i)->constraint };
}
bool cdni_hybrid_side_is_ratchet(const hybrid_room *room, int i) { return side_at(room, i)->speed; }

bool cdni_hybrid_side_is_there(const hybrid_room *room, const cdn_state *state, int i) {
  return side_is_there(room, state, i);
}
cdn_status cdni_hybrid_least_gap(const hybrid_room *room, cdn_state *state, double *gap) {
  *gap = INFINITY;
  return room->slots > 0 ? cdni_rigid_least_gap(room->contact, state, gap, NULL) : CDN_OK;
}
cdn_status cdni_hybrid_take_slots(const hybrid_room *room, cdn_state *state) {
  return room->slots > 0 ? cdni_hybrid_renew_slots(room, state, true, 0) : CDN_OK;
}

static cdn_status set_friction(const hybrid_room *room, cdn_state *state, int i, cdn_friction_status status) {
  double *numbers = (double *)cdni_state_update_discrete(state, room->status) + hybrid_sides(room);
  numbers[i * FRICTION_NUMBERS + FRICTION_STATUS] = status;
  return cdn_constraint_set_enabled(state, (cdn_constraint){ friction_at(room, i)->slip },
                                    status == CDN_FRICTION_STICK);
}

static cdn_status set_side(const hybrid_room *room, cdn_state *state, int i, bool on, cdn_friction_status friction) {
  ((double *)cdni_state_update_discrete(state, room->status))[i] = on;
  for (int f = 0; f < hybrid_frictions(room); f++)
    if (friction_at(room, f)->normal == i) CDNI_TRY(set_friction(room, state, f, friction));
  return cdn_constraint_set_enabled(state, cdni_hybrid_side_constraint(room, i), on);
}

cdn_status cdni_hybrid_touch(const hybrid_room *room, cdn_state *state, int i) {
  return set_side(room, state, i, true, CDN_FRICTION_STICK);
}

cdn_status cdni_hybrid_let_go(const hybrid_room *room, cdn_state *state, int i) {
  return set_side(room, state, i, false, CDN_FRICTION_OFF);
}

cdn_status cdni_hybrid_end_slips(const hybrid_room *room, cdn_state *state, bool rests) {
  for (int i = 0; i < hybrid_frictions(room); i++) {
    double v[CONE_MOST_TANGENTS], force[CONE_MOST_TANGENTS] = { 0 };
    if (friction_status(room, state, i) != CDN_FRICTION_SLIP) continue;
    CDNI_TRY(cdni_friction_slip(room, state, i, v));
    if (cone_norm(v) > SLIP_AT_REST) continue;
    CDNI_TRY(cdn_dry_friction_force(state, (cdn_dry_friction){ i }, force));
    const bool holds = rests && cone_norm(force) > 0;
    CDNI_TRY(set_friction(room, state, i, holds ? CDN_FRICTION_STICK : CDN_FRICTION_OFF));
  }
  return CDN_OK;
}

bool cdni_hybrid_sticks(const hybrid_room *room, const cdn_state *state) {
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_status(room, state, i) == CDN_FRICTION_STICK) return true;
  return false;
}

cdn_status cdni_hybrid_copy_statuses(const hybrid_room *room, cdn_state *to, const cdn_state *from) {
  hybrid_variable v[HYBRID_MOST_VARIABLES];
  for (int k = cdni_hybrid_variables(room, v) - 1; k >= 0; k--) {
    if (v[k].variable.ticket.i == room->totals.ticket.i) continue;
    if (v[k].is_parameters)
      CDNI_TRY(cdn_state_set_parameters(to, v[k].variable, 0, v[k].n, cdn_state_parameters(from, v[k].variable)));
    else CDNI_TRY(cdn_state_set_discrete(to, v[k].variable, cdn_state_discrete(from, v[k].variable)));
  }
  for (int i = 0; i < hybrid_sides(room); i++) {
    const cdn_constraint c = cdni_hybrid_side_constraint(room, i);
    CDNI_TRY(cdn_constraint_set_enabled(to, c, cdn_constraint_is_enabled(from, c)));
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const cdn_constraint c = { friction_at(room, i)->slip };
    CDNI_TRY(cdn_constraint_set_enabled(to, c, cdn_constraint_is_enabled(from, c)));
  }
  return CDN_OK;
}
