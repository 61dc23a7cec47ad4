/* Before a moment, the slots of rigid contact are brought up to date: what has parted loses its slot, and what touches
 * gets one, with the numbers of its surfaces. */
#include "hybrid/internal.h"

/* The numbers of the surfaces in a slot are parameters of its elements. */
static cdn_status set_numbers(const hybrid_room *room, cdn_state *state, int slot) {
  const rigid_feature *f = cdni_rigid_slot(room->contact, state, slot);
  const int side = room->first_slot + slot;
  if (f->kind == RIGID_NONE) return CDN_OK;
  const rigid_material m = cdni_rigid_material(room->contact, state, f);
  const double turning[] = { m.torsional, m.rolling };
  CDNI_TRY(cdn_state_set_parameters(state, room->sides_of, side * ONE_SIDED_PARAMS + ONE_SIDED_RESTITUTION, 1,
                                    &m.restitution));
  for (int k = 0; k < room->slot_frictions; k++) {
    const int friction = slot_friction(room, slot) + k;
    double numbers[FRICTION_PARAMS] = { [FRICTION_STATIC] = -1, [FRICTION_RATIO] = 1 };
    if (k == 0)
      numbers[FRICTION_STATIC] = m.friction[0], numbers[FRICTION_DYNAMIC] = m.friction[1],
      numbers[FRICTION_VISCOUS] = m.friction[2], numbers[FRICTION_RATIO] = m.ratio;
    else numbers[FRICTION_DYNAMIC] = turning[friction_at(room, friction)->n - 1];
    CDNI_TRY(cdn_state_set_parameters(state, room->frictions_of, friction * FRICTION_PARAMS, FRICTION_PARAMS, numbers));
  }
  return CDN_OK;
}

/* Who takes a slot begins without a status; its constraints are switched off. */
static cdn_status begin(const hybrid_room *room, cdn_state *state, int slot) {
  const int side = room->first_slot + slot, friction = slot_friction(room, slot);
  double *status = cdni_state_update_discrete(state, room->status);
  double *numbers = status + hybrid_sides(room) + (size_t)friction * FRICTION_NUMBERS;
  status[side] = 0;
  memset(numbers, 0, (size_t)(FRICTION_NUMBERS * room->slot_frictions) * sizeof *numbers);
  CDNI_TRY(cdn_constraint_set_enabled(state, (cdn_constraint){ side_at(room, side)->constraint }, false));
  for (int k = 0; k < room->slot_frictions; k++)
    CDNI_TRY(cdn_constraint_set_enabled(state, (cdn_constraint){ friction_at(room, friction + k)->slip }, false));
  return set_numbers(room, state, slot);
}

cdn_status cdni_hybrid_renew_slots(const hybrid_room *room, cdn_state *state, bool touches, double span) {
  const size_t n = (size_t)room->slots;
  bool *kept = cdn_work_push(state, 2 * n), *changed = kept + n;
  if (!kept) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  for (size_t i = 0; i < n; i++) kept[i] = side_is_on(room, state, room->first_slot + (int)i);
  cdn_status status = cdni_rigid_renew(room->contact, state, &(rigid_renewal){ kept, touches, span }, changed);
  for (int i = 0; i < room->slots && status == CDN_OK; i++)
    if (changed[i]) status = begin(room, state, i);
  cdn_work_pop(state, kept);
  return status;
}
