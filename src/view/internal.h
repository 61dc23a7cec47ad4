/* What the files of the view share. Private to the room. A *view* shows States of one System at a time and knows what
 * pages have chosen. A *live run* (live.h) is the loop that pages steer. */
#ifndef CARDAN_VIEW_INTERNAL_H
#define CARDAN_VIEW_INTERNAL_H

#include <stdatomic.h>
#include <stdio.h>

#include <cardan/view.h>

#include "io/control_table.h"
#include "view/encode.h"
#include "view/link.h"

enum { VIEW_PLOTS = 64, VIEW_READERS = 17, VIEW_MESSAGE = 512 };
#define VIEW_FRAME_TIME (1.0 / 60)

/* What can be plotted of a State, and what of a run. */
typedef enum view_source {
  VIEW_COORDINATE,
  VIEW_SPEED,
  VIEW_MEASURE,
  VIEW_KINETIC,
  VIEW_POTENTIAL,
  VIEW_TOTAL,
  VIEW_CONTACT_COUNT,
  VIEW_CONTACT_FORCE,
  VIEW_REACTION,
  VIEW_CONSTRAINT_ERROR,
  VIEW_STEP,
  VIEW_EVALUATIONS,
  VIEW_ESTIMATE
} view_source;
typedef struct view_quantity {
  view_source source;
  int i, k; /* slot or measure; component */
} view_quantity;

/* The numbers of a run, NaN and 0 without one. */
typedef struct view_run_numbers {
  double step, estimate;
  int64_t steps, evaluations;
} view_run_numbers;

/* What one page looks at. */
typedef struct view_reader {
  int64_t page; /* its number; 0: requests of no page */
  cdn_body selected;
  int plots[VIEW_PLOTS], n_plots;
} view_reader;

/* All that belongs to the System that is shown. */
typedef struct view_picture {
  const cdn_system *system; /* retained */
  cdn_model *model;         /* or NULL */
  cdn_scene *scene;
  bool owns_model, owns_scene;
  view_looks looks;
  cdni_array coordinates; /* view_coordinate */
  cdni_array series;      /* view_series */
  cdni_array quantities;  /* view_quantity, one a series */
  cdn_force pull;         /* the first; { -1 }: there is none */
  view_time_unit clock;
} view_picture;

/* Where messages go besides the server: a page in a file, a test. Both functions may be NULL. */
typedef struct view_sink {
  void (*frame)(void *context, const void *bytes, size_t n);
  void (*text)(void *context, cdni_link_slot slot, const char *text);
  void (*opening)(void *context, bool is_text, const void *bytes, size_t n);
  void *context;
} view_sink;

/* Frames for a page in a file (keep.c). */
typedef struct view_kept {
  FILE *file; /* NULL: none are kept */
  int64_t n;
  double from, to; /* their times */
} view_kept;

struct cdn_view {
  cdn_allocator allocator;
  char *name, *source, *recording, *page, *time_unit, *record_controls;
  cdni_control_table *controls; /* that a live run takes; NULL: none */
  view_kept kept;
  const char *const *contacts;
  int n_contacts, contact;
  cdn_status (*build)(void *context, int contact, cdn_model **out);
  void *context;
  double speed;
  bool paused;
  size_t history;

  cdni_link *link; /* NULL: none */
  view_sink sink;
  double (*clock)(void); /* s */
  json_t *scripted;      /* requests that come before those of pages: an array */
  json_t *next;          /* one that was fetched already, or NULL */
  atomic_bool stop;

  view_picture picture;
  cdn_state *initial;
  const view_run *runs; /* that are replayed; NULL: it shows one run, its own */
  int n_runs, run;      /* how many, and that of the next frame */
  bool opened;          /* the opening was sent */
  view_mode mode;

  view_text text;
  cdni_array frame;               /* bytes for the sink */
  uint32_t number;                /* of the next frame */
  bool jumped;                    /* before the next frame */
  double last_frame, last_status; /* by the clock */
  double last_time;               /* of the State that cdn_view_show showed last */
  int plots[VIEW_PLOTS], n_plots; /* of all pages together */
  view_reader readers[VIEW_READERS];
  int n_readers, told; /* whose selection was told last */
  bool stale;          /* the sliders' values have changed */
  cdn_view_wishes wishes;
  char message[VIEW_MESSAGE]; /* of a request that was refused */
  char verdict[512];          /* of a live run, when it was told last */
  cdn_verdict delivered;
};

/* ---- picture.c ---- */

