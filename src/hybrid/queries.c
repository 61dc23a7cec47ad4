/* What programs ask about elements, and how they look them up. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "hybrid/slip.h"
#include "system/elements.h"

static bool side_exists(const hybrid_room *room, cdn_one_sided e) {
  return room && e.i >= 0 && e.i < hybrid_sides(room);
}
static bool friction_exists(const hybrid_room *room, cdn_dry_friction e) {
  return room && e.i >= 0 && e.i < hybrid_frictions(room);
}

/* ---- of the System ---- */

int cdn_system_one_sided_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const hybrid_room *room = cdni_hybrid(system);
  return room ? hybrid_sides(room) : 0;
}

const char *cdn_one_sided_name(const cdn_system *system, cdn_one_sided element) {
  CDNI_NEED_OBJECT(system, NULL);
  const hybrid_room *room = cdni_hybrid(system);
  return side_exists(room, element) ? side_at(room, element.i)->name : NULL;
}

cdn_one_sided cdn_system_find_one_sided(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_one_sided){ -1 }));
  return (cdn_one_sided){ cdni_find_by_name(system, CDN_ELEMENT_ONE_SIDED, name) };
}

int cdn_system_dry_friction_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const hybrid_room *room = cdni_hybrid(system);
  return room ? hybrid_frictions(room) : 0;
}

const char *cdn_dry_friction_name(const cdn_system *system, cdn_dry_friction element) {
  CDNI_NEED_OBJECT(system, NULL);
  const hybrid_room *room = cdni_hybrid(system);
  return friction_exists(room, element) ? friction_at(room, element.i)->name : NULL;
}

cdn_dry_friction cdn_system_find_dry_friction(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_dry_friction){ -1 }));
  return (cdn_dry_friction){ cdni_find_by_name(system, CDN_ELEMENT_DRY_FRICTION, name) };
}

/* ---- of a State ---- */

bool cdn_one_sided_is_on(const cdn_state *state, cdn_one_sided element) {
  CDNI_NEED_OBJECT(state, false);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return side_exists(room, element) && side_is_on(room, state, element.i);
}

/* The multipliers of the constraints; NULL on failure. */
static cdn_status find_multipliers(const hybrid_room *room, cdn_state *state, const double **lambda) {
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  *lambda = cdn_state_multipliers(state) + cdni_constraints_first_row(room->constraints);
  return CDN_OK;
}

cdn_status cdn_one_sided_push(cdn_state *state, cdn_one_sided element, double *push) {
  CDNI_NEED(state, push);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  const double *lambda;
  *push = 0;
  if (!side_exists(room, element)) return cdni_state_lacks(state, __func__, "one-sided constraint", (int)element.i);
  if (!side_is_on(room, state, element.i)) return CDN_OK;
  CDNI_TRY(find_multipliers(room, state, &lambda));
  const one_sided *s = side_at(room, element.i);
  *push = -s->sign * lambda[constraint_at(room->constraints, s->constraint)->row];
  return CDN_OK;
}

cdn_status cdn_one_sided_gap(cdn_state *state, cdn_one_sided element, double *gap) {
  CDNI_NEED(state, gap);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  if (!side_exists(room, element)) return cdni_state_lacks(state, __func__, "one-sided constraint", (int)element.i);
  const one_sided *s = side_at(room, element.i);
  const cdn_constraint c = { s->constraint };
  CDNI_TRY(cdn_realize(state, s->speed ? CDN_STAGE_VELOCITY : CDN_STAGE_POSITION));
  CDNI_TRY(s->speed ? cdn_calc_constraint_verr(state, c, gap) : cdn_calc_constraint_perr(state, c, gap));
  *gap *= s->sign;
  return CDN_OK;
}

cdn_friction_status cdn_dry_friction_get_status(const cdn_state *state, cdn_dry_friction element) {
  CDNI_NEED_OBJECT(state, CDN_FRICTION_OFF);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return friction_exists(room, element) ? friction_status(room, state, element.i) : CDN_FRICTION_OFF;
}

cdn_status cdn_dry_friction_force(cdn_state *state, cdn_dry_friction element, double *force) {
  CDNI_NEED(state, force);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  const double *lambda;
  force[0] = force[1] = 0;
  if (!friction_exists(room, element)) return cdni_state_lacks(state, __func__, "dry friction", (int)element.i);
  const dry_friction *x = friction_at(room, element.i);
  for (int k = 2; k < x->n; k++) force[k] = 0;
  CDNI_TRY(find_multipliers(room, state, &lambda));
  lambda += constraint_at(room->constraints, x->slip)->row;
  const double *slips = follower_force(room, state, element.i);
  switch (friction_status(room, state, element.i)) {
    case CDN_FRICTION_OFF: return CDN_OK;
    case CDN_FRICTION_STICK:
      for (int k = 0; k < x->n; k++) force[k] = -lambda[k];
      return CDN_OK;
    case CDN_FRICTION_SLIP: memcpy(force, slips, (size_t)x->n * sizeof *force); return CDN_OK;
  }
  return CDN_OK;
}

