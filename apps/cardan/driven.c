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

static int open_record(driven *d, const simulate_arguments *a, cdn_state *initial, const run_position *at) {
  const cdn_trajectory_def def = cdni_control_record_def();
  const char *path = a->record_controls;
  if (at)
    return table_file_resume(&d->record, path, "table of controls", &def, initial, at->recorded) ? CMD_OK : CMD_INPUT;
  if (!table_file_open(&d->record, path, &def, initial)) return CMD_OUTPUT;
  if (a->deliver) return CMD_OK; /* each run of it has a first row */
  return said(table_file_row(&d->record, initial, NULL), CMD_OUTPUT);
}

int driven_open(driven *d, const simulate_arguments *a, cdn_state *initial, const run_position *at) {
  *d = (driven){ .table = NULL };
  cdn_status status = CDN_OK;
  if (a->controls) status = cdni_control_table_open(a->controls, cdn_state_system(initial), &d->table);
  if (d->table && at) status = cdni_control_table_go_to(d->table, at->control_rows, at->control_checksum);
  if (d->table && !at) status = cdni_control_table_begin(d->table, initial);
  d->recorded = cdni_control_table_rows(d->table);
  const int code = said(status, CMD_INPUT);
  return code == CMD_OK ? open_record(d, a, initial, at) : code;
}

cdn_status driven_advance(driven *d, cdn_stepper *stepper, double t, cdn_return_reason *reason) {
  const cdn_status status = cdni_control_table_advance(d->table, stepper, t, reason);
  const double rows = cdni_control_table_rows(d->table);
  if (rows == d->recorded || (status != CDN_OK && status != CDN_ERR_LIMIT)) return status;
  d->recorded = rows;
  CDN_TRY(table_file_row(&d->record, cdn_stepper_state(stepper), NULL));
  return status;
}

bool driven_close(driven *d) {
  cdni_control_table_close(d->table);
  d->table = NULL;
  return table_file_close(&d->record);
}
