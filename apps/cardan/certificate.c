/* The certificate of a run, as text and as JSON. */
#include "simulate.h"

#include <math.h>
#include <string.h>

static void line(FILE *file, const char *label) { fprintf(file, "  %-26s", label); }

/* Speeds people can read: no exponent for a thousand times real time. */
static void print_speed(FILE *file, double speed) { fprintf(file, speed < 1000 ? "%.3g" : "%.0f", speed); }

/* The first line: the requested and the delivered accuracy. */
static void print_verdict(FILE *file, const run_record *r) {
  char text[400];
  double better = cdn_certificate_suggestion(&r->certificate);
  cdn_certificate_verdict(&r->certificate, text, sizeof text);
  fputs(visible(text), file);
  if (r->delivery.runs == 0 && better > 0) { fprintf(file, "; --deliver, or --accuracy %.0e", better); }
  fputc('\n', file);
}

static void print_delivery(FILE *file, const run_record *r) {
  const cdn_delivery *d = &r->delivery;
  line(file, "delivery");
  fprintf(file, "%d runs, %lld evaluations in all; kept: the one at accuracy %.2g\n", d->runs,
          (long long)d->evaluations, d->accuracy);
  if (d->message[0]) {
    line(file, "not attainable");
    fprintf(file, "%s\n", visible(d->message));
  }
}

/* Contact has a line if there are shapes that may touch. */
static void print_contact(FILE *file, const run_record *r) {
  const int shapes = cdn_system_shape_count(cdn_model_system(r->source));
  if (shapes == 0) return;
  line(file, "contact");
  fprintf(file, "%s, %d shapes; ", contact_word(cdn_model_system(r->source)), shapes);
  if (r->onset > 0) fprintf(file, "sets in over %.2g m; ", r->onset);
  if (r->most_contacts > 0) fprintf(file, "at most %.0f contacts at a time, in its rows\n", r->most_contacts);
  else fprintf(file, "nothing touched in its rows\n");
}

static const char *many(double n) { return n == 1 ? "" : "s"; }

/* What acts on one side, or rubs, has lines if there is any. */
static void print_moments(FILE *file, const run_record *r) {
  const cdn_hybrid_totals *m = &r->moments;
  if (m->moments == 0) return;
  line(file, "contact by events");
  fprintf(file, "%.0f moment%s, %.0f impact%s that took %.9g J, %.0f capture%s; worst residual %.1e\n", m->moments,
          many(m->moments), m->impacts, many(m->impacts), m->impact_energy, m->captures, many(m->captures),
          m->worst_residual);
  if (m->lowered > 0) {
    line(file, "restitution lowered");
    fprintf(file, "in %.0f impact%s, which would have added energy\n", m->lowered, many(m->lowered));
  }
  if (m->jams > 0) {
    line(file, "friction jammed");
    fprintf(file, "%.0f time%s: impacts without any approach\n", m->jams, many(m->jams));
  }
}

static void write_moments_json(json_writer *w, const run_record *r) {
  const cdn_hybrid_totals *m = &r->moments;
  jw_object(w, "contact_by_events", true);
  jw_integer(w, "moments", (int64_t)m->moments);
  jw_integer(w, "impacts", (int64_t)m->impacts);
  jw_integer(w, "captures", (int64_t)m->captures);
  jw_number(w, "impact_energy", m->impact_energy);
  jw_integer(w, "lowered", (int64_t)m->lowered);
  jw_integer(w, "jams", (int64_t)m->jams);
  jw_number(w, "worst_residual", m->worst_residual);
  jw_close(w);
}

/* Parts of the file that the run left out: a fall through the floor has a fine energy residual. */
static void print_not_simulated(FILE *file, const cdn_model *model) {
  enum { LABEL = 28, MOST_COLUMNS = 110 };
  bool contact = false;
  int column = LABEL, n = cdn_model_not_understood_count(model);
  if (n == 0) return;
  line(file, "not simulated");
  for (int i = 0; i < n; i++) {
    const cdn_model_note note = cdn_model_not_understood(model, i);
    char item[160];
    int length = snprintf(item, sizeof item, "%d x %s%s", note.count, visible(note.element), i < n - 1 ? ", " : "");
    contact = contact || strstr(note.element, "contact");
    if (column > LABEL && column + length > MOST_COLUMNS) {
      fprintf(file, "\n%*s", LABEL, "");
      column = LABEL;
    }
    column += fprintf(file, "%s", item);
  }
  if (contact) fprintf(file, "\n%*sWithout contact, bodies pass through each other and through the floor.", LABEL, "");
  fputc('\n', file);
}

