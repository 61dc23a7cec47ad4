/* Trajectories as comma-separated values. The header is made when the writer is, and room for the longest row. */
#include <cardan/trajectory.h>

#include <math.h>
#include <stdio.h>

#include "system/system.h"

struct cdn_trajectory {
  const cdn_system *system;
  cdn_allocator allocator;
  cdn_write_fn *write;
  void *context;
  bool q, u, energies, controls;
  int n_own, columns;
  cdni_array measures; /* cdn_measure */
  cdni_array header;   /* char */
  char *row;
  size_t row_size;
  bool begun;       /* something has been written, */
  double last_time; /* the last row of this time; NaN: none */
};

/* ---- the header ---- */
/* A field of a CSV file: quoted if it contains a comma, a quote or a line break. */
static bool put(cdn_trajectory *t, char c) { return cdni_array_push(&t->allocator, &t->header, 1, &c) != NULL; }

/* A field of a CSV file: quoted if it contains a comma, a quote or a line break. */
static bool put_field(cdn_trajectory *t, const char *text) {
  const bool quoted = strpbrk(text, ",\"\r\n") != NULL;
  bool ok = (t->columns == 0 || put(t, ',')) && (!quoted || put(t, '"'));
  for (; *text && ok; text++) ok = (*text != '"' || put(t, '"')) && put(t, *text);
  t->columns++;
  return ok && (!quoted || put(t, '"'));
}

static bool put_slots(cdn_trajectory *t, cdn_pool pool, int n) {
  bool ok = true;
  for (int i = 0; i < n && ok; i++) {
    char *name = cdni_slot_name(t->system, pool, i);
    ok = name && put_field(t, name);
    cdni_strfree(cdni_system_allocator(t->system), name);
  }
  return ok;
}

static bool put_measure(cdn_trajectory *t, cdn_measure measure) {
  const char *name = cdn_measure_name(t->system, measure);
  const int n = cdn_measure_size(t->system, measure);
  char text[256];
  bool ok = true;
  if (n == 1) return put_field(t, name);
  for (int i = 0; i < n && ok; i++) {
    snprintf(text, sizeof text, "%.230s[%d]", name, i);
    ok = put_field(t, text);
  }
  return ok;
}

static bool put_header(cdn_trajectory *t, const cdn_trajectory_def *def) {
  bool ok = put_field(t, "time");
  ok = ok && (!t->q || put_slots(t, CDN_POOL_Q, cdn_system_nq(t->system)));
  ok = ok && (!t->u || put_slots(t, CDN_POOL_U, cdn_system_nu(t->system)));
  ok = ok && (!t->energies || (put_field(t, "kinetic_energy") && put_field(t, "potential_energy")));
  for (int i = 0; t->controls && i < cdn_system_control_count(t->system) && ok; i++)
    ok = put_field(t, cdn_control_name(t->system, (cdn_control){ i }));
  for (size_t i = 0; i < t->measures.count && ok; i++) ok = put_measure(t, CDNI_AT(t->measures, cdn_measure, i));
  for (int i = 0; i < t->n_own && ok; i++) ok = put_field(t, def->own[i]);
  return ok && put(t, '\n');
}

/* ---- life ---- */

CDNI_DEF(trajectory_def, .q = true, .u = true, .energies = true);

static cdn_status refuse(cdn_state *state, cdn_status code, const char *text) {
  return cdni_state_fail(state, code, false, "cdn_trajectory_create", NULL, "%s", text);
}

static cdn_status check_def(cdn_state *state, const cdn_trajectory_def *def) {
  if (def->n_measures < 0 || def->n_own < 0 || (def->n_measures > 0 && !def->measures) ||
      (def->n_own > 0 && !def->own)) {
    return refuse(state, CDN_ERR_ARG, "a list of columns is missing, or its length is negative");
  }
  for (int i = 0; i < def->n_own; i++) {
    if (!def->own[i]) return refuse(state, CDN_ERR_ARG, "a column of your own has no name");
  }
  for (int i = 0; i < def->n_measures && !def->all_measures; i++) {
    if (cdn_measure_name(cdn_state_system(state), def->measures[i])) continue;
    return refuse(state, CDN_ERR_ARG, "a column is of a measure that is not in this System");
  }
  return CDN_OK;
}

