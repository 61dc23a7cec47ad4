/* The lists of one-sided constraints and of friction while building. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "constraints/kinds/shape_contact.h"
#include "hybrid/adding.h"
#include "rooms.h"

CDNI_DEF(one_sided_def, .constraint = { -1 }, .stiffness = 1);
CDNI_DEF(dry_friction_def, .slip = { -1 }, .normal = { -1 }, .reaction = { -1 }, .mu_static = -1, .mobilizer = { -1 },
         .mu_ratio = 1);
CDNI_DEF(rigid_contact_def, .X_AP = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, { 0, 0, 0 } }, .mu_static = -1,
         .stiffness = 1, .mu_ratio = 1);

const hybrid_room *cdni_hybrid(const cdn_system *system) {
  const hybrid_room *room = cdni_system_room_get(system, CDNI_ROOM_HYBRID);
  return room && room->sides.count + room->frictions.count + room->kept.count > 0 ? room : NULL;
}

/* ---- the room ---- */

static void destroy(cdn_system *system, void *data) {
  hybrid_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (int i = 0; i < hybrid_sides(room); i++)
    cdni_strfree(a, side_at(room, i)->name), cdn_function_release(side_at(room, i)->by_speed);
  for (int i = 0; i < hybrid_frictions(room); i++) cdni_strfree(a, friction_at(room, i)->name);
  for (int i = 0; i < hybrid_kept(room); i++) cdni_strfree(a, kept_at(room, i)->name);
  cdni_impact_forget(room, a);
  cdni_array *const arrays[] = { &room->sides,           &room->frictions, &room->side_params,
                                 &room->friction_params, &room->kept,      &room->kept_params };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
}

static cdn_status prepare(cdn_system *system) { return cdni_hybrid_add_slots(system); }

const cdni_room_ops cdni_hybrid_room = { .size = sizeof(hybrid_room),
                                         .prepare = prepare,
                                         .elements = cdni_hybrid_elements,
                                         .subsystem = &cdni_hybrid_ops,
                                         .destroy = destroy };

/* ---- adding ---- */

bool cdni_hybrid_refuse(cdni_adder *by, const char *text) {
  cdni_adder_refuse(by, CDN_ERR_ARG, "%s", text);
  return false;
}

bool cdni_hybrid_check_constraint(cdni_adder *by, const hybrid_room *room, cdn_constraint c, const char *what) {
  cdni_adder_check_there(by, what, c.i, cdn_system_constraint_count(by->system));
  for (int i = 0; i < hybrid_sides(room) && by->ok; i++)
    if (side_at(room, i)->constraint == c.i)
      cdni_adder_refuse(by, CDN_ERR_ARG, "constraint '%s' belongs to '%s' already: each element needs its own",
                        cdn_constraint_name(by->system, c), side_at(room, i)->name);
  for (int i = 0; i < hybrid_frictions(room) && by->ok; i++)
    if (friction_at(room, i)->slip == c.i)
      cdni_adder_refuse(by, CDN_ERR_ARG, "constraint '%s' belongs to friction '%s' already: each element needs its own",
                        cdn_constraint_name(by->system, c), friction_at(room, i)->name);
  for (int i = 0; i < hybrid_kept(room) && by->ok; i++)
    if (kept_at(room, i)->push == c.i)
      cdni_adder_refuse(by, CDN_ERR_ARG, "constraint '%s' belongs to '%s' already: each element needs its own",
                        cdn_constraint_name(by->system, c), kept_at(room, i)->name);
  return by->ok;
}

static const constraint_element *element_of(const cdn_system *system, cdn_constraint c) {
  return constraint_at(cdni_constraints(system), c.i);
}

static bool check_range(cdni_adder *by, const char *what, double value, double upper) {
  if (value >= 0 && value <= upper) return true;
  if (isfinite(upper)) cdni_adder_refuse(by, CDN_ERR_ARG, "its %s is %g; it must be from 0 to %g", what, value, upper);
  else cdni_adder_refuse(by, CDN_ERR_ARG, "its %s is %g; it must be finite and not negative", what, value);
  return false;
}

