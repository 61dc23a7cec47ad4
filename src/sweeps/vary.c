/* The variables of a study: where their values come from, and how many cases that makes. */
#include <math.h>
#include <stdio.h>

#include "sweeps/internal.h"

static const char *const sources[] = {
  [SWEEP_GRID] = "grid",       [SWEEP_LIST] = "list",     [SWEEP_CHOICE] = "choice",
  [SWEEP_UNIFORM] = "uniform", [SWEEP_NORMAL] = "normal", [SWEEP_LOG_UNIFORM] = "log-uniform"
};

/* ---- lists ---- */

static cdn_status read_list(cdn_sweep *s, sweep_variable *v, json_t *value) {
  const size_t n = json_array_size(value);
  double *list = cdni_sweep_memory(s, n, sizeof *list);
  if (n == 0) return cdni_sweep_wrong(s, "\"%.80s\": \"%s\" has no values", v->name, sources[v->source]);
  if (!list) return CDN_ERR_NOMEM;
  for (size_t i = 0; i < n; i++) {
    const json_t *item = json_array_get(value, i);
    if (!json_is_number(item))
      return cdni_sweep_wrong(s, "\"%.80s\": number %zu of \"%s\" is not a number", v->name, i, sources[v->source]);
    list[i] = json_number_value(item);
  }
  v->list = list, v->n = (int64_t)n;
  return CDN_OK;
}

/* { "from": a, "to": b, "count": n }: equal distances, both ends included. */
static cdn_status read_range(cdn_sweep *s, sweep_variable *v, json_t *value) {
  static const char *const keys[] = { "from", "to", "count" };
  double from = NAN, to = NAN;
  int64_t n = 0;
  CDNI_TRY(cdni_sweep_check_keys(s, v->name, value, keys, CDNI_COUNT(keys)));
  CDNI_TRY(cdni_sweep_read_number(s, value, "from", -INFINITY, &from));
  CDNI_TRY(cdni_sweep_read_number(s, value, "to", -INFINITY, &to));
  CDNI_TRY(cdni_sweep_read_count(s, value, "count", 1e8, &n));
  if (isnan(from) || isnan(to) || n < 2)
    return cdni_sweep_wrong(s, "\"%.80s\": a range needs \"from\", \"to\", and a \"count\" of 2 or more", v->name);
  double *list = cdni_sweep_memory(s, (size_t)n, sizeof *list);
  if (!list) return CDN_ERR_NOMEM;
  for (int64_t i = 0; i < n; i++) list[i] = i + 1 < n ? from + (to - from) * (double)i / (double)(n - 1) : to;
  v->list = list, v->n = n;
  return CDN_OK;
}

/* ---- distributions ---- */

static cdn_status read_pair(cdn_sweep *s, sweep_variable *v, json_t *value) {
  const json_t *a = json_array_get(value, 0), *b = json_array_get(value, 1);
  const bool normal = v->source == SWEEP_NORMAL;
  if (json_array_size(value) != 2 || !json_is_number(a) || !json_is_number(b))
    return cdni_sweep_wrong(s, "\"%.80s\": \"%s\" needs two numbers: %s", v->name, sources[v->source],
                            normal ? "[mean, deviation]" : "[from, to]");
  v->a = json_number_value(a), v->b = json_number_value(b);
  if (normal ? v->b >= 0 : v->a <= v->b && (v->source == SWEEP_UNIFORM || v->a > 0)) return CDN_OK;
  return cdni_sweep_wrong(s, "\"%.80s\": \"%s\" cannot have %s", v->name, sources[v->source],
                          normal                           ? "a deviation below zero"
                          : v->source == SWEEP_LOG_UNIFORM ? "bounds that do not grow, or are not above zero"
                                                           : "bounds that do not grow");
}

