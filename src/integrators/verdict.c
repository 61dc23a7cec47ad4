/* The verdict of a certificate in words. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cardan/stepper.h>

#include "integrators/certificate.h"

enum { SHORT = CDNI_BRIEF };
const char *cdni_brief(double x, char text[CDNI_BRIEF]) {
  if (x == 0 || !isfinite(x) || (fabs(x) >= 0.1 && fabs(x) < 1000)) {
    cdni_print(text, SHORT, fabs(x) < 100 ? "%.2g" : "%.0f", x);
    return text;
  }
  char digits[SHORT];
  cdni_print(digits, sizeof digits, "%.1e", x);
  char *e = strchr(digits, 'e');
  int exponent = atoi(e + 1);
  *e = 0;
  char *tail = strstr(digits, ".0");
  if (tail) *tail = 0;
  snprintf(text, SHORT, "%.8se%d", digits, exponent);
  return text;
}

/* ---- what would deliver ---- */

/* An estimate that is as large as the motion itself says nothing about how errors shrink. */
static bool is_lost(const cdn_certificate *c) { return c->error_estimate > 0.3 && c->amplification > 1e3; }

/* Most steps are as exact as rounding lets them be: tighter ones add roundings and remove nothing. */
static bool is_rounded(const cdn_certificate *c) { return c->rounding_steps > c->steps / 2; }

static double suggest(const cdn_certificate *c) {
  if (c->delivered != CDN_VERDICT_NOT_DELIVERED || is_lost(c) || c->event_alone[0] || c->bifurcation[0]) return 0;
  if (c->below_rounding[0] || is_rounded(c)) return 0;
  /* errors go as the accuracy; two thirds of it to be on the safe side, in one digit, rounded down */
  double wanted = 2. / 3 * (c->step_accuracy > 0 ? c->step_accuracy : c->accuracy) * (c->accuracy / c->error_estimate);
  double decade = pow(10, floor(log10(wanted))), digit = floor(wanted / decade + 1e-9);
  double suggestion = digit * decade;
  return suggestion >= 1e-14 ? suggestion : 0;
}

double cdn_certificate_suggestion_sized(const cdn_certificate *given, size_t size) {
  cdn_certificate c = { 0 };
  if (!given) return 0;
  memcpy(&c, given, size < sizeof c ? size : sizeof c);
  return suggest(&c);
}

/* ---- the sentence ---- */

static void add(char *text, size_t size, const char *format, ...) CDN_PRINTF(3, 4);
static void add(char *text, size_t size, const char *format, ...) {
  size_t used = strlen(text);
  va_list args;
  va_start(args, format);
  if (used < size) cdni_vprint(text + used, size - used, format, args);
  va_end(args);
}

static void add_cause(const cdn_certificate *c, char *text, size_t size) {
  char a[SHORT];
  if (c->event_alone[0]) {
    add(text, size, ": event '%s' occurred at t = %.4g s in one of the two runs compared, and not in the other",
        c->event_alone, c->event_alone_time);
  } else if (c->bifurcation[0]) {
    add(text, size, ": at t = %.4g s, at a singular pose of %s, the two runs compared go on in different ways",
        c->bifurcation_time, c->bifurcation);
  } else if (c->below_rounding[0]) {
    add(text, size, ": %s is rounded to %s; ask for less, or shift its origin", c->below_rounding,
        cdni_brief(c->below_rounding_size, a));
  } else if (is_rounded(c)) {
    add(text, size, ": %.0f %% of the %lld steps are as exact as rounding allows, and it adds up",
        floor(100. * (double)c->rounding_steps / (double)c->steps), (long long)c->steps);
    if (c->amplification > 3) add(text, size, "; the motion amplifies it %s times", cdni_brief(c->amplification, a));
  } else if (is_lost(c)) {
    add(text, size, ": the motion amplifies errors %s times, so that nothing is left of the accuracy after t = %.4g s",
        cdni_brief(c->amplification, a), c->delivered_until);
  } else if (c->amplification > 3) {
    add(text, size, ": the motion amplifies errors %s times", cdni_brief(c->amplification, a));
  } else {
    add(text, size, ": the errors of %lld steps add up", (long long)c->steps);
  }
}

static void tell(const cdn_certificate *c, char *text, size_t size) {
  char a[SHORT], b[SHORT];
  text[0] = 0;
  bool fixed = !(c->accuracy > 0), known = !isnan(c->error_estimate);
  if (fixed) add(text, size, "fixed steps");
  else add(text, size, "asked %s", cdni_brief(c->accuracy, a));
  const char *reason = c->failure_message[0] ? c->failure_message
                       : !known              ? "no companion ran"
                       : c->doubt[0]         ? c->doubt
                                             : c->companion_message;
  bool unknown = c->delivered == CDN_VERDICT_UNKNOWN && (!fixed || !known);
  if (unknown) add(text, size, fixed ? ", error unknown, as %s" : ", delivered: unknown, as %s", reason);
  if (!known) return;
  if (unknown) {
    const bool behind = c->compared_until < c->time_final;
    if (behind) add(text, size, "; compared up to t = %.4g s:", c->compared_until);
    else add(text, size, c->doubt[0] ? "; estimated" : "; up to there");
    add(text, size, " about %s", cdni_brief(c->error_estimate, b));
  } else add(text, size, fixed ? ", error about %s" : ", delivered about %s", cdni_brief(c->error_estimate, b));
  if (c->error_slot[0] && (fixed || c->delivered == CDN_VERDICT_NOT_DELIVERED))
    add(text, size, " (%s, by t = %.4g s)", c->error_slot, c->error_time);
  if (c->delivered == CDN_VERDICT_NOT_DELIVERED) add_cause(c, text, size);
  else if (c->below_rounding[0] && !c->doubt[0])
    add(text, size, "; but %s is rounded to %s", c->below_rounding, cdni_brief(c->below_rounding_size, a));
  if (c->below_tolerance[0] && !c->doubt[0])
    add(text, size, "; but %s moves by %s only, less than the accuracy, and is not resolved", c->below_tolerance,
        cdni_brief(c->below_tolerance_motion, a));
  if (c->passed[0] && !c->doubt[0])
    add(text, size, "; but %s went through each other at t = %.4g s", c->passed, c->passed_time);
  if (c->compared_since != c->time_initial) add(text, size, "; compared anew from t = %.4g s", c->compared_since);
  if (c->near_misses > 0 && !c->doubt[0])
    add(text, size, "; but %lld near miss%s: at another accuracy there may be an event more", (long long)c->near_misses,
        c->near_misses > 1 ? "es of events" : " of an event");
}

void cdn_certificate_verdict_sized(const cdn_certificate *given, char *text, size_t size, size_t certificate_size) {
  cdn_certificate c = { .compared_until = NAN };
  if (!given || !text || size == 0) return;
  memcpy(&c, given, certificate_size < sizeof c ? certificate_size : sizeof c);
  tell(&c, text, size);
}