static bool check_side(cdni_adder *by, const hybrid_room *room, const cdn_one_sided_def *d) {
  if (!cdni_hybrid_check_constraint(by, room, d->constraint, "constraint")) return false;
  const constraint_element *c = element_of(by->system, d->constraint);
  if (c->np + c->nv != 1 || c->na != 0)
    return cdni_hybrid_refuse(by, "its constraint must have one equation, at position or at velocity level");
  if (d->restitution_by_speed && cdn_function_n_inputs(d->restitution_by_speed) != 1)
    return cdni_hybrid_refuse(by, "its restitution_by_speed must be a function of one argument");
  if (!(d->stiffness > 0 && d->stiffness <= FINITE))
    return cdni_hybrid_refuse(by, "its stiffness must be positive and finite");
  return check_range(by, "restitution", d->restitution, 1) &&
         check_range(by, "capture_speed", d->capture_speed, FINITE);
}

bool cdni_hybrid_keep(cdni_adder *by, cdni_array *list, size_t size, const void *element, cdni_array *params, int n,
                      const double *values) {
  const cdn_allocator *a = cdni_system_allocator(by->system);
  double *to = cdni_array_extend(a, params, sizeof *to, (size_t)n);
  if (to) memcpy(to, values, (size_t)n * sizeof *to);
  if (to && cdni_array_push(a, list, size, element)) return true;
  cdni_adder_refuse(by, CDN_ERR_NOMEM, "out of memory");
  return false;
}

static cdn_one_sided add_side(cdn_system *system, const char *function, const cdn_one_sided_def *def) {
  const cdn_one_sided none = { -1 };
  cdni_adder by;
  cdn_one_sided_def d;
  hybrid_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_HYBRID, function, "one-sided constraint");
  if (!room) return none;
  const char *unreadable =
      def ? read_one_sided_def(&d, def) : "no def is given: start with cdn_default_one_sided_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  const char *of_constraint = d.constraint.i >= 0 ? cdn_constraint_name(system, d.constraint) : NULL;
  cdni_adder_name(&by, d.name ? d.name : of_constraint, room->sides.count);
  if (!by.ok || !check_side(&by, room, &d)) return none;
  const one_sided element = { .name = cdni_strdup(cdni_system_allocator(system), by.name),
                              .constraint = d.constraint.i,
                              .speed = element_of(system, d.constraint)->nv == 1,
                              .sign = d.upper ? -1 : 1,
                              .by_speed = d.restitution_by_speed };
  const double params[ONE_SIDED_PARAMS] = { d.restitution, d.capture_speed, d.stiffness };
  if (!element.name) cdni_adder_refuse(&by, CDN_ERR_NOMEM, "out of memory");
  if (!by.ok ||
      !cdni_hybrid_keep(&by, &room->sides, sizeof element, &element, &room->side_params, ONE_SIDED_PARAMS, params)) {
    cdni_strfree(cdni_system_allocator(system), element.name);
    return none;
  }
  if (element.by_speed) cdn_function_retain(element.by_speed);
  cdn_system_disable_constraint(system, d.constraint);
  cdni_constraint_yields(system, d.constraint);
  return (cdn_one_sided){ (int32_t)room->sides.count - 1 };
}

cdn_one_sided cdn_system_make_one_sided(cdn_system *system, const cdn_one_sided_def *def) {
  CDNI_NEED_OBJECT(system, ((cdn_one_sided){ -1 }));
  return add_side(system, __func__, def);
}

bool cdni_hybrid_check_mobilizer(cdni_adder *by, cdn_body mobilizer, cdn_vec3 axis) {
  cdni_adder_check_body(by, mobilizer);
  if (by->ok && mobilizer.i == 0)
    cdni_hybrid_refuse(by, "its mobilizer is Ground's: name the body that the mobilizer moves");
  if (by->ok && !(cdn_norm(axis) <= FINITE)) cdni_hybrid_refuse(by, "its axis must be finite");
  return by->ok;
}

