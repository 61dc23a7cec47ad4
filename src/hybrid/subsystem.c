/* Hybrid mechanics as a subsystem: its parameters, the statuses of a State, and the forces of friction that slips.
 *
 *   parameters, statuses -> friction forces, in the entry of accelerations (dynamics/)   (Acceleration) */
#include "hybrid/internal.h"
#include "rooms.h"

static hybrid_room *of(const void *self) { return *(hybrid_room *const *)self; }

static cdn_status declare(void *self, cdn_declarer *d) {
  hybrid_room *room = of(self);
  const cdn_system *system = cdni_declarer_system(d);
  room->matter = cdni_matter(system);
  room->constraints = cdni_constraints_declared(system);
  room->subsystem = cdni_declarer_subsystem(d);
  if (!cdni_hybrid(system) || !room->constraints) return CDN_OK;
  if (!room->has_impact) room->impact = cdn_default_impact_def();
  room->contact = cdni_contact(system);
  const int sides = hybrid_sides(room), frictions = hybrid_frictions(room);
  room->sides_of = cdn_declare_parameters(d, "one_sided", sides * ONE_SIDED_PARAMS, room->side_params.data);
  room->frictions_of = cdn_declare_parameters(d, "friction", frictions * FRICTION_PARAMS, room->friction_params.data);
  const int kept = hybrid_kept(room);
  room->kept_of = cdn_declare_parameters(d, "kept_reaction", kept * KEPT_PARAMS, room->kept_params.data);
  const size_t numbers = (size_t)hybrid_numbers(room);
  room->status = cdn_declare_discrete(d, "status", numbers * sizeof(double), NULL, CDN_STAGE_POSITION);
  const size_t last = hybrid_changes(room) * sizeof(double);
  room->totals = cdn_declare_discrete(d, "totals", sizeof(cdn_hybrid_totals) + last, NULL, CDN_STAGE_REPORT);
  return cdni_hybrid_declare_events(room, d);
}

static cdn_status calc_event_triggers(const void *self, cdn_state *state, int group, double *values) {
  return cdni_hybrid_triggers(of(self), state, group, values);
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const hybrid_room *room = of(self);
  for (int i = 0; i < hybrid_sides(room); i++) {
    const one_sided *e = side_at(room, i);
    cdn_describe(d, e->name, "makes constraint '%s' act on its %s side",
                 cdn_constraint_name(system, (cdn_constraint){ e->constraint }), e->sign > 0 ? "lower" : "upper");
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const dry_friction *e = friction_at(room, i);
    cdn_describe(d, e->name, "friction on constraint '%s', pressed by %d, %d and %d",
                 cdn_constraint_name(system, (cdn_constraint){ e->slip }), (int)e->normal, (int)e->reaction,
                 (int)e->mobilizer);
  }
  for (int i = 0; i < hybrid_kept(room); i++) {
    const kept_reaction *e = kept_at(room, i);
    cdn_describe(d, e->name, "a force along constraint '%s' keeps equation %d of %d, or of mobilizer %d",
                 cdn_constraint_name(system, (cdn_constraint){ e->push }), (int)e->equation, (int)e->constraint,
                 (int)e->mobilizer);
  }
}

const cdn_subsystem_ops cdni_hybrid_ops = { .struct_size = sizeof cdni_hybrid_ops,
                                            .name = "hybrid",
                                            .self_size = sizeof(hybrid_room *),
                                            .declare = declare,
                                            .calc_event_triggers = calc_event_triggers,
                                            .describe = describe };

cdn_ticket cdni_hybrid_status(const hybrid_room *room) { return room->status.ticket; }
void cdni_hybrid_declare_forces(const hybrid_room *room, cdn_declarer *d, cdn_cache acceleration,
                                const slip_answer *answer) {
  /* then how far from a jam, and by friction how well a slip that begins follows its acceleration */
  const int followers = hybrid_frictions(room) + hybrid_kept(room);
  const size_t size = (size_t)(FOLLOWER_NUMBERS * followers + 1 + hybrid_frictions(room)) * sizeof(double);
  ((hybrid_room *)room)->forces = cdni_declare_companion(d, "slip_forces", size, acceleration);
  ((hybrid_room *)room)->answer = *answer;
}
int cdni_hybrid_variables(const hybrid_room *room, hybrid_variable out[HYBRID_MOST_VARIABLES]) {
  const int sides = hybrid_sides(room), frictions = hybrid_frictions(room);
  out[0] = (hybrid_variable){ room->status, hybrid_numbers(room), false };
  out[1] = (hybrid_variable){ room->totals,
                              (int)(sizeof(cdn_hybrid_totals) / sizeof(double)) + (int)hybrid_changes(room), false };
  if (room->slots == 0) return 2;
  /* whoever takes a slot brings the numbers of its surfaces */
  const int features = room->slots * (int)(sizeof(rigid_feature) / sizeof(double));
  out[2] = (hybrid_variable){ cdni_rigid_variable(room->contact), features, false };
  out[3] = (hybrid_variable){ room->sides_of, sides * ONE_SIDED_PARAMS, true };
  out[4] = (hybrid_variable){ room->frictions_of, frictions * FRICTION_PARAMS, true };
  return 5;
}
int cdni_hybrid_reads(const hybrid_room *room, cdn_ticket *tickets) {
  tickets[0] = room->status.ticket, tickets[1] = room->frictions_of.ticket, tickets[2] = room->kept_of.ticket;
  if (room->slots == 0) return 3;
  tickets[3] = cdni_contact_surface_motion_ticket(room->contact);
  return 4;
}
