/* The list of force elements: building it, and the functions common to all elements: names, switches, parameters. */
#include <math.h>
#include <stdio.h>

#include "forces/internal.h"
#include "matter/kinds.h"
#include "rooms.h"

const force_kind *const cdni_force_kinds[FORCE_KIND_COUNT] = {
#define FORCE_KIND_ENTRY(ENUM, name) [FORCE_##ENUM] = &cdni_force_##name,
  FORCE_KIND_LIST(FORCE_KIND_ENTRY)
};

const char *cdni_force_kind_lacks(const force_kind *k) {
  bool acts = false, stores = false;
  if (!k->name) return "name";
  for (int i = 0; i < FORCE_CLASSES; i++) {
    if (!force_part_exists(&k->parts[i])) continue;
    acts = true, stores = stores || k->parts[i].potential;
    if (!k->parts[i].bodies && !k->parts[i].mobilities) return "parts.bodies or parts.mobilities";
  }
  if (!acts) return "parts";
  for (int i = 0; i < k->n_params; i++)
    if (!k->params[i].name) return "params";
  if (stores && !k->calc_potential) return "calc_potential";
  if (k->calc_potential && !stores) return "parts.potential";
  if (!k->derivative) return "derivative";
  if (k->is_differenced && !k->calc_one) return "calc_one";
  if (k->reads && !k->calc_one) return "calc_one";
  if (k->n_z > 0 && !k->z_unit) return "z_unit";
  if (k->n_z > 0 && !k->calc_zdot) return "calc_zdot";
  if (k->n_z > 0 && !k->zdot_derivative) return "zdot_derivative";
  if (k->n_z > 0 && !k->hold) return "hold";
  if ((k->n_kinks > 0 || k->count_kinks) && !k->calc_kinks) return "calc_kinks";
  if (k->calc_kinks && k->n_kinks == 0 && !k->count_kinks) return "n_kinks";
  return NULL;
}

/* ---- the room ---- */

static void free_forces(cdn_system *system, void *data) {
  force_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->elements.count; i++) cdni_strfree(a, CDNI_AT(room->elements, force_element, i).name);
  cdni_array_free(a, &room->elements);
  cdni_array_free(a, &room->enabled0);
  cdni_array_free(a, &room->readers);
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    force_set *set = &room->sets[k];
    if (cdni_force_kinds[k]->destroy) cdni_force_kinds[k]->destroy(set, a);
    cdni_array_free(a, &set->elements);
    cdni_array_free(a, &set->ids);
    cdni_array_free(a, &set->defaults);
  }
}

const cdni_room_ops cdni_forces_room = {
  .size = sizeof(force_room),
  .elements = cdni_force_elements,
  .subsystem = &cdni_forces_ops,
  .planned = cdni_forces_planned,
  .destroy = free_forces,
};

const force_room *cdni_forces(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_FORCES); }

/* ---- adding ---- */

void cdni_force_begin(force_adder *a, cdn_system *system, force_kind_id kind, const char *function, const char *name) {
  *a = (force_adder){ .kind = kind };
  a->room = cdni_adder_begin(&a->by, system, CDNI_ROOM_FORCES, function, "force");
  cdni_adder_name(&a->by, name, a->room ? a->room->elements.count : 0);
  const char *lacks = cdni_force_kind_lacks(cdni_force_kinds[kind]);
  if (lacks)
    cdni_adder_refuse(&a->by, CDN_ERR_UNSUPPORTED, "the library's kind %s has no .%s: write it in src/forces/",
                      cdni_force_kinds[kind]->name, lacks);
}

void cdni_force_check_pair(force_adder *a, cdn_body body_a, cdn_body body_b) {
  cdni_adder_check_body(&a->by, body_a);
  cdni_adder_check_body(&a->by, body_b);
  if (body_a.i == body_b.i)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG,
                      "both ends are on body %d, where it has no effect: name two bodies (Ground may be one)",
                      (int)body_a.i);
}

