/* Auxiliary states of the library's elements: each kind that has them has one group of z, n_z an element. (Those of
 * custom forces belong to the forces' own subsystems.) */
#include "forces/carry.h"
#include "forces/internal.h"

static const force_room *of(const void *self) { return *(const force_room *const *)self; }

static int z_of(const force_room *room, int k) { return cdni_force_kinds[k]->n_z * (int)room->sets[k].ids.count; }

static void declare_kind(force_set *set, const force_kind *kind, cdn_declarer *d, int n) {
  const cdn_allocator *memory = cdni_system_allocator(cdni_declarer_system(d));
  const double *params = set->defaults.data;
  const size_t size = (size_t)n * sizeof(double);
  double *unit = cdni_alloc(memory, size);
  if (!unit) {
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  for (int i = 0; i < n; i++) unit[i] = kind->z_unit(params + i / kind->n_z * kind->n_params);
  set->z = cdn_declare_z(d, n, NULL);
  cdn_declare_z_scale(d, set->z, unit);
  cdni_free(memory, unit, size);
}

void cdni_force_declare_z(force_room *room, cdn_declarer *d) {
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const int n = z_of(room, k);
    if (n > 0) declare_kind(&room->sets[k], cdni_force_kinds[k], d, n);
  }
}

cdn_status cdni_force_calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const force_room *room = of(self);
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    if (z_of(room, k) == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->calc_zdot(&b, state, zdot));
    zdot += z_of(room, k);
  }
  return CDN_OK;
}

cdn_status cdni_force_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *out) {
  const force_room *room = of(self);
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    if (z_of(room, k) == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->zdot_derivative(&b, state, out));
  }
  return CDN_OK;
}

/* ---- where time stands still ---- */

int cdni_forces_memory_z(const cdn_state *state, int *first) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  int n = 0;
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++) {
    if (z_of(room, k) == 0) continue;
    if (n == 0) *first = cdni_zvar_first(room->system, room->sets[k].z);
    n += z_of(room, k);
  }
  return n;
}

cdn_status cdni_forces_hold(cdn_state *state) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++) {
    const int n = z_of(room, k);
    if (n == 0) continue;
    double *z = cdn_work_push(state, (size_t)n * sizeof *z);
    if (!z) return CDN_ERR_NOMEM;
    cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    if (status == CDN_OK) status = cdni_force_kinds[k]->hold(&b, state, cdn_state_udot(state) + room->first_u, z);
    if (status == CDN_OK) status = cdn_state_set_zvar(state, room->sets[k].z, z);
    cdn_work_pop(state, z);
    CDNI_TRY(status);
  }
  return CDN_OK;
}

cdn_status cdni_forces_copy_memory(cdn_state *to, const cdn_state *from) {
  const force_room *room = cdni_forces(cdn_state_system(from));
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++)
    if (z_of(room, k) > 0) CDNI_TRY(cdn_state_set_zvar(to, room->sets[k].z, cdn_state_zvar(from, room->sets[k].z)));
  return CDN_OK;
}

static cdn_status carry_kind(cdn_state *to, const cdn_state *from, int k) {
  const cdn_system *old = cdn_state_system(from), *new = cdn_state_system(to);
  const force_set *a = &cdni_forces(old)->sets[k], *b = &cdni_forces(new)->sets[k];
  const int n = cdni_force_kinds[k]->n_z;
  for (size_t i = 0; i < a->ids.count; i++) {
    const char *name = cdn_force_name(old, (cdn_force){ CDNI_AT(a->ids, int32_t, i) });
    for (size_t j = 0; j < b->ids.count; j++)
      if (strcmp(cdn_force_name(new, (cdn_force){ CDNI_AT(b->ids, int32_t, j) }), name) == 0)
        CDNI_TRY(cdn_state_set_slots(to, CDN_POOL_Z, cdni_zvar_first(new, b->z) + n * (int)j, n,
                                     cdn_state_zvar(from, a->z) + n * (int)i));
  }
  return CDN_OK;
}

cdn_status cdni_forces_carry_memory(cdn_state *to, const cdn_state *from) {
  const force_room *old = cdni_forces(cdn_state_system(from)), *new = cdni_forces(cdn_state_system(to));
  for (int k = 0; old && new &&k < FORCE_KIND_COUNT; k++)
    if (z_of(old, k) > 0 && z_of(new, k) > 0) CDNI_TRY(carry_kind(to, from, k));
  return CDN_OK;
}
