/* The evaluation of a batch: all lanes at once, or its single State. */
#include <math.h>
#include <stdio.h>

#include "soft/soft.h"
#include "studies/ensemble.h"

/* ---- views ---- */

static view *view_of(worker *w, int lane) { return &w->views[lane % w->n_views]; }

static view *load_view(worker *w, int lane) {
  const int k = ensemble_live(w->e, w->batch, lane);
  if (k < 0 || w->in_lanes.failed[lane]) return NULL;
  view *v = view_of(w, lane);
  if (v->lane == lane) return v;
  v->lane = -1;
  if (cdni_ensemble_load(w, v, k, lane, w->now, w->at_y) != CDN_OK) {
    w->in_lanes.failed[lane] = true;
    return NULL;
  }
  if (w->prescribes && cdn_prescribe(v->state, NULL) != CDN_OK) {
    w->in_lanes.failed[lane] = true;
    return NULL;
  }
  v->lane = lane;
  return v;
}

cdn_state *cdni_ensemble_lane_state(worker *w, int lane) {
  const view *v = load_view(w, lane);
  if (!v) return NULL;
  cdni_lanes_stand_for(v->state, NULL, 0);
  return v->state;
}

/* A lone State for evaluations in lanes. It takes results from the State with the lanes, if they are valid there. */
cdn_state *cdni_ensemble_standing_state(void *context, int lane) {
  worker *w = context;
  const bool first = view_of(w, lane)->lane != lane;
  const view *v = load_view(w, lane);
  if (!v) return NULL;
  if (v->state != w->in_lanes.standing[lane]) cdni_lanes_stand_for(v->state, w->state, lane);
  /* An entry that needs one lane needs all. Fetching for all of them together costs less. */
  for (int l = 0; first && w->n_views > 1 && l < w->e->lanes; l++) {
    const view *other = l == lane ? NULL : load_view(w, l);
    if (other && other->state != w->in_lanes.standing[l]) cdni_lanes_stand_for(other->state, w->state, l);
  }
  return v->state;
}

cdn_state *cdni_ensemble_at(worker *w, int batch, const double *t, const double *y) {
  const cdn_ensemble *e = w->e;
  w->batch = batch;
  w->now = t, w->at_y = y;
  for (int i = 0; i < w->n_views; i++) {
    if (w->views[i].lane >= 0) cdni_lanes_stand_for(w->views[i].state, NULL, 0);
    w->views[i].lane = -1;
  }
  for (int l = 0; l < e->lanes; l++) w->in_lanes.failed[l] = ensemble_live(e, batch, l) < 0;
  if (!w->state) return cdni_ensemble_lane_state(w, 0);
  const int whose = e->constants_vary ? batch : 0;
  if (w->constants_of != whose) cdni_lanes_use_constants(w->state, ensemble_constants(e, batch));
  w->constants_of = whose;
  if (e->any_applied && !cdni_matter_any_applied(cdni_matter(e->twin), w->state))
    *(double *)cdni_state_update_discrete(w->state, e->m->applied_f) = 1; /* some State may have forces */
  cdni_lanes_set_ty(w->state, t, y);
  return w->state;
}

/* ---- failures ---- */

void cdni_ensemble_lane_failed(worker *w, int lane, cdn_status status) {
  cdn_ensemble *e = w->e;
  const int k = ensemble_live(e, w->batch, lane);
  if (k < 0) return;
  cdn_error *out = &e->errors[k], message = { .code = CDN_OK };
  cdn_state_last_error(view_of(w, lane)->state, &message);
  if (message.code != status) cdni_error_set(&message, status, "cdn_realize", NULL, "%s", cdn_status_text(status));
  *out = message;
  out->index = k;
  snprintf(out->text, sizeof out->text, "State %d: %.*s", k, (int)sizeof out->text - 24, message.text);
  e->status[k] = status;
  w->in_lanes.failed[lane] = true;
}

