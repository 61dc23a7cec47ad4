/* The file of `simulate --diagnostics`: warnings of a run, where its time went, and its last state looked at. */
#include "simulate.h"

#include <cardan/diagnostics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- warnings ------------------------------------------------------------------------------ */

/* `element` and `time` (NAN) may be missing. Nothing if there was none. */
static void warn(json_writer *w, const char *kind, int64_t count, const char *element, double time) {
  if (count <= 0) return;
  jw_object(w, NULL, true);
  jw_text(w, "kind", kind);
  jw_integer(w, "count", count);
  if (element && element[0]) jw_text(w, "element", element);
  if (!isnan(time)) jw_number(w, "time", time);
  jw_close(w);
}

static void write_warnings(json_writer *w, const run_record *record) {
  const cdn_certificate *c = &record->certificate;
  jw_array(w, "warnings", false);
  if (record->failed) warn(w, "failed", 1, record->failure.error.element, record->failure.time);
  warn(w, "reset", record->resets, record->reset_element, record->reset_time);
  warn(w, "went_through", c->passed[0] != '\0', c->passed, c->passed_time);
  warn(w, "event_in_one_run", c->event_alone[0] != '\0', c->event_alone, c->event_alone_time);
  warn(w, "bifurcation", c->bifurcation[0] != '\0', c->bifurcation, c->bifurcation_time);
  warn(w, "near_miss", c->near_misses, NULL, NAN);
  warn(w, "stiff_step", c->stiff_steps, NULL, NAN);
  warn(w, "step_within_rounding", c->rounding_steps, NULL, NAN);
  warn(w, "friction_not_solved", c->unconverged_stages, NULL, NAN);
  warn(w, "not_resolved", c->below_tolerance[0] != '\0', c->below_tolerance, NAN);
  warn(w, "rounding_above_accuracy", c->below_rounding[0] != '\0', c->below_rounding, NAN);
  warn(w, "doubt", c->doubt[0] != '\0', c->doubt, NAN);
  jw_close(w);
}

/* ---- time ---------------------------------------------------------------------------------- */

typedef struct timed {
  const char *name; /* "subsystem.entry" */
  cdn_entry_time time;
} timed;

static int longest_first(const void *a, const void *b) {
  const double x = ((const timed *)a)->time.seconds, y = ((const timed *)b)->time.seconds;
  return (x < y) - (x > y);
}

/* Up to the last point of a name, which a name of an entry does not have. */
static int subsystem_of(const char *name) {
  const char *point = strrchr(name, '.');
  return point ? (int)(point - name) : (int)strlen(name);
}

static bool is_of(const timed *t, const timed *first) {
  const int n = subsystem_of(first->name);
  return subsystem_of(t->name) == n && strncmp(t->name, first->name, (size_t)n) == 0;
}

static void write_entries(json_writer *w, const timed *all, int n, const timed *first) {
  jw_array(w, "entries", false);
  for (int i = 0; i < n; i++) {
    if (!is_of(&all[i], first)) continue;
    jw_object(w, NULL, true);
    jw_text(w, "name", all[i].name);
    if (all[i].time.stage > CDN_STAGE_EMPTY) jw_text(w, "stage", cdn_stage_name(all[i].time.stage));
    jw_integer(w, "count", all[i].time.count);
    jw_number(w, "seconds", all[i].time.seconds);
    jw_close(w);
  }
  jw_close(w);
}

/* By subsystem, the one with the longest entry first. */
static void write_times(json_writer *w, const cdn_system *system, const cdn_stepper *stepper) {
  const int tickets = cdn_system_ticket_count(system);
  timed *all = allocate((size_t)tickets, sizeof *all);
  cdn_entry_time outside = { 0 };
  double by_stage[CDN_STAGE_ACCELERATION + 2] = { 0 };
  int n = 0;
  if (cdn_stepper_get_time(stepper, (cdn_ticket){ 0 }, &outside) != CDN_OK) outside.seconds = NAN;
  for (int i = 1; i < tickets; i++) {
    timed t = { .name = cdn_ticket_name(system, (cdn_ticket){ i }) };
    if (!t.name || cdn_stepper_get_time(stepper, (cdn_ticket){ i }, &t.time) != CDN_OK || t.time.count == 0) continue;
    if (t.time.stage <= CDN_STAGE_ACCELERATION) by_stage[t.time.stage] += t.time.seconds;
    all[n++] = t;
  }
  qsort(all, (size_t)n, sizeof *all, longest_first);
  jw_object(w, "times", false);
  jw_number(w, "method_and_rest", outside.seconds);
  jw_object(w, "stages", true);
  for (int s = CDN_STAGE_EMPTY; s <= CDN_STAGE_ACCELERATION; s++)
    if (by_stage[s] > 0)
      jw_number(w, s == CDN_STAGE_EMPTY ? "when_asked_for" : cdn_stage_name((cdn_stage)s), by_stage[s]);
  jw_close(w);
  jw_array(w, "subsystems", false);
  for (int i = 0; i < n; i++) {
    char name[200];
    double sum = 0;
    int before = 0;
    while (before < i && !is_of(&all[before], &all[i])) before++;
    if (before < i) continue;
    for (int k = i; k < n; k++) sum += is_of(&all[k], &all[i]) ? all[k].time.seconds : 0;
    snprintf(name, sizeof name, "%.*s", subsystem_of(all[i].name), all[i].name);
    jw_object(w, NULL, false);
    jw_text(w, "name", name);
    jw_number(w, "seconds", sum);
    write_entries(w, all, n, &all[i]);
    jw_close(w);
  }
  jw_close(w);
  jw_close(w);
  free(all);
}

