/* A State goes over to another System: parameters, what is on, controls, auxiliary states, by the names of their
 * elements. */
#include "studies/carry.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cardan/constraints.h>
#include <cardan/controls.h>
#include <cardan/forces.h>
#include <cardan/motion.h>
#include <cardan/random.h>

#include "core/sized.h"
#include "forces/carry.h"
#include "system/carry.h"
#include "system/system.h"

/* ---- the report ------------------------------------------------------------------------------ */

typedef struct entry {
  cdn_carried said;
  char *name, *text;
} entry;

struct cdn_carry_report {
  cdn_allocator allocator;
  cdni_array entries;
};

const char *cdn_carry_fate_name(cdn_carry_fate fate) {
  static const char *const names[] = { [CDN_CARRY_NEW] = "new",
                                       [CDN_CARRY_GONE] = "gone",
                                       [CDN_CARRY_FITTED] = "fitted",
                                       [CDN_CARRY_NEAREST] = "nearest",
                                       [CDN_CARRY_OTHER] = "other" };
  return (unsigned)fate < CDNI_COUNT(names) ? names[fate] : NULL;
}

int cdn_carry_report_count(const cdn_carry_report *report) { return report ? (int)report->entries.count : 0; }

cdn_status cdn_carry_report_entry_sized(const cdn_carry_report *report, int i, cdn_carried *out, size_t size) {
  const cdn_carried none = { 0 };
  const bool there = out && i >= 0 && i < cdn_carry_report_count(report);
  cdni_sized_write(out, size, there ? &CDNI_AT(report->entries, entry, i).said : &none, sizeof none);
  if (there) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_carry_report_entry",
                     "there is no report, no entry %d in it, or nowhere to put it", i);
}

static void free_entry(const cdn_allocator *a, const entry *e) {
  cdni_strfree(a, e->name);
  cdni_strfree(a, e->text);
}

void cdn_carry_report_destroy(cdn_carry_report *report) {
  if (!report) return;
  const cdn_allocator a = report->allocator;
  for (size_t i = 0; i < report->entries.count; i++) free_entry(&a, &CDNI_AT(report->entries, entry, i));
  cdni_array_free(&a, &report->entries);
  cdni_free(&a, report, sizeof *report);
}

void cdni_carry_tell(carrier *c, cdn_element_type type, cdn_carry_fate fate, const char *name, const double error[4],
                     const char *format, ...) {
  char what[300], text[500];
  va_list args;
  if (!c->report || c->status != CDN_OK) return;
  va_start(args, format);
  cdni_vprint(what, sizeof what, format, args);
  va_end(args);
  cdni_print(text, sizeof text, "%s '%.120s': %s", cdn_element_type_name(type), name, what);
  const cdn_allocator *a = &c->report->allocator;
  entry made = { .said = { .type = type, .fate = fate }, .name = cdni_strdup(a, name), .text = cdni_strdup(a, text) };
  made.said.name = made.name, made.said.text = made.text;
  if (error) memcpy(made.said.error, error, sizeof made.said.error);
  if (made.name && made.text && cdni_array_push(a, &c->report->entries, sizeof made, &made)) return;
  free_entry(a, &made);
  c->status = CDN_ERR_NOMEM;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b) {
  const carry_name *x = a, *y = b;
  const int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->i > y->i) - (x->i < y->i);
}

static cdn_status make_table(carrier *c, cdn_element_type type) {
  const int n = cdn_element_count(c->new, type);
  if (n == 0) return CDN_OK;
  carry_name *names = cdni_alloc(c->memory, (size_t)n * sizeof *names);
  if (!names) return CDN_ERR_NOMEM;
  for (int i = 0; i < n; i++) names[i] = (carry_name){ cdn_element_name(c->new, type, i), i };
  qsort(names, (size_t)n, sizeof *names, by_name);
  c->tables[type].names = names, c->tables[type].n = n;
  return CDN_OK;
}

int cdni_carry_find(const carrier *c, cdn_element_type type, const char *name) {
  const carry_name *names = c->tables[type].names;
  int low = 0, high = c->tables[type].n;
  while (low < high) { /* the first one of this name or a later */
    const int middle = low + (high - low) / 2;
    if (strcmp(names[middle].name, name) < 0) low = middle + 1;
    else high = middle;
  }
  return low < c->tables[type].n && strcmp(names[low].name, name) == 0 ? names[low].i : -1;
}

/* ---- who is new, and who is gone ------------------------------------------------------------- */

