/* Reactions that are kept: the list while building, and what programs ask. */
#include "core/sized.h"
#include "hybrid/adding.h"
#include "hybrid/slip.h"
#include "rooms.h"

CDNI_DEF(kept_reaction_def, .push = { -1 }, .constraint = { -1 }, .mobilizer = { -1 });

static bool check(cdni_adder *by, const hybrid_room *room, const cdn_kept_reaction_def *d) {
  if (!cdni_hybrid_check_constraint(by, room, d->push, "constraint 'push'")) return false;
  const constraint_element *c = constraint_at(cdni_constraints(by->system), d->push.i);
  if (c->np != 0 || c->na != 0 || c->nv != 1)
    return cdni_hybrid_refuse(by, "its constraint 'push' must have one equation, at velocity level");
  if ((d->constraint.i == -1) == (d->mobilizer.i == -1))
    return cdni_hybrid_refuse(by, "it must keep a multiplier of a constraint, or what a mobilizer transmits: give one");
  if (d->mobilizer.i != -1 && !cdni_hybrid_check_mobilizer(by, d->mobilizer, d->axis)) return false;
  if (d->mobilizer.i != -1 && !(cdn_norm(d->axis) > 0))
    return cdni_hybrid_refuse(by, "it keeps the part of a force along its axis, which must not be zero");
  if (d->constraint.i != -1) {
    cdni_adder_check_there(by, "constraint", d->constraint.i, cdn_system_constraint_count(by->system));
    if (!by->ok) return false;
    const int m = constraint_at(cdni_constraints(by->system), d->constraint.i)->m;
    if (d->constraint.i == d->push.i)
      return cdni_hybrid_refuse(by, "it keeps a multiplier of the constraint along which it pushes");
    if (d->equation < 0 || d->equation >= m) {
      cdni_adder_refuse(by, CDN_ERR_ARG, "its equation is %d; constraint '%s' has those from 0 to %d", (int)d->equation,
                        cdn_constraint_name(by->system, d->constraint), m - 1);
      return false;
    }
  }
  if (!(d->value >= -FINITE && d->value <= FINITE)) return cdni_hybrid_refuse(by, "its value must be finite");
  if ((unsigned)d->keep > CDN_KEEP_AT_MOST) return cdni_hybrid_refuse(by, "there is no such way to keep it");
  return true;
}

cdn_kept_reaction cdn_system_keep_reaction(cdn_system *system, const cdn_kept_reaction_def *def) {
  const cdn_kept_reaction none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  cdni_adder by;
  cdn_kept_reaction_def d;
  hybrid_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_HYBRID, __func__, "kept reaction");
  if (!room) return none;
  const char *unreadable =
      def ? read_kept_reaction_def(&d, def) : "no def is given: start with cdn_default_kept_reaction_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  const char *of_constraint = d.push.i >= 0 ? cdn_constraint_name(system, d.push) : NULL;
  cdni_adder_name(&by, d.name ? d.name : of_constraint, room->kept.count);
  if (!by.ok || !check(&by, room, &d)) return none;
  static const int senses[] = { [CDN_KEEP_EXACTLY] = 0, [CDN_KEEP_AT_LEAST] = 1, [CDN_KEEP_AT_MOST] = -1 };
  const kept_reaction element = { .name = cdni_strdup(cdni_system_allocator(system), by.name),
                                  .push = d.push.i,
                                  .constraint = d.constraint.i,
                                  .equation = d.equation,
                                  .mobilizer = d.mobilizer.i,
                                  .joint = d.mobilizer.i >= 0 ? room->joints : -1,
                                  .axis = cdni_hybrid_axis(d.axis),
                                  .sense = senses[d.keep] };
  if (!element.name) cdni_adder_refuse(&by, CDN_ERR_NOMEM, "out of memory");
  if (!by.ok ||
      !cdni_hybrid_keep(&by, &room->kept, sizeof element, &element, &room->kept_params, KEPT_PARAMS, &d.value)) {
    cdni_strfree(cdni_system_allocator(system), element.name);
    return none;
  }
  room->joints += element.joint >= 0;
  cdn_system_disable_constraint(system, d.push);
  return (cdn_kept_reaction){ (int32_t)room->kept.count - 1 };
}

cdn_status cdni_hybrid_refuse_kept(const hybrid_room *room, cdn_state *state, const char *function) {
  if (hybrid_kept(room) == 0) return CDN_OK;
  const char *name = kept_at(room, 0)->name;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                         "'%s' keeps a reaction, which %s cannot handle", name, function);
}

/* ---- what programs ask ---- */

static bool exists(const hybrid_room *room, cdn_kept_reaction e) { return room && e.i >= 0 && e.i < hybrid_kept(room); }

int cdn_system_kept_reaction_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const hybrid_room *room = cdni_hybrid(system);
  return room ? hybrid_kept(room) : 0;
}

const char *cdn_kept_reaction_name(const cdn_system *system, cdn_kept_reaction element) {
  CDNI_NEED_OBJECT(system, NULL);
  const hybrid_room *room = cdni_hybrid(system);
  return exists(room, element) ? kept_at(room, element.i)->name : NULL;
}

cdn_kept_reaction cdn_system_find_kept_reaction(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_kept_reaction){ -1 }));
  return (cdn_kept_reaction){ cdni_find_by_name(system, CDN_ELEMENT_KEPT_REACTION, name) };
}

bool cdn_kept_reaction_acts(const cdn_state *state, cdn_kept_reaction element) {
  CDNI_NEED_OBJECT(state, false);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return exists(room, element) && kept_acts(room, state, element.i);
}

cdn_status cdn_kept_reaction_force(cdn_state *state, cdn_kept_reaction element, double *force) {
  CDNI_NEED(state, force);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  *force = 0;
  if (!exists(room, element)) return cdni_state_lacks(state, __func__, "kept reaction", (int)element.i);
  if (!kept_acts(room, state, element.i)) return CDN_OK;
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  *force = *follower_force(room, state, hybrid_frictions(room) + element.i);
  return CDN_OK;
}