static bool check_friction(cdni_adder *by, const hybrid_room *room, const cdn_dry_friction_def *d) {
  if (!cdni_hybrid_check_constraint(by, room, d->slip, "constraint")) return false;
  const constraint_element *c = element_of(by->system, d->slip);
  if (c->np != 0 || c->na != 0 || c->nv < 1 || c->nv > CONE_MOST_TANGENTS)
    return cdni_hybrid_refuse(by, "its constraint must have one to three equations, at velocity level");
  if (d->normal.i != -1) cdni_adder_check_there(by, "one-sided constraint", d->normal.i, hybrid_sides(room));
  if (d->reaction.i != -1 && by->ok) cdni_hybrid_check_constraint(by, room, d->reaction, "constraint");
  if (by->ok && !(d->mu_ratio > 0 && d->mu_ratio <= FINITE))
    return cdni_hybrid_refuse(by, "its mu_ratio must be positive and finite");
  if (d->mobilizer.i != -1 && by->ok) cdni_hybrid_check_mobilizer(by, d->mobilizer, d->axis);
  if (!by->ok) return false;
  if (d->reaction.i >= 0 && element_of(by->system, d->reaction)->m > HYBRID_MOST_EQUATIONS)
    return cdni_hybrid_refuse(by, "its reaction has too many equations");
  return check_range(by, "load", d->load, FINITE) &&
         (d->mu_static == -1 || check_range(by, "mu_static", d->mu_static, FINITE)) &&
         check_range(by, "mu_dynamic", d->mu_dynamic, FINITE) && check_range(by, "viscous", d->viscous, FINITE) &&
         check_range(by, "moment_length", d->moment_length, FINITE);
}

v3 cdni_hybrid_axis(cdn_vec3 axis) {
  const double size = cdn_norm(axis);
  return size > 0 ? v3_scale(1 / size, cdni_to_v3(axis)) : v3_zero();
}

/* Whether the cone of its normal has no room for it. */
static bool shares_cone(const hybrid_room *room, const cdn_dry_friction_def *d, int n) {
  if (d->normal.i < 0) return false;
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_at(room, i)->normal == d->normal.i) return true;
  return n > 2;
}

static cdn_dry_friction add_friction(cdn_system *system, const char *function, const cdn_dry_friction_def *def) {
  const cdn_dry_friction none = { -1 };
  cdni_adder by;
  cdn_dry_friction_def d;
  hybrid_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_HYBRID, function, "friction");
  if (!room) return none;
  const char *unreadable =
      def ? read_dry_friction_def(&d, def) : "no def is given: start with cdn_default_dry_friction_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  const char *of_constraint = d.slip.i >= 0 ? cdn_constraint_name(system, d.slip) : NULL;
  cdni_adder_name(&by, d.name ? d.name : of_constraint, room->frictions.count);
  if (!by.ok || !check_friction(&by, room, &d)) return none;
  const dry_friction element = { .name = cdni_strdup(cdni_system_allocator(system), by.name),
                                 .slip = d.slip.i,
                                 .normal = d.normal.i,
                                 .reaction = d.reaction.i,
                                 .n = element_of(system, d.slip)->nv,
                                 .mobilizer = d.mobilizer.i,
                                 .joint = d.mobilizer.i >= 0 ? room->joints : -1,
                                 .axis = cdni_hybrid_axis(d.axis),
                                 .shares = shares_cone(room, &d, element_of(system, d.slip)->nv),
                                 .part = "" };
  const double params[FRICTION_PARAMS] = { d.load, d.mu_static, d.mu_dynamic, d.viscous, d.mu_ratio, d.moment_length };
  if (!element.name) cdni_adder_refuse(&by, CDN_ERR_NOMEM, "out of memory");
  if (!by.ok || !cdni_hybrid_keep(&by, &room->frictions, sizeof element, &element, &room->friction_params,
                                  FRICTION_PARAMS, params)) {
    cdni_strfree(cdni_system_allocator(system), element.name);
    return none;
  }
  room->joints += element.joint >= 0;
  cdn_system_disable_constraint(system, d.slip);
  cdni_constraint_yields(system, d.slip);
  return (cdn_dry_friction){ (int32_t)room->frictions.count - 1 };
}

