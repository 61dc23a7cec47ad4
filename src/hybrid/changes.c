/* What the last moment did to each element: its status before, its impulses, and the energy that they took. All
 * impulses together change the kinetic energy by P . (v + w) / 2, with the speeds before and after them, whatever has
 * led to them: so each row has its part of that. */
#include "core/sized.h"
#include "hybrid/moment.h"

static double *of_element(const moment *m, int k) { return m->changes + 1 + CHANGE_NUMBERS * (size_t)k; }

void cdni_changes_begin(moment *m) {
  const int sides = hybrid_sides(m->room);
  m->changes[0] = cdn_state_time(m->state);
  for (int i = 0; i < sides; i++) of_element(m, i)[CHANGE_BEFORE] = side_is_on(m->room, m->state, i);
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    of_element(m, sides + i)[CHANGE_BEFORE] = friction_status(m->room, m->state, i);
}

static void add(const moment *m, double *change, int row, int k) {
  change[CHANGE_IMPULSE + k] += m->total[row];
  change[CHANGE_ENERGY] -= 0.5 * m->total[row] * (m->v[row] + m->w[row]);
}

void cdni_changes_note(moment *m) {
  const int sides = hybrid_sides(m->room);
  for (int i = 0; i < sides; i++)
    if (m->side_cone[i] >= 0) add(m, of_element(m, i), m->cones[m->side_cone[i]].normal, 0);
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    for (int k = 0; m->friction_cone[i] >= 0 && k < friction_at(m->room, i)->n; k++)
      add(m, of_element(m, sides + i), m->cones[m->friction_cone[i]].tangent + k, k);
}

void cdni_changes_keep(const moment *m, const cdn_hybrid_totals *totals) {
  cdn_hybrid_totals *to = cdni_state_update_discrete(m->state, m->room->totals);
  *to = *totals;
  memcpy(to + 1, m->changes, hybrid_changes(m->room) * sizeof(double));
}

/* ---- questions ---- */

static cdn_hybrid_change change_of(const hybrid_room *room, const cdn_state *state, int k, int after) {
  const cdn_hybrid_totals *totals = cdn_state_discrete(state, room->totals);
  const double *last = (const double *)(totals + 1), *x = last + 1 + CHANGE_NUMBERS * (size_t)k;
  if (totals->moments == 0) return (cdn_hybrid_change){ 0 };
  return (cdn_hybrid_change){ .time = last[0],
                              .before = (int32_t)x[CHANGE_BEFORE],
                              .after = after,
                              .impulse = { x[CHANGE_IMPULSE], x[CHANGE_IMPULSE + 1] },
                              .energy = x[CHANGE_ENERGY] };
}

void cdn_one_sided_get_change_sized(const cdn_state *state, cdn_one_sided element, cdn_hybrid_change *out,
                                    size_t size) {
  const hybrid_room *room = state ? cdni_hybrid(cdn_state_system(state)) : NULL;
  cdn_hybrid_change change = { 0 };
  if (room && element.i >= 0 && element.i < hybrid_sides(room))
    change = change_of(room, state, element.i, side_is_on(room, state, element.i));
  cdni_sized_write(out, size, &change, sizeof change);
}

void cdn_dry_friction_get_change_sized(const cdn_state *state, cdn_dry_friction element, cdn_hybrid_change *out,
                                       size_t size) {
  const hybrid_room *room = state ? cdni_hybrid(cdn_state_system(state)) : NULL;
  cdn_hybrid_change change = { 0 };
  if (room && element.i >= 0 && element.i < hybrid_frictions(room))
    change = change_of(room, state, hybrid_sides(room) + element.i, (int)friction_status(room, state, element.i));
  cdni_sized_write(out, size, &change, sizeof change);
}
