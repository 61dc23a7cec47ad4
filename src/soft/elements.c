/* The list of soft elements while building; names, parameters and switches; the groups of all. */
#include "soft/elements.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "rooms.h"
#include "soft/soft.h"
#include "system/vectors.h"

const soft_element_kind *const cdni_soft_element_kinds[SOFT_ELEMENT_KINDS] = {
#define SOFT_ELEMENT_ENTRY(ENUM, name) [SOFT_ELEMENT_##ENUM] = &cdni_soft_element_##name,
  SOFT_ELEMENT_LIST(SOFT_ELEMENT_ENTRY)
#undef SOFT_ELEMENT_ENTRY
};

static const soft_element *element_at(const soft_element_room *room, int i) {
  return &CDNI_AT(room->elements, soft_element, i);
}
static bool exists(const soft_element_room *room, cdn_soft_element e) {
  return room && e.i >= 0 && (size_t)e.i < room->elements.count;
}

const soft_element_room *cdni_soft_element_room(const cdn_system *system) {
  return cdni_system_room_get(system, CDNI_ROOM_SOFT_ELEMENTS);
}
cdn_ticket cdni_soft_element_ticket(const soft_element_room *room) { return room->params.ticket; }

/* ---- adding ---- */

const char *cdni_soft_element_kind_lacks(const soft_element_kind *k) {
  if (!k->name) return "name";
  if (k->n_params < LAW_NUMBERS || k->n_params > SOFT_MOST_PARAMS) return "n_params";
  if (!k->params) return "params";
  for (int i = 0; i < k->n_params; i++)
    if (!k->params[i].name) return "params";
  return k->add_groups ? NULL : "add_groups";
}

void cdni_soft_element_begin(soft_adder *a, cdn_system *system, soft_element_kind_id kind, const char *function,
                             const char *name, const char *unreadable) {
  *a = (soft_adder){
    .element = { .kind = (int32_t)kind, .body = { -1, -1 }, .q = { -1, -1 }, .u = { -1, -1 }, .path = { -1, -1 } }
  };
  a->room = cdni_adder_begin(&a->by, system, CDNI_ROOM_SOFT_ELEMENTS, function, "soft element");
  cdni_adder_name(&a->by, unreadable ? "?" : name, a->room ? a->room->elements.count : 0);
  if (unreadable) cdni_adder_refuse(&a->by, CDN_ERR_VERSION, "%s", unreadable);
  const char *lacks = cdni_soft_element_kind_lacks(cdni_soft_element_kinds[kind]);
  if (lacks)
    cdni_adder_refuse(&a->by, CDN_ERR_UNSUPPORTED, "the library's kind %s has no .%s: write it in src/soft/",
                      cdni_soft_element_kinds[kind]->name, lacks);
}

void cdni_soft_element_add_body(soft_adder *a, int place, cdn_body body) {
  cdni_adder_check_body(&a->by, body);
  a->element.body[place] = body.i;
}

void cdni_soft_element_add_coordinate(soft_adder *a, int place, cdn_body body, int k) {
  cdni_soft_element_add_body(a, place, body);
  cdni_adder_check_slot(&a->by, body, k, "limit a pin, a slider, or the angle of a ball");
  if (!a->by.ok) return;
  const tree_node *node = &CDNI_AT(cdni_matter(a->by.system)->nodes, tree_node, body.i);
  a->element.q[place] = node->q + k;
  a->element.u[place] = node->u + k - cdn_body_nq(a->by.system, body) + cdn_body_nu(a->by.system, body);
}

void cdni_soft_element_add_term(soft_adder *a, cdn_body body, int k) {
  soft_element *e = &a->element;
  cdni_soft_element_add_coordinate(a, 0, body, k);
  if (!a->by.ok) return;
  const tendon_term term = { body.i, e->q[0], e->u[0] };
  if (e->terms == 0) e->first_term = (int32_t)a->room->terms.count, e->tendon = a->room->n_tendons;
  for (int i = 0; i < e->terms; i++)
    if (CDNI_AT(a->room->terms, tendon_term, e->first_term + i).u == term.u)
      cdni_adder_refuse(&a->by, CDN_ERR_ARG, "joint '%s' is in it twice", cdn_body_mobilizer_name(a->by.system, body));
  if (!a->by.ok) return;
  if (cdni_array_push(cdni_system_allocator(a->by.system), &a->room->terms, sizeof term, &term)) e->terms++;
  else cdni_adder_refuse(&a->by, CDN_ERR_NOMEM, "out of memory");
}

