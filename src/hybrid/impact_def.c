/* How the impacts of a System are solved: what the user says. */
#include "core/sized.h"
#include "hybrid/internal.h"
#include "rooms.h"

CDNI_DEF(impact_def, .law = CDN_IMPACT_POISSON, .propagation = CDN_IMPACT_TOGETHER, .exponent = 1);

void cdni_impact_forget(hybrid_room *room, const cdn_allocator *a) {
  if (room->own.destroy && room->own.solve) room->own.destroy(room->own_self);
  if (room->own_self) cdni_free(a, room->own_self, room->own.self_size);
  cdni_strfree(a, room->own_name);
  room->own = (cdn_impact_ops){ 0 }, room->own_name = NULL, room->own_self = NULL;
}

/* What is wrong with a def; NULL: nothing. */
static const char *find_mistake(const cdn_impact_def *d) {
  if ((unsigned)d->law > CDN_IMPACT_STRONGE) return "impacts: the law is none of cdn_impact_law";
  if ((unsigned)d->propagation > CDN_IMPACT_COMPLIANT)
    return "impacts: the propagation is none of cdn_impact_propagation";
  if (!(d->exponent >= 1 && d->exponent <= 10)) return "impacts: the exponent must be from 1 to 10";
  return NULL;
}

static const char *read_ops(cdn_impact_ops *ops, const cdn_impact_def *d) {
  const char *wrong = CDNI_READ_OPS(cdn_impact_ops, ops, d->ops);
  if (wrong) return wrong;
  if (!ops->solve) return "impacts: the law has no function `solve`";
  if (ops->self_size > 0 && !d->self) return "impacts: self is NULL, but self_size is not 0";
  if (d->propagation == CDN_IMPACT_COMPLIANT)
    return "impacts: a law of your own cannot push like springs: take CDN_IMPACT_TOGETHER or CDN_IMPACT_PAIRWISE";
  return NULL;
}

/* Keeps a law of the user's. False: out of memory. */
static bool keep(hybrid_room *room, const cdn_allocator *a, const cdn_impact_ops *ops, const void *self) {
  room->own_name = cdni_strdup(a, ops->name ? ops->name : "custom");
  room->own_self = ops->self_size > 0 ? cdni_alloc(a, ops->self_size) : NULL;
  room->own.self_size = ops->self_size;
  if (!room->own_name || (ops->self_size > 0 && !room->own_self)) return false;
  if (ops->self_size > 0) memcpy(room->own_self, self, ops->self_size);
  room->own = *ops;
  return true;
}

void cdn_system_set_impact(cdn_system *system, const cdn_impact_def *def) {
  CDNI_NEED_OBJECT_OR_NOTHING(system);
  if (cdni_system_refuses(system, __func__)) return;
  cdn_impact_def d;
  cdn_impact_ops ops = { 0 };
  const char *unreadable = read_impact_def(&d, def), *wrong = unreadable ? NULL : find_mistake(&d);
  if (!unreadable && !wrong && d.ops) wrong = read_ops(&ops, &d);
  if (unreadable || wrong) {
    cdni_system_fail(system, unreadable ? CDN_ERR_VERSION : CDN_ERR_ARG, __func__, NULL, "%s",
                     unreadable ? unreadable : wrong);
    return;
  }
  hybrid_room *room = cdni_system_room(system, CDNI_ROOM_HYBRID);
  if (!room) return;
  const cdn_allocator *a = cdni_system_allocator(system);
  cdni_impact_forget(room, a);
  if (d.ops && !keep(room, a, &ops, d.self)) {
    cdni_impact_forget(room, a);
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, NULL, "out of memory");
    return;
  }
  d.ops = NULL, d.self = NULL;
  room->impact = d, room->has_impact = true;
}
