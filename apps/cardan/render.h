/* What the parts of `cardan render` share: what to draw, from where, and where the pictures go. */
#ifndef RENDER_H
#define RENDER_H

#include <cardan/render.h>

#include "played.h"

typedef struct render_arguments {
  model_arguments model;
  text_list runs;
  const char *output, *size, *camera, *from, *show, *time;
  const char *segmentation;         /* "shapes" or "bodies"; NULL: no picture of them */
  double fps, samples, orbit, unit; /* orbit: s, 0: none; unit: of a picture of depth, m, 0: one that fits */
  bool transparent, collision, depth;
  int width, height;
  cdn_vec3 direction; /* from the model to the camera */
  uint32_t layers;
} render_arguments;

/* ---- render_picture.c: pictures ------------------------------------------------------ */

typedef struct picture {
  int width, height;
  uint8_t *rgba;
} picture;
/* Writes the text marks of the scene's frame over the picture. */
void picture_labels(picture *p, const cdn_scene *scene, const cdn_renderer *renderer, const cdn_view_point *view);
/* Writes a PNG. False after it has said what is wrong. */
bool picture_write(const picture *p, const char *path);

/* ---- render_measured.c: pictures of depth, and of what is where ------------------------------------ */

/* Writes the picture of depth or of shapes or bodies that the arguments ask for, and FILE.json beside it. Returns
 * CMD_OK, or the exit code; CMD_FAILED leaves it to the caller to say what the library refused. */
int measured_write(const render_arguments *a, cdn_scene *scene, cdn_renderer *renderer, const cdn_view_point *view);

/* ---- render_picture.c: videos --------------------------------------------------------------------- */

typedef struct video video;
/* A video by ffmpeg, or, if there is none, numbered pictures, which is said. `fine`: it takes twice as long to encode,
 * for less loss. NULL after it has said what is wrong. */
video *video_open(const char *path, const picture *p, double fps, bool fine);
bool video_add(video *v, const picture *p);
/* Ends it. False after it has said what is wrong. */
bool video_close(video *v);

#endif
