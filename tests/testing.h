/* What every test program needs: Check, statuses asserted with the message that the object kept. */
#ifndef CARDAN_TESTS_TESTING_H
#define CARDAN_TESTS_TESTING_H

#include <math.h>
#include <string.h>

#include <cardan/cardan.h>

#include "check_main.h"

#define PI 3.14159265358979323846

/* Under sanitizers everything takes ten times as long, and each path once is enough: of draws and runs that differ in
 * their numbers alone, a sixteenth. */
#ifdef CDNI_SANITIZED
enum { SANITIZED = 1 };
#  define FEWER(n) (((n) + 15) / 16)
#else
enum { SANITIZED = 0 };
#  define FEWER(n) (n)
#endif

#ifdef TEST_SUNDIALS
enum { HAS_SUNDIALS = 1 };
#else
enum { HAS_SUNDIALS = 0 };
#endif

/* To loop over every method. */
enum { ALL_METHODS = CDN_METHOD_COUNT };
/* Whether this build has it, and it chooses steps by their errors. */
static inline bool controls_errors(int method) {
  return cdn_method_is_available((cdn_method)method) && !cdn_method_needs_fixed_step((cdn_method)method);
}
/* Whether this build has it. The def takes it; in steps of size h if it has no others. */
static inline bool take_method(cdn_stepper_def *def, int method, double h) {
  def->method = (cdn_method)method;
  if (cdn_method_needs_fixed_step(def->method)) def->fixed_step = h;
  return cdn_method_is_available(def->method);
}

/* The call must succeed; for calls that keep no message. */
#define OK(call)                                                         \
  do {                                                                   \
    cdn_status ok_ = (call);                                             \
    ck_assert_msg(ok_ == CDN_OK, "%s: %s", #call, cdn_status_name(ok_)); \
  } while (0)

/* The call must succeed; if it does not, the State tells why. */
#define OK_ON(state, call)                                                                                           \
  do {                                                                                                               \
    cdn_status ok_ = (call);                                                                                         \
    cdn_error ok_error_ = { .code = CDN_OK };                                                                        \
    if (ok_ != CDN_OK) cdn_state_last_error((state), &ok_error_);                                                    \
    ck_assert_msg(ok_ == CDN_OK, "%s: %s: [%s] %s", #call, cdn_status_name(ok_), ok_error_.element, ok_error_.text); \
  } while (0)

/* Freezing must succeed. */
#define OK_FREEZE(system)                                                                                         \
  do {                                                                                                            \
    cdn_status ok_ = cdn_system_freeze(system);                                                                   \
    cdn_error ok_error_ = { .code = CDN_OK };                                                                     \
    if (ok_ != CDN_OK) cdn_system_last_error((system), &ok_error_);                                               \
    ck_assert_msg(ok_ == CDN_OK, "freeze: %s: [%s] %s", cdn_status_name(ok_), ok_error_.element, ok_error_.text); \
  } while (0)

/* A call on a stepper must succeed; if it does not, the stepper tells why. */
#define OK_STEP(stepper, call)                                                                                       \
  do {                                                                                                               \
    cdn_status ok_ = (call);                                                                                         \
    cdn_failure ok_failure_ = { .error = { .code = CDN_OK } };                                                       \
    if (ok_ != CDN_OK) cdn_stepper_failure((stepper), &ok_failure_);                                                 \
    ck_assert_msg(ok_ == CDN_OK, "%s: %s at t = %g, h = %g: %s (%s)", #call, cdn_status_name(ok_), ok_failure_.time, \
                  ok_failure_.step, ok_failure_.error.text, ok_failure_.coordinate);                                 \
  } while (0)

/* The call must fail with this status. */
#define FAILS(call, expected)                                                                               \
  do {                                                                                                      \
    cdn_status fails_ = (call);                                                                             \
    ck_assert_msg(fails_ == (expected), "%s: %s instead of %s", #call, cdn_status_name(fails_), #expected); \
  } while (0)

/* |a - b| <= tolerance, both printed if not; a NaN fails. */
#define NEAR(a, b, tolerance)                                                                                       \
  do {                                                                                                              \
    double near_a_ = (a), near_b_ = (b), near_t_ = (tolerance);                                                     \
    ck_assert_msg(fabs(near_a_ - near_b_) <= near_t_, "%s = %.17g, %s = %.17g: differ by %.3g > %.3g", #a, near_a_, \
                  #b, near_b_, fabs(near_a_ - near_b_), near_t_);                                                   \
  } while (0)

/* value <= limit; a NaN fails. */
#define AT_MOST(value, limit)                                                                     \
  do {                                                                                            \
    double most_v_ = (value), most_l_ = (limit);                                                  \
    ck_assert_msg(most_v_ <= most_l_, "%s = %.3g > %s = %.3g", #value, most_v_, #limit, most_l_); \
  } while (0)

#endif
