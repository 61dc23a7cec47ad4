/* Runs that are over, shown again: in pages that a server has, or in a page in a file. For the command. */
#ifndef CARDAN_VIEW_REPLAY_H
#define CARDAN_VIEW_REPLAY_H

#include <cardan/stream.h>
#include <cardan/view.h>

enum { REPLAY_MOST_RUNS = 16 };

/* A run as whoever has read it tells it. All runs are of one System. */
typedef struct cdni_replayed {
  const char *name;
  double from, to, rows; /* times of the first and the last row, s */
  const char *verdict;   /* of its certificate, or NULL */
  cdn_verdict delivered;
  void *context; /* of the functions */
  /* Sets time, q and u of the State as they were at a time in the run. */
  cdn_status (*set)(void *context, double time, cdn_state *state);
  /* The time of the next row; `time` itself at the end. */
  cdn_status (*next_time)(void *context, double time, double *next);
  /* Sets the State as the rows have it, one after the other; *more is false behind the last one. */
  cdn_status (*set_next)(void *context, cdn_state *state, bool *more);
} cdni_replayed;

/* Shows runs to the view's pages, who play, pause and seek, until cdn_view_stop. What the view's State has besides
 * time, q and u holds for all runs. A row that cannot be read is an event, and pauses. Errors: CDN_ERR_ARG,
 * CDN_ERR_NOMEM. */
cdn_status cdni_view_replay(cdn_view *view, const cdni_replayed *runs, int n) CDN_NODISCARD;

/* Writes a page that plays these runs without a server: every row is a frame. The view has no server. *frames: how
 * many;
 * *data: bytes that they take in the page. `page`: path of viewer.html, or NULL. Errors: those of the runs and of
 * `write`, CDN_ERR_FILE (no page), CDN_ERR_NOMEM. */
cdn_status cdni_view_write_page(cdn_view *view, const cdni_replayed *runs, int n, const char *page, cdn_write_fn *write,
                                void *context, int64_t *frames, size_t *data) CDN_NODISCARD;

#endif
