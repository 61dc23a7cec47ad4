/* Where forces bend or jump: one cache entry with the kinks of all elements. */
#include <math.h>

#include "forces/internal.h"
#include "system/triggers.h"

static const force_room *of(const void *self) { return *(const force_room *const *)self; }

/* How many the elements of a kind have together. */
static int kinks_of(const force_room *room, int k) {
  const force_kind *kind = cdni_force_kinds[k];
  const force_set *set = &room->sets[k];
  int n = 0;
  if (!kind->count_kinks) return kind->n_kinks * (int)set->ids.count;
  for (size_t i = 0; i < set->ids.count; i++)
    n += kind->count_kinks((const char *)set->elements.data + i * kind->element_size);
  return n;
}

static int count_kinks(const force_room *room) {
  int n = 0;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) n += kinks_of(room, k);
  return n;
}

static cdn_status calc_kinks(const void *self, cdn_state *state, void *out) {
  const force_room *room = of(self);
  double *values = out, *rates = values + room->n_kinks;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const int n = kinks_of(room, k);
    if (n == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->calc_kinks(&b, state, values, rates));
    values += n;
    rates += n;
  }
  return CDN_OK;
}

static cdn_status kink_force(const void *self, cdn_state *state, int64_t which, double x, double *f, bool *known) {
  const force_room *room = of(self);
  int k = 0, i = (int)which;
  for (; i >= kinks_of(room, k); k++) i -= kinks_of(room, k);
  const force_kind *kind = cdni_force_kinds[k];
  *known = kind->kink_force != NULL;
  if (!*known) return CDN_OK;
  const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
  return kind->kink_force(&b, state, i, x, f + cdni_subsystem_runs(room->system, room->matter->subsystem).u);
}

void cdni_force_kinks_declare(force_room *room, cdn_declarer *d) {
  const cdn_ticket reads[] = { room->enabled.ticket, CDN_Q_EFF, CDN_U_EFF };
  const cdn_ticket reads_of_custom[] = { CDN_POSE, CDN_TWIST, CDN_Z, cdn_stage_ticket(CDN_STAGE_VELOCITY) };
  room->n_kinks = count_kinks(room);
  if (room->n_kinks == 0) return;
  const size_t size = 2 * (size_t)room->n_kinks * sizeof(double);
  room->kinks = cdn_declare_cache(d, "kinks", size, calc_kinks, CDNI_COUNT(reads), reads);
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_kind *kind = cdni_force_kinds[k];
    if (kinks_of(room, k) == 0) continue;
    if (kind->kinks_read_poses) cdni_declare_prerequisite(d, room->kinks, CDN_POSE);
    for (int i = 0; kind->count_kinks && i < CDNI_COUNT(reads_of_custom); i++)
      cdni_declare_prerequisite(d, room->kinks, reads_of_custom[i]);
    for (int p = 0; p < FORCE_CLASSES; p++)
      if (force_part_exists(&kind->parts[p])) cdni_force_depend(room, d, room->kinks, k, &kind->parts[p]);
  }
  cdni_declare_kinks(d, room->n_kinks, room->kinks, CDN_Q_EFF, kink_force);
}
