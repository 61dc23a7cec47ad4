/* Events as parts of a System: their definition. The stepper finds and handles them. */
#include <cardan/events.h>
#include <math.h>

#include "system/adding.h"
#include "system/events.h"
#include "system/structs.h"

CDNI_DEF(event_def, .direction = CDN_EITHER, .samples = 1, .group = -1, .index = -1, .stage = CDN_STAGE_EMPTY);

const char *cdni_read_event_def(cdn_event_def *to, const cdn_event_def *from) { return read_event_def(to, from); }

/* ---- checking ---- */

static const char *check_triggered(const cdn_system *s, const cdn_event_def *def, int32_t owner) {
  if (def->direction < CDN_FALLING || def->direction > CDN_EITHER) return "direction is not one of cdn_direction";
  if (!(def->window >= 0 && isfinite(def->window))) return "window must be finite and not negative";
  if (def->samples < 0 || def->samples > 65536) return "samples must be 0 to 65536";
  if (def->group < 0) return def->value ? NULL : "a triggered event needs a value function";
  if (def->value) return "a value function and a trigger group are both given: one is enough";
  if (owner < 0) return "trigger groups belong to subsystems: use cdn_declare_event in the one that declares it";
  if ((size_t)def->group >= s->trigger_groups.count) return "there is no such trigger group";
  const trigger_group *g = &CDNI_AT(s->trigger_groups, trigger_group, def->group);
  return def->index < 0 || def->index >= g->n ? "index is not that of a slot of the trigger group" : NULL;
}

static const char *check_scheduled(const cdn_event_def *def) {
  if (!def->times == !def->next_time) return "a scheduled event needs either times or next_time";
  if (!def->times) return NULL;
  if (def->n_times < 1) return "n_times must be positive";
  if (!cdni_all_finite(def->times, (size_t)def->n_times, NULL)) return "times must be finite";
  for (int i = 1; i < def->n_times; i++) {
    if (!(def->times[i] > def->times[i - 1])) return "times must increase";
  }
  return NULL;
}

/* The mistake in a def, or NULL. */
static const char *check(const cdn_system *s, const cdn_event_def *def, int32_t owner) {
  if (def->stage != CDN_STAGE_EMPTY && (def->stage < CDN_STAGE_TIME || def->stage >= CDN_STAGE_COUNT)) {
    return "stage must be Time or a later one";
  }
  if (def->self_size > 0 && !def->self) return "self is NULL but self_size is not 0";
  if (def->handle && def->handle_set) return "handle and handle_set are both given: one is enough";
  switch (def->kind) {
    case CDN_EVENT_TRIGGERED: return check_triggered(s, def, owner);
    case CDN_EVENT_SCHEDULED: return check_scheduled(def);
    case CDN_EVENT_PERIODIC:
      if (!(def->period > 0 && isfinite(def->period))) return "period must be positive and finite";
      return isfinite(def->phase) ? NULL : "phase must be finite";
    case CDN_EVENT_STEP:
    case CDN_EVENT_START:
    case CDN_EVENT_END: return NULL;
  }
  return "kind is not one of cdn_event_kind";
}

/* ---- adding ---- */

static void free_event(const cdn_allocator *a, cdni_event *e) {
  cdni_strfree(a, (char *)e->def.name);
  if (e->def.times) cdni_free(a, (void *)e->def.times, sizeof(double) * (size_t)e->def.n_times);
  if (e->def.self_size && e->def.self) cdni_free(a, (void *)e->def.self, e->def.self_size);
}

void cdni_events_free(cdn_system *s) {
  for (size_t i = 0; i < s->events.count; i++) free_event(&s->allocator, &CDNI_AT(s->events, cdni_event, i));
  cdni_array_free(&s->allocator, &s->events);
}

/* Copies the memory to which the def points; false if memory ran out. */
static bool own(const cdn_allocator *a, cdni_event *e, const cdn_event_def *def, const char *name) {
  size_t times = def->kind == CDN_EVENT_SCHEDULED && def->times ? sizeof(double) * (size_t)def->n_times : 0;
  e->def = *def;
  e->def.name = cdni_strdup(a, name);
  e->def.times = times ? cdni_alloc(a, times) : NULL;
  e->def.self = def->self_size ? cdni_alloc(a, def->self_size) : def->self;
  if (e->def.times) memcpy((void *)e->def.times, def->times, times);
  if (def->self_size && e->def.self) memcpy((void *)e->def.self, def->self, def->self_size);
  return e->def.name && (e->def.times || !times) && (e->def.self || !def->self_size);
}

