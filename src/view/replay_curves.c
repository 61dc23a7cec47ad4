/* Plots of a replay show whole runs, not only what was played. */
#include <math.h>

#include "view/replay_parts.h"

cdn_status cdni_curves_make(replay *r) {
  replay_curves *c = &r->curves;
  const cdn_allocator *a = &r->view->allocator;
  c->run = r->n;
  c->times = cdni_alloc(a, CURVE_PLACES * sizeof *c->times);
  c->values = cdni_alloc(a, CURVE_NUMBERS * sizeof *c->values);
  if (!c->times || !c->values) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for curves");
  CDNI_TRY(cdn_state_create(r->view->picture.system, &c->state));
  return cdn_state_copy(c->state, r->view->initial);
}

void cdni_curves_free(replay *r) {
  const cdn_allocator *a = &r->view->allocator;
  cdni_free(a, r->curves.times, CURVE_PLACES * sizeof(double));
  cdni_free(a, r->curves.values, CURVE_NUMBERS * sizeof(double));
  cdn_state_destroy(r->curves.state);
}

static int most_places(const replay_curves *c) {
  const int n = CURVE_NUMBERS / c->n_series;
  return n < CURVE_PLACES ? n : CURVE_PLACES;
}

static void begin_run(replay *r, int run) {
  replay_curves *c = &r->curves;
  c->run = run, c->n = 0;
  if (run < r->n) c->by_rows = r->runs[run].rows <= most_places(c);
}

void cdni_curves_begin(replay *r) {
  replay_curves *c = &r->curves;
  c->n_series = r->view->n_plots;
  memcpy(c->series, r->view->plots, (size_t)c->n_series * sizeof *c->series);
  if (c->n_series > 0) begin_run(r, 0);
  else c->run = r->n;
}

/* The time of the next place; false: there is none. */
static bool next_place(replay *r, double *time) {
  replay_curves *c = &r->curves;
  const cdni_replayed *run = &r->runs[c->run];
  const int most = most_places(c);
  if (c->by_rows && c->n == most) c->by_rows = false, c->n = 0; /* it was only an estimate that it has so few */
  if (!c->by_rows) {
    *time = run->from + (run->to - run->from) * c->n / (most - 1);
    return c->n < most;
  }
  *time = run->from;
  if (c->n == 0) return true;
  const double before = c->times[c->n - 1];
  return run->next_time(run->context, before, time) == CDN_OK && *time > before;
}

/* A place that cannot be read has no values. */
static void measure(replay *r, double time) {
  replay_curves *c = &r->curves;
  const cdni_replayed *run = &r->runs[c->run];
  double *values = c->values + (size_t)c->n * (size_t)c->n_series;
  c->times[c->n++] = time;
  if (run->set(run->context, time, c->state) == CDN_OK)
    cdni_view_measure(r->view, c->state, NULL, c->series, c->n_series, values);
  else
    for (int i = 0; i < c->n_series; i++) values[i] = NAN;
}

bool cdni_curves_turn(replay *r, double deadline) {
  replay_curves *c = &r->curves;
  while (c->run < r->n) {
    double time;
    if (next_place(r, &time)) {
      measure(r, time);
    } else {
      cdni_encode_curves(&r->view->text, c->run, c->series, c->n_series, c->times, c->values, c->n);
      (void)!cdni_view_send(r->view, LINK_QUEUE);
      begin_run(r, c->run + 1);
    }
    if (r->view->clock() >= deadline) break;
  }
  return c->run < r->n;
}
