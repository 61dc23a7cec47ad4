/* The list of constraints while building; names, switches and parameters of all kinds. */
#include <math.h>
#include <stdio.h>

#include "constraints/internal.h"
#include "rooms.h"

const constraint_kind *const cdni_constraint_kinds[CONSTRAINT_KIND_COUNT] = {
#define CONSTRAINT_KIND_ENTRY(ENUM, name) [CONSTRAINT_##ENUM] = &cdni_constraint_##name,
  CONSTRAINT_KIND_LIST(CONSTRAINT_KIND_ENTRY)
};

static const constraint_kind *kind_of(const constraint_element *c) { return cdni_constraint_kinds[c->kind]; }

const char *cdni_constraint_kind_name(const constraint_element *c) {
  return kind_of(c)->name_of ? kind_of(c)->name_of(c) : kind_of(c)->name;
}

/* ---- the room ---- */

static void free_element(const cdn_allocator *a, constraint_element *e, bool made) {
  if (made && e->data && kind_of(e)->destroy) kind_of(e)->destroy(e->data);
  if (e->data) cdni_free(a, e->data, e->data_size);
  cdni_strfree(a, e->name);
}

static void free_constraints(cdn_system *system, void *data) {
  constraint_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->elements.count; i++)
    free_element(a, &CDNI_AT(room->elements, constraint_element, i), true);
  cdni_array *const arrays[] = { &room->elements, &room->bodies, &room->mobilities, &room->defaults,
                                 &room->enabled0, &room->units0, &room->weights0 };
  for (int i = 0; i < CDNI_COUNT(arrays); i++) cdni_array_free(a, arrays[i]);
}

const cdni_room_ops cdni_constraints_room = { .size = sizeof(constraint_room),
                                              .elements = cdni_constraint_elements,
                                              .subsystem = &cdni_constraints_ops,
                                              .destroy = free_constraints };

const constraint_room *cdni_constraints(const cdn_system *system) {
  return cdni_system_room_get(system, CDNI_ROOM_CONSTRAINTS);
}

/* ---- adding ---- */

const char *cdni_constraint_kind_lacks(const constraint_kind *k, int np) {
  if (!k->name) return "name";
  if (!k->calc_rows) return "calc_rows";
  if (np > 0 && !k->calc_position) return "calc_position";
  if (!k->add_bias) return "add_bias";
  if (k->n_params > 0 && !k->params) return "params";
  for (int i = 0; i < k->n_params && k->params; i++)
    if (!k->params[i].name) return "params";
  return NULL;
}

cdn_status cdni_constraint_slot_row(const constraint_view *v) {
  v->g[0] = 1;
  return CDN_OK;
}

cdn_status cdni_constraint_no_bias(const constraint_view *v, double *bias) {
  (void)v, (void)bias;
  return CDN_OK;
}

void cdni_constraint_begin(constraint_adder *a, cdn_system *system, constraint_kind_id kind, const char *function,
                           const char *name, int np, int nv, int na) {
  *a = (constraint_adder){ 0 };
  a->element =
      (constraint_element){ .kind = (int32_t)kind, .np = np, .nv = nv, .na = na, .m = np + nv + na, .control = { -1 } };
  a->element.n_params = cdni_constraint_kinds[kind]->n_params;
  a->room = cdni_adder_begin(&a->by, system, CDNI_ROOM_CONSTRAINTS, function, "constraint");
  cdni_adder_name(&a->by, name, a->room ? a->room->elements.count : 0);
  const char *lacks = cdni_constraint_kind_lacks(cdni_constraint_kinds[kind], np);
  if (lacks)
    cdni_adder_refuse(&a->by, CDN_ERR_UNSUPPORTED,
                      "the library's kind %s has no .%s: write it in src/constraints/kinds/",
                      cdni_constraint_kinds[kind]->name, lacks);
}

int cdni_constraint_add_body(constraint_adder *a, cdn_body body) {
  cdni_adder_check_body(&a->by, body);
  if (!a->by.ok) return 0;
  if (a->element.n_bodies == CONSTRAINT_MOST_BODIES)
    cdni_adder_refuse(&a->by, CDN_ERR_LIMIT, "it names more than %d bodies", CONSTRAINT_MOST_BODIES);
  else a->body[a->element.n_bodies++] = body.i;
  return a->element.n_bodies - 1;
}

