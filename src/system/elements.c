/* Elements of every type, and their parameters: the rooms tell what they have, and all look-ups go through here. */
#include "system/elements.h"

#include <stdio.h>

#include "system/events.h"
#include "system/structs.h"

/* ---- types ---- */

const char *cdn_element_type_name(cdn_element_type type) {
  static const char *const names[] = { [CDN_ELEMENT_BODY] = "body",
                                       [CDN_ELEMENT_MOBILIZER] = "mobilizer",
                                       [CDN_ELEMENT_MOTION] = "motion",
                                       [CDN_ELEMENT_FORCE] = "force",
                                       [CDN_ELEMENT_CONSTRAINT] = "constraint",
                                       [CDN_ELEMENT_MEASURE] = "measure",
                                       [CDN_ELEMENT_CONTROL] = "control",
                                       [CDN_ELEMENT_EVENT] = "event",
                                       [CDN_ELEMENT_SUBSYSTEM] = "subsystem",
                                       [CDN_ELEMENT_SHAPE] = "shape",
                                       [CDN_ELEMENT_CONTACT_PAIR] = "contact pair",
                                       [CDN_ELEMENT_SOFT] = "soft element",
                                       [CDN_ELEMENT_PATH] = "path",
                                       [CDN_ELEMENT_ONE_SIDED] = "one-sided constraint",
                                       [CDN_ELEMENT_DRY_FRICTION] = "dry friction",
                                       [CDN_ELEMENT_KEPT_REACTION] = "kept reaction" };
  _Static_assert(CDNI_COUNT(names) == CDN_ELEMENT_COUNT, "a type has no name");
  return (unsigned)type < CDN_ELEMENT_COUNT ? names[type] : NULL;
}

static const char *event_name(const cdn_system *s, int i) { return cdni_event_at(s, i)->def.name; }
static const char *event_kind(const cdn_system *s, int i) {
  static const char *const names[] = {
    [CDN_EVENT_TRIGGERED] = "triggered", [CDN_EVENT_SCHEDULED] = "scheduled", [CDN_EVENT_PERIODIC] = "periodic",
    [CDN_EVENT_STEP] = "step",           [CDN_EVENT_START] = "start",         [CDN_EVENT_END] = "end"
  };
  return names[cdni_event_at(s, i)->def.kind];
}

static int subsystem_count(const cdn_system *s) { return (int)s->subsystems.count; }
static const char *subsystem_name(const cdn_system *s, int i) { return CDNI_AT(s->subsystems, subsystem, i).name; }
/* Only what is looked up by its name needs one of its own. */
static bool subsystem_may_share(const cdn_system *s, int i) {
  (void)s, (void)i;
  return true;
}
static int parameters_of_subsystem(const cdn_system *s, int i) {
  return cdni_subsystem_parameter_count(s, (cdn_subsystem){ i });
}
static void parameter_of_subsystem(const cdn_system *s, int i, int k, cdni_parameter_place *out) {
  cdni_subsystem_parameter(s, (cdn_subsystem){ i }, k, out);
}
static cdn_status set_of_subsystem(cdn_state *state, const char *function, int i, int first, int n,
                                   const double *values) {
  return cdni_subsystem_set_parameters(state, function, (cdn_subsystem){ i }, first, n, values);
}

/* What the System itself has. */
static const cdni_elements own[] = {
  { .type = CDN_ELEMENT_EVENT, .count = cdn_system_event_count, .name = event_name, .kind = event_kind },
  { .type = CDN_ELEMENT_SUBSYSTEM,
    .count = subsystem_count,
    .name = subsystem_name,
    .may_share = subsystem_may_share,
    .parameter_count = parameters_of_subsystem,
    .parameter = parameter_of_subsystem,
    .set = set_of_subsystem },
  CDNI_NO_MORE_ELEMENTS,
};

static const cdni_elements *in_list(const cdni_elements *list, cdn_element_type type) {
  for (; list && list->type != CDN_ELEMENT_COUNT; list++)
    if (list->type == type) return list;
  return NULL;
}

/* NULL where a System has none. */
static const cdni_elements *find_sort(const cdn_system *s, cdn_element_type type) {
  const cdni_elements *found = in_list(own, type);
  for (int r = 0; r < CDNI_MOST_ROOMS && cdni_rooms[r] && !found; r++)
    if (s->rooms[r]) found = in_list(cdni_rooms[r]->elements, type);
  return found;
}

