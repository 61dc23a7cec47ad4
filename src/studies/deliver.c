/* A study that runs, and runs again with more accurate steps, until the accuracy asked for is delivered.
 *
 * Errors go as the accuracy of the steps, more or less. That tells how accurate the steps of the next attempt should
 * be, and nothing else: in chaotic motion, at rounding and behind another sequence of events it is wrong by orders of
 * magnitude. So each attempt is certified by another run. That is its own companion, with one exception. The companion
 * of the first attempt is a run of its own, often one that delivers. If the next attempt agrees with it nothing is left
 * to be proved, and a run is saved. States at reports are all that is known of that companion, so this is for smooth
 * motion: at a report between the times that two runs have for one event they cannot be compared. */
#include "studies/deliver.h"

#include <math.h>
#include <stdio.h>

#include <cardan/contact.h>

#include "core/sized.h"
#include "integrators/method.h"
#include "system/system.h"

static const char function[] = "cdn_deliver";

CDNI_DEF(deliver_def, .most_attempts = 7);

static const double GOAL = 2;         /* accuracies: the largest estimate with which the study is content */
static const double AIM = 0.4;        /* accuracies: the estimate that the next attempt is to have */
static const double TIGHTEST = 1e-14; /* accuracy of steps; the companion has a tenth of it */
static const double LINEAR = 0.1;     /* distances below this are small against the motion */

/* Estimate of an attempt at this accuracy of the steps. */
typedef struct measured {
  double accuracy, error, until;
} measured;

/* ---- what attempts are worth ------------------------------------------------------------------- */

static bool delivers(const cdn_certificate *c) { return c->delivered == CDN_VERDICT_DELIVERED; }

static bool is_content(const cdn_certificate *c) { return delivers(c) && c->error_estimate <= GOAL * c->accuracy; }

static bool is_better(const cdn_certificate *a, const cdn_certificate *than) {
  if (delivers(a) != delivers(than)) return delivers(a);
  if (!delivers(a) && a->delivered_until != than->delivered_until) return a->delivered_until > than->delivered_until;
  return a->error_estimate < than->error_estimate;
}

static bool is_rounded(const cdn_certificate *c) { return c->rounding_steps > c->steps / 2; }

/* A companion most of whose steps are as exact as rounding allows is no more accurate than the run, and takes nearly
 * the same steps. Both err alike then: the error may be ten times their distance and more. */
static void doubt_rounding(cdni_attempt *a) {
  static const double NEAR = 0.3; /* accuracies */
  cdn_certificate *c = &a->certificate, companion;
  if (!delivers(c) || c->error_estimate <= NEAR * c->accuracy) return;
  if (cdn_stepper_certificate(cdn_stepper_companion(a->stepper), &companion) == CDN_OK && !is_rounded(&companion))
    return;
  c->delivered = CDN_VERDICT_UNKNOWN;
  snprintf(c->doubt, sizeof c->doubt, "both runs compared err by rounding, which the motion amplifies");
}

/* From a pose in which it starts a motion may go either way: tighter runs that agree do so by chance. */
/* Runs that start in a pose leave it within their first steps. */
static bool is_undecided(const cdn_certificate *c) {
  return c->bifurcation[0] && c->bifurcation_time - c->time_initial <= 0.01 * (c->time_final - c->time_initial);
}

/* ---- the companion of the first attempt as a judge ----------------------------------------------- */

/* Nothing has happened, or nearly happened, that two runs may have at different times. */
static bool is_smooth(const cdn_certificate *c) { return c->events == 0 && c->near_misses == 0; }

static bool may_move_smoothly(const cdn_system *system) {
  return cdn_system_shape_count(system) == 0 && cdn_system_nuerr(system) == 0;
}

/* The accuracy of an attempt that the record can judge, or 0. Both have to be accurate enough, by what the first
 * attempt tells, and they must not take the same steps. */
static double judged_accuracy(const cdni_study *x, const cdni_attempt *first) {
  static const double APART = 0.3, NEAR_ROUNDING = 1e-12;
  const cdni_record *r = &x->record;
  const cdn_certificate *c = &first->certificate;
  cdn_certificate companion;
  if (!r->y || c->delivered == CDN_VERDICT_UNKNOWN || !(c->error_estimate <= LINEAR)) return 0;
  if (c->companion_message[0] || c->bifurcation[0] || !is_smooth(c)) return 0;
  if (cdn_stepper_certificate(cdn_stepper_companion(first->stepper), &companion) != CDN_OK || !is_smooth(&companion))
    return 0;
  const double rate = c->error_estimate / first->accuracy, asked = x->def.accuracy;
  double accuracy = AIM * asked / rate;
  if (r->same_method) accuracy = fmin(accuracy, APART * r->accuracy);
  return rate * r->accuracy <= asked && accuracy >= NEAR_ROUNDING ? accuracy : 0;
}

