/* What the parts of `cardan render` share: what to draw, from where, and where the pictures go. */
#ifndef RENDER_H
#define RENDER_H

#include "command.h"

typedef struct render_arguments {
  model_arguments model;
  text_list runs;
  const char *output, *size, *camera, *from, *show, *time;
  double fps, samples;
  bool transparent, collision;
  int width, height;
  cdn_vec3 direction; /* from the model to the camera */
  uint32_t layers;
} render_arguments;

/* ---- render_run.c: a trajectory as States ---------------------------------------------------- */

typedef struct played_run played_run;
/* Reads the trajectory of this System. NULL after it has said what is wrong; *code is the exit code then. */
played_run *run_open(const char *path, const cdn_system *system, int *code);
void run_close(played_run *run);
double run_first_time(const played_run *run);
double run_last_time(const played_run *run);
/* Sets time, q and u of a State as they were at a time; between two rows they are interpolated. */
cdn_status run_set(const played_run *run, double time, cdn_state *state);

/* ---- render_picture.c: pictures and videos ------------------------------------------------------ */

typedef struct picture {
  int width, height;
  uint8_t *rgba;
} picture;
/* Writes the text marks of the scene's frame over the picture. */
void picture_labels(picture *p, const cdn_scene *scene, const cdn_renderer *renderer, const cdn_view_point *view);
/* Writes a PNG. False after it has said what is wrong. */
bool picture_write(const picture *p, const char *path);

typedef struct video video;
/* A video by ffmpeg, or, if there is none, numbered pictures, which is said. NULL after it has said what is wrong. */
video *video_open(const char *path, const picture *p, double fps);
bool video_add(video *v, const picture *p);
/* Ends it. False after it has said what is wrong. */
bool video_close(video *v);

#endif
