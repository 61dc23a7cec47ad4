/* A run from its first state to its certificate: steps, rows, signals. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <cardan/controls.h>
#include <cardan/diagnostics.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>

/* ---- interruption -------------------------------------------------------------------------- */

static volatile sig_atomic_t caught_signal;
static _Atomic(cdn_stepper *) running; /* the one that a signal interrupts */

int signal_caught(void) { return caught_signal; }

/* How long a run that is told to end may take its time: steps end by themselves, and the companion comes to where
 * the run is. Then what takes long is broken off, again and again, for there may be several calls. */
static const struct itimerval soon = { .it_value = { .tv_usec = 300000 }, .it_interval = { .tv_usec = 50000 } }, never;
static volatile sig_atomic_t late;

static void break_off(int number) {
  (void)number;
  late = 1;
  cdn_stepper_break_off(atomic_load(&running));
}

static void catch_signal(int number) {
  caught_signal = number;
  cdn_stepper_interrupt(atomic_load(&running));
  setitimer(ITIMER_REAL, &soon, NULL); /* a system call, as alarm is */
}

void interrupt_on_signal(cdn_stepper *stepper) {
  atomic_store(&running, stepper);
  if (!stepper) setitimer(ITIMER_REAL, &never, NULL);
}

/* The first signal ends the run before its next step, or its companion's; a second one ends the program. A write that
 * is waiting (for a pipe's reader) is completed, so that rows stay whole. */
static void catch (int number, void (*handler)(int), int flags) {
  struct sigaction action = { .sa_handler = handler, .sa_flags = flags | SA_RESTART };
  sigemptyset(&action.sa_mask);
  sigaction(number, &action, NULL);
}

void catch_signals(void) {
  catch (SIGALRM, break_off, 0);
  catch (SIGINT, catch_signal, (int)SA_RESETHAND);
  catch (SIGTERM, catch_signal, (int)SA_RESETHAND);
}

/* ---- stepping ----------------------------------------------------------------------------- */

/* A run on its way. */
typedef struct run {
  const simulate_arguments *arguments;
  cdn_state *initial;
  cdn_stepper *stepper;
  trajectory *out;
  driven controls;
  progress shown;
  double t0, t_end;
  double row;             /* the last one written */
  double next_checkpoint; /* time of the next one by simulated time; infinity: none */
  double last_checkpoint; /* wall clock, of the last one or the start */
  double saved_time;      /* simulated time of the last one; NAN: there is none */
  double started;         /* wall clock, less the time that earlier parts of the run took */
  bool unwritten;         /* a checkpoint could not be written */
  run_record *record;
} run;

static void write_checkpoint(run *r) {
  // a disk that is full may have room again later; that it was full is said once
  const bool synced =
      table_file_sync(&r->out->to) && events_sync(&r->out->events) && table_file_sync(&r->controls.record);
  const run_position position = { .t0 = r->t0,
                                  .row = r->row,
                                  .last_time = r->out->last_time,
                                  .written = table_file_extent(&r->out->to),
                                  .most_contacts = r->out->most_contacts,
                                  .wall_seconds = wall_clock() - r->started,
                                  .control_rows = cdni_control_table_rows(r->controls.table),
                                  .control_checksum = cdni_control_table_checksum(r->controls.table),
                                  .recorded = table_file_extent(&r->controls.record),
                                  .events = r->out->events.written,
                                  .resets = (double)r->record->resets,
                                  .reset_time = r->record->reset_time };
  const bool written = synced && checkpoint_write(r->arguments, &position, r->initial, r->stepper, r->unwritten);
  if (!written) r->unwritten = true;
  else r->saved_time = cdn_state_time(cdn_stepper_state(r->stepper));
}

/* The first multiple of the interval after where the run is. */
static void plan_checkpoint(run *r) {
  double t = cdn_state_time(cdn_stepper_state(r->stepper)), every = r->arguments->checkpoint_every;
  r->next_checkpoint = every > 0 ? r->t0 + (floor((t - r->t0) / every) + 1) * every : INFINITY;
  r->last_checkpoint = wall_clock();
}

/* A checkpoint, if it is time for one. */
static void consider_checkpoint(run *r) {
  const simulate_arguments *a = r->arguments;
  double t = cdn_state_time(cdn_stepper_state(r->stepper));
  if (!a->checkpoint || t >= r->t_end) return;
  bool long_ago = a->checkpoint_wall > 0 && wall_clock() - r->last_checkpoint >= a->checkpoint_wall;
  if (t < r->next_checkpoint && !long_ago) return;
  write_checkpoint(r);
  plan_checkpoint(r);
}