/* The type of an element that is there, or NULL. */
static const cdni_elements *find(const cdn_system *s, cdn_element_type type, int i) {
  const cdni_elements *of = s ? find_sort(s, type) : NULL;
  return of && i >= 0 && i < of->count(s) ? of : NULL;
}

/* ---- no two of one name ---- */

typedef struct named {
  const char *name;
  int i;
} named;

static int by_name(const void *a, const void *b) {
  const named *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->i > y->i) - (x->i < y->i);
}

static cdn_status check_names(cdn_system *s, const cdni_elements *of) {
  const int n = of->count(s);
  const size_t size = (size_t)(n > 0 ? n : 1) * sizeof(named);
  named *all = cdni_alloc(&s->allocator, size);
  if (!all) return cdni_system_fail(s, CDN_ERR_NOMEM, "cdn_system_freeze", NULL, "out of memory");
  int count = 0;
  for (int i = 0; i < n; i++)
    if (!of->may_share || !of->may_share(s, i)) all[count++] = (named){ of->name(s, i), i };
  qsort(all, (size_t)count, sizeof *all, by_name);
  cdn_status status = CDN_OK;
  for (int k = 1; k < count && status == CDN_OK; k++)
    if (strcmp(all[k - 1].name, all[k].name) == 0)
      status = cdni_system_fail(s, CDN_ERR_ARG, "cdn_system_freeze", all[k].name,
                                "%s %d and %s %d are both called '%s': columns, files and messages could not tell "
                                "them apart. Give one of them another name",
                                cdn_element_type_name(of->type), all[k - 1].i, cdn_element_type_name(of->type),
                                all[k].i, all[k].name);
  cdni_free(&s->allocator, all, size);
  return status;
}

cdn_status cdni_names_freeze(cdn_system *s) {
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++) {
    const cdni_elements *of = find_sort(s, (cdn_element_type)type);
    if (of) CDNI_TRY(check_names(s, of));
  }
  return CDN_OK;
}

/* ---- looking up ---- */

int cdn_element_count(const cdn_system *system, cdn_element_type type) {
  CDNI_NEED_OBJECT(system, 0);
  const cdni_elements *of = find_sort(system, type);
  return of ? of->count(system) : 0;
}

const char *cdn_element_name(const cdn_system *system, cdn_element_type type, int i) {
  CDNI_NEED_OBJECT(system, NULL);
  const cdni_elements *of = find(system, type, i);
  return of ? of->name(system, i) : NULL;
}

const char *cdn_element_kind(const cdn_system *system, cdn_element_type type, int i) {
  CDNI_NEED_OBJECT(system, NULL);
  const cdni_elements *of = find(system, type, i);
  return of && of->kind ? of->kind(system, i) : NULL;
}

/* Who asks: a public function, of a System, or of a State, which then keeps the message. */
typedef struct asked {
  const char *function;
  const cdn_system *system;
  cdn_state *state; /* may be NULL */
} asked;

static cdn_status refuse(const asked *by, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);
static cdn_status refuse(const asked *by, cdn_status code, const char *format, ...) {
  char reason[400];
  va_list args;
  va_start(args, format);
  cdni_vprint(reason, sizeof reason, format, args);
  va_end(args);
  return by->state ? cdni_state_fail(by->state, code, false, by->function, NULL, "%s", reason)
                   : cdni_refuse(code, by->function, "%s", reason);
}

static cdn_status no_element(const asked *by, cdn_element_type type, int i) {
  if (!cdn_element_type_name(type))
    return refuse(by, CDN_ERR_ARG, "there is no type %d of elements: give one of cdn_element_type", (int)type);
  return refuse(by, CDN_ERR_ARG, "System '%s' has no %s %d: it has %d", by->system->name, cdn_element_type_name(type),
                i, cdn_element_count(by->system, type));
}

int cdni_find_by_name(const cdn_system *s, cdn_element_type type, const char *name) {
  const cdni_elements *of = find_sort(s, type);
  const int n = of && name ? of->count(s) : 0;
  for (int i = 0; i < n; i++)
    if (strcmp(of->name(s, i), name) == 0) return i;
  return -1;
}

static cdn_status find_element(const asked *by, cdn_element_type type, const char *name, int *i) {
  *i = cdni_find_by_name(by->system, type, name);
  if (*i >= 0) return CDN_OK;
  if (!cdn_element_type_name(type)) return no_element(by, type, 0);
  return refuse(by, CDN_ERR_ARG, "no %s of System '%s' is called '%s': cdn_element_name lists them",
                cdn_element_type_name(type), by->system->name, name);
}

