/* cardan rollout: many runs of a model under given controls, in equal steps: for planners and learners. */
#include "npy.h"
#include "simulate.h"

#include <cardan/controls.h>
#include <cardan/ensemble.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/control_table.h"

static const help_page page = {
  "rollout", "MODEL --controls FILE -o FILE [options]",
  "Runs a model many times from one start, each time under controls of its own, and writes the states. Controls are an\n"
  "array of NumPy, (runs, rows, controls), or CSV: a column 'run', then controls by their names.\n",
  "  cardan rollout robot.xml --controls plans.npy --like mujoco -o states.npy\n"
  "  cardan rollout robot.xml --controls plans.csv --step 0.002 --hold 5 --threads 2 -o states.npy\n",
  WHICH_MODEL
};

typedef struct rollout {
  model_arguments model;
  const char *controls, *output, *method_name;
  double step, hold, threads, duration;
  cdn_method method;
} rollout;

/* The controls of all runs, and the states that come of them. */
typedef struct plan {
  size_t runs, rows, controls; /* in each run, in each row */
  size_t width;                /* of a row of states: t, q, u, z */
  double *values, *states;     /* runs x rows x controls; runs x (rows + 1) x width */
} plan;

/* ---- reading ------------------------------------------------------------------------------- */

static bool knows_size(const rollout *a, const cdn_system *system, const npy_array *x) {
  const size_t n = (size_t)cdn_system_control_count(system);
  if (x->n_axes >= 2 && x->n_axes <= 3 && x->axes[x->n_axes - 1] == n && x->count > 0) return true;
  complain("%s: the array has to be (runs, rows, %zu) or (rows, %zu): the model has %zu controls, which 'cardan info' "
           "lists",
           a->controls, n, n, n);
  return false;
}

static int read_npy(const rollout *a, const cdn_system *system, plan *t) {
  npy_array x;
  if (!npy_read(a->controls, &x)) return CMD_INPUT;
  t->values = x.numbers;
  if (!knows_size(a, system, &x)) return CMD_INPUT;
  t->runs = x.n_axes == 3 ? x.axes[0] : 1, t->rows = x.axes[x.n_axes - 2];
  return CMD_OK;
}

/* Which control each column is. False after it has said what is wrong. */
static bool find_columns(const rollout *a, const cdn_system *system, const cdni_rows *r, int *column) {
  if (strcmp(cdni_rows_name(r, 0), "run") != 0) {
    complain("%s: its first column is 'run', the number of the run, not '%s'%s", a->controls,
             visible(cdni_rows_name(r, 0)),
             strcmp(cdni_rows_name(r, 0), "time") == 0 ? "; a table of controls over time needs --duration T" : "");
    return false;
  }
  for (int i = 1; i < cdni_rows_columns(r); i++) {
    column[i] = cdn_system_find_control(system, cdni_rows_name(r, i)).i;
    if (column[i] >= 0) continue;
    complain("%s: the model has no control '%s'; 'cardan info' lists them", a->controls, visible(cdni_rows_name(r, i)));
    return false;
  }
  return true;
}

/* Runs are numbered from 0, and have as many rows each. What the file does not name stays as it is at first. */
static bool take_rows(const rollout *a, cdn_state *start, cdni_rows *r, const int *column, plan *t) {
  const double *row;
  size_t n = 0;
  for (cdni_rows_rewind(r);; n++) {
    if (cdni_rows_next(r, &row) != CDN_OK) return complain_last_error();
    if (!row) break;
    if (n == t->runs * t->rows || row[0] != (double)(n / t->rows)) {
      complain("%s: row %zu is of run %g: runs are numbered from 0 and have as many rows each, here %zu", a->controls,
               n + 1, row[0], t->rows);
      return false;
    }
    double *to = t->values + n * t->controls;
    for (size_t i = 0; i < t->controls; i++) to[i] = cdn_control_given(start, (cdn_control){ (int32_t)i });
    for (int i = 1; i < cdni_rows_columns(r); i++) to[column[i]] = row[i];
  }
  return n == t->runs * t->rows;
}

/* One run under a table of controls over time: a row of the table acts from the first row of steps that begins at its
 * time or later, as in `cardan simulate`. */
