/* Derivatives of all forces: those of the kinds, and differences for the others. */
#include "forces/derivatives.h"

/* All that is not inertia. */
static cdn_status add_forces(cdn_force_derivatives *d) {
  cdn_state *state = d->pass->state;
  const force_room *room = cdni_forces(cdn_state_system(state));
  CDNI_TRY(cdni_derivatives_applied(d->pass));
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++) {
    if (!cdni_force_kinds[k]->derivative || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->derivative(&b, state, d));
  }
  return room ? cdni_difference_forces(room, d) : CDN_OK;
}

cdn_status cdni_forces_differentiate(derivative_pass *p, const char *function, double *dz) {
  cdn_state *state = p->state;
  cdn_force_derivatives d = { .pass = p, .dz = dz, .nz = cdn_system_nz(cdn_state_system(state)), .z = -1 };
  const size_t nb = (size_t)p->m->tree.n, nu = (size_t)p->m->tree.nu;
  void *frame = NULL;
  if (dz && d.nz > 0) {
    memset(dz, 0, nu * (size_t)d.nz * sizeof *dz);
    frame = cdn_work_push(state, nb * sizeof(sv) + nu * sizeof(double));
    if (!frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
    d.by_z.to = (cdn_forces){ .state = state, .matter = p->m, .pose = p->pose, .F = frame };
    d.by_z.to.f = (double *)(d.by_z.to.F + nb);
  } else d.dz = NULL;
  const cdn_status status = add_forces(&d);
  cdn_work_pop(state, frame);
  return status;
}

bool cdni_force_is_differenced(cdn_state *state, int i) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_element *e = &CDNI_AT(room->elements, force_element, i);
  const force_batch b = cdni_force_batch(room, state, e->kind, NULL);
  return cdni_force_kinds[e->kind]->is_differenced && cdni_force_kinds[e->kind]->is_differenced(&b, e->index);
}

cdn_status cdni_forces_on_mobilities(const force_room *room, cdn_state *state, double *stiffness, double *damping) {
  const matter *m = cdni_matter(cdn_state_system(state));
  cdn_force_derivatives d = { .stiffness = stiffness, .damping = damping, .z = -1 };
  memset(stiffness, 0, (size_t)m->tree.nu * sizeof *stiffness);
  memset(damping, 0, (size_t)m->tree.nu * sizeof *damping);
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++) {
    const force_kind *kind = cdni_force_kinds[k];
    if (!kind->on_mobility || !kind->derivative || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(kind->derivative(&b, state, &d));
  }
  return CDN_OK;
}

/* Whether an element of the kind that is on has forces that may vary with any speed. */
static bool reads_any_speed(const force_set *set, const force_kind *kind, const force_batch *b) {
  bool reads = false;
  for (int i = 0; i < FORCE_CLASSES && !kind->own_speed; i++) {
    const force_part *part = &kind->parts[i];
    reads = reads || (force_part_exists(part) && part->reads != CDN_READS_POSITION &&
                      (!kind->has_part || kind->has_part(set, part)));
  }
  for (int i = 0; i < b->n; i++)
    if ((reads && force_is_on(b, i)) || (kind->is_differenced && kind->own_speed && kind->is_differenced(b, i)))
      return true;
  return false;
}

cdn_status cdni_forces_own_damping(const force_room *room, cdn_state *state, double *damping, int nu, bool *own) {
  double *stiffness;
  *own = true;
  memset(damping, 0, (size_t)nu * sizeof *damping);
  for (int k = 0; room && k < FORCE_KIND_COUNT && *own; k++) {
    if (room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    *own = !reads_any_speed(&room->sets[k], cdni_force_kinds[k], &b);
  }
  if (!room || !*own) return CDN_OK;
  stiffness = cdn_work_push(state, ((size_t)nu + 1) * sizeof *stiffness);
  if (!stiffness) return CDN_ERR_NOMEM;
  cdn_force_derivatives d = { .stiffness = stiffness, .damping = damping, .z = -1 };
  memset(stiffness, 0, (size_t)nu * sizeof *stiffness);
  cdn_status status = CDN_OK;
  for (int k = 0; k < FORCE_KIND_COUNT && status == CDN_OK; k++) {
    if (!cdni_force_kinds[k]->own_speed || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    status = cdni_force_kinds[k]->derivative(&b, state, &d);
  }
  cdn_work_pop(state, stiffness);
  return status;
}