static bool fill(cdn_trajectory *t, const cdn_trajectory_def *def) {
  const int n = def->all_measures ? cdn_system_measure_count(t->system) : def->n_measures;
  for (int i = 0; i < n; i++) {
    const cdn_measure measure = def->all_measures ? (cdn_measure){ i } : def->measures[i];
    if (!cdni_array_push(&t->allocator, &t->measures, sizeof measure, &measure)) return false;
  }
  if (!put_header(t, def)) return false;
  t->row_size = (size_t)t->columns * (CDN_NUMBER_SIZE + 1) + 1;
  t->row = cdni_alloc(&t->allocator, t->row_size);
  return t->row != NULL;
}

cdn_status cdn_trajectory_create(cdn_state *state, const cdn_trajectory_def *def, cdn_write_fn *write, void *context,
                                 cdn_trajectory **out) {
  if (out) *out = NULL;
  if (!state || !out)
    return cdni_refuse(CDN_ERR_ARG, "cdn_trajectory_create", "the State, or where the trajectory shall go, is NULL");

  cdn_trajectory_def known;
  const char *unreadable = read_trajectory_def(&known, def ? def : &trajectory_def_defaults);
  def = &known;
  if (unreadable) return refuse(state, CDN_ERR_VERSION, unreadable);
  if (!write) return refuse(state, CDN_ERR_ARG, "there is no function for the text");
  CDNI_TRY(check_def(state, def));
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(state));
  cdn_trajectory *t = cdni_calloc(a, sizeof *t);
  if (!t) return refuse(state, CDN_ERR_NOMEM, "out of memory");
  *t = (cdn_trajectory){ .system = cdn_state_system(state),
                         .allocator = *a,
                         .write = write,
                         .context = context,
                         .q = def->q,
                         .u = def->u,
                         .energies = def->energies,
                         .controls = def->controls,
                         .n_own = def->n_own,
                         .last_time = NAN };
  cdn_system_retain(t->system);
  if (fill(t, def)) {
    *out = t;
    return CDN_OK;
  }
  cdn_trajectory_destroy(t);
  return refuse(state, CDN_ERR_NOMEM, "out of memory");
}

void cdn_trajectory_destroy(cdn_trajectory *t) {
  if (!t) return;
  const cdn_allocator a = t->allocator;
  const cdn_system *system = t->system;
  cdni_array_free(&a, &t->measures);
  cdni_array_free(&a, &t->header);
  cdni_free(&a, t->row, t->row_size);
  cdni_free(&a, t, sizeof *t);
  cdn_system_release(system);
}

int cdn_trajectory_columns(const cdn_trajectory *t) { return t ? t->columns : 0; }

/* ---- rows ---- */

static cdn_status send(cdn_trajectory *t, const char *function, const char *bytes, size_t size) {
  const cdn_status status = t->write(t->context, bytes, size);
  t->begun = true;
  if (status == CDN_OK) return CDN_OK;
  return cdni_refuse(status, function, "the function for the text of the trajectory failed: %s",
                     cdn_status_text(status));
}

cdn_status cdn_trajectory_header(cdn_trajectory *t) {
  static const char function[] = "cdn_trajectory_header";
  if (!t) return cdni_refuse(CDN_ERR_ARG, function, "the trajectory is NULL");
  return send(t, function, t->header.data, t->header.count);
}

/* Appends ",number" for each; returns the end. */
static char *put_numbers(char *to, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    *to++ = ',';
    to += strlen(cdn_number_text(x[i], to));
  }
  return to;
}