static int read_times(const rollout *a, cdn_state *start, plan *t) {
  static const double ROUNDING = 1e-6; /* of a step */
  cdn_state *now = NULL;
  cdni_control_table *table;
  const double interval = a->step * a->hold, t0 = cdn_state_time(start);
  cdn_status status = cdni_control_table_open(a->controls, cdn_state_system(start), &table);
  if (status == CDN_OK) status = cdn_state_create(cdn_state_system(start), &now);
  if (status == CDN_OK) status = cdn_state_copy(now, start);
  t->runs = 1, t->rows = (size_t)ceil(a->duration / interval - ROUNDING);
  t->values = allocate(t->rows * t->controls, sizeof *t->values);
  for (size_t row = 0; row < t->rows && status == CDN_OK; row++) {
    status = cdn_state_set_time(now, t0 + (double)row * interval);
    if (status == CDN_OK) status = cdni_control_table_take(table, now, a->step);
    for (size_t i = 0; i < t->controls; i++)
      t->values[row * t->controls + i] = cdn_control_given(now, (cdn_control){ (int32_t)i });
  }
  if (status != CDN_OK) complain_last_error();
  cdn_state_destroy(now);
  cdni_control_table_close(table);
  return status == CDN_OK ? CMD_OK : CMD_INPUT;
}

/* False where a row of them cannot be read. */
static bool count_first_run(cdni_rows *r, size_t *n) {
  const double *row;
  cdn_status status = CDN_OK;
  *n = 0;
  for (cdni_rows_rewind(r); (status = cdni_rows_next(r, &row)) == CDN_OK && row && row[0] == 0;) ++*n;
  return status == CDN_OK || complain_last_error();
}

static int read_csv(const rollout *a, cdn_state *start, plan *t) {
  int code;
  cdni_rows *r = open_rows(a->controls, &code);
  if (!r) return code;
  int *column = allocate((size_t)cdni_rows_columns(r), sizeof *column);
  code = CMD_INPUT;
  if (find_columns(a, cdn_state_system(start), r, column) && count_first_run(r, &t->rows)) {
    t->runs = (size_t)fmax(cdni_rows_last_time(r), 0) + 1;
    if (t->rows == 0) complain("%s: there is no run 0", a->controls);
    else if ((double)t->runs * (double)t->rows > cdni_rows_count(r))
      complain("%s: runs are numbered from 0 and have as many rows each: %zu x %zu, and there are %g rows", a->controls,
               t->runs, t->rows, cdni_rows_count(r));
    else {
      t->values = allocate(t->runs * t->rows * t->controls, sizeof *t->values);
      if (take_rows(a, start, r, column, t)) code = CMD_OK;
    }
  }
  free(column);
  cdni_rows_close(r);
  return code;
}

/* ---- running ------------------------------------------------------------------------------- */

static int complain_of(cdn_ensemble *e) {
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  complain_error("", &error);
  return CMD_FAILED;
}

/* One number of each state of all runs, into the rows of the array. */
static void keep(cdn_ensemble *e, const cdn_system *system, size_t row, plan *t) {
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system),
               stride = (t->rows + 1) * t->width;
  double *to = t->states + row * t->width;
  (void)!cdn_ensemble_get(e, CDN_POOL_Q, to + 1, stride);
  (void)!cdn_ensemble_get(e, CDN_POOL_U, to + 1 + nq, stride);
  (void)!cdn_ensemble_get(e, CDN_POOL_Z, to + 1 + nq + nu, stride);
  for (size_t k = 0; k < t->runs; k++) {
    double *numbers = to + k * stride;
    numbers[0] = cdn_ensemble_time(e, (int)k);
    for (size_t i = 0; cdn_ensemble_status(e, (int)k) != CDN_OK && i < t->width; i++) numbers[i] = NAN;
  }
}

/* What fails is no number from there on, and the others go on. */
static int run_all(const rollout *a, cdn_ensemble *e, const cdn_system *system, plan *t) {
  progress shown = progress_begin("rollout", 0, (double)t->rows, a->model.quiet);
  keep(e, system, 0, t);
  for (size_t row = 0; row < t->rows; row++) {
    if (cdn_ensemble_set_controls(e, t->values + row * t->controls, t->rows * t->controls) != CDN_OK) {
      progress_erase(&shown);
      return complain_of(e);
    }
    const cdn_status status = cdn_ensemble_advance(e, a->step, (int64_t)a->hold);
    bool all = status != CDN_OK;
    for (size_t k = 0; all && k < t->runs; k++) all = cdn_ensemble_status(e, (int)k) == CDN_OK;
    if (all) { /* no State failed, but the call */
      progress_erase(&shown);
      return complain_of(e);
    }
    keep(e, system, row + 1, t);
    progress_count(&shown, row + 1, t->rows, "rows");
  }
  progress_erase(&shown);
  return CMD_OK;
}

static int tell_failures(const rollout *a, cdn_ensemble *e, const plan *t) {
  size_t failed = 0, first = 0;
  for (size_t k = 0; k < t->runs; k++)
    if (cdn_ensemble_status(e, (int)k) != CDN_OK && failed++ == 0) first = k;
  if (!a->model.quiet)
    printf("%s: %zu runs of %zu x %g steps of %g s, %zu numbers a row\n", a->output, t->runs, t->rows, a->hold, a->step,
           t->width);
  if (failed == 0) return CMD_OK;
  cdn_error error;
  cdn_ensemble_error(e, (int)first, &error);
  complain("%zu of %zu runs failed; the first is run %zu: %s", failed, t->runs, first, error.text);
  return CMD_FAILED;
}