void cdni_constraint_add_pair(constraint_adder *a, cdn_body body_a, cdn_body body_b) {
  cdni_constraint_add_body(a, body_a);
  cdni_constraint_add_body(a, body_b);
  if (body_a.i == body_b.i)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG,
                      "both ends are on body %d, where it has no effect: name two bodies (Ground may be one)",
                      (int)body_a.i);
}

static int add_mobility(constraint_adder *a, cdn_body body, int k, bool coordinate) {
  cdni_adder_check_slot(&a->by, body, k, coordinate ? "constrain its bodies' orientation instead" : NULL);
  if (!a->by.ok) return 0;
  if (a->element.n_mobilities == CONSTRAINT_MOST_MOBILITIES) {
    cdni_adder_refuse(&a->by, CDN_ERR_LIMIT, "it names more than %d mobilities", CONSTRAINT_MOST_MOBILITIES);
    return 0;
  }
  const matter *m = cdni_matter(a->by.system);
  const tree_node *node = &CDNI_AT(m->nodes, tree_node, body.i);
  const int plain = cdni_first_plain_coordinate(m, body.i), nq = cdn_body_nq(a->by.system, body);
  const int nu = cdn_body_nu(a->by.system, body);
  constraint_mobility *out = &a->mobility[a->element.n_mobilities];
  out->body = body.i;
  out->u = node->u + (coordinate ? k - (nq - nu) : k);
  out->q = coordinate ? node->q + k : k + (nq - nu) >= plain ? node->q + k + (nq - nu) : -1;
  return a->element.n_mobilities++;
}

int cdni_constraint_add_mobility(constraint_adder *a, cdn_body body, int k) { return add_mobility(a, body, k, false); }
int cdni_constraint_add_coordinate(constraint_adder *a, cdn_body body, int k) { return add_mobility(a, body, k, true); }

/* Checks parameters: returns the status, and writes the reason if it is an error. */
static cdn_status check_params(const constraint_element *e, const double *params, char *reason, size_t size) {
  const constraint_kind *kind = kind_of(e);
  size_t bad;
  if (kind->params) CDNI_TRY(cdni_parameters_check(kind->params, e->n_params, params, reason, size));
  else if (e->n_params > 0 && !cdni_all_finite(params, (size_t)e->n_params, &bad)) {
    cdni_print(reason, size, "parameter %zu is %g", bad, params[bad]);
    return CDN_ERR_NONFINITE;
  }
  return !kind->check || kind->check(e, params, reason, size) ? CDN_OK : CDN_ERR_ARG;
}

static bool append(const cdn_allocator *memory, cdni_array *list, size_t element, const void *items, int n) {
  if (n == 0) return true;
  void *to = cdni_array_extend(memory, list, element, (size_t)n);
  if (to) memcpy(to, items, element * (size_t)n);
  return to != NULL;
}

cdn_constraint cdni_constraint_add(constraint_adder *a, const void *data, size_t data_size, const double *params) {
  cdn_constraint id = { -1 };
  constraint_element *e = &a->element;
  char reason[160];
  e->data = (void *)data; /* for the check to look at */
  cdn_status status = a->by.ok ? check_params(e, params, reason, sizeof reason) : CDN_OK;
  if (status != CDN_OK) cdni_adder_refuse(&a->by, status, "%s", reason);
  if (!a->by.ok) return id;

  /* A failed push leaves arrays of unequal lengths behind, in a System that can only be released. */
  const cdn_allocator *memory = cdni_system_allocator(a->by.system);
  constraint_room *room = a->room;
  const double one = 1;
  id.i = (int32_t)room->elements.count;
  e->first_body = (int32_t)room->bodies.count;
  e->first_mobility = (int32_t)room->mobilities.count;
  e->first_param = (int32_t)room->defaults.count;
  e->name = cdni_strdup(memory, a->by.name);
  e->data = data_size ? cdni_alloc(memory, data_size) : NULL;
  e->data_size = data_size;
  bool ok = e->name && (e->data || !data_size) &&
            append(memory, &room->bodies, sizeof *a->body, a->body, e->n_bodies) &&
            append(memory, &room->mobilities, sizeof *a->mobility, a->mobility, e->n_mobilities) &&
            append(memory, &room->defaults, sizeof *params, params, e->n_params) &&
            append(memory, &room->enabled0, sizeof one, &one, 1) &&
            append(memory, &room->units0, sizeof one, &one, 1) && append(memory, &room->weights0, sizeof one, &one, 1);
  if (ok && data_size) memcpy(e->data, data, data_size);
  if (ok && cdni_array_push(memory, &room->elements, sizeof *e, e)) return id;
  cdni_adder_refuse(&a->by, CDN_ERR_NOMEM, "out of memory");
  free_element(memory, e, false);
  return (cdn_constraint){ -1 };
}

