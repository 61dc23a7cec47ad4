/* Tables of controls over time (docs/controls.md): a column `time`, then columns by names of controls. A row holds from
 * its time until the next one. For the viewer and the command. */
#ifndef CARDAN_IO_CONTROL_TABLE_H
#define CARDAN_IO_CONTROL_TABLE_H

#include <cardan/controls.h>
#include <cardan/stepper.h>
#include <cardan/trajectory.h>

typedef struct cdni_control_table cdni_control_table;

/* Opens the table of a file ("-": standard input). CDN_ERR_FILE, CDN_ERR_PARSE (not a table, or of a control that the
 * System does not have), CDN_ERR_NOMEM, with the message as the thread's last failure; then *out is NULL. The calls
 * below that read rows have the same errors, and those of cdn_control_set. */
cdn_status cdni_control_table_open(const char *path, const cdn_system *system, cdni_control_table **out);
void cdni_control_table_close(cdni_control_table *t);

/* A run begins: sets the controls of the last row that is not after the State's time, and goes to the row behind it.
 * The State may be of another System with the same names. */
cdn_status cdni_control_table_begin(cdni_control_table *t, cdn_state *state);
/* Takes the rows up to the present step of a run of equal steps, as cdni_control_table_advance does: those that act in
 * a step of size `step` that begins at the State's time. */
cdn_status cdni_control_table_take(cdni_control_table *t, cdn_state *state, double step);

/* Advances as cdn_stepper_advance, and takes the rows on the way. A row acts at its time; in equal steps from the first
 * step that begins then or later. So a row that was recorded acts where it was recorded, and the run has the same bits:
 * where rows are taken, no step ends at a time that is asked for. After each row the call ends with CDN_ERR_LIMIT: call
 * again to continue. t may be NULL: there is no table. */
cdn_status cdni_control_table_advance(cdni_control_table *t, cdn_stepper *stepper, double time,
                                      cdn_return_reason *reason);
/* Takes a step as cdn_stepper_step; under error control it ends at the time of the next row, or before. Ends with
 * CDN_ERR_LIMIT after a row. t may be NULL. */
cdn_status cdni_control_table_step(cdni_control_table *t, cdn_stepper *stepper, double end);

/* From now on somebody else sets this control; false: so it is already, or the table does not have it. */
bool cdni_control_table_release(cdni_control_table *t, cdn_control control);
/* The table has all of its controls again. */
void cdni_control_table_regain(cdni_control_table *t);

/* The place in a table: how many rows were read, and a number that tells them from others. Both are exact as doubles.
 * NULL: 0 rows. */
double cdni_control_table_rows(const cdni_control_table *t);
double cdni_control_table_checksum(const cdni_control_table *t);
/* Goes there, for a run that continues. CDN_ERR_PARSE where the file has other rows up to there. */
cdn_status cdni_control_table_go_to(cdni_control_table *t, double rows, double checksum);

/* The columns of such a table, for writing one. */
cdn_trajectory_def cdni_control_record_def(void);

#endif
