/* Tables of controls over time: where the run is in the table, and which row comes next. */
#include "io/control_table.h"

#include <math.h>

#include "core/archive.h"
#include "core/core.h"
#include "tables/rows.h"
#include "system/system.h"

static const double ROUNDING = 1e-6; /* of a step: sums of steps miss times by less */

struct cdni_control_table {
  cdn_allocator allocator;
  char *path;
  cdni_rows *file;
  const cdn_system *system; /* whose controls the columns are */
  int columns;
  int *column;       /* which control each column is; -1: one that follows something, and has no value of its own */
  bool *released;    /* whether somebody else sets the control of a column */
  const double *row; /* the next one; NULL: there is none */
  double *mark;      /* work: the checksum of the rows before, and a row */
  double rows, checksum;
  bool untaken; /* the run has not taken in the row that was set last */
};

/* ---- opening ---- */

static const char function[] = "cardan";

static cdn_status find_columns(cdni_control_table *t, const cdn_system *system) {
  if (t->system == system) return CDN_OK;
  const char *first = cdni_rows_name(t->file, 0);
  if (strcmp(first, "time") != 0)
    return cdni_refuse(CDN_ERR_PARSE, function, "%s: its first column is 'time', from when on a row holds, not '%s'",
                       t->path, first);
  for (int i = 1; i < t->columns; i++) {
    const char *name = cdni_rows_name(t->file, i);
    const cdn_control control = cdn_system_find_control(system, name);
    if (control.i < 0)
      return cdni_refuse(CDN_ERR_PARSE, function, "%s: the model has no control '%s'; 'cardan info' lists them",
                         t->path, name);
    t->column[i] = cdn_control_follows(system, control) ? -1 : control.i;
  }
  t->system = system;
  return CDN_OK;
}

/* The row behind one of this time comes next. */
static cdn_status go_on(cdni_control_table *t, double time) {
  CDNI_TRY(cdni_rows_next(t->file, &t->row));
  if (!t->row || t->row[0] >= time) return CDN_OK;
  return cdni_refuse(CDN_ERR_PARSE, function, "%s: its times do not increase: behind %g comes %g", t->path, time,
                     t->row[0]);
}

static cdn_status open_table(cdni_control_table *t, const char *path, const cdn_system *system) {
  CDNI_TRY(cdni_rows_open(path, &t->file));
  t->columns = cdni_rows_columns(t->file);
  const size_t n = (size_t)t->columns;
  t->path = cdni_strdup(&t->allocator, path);
  t->column = cdni_calloc(&t->allocator, n * sizeof *t->column);
  t->released = cdni_calloc(&t->allocator, n * sizeof *t->released);
  t->mark = cdni_calloc(&t->allocator, (n + 1) * sizeof *t->mark);
  if (!t->path || !t->column || !t->released || !t->mark)
    return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for a table of controls");
  CDNI_TRY(find_columns(t, system));
  return go_on(t, -INFINITY);
}

cdn_status cdni_control_table_open(const char *path, const cdn_system *system, cdni_control_table **out) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  *out = NULL;
  cdni_control_table *t = cdni_calloc(&a, sizeof *t);
  if (!t) return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for a table of controls");
  t->allocator = a;
  const cdn_status status = open_table(t, path, system);
  if (status == CDN_OK) *out = t;
  else cdni_control_table_close(t);
  return status;
}

void cdni_control_table_close(cdni_control_table *t) {
  if (!t) return;
  const cdn_allocator a = t->allocator;
  const size_t n = (size_t)t->columns;
  cdni_rows_close(t->file);
  cdni_free(&a, t->column, n * sizeof *t->column);
  cdni_free(&a, t->released, n * sizeof *t->released);
  cdni_free(&a, t->mark, (n + 1) * sizeof *t->mark);
  cdni_strfree(&a, t->path);
  cdni_free(&a, t, sizeof *t);
}

/* ---- rows ---- */

static cdn_status rewind_table(cdni_control_table *t) {
  t->rows = t->checksum = 0;
  t->untaken = false;
  cdni_rows_rewind(t->file);
  return go_on(t, -INFINITY);
}

/* The row that comes next is in `mark` + 1; the one behind it comes next. */
static cdn_status read_row(cdni_control_table *t) {
  t->mark[0] = t->checksum;
  memcpy(t->mark + 1, t->row, (size_t)t->columns * sizeof *t->row);
  t->checksum = cdni_checksum(t->mark, ((size_t)t->columns + 1) * sizeof *t->mark);
  t->rows++;
  return go_on(t, t->mark[1]);
}

