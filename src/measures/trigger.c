/* An event where a measure passes a level: the user's def, with a trigger of our own in front of its callbacks. */
#include "measures/internal.h"
#include "system/events.h"

/* The `self` of the event's callbacks; a copy of the user's own part follows it. */
typedef struct trigger {
  cdn_measure measure;
  int i;
  double level;
  cdn_event_handle_fn *handle;
  cdn_event_report_fn *report;
  const void *shared; /* the user's self if it is not copied */
  bool copied;
} trigger;

static size_t head(void) { return cdni_aligned(sizeof(trigger)); }

static const void *users(const trigger *t) { return t->copied ? (const char *)t + head() : t->shared; }

static cdn_status value(const void *self, cdn_state *state, double *out) {
  const trigger *t = self;
  const double *now = cdn_measure_value(state, t->measure);
  if (!now) {
    cdn_error reason;
    cdn_state_last_error(state, &reason);
    return reason.code;
  }
  *out = now[t->i] - t->level;
  return CDN_OK;
}

static cdn_status handle(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const trigger *t = self;
  return t->handle(users(t), state, what, action);
}

static cdn_status report(const void *self, cdn_state *state, const cdn_occurrence *what) {
  const trigger *t = self;
  return t->report(users(t), state, what);
}

cdn_event cdn_system_add_measure_event(cdn_system *system, cdn_measure id, int i, double level,
                                       const cdn_event_def *def) {
  cdni_adder a;
  const cdn_event none = { -1 };
  cdn_event_def own;
  const char *unreadable = cdni_read_event_def(&own, def);
  def = &own;
  cdni_measure_begin(&a, system, "cdn_system_add_measure_event", def->name ? def->name : "event");
  if (unreadable) cdni_adder_refuse(&a, CDN_ERR_VERSION, "%s", unreadable);
  int n = cdni_measure_check_operand(&a, id);
  if (i < 0 || i >= n) cdni_adder_refuse(&a, CDN_ERR_ARG, "it has %d numbers, and there is no number %d", n, i);
  cdni_adder_check_numbers(&a, "the level", &level, 1);
  if (a.ok && (def->value || def->group >= 0 || def->kind != CDN_EVENT_TRIGGERED)) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "an event on a measure is a triggered one, and the measure is its value");
  }
  if (a.ok && def->handle_set)
    cdni_adder_refuse(&a, CDN_ERR_ARG, "an event on a measure has no handle_set: use handle");
  if (a.ok && def->self_size > 0 && !def->self) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "self is NULL but self_size is not 0");
  }
  if (!a.ok) return none;

  const cdn_allocator *memory = cdni_system_allocator(system);
  size_t size = head() + def->self_size;
  trigger *t = cdni_calloc(memory, size);
  if (!t) {
    cdni_adder_refuse(&a, CDN_ERR_NOMEM, "out of memory");
    return none;
  }
  *t = (trigger){ .measure = id,
                  .i = i,
                  .level = level,
                  .handle = def->handle,
                  .report = def->report,
                  .shared = def->self,
                  .copied = def->self_size > 0 };
  if (t->copied) memcpy((char *)t + head(), def->self, def->self_size);
  own.value = value;
  own.handle = def->handle ? handle : NULL;
  own.report = def->report ? report : NULL;
  own.self = t, own.self_size = size;
  cdn_event event = cdn_system_add_event(system, &own);
  cdni_free(memory, t, size);
  return event;
}
