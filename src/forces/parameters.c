/* Parameters of force elements by number and by name. */
#include <stdio.h>

#include "forces/internal.h"

static const force_element *element_at(const cdn_system *system, cdn_force force) {
  const force_room *room = system ? cdni_forces(system) : NULL;
  if (!room || force.i < 0 || (size_t)force.i >= room->elements.count) return NULL;
  return &CDNI_AT(room->elements, force_element, force.i);
}

cdn_status cdn_system_find_force(const cdn_system *system, const char *name, cdn_force *force) {
  static const char function[] = "cdn_system_find_force";
  if (!system || !name || !force)
    return cdni_refuse(CDN_ERR_ARG, function, "the System, the name or the result is NULL");
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    if (strcmp(cdn_force_name(system, (cdn_force){ i }), name) != 0) continue;
    force->i = i;
    return CDN_OK;
  }
  return cdni_refuse(CDN_ERR_ARG, function, "no force of System '%s' is called '%s'", cdn_system_name(system), name);
}

int cdn_force_parameter_count(const cdn_system *system, cdn_force force) {
  const force_element *e = element_at(system, force);
  return e ? cdni_force_kinds[e->kind]->n_params : 0;
}

/* Numbers of one name, such as those of a frame, are told apart by an index. */
cdn_status cdn_force_parameter_name(const cdn_system *system, cdn_force force, int i, char *text, size_t size) {
  const force_element *e = element_at(system, force);
  if (!text || size == 0 || i < 0 || i >= cdn_force_parameter_count(system, force))
    return cdni_refuse(CDN_ERR_ARG, "cdn_force_parameter_name",
                       "force %d has no parameter %d, or there is no room for its name", (int)force.i, i);
  const force_kind *kind = cdni_force_kinds[e->kind];
  int before = 0, of_name = 0;
  for (int k = 0; k < kind->n_params; k++) {
    if (strcmp(kind->param_names[k], kind->param_names[i]) != 0) continue;
    of_name++, before += k < i;
  }
  if (of_name == 1) snprintf(text, size, "%s", kind->param_names[i]);
  else snprintf(text, size, "%s[%d]", kind->param_names[i], before);
  return CDN_OK;
}

cdn_status cdn_force_find_parameter(const cdn_system *system, cdn_force force, const char *name, int *i) {
  static const char function[] = "cdn_force_find_parameter";
  char text[64], list[240] = "";
  if (!name || !i) return cdni_refuse(CDN_ERR_ARG, function, "the name or the result is NULL");
  const force_element *e = element_at(system, force);
  if (!e) return cdni_refuse(CDN_ERR_ARG, function, "there is no force %d in this System", (int)force.i);
  for (int k = 0; k < cdn_force_parameter_count(system, force); k++) {
    CDNI_TRY(cdn_force_parameter_name(system, force, k, text, sizeof text));
    if (strcmp(text, name) == 0) {
      *i = k;
      return CDN_OK;
    }
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", text);
  }
  return cdni_refuse(CDN_ERR_ARG, function, "force '%s' (%s) has no parameter '%s'; it has: %s", e->name,
                     cdni_force_kinds[e->kind]->name, name, list[0] ? list : "none");
}

static cdn_status no_parameter(cdn_state *state, const char *function, cdn_force force, int i) {
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                         "there is no parameter %d of a force %d in this System", i, (int)force.i);
}

cdn_status cdn_force_parameter(cdn_state *state, cdn_force force, int i, double *value) {
  static const char function[] = "cdn_force_parameter";
  if (!state || !value) return cdni_refuse(CDN_ERR_ARG, function, "the State or the result is NULL");
  const cdn_system *system = cdn_state_system(state);
  if (i < 0 || i >= cdn_force_parameter_count(system, force)) return no_parameter(state, function, force, i);
  *value = cdni_force_params(state, force, (force_kind_id)element_at(system, force)->kind)[i];
  return CDN_OK;
}

cdn_status cdn_force_set_parameter(cdn_state *state, cdn_force force, int i, double value) {
  static const char function[] = "cdn_force_set_parameter";
  if (!state) return cdni_refuse(CDN_ERR_ARG, function, "the State is NULL");
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_force_parameter_count(system, force);
  double all[FORCE_MOST_PARAMS];
  if (i < 0 || i >= n) return no_parameter(state, function, force, i);
  const force_kind_id kind = (force_kind_id)element_at(system, force)->kind;
  memcpy(all, cdni_force_params(state, force, kind), (size_t)n * sizeof *all);
  all[i] = value;
  return cdni_force_set(state, force, kind, function, all);
}
