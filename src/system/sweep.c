/* Sweeps: what a subsystem can tell of the time between two States. */
#include "system/structs.h"

void cdni_declare_sweeper(cdn_declarer *d, const cdni_sweeper *ops) {
  d->system->sweeper.ops = ops;
  d->system->sweeper.subsystem = d->subsystem;
}

const cdni_sweeper *cdni_system_sweeper(const cdn_system *system, const void **self) {
  const cdni_sweeper *ops = system->sweeper.ops;
  *self = ops ? CDNI_AT(system->subsystems, subsystem, system->sweeper.subsystem).self : NULL;
  return ops;
}

cdn_status cdni_sights_reserve(cdni_sights *list, int n) {
  if (n <= list->room) return CDN_OK;
  const int room = n > 2 * list->room ? n + 64 : 2 * list->room;
  cdni_sight *sights = cdni_alloc(list->allocator, (size_t)room * sizeof *sights);
  if (!sights) return CDN_ERR_NOMEM;
  if (list->n > 0) memcpy(sights, list->sights, (size_t)list->n * sizeof *sights);
  if (list->sights) cdni_free(list->allocator, list->sights, (size_t)list->room * sizeof *sights);
  list->sights = sights;
  list->room = room;
  return CDN_OK;
}

void cdni_sights_free(cdni_sights *list) {
  if (list->sights) cdni_free(list->allocator, list->sights, (size_t)list->room * sizeof *list->sights);
  list->sights = NULL;
  list->n = list->room = 0;
}