void cdni_soft_element_add_path(soft_adder *a, int place, cdn_path path) {
  const path_room *paths = a->by.system ? cdni_paths(a->by.system) : NULL;
  if (!a->by.ok) return;
  if (!cdni_path_exists(paths, path)) {
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "there is no path %d in this System: add the path first", (int)path.i);
    return;
  }
  a->element.path[place] = path.i;
  if (place == 0) a->element.tendon = a->room->n_tendons;
}

static cdn_status check(const soft_element_kind *kind, const double *params, char *reason, size_t size) {
  CDNI_TRY(cdni_parameters_check(kind->params, kind->n_params, params, reason, size));
  const char *wrong = kind->check(params);
  if (!wrong) return CDN_OK;
  snprintf(reason, size, "%s", wrong);
  return CDN_ERR_ARG;
}

/* A State holds no infinities. */
static void prepare(const soft_element_kind *kind, double *params) {
  cdni_parameters_normalize(kind->params, kind->n_params, params);
  for (int k = 0; k < kind->n_params; k++)
    if (isinf(params[k]) && kind->params[k].flags & CDNI_MAY_BE_INFINITE) params[k] = copysign(DBL_MAX, params[k]);
}

cdn_soft_element cdni_soft_element_add(soft_adder *a, double params[SOFT_MOST_PARAMS], const cdn_soft_law *law,
                                       bool disabled) {
  const cdn_soft_element none = { -1 };
  const soft_element_kind *kind = cdni_soft_element_kinds[a->element.kind];
  if (!a->by.ok) return none;
  char reason[200];
  double *numbers = params + kind->n_params - LAW_NUMBERS;
  memcpy(numbers + LAW_REF, law->ref, sizeof law->ref);
  memcpy(numbers + LAW_IMP, law->imp, sizeof law->imp);
  numbers[LAW_ENABLED] = !disabled;
  prepare(kind, params);
  const cdn_status status = check(kind, params, reason, sizeof reason);
  if (status != CDN_OK) {
    cdni_adder_refuse(&a->by, status, "%s", reason);
    return none;
  }
  const cdn_allocator *memory = cdni_system_allocator(a->by.system);
  const cdn_soft_element id = { (int32_t)a->room->elements.count };
  soft_element *e = &a->element;
  e->first_param = (int32_t)a->room->defaults.count;
  e->name = cdni_strdup(memory, a->by.name);
  double *to = e->name ? cdni_array_extend(memory, &a->room->defaults, sizeof *to, (size_t)kind->n_params) : NULL;
  if (to) memcpy(to, params, (size_t)kind->n_params * sizeof *to);
  if (to && cdni_array_push(memory, &a->room->elements, sizeof *e, e)) {
    a->room->n_tendons += (e->terms > 0) + (e->path[0] >= 0) + (e->path[1] >= 0);
    a->room->has_paths = a->room->has_paths || e->path[0] >= 0;
    return id;
  }
  cdni_strfree(memory, e->name);
  cdni_adder_refuse(&a->by, CDN_ERR_NOMEM, "out of memory");
  return none;
}

/* ---- elements that are looked up ---- */

static int count(const cdn_system *system) {
  const soft_element_room *room = cdni_soft_element_room(system);
  return room ? (int)room->elements.count : 0;
}
static const char *name_of(const cdn_system *system, int i) {
  return element_at(cdni_soft_element_room(system), i)->name;
}
static const char *kind_of(const cdn_system *system, int i) {
  return cdni_soft_element_kinds[element_at(cdni_soft_element_room(system), i)->kind]->name;
}
static int parameter_count(const cdn_system *system, int i) {
  return cdni_soft_element_kinds[element_at(cdni_soft_element_room(system), i)->kind]->n_params;
}

static void parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const soft_element_room *room = cdni_soft_element_room(system);
  const soft_element *e = element_at(room, i);
  out->is = cdni_soft_element_kinds[e->kind]->params[k];
  const int u = e->u[0] >= 0      ? e->u[0]
                : e->path[0] >= 0 ? -1
                : e->body[0] > 0  ? room->matter->tree.node[e->body[0]].u
                                  : -1;
  const bool on_bodies = e->kind == SOFT_ELEMENT_CONNECT || e->kind == SOFT_ELEMENT_WELD || e->path[0] >= 0;
  out->dimension = on_bodies ? 'L' : u >= 0 ? cdni_mobility_dimension(room->matter, u) : 0;
  if (cdni_soft_element_kinds[e->kind]->unit_of)
    cdni_soft_element_kinds[e->kind]->unit_of(room, e, k, out->unit, sizeof out->unit);
  out->array = room->params, out->at = e->first_param + k;
}

