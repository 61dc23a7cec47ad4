/* Steps of one size for all States, with the operations of src/integrators for a lone State, in the same order. */
#include <float.h>
#include <math.h>

#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "matter/move.h"
#include "soft/soft.h"
#include "studies/ensemble.h"

/* The largest error of quaternion lengths at the start of a run: a tenth of the default accuracy, as in the stepper. */
static const double START_TOLERANCE = 1e-5;

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

/* The rates at the end are behind those of the stages: estimates take them as a further stage. */
cdni_ends cdni_ensemble_ends(const worker *w) {
  const int stages = w->e->rk ? w->e->rk->stages : 1;
  return (cdni_ends){ .rates = stage_rates(w, stages),
                      .y = stage_rates(w, stages + 1),
                      .error = stage_rates(w, stages + 2) };
}

cdni_rk_step cdni_ensemble_rk_step(const worker *w, const double *t0, const double *t1, const double *h) {
  const cdn_ensemble *e = w->e;
  return (cdni_rk_step){ .lanes = e->lanes,
                         .n = e->ny,
                         .t0 = t0,
                         .t1 = t1,
                         .h = h,
                         .y0 = ensemble_y(e, w->batch),
                         .f0 = ensemble_rates(e, w->batch),
                         .y1 = cdni_ensemble_ends(w).y,
                         .rates = w->stages,
                         .stride = ensemble_width(e) };
}

void cdni_ensemble_rk_stages(worker *w, const cdni_rk_step *step) {
  (void)!cdni_rk_stages(w->e->rk, step, w->trial, evaluate_stage, w); /* never fails; single States do */
}

