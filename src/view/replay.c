/* Runs that are over, in pages that people steer. */
#include "view/replay_parts.h"

#include <math.h>

#include "core/sized.h"

/* ---- life ---- */

/* The first run has the looks of the model; those that lie over it have a colour each, and one sees through them. */
static void colour(double rgba[4], int i) {
  static const double colours[][3] = { { 0.6, 0.6, 0.6 },    { 0.85, 0.37, 0.01 }, { 0.11, 0.47, 0.71 },
                                       { 0.17, 0.63, 0.17 }, { 0.58, 0.4, 0.74 },  { 0.89, 0.47, 0.76 } };
  const double *c = colours[i == 0 ? 0 : 1 + (i - 1) % (CDNI_COUNT(colours) - 1)];
  for (int k = 0; k < 3; k++) rgba[k] = c[k];
  rgba[3] = i == 0 ? 1 : 0.45;
}

cdn_status cdni_replay_begin(replay *r, cdn_view *view, const cdni_replayed *runs, int n) {
  *r = (replay){
    .view = view, .runs = runs, .n = n, .speed = view->speed > 0 ? view->speed : 1, .plays = !view->paused
  };
  if (n < 1 || n > REPLAY_MOST_RUNS)
    return cdni_refuse(CDN_ERR_ARG, "cdn_view_open", "%d runs cannot be shown: there may be 1 to %d", n,
                       REPLAY_MOST_RUNS);
  r->from = INFINITY, r->to = -INFINITY;
  for (int i = 0; i < n; i++) {
    r->from = fmin(r->from, runs[i].from), r->to = fmax(r->to, runs[i].to);
    r->shown[i] = (view_run){ .name = runs[i].name, .from = runs[i].from, .to = runs[i].to, .rows = runs[i].rows };
    colour(r->shown[i].rgba, i);
  }
  r->time = r->from;
  view->runs = r->shown, view->n_runs = n;
  CDNI_TRY(cdn_state_create(view->picture.system, &r->state));
  CDNI_TRY(cdn_state_copy(r->state, view->initial));
  CDNI_TRY(cdni_curves_make(r));
  CDNI_TRY(runs[0].set(runs[0].context, runs[0].from, r->state));
  return cdni_view_send_opening(view, r->state, VIEW_REPLAY);
}

void cdni_replay_end(replay *r) {
  r->view->runs = NULL;
  r->view->n_runs = r->view->run = 0;
  cdni_curves_free(r);
  cdn_state_destroy(r->state);
}

/* ---- requests ---- */

static const char *jump(replay *r, double time) {
  r->time = fmin(fmax(time, r->from), r->to);
  r->view->jumped = r->changed = true;
  return NULL;
}

static const char *step(replay *r, const json_t *request) {
  double n = 1;
  cdn_view *v = r->view;
  if (json_object_get(request, "n") && !cdni_request_number(v, request, "n", &n)) return v->message;
  if (!(n >= 1 && n <= 1000)) return cdni_view_refuse(v, "'n' must be 1 to 1000");
  const double tiny = 1e-12 * fmax(fabs(r->from), fabs(r->to)); // rows of two runs at one time, but for rounding
  r->plays = false;
  for (int k = 0; k < (int)n; k++) {
    double nearest = r->to; // of the next rows of all runs
    for (int i = 0; i < r->n; i++) {
      double next;
      if (r->runs[i].next_time(r->runs[i].context, r->time + tiny, &next) != CDN_OK) return cdni_view_refuse_last(v);
      if (next > r->time + tiny) nearest = fmin(nearest, next);
    }
    r->time = nearest;
  }
  r->changed = true;
  return NULL;
}

static const char *answer(replay *r, const char *type, const json_t *request) {
  cdn_view *v = r->view;
  bool known = false;
  double number;
  if (strcmp(type, "run") == 0) {
    if (r->time >= r->to) jump(r, r->from);
    r->plays = true;
  } else if (strcmp(type, "pause") == 0) r->plays = false;
  else if (strcmp(type, "reset") == 0) return jump(r, r->from);
  else if (strcmp(type, "step") == 0) return step(r, request);
  else if (strcmp(type, "seek") == 0) {
    if (!cdni_request_number(v, request, "time", &number)) return v->message;
    return jump(r, number);
  } else if (strcmp(type, "speed") == 0) {
    if (!cdni_request_speed(v, request, &number)) return v->message;
    if (number > 0) r->speed = number;
    else r->plays = false; // there is no fastest replay: it stands still
  } else if (strcmp(type, "layers") == 0 || strcmp(type, "select") == 0 || strcmp(type, "plots") == 0) {
    r->changed = true;
    const char *error = cdni_view_answer(v, r->state, type, request, &known);
    if (!error && strcmp(type, "plots") == 0) cdni_curves_begin(r);
    return error;
  } else return cdni_view_refuse(v, "this is a replay: it does not do '%.40s'", type);
  return NULL;
}