/* Whether the distances from the record certify the attempt: errors have shrunk as the accuracy from the first attempt
 * to its companion and this one, and what is left is as small as asked. */
static bool is_certified(const cdni_study *x, const measured *first, const cdni_attempt *a, const cdni_found *found) {
  static const double UNEVEN = 4;
  const double expected = first->error / first->accuracy * (x->record.accuracy + a->accuracy);
  return found->largest <= GOAL * x->def.accuracy && found->largest <= UNEVEN * expected &&
         is_smooth(&a->certificate) && !is_rounded(&a->certificate);
}

/* The certificate of an attempt that the record has judged. It is not said to be better than in proportion. */
static void certify(const cdni_attempt *first, const cdni_found *found, cdni_attempt *a) {
  const cdn_certificate *c = &first->certificate;
  cdn_certificate *into = &a->certificate;
  const double least = c->error_estimate * a->accuracy / first->accuracy;
  into->delivered = CDN_VERDICT_DELIVERED;
  into->error_estimate = fmax(found->largest, least);
  into->error_estimate_q = found->of[0];
  into->error_estimate_u = found->of[1];
  into->error_estimate_z = found->of[2];
  into->error_time = found->time;
  memcpy(into->error_slot, found->slot, sizeof into->error_slot);
  into->delivered_until = found->until;
  into->amplification = c->amplification;
  into->event_shift = 0;
  into->companion_evaluations = c->companion_evaluations;
}

/* ---- how accurate the next attempt should be ------------------------------------------------------ */

/* Where two runs have nothing in common any more their distance tells nothing; but the time until which they were
 * together grows with the logarithm of the accuracy. */
static double by_growth(const cdni_study *x, const measured *last, const measured *before) {
  const double gained = last->until - before->until, left = x->def.final_time - last->until;
  if (!(gained > 0)) return INFINITY;
  return last->accuracy * pow(last->accuracy / before->accuracy, 1.2 * left / gained);
}

static double next_accuracy(const cdni_study *x, const measured *last, const measured *before) {
  static const double AGAIN = 0.1; /* if nothing is known of the error */
  /* where errors are as large as the motion they would be larger still if they could */
  static const double FURTHER = 1e-2;
  const double asked = x->def.accuracy;
  if (!(last->error > GOAL * asked)) return AGAIN * last->accuracy;
  double accuracy = last->accuracy * AIM * asked / last->error;
  if (!(last->error > LINEAR)) return accuracy;
  return fmin(FURTHER * accuracy, before->accuracy > last->accuracy ? by_growth(x, last, before) : INFINITY);
}

/* What is lost may be lost by a touch or an event in one run only, and be found again by a little more accuracy: no
 * attempt jumps far ahead. */
static double attempted(const measured *last, double wanted) {
  static const double MOST = 1e-3;
  return fmax(TIGHTEST, last->error > LINEAR ? fmax(wanted, MOST * last->accuracy) : wanted);
}

/* ---- why it is not delivered ----------------------------------------------------------------------- */

static void say(cdn_delivery *d, cdn_deliver_reason reason, const char *format, ...) CDN_PRINTF(3, 4);
static void say(cdn_delivery *d, cdn_deliver_reason reason, const char *format, ...) {
  va_list args;
  va_start(args, format);
  d->reason = reason;
  cdni_vprint(d->message, sizeof d->message, format, args);
  va_end(args);
}

/* By the last attempt. `tight`: no steps are as accurate as it would take. */
static void explain(cdni_study *x, const cdn_certificate *last, const cdn_certificate *kept, bool tight, bool stuck) {
  cdn_delivery *d = &x->delivery;
  if (last->bifurcation[0])
    say(d, CDN_DELIVER_BRANCHES,
        "branches part at a singular pose at t = %.4g s, of %s: the mechanism can go on in more than one way, and no "
        "accuracy decides which",
        last->bifurcation_time, last->bifurcation);
  else if (last->below_rounding[0])
    say(d, CDN_DELIVER_ROUNDING, "%s is rounded to %.1e: ask for less accuracy, or shift its origin",
        last->below_rounding, last->below_rounding_size);
  else if (last->event_alone[0])
    say(d, CDN_DELIVER_EVENTS, "event '%s' occurs at t = %.4g s in one of two runs only, however accurate they are",
        last->event_alone, last->event_alone_time);
  else if (last->delivered == CDN_VERDICT_UNKNOWN)
    say(d, is_rounded(last) ? CDN_DELIVER_ROUNDING : CDN_DELIVER_UNKNOWN,
        "the error of more accurate runs is not known either: %s",
        last->doubt[0] ? last->doubt : last->companion_message);
  else if (last->error_estimate > LINEAR)
    say(d, CDN_DELIVER_CHAOS,
        "errors grow until the runs have nothing in common (a chaotic motion, or two ways to go on), whatever "
        "the accuracy%s; up to t = %.4g s it is delivered",
        tight || is_rounded(last) ? ": so do those of rounding" : "", kept->delivered_until);
  else if (tight || is_rounded(last))
    say(d, CDN_DELIVER_ROUNDING, "the motion amplifies errors %.2g times, rounding included: no step is that accurate",
        last->amplification);
  else if (stuck)
    say(d, CDN_DELIVER_STUCK, "tighter steps do not reduce the error: look for a force that jumps near t = %.4g s",
        last->error_time);
  else say(d, CDN_DELIVER_LIMIT, "%d attempts were not enough", d->attempts);
}

