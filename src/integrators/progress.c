/* Runs without progress: their steps stay so short that the end time is out of reach. */
#include <math.h>
#include <stdio.h>

#include <cardan/derivatives.h>
#include <cardan/matter.h>

#include "integrators/chatter.h"
#include "integrators/failure.h"
#include "integrators/progress.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* Accepted steps in a window, and in the longest one. */
static const int WINDOW = 1000, LONGEST = 1 << 20;
/* A run that would need more steps than this, of their mean size, never ends. */
static const double MOST_STEPS = 1e9;
/* Where it would need this many, a short window tells as much: an evaluation may take ten milliseconds. */
static const int SHORT = 100;
static const double ASTRONOMIC = 1e15;
/* A force that jumps back and forth holds a speed at zero by countless steps that are this much shorter than the
 * longest one. Then a hundredth of that number is too much. Methods of order 1 and 2 take steps as short within a stiff
 * impact, but there the rates rise once and fall once: over none of a thousand steps do they turn back. Over steps at a
 * force that jumps they turn back 600 to 850 times. */
static const double SHRUNK = 1e-5, MOST_SHRUNK = 1e7, TURNS = 0.25;
/* If the ratio of the means of two windows is below this, they count as equal. Steps that grow after a start, or
 * that shrink into a near miss and grow again, change faster. */
static const double STEADY = 10;
/* After this many equal windows in a row no change is expected. */
static const int WINDOWS = 3;
/* A whip, a near miss, a light part that is thrown: steps are short for a while, because the motion is that fast, and
 * grow again. Then each step moves y: where errors keep steps short, by about the root of the error of a step or more.
 * What is stiff or jumps keeps steps short while y hardly moves, and what swings goes to and fro: its path is many
 * times as long as it leads far. Such a window shows progress, and the next one is longer, until windows are longer
 * than the whip or than several swings. */
static const double MOVES = 0.05, SWINGS = 20;

/* Whether the rates, all together, now change the other way than over the step before. Methods of SUNDIALS do not tell
 * their rates. */
static bool turns_back(cdn_stepper *s) {
  double change = 0;
  if (s->method->own_steps) return false;
  for (int i = 0; i < s->ny; i++) change += s->step.f1[i] - s->step.f0[i];
  const bool turns = change * s->progress.change < 0;
  s->progress.change = change;
  return turns;
}

/* The largest change of a number of y, over its unit change. */
static double distance(const cdn_stepper *s, const double *from) {
  const double *y = s->y[s->at];
  const cdn_stepper_def *def = &s->def;
  double most = 0;
  for (int i = 0; i < s->nq; i++) most = fmax(most, s->q_weight[i] * fabs(y[i] - from[i]));
  y += s->nq, from += s->nq;
  for (int i = 0; i < s->nu; i++) most = fmax(most, (def->u_weights ? def->u_weights[i] : 1) * fabs(y[i] - from[i]));
  y += s->nu, from += s->nu;
  for (int i = 0; i < s->nz; i++) most = fmax(most, (def->z_weights ? def->z_weights[i] : 1) * fabs(y[i] - from[i]));
  return most;
}

static void begin_window(cdn_stepper *s, int length) {
  cdni_progress *h = &s->progress;
  h->since = s->t;
  h->length = length;
  h->steps = h->turns = 0;
  h->moved = h->path = 0;
  if (s->ny) memcpy(h->start, s->y[s->at], sizeof(double) * (size_t)s->ny);
}

void cdni_progress_begin(cdn_stepper *s) {
  s->progress = (cdni_progress){ .start = s->progress.start };
  cdni_chatter_forget(&s->progress.chatter);
  begin_window(s, WINDOW);
}

bool cdni_makes_progress(cdn_stepper *s, double goal) {
  cdni_progress *h = &s->progress;
  const double left = isfinite(goal) ? goal - s->t : 0;
  h->turns += turns_back(s);
  /* events that cut steps short have a limit of their own */
  if (s->def.fixed_step > 0 || s->taken < s->step.h) return true;
  if (cdni_chatters(s, left)) return false;
  if (left > MOST_STEPS * s->taken) {
    h->moved = fmax(h->moved, distance(s, h->start));
    h->path += distance(s, s->step.y0);
  }
  const double mean = (s->t - h->since) / ++h->steps;
  const bool soon = h->length == WINDOW && h->steps == SHORT && left > ASTRONOMIC * mean;
  if (h->steps < h->length && !soon) return true;
  const double change = h->mean > 0 ? mean / h->mean : INFINITY;
  const bool steady = change < STEADY && change > 1 / STEADY;
  const bool jumps = mean < SHRUNK * s->certificate.largest_step && h->turns > TURNS * h->steps;
  const bool hopeless = left > (jumps ? MOST_SHRUNK : MOST_STEPS) * mean;
  const bool moves = !jumps && h->moved > MOVES * h->steps * sqrt(s->def.accuracy) && h->path < SWINGS * h->moved;
  h->windows = !hopeless || moves ? 0 : steady ? h->windows + 1 : 1;
  h->mean = mean;
  begin_window(s, !hopeless || !moves ? WINDOW : h->steps < LONGEST ? 2 * h->steps : LONGEST);
  return h->windows < WINDOWS;
}