static void runge_kutta(worker *w, const double *t0, const double *t1, const double *h) {
  const cdni_rk_step step = cdni_ensemble_rk_step(w, t0, t1, h);
  cdni_ensemble_rk_stages(w, &step);
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
static void mujoco_euler(worker *w, const double *h, double *y1, double *qdot) {
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

void cdni_ensemble_arrive(worker *w, int batch, const double *t1, const cdni_ends *ends) {
  normalize(w, batch, ends->y, 0);
  cdni_ensemble_evaluate(w, batch, t1, ends->y, ends->rates);
}

void cdni_ensemble_accept(worker *w, int batch, const bool *lanes, const double *t1, const cdni_ends *ends) {
  const cdn_ensemble *e = w->e;
  const size_t width = (size_t)e->lanes;
  double *t = ensemble_t(e, batch), *y = ensemble_y(e, batch), *f = ensemble_rates(e, batch);
  bool all = true;
  for (int l = 0; l < e->lanes; l++) {
    if (lanes[l]) t[l] = t1[l];
    all = all && lanes[l];
  }
  if (all) {
    memcpy(y, ends->y, ensemble_width(e) * sizeof *y);
    memcpy(f, ends->rates, ensemble_width(e) * sizeof *f);
    return;
  }
  for (size_t i = 0; i < (size_t)e->ny; i++)
    for (size_t l = 0; l < width; l++)
      if (lanes[l]) y[i * width + l] = ends->y[i * width + l], f[i * width + l] = ends->rates[i * width + l];
}

void cdni_ensemble_begin(worker *w, int batch) {
  cdn_ensemble *e = w->e;
  /* prescribed motion comes first */
  w->prescribes = e->prescribed;
  if (w->prescribes) e->known[batch] = false;
  if (e->damping) e->known[batch] = false; /* the State with the lanes must be there */
  if (!e->known[batch]) normalize(w, batch, ensemble_y(e, batch), START_TOLERANCE);
  cdni_ensemble_know(w, batch);
  w->batch = batch;
}

static void note_step(cdn_ensemble *e, int k, double h) {
  course *c = &e->courses[k];
  c->smallest = c->steps ? fmin(c->smallest, h) : h;
  c->longest = fmax(c->longest, h);
  c->steps++;
  c->evaluations += e->rk ? e->rk->stages : 1;
}

/* Whether steps start from guesses: those of Euler's method with damping, where there are soft rows. */
static bool guesses(const worker *w) { return w->e->damping && w->n_views == w->e->lanes && cdni_soft(w->e->system); }

static void keep_rows(worker *w) {
  for (int l = 0; l < w->e->lanes; l++) {
    cdn_state *one = cdni_ensemble_standing_state(w, l);
    const cdn_status status = one ? cdni_soft_keep_rows(one) : CDN_OK;
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
  }
}

/* What steps have computed is theirs. */
static void save_guesses(worker *w, int batch) {
  cdn_ensemble *e = w->e;
  for (int l = 0; l < e->lanes; l++) {
    cdn_state *one = cdni_ensemble_standing_state(w, l);
    if (!one) continue;
    const cdn_status status = cdni_soft_save_guess(one, &e->allocator, &e->guesses[batch * e->lanes + l]);
    cdni_soft_hide_step(one);
    if (status != CDN_OK) cdni_ensemble_lane_failed(w, l, status);
  }
  e->known[batch] = false;
}

/* One step of all lanes, to t1. */
static void take_step(worker *w, int batch, const double *t1) {
  cdn_ensemble *e = w->e;
  const cdni_ends ends = cdni_ensemble_ends(w);
  const double *t0 = ensemble_t(e, batch);
  double h[CDNI_MOST_LANES];
  bool live[CDNI_MOST_LANES];
  for (int l = 0; l < e->lanes; l++) h[l] = t1[l] - t0[l];
  if (guesses(w)) keep_rows(w);
  if (e->rk) runge_kutta(w, t0, t1, h);
  else if (e->damping) mujoco_euler(w, h, ends.y, ends.rates);
  else semi_explicit_euler(w, t0, h, ends.y, ends.rates);
  w->arrives = guesses(w);
  cdni_ensemble_arrive(w, batch, t1, &ends);
  w->arrives = false;
  for (int l = 0; l < e->lanes; l++) {
    live[l] = ensemble_live(e, batch, l) >= 0;
    if (live[l]) note_step(e, batch * e->lanes + l, h[l]);
  }
  cdni_ensemble_accept(w, batch, live, t1, &ends);
}

/* Pieces of n steps between marks: of 20 steps at least, so that few companions take more than their part. */
static int64_t count_pieces(int64_t n) { return n < 20 * (CDNI_MARKS + 1) ? (n < 40 ? 1 : n / 20) : CDNI_MARKS + 1; }
static int64_t end_of_piece(int64_t n, int64_t piece) {
  const int64_t pieces = count_pieces(n);
  return n / pieces * (piece + 1) + n % pieces * (piece + 1) / pieces;
}

static void take_equal_steps(const cdni_stretch *x, worker *w, int batch) {
  const cdn_ensemble *e = x->e;
  double start[CDNI_MOST_LANES], t1[CDNI_MOST_LANES];
  int64_t piece = 0;
  memcpy(start, ensemble_t(e, batch), (size_t)e->lanes * sizeof *start);
  for (int64_t i = 0; i < x->n && any_live(e, batch) && !atomic_load(e->interrupt); i++) {
    for (int l = 0; l < e->lanes; l++) t1[l] = start[l] + (double)(i + 1) * x->h;
    take_step(w, batch, t1);
    if (!e->judged || i + 1 == x->n || i + 1 != end_of_piece(x->n, piece)) continue;
    for (int l = 0; l < e->lanes; l++) cdni_ensemble_mark(w, batch, l);
    piece++;
  }
}

/* A companion goes from mark to mark of its State, in steps that are equal between them. */
static void follow_equal_steps(const cdni_stretch *x, worker *w, int thread, int batch) {
  const cdn_ensemble *e = x->e;
  const worker *ahead = &x->leader->workers[thread];
  double start[CDNI_MOST_LANES], goal[CDNI_MOST_LANES], t1[CDNI_MOST_LANES];
  for (int64_t p = 0, done = 0, end; p < count_pieces(x->n) && !atomic_load(e->interrupt); p++, done = end) {
    end = end_of_piece(x->n, p);
    const int64_t n = cdni_ensemble_companion_steps(end - done);
    memcpy(start, ensemble_t(e, batch), (size_t)e->lanes * sizeof *start);
    for (int l = 0; l < e->lanes; l++)
      goal[l] = p < ahead->n_marks[l] ? ahead->mark_t[p][l] : x->ends[batch * e->lanes + l];
    for (int64_t i = 0; i < n && any_live(e, batch) && !atomic_load(e->interrupt); i++) {
      for (int l = 0; l < e->lanes; l++)
        t1[l] = i + 1 == n ? goal[l] : start[l] + (goal[l] - start[l]) * ((double)(i + 1) / (double)n);
      take_step(w, batch, t1);
    }
    for (int l = 0; l < e->lanes && end < x->n && !atomic_load(e->interrupt); l++)
      cdni_ensemble_compare(x, thread, batch, l, (int)p);
  }
}

static void advance_batch(void *context, int thread, int batch) {
  const cdni_stretch *x = context;
  worker *w = &x->e->workers[thread];
  w->begins = guesses(w);
  cdni_ensemble_begin(w, batch);
  w->begins = false;
  if (x->leader) follow_equal_steps(x, w, thread, batch);
  else take_equal_steps(x, w, batch);
  if (guesses(w)) save_guesses(w, batch);
  w->prescribes = false;
}

/* Systems with a memory of their runs are for steppers. */
static cdn_status check_memory(cdn_ensemble *e, const char *function) {
  const cdni_traits *x = &e->traits;
  const int known = (x->constraints ? 1 : 0) + (e->remembers_friction ? 1 : 0) + (e->draws ? 1 : 0);
  const bool remembers = x->auto_updates > known;
  if (!remembers && !x->previous) return CDN_OK;
  if (!remembers)
    return cdni_ensemble_fail(e, CDN_ERR_UNSUPPORTED, function, -1,
                              "the System has subsystems that ask for previous values, which an ensemble does not "
                              "advance: use a stepper for each State");
  return cdni_ensemble_fail(
      e, CDN_ERR_UNSUPPORTED, function, -1,
      "the System has auto-update variables such as '%s', which an ensemble does not advance: use a stepper for each "
      "State",
      x->remembered);
}

static bool goes_apart(const cdn_ensemble *e) {
  return e->apart || e->traits.events || e->traits.constraints || e->remembers_friction || e->draws;
}

cdn_status cdn_ensemble_advance(cdn_ensemble *e, double h, int64_t n) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!(h > 0) || !isfinite(h) || n < 0)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, -1, "h is %g and n %lld: a positive step and a number of steps",
                              h, (long long)n);
  CDNI_TRY(check_memory(e, __func__));
  cdni_stretch x = { .e = e, .h = h, .n = n };
  return cdni_ensemble_advance(&x, __func__, goes_apart(e) ? cdni_ensemble_go_apart : advance_batch);
}

cdn_status cdn_ensemble_advance_to(cdn_ensemble *e, double t) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!isfinite(t)) return cdni_ensemble_fail(e, CDN_ERR_NONFINITE, __func__, -1, "the time to advance to is %g", t);
  if (!e->rk)
    return cdni_ensemble_fail(
        e, CDN_ERR_UNSUPPORTED, __func__, -1,
        "def.method is %s, which has no error control here: take an explicit Runge-Kutta method, or "
        "equal steps (cdn_ensemble_advance)",
        e->how->name);
  CDNI_TRY(check_memory(e, __func__));
  for (int k = 0; k < e->count; k++)
    if (e->status[k] == CDN_OK && e->t[k] > t)
      return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, k, "State %d is at t = %.17g already, beyond %.17g", k,
                                e->t[k], t);
  cdni_stretch x = { .e = e, .end = t };
  return cdni_ensemble_advance(&x, __func__,
                               goes_apart(e) || e->sweeps ? cdni_ensemble_go_apart : cdni_ensemble_control);
}