/* Many steps that stability keeps short call for an implicit method. */
static bool looks_stiff(const cdn_certificate *c) { return c->stiff_steps > c->steps / 2; }

void certificate_print(FILE *file, const run_record *r) {
  const cdn_certificate *c = &r->certificate;
  double simulated = c->time_final - c->time_initial;
  char a[CDN_NUMBER_SIZE], b[CDN_NUMBER_SIZE];
  print_verdict(file, r);
  fprintf(file, "%s: t = %s to %s s%s\n", visible(r->model), rounded(c->time_initial, a), rounded(c->time_final, b),
          r->failed   ? " (failed)"
          : r->signal ? " (interrupted)"
                      : "");
  line(file, r->step > 0 ? "step, fixed" : "accuracy");
  if (r->step > 0) fprintf(file, "%.3g s, no error control\n", r->step);
  else fprintf(file, "%.3g\n", r->accuracy);
  line(file, "steps");
  fprintf(file, "%lld, and %lld rejected\n", (long long)c->steps, (long long)c->rejected);
  if (c->steps > 0) {
    line(file, "step sizes");
    fprintf(file, "%.3g to %.3g s\n", c->smallest_step, c->largest_step);
  }
  if (c->rounding_steps > c->steps / 2) {
    line(file, "rounding");
    fprintf(file, "%.0f %% of the steps are as accurate as rounding allows: the accuracy asks for more\n",
            100 * (double)c->rounding_steps / (double)c->steps);
  }
  if (c->below_tolerance[0]) {
    line(file, "below the accuracy");
    fprintf(file, "%s moves by %.2g only: try --accuracy %.0e, or other units\n", visible(c->below_tolerance),
            c->below_tolerance_motion, 1e-2 * c->below_tolerance_motion);
  }
  if (c->below_rounding[0]) {
    line(file, "below rounding");
    fprintf(file, "%s is rounded to %.2g: ask for less accuracy, or shift its origin\n", visible(c->below_rounding),
            c->below_rounding_size);
  }
  line(file, "evaluations");
  fprintf(file, "%lld", (long long)c->evaluations);
  if (c->companion_evaluations > 0) fprintf(file, ", and %lld of the companion", (long long)c->companion_evaluations);
  fputc('\n', file);
  if (c->jacobians > 0) {
    line(file, "Jacobians");
    fprintf(file, "%lld\n", (long long)c->jacobians);
  }
  if (looks_stiff(c)) {
    line(file, "stiff");
    fprintf(file, "stability, not accuracy, kept %.0f %% of the steps short: %s\n",
            100 * (double)c->stiff_steps / (double)c->steps,
            cdn_method_is_available(CDN_METHOD_CVODE_BDF)
                ? "try --method cvode-bdf"
                : "--method cvode-bdf would take longer ones, in a library built with SUNDIALS");
  }
  line(file, "energy");
  fprintf(file, "%.9g J to %.9g J\n", c->energy_initial, c->energy_final);
  line(file, "work without potential");
  fprintf(file, "%.9g J\n", c->work);
  line(file, "energy residual");
  if (isfinite(c->energy_residual)) fprintf(file, "%.2e of the energy in motion\n", c->energy_residual);
  else fprintf(file, "not defined: the energy is not finite\n");
  line(file, "largest constraint error");
  fprintf(file, "%.2e (positions %.2e, velocities %.2e)\n", c->max_constraint_error, c->max_position_error,
          c->max_velocity_error);
  print_contact(file, r);
  print_moments(file, r);
  print_not_simulated(file, r->source);
  if (c->kernel_changes > 0) {
    line(file, "resumed elsewhere");
    fprintf(file, "on a processor that rounds differently: not the bits of an uninterrupted run\n");
  }
  line(file, "wall time");
  fprintf(file, "%.3g s", r->wall_seconds);
  if (r->wall_seconds > 0) {
    fputs(", ", file);
    print_speed(file, simulated / r->wall_seconds);
    fputs(" x real time", file);
  }
  fputc('\n', file);
  if (r->delivery.runs > 0) print_delivery(file, r);
}