static cdn_status set(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const soft_element_room *room = cdni_soft_element_room(cdn_state_system(state));
  const soft_element *e = element_at(room, i);
  const soft_element_kind *kind = cdni_soft_element_kinds[e->kind];
  double all[SOFT_MOST_PARAMS];
  char reason[200];
  memcpy(all, cdn_state_parameters(state, room->params) + e->first_param, (size_t)kind->n_params * sizeof *all);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  prepare(kind, all);
  const cdn_status status = check(kind, all, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, e->name, "soft element '%s': %s; nothing was changed",
                           e->name, reason);
  return cdn_state_set_parameters(state, room->params, e->first_param, kind->n_params, all);
}

static const cdni_elements sorts[] = {
  { .type = CDN_ELEMENT_SOFT,
    .count = count,
    .name = name_of,
    .kind = kind_of,
    .parameter_count = parameter_count,
    .parameter = parameter,
    .set = set },
  CDNI_NO_MORE_ELEMENTS,
};

static int switch_of(const soft_element *e) { return e->first_param + cdni_soft_element_kinds[e->kind]->n_params - 1; }

cdn_status cdn_soft_element_set_enabled(cdn_state *state, cdn_soft_element element, bool enabled) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const soft_element_room *room = cdni_soft_element_room(cdn_state_system(state));
  const double value = enabled;
  if (!exists(room, element)) return cdni_state_lacks(state, __func__, "soft element", (int)element.i);
  return cdn_state_set_parameters(state, room->params, switch_of(element_at(room, element.i)), 1, &value);
}

bool cdn_soft_element_is_enabled(const cdn_state *state, cdn_soft_element element) {
  CDNI_NEED_OBJECT(state, false);
  const soft_element_room *room = cdni_soft_element_room(cdn_state_system(state));
  return exists(room, element) &&
         cdn_state_parameters(state, room->params)[switch_of(element_at(room, element.i))] != 0;
}

cdn_path cdni_soft_element_path(const cdn_system *system, int element) {
  const soft_element_room *room = cdni_soft_element_room(system);
  const cdn_soft_element id = { element };
  return (cdn_path){ exists(room, id) ? element_at(room, element)->path[0] : -1 };
}

/* ---- groups ---- */

cdn_status cdni_soft_element_groups(const soft_element_room *room, cdn_state *state, double safe, double onset,
                                    bool rates, cdn_status (*add)(void *to, const soft_group *g), void *to) {
  soft_element_view v = { .m = room->matter,
                          .state = state,
                          .safe = safe,
                          .onset = onset,
                          .rates = rates,
                          .add = add,
                          .to = to,
                          .paths = room->paths };
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  CDNI_TRY(cdni_matter_inverse_weights(v.m, state, &v.weights));
  if (room->n_tendons > 0) CDNI_TRY(cdni_state_ensure(state, room->tendon_weights.ticket));
  const double *tendons = room->n_tendons > 0 ? cdn_eval(state, room->tendon_weights) : NULL;
  v.d = cdni_matter_data(v.m, state);
  const double *params = cdn_state_parameters(state, room->params);
  for (v.number = 0; v.number < (int)room->elements.count; v.number++) {
    v.e = element_at(room, v.number);
    const soft_element_kind *kind = cdni_soft_element_kinds[v.e->kind];
    v.params = params + v.e->first_param;
    const double *numbers = v.params + kind->n_params - LAW_NUMBERS;
    if (numbers[LAW_ENABLED] == 0) continue;
    if (v.e->terms > 0) v.terms = &CDNI_AT(room->terms, tendon_term, v.e->first_term);
    if (v.e->terms > 0 || v.e->path[0] >= 0) v.tendon_weight = &tendons[v.e->tendon];
    memcpy(v.law.ref, numbers + LAW_REF, sizeof v.law.ref);
    memcpy(v.law.imp, numbers + LAW_IMP, sizeof v.law.imp);
    CDNI_TRY(kind->add_groups(&v));
  }
  return CDN_OK;
}

/* ---- the room ---- */

