/* --deliver: the library runs until the accuracy is delivered (cardan/deliver.h); here its rows are written, and its
 * progress is shown. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <string.h>

/* The rows of an attempt, its record of controls and its events, in temporary files; NULL where none was asked for. */
typedef struct attempt {
  FILE *rows, *controls, *events;
  double most_contacts;
} attempt;

typedef struct campaign {
  const simulate_arguments *arguments;
  trajectory *out;
  run_record *run;
  double t_end;
  progress shown;
  char label[48];
  attempt kept, now;
  driven controls;
} campaign;

/* ---- attempts -------------------------------------------------------------------------------- */

static void attempt_close(attempt *a) {
  if (a->rows) fclose(a->rows);
  if (a->controls) fclose(a->controls);
  if (a->events) fclose(a->events);
  *a = (attempt){ 0 };
}

static bool make_temporary(FILE **file) {
  *file = tmpfile();
  if (!*file) complain("a temporary file could not be made: %s", strerror(errno));
  return *file != NULL;
}

static cdn_status attempt_open(campaign *c, cdn_stepper *stepper) {
  cdn_state *state = cdn_stepper_state(stepper);
  table_file *rows = &c->out->to, *record = &c->controls.record;
  attempt_close(&c->now);
  if (rows->writer && !make_temporary(&c->now.rows)) return CDN_ERR_FILE;
  if (record->writer && !make_temporary(&c->now.controls)) return CDN_ERR_FILE;
  if (c->out->events.file && !make_temporary(&c->now.events)) return CDN_ERR_FILE;
  rows->temporary = c->now.rows, record->temporary = c->now.controls;
  c->out->events.temporary = c->now.events, c->out->events.moments = cdn_hybrid_get_totals(state).moments;
  c->out->most_contacts = 0;
  CDN_TRY(driven_begin(&c->controls, state));
  return table_file_row(record, state, NULL);
}

/* The line of progress tells which run it is. */
static void show(campaign *c, cdn_stepper *stepper, int number) {
  snprintf(c->label, sizeof c->label, number ? "deliver: accuracy %.1e" : "simulate",
           cdn_stepper_get_def(stepper).accuracy);
  progress_erase(&c->shown);
  c->shown = progress_begin(c->label, cdn_state_time(cdn_stepper_state(stepper)), c->t_end, c->arguments->model.quiet);
}

/* ---- what the study calls -------------------------------------------------------------------- */

static cdn_status report(void *context, cdn_stepper *stepper, int number, int64_t row) {
  campaign *c = context;
  if (row == 0) {
    show(c, stepper, number);
    CDN_TRY(attempt_open(c, stepper));
  }
  CDN_TRY(trajectory_row(c->out, stepper));
  c->now.most_contacts = c->out->most_contacts;
  return signal_caught() ? CDN_ERR_CALLBACK : CDN_OK;
}

static cdn_status keep(void *context, int number) {
  campaign *c = context;
  (void)number;
  attempt_close(&c->kept);
  c->kept = c->now;
  c->now = (attempt){ 0 };
  return CDN_OK;
}

static cdn_status advance(void *context, cdn_stepper *stepper, int number, double t, cdn_return_reason *reason) {
  (void)number;
  return driven_advance(&((campaign *)context)->controls, stepper, t, reason);
}

/* Steps between two looks at signals: few, as an evaluation may take 10 ms. */
enum { BETWEEN_PAUSES = 20 };

static cdn_status pause_briefly(void *context, cdn_stepper *stepper, int number) {
  campaign *c = context;
  (void)number;
  events_note(&c->out->events, cdn_stepper_state(stepper));
  progress_update(&c->shown, cdn_state_time(cdn_stepper_state(stepper)), cdn_stepper_next_step(stepper));
  return signal_caught() ? CDN_ERR_CALLBACK : CDN_OK;
}

/* ---- the end --------------------------------------------------------------------------------- */

static void copy_attempt(campaign *c, const attempt *a) {
  c->run->most_contacts = a->most_contacts;
  table_file_pour(&c->out->to, a->rows);
  table_file_pour(&c->controls.record, a->controls);
  events_pour(&c->out->events, a->events);
}

/* The message of a failure; where the stepper has none, of a row whose energies could not be computed, it is on a
 * State. */
static void keep_failure(run_record *r, cdn_stepper *run, cdn_state *initial) {
  r->failed = true;
  if (run) cdn_stepper_failure(run, &r->failure);
  if (!run || r->failure.error.code == CDN_OK || r->failure.error.code == CDN_ERR_LIMIT)
    keep_state_failure(r, run ? cdn_stepper_state(run) : initial);
}

/* The best run so far has come to its end; if there is none, the one that was interrupted is kept as far as it has
 * come. */
static void keep_interrupted(campaign *c, cdn_stepper *run) {
  run_record *r = c->run;
  const attempt *a = c->kept.rows ? &c->kept : &c->now;
  r->certified = run && cdn_stepper_certificate(run, &r->certificate) == CDN_OK;
  if (run) doubt_interrupted(&r->certificate, run);
  copy_attempt(c, a);
}

static void run_campaign(campaign *c, cdn_state *initial) {
  run_record *record = c->run;
  const double t0 = cdn_state_time(initial), started = wall_clock();
  c->t_end = t0 + c->arguments->duration;
  cdn_stepper_def def = stepper_def_of(c->arguments, c->t_end);
  def.max_steps = BETWEEN_PAUSES;
  cdn_deliver_def how = cdn_default_deliver_def();
  cdn_stepper *run = NULL;
  how.interval = c->arguments->report;
  how.report = report, how.keep = keep, how.pause = pause_briefly, how.advance = advance, how.context = c;
  catch_signals();
  const cdn_status status = cdn_deliver(initial, &def, &how, &run, &record->certificate, &record->delivery);
  progress_erase(&c->shown);
  record->wall_seconds = wall_clock() - started;
  record->signal = signal_caught();
  record->certified = status == CDN_OK;
  if (status == CDN_OK) {
    record->signal = 0;
    copy_attempt(c, &c->kept);
  } else {
    if (!run) record->certificate.time_initial = record->certificate.time_final = t0;
    if (record->signal) keep_interrupted(c, run);
    if (!record->signal && status != CDN_ERR_FILE) keep_failure(record, run, initial);
  }
  if (run) record->moments = cdn_hybrid_get_totals(cdn_stepper_state(run));
  attempt_close(&c->kept);
  attempt_close(&c->now);
  cdn_stepper_destroy(run);
}

int deliver(const simulate_arguments *arguments, cdn_state *initial, trajectory *out, run_record *record) {
  campaign c = { .arguments = arguments, .out = out, .run = record };
  int code = driven_open(&c.controls, arguments, initial, NULL);
  if (code == CMD_OK) run_campaign(&c, initial);
  if (!driven_close(&c.controls)) code = CMD_OUTPUT;
  return code;
}