cdn_dry_friction cdn_system_add_dry_friction(cdn_system *system, const cdn_dry_friction_def *def) {
  CDNI_NEED_OBJECT(system, ((cdn_dry_friction){ -1 }));
  return add_friction(system, __func__, def);
}

/* ---- slots of rigid contact of shapes: the same, without numbers and bodies ---- */

/* Of multipliers that are not unique those are taken that are small beside their bounds: two feet that stand do not
 * turn, and pushes, not moments, say so. */
static cdn_status add_turning(cdn_system *system, int slot, bool spin, cdn_one_sided normal, double length) {
  hybrid_room *room = cdni_system_room(system, CDNI_ROOM_HYBRID);
  char name[48];
  snprintf(name, sizeof name, "rigid contact %d %s", slot, spin ? "spin" : "rolling");
  cdn_dry_friction_def friction = dry_friction_def_defaults;
  friction.name = name, friction.normal = normal;
  friction.slip = cdni_constrain_slot(system, name, slot, spin ? CONTACT_SPIN : CONTACT_TURN);
  if (friction.slip.i < 0) return CDN_ERR_NOMEM;
  cdni_constraint_weigh(system, friction.slip, length);
  const cdn_dry_friction made = add_friction(system, "cdn_system_freeze", &friction);
  if (made.i < 0) return CDN_ERR_NOMEM;
  CDNI_AT(room->frictions, dry_friction, made.i).part = spin ? " spin" : " rolling";
  return CDN_OK;
}

/* lengths: of friction against spin, and against rolling; 0: there is none. */
static cdn_status add_slot(cdn_system *system, int slot, const double lengths[2]) {
  char name[40], slip_name[48];
  snprintf(name, sizeof name, "rigid contact %d", slot);
  snprintf(slip_name, sizeof slip_name, "%s slip", name);
  const cdn_constraint gap = cdni_constrain_slot(system, name, slot, CONTACT_SLIDING);
  const cdn_constraint slip = cdni_constrain_slot(system, slip_name, slot, CONTACT_SLIP);
  if (gap.i < 0 || slip.i < 0) return CDN_ERR_NOMEM;
  cdn_one_sided_def side = one_sided_def_defaults;
  side.constraint = gap;
  cdn_dry_friction_def friction = dry_friction_def_defaults;
  friction.name = name, friction.slip = slip, friction.normal = add_side(system, "cdn_system_freeze", &side);
  if (add_friction(system, "cdn_system_freeze", &friction).i < 0) return CDN_ERR_NOMEM;
  for (int k = 0; k < 2; k++)
    if (lengths[k] > 0) CDNI_TRY(add_turning(system, slot, k == 0, friction.normal, lengths[k]));
  return CDN_OK;
}

cdn_status cdni_hybrid_add_slots(cdn_system *system) {
  const int n = cdni_rigid_slots_of(system);
  if (n == 0) return CDN_OK;
  hybrid_room *room = cdni_system_room(system, CDNI_ROOM_HYBRID);
  if (!room) return CDN_ERR_NOMEM;
  double lengths[2];
  cdni_rigid_turns(system, lengths);
  room->slots = n, room->first_slot = hybrid_sides(room), room->first_slot_friction = hybrid_frictions(room);
  room->slot_frictions = 1 + (lengths[0] > 0) + (lengths[1] > 0);
  for (int i = 0; i < n; i++) CDNI_TRY(add_slot(system, i, lengths));
  return CDN_OK;
}

