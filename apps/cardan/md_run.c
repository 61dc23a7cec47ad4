/* A run of `cardan md`: equal steps, frames, rows, checkpoints. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cardan/modes.h>

#include "md.h"
#include "simulate.h"

typedef struct run {
  const md_arguments *a;
  md_molecule *m;
  md_sampler sampler;
  cdn_dcd_writer *dcd;
  md_table table;
  progress shown;
  int64_t steps, done, interval; /* whole strides of the sampler */
  double rows, sum;              /* of the table without a row for the end: how many, and their checksum */
  bool at_end;                   /* it has that row */
  md_ended ended;
  bool unwritten;
  double saved; /* wall clock, of the last checkpoint or the start */
} run;

/* ---- frames and rows ----------------------------------------------------------------------- */

/* Up to here a run that is resumed keeps the table. */
static void mark_table(run *r) {
  if (!md_table_sync(&r->table)) r->unwritten = true;
  r->rows = md_table_rows(&r->table), r->sum = md_table_checksum(&r->table);
}

static cdn_status write_row(run *r, cdn_state *state) {
  const cdn_status status = md_table_row(&r->table, r->m, state, r->sampler.sums.heat);
  if (status != CDN_ERR_FILE) return status;
  r->unwritten = true; /* why is told when the table is closed */
  return CDN_OK;
}

static cdn_status write_frame(run *r, cdn_state *state) {
  r->at_end = r->done % r->interval != 0;
  if (r->at_end) mark_table(r);
  CDN_TRY(write_row(r, state));
  if (r->at_end) return CDN_OK;
  if (!r->dcd) return CDN_OK;
  CDN_TRY(cdn_force_field_positions(state, r->m->field, r->sampler.x));
  if (cdn_dcd_write(r->dcd, (const cdn_vec3 *)r->sampler.x) != CDN_OK) {
    complain("%s", cdn_last_error_text());
    r->unwritten = true;
  } else r->ended.frames++;
  return CDN_OK;
}

