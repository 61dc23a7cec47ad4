/* The controls of a run over time: the table that it takes, and the record of what it was given. */
#include "simulate.h"

static int said(cdn_status status, int code) {
  if (status != CDN_OK) complain_last_error();
  return status == CDN_OK ? CMD_OK : code;
}

cdn_status driven_begin(driven *d, cdn_state *state) {
  if (d->table) CDN_TRY(cdni_control_table_begin(d->table, state));
  d->recorded = cdni_control_table_rows(d->table);
  return CDN_OK;
}

int driven_open(driven *d, const simulate_arguments *a, cdn_state *initial, const run_position *at) {
  *d = (driven){ .table = NULL };
  if (!a->controls) return CMD_OK;
  cdn_status status = cdni_control_table_open(a->controls, cdn_state_system(initial), &d->table);
  if (status == CDN_OK && at) status = cdni_control_table_go_to(d->table, at->control_rows, at->control_checksum);
  if (status == CDN_OK && !at) status = cdni_control_table_begin(d->table, initial);
  d->recorded = cdni_control_table_rows(d->table);
  return said(status, CMD_INPUT);
}

cdn_status driven_begin_record(driven *d, FILE *file, const char *path, cdn_state *state) {
  table_file_begin(&d->record, file, path);
  if (!file) return CDN_OK;
  CDN_TRY(cdni_control_record_create(state, table_file_append, &d->record, &d->writer));
  CDN_TRY(cdn_trajectory_header(d->writer));
  return cdn_trajectory_row(d->writer, state, NULL);
}

int driven_resume_record(driven *d, const simulate_arguments *a, const run_position *at, cdn_state *initial) {
  cdn_buffer header = { .size = 0 };
  cdn_trajectory *writer = NULL;
  if (!a->record_controls) return CMD_OK;
  cdn_status status = cdni_control_record_create(initial, cdn_buffer_write, &header, &writer);
  if (status == CDN_OK) status = cdn_trajectory_header(writer);
  int code = said(status, CMD_FAILED);
  if (code == CMD_OK && !table_file_resume(&d->record, a->record_controls, "table of controls", &header, at->recorded))
    code = CMD_INPUT;
  if (code == CMD_OK)
    code = said(cdni_control_record_create(initial, table_file_append, &d->record, &d->writer), CMD_FAILED);
  cdn_trajectory_destroy(writer);
  cdn_buffer_free(&header);
  return code;
}

cdn_status driven_advance(driven *d, cdn_stepper *stepper, double t, cdn_return_reason *reason) {
  const cdn_status status = cdni_control_table_advance(d->table, stepper, t, reason);
  const double rows = cdni_control_table_rows(d->table);
  if (rows == d->recorded || (status != CDN_OK && status != CDN_ERR_LIMIT)) return status;
  d->recorded = rows;
  if (d->writer) CDN_TRY(cdn_trajectory_row(d->writer, cdn_stepper_state(stepper), NULL));
  return status;
}

void driven_end_record(driven *d) {
  cdn_trajectory_destroy(d->writer);
  d->writer = NULL;
}
