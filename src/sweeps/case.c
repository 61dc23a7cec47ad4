/* One case: its start, its run, its row. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>

#include <cardan/trajectory.h>

#include "core/whole_file.h"
#include "sweeps/internal.h"

const char *cdn_sweep_status_text(int status) {
  switch (status) {
    case CDN_SWEEP_DONE: return "done";
    case CDN_SWEEP_CRASHED: return "the program crashed twice in it";
    case CDN_SWEEP_STEPS: return "it took more steps than the study allows";
    case CDN_SWEEP_SECONDS: return "it took more time than the study allows";
    default: return cdn_status_text((cdn_status)status);
  }
}

/* ---- the start ---- */

static double largest(const double *values, int n) {
  double most = 0;
  for (int i = 0; values && i < n; i++) most = fmax(most, fabs(values[i]));
  return values || n == 0 ? most : INFINITY;
}

/* Loops that are open by more than the run allows are closed, within the limits of joints, as `cardan simulate`
 * does. */
static cdn_status assemble(const cdn_sweep *s, double tolerance, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const cdn_assembly_def def = cdn_default_assembly_def();
  const double before = largest(cdn_state_qerr(state), cdn_system_nqerr(system));
  const double speeds = largest(cdn_state_uerr(state), cdn_system_nuerr(system));
  cdn_assembly *assembly = NULL;
  if (before <= tolerance && speeds * def.time_scale <= tolerance) return CDN_OK;
  CDNI_TRY(cdn_realize(state, CDN_STAGE_VELOCITY));
  cdn_status status = cdn_assembly_create(system, NULL, &assembly);
  if (status == CDN_OK) status = cdn_model_bound_assembly(s->model, assembly);
  if (status == CDN_OK && before > tolerance) status = cdn_assemble(assembly, state, NULL);
  if (status == CDN_OK) status = cdn_assemble_speeds(assembly, state, NULL);
  cdn_assembly_destroy(assembly);
  return status;
}

static cdn_status start(cdn_sweep *s, int64_t k, const double *values, cdn_state *state,
                        double run[SWEEP_RUN_NUMBERS]) {
  CDNI_TRY(cdni_sweep_apply(s, k, values, state, run));
  return s->study.assemble ? assemble(s, run[SWEEP_ACCURACY] / 10, state) : CDN_OK;
}

static cdn_status need_case(const cdn_sweep *s, int64_t k, const char *function) {
  if (k >= 0 && k < s->design.cases) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "there is no case %lld: the study has cases 0 to %lld", (long long)k,
                     (long long)s->design.cases - 1);
}

cdn_status cdn_sweep_set_state(cdn_sweep *sweep, int64_t k, cdn_state *state) {
  double run[SWEEP_RUN_NUMBERS];
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(need_case(sweep, k, __func__));
  cdni_sweep_design(&sweep->design, k, sweep->values);
  return start(sweep, k, sweep->values, state, run);
}

/* ---- the run ---- */

/* A run on its way. */
typedef struct course {
  cdn_sweep *sweep;
  cdn_stepper *stepper;
  cdn_trajectory *trajectory; /* NULL: none is written */
  double interval, began;     /* between rows; processor time at the start, s */
  int outcome;
  bool interrupted;
} course;

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What ends a run before its end. Limits are looked at after so many attempts of steps. */
enum { ATTEMPTS_A_LOOK = 20 };

static bool must_end(course *c) {
  const sweep_study *y = &c->sweep->study;
  cdn_certificate so_far;
  if (atomic_load(&c->sweep->interrupted)) c->interrupted = true;
  else if (y->most_seconds > 0 && processor_time() - c->began > y->most_seconds) c->outcome = CDN_SWEEP_SECONDS;
  else if (y->most_steps > 0 && cdn_stepper_certificate(c->stepper, &so_far) == CDN_OK &&
           so_far.steps + so_far.rejected >= y->most_steps)
    c->outcome = CDN_SWEEP_STEPS;
  return c->interrupted || c->outcome != CDN_SWEEP_DONE;
}

