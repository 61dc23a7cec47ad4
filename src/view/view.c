/* The life of a view, and what it sends. */
#define _POSIX_C_SOURCE 200809L
#include "view/internal.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#include "core/sized.h"
#include "system/system.h"

CDNI_DEF(view_def, .serve = true,
         .layers = CDN_LAYER_CONTACTS | CDN_LAYER_FORCES | CDN_LAYER_OWN | CDN_LAYER_ROWS | CDN_LAYER_PATHS |
                   CDN_LAYER_RAYS | CDN_LAYER_STATUSES,
         .speed = 1, .history = (size_t)64 << 20);

static double clock_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- opening and closing ---- */

static cdn_status no_memory(void) { return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for the view"); }

static cdn_status check_def(const cdn_state *state, const cdn_view_def *d) {
  static const char function[] = "cdn_view_open";
  const cdn_system *system = cdn_state_system(state);
  if (d->model && cdn_model_system(d->model) != system)
    return cdni_refuse(CDN_ERR_ARG, function, "the model of the def belongs to another System than the State");
  if (d->scene && cdn_scene_system(d->scene) != system)
    return cdni_refuse(CDN_ERR_ARG, function, "the scene of the def belongs to another System than the State");
  if (!(d->speed >= 0) || !isfinite(d->speed))
    return cdni_refuse(CDN_ERR_ARG, function, "speed is %g: it must be finite and not negative", d->speed);
  if (d->port < 0 || d->port > 65535)
    return cdni_refuse(CDN_ERR_ARG, function, "port is %d: it must be 0 to 65535", d->port);
  if (d->n_contacts < 0 || (d->n_contacts > 0 && (!d->contacts || d->contact < 0 || d->contact >= d->n_contacts)))
    return cdni_refuse(CDN_ERR_ARG, function, "contact is %d, and there are %d laws", d->contact, d->n_contacts);
  return CDN_OK;
}

static const char *title_of(const cdn_state *state, const cdn_view_def *d) {
  if (d->name) return d->name;
  if (d->model && cdn_model_name(d->model)) return cdn_model_name(d->model);
  const char *name = cdn_system_name(cdn_state_system(state));
  return name ? name : "";
}

static cdn_status open_view(cdn_view *v, cdn_state *state, const cdn_view_def *d) {
  v->name = cdni_strdup(&v->allocator, title_of(state, d));
  v->source = cdni_strdup(&v->allocator, d->source ? d->source : "");
  v->recording = cdni_strdup(&v->allocator, d->recording ? d->recording : "recording.csv");
  v->scripted = json_array();
  if (d->time_unit) v->time_unit = cdni_strdup(&v->allocator, d->time_unit);
  if (d->record_controls && !(v->record_controls = cdni_strdup(&v->allocator, d->record_controls))) return no_memory();
  if (d->controls) CDNI_TRY(cdni_control_table_open(d->controls, cdn_state_system(state), &v->controls));
  if (!v->name || !v->source || !v->recording || !v->scripted || (d->time_unit && !v->time_unit)) return no_memory();
  CDNI_TRY(cdn_state_create(cdn_state_system(state), &v->initial));
  CDNI_TRY(cdn_state_copy(v->initial, state));
  CDNI_TRY(cdni_picture_make(v, v->initial, d->model, d->scene, &v->picture));
  cdn_scene_set_layers(v->picture.scene, d->layers);
  if (d->page && !(v->page = cdni_strdup(&v->allocator, d->page))) return no_memory();
  if (d->keep) CDNI_TRY(cdni_keep_begin(v));
  if (!d->serve) return CDN_OK;
  const cdni_link_def link = { .host = d->host, .port = d->port, .page = d->page, .token = d->token };
  return cdni_link_open(&link, &v->link);
}

cdn_status cdn_view_open(cdn_state *state, const cdn_view_def *def, cdn_view **out) {
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  *out = NULL;
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_view_def d = view_def_defaults;
  const char *unreadable = def ? read_view_def(&d, def) : NULL;
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  CDNI_TRY(check_def(state, &d));
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(state));
  cdn_view *v = cdni_calloc(a, sizeof *v);
  if (!v) return no_memory();
  v->allocator = *a;
  v->text.allocator = &v->allocator;
  v->clock = clock_now;
  v->contacts = d.contacts, v->n_contacts = d.build ? d.n_contacts : 0, v->contact = d.contact;
  v->build = d.build, v->context = d.context;
  v->speed = d.speed, v->paused = d.paused, v->history = d.history;
  v->wishes = (cdn_view_wishes){ .speed = d.speed, .paused = d.paused };
  v->last_frame = v->last_time = v->last_status = -INFINITY;
  v->stale = true;
  atomic_init(&v->stop, false);
  const cdn_status status = open_view(v, state, &d);
  if (status == CDN_OK) *out = v;
  else cdn_view_close(v);
  return status;
}

