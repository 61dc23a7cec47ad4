/* Steps of one size for all States, with the operations of src/integrators for a lone State, in the same order. */
#include <float.h>
#include <math.h>

#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "matter/move.h"
#include "studies/ensemble.h"

/* The largest error of quaternion lengths at the start of a run: a tenth of the default accuracy, as in the stepper. */
static const double START_TOLERANCE = 1e-5;

typedef struct advance {
  cdn_ensemble *e;
  double h;
  int64_t n;
} advance;

/* ---- one step of one batch ---- */

static cdn_status evaluate_stage(void *context, int i, const double *t, double *y, double *rates) {
  worker *w = context;
  (void)i;
  cdni_ensemble_evaluate(w, w->batch, t, y, rates);
  return CDN_OK;
}

static double *stage_rates(const worker *w, int stage) {
  return w->stages + (size_t)(stage - 1) * ensemble_width(w->e);
}

static void runge_kutta(worker *w, const double *t0, const double *t1, const double *h, double *y1) {
  const cdn_ensemble *e = w->e;
  const cdni_rk_step step = { .lanes = e->lanes,
                              .n = e->ny,
                              .t0 = t0,
                              .t1 = t1,
                              .h = h,
                              .y0 = ensemble_y(e, w->batch),
                              .f0 = ensemble_rates(e, w->batch),
                              .y1 = y1,
                              .rates = w->stages,
                              .stride = ensemble_width(e) };
  (void)!cdni_rk_stages(e->rk, &step, w->trial, evaluate_stage, w); /* never fails; single States do */
}

static void semi_explicit_euler(worker *w, const double *t0, const double *h, double *y1, double *qdot) {
  const cdn_ensemble *e = w->e;
  const double *y0 = ensemble_y(e, w->batch);
  cdn_state *state = cdni_ensemble_at(w, w->batch, t0, y0);
  if (!state) return;
  const cdn_status status =
      cdni_euler_leap(state, e->lanes, e->nq, e->ny, h, y0, ensemble_rates(e, w->batch), y1, qdot);
  if (w->state) cdni_ensemble_tell(w, status, CDN_STAGE_VELOCITY);
  else if (status != CDN_OK) cdni_ensemble_lane_failed(w, 0, status);
}

/* From accelerations that were just evaluated. */
static void damped_euler(worker *w, const double *h, double *y1, double *qdot) {
  const cdn_ensemble *e = w->e;
  const size_t lanes = (size_t)e->lanes, nq = (size_t)e->nq * lanes, nu = (size_t)e->nu * lanes,
               ny = (size_t)e->ny * lanes;
  const double *y0 = ensemble_y(e, w->batch), *f0 = ensemble_rates(e, w->batch);
  double *a = w->mobility[0];
  cdn_status status = cdni_dynamics_damp_lanes(w->state, "cdn_ensemble_advance", e->damping, h, a);
  for (size_t i = 0; i < nu; i++) y1[nq + i] = y0[nq + i] + h[i % lanes] * a[i];
  for (size_t i = nq + nu; i < ny; i++) y1[i] = y0[i] + h[i % lanes] * f0[i];
  if (status == CDN_OK) status = cdni_move(w->state, MOVE_TURN, e->lanes, e->nq, h, y0, y1 + nq, qdot, y1);
  cdni_ensemble_tell(w, status, CDN_STAGE_ACCELERATION);
}

/* Brings quaternions to unit length, State by State, if one is off by more than `tolerance`. */
static void normalize(worker *w, int batch, double *y, double tolerance) {
  const cdn_ensemble *e = w->e;
  for (int l = 0; e->quaternions && l < e->lanes; l++) {
    if (ensemble_live(e, batch, l) < 0) continue;
    lane_get(y, e->lanes, l, w->one, (size_t)e->nq);
    if (!cdni_all_finite(w->one, (size_t)e->nq, NULL)) continue; /* the evaluation reports it */
    const double error = cdni_state_normalize_q(w->views[0].state, w->one, NULL);
    if (error > tolerance && error > 4 * DBL_EPSILON) lane_put(y, e->lanes, l, w->one, (size_t)e->nq);
  }
}