static cdn_event add(cdn_system *s, const cdn_event_def *given, int32_t owner, const char *function) {
  cdn_event id = { -1 };
  cdn_event_def known;
  const cdn_event_def *def = &known;
  const char *unreadable = read_event_def(&known, given);
  if (unreadable) {
    cdni_system_fail(s, CDN_ERR_VERSION, function, NULL, "%s", unreadable);
    return id;
  }
  cdni_adder by = { s, function, "event", .ok = true };
  cdni_adder_name(&by, def->name, s->events.count);
  const char *wrong = check(s, def, owner);
  if (wrong) {
    cdni_adder_refuse(&by, CDN_ERR_ARG, "%s", wrong);
    return id;
  }
  cdni_event e = { .owner = def->self || def->self_size ? -1 : owner };
  if (!own(&s->allocator, &e, def, by.name) || !cdni_array_push(&s->allocator, &s->events, sizeof e, &e)) {
    free_event(&s->allocator, &e);
    cdni_system_fail(s, CDN_ERR_NOMEM, function, by.name, "out of memory");
    return id;
  }
  cdn_event_def *kept = &CDNI_AT(s->events, cdni_event, s->events.count - 1).def;
  if (kept->kind != CDN_EVENT_TRIGGERED) kept->group = kept->index = -1; /* they were not checked */
  if (kept->stage == CDN_STAGE_EMPTY) {
    kept->stage = kept->kind == CDN_EVENT_TRIGGERED ? CDN_STAGE_POSITION : CDN_STAGE_TIME;
    if (kept->group >= 0) kept->stage = CDNI_AT(s->trigger_groups, trigger_group, kept->group).stage;
  }
  id.i = (int32_t)s->events.count - 1;
  return id;
}

cdn_event cdn_system_add_event(cdn_system *system, const cdn_event_def *def) {
  if (cdni_system_refuses(system, __func__)) return (cdn_event){ -1 };
  return add(system, def, -1, __func__);
}

cdn_event cdn_declare_event(cdn_declarer *d, const cdn_event_def *def) {
  CDNI_NEED_OBJECT(d, (cdn_event){ -1 });
  cdn_event id = add(d->system, def, d->subsystem, "cdn_declare_event");
  if (id.i < 0 && d->status == CDN_OK) d->status = d->system->error.code;
  return id;
}

void cdni_declare_rescue(cdn_declarer *d, cdn_event event, cdni_rescue *may) {
  if (event.i >= 0) CDNI_AT(d->system->events, cdni_event, event.i).rescues = may;
}

/* ---- asking ---- */

int cdn_system_event_count(const cdn_system *system) { return system ? (int)system->events.count : 0; }

const char *cdn_event_name(const cdn_system *system, cdn_event event) {
  CDNI_NEED_OBJECT(system, NULL);
  if (event.i < 0 || (size_t)event.i >= system->events.count) return NULL;
  return cdni_event_at(system, event.i)->def.name;
}

cdn_event cdn_system_find_event(const cdn_system *system, const char *name) {
  CDNI_NEED_OBJECT(system, ((cdn_event){ -1 }));
  return (cdn_event){ cdni_find_by_name(system, CDN_ELEMENT_EVENT, name) };
}

const cdni_event *cdni_event_at(const cdn_system *system, int i) { return &CDNI_AT(system->events, cdni_event, i); }

void cdni_declare_event_grazes(cdn_declarer *d, cdn_event event, cdni_grazing *grazes) {
  if (event.i >= 0) CDNI_AT(cdni_declarer_system(d)->events, cdni_event, event.i).grazes = grazes;
}

const void *cdni_event_self(const cdn_system *system, const cdni_event *event) {
  return event->owner < 0 ? event->def.self : CDNI_AT(system->subsystems, subsystem, event->owner).self;
}

static cdn_status evaluate(cdn_state *state, const cdni_event *e, double *value) {
  CDNI_TRY(cdn_realize(state, e->def.stage));
  if (e->def.value) return e->def.value(cdni_event_self(state->system, e), state, value);
  const double *slots = cdn_state_event_triggers(state, e->def.group);
  if (!slots) return state->error.code;
  *value = slots[e->def.index];
  return CDN_OK;
}

cdn_status cdn_event_value(cdn_state *state, cdn_event event, double *value) {
  if (!state || !value) return cdni_refuse(CDN_ERR_ARG, __func__, "the State or the result is NULL");
  if (event.i < 0 || (size_t)event.i >= state->system->events.count ||
      cdni_event_at(state->system, event.i)->def.kind != CDN_EVENT_TRIGGERED) {
    return cdni_state_lacks(state, __func__, "triggered event", (int)event.i);
  }
  const cdni_event *e = cdni_event_at(state->system, event.i);
  state->error.code = CDN_OK;
  cdn_status status = evaluate(state, e, value);
  if (status == CDN_OK) return CDN_OK;
  cdn_error reason = state->error;
  if (reason.code == status) {
    cdni_state_fail(state, status, reason.recoverable, __func__, e->def.name, "the trigger of event '%s': %s",
                    e->def.name, reason.text);
    state->error.stage = reason.stage;
    cdni_error_tell(&state->error);
  } else {
    cdni_state_fail(state, status, false, __func__, e->def.name, "the trigger of event '%s' could not be evaluated: %s",
                    e->def.name, cdn_status_text(status));
  }
  return status;
}

/* ---- counters of changes ---- */

uint64_t cdni_state_changes(const cdn_state *state) {
  const uint64_t *serials = (const uint64_t *)(state->block + state->system->off_serials);
  uint64_t sum = 0;
  for (size_t i = 0; i < state->system->nodes.count; i++) sum += serials[i];
  return sum;
}

uint64_t cdni_state_discrete_changes(const cdn_state *state) {
  const uint64_t *serials = (const uint64_t *)(state->block + state->system->off_serials);
  uint64_t sum = 0;
  for (size_t i = TICKET_FIRST_FREE; i < state->system->nodes.count; i++) sum += serials[i];
  return sum;
}

bool cdni_system_auto_updates(const cdn_system *system) { return system->autos.count > 0 || system->keep_previous; }
