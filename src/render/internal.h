/* What the files of the room share. Private to the room. */
#ifndef CARDAN_RENDER_INTERNAL_H
#define CARDAN_RENDER_INTERNAL_H

#include <cardan/render.h>
#include <embree3/rtcore.h>

#include "core/core.h"

typedef struct vec {
  float x, y, z;
} vec;

/* Triangles that any number of things in the picture share. */
typedef struct form {
  cdn_triangles triangles;
  RTCScene scene;
} form;

/* One thing in the picture: a form, placed. */
typedef struct thing {
  int form;
  float to_world[12]; /* columns of a 3 x 4 matrix */
  vec normal[3];      /* columns of the matrix that turns normals */
  float color[4];     /* linear */
  bool casts_shadows; /* marks that let light pass do not, and lie in no shadow: they explain the picture */
  bool is_floor;
  cdn_transform X; /* of a floor, and its looks */
  cdn_pattern pattern;
  float color2[3]; /* linear */
  double tile[2];
  bool has_end;
} thing;

/* Forms of marks come first, then one for each visual. */
enum { FORM_BALL, FORM_ROD, FORM_CONE, FORM_FLOOR, FORM_COUNT };
enum { FLOOR = 40 }; /* half the side of a floor's form, in radii of the model */

struct cdn_renderer {
  const cdn_scene *scene;
  cdn_render_def def;
  RTCDevice device;
  cdni_array forms;  /* form */
  cdni_array things; /* thing, of the present frame */
  double radius;     /* of the model when the renderer was made */
  cdn_vec3 middle;   /* of the model then */
  cdn_allocator allocator;
};

/* things.c: the frame's visuals and marks, and a floor where an eye at this height is above it. */
cdn_status cdni_render_things(cdn_renderer *r, double eye_height);

/* trace.c: the colours of one row of pixels. */
typedef struct tracer {
  const cdn_renderer *renderer;
  RTCScene scene, casters;
  vec eye, x, y, z; /* of the camera; z points away from what it sees */
  float tan_x, tan_y;
  vec light; /* towards it */
  float background[4];
  uint8_t *rgba;
} tracer;
void cdni_render_row(const tracer *t, int row);

static inline vec vec_of(cdn_vec3 v) { return (vec){ (float)v.x, (float)v.y, (float)v.z }; }

#endif