/* ---- the last state ------------------------------------------------------------------------- */

/* How near shapes are listed, m: a hand's finger is some millimetres from what it will hold. */
static const double near = 0.01;
enum { MOST_PAIRS = 200 };

static cdn_status write_near_pairs(json_writer *w, cdn_state *state) {
  static cdn_near_pair pairs[MOST_PAIRS];
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_near_pairs(state, near, MOST_PAIRS, pairs, &n));
  jw_number(w, "near_within", near);
  jw_integer(w, "near_count", n);
  jw_array(w, "near_pairs", false);
  for (int i = 0; i < n && i < MOST_PAIRS; i++) {
    char text[300];
    cdn_near_pair_text(system, &pairs[i], text, sizeof text);
    jw_object(w, NULL, true);
    jw_text(w, "a", cdn_shape_name(system, pairs[i].a));
    jw_text(w, "b", cdn_shape_name(system, pairs[i].b));
    jw_number(w, "distance", pairs[i].distance);
    jw_number(w, "force", pairs[i].force);
    jw_text(w, "says", text);
    jw_close(w);
  }
  jw_close(w);
  return CDN_OK;
}

static cdn_status write_solver(json_writer *w, cdn_state *state, const cdn_certificate *c) {
  cdn_soft_statistics s;
  CDN_TRY(cdn_soft_get_statistics(state, &s));
  jw_object(w, "solver", false);
  jw_integer(w, "iterations_of_run", c->soft_iterations);
  jw_number(w, "largest_residual_of_run", c->max_soft_residual);
  jw_integer(w, "islands", s.islands);
  jw_integer(w, "iterations", s.most_iterations);
  jw_integer(w, "factorizations", s.factorizations);
  jw_boolean(w, "converged", s.converged);
  jw_number(w, "residual", s.residual);
  jw_close(w);
  return CDN_OK;
}

static cdn_status write_state(json_writer *w, cdn_state *state, const cdn_certificate *c) {
  cdn_imbalance imbalance;
  jw_number(w, "time", cdn_state_time(state));
  CDN_TRY(cdn_calc_imbalance(state, NULL, &imbalance));
  jw_object(w, "imbalance", true);
  jw_number(w, "largest", imbalance.largest);
  jw_number(w, "scale", imbalance.scale);
  jw_text(w, "speed", imbalance.slot);
  jw_close(w);
  CDN_TRY(write_solver(w, state, c));
  CDN_TRY(print_soft_rows_json(w, state));
  if (cdn_system_shape_count(cdn_state_system(state)) == 0) return CDN_OK;
  CDN_TRY(print_contacts_json(w, state));
  return write_near_pairs(w, state);
}

void write_diagnostics(FILE *file, cdn_stepper *stepper, const run_record *record) {
  cdn_state *state = cdn_stepper_state(stepper);
  json_writer w = jw_begin(file);
  jw_text(&w, "model", record->model);
  jw_integer(&w, "steps", record->certificate.steps);
  jw_integer(&w, "evaluations", record->certificate.evaluations);
  write_warnings(&w, record);
  write_times(&w, cdn_state_system(state), stepper);
  jw_object(&w, "state", false);
  const cdn_status status = write_state(&w, state, &record->certificate);
  if (status != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(state, &error);
    while (w.depth > 2) jw_close(&w);
    jw_text(&w, "not_computed", error.text);
  }
  jw_close(&w);
  jw_end(&w);
}