int cdn_system_find_element(const cdn_system *system, cdn_element_type type, const char *name) {
  CDNI_NEED_OBJECT(system, -1);
  CDNI_NEED_OBJECT(name, -1);
  int i;
  return find_element(&(asked){ "cdn_system_find_element", system, NULL }, type, name, &i) == CDN_OK ? i : -1;
}

/* ---- pointers of the program's ---- */

cdn_status cdn_element_set_user(cdn_system *system, cdn_element_type type, int i, void *user) {
  CDNI_NEED_OBJECT(system, CDN_ERR_ARG);
  const asked by = { "cdn_element_set_user", system, NULL };
  if (!find(system, type, i)) return no_element(&by, type, i);
  cdni_array *users = &system->users[type];
  if ((size_t)i >= users->count &&
      !cdni_array_extend(&system->allocator, users, sizeof(void *), (size_t)i + 1 - users->count))
    return refuse(&by, CDN_ERR_NOMEM, "out of memory");
  CDNI_AT(*users, void *, i) = user;
  return CDN_OK;
}

void *cdn_element_user(const cdn_system *system, cdn_element_type type, int i) {
  CDNI_NEED_OBJECT(system, NULL);
  if (!cdn_element_type_name(type) || i < 0 || (size_t)i >= system->users[type].count) return NULL;
  return CDNI_AT(system->users[type], void *, i);
}

/* ---- parameters ---- */

int cdn_element_parameter_count(const cdn_system *system, cdn_element_type type, int i) {
  CDNI_NEED_OBJECT(system, 0);
  const cdni_elements *of = find(system, type, i);
  return of && of->parameter_count && system->frozen ? of->parameter_count(system, i) : 0;
}

/* The message where an element has not these parameters; *of is its type otherwise. */
static cdn_status check_parameters(const asked *by, cdn_element_type type, int i, int first, int n,
                                   const cdni_elements **of) {
  const cdn_system *s = by->system;
  *of = find(s, type, i);
  if (!*of) return no_element(by, type, i);
  if (!s->frozen)
    return refuse(by, CDN_ERR_NOT_FROZEN, "System '%s' is not frozen yet: call cdn_system_freeze first", s->name);
  const int count = cdn_element_parameter_count(s, type, i);
  if (first >= 0 && n >= 0 && first <= count && n <= count - first) return CDN_OK;
  return refuse(by, CDN_ERR_ARG, "%s '%s' has %d parameters: there are no %d from number %d on",
                cdn_element_type_name(type), (*of)->name(s, i), count, n, first);
}

static cdni_parameter_place place_of(const cdni_elements *of, const cdn_system *s, int i, int k) {
  cdni_parameter_place place = { .is = CDNI_ANY(NULL, NULL) };
  of->parameter(s, i, k, &place);
  if (place.is.name) snprintf(place.name, sizeof place.name, "%s", place.is.name);
  if (place.is.unit) {
    const char *angles = strchr(place.is.unit, '|');
    const size_t lengths = angles ? (size_t)(angles - place.is.unit) : strlen(place.is.unit);
    if (angles && place.dimension == 'A') snprintf(place.unit, sizeof place.unit, "%s", angles + 1);
    else if (!angles || place.dimension == 'L')
      snprintf(place.unit, sizeof place.unit, "%.*s", (int)lengths, place.is.unit);
  }
  return place;
}

cdn_status cdn_element_parameter_sized(const cdn_system *system, cdn_element_type type, int i, int k,
                                       cdn_parameter *out, size_t size) {
  const asked by = { "cdn_element_parameter", system, NULL };
  const cdni_elements *of;
  if (!system || !out) return cdni_misses(by.function, system ? "out" : "system");
  CDNI_TRY(check_parameters(&by, type, i, k, 1, &of));
  const cdni_parameter_place place = place_of(of, system, i, k);
  const double initial = ((const double *)node_at(system, place.array.ticket.i)->initial)[place.at];
  cdn_parameter p = { .lower = place.is.lower,
                      .upper = place.is.upper,
                      .excludes_lower = place.is.flags & CDNI_EXCLUDES_LOWER,
                      .excludes_upper = place.is.flags & CDNI_EXCLUDES_UPPER,
                      .may_be_infinite = place.is.flags & CDNI_MAY_BE_INFINITE };
  p.initial = p.may_be_infinite ? cdni_bound(initial) : initial;
  memcpy(p.name, place.name, sizeof p.name);
  snprintf(p.unit, sizeof p.unit, "%s", cdn_system_unit(system, place.unit));
  cdni_sized_write(out, size, &p, sizeof p);
  return CDN_OK;
}

