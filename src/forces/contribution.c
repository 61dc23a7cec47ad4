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
