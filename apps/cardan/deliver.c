/* --deliver: runs, and runs again with a tighter accuracy, until the error estimate is at most two accuracies; or
 * says why that is not possible.
 *
 * The first pass is a run at the requested accuracy with its companion at a tenth of it. Each further pass is one
 * run, tighter than the best one so far; its distance from that one estimates that one's error. So no run is wasted:
 * each is the judge of the one before and a candidate itself. Errors go as the accuracy, which tells how tight the
 * next run must be. If two passes in a row agree with that, the error of the last run is known without another
 * judge. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run with its output. */
typedef struct attempt {
  double accuracy, error; /* error: the present estimate */
  FILE *rows, *states;    /* temporary files; rows NULL where no trajectory was asked for */
  trajectory out;
  cdn_certificate certificate;
} attempt;

typedef struct campaign {
  const simulate_arguments *arguments;
  cdn_state *initial;
  trajectory *out;
  run_record *record;
  double t0, t_end, count;
  int ny;
  char parting[96]; /* the singular pose at which the first run and its companion part, or "" */
  double parting_time;
  cdn_state *other; /* the State of the run that is compared with */
  double *y;
} campaign;

/* The distance between two runs. */
typedef struct comparison {
  double largest, of[3], time, until;
  char slot[96];
} comparison;

/* ---- attempts -------------------------------------------------------------------------------- */

static bool attempt_open(campaign *c, attempt *a, double accuracy) {
  *a = (attempt){ .accuracy = accuracy, .states = tmpfile() };
  if (c->out->file) a->rows = tmpfile();
  if (a->states && (a->rows || !c->out->file)) {
    trajectory_begin_in(&a->out, a->rows, c->arguments);
    return true;
  }
  complain("a temporary file could not be made: %s", strerror(errno));
  return false;
}

static void attempt_close(attempt *a) {
  trajectory_end(&a->out);
  if (a->rows) fclose(a->rows);
  if (a->states) fclose(a->states);
  *a = (attempt){ 0 };
}

/* A row and the State's y. */
static cdn_status keep_report(campaign *c, attempt *a, cdn_stepper *stepper) {
  cdn_state *s = cdn_stepper_state(stepper);
  const cdn_system *system = cdn_state_system(s);
  fwrite(cdn_state_q(s), sizeof(double), (size_t)cdn_system_nq(system), a->states);
  fwrite(cdn_state_u(s), sizeof(double), (size_t)cdn_system_nu(system), a->states);
  fwrite(cdn_state_z(s), sizeof(double), (size_t)cdn_system_nz(system), a->states);
  cdn_status status = trajectory_row(&a->out, stepper);
  if (!ferror(a->states) && !(a->rows && ferror(a->rows))) return status;
  complain("a temporary file could not be written: %s", strerror(errno));
  (void)c;
  return CDN_ERR_FILE;
}

/* The distance at a report from the run that wrote `states`, which are read in order. */
static cdn_status compare(campaign *c, FILE *states, cdn_stepper *stepper, comparison *found) {
  double t = cdn_state_time(cdn_stepper_state(stepper));
  cdn_distance d;
  if (fread(c->y, sizeof(double), (size_t)c->ny, states) != (size_t)c->ny) return CDN_ERR_FILE;
  cdn_status status = cdn_state_set_ty(c->other, t, c->y);
  if (status == CDN_OK) status = cdn_stepper_distance(stepper, c->other, &d);
  if (status != CDN_OK) return status;
  found->of[0] = fmax(found->of[0], d.q);
  found->of[1] = fmax(found->of[1], d.u);
  found->of[2] = fmax(found->of[2], d.z);
  if (d.largest > found->largest) {
    found->largest = d.largest;
    found->time = t;
    memcpy(found->slot, d.slot, sizeof d.slot);
  }
  if (found->largest <= 3 * c->arguments->accuracy) found->until = t;
  return CDN_OK;
}

static void keep_failure(campaign *c, cdn_stepper *stepper) {
  c->record->failed = true;
  if (stepper) cdn_stepper_failure(stepper, &c->record->failure);
  if (!stepper || c->record->failure.error.code == CDN_OK || c->record->failure.error.code == CDN_ERR_LIMIT)
    keep_state_failure(c->record, stepper ? cdn_stepper_state(stepper) : c->initial);
}

/* One pass: a run into `a`, its companion into `companion` (NULL: none), compared with `before` (NULL: no
 * comparison). False: it failed or was interrupted. */
