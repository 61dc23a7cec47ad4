/* A run from its first state to its certificate: steps, rows, signals, and the second run of --verify. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>

/* ---- interruption -------------------------------------------------------------------------- */

static volatile sig_atomic_t caught_signal;

static void catch_signal(int number) { caught_signal = number; }

/* The first signal ends the run at the next pause between steps; a second one ends the program. */
static void catch_signals(void) {
  struct sigaction action = { .sa_handler = catch_signal, .sa_flags = (int)SA_RESETHAND };
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- stepping ----------------------------------------------------------------------------- */

/* A run on its way. */
typedef struct run {
  const simulate_arguments *arguments;
  cdn_state *initial;
  cdn_stepper *stepper;
  trajectory *out;
  progress shown;
  double t0, t_end;
  double row;             /* the last one written */
  double next_checkpoint; /* time of the next one by simulated time; infinity: none */
  double last_checkpoint; /* wall clock, of the last one or the start */
  double started;         /* wall clock, less the time that earlier parts of the run took */
  bool unwritten;         /* a checkpoint could not be written */
} run;

static void write_checkpoint(run *r) {
  const run_position position = { .t0 = r->t0,
                                  .row = r->row,
                                  .last_time = r->out->last_time,
                                  .bytes = r->out->bytes,
                                  .checksum = r->out->checksum,
                                  .wall_seconds = wall_clock() - r->started };
  // a disk that is full may have room again later; that it was full is said once
  bool written =
      trajectory_sync(r->out) && checkpoint_write(r->arguments, &position, r->initial, r->stepper, r->unwritten);
  if (!written) r->unwritten = true;
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

static cdn_stepper_def make_stepper_def(cdn_method method, double accuracy, double step, double t_end) {
  enum { ATTEMPTS_A_PAUSE = 20 }; // so that progress and signals are served between reports
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  def.fixed_step = step;
  def.final_time = t_end;
  def.max_steps = ATTEMPTS_A_PAUSE;
  return def;
}

/* Advances to time t in short pieces, with checkpoints between them if `r` is given. Stops early, with CDN_OK, once a
 * signal was caught. */
static cdn_status advance(cdn_stepper *stepper, double t, progress *shown, run *r) {
  cdn_status status = CDN_ERR_LIMIT;
  while (status == CDN_ERR_LIMIT && !caught_signal) {
    status = cdn_stepper_advance(stepper, t, NULL);
    progress_update(shown, cdn_state_time(cdn_stepper_state(stepper)), cdn_stepper_next_step(stepper));
    if (r && status == CDN_ERR_LIMIT) consider_checkpoint(r);
  }
  return status == CDN_ERR_LIMIT ? CDN_OK : status;
}

/* Rows at t0 + k DT, by multiplication so that no rounding piles up, and at t_end. A full disk ends the run. */
static cdn_status run_reports(run *r) {
  cdn_stepper *stepper = r->stepper;
  trajectory *out = r->out;
  cdn_status status = CDN_OK;
  // a report within rounding of the end is the end
  double count = out->file ? ceil((r->t_end - r->t0) / out->interval - 1e-9) : 1;
  while (r->row < count && status == CDN_OK && !caught_signal) {
    double k = r->row + 1, t = k < count ? r->t0 + k * out->interval : r->t_end;
    status = advance(stepper, fmin(t, r->t_end), &r->shown, r);
    if (status != CDN_OK || caught_signal) break;
    status = trajectory_row(out, stepper);
    r->row = k;
    if (status == CDN_OK) consider_checkpoint(r);
    if (out->file && ferror(out->file)) break;
  }
  if (status == CDN_OK && !caught_signal) return CDN_OK;
  // whoever interrupts a run may want to go on with it
  if (status == CDN_OK && r->arguments->checkpoint) write_checkpoint(r);
  // a run cut short ends with the state that it reached: the end of the last step, which may be beyond a report in it
  cdn_certificate certificate;
  bool within = status == CDN_OK && cdn_stepper_certificate(stepper, &certificate) == CDN_OK;
  if (within) status = cdn_stepper_advance(stepper, certificate.time_final, NULL);
  // where its energies cannot be computed there is no such row; why the run ended is known already
  if (out->file && cdn_state_time(cdn_stepper_state(stepper)) > out->last_time) (void)!trajectory_row(out, stepper);
  return status;
}

/* ---- verification -------------------------------------------------------------------------- */

static void find_largest(const cdn_system *system, cdn_pool pool, int n, const double *e, double *largest,
                         char slot[96]) {
  *largest = 0;
  for (int i = 0; i < n; i++) {
    if (!(fabs(e[i]) > *largest)) continue;
    *largest = fabs(e[i]);
    cdn_system_slot_name(system, pool, i, slot, 96);
  }
}

/* The weighted differences of two States: q absolute and blind to the length of quaternions, through N N^+; u
 * relative where it exceeds 1, as in the error norm that the accuracy is about. */
static cdn_status compare_states(cdn_state *a, cdn_state *b, verification *v) {
  const cdn_system *system = cdn_state_system(a);
  int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double *dq = allocate((size_t)nq, sizeof *dq), *eq = allocate((size_t)nq, sizeof *eq);
  double *w = allocate((size_t)nu, sizeof *w), *eu = allocate((size_t)nu, sizeof *eu);
  for (int i = 0; i < nq; i++) dq[i] = cdn_state_q(a)[i] - cdn_state_q(b)[i];
  cdn_status status = cdn_multiply_by_N_inv(b, dq, w);
  if (status == CDN_OK) status = cdn_multiply_by_N(b, w, eq);
  for (int i = 0; i < nu; i++) {
    double ua = cdn_state_u(a)[i], ub = cdn_state_u(b)[i];
    eu[i] = (ua - ub) / fmax(1, fmax(fabs(ua), fabs(ub)));
  }
  if (status == CDN_OK) {
    find_largest(system, CDN_POOL_Q, nq, eq, &v->q_difference, v->q_slot);
    find_largest(system, CDN_POOL_U, nu, eu, &v->u_difference, v->u_slot);
  }
  free(dq);
  free(eq);
  free(w);
  free(eu);
  return status;
}

/* Runs again, ten times as accurate (with half the step where steps are fixed), and compares the final states. */
static void verify(const simulate_arguments *a, cdn_state *initial, double t_end, cdn_state *final, verification *v) {
  double t0 = cdn_state_time(initial), started = wall_clock();
  v->accuracy = a->accuracy / 10;
  v->step = a->step / 2;
  cdn_stepper_def def = make_stepper_def(a->method, v->accuracy, v->step, t_end);
  cdn_stepper *stepper = NULL;
  progress shown = progress_begin("verify", t0, t_end, a->model.quiet);
  cdn_error error = { 0 };
  cdn_status status = cdn_stepper_create(initial, &def, &stepper);
  if (status != CDN_OK) {
    cdn_state_last_error(initial, &error);
  } else {
    status = advance(stepper, t_end, &shown, NULL);
    if (status != CDN_OK) {
      cdn_failure failure;
      cdn_stepper_failure(stepper, &failure);
      error = failure.error;
    }
  }
  progress_erase(&shown);
  if (status == CDN_OK && !caught_signal) {
    status = compare_states(final, cdn_stepper_state(stepper), v);
    if (status != CDN_OK) cdn_state_last_error(cdn_stepper_state(stepper), &error);
    v->done = status == CDN_OK;
  }
  if (status != CDN_OK) error_story(&error, v->trouble, sizeof v->trouble);
  v->wall_seconds = wall_clock() - started;
  cdn_stepper_destroy(stepper);
}

/* ---- the whole run ------------------------------------------------------------------------- */

static void keep_state_failure(run_record *record, cdn_state *state) {
  record->failed = true;
  record->failure = (cdn_failure){ .time = cdn_state_time(state) };
  cdn_state_last_error(state, &record->failure.error);
  snprintf(record->failure.advice, sizeof record->failure.advice, "%s", cdn_status_advice(record->failure.error.code));
}

/* The stepper and the header of its trajectory, or both where a checkpoint was taken. */
static cdn_status begin_run(run *r, checkpoint *from) {
  const simulate_arguments *a = r->arguments;
  r->started = wall_clock();
  if (from) {
    r->row = from->position.row;
    r->started -= from->position.wall_seconds;
    r->stepper = from->stepper;
    from->stepper = NULL;
    return CDN_OK;
  }
  cdn_stepper_def def = make_stepper_def(a->method, a->accuracy, a->step, r->t_end);
  return cdn_stepper_create(r->initial, &def, &r->stepper);
}

/* The header and the first row, unless they have been written. */
static cdn_status begin_trajectory(run *r, bool resumed) {
  cdn_status status = trajectory_begin(r->out, r->stepper, !resumed);
  return status == CDN_OK && !resumed ? trajectory_row(r->out, r->stepper) : status;
}

bool run_simulation(const simulate_arguments *a, cdn_state *initial, checkpoint *from, trajectory *out,
                    run_record *record) {
  run r = { .arguments = a, .initial = initial, .out = out, .t0 = from ? from->position.t0 : cdn_state_time(initial) };
  r.t_end = r.t0 + a->duration;
  record->certificate.time_initial = record->certificate.time_final = r.t0;
  if (begin_run(&r, from) != CDN_OK) {
    keep_state_failure(record, initial);
    return true;
  }
  plan_checkpoint(&r);
  r.shown = progress_begin("simulate", r.t0, r.t_end, a->model.quiet);
  catch_signals();
  cdn_status status = begin_trajectory(&r, from != NULL);
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
  if (!record->certified && !record->failed) keep_state_failure(record, final);
  bool arrived = !record->failed && cdn_state_time(final) >= r.t_end;
  if (a->verify && arrived) verify(a, initial, r.t_end, final, &record->verify);
  if (!arrived || (a->verify && !record->verify.done)) record->signal = caught_signal;
  trajectory_end(out);
  cdn_stepper_destroy(r.stepper);
  return !r.unwritten;
}
