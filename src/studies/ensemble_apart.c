/* Steps of Systems with constraints, events or memory of friction: each State advances by itself, with the stepper of
 * the thread. */
#include <math.h>

#include "soft/soft.h"
#include "studies/ensemble.h"

static void take_message(const worker *w, view *v) {
  cdn_failure failure;
  cdn_stepper_failure(w->stepper, &failure);
  cdni_state_set_error(v->state, &failure.error);
}

/* Takes over the State after the run as State k. Variables that all States share must be as they were. */
static cdn_status take_results(worker *w, view *v, int k, int lane) {
  cdn_ensemble *e = w->e;
  const cdn_state *end = cdn_stepper_state(w->stepper);
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *x = &CDNI_AT(e->varying, varying, i);
    memcpy(e->values + (size_t)k * e->n_values + x->at, cdn_state_discrete(end, x->v), (size_t)x->n * sizeof(double));
  }
  ensemble_t(e, w->batch)[lane] = cdn_state_time(end);
  lane_put(ensemble_y(e, w->batch), e->lanes, lane, cdni_state_y(end), (size_t)e->ny);
  const char *other = cdni_state_difference(end, v->state, (int)e->own.count, e->own.data);
  v->viewed = -1;
  if (!other) return CDN_OK;
  return cdni_state_fail(
      v->state, CDN_ERR_UNSUPPORTED, false, "cdn_ensemble_advance", other,
      "an event has changed '%s', which the States of the ensemble share: name it in the def's `vary`, where "
      "that is possible, or give this State a stepper of its own",
      other);
}

static void note_effort(course *c, const cdni_effort *before, const cdni_effort *after) {
  c->steps += after->steps - before->steps;
  c->rejections += after->rejected - before->rejected;
  c->evaluations += after->evaluations - before->evaluations;
  c->local_errors += after->local_errors - before->local_errors;
}

static double end_of(const cdni_stretch *x, int k, double start) {
  return x->ends ? x->ends[k] : x->h > 0 ? start + (double)x->n * x->h : x->end;
}

static void advance_one(const cdni_stretch *x, worker *w, int lane) {
  const cdn_ensemble *e = x->e;
  const int k = ensemble_live(e, w->batch, lane);
  cdn_state *state = cdni_ensemble_lane_state(w, lane);
  if (!state || !w->stepper) return;
  view *v = &w->views[lane % w->n_views];
  const double end = end_of(x, k, cdn_state_time(state));
  const cdni_effort before = cdni_stepper_effort(w->stepper);
  cdn_status status = cdni_soft_load_guess(state, &e->guesses[k]);
  if (status == CDN_OK) status = cdn_stepper_restart(w->stepper, state);
  if (status == CDN_OK) status = cdn_stepper_advance(w->stepper, end, NULL);
  if (status == CDN_ERR_LIMIT && atomic_load(e->interrupt)) status = CDN_OK; /* it stays where it has come to */
  const cdni_effort after = cdni_stepper_effort(w->stepper);
  note_effort(&e->courses[k], &before, &after);
  cdni_stepper_take_gone_through(w->stepper, &e->courses[k].passage);
  if (status != CDN_OK) take_message(w, v);
  else status = take_results(w, v, k, lane);
  if (status == CDN_OK) status = cdni_soft_save_guess(cdn_stepper_state(w->stepper), &e->allocator, &e->guesses[k]);
  if (status != CDN_OK) cdni_ensemble_lane_failed(w, lane, status);
}

void cdni_ensemble_go_apart(void *context, int thread, int batch) {
  const cdni_stretch *x = context;
  cdn_ensemble *e = x->e;
  worker *w = &e->workers[thread];
  cdni_ensemble_at(w, batch, ensemble_t(e, batch), ensemble_y(e, batch));
  for (int l = 0; l < e->lanes && !atomic_load(e->interrupt); l++) advance_one(x, w, l);
  e->known[batch] = false;
}

/* A stepper for steps of size h (0: of sizes that it chooses). It starts from the first State that it can start
 * from. */
static cdn_status make_stepper(worker *w, double h) {
  cdn_ensemble *e = w->e;
  if (w->stepper && w->stepper_h == h) return CDN_OK;
  cdn_stepper_destroy(w->stepper);
  w->stepper = NULL;
  w->stepper_h = h;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = e->method, how.fixed_step = h;
  how.accuracy = e->accuracy, how.max_steps = h > 0 ? 0 : e->max_steps;
  for (int k = 0; k < e->count && !w->stepper; k++) {
    const int batch = k / e->lanes, lane = k % e->lanes;
    cdni_ensemble_at(w, batch, ensemble_t(e, batch), ensemble_y(e, batch));
    cdn_state *state = cdni_ensemble_lane_state(w, lane);
    const cdn_status status = state ? cdn_stepper_create(state, &how, &w->stepper) : CDN_OK;
    if (status == CDN_ERR_NOMEM) return status;
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, lane, status);
    if (w->stepper) cdni_stepper_listen(w->stepper, e->interrupt);
    w->views[lane % w->n_views].lane = -1;
  }
  return CDN_OK;
}

cdn_status cdni_ensemble_make_steppers(const cdni_stretch *x) {
  for (int i = 0; i < x->e->n_workers; i++) CDNI_TRY(make_stepper(&x->e->workers[i], x->h));
  return CDN_OK;
}

void cdni_ensemble_forget_views(cdn_ensemble *e) {
  for (int i = 0; i < e->n_workers; i++)
    for (int v = 0; v < e->workers[i].n_views; v++) e->workers[i].views[v].viewed = -1;
}
