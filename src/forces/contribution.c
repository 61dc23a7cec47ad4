/* What some elements add to the sums: their kinds' functions once more, with all other elements off. */
#include "forces/internal.h"

/* The parts of the kind, as the sums call them; `on` is 1 for these elements alone. */
static cdn_status add_parts(const force_room *room, cdn_state *state, int32_t k, const double *on, sv *F, double *f) {
  const force_kind *kind = cdni_force_kinds[k];
  force_collector c = { .to = { .state = state, .matter = room->matter, .F = F, .f = f } };
  c.to.pose = cdni_matter_pose(room->matter, state);
  for (int p = 0; p < FORCE_CLASSES; p++) {
    const force_part *part = &kind->parts[p];
    if (!force_part_exists(part) || (kind->has_part && !kind->has_part(&room->sets[k], part))) continue;
    force_batch b = cdni_force_batch(room, state, (force_kind_id)k, part);
    b.enabled = on;
    CDNI_TRY(cdni_force_calc(&b, state, &c.to));
  }
  return CDN_OK;
}

cdn_status cdni_force_alone(const force_room *room, cdn_state *state, int i, sv *F, double *f, double *potential) {
  const force_element *e = &CDNI_AT(room->elements, force_element, i);
  const size_t n = room->elements.count;
  double *on = cdn_work_push(state, n * sizeof *on);
  if (!on) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_force_contribution", e->name, "out of memory");
  memset(on, 0, n * sizeof *on);
  on[i] = cdn_state_parameters(state, room->enabled)[i];
  *potential = 0;
  cdn_status status = add_parts(room, state, e->kind, on, F, f);
  if (status == CDN_OK && cdni_force_kinds[e->kind]->calc_potential) {
    force_batch b = cdni_force_batch(room, state, (force_kind_id)e->kind, NULL);
    b.enabled = on;
    status = cdni_force_kinds[e->kind]->calc_potential(&b, state, potential);
  }
  cdn_work_pop(state, on);
  return status;
}

/* Of the elements that are on those that read the control; *kinds: a bit for each kind that has some. */
static void find_readers(const force_room *room, cdn_state *state, cdn_ticket control, double *on, uint64_t *kinds) {
  const double *enabled = cdn_state_parameters(state, room->enabled);
  _Static_assert(FORCE_KIND_COUNT <= 64, "a bit for each kind");
  *kinds = 0;
  for (size_t i = 0; i < room->elements.count; i++) {
    const force_element *e = &CDNI_AT(room->elements, force_element, i);
    const force_kind *kind = cdni_force_kinds[e->kind];
    on[i] = 0;
    if (!kind->reads_control || enabled[i] == 0) continue;
    const char *elements = room->sets[e->kind].elements.data;
    if (!kind->reads_control(room->system, elements + (size_t)e->index * kind->element_size, control)) continue;
    on[i] = 1, *kinds |= (uint64_t)1 << e->kind;
  }
}

cdn_status cdni_forces_of_control(const force_room *room, cdn_state *state, cdn_control control, sv *F, double *f) {
  uint64_t kinds;
  double *on = cdn_work_push(state, (room->elements.count + 1) * sizeof *on);
  if (!on) return cdni_state_last_status(state);
  find_readers(room, state, cdn_control_ticket(room->system, control), on, &kinds);
  cdn_status status = CDN_OK;
  for (int k = 0; k < FORCE_KIND_COUNT && status == CDN_OK; k++)
    if (kinds >> k & 1) status = add_parts(room, state, k, on, F, f);
  cdn_work_pop(state, on);
  return status;
}
