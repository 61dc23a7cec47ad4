/* What the last moment did to each element: its status before, its impulses, and the energy that they took. All
 * impulses together change the kinetic energy by P . (v + w) / 2, with the speeds before and after them, whatever has
 * led to them: so each row has its part of that. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "hybrid/moment.h"

static double *of_element(const moment *m, int k) { return m->changes + LAST_NUMBERS + CHANGE_NUMBERS * (size_t)k; }

/* What slot s holds. Its friction says so at its one-sided element. */
static const rigid_feature *held(const moment *m, int s) { return cdni_rigid_slot(m->room->contact, m->state, s); }

static void hold(const moment *m, int s) {
  const rigid_feature *f = held(m, s);
  double *x = of_element(m, m->room->first_slot + s);
  x[CHANGE_A] = f->a, x[CHANGE_B] = f->b, x[CHANGE_FEATURE] = f->number;
}

void cdni_changes_begin(moment *m) {
  const int sides = hybrid_sides(m->room);
  m->changes[LAST_TIME] = cdn_state_time(m->state), m->changes[LAST_RESUME] = m->changes[LAST_CALM] = 0;
  for (int s = 0; s < m->room->slots; s++) hold(m, s);
  for (int i = 0; i < sides; i++) of_element(m, i)[CHANGE_BEFORE] = side_is_on(m->room, m->state, i);
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    of_element(m, sides + i)[CHANGE_BEFORE] = friction_status(m->room, m->state, i);
}

/* Who takes a slot comes without a status; what has left it keeps its name. */
void cdni_changes_renewed(moment *m) {
  for (int s = 0; s < m->room->slots; s++) {
    const rigid_feature *f = held(m, s);
    double *side = of_element(m, m->room->first_slot + s);
    const bool same = side[CHANGE_A] == f->a && side[CHANGE_B] == f->b && side[CHANGE_FEATURE] == f->number;
    if (same || f->kind == RIGID_NONE) continue;
    hold(m, s);
    cdni_bounces_forget(m, m->room->first_slot + s);
    side[CHANGE_BEFORE] = 0;
    for (int k = 0; k < m->room->slot_frictions; k++)
      of_element(m, hybrid_sides(m->room) + slot_friction(m->room, s) + k)[CHANGE_BEFORE] = CDN_FRICTION_OFF;
  }
}

static void add(const moment *m, double *change, int row, int k, double scale) {
  change[CHANGE_IMPULSE + k] += scale * m->total[row];
  change[CHANGE_ENERGY] -= 0.5 * m->total[row] * (m->v[row] + m->w[row]);
}

void cdni_changes_note(moment *m) {
  const int sides = hybrid_sides(m->room);
  for (int i = 0; i < sides; i++)
    if (m->side_cone[i] >= 0) add(m, of_element(m, i), m->cones[m->side_cone[i]].normal, 0, 1);
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    for (int k = 0; m->friction_cone[i] >= 0 && k < friction_at(m->room, i)->n; k++)
      add(m, of_element(m, sides + i), m->cones[m->friction_cone[i]].tangent + k, k,
          friction_scale(m->room, m->state, i, k));
}

/* Impulses that are so much smaller than others of the moment are rounding of theirs. */
static const double HIT_ROUNDING = 1e-12;

static void drop_rounding(const moment *m) {
  const int n = hybrid_sides(m->room) + hybrid_frictions(m->room);
  double largest = 0;
  for (int k = 0; k < n; k++) { largest = fmax(largest, cone_norm(of_element(m, k) + CHANGE_IMPULSE)); }
  for (int k = 0; k < n; k++) {
    double *x = of_element(m, k) + CHANGE_IMPULSE;
    if (cone_norm(x) < HIT_ROUNDING * largest) x[0] = x[1] = x[2] = of_element(m, k)[CHANGE_ENERGY] = 0;
  }
}

double cdni_changes_captured(const hybrid_room *room, const cdn_state *state, int which) {
  const cdn_hybrid_totals *totals = cdn_state_discrete(state, room->totals);
  return ((const double *)(totals + 1))[which];
}

void cdni_changes_keep(const moment *m, const cdn_hybrid_totals *totals) {
  drop_rounding(m);
  cdn_hybrid_totals *to = cdni_state_update_discrete(m->state, m->room->totals);
  *to = *totals;
  memcpy(to + 1, m->changes, hybrid_changes(m->room) * sizeof(double));
}

/* ---- questions ---- */

static const char *side_word(const cdn_hybrid_change *c, bool hit) {
  if (c->before == c->after) return !hit ? NULL : c->after ? "is hit" : "bounces";
  return c->after ? "touches" : "lets go";
}

static const char *friction_word(const cdn_hybrid_change *c, bool hit) {
  static const char *const words[] = {
    [CDN_FRICTION_OFF] = "ends", [CDN_FRICTION_STICK] = "sticks", [CDN_FRICTION_SLIP] = "slips"
  };
  if (c->before == c->after) return hit ? "rubs" : NULL;
  return words[c->after];
}

/* `all`: the numbers of all elements. */
static void name_change(const hybrid_room *room, const cdn_state *state, int k, const double *all,
                        cdn_hybrid_change *c) {
  const cdn_system *system = cdn_state_system(state);
  const int sides = hybrid_sides(room), slot = k < sides ? side_slot(room, k) : friction_slot(room, k - sides);
  if (slot < 0) {
    snprintf(c->element, sizeof c->element, "%s",
             k < sides ? side_at(room, k)->name : friction_at(room, k - sides)->name);
    return;
  }
  const double *side = all + CHANGE_NUMBERS * (size_t)(room->first_slot + slot);
  cdni_hybrid_name_shapes(system, (int)side[CHANGE_A], (int)side[CHANGE_B], c->element, sizeof c->element);
  if (k >= sides) cdni_hybrid_name_part(friction_at(room, k - sides), c->element, sizeof c->element);
}

static cdn_hybrid_change change_of(const hybrid_room *room, const cdn_state *state, int k, int after) {
  const cdn_hybrid_totals *totals = cdn_state_discrete(state, room->totals);
  const double *last = (const double *)(totals + 1), *x = last + LAST_NUMBERS + CHANGE_NUMBERS * (size_t)k;
  const double *impulse = x + CHANGE_IMPULSE;
  const bool hit = cone_norm(impulse) > 0;
  if (totals->moments == 0) return (cdn_hybrid_change){ 0 };
  cdn_hybrid_change change = { .time = last[LAST_TIME],
                               .before = (int32_t)x[CHANGE_BEFORE],
                               .after = after,
                               .impulse = { impulse[0], impulse[1], impulse[2] },
                               .energy = x[CHANGE_ENERGY] };
  change.what = k < hybrid_sides(room) ? side_word(&change, hit) : friction_word(&change, hit);
  name_change(room, state, k, last + LAST_NUMBERS, &change);
  return change;
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