/* An interrupted run can be resumed from a checkpoint. If saving would change the results, it can be resumed from
 * its last planned checkpoint. */
static void save_interrupted(run *r) {
  const simulate_arguments *a = r->arguments;
  if (!a->checkpoint) return;
  if (!begins_anew_where_saved(a->method)) write_checkpoint(r);
  else if (!a->model.quiet && isfinite(r->saved_time))
    complain(
        "%s: holds the run at t = %.9g s, its last planned checkpoint, and --resume goes on from there: a checkpoint at "
        "the interruption would change the results of --method %s",
        a->checkpoint, r->saved_time, cdn_method_name(a->method));
}

cdn_stepper_def stepper_def_of(const simulate_arguments *a, double t_end) {
  enum { ATTEMPTS_A_PAUSE = 20 }; // so that progress and signals are served between reports
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = a->method;
  def.accuracy = a->accuracy;
  def.fixed_step = a->step;
  def.final_time = t_end;
  def.max_steps = a->on_divergence ? 1 : ATTEMPTS_A_PAUSE; // each step is looked at
  def.return_on_events = a->events != NULL;
  def.companion = !a->no_companion;
  return def;
}

double report_count(double t0, double t_end, double interval) { return ceil((t_end - t0) / interval - 1e-9); }

double report_time(double t0, double t_end, double interval, double k) {
  return k < report_count(t0, t_end, interval) ? fmin(t0 + k * interval, t_end) : t_end;
}

/* A run cut short ends with the state that it reached: the end of the last step, which may be beyond a report in it.
 * The companion has to get there as well; if that takes long, the last report remains. */
static cdn_status show_end(cdn_stepper *stepper) {
  cdn_certificate certificate;
  cdn_return_reason reason;
  cdn_status status = CDN_ERR_LIMIT;
  if (cdn_stepper_certificate(stepper, &certificate) != CDN_OK) return CDN_OK;
  while (status == CDN_ERR_LIMIT && !late) {
    status = cdn_stepper_advance(stepper, certificate.time_final, &reason);
    if (status == CDN_OK && reason == CDN_HANDLED_EVENT) status = CDN_ERR_LIMIT;
  }
  return status == CDN_ERR_LIMIT ? CDN_OK : status;
}

/* MuJoCo's bound of coordinates, speeds and accelerations (mjMAXVAL): it resets where one is above it or is not a
 * number. */
static const double too_large = 1e10;

/* The first of the numbers that is too large, or -1. */
static int find_too_large(const double *x, int n) {
  for (int i = 0; i < n; i++)
    if (!(fabs(x[i]) <= too_large)) return i;
  return -1;
}

/* Why the run has diverged, into `element`; false: it has not. A step that fails for numbers that are none counts. */
static bool has_diverged(run *r, cdn_status status, char *element, size_t size) {
  cdn_state *state = cdn_stepper_state(r->stepper);
  const cdn_system *system = cdn_state_system(state);
  cdn_failure failure;
  const int q = find_too_large(cdn_state_q(state), cdn_system_nq(system)),
            u = find_too_large(cdn_state_u(state), cdn_system_nu(system));
  cdn_stepper_failure(r->stepper, &failure);
  const bool failed = status != CDN_OK && status != CDN_ERR_LIMIT && failure.error.code == CDN_ERR_NONFINITE;
  const double *udot = q < 0 && u < 0 && !failed ? cdn_state_udot(state) : NULL;
  const int a = udot ? find_too_large(udot, cdn_system_nu(system)) : -1;
  if (q >= 0) cdn_system_slot_name(system, CDN_POOL_Q, q, element, size);
  else if (u >= 0 || a >= 0) cdn_system_slot_name(system, CDN_POOL_U, u >= 0 ? u : a, element, size);
  else snprintf(element, size, "%s", failure.error.element);
  return q >= 0 || u >= 0 || a >= 0 || failed;
}

/* Of a run that has come to another State. */
static cdn_status keep_controls(cdn_state *to, const cdn_state *from) {
  const cdn_system *system = cdn_state_system(from);
  for (int i = 0; i < cdn_system_control_count(system); i++) {
    const cdn_control control = { i };
    if (!cdn_control_follows(system, control)) CDN_TRY(cdn_control_set(to, control, cdn_control_given(from, control)));
  }
  return CDN_OK;
}

