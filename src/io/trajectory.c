/* Trajectories: rows of a State's numbers, which go to a function as comma-separated values or to a table. The columns
 * are known when the trajectory is made, and there is room for the longest row. */
#include "io/trajectory.h"

#include <math.h>
#include <stdio.h>

#include "io/trajectory_columns.h"
#include "system/system.h"

struct cdn_trajectory {
  const cdn_system *system;
  cdn_allocator allocator;
  cdn_write_fn *write;
  void *context;
  cdn_table_writer *table; /* or NULL */
  bool q, u, energies, controls;
  int n_own;
  trajectory_columns columns;
  cdni_array measures; /* cdn_measure */
  double *values;      /* a row */
  char *row;           /* and its text */
  bool begun;          /* something has been written, */
  double last_time;    /* the last row of this time; NaN: none */
};

static int column_count(const cdn_trajectory *t) { return (int)t->columns.names.count; }

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
  if (!io_name_columns(&t->columns, t->system, def, t->measures.data, n)) return false;
  t->values = cdni_alloc(&t->allocator, (size_t)column_count(t) * sizeof *t->values);
  t->row = cdni_alloc(&t->allocator, CDNI_CSV_ROOM(column_count(t)));
  return t->values && t->row;
}

/* Without a place to which rows go. */
static cdn_status make(cdn_state *state, const cdn_trajectory_def *def, cdn_trajectory **out) {
  cdn_trajectory_def known;
  const char *unreadable = read_trajectory_def(&known, def ? def : &trajectory_def_defaults);
  def = &known;
  if (unreadable) return refuse(state, CDN_ERR_VERSION, unreadable);
  CDNI_TRY(check_def(state, def));
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(state));
  cdn_trajectory *t = cdni_calloc(a, sizeof *t);
  if (!t) return refuse(state, CDN_ERR_NOMEM, "out of memory");
  *t = (cdn_trajectory){ .system = cdn_state_system(state),
                         .allocator = *a,
                         .q = def->q,
                         .u = def->u,
                         .energies = def->energies,
                         .controls = def->controls,
                         .n_own = def->n_own,
                         .columns = { .allocator = *a },
                         .last_time = NAN };
  cdn_system_retain(t->system);
  if (fill(t, def)) {
    *out = t;
    return CDN_OK;
  }
  cdn_trajectory_destroy(t);
  return refuse(state, CDN_ERR_NOMEM, "out of memory");
}

cdn_status cdn_trajectory_create(cdn_state *state, const cdn_trajectory_def *def, cdn_write_fn *write, void *context,
                                 cdn_trajectory **out) {
  if (out) *out = NULL;
  if (!state || !out)
    return cdni_refuse(CDN_ERR_ARG, "cdn_trajectory_create", "the State, or where the trajectory shall go, is NULL");
  if (!write) return refuse(state, CDN_ERR_ARG, "there is no function for the text");
  CDNI_TRY(make(state, def, out));
  (*out)->write = write, (*out)->context = context;
  return CDN_OK;
}

/* rows < 0: begins. */
static cdn_status open_table(cdn_trajectory *t, const char *path, double rows, double checksum) {
  static const char attribute[] = "cardan";
  char version[48];
  cdn_table_def def = cdn_default_table_def();
  def.names = (const char *const *)t->columns.names.data, def.units = (const char *const *)t->columns.units.data;
  def.n_columns = column_count(t);
  t->begun = true;
  if (rows >= 0) return cdni_table_continue(path, &def, rows, checksum, &t->table);
  snprintf(version, sizeof version, "%d.%d.%d", CDN_VERSION_MAJOR, CDN_VERSION_MINOR, CDN_VERSION_PATCH);
  CDNI_TRY(cdn_table_create(path, &def, &t->table));
  CDNI_TRY(cdn_table_attribute(t->table, attribute, version));
  return cdn_table_attribute(t->table, "system", cdn_system_name(t->system));
}

cdn_status cdni_trajectory_open(cdn_state *state, const cdn_trajectory_def *def, const char *path, double rows,
                                double checksum, cdn_trajectory **out) {
  CDNI_TRY(make(state, def, out));
  const cdn_status status = path ? open_table(*out, path, rows, checksum) : CDN_OK;
  if (status == CDN_OK) return CDN_OK;
  cdn_trajectory_destroy(*out);
  *out = NULL;
  cdn_error error;
  cdn_last_error(&error);
  cdni_state_set_error(state, &error);
  return status;
}

