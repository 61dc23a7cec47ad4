/* Evaluating a batch: all lanes at once, or its one State. */
#include <math.h>
#include <stdio.h>

#include "studies/ensemble.h"

void cdni_ensemble_at(worker *w, int batch, const double *t, const double *y) {
  const cdn_ensemble *e = w->e;
  w->batch = batch;
  w->loaded = -1;
  w->now = t, w->at_y = y;
  memset(w->failed, 0, sizeof w->failed);
  if (!e->kernels) return;
  const size_t width = (size_t)e->lanes;
  const double *constants = ensemble_constants(e, batch);
  w->d.frames = (const body_frames *)(constants + e->at_frames * width);
  w->d.mass = (const body_mass *)(constants + e->at_mass * width);
  w->d.q = y;
  w->d.u = y + (size_t)e->nq * width;
  w->d.force = NULL, w->d.f_mob = NULL;
  w->sum.frames = constants + e->at_frame_params * width;
  w->sum.params = constants + e->at_force_params * width;
  w->sum.d = w->d;
}

cdn_state *cdni_ensemble_lane_state(void *context, int lane) {
  worker *w = context;
  const int k = ensemble_live(w->e, w->batch, lane);
  if (k < 0 || w->failed[lane]) return NULL;
  if (w->loaded == lane) return w->view;
  w->loaded = -1;
  if (cdni_ensemble_load(w, k, lane, w->now, w->at_y) != CDN_OK) {
    w->failed[lane] = true;
    return NULL;
  }
  w->loaded = lane;
  return w->view;
}

void cdni_ensemble_lane_failed(worker *w, int lane, cdn_status status) {
  cdn_ensemble *e = w->e;
  const int k = ensemble_live(e, w->batch, lane);
  if (k < 0) return;
  cdn_error *out = &e->errors[k], story = { .code = CDN_OK };
  cdn_state_last_error(w->view, &story);
  if (story.code != status) cdni_error_set(&story, status, "cdn_realize", NULL, "%s", cdn_status_text(status));
  *out = story;
  out->index = k;
  snprintf(out->text, sizeof out->text, "State %d: %.*s", k, (int)sizeof out->text - 24, story.text);
  e->status[k] = status;
}

/* ---- failures ---- */

/* A State that failed in its lane is evaluated once more by itself, for the story. */
static void tell(worker *w) {
  for (int l = 0; l < w->e->lanes; l++) {
    const int k = ensemble_live(w->e, w->batch, l);
    if (!w->failed[l] || k < 0) continue;
    cdn_status status = cdni_ensemble_load(w, k, l, w->now, w->at_y);
    if (status == CDN_OK) status = cdn_realize(w->view, CDN_STAGE_ACCELERATION);
    cdni_ensemble_lane_failed(w, l, status != CDN_OK ? status : CDN_ERR_SINGULAR);
  }
  w->loaded = -1;
}

/* Lanes whose y is not finite fail. Dead lanes are reset to their last valid y, so that kernels see finite numbers. */
static void check_values(worker *w, double *y) {
  cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes, n = (size_t)e->ny;
  double sum[CDNI_MOST_LANES] = { 0 };
  for (size_t i = 0; i < n; i++)
    for (size_t l = 0; l < width; l++) sum[l] += y[i * width + l] - y[i * width + l];
  for (int l = 0; l < e->lanes; l++) w->failed[l] = sum[l] != 0 || !isfinite(w->now[l]);
  tell(w);
  const double *good = ensemble_y(e, w->batch);
  for (int l = 0; y != good && l < e->lanes; l++) {
    if (ensemble_live(e, w->batch, l) >= 0) continue;
    for (size_t i = 0; i < n; i++) y[i * width + (size_t)l] = good[i * width + (size_t)l];
  }
}

/* ---- in lanes ---- */

/* The only coordinates without a configuration. */
static void check_quaternions(worker *w) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  for (int i = 1; i < e->m->tree.n; i++) {
    const tree_node *n = &e->m->tree.node[i];
    if (!n->quaternion) continue;
    const double *q = w->d.q + (size_t)n->q * width;
    for (size_t l = 0; l < width; l++)
      if (q[l] == 0 && q[width + l] == 0 && q[2 * width + l] == 0 && q[3 * width + l] == 0) w->failed[l] = true;
  }
}