void certificate_print_failure(FILE *file, const run_record *r) {
  const cdn_failure *f = &r->failure;
  char message[640];
  error_message(&f->error, message, sizeof message);
  fprintf(file, "cardan: %s: the run failed: %s\n", visible(r->path), visible(message));
  line(file, "time reached");
  fprintf(file, "%.9g s\n", f->time);
  line(file, "status");
  fprintf(file, "%s, %s, at stage %s\n", cdn_status_name(f->error.code), cdn_status_text(f->error.code),
          cdn_stage_name(f->error.stage));
  if (f->step > 0) {
    line(file, "step last tried");
    fprintf(file, "%.3g s\n", f->step);
  }
  if (f->coordinate[0]) {
    line(file, "worst coordinate");
    fprintf(file, "%s, its error %.3g times what the accuracy allows\n", visible(f->coordinate), f->coordinate_error);
  }
  for (int i = 0; i < f->n_last; i++) {
    line(file, i ? "" : "last steps");
    fprintf(file, "t = %-15.9g step %-9.3g ", f->last_time[i], f->last_step[i]);
    if (f->last_error[i] < 0) fputs("could not be evaluated\n", file);
    else if (r->step > 0) fputs("done\n", file);
    else fprintf(file, "error %.3g times what is allowed\n", f->last_error[i]);
  }
  if (f->advice[0]) {
    line(file, "what to try");
    fprintf(file, "%s\n", visible(f->advice));
  }
}

static void write_failure_json(json_writer *w, const cdn_failure *f) {
  char message[640];
  error_message(&f->error, message, sizeof message);
  jw_text(w, "reason", message);
  jw_object(w, "failure", false);
  jw_text(w, "status", cdn_status_name(f->error.code));
  jw_text(w, "element", f->error.element);
  jw_text(w, "stage", cdn_stage_name(f->error.stage));
  jw_number(w, "time", f->time);
  jw_number(w, "step", f->step);
  jw_text(w, "coordinate", f->coordinate);
  jw_number(w, "coordinate_error", f->coordinate_error);
  jw_numbers(w, "last_time", f->last_time, f->n_last);
  jw_numbers(w, "last_step", f->last_step, f->n_last);
  jw_array(w, "last_error", true); // null: the attempt could not be evaluated
  for (int i = 0; i < f->n_last; i++) jw_number(w, NULL, f->last_error[i] < 0 ? NAN : f->last_error[i]);
  jw_close(w);
  jw_text(w, "advice", f->advice);
  jw_close(w);
}

static void write_estimate_json(json_writer *w, const run_record *r, const cdn_certificate *c) {
  char text[400];
  cdn_certificate_verdict(c, text, sizeof text);
  jw_text(w, "verdict", text);
  if (c->delivered == CDN_VERDICT_UNKNOWN) jw_text(w, "delivered", "unknown");
  else jw_boolean(w, "delivered", c->delivered == CDN_VERDICT_DELIVERED);
  jw_number(w, "error_estimate", c->error_estimate);
  jw_number(w, "error_estimate_q", c->error_estimate_q);
  jw_number(w, "error_estimate_u", c->error_estimate_u);
  jw_number(w, "error_estimate_z", c->error_estimate_z);
  jw_text(w, "error_slot", c->error_slot);
  jw_number(w, "error_time", c->error_time);
  jw_number(w, "delivered_until", c->delivered_until);
  jw_number(w, "compared_until", c->compared_until);
  jw_number(w, "amplification", c->amplification);
  jw_integer(w, "companion_evaluations", c->companion_evaluations);
  if (c->below_tolerance[0]) {
    jw_text(w, "below_tolerance", c->below_tolerance);
    jw_number(w, "below_tolerance_motion", c->below_tolerance_motion);
  }
  if (c->below_rounding[0]) {
    jw_text(w, "below_rounding", c->below_rounding);
    jw_number(w, "below_rounding_size", c->below_rounding_size);
  }
  if (c->event_alone[0]) {
    jw_text(w, "event_alone", c->event_alone);
    jw_number(w, "event_alone_time", c->event_alone_time);
  }
  if (c->bifurcation[0]) {
    jw_text(w, "bifurcation", c->bifurcation);
    jw_number(w, "bifurcation_time", c->bifurcation_time);
  }
  if (r->delivery.runs == 0) return;
  jw_object(w, "delivery", false);
  jw_integer(w, "runs", r->delivery.runs);
  jw_number(w, "accuracy", r->delivery.accuracy);
  jw_integer(w, "evaluations", r->delivery.evaluations);
  if (r->delivery.message[0]) jw_text(w, "unattainable", r->delivery.message);
  jw_close(w);
}