cdn_status cdn_trajectory_row(cdn_trajectory *t, cdn_state *state, const double *own) {
  static const char function[] = "cdn_trajectory_row";
  if (!t || !state) return cdni_refuse(CDN_ERR_ARG, function, "the trajectory or the State is NULL");
  if (cdn_state_system(state) != t->system || (t->n_own > 0 && !own)) {
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%s",
                           own || t->n_own == 0 ? "the State is of another System than the trajectory"
                                                : "the numbers of your own columns are missing");
  }
  double energies[2] = { 0, 0 };
  if (t->energies) {
    CDNI_TRY(cdn_kinetic_energy(state, &energies[0]));
    CDNI_TRY(cdn_potential_energy(state, &energies[1]));
  }
  char *to = t->row + strlen(cdn_number_text(cdn_state_time(state), t->row));
  if (t->q) to = put_numbers(to, cdn_state_q(state), cdn_system_nq(t->system));
  if (t->u) to = put_numbers(to, cdn_state_u(state), cdn_system_nu(t->system));
  if (t->energies) to = put_numbers(to, energies, 2);
  for (int i = 0; t->controls && i < cdn_system_control_count(t->system); i++) {
    double value;
    CDNI_TRY(cdn_control_value(state, (cdn_control){ i }, &value));
    to = put_numbers(to, &value, 1);
  }
  for (size_t i = 0; i < t->measures.count; i++) {
    const cdn_measure measure = CDNI_AT(t->measures, cdn_measure, i);
    const double *value = cdn_measure_value(state, measure);
    if (!value) return cdni_state_last_status(state);
    to = put_numbers(to, value, cdn_measure_size(t->system, measure));
  }
  to = put_numbers(to, own, t->n_own);
  *to++ = '\n';
  CDNI_TRY(send(t, function, t->row, (size_t)(to - t->row)));
  t->last_time = cdn_state_time(state);
  return CDN_OK;
}

/* ---- a whole run ---- */

enum { MOST_ROWS = 100000000 };

static const char *wrong_with_run(const cdn_trajectory *t, const cdn_state *state, double end, double interval) {
  const double now = cdn_state_time(state);
  if (cdn_state_system(state) != t->system) return "the stepper is of another System than the trajectory";
  if (t->n_own > 0) return "columns of your own have no numbers in it: advance the stepper and write rows yourself";
  if (!isfinite(end) || end < now) return "its end is not a time from the stepper's on";
  if (!(interval > 0) || (end - now) / interval > MOST_ROWS) return "the interval is not > 0, or makes too many rows";
  return NULL;
}

cdn_status cdn_trajectory_run(cdn_trajectory *t, cdn_stepper *stepper, double end, double interval) {
  static const char function[] = "cdn_trajectory_run";
  if (!t || !stepper) return cdni_refuse(CDN_ERR_ARG, function, "the trajectory or the stepper is NULL");
  const double start = cdn_state_time(cdn_stepper_state(stepper));
  const char *wrong = wrong_with_run(t, cdn_stepper_state(stepper), end, interval);
  if (wrong) return cdni_refuse(CDN_ERR_ARG, function, "a run to t = %g, every %g s: %s", end, interval, wrong);
  if (!t->begun) CDNI_TRY(cdn_trajectory_header(t));
  if (start != t->last_time) CDNI_TRY(cdn_trajectory_row(t, cdn_stepper_state(stepper), NULL));
  cdn_return_reason reason = CDN_REACHED_TIME;
  double now = start;
  for (int k = 1; now < end && reason != CDN_STOPPED; k++) {
    double next = start + k * interval;
    if (!(next < end - 1e-6 * interval)) next = end;
    do CDNI_TRY(cdn_stepper_advance(stepper, next, &reason));
    while (reason == CDN_HANDLED_EVENT);
    now = next;
    if (cdn_state_time(cdn_stepper_state(stepper)) != t->last_time)
      CDNI_TRY(cdn_trajectory_row(t, cdn_stepper_state(stepper), NULL));
  }
  return CDN_OK;
}