/* ---- writing ------------------------------------------------------------------------------- */

static void write_names(json_writer *w, const cdn_system *system) {
  static const struct {
    cdn_pool pool;
    int (*count)(const cdn_system *system);
  } pools[] = { { CDN_POOL_Q, cdn_system_nq }, { CDN_POOL_U, cdn_system_nu }, { CDN_POOL_Z, cdn_system_nz } };
  jw_array(w, "columns", false);
  jw_text(w, NULL, "time");
  for (int p = 0; p < 3; p++)
    for (int i = 0; i < pools[p].count(system); i++) {
      char name[200];
      cdn_system_slot_name(system, pools[p].pool, i, name, sizeof name);
      jw_text(w, NULL, name);
    }
  jw_close(w);
}

static bool write_about(const rollout *a, const cdn_system *system, const plan *t) {
  char *name = allocate(strlen(a->output) + sizeof ".json", 1);
  sprintf(name, "%s.json", a->output);
  FILE *file = fopen(name, "wb");
  if (!file) complain("%s: could not be written: %s", name, strerror(errno));
  else {
    json_writer w = jw_begin(file);
    jw_text(&w, "array", a->output);
    jw_text(&w, "method", cdn_method_name(a->method));
    jw_number(&w, "step", a->step);
    jw_integer(&w, "steps_a_row", (int64_t)a->hold);
    jw_integer(&w, "runs", (int64_t)t->runs);
    jw_integer(&w, "rows", (int64_t)t->rows + 1);
    write_names(&w, system);
    jw_array(&w, "controls", false);
    for (int i = 0; i < cdn_system_control_count(system); i++)
      jw_text(&w, NULL, cdn_control_name(system, (cdn_control){ i }));
    jw_close(&w);
    jw_end(&w);
  }
  const bool good = file && finish_output(file, name);
  free(name);
  return good;
}

/* ---- writing a table -------------------------------------------------------------------------- */

/* `run`, then the columns of the array. */
static cdn_status write_rows(const rollout *a, cdn_table_writer *w, const plan *t) {
  double *row = allocate(t->width + 1, sizeof *row);
  cdn_status status = cdn_table_attribute(w, "method", cdn_method_name(a->method));
  if (status == CDN_OK) status = cdn_table_number(w, "step", a->step);
  for (size_t i = 0; i < t->runs * (t->rows + 1) && status == CDN_OK; i++) {
    row[0] = (double)(i / (t->rows + 1));
    memcpy(row + 1, t->states + i * t->width, t->width * sizeof *row);
    status = cdn_table_rows(w, 1, row);
  }
  const cdn_status closed = cdn_table_close(w);
  free(row);
  return status == CDN_OK ? closed : status;
}

static bool write_table(const rollout *a, cdn_state *start, const plan *t) {
  const cdn_system *system = cdn_state_system(start);
  cdn_trajectory_def columns = cdn_default_trajectory_def();
  cdn_table_def def = cdn_default_table_def();
  cdn_trajectory *named = NULL;
  cdn_table_writer *w;
  const char **names = allocate(t->width + 1, sizeof *names), **units = allocate(t->width + 1, sizeof *units);
  char(*of_z)[200] = allocate((size_t)cdn_system_nz(system), sizeof *of_z);
  columns.energies = false;
  cdn_status status = cdn_trajectory_open(start, &columns, NULL, &named);
  const int n = cdn_trajectory_columns(named);
  names[0] = "run", units[0] = "";
  for (int i = 0; i < n; i++)
    names[i + 1] = cdn_trajectory_column_name(named, i), units[i + 1] = cdn_trajectory_column_unit(named, i);
  for (int i = 0; i < cdn_system_nz(system); i++) {
    cdn_system_slot_name(system, CDN_POOL_Z, i, of_z[i], sizeof of_z[i]);
    names[n + 1 + i] = of_z[i], units[n + 1 + i] = "";
  }
  def.names = names, def.units = units, def.n_columns = (int)t->width + 1;
  if (status == CDN_OK) status = cdn_table_create(a->output, &def, &w);
  if (status == CDN_OK) status = write_rows(a, w, t);
  if (status != CDN_OK) complain_last_error();
  cdn_trajectory_destroy(named);
  free(names), free(units), free(of_z);
  return status == CDN_OK;
}

static bool write_states(const rollout *a, cdn_state *start, const plan *t) {
  const size_t axes[3] = { t->runs, t->rows + 1, t->width };
  if (!ends_in(a->output, ".npy")) return write_table(a, start, t);
  return npy_write(a->output, NPY_DOUBLE, 3, axes, t->states) && write_about(a, cdn_state_system(start), t);
}

