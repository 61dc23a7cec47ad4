/* Force elements as elements that are looked up: names, kinds, parameters. */
#include "forces/elements/fluid.h"
#include "forces/elements/path.h"
#include "forces/elements/two_point.h"
#include "forces/internal.h"

static const force_element *element_at(const cdn_system *system, int i) {
  return &CDNI_AT(cdni_forces(system)->elements, force_element, i);
}

cdn_force cdn_system_find_force(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_force){ -1 }));
  return (cdn_force){ cdni_find_by_name(system, CDN_ELEMENT_FORCE, name) };
}

static const char *name_of(const cdn_system *system, int i) { return element_at(system, i)->name; }
static const char *kind_of(const cdn_system *system, int i) { return cdn_force_kind_name(system, (cdn_force){ i }); }

bool cdni_force_stations(const cdn_system *system, int i, cdn_body bodies[2], cdn_vec3 stations[2]) {
  const force_element *e = element_at(system, i);
  const force_kind *kind = cdni_force_kinds[e->kind];
  if (kind->describe != cdni_describe_two_points) return false;
  const two_point *t = &CDNI_AT(cdni_forces(system)->sets[e->kind].elements, two_point, e->index);
  bodies[0].i = t->body_a, bodies[1].i = t->body_b;
  stations[0] = t->p_A, stations[1] = t->p_B;
  return true;
}

cdn_path cdni_force_path(const cdn_system *system, int i) {
  const force_element *e = element_at(system, i);
  if (cdni_force_kinds[e->kind]->describe != cdni_describe_path) return (cdn_path){ -1 };
  return CDNI_AT(cdni_forces(system)->sets[e->kind].elements, path_element, e->index).path;
}

bool cdni_force_of_medium(const cdn_system *system, int i, cdn_body *body, cdn_vec3 *center) {
  const force_element *e = element_at(system, i);
  if (e->kind != FORCE_FLUID_BOX && e->kind != FORCE_FLUID_ELLIPSOID) return false;
  const fluid_element *f = &CDNI_AT(cdni_forces(system)->sets[e->kind].elements, fluid_element, e->index);
  body->i = f->body, *center = cdn_v3(f->p[0], f->p[1], f->p[2]);
  return true;
}

/* Custom forces have the parameters that their subsystems declare. */
static int parameter_count(const cdn_system *system, int i) {
  const force_element *e = element_at(system, i);
  if (e->kind != FORCE_CUSTOM) return cdni_force_kinds[e->kind]->n_params;
  return cdni_subsystem_parameter_count(system, cdn_force_subsystem(system, (cdn_force){ i }));
}

static void parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  const force_element *e = element_at(system, i);
  const force_kind *kind = cdni_force_kinds[e->kind];
  if (e->kind == FORCE_CUSTOM) {
    cdni_subsystem_parameter(system, cdn_force_subsystem(system, (cdn_force){ i }), k, out);
    return;
  }
  const force_room *room = cdni_forces(system);
  const force_set *set = &room->sets[e->kind];
  out->is = kind->params[k];
  if (kind->on_mobility) {
    const char *element = (const char *)set->elements.data + (size_t)e->index * kind->element_size;
    out->dimension = cdni_mobility_dimension(room->matter, ((const force_mobility *)(const void *)element)->u);
  }
  out->array = set->params;
  out->at = e->index * kind->n_params + k;
}

static cdn_status set(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const cdn_system *system = cdn_state_system(state);
  const force_kind_id id = (force_kind_id)element_at(system, i)->kind;
  const force_kind *kind = cdni_force_kinds[id];
  const cdn_force force = { i };
  if (id == FORCE_CUSTOM)
    return cdni_subsystem_set_parameters(state, function, cdn_force_subsystem(system, force), first, n, values);
  double all[FORCE_MOST_PARAMS];
  memcpy(all, cdni_force_params(state, force, id), (size_t)kind->n_params * sizeof *all);
  for (int k = 0; k < n; k++)
    all[first + k] = kind->params[first + k].flags & CDNI_MAY_BE_INFINITE ? cdni_finite_bound(values[k]) : values[k];
  cdni_parameters_normalize(kind->params, kind->n_params, all);
  return cdni_force_set(state, force, id, function, all);
}

const cdni_elements cdni_force_elements[] = {
  { .type = CDN_ELEMENT_FORCE,
    .count = cdn_system_force_count,
    .name = name_of,
    .kind = kind_of,
    .parameter_count = parameter_count,
    .parameter = parameter,
    .set = set },
  CDNI_NO_MORE_ELEMENTS,
};
