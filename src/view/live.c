/* The live loop: its life, and one turn of it. */
#include "view/live.h"

#include <math.h>

#include "core/sized.h"

/* ---- where the run is ---- */

cdn_state *cdni_live_shown(live *l) { return l->stepper && !l->of_the_past ? cdn_stepper_state(l->stepper) : l->now; }

/* The stepper goes, and `now` is where it was, or what was shown of the past. */
static void drop_stepper(live *l) {
  if (l->stepper && !l->of_the_past && cdn_state_copy(l->now, cdn_stepper_state(l->stepper)) != CDN_OK) return;
  cdn_stepper_destroy(l->stepper);
  l->stepper = NULL;
  if (l->of_the_past) cdni_past_cut(&l->past, cdn_state_time(l->now));
  if (l->of_the_past) cdni_live_end_table(l, "the run goes on from the past");
  l->of_the_past = false;
}

cdn_state *cdni_live_edit(live *l) {
  if (l->of_the_past) drop_stepper(l);
  l->view->stale = true;
  return cdni_live_shown(l);
}

cdn_state *cdni_live_pose(live *l) {
  drop_stepper(l);
  /* what was before is another motion */
  cdni_past_cut(&l->past, nextafter(cdn_state_time(l->now), -INFINITY));
  l->next_keep = -INFINITY;
  l->view->stale = true;
  if (l->state == LIVE_FAILED || l->state == LIVE_ENDED) l->state = LIVE_PAUSED;
  l->note[0] = 0;
  return l->now;
}

/* The measurement of the speed begins anew. */
static void begin_window(live *l) {
  l->reached = NAN;
  l->window_clock = l->view->clock();
  l->window_time = cdn_state_time(cdni_live_shown(l));
}

cdn_status cdni_live_begin(live *l) {
  if (l->of_the_past) drop_stepper(l);
  if (l->stepper) return CDN_OK;
  cdni_drag_end(&l->drag);
  cdni_live_begin_controls(l, l->now);
  CDNI_TRY(cdn_stepper_create(l->now, &l->def, &l->stepper));
  begin_window(l);
  return CDN_OK;
}

const char *cdni_live_change(live *l, cdn_stepper_def def) {
  cdn_state *from = cdni_live_edit(l);
  cdn_stepper *stepper;
  cdni_live_begin_controls(l, from);
  /* the old stepper stays where the new one is refused */
  if (cdn_stepper_create(from, &def, &stepper) != CDN_OK) return cdni_view_refuse_last(l->view);
  cdni_drag_end(&l->drag);
  cdn_stepper_destroy(l->stepper);
  l->stepper = stepper;
  l->def = def;
  if (l->state == LIVE_FAILED) l->state = LIVE_PAUSED;
  l->note[0] = 0;
  begin_window(l);
  return NULL;
}

void cdni_live_fail(live *l, cdn_status status) {
  char text[1024];
  cdn_failure failure;
  l->state = LIVE_FAILED;
  l->status = status;
  cdn_stepper_failure(l->stepper, &failure);
  if (!l->stepper || failure.error.code == CDN_OK) {
    cdn_state_last_error(cdni_live_shown(l), &failure.error);
    snprintf(failure.advice, sizeof failure.advice, "%s", cdn_status_advice(status));
  }
  snprintf(text, sizeof text, "%s%s%s", failure.error.text, failure.advice[0] ? ". What to try: " : "", failure.advice);
  snprintf(l->note, sizeof l->note, "%s", text);
  (void)!cdni_view_say(l->view, cdn_state_time(cdni_live_shown(l)), "error", text);
}

/* ---- life ---- */

cdn_status cdni_live_open(cdn_view *view, const cdn_stepper_def *def, live **out) {
  *out = NULL;
  live *l = cdni_calloc(&view->allocator, sizeof *l);
  if (!l) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_run", "out of memory for the run");
  enum { ATTEMPTS = 4 }; /* then the clock is looked at */
  l->view = view;
  l->def = *def;
  l->def.max_steps = ATTEMPTS;
  l->def.return_on_events = true;
  l->state = view->paused ? LIVE_PAUSED : LIVE_RUNNING;
  l->speed = view->speed;
  l->reached = NAN;
  l->last_message = -INFINITY;
  l->drag.coordinate = -1;
  l->awaits = view->link && l->state == LIVE_RUNNING;
  cdn_status status = cdn_state_create(view->picture.system, &l->now);
  if (status == CDN_OK) status = cdn_state_copy(l->now, view->initial);
  if (status == CDN_OK) status = cdni_past_make(&l->past, view->picture.system, view->history, &view->allocator);
  if (status == CDN_OK) status = cdni_view_send_opening(view, l->now, VIEW_LIVE);
  if (status == CDN_OK) status = cdni_past_keep(&l->past, l->now);
  if (status == CDN_OK) status = cdni_view_publish(view, l->now, NULL);
  l->last_turn = view->clock();
  if (status == CDN_OK && cdni_live_begin(l) != CDN_OK) {
    cdn_error error;
    cdn_state_last_error(l->now, &error);
    cdni_live_fail(l, error.code);
  }
  if (status == CDN_OK) cdni_live_begin_table(l);
  if (status == CDN_OK) *out = l;
  else cdni_live_close(l);
  return status;
}

void cdni_live_close(live *l) {
  if (!l) return;
  (void)!cdni_live_record(l, false);
  cdni_live_end_table(l, NULL);
  cdni_drag_end(&l->drag);
  cdn_stepper_destroy(l->stepper);
  cdni_past_free(&l->past);
  cdn_state_destroy(l->now);
  const cdn_allocator a = l->view->allocator;
  cdni_free(&a, l, sizeof *l);
}

