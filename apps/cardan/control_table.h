/* Tables of controls over time, as runs record them and take them: a column `time`, then columns by names of controls.
 * A row holds from its time on, until the next one. */
#ifndef CONTROL_TABLE_H
#define CONTROL_TABLE_H

#include "simulate.h"

typedef struct control_table control_table;

/* NULL after it has said what is wrong; *code is the exit code then. */
control_table *control_table_open(const char *path, const cdn_system *system, int *code);
void control_table_close(control_table *t);
/* The time of the next row; infinite: there is none, or no table (NULL). */
double control_table_time(const control_table *t);
/* Sets the controls of the next row in a State, and goes to the row behind it. CDN_ERR_PARSE and the like, with the
 * message as the thread's last failure, or that of the State. */
cdn_status control_table_set(control_table *t, cdn_state *state);

/* Advances as `go` does, to time t, and takes the rows on the way. A row acts from its time on; in equal steps from the
 * first step that begins then or later. So a row that was recorded acts where it was recorded, and the run has the same
 * bits: where rows are taken, no step ends at a time that is asked for. `taken` (may be NULL) is told each. */
typedef cdn_status control_go_fn(void *context, double t);
cdn_status control_table_run(control_table *t, cdn_stepper *stepper, double until, control_go_fn *go, void *context,
                             cdn_trajectory *record);

/* A table that is written: the header and the row of the present State. NULL after it has been said why not. */
cdn_trajectory *control_record_open(FILE *file, cdn_state *state);

#endif