/* On from the default coordinates, at rest, as MuJoCo does, but at the time reached, and so with the controls of that
 * time. False: the default state itself does not go on. */
static bool reset(run *r, const char *element) {
  const cdn_system *system = cdn_state_system(r->initial);
  run_record *record = r->record;
  cdn_state *fresh = NULL, *usual = NULL;
  const double t = cdn_state_time(cdn_stepper_state(r->stepper));
  if (record->resets > 0 && t <= record->reset_time) return false;
  cdn_status status = cdn_state_create(system, &fresh);
  if (status == CDN_OK) status = cdn_state_create(system, &usual);
  if (status == CDN_OK) status = cdn_state_copy(fresh, r->initial); /* its parameters */
  if (status == CDN_OK) status = keep_controls(fresh, cdn_stepper_state(r->stepper));
  if (status == CDN_OK) status = cdn_state_set_time(fresh, t);
  if (status == CDN_OK) status = cdn_state_set_q(fresh, cdn_state_q(usual));
  if (status == CDN_OK) status = cdn_state_set_u(fresh, cdn_state_u(usual));
  if (status == CDN_OK) status = cdn_state_set_z(fresh, cdn_state_z(usual));
  if (status == CDN_OK) status = cdn_stepper_restart(r->stepper, fresh);
  cdn_state_destroy(fresh);
  cdn_state_destroy(usual);
  if (status != CDN_OK) return false;
  record->resets++;
  record->reset_time = t;
  snprintf(record->reset_element, sizeof record->reset_element, "%s", element);
  if (record->resets == 1 && !r->arguments->model.quiet)
    complain("at t = %.9g s '%s' became too large: the run goes on from the default state", t, element);
  return true;
}

/* To time t, or until a signal comes. */
static cdn_status advance_to(run *r, double t) {
  cdn_state *state = cdn_stepper_state(r->stepper);
  cdn_status status = CDN_ERR_LIMIT;
  while (status == CDN_ERR_LIMIT && !caught_signal) {
    char element[96];
    cdn_return_reason reason = CDN_REACHED_TIME;
    status = driven_advance(&r->controls, r->stepper, t, &reason);
    events_note(&r->out->events, state);
    if (status == CDN_OK && reason == CDN_HANDLED_EVENT) status = CDN_ERR_LIMIT;
    progress_update(&r->shown, cdn_state_time(state), cdn_stepper_next_step(r->stepper));
    if (r->arguments->on_divergence && has_diverged(r, status, element, sizeof element)) {
      if (reset(r, element)) status = CDN_ERR_LIMIT;
      else if (status == CDN_ERR_LIMIT) status = CDN_ERR_NONFINITE;
    }
    if (status == CDN_ERR_LIMIT) progress_watch(&r->shown, r->stepper);
    if (status == CDN_ERR_LIMIT) consider_checkpoint(r);
  }
  return status == CDN_ERR_LIMIT ? CDN_OK : status;
}

/* Reports at t0 + k DT and at t_end: rows, and comparisons with the companion. A full disk ends the run. */
static cdn_status run_reports(run *r) {
  cdn_stepper *stepper = r->stepper;
  trajectory *out = r->out;
  cdn_status status = CDN_OK;
  double count = report_count(r->t0, r->t_end, out->interval);
  while (r->row < count && status == CDN_OK && !caught_signal) {
    double k = r->row + 1, t = report_time(r->t0, r->t_end, out->interval, k);
    status = advance_to(r, t);
    if (status != CDN_OK || caught_signal) break;
    status = trajectory_row(out, stepper);
    r->row = k;
    if (status == CDN_OK) consider_checkpoint(r);
    if (out->to.failed) break;
  }
  if (status == CDN_OK && !caught_signal) return CDN_OK;
  if (status == CDN_OK) {
    save_interrupted(r);
    status = show_end(stepper);
  }
  // where its energies cannot be computed there is no such row; why the run ended is known already
  if (out->to.writer && cdn_state_time(cdn_stepper_state(stepper)) > out->last_time)
    (void)!trajectory_row(out, stepper);
  return status;
}

/* ---- the whole run ------------------------------------------------------------------------- */

void keep_state_failure(run_record *record, cdn_state *state) {
  record->failed = true;
  record->failure = (cdn_failure){ .time = cdn_state_time(state) };
  cdn_state_last_error(state, &record->failure.error);
  snprintf(record->failure.advice, sizeof record->failure.advice, "%s", cdn_status_advice(record->failure.error.code));
}