/* ---- a turn ---- */

static const char *pace_of(const live *l, char *text, size_t size) {
  const view_time_unit *unit = &l->view->picture.clock;
  if (strcmp(unit->name, "s") == 0) return "times real time";
  snprintf(text, size, "%.20s a second", unit->name);
  return text;
}

static void measure_speed(live *l, double clock) {
  static const double window = 0.5;
  char pace[40];
  const double time = cdn_state_time(cdni_live_shown(l));
  if (l->state != LIVE_RUNNING || l->awaits || time < l->window_time) {
    l->window_clock = clock, l->window_time = time;
    return;
  }
  if (clock < l->window_clock + window) return;
  l->reached = (time - l->window_time) / (clock - l->window_clock) / l->view->picture.clock.seconds;
  l->window_clock = clock, l->window_time = time;
  if (l->speed > 0 && l->reached < 0.9 * l->speed)
    cdni_print(l->note, sizeof l->note,
               "This machine reaches %.2g %s, not %.3g: %s%s or another method may be quicker.", l->reached,
               pace_of(l, pace, sizeof pace), l->speed, l->def.fixed_step > 0 ? "longer steps" : "a looser accuracy",
               l->def.companion ? ", a run without companion," : "");
  else l->note[0] = 0;
}

/* By how much the time shall grow in this turn. Where nobody looks, every frame is shown. */
static double wanted_progress(const live *l, double clock) {
  static const double longest = 0.1; /* s: what a machine that was busy does not make up for */
  const double speed = (l->speed > 0 ? l->speed : 1) * l->view->picture.clock.seconds;
  if (!l->view->link) return speed * VIEW_FRAME_TIME;
  return speed * fmin(clock - l->last_turn, longest);
}

static void go_on(live *l, double clock) {
  if (l->awaits) return;
  const double deadline = clock + 0.9 * VIEW_FRAME_TIME, time = cdn_state_time(cdni_live_shown(l));
  const bool unbound = l->speed == 0 && l->view->link;
  if (l->state == LIVE_RUNNING) cdni_live_advance(l, unbound ? INFINITY : time + wanted_progress(l, clock), deadline);
  else if (l->steps_left > 0) cdni_live_step(l, deadline);
}

static bool frame_is_due(const live *l, double clock, bool moves) {
  if (!l->view->link) return moves || l->view->stale;
  return (moves || l->view->stale) && clock >= l->view->last_frame + VIEW_FRAME_TIME - 1e-3;
}

/* Keeps the State for the past. Copying large States takes at most a fiftieth of the time. */
static void keep(live *l) {
  const double clock = l->view->clock();
  if (l->of_the_past || clock < l->next_keep) return;
  (void)!cdni_past_keep(&l->past, cdni_live_shown(l));
  l->next_keep = clock + 50 * (l->view->clock() - clock);
}

double cdni_live_turn(live *l) {
  static const double status_time = 0.2, idle = 0.1;
  cdn_view *v = l->view;
  cdni_live_answer_all(l);
  double clock = v->clock();
  const int pages = cdn_view_pages(v);
  const bool moves = (l->state == LIVE_RUNNING && !l->awaits) || l->steps_left > 0 || v->jumped || pages > l->pages;
  /* what the first page last saw is long ago */
  if (l->pages == 0 && pages > 0) v->jumped = true;
  l->pages = pages;
  go_on(l, clock);
  l->last_turn = clock;
  clock = v->clock();
  measure_speed(l, clock);
  if (frame_is_due(l, clock, moves)) {
    view_run_numbers numbers;
    if (cdni_view_is_watched(v)) cdni_live_numbers(l, &numbers);
    (void)!cdni_view_publish(v, cdni_live_shown(l), &numbers);
    keep(l);
    cdni_live_write_row(l);
    v->last_frame = fmax(v->last_frame + VIEW_FRAME_TIME, clock - VIEW_FRAME_TIME / 2);
    if (v->stale && cdni_view_is_watched(v)) (void)!cdni_view_send_values(v, cdni_live_shown(l));
    v->stale = false;
  }
  if (clock >= v->last_status + status_time) {
    v->last_status = clock;
    if (cdni_view_is_watched(v)) (void)!cdni_live_send_status(l);
  }
  if (moves && l->state == LIVE_RUNNING && l->speed == 0) return 0;
  if (!moves) return idle;
  return fmax(v->last_frame + VIEW_FRAME_TIME - v->clock(), 0);
}

cdn_status cdn_view_run(cdn_view *view, const cdn_stepper_def *def) {
  CDNI_NEED_OBJECT(view, CDN_ERR_ARG);
  cdn_stepper_def d = cdn_default_stepper_def();
  d.companion = true;
  const char *unreadable =
      def ? cdni_sized_read(&d, def,
                            CDNI_SIZED(cdn_stepper_def, "start the cdn_stepper_def with cdn_default_stepper_def()"))
          : NULL;
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", unreadable);
  if (!view->link && !(d.final_time < INFINITY))
    return cdni_refuse(CDN_ERR_ARG, __func__, "a view without a server needs a final_time: nobody could end the run");
  live *l;
  CDNI_TRY(cdni_live_open(view, &d, &l));
  while (!atomic_load(&view->stop)) {
    double wait = cdni_live_turn(l);
    if (!view->link && l->state != LIVE_RUNNING && json_array_size(view->scripted) == 0) break;
    if (wait > 0 && view->link) cdni_view_unread(view, cdni_view_next(view, wait));
  }
  const cdn_status status = view->link ? CDN_OK : l->status;
  if (view->kept.file) (void)!cdni_live_send_status(l); /* the page has its verdict */
  cdni_live_close(l);
  return status;
}
