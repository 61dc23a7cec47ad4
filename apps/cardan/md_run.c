/* A run of `cardan md`: equal steps, frames, rows, and what the conserved quantity says of it. */
#include <cardan/operators.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "md.h"
#include "simulate.h"

/* ---- the conserved quantity ---------------------------------------------------------------- */

static void trend_add(md_trend *s, double t, double E) {
  if (s->n == 0) s->t0 = t, s->E0 = E;
  const double x = t - s->t0, y = E - s->E0;
  s->n++;
  s->t += x, s->tt += x * x, s->E += y, s->EE += y * y, s->tE += x * y;
}

/* The change along the line over `span`, and the root mean square about it. */
static void trend_end(const md_trend *s, double span, double *drift, double *swing) {
  const double xx = s->tt - s->t * s->t / s->n, yy = s->EE - s->E * s->E / s->n, xy = s->tE - s->t * s->E / s->n;
  *drift = xx > 0 ? xy / xx * span : 0;
  *swing = sqrt(fmax(yy - (xx > 0 ? xy * xy / xx : 0), 0) / s->n);
}

/* ---- the run ------------------------------------------------------------------------------- */

typedef struct run {
  const md_arguments *a;
  md_molecule *m;
  cdn_stepper *stepper;
  cdn_dcd_writer *dcd;
  md_table table;
  progress shown;
  int64_t steps, done, first, interval, frames; /* first: those of an earlier part */
  int64_t rows;                                 /* bytes of the table without a row for the end */
  double period;                                /* of the fastest vibration, ps */
  double t0, reached;
  double kinetic; /* sum over steps, kJ/mol */
  md_trend conserved;
  double *positions; /* of a frame, nm */
  double seconds;
  cdn_certificate certificate;
  bool unwritten, failed;
  double saved; /* wall clock, of the last checkpoint or the start */
} run;

/* What a run at constant energy keeps. Forces that are fed from elsewhere add their part here. */
static cdn_status note_energy(run *r, cdn_state *state) {
  double potential, kinetic;
  CDN_TRY(cdn_potential_energy(state, &potential));
  CDN_TRY(cdn_kinetic_energy(state, &kinetic));
  trend_add(&r->conserved, cdn_state_time(state), potential + kinetic);
  r->kinetic += kinetic;
  return CDN_OK;
}

static cdn_status write_frame(run *r, cdn_state *state) {
  CDN_TRY(md_table_row(&r->table, r->m, state));
  if (r->done % r->interval != 0) return CDN_OK;
  r->rows = md_table_bytes(&r->table);
  if (!r->dcd) return CDN_OK;
  cdn_vec3 *p = (cdn_vec3 *)r->positions;
  CDN_TRY(cdn_force_field_positions(state, r->m->field, r->positions));
  if (cdn_dcd_write(r->dcd, p) != CDN_OK) {
    complain("%s", cdn_last_error_text());
    r->unwritten = true;
  } else r->frames++;
  return CDN_OK;
}

static cdn_status note(run *r) {
  cdn_state *state = cdn_stepper_state(r->stepper);
  CDN_TRY(note_energy(r, state));
  return r->done % r->interval == 0 || r->done == r->steps ? write_frame(r, state) : CDN_OK;
}

/* ---- checkpoints --------------------------------------------------------------------------- */

static const double APART = 10; /* s of real time between checkpoints */

static void save(run *r) {
  const md_position at = { .steps = (double)r->done,
                           .frames = (double)r->frames,
                           .interval = (double)r->interval,
                           .table = (double)r->rows,
                           .t0 = r->t0,
                           .kinetic = r->kinetic,
                           .within = r->table.within,
                           .trend = r->conserved };
  if (!md_save(r->a, &at, r->stepper)) r->unwritten = true;
  r->saved = wall_clock();
}

/* Trajectory and table are opened where the run is. */
static int go_on(run *r, md_position *at) {
  const int code = md_resume(r->a, r->m, at, &r->stepper);
  if (code != CMD_OK) return code;
  r->done = r->first = (int64_t)at->steps, r->rows = (int64_t)at->table, r->frames = (int64_t)at->frames,
  r->interval = (int64_t)at->interval;
  r->t0 = at->t0, r->kinetic = at->kinetic, r->conserved = at->trend;
  if (r->done <= r->steps) return CMD_OK;
  complain("%s: has taken %lld steps already, and --duration %g ps is %lld", visible(r->a->resume), (long long)r->done,
           r->a->duration, (long long)r->steps);
  return CMD_USAGE;
}

