/* The trajectory of a run: its columns and rows, and how a run that is resumed goes on with it. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <float.h>
#include <stdlib.h>

static cdn_trajectory_def make_def(bool step_sizes) {
  static const char *const own[] = { "step_size" }, *const units[] = { "s" };
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.all_measures = true;
  def.own = own, def.own_units = units, def.n_own = step_sizes ? 1 : 0;
  return def;
}

static void begin(trajectory *out, const simulate_arguments *a) {
  *out = (trajectory){ .interval = a->report, .last_time = -DBL_MAX };
}

/* What a run can be repeated by. */
static void keep_options(trajectory *out, const simulate_arguments *a) {
  char number[CDN_NUMBER_SIZE];
  table_file_keep(&out->to, "model", a->model.path);
  table_file_keep(&out->to, "method", cdn_method_name(a->method));
  if (a->step > 0) table_file_keep(&out->to, "step", cdn_number_text(a->step, number));
  else table_file_keep(&out->to, "accuracy", cdn_number_text(a->accuracy, number));
}

bool trajectory_open(trajectory *out, const simulate_arguments *a, cdn_state *initial) {
  const cdn_trajectory_def def = make_def(a->step_sizes);
  begin(out, a);
  if (!table_file_open(&out->to, a->output, &def, initial)) return false;
  keep_options(out, a);
  if (events_open(&out->events, a->events)) return true;
  (void)table_file_close(&out->to);
  return false;
}

bool trajectory_resume(trajectory *out, const simulate_arguments *a, const checkpoint *from, cdn_state *initial) {
  const run_position *p = &from->position;
  const cdn_trajectory_def def = make_def(a->step_sizes);
  begin(out, a);
  out->last_time = p->last_time;
  out->most_contacts = p->most_contacts;
  const double moments = cdn_hybrid_get_totals(cdn_stepper_state(from->stepper)).moments;
  if (!table_file_resume(&out->to, a->output, "trajectory", &def, initial, p->written)) return false;
  if (events_resume(&out->events, a->events, p->events, moments)) return true;
  (void)table_file_close(&out->to);
  return false;
}

cdn_status trajectory_row(trajectory *out, cdn_stepper *stepper) {
  int contacts;
  events_note(&out->events, cdn_stepper_state(stepper));
  CDN_TRY(cdn_contact_count(cdn_stepper_state(stepper), &contacts));
  if (contacts > out->most_contacts) out->most_contacts = contacts;
  if (!out->to.writer) return CDN_OK;
  const double step = cdn_stepper_last_step(stepper);
  CDN_TRY(table_file_row(&out->to, cdn_stepper_state(stepper), &step));
  if (!out->to.failed) out->last_time = cdn_state_time(cdn_stepper_state(stepper));
  return CDN_OK;
}

bool trajectory_close(trajectory *out, const run_record *record) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = out->to.writer && record->certified ? open_memstream(&text, &size) : NULL;
  if (file) {
    certificate_write_json(file, record);
    if (fclose(file) == 0) table_file_keep(&out->to, "certificate", text);
    free(text);
  }
  const bool good = events_close(&out->events);
  return table_file_close(&out->to) && good;
}
