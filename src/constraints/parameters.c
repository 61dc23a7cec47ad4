/* Constraints as elements that are looked up: names, kinds, parameters. */
#include <stdio.h>

#include "constraints/internal.h"

static const constraint_element *element_at(const cdn_system *system, int i) {
  return constraint_at(cdni_constraints(system), i);
}

static const char *name_of(const cdn_system *system, int i) { return element_at(system, i)->name; }
static const char *kind_of(const cdn_system *system, int i) { return cdni_constraint_kind_name(element_at(system, i)); }

void cdni_constraint_first_bodies(const cdn_system *system, int i, cdn_body bodies[2]) {
  const constraint_room *room = cdni_constraints(system);
  const constraint_element *e = element_at(system, i);
  for (int k = 0; k < 2; k++)
    bodies[k].i = k < e->n_bodies && e->slot == 0 ? CDNI_AT(room->bodies, int32_t, e->first_body + k) : -1;
}

bool cdni_constraint_reads_control(const constraint_room *room, const cdn_state *state, cdn_control control) {
  const double *enabled = constraint_enabled(room, state);
  for (size_t i = 0; i < room->elements.count; i++)
    if (enabled[i] != 0 && CDNI_AT(room->elements, constraint_element, i).control.i == control.i) return true;
  return false;
}

/* The table's parameters, without those of a mobilizer that has fewer. */
static int parameter_count(const cdn_system *system, int i) {
  const constraint_element *e = element_at(system, i);
  const constraint_kind *kind = cdni_constraint_kinds[e->kind];
  if (!kind->own_parameters) return e->n_params;
  int first, n;
  kind->own_parameters(e, &first, &n);
  return first + n;
}

static void parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const constraint_room *room = cdni_constraints(system);
  const constraint_element *e = element_at(system, i);
  const constraint_kind *kind = cdni_constraint_kinds[e->kind];
  int first = 0, n = 0;
  const cdni_parameter *own = kind->own_parameters ? kind->own_parameters(e, &first, &n) : NULL;
  if (own && k >= first) out->is = own[k - first];
  else if (kind->params) out->is = kind->params[k];
  else snprintf(out->name, sizeof out->name, "params[%d]", k);
  const constraint_mobility *mobility =
      e->n_mobilities > 0 ? &CDNI_AT(room->mobilities, constraint_mobility, e->first_mobility) : NULL;
  if (e->n_mobilities == 1) out->dimension = cdni_mobility_dimension(room->matter, mobility->u);
  if (kind->unit_of) kind->unit_of(room->matter, mobility, k, out->unit, sizeof out->unit);
  out->array = room->params;
  out->at = e->first_param + k;
}

static cdn_status set(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const cdn_system *system = cdn_state_system(state);
  const constraint_element *e = element_at(system, i);
  const constraint_kind *kind = cdni_constraint_kinds[e->kind];
  const size_t bytes = (size_t)e->n_params * sizeof(double);
  double *all = cdn_work_push(state, bytes);
  if (!all) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, e->name, "out of memory");
  memcpy(all, cdn_constraint_params(state, (cdn_constraint){ i }, NULL), bytes);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  if (kind->params) cdni_parameters_normalize(kind->params, e->n_params, all);
  const cdn_status status =
      cdni_constraint_set(state, (cdn_constraint){ i }, (constraint_kind_id)e->kind, function, all);
  cdn_work_pop(state, all);
  return status;
}

const cdni_elements cdni_constraint_elements[] = {
  { .type = CDN_ELEMENT_CONSTRAINT,
    .count = cdn_system_constraint_count,
    .name = name_of,
    .kind = kind_of,
    .parameter_count = parameter_count,
    .parameter = parameter,
    .set = set },
  CDNI_NO_MORE_ELEMENTS,
};