static bool run_pass(campaign *c, const char *label, attempt *a, attempt *companion, attempt *before,
                     comparison *found) {
  simulate_arguments arguments = *c->arguments;
  arguments.accuracy = a->accuracy;
  arguments.no_companion = companion == NULL;
  const cdn_stepper_def def = stepper_def_of(&arguments, c->t_end);
  cdn_stepper *stepper = NULL;
  progress shown = progress_begin(label, c->t0, c->t_end, arguments.model.quiet);
  *found = (comparison){ .until = c->t0 };
  if (before) rewind(before->states);
  cdn_status status = cdn_stepper_create(c->initial, &def, &stepper);
  attempt *written[] = { a, companion };
  for (int i = 0; i < 2 && status == CDN_OK; i++) {
    cdn_stepper *of = i ? cdn_stepper_companion(stepper) : stepper;
    if (!written[i]) continue;
    status = trajectory_begin(&written[i]->out, of, true);
    if (status == CDN_OK) status = trajectory_row(&written[i]->out, of);
  }
  for (double k = 1; k <= c->count && status == CDN_OK && !signal_caught(); k++) {
    status = advance_in_pieces(stepper, report_time(c->t0, c->t_end, c->arguments->report, k), &shown, NULL, NULL);
    if (status != CDN_OK || signal_caught()) break;
    status = keep_report(c, a, stepper);
    if (status == CDN_OK && companion) status = keep_report(c, companion, cdn_stepper_companion(stepper));
    if (status == CDN_OK && before) status = compare(c, before->states, stepper, found);
  }
  progress_erase(&shown);
  if (status == CDN_OK) status = cdn_stepper_certificate(stepper, &a->certificate);
  if (status == CDN_OK && companion)
    status = cdn_stepper_certificate(cdn_stepper_companion(stepper), &companion->certificate);
  if (status != CDN_OK) keep_failure(c, stepper);
  c->record->delivery.runs += companion ? 2 : 1;
  c->record->delivery.evaluations += a->certificate.evaluations + (companion ? companion->certificate.evaluations : 0);
  trajectory_end(&a->out);
  if (companion) trajectory_end(&companion->out);
  cdn_stepper_destroy(stepper);
  return status == CDN_OK && !signal_caught();
}

/* ---- the run that is kept ---------------------------------------------------------------------- */

static void copy_rows(attempt *a, trajectory *out) {
  char piece[1 << 16];
  if (!a->rows || !out->file) return;
  rewind(a->rows);
  for (size_t n; (n = fread(piece, 1, sizeof piece, a->rows)) > 0;) {
    if (fwrite(piece, 1, n, out->file) != n) return; // told when the file is closed
  }
}

/* The record of this run, with the present estimate of its error. */
static void keep(campaign *c, attempt *a, const comparison *found, double error) {
  run_record *r = c->record;
  cdn_certificate *into = &r->certificate;
  double asked = c->arguments->accuracy, scale = found->largest > 0 ? error / found->largest : 1;
  *into = a->certificate;
  r->certified = true;
  r->most_contacts = a->out.most_contacts;
  r->delivery.accuracy = a->accuracy;
  into->accuracy = asked;
  into->error_estimate = error;
  into->error_estimate_q = scale * found->of[0];
  into->error_estimate_u = scale * found->of[1];
  into->error_estimate_z = scale * found->of[2];
  into->error_time = found->time;
  memcpy(into->error_slot, found->slot, sizeof into->error_slot);
  into->delivered = error <= 3 * asked ? CDN_VERDICT_DELIVERED : CDN_VERDICT_NOT_DELIVERED;
  into->delivered_until = error <= 3 * asked ? c->t_end : found->until;
  if (error > 3 * asked) {
    memcpy(into->parting, c->parting, sizeof into->parting);
    into->parting_time = c->parting_time;
  }
  copy_rows(a, c->out);
}

/* ---- the campaign ------------------------------------------------------------------------------ */

enum { MOST_PASSES = 5 };
static const double TIGHTEST = 2e-15;

/* Why tightening does not help. */
static void explain(campaign *c, const attempt *best, double amplification, bool stuck) {
  char *text = c->record->delivery.unattainable;
  const size_t size = sizeof c->record->delivery.unattainable;
  if (c->parting[0])
    snprintf(
        text, size,
        "branches part at a singular pose at t = %.4g s, of %s: the mechanism can go on in more than one way, and no "
        "accuracy decides which",
        c->parting_time, c->parting);
  else if (best->error > 0.3)
    snprintf(text, size,
             "errors grow until the runs have nothing in common (a chaotic motion, or two ways to go on), whatever "
             "the accuracy; up to t = %.4g s it is delivered",
             c->record->certificate.delivered_until);
  else if (stuck)
    snprintf(text, size, "tighter steps do not reduce the error: look for a force that jumps near t = %.4g s",
             c->record->certificate.error_time);
  else
    snprintf(text, size, "the motion amplifies errors %.2g times, rounding included: no step is that accurate",
             amplification);
}