static cdn_status take_steps(run *r) {
  if (!r->a->resume) CDN_TRY(note(r));
  while (r->done < r->steps && !signal_caught() && !r->unwritten) {
    const cdn_status status = cdn_stepper_step(r->stepper, INFINITY);
    if (status == CDN_ERR_LIMIT) continue; /* a signal, which the loop looks at */
    CDN_TRY(status);
    r->done++;
    CDN_TRY(note(r));
    progress_count(&r->shown, (double)r->done, (double)r->steps, "steps");
    if (r->a->checkpoint && wall_clock() - r->saved > APART) save(r);
  }
  if (r->a->checkpoint) save(r);
  return CDN_OK;
}

/* ---- beginning and end --------------------------------------------------------------------- */

static bool open_trajectory(run *r) {
  const md_arguments *a = r->a;
  if (!a->output) return true;
  cdn_dcd_def def = cdn_default_dcd_def();
  def.n_atoms = r->m->n_atoms, def.time_step = a->step, def.interval = r->interval;
  def.first_step = llround(r->t0 / a->step);
  const cdn_status status =
      a->resume ? cdn_dcd_append(a->output, &def, r->frames, &r->dcd) : cdn_dcd_create(a->output, &def, &r->dcd);
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
  return md_table_close(&r->table, r->a) && good;
}

static cdn_status begin(run *r) {
  if (r->stepper) return CDN_OK;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = r->a->method, def.fixed_step = r->a->step;
  def.companion = r->a->companion;
  return cdn_stepper_create(r->m->state, &def, &r->stepper);
}

static void tell_failure(run *r) {
  cdn_failure failure;
  r->failed = true;
  if (!r->stepper) {
    (void)md_failed(r->a, r->m->state);
    return;
  }
  cdn_stepper_failure(r->stepper, &failure);
  if (failure.error.code == CDN_OK) cdn_state_last_error(cdn_stepper_state(r->stepper), &failure.error);
  char doing[96];
  snprintf(doing, sizeof doing, "step %lld of %lld", (long long)r->done + 1, (long long)r->steps);
  complain_error(doing, &failure.error);
  if (r->a->step > r->period / 5)
    complain("a step of %g fs is long for a fastest vibration of %.3g fs: try --step %.1gfs", 1e3 * r->a->step,
             1e3 * r->period, 1e3 * r->period / 10);
}

static void warn(const run *r) {
  if (r->a->quiet) return;
  if (r->a->step > r->period / 5)
    complain(
        "steps of %g fs are above a fifth of the fastest vibration, whose period is %.3g fs: energies swing widely, "
        "or the run fails; --step %.2gfs is safe",
        1e3 * r->a->step, 1e3 * r->period, 1e3 * r->period / 10);
}

/* ---- what it is worth ---------------------------------------------------------------------- */

static const char how[] = "kinetic + potential energy after every step, and a straight line through them";

static void print_json(const run *r, double drift, double swing, double kinetic, double temperature) {
  json_writer w = jw_begin(stdout);
  jw_integer(&w, "atoms", r->m->n_atoms), jw_integer(&w, "mobilities", r->m->nu);
  jw_integer(&w, "freedoms", r->m->freedom);
  jw_integer(&w, "steps", r->done), jw_number(&w, "step", r->a->step), jw_integer(&w, "frames", r->frames);
  jw_number(&w, "time_initial", r->t0), jw_number(&w, "time_final", r->reached);
  jw_number(&w, "fastest_period", r->period);
  jw_number(&w, "kinetic_energy", kinetic), jw_number(&w, "temperature", temperature);
  jw_number(&w, "swing", swing), jw_number(&w, "drift", drift);
  jw_number(&w, "max_constraint_error", r->certificate.max_constraint_error);
  if (r->a->companion) jw_number(&w, "error_estimate", r->certificate.error_estimate);
  jw_text(&w, "delivered", r->a->companion ? "measured" : "unknown");
  jw_number(&w, "seconds", r->seconds);
  jw_end(&w);
}