/* ---- contact of a sphere and a plane: a constraint for the gap, one for the slip, and an element on each ---- */

/* Friction against spin, or against rolling: `length` times the push. */
static void turn_on_plane(cdn_system *system, const cdn_rigid_contact_def *d, const char *contact, cdn_one_sided normal,
                          contact_equations equations, double length) {
  char name[272];
  cdn_dry_friction_def friction = dry_friction_def_defaults;
  snprintf(name, sizeof name, "%s %s", contact, equations == CONTACT_SPIN ? "spin" : "rolling");
  friction.name = name, friction.normal = normal, friction.mu_dynamic = length;
  friction.slip = cdni_constrain_turn_on_plane(system, name, d->a, d->X_AP, d->b, equations);
  cdni_constraint_weigh(system, friction.slip, length);
  if (friction.slip.i >= 0) add_friction(system, "cdn_system_add_rigid_contact", &friction);
}

cdn_rigid_contact cdn_system_add_rigid_contact(cdn_system *system, const cdn_rigid_contact_def *def) {
  const cdn_rigid_contact none = { { -1 }, { -1 } };
  CDNI_NEED_OBJECT(system, none);
  cdn_rigid_contact_def d;
  cdni_adder by;
  char name[256], slip_name[272];
  if (!cdni_adder_begin(&by, system, CDNI_ROOM_HYBRID, __func__, "rigid contact")) return none;
  const char *unreadable =
      def ? read_rigid_contact_def(&d, def) : "no def is given: start with cdn_default_rigid_contact_def()";
  if (unreadable) {
    cdni_adder_fail_unreadable(&by, def, unreadable);
    return none;
  }
  cdni_adder_name(&by, d.name, (size_t)cdn_system_one_sided_count(system));
  if (!check_range(&by, "torsional_friction", d.torsional_friction, FINITE) ||
      !check_range(&by, "rolling_friction", d.rolling_friction, FINITE))
    return none;
  const char *a = cdn_body_name(system, d.a), *b = cdn_body_name(system, d.b);
  if (d.name) snprintf(name, sizeof name, "%s", d.name);
  else snprintf(name, sizeof name, "%.100s on %.100s %d", b ? b : "?", a ? a : "?", cdn_system_one_sided_count(system));
  snprintf(slip_name, sizeof slip_name, "%s slip", name);
  const bool smooth = d.mu_dynamic == 0 && d.viscous == 0 && (d.mu_static == 0 || d.mu_static == -1);
  cdn_rigid_contact made = none;
  const cdn_constraint gap =
      cdn_system_constrain_sphere_on_plane(system, name, d.a, d.X_AP, d.b, d.p_B, d.radius, false);
  if (gap.i < 0) return none;
  cdn_one_sided_def side = one_sided_def_defaults;
  side.name = name, side.constraint = gap, side.restitution = d.restitution, side.capture_speed = d.capture_speed;
  side.restitution_by_speed = d.restitution_by_speed, side.stiffness = d.stiffness;
  made.normal = add_side(system, __func__, &side);
  if (made.normal.i < 0) return made;
  cdn_dry_friction_def friction = dry_friction_def_defaults;
  friction.name = name, friction.normal = made.normal;
  if (!smooth) friction.slip = cdn_system_constrain_slip_on_plane(system, slip_name, d.a, d.X_AP, d.b, d.p_B, d.radius);
  friction.mu_static = d.mu_static, friction.mu_dynamic = d.mu_dynamic, friction.viscous = d.viscous;
  friction.mu_ratio = d.mu_ratio;
  if (friction.slip.i >= 0) made.friction = add_friction(system, __func__, &friction);
  if (d.torsional_friction != 0) turn_on_plane(system, &d, name, made.normal, CONTACT_SPIN, d.torsional_friction);
  if (d.rolling_friction != 0) turn_on_plane(system, &d, name, made.normal, CONTACT_TURN, d.rolling_friction);
  return made;
}
