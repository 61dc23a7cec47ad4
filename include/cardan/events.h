/* Cardan: events. Moments at which something is done to a State, or looked at, while time passes.
 *
 * An event is part of a System, so it belongs to every run of it. It occurs when a function of the State changes sign,
 * at times that are known beforehand, at every step, or at the ends of a run. Where it occurs its *reporter* looks
 * at the State and its *handler* may change it. A stepper (stepper.h) finds the moments and calls both; see docs/events.md. */
#ifndef CARDAN_EVENTS_H
#define CARDAN_EVENTS_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

typedef enum cdn_event_kind {
  CDN_EVENT_TRIGGERED, /**< where `value` changes its sign */
  CDN_EVENT_SCHEDULED, /**< at `times`, or when `next_time` says */
  CDN_EVENT_PERIODIC,  /**< at phase + n period, n = 0, 1, 2 ... */
  CDN_EVENT_STEP,      /**< at the end of every accepted step */
  CDN_EVENT_START,     /**< once, before the first step of a run */
  CDN_EVENT_END        /**< once, at the stepper's final_time or when a handler stops the run */
} cdn_event_kind;

/** Which way a trigger's value goes through zero. */
typedef enum cdn_direction { CDN_FALLING = 1, CDN_RISING = 2, CDN_EITHER = 3 } cdn_direction;

/** What is to be done after a handler. */
typedef enum cdn_action { CDN_CONTINUE, CDN_STOP } cdn_action;

/** One occurrence of an event, as its callbacks are told of it. The library owns it; later releases append members. */
typedef struct cdn_occurrence {
  cdn_event event;
  const char *name;        /**< the event's; lives as long as the System */
  double time;             /**< of the State, where the trigger's value has changed its sign */
  double earliest;         /**< the sign changed after this time; `time` where that is exact */
  cdn_direction direction; /**< how the value went through zero: CDN_FALLING or CDN_RISING; else CDN_EITHER */
  int64_t count;           /**< how often the event has occurred before in this run */
  void *user;              /**< cdn_stepper_def.user of the stepper that asks */
} cdn_occurrence;

/** The trigger's value. `state` is realized to the def's stage; what it needs beyond is computed when it asks. NaN: not
 *  defined here. It must not change the State. */
typedef cdn_status cdn_event_value_fn(const void *self, cdn_state *state, double *value);
/** The first time after `after` at which the event is to occur, or INFINITY. Asked for at the start of a run, after
 *  each occurrence, and whenever a handler has changed the State. */
typedef cdn_status cdn_event_time_fn(const void *self, cdn_state *state, double after, double *time);
/** Looks at the State. A variable that it sets is a failure of the run. */
typedef cdn_status cdn_event_report_fn(const void *self, cdn_state *state, const cdn_occurrence *what);
/** May set anything in the State with the ordinary setters, time forward only. *action is CDN_CONTINUE beforehand. */
typedef cdn_status cdn_event_handle_fn(const void *self, cdn_state *state, const cdn_occurrence *what,
                                       cdn_action *action);

typedef struct cdn_event_def {
  CDN_DEF_HEADER;
  const char *name;    /**< copied; NULL: "event<i>" */
  cdn_event_kind kind; /**< default: CDN_EVENT_TRIGGERED */
  /** Realized before `value` is called, and the order in which simultaneous events are handled (then the order of
   *  addition; steps and ends come last). Default: Position for triggered events, Time for all others. */
  cdn_stage stage;

  /* triggered */
  cdn_event_value_fn *value;
  cdn_direction direction; /**< default: CDN_EITHER */
  /** The time within which the change of sign is located, s; its occurrences must be further apart. Default 0: a
   *  thousandth of (the stepper's accuracy x the longest step so far). Never less than 128 roundings of the time. */
  double window;
  /** Evenly spaced moments within each step at which the value is looked at, beside the step's end: a sign that
   *  differs at one of these from the one before is never missed. Between them it is found by where the value turns.
   *  0 to 65536; default 1. */
  int samples;
  /** NaN is ignored: the value keeps the sign that it had. If `edges`, NaN stands for the other side of zero instead:
   *  the event occurs where the value stops being defined, or begins to be. */
  bool edges;
  /** For events that a subsystem declares: instead of `value`, slot `index` of its trigger group `group`. Default -1. */
  int group, index;

  /* scheduled: one of the two */
  const double *times; /**< increasing; copied */
  int n_times;
  cdn_event_time_fn *next_time;

  /* periodic */
  double period, phase;

  cdn_event_handle_fn *handle; /**< may be NULL. An event with a handler ends a step; one without leaves steps alone */
  cdn_event_report_fn *report; /**< may be NULL. Called before the handlers of the same moment */
  const void *self;            /**< what the callbacks get: self_size bytes are copied; if 0 the pointer is shared */
  size_t self_size;
} cdn_event_def;

/** Defaults as stated above. */
/** cdn_default_event_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_event_def_init(void *def, size_t size);
static inline cdn_event_def cdn_default_event_def(void) {
  cdn_event_def def;
  cdn_event_def_init(&def, sizeof def);
  return def;
}
/** Adds an event. Refused (at freezing, as any building mistake): a triggered event without a value, a scheduled one
 *  without times, numbers that are not finite or not in order. */
CDN_API cdn_event cdn_system_add_event(cdn_system *system, const cdn_event_def *def);
/** The same from within a subsystem's `declare`: if def->self is NULL the callbacks get the subsystem's own. */
CDN_API cdn_event cdn_declare_event(cdn_declarer *d, const cdn_event_def *def);

CDN_API int cdn_system_event_count(const cdn_system *system);
CDN_API const char *cdn_event_name(const cdn_system *system, cdn_event event); /**< NULL for a wrong id */
/** The event of this name, or { -1 }. O(number of events). */
CDN_API cdn_event cdn_system_find_event(const cdn_system *system, const char *name);
/** The value of a triggered event's trigger at a State, which is realized to the event's stage. */
CDN_API cdn_status cdn_event_value(cdn_state *state, cdn_event event, double *value) CDN_NODISCARD;

CDN_END_DECLS
#endif