/* The coefficients of a tendon are the first parameters of its element. */
static cdn_status write_tendons(const void *context, cdn_state *state, const tree_data *d, double *f) {
  const soft_element_room *room = context;
  const size_t nu = (size_t)room->matter->tree.nu;
  const double *params = cdn_state_parameters(state, room->params);
  for (size_t i = 0; i < room->elements.count; i++) {
    const soft_element *e = element_at(room, (int)i);
    for (int k = 0; k < e->terms; k++)
      f[(size_t)e->tendon * nu + (size_t)CDNI_AT(room->terms, tendon_term, e->first_term + k).u] =
          params[e->first_param + k];
    for (int k = 0; k < 2 && e->path[k] >= 0; k++)
      CDNI_TRY(cdni_path_moments_at(room->paths, state, (cdn_path){ e->path[k] }, d,
                                    f + ((size_t)e->tendon + (size_t)k) * nu));
  }
  return CDN_OK;
}

static cdn_status calc_tendon_weights(const void *self, cdn_state *state, void *out) {
  const soft_element_room *room = *(const soft_element_room *const *)self;
  return cdni_matter_inverse_squares(room->matter, state, room->n_tendons, write_tendons, room, out);
}

cdn_ticket cdni_soft_tendon_ticket(const soft_element_room *room) { return room->tendon_weights.ticket; }

static void name_switch(const cdn_system *system, int element, int k, char *name, size_t size) {
  (void)k;
  snprintf(name, size, "%s is on", name_of(system, element));
}

static cdn_status declare(void *self, cdn_declarer *d) {
  soft_element_room *room = *(soft_element_room **)self;
  room->matter = cdni_matter(cdni_declarer_system(d));
  if (!room->matter) return CDN_OK;
  room->params = cdn_declare_parameters(d, "params", (int)room->defaults.count, room->defaults.data);
  for (int i = 0; i < (int)room->elements.count; i++)
    cdni_declare_vector_run(d, &(vector_run){ .part = CDN_VECTOR_SWITCHES,
                                              .variable = room->params,
                                              .first = switch_of(element_at(room, i)),
                                              .n = 1,
                                              .name = name_switch,
                                              .element = i });
  room->paths = cdni_paths(cdni_declarer_system(d));
  for (size_t i = 0; i < room->elements.count; i++) {
    const soft_element *e = element_at(room, (int)i);
    if (e->path[0] >= 0 && !cdni_path_fits_rows(room->paths, e->path, 1 + (e->path[1] >= 0)))
      return cdn_declare_error(d, CDN_ERR_LIMIT,
                               "soft element '%s' is along paths over more than %d moving bodies, or on more than %d "
                               "coordinates: divide the path, or use a spring or a stop",
                               e->name, PATH_MOST_BODIES, PATH_MOST_COORDINATES);
  }
  const cdn_ticket reads[] = { room->matter->frame_constants.ticket, room->matter->mass_constants.ticket,
                               cdni_soft_element_ticket(room) };
  room->tendon_weights = cdn_declare_cache(d, "tendon_weights", ((size_t)room->n_tendons + 1) * sizeof(double),
                                           calc_tendon_weights, CDNI_COUNT(reads), reads);
  if (room->has_paths) cdni_declare_prerequisite(d, room->tendon_weights, cdni_path_items_ticket(room->paths));
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const soft_element_room *room = *(const soft_element_room *const *)self;
  for (size_t i = 0; i < room->elements.count; i++) {
    const soft_element *e = element_at(room, (int)i);
    if (e->path[0] >= 0) {
      cdn_describe(d, e->name, "%s along path '%s'", cdni_soft_element_kinds[e->kind]->name,
                   cdn_path_name(system, (cdn_path){ e->path[0] }));
      continue;
    }
    cdn_describe(d, e->name, "%s of bodies %d, %d; coordinates %d, %d", cdni_soft_element_kinds[e->kind]->name,
                 e->body[0], e->body[1], e->u[0], e->u[1]);
  }
}

static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                       .name = "soft elements",
                                       .self_size = sizeof(soft_element_room *),
                                       .declare = declare,
                                       .describe = describe };

static void destroy(cdn_system *system, void *data) {
  soft_element_room *room = data;
  const cdn_allocator *a = cdni_system_allocator(system);
  for (size_t i = 0; i < room->elements.count; i++) cdni_strfree(a, CDNI_AT(room->elements, soft_element, i).name);
  cdni_array_free(a, &room->elements);
  cdni_array_free(a, &room->defaults);
  cdni_array_free(a, &room->terms);
}

const cdni_room_ops cdni_soft_elements_room = {
  .size = sizeof(soft_element_room), .elements = sorts, .subsystem = &ops, .destroy = destroy
};
