/* Runs that are over, in a page in a file. */
#include "view/replay_parts.h"

#include <math.h>

#include "view/embed.h"

/* Where the view's messages go. */
typedef struct target {
  cdni_embed *embed;
  cdn_status status;
  int64_t frames;
} target;

static void add(target *t, embed_kind kind, const void *bytes, size_t n) {
  if (t->status == CDN_OK) t->status = cdni_embed_add(t->embed, kind, bytes, n);
}
static void add_frame(void *context, const void *bytes, size_t n) {
  target *t = context;
  add(t, EMBED_FRAME, bytes, n);
  t->frames++;
}
static void add_opening(void *context, bool is_text, const void *bytes, size_t n) {
  add(context, is_text ? EMBED_TEXT : EMBED_LOOK, bytes, n);
}
static void add_text(void *context, cdni_link_slot slot, const char *text) {
  (void)slot;
  add(context, EMBED_TEXT, text, strlen(text));
}

/* ---- rows of several runs by time ---- */

typedef struct ahead {
  cdn_state *state;
  bool more;
} ahead;

static cdn_status fetch(const cdni_replayed *run, ahead *a) { return run->set_next(run->context, a->state, &a->more); }

static int earliest(const ahead *a, int n) {
  int first = -1;
  for (int i = 0; i < n; i++)
    if (a[i].more && (first < 0 || cdn_state_time(a[i].state) < cdn_state_time(a[first].state))) first = i;
  return first;
}

static cdn_status write_frames(const replay *r, ahead *a, const target *t) {
  for (int i = 0; i < r->n; i++) {
    CDNI_TRY(cdn_state_create(r->view->picture.system, &a[i].state));
    CDNI_TRY(cdn_state_copy(a[i].state, r->view->initial));
    CDNI_TRY(fetch(&r->runs[i], &a[i]));
  }
  for (int i; (i = earliest(a, r->n)) >= 0;) {
    r->view->run = i;
    CDNI_TRY(cdni_view_publish(r->view, a[i].state, NULL));
    CDNI_TRY(t->status);
    CDNI_TRY(fetch(&r->runs[i], &a[i]));
  }
  return CDN_OK;
}

static cdn_status write_all(replay *r, const target *t) {
  ahead a[REPLAY_MOST_RUNS] = { { NULL, false } };
  cdn_status status = write_frames(r, a, t);
  for (int i = 0; i < r->n; i++) cdn_state_destroy(a[i].state);
  if (status == CDN_OK) status = cdni_replay_send_status(r);
  return status == CDN_OK ? t->status : status;
}

cdn_status cdni_view_write_page(cdn_view *view, const cdni_replayed *runs, int n, const char *page, cdn_write_fn *write,
                                void *context, int64_t *frames, size_t *data) {
  target t = { .status = CDN_OK };
  replay r;
  CDNI_TRY(cdni_embed_begin(page, write, context, &t.embed));
  view->sink = (view_sink){ add_frame, add_text, add_opening, &t };
  view->n_plots = cdni_view_page_series(view, false, view->plots); /* what can be plotted later is in the frames */
  cdn_status status = cdni_replay_begin(&r, view, runs, n);
  r.plays = false;
  if (status == CDN_OK) status = t.status;
  if (status == CDN_OK) status = write_all(&r, &t);
  cdni_replay_end(&r);
  view->sink = (view_sink){ 0 };
  *frames = t.frames;
  if (status == CDN_OK) return cdni_embed_end(t.embed, data);
  cdni_embed_drop(t.embed);
  return status;
}
