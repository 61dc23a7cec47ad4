/* What a study sets, by the names that introspection gives (docs/lookup.md): numbers of a State's vector, such as
 * "knee.q", parameters of elements, such as "force/spring/k", and options of the run, such as "run/accuracy". */
#include <math.h>
#include <stdio.h>

#include <cardan/controls.h>
#include <cardan/elements.h>
#include <cardan/matter.h>
#include <cardan/vectors.h>

#include "core/words.h"
#include "sweeps/internal.h"

/* All parts but those that elements name better, and what steps remember. */
enum { PARTS = CDN_VECTOR_FULL_PHYSICS + CDN_VECTOR_INPUTS, NAME = 160 };

static const char *const run_names[] = {
  [SWEEP_ACCURACY] = "run/accuracy", [SWEEP_STEP] = "run/step", [SWEEP_DURATION] = "run/duration"
};

/* ---- finding ---- */

/* Names that a study may mean, while it is read. */
typedef struct names {
  cdn_sweep *sweep;
  const cdn_system *system;
  char (*of_vector)[NAME];
  int n;
} names;

static cdn_status refuse_last(const cdn_sweep *s, const char *name) {
  cdn_error error;
  cdn_last_error(&error);
  return cdni_sweep_wrong(s, "\"%.80s\": %.280s", name, error.text);
}

static cdn_status unknown_among(const names *x, const char *name, const char *what, const char *word,
                                cdn_element_type type, int element, int n, bool parameters) {
  cdn_sweep *s = x->sweep;
  char text[240];
  const char **all = cdni_sweep_memory(s, (size_t)n, sizeof *all);
  cdn_parameter *p = cdni_sweep_memory(s, parameters ? (size_t)n : 0, sizeof *p);
  if (!all || !p) return CDN_ERR_NOMEM;
  for (int i = 0; i < n; i++) {
    if (!parameters) all[i] = cdn_element_name(x->system, type, i);
    else if (cdn_element_parameter(x->system, type, element, i, &p[i]) == CDN_OK) all[i] = p[i].name;
  }
  snprintf(text, sizeof text, "\"%.80s\": there is no %s", name, what);
  return cdni_sweep_unknown(s, word, text, all, n);
}

/* "type/element/parameter"; names of elements may have slashes. */
static cdn_status find_parameter(const names *x, const char *name, sweep_target *t) {
  const char *types[CDN_ELEMENT_COUNT];
  const char *slash = strchr(name, '/'), *last = strrchr(name, '/');
  char word[NAME], text[240];
  snprintf(word, sizeof word, "%.*s", (int)(slash - name), name);
  int type = -1;
  for (int i = 0; i < CDN_ELEMENT_COUNT; i++) {
    types[i] = cdn_element_type_name((cdn_element_type)i);
    if (strcmp(types[i], word) == 0) type = i;
  }
  if (type < 0) {
    snprintf(text, sizeof text, "\"%.80s\": there is no type of elements", name);
    return cdni_sweep_unknown(x->sweep, word, text, types, CDN_ELEMENT_COUNT);
  }
  if (slash == last)
    return cdni_sweep_wrong(x->sweep, "\"%.80s\": a parameter is named %s/ELEMENT/PARAMETER", name, word);
  t->kind = SWEEP_OF_ELEMENT, t->type = (cdn_element_type)type;
  snprintf(word, sizeof word, "%.*s", (int)(last - slash - 1), slash + 1);
  t->element = cdn_system_find_element(x->system, t->type, word);
  if (t->element < 0) {
    snprintf(text, sizeof text, "%s", types[type]);
    return unknown_among(x, name, text, word, t->type, 0, cdn_element_count(x->system, t->type), false);
  }
  t->number = cdn_element_find_parameter(x->system, t->type, t->element, last + 1);
  if (t->number < 0)
    return unknown_among(x, name, "parameter", last + 1, t->type, t->element,
                         cdn_element_parameter_count(x->system, t->type, t->element), true);
  cdn_parameter p;
  CDNI_TRY(cdn_element_parameter(x->system, t->type, t->element, t->number, &p));
  t->unit = cdni_sweep_text(x->sweep, "%s", p.unit);
  return t->unit ? CDN_OK : CDN_ERR_NOMEM;
}

