/* One accepted step: attempts are judged by their errors until one is good enough or the run fails. */
#include <float.h>
#include <math.h>

#include "constraints/project.h"
#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/control.h"
#include "integrators/events.h"
#include "integrators/failure.h"
#include "integrators/unresolved.h"
#include "integrators/progress.h"
#include "integrators/norm.h"
#include "integrators/project.h"
#include "integrators/second_look.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "soft/soft.h"
#include "system/system.h"

cdn_status cdni_realize_start(const cdn_stepper *s, cdn_state *state) {
  return s->method->equal_steps ? cdni_soft_realize_step(state) : cdn_realize(state, CDN_STAGE_ACCELERATION);
}

cdn_status cdni_evaluate_here(cdn_stepper *s, double *ydot, double *power) {
  s->certificate.evaluations++;
  CDNI_TRY(cdni_realize_start(s, s->work));
  CDNI_TRY(cdni_certificate_evaluation(s));
  if (s->ny) memcpy(ydot, cdni_state_ydot(s->work), sizeof(double) * (size_t)s->ny);
  return power ? cdni_power(s, s->work, power) : CDN_OK;
}

cdn_status cdni_evaluate(cdn_stepper *s, double t, const double *y, double *ydot, double *power) {
  cdn_status status = cdn_state_set_ty(s->work, t, y);
  if (status == CDN_OK) status = cdni_prescribe_values(s, s->work, NULL);
  if (status == CDN_OK && cdni_singular_holds(s)) status = cdni_project_rates(s, s->work);
  if (status != CDN_OK) {
    s->certificate.evaluations++;
    return status;
  }
  CDNI_TRY(cdni_evaluate_here(s, ydot, power));
  return cdni_events_glance(s);
}

/* A projection corrects the error of a step, which is small compared with the step. If it moves q by more than
 * PULL_MOST of the step's motion, it starts far from the manifold and may end on another branch. ESTIMATE_MOST
 * bounds the part of an error estimate that projection removes (all of it, if motions and constraints leave no
 * freedom), because dense output has that error. */
static const double PULL_MOST = 0.05, ESTIMATE_MOST = 0.005;

/* The root mean square of n changes of q, without prescribed slots. */
static double size_of(const cdn_stepper *s, const double *to, const double *from) {
  double sum = 0;
  for (int i = 0; i < s->nq; i++) {
    double change = from ? to[i] - from[i] : to[i];
    sum += s->prescribed[i] ? 0 : change * change;
  }
  return sqrt(sum / s->nq);
}

static void note_pull(cdn_stepper *s, double size, double most) {
  const double moved = size_of(s, s->step.y1, s->step.y0);
  /* a change within the tolerance does not lead to another branch */
  if (size > cdni_tolerance(s)) s->pull = fmax(s->pull, size / fmax(most * moved, DBL_MIN));
}

void cdni_note_estimate(cdn_stepper *s, const double *e) {
  if (s->projector && s->nq) note_pull(s, size_of(s, e, NULL), ESTIMATE_MOST);
}

static cdn_status project_end(cdn_stepper *s) {
  cdni_step *step = &s->step;
  if (s->projector && s->nq) memcpy(s->drifted, step->y1, sizeof(double) * (size_t)s->nq);
  CDNI_TRY(cdni_project(s, s->work, step->t1, step->y1, CDNI_ALWAYS));
  if (s->projector && s->nq) note_pull(s, size_of(s, step->y1, s->drifted), PULL_MOST);
  return CDN_OK;
}

cdn_status cdni_land(cdn_stepper *s) {
  CDNI_TRY(project_end(s));
  CDNI_TRY(cdn_realize(s->work, CDN_STAGE_VELOCITY));
  return cdni_power(s, s->work, &s->step.power1);
}