/* ---- the cause of short steps ---- */

/* A mobility that, taken by itself, decays or swings faster than any other. */
typedef struct fastest {
  cdn_body body;
  int slot;                           /* of u; -1: none is known */
  double inertia, damping, stiffness; /* along it, with all bodies that hang on it and with constraints */
  double rate;                        /* 1/s */
} fastest;

/* Most nu for which a report computes matrices of nu x nu. */
static const size_t MOST_BYTES = (size_t)1 << 27;

/* From the derivatives of udot by q, u and forces on u, each nu x nu. */
static fastest find_fastest(const cdn_stepper *s, const double *by_q, const double *by_u, const double *by_f) {
  fastest found = { .slot = -1 };
  for (int b = 1; b < cdn_system_body_count(s->system); b++) {
    const int first = cdn_body_first_u(s->system, (cdn_body){ b });
    for (int i = first; i < first + cdn_body_nu(s->system, (cdn_body){ b }); i++) {
      const size_t at = (size_t)i * (size_t)s->nu + (size_t)i;
      const double decay = fabs(by_u[at]), swing = sqrt(fabs(by_q[at])), rate = fmax(decay, swing);
      if (!(rate > found.rate) || !(by_f[at] > 0)) continue;
      const double inertia = 1 / by_f[at];
      found = (fastest){ { b }, i, inertia, -by_u[at] * inertia, -by_q[at] * inertia, rate };
    }
  }
  return found;
}

/* At the present `work`. Memory is taken for the report, not for a step; without memory the report says less. */
static fastest look_for_fastest(cdn_stepper *s) {
  const size_t n = (size_t)s->nu * (size_t)s->nu, size = sizeof(double) * 3 * n;
  fastest found = { .slot = -1 };
  int nu = 0;
  for (int b = 1; b < cdn_system_body_count(s->system); b++) nu += cdn_body_nu(s->system, (cdn_body){ b });
  if (nu == 0 || nu != s->nu || size > MOST_BYTES) return found;
  double *by_q = cdni_calloc(&s->allocator, size);
  if (!by_q) return found;
  if (cdn_forward_dynamics_derivatives(s->work, by_q, by_q + n, by_q + 2 * n, NULL) == CDN_OK)
    found = find_fastest(s, by_q, by_q + n, by_q + 2 * n);
  cdni_free(&s->allocator, by_q, size);
  return found;
}

/* Difference of udot of a slot between speeds a little above and a little below the present one. */
static double change_of_rate(cdn_stepper *s, int slot, double apart) {
  double *y = s->scratch + s->stride, of[2] = { NAN, NAN };
  for (int way = 0; way < 2; way++) {
    memcpy(y, s->y[s->at], sizeof(double) * (size_t)s->ny);
    y[s->nq + slot] += way ? 0.5 * apart : -0.5 * apart;
    if (cdn_state_set_ty(s->work, s->t, y) != CDN_OK || cdn_realize(s->work, CDN_STAGE_ACCELERATION) != CDN_OK)
      continue;
    of[way] = cdni_state_ydot(s->work)[s->nq + slot];
  }
  return fabs(of[1] - of[0]);
}

/* Whether a force jumps. To small differences a jump looks like unbounded damping. *size: the size of the jump. */
static bool is_jump(cdn_stepper *s, const fastest *m, double *size) {
  static const double APART = 0.01, PART = 0.1;
  *size = change_of_rate(s, m->slot, APART);
  return *size < PART * APART * fabs(m->damping) / m->inertia;
}

/* ---- the report ---- */

static void advise(cdn_failure *f, const char *text) { snprintf(f->advice, sizeof f->advice, "%s", text); }

/* The time for that many steps at a million a second, in readable units. */
static void tell_duration(double steps, char text[32]) {
  const double s = steps * 1e-6, hour = 3600, day = 86400, year = 31557600;
  if (s < 2 * day) cdni_print(text, 32, "%.1g hours", s / hour);
  else if (s < 2 * year) cdni_print(text, 32, "%.1g days", s / day);
  else cdni_print(text, 32, "%.1g years", s / year);
}

