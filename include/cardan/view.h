/* Cardan: a view of a System in a browser. A view serves one page on this machine, shows States in it, and obeys the
 * page's requests: run, pause, step, scrub, drag, pull. docs/view.md tells how to use it, docs/wire.md describes the
 * messages.
 *
 * cdn_view *view; status = cdn_view_open(state, NULL, &view); if (!status) printf("open %s\n", cdn_view_address(view));
 * if (!status) status = cdn_view_run(view, NULL); (until cdn_view_stop, in a signal handler for instance)
 * cdn_view_close(view);
 *
 * A program that keeps its own loop calls cdn_view_show and cdn_view_poll in place of cdn_view_run. Neither waits for a
 * page. A view belongs to one thread at a time; its server has a thread of its own.
 *
 * I want to
 *   open a view of a State, and close it: cdn_view_open, cdn_default_view_def, cdn_view_close
 *   know where the page is, and how many are open: cdn_view_address, cdn_view_pages
 *   let the page run the System: run, pause, scrub, drag, pull: cdn_view_run, cdn_view_stop
 *   show what my own loop computes, and do what the page asks: cdn_view_show, cdn_view_poll
 *   tell the page that something happened: cdn_view_say
 *   write a page with all that was shown, for people without the program: cdn_view_write */
#ifndef CARDAN_VIEW_H
#define CARDAN_VIEW_H

#include <cardan/model.h>
#include <cardan/perturbation.h>
#include <cardan/stepper.h>

CDN_BEGIN_DECLS

typedef struct cdn_view cdn_view;

typedef struct cdn_view_def {
  CDN_DEF_HEADER;
  const char *name;   /**< title of the page; copied. NULL: the model's name, or the System's */
  const char *source; /**< where the model comes from, such as a path, for the title; copied. NULL: "" */
  /** The model of the System: looks, keyframes and limits of joints. NULL: none. It must live as long as the view. */
  cdn_model *model;
  /** A scene of the System, with visuals of yours. It must live as long as the view, which updates it. NULL: the view
   *  makes one, from the model, the shapes of contact and the joints. */
  cdn_scene *scene;
  /** false: no server. Such a view shows nothing to anybody; it is for programs that run without people. Default
   *  true */
  bool serve;
  const char *host; /**< address to listen on; NULL: 127.0.0.1, which only this machine reaches */
  int port;         /**< 0: any free one. Default 0 */
  /** The page, a file viewer.html. NULL: that of the environment variable CARDAN_PAGE, else the one that `./run page`
   *  has made, or the installed one. */
  const char *page;
  uint32_t layers; /**< marks that are shown at first. Default CDN_LAYER_CONTACTS | CDN_LAYER_FORCES | CDN_LAYER_OWN |
                           CDN_LAYER_ROWS | CDN_LAYER_PATHS | CDN_LAYER_RAYS | CDN_LAYER_STATUSES */
  double speed;    /**< of cdn_view_run at first, times real time (see time_unit); 0: as fast as it goes. Default 1 */
  bool paused;     /**< cdn_view_run begins paused. Default false */
  size_t history;  /**< bytes for States of the past, to which the page can scrub. Default 64 MiB */
  /** Where the page's record button writes a trajectory (CSV); further ones get numbers. NULL: "recording.csv".
   *  Copied */
  const char *recording;
  /** Laws of contact to choose from, and a function that makes the model with law i. The model is the view's then; its
   *  bodies must be those of the first. NULL: the law cannot be changed. */
  const char *const *contacts;
  int n_contacts, contact; /**< how many, and the present one */
  cdn_status (*build)(void *context, int contact, cdn_model **out);
  void *context; /**< passed to `build`; the program's */
  bool keep;     /**< keeps all frames, in a temporary file, for cdn_view_write. Default false */
  /** A file with the random part of the address, so that pages find the server again when it begins anew (give the
   *  port, too). A file that is not there is made; one that other users can read is refused. NULL: the random part is
   *  new for each view. */
  const char *token;
  /** What the State's unit of time is called, for a System that has others than seconds, such as "ps"; copied. NULL:
   *  seconds, or for very small models a part of a second, which the page then shows; `speed` counts these units a
   *  second. */
  const char *time_unit;
  /** Where cdn_view_run writes the controls that pages set: a table over time, with a row at the start and one for each
   *  change (docs/controls.md). While it is written, controls change at ends of steps. It ends at what it cannot hold,
   *  such as a pull, and begins anew with the run. NULL: nowhere. Copied */
  const char *record_controls;
  /** A table of controls over time that cdn_view_run takes, as `record_controls` writes it (docs/controls.md; "-":
   *  standard input). It begins anew with each reset; where the run begins elsewhere (in the past, in a keyframe) it
   *  goes on from the row in force at that time. A control that a page sets is the page's until the next reset. NULL:
   *  none. Copied */
  const char *controls;
} cdn_view_def;
CDN_DEF(view_def);