void cdn_view_close(cdn_view *v) {
  if (!v) return;
  cdni_link_close(v->link, "The program has ended.");
  cdni_keep_end(v);
  cdni_picture_free(v, &v->picture);
  cdn_state_destroy(v->initial);
  json_decref(v->scripted);
  json_decref(v->next);
  cdni_text_free(&v->text);
  cdni_array_free(&v->allocator, &v->frame);
  cdni_strfree(&v->allocator, v->name);
  cdni_strfree(&v->allocator, v->source);
  cdni_strfree(&v->allocator, v->recording);
  cdni_strfree(&v->allocator, v->page);
  cdni_strfree(&v->allocator, v->time_unit);
  cdni_strfree(&v->allocator, v->record_controls);
  cdni_control_table_close(v->controls);
  const cdn_allocator a = v->allocator;
  cdni_free(&a, v, sizeof *v);
}

const char *cdn_view_address(const cdn_view *view) {
  CDNI_NEED_OBJECT(view, NULL);
  return view->link ? cdni_link_address(view->link) : NULL;
}

int cdn_view_pages(const cdn_view *view) {
  CDNI_NEED_OBJECT(view, 0);
  return view->link ? cdni_link_pages(view->link) : 0;
}

void cdn_view_stop(cdn_view *view) {
  if (view) atomic_store(&view->stop, true);
}

/* ---- sending ---- */

bool cdni_view_is_watched(const cdn_view *view) {
  return view->sink.frame || view->kept.file || (view->link && cdni_link_pages(view->link) > 0);
}

cdn_status cdni_view_send(cdn_view *view, cdni_link_slot slot) {
  if (view->text.failed) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_show", "out of memory for a message to the page");
  if (view->sink.text) view->sink.text(view->sink.context, slot, cdni_text(&view->text));
  return view->link ? cdni_link_send(view->link, slot, cdni_text(&view->text)) : CDN_OK;
}

cdn_status cdni_view_say(cdn_view *view, double time, const char *kind, const char *text) {
  cdni_encode_event(&view->text, time, kind, text);
  return cdni_view_send(view, LINK_QUEUE);
}

cdn_status cdn_view_say(cdn_view *view, double time, const char *text) {
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(text, CDN_ERR_ARG);
  if (!isfinite(time)) return cdni_refuse(CDN_ERR_NONFINITE, "cdn_view_say", "the time is %g", time);
  return cdni_view_say(view, time, "event", text);
}

static cdn_status publish_to_sink(cdn_view *view, const view_frame *f, size_t n) {
  if (!view->sink.frame) return CDN_OK;
  CDNI_TRY(cdni_view_frame_room(view, n));
  cdni_frame_write(f, view->frame.data);
  view->sink.frame(view->sink.context, view->frame.data, n);
  return CDN_OK;
}

cdn_status cdni_view_frame_room(cdn_view *view, size_t n) {
  if (view->frame.count >= n || cdni_array_extend(&view->allocator, &view->frame, 1, n - view->frame.count))
    return CDN_OK;
  return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_show", "out of memory for a frame");
}