/* Sets the controls of the row that was read last. */
static cdn_status set_row(const cdni_control_table *t, cdn_state *state) {
  for (int i = 1; i < t->columns; i++)
    if (t->column[i] >= 0 && !t->released[i])
      CDNI_TRY(cdn_control_set(state, (cdn_control){ t->column[i] }, t->mark[i + 1]));
  return CDN_OK;
}

cdn_status cdni_control_table_take(cdni_control_table *t, cdn_state *state, double step) {
  const double begins = cdn_state_time(state) + ROUNDING * step;
  const double before = t->rows;
  while (t->row && t->row[0] <= begins) CDNI_TRY(read_row(t));
  return t->rows > before ? set_row(t, state) : CDN_OK;
}

cdn_status cdni_control_table_begin(cdni_control_table *t, cdn_state *state) {
  CDNI_TRY(find_columns(t, cdn_state_system(state)));
  CDNI_TRY(rewind_table(t));
  return cdni_control_table_take(t, state, 0);
}

bool cdni_control_table_release(cdni_control_table *t, cdn_control control) {
  for (int i = 1; t && i < t->columns; i++)
    if (t->column[i] == control.i && !t->released[i]) return t->released[i] = true;
  return false;
}

void cdni_control_table_regain(cdni_control_table *t) {
  if (t) memset(t->released, 0, (size_t)t->columns * sizeof *t->released);
}

double cdni_control_table_rows(const cdni_control_table *t) { return t ? t->rows : 0; }
double cdni_control_table_checksum(const cdni_control_table *t) { return t ? t->checksum : 0; }

cdn_status cdni_control_table_go_to(cdni_control_table *t, double rows, double checksum) {
  CDNI_TRY(rewind_table(t));
  while (t->rows < rows && t->row) CDNI_TRY(read_row(t));
  t->untaken = true;
  if (t->rows == rows && t->checksum == checksum) return CDN_OK;
  return cdni_refuse(CDN_ERR_PARSE, function,
                     "%s: is not the table of this run: it has other rows up to where the run is", t->path);
}

/* ---- running ---- */

/* Whether the row that comes next acts now, where it is before `time`. Else *stop is the time to advance to. */
static bool is_due(const cdni_control_table *t, cdn_stepper *stepper, double time, double *stop) {
  const double step = cdn_stepper_get_def(stepper).fixed_step, early = ROUNDING * step,
               now = cdn_state_time(cdn_stepper_state(stepper));
  cdn_certificate c;
  *stop = time;
  if (t->untaken) *stop = now;
  if (t->untaken || !t->row || t->row[0] - early >= time) return false;
  *stop = fmax(t->row[0] - early, now);
  if (now < t->row[0] - early) return false;
  /* a State within a step comes to the end of the step first */
  if (!(step > 0) || cdn_stepper_certificate(stepper, &c) != CDN_OK || c.time_final <= now) return true;
  *stop = fmin(c.time_final, time);
  return false;
}

/* A failure of the table becomes one of the run's State. */
static cdn_status take(cdni_control_table *t, cdn_stepper *stepper) {
  cdn_state *state = cdn_stepper_state(stepper);
  cdn_error error;
  cdn_status status = read_row(t);
  if (status == CDN_OK) status = set_row(t, state);
  t->untaken = true;
  if (status == CDN_OK) return CDN_ERR_LIMIT;
  cdn_last_error(&error);
  cdni_state_set_error(state, &error);
  return status;
}

cdn_status cdni_control_table_advance(cdni_control_table *t, cdn_stepper *stepper, double time,
                                      cdn_return_reason *reason) {
  cdn_return_reason why;
  double stop;
  if (!t) return cdn_stepper_advance(stepper, time, reason);
  if (is_due(t, stepper, time, &stop)) return take(t, stepper);
  CDNI_TRY(cdn_stepper_advance(stepper, stop, &why));
  t->untaken = false;
  if (reason) *reason = why;
  return why == CDN_REACHED_TIME && stop < time ? CDN_ERR_LIMIT : CDN_OK;
}

cdn_status cdni_control_table_step(cdni_control_table *t, cdn_stepper *stepper, double end) {
  double stop;
  if (!t) return cdn_stepper_step(stepper, end);
  if (is_due(t, stepper, end, &stop)) return take(t, stepper);
  t->untaken = false;
  const bool equal = cdn_stepper_get_def(stepper).fixed_step > 0;
  return cdn_stepper_step(stepper, equal || !t->row ? end : fmin(end, t->row[0]));
}

/* ---- recording ---- */

cdn_trajectory_def cdni_control_record_def(void) {
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.q = def.u = def.energies = false, def.controls = true;
  return def;
}