/* Of a coordinate or a speed; "" where it is not known. */
static const char *unit_of_slot(const cdn_system *system, const char *name) {
  for (int pool = CDN_POOL_Q; pool <= CDN_POOL_U; pool++) {
    const int slot = cdn_system_find_slot(system, (cdn_pool)pool, name);
    for (int i = 1; slot >= 0 && i < cdn_system_body_count(system); i++) {
      const cdn_body body = { i };
      const int first = pool == CDN_POOL_Q ? cdn_body_first_q(system, body) : cdn_body_first_u(system, body);
      const int n = pool == CDN_POOL_Q ? cdn_body_nq(system, body) : cdn_body_nu(system, body);
      if (slot >= first && slot < first + n) return cdn_body_unit(system, body, (cdn_pool)pool, slot - first);
    }
  }
  return "";
}

static cdn_status find_number(const names *x, const char *name, sweep_target *t) {
  int found = -1;
  for (int i = 0; i < x->n; i++) {
    if (strcmp(x->of_vector[i], name) != 0) continue;
    if (found >= 0) return cdni_sweep_wrong(x->sweep, "\"%.120s\" is the name of two numbers of a State", name);
    found = i;
  }
  if (found < 0) return CDN_OK;
  const cdn_control control = cdn_system_find_control(x->system, name);
  if (control.i >= 0 && cdn_control_follows(x->system, control))
    return cdni_sweep_wrong(x->sweep, "\"%.120s\" follows a source, and cannot be set", name);
  t->kind = SWEEP_OF_VECTOR, t->number = found, t->unit = strcmp(name, "t") == 0 ? "s" : unit_of_slot(x->system, name);
  if (control.i >= 0) t->unit = cdn_control_unit(x->system, control);
  return CDN_OK;
}

static cdn_status tell_unknown(const names *x, const char *name) {
  const int n = x->n + CDNI_COUNT(run_names);
  const char **all = cdni_sweep_memory(x->sweep, (size_t)n, sizeof *all);
  if (!all) return CDN_ERR_NOMEM;
  for (int i = 0; i < x->n; i++) all[i] = x->of_vector[i];
  memcpy(all + x->n, run_names, sizeof run_names);
  const char *closest = cdni_closest_word(name, all, n);
  if (closest) return cdni_sweep_wrong(x->sweep, "nothing is called \"%.80s\"; did you mean \"%.80s\"?", name, closest);
  return cdni_sweep_wrong(x->sweep,
                          "nothing is called \"%.80s\": a study names coordinates, speeds and controls as 'cardan "
                          "info' lists them, and parameters by TYPE/ELEMENT/PARAMETER, such as force/gravity/g.z",
                          name);
}

static cdn_status find(const names *x, const char *name, sweep_target *t) {
  static const char *const units[] = { [SWEEP_ACCURACY] = "", [SWEEP_STEP] = "s", [SWEEP_DURATION] = "s" };
  t->number = -1;
  CDNI_TRY(find_number(x, name, t));
  if (t->number >= 0) return CDN_OK;
  for (int i = 0; i < CDNI_COUNT(run_names); i++)
    if (strcmp(name, run_names[i]) == 0) {
      t->kind = SWEEP_OF_RUN, t->number = i, t->unit = units[i];
      return CDN_OK;
    }
  return strchr(name, '/') && strncmp(name, "run/", 4) != 0 ? find_parameter(x, name, t) : tell_unknown(x, name);
}

/* ---- setting ---- */

static double of_target(const sweep_target *t, const double *values) {
  const double x = values[t->variable];
  return t->use == SWEEP_VALUE ? x : t->use == SWEEP_FACTOR ? t->base * x : t->base + x;
}