void cdni_constraint_weigh(cdn_system *system, cdn_constraint constraint, double weight) {
  constraint_room *room = cdni_system_room(system, CDNI_ROOM_CONSTRAINTS);
  if (room && constraint.i >= 0) CDNI_AT(room->weights0, double, constraint.i) = weight;
}

void cdni_constraint_yields(cdn_system *system, cdn_constraint constraint) {
  constraint_room *room = cdni_system_room(system, CDNI_ROOM_CONSTRAINTS);
  CDNI_AT(room->elements, constraint_element, constraint.i).yields = true;
}

void cdn_system_disable_constraint(cdn_system *system, cdn_constraint constraint) {
  if (cdni_system_refuses(system, __func__)) return;
  constraint_room *room = cdni_system_room(system, CDNI_ROOM_CONSTRAINTS);
  if (!room) return;
  if (constraint_exists(room, constraint)) {
    CDNI_AT(room->enabled0, double, constraint.i) = 0;
    return;
  }
  cdni_adder adder = { .system = system, .function = __func__, .what = "constraint", .name = "", .ok = true };
  cdni_adder_refuse(&adder, CDN_ERR_ARG, "there is no constraint %d in this System (yet)", (int)constraint.i);
}

/* ---- questions to the System ---- */

int cdn_system_constraint_count(const cdn_system *system) {
  CDNI_NEED_OBJECT(system, 0);
  const constraint_room *room = cdni_constraints(system);
  return room ? (int)room->elements.count : 0;
}

const char *cdn_constraint_name(const cdn_system *system, cdn_constraint constraint) {
  CDNI_NEED_OBJECT(system, NULL);
  const constraint_room *room = cdni_constraints(system);
  return constraint_exists(room, constraint) ? constraint_at(room, constraint.i)->name : NULL;
}

const char *cdn_constraint_kind_name(const cdn_system *system, cdn_constraint constraint) {
  CDNI_NEED_OBJECT(system, NULL);
  const constraint_room *room = cdni_constraints(system);
  return constraint_exists(room, constraint) ? cdni_constraint_kind_name(constraint_at(room, constraint.i)) : NULL;
}

cdn_constraint cdn_system_find_constraint(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_constraint){ -1 }));
  return (cdn_constraint){ cdni_find_by_name(system, CDN_ELEMENT_CONSTRAINT, name) };
}

static cdn_constraint_equations equations_of(const cdn_system *system, cdn_constraint constraint) {
  const constraint_room *room = cdni_constraints(system);
  if (!constraint_exists(room, constraint)) return (cdn_constraint_equations){ 0 };
  const constraint_element *e = constraint_at(room, constraint.i);
  const cdni_runs runs = cdni_subsystem_runs(system, room->subsystem);
  return (cdn_constraint_equations){ .np = e->np,
                                     .nv = e->nv,
                                     .na = e->na,
                                     .qerr = runs.qerr + e->qerr,
                                     .uerr = runs.uerr + e->uerr,
                                     .row = runs.udoterr + e->row };
}

void cdn_constraint_get_equations_sized(const cdn_system *system, cdn_constraint constraint,
                                        cdn_constraint_equations *out, size_t size) {
  const cdn_constraint_equations equations =
      system ? equations_of(system, constraint) : (cdn_constraint_equations){ 0 };
  cdni_sized_write(out, size, &equations, sizeof equations);
}

/* ---- in a State ---- */

