/* What the files of the room share. Private to the room. */
#ifndef CARDAN_RENDER_INTERNAL_H
#define CARDAN_RENDER_INTERNAL_H

#include <cardan/render.h>
#include <embree3/rtcore.h>
#include <math.h>

#include "core/core.h"
#include "scene/scene.h"

enum { RAYS = 16, MOST_LAYERS = 12, MOST_SEEN = 24, MOST_THREADS = 64, MOST_LEVELS = 15, BYTES_OF = 1024 };

typedef struct vec {
  float x, y, z;
} vec;

typedef struct ray {
  vec from, along;     /* `along` has unit length */
  float width, spread; /* what it stands for: so wide where it begins, and so much wider in each unit of length */
} ray;

/* A texture, and ever smaller ones with half of its sides, for what is far away. */
typedef struct paint {
  cdn_texture_def levels[MOST_LEVELS];
  int n_levels;
  uint8_t *smaller; /* the pixels of all levels but the first */
  size_t bytes;
  bool is_opaque; /* all of it */
} paint;

/* Triangles that any number of things in the picture share. */
typedef struct form {
  cdn_painted_triangles painted;
  RTCScene scene; /* of a floor NULL: where a ray meets a plane is calculated */
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
  const paint *texture; /* or NULL */
  float specular, exponent, emission, reflectance;
  float half[2]; /* of a floor: half of its sides, and its looks */
  cdn_pattern pattern;
  float color2[3]; /* linear */
  double tile[2], place[3][4];
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
enum { FLOOR = 40 }; /* half the side of a floor without end, in radii of the model */

struct cdn_renderer {
  const cdn_scene *scene;
  cdn_render_def def;
  RTCDevice device;
  cdni_array forms;  /* form */
  cdni_array things; /* thing, of the present frame */
  cdni_array floors; /* uint32_t: which things are planes */
  cdni_array lamps;  /* lamp, of the present frame */
  cdni_array seen;   /* what measuring rays may meet, of the last measured frame: measured.c */
  paint *textures;
  int n_textures;
  float linear[256];                    /* of the bytes of pictures */
  float brighter[256];                  /* from here on a linear number is above the byte */
  uint8_t first[BYTES_OF + 1];          /* the byte of a linear number, or one before it */
  double radius;                        /* of the model when the renderer was made */
  double square;                        /* side of a floor's squares */
  cdn_vec3 middle;                      /* of the model then */
  size_t lamps_before;                  /* for which workers were made */
  struct worker *workers[MOST_THREADS]; /* what each thread works with, kept from frame to frame */
  cdn_allocator allocator;
};

/* things.c: the frame's visuals and marks, and a floor where an eye at this height is above it. */
cdn_status cdni_render_things(cdn_renderer *r, double eye_height);
/* lamps.c: the frame's lights; a light from above where there are none. */
cdn_status cdni_render_lamps(cdn_renderer *r);

/* pixels.c */
/* A texture's colour at a place, linear; pixels are mixed, those of smaller ones where the ray is wider than a pixel;
 * `width` is in pixels. The picture repeats. */
void cdni_render_pixel(const cdn_renderer *r, const paint *texture, double x, double y, float width, float rgba[4]);
/* The colour of a cube in a direction. */
void cdni_render_cube_pixel(const cdn_renderer *r, const paint *texture, const float direction[3], float width,
                            float rgba[4]);
/* Makes the smaller levels. False: there is no memory. */
bool cdni_render_make_levels(const cdn_renderer *r, paint *texture);
void cdni_render_make_bytes(cdn_renderer *r);
/* The byte of a linear number in a picture: 255 x^(1 / 2.2), rounded. */
uint8_t cdni_render_byte(const cdn_renderer *r, float linear);

/* A frame that is being drawn: what its threads share. */
typedef struct tracer {
  cdn_renderer *renderer;
  RTCScene opaque, veils, casters; /* without floors; veils let light through. NULL: there are none */
  float least[3], most[3];         /* the box about the casters */
  vec eye, x, y, z;                /* of the camera; z points away from what it sees */
  float tan_x, tan_y, spread;      /* spread: of a pixel */
  const paint *sky;                /* or NULL */
  cdn_rotation R_GS;
  float background[4];
  uint8_t *rgba;
} tracer;

/* rays.c: what rays meet. */

/* Where a ray meets a thing. */
typedef struct crossing {
  float distance, u, v; /* u, v: in the triangle; of a floor x, y on the plane */
  uint32_t thing, triangle;
} crossing;
/* A ray's first crossings in their order: with things that let light pass, and the first that does not. */
typedef struct crossings {
  crossing list[MOST_LAYERS];
  int n;
} crossings;
/* Up to RAYS rays at once; `nearest` is where they begin. */
void cdni_render_cast(const tracer *t, int n, const ray *rays, float nearest, crossings *out);

/* Rays that ask whether something hides a light. They are traced when there are RAYS of them. */
typedef struct shadow_rays {
  struct RTCRay16 rays;
  uint8_t *seen[RAYS]; /* 255, or 0 where it is hidden */
  int n;
} shadow_rays;
void cdni_render_ask(const tracer *t, shadow_rays *s, vec from, vec direction, float reach, uint8_t *seen);
void cdni_render_answer(const tracer *t, shadow_rays *s);

/* light.c: what rays see. */

/* A place on a surface. Light comes to it from the sky and from the lamps: channel 0 and those behind it. */
typedef struct surface {
  vec point, normal; /* the normal is on the side of the eye */
  uint32_t thing;
  bool in_shadows; /* what hides lights from it is seen */
} surface;
/* What a ray sees: a sum of what does not depend on shadows, premultiplied, and of lights at surfaces. */
typedef struct sight {
  float base[4];
  surface at[MOST_SEEN];
  int n;
} sight;
/* RAYS sights; light: 3 numbers for each channel of each surface; seen: a byte for each channel. */
typedef struct sights {
  int channels;
  sight of[RAYS];
  float *light;
  uint8_t *seen;
} sights;
static inline float *light_of(const sights *s, int number, int at) {
  return s->light + 3 * s->channels * (MOST_SEEN * number + at);
}
static inline uint8_t *seen_of(const sights *s, int number, int at) {
  return s->seen + s->channels * (MOST_SEEN * number + at);
}
void cdni_render_look(const tracer *t, int n, const ray *rays, sights *out);
/* Within 0 and 1: they say in which direction of all that are possible a ray goes. */
typedef struct draw {
  float u, v;
} draw;
/* Asks whether lights are hidden from a surface, of each channel that has light, by n rays for each; `seen` gets a byte
 * for each channel, n times. */
void cdni_render_ask_lights(const tracer *t, shadow_rays *s, const surface *at, const float *light, int n,
                            const draw *draws, uint8_t *seen);
/* Adds light, as far as it is seen. */
void cdni_render_add_light(int channels, const float *light, const uint8_t *seen, float rgb[3]);

/* renderer.c */
enum { BAND = 120 }; /* rows of the picture */
/* Draws a band of rows; false if the picture has no such band. */
typedef bool (*cdni_render_part)(void *context, int thread, int band);
/* Has all bands of the picture drawn, by all threads. Threads are numbered from 0. */
void cdni_render_share(const cdn_renderer *r, cdni_render_part part, void *context);
/* A view is an angle and a finite pose, and the scene has a frame. */
cdn_status cdni_render_check_view(const cdn_renderer *r, const cdn_view_point *view, const char *function);

/* bands.c: rows of the picture. */
typedef struct worker worker;
worker *cdni_render_make_worker(const cdn_renderer *r);
void cdni_render_drop_worker(const cdn_renderer *r, worker *w);
bool cdni_render_band(worker *w, const tracer *t, int band);

static inline vec vec_of(cdn_vec3 v) { return (vec){ (float)v.x, (float)v.y, (float)v.z }; }
/* Without the care for NaN and signs of zero that makes calls of those of <math.h>. */
static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float larger(float a, float b) { return a > b ? a : b; }
static inline int floor_of(float x) {
  const int i = (int)x;
  return i - (x < (float)i);
}
static inline vec add(vec a, vec b) { return (vec){ a.x + b.x, a.y + b.y, a.z + b.z }; }
static inline vec minus(vec a, vec b) { return (vec){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static inline vec scale(float s, vec a) { return (vec){ s * a.x, s * a.y, s * a.z }; }
static inline float dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec unit(vec a) {
  const float length = sqrtf(dot(a, a));
  return length > 0 ? scale(1 / length, a) : (vec){ 0, 0, 1 };
}

#endif