force_mobility cdni_force_check_mobility(force_adder *a, cdn_body body, int k) {
  cdni_adder_check_slot(&a->by, body, k, NULL);
  if (!a->by.ok) return (force_mobility){ 0, 0 };
  const tree_node *node = &CDNI_AT(cdni_matter(a->by.system)->nodes, tree_node, body.i);
  return (force_mobility){ node->q + k, node->u + k };
}

force_mobility cdni_force_check_coordinate(force_adder *a, cdn_body body, int k) {
  cdni_adder_check_slot(&a->by, body, k,
                        "for rotations take cdn_system_add_rotation_spring or _stop, else a linear bushing, "
                        "cdn_system_add_two_point_spring or a custom force");
  if (!a->by.ok) return (force_mobility){ 0, 0 };
  const tree_node *node = &CDNI_AT(cdni_matter(a->by.system)->nodes, tree_node, body.i);
  return (force_mobility){ node->q + k,
                           node->u + k - cdn_body_nq(a->by.system, body) + cdn_body_nu(a->by.system, body) };
}

force_mobility cdni_force_check_rotation(force_adder *a, cdn_body body) {
  cdni_adder_check_body(&a->by, body);
  if (!a->by.ok) return (force_mobility){ 0, 0 };
  if (!cdn_body_has_quaternion(a->by.system, body) || !cdni_body_kind(cdni_matter(a->by.system), body.i)->ball) {
    cdni_adder_refuse(&a->by, CDN_ERR_ARG,
                      "joint '%s' is a %s: this element is for ball and free mobilizers with a quaternion. Where qdot "
                      "is u take cdn_system_add_mobility_spring or _stop",
                      cdn_body_mobilizer_name(a->by.system, body), cdni_body_kind_name(a->by.system, body));
    return (force_mobility){ 0, 0 };
  }
  return cdni_force_check_mobility(a, body, 0);
}

force_mobility cdni_force_check_position(force_adder *a, cdn_body body) {
  cdni_adder_check_body(&a->by, body);
  if (!a->by.ok) return (force_mobility){ 0, 0 };
  const int nq = cdn_body_nq(a->by.system, body);
  const char *dimensions = cdni_body_kind(cdni_matter(a->by.system), body.i)->dimensions;
  if (!dimensions || !strstr(dimensions, "LLL")) {
    cdni_adder_refuse(&a->by, CDN_ERR_ARG,
                      "joint '%s' is a %s: this element is for mobilizers with three lengths, such as free and "
                      "translation. On one length take cdn_system_add_polynomial_spring",
                      cdn_body_mobilizer_name(a->by.system, body), cdni_body_kind_name(a->by.system, body));
    return (force_mobility){ 0, 0 };
  }
  return cdni_force_check_coordinate(a, body, nq - 3);
}

/* The code and the reason if parameters are not valid. */
static cdn_status check_params(const force_kind *kind, const double *params, char *reason, size_t size) {
  CDNI_TRY(cdni_parameters_check(kind->params, kind->n_params, params, reason, size));
  return !kind->check || kind->check(params, reason, size) ? CDN_OK : CDN_ERR_ARG;
}

cdn_force cdni_force_add(force_adder *a, const void *element, const double *params) {
  cdn_force id = { -1 };
  const force_kind *kind = cdni_force_kinds[a->kind];
  char reason[160];
  cdn_status status = a->by.ok ? check_params(kind, params, reason, sizeof reason) : CDN_OK;
  if (status != CDN_OK) cdni_adder_refuse(&a->by, status, "%s", reason);
  if (!a->by.ok) return id;

  /* A failed push leaves arrays of unequal lengths behind, in a System that can only be released. */
  const cdn_allocator *memory = cdni_system_allocator(a->by.system);
  force_set *set = &a->room->sets[a->kind];
  int32_t n = (int32_t)a->room->elements.count;
  double on = 1;
  force_element e = { cdni_strdup(memory, a->by.name), (int32_t)a->kind, (int32_t)set->ids.count };
  double *defaults =
      kind->n_params ? cdni_array_extend(memory, &set->defaults, sizeof(double), (size_t)kind->n_params) : NULL;
  bool ok = e.name && (defaults || !kind->n_params) && cdni_array_push(memory, &set->ids, sizeof n, &n) &&
            cdni_array_push(memory, &a->room->enabled0, sizeof on, &on) &&
            (!kind->element_size || cdni_array_push(memory, &set->elements, kind->element_size, element)) &&
            cdni_array_push(memory, &a->room->elements, sizeof e, &e);
  if (!ok) {
    cdni_adder_refuse(&a->by, CDN_ERR_NOMEM, "out of memory");
    cdni_strfree(memory, e.name);
    return id;
  }
  if (defaults) memcpy(defaults, params, (size_t)kind->n_params * sizeof *params);
  id.i = n;
  return id;
}