static void blame(cdn_stepper *s, cdn_failure *f, const fastest *m, double goal) {
  enum { NAME = 40 };
  char cause[160], duration[32];
  const double step = s->progress.mean, left = (goal - s->t) / step;
  const char *name = cdn_body_name(s->system, m->body);
  const bool swings = m->stiffness > 0 && sqrt(m->stiffness / m->inertia) >= fabs(m->damping) / m->inertia;
  char speed[96];
  cdn_system_slot_name(s->system, CDN_POOL_U, m->slot, speed, sizeof speed);
  tell_duration(left, duration);
  if (swings)
    cdni_print(cause, sizeof cause, "a stiffness of %.3g on an inertia of %.3g makes it swing at %.3g rad/s",
               m->stiffness, m->inertia, m->rate);
  else
    cdni_print(cause, sizeof cause, "a damping of %.3g on an inertia of %.3g changes its speed at a rate of %.3g /s",
               m->damping, m->inertia, m->rate);
  cdni_error_set(
      &f->error, CDN_ERR_STEP, "cdn_stepper_advance", speed,
      "at t = %.9g the run makes no progress: '%.*s' of body '%.*s' keeps its steps at %.2g s. There %s. The "
      "way to t = %.6g would take %.1g more steps: some %s at a million a second",
      s->t, NAME, speed, NAME, name, step, cause, goal, left, duration);
  snprintf(
      f->advice, sizeof f->advice,
      "give body '%.*s' more inertia (its mass and inertia in the model, or an armature of its joint: --armature), "
      "less %s%s",
      NAME, name, swings ? "stiffness" : "damping",
      swings || !cdn_method_is_available(CDN_METHOD_CVODE_BDF)
          ? ", or lock the joint"
          : ", or take an implicit method, which can step over fast decay: cvode-bdf or ida");
}

static void blame_jump(cdn_stepper *s, cdn_failure *f, const fastest *m, double size, double goal) {
  char speed[96];
  cdn_system_slot_name(s->system, CDN_POOL_U, m->slot, speed, sizeof speed);
  cdni_error_set(
      &f->error, CDN_ERR_STEP, "cdn_stepper_advance", speed,
      "at t = %.9g the run makes no progress: a force jumps to and fro when '%.60s' moves from %.3g to either side; "
      "the jump changes its rate by %.3g and keeps the steps at %.2g s. The way to t = %.6g would take %.1g more",
      s->t, speed, s->y[s->at][s->nq + m->slot], size, s->progress.mean, goal, (goal - s->t) / s->progress.mean);
  advise(
      f,
      "let the force change over a small speed in place of a jump (dry friction: -f tanh(u / v)), or lock the joint by an "
      "event where friction holds it");
}

cdn_status cdni_fail_progress(cdn_stepper *s, double goal) {
  /* explicit methods are stable up to a step of about one over the rate */
  static const double LEAST = 0.02, MOST = 50;
  cdn_failure *f = cdni_begin_report(s);
  const bool chatters = s->progress.chatter.windows > 0;
  const double step = chatters ? s->progress.chatter.mean : s->progress.mean;
  const fastest m = chatters ? (fastest){ .slot = -1 } : look_for_fastest(s);
  f->error.value = step;
  double size;
  if (chatters) {
    cdni_chatter_blame(s, f, goal);
  } else if (m.slot >= 0 && is_jump(s, &m, &size)) {
    blame_jump(s, f, &m, size, goal);
  } else if (m.slot >= 0 && m.rate * step > LEAST && m.rate * step < MOST) {
    blame(s, f, &m, goal);
  } else {
    cdni_error_set(
        &f->error, CDN_ERR_STEP, "cdn_stepper_advance", f->coordinate,
        "at t = %.9g the run makes no progress: step after step is about %.2g s long, and t = %.6g is %.1g such steps "
        "away. Most of their error is in %s",
        s->t, step, goal, (goal - s->t) / step, f->coordinate[0] ? f->coordinate : "no single coordinate");
    advise(
        f,
        s->stiff >= 15
            ? "the problem is stiff: stability, not accuracy, keeps the steps short. Soften or remove parts that are fast and damped, such as a rate of z, a strong damper on a light body, or friction that jumps "
              "with the sign of a speed (let it change over a small speed)"
            : "look at the forces on the coordinate named: they may jump to and fro, or change within a very short time; let friction that jumps with the sign of a speed change over a small speed");
  }
  f->error.value = step;
  cdni_restore(s);
  if (!chatters) cdni_add_mechanism(s, f);
  return CDN_ERR_STEP;
}