/* The accuracy of the next run: tight enough to judge the best one, or to reach the goal itself. */
static double next_accuracy(const attempt *best, double bound) {
  return best->error <= 0.75 * bound ? 0.3 * best->accuracy : best->accuracy * 0.2 * bound / best->error;
}

static void tighten(campaign *c, attempt *best, double amplification, const comparison *first) {
  const double bound = 2 * c->arguments->accuracy;
  comparison found = *first, last = *first;
  int stuck = 0;
  for (int pass = 0;; pass++) {
    attempt next;
    double accuracy = next_accuracy(best, bound);
    char label[48];
    if (accuracy < TIGHTEST || stuck >= 2 || pass == MOST_PASSES) {
      keep(c, best, &last, fmax(best->error, pass ? 0 : last.largest / 9));
      explain(c, best, amplification, stuck >= 2);
      return;
    }
    if (!attempt_open(c, &next, accuracy)) return;
    snprintf(label, sizeof label, "deliver: accuracy %.1e", accuracy);
    if (!run_pass(c, label, &next, NULL, best, &found)) {
      attempt_close(&next);
      return;
    }
    double shrinks = accuracy / best->accuracy, surprise = found.largest / best->error;
    if (found.largest <= bound) {
      keep(c, best, &found, found.largest);
      attempt_close(&next);
      return;
    }
    next.error = found.largest * shrinks / (1 - shrinks);
    /* rounding does not go as the accuracy */
    const bool rounded = next.certificate.rounding_steps > next.certificate.steps / 2;
    if (surprise > 0.05 && surprise < 3 && next.error <= 0.75 * bound && !rounded) {
      c->record->delivery.by_proportion = true;
      keep(c, &next, &found, next.error);
      attempt_close(&next);
      return;
    }
    /* where errors do not shrink, the next one is as bad as this one */
    if (found.largest > 0.5 * last.largest) stuck++, next.error = found.largest;
    last = found;
    attempt_close(best);
    *best = next;
  }
}

static void run_campaign(campaign *c) {
  attempt asked, companion;
  comparison none;
  if (!attempt_open(c, &asked, c->arguments->accuracy)) return;
  if (!attempt_open(c, &companion, 0.1 * c->arguments->accuracy)) {
    attempt_close(&asked);
    return;
  }
  bool arrived = run_pass(c, "simulate", &asked, &companion, NULL, &none);
  const cdn_certificate *worth = &asked.certificate;
  const bool within = arrived && worth->error_estimate <= 2 * c->arguments->accuracy;
  memcpy(c->parting, worth->parting, sizeof c->parting);
  c->parting_time = worth->parting_time;
  /* from a pose that it starts in a motion may go either way: tighter runs that agree do so by chance */
  const bool undecided = c->parting[0] && c->parting_time <= c->t0;
  if (!arrived || worth->delivered == CDN_VERDICT_UNKNOWN || within || worth->below_rounding[0] || undecided) {
    if (undecided) explain(c, &companion, worth->amplification, false);
    else if (!within && worth->below_rounding[0])
      snprintf(c->record->delivery.unattainable, sizeof c->record->delivery.unattainable,
               "%s is rounded to %.1e: ask for less accuracy, or shift its origin", worth->below_rounding,
               worth->below_rounding_size);
    c->record->certificate = *worth;
    c->record->certified = arrived;
    c->record->delivery.accuracy = asked.accuracy;
    copy_rows(&asked, c->out);
  } else {
    comparison first = { .largest = worth->error_estimate,
                         .of = { worth->error_estimate_q, worth->error_estimate_u, worth->error_estimate_z },
                         .time = worth->error_time,
                         .until = worth->delivered_until };
    memcpy(first.slot, worth->error_slot, sizeof first.slot);
    /* the distance of the two is nine tenths of the first run's error */
    companion.error = worth->error_estimate / 9;
    tighten(c, &companion, worth->amplification, &first);
  }
  attempt_close(&asked);
  attempt_close(&companion);
}

void deliver(const simulate_arguments *arguments, cdn_state *initial, trajectory *out, run_record *record) {
  const cdn_system *system = cdn_state_system(initial);
  campaign c = { .arguments = arguments,
                 .initial = initial,
                 .out = out,
                 .record = record,
                 .t0 = cdn_state_time(initial),
                 .ny = cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system) };
  c.t_end = c.t0 + arguments->duration;
  c.count = report_count(c.t0, c.t_end, arguments->report);
  record->certificate.time_initial = record->certificate.time_final = c.t0;
  c.y = allocate((size_t)c.ny, sizeof *c.y);
  double started = wall_clock();
  catch_signals();
  if (cdn_state_create(system, &c.other) == CDN_OK) run_campaign(&c);
  record->wall_seconds = wall_clock() - started;
  record->signal = record->certified ? 0 : signal_caught();
  cdn_state_destroy(c.other);
  free(c.y);
}
