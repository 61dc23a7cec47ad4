/* The failure report: where and why a run could not continue, and what to try. */
#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>

#include <cardan/constraints.h>

#include "constraints/project.h"
#include "integrators/failure.h"
#include "integrators/norm.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "system/system.h"

void cdni_note_attempt(cdn_stepper *s, double error) {
  cdni_attempts *last = &s->last;
  last->t[last->next] = s->step.t0;
  last->h[last->next] = s->step.h;
  last->error[last->next] = error;
  if (error >= 0) last->judged = error;
  last->next = (last->next + 1) % CDN_FAILURE_STEPS;
  if (last->count < CDN_FAILURE_STEPS) last->count++;
}

cdn_failure *cdni_begin_report(cdn_stepper *s) {
  cdn_failure *f = &s->failure;
  const cdni_attempts *last = &s->last;
  cdn_pool pool;
  int slot;
  double share;
  memset(f, 0, sizeof *f);
  f->time = s->t;
  f->step = last->count ? s->step.h : s->control.next;
  if (cdni_worst_slot(s, &pool, &slot, &share)) {
    cdn_system_slot_name(s->system, pool, slot, f->coordinate, sizeof f->coordinate);
    f->coordinate_error = share * last->judged;
  }
  f->n_last = last->count;
  for (int i = 0; i < last->count; i++) {
    int k = (last->next + CDN_FAILURE_STEPS - last->count + i) % CDN_FAILURE_STEPS;
    f->last_time[i] = last->t[k];
    f->last_step[i] = last->h[k];
    f->last_error[i] = last->error[k];
  }
  return f;
}

static void advise(cdn_failure *f, const char *text) { snprintf(f->advice, sizeof f->advice, "%s", text); }

/* Steps that shrink to nothing often belong to a mechanism that locks. Names the constraint with the largest
 * multiplier at the last accepted step, where `work` is. */