/* The parameters of one element, together: from the first to the last that is set. */
static cdn_status apply_element(const sweep_target *t, int n, const double *values, cdn_state *state) {
  enum { MOST = 256 };
  double numbers[MOST];
  int first = t[0].number, last = first;
  for (int i = 1; i < n; i++) {
    if (t[i].number < first) first = t[i].number;
    if (t[i].number > last) last = t[i].number;
  }
  const int count = last - first + 1;
  if (count > MOST)
    return cdn_state_fail(state, CDN_ERR_LIMIT, false, NULL, "parameters that are set are more than %d apart", MOST);
  CDNI_TRY(cdn_element_get_parameters(state, t[0].type, t[0].element, first, count, numbers));
  for (int i = 0; i < n; i++) numbers[t[i].number - first] = of_target(&t[i], values);
  return cdn_element_set_parameters(state, t[0].type, t[0].element, first, count, numbers);
}

static bool same_element(const sweep_target *a, const sweep_target *b) {
  return a->kind == SWEEP_OF_ELEMENT && b->kind == a->kind && b->type == a->type && b->element == a->element;
}

static cdn_status apply_all(const cdn_sweep *s, const double *values, cdn_state *state, double *run) {
  bool numbers = false;
  for (int i = 0, n; i < s->n_targets; i += n) {
    const sweep_target *t = &s->targets[i];
    for (n = 1; i + n < s->n_targets && same_element(t, t + n);) n++;
    if (t->kind == SWEEP_OF_ELEMENT) CDNI_TRY(apply_element(t, n, values, state));
    if (t->kind == SWEEP_OF_RUN) run[t->number] = of_target(t, values);
    if (t->kind != SWEEP_OF_VECTOR) continue;
    if (!numbers) memcpy(s->own_numbers, s->numbers, (size_t)s->n_numbers * sizeof(double));
    s->own_numbers[t->number] = of_target(t, values);
    numbers = true;
  }
  return numbers ? cdn_state_set_vector(state, PARTS, s->n_numbers, s->own_numbers) : CDN_OK;
}

cdn_status cdni_sweep_apply(cdn_sweep *s, int64_t k, const double *values, cdn_state *state,
                            double run[SWEEP_RUN_NUMBERS]) {
  const cdn_random_place place = { s->design.seed, (uint32_t)k, 0, 0 };
  memcpy(run, s->study.run, sizeof s->study.run);
  CDNI_TRY(cdn_state_copy(state, s->base));
  CDNI_TRY(apply_all(s, values, state, run));
  if (cdn_system_random_ticket(cdn_state_system(state)).i > 0) CDNI_TRY(cdn_state_set_random(state, &place));
  for (int i = 0; i < SWEEP_RUN_NUMBERS; i++)
    if (!isfinite(run[i]) || run[i] < 0)
      return cdn_state_fail(state, CDN_ERR_ARG, false, NULL, "%s is %g", run_names[i], run[i]);
  return CDN_OK;
}

/* ---- reading ---- */

static double base_of(const cdn_sweep *s, const sweep_target *t) {
  double x = NAN;
  if (t->kind == SWEEP_OF_RUN) return s->study.run[t->number];
  if (t->kind == SWEEP_OF_VECTOR) return s->numbers[t->number];
  return cdn_element_get_parameters(s->base, t->type, t->element, t->number, 1, &x) == CDN_OK ? x : NAN;
}

static bool same_target(const sweep_target *a, const sweep_target *b) {
  return a->kind == b->kind && a->number == b->number && (a->kind != SWEEP_OF_ELEMENT || same_element(a, b));
}

/* Beside the others of its element. */
static cdn_status add_target(const names *x, const char *name, int variable, sweep_use use) {
  cdn_sweep *s = x->sweep;
  sweep_target t = { .variable = variable, .use = use };
  CDNI_TRY(find(x, name, &t));
  t.base = base_of(s, &t);
  int at = s->n_targets;
  for (int i = 0; i < s->n_targets; i++) {
    if (same_target(&s->targets[i], &t)) return cdni_sweep_wrong(s, "\"%.120s\" is set twice", name);
    if (same_element(&s->targets[i], &t)) at = i + 1;
  }
  memmove(&s->targets[at + 1], &s->targets[at], (size_t)(s->n_targets - at) * sizeof t);
  s->targets[at] = t;
  s->n_targets++;
  return CDN_OK;
}