static bool any_live(const cdn_ensemble *e, int batch) {
  for (int l = 0; l < e->lanes; l++)
    if (ensemble_live(e, batch, l) >= 0) return true;
  return false;
}

/* Takes over the end of the step for live States. The others stay at the start of the step. */
static void accept(worker *w, int batch, const double *t1, const double *y1, const double *f1) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  double *t = ensemble_t(e, batch), *y = ensemble_y(e, batch), *f = ensemble_rates(e, batch);
  bool live[CDNI_MOST_LANES], all = true;
  for (int l = 0; l < e->lanes; l++) {
    live[l] = ensemble_live(e, batch, l) >= 0;
    if (live[l]) t[l] = t1[l];
    all = all && live[l];
  }
  if (all) {
    memcpy(y, y1, ensemble_width(e) * sizeof *y);
    memcpy(f, f1, ensemble_width(e) * sizeof *f);
    return;
  }
  for (size_t i = 0; i < (size_t)e->ny; i++)
    for (size_t l = 0; l < width; l++)
      if (live[l]) y[i * width + l] = y1[i * width + l], f[i * width + l] = f1[i * width + l];
}

static void advance_batch(void *context, int thread, int batch) {
  const advance *a = context;
  cdn_ensemble *e = a->e;
  worker *w = &e->workers[thread];
  const int ends = e->rk ? e->rk->stages : 1;
  double *y1 = stage_rates(w, ends), *f1 = stage_rates(w, ends + 1), *t0 = ensemble_t(e, batch);
  double start[CDNI_MOST_LANES], t1[CDNI_MOST_LANES], h[CDNI_MOST_LANES];
  memcpy(start, t0, (size_t)e->lanes * sizeof *t0);
  /* prescribed motion comes first */
  w->settles = e->prescribed;
  if (w->settles) e->known[batch] = false;
  if (e->damping) e->known[batch] = false; /* the State with the lanes must be there */
  if (!e->known[batch]) normalize(w, batch, ensemble_y(e, batch), START_TOLERANCE);
  cdni_ensemble_know(w, batch);
  for (int64_t i = 0; i < a->n && any_live(e, batch); i++) {
    for (int l = 0; l < e->lanes; l++) {
      t1[l] = start[l] + (double)(i + 1) * a->h;
      h[l] = t1[l] - t0[l];
    }
    w->batch = batch;
    if (e->rk) runge_kutta(w, t0, t1, h, y1);
    else if (e->damping) damped_euler(w, h, y1, f1);
    else semi_explicit_euler(w, t0, h, y1, f1);
    normalize(w, batch, y1, 0);
    cdni_ensemble_evaluate(w, batch, t1, y1, f1);
    accept(w, batch, t1, y1, f1);
  }
  w->settles = false;
}

cdn_status cdn_ensemble_advance(cdn_ensemble *e, double h, int64_t n) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  static const char function[] = "cdn_ensemble_advance";
  if (!(h > 0) || !isfinite(h) || n < 0)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "h is %g and n %lld: a positive step and a number of steps",
                              h, (long long)n);
  const cdni_traits *x = &e->traits;
  cdn_dvar memory;
  const bool friction = cdni_contact_memory_variable(e->system, &memory) > 0;
  const bool remembers = x->auto_updates > (x->constraints ? 1 : 0) + (friction ? 1 : 0);
  if (remembers || x->previous)
    return cdni_ensemble_fail(e, CDN_ERR_UNSUPPORTED, function, -1,
                              "the System has %s, which an ensemble does not advance: use a stepper for each State",
                              remembers ? "auto-update variables" : "subsystems that ask for previous values");
  if (e->apart || x->events || x->constraints || friction) return cdni_ensemble_advance_apart(e, function, h, n);
  advance a = { e, h, n };
  return cdni_ensemble_run(e, function, advance_batch, &a);
}
