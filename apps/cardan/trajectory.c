/* The trajectory of a run: its columns and rows, and how a run that is resumed goes on with it. */
#include "simulate.h"

#include <float.h>

void trajectory_begin_in(trajectory *out, FILE *file, const simulate_arguments *a) {
  *out = (trajectory){ .interval = a->report, .step_sizes = a->step_sizes, .last_time = -DBL_MAX };
  table_file_begin(&out->to, file, a->output);
}

bool trajectory_open(trajectory *out, const simulate_arguments *a) {
  FILE *file;
  if (!open_output(a->output, &file)) return false;
  trajectory_begin_in(out, file, a);
  return true;
}

/* ---- rows ---------------------------------------------------------------------------------- */

static cdn_trajectory_def make_def(bool step_sizes) {
  static const char *const own[] = { "step_size" };
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.all_measures = true;
  def.own = own, def.n_own = step_sizes ? 1 : 0;
  return def;
}

cdn_status trajectory_begin(trajectory *out, cdn_stepper *stepper, bool header) {
  if (!out->to.file) return CDN_OK;
  const cdn_trajectory_def def = make_def(out->step_sizes);
  cdn_status status =
      cdn_trajectory_create(cdn_stepper_state(stepper), &def, table_file_append, &out->to, &out->writer);
  return status == CDN_OK && header ? cdn_trajectory_header(out->writer) : status;
}

cdn_status trajectory_row(trajectory *out, cdn_stepper *stepper) {
  int contacts;
  CDN_TRY(cdn_contact_count(cdn_stepper_state(stepper), &contacts));
  if (contacts > out->most_contacts) out->most_contacts = contacts;
  if (!out->writer) return CDN_OK;
  const double step = cdn_stepper_last_step(stepper);
  cdn_status status = cdn_trajectory_row(out->writer, cdn_stepper_state(stepper), &step);
  if (status == CDN_OK) out->last_time = cdn_state_time(cdn_stepper_state(stepper));
  return status;
}

void trajectory_end(trajectory *out) {
  cdn_trajectory_destroy(out->writer);
  out->writer = NULL;
}

/* ---- going on ------------------------------------------------------------------------------ */

bool trajectory_resume(trajectory *out, const simulate_arguments *a, const run_position *p, cdn_state *initial) {
  const cdn_trajectory_def def = make_def(a->step_sizes);
  cdn_buffer header = { .size = 0 };
  cdn_trajectory *writer = NULL;
  trajectory_begin_in(out, NULL, a);
  out->last_time = p->last_time;
  out->most_contacts = p->most_contacts;
  if (!a->output) return true;
  cdn_status status = cdn_trajectory_create(initial, &def, cdn_buffer_write, &header, &writer);
  if (status == CDN_OK) status = cdn_trajectory_header(writer);
  const bool good = status == CDN_OK && table_file_resume(&out->to, a->output, "trajectory", &header, p->written);
  cdn_trajectory_destroy(writer);
  cdn_buffer_free(&header);
  return good;
}