void certificate_write_json(FILE *file, const run_record *r) {
  cdn_certificate c = r->certificate;
  // a run that never began has no energies: null, not zero
  if (!r->certified) {
    c.energy_initial = c.energy_final = c.energy_residual = c.work = NAN;
    c.max_constraint_error = c.max_position_error = c.max_velocity_error = NAN;
    c.error_estimate = c.error_estimate_q = c.error_estimate_u = c.error_estimate_z = NAN;
    c.error_time = c.delivered_until = c.compared_until = c.amplification = NAN;
  }
  json_writer w = jw_begin(file);
  jw_text(&w, "model", r->model);
  jw_text(&w, "file", r->path);
  jw_boolean(&w, "failed", r->failed);
  if (r->failed) write_failure_json(&w, &r->failure);
  jw_boolean(&w, "interrupted", r->signal != 0);
  jw_number(&w, "time_initial", c.time_initial);
  jw_number(&w, "time_final", c.time_final);
  jw_number(&w, "duration", r->duration);
  jw_number(&w, "accuracy", r->step > 0 ? NAN : r->accuracy);
  jw_number(&w, "fixed_step", r->step > 0 ? r->step : NAN);
  jw_text(&w, "method", cdn_method_name(r->method));
  jw_integer(&w, "steps", c.steps);
  jw_integer(&w, "rejected", c.rejected);
  jw_integer(&w, "evaluations", c.evaluations);
  jw_integer(&w, "jacobians", c.jacobians);
  jw_integer(&w, "stiff_steps", c.stiff_steps);
  jw_number(&w, "smallest_step", c.smallest_step);
  jw_number(&w, "largest_step", c.largest_step);
  jw_number(&w, "energy_initial", c.energy_initial);
  jw_number(&w, "energy_final", c.energy_final);
  jw_number(&w, "work", c.work);
  jw_number(&w, "energy_residual", c.energy_residual);
  jw_number(&w, "max_constraint_error", c.max_constraint_error);
  jw_number(&w, "max_position_error", c.max_position_error);
  jw_number(&w, "max_velocity_error", c.max_velocity_error);
  jw_integer(&w, "soft_iterations", c.soft_iterations);
  jw_number(&w, "max_soft_residual", c.max_soft_residual);
  jw_integer(&w, "unconverged_stages", c.unconverged_stages);
  jw_integer(&w, "kernel_changes", c.kernel_changes);
  const int shapes = cdn_system_shape_count(cdn_model_system(r->source));
  jw_text(&w, "contact", contact_word(cdn_model_system(r->source)));
  jw_number(&w, "soft_onset", r->onset);
  jw_integer(&w, "shapes", shapes);
  jw_integer(&w, "most_contacts", (int64_t)r->most_contacts);
  write_moments_json(&w, r);
  jw_text(&w, "doubt", c.doubt);
  jw_array(&w, "not_understood", false);
  for (int i = 0; i < cdn_model_not_understood_count(r->source); i++)
    jw_note(&w, cdn_model_not_understood(r->source, i));
  jw_close(&w);
  jw_number(&w, "wall_seconds", r->wall_seconds);
  write_estimate_json(&w, r, &c);
  jw_end(&w);
}