/* Mobilizers that ops describe are asked State by State. */
static void ask_mobilizers(worker *w) {
  const matter *m = w->e->m;
  for (int l = 0; m->tree.n_custom > 0 && l < w->e->lanes; l++) {
    cdn_state *state = cdni_ensemble_lane_state(w, l);
    if (state && cdni_custom_lane(m, state, w->e->lanes, l, (custom_across *)w->d.custom) != CDN_OK)
      w->failed[l] = true;
  }
}

void cdni_ensemble_multiply_N(worker *w, const double *q, const double *u, double *qdot) {
  const matter *m = w->e->m;
  w->e->kernels->multiply_N(&m->tree, q, u, qdot);
  for (int l = 0; m->tree.n_custom > 0 && l < w->e->lanes; l++)
    if (ensemble_live(w->e, w->batch, l) >= 0) cdni_custom_N_lane(m, w->e->lanes, l, q, u, qdot);
}

void cdni_ensemble_kinematics(worker *w, bool inertias, bool velocities) {
  const cdn_ensemble *e = w->e;
  check_quaternions(w);
  ask_mobilizers(w);
  e->kernels->position(&e->m->tree, &w->d);
  if (inertias) e->kernels->inertia(&e->m->tree, &w->d);
  if (velocities) e->kernels->velocity(&e->m->tree, &w->d);
}

/* Forces from outside, as matter adds them. */
static void add_applied(worker *w) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes, nF = 6 * (size_t)e->m->tree.n, nf = (size_t)e->nu;
  for (int l = 0; l < e->lanes; l++) {
    cdn_state *state = cdni_ensemble_lane_state(w, l);
    if (!state) continue;
    memset(w->sum.one_F, 0, nF * sizeof(double));
    if (nf) memset(w->sum.one_f, 0, nf * sizeof(double));
    if (cdni_matter_add_applied(e->m, state, (sv *)w->sum.one_F, w->sum.one_f) != CDN_OK) w->failed[l] = true;
    for (size_t i = 0; i < nF; i++) w->F[i * width + (size_t)l] += w->sum.one_F[i];
    for (size_t i = 0; i < nf; i++) w->f[i * width + (size_t)l] += w->sum.one_f[i];
  }
}

static void add_forces(worker *w) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  if (!e->forces_act && !e->any_applied) return;
  if (e->any_applied) {
    memset(w->F, 0, 6 * (size_t)e->m->tree.n * width * sizeof(double));
    if (e->nu > 0) memset(w->f, 0, (size_t)e->nu * width * sizeof(double));
    add_applied(w);
  }
  if (e->forces_act) cdni_forces_lanes(&w->sum, w->view, e->any_applied);
  w->d.force = (const sv *)w->F;
  w->d.f_mob = w->f;
}

static void evaluate_lanes(worker *w, double *rates) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  int64_t singular[CDNI_MOST_LANES] __attribute__((aligned(CDNI_ALIGN)));
  cdni_ensemble_kinematics(w, true, true);
  add_forces(w);
  w->d.udot = rates + (size_t)e->nq * width;
  cdni_ensemble_multiply_N(w, w->d.q, w->d.u, rates);
  e->kernels->forward(&e->m->tree, &w->d, false, singular);
  for (size_t l = 0; l < width; l++) w->failed[l] = w->failed[l] || singular[l] >= 0;
  tell(w);
}

/* ---- either way ---- */

void cdni_ensemble_evaluate(worker *w, int batch, const double *t, double *y, double *rates) {
  const cdn_ensemble *e = w->e;
  cdni_ensemble_at(w, batch, t, y);
  check_values(w, y);
  if (e->kernels) {
    evaluate_lanes(w, rates);
    return;
  }
  cdn_state *state = cdni_ensemble_lane_state(w, 0);
  if (!state) return;
  const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
  else memcpy(rates, cdni_state_ydot(state), (size_t)e->ny * sizeof *rates);
}

void cdni_ensemble_know(worker *w, int batch) {
  cdn_ensemble *e = w->e;
  if (e->known[batch]) return;
  cdni_ensemble_evaluate(w, batch, ensemble_t(e, batch), ensemble_y(e, batch), ensemble_rates(e, batch));
  e->known[batch] = true;
}