static cdn_status publish_to_link(cdn_view *view, const view_frame *f, size_t n) {
  if (!view->link) return CDN_OK;
  void *bytes = cdni_link_frame(view->link, view->run, n);
  if (!bytes) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_show", "out of memory for a frame");
  cdni_frame_write(f, bytes);
  cdni_link_publish(view->link, view->run, n);
  return CDN_OK;
}

cdn_status cdni_view_publish(cdn_view *view, cdn_state *state, const view_run_numbers *run) {
  double values[VIEW_PLOTS];
  if (!cdni_view_is_watched(view)) return CDN_OK;
  /* what a layer cannot compute is left out of the frame */
  const cdn_status status = cdn_scene_update(view->picture.scene, state);
  if (!cdn_scene_poses(view->picture.scene) || status == CDN_ERR_NOMEM) return status;
  cdni_view_measure(view, state, run, view->plots, view->n_plots, values);
  const view_frame f = { .run = (uint32_t)view->run,
                         .number = view->number++,
                         .jumped = view->jumped,
                         .values = values,
                         .n_values = view->n_plots,
                         .scene = view->picture.scene,
                         .n_bodies = cdn_system_body_count(view->picture.system) };
  const size_t n = cdni_frame_size(&f);
  view->jumped = false;
  CDNI_TRY(cdni_keep_frame(view, state, run));
  CDNI_TRY(publish_to_sink(view, &f, n));
  return publish_to_link(view, &f, n);
}

cdn_status cdni_view_send_values(cdn_view *view, cdn_state *state) {
  const view_picture *p = &view->picture;
  cdni_encode_values(&view->text, state, p->coordinates.data, (int)p->coordinates.count);
  CDNI_TRY(cdni_view_send(view, LINK_VALUES));
  view->stale = false;
  cdni_readers_leave(view);
  const cdn_body selected = cdni_readers_next(view);
  if (selected.i < 0) return CDN_OK;
  cdni_encode_selected(&view->text, state, selected);
  return cdni_view_send(view, LINK_SELECTED);
}

/* ---- a program's own loop ---- */

static cdn_status check_state(const cdn_view *view, const cdn_state *state, const char *function) {
  if (cdn_state_system(state) == view->picture.system) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "the State belongs to another System than the view");
}

static cdn_status send_status(cdn_view *view, cdn_state *state) {
  const double time = cdn_state_time(state);
  const view_status s = { .time = time,
                          .companion = -1,
                          .state = view->wishes.paused ? "paused" : "running",
                          .speed = view->wishes.speed,
                          .reached = NAN,
                          .accuracy = NAN,
                          .layers = cdn_scene_layers(view->picture.scene),
                          .plots = view->plots,
                          .n_plots = view->n_plots,
                          .step = NAN,
                          .energy = cdni_view_energy(state),
                          .estimate = NAN,
                          .verdict = "",
                          .from = time,
                          .to = time };
  cdni_encode_status(&view->text, &s);
  CDNI_TRY(cdni_view_send(view, LINK_STATUS));
  return cdni_view_send_values(view, state);
}

/* Where nobody looks, frames are kept for later: then the time of the States counts. */
static bool frame_is_due(const cdn_view *view, double now, double time) {
  if (view->link || !view->kept.file) return now >= view->last_frame + VIEW_FRAME_TIME;
  return time < view->last_time || time >= view->last_time + (1 - 1e-9) * VIEW_FRAME_TIME * view->picture.clock.seconds;
}

cdn_status cdn_view_show(cdn_view *view, cdn_state *state) {
  static const double status_time = 0.2;
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check_state(view, state, "cdn_view_show"));
  if (!view->opened) CDNI_TRY(cdni_view_send_opening(view, state, VIEW_SHOWN));
  const double now = view->clock();
  if (!frame_is_due(view, now, cdn_state_time(state))) return CDN_OK;
  view->last_frame = now, view->last_time = cdn_state_time(state);
  CDNI_TRY(cdni_view_publish(view, state, NULL));
  if (now < view->last_status + status_time || !cdni_view_is_watched(view)) return CDN_OK;
  view->last_status = now;
  return send_status(view, state);
}
