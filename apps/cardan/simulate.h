/* What the parts of `cardan simulate` share: trajectory, checkpoints, the progress line, the certificate. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include <cardan/hybrid.h>
#include <cardan/trajectory.h>
#include <cardan/deliver.h>

#include "command.h"
#include "io/control_table.h"

typedef struct simulate_arguments {
  model_arguments model;
  double duration, accuracy, step, report;
  const char *output, *summary, *diagnostics, *method_name;
  const char *on_divergence; /* "reset", or NULL: stop */
  cdn_method method;
  bool verify, deliver, no_companion, step_sizes, no_assemble;
  const char *checkpoint, *resume;
  double checkpoint_every, checkpoint_wall; /* simulated and real seconds; 0: not by these */
  text_list locks;
  const char *controls, *record_controls; /* tables that are taken and written; NULL: none */
  const char *events;                     /* a table of what contact and dry friction do; NULL: none */
} simulate_arguments;

/* What may be asked for. */
#define LEAST_ACCURACY 1e-15
#define MOST_ACCURACY 0.5
#define MOST_TABLE_ROWS 1e9

/* ---- simulate.c ---------------------------------------------------------------------------- */

/* Opens a file for writing, standard output for "-", nothing for NULL; complains if it cannot. */
bool open_output(const char *path, FILE **file);

/* ---- progress.c ---------------------------------------------------------------------------- */

double wall_clock(void); /* seconds, monotonic */

typedef struct progress {
  bool shown;     /* standard error is a terminal and nobody asked for quiet */
  bool on_screen; /* there is a line to erase */
  const char *label;
  double t0, t_end;
  double started, last_update; /* wall clock */
  bool quiet, told;            /* nobody wants to be told; it has been told */
  double looked, looked_t;     /* wall clock and time of the run at the last look at its pace */
  int slow_looks;              /* how many in a row were too slow */
} progress;

progress progress_begin(const char *label, double t0, double t_end, bool quiet);
/* Redraws the line, at most ten times a second. */
void progress_update(progress *p, double t, double step);
/* The same where the way is a number of frames, or of steps, as `what` says. */
void progress_count(progress *p, double done, double all, const char *what);
void progress_erase(progress *p);
/* Tells once, within seconds, where the pace of a run leads nowhere, and what may be the cause. */
void progress_watch(progress *p, cdn_stepper *stepper);

/* ---- checkpoint.c -------------------------------------------------------------------------- */

/* Methods of SUNDIALS keep their memory to themselves: saving them makes them begin anew, so that a run has the same
 * bits only if it is saved at the same times. */
static inline bool begins_anew_where_saved(cdn_method method) {
  return method >= CDN_METHOD_CVODE_BDF && method <= CDN_METHOD_IDA;
}

/* How much of a table has been written. */
typedef struct extent {
  double rows, checksum;
} extent;

/* How far a run has come, beside its stepper. Doubles count exactly up to 2^53. */
typedef struct run_position {
  double t0;
  double row;           /* the last one written: it is at t0 + row x interval */
  double last_time;     /* of that row */
  extent written;       /* of the trajectory */
  double most_contacts; /* at a time, in the rows */
  double wall_seconds;
  double control_rows, control_checksum; /* of the table of controls: those that were taken */
  extent recorded;                       /* of the table that is written */
  double resets, reset_time;             /* after divergence, and when the last one was */
  extent events;                         /* bytes of the table of events, and their checksum */
} run_position;

/* One that was read: zero it first, close it last. The arguments' texts live in it. */
typedef struct checkpoint {
  cdn_buffer bytes; /* its place is where the initial State is, then the stepper */
  struct json_t *head;
  cdn_stepper *stepper; /* NULL: not loaded, or taken */
  run_position position;
} checkpoint;

/* False: another run that goes on writes its checkpoints to this file. */
bool checkpoint_is_free(const char *path);
void complain_taken(const char *path);
/* Replaces the file a->checkpoint; complains, unless in silence, if it cannot. */
bool checkpoint_write(const simulate_arguments *a, const run_position *p, cdn_state *initial, cdn_stepper *stepper,
                      bool in_silence);
