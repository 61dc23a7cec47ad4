/* A model that is shown as it moves: the scene of a State that follows a trajectory file, or stands still. What `cardan
 * render`, `cardan export` and `cardan view` share. */
#ifndef PLAYED_H
#define PLAYED_H

#include <cardan/molecule_files.h>

#include "command.h"

/* ---- played_frames.c: molecules -------------------------------------------------------------- */

/* Whether this is a file of a molecule, an AMBER topology, and of no model. */
bool is_topology(const char *path);

/* Atoms that move freely, and bonds that are seen. Times are in ps. */
typedef struct molecule_shown {
  cdn_prmtop *prmtop;
  cdn_state *state;
  cdn_force field; /* { -1 }: there is no molecule */
} molecule_shown;

/* Makes a State of a topology. Returns CMD_OK or the exit code, after it has said what is wrong. Close it in either
 * case. */
int molecule_open(molecule_shown *m, const model_arguments *arguments);
void molecule_close(molecule_shown *m);

/* Positions from a DCD file, or the one of a file of coordinates. NULL after it has said what is wrong. */
typedef struct frame_file frame_file;
frame_file *frames_open(const char *path, const molecule_shown *molecule, bool quiet, int *code);
void frames_close(frame_file *f);
double frames_count(const frame_file *f);
/* The time of frame k. */
double frames_time(const frame_file *f, double k);
/* Sets a State's time and positions; between two frames these are interpolated. */
cdn_status frames_set(frame_file *f, double time, cdn_state *state);

/* ---- played_run.c: a trajectory as States ---------------------------------------------------- */

typedef struct played_run played_run;
/* Reads the trajectory of this System, or that of a molecule (NULL: it is none). NULL after it has said what is wrong;
 * *code is the exit code then. */
played_run *run_open(const char *path, const cdn_system *system, const molecule_shown *molecule, bool quiet, int *code);
void run_close(played_run *run);
double run_first_time(const played_run *run);
double run_last_time(const played_run *run);
/* Sets time, q and u of a State as they were at a time; between two rows they are interpolated. */
cdn_status run_set(const played_run *run, double time, cdn_state *state);
/* The time of the next row; `time` at the end. */
cdn_status run_next_time(const played_run *run, double time, double *next);
/* How many rows it has; of long files an estimate. */
double run_rows(const played_run *run);
/* The time of row k of a molecule's run. */
double run_frame_time(const played_run *run, double k);
/* Sets a State as the rows have it, from the first row after run_rewind on; *more is false behind the last one. */
void run_rewind(played_run *run);
cdn_status run_set_next(played_run *run, cdn_state *state, bool *more);

/* ---- played.c ------------------------------------------------------------------------------ */

typedef struct played {
  const model_arguments *arguments;
  cdn_model *model; /* NULL: a molecule */
  molecule_shown molecule;
  cdn_state *state; /* the molecule's, or its own */
  cdn_scene *scene;
  played_run *run;  /* NULL: it stands still */
  double from, end; /* of the run, or the State's time twice */
} played;

/* Loads the model, dresses its scene with these layers, and reads the run (NULL: none). Returns CMD_OK or the exit
 * code, after it has said what is wrong. Close it in either case. */
int played_open(played *p, const model_arguments *arguments, const char *run, uint32_t layers);
void played_close(played *p);
/* The time that --time names; the run's end if `text` is NULL. False after it has said what is wrong. */
bool played_time(const played *p, const char *text, double *time);
/* Makes the scene's frame as it was at a time. */
cdn_status played_show(played *p, double time);
/* How many frames the run has, `fps` a second; of a molecule's run all that the file has. */
double played_frame_count(const played *p, double fps);
/* Calls `add` for each of these frames, from its beginning on. It returns CMD_OK to go on. */
int played_frames(played *p, const char *label, double fps, int (*add)(void *to, double time), void *to);
/* Says what the library's last failure was, about this model. Returns CMD_FAILED. */
int played_failed(const played *p);

#endif