cdn_status cdn_trajectory_open(cdn_state *state, const cdn_trajectory_def *def, const char *path,
                               cdn_trajectory **out) {
  if (out) *out = NULL;
  if (!state || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the trajectory shall go, is NULL");
  return cdni_trajectory_open(state, def, path, -1, 0, out);
}

cdn_table_writer *cdn_trajectory_table(cdn_trajectory *t) { return t ? t->table : NULL; }

cdn_status cdn_trajectory_close(cdn_trajectory *t) {
  CDNI_NEED_OBJECT(t, CDN_ERR_ARG);
  const cdn_status status = t->table ? cdn_table_close(t->table) : CDN_OK;
  t->table = NULL;
  cdn_trajectory_destroy(t);
  return status;
}

void cdn_trajectory_destroy(cdn_trajectory *t) {
  if (!t) return;
  const cdn_allocator a = t->allocator;
  const cdn_system *system = t->system;
  if (t->table) (void)!cdn_table_close(t->table);
  cdni_array_free(&a, &t->measures);
  cdni_free(&a, t->values, (size_t)column_count(t) * sizeof *t->values);
  cdni_free(&a, t->row, CDNI_CSV_ROOM(column_count(t)));
  io_free_columns(&t->columns);
  cdni_free(&a, t, sizeof *t);
  cdn_system_release(system);
}

int cdn_trajectory_columns(const cdn_trajectory *t) { return t ? column_count(t) : 0; }

static const char *text_at(const cdni_array *texts, int i) {
  return i >= 0 && (size_t)i < texts->count ? CDNI_AT(*texts, const char *, i) : NULL;
}

const char *cdn_trajectory_column_name(const cdn_trajectory *t, int column) {
  return t ? text_at(&t->columns.names, column) : NULL;
}

const char *cdn_trajectory_column_unit(const cdn_trajectory *t, int column) {
  return t ? text_at(&t->columns.units, column) : NULL;
}

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
  if (!t->write) return CDN_OK;
  cdni_array text = { 0 };
  const bool made = cdni_csv_head(&t->allocator, &text, column_count(t), (const char *const *)t->columns.names.data);
  const cdn_status status = made ? send(t, function, text.data, text.count)
                                 : cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for the header");
  cdni_array_free(&t->allocator, &text);
  return status;
}

static double *put_numbers(double *to, const double *x, int n) {
  if (n > 0) memcpy(to, x, (size_t)n * sizeof *to);
  return to + n;
}

static cdn_status check_row(const cdn_trajectory *t, cdn_state *state, const double *own, const char *function) {
  if (cdn_state_system(state) == t->system && (t->n_own == 0 || own)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%s",
                         own || t->n_own == 0 ? "the State is of another System than the trajectory"
                                              : "the numbers of your own columns are missing");
}

static cdn_status find_values(const cdn_trajectory *t, cdn_state *state, const double *own, double *to) {
  double energies[2] = { 0, 0 };
  if (t->energies) {
    CDNI_TRY(cdn_kinetic_energy(state, &energies[0]));
    CDNI_TRY(cdn_potential_energy(state, &energies[1]));
  }
  *to++ = cdn_state_time(state);
  if (t->q) to = put_numbers(to, cdn_state_q(state), cdn_system_nq(t->system));
  if (t->u) to = put_numbers(to, cdn_state_u(state), cdn_system_nu(t->system));
  if (t->energies) to = put_numbers(to, energies, 2);
  for (int i = 0; t->controls && i < cdn_system_control_count(t->system); i++)
    CDNI_TRY(cdn_control_value(state, (cdn_control){ i }, to++));
  for (size_t i = 0; i < t->measures.count; i++) {
    const cdn_measure measure = CDNI_AT(t->measures, cdn_measure, i);
    const double *value = cdn_measure_value(state, measure);
    if (!value) return cdni_state_last_status(state);
    to = put_numbers(to, value, cdn_measure_size(t->system, measure));
  }
  (void)put_numbers(to, own, t->n_own);
  return CDN_OK;
}

cdn_status cdn_trajectory_values(cdn_trajectory *t, cdn_state *state, const double *own, double *values) {
  if (!t || !state || !values)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the trajectory, the State, or where the numbers shall go, is NULL");
  CDNI_TRY(check_row(t, state, own, __func__));
  return find_values(t, state, own, values);
}

cdn_status cdn_trajectory_row(cdn_trajectory *t, cdn_state *state, const double *own) {
  static const char function[] = "cdn_trajectory_row";
  if (!t || !state) return cdni_refuse(CDN_ERR_ARG, function, "the trajectory or the State is NULL");
  CDNI_TRY(check_row(t, state, own, function));
  CDNI_TRY(find_values(t, state, own, t->values));
  if (t->table) CDNI_TRY(cdn_table_rows(t->table, 1, t->values));
  if (t->write) CDNI_TRY(send(t, function, t->row, cdni_csv_row(t->row, column_count(t), t->values)));
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
