/* Cardan: events, moments at which a run looks at its State or changes it.
 *
 * An event is part of a System, so it belongs to every run of that System. It occurs when a function of the State
 * changes sign, at times that are known beforehand, at every step, or at the ends of a run. When it occurs, its
 * *reporter* looks at the State and its *handler* may change it. A stepper (stepper.h) finds the moments and calls
 * both; see docs/events.md.
 *
 * I want to
 *   count events, find one by name, get its name: cdn_system_event_count, cdn_system_find_event, cdn_event_name
 *   add an event: at a zero crossing, at times, periodically, at each step: cdn_system_add_event
 *   fill in an event's definition with its defaults: cdn_default_event_def
 *   read a trigger's value: cdn_event_value
 *   declare an event in a subsystem: cdn_declare_event */
#ifndef CARDAN_EVENTS_H
#define CARDAN_EVENTS_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

typedef enum cdn_event_kind {
  CDN_EVENT_TRIGGERED, /**< when `value` changes its sign */
  CDN_EVENT_SCHEDULED, /**< at `times`, or at the times that `next_time` returns */
  CDN_EVENT_PERIODIC,  /**< at phase + n period, n = 0, 1, 2 ... */
  CDN_EVENT_STEP,      /**< at the end of every accepted step */
  /** Once, before the first step of a run. One with `handle_set` also where the run goes on from another State, or
   *  from values that you have set: its function can then bring its own variables up to date. */
  CDN_EVENT_START,
  CDN_EVENT_END /**< once, at the stepper's final_time or when a handler stops the run */
} cdn_event_kind;

/** The direction in which a trigger's value goes through zero. */
typedef enum cdn_direction { CDN_FALLING = 1, CDN_RISING = 2, CDN_EITHER = 3 } cdn_direction;

/** Whether the run continues after a handler. */
typedef enum cdn_action { CDN_CONTINUE, CDN_STOP } cdn_action;

/** One occurrence of an event, for its callbacks to read. The library owns it; later releases append members. */
typedef struct cdn_occurrence {
  cdn_event event;
  const char *name;        /**< the event's name; valid as long as the System */
  double time;             /**< time of the State, s; the trigger's value has changed its sign here */
  double earliest;         /**< the sign changed after this time, s; equal to `time` if the time is exact */
  cdn_direction direction; /**< how the value went through zero: CDN_FALLING or CDN_RISING. Not triggered: CDN_EITHER */
  int64_t count;           /**< number of earlier occurrences of this event in this run */
  void *user;              /**< cdn_stepper_def.user of the stepper that calls */
  double accuracy;         /**< cdn_stepper_def.accuracy of that stepper; 0 for fixed steps */
  /** A handler that moves time on should not go beyond: the time that the call has asked for, or that of the next event
   *  known beforehand, s. Companions: `time`. */
  double latest;
  double step; /**< cdn_stepper_def.fixed_step of that stepper, s; 0: it chooses its steps */
} cdn_occurrence;

/** Computes the trigger's value. `state` is realized to the def's stage; getters realize what the function needs
 *  beyond it. Write NaN if the value is not defined at this State. The function must not change the State. */
typedef cdn_status cdn_event_value_fn(const void *self, cdn_state *state, double *value);
/** Computes the first time after `after` (s) at which the event is to occur, or INFINITY. Called at the start of a run,
 *  after each occurrence, and after a handler has changed the State. */
typedef cdn_status cdn_event_time_fn(const void *self, cdn_state *state, double after, double *time);
/** Looks at the State. If it sets a variable, the run fails with CDN_ERR_ARG. */
typedef cdn_status cdn_event_report_fn(const void *self, cdn_state *state, const cdn_occurrence *what);
/** May set anything in the State with the ordinary setters; time forward only. *action is CDN_CONTINUE on entry. */
typedef cdn_status cdn_event_handle_fn(const void *self, cdn_state *state, const cdn_occurrence *what,
                                       cdn_action *action);