/* ---- what messages call them ---- */

void cdni_hybrid_name_shapes(const cdn_system *system, int a, int b, char *text, size_t size) {
  const int half = (int)size / 2 - 2;
  snprintf(text, size, "%.*s - %.*s", half, cdn_shape_name(system, (cdn_shape){ a }), half,
           cdn_shape_name(system, (cdn_shape){ b }));
}

void cdni_hybrid_name_part(const dry_friction *x, char *text, size_t size) {
  const size_t used = strlen(text);
  if (used < size) snprintf(text + used, size - used, "%s", x->part);
}

bool cdn_one_sided_is_free(const cdn_state *state, cdn_one_sided element) {
  CDNI_NEED_OBJECT(state, false);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return side_exists(room, element) && !side_is_there(room, state, element.i);
}

bool cdn_dry_friction_is_free(const cdn_state *state, cdn_dry_friction element) {
  CDNI_NEED_OBJECT(state, false);
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  const int normal = friction_exists(room, element) ? friction_at(room, element.i)->normal : -1;
  return normal >= 0 && !side_is_there(room, state, normal);
}

/* The name, unless a slot holds something. */
static void put_text(const cdn_state *state, const hybrid_room *room, const char *name, int slot, char *text,
                     size_t size) {
  const rigid_feature *f = slot >= 0 ? cdni_rigid_slot(room->contact, state, slot) : NULL;
  if (f && f->kind != RIGID_NONE) cdni_hybrid_name_shapes(cdn_state_system(state), f->a, f->b, text, size);
  else snprintf(text, size, "%s", name);
}

void cdn_one_sided_text(const cdn_state *state, cdn_one_sided element, char *text, size_t size) {
  const hybrid_room *room = state ? cdni_hybrid(cdn_state_system(state)) : NULL;
  const int i = element.i;
  if (!text || size == 0) return;
  if (!side_exists(room, element)) snprintf(text, size, "?");
  else put_text(state, room, side_at(room, i)->name, side_slot(room, i), text, size);
}

void cdn_dry_friction_text(const cdn_state *state, cdn_dry_friction element, char *text, size_t size) {
  const hybrid_room *room = state ? cdni_hybrid(cdn_state_system(state)) : NULL;
  const int i = element.i;
  if (!text || size == 0) return;
  if (!friction_exists(room, element)) snprintf(text, size, "?");
  else {
    const bool held = friction_slot(room, i) >= 0 && !cdn_dry_friction_is_free(state, element);
    put_text(state, room, friction_at(room, i)->name, friction_slot(room, i), text, size);
    if (held) cdni_hybrid_name_part(friction_at(room, i), text, size);
  }
}

void cdn_hybrid_get_totals_sized(const cdn_state *state, cdn_hybrid_totals *out, size_t size) {
  const hybrid_room *room = state ? cdni_hybrid(cdn_state_system(state)) : NULL;
  cdn_hybrid_totals totals = { 0 };
  if (room) totals = *(const cdn_hybrid_totals *)cdn_state_discrete(state, room->totals);
  cdni_sized_write(out, size, &totals, sizeof totals);
}

/* ---- contacts of shapes ---- */

cdn_status cdni_hybrid_contact_force(cdn_state *state, int contact, contact_force *out) {
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  *out = (contact_force){ .pyramid = false };
  const int slot = room ? cdni_rigid_slot_of(room->contact, state, contact) : -1;
  if (slot < 0) return CDN_OK;
  const cdn_dry_friction friction = { slot_friction(room, slot) };
  out->sticks = cdn_dry_friction_get_status(state, friction) == CDN_FRICTION_STICK;
  CDNI_TRY(cdn_one_sided_push(state, (cdn_one_sided){ room->first_slot + slot }, &out->force[0]));
  CDNI_TRY(cdn_dry_friction_force(state, friction, &out->force[1]));
  for (int k = 1; k < room->slot_frictions; k++) {
    double moment[2];
    CDNI_TRY(cdn_dry_friction_force(state, (cdn_dry_friction){ friction.i + k }, moment));
    if (friction_at(room, friction.i + k)->n == 1) out->force[3] = moment[0];
    else out->force[4] = moment[0], out->force[5] = moment[1];
  }
  return CDN_OK;
}

/* ---- elements by name ---- */

static const cdni_parameter side_table[] = { { "restitution", "1", 0, 1, 0, 0, NULL },
                                             CDNI_NOT_NEGATIVE("capture_speed", "m/s|rad/s"),
                                             CDNI_POSITIVE("stiffness", "1") };