cdn_status cdni_arrive(cdn_stepper *s, double *raw) {
  cdni_step *step = &s->step;
  CDNI_TRY(project_end(s));
  if (s->method->equal_steps) cdni_soft_give_guess(s->work);
  CDNI_TRY(cdni_evaluate_here(s, step->f1, &step->power1));
  if (raw && s->ny) {
    memcpy(raw, step->f1, sizeof(double) * (size_t)s->ny);
    /* qdot = N(q) u is proportional to the length of q, which was 1 / scale */
    for (int i = 0; i < s->nq; i++) raw[i] /= s->scale[i];
  }
  return CDN_OK;
}

cdn_status cdni_evaluate_within(cdn_stepper *s, double t, const double *y, double *ydot, double *power) {
  s->certificate.report_evaluations++;
  CDNI_TRY(cdn_state_set_ty(s->report, t, y));
  CDNI_TRY(cdni_prescribe_values(s, s->report, NULL));
  if (cdni_singular_holds(s)) CDNI_TRY(cdni_project_rates(s, s->report));
  CDNI_TRY(cdn_realize(s->report, CDN_STAGE_ACCELERATION));
  if (s->ny) memcpy(ydot, cdni_state_ydot(s->report), sizeof(double) * (size_t)s->ny);
  return cdni_power(s, s->report, power);
}

cdn_status cdni_prescribe_values(const cdn_stepper *s, cdn_state *state, double *y) {
  if (s->n_prescribed_q + s->n_prescribed_u == 0) return CDN_OK;
  CDNI_TRY(cdn_prescribe(state, NULL));
  if (y) memcpy(y, cdni_state_y(state), sizeof(double) * (size_t)s->ny);
  return CDN_OK;
}

cdn_status cdni_look(cdn_stepper *s, double t, double *y, double *work) {
  if (!s->extended && s->method->extend) CDNI_TRY(s->method->extend(s));
  s->extended = true;
  s->method->interpolate(s, (t - s->step.t0) / s->step.h, y, work);
  return CDN_OK;
}

void cdni_restore(cdn_stepper *s) {
  /* cannot fail: these values were accepted before */
  (void)!cdn_state_set_ty(s->work, s->t, s->y[s->at]);
}

/* End time of the next attempt: at most `end`. Stretches or halves steps near `end`, which avoids a last step below
 * half the planned size. */
static double choose_end(cdn_stepper *s, double end) {
  double h = s->control.next, left = end - s->t;
  if (s->def.fixed_step > 0) {
    double t1 = s->fixed_start + (double)(s->fixed_count + 1) * h;
    return end - t1 <= 1e-9 * h ? end : t1;
  }
  bool may_stretch = !(s->def.max_step > 0 && left > s->def.max_step);
  if (left <= h || (left <= 1.01 * h && may_stretch)) h = left;
  else if (left < 2 * h) h = left / 2;
  h = fmin(cdni_singular_size(s, h, left), left);
  return h == left ? end : s->t + h;
}

static void prepare(cdn_stepper *s, double t1, double end) {
  cdni_step *step = &s->step;
  step->t0 = s->t;
  step->t1 = t1;
  step->h = t1 - s->t;
  step->end = end;
  step->y0 = s->y[s->at];
  step->f0 = s->f[s->at];
  step->power0 = s->power;
  step->y1 = s->y[!s->at];
  step->f1 = s->f[!s->at];
  step->norm = -1;
  step->stiffness = 0;
  s->pull = s->unsolved = 0;
  if (s->projector) cdni_projector_forget(s->projector);
  s->dense = s->extended = false;
  s->attempts++;
  cdni_allow(s, step->h);
  cdni_events_attempt(s);
}

/* The error of the attempt over the tolerance; 0 if steps are fixed. */
static cdn_status judge(cdn_stepper *s, double *error) {
  *error = 0;
  if (s->def.fixed_step > 0) return CDN_OK;
  *error = s->step.norm;
  if (*error < 0) CDNI_TRY(cdni_step_norm(s, s->step.error, error));
  *error /= fmax(cdni_tolerance(s), s->singular.noise);
  if (s->pull > 1) *error = fmax(*error, s->pull);
  return CDN_OK;
}