void cdni_ensemble_tell(worker *w, cdn_status of_all, cdn_stage stage) {
  for (int l = 0; l < w->e->lanes; l++) {
    if (of_all == CDN_OK && !w->in_lanes.failed[l]) continue;
    const int k = ensemble_live(w->e, w->batch, l);
    if (k < 0) continue;
    view *v = view_of(w, l);
    v->lane = -1;
    cdn_status status = cdni_ensemble_load(w, v, k, l, w->now, w->at_y);
    if (status == CDN_OK) status = cdn_realize(v->state, stage);
    if (status == CDN_OK) status = of_all != CDN_OK ? of_all : CDN_ERR_SINGULAR;
    cdni_ensemble_lane_failed(w, l, status);
  }
}

/* Lanes with a y that is not finite fail. The y of failed lanes is then reset to the last valid one, so that kernels
 * see finite numbers. The ensemble's own y is finite: setters have checked it, and so have the evaluations at the ends
 * of steps. */
static void check_values(worker *w, int batch, const double *t, double *y) {
  cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes, n = (size_t)e->ny;
  const double *good = ensemble_y(e, batch);
  if (y == good) return;
  if (cdni_all_finite(t, width, NULL) && (n == 0 || cdni_all_finite(y, n * width, NULL))) return;
  w->batch = batch, w->now = t, w->at_y = y;
  for (int l = 0; l < e->lanes; l++) w->in_lanes.failed[l] = !isfinite(t[l]) || !lane_is_finite(y, e->lanes, l, n);
  cdni_ensemble_tell(w, CDN_OK, CDN_STAGE_ACCELERATION);
  for (int l = 0; l < e->lanes; l++) {
    if (ensemble_live(e, batch, l) >= 0) continue;
    for (size_t i = 0; i < n; i++) y[i * width + (size_t)l] = good[i * width + (size_t)l];
  }
}

/* ---- rates ---- */

static void prescribe(const worker *w, cdn_state *state, double *y) {
  const cdn_ensemble *e = w->e;
  const size_t nq = (size_t)(e->nq * e->lanes), nu = (size_t)(e->nu * e->lanes);
  if (nq > 0) memcpy(y, cdn_state_q_eff(state), nq * sizeof *y);
  if (nu > 0) memcpy(y + nq, cdn_state_u_eff(state), nu * sizeof *y);
}

/* Before and after an evaluation of a step, whose lanes' soft rows start from their guesses. */
static void begin_step(worker *w) {
  for (int l = 0; l < w->e->lanes; l++) {
    cdn_state *one = cdni_ensemble_standing_state(w, l);
    if (!one) continue;
    const int k = ensemble_live(w->e, w->batch, l);
    cdn_status status = w->begins ? cdni_soft_load_guess(one, &w->e->guesses[k]) : CDN_OK;
    if (w->arrives) cdni_soft_give_guess(one);
    if (status == CDN_OK) status = cdni_soft_begin_step(one);
    if (status != CDN_OK) w->in_lanes.failed[l] = true;
  }
}

static void end_step(worker *w) {
  for (int l = 0; l < w->e->lanes; l++)
    if (w->views[l % w->n_views].lane == l) cdni_soft_end_step(w->views[l % w->n_views].state);
}

void cdni_ensemble_evaluate(worker *w, int batch, const double *t, double *y, double *rates) {
  const cdn_ensemble *e = w->e;
  check_values(w, batch, t, y);
  cdn_state *state = cdni_ensemble_at(w, batch, t, y);
  if (!state) return;
  const bool of_step = w->begins || w->arrives;
  if (of_step) begin_step(w);
  const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (of_step) end_step(w);
  if (e->ny > 0 && status == CDN_OK) memcpy(rates, cdni_state_ydot(state), ensemble_width(e) * sizeof *rates);
  if (w->prescribes && status == CDN_OK) prescribe(w, state, y);
  if (w->state) cdni_ensemble_tell(w, status, CDN_STAGE_ACCELERATION);
  else if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
}

void cdni_ensemble_know(worker *w, int batch) {
  cdn_ensemble *e = w->e;
  if (e->known[batch]) return;
  cdni_ensemble_evaluate(w, batch, ensemble_t(e, batch), ensemble_y(e, batch), ensemble_rates(e, batch));
  e->known[batch] = true;
}