static const cdni_parameter friction_table[] = {
  CDNI_NOT_NEGATIVE("load", "N|N m"),   { "mu_static", "1", -1, INFINITY, 0, 0, "-1: as mu_dynamic" },
  CDNI_NOT_NEGATIVE("mu_dynamic", "1"), CDNI_NOT_NEGATIVE("viscous", "s/m|s/rad"),
  CDNI_POSITIVE("mu_ratio", "1"),       CDNI_NOT_NEGATIVE("moment_length", "m")
};
static const cdni_parameter kept_table[] = { CDNI_ANY("value", "N|N m") };
_Static_assert(CDNI_COUNT(kept_table) == KEPT_PARAMS, "each parameter is described");
_Static_assert(CDNI_COUNT(side_table) == ONE_SIDED_PARAMS, "each parameter is described");
_Static_assert(CDNI_COUNT(friction_table) == FRICTION_PARAMS, "each parameter is described");

static const char *side_name(const cdn_system *s, int i) { return side_at(cdni_hybrid(s), i)->name; }
static const char *side_kind(const cdn_system *s, int i) {
  const hybrid_room *room = cdni_hybrid(s);
  return cdn_constraint_kind_name(s, (cdn_constraint){ side_at(room, i)->constraint });
}
static const char *friction_name(const cdn_system *s, int i) { return friction_at(cdni_hybrid(s), i)->name; }
static int side_parameters(const cdn_system *s, int i) {
  (void)s, (void)i;
  return ONE_SIDED_PARAMS;
}
static int friction_parameters(const cdn_system *s, int i) {
  (void)s, (void)i;
  return FRICTION_PARAMS;
}
/* Whether a constraint is about lengths or angles: that of its mobility, or lengths between bodies. */
static char dimension_of(const hybrid_room *room, int constraint) {
  const constraint_element *c = constraint_at(room->constraints, constraint);
  if (c->n_mobilities == 0) return 'L';
  return cdni_mobility_dimension(room->matter,
                                 CDNI_AT(room->constraints->mobilities, constraint_mobility, c->first_mobility).u);
}
static void side_parameter(const cdn_system *s, int i, int k, cdni_parameter_place *out) {
  out->is = side_table[k], out->array = cdni_hybrid(s)->sides_of, out->at = i * ONE_SIDED_PARAMS + k;
  out->dimension = dimension_of(cdni_hybrid(s), side_at(cdni_hybrid(s), i)->constraint);
}
static void friction_parameter(const cdn_system *s, int i, int k, cdni_parameter_place *out) {
  out->is = friction_table[k], out->array = cdni_hybrid(s)->frictions_of, out->at = i * FRICTION_PARAMS + k;
  out->dimension = dimension_of(cdni_hybrid(s), friction_at(cdni_hybrid(s), i)->slip);
}

static const char *kept_name(const cdn_system *s, int i) { return kept_at(cdni_hybrid(s), i)->name; }
static int kept_parameters(const cdn_system *s, int i) {
  (void)s, (void)i;
  return KEPT_PARAMS;
}
static void kept_parameter(const cdn_system *s, int i, int k, cdni_parameter_place *out) {
  const kept_reaction *x = kept_at(cdni_hybrid(s), i);
  out->is = kept_table[k], out->array = cdni_hybrid(s)->kept_of, out->at = i * KEPT_PARAMS + k;
  out->dimension = x->constraint >= 0 ? dimension_of(cdni_hybrid(s), x->constraint) : 'L';
}

static cdn_status set_numbers(cdn_state *state, const char *function, const char *name, const cdni_parameter *table,
                              cdn_dvar array, int at, int n, const double *values) {
  char reason[200];
  const cdn_status status = cdni_parameters_check(table, n, values, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, name, "'%s': %s; nothing was changed", name, reason);
  return cdn_state_set_parameters(state, array, at, n, values);
}
static cdn_status set_side(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return set_numbers(state, function, side_at(room, i)->name, side_table + first, room->sides_of,
                     i * ONE_SIDED_PARAMS + first, n, values);
}
static cdn_status set_friction(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return set_numbers(state, function, friction_at(room, i)->name, friction_table + first, room->frictions_of,
                     i * FRICTION_PARAMS + first, n, values);
}
static cdn_status set_kept(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const hybrid_room *room = cdni_hybrid(cdn_state_system(state));
  return set_numbers(state, function, kept_at(room, i)->name, kept_table + first, room->kept_of,
                     i * KEPT_PARAMS + first, n, values);
}

const cdni_elements cdni_hybrid_elements[] = { { .type = CDN_ELEMENT_ONE_SIDED,
                                                 .count = cdn_system_one_sided_count,
                                                 .name = side_name,
                                                 .kind = side_kind,
                                                 .parameter_count = side_parameters,
                                                 .parameter = side_parameter,
                                                 .set = set_side },
                                               { .type = CDN_ELEMENT_DRY_FRICTION,
                                                 .count = cdn_system_dry_friction_count,
                                                 .name = friction_name,
                                                 .parameter_count = friction_parameters,
                                                 .parameter = friction_parameter,
                                                 .set = set_friction },
                                               { .type = CDN_ELEMENT_KEPT_REACTION,
                                                 .count = cdn_system_kept_reaction_count,
                                                 .name = kept_name,
                                                 .parameter_count = kept_parameters,
                                                 .parameter = kept_parameter,
                                                 .set = set_kept },
                                               CDNI_NO_MORE_ELEMENTS };
