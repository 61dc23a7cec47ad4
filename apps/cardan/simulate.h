/* What the parts of `cardan simulate` share: the trajectory file, the progress line, the certificate. */
#ifndef SIMULATE_H
#define SIMULATE_H

#include "command.h"

typedef struct simulate_arguments {
  model_arguments model;
  double duration, accuracy, step, report;
  const char *output, *summary;
  bool verify;
} simulate_arguments;

/* ---- csv.c --------------------------------------------------------------------------------- */

/* The header row: time, q, u, energies. */
void csv_header(FILE *file, const cdn_system *system);
/* One row. Realizes the energies; on failure nothing is written and the story is on the State. */
cdn_status csv_row(FILE *file, cdn_state *state);

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

/* Simulates from `initial`, writes rows to `csv` (NULL: none) and fills the record. What fails is in the record; a full
 * disk shows when the file is closed. */
void run_simulation(const simulate_arguments *arguments, cdn_state *initial, FILE *csv, run_record *record);

/* ---- certificate.c --------------------------------------------------------------------------- */

void certificate_print(FILE *file, const run_record *r);
void certificate_print_failure(FILE *file, const run_record *r);
void certificate_write_json(FILE *file, const run_record *r);

#endif