/** Opens a view of a State's System, which shows this State at first. `def` may be NULL: the defaults. The view keeps
 *  the System alive and copies the State. Realizes Position. Errors: CDN_ERR_ARG (no page; a model or scene of another
 *  System; a wrong number of the def), CDN_ERR_FILE (the port is in use; a file
 *  of the token that others can read; a table of controls that cannot be read), CDN_ERR_PARSE (it is no table, or names
 *  a control that the System does not have), CDN_ERR_UNSUPPORTED (a server is wanted, and the
 *  library was built without libwebsockets or jansson), CDN_ERR_NOMEM, errors of realizing; then *out is NULL. */
CDN_API cdn_status cdn_view_open(cdn_state *state, const cdn_view_def *def, cdn_view **out) CDN_NODISCARD;
/** Tells the pages that the view ends, and ends it. NULL is allowed. */
CDN_API void cdn_view_close(cdn_view *view);
/** Where the page is, such as "http://127.0.0.1:41234/5d0...2f/"; NULL without a server. Lives as long as the view. */
CDN_API const char *cdn_view_address(const cdn_view *view);
/** How many pages are open. */
CDN_API int cdn_view_pages(const cdn_view *view);

/** Shows a State of the System: sends a frame if the last one is 1/60 s old, else does nothing. Without a server it is
 *  the States' time that counts: give poses times that grow to keep them all (cdn_view_def.keep). Realizes what the
 *  marks and plots that are on need; what cannot be realized is left out. Never waits for a page. Allocates nothing
 *  after the first few frames. Errors: CDN_ERR_ARG (a State of another System), CDN_ERR_NOMEM. O(bodies + marks). */
CDN_API cdn_status cdn_view_show(cdn_view *view, cdn_state *state) CDN_NODISCARD;

/** Requests of the page to a program with a loop of its own. The struct grows at its end. */
typedef struct cdn_view_wishes {
  bool paused;  /**< the program should wait */
  int steps;    /**< steps to take while it waits, counted since the last call */
  bool reset;   /**< it should begin anew: once */
  double speed; /**< times real time; 0: as fast as it goes */
  bool stopped; /**< cdn_view_stop was called */
} cdn_view_wishes;
/** Does what pages have asked for: plots, layers and selections of the view, and in the State controls, parameters and
 *  pulls. What only the program can do is in `out` (may be NULL). Waits at most `timeout` s for a request. Errors:
 *  CDN_ERR_ARG (a State of another System), CDN_ERR_NOMEM. */
CDN_SIZED(cdn_view_poll, (cdn_view *view, cdn_state *state, double timeout, cdn_view_wishes *out),
          (view, state, timeout, out), out);

/** Runs the System from the State of cdn_view_open, as the page asks, until cdn_view_stop; without a server, until the
 *  def's final_time. With a server the run begins when the first page has drawn the model, so that somebody sees how it
 *  begins. `def` may be NULL: the defaults, with a companion. A run that fails stays on the page, with its message, and
 *  can be reset. Errors: CDN_ERR_ARG (no server and no final_time), CDN_ERR_NOMEM; without a server also those of the
 *  run. */
CDN_API cdn_status cdn_view_run(cdn_view *view, const cdn_stepper_def *def) CDN_NODISCARD;
/** Ends cdn_view_run at the next frame. May be called from a signal handler and from any thread. */
CDN_API void cdn_view_stop(cdn_view *view);
/** Writes a page that plays all frames that were kept (cdn_view_def.keep): one file, which needs no server and no
 *  network. Errors: CDN_ERR_ARG (nothing was kept), CDN_ERR_FILE (there is no viewer.html, or the file cannot be
 *  written), CDN_ERR_PARSE (a page of another version), CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_view_write(cdn_view *view, const char *path) CDN_NODISCARD;
/** Adds a line to the list of events of the page. CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_view_say(cdn_view *view, double time, const char *text) CDN_NODISCARD;

CDN_END_DECLS
#endif