static void answer_all(replay *r) {
  cdn_view *v = r->view;
  for (json_t *request; (request = cdni_view_next(v, 0)) != NULL; json_decref(request)) {
    const char *type = json_string_value(json_object_get(request, "type"));
    cdni_view_reply(v, request, type ? answer(r, type, request) : "a request has a type");
    v->last_status = -INFINITY;
  }
}

/* ---- turns ---- */

/* The verdicts of all runs that have one; together they are no better than the worst. */
static cdn_verdict join_verdicts(const replay *r, char *text, size_t size) {
  bool all = true, failed = false;
  text[0] = 0;
  for (int i = 0; i < r->n; i++) {
    const cdni_replayed *run = &r->runs[i];
    const size_t used = strlen(text);
    all = all && run->verdict && run->delivered == CDN_VERDICT_DELIVERED;
    failed = failed || (run->verdict && run->delivered == CDN_VERDICT_NOT_DELIVERED);
    if (!run->verdict) continue;
    snprintf(text + used, size - used, "%s%s%s%s", used ? "; " : "", r->n > 1 ? run->name : "", r->n > 1 ? ": " : "",
             run->verdict);
  }
  return failed ? CDN_VERDICT_NOT_DELIVERED : all ? CDN_VERDICT_DELIVERED : CDN_VERDICT_UNKNOWN;
}

cdn_status cdni_replay_send_status(const replay *r) {
  cdn_view *v = r->view;
  char verdict[2048];
  const cdn_verdict delivered = join_verdicts(r, verdict, sizeof verdict);
  const view_status s = { .time = r->time,
                          .state = r->plays           ? "running"
                                   : r->time >= r->to ? "ended"
                                                      : "paused",
                          .speed = r->speed,
                          .reached = NAN,
                          .accuracy = NAN,
                          .layers = cdn_scene_layers(v->picture.scene),
                          .plots = v->plots,
                          .n_plots = v->n_plots,
                          .step = NAN,
                          .energy = cdni_view_energy(r->state),
                          .estimate = NAN,
                          .companion = -1,
                          .verdict = verdict,
                          .delivered = delivered,
                          .from = r->from,
                          .to = r->to };
  cdni_encode_status(&v->text, &s);
  return cdni_view_send(v, LINK_STATUS);
}

/* A frame of each run; where one has ended, its last. The first run is set last: it is what is selected. */
static cdn_status publish(replay *r) {
  const bool jumped = r->view->jumped;
  for (int i = r->n - 1; i >= 0; i--) {
    const cdni_replayed *run = &r->runs[i];
    CDNI_TRY(run->set(run->context, fmin(fmax(r->time, run->from), run->to), r->state));
    r->view->run = i;
    r->view->jumped = jumped;
    CDNI_TRY(cdni_view_publish(r->view, r->state, NULL));
  }
  return CDN_OK;
}

static void show(replay *r) {
  cdn_view *v = r->view;
  if (publish(r) == CDN_OK) return;
  r->plays = false;
  (void)!cdni_view_say(v, r->time, "error", cdni_view_refuse_last(v));
}

/* Returns how long the loop may wait for a request, s. */
static double turn(replay *r) {
  static const double status_time = 0.2, idle = 0.25, for_curves = 0.006;
  cdn_view *v = r->view;
  answer_all(r);
  const double clock = v->clock();
  const bool moves = r->plays || r->changed || v->number == 0;
  // it waits for the first page
  if (r->plays && cdni_view_is_watched(v))
    r->time = fmin(r->time + r->speed * v->picture.clock.seconds * (clock - r->last_turn), r->to);
  r->last_turn = clock;
  if (moves && clock >= v->last_frame + VIEW_FRAME_TIME - 1e-3) {
    show(r);
    v->last_frame = fmax(v->last_frame + VIEW_FRAME_TIME, clock - VIEW_FRAME_TIME / 2);
    r->changed = false;
    if (r->time >= r->to && r->plays) r->plays = false, v->last_status = -INFINITY;
  }
  if (clock >= v->last_status + status_time && cdni_view_is_watched(v)) {
    v->last_status = clock;
    (void)!cdni_replay_send_status(r);
    (void)!cdni_view_send_values(v, r->state);
  }
  if (cdni_curves_turn(r, v->clock() + for_curves)) return 0;
  return moves ? fmax(v->last_frame + VIEW_FRAME_TIME - v->clock(), 0) : idle;
}

cdn_status cdni_view_replay(cdn_view *view, const cdni_replayed *runs, int n) {
  replay r;
  cdn_status status = cdni_replay_begin(&r, view, runs, n);
  r.last_turn = view->clock();
  for (int pages = 0; status == CDN_OK && !atomic_load(&view->stop);) {
    const double wait = turn(&r);
    const int open = cdn_view_pages(view);
    if (open > pages) view->last_status = -INFINITY, cdni_curves_begin(&r); // the new one has none
    pages = open;
    if (wait > 0) cdni_view_unread(view, cdni_view_next(view, wait));
  }
  cdni_replay_end(&r);
  return status;
}