static cdn_status find(cdn_state *state, const char *function, cdn_constraint constraint,
                       const constraint_room **room) {
  *room = cdni_constraints(cdn_state_system(state));
  if (constraint_exists(*room, constraint)) return CDN_OK;
  return cdni_state_lacks(state, function, "constraint", (int)constraint.i);
}

cdn_status cdni_constraint_set(cdn_state *state, cdn_constraint constraint, constraint_kind_id kind,
                               const char *function, const double *params) {
  if (!state) return cdni_misses(function, "state");
  const constraint_room *room;
  CDNI_TRY(find(state, function, constraint, &room));
  const constraint_element *e = constraint_at(room, constraint.i);
  if (e->kind != (int32_t)kind)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, e->name,
                           "constraint '%s' is a %s, not a %s: nothing was changed", e->name,
                           cdni_constraint_kind_name(e), cdni_constraint_kinds[kind]->name);
  char reason[160];
  cdn_status status = check_params(e, params, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, e->name, "constraint '%s': %s; nothing was changed", e->name,
                           reason);
  return cdn_state_set_parameters(state, room->params, e->first_param, e->n_params, params);
}

const double *cdni_constraint_params(const cdn_state *state, cdn_constraint constraint, constraint_kind_id kind) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  if (!constraint_exists(room, constraint) || constraint_at(room, constraint.i)->kind != (int32_t)kind) return NULL;
  return cdn_state_parameters(state, room->params) + constraint_at(room, constraint.i)->first_param;
}

const double *cdn_constraint_params(const cdn_state *state, cdn_constraint constraint, int *n) {
  CDNI_NEED_OBJECT(state, NULL);
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const int count = constraint_exists(room, constraint) ? constraint_at(room, constraint.i)->n_params : 0;
  if (n) *n = count;
  return count ? cdn_state_parameters(state, room->params) + constraint_at(room, constraint.i)->first_param : NULL;
}

cdn_status cdn_constraint_set_enabled(cdn_state *state, cdn_constraint constraint, bool enabled) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const constraint_room *room;
  const double value = enabled;
  CDNI_TRY(find(state, "cdn_constraint_set_enabled", constraint, &room));
  if (cdn_constraint_is_enabled(state, constraint) == enabled) return CDN_OK;
  CDNI_TRY(cdn_state_set_parameters(state, room->enabled, constraint.i, 1, &value));
  /* the memory of redundant equations belongs to the other set */
  if (room->m)
    memset(cdni_state_update_discrete(state, room->redundant.variable), 0, (size_t)room->m * sizeof(int32_t));
  return CDN_OK;
}

bool cdn_constraint_is_enabled(const cdn_state *state, cdn_constraint constraint) {
  CDNI_NEED_OBJECT(state, false);
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  return constraint_exists(room, constraint) && constraint_enabled(room, state)[constraint.i] != 0;
}

static cdn_status set_positive(cdn_state *state, cdn_constraint constraint, const char *function, const char *what,
                               double value, bool weight) {
  const constraint_room *room;
  CDNI_TRY(find(state, function, constraint, &room));
  const char *name = constraint_at(room, constraint.i)->name;
  if (!(value > 0 && isfinite(value)))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, name,
                           "constraint '%s': its %s is %g; it must be positive and finite", name, what, value);
  return cdn_state_set_parameters(state, weight ? room->weights : room->units, constraint.i, 1, &value);
}

cdn_status cdn_constraint_set_unit_error(cdn_state *state, cdn_constraint constraint, double unit) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_positive(state, constraint, "cdn_constraint_set_unit_error", "unit error", unit, false);
}

cdn_status cdn_constraint_set_weight(cdn_state *state, cdn_constraint constraint, double weight) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_positive(state, constraint, "cdn_constraint_set_weight", "weight", weight, true);
}

bool cdni_constraint_any_enabled(const constraint_room *room, const cdn_state *state) {
  /* States of several lanes have no plan of their own */
  const loop_plan *plan = cdni_region_elements(state, room->plan);
  if (plan && cdni_state_is_valid(state, room->plan.ticket)) return plan->n_constraints > 0;
  const double *enabled = constraint_enabled(room, state);
  for (size_t i = 0; i < room->elements.count; i++)
    if (enabled[i] != 0) return true;
  return false;
}