static cdn_status find_parameter(const asked *by, cdn_element_type type, int i, const char *name, int *k) {
  const cdn_system *s = by->system;
  const cdni_elements *of;
  char list[240] = "";
  CDNI_TRY(check_parameters(by, type, i, 0, 0, &of));
  const int count = cdn_element_parameter_count(s, type, i);
  for (*k = 0; *k < count; ++*k) {
    const cdni_parameter_place place = place_of(of, s, i, *k);
    if (strcmp(place.name, name) == 0) return CDN_OK;
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", place.name);
  }
  return refuse(by, CDN_ERR_ARG, "%s '%s' has no parameter '%s'; it has: %s", cdn_element_type_name(type),
                of->name(s, i), name, list[0] ? list : "none");
}

int cdn_element_find_parameter(const cdn_system *system, cdn_element_type type, int i, const char *name) {
  CDNI_NEED_OBJECT(system, -1);
  CDNI_NEED_OBJECT(name, -1);
  int k;
  const asked by = { "cdn_element_find_parameter", system, NULL };
  return find_parameter(&by, type, i, name, &k) == CDN_OK ? k : -1;
}

static cdn_status get(const asked *by, cdn_element_type type, int i, int first, int n, double *values) {
  const cdni_elements *of;
  CDNI_TRY(check_parameters(by, type, i, first, n, &of));
  for (int k = 0; k < n; k++) {
    const cdni_parameter_place place = place_of(of, by->system, i, first + k);
    const double value = cdn_state_parameters(by->state, place.array)[place.at];
    values[k] = place.is.flags & CDNI_MAY_BE_INFINITE ? cdni_bound(value) : value;
  }
  return CDN_OK;
}

static cdn_status set(const asked *by, cdn_element_type type, int i, int first, int n, const double *values) {
  const cdni_elements *of;
  CDNI_TRY(check_parameters(by, type, i, first, n, &of));
  return n > 0 ? of->set(by->state, by->function, i, first, n, values) : CDN_OK;
}

/* A getter keeps its message on the State, too. */
static asked asked_of(const char *function, const cdn_state *state) {
  return (asked){ function, state->system, (cdn_state *)state };
}

cdn_status cdn_element_get_parameters(const cdn_state *state, cdn_element_type type, int i, int first, int n,
                                      double *values) {
  CDNI_NEED_SOME((cdn_state *)state, values, n);
  const asked by = asked_of("cdn_element_get_parameters", state);
  return get(&by, type, i, first, n, values);
}

cdn_status cdn_element_set_parameters(cdn_state *state, cdn_element_type type, int i, int first, int n,
                                      const double *values) {
  CDNI_NEED_SOME(state, values, n);
  const asked by = asked_of("cdn_element_set_parameters", state);
  return set(&by, type, i, first, n, values);
}

static cdn_status find_both(const asked *by, cdn_element_type type, const char *element, const char *parameter, int *i,
                            int *k) {
  CDNI_TRY(find_element(by, type, element, i));
  return find_parameter(by, type, *i, parameter, k);
}

cdn_status cdn_parameter_get(const cdn_state *state, cdn_element_type type, const char *element, const char *parameter,
                             double *value) {
  CDNI_NEED((cdn_state *)state, element);
  CDNI_NEED((cdn_state *)state, parameter);
  CDNI_NEED((cdn_state *)state, value);
  const asked by = asked_of("cdn_parameter_get", state);
  int i, k;
  CDNI_TRY(find_both(&by, type, element, parameter, &i, &k));
  return get(&by, type, i, k, 1, value);
}

cdn_status cdn_parameter_set(cdn_state *state, cdn_element_type type, const char *element, const char *parameter,
                             double value) {
  CDNI_NEED(state, element);
  CDNI_NEED(state, parameter);
  const asked by = asked_of("cdn_parameter_set", state);
  int i, k;
  CDNI_TRY(find_both(&by, type, element, parameter, &i, &k));
  return set(&by, type, i, k, 1, &value);
}