static cdn_status read_source(cdn_sweep *s, sweep_variable *v, json_t *object) {
  static const char *const keys[] = { "grid", "list", "choice", "uniform", "log-uniform", "normal", "sets", "as" };
  json_t *found = NULL;
  if (!json_is_object(object))
    return cdni_sweep_wrong(s, "\"%.80s\" should be an object such as { \"uniform\": [1, 2] }", v->name);
  CDNI_TRY(cdni_sweep_check_keys(s, v->name, object, keys, CDNI_COUNT(keys)));
  for (int i = 0; i < CDNI_COUNT(sources); i++) {
    json_t *value = json_object_get(object, sources[i]);
    if (!value) continue;
    if (found)
      return cdni_sweep_wrong(s, "\"%.80s\" has \"%s\" and \"%s\": choose one", v->name, sources[v->source],
                              sources[i]);
    found = value;
    v->source = (sweep_source)i;
  }
  if (!found)
    return cdni_sweep_wrong(s,
                            "\"%.80s\" says no values: give it \"grid\", \"list\", \"choice\", \"uniform\", "
                            "\"log-uniform\" or \"normal\"",
                            v->name);
  if (v->source > SWEEP_CHOICE) return read_pair(s, v, found);
  return json_is_object(found) && v->source == SWEEP_GRID ? read_range(s, v, found) : read_list(s, v, found);
}

/* ---- how many cases ---- */

static cdn_status count_cases(cdn_sweep *s, int dimensions, int64_t drawn) {
  static const double most = UINT32_MAX; /* places in the stream of random numbers */
  sweep_design *d = &s->design;
  const sweep_variable *first = NULL;
  double cases = 1;
  d->listed = 1;
  for (int i = 0; i < d->n_variables; i++) {
    const sweep_variable *v = &d->variables[i];
    if (v->source == SWEEP_GRID) cases *= (double)v->n;
    if (v->source != SWEEP_LIST) continue;
    if (first && v->n != d->listed)
      return cdni_sweep_wrong(s, "the lists of \"%.60s\" and \"%.60s\" have %lld and %lld values: lists go together",
                              first->name, v->name, (long long)first->n, (long long)v->n);
    first = v, d->listed = v->n;
  }
  if (dimensions > 0 && drawn == 0)
    return cdni_sweep_wrong(s, "a study that draws values needs \"cases\": how often it draws them");
  d->drawn = drawn > 0 ? drawn : 1;
  cases *= (double)d->listed * (double)d->drawn;
  if (cases >= most) return cdni_sweep_wrong(s, "%.3g cases are too many: there can be %.0f", cases, most - 1);
  d->cases = (int64_t)cases;
  return CDN_OK;
}

cdn_status cdni_sweep_read_variables(cdn_sweep *s) {
  static const char *const samplings[] = { "random", "latin hypercube", "sobol" };
  sweep_design *d = &s->design;
  const size_t n = json_object_size(s->study.vary);
  sweep_variable *variables = cdni_sweep_memory(s, n, sizeof *variables);
  int sampling = SWEEP_RANDOM, dimensions = 0;
  int64_t drawn = 0;
  const char *name;
  json_t *object;
  if (!variables) return CDN_ERR_NOMEM;
  d->variables = variables;
  json_object_foreach(s->study.vary, name, object) {
    sweep_variable *v = &variables[d->n_variables++];
    *v = (sweep_variable){ .name = name, .dimension = -1 };
    CDNI_TRY(read_source(s, v, object));
    if (v->source >= SWEEP_CHOICE) v->dimension = dimensions++;
  }
  CDNI_TRY(cdni_sweep_read_word(s, s->study.root, "sampling", samplings, CDNI_COUNT(samplings), &sampling));
  CDNI_TRY(cdni_sweep_read_count(s, s->study.root, "cases", UINT32_MAX - 1, &drawn));
  d->sampling = (sweep_sampling)sampling;
  if (d->sampling == SWEEP_SOBOL && dimensions > SWEEP_SOBOL_DIMENSIONS)
    return cdni_sweep_wrong(s, "\"sobol\" has %d dimensions, and %d values are drawn: take \"latin hypercube\"",
                            SWEEP_SOBOL_DIMENSIONS, dimensions);
  return count_cases(s, dimensions, drawn);
}
