/* What a System knows of its events, for whoever makes them happen. */
#ifndef CARDAN_SYSTEM_EVENTS_H
#define CARDAN_SYSTEM_EVENTS_H

#include <cardan/events.h>

#include "system/system.h"

/* Whether no more than the accuracy depends on an event whose value comes to zero at this rate and is about to turn
 * back, so that an error decides whether it occurs. */
typedef bool cdni_grazing(const void *self, const cdn_state *state, cdn_event event, double rate, double accuracy);

/* Whether the handler of an event can take a State on in time where steps cannot, or take very long. */
typedef bool cdni_rescue(const void *self, const cdn_state *state);

typedef struct cdni_event {
  cdn_event_def def;    /* name, times and self are the System's own, but for a self that is shared */
  int32_t owner;        /* the subsystem whose private part the callbacks get, or -1 */
  cdni_grazing *grazes; /* NULL: more depends on it */
  cdni_rescue *rescues;
} cdni_event;

/* Reads a def of a caller's: see CDNI_DEF. */
const char *cdni_read_event_def(cdn_event_def *to, const cdn_event_def *from);
const cdni_event *cdni_event_at(const cdn_system *system, int i);
/* Whether it may change the State, so that a step ends at it. */
static inline bool cdni_event_is_handled(const cdni_event *e) { return e->def.handle || e->def.handle_set; }
/* A subsystem tells that of an event that it has declared. */
void cdni_declare_event_grazes(cdn_declarer *d, cdn_event event, cdni_grazing *grazes);
/* What the callbacks get. */
const void *cdni_event_self(const cdn_system *system, const cdni_event *event);
/* Whether one function handles both together. */
static inline bool cdni_events_in_one_set(const cdn_system *system, const cdni_event *a, const cdni_event *b) {
  return a->def.handle_set && a->def.handle_set == b->def.handle_set &&
         cdni_event_self(system, a) == cdni_event_self(system, b);
}
/* A run whose steps fail, or become very short, lets this event occur instead, if it may. One event of a System. */
void cdni_declare_rescue(cdn_declarer *d, cdn_event event, cdni_rescue *may);
/* A counter that any setter of the State moves, and one that only discrete variables and parameters move. */
uint64_t cdni_state_changes(const cdn_state *state);
uint64_t cdni_state_discrete_changes(const cdn_state *state);
/* Whether accepted steps change variables on their own. */
bool cdni_system_auto_updates(const cdn_system *system);

#endif