/* ---- the study ------------------------------------------------------------------------------------- */

static cdn_status keep(cdni_study *x, cdni_attempt *best, cdni_attempt *a) {
  if (best != a) {
    cdn_stepper_destroy(best->stepper);
    *best = *a;
    *a = (cdni_attempt){ 0 };
  }
  x->delivery.kept = best->number;
  x->delivery.accuracy = best->accuracy;
  if (!x->how.keep) return CDN_OK;
  const cdn_status status = x->how.keep(x->how.context, best->number);
  if (status == CDN_OK) return CDN_OK;
  x->ended = true;
  return cdni_state_fail(x->initial, status, false, function, NULL, "the function `keep` of the def returned %s",
                         cdn_status_name(status));
}

/* An attempt that fails is no reason to fail, unless the caller or the lack of memory ends the study. */
static cdn_status give_up(cdni_study *x, const cdni_attempt *best, cdni_attempt *a, cdn_status status) {
  cdn_error error;
  if (x->ended || status == CDN_ERR_NOMEM) return status;
  cdn_state_last_error(x->initial, &error);
  if (best->certificate.bifurcation[0]) /* why it failed where branches part matters less */
    explain(x, &best->certificate, &best->certificate, false, false);
  else if (!delivers(&best->certificate))
    say(&x->delivery, CDN_DELIVER_FAILED, "a more accurate run, at %.1e, failed: %.180s", a->accuracy, error.text);
  return CDN_OK;
}

static void drop(cdni_attempt *a) {
  cdn_stepper_destroy(a->stepper);
  *a = (cdni_attempt){ 0 };
}

/* What has been learned on the way. */
typedef struct course {
  measured last, before;
  cdn_certificate seen; /* of the last attempt that has a companion */
  int stuck;            /* attempts that are no better than the one before */
} course;

/* `wanted`: the accuracy that the next attempt should have. Runs that are not accurate tell little of how errors
 * grow. */
static bool is_over(cdni_study *x, const course *c, const cdni_attempt *best, double wanted) {
  const bool far = wanted < 1e-3 * TIGHTEST && c->last.accuracy < 1e-7;
  const bool tight = far || c->last.accuracy <= TIGHTEST, stuck = c->stuck >= 2;
  const bool over = tight || stuck || is_undecided(&c->seen) || c->seen.below_rounding[0] ||
                    x->delivery.attempts >= x->how.most_attempts;
  if (over && !delivers(&best->certificate)) explain(x, &c->seen, &best->certificate, tight, stuck);
  return over;
}

static void learn(course *c, const cdni_attempt *a) {
  const cdn_certificate *seen = &a->certificate;
  c->before = c->last;
  c->last = (measured){ a->accuracy, seen->error_estimate, seen->delivered_until };
  c->seen = *seen;
  const bool better = c->last.error <= 0.5 * c->before.error || c->last.until > c->before.until;
  if (seen->delivered == CDN_VERDICT_UNKNOWN || !better) c->stuck++;
}

/* The attempt that the record judges. If it does not certify the attempt, their distance is the error of the less
 * accurate one. */
static cdn_status try_judged(cdni_study *x, double accuracy, course *c, cdni_attempt *best, cdni_attempt *next) {
  cdni_found found;
  cdn_status status = cdni_study_run(x, accuracy, false, next, &found);
  if (status != CDN_OK) return status;
  if (is_certified(x, &c->last, next, &found)) {
    certify(best, &found, next);
    return keep(x, best, next);
  }
  c->before = c->last;
  c->last = (measured){ x->record.same_method ? x->record.accuracy : accuracy, found.largest, found.until };
  return CDN_OK;
}