static cdn_status advance(course *c, double t) {
  for (;;) {
    const cdn_status status = c->trajectory ? cdn_trajectory_run(c->trajectory, c->stepper, t, c->interval)
                                            : cdn_stepper_advance(c->stepper, t, NULL);
    if (status != CDN_ERR_LIMIT || must_end(c)) return status;
  }
}

/* Reports are where the run is compared with its companion. */
static cdn_status advance_all(course *c, double t0, double t1) {
  const double interval = c->sweep->study.report > 0 ? c->sweep->study.report : (t1 - t0) / 10;
  const double count = c->trajectory ? 1 : ceil((t1 - t0) / interval - 1e-9);
  for (double i = 1; i <= count && !cdn_stepper_is_stopped(c->stepper); i++)
    CDNI_TRY(advance(c, i < count ? t0 + i * interval : t1));
  return CDN_OK;
}

static cdn_status create(cdn_sweep *s, const double run[SWEEP_RUN_NUMBERS], cdn_stepper **out) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = s->method;
  def.accuracy = run[SWEEP_ACCURACY];
  def.fixed_step = run[SWEEP_STEP];
  def.final_time = cdn_state_time(s->work) + run[SWEEP_DURATION];
  if (s->study.most_steps > 0 || s->study.most_seconds > 0) def.max_steps = ATTEMPTS_A_LOOK;
  def.companion = s->study.companion;
  const cdn_status status = cdn_stepper_create(s->work, &def, out);
  atomic_store(&s->running, *out);
  if (atomic_load(&s->interrupted)) cdn_stepper_break_off(*out);
  return status;
}

/* Other threads may be interrupting it. */
static void destroy(cdn_sweep *s, cdn_stepper *stepper) {
  atomic_store(&s->running, NULL);
  while (atomic_load(&s->interrupting) > 0) sched_yield();
  cdn_stepper_destroy(stepper);
}

/* ---- the row ---- */

void cdni_sweep_empty_row(const cdn_sweep *s, int64_t k, int status, double *row) {
  for (int i = 0; i < s->n_columns; i++) row[i] = NAN;
  row[0] = (double)k;
  cdni_sweep_design(&s->design, k, row + 1);
  row[cdni_sweep_fixed_at(s) + SWEEP_STATUS] = status;
}

static void fill_row(const cdn_sweep *s, cdn_stepper *stepper, double *row) {
  cdn_certificate c;
  double *to = row + cdni_sweep_fixed_at(s);
  if (cdn_stepper_certificate(stepper, &c) != CDN_OK) return;
  to[SWEEP_DELIVERED] = c.delivered;
  to[SWEEP_ASKED] = c.accuracy;
  to[SWEEP_ERROR] = c.error_estimate;
  to[SWEEP_DELIVERED_UNTIL] = c.delivered_until;
  to[SWEEP_ENERGY_RESIDUAL] = c.energy_residual;
  to[SWEEP_CONSTRAINT_ERROR] = c.max_constraint_error;
  to[SWEEP_STEPS_TAKEN] = (double)c.steps;
  to[SWEEP_REJECTED] = (double)c.rejected;
  to[SWEEP_EVALUATIONS] = (double)c.evaluations;
  to[SWEEP_TIME_FINAL] = c.time_final;
}

static void tell(cdn_sweep *s, const char *text) { snprintf(s->message, sizeof s->message, "%s", text); }

static void tell_failure(cdn_sweep *s, const cdn_stepper *stepper) {
  cdn_failure f;
  cdn_error error;
  cdn_stepper_failure(stepper, &f);
  cdn_last_error(&error);
  tell(s, f.error.code != CDN_OK ? f.error.text : error.text);
}

/* ---- trajectories ---- */

static cdn_status open_trajectory(course *c, int64_t k, cdni_whole_file *file) {
  cdn_sweep *s = c->sweep;
  char path[SWEEP_PATH];
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.controls = def.all_measures = true;
  snprintf(path, sizeof path, "%s/case-%06lld.csv", s->study.results, (long long)k);
  if (!cdni_whole_begin(file, path))
    return cdni_refuse(CDN_ERR_FILE, "cdn_sweep_run_block", "%.200s: could not be written: %s", path, strerror(errno));
  c->interval = s->study.trajectory;
  return cdn_trajectory_create(s->work, &def, cdn_file_write, file->file, &c->trajectory);
}

