/* Tables of parameters: what a number must be; and the parameters of subsystems, which are the numbers of their
 * arrays. */
#include <math.h>
#include <stdio.h>

#include "system/elements.h"
#include "system/structs.h"

/* ---- limits ---- */

/* In words, for messages. */
static void tell_limits(const cdni_parameter *p, char *text, size_t size) {
  const bool above = p->flags & CDNI_EXCLUDES_LOWER, below = p->flags & CDNI_EXCLUDES_UPPER;
  if (p->upper == INFINITY && p->lower == 0) snprintf(text, size, above ? "be positive" : "not be negative");
  else if (p->upper == INFINITY) cdni_print(text, size, "be %s %g", above ? "above" : "at least", p->lower);
  else if (p->lower == -INFINITY) cdni_print(text, size, "be %s %g", below ? "below" : "at most", p->upper);
  else
    cdni_print(text, size, "be %s %g and %s %g", above ? "above" : "at least", p->lower, below ? "below" : "at most",
               p->upper);
}

cdn_status cdni_parameters_check(const cdni_parameter *table, int n, const double *values, char *reason, size_t size) {
  for (int k = 0; k < n; k++) {
    const cdni_parameter *p = &table[k];
    const double x = values[k];
    if (!isfinite(x)) {
      cdni_print(reason, size, "%s is %g", p->name, x);
      return CDN_ERR_NONFINITE;
    }
    const bool low = p->flags & CDNI_EXCLUDES_LOWER ? x <= p->lower : x < p->lower;
    const bool high = p->flags & CDNI_EXCLUDES_UPPER ? x >= p->upper : x > p->upper;
    if (!low && !high) continue;
    char limits[64];
    tell_limits(p, limits, sizeof limits);
    cdni_print(reason, size, "%s is %g; it must %s%s%s%s", p->name, x, limits, p->advice ? " (" : "",
               p->advice ? p->advice : "", p->advice ? ")" : "");
    return CDN_ERR_ARG;
  }
  return CDN_OK;
}

void cdni_parameters_normalize(const cdni_parameter *table, int n, double *values) {
  for (int k = 0; k < n; k++) {
    double square = 0;
    for (int i = 0; i < table[k].normalized; i++) square += values[k + i] * values[k + i];
    if (square == 0) continue;
    const double length = sqrt(square);
    for (int i = 0; i < table[k].normalized; i++) values[k + i] /= length;
  }
}

/* ---- arrays of a subsystem ---- */

/* The array in which number k of all is, and its place there; NULL past the end. */
static const node *find_number(const cdn_system *s, cdn_subsystem id, int *k, cdn_dvar *array) {
  for (size_t t = TICKET_FIRST_FREE; t < s->nodes.count; t++) {
    const node *x = node_at(s, (int32_t)t);
    if (x->kind != NODE_VARIABLE || !x->parameters || x->subsystem != id.i) continue;
    const int n = (int)(x->size / sizeof(double));
    *array = (cdn_dvar){ 0, { (int32_t)t } };
    if (*k < n) return x;
    *k -= n;
  }
  return NULL;
}

void cdni_subsystem_is_room(cdn_system *s, cdn_subsystem id) {
  if (id.i >= 0) CDNI_AT(s->subsystems, subsystem, id.i).is_room = true;
}

int cdni_subsystem_parameter_count(const cdn_system *s, cdn_subsystem id) {
  int n = 0;
  if (id.i < 0 || CDNI_AT(s->subsystems, subsystem, id.i).is_room) return 0;
  for (size_t t = TICKET_FIRST_FREE; t < s->nodes.count; t++) {
    const node *x = node_at(s, (int32_t)t);
    if (x->kind == NODE_VARIABLE && x->parameters && x->subsystem == id.i) n += (int)(x->size / sizeof(double));
  }
  return n;
}

void cdni_subsystem_parameter(const cdn_system *s, cdn_subsystem id, int k, cdni_parameter_place *out) {
  const node *x = find_number(s, id, &k, &out->array);
  const char *after = strchr(x->name, '.'); /* "subsystem.array" */
  const size_t prefix = strlen(CDNI_AT(s->subsystems, subsystem, id.i).name);
  if (strlen(x->name) > prefix) after = x->name + prefix;
  out->at = k;
  if (x->size == sizeof(double)) snprintf(out->name, sizeof out->name, "%s", after ? after + 1 : x->name);
  else snprintf(out->name, sizeof out->name, "%s[%d]", after ? after + 1 : x->name, k);
}

cdn_status cdni_subsystem_set_parameters(cdn_state *state, const char *function, cdn_subsystem id, int first, int n,
                                         const double *values) {
  const cdn_system *s = state->system;
  /* all or none: what can refuse a number is asked first */
  size_t bad;
  if (!cdni_all_finite(values, (size_t)n, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "parameter %d is %g: nothing was changed",
                           first + (int)bad, values[bad]);
  for (int done = 0; done < n;) {
    cdn_dvar array;
    int at = first + done;
    const node *x = find_number(s, id, &at, &array);
    const int room = (int)(x->size / sizeof(double)) - at, count = n - done < room ? n - done : room;
    CDNI_TRY(cdn_state_set_parameters(state, array, at, count, values + done));
    done += count;
  }
  return CDN_OK;
}
