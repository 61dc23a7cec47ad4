/* What the files of the room share. Private to the room. */
#ifndef CARDAN_RENDER_INTERNAL_H
#define CARDAN_RENDER_INTERNAL_H

#include <cardan/render.h>
#include <embree3/rtcore.h>

#include "core/core.h"
#include "scene/scene.h"

typedef struct vec {
  float x, y, z;
} vec;

/* Triangles that any number of things in the picture share. */
typedef struct form {
  cdn_painted_triangles painted;
  RTCScene scene;
} form;

/* One thing in the picture: a form, placed. */
typedef struct thing {
  int form;
  float to_world[12]; /* columns of a 3 x 4 matrix */
  vec normal[3];      /* columns of the matrix that turns normals */
  float color[4];     /* linear */
  bool casts_shadows; /* marks that let light pass do not, and lie in no shadow: they explain the picture */
  bool lets_through;  /* some light, somewhere */
  bool is_floor;
  const cdn_texture_def *texture; /* or NULL */
  float specular, exponent, emission, reflectance;
  cdn_transform X; /* of a floor, and its looks */
  cdn_pattern pattern;
  float color2[3]; /* linear */
  double tile[2], place[2][4];
  bool has_end;
} thing;

/* A light in the frame. */
typedef struct lamp {
  vec position, along; /* unit length */
  bool directional, casts_shadows;
  float rgb[3], least_cosine, exponent, attenuation[3];
} lamp;

/* Forms of marks come first, then one for each visual. */
enum { FORM_BALL, FORM_ROD, FORM_CONE, FORM_FLOOR, FORM_COUNT };
enum { FLOOR = 40 }; /* half the side of a floor's form, in radii of the model */

struct cdn_renderer {
  const cdn_scene *scene;
  cdn_render_def def;
  RTCDevice device;
  cdni_array forms;  /* form */
  cdni_array things; /* thing, of the present frame */
  cdni_array lamps;  /* lamp, of the present frame */
  cdn_texture_def *textures;
  bool *opaque; /* each texture: all of it */
  int n_textures;
  float linear[256]; /* of the bytes of pictures */
  double radius;     /* of the model when the renderer was made */
  cdn_vec3 middle;   /* of the model then */
  cdn_allocator allocator;
};

/* things.c: the frame's visuals and marks, and a floor where an eye at this height is above it. */
cdn_status cdni_render_things(cdn_renderer *r, double eye_height);
/* lamps.c: the frame's lights; a light from above where there are none. */
cdn_status cdni_render_lamps(cdn_renderer *r);
/* pixels.c: a texture's colour at a place, linear; the pixels are mixed, and the picture repeats. */
void cdni_render_pixel(const cdn_renderer *r, const cdn_texture_def *texture, double x, double y, float rgba[4]);

/* trace.c: the colours of one row of pixels. */
typedef struct tracer {
  const cdn_renderer *renderer;
  RTCScene scene, casters;
  vec eye, x, y, z; /* of the camera; z points away from what it sees */
  float tan_x, tan_y;
  const cdn_texture_def *sky; /* or NULL */
  cdn_rotation R_GS;
  float background[4];
  uint8_t *rgba;
} tracer;
void cdni_render_row(const tracer *t, int row);
/* What every form has for Embree. */
void cdni_render_filter(const struct RTCFilterFunctionNArguments *arguments);

static inline vec vec_of(cdn_vec3 v) { return (vec){ (float)v.x, (float)v.y, (float)v.z }; }

#endif