static cdn_status close_trajectory(course *c, cdni_whole_file *file) {
  cdn_trajectory_destroy(c->trajectory);
  c->trajectory = NULL;
  if (!file->file || cdni_whole_end(file, !c->interrupted) || c->interrupted) return CDN_OK;
  return cdni_refuse(CDN_ERR_FILE, "cdn_sweep_run_block", "a trajectory could not be written into %.200s: %s",
                     c->sweep->study.results, strerror(errno));
}

/* ---- the whole ---- */

/* A run from the start that s->work is. What comes of it is in c->outcome, unless the call fails: then there is no row.
 */
static cdn_status run(course *c, const double of_run[SWEEP_RUN_NUMBERS], double *row) {
  cdn_sweep *s = c->sweep;
  const double t0 = cdn_state_time(s->work);
  cdn_error error;
  cdn_status status = create(s, of_run, &c->stepper);
  if (status != CDN_OK) {
    cdn_state_last_error(s->work, &error);
    tell(s, error.text);
  } else {
    status = advance_all(c, t0, t0 + of_run[SWEEP_DURATION]);
    if (status != CDN_OK && !c->interrupted && c->outcome == CDN_SWEEP_DONE) tell_failure(s, c->stepper);
    if (!c->interrupted) fill_row(s, c->stepper, row);
    if (status == CDN_OK) cdni_sweep_keep(s, c->stepper, t0, row);
  }
  destroy(s, c->stepper);
  c->stepper = NULL;
  const bool unwritten = c->trajectory && status == CDN_ERR_FILE;
  if (c->interrupted || unwritten || status == CDN_ERR_NOMEM) return c->interrupted ? CDN_ERR_LIMIT : status;
  if (c->outcome == CDN_SWEEP_DONE) c->outcome = status;
  return CDN_OK;
}

cdn_status cdni_sweep_case(cdn_sweep *s, int64_t k, bool with_trajectory, double *row) {
  course c = { .sweep = s, .interrupted = atomic_load(&s->interrupted) };
  cdni_whole_file file = { .file = NULL };
  double of_run[SWEEP_RUN_NUMBERS];
  cdn_error error;
  s->message[0] = 0;
  cdni_sweep_empty_row(s, k, CDN_SWEEP_DONE, row);
  if (s->study.most_seconds > 0) c.began = processor_time();
  cdn_status status = c.interrupted ? CDN_OK : start(s, k, row + 1, s->work, of_run);
  if (status == CDN_ERR_NOMEM) return status;
  if (status != CDN_OK) {
    cdn_last_error(&error);
    tell(s, error.text);
    c.outcome = status;
  } else if (!c.interrupted) {
    if (with_trajectory && s->study.trajectory > 0) status = open_trajectory(&c, k, &file);
    if (status == CDN_OK) status = run(&c, of_run, row);
    const cdn_status closed = close_trajectory(&c, &file);
    if (status == CDN_OK) status = closed;
  }
  if (c.interrupted) {
    atomic_store(&s->interrupted, false);
    return cdni_refuse(CDN_ERR_LIMIT, "cdn_sweep_interrupt", "the run was interrupted");
  }
  row[cdni_sweep_fixed_at(s) + SWEEP_STATUS] = c.outcome;
  return status == CDN_OK || c.outcome != CDN_SWEEP_DONE ? CDN_OK : status;
}

const char *cdn_sweep_message(const cdn_sweep *sweep) {
  CDNI_NEED_OBJECT(sweep, NULL);
  return sweep->message;
}

cdn_status cdn_sweep_run_case(cdn_sweep *sweep, int64_t k, double *row) {
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(row, CDN_ERR_ARG);
  CDNI_TRY(need_case(sweep, k, __func__));
  return cdni_sweep_case(sweep, k, false, row);
}