/* The stepper, or that of the checkpoint. */
static cdn_status begin_run(run *r, checkpoint *from) {
  const simulate_arguments *a = r->arguments;
  r->started = wall_clock();
  if (from) {
    r->row = from->position.row;
    r->started -= from->position.wall_seconds;
    r->saved_time = cdn_state_time(cdn_stepper_state(from->stepper));
    r->record->resets = (int64_t)from->position.resets;
    r->record->reset_time = from->position.reset_time;
    r->stepper = from->stepper;
    from->stepper = NULL;
    return CDN_OK;
  }
  cdn_stepper_def def = stepper_def_of(a, r->t_end);
  return cdn_stepper_create(r->initial, &def, &r->stepper);
}

void doubt_interrupted(cdn_certificate *c, cdn_stepper *stepper) {
  cdn_stepper *companion = cdn_stepper_companion(stepper);
  const double reached = companion ? cdn_state_time(cdn_stepper_state(companion)) : INFINITY;
  if (c->delivered != CDN_VERDICT_DELIVERED || reached >= c->time_final) return;
  c->delivered = CDN_VERDICT_UNKNOWN;
  snprintf(c->doubt, sizeof c->doubt, "the run was interrupted when its companion had come to t = %.9g s", reached);
}

int run_simulation(const simulate_arguments *a, cdn_state *initial, checkpoint *from, trajectory *out,
                   run_record *record) {
  run r = { .arguments = a, .initial = initial, .out = out, .saved_time = NAN, .record = record };
  r.t0 = from ? from->position.t0 : cdn_state_time(initial);
  r.t_end = r.t0 + a->duration;
  record->certificate.time_initial = record->certificate.time_final = r.t0;
  const int code = driven_open(&r.controls, a, initial, from ? &from->position : NULL);
  if (code != CMD_OK) {
    (void)driven_close(&r.controls);
    return code;
  }
  if (begin_run(&r, from) != CDN_OK) {
    keep_state_failure(record, initial);
    return driven_close(&r.controls) ? CMD_OK : CMD_OUTPUT;
  }
  if (record->diagnostics && cdn_stepper_set_timed(r.stepper, true) != CDN_OK) keep_state_failure(record, initial);
  plan_checkpoint(&r);
  interrupt_on_signal(r.stepper);
  r.shown = progress_begin("simulate", r.t0, r.t_end, a->model.quiet);
  catch_signals();
  cdn_status status = from ? CDN_OK : trajectory_row(out, r.stepper);
  // a run that cannot be saved where it is interrupted can be gone on with from its start on
  if (status == CDN_OK && a->checkpoint && !from && begins_anew_where_saved(a->method)) write_checkpoint(&r);
  if (status == CDN_OK) status = run_reports(&r);
  progress_erase(&r.shown);
  record->wall_seconds = wall_clock() - r.started;
  cdn_state *final = cdn_stepper_state(r.stepper);
  if (status != CDN_OK) {
    cdn_stepper_failure(r.stepper, &record->failure);
    record->failed = true;
    // the stepper went on, and what failed is the energy of a row
    if (record->failure.error.code == CDN_OK || record->failure.error.code == CDN_ERR_LIMIT) {
      keep_state_failure(record, final);
    }
  }
  record->certified = cdn_stepper_certificate(r.stepper, &record->certificate) == CDN_OK;
  if (record->failed && !record->certificate.failure_message[0]) {
    cdn_certificate *c = &record->certificate;
    snprintf(c->failure_message, sizeof c->failure_message, "the row at t = %.9g could not be computed",
             record->failure.time);
    if (c->delivered == CDN_VERDICT_DELIVERED) c->delivered = CDN_VERDICT_UNKNOWN;
  }
  if (!record->certified && !record->failed) keep_state_failure(record, final);
  // a run has arrived when its companion has
  bool arrived = !record->failed && r.row >= report_count(r.t0, r.t_end, out->interval);
  if (!arrived) record->signal = caught_signal;
  if (record->signal) doubt_interrupted(&record->certificate, r.stepper);
  record->most_contacts = out->most_contacts;
  record->moments = cdn_hybrid_get_totals(final);
  if (record->diagnostics) write_diagnostics(record->diagnostics, r.stepper, record);
  interrupt_on_signal(NULL);
  cdn_stepper_destroy(r.stepper);
  return driven_close(&r.controls) && !r.unwritten ? CMD_OK : CMD_OUTPUT;
}