static cdn_status note(run *r) {
  CDN_TRY(md_sampler_note(&r->sampler));
  return r->done % r->interval == 0 || r->done >= r->steps ? write_frame(r, md_sampler_state(&r->sampler)) : CDN_OK;
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static const double APART = 10; /* s of real time between checkpoints */

static void save(run *r) {
  if (!r->at_end) mark_table(r);
  const md_position at = { .steps = (double)r->done,
                           .frames = (double)r->ended.frames,
                           .interval = (double)r->interval,
                           .table = r->rows,
                           .table_sum = r->sum,
                           .t0 = r->ended.t0,
                           .within = r->m->within,
                           .sums = r->sampler.sums };
  if (!md_save(r->a, &at, &r->sampler)) r->unwritten = true;
  r->saved = wall_clock();
}

/* Goes to where the run is. */
static int go_on(run *r, md_position *at, cdn_state **companion) {
  const int code = md_resume(r->a, r->m, at, companion);
  if (code != CMD_OK) return code;
  r->done = r->ended.first = (int64_t)at->steps, r->rows = at->table, r->sum = at->table_sum;
  r->ended.frames = (int64_t)at->frames, r->interval = (int64_t)at->interval;
  r->ended.t0 = at->t0, r->m->within = at->within;
  if (r->done <= r->steps) return CMD_OK;
  complain("%s: has taken %lld steps already, and --duration %g ps is %lld", visible(r->a->resume), (long long)r->done,
           r->a->duration, (long long)r->steps);
  return CMD_USAGE;
}

/* ---- the run ------------------------------------------------------------------------------- */

static cdn_status take_steps(run *r) {
  if (!r->a->resume) CDN_TRY(note(r));
  while (r->done < r->steps && !signal_caught() && !r->unwritten) {
    CDN_TRY(md_sampler_advance(&r->sampler, r->done));
    r->done += r->sampler.stride;
    CDN_TRY(note(r));
    progress_count(&r->shown, (double)r->done, (double)r->steps, "steps");
    if (r->a->checkpoint && wall_clock() - r->saved > APART) save(r);
  }
  if (r->a->checkpoint) save(r);
  return CDN_OK;
}

static bool open_trajectory(run *r) {
  const md_arguments *a = r->a;
  if (!a->output) return true;
  cdn_dcd_def def = cdn_default_dcd_def();
  def.n_atoms = r->m->n_atoms, def.time_step = a->step, def.interval = r->interval;
  def.first_step = llround(r->ended.t0 / a->step);
  const cdn_status status =
      a->resume ? cdn_dcd_append(a->output, &def, r->ended.frames, &r->dcd) : cdn_dcd_create(a->output, &def, &r->dcd);
  if (status == CDN_OK) return true;
  complain("%s", cdn_last_error_text());
  return false;
}

static bool close_outputs(run *r) {
  bool good = !r->unwritten;
  if (r->dcd && cdn_dcd_finish(r->dcd) != CDN_OK) {
    complain("%s", cdn_last_error_text());
    good = false;
  }
  return md_table_close(&r->table) && good;
}

static void tell_failure(const run *r) {
  cdn_error error;
  char doing[96];
  cdn_state_last_error(md_sampler_state(&r->sampler), &error);
  snprintf(doing, sizeof doing, "step %lld of %lld", (long long)r->done + 1, (long long)r->steps);
  complain_error(doing, &error);
  if (r->a->step > r->ended.period / 5)
    complain("a step of %g fs is long for a fastest vibration of %.3g fs: try --step %.1gfs", 1e3 * r->a->step,
             1e3 * r->ended.period, 1e3 * r->ended.period / 10);
}

/* The period of the fastest vibration, with a warning if steps are long beside it. */
static cdn_status look_at_period(run *r) {
  double omega_squared;
  CDN_TRY(cdn_fastest_mode(r->m->state, &omega_squared));
  r->ended.period = omega_squared > 0 ? 2 * acos(-1) / sqrt(omega_squared) : INFINITY;
  if (!r->a->quiet && r->a->step > r->ended.period / 5)
    complain("steps of %g fs are above a fifth of the fastest vibration, whose period is %.3g fs: energies swing "
             "widely, or the run fails; --step %.2gfs is safe",
             1e3 * r->a->step, 1e3 * r->ended.period, 1e3 * r->ended.period / 10);
  return CDN_OK;
}

/* Whole strides. */
static void count_steps(run *r) {
  const int64_t stride = md_stride(r->a);
  const double wanted = r->a->report > 0 ? r->a->report / r->a->step : r->a->duration / r->a->step / 100;
  r->steps = (llround(r->a->duration / r->a->step) + stride - 1) / stride * stride;
  r->interval = wanted < 1.5 * (double)stride ? stride : llround(wanted / (double)stride) * stride;
}

static cdn_status begin(run *r, const md_position *at, const cdn_state *companion) {
  if (!r->a->resume) CDN_TRY(md_set_speeds(r->a, r->m));
  CDN_TRY(md_sampler_open(&r->sampler, r->a, r->m, companion));
  if (!r->a->resume) r->ended.t0 = r->sampler.t0;
  else r->sampler.t0 = r->ended.t0, r->sampler.sums = at->sums;
  return CDN_OK;
}

static cdn_status take_all_steps(run *r) {
  catch_signals();
  r->shown = progress_begin("md", 0, 1, r->a->quiet);
  const double started = r->saved = wall_clock();
  cdn_status status = take_steps(r);
  r->ended.seconds = wall_clock() - started;
  progress_erase(&r->shown);
  if (status != CDN_OK) tell_failure(r);
  r->ended.steps = r->done, r->ended.t = cdn_state_time(md_sampler_state(&r->sampler));
  if (cdn_state_copy(r->m->state, md_sampler_state(&r->sampler)) != CDN_OK) status = CDN_ERR_NOMEM;
  return status;
}

static int run_between_outputs(run *r, const md_position *at) {
  if (!open_trajectory(r) || !md_table_open(&r->table, r->a, r->m, r->a->resume ? at->table : -1, at->table_sum)) {
    (void)!close_outputs(r);
    return CMD_OUTPUT;
  }
  const cdn_status status = take_all_steps(r);
  const bool written = close_outputs(r);
  if (r->sampler.sums.n > 0) md_report(r->a, r->m, &r->sampler, &r->ended);
  if (signal_caught()) return 128 + signal_caught();
  return !written ? CMD_OUTPUT : status != CDN_OK ? CMD_FAILED : CMD_OK;
}

int md_run(const md_arguments *a, md_molecule *m) {
  run r = { .a = a, .m = m };
  md_position at = { .table = -1 };
  cdn_state *companion = NULL;
  count_steps(&r);
  int code = look_at_period(&r) == CDN_OK ? CMD_OK : md_failed(a, m->state);
  if (code == CMD_OK && a->resume) code = go_on(&r, &at, &companion);
  if (code == CMD_OK && begin(&r, &at, companion) != CDN_OK) code = md_failed(a, m->state);
  if (code == CMD_OK) code = run_between_outputs(&r, &at);
  md_sampler_close(&r.sampler);
  cdn_state_destroy(companion);
  return code;
}
