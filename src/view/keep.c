/* Frames that are kept for a page in a file. They are in a file without a name until then. */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "core/whole_file.h"
#include "view/embed.h"
#include "view/internal.h"

static cdn_status no_file(const char *function, const char *path) {
  return cdni_refuse(CDN_ERR_FILE, function, "%s: could not be written: %s", path, strerror(errno));
}

cdn_status cdni_keep_begin(cdn_view *view) {
  view->kept.file = tmpfile();
  return view->kept.file ? CDN_OK : no_file("cdn_view_open", "a file for frames in the folder of temporary files");
}

void cdni_keep_end(cdn_view *view) {
  if (view->kept.file) fclose(view->kept.file);
  view->kept.file = NULL;
}

/* The frames of another System are not kept. */
void cdni_keep_clear(cdn_view *view) {
  if (!view->kept.file) return;
  rewind(view->kept.file);
  view->kept.n = 0;
}

cdn_status cdni_keep_frame(cdn_view *view, cdn_state *state, const view_run_numbers *run) {
  view_kept *k = &view->kept;
  if (!k->file) return CDN_OK;
  int series[VIEW_PLOTS];
  double values[VIEW_PLOTS];
  const int n_values = cdni_view_page_series(view, true, series);
  cdni_view_measure(view, state, run, series, n_values, values);
  const double time = cdn_state_time(state);
  const view_frame f = { .number = (uint32_t)k->n,
                         .values = values,
                         .n_values = n_values,
                         .scene = view->picture.scene,
                         .n_bodies = cdn_system_body_count(view->picture.system) };
  const size_t n = cdni_frame_size(&f);
  CDNI_TRY(cdni_view_frame_room(view, n));
  cdni_frame_write(&f, view->frame.data);
  if (k->n == 0) k->from = k->to = time;
  k->from = fmin(k->from, time), k->to = fmax(k->to, time);
  k->n++;
  if (fwrite(&n, sizeof n, 1, k->file) == 1 && fwrite(view->frame.data, 1, n, k->file) == n) return CDN_OK;
  const cdn_status status = no_file("cdn_view_show", "a frame that shall be kept");
  cdni_keep_end(view);
  return status;
}

/* ---- the page ---- */

static cdn_status add_text(cdni_embed *embed, const view_text *t) {
  if (t->failed) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_write", "out of memory for a message");
  return cdni_embed_add(embed, EMBED_TEXT, cdni_text(t), cdni_text_length(t));
}

static cdn_status add_looks(cdn_view *view, cdni_embed *embed) {
  for (int i = 0; i < cdni_looks_count(&view->picture.looks); i++) {
    void *bytes;
    size_t n;
    CDNI_TRY(cdni_look_encode(&view->picture.looks, i, &bytes, &n));
    const cdn_status status = cdni_embed_add(embed, EMBED_LOOK, bytes, n);
    free(bytes);
    CDNI_TRY(status);
  }
  return CDN_OK;
}

static cdn_status unreadable(void) {
  return cdni_refuse(CDN_ERR_FILE, "cdn_view_write", "the frames that were kept cannot be read");
}

static cdn_status add_frames(cdn_view *view, cdni_embed *embed) {
  view_kept *k = &view->kept;
  if (fflush(k->file) != 0) return no_file("cdn_view_write", "the file of frames");
  rewind(k->file);
  for (int64_t i = 0; i < k->n; i++) {
    size_t n;
    if (fread(&n, sizeof n, 1, k->file) != 1) return unreadable();
    CDNI_TRY(cdni_view_frame_room(view, n));
    if (fread(view->frame.data, 1, n, k->file) != n) return unreadable();
    CDNI_TRY(cdni_embed_add(embed, EMBED_FRAME, view->frame.data, n));
  }
  return fseek(k->file, 0, SEEK_END) == 0 ? CDN_OK : no_file("cdn_view_write", "the file of frames");
}

static cdn_status add_all(cdn_view *view, cdni_embed *embed) {
  const view_kept *k = &view->kept;
  int series[VIEW_PLOTS];
  const int n_series = cdni_view_page_series(view, true, series);
  const view_run run = {
    .name = view->name, .rgba = { 0.6, 0.6, 0.6, 1 }, .from = k->from, .to = k->to, .rows = (double)k->n
  };
  const view_status s = { .time = k->from,
                          .state = "paused",
                          .speed = 1,
                          .reached = NAN,
                          .accuracy = NAN,
                          .layers = cdn_scene_layers(view->picture.scene),
                          .plots = series,
                          .n_plots = n_series,
                          .step = NAN,
                          .energy = NAN,
                          .estimate = NAN,
                          .companion = -1,
                          .verdict = view->verdict,
                          .delivered = view->delivered,
                          .from = k->from,
                          .to = k->to };
  cdni_encode_hello(&view->text, VIEW_REPLAY);
  CDNI_TRY(add_text(embed, &view->text));
  CDNI_TRY(add_looks(view, embed));
  CDNI_TRY(cdni_view_encode_model(view, view->initial, VIEW_REPLAY, &run));
  CDNI_TRY(add_text(embed, &view->text));
  CDNI_TRY(add_frames(view, embed));
  cdni_encode_status(&view->text, &s);
  return add_text(embed, &view->text);
}

cdn_status cdn_view_write(cdn_view *view, const char *path) {
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  if (!view->kept.file || view->kept.n == 0)
    return cdni_refuse(CDN_ERR_ARG, __func__, "no frames were kept: set cdn_view_def.keep, and show something");
  cdni_whole_file page;
  if (!cdni_whole_begin(&page, path)) return no_file(__func__, path);
  cdni_embed *embed = NULL;
  cdn_status status = cdni_embed_begin(view->page, cdn_file_write, page.file, &embed);
  if (status == CDN_OK) status = add_all(view, embed);
  if (status == CDN_OK) status = cdni_embed_end(embed, NULL);
  else cdni_embed_drop(embed);
  if (!cdni_whole_end(&page, status == CDN_OK) && status == CDN_OK) status = no_file(__func__, path);
  return status;
}