/* Fills the arguments with those of the run. False, and said, if the file is no whole checkpoint, or has numbers that
 * no run can have. */
bool checkpoint_read(checkpoint *c, const char *path, simulate_arguments *a);
void checkpoint_close(checkpoint *c);

/* ---- table_file.c ------------------------------------------------------------------------------ */

/* A table being written; writer NULL where none was asked for. */
typedef struct table_file {
  const char *path;
  cdn_trajectory *writer;
  FILE *temporary; /* where rows go instead, as numbers; NULL: they go into the table */
  double *row;
  bool failed; /* nothing more is written; why is told when the table is closed */
} table_file;

/* Begins a table (path NULL: none). False after it has been said why it cannot be written. */
bool table_file_open(table_file *w, const char *path, const cdn_trajectory_def *def, cdn_state *state);
/* Goes on in a table that has come so far. False after it has been said, in the name of `what` it is, why it cannot. */
bool table_file_resume(table_file *w, const char *path, const char *what, const cdn_trajectory_def *def,
                       cdn_state *state, extent so_far);
extent table_file_extent(const table_file *w); /* after table_file_sync */
/* A State as a row. A full disk is no failure of the run: see w->failed. */
cdn_status table_file_row(table_file *w, cdn_state *state, const double *own);
/* What has been written is on the disk. */
bool table_file_sync(table_file *w);
/* Keeps a text beside the rows. */
void table_file_keep(table_file *w, const char *name, const char *text);
/* False after it has been said that not all could be written. */
bool table_file_close(table_file *w);
/* The rows of a temporary file (NULL: none) go into the table. */
void table_file_pour(table_file *w, FILE *temporary);

/* ---- events.c ------------------------------------------------------------------------------ */

/* The table of events being written; file NULL where none was asked for. */
typedef struct events {
  const char *path;
  FILE *file;
  FILE *temporary; /* where rows go instead; NULL: they go into the file */
  double moments;  /* of the run, that have been looked at (cdn_hybrid_totals) */
  extent written;  /* bytes */
  bool failed;
} events;

/* Begins the table (path NULL: none), or goes on in one that has come so far. False after it has been said why not. */
bool events_open(events *e, const char *path);
bool events_resume(events *e, const char *path, extent so_far, double moments);
/* Rows of the last moment of the State, unless they are there. */
void events_note(events *e, cdn_state *state);
/* What has been written is out of this program. */
bool events_sync(events *e);
/* The rows of a temporary file (NULL: none) go into the table. */
void events_pour(events *e, FILE *temporary);
/* False after it has been said that not all could be written. */
bool events_close(events *e);

/* ---- trajectory.c -------------------------------------------------------------------------- */

typedef struct run_record run_record;

typedef struct trajectory {
  table_file to;
  events events;
  double interval;      /* between reports */
  double last_time;     /* of the last row */
  double most_contacts; /* at a time, in the rows */
} trajectory;

/* `initial` says which columns there are. False after it has been said what is wrong. */
bool trajectory_open(trajectory *out, const simulate_arguments *a, cdn_state *initial);
/* Goes on where the checkpoint was taken. */
bool trajectory_resume(trajectory *out, const simulate_arguments *a, const checkpoint *from, cdn_state *initial);
/* A row; the last events, too. */
cdn_status trajectory_row(trajectory *out, cdn_stepper *stepper);
/* After the last row; the certificate is kept with the rows. False after it has been said what could not be written. */
bool trajectory_close(trajectory *out, const run_record *record);

/* ---- driven.c ------------------------------------------------------------------------------- */

/* The controls of a run over time. */
typedef struct driven {
  cdni_control_table *table; /* NULL: none is taken */
  table_file record;         /* writer NULL: none is written */
  double recorded;           /* rows of the table that have been seen */
} driven;