/* ---- the command ---------------------------------------------------------------------------- */

static int roll(const rollout *a, cdn_state *start, plan *t) {
  const cdn_system *system = cdn_state_system(start);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e;
  if (t->runs > INT32_MAX || t->rows > INT32_MAX) {
    complain("%s: there are too many runs or rows", a->controls);
    return CMD_INPUT;
  }
  def.count = (int)t->runs, def.threads = a->threads > 0 ? (int)a->threads : 1;
  def.method = a->method, def.vary = CDN_VARY_CONTROLS;
  if (cdn_ensemble_create(start, &def, &e) != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(start, &error);
    complain_error("", &error);
    return CMD_FAILED;
  }
  t->states = allocate(t->runs * (t->rows + 1) * t->width, sizeof *t->states);
  int code = run_all(a, e, system, t);
  if (code == CMD_OK && !write_states(a, start, t)) code = CMD_OUTPUT;
  if (code == CMD_OK) code = tell_failures(a, e, t);
  cdn_ensemble_destroy(e);
  return code;
}

static int run(rollout *a) {
  cdn_model *model = NULL;
  cdn_state *start = NULL;
  plan t = { 0 };
  int code = load_start(&a->model, &model, &start);
  if (code == CMD_OK) code = settle_steps(&a->model, a->method_name, model, &a->method, &a->step);
  if (code == CMD_OK && a->step == 0) {
    complain("a rollout takes equal steps: --step H, or --method file for those of the model's file");
    code = CMD_USAGE;
  }
  if (code == CMD_OK) code = assemble_for_run(&a->model, model, cdn_default_stepper_def().accuracy / 10, start);
  if (code == CMD_OK) {
    const cdn_system *system = cdn_model_system(model);
    t.controls = (size_t)cdn_system_control_count(system);
    t.width = 1 + (size_t)(cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system));
    code = ends_in(a->controls, ".npy") ? read_npy(a, system, &t)
           : a->duration > 0            ? read_times(a, start, &t)
                                        : read_csv(a, start, &t);
  }
  if (code == CMD_OK) code = roll(a, start, &t);
  free(t.values), free(t.states);
  cdn_state_destroy(start);
  cdn_model_destroy(model);
  return code;
}

static bool makes_sense(rollout *a) {
  if (!settle_names(&a->model, &a->method_name, 0, NULL)) return false;
  if (!a->controls) complain("--controls FILE has the controls of the runs: .npy or .csv");
  else if (!a->output) complain("-o FILE is where the states go: an array .npy, or a table .h5, .npz, .csv");
  else if (a->hold != floor(a->hold) || a->hold > 1e9) complain("--hold is a whole number of steps");
  else if (a->duration > 0 && ends_in(a->controls, ".npy"))
    complain("--duration is for a table of controls over time: an array says itself how long its runs are");
  else if (a->threads != floor(a->threads) || a->threads > 1024) complain("--threads is a whole number up to 1024");
  else if (choose_method(&a->model, a->method_name, a->step, &a->method)) {
    settle_onset(&a->model, a->step, cdn_default_stepper_def().accuracy);
    return true;
  }
  return false;
}

int command_rollout(int argc, char **argv) {
  rollout a = { .hold = 1 };
  const option table[] = {
    { "controls", 0, OPTION_TEXT, &a.controls, "FILE", "controls of the runs, .npy, or a table" },
    { "output", 'o', OPTION_TEXT, &a.output, "FILE",
      "the states, .npy (FILE.json has the columns), or a table .h5, .npz, .csv" },
    { "duration", 0, OPTION_POSITIVE, &a.duration, "T", "controls are a table over time: one run of T seconds" },
    { "hold", 0, OPTION_POSITIVE, &a.hold, "N", "each row of controls holds for N steps (default 1)" },
    { "method", 0, OPTION_TEXT, &a.method_name, "NAME", "of the steps; file: the method and the step of the file" },
    { "step", 0, OPTION_POSITIVE, &a.step, "H", "equal steps, s" },
    { "threads", 0, OPTION_POSITIVE, &a.threads, "N", "threads (default 1)" },
    PRESET_OPTION(a.model),
    { "key", 0, OPTION_TEXT, &a.model.key, "NAME", "start from this keyframe" },
    CONTROL_OPTION(a.model),
    { "state", 0, OPTION_TEXT, &a.model.state, "FILE", "then from this state file" },
    MODEL_OPTIONS(a.model),
  };
  const int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.model.path);
  if (code != OPTIONS_GO) return code;
  return makes_sense(&a) ? run(&a) : CMD_USAGE;
}