static bool is_curable(const cdn_stepper *s, cdn_status status) {
  cdn_error error;
  cdn_state_last_error(s->work, &error);
  return status == CDN_ERR_NONFINITE || (error.code == status && error.recoverable);
}

bool cdni_is_recoverable(const cdn_stepper *s, cdn_status status) {
  return s->def.fixed_step == 0 && is_curable(s, status);
}

/* Beyond an event the rates may have no value: of friction that jams. Equal steps are shorter there, down to where the
 * event is seen. */
static bool is_before_event(cdn_stepper *s, cdn_status status, double least) {
  return s->def.fixed_step > 0 && s->step.h > least && status == CDN_ERR_SINGULAR && is_curable(s, status) &&
         cdni_events_shorten(s);
}

static bool has_rates(const cdn_stepper *s) {
  return cdni_state_is_valid(s->work, CDN_UDOT) && cdni_state_is_valid(s->work, CDN_ZDOT);
}

static cdn_status accept(cdn_stepper *s, double end, double serve) {
  cdni_step *step = &s->step;
  CDNI_TRY(cdni_certificate_accept(s));
  /* a report within the step needs the discrete variables as they were during it */
  if (serve < step->t1 || cdni_events_within(s)) CDNI_TRY(cdni_show(s));

  s->at = !s->at;
  s->t = step->t1;
  s->power = step->power1;
  s->dense = true;
  s->taken = step->t1 - step->t0;
  cdni_companion_note_step(s);
  cdni_unresolved_accept(s);
  s->covered += s->taken;
  cdni_note_bursts(s);
  CDNI_TRY(cdni_singular_accept(s));
  bool evaluated = has_rates(s);
  cdni_state_accept_step(s->work);
  /* auto-update variables do not change computed results; if one did, the next step starts from the true rates */
  if (evaluated && !has_rates(s)) {
    CDNI_TRY(cdni_evaluate(s, s->t, s->y[s->at], s->f[s->at], &s->power));
    if (s->method->begin) s->method->begin(s);
  }

  cdni_events_accepted(s);
  if (s->def.fixed_step > 0) {
    s->fixed_count++;
    /* the grid restarts at a step that was cut short */
    const double grid = s->fixed_start + (double)s->fixed_count * s->def.fixed_step;
    if (s->t == end || cdni_events_cut(s) || s->t < grid - 1e-9 * s->def.fixed_step) {
      s->fixed_start = s->t;
      s->fixed_count = 0;
    }
  }
  return CDN_OK;
}

