/* What the parts of `cardan render` share: what to draw, from where, and where the pictures go. */
#ifndef RENDER_H
#define RENDER_H

#include <cardan/render.h>

#include "played.h"

typedef struct render_arguments {
  model_arguments model;
  text_list runs;
  const char *output, *size, *camera, *from, *show, *time;
  double fps, samples, orbit; /* orbit: s, 0: none */
  bool transparent, collision;
  int width, height;
  cdn_vec3 direction; /* from the model to the camera */
  uint32_t layers;
} render_arguments;

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
/* A video by ffmpeg, or, if there is none, numbered pictures, which is said. `fine`: it takes twice as long to encode,
 * for less loss. NULL after it has said what is wrong. */
video *video_open(const char *path, const picture *p, double fps, bool fine);
bool video_add(video *v, const picture *p);
/* Ends it. False after it has said what is wrong. */
bool video_close(video *v);

#endif