/* Of a State's System; `model` and `scene` may be NULL. Takes nothing over. */
cdn_status cdni_picture_make(cdn_view *view, cdn_state *state, cdn_model *model, cdn_scene *scene, view_picture *out);
void cdni_picture_free(cdn_view *view, view_picture *picture);
/* The opening for every page: hello, textures, meshes, model. */
cdn_status cdni_view_send_opening(cdn_view *view, cdn_state *state, view_mode mode);
/* The text `model`. */
cdn_status cdni_view_encode_model(cdn_view *view, cdn_state *state, view_mode mode, const view_run *run);

/* ---- keep.c ---- */

cdn_status cdni_keep_begin(cdn_view *view);
void cdni_keep_end(cdn_view *view);
void cdni_keep_clear(cdn_view *view);
/* A frame of the scene as it is; it has the values of the first series. */
cdn_status cdni_keep_frame(cdn_view *view, cdn_state *state, const view_run_numbers *run);

/* ---- series.c ---- */

cdn_status cdni_list_series(const cdn_view *view, view_picture *picture);
/* What frames of a page in a file have of them, at most VIEW_PLOTS: what is short and sought first, then coordinates,
 * speeds and reactions. `is_run`: the page is written while it runs, so that numbers of the stepper are known. */
int cdni_view_page_series(const cdn_view *view, bool is_run, int *series);
/* Writes the values of n series. */
void cdni_view_measure(const cdn_view *view, cdn_state *state, const view_run_numbers *run, const int *series, int n,
                       double *values);
/* Kinetic and potential energy; NaN where it cannot be computed. */
double cdni_view_energy(cdn_state *state);

/* ---- view.c ---- */

/* Sends the view's text. */
cdn_status cdni_view_send(cdn_view *view, cdni_link_slot slot);
cdn_status cdni_view_say(cdn_view *view, double time, const char *kind, const char *text);
/* A frame of this State now. `run` may be NULL. */
cdn_status cdni_view_publish(cdn_view *view, cdn_state *state, const view_run_numbers *run);
/* The values of sliders and what is selected. */
cdn_status cdni_view_send_values(cdn_view *view, cdn_state *state);
/* Makes view->frame large enough. */
cdn_status cdni_view_frame_room(cdn_view *view, size_t n);
/* Whether anybody would see a frame. */
bool cdni_view_is_watched(const cdn_view *view);

/* ---- readers.c: each page has a selection and plots of its own ---- */

void cdni_reader_select(cdn_view *view, const json_t *request, cdn_body body);
/* False: there is no room for so many series. */
bool cdni_reader_plot(cdn_view *view, const json_t *request, const int *series, int n);
/* Forgets what pages that have left looked at. */
void cdni_readers_leave(cdn_view *view);
/* Forgets what is plotted: the series are others. */
void cdni_readers_clear_plots(cdn_view *view);
/* The body whose lines are to be told next: those that pages have selected, in turn; { -1 }: there is none. */
cdn_body cdni_readers_next(cdn_view *view);

/* ---- requests.c ---- */

/* The next request, to be freed by json_decref; NULL: there is none. Waits at most `timeout` s. */
json_t *cdni_view_next(cdn_view *view, double timeout);
/* Gives one back: it is the next. */
void cdni_view_unread(cdn_view *view, json_t *request);
/* Adds one as if a page had sent it. Takes the reference. */
cdn_status cdni_view_script(cdn_view *view, json_t *request);
void cdni_view_reply(cdn_view *view, const json_t *request, const char *error);
/* Keeps the message of what was refused, and returns it. */
const char *cdni_view_refuse(cdn_view *view, const char *format, ...) CDN_PRINTF(2, 3);
/* The same with the thread's last failure. */
const char *cdni_view_refuse_last(cdn_view *view);

/* Members of a request; they return false after they have kept a message. */
bool cdni_request_number(cdn_view *view, const json_t *request, const char *key, double *out);
/* A speed, times real time, or 0. */
bool cdni_request_speed(cdn_view *view, const json_t *request, double *out);
bool cdni_request_index(cdn_view *view, const json_t *request, const char *key, int n, int *out);
bool cdni_request_vector(cdn_view *view, const json_t *request, const char *key, cdn_vec3 *out);
bool cdni_request_pull(cdn_view *view, const json_t *request, cdn_body *body, cdn_vec3 *station, cdn_vec3 *target);
const char *cdni_request_text(cdn_view *view, const json_t *request, const char *key);

/* What every view does for a page. Returns NULL, or why not; *known is false for requests of other types. */
const char *cdni_view_answer(cdn_view *view, cdn_state *state, const char *type, const json_t *request, bool *known);
/* Begins or moves the pull; a mocap body is put where the request says. */
const char *cdni_view_pull(cdn_view *view, cdn_state *state, const json_t *request);
void cdni_view_release(cdn_view *view, cdn_state *state);

#endif