cdn_status cdni_take_step(cdn_stepper *s, double end, double serve) {
  end = cdni_looks_end(s, cdni_state_next_stop(s->work, end));
  cdni_judge_limit_steps(s);
  cdn_status left = cdni_singular_leave(s);
  if (left != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", left);
  for (;;) {
    if (cdni_is_too_stiff(s) || cdni_at_limit(s)) return cdni_fail_limit(s);
    double least = cdni_min_step(s), error = -1;
    if (s->def.fixed_step == 0) s->control.next = fmax(s->control.next, least);
    bool at_least = s->control.next <= least;
    cdni_outcome outcome = CDNI_STEP_TAKEN;
    double t1 = cdni_events_aim(s, choose_end(s, end), end);
    /* a method that chooses its steps itself is told where a pose begins to matter */
    prepare(s, t1, s->method->own_steps && s->singular.alters ? t1 : end);
    cdn_status status = cdni_singular_begin(s);
    cdni_state_stop_by(s->work, s->hurry);
    if (status == CDN_OK) status = s->method->attempt(s);
    cdni_state_stop_by(s->work, NULL);
    if (status == CDN_OK) status = judge(s, &error);
    cdni_note_attempt(s, error);
    if (status == CDN_OK && error <= 1 && !cdni_singular_is_clear(s)) {
      if (s->method->own_steps) s->method->begin(s);
      s->certificate.rejected++;
      continue;
    }

    if (status == CDN_OK && error <= 1) status = cdni_prescribe_values(s, s->work, s->step.y1);
    if (status == CDN_OK && error <= 1) status = cdni_events_examine(s, error, &outcome);
    if (status == CDN_OK && outcome != CDNI_STEP_TAKEN) {
      s->certificate.rejected += outcome == CDNI_STEP_SHORTER;
      continue;
    }
    if (status == CDN_OK && error <= 1) status = cdni_state_finish_step(s->work);
    if (status == CDN_OK && error <= 1) {
      s->local_errors += error * cdni_tolerance(s);
      s->spent += error;
      if (s->method->accepted) s->method->accepted(s);
      cdni_note_stiffness(s);
      double own = s->control.next;
      bool bridged = cdni_singular_judges(s, error);
      if (s->def.fixed_step == 0 && !bridged) cdni_control_accepted(s, s->step.h, error);
      /* a step that a pose has shortened, or that goes over one, says little about longer steps */
      if (s->singular.alters) s->control.next = fmin(s->control.next, s->singular.size);
      status = cdni_events_resize(s, error);
      if (bridged) s->control.next = own;
      if (status == CDN_OK) status = accept(s, end, serve);
      if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_advance", status);
      cdni_rescue_note(s);
      double goal = isfinite(s->def.final_time) ? s->def.final_time : serve;
      if (cdni_makes_progress(s, goal)) return CDN_OK;
      return cdni_rescue_takes(s, CDN_ERR_STEP) ? CDN_OK : cdni_fail_progress(s, goal);
    }

    s->certificate.rejected++;
    cdni_events_rejected(s);
    if (status == CDN_ERR_LIMIT && cdni_is_interrupted(s)) return cdni_fail_limit(s);
    if (status != CDN_OK && is_before_event(s, status, least)) continue;
    if (s->singular.bridging && (status == CDN_OK || cdni_is_recoverable(s, status))) {
      cdni_singular_judges(s, status == CDN_OK ? error : -1);
    } else if (status != CDN_OK) {
      if (at_least || !cdni_is_recoverable(s, status))
        return cdni_rescue_takes(s, status) ? CDN_OK : cdni_fail_evaluation(s, "cdn_stepper_advance", status);
      cdni_control_failed(s, s->step.h);
    } else {
      if (at_least) return cdni_rescue_takes(s, CDN_ERR_STEP) ? CDN_OK : cdni_fail_step(s, error);
      cdni_control_rejected(s, s->step.h, error);
    }
  }
}

void cdni_note_prescribed(cdn_stepper *s) {
  bool *q = s->prescribed, *u = q + s->nq;
  cdni_state_prescribed(s->work, q, u);
  s->n_prescribed_q = s->n_prescribed_u = 0;
  for (int i = 0; i < s->nq; i++) s->n_prescribed_q += q[i];
  for (int i = 0; i < s->nu; i++) s->n_prescribed_u += u[i];
}

cdn_status cdni_begin(cdn_stepper *s) {
  double *y = s->y[s->at];
  s->t = cdn_state_time(s->work);
  s->dense = s->weighted_valid = false;
  s->stiff = s->not_stiff = 0;
  cdni_singular_reset(s);
  if (s->method->begin) s->method->begin(s);
  s->fixed_start = s->t;
  s->fixed_count = 0;
  cdni_sweep_forget(s);
  /* prescribed values come first (8.4); locks may have changed since the last start */
  cdni_note_prescribed(s);
  CDNI_TRY(cdni_prescribe_values(s, s->work, NULL));
  if (s->projector) CDNI_TRY(cdni_projector_reserve(s->projector, s->work));
  CDNI_TRY(cdni_project_start(s));
  if (s->ny) memcpy(y, cdni_state_y(s->work), sizeof(double) * (size_t)s->ny);
  cdni_progress_begin(s);
  CDNI_TRY(cdni_state_begin_run(s->work));
  CDNI_TRY(cdni_evaluate_here(s, s->f[s->at], &s->power));
  CDNI_TRY(cdni_project_start_rates(s));
  return cdni_unresolved_drive(s);
}
