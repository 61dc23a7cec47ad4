/* What the parts of `cardan simulate` share: trajectory, checkpoints, the progress line, the certificate. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "command.h"

typedef struct simulate_arguments {
  model_arguments model;
  double duration, accuracy, step, report;
  const char *output, *summary, *method_name;
  cdn_method method;
  bool verify, step_sizes, no_assemble;
  const char *checkpoint, *resume;
  double checkpoint_every, checkpoint_wall; /* simulated and real seconds; 0: not by these */
  text_list locks;
} simulate_arguments;

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
} progress;

progress progress_begin(const char *label, double t0, double t_end, bool quiet);
/* Redraws the line, at most ten times a second. */
void progress_update(progress *p, double t, double step);
void progress_erase(progress *p);

/* ---- checkpoint.c -------------------------------------------------------------------------- */

/* How far a run has come, beside its stepper. Doubles count exactly up to 2^53. */
typedef struct run_position {
  double t0;
  double row;             /* the last one written: it is at t0 + row x interval */
  double last_time;       /* of that row */
  double bytes, checksum; /* of the trajectory */
  double wall_seconds;
} run_position;

/* One that was read: zero it first, close it last. The arguments' texts live in it. */
typedef struct checkpoint {
  cdn_buffer bytes; /* its place is where the initial State is, then the stepper */
  struct json_t *head;
  cdn_stepper *stepper; /* NULL: not loaded, or taken */
  run_position position;
} checkpoint;

/* Replaces the file a->checkpoint; complains, unless in silence, if it cannot. */
bool checkpoint_write(const simulate_arguments *a, const run_position *p, cdn_state *initial, cdn_stepper *stepper,
                      bool in_silence);
/* Fills the arguments with those of the run. False if the file is no whole checkpoint, which has been said. */
bool checkpoint_read(checkpoint *c, const char *path, simulate_arguments *a);
void checkpoint_close(checkpoint *c);

/* ---- trajectory.c -------------------------------------------------------------------------- */

/* A trajectory being written; file NULL where none was asked for. */
typedef struct trajectory {
  FILE *file;
  const char *path;
  cdn_trajectory *writer;
  double interval;  /* between reports */
  double last_time; /* of the last row */
  bool step_sizes;
  double bytes, checksum; /* of all that has been written */
  size_t waiting;         /* bytes that have not been handed to the system */
  double last_flush;
} trajectory;

bool trajectory_open(trajectory *out, const simulate_arguments *a);
/* Goes on where the checkpoint was taken. */
bool trajectory_resume(trajectory *out, const simulate_arguments *a, const run_position *p);
/* Before the first row, which `header` is for: a file that is continued has one. */
cdn_status trajectory_begin(trajectory *out, cdn_stepper *stepper, bool header);
cdn_status trajectory_row(trajectory *out, cdn_stepper *stepper);
/* What has been written is on the disk. */
bool trajectory_sync(trajectory *out);
/* After the last row; the file stays open. */
void trajectory_end(trajectory *out);

/* ---- what is kept of a run -------------------------------------------------------------------- */

/* How far the run is from one that was asked for ten times the accuracy (or half the step). */
typedef struct verification {
  bool done;
  double accuracy, step;             /* of the second run; step 0: controlled */
  double q_difference, u_difference; /* largest weighted difference of the final states */
  char q_slot[96], u_slot[96];       /* where */
  double wall_seconds;
  char trouble[640]; /* why the second run failed, or "" */
} verification;

/* How the run ended and what it is worth. */
typedef struct run_record {
  const char *model, *path;
  double accuracy, step; /* step 0: controlled; then accuracy is what was asked for */
  cdn_method method;
  double duration;
  bool certified; /* the certificate is valid: the run got as far as its first state */
  cdn_certificate certificate;
  double wall_seconds;
  int signal; /* that interrupted the run, or 0 */
  bool failed;
  cdn_failure failure; /* where failed */
  verification verify;
} run_record;

/* ---- run.c ----------------------------------------------------------------------------------- */

/* Simulates from `initial`, or goes on from a checkpoint (NULL: none), writes rows, checkpoints, and fills the record. What
 * fails is in the record; a full disk shows when the trajectory is closed. False if a checkpoint could not be written. */
bool run_simulation(const simulate_arguments *arguments, cdn_state *initial, checkpoint *from, trajectory *out,
                    run_record *record);

/* ---- certificate.c --------------------------------------------------------------------------- */

void certificate_print(FILE *file, const run_record *r);
void certificate_print_failure(FILE *file, const run_record *r);
void certificate_write_json(FILE *file, const run_record *r);

#endif
