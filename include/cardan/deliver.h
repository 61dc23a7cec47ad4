/* Cardan: a study that runs, and runs again with more accurate steps, until the accuracy asked for is delivered; or
 * that tells why this is not possible (docs/delivered.md).
 *
 * I want to
 *   run until the accuracy is delivered: cdn_deliver, cdn_default_deliver_def */
#ifndef CARDAN_DELIVER_H
#define CARDAN_DELIVER_H

#include <cardan/stepper.h>

CDN_BEGIN_DECLS

/** Why cdn_deliver made no more runs. */
typedef enum cdn_deliver_reason {
  CDN_DELIVER_DONE,     /**< the run that is kept delivers the accuracy: the verdict of its certificate is
                           CDN_VERDICT_DELIVERED */
  CDN_DELIVER_CHAOS,    /**< errors grow until two runs have nothing in common */
  CDN_DELIVER_ROUNDING, /**< rounding, as the motion amplifies it, exceeds the accuracy */
  CDN_DELIVER_BRANCHES, /**< at a singular pose the motion may go on in more than one way */
  CDN_DELIVER_EVENTS,   /**< an event occurs in only one of the two runs compared, however accurate they are */
  CDN_DELIVER_STUCK,    /**< more accurate steps do not reduce the error */
  CDN_DELIVER_UNKNOWN,  /**< the errors of more accurate runs are not known either */
  CDN_DELIVER_FAILED,   /**< a more accurate run failed */
  CDN_DELIVER_LIMIT     /**< cdn_deliver_def.most_attempts were not enough */
} cdn_deliver_reason;

/** Looks at a run at its start (row 0) and at each of its reports (rows 1, 2 ...). Attempts are counted from 0; each
 *  begins with row 0, from the initial State. The State of the run is cdn_stepper_state(stepper). The function must
 *  not change it. A status other than CDN_OK ends the study, and cdn_deliver returns it. */
typedef cdn_status cdn_deliver_report_fn(void *context, cdn_stepper *stepper, int attempt, int64_t row);
/** The attempt whose rows came last is the best so far: it replaces the one that was kept before. */
typedef cdn_status cdn_deliver_keep_fn(void *context, int attempt);
/** Called after each cdn_stepper_def.max_steps steps, and with cdn_stepper_def.return_on_events at each moment at which
 *  events occurred, to show progress or to look at what happens. A status other than CDN_OK ends the study. */
typedef cdn_status cdn_deliver_pause_fn(void *context, cdn_stepper *stepper, int attempt);

/** Advances a run as cdn_stepper_advance(stepper, t, reason) does, for a program that writes inputs on the way
 *  (docs/inputs.md): it advances to the time of an input, writes the input into cdn_stepper_state(stepper), and goes
 *  on. Attempts are compared, so each gets the same inputs at the same times from row 0 on. CDN_ERR_LIMIT: `pause` is
 *  called, and then this function again. */
typedef cdn_status cdn_deliver_advance_fn(void *context, cdn_stepper *stepper, int attempt, double t,
                                          cdn_return_reason *reason);

typedef struct cdn_deliver_def {
  CDN_DEF_HEADER;
  /** Time between reports, s: they are at t0 + k interval, and at the end. 0: a hundredth of the run. Default: 0.
   *  Errors are measured at reports and events only. */
  double interval;
  /** Times of reports instead, s: n_times numbers that do not decrease, from the State's time to the end. Read
   *  during the call. The end is a report as well. */
  const double *times;
  int n_times;
  int most_attempts;             /**< bound on the number of attempts; default 7 */
  cdn_deliver_report_fn *report; /**< may be NULL */
  cdn_deliver_keep_fn *keep;     /**< may be NULL */
  cdn_deliver_pause_fn *pause;   /**< NULL: max_steps of the stepper's def counts for nothing */
  void *context;                 /**< passed to the functions */
  /** NULL: cdn_stepper_advance */
  cdn_deliver_advance_fn *advance;
} cdn_deliver_def;

CDN_DEF(deliver_def);

/** What a study came to. */
typedef struct cdn_delivery {
  cdn_deliver_reason reason; /**< why the study ended */
  int attempts;              /**< number of attempts; one that failed counts */
  int runs;                  /**< number of runs: those of the attempts, and their companions */
  int kept;                  /**< number of the attempt that is kept */
  double accuracy;           /**< accuracy of its steps */
  int64_t evaluations;       /**< evaluations of ydot by all runs */
  char message[256];         /**< why the accuracy is not delivered, in words, or "" */
} cdn_delivery;

/** Runs from `initial` to def->final_time, which must be finite, and keeps the run that delivers def->accuracy.
 *
 *  The first attempt is a run with its companion, as of a stepper with this def. If its verdict is
 *  CDN_VERDICT_DELIVERED with an estimate of at most 2 accuracies there is no other. Otherwise further attempts are
 *  made, with steps whose accuracy the estimate of the last one tells. Each is certified by a run that is
 *  independent of it, never by proportion: by its own companion, or, if nothing but smooth motion has happened, by
 *  the companion of the first attempt. The best attempt is kept. So the verdict is never worse than that of the
 *  first attempt.
 *
 *  `initial` is left as it is. def: companion and asked_accuracy are set by the study; fixed_step
 *  must be 0. All else holds for every attempt, except that initial_step holds for the first, and that
 *  constraint_tolerance shrinks with the accuracy. Handlers, reporters and forces are called in every run; see
 *  cdn_occurrence.user. A run that a handler stops ends there, with a last report. how: NULL for the defaults.
 *
 *  *run (may be NULL) becomes the stepper of the attempt that is kept, at its end; the caller destroys it.
 *  *certificate (may be NULL) is the certificate of that attempt. It is the stepper's own, unless the companion of
 *  the first attempt has certified it, or rounding makes its verdict doubtful. *delivery may be NULL.
 *
 *  Errors: those of cdn_stepper_create and cdn_stepper_advance, of the first attempt; a more accurate attempt that
 *  fails is not kept, and ends the study with CDN_OK. A status other than CDN_OK of the caller's functions. CDN_ERR_ARG
 *  (final_time not finite, fixed steps, times that are not in order), CDN_ERR_VERSION, CDN_ERR_NOMEM. The message is
 *  on `initial`. If a run had begun, *run is the stepper whose run failed, for cdn_stepper_failure; otherwise *run
 *  is NULL.
 *
 *  Cost: 2.3 times the evaluations of a run without companion if the first attempt delivers. Some 4 times if one
 *  more attempt is needed and the companion of the first can certify it; otherwise an attempt more costs 3 to 4
 *  more. Memory: two attempts with their companions, and q, u and z at up to 1000 reports. */
CDN_SIZED_PAIR(CDN_NODISCARD, cdn_status, return, cdn_deliver,
               (cdn_state *initial, const cdn_stepper_def *def, const cdn_deliver_def *how, cdn_stepper **run,
                cdn_certificate *certificate, cdn_delivery *delivery), (initial, def, how, run, certificate, delivery),
               (size_t certificate_size, size_t delivery_size), (sizeof *certificate, sizeof *delivery));

CDN_END_DECLS
#endif