/* Opens the tables that are asked for, sets the controls of the start in `initial`, or goes to where the run was, and
 * writes the first row of the record. Returns CMD_OK, or after it has been said what is wrong the code to exit with;
 * driven_close in any case. */
int driven_open(driven *d, const simulate_arguments *a, cdn_state *initial, const run_position *at);
/* Another run begins at its start. */
cdn_status driven_begin(driven *d, cdn_state *state);
/* cdn_stepper_advance under the table; the rows that it takes are recorded. After each of them CDN_ERR_LIMIT. */
cdn_status driven_advance(driven *d, cdn_stepper *stepper, double t, cdn_return_reason *reason);
/* False after it has been said that not all could be written. */
bool driven_close(driven *d);

/* ---- what is kept of a run -------------------------------------------------------------------- */

/* How the run ended and what it is worth. */
struct run_record {
  const cdn_model *source;
  const char *model, *path;
  double accuracy, step; /* step 0: controlled; then accuracy is what was asked for */
  cdn_method method;
  double duration;
  double onset;   /* of soft rows; 0: they set in at once */
  bool certified; /* the certificate is valid: the run got as far as its first state */
  cdn_certificate certificate;
  double wall_seconds;
  double most_contacts; /* at a time, in the rows */
  int signal;           /* that interrupted the run, or 0 */
  bool failed;
  cdn_failure failure;       /* where failed */
  FILE *diagnostics;         /* NULL: nobody asked for them */
  cdn_hybrid_totals moments; /* what impacts, contact and friction have done */
  int64_t resets;            /* after divergence; the last one: */
  char reset_element[sizeof((cdn_error *)0)->element];
  double reset_time;
  cdn_delivery delivery; /* where asked for */
};

/* ---- diagnostics.c --------------------------------------------------------------------------- */

/* Of a run that has ended, whose stepper is timed. */
void write_diagnostics(FILE *file, cdn_stepper *stepper, const run_record *record);

/* ---- run.c ----------------------------------------------------------------------------------- */

/* Simulates from `initial`, or goes on from a checkpoint (NULL: none), writes rows, checkpoints, and fills the record.
 * What fails is in the record; a full disk shows when the trajectory is closed. CMD_OK, or the code to exit with if a
 * table of controls could not be read, or it or a checkpoint not be written. */
int run_simulation(const simulate_arguments *arguments, cdn_state *initial, checkpoint *from, trajectory *out,
                   run_record *record);

cdn_stepper_def stepper_def_of(const simulate_arguments *a, double t_end);
/* Reports are at t0 + k interval, by multiplication so that no rounding piles up, k = 1 .. count, the last of them at
 * t_end: what is within rounding of the end is the end. */
double report_count(double t0, double t_end, double interval);
double report_time(double t0, double t_end, double interval, double k);
void catch_signals(void);
/* A signal that is caught ends the present call of this stepper as well; NULL: of none. */
void interrupt_on_signal(cdn_stepper *stepper);
int signal_caught(void); /* its number, or 0 */
/* Nothing is known beyond the time that the companion has come to. */
void doubt_interrupted(cdn_certificate *certificate, cdn_stepper *stepper);
/* The message of a failure that is on a State, not on a stepper. */
void keep_state_failure(run_record *record, cdn_state *state);

/* ---- deliver.c ------------------------------------------------------------------------------- */

/* Runs, tightens and runs again until the accuracy is delivered, or says why it cannot be; writes the rows of the run
 * that is kept, and its record of controls. Each run takes the table of controls from its start. CMD_OK, or the code to
 * exit with if a table of controls could not be read or written. */
int deliver(const simulate_arguments *arguments, cdn_state *initial, trajectory *out, run_record *record);

/* ---- certificate.c --------------------------------------------------------------------------- */

void certificate_print(FILE *file, const run_record *r);
void certificate_print_failure(FILE *file, const run_record *r);
void certificate_write_json(FILE *file, const run_record *r);

#endif