/* The names that a variable sets: those of "sets", or its own. */
static const char *name_of(json_t *object, const char *own, size_t i) {
  json_t *sets = json_object_get(object, "sets");
  if (!sets) return i == 0 ? own : NULL;
  if (json_is_string(sets)) return i == 0 ? json_string_value(sets) : NULL;
  return json_string_value(json_array_get(sets, i));
}

static cdn_status check_sets(const cdn_sweep *s, const char *name, json_t *object) {
  json_t *sets = json_object_get(object, "sets"), *item;
  size_t i;
  bool good = !sets || json_is_string(sets) || json_array_size(sets) > 0;
  json_array_foreach(sets, i, item) good = good && json_is_string(item);
  return good ? CDN_OK : cdni_sweep_wrong(s, "\"%.80s\": \"sets\" should be a name, or a list of names", name);
}

static size_t count_targets(const cdn_sweep *s) {
  size_t n = json_object_size(s->study.set);
  const char *name;
  json_t *object;
  json_object_foreach(s->study.vary, name, object) {
    const size_t list = json_array_size(json_object_get(object, "sets"));
    n += list > 0 ? list : 1;
  }
  return n;
}

static cdn_status find_varied(const names *x) {
  static const char *const uses[] = { "value", "factor", "offset" };
  cdn_sweep *s = x->sweep;
  const char *name, *target;
  json_t *object;
  int variable = 0;
  json_object_foreach(s->study.vary, name, object) {
    int use = SWEEP_VALUE;
    CDNI_TRY(check_sets(s, name, object));
    CDNI_TRY(cdni_sweep_read_word(s, object, "as", uses, CDNI_COUNT(uses), &use));
    for (size_t i = 0; (target = name_of(object, name, i)); i++)
      CDNI_TRY(add_target(x, target, variable, (sweep_use)use));
    variable++;
  }
  return CDN_OK;
}

static cdn_status take_numbers(cdn_sweep *s) { return cdn_state_get_vector(s->base, PARTS, s->n_numbers, s->numbers); }

/* The study's "set": as variables that have one value, into the base. */
static cdn_status set_base(const names *x) {
  cdn_sweep *s = x->sweep;
  const char *name;
  json_t *value;
  json_object_foreach(s->study.set, name, value) {
    const double number = json_number_value(value);
    if (!json_is_number(value)) return cdni_sweep_wrong(s, "\"set\": \"%.120s\" should be a number", name);
    CDNI_TRY(add_target(x, name, 0, SWEEP_VALUE));
    if (apply_all(s, &number, s->base, s->study.run) != CDN_OK) return refuse_last(s, name);
    CDNI_TRY(take_numbers(s));
    s->n_targets = 0;
  }
  return CDN_OK;
}

cdn_status cdni_sweep_find_targets(cdn_sweep *s) {
  names x = { .sweep = s, .system = cdn_model_system(s->model) };
  const size_t most = count_targets(s);
  x.n = s->n_numbers = cdn_state_vector_size(s->base, PARTS);
  x.of_vector = cdni_sweep_memory(s, (size_t)x.n, sizeof *x.of_vector);
  s->numbers = cdni_sweep_memory(s, (size_t)x.n, sizeof *s->numbers);
  s->own_numbers = cdni_sweep_memory(s, (size_t)x.n, sizeof *s->own_numbers);
  s->targets = cdni_sweep_memory(s, most, sizeof *s->targets);
  if (!x.of_vector || !s->numbers || !s->own_numbers || !s->targets) return CDN_ERR_NOMEM;
  for (int i = 0; i < x.n; i++) CDNI_TRY(cdn_state_vector_name(s->base, PARTS, i, x.of_vector[i], NAME));
  CDNI_TRY(take_numbers(s));
  CDNI_TRY(set_base(&x));
  return find_varied(&x);
}
