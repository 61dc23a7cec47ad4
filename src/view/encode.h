/* Messages of docs/wire.md as bytes and texts, for live views, replays and pages in files. Private to the room. None of
 * them knows where the messages go. */
#ifndef CARDAN_VIEW_ENCODE_H
#define CARDAN_VIEW_ENCODE_H

#include <cardan/elements.h>
#include <cardan/model.h>
#include <cardan/stepper.h>

#include "view/text.h"

/* ---- a frame ---- */

typedef struct view_frame {
  uint32_t run, number;
  bool jumped;
  const double *values; /* of the plots */
  int n_values;
  const cdn_scene *scene; /* updated: its time, poses and marks */
  int n_bodies;           /* of its System */
} view_frame;
/* How many bytes the frame has, and the frame itself; `out` is 8-aligned. O(bodies + marks), no allocation. */
size_t cdni_frame_size(const view_frame *frame);
void cdni_frame_write(const view_frame *frame, void *out);

/* The same without a scene: poses that come from somewhere else, no marks. */
size_t cdni_pose_frame_size(int n_values, int n_bodies);
void cdni_pose_frame_write(uint32_t run, uint32_t number, bool jumped, double time, const double *values, int n_values,
                           const cdn_transform *poses, int n_bodies, void *out);

/* ---- textures and meshes ---- */

enum { VIEW_SKY = -1 }; /* in place of a visual's number */

/* Which visual each mesh is made of, and which mesh a visual has. */
typedef struct view_looks {
  const cdn_scene *scene;
  const cdn_allocator *allocator;
  cdni_array meshes; /* int: the first visual that has it, or VIEW_SKY */
  int *of_visual;    /* number of the mesh, or -1 */
  int n_visuals;
  int sky; /* number of the mesh of the sky, or -1 */
} view_looks;
/* Equal meshes are one. CDN_ERR_NOMEM. */
cdn_status cdni_looks_make(const cdn_scene *scene, const cdn_allocator *allocator, view_looks *out);
void cdni_looks_free(view_looks *looks);
/* How many messages there are: one for each texture, then one for each mesh. */
int cdni_looks_count(const view_looks *looks);
/* Message i, from malloc: the caller's to free. CDN_ERR_NOMEM, errors of cdn_scene_triangles. */
cdn_status cdni_look_encode(const view_looks *looks, int i, void **bytes, size_t *n);

/* ---- texts ---- */

typedef enum view_mode { VIEW_LIVE, VIEW_REPLAY, VIEW_SHOWN } view_mode;
void cdni_encode_hello(view_text *t, view_mode mode);

/* Something that can be plotted. */
typedef struct view_series {
  char name[96], unit[32];
  const char *group; /* static */
} view_series;

typedef struct view_run {
  const char *name;
  double rgba[4];
  double from, to, rows; /* to NaN: it goes on */
} view_run;

/* A coordinate that a slider shows. */
typedef struct view_coordinate {
  cdn_body body;
  int k, slot; /* number on the body's mobilizer, in the pool of q */
  bool is_angle;
  double lower, upper;
} view_coordinate;
/* The coordinates of a System whose rates are speeds. `model` may be NULL; it knows limits of joints. The array
 * (view_coordinate) is the caller's to free. CDN_ERR_NOMEM. */
cdn_status cdni_list_coordinates(const cdn_system *system, const cdn_model *model, const cdn_allocator *allocator,
                                 cdni_array *out);
/* Whether the State prescribes or locks it. */
bool cdni_coordinate_is_fixed(const cdn_state *state, const view_coordinate *c);

/* What times are told in: so many of the State's seconds are one. */
typedef struct view_time_unit {
  const char *name;
  double seconds;
} view_time_unit;

typedef struct view_model {
  const char *name, *source;
  cdn_scene *scene; /* updated to the State */
  cdn_state *state;
  cdn_model *model; /* NULL: none; keyframes */
  const view_looks *looks;
  const view_coordinate *coordinates;
  int n_coordinates;
  const view_series *series;
  int n_series;
  const char *const *contacts; /* laws to choose from */
  int n_contacts;
  bool is_live; /* methods, controls and elements that can be changed */
  view_time_unit clock;
  cdn_force pull; /* the hand's, which is no element of the model; { -1 }: there is none */
  const view_run *runs;
  int n_runs;
} view_model;
void cdni_encode_model(view_text *t, const view_model *m);

/* The values of the sliders. */
void cdni_encode_values(view_text *t, cdn_state *state, const view_coordinate *coordinates, int n_coordinates);
/* The parameters of an element; false if there are none. */
bool cdni_encode_parameters(view_text *t, const cdn_state *state, cdn_element_type type, int element);
/* Curves of n_series series of a run at n times; `values` has those of each time together. */
void cdni_encode_curves(view_text *t, int run, const int *series, int n_series, const double *times,
                        const double *values, int n);
void cdni_encode_event(view_text *t, double time, const char *kind, const char *text);

/* `selected` of a body, or of nothing: body { -1 }. */
void cdni_encode_selected(view_text *t, cdn_state *state, cdn_body body);

typedef struct view_status {
  double time;
  const char *state; /* "running", "paused", "failed", "ended" */
  double speed, reached;
  double accuracy;
  const char *method, *contact; /* NULL: there is none */
  uint32_t layers;
  const int *plots;
  int n_plots;
  double step;
  int64_t steps, evaluations;
  double energy, estimate;
  int companion; /* whether one goes along; -1: there is no run */
  const char *verdict;
  cdn_verdict delivered; /* unknown where nothing has been run */
  double from, to;
  const char *recording, *note; /* or NULL */
  const char *offers;           /* a preset that would be faster, or NULL */
} view_status;
void cdni_encode_status(view_text *t, const view_status *s);

#endif
