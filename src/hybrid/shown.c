/* Forces along the equations of elements, as pictures show them. */
#include "hybrid/internal.h"
#include "matter/operators.h"

static cdn_status push(const hybrid_room *room, cdn_state *state, int constraint, const double *along, cdn_spatial *F_G,
                       double *f) {
  const cdn_system *system = cdn_state_system(state);
  const int n = room->matter->tree.n, first = cdni_subsystem_runs(system, room->matter->subsystem).u;
  memset(f, 0, (size_t)cdn_system_nu(system) * sizeof *f);
  sv *F = cdn_work_push(state, (size_t)(n + 1) * sizeof *F);
  if (!F) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_scene_update", NULL, "out of memory");
  memset(F, 0, (size_t)n * sizeof *F);
  const cdn_status status = cdni_constraint_push(room->constraints, state, constraint, along, F, f + first);
  const tree_data d = cdni_matter_data(room->matter, state);
  const body_origins origins = cdni_body_origins(room->matter, state, d.pose);
  for (int i = 0; i < n; i++) F_G[i] = cdni_from_sv(sv_shift_force(F[i], v3_neg(cdni_body_offset(&origins, i))));
  cdn_work_pop(state, F);
  return status;
}

bool cdni_hybrid_is_of_pool(const hybrid_room *room, int side) { return side_slot(room, side) >= 0; }
int cdni_hybrid_side_of_contact(const hybrid_room *room, cdn_state *state, int contact) {
  cdn_contact_model model;
  int number;
  if (room->slots == 0 || cdni_contact_number_in_model(state, room->contact, contact, &model, &number) != CDN_OK ||
      model != CDN_CONTACT_RIGID)
    return -1;
  const int slot = cdni_rigid_slot_of(room->contact, state, number);
  return slot < 0 ? -1 : room->first_slot + slot;
}
cdn_constraint cdni_hybrid_friction_constraint(const hybrid_room *room, int i) {
  return (cdn_constraint){ friction_at(room, i)->slip };
}
int cdni_hybrid_friction_of(const hybrid_room *room, int side) {
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_at(room, i)->normal == side) return i;
  return -1;
}
bool cdni_hybrid_friction_is_alone(const hybrid_room *room, int i) { return friction_at(room, i)->normal < 0; }
double cdni_hybrid_friction_bound(const hybrid_room *room, const cdn_state *state, int i) {
  return friction_static(friction_params(room, state, i));
}

cdn_status cdni_hybrid_push_side(const hybrid_room *room, cdn_state *state, int i, double push_of, cdn_spatial *F_G,
                                 double *f) {
  const double along = side_at(room, i)->sign * push_of;
  return push(room, state, side_at(room, i)->constraint, &along, F_G, f);
}
cdn_status cdni_hybrid_push_friction(const hybrid_room *room, cdn_state *state, int i, const double *force,
                                     cdn_spatial *F_G, double *f) {
  return push(room, state, friction_at(room, i)->slip, force, F_G, f);
}
