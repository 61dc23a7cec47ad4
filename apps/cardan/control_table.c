/* Tables of controls over time. */
#include "control_table.h"

#include <cardan/controls.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

struct control_table {
  rows *file;
  int *column;       /* which control each column is; -1: one that follows something, and has no value of its own */
  const double *row; /* the next one; NULL: there is none */
};

/* ---- reading ------------------------------------------------------------------------------- */

static bool find_columns(control_table *t, const char *path, const cdn_system *system) {
  if (strcmp(rows_name(t->file, 0), "time") != 0) {
    complain("%s: its first column is 'time', from when on a row holds, not '%s'", path,
             visible(rows_name(t->file, 0)));
    return false;
  }
  for (int i = 1; i < rows_columns(t->file); i++) {
    const cdn_control control = cdn_system_find_control(system, rows_name(t->file, i));
    t->column[i] = control.i >= 0 && cdn_control_follows(system, control) ? -1 : control.i;
    if (control.i >= 0) continue;
    complain("%s: the model has no control '%s'; 'cardan info' lists them", path, visible(rows_name(t->file, i)));
    return false;
  }
  return true;
}

control_table *control_table_open(const char *path, const cdn_system *system, int *code) {
  control_table *t = allocate(1, sizeof *t);
  t->file = rows_open(path, code);
  if (t->file) {
    t->column = allocate((size_t)rows_columns(t->file), sizeof *t->column);
    const bool good = find_columns(t, path, system);
    if (good && rows_next(t->file, &t->row) == CDN_OK) return t;
    if (good) complain("%s", cdn_last_error_text());
    *code = CMD_INPUT;
  }
  control_table_close(t);
  return NULL;
}

void control_table_close(control_table *t) {
  if (!t) return;
  free(t->column);
  rows_close(t->file);
  free(t);
}

double control_table_time(const control_table *t) { return t && t->row ? t->row[0] : INFINITY; }

cdn_status control_table_set(control_table *t, cdn_state *state) {
  for (int i = 1; i < rows_columns(t->file); i++)
    if (t->column[i] >= 0) CDN_TRY(cdn_control_set(state, (cdn_control){ t->column[i] }, t->row[i]));
  return rows_next(t->file, &t->row);
}

/* ---- running ------------------------------------------------------------------------------- */

cdn_status control_table_run(control_table *t, cdn_stepper *stepper, double until, control_go_fn *go, void *context,
                             cdn_trajectory *record) {
  static const double ROUNDING = 1e-6; /* of a step: sums of steps miss times by less */
  const double step = cdn_stepper_get_def(stepper).fixed_step, early = ROUNDING * step;
  cdn_state *state = cdn_stepper_state(stepper);
  while (control_table_time(t) - early < until && !signal_caught()) {
    cdn_certificate c;
    CDN_TRY(go(context, fmax(control_table_time(t) - early, cdn_state_time(state))));
    CDN_TRY(cdn_stepper_certificate(stepper, &c));
    const bool within = step > 0 && c.time_final > cdn_state_time(state);
    if (within && c.time_final > until) break; /* what is asked for comes before */
    if (within) CDN_TRY(go(context, c.time_final));
    CDN_TRY(control_table_set(t, state));
    if (record) CDN_TRY(cdn_trajectory_row(record, state, NULL));
    CDN_TRY(go(context, cdn_state_time(state))); /* takes them in, so that no step ends at the time that comes next */
  }
  return signal_caught() ? CDN_OK : go(context, until);
}

/* ---- writing ------------------------------------------------------------------------------- */

cdn_trajectory *control_record_open(FILE *file, cdn_state *state) {
  cdn_trajectory_def def = cdn_default_trajectory_def();
  cdn_trajectory *made = NULL;
  def.q = def.u = def.energies = false, def.controls = true;
  cdn_status status = cdn_trajectory_create(state, &def, cdn_file_write, file, &made);
  if (status == CDN_OK) status = cdn_trajectory_header(made);
  if (status == CDN_OK) status = cdn_trajectory_row(made, state, NULL);
  if (status == CDN_OK) return made;
  complain("the controls could not be recorded: %s", cdn_last_error_text());
  cdn_trajectory_destroy(made);
  return NULL;
}
