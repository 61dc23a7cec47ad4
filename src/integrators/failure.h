/* Reports of failures (failure.c). Functions that fail store the report on the stepper and return the status. */
#ifndef CARDAN_INTEGRATORS_FAILURE_H
#define CARDAN_INTEGRATORS_FAILURE_H

#include <cardan/stepper.h>

/* The last attempts, for the failure report: a ring. */
typedef struct cdni_attempts {
  int count, next;
  double t[CDN_FAILURE_STEPS], h[CDN_FAILURE_STEPS], error[CDN_FAILURE_STEPS];
  double judged; /* error of the last attempt that had an estimate, over the error allowed */
} cdni_attempts;

/* Beginning and end of a public call that runs callbacks. A second such call from within a callback is refused,
 * because the first one is in the middle of changing the same data. */
cdn_status cdni_enter(cdn_stepper *s, const char *function);
cdn_status cdni_leave(cdn_stepper *s, const char *function, cdn_status status);
void cdni_note_attempt(cdn_stepper *s, double error);
cdn_status cdni_fail_argument(cdn_stepper *s, const char *function, cdn_status code, const char *format, ...)
    CDN_PRINTF(4, 5);
cdn_status cdni_fail_evaluation(cdn_stepper *s, const char *function, cdn_status called);
cdn_status cdni_fail_step(cdn_stepper *s, double error);
/* Whether the present call must return before another attempt: CDN_ERR_LIMIT. */
bool cdni_is_interrupted(const cdn_stepper *s);
bool cdni_at_limit(const cdn_stepper *s);
cdn_status cdni_fail_limit(cdn_stepper *s);
/* Fills the common part of a report: the time, the worst coordinate, and the last attempts in order. */
cdn_failure *cdni_begin_report(cdn_stepper *s);
/* Adds to the advice which constraint has the largest multiplier at the present `work`, and whether the pose is
 * singular. */
void cdni_add_mechanism(cdn_stepper *s, cdn_failure *f);
/* Whether the report's advice names a singular pose as the cause; the advice then begins with it. */
bool cdni_blames_pose(const cdn_failure *f);
/* A failure at an event, with the message of `work` if its last failure has this code. */
cdn_status cdni_fail_event(cdn_stepper *s, cdn_status called, const char *event, const char *format, ...)
    CDN_PRINTF(4, 5);

#endif