/* ---- in a State ---- */

static const force_element *element_at(const force_room *room, cdn_force force) {
  if (!room || force.i < 0 || (size_t)force.i >= room->elements.count) return NULL;
  return &CDNI_AT(room->elements, force_element, force.i);
}

const double *cdni_force_params(const cdn_state *state, cdn_force force, force_kind_id kind) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_element *e = element_at(room, force);
  if (!e || e->kind != (int32_t)kind) return NULL;
  return cdn_state_parameters(state, room->sets[kind].params) +
         (size_t)e->index * (size_t)cdni_force_kinds[kind]->n_params;
}

cdn_status cdni_force_set(cdn_state *state, cdn_force force, force_kind_id id, const char *function,
                          const double *params) {
  if (!state) return cdni_misses(function, "state");
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_element *e = element_at(room, force);
  if (!e) return cdni_state_lacks(state, function, "force", force.i);
  const force_kind *kind = cdni_force_kinds[id];
  if (e->kind != (int32_t)id)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, e->name,
                           "force '%s' is a %s, not a %s: nothing was changed", e->name,
                           cdni_force_kinds[e->kind]->name, kind->name);
  char reason[160];
  cdn_status status = check_params(kind, params, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, e->name, "force '%s': %s; nothing was changed", e->name,
                           reason);
  return cdn_state_set_parameters(state, room->sets[id].params, e->index * kind->n_params, kind->n_params, params);
}

cdn_status cdn_force_set_enabled(cdn_state *state, cdn_force force, bool enabled) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const force_room *room = cdni_forces(cdn_state_system(state));
  if (!element_at(room, force)) return cdni_state_lacks(state, "cdn_force_set_enabled", "force", force.i);
  double value = enabled;
  return cdn_state_set_parameters(state, room->enabled, force.i, 1, &value);
}

bool cdn_force_is_enabled(const cdn_state *state, cdn_force force) {
  CDNI_NEED_OBJECT(state, false);
  const force_room *room = cdni_forces(cdn_state_system(state));
  return element_at(room, force) && cdn_state_parameters(state, room->enabled)[force.i] != 0;
}

const char *cdn_force_kind_name(const cdn_system *system, cdn_force force) {
  const force_element *e = element_at(cdni_forces(system), force);
  return e ? cdni_force_kinds[e->kind]->name : NULL;
}

const char *cdn_force_name(const cdn_system *system, cdn_force force) {
  CDNI_NEED_OBJECT(system, NULL);
  const force_element *e = element_at(cdni_forces(system), force);
  return e ? e->name : NULL;
}

int cdn_system_force_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const force_room *room = cdni_forces(system);
  return room ? (int)room->elements.count : 0;
}

int cdni_force_params_belong(const force_room *room, int32_t ticket) {
  if (ticket == room->enabled.ticket.i) return -1;
  for (int k = 0; k < FORCE_KIND_COUNT; k++) {
    const force_set *set = &room->sets[k];
    if (set->ids.count == 0) continue;
    if (set->has_own && ticket == set->own.ticket.i) return -1;
    if (cdni_force_kinds[k]->n_params && ticket == set->params.ticket.i) return 1;
  }
  return 0;
}