/* Makes attempts until one delivers. After a failure `next` is the attempt that failed. */
static cdn_status tighten(cdni_study *x, cdni_attempt *best, cdni_attempt *next) {
  course c = { .seen = best->certificate };
  c.last = (measured){ best->accuracy, c.seen.error_estimate, c.seen.delivered_until };
  double judged = judged_accuracy(x, best);
  while (!is_content(&best->certificate)) {
    const double wanted = judged > 0 ? judged : next_accuracy(x, &c.last, &c.before);
    const double accuracy = judged > 0 ? judged : attempted(&c.last, wanted);
    cdn_status status;
    cdni_found found;
    if (is_over(x, &c, best, wanted)) return CDN_OK;
    if (judged > 0) {
      judged = 0;
      status = try_judged(x, accuracy, &c, best, next);
    } else {
      status = cdni_study_run(x, accuracy, true, next, &found);
      if (status == CDN_OK) {
        doubt_rounding(next);
        learn(&c, next);
        if (is_better(&next->certificate, &best->certificate)) status = keep(x, best, next);
      }
    }
    if (status != CDN_OK) return give_up(x, best, next, status);
    drop(next);
  }
  return CDN_OK;
}

/* ---- the public face -------------------------------------------------------------------------------- */

static const char *check_times(const cdni_study *x) {
  double last = x->t0;
  if (!(x->how.interval >= 0 && isfinite(x->how.interval))) return "interval must be finite and not negative";
  if (x->how.n_times < 0 || (x->how.n_times > 0 && !x->how.times)) return "times must be given, n_times of them";
  for (int i = 0; i < x->how.n_times; last = x->how.times[i++])
    if (!(x->how.times[i] >= last && x->how.times[i] <= x->def.final_time))
      return "times must not decrease, and lie between the State's time and final_time";
  return NULL;
}

static const char *check(const cdni_study *x) {
  if (!isfinite(x->def.final_time) || !(x->def.final_time > x->t0))
    return "final_time must be finite and after the State's time: the accuracy is delivered up to there";
  if (x->def.fixed_step != 0) return "fixed_step must be 0: there is no accuracy that could be delivered";
  if (x->how.most_attempts < 1) return "most_attempts must be at least 1";
  if ((x->def.final_time - x->t0) / 1e12 > x->how.interval && x->how.interval > 0) return "interval is too short";
  return check_times(x);
}

static cdn_status study(cdni_study *x, cdni_attempt *best, cdni_attempt *next) {
  const cdn_system *system = cdn_state_system(x->initial);
  cdni_found found;
  CDNI_TRY(cdni_study_begin(x, may_move_smoothly(system)));
  CDNI_TRY(cdni_study_run(x, x->def.accuracy, true, best, &found));
  CDNI_TRY(keep(x, best, best));
  return tighten(x, best, next);
}

cdn_status cdn_deliver_sized(cdn_state *initial, const cdn_stepper_def *def, const cdn_deliver_def *how,
                             cdn_stepper **run, cdn_certificate *certificate, cdn_delivery *delivery,
                             size_t certificate_size, size_t delivery_size) {
  const cdn_system *system = cdn_state_system(initial);
  cdni_study x = { .initial = initial };
  cdni_attempt best = { 0 }, next = { 0 };
  if (run) *run = NULL;
  cdni_sized_write(certificate, certificate_size, &best.certificate, sizeof best.certificate);
  cdni_sized_write(delivery, delivery_size, &x.delivery, sizeof x.delivery);
  if (!initial || !def) return cdni_misses(function, initial ? "def" : "initial");
  const char *wrong = cdni_stepper_def_read(&x.def, def);
  if (!wrong) wrong = read_deliver_def(&x.how, how ? how : &deliver_def_defaults);
  if (wrong) return cdni_state_fail(initial, CDN_ERR_VERSION, false, function, NULL, "%s", wrong);
  x.t0 = cdn_state_time(initial);
  x.allocator = *cdni_system_allocator(system);
  x.ny = cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system);
  if ((wrong = check(&x))) return cdni_state_fail(initial, CDN_ERR_ARG, false, function, NULL, "%s", wrong);

  const cdn_status status = study(&x, &best, &next);
  cdni_study_end(&x);
  /* after a failure: the run that failed */
  cdni_attempt *shown = status != CDN_OK && next.stepper ? &next : &best;
  cdni_sized_write(certificate, certificate_size, &shown->certificate, sizeof shown->certificate);
  cdni_sized_write(delivery, delivery_size, &x.delivery, sizeof x.delivery);
  if (run) {
    *run = shown->stepper;
    shown->stepper = NULL;
  }
  cdn_stepper_destroy(best.stepper);
  cdn_stepper_destroy(next.stepper);
  return status;
}