/* Subsystems are the library's and those of other elements; mobilizers have their own. */
static bool is_compared(cdn_element_type type) {
  return type != CDN_ELEMENT_SUBSYSTEM && type != CDN_ELEMENT_MOBILIZER;
}

static void compare_type(carrier *c, cdn_element_type type, bool *met) {
  for (int i = 0; i < cdn_element_count(c->old, type); i++) {
    const char *name = cdn_element_name(c->old, type, i);
    const int other = cdni_carry_find(c, type, name);
    if (other >= 0) met[other] = true;
    else cdni_carry_tell(c, type, CDN_CARRY_GONE, name, NULL, "gone");
  }
  for (int i = 0; i < c->tables[type].n; i++)
    if (!met[i])
      cdni_carry_tell(c, type, CDN_CARRY_NEW, cdn_element_name(c->new, type, i), NULL, "new, with its defaults");
}

static cdn_status compare(carrier *c) {
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++) {
    const size_t size = (size_t)(c->tables[type].n + 1) * sizeof(bool);
    if (!is_compared((cdn_element_type)type)) continue;
    bool *met = cdni_calloc(c->memory, size);
    if (!met) return CDN_ERR_NOMEM;
    compare_type(c, (cdn_element_type)type, met);
    cdni_free(c->memory, met, size);
  }
  return c->status;
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* The parameter of the new element that is like number k of the old one; -1: none. */
static int find_parameter(const carrier *c, cdn_element_type type, int new, int k, const cdn_parameter *p, int n) {
  for (int j = 0; j < n; j++) {
    const int at = (k + j) % n; /* the same number first */
    cdn_parameter q;
    if (cdn_element_parameter(c->new, type, new, at, &q) == CDN_OK && strcmp(q.name, p->name) == 0)
      return strcmp(q.unit, p->unit) == 0 ? at : -1;
  }
  return -1;
}

static bool differs(double a, double b) { return a != b && !(isnan(a) && isnan(b)); }

/* Those that are not at their defaults; `values` are the new element's. Returns how many there are. */
static int merge(carrier *c, cdn_element_type type, int old, int new, const double *given, int n, double *values,
                 int room) {
  int changed = 0;
  for (int k = 0; k < n; k++) {
    cdn_parameter p;
    if (cdn_element_parameter(c->old, type, old, k, &p) != CDN_OK || !differs(given[k], p.initial)) continue;
    const int at = room > 0 ? find_parameter(c, type, new, k, &p, room) : -1;
    if (at >= 0) values[at] = given[k], changed++;
    else
      cdni_carry_tell(c, type, CDN_CARRY_OTHER, cdn_element_name(c->old, type, old), NULL,
                      "it has no parameter %s now, or one of another unit", p.name);
  }
  return changed;
}

static cdn_status carry_parameters(carrier *c, cdn_element_type type, int old, int new) {
  const int n = cdn_element_parameter_count(c->old, type, old), m = cdn_element_parameter_count(c->new, type, new);
  if (n == 0) return CDN_OK;
  const size_t size = (size_t)(n + m) * sizeof(double);
  double *given = cdni_alloc(c->memory, size), *values = given + n;
  if (!given) return CDN_ERR_NOMEM;
  cdn_status status = cdn_element_get_parameters(c->from, type, old, 0, n, given);
  if (status == CDN_OK && m > 0) status = cdn_element_get_parameters(c->to, type, new, 0, m, values);
  if (status == CDN_OK && merge(c, type, old, new, given, n, values, m) > 0 &&
      cdn_element_set_parameters(c->to, type, new, 0, m, values) != CDN_OK)
    cdni_carry_tell(c, type, CDN_CARRY_OTHER, cdn_element_name(c->new, type, new), NULL,
                    "its parameters do not fit: %s", cdn_last_error_text());
  cdni_free(c->memory, given, size);
  return status;
}

static cdn_status carry_all_parameters(carrier *c) {
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    for (int i = 0; i < cdn_element_count(c->old, (cdn_element_type)type); i++) {
      const int other = cdni_carry_find(c, (cdn_element_type)type, cdn_element_name(c->old, (cdn_element_type)type, i));
      if (other >= 0) CDNI_TRY(carry_parameters(c, (cdn_element_type)type, i, other));
    }
  return c->status;
}

/* ---- what is on ------------------------------------------------------------------------------ */

static bool is_on(const cdn_state *state, cdn_element_type type, int i) {
  if (type == CDN_ELEMENT_FORCE) return cdn_force_is_enabled(state, (cdn_force){ i });
  if (type == CDN_ELEMENT_CONSTRAINT) return cdn_constraint_is_enabled(state, (cdn_constraint){ i });
  return cdn_motion_is_enabled(state, (cdn_motion){ i });
}