/** Handles all events of one moment that name this function and the same `self`, at once: `what` has n of them, in the
 *  order of handling. Called after the handlers of all single events. n is 0 if none of them occurs, but another
 *  handler has changed the State: the function can then bring its own variables up to date. Otherwise as a
 *  cdn_event_handle_fn. */
typedef cdn_status cdn_event_handle_set_fn(const void *self, cdn_state *state, int n, const cdn_occurrence *what,
                                           cdn_action *action);

typedef struct cdn_event_def {
  CDN_DEF_HEADER;
  const char *name;    /**< copied; NULL: "event<i>" */
  cdn_event_kind kind; /**< default: CDN_EVENT_TRIGGERED */
  /** The State is realized to this stage before `value` is called. Simultaneous events are handled in the order of
   *  their stages, then in the order of addition; steps and ends come last. Default: Position if triggered, else
   *  Time. */
  cdn_stage stage;

  /* triggered */
  cdn_event_value_fn *value;
  cdn_direction direction; /**< default: CDN_EITHER */
  /** Time within which the change of sign is located, s. Occurrences must be further apart than this. Default 0: a
   *  thousandth of (the stepper's accuracy x the longest step so far). Never less than 128 roundings of the time. */
  double window;
  /** Number of evenly spaced moments within each step at which the value is computed, besides the step's end; 0 to
   *  65536, default 1. A sign that differs between two neighbouring moments is never missed. Between them a double
   *  crossing is found if the slopes of the value show that it turns. */
  int samples;
  /** false: NaN is ignored, and the value keeps its last sign. true: NaN counts as the other side of zero, so the event
   *  occurs when the value stops being defined or begins to be. */
  bool edges;
  /** For events that a subsystem declares: slot `index` of its trigger group `group` replaces `value`. Default -1. */
  int group, index;

  /* scheduled: one of the two */
  const double *times; /**< s, increasing; copied */
  int n_times;
  cdn_event_time_fn *next_time;

  /* periodic */
  double period, phase; /**< s */

  cdn_event_handle_fn *handle; /**< may be NULL. An event with a handler ends a step; one without leaves steps alone */
  cdn_event_report_fn *report; /**< may be NULL. Called before all handlers of the same moment */
  const void *self;            /**< passed to callbacks: a copy of self_size bytes, or the pointer itself if 0 */
  size_t self_size;            /**< bytes that `self` points to */
  /** In place of `handle`, for events that have to be handled together. May be NULL. */
  cdn_event_handle_set_fn *handle_set;
} cdn_event_def;

/** Writes the defaults stated above into a struct of `size` bytes (docs/abi.md). */
CDN_DEF(event_def);
/** Adds an event. Building mistakes (cdn_system_freeze then fails with CDN_ERR_ARG): a triggered event without a
 *  value, a scheduled event without times, numbers that are not finite or not in order. */
CDN_API cdn_event cdn_system_add_event(cdn_system *system, const cdn_event_def *def);
/** Adds an event from within a subsystem's `declare`. If def->self is NULL the callbacks get the subsystem's private
 *  part. */
CDN_API cdn_event cdn_declare_event(cdn_declarer *d, const cdn_event_def *def);

/** The number of events: their ids are 0 to this, without it. Names live as long as the System. */
CDN_API int cdn_system_event_count(const cdn_system *system);
CDN_API const char *cdn_event_name(const cdn_system *system, cdn_event event); /**< NULL for a wrong id */
/** The event of this name, or { -1 }. O(number of events). */
CDN_API cdn_event cdn_system_find_event(const cdn_system *system, const char *name);
/** Computes the trigger's value of a triggered event. Realizes the State to the event's stage. Errors: CDN_ERR_ARG
 *  (not a triggered event of this System), the status of the value function, and the errors of realization. */
CDN_API cdn_status cdn_event_value(cdn_state *state, cdn_event event, double *value) CDN_NODISCARD;

CDN_END_DECLS
#endif
