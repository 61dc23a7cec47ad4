/* A model that is shown as it moves: the scene of a State that follows a trajectory file, or stands still. What `cardan
 * render` and `cardan export` share. */
#ifndef PLAYED_H
#define PLAYED_H

#include "command.h"

/* ---- played_run.c: a trajectory as States ---------------------------------------------------- */

typedef struct played_run played_run;
/* Reads the trajectory of this System. NULL after it has said what is wrong; *code is the exit code then. */
played_run *run_open(const char *path, const cdn_system *system, int *code);
void run_close(played_run *run);
double run_first_time(const played_run *run);
double run_last_time(const played_run *run);
/* Sets time, q and u of a State as they were at a time; between two rows they are interpolated. */
cdn_status run_set(const played_run *run, double time, cdn_state *state);
/* The time of the next row; `time` at the end. */
cdn_status run_next_time(const played_run *run, double time, double *next);
/* How many rows it has; of long files an estimate. */
double run_rows(const played_run *run);
/* Sets a State as the rows have it, from the first row after run_rewind on; *more is false behind the last one. */
void run_rewind(const played_run *run);
cdn_status run_set_next(const played_run *run, cdn_state *state, bool *more);

/* ---- played.c ------------------------------------------------------------------------------ */

typedef struct played {
  const model_arguments *arguments;
  cdn_model *model;
  cdn_state *state;
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
/* How many frames the run has, `fps` a second. */
double played_frame_count(const played *p, double fps);
/* Calls `add` for each frame of the run: `fps` a second, from its beginning on. It returns CMD_OK to go on. */
int played_frames(played *p, const char *label, double fps, int (*add)(void *to, double time), void *to);
/* Says what the library's last failure was, about this model. Returns CMD_FAILED. */
int played_failed(const played *p);

#endif