static cdn_status turn(cdn_state *state, cdn_element_type type, int i, bool on) {
  if (type == CDN_ELEMENT_FORCE) return cdn_force_set_enabled(state, (cdn_force){ i }, on);
  if (type == CDN_ELEMENT_CONSTRAINT) return cdn_constraint_set_enabled(state, (cdn_constraint){ i }, on);
  return cdn_motion_set_enabled(state, (cdn_motion){ i }, on);
}

static cdn_status carry_switches(carrier *c) {
  static const cdn_element_type types[] = { CDN_ELEMENT_FORCE, CDN_ELEMENT_CONSTRAINT, CDN_ELEMENT_MOTION };
  for (int k = 0; k < CDNI_COUNT(types); k++)
    for (int i = 0; i < cdn_element_count(c->old, types[k]); i++) {
      const int other = cdni_carry_find(c, types[k], cdn_element_name(c->old, types[k], i));
      const bool on = is_on(c->from, types[k], i);
      if (other >= 0 && on != is_on(c->base, types[k], i)) CDNI_TRY(turn(c->to, types[k], other, on));
    }
  return CDN_OK;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static cdn_status carry_controls(carrier *c) {
  for (int i = 0; i < cdn_system_control_count(c->old); i++) {
    const int other = cdni_carry_find(c, CDN_ELEMENT_CONTROL, cdn_control_name(c->old, (cdn_control){ i }));
    if (other < 0 || cdn_control_follows(c->old, (cdn_control){ i }) ||
        cdn_control_follows(c->new, (cdn_control){ other }))
      continue;
    CDNI_TRY(cdn_control_set(c->to, (cdn_control){ other }, cdn_control_given(c->from, (cdn_control){ i })));
  }
  return CDN_OK;
}

static cdn_status carry_random(carrier *c) {
  cdn_random_place place;
  if (cdn_system_random_ticket(c->old).i == 0 || cdn_system_random_ticket(c->new).i == 0) return CDN_OK;
  CDNI_TRY(cdn_state_random(c->from, 0, &place));
  return cdn_state_set_random(c->to, &place);
}

static void tell_of_subsystem(void *context, const char *name, const char *what) {
  cdni_carry_tell(context, CDN_ELEMENT_SUBSYSTEM, CDN_CARRY_OTHER, name, NULL, "%s", what);
}

static cdn_status carry(carrier *c) {
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++) CDNI_TRY(make_table(c, (cdn_element_type)type));
  CDNI_TRY(cdn_state_create(c->old, &c->base));
  CDNI_TRY(compare(c));
  CDNI_TRY(cdn_state_set_time(c->to, cdn_state_time(c->from)));
  CDNI_TRY(carry_all_parameters(c));
  CDNI_TRY(carry_switches(c));
  CDNI_TRY(carry_controls(c));
  CDNI_TRY(cdni_carry_motion(c));
  CDNI_TRY(cdni_forces_carry_memory(c->to, c->from));
  CDNI_TRY(cdni_carry_subsystems(c->to, c->from, tell_of_subsystem, c));
  CDNI_TRY(carry_random(c));
  return c->status;
}

cdn_status cdn_state_carry(cdn_state *from, cdn_state *to, cdn_carry_report **report) {
  if (report) *report = NULL;
  CDNI_NEED(to, from);
  carrier c = { .from = from, .to = to, .old = cdn_state_system(from), .new = cdn_state_system(to) };
  c.memory = cdni_system_allocator(c.new);
  if (report && !(c.report = cdni_calloc(c.memory, sizeof *c.report)))
    return cdni_state_fail(to, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  if (c.report) c.report->allocator = *c.memory;
  cdni_state_clear_error(to);
  const cdn_status status = from == to ? CDN_OK : carry(&c);
  for (int type = 0; type < CDN_ELEMENT_COUNT; type++)
    if (c.tables[type].names) cdni_free(c.memory, c.tables[type].names, (size_t)c.tables[type].n * sizeof(carry_name));
  cdn_state_destroy(c.base);
  if (status == CDN_OK && report) *report = c.report;
  else cdn_carry_report_destroy(c.report);
  if (status == CDN_OK) cdni_state_clear_error(to); /* parameters that do not fit are in the report */
  else if (status == CDN_ERR_NOMEM) cdni_state_fail(to, status, false, __func__, NULL, "out of memory");
  else if (cdni_state_last_status(to) == CDN_OK) cdni_state_take_error(to, from);
  return status;
}