static void add_constraint(cdn_stepper *s, cdn_failure *f) {
  const double *lambda = s->projector ? cdn_state_multipliers(s->work) : NULL;
  int hardest = -1;
  double largest = 0;
  for (int c = 0; lambda && c < cdn_system_constraint_count(s->system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(s->system, (cdn_constraint){ c });
    for (int k = 0; k < e.np + e.nv + e.na; k++) {
      if (!(fabs(lambda[e.row + k]) > largest)) continue;
      largest = fabs(lambda[e.row + k]);
      hardest = c;
    }
  }
  if (hardest < 0) return;
  const size_t used = strlen(f->advice);
  cdni_print(f->advice + used, sizeof f->advice - used, "; constraint '%.60s' pulls hardest here, with %.3g",
             cdn_constraint_name(s->system, (cdn_constraint){ hardest }), largest);
}

#define POSE "a singular pose:"

bool cdni_blames_pose(const cdn_failure *f) { return strncmp(f->advice, POSE, strlen(POSE)) == 0; }

/* A singular pose is the cause, and not a force, in two cases: the last accepted step is so near it that rounding
 * errors, divided by the cube of the sine, are as large as the errors allowed; or rates are held on the manifold
 * because of it. */
static bool blame_pose(cdn_stepper *s, cdn_failure *f) {
  static const double LEAST = 1e-3, MOST = 0.1, HELD = 0.3;
  char who[152];
  int block = 0;
  const double sine = cdni_singular_nearest(s, &block);
  const bool is_near = sine < fmin(MOST, fmax(LEAST, cbrt(10 * DBL_EPSILON / s->def.accuracy)));
  if (!is_near && !(sine < HELD && s->singular.hold)) return false;
  cdni_constraint_name_block(s->work, block, who, sizeof who);
  cdni_print(
      f->advice, sizeof f->advice,
      "a singular pose: at t = %.9g the equations of %s become dependent (smallest pivot ratio %.1e). The mechanism "
      "locks there, or may go on in more than one way. End what drives it there (a motion, a lock, a load) earlier, "
      "start elsewhere, or ask for another accuracy",
      s->t, who, sine * sine);
  return true;
}

void cdni_add_mechanism(cdn_stepper *s, cdn_failure *f) {
  if (!blame_pose(s, f)) add_constraint(s, f);
}

cdn_status cdni_fail_argument(cdn_stepper *s, const char *function, cdn_status code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  memset(&s->failure, 0, sizeof s->failure);
  s->failure.time = s->t;
  cdni_error_vset(&s->failure.error, code, function, NULL, format, args);
  va_end(args);
  return code;
}

cdn_status cdni_enter(cdn_stepper *s, const char *function) {
  if (!s->busy) {
    s->busy = true;
    return CDN_OK;
  }
  cdn_status status = cdni_fail_argument(
      s, function, CDN_ERR_ARG,
      "%s was called from within a callback of the same stepper: a callback may change the State that it is given, and the stepper continues when the callback has returned",
      function);
  /* for a callback that passes the status on */
  cdni_state_set_error(s->work, &s->failure.error);
  cdni_state_set_error(s->report, &s->failure.error);
  return status;
}

cdn_status cdni_leave(cdn_stepper *s, const char *function, cdn_status status) {
  s->busy = false;
  if (status == CDN_ERR_LIMIT) atomic_store(&s->interrupted, false), atomic_store(&s->hurried, false);
  /* Attempts that the run went on from may have told messages since. */
  if (s->failure.error.code == status) cdni_error_tell(&s->failure.error);
  if (!s->destroyed) return status;
  s->destroyed = false;
  return cdni_fail_argument(s, function, CDN_ERR_ARG,
                            "a callback called cdn_stepper_destroy for the stepper that ran it, which was ignored: end "
                            "the run with CDN_STOP, and destroy the stepper when this call has returned");
}

/* Equal steps that are too long for a stiff part make it swing wider from step to step, until numbers overflow. Tells
 * the largest speed, where it would lead a thousand metres or radians along in one step. */
static void add_growth(cdn_stepper *s, cdn_failure *f) {
  static const double FAR = 1000;
  const double *u = s->y[s->at] + s->nq, h = s->def.fixed_step;
  int fastest = 0;
  char name[96];
  for (int i = 0; i < s->nu; i++)
    if (fabs(u[i]) > fabs(u[fastest])) fastest = i;
  if (!(h > 0) || s->nu == 0 || !(fabs(u[fastest]) * h > FAR)) return;
  const size_t used = strlen(f->error.text);
  cdn_system_slot_name(s->system, CDN_POOL_U, fastest, name, sizeof name);
  cdni_print(f->error.text + used, sizeof f->error.text - used,
             "; speeds have grown beyond bounds, '%.60s' to %.2g: steps of %.3g s are too long for what acts there",
             name, u[fastest], h);
}

/* Of what was called. CDN_ERR_LIMIT of a stepper means that another call goes on. */
static cdn_status status_of(cdn_status called) { return called == CDN_ERR_LIMIT ? CDN_ERR_STEP : called; }

cdn_status cdni_fail_evaluation(cdn_stepper *s, const char *function, cdn_status called) {
  cdn_failure *f = cdni_begin_report(s);
  const cdn_status code = status_of(called);
  cdn_state_last_error(s->work, &f->error);
  if (f->error.code == called) f->error.code = code;
  if (f->error.code != code) {
    cdni_error_set(&f->error, code, function, NULL, "an evaluation failed at t = %.17g: %s", s->t,
                   cdn_status_text(code));
  }
  if (code == CDN_ERR_NONFINITE) add_growth(s, f);
  /* first cures by the run, then cures by the model */
  bool curable = (f->error.recoverable && called != CDN_ERR_STEP) || code == CDN_ERR_NONFINITE;
  const char *first = s->def.fixed_step > 0 && curable
                          ? "the step is fixed: take a smaller one, or let the accuracy choose it. Else "
                      : curable ? "shorter steps did not cure it: "
                                : "";
  const char *then =
      called == CDN_ERR_STEP
          ? "look at the forces on the coordinate named: they may jump, or change faster than the steps tried; or try another method"
          : cdn_status_advice(called);
  snprintf(f->advice, sizeof f->advice, "%s%s", first,
           then[0] ? then : "look at the element named, just before this time");
  cdni_restore(s);
  if (called == CDN_ERR_STEP) cdni_add_mechanism(s, f);
  else if (curable) (void)blame_pose(s, f);
  return code;
}

cdn_status cdni_fail_step(cdn_stepper *s, double error) {
  cdn_failure *f = cdni_begin_report(s);
  cdni_error_set(
      &f->error, CDN_ERR_STEP, "cdn_stepper_advance", f->coordinate,
      "at t = %.17g a step of %.3g, the smallest allowed, still has an error of %.3g times what the accuracy %g "
      "allows; most of it is in %s",
      s->t, s->step.h, error, s->def.accuracy, f->coordinate[0] ? f->coordinate : "no single coordinate");
  f->error.value = s->step.h;
  if (s->def.min_step > 0.5 * s->step.h) {
    advise(f, "lower min_step, ask for less accuracy, or soften or damp the forces on the coordinate named");
  } else {
    advise(f, "the solution has a jump or goes to infinity here: look at the forces and stops that act on the "
              "coordinate named, for a discontinuity, a division by zero, or a stiffness without damping");
  }
  cdni_restore(s);
  cdni_add_mechanism(s, f);
  return CDN_ERR_STEP;
}

bool cdni_is_interrupted(const cdn_stepper *s) { return atomic_load(s->interrupt); }

bool cdni_at_limit(const cdn_stepper *s) {
  return (s->def.max_steps > 0 && s->attempts >= s->def.max_steps) || cdni_is_interrupted(s);
}

static cdn_status fail_interrupted(cdn_stepper *s, cdn_failure *f) {
  cdni_error_set(&f->error, CDN_ERR_LIMIT, "cdn_stepper_interrupt", NULL,
                 "the call was interrupted at t = %.17g, after %lld attempts of a step", s->t, (long long)s->attempts);
  advise(f, "call again to go on");
  cdni_restore(s);
  return CDN_ERR_LIMIT;
}

cdn_status cdni_fail_limit(cdn_stepper *s) {
  cdn_failure *f = cdni_begin_report(s);
  if (cdni_is_interrupted(s)) return fail_interrupted(s, f);
  cdni_error_set(&f->error, CDN_ERR_LIMIT, "cdn_stepper_advance", NULL,
                 "%lld attempts of a step in one call, the most allowed, came to t = %.17g with steps of %.3g",
                 (long long)s->attempts, s->t, s->step.h);
  f->error.value = s->step.h;
  if (s->stiff >= 15) {
    advise(
        f,
        "the problem looks stiff: stability, not accuracy, keeps the steps short. Soften or remove parts that are fast and damped (a stiff spring with a strong damper on a light body), or call again to go on");
    cdni_restore(s);
    return CDN_ERR_LIMIT;
  }
  advise(f, "call again to go on, or raise max_steps; if the steps are shorter than the motion needs, look for a stiff "
            "or discontinuous force on the coordinate named");
  cdni_restore(s);
  return CDN_ERR_LIMIT;
}

cdn_status cdni_fail_event(cdn_stepper *s, cdn_status called, const char *event, const char *format, ...) {
  cdn_failure *f = cdni_begin_report(s);
  const cdn_status code = status_of(called);
  cdn_error message;
  char what[200];
  va_list args;
  va_start(args, format);
  cdni_vprint(what, sizeof what, format, args);
  va_end(args);
  cdn_state_last_error(s->work, &message);
  bool told = message.code == called && code != CDN_ERR_CHATTER;
  cdni_error_set(&f->error, code, "cdn_stepper_advance", event, "event '%s' at t = %.17g: %s%s%s", event, s->t, what,
                 told ? ": " : "", told ? message.text : "");
  if (told) f->error.stage = message.stage, f->error.index = message.index, f->error.value = message.value;
  advise(f, told && code == CDN_ERR_CONSTRAINT
                ? "the message names the cause; the State is as it was before the event's handlers"
                : "look at this event's callbacks; the State is as it was before its handlers");
  return code;
}