static void print_tables(const run *r, FILE *to, double drift, double swing, double kinetic, double temperature) {
  const double percent = kinetic > 0 ? 100 / kinetic : 0;
  fprintf(to, "%s: %d atoms, %d mobilities%s\n\n", visible(r->a->topology), r->m->n_atoms, r->m->nu,
          r->m->moves ? "" : ", from rest: the coordinates have no velocities");
  fprintf(to, "  steps        %lld of %g fs, %g ps; %.3g s, %.3g ns a day\n", (long long)r->done, 1e3 * r->a->step,
          r->reached - r->t0, r->seconds, 86.4 * (double)(r->done - r->first) * r->a->step / r->seconds);
  if (isfinite(r->period))
    fprintf(to, "  fastest      %.3g fs, the period of the fastest vibration at the start: %.3g steps\n",
            1e3 * r->period, r->period / r->a->step);
  fprintf(to, "  temperature  %.4g K: mean kinetic energy %.5g kJ/mol of %d freedoms\n", temperature, kinetic,
          r->m->freedom);
  fprintf(to, "  swing        %.3g kJ/mol, %.2g %% of the kinetic energy: root mean square about the trend\n", swing,
          swing * percent);
  fprintf(to, "  drift        %.3g kJ/mol, %.2g %%: the trend over the run\n", drift, drift * percent);
  fprintf(to, "               known from %s\n", how);
  if (cdn_system_nudoterr(r->m->system) > 0)
    fprintf(to, "  loops        closed to %.2g\n", r->certificate.max_constraint_error);
  if (r->a->companion)
    fprintf(to, "  error        %.2g in %s, the distance to a run of half the steps\n", r->certificate.error_estimate,
            visible(r->certificate.error_slot));
  else fprintf(to, "  delivered    unknown: steps are equal, and no second run went along (--companion)\n");
}

static void report(run *r) {
  double drift, swing;
  const double kinetic = r->kinetic / r->conserved.n,
               temperature = r->m->freedom > 0 ? 2 * kinetic / (r->m->freedom * CDN_GAS_CONSTANT) : 0;
  r->reached = cdn_state_time(cdn_stepper_state(r->stepper));
  trend_end(&r->conserved, r->reached - r->t0, &drift, &swing);
  if (cdn_stepper_certificate(r->stepper, &r->certificate) != CDN_OK) return;
  if (r->a->json) print_json(r, drift, swing, kinetic, temperature);
  else
    print_tables(r, r->a->table && strcmp(r->a->table, "-") == 0 ? stderr : stdout, drift, swing, kinetic, temperature);
}

int md_run(const md_arguments *a, md_molecule *m) {
  run r = { .a = a, .m = m, .steps = llround(a->duration / a->step), .t0 = cdn_state_time(m->state) };
  const double wanted = a->report > 0 ? a->report / a->step : (double)r.steps / 100;
  r.interval = wanted < 1 ? 1 : llround(wanted);
  cdn_status status = md_fastest_period(m->state, &r.period);
  if (status != CDN_OK) return md_failed(a, m->state);
  warn(&r);
  md_position at = { .table = -1 };
  const int code = a->resume ? go_on(&r, &at) : CMD_OK;
  if (code != CMD_OK || !open_trajectory(&r) || !md_table_open(&r.table, a, m, a->resume ? (int64_t)at.table : -1)) {
    (void)cdn_dcd_finish(r.dcd);
    (void)md_table_close(&r.table, a);
    cdn_stepper_destroy(r.stepper);
    return code != CMD_OK ? code : CMD_OUTPUT;
  }
  if (a->resume) r.table.begun = true, r.table.within = at.within;
  r.positions = allocate(3 * (size_t)m->n_atoms, sizeof *r.positions);
  const double started = r.saved = wall_clock();
  status = begin(&r);
  if (status == CDN_OK) {
    interrupt_on_signal(r.stepper);
    catch_signals();
    r.shown = progress_begin("md", 0, 1, a->quiet);
    status = take_steps(&r);
    progress_erase(&r.shown);
    interrupt_on_signal(NULL);
  }
  r.seconds = wall_clock() - started;
  if (status != CDN_OK) tell_failure(&r);
  const bool written = close_outputs(&r);
  if (r.stepper && r.conserved.n > 0) report(&r);
  if (r.stepper) status = cdn_state_copy(m->state, cdn_stepper_state(r.stepper));
  cdn_stepper_destroy(r.stepper);
  free(r.positions);
  if (signal_caught()) return 128 + signal_caught();
  return !written ? CMD_OUTPUT : r.failed || status != CDN_OK ? CMD_FAILED : CMD_OK;
}
