/* Triggers: groups of them are declared, some are read by events, the others are kinks. */
#include <cardan/events.h>
#include <math.h>
#include <stdio.h>

#include "system/events.h"
#include "system/structs.h"

static trigger_group *group_at(const cdn_system *s, size_t i) { return &CDNI_AT(s->trigger_groups, trigger_group, i); }
static subsystem *owner_of(const cdn_system *s, const trigger_group *g) {
  return &CDNI_AT(s->subsystems, subsystem, g->subsystem);
}

static void add_group(cdn_declarer *d, trigger_group g) {
  g.subsystem = d->subsystem;
  if (!cdni_array_push(&d->system->allocator, &d->system->trigger_groups, sizeof g, &g))
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
}

/* ---- those of events ---- */

/* The State knows which group is being computed. */
static cdn_status calc_slots(const void *self, cdn_state *state, void *out) {
  const cdn_system *s = state->system;
  const int32_t entry = state->stack[state->depth - 1];
  size_t g = 0;
  while (group_at(s, g)->entry.ticket.i != entry) g++;
  return owner_of(s, group_at(s, g))->ops.calc_event_triggers(self, state, (int)g, out);
}

/* Its prerequisites: those of its stage, and the subsystem's declarations so far. */
static cdn_cache declare_slots(cdn_declarer *d, cdn_stage stage, int n) {
  char name[32];
  snprintf(name, sizeof name, "triggers%zu", d->system->trigger_groups.count);
  cdn_ticket ticket = cdn_stage_ticket(stage);
  const cdn_cache c = cdn_declare_cache(d, name, (size_t)n * sizeof(double), calc_slots, 1, &ticket);
  for (int i = 0; c.ticket.i != TICKET_NONE; i++) {
    ticket = cdni_subsystem_variable(d->system, (cdn_subsystem){ d->subsystem }, i);
    if (ticket.i == TICKET_NONE) break;
    if (ticket.i != c.ticket.i) cdni_declare_prerequisite(d, c, ticket);
  }
  return c;
}

int cdn_declare_event_triggers(cdn_declarer *d, cdn_stage stage, int n) {
  CDNI_NEED_OBJECT(d, -1);
  cdn_system *s = d->system;
  const subsystem *sub = &CDNI_AT(s->subsystems, subsystem, d->subsystem);
  if (n < 0 || stage < CDN_STAGE_TIME || stage >= CDN_STAGE_COUNT) {
    cdn_declare_error(d, CDN_ERR_ARG,
                      "subsystem '%s' declares event triggers of a negative number or before Time stage", sub->name);
    return -1;
  }
  if (n > 0 && !sub->ops.calc_event_triggers) {
    cdn_declare_error(d, CDN_ERR_ARG, "subsystem '%s' declares event triggers but its ops have no calc_event_triggers",
                      sub->name);
    return -1;
  }
  trigger_group g = { .n = n, .stage = stage };
  if (n > 0) g.entry = declare_slots(d, stage, n);
  if (n > 0 && g.entry.ticket.i == TICKET_NONE) return -1;
  add_group(d, g);
  return (int)s->trigger_groups.count - 1;
}

const double *cdn_state_event_triggers(cdn_state *s, int group) {
  CDNI_NEED_OBJECT(s, NULL);
  if (group < 0 || (size_t)group >= s->system->trigger_groups.count || group_at(s->system, (size_t)group)->n == 0) {
    cdni_state_fail(s, CDN_ERR_ARG, false, "cdn_state_event_triggers", NULL, "there is no trigger group %d", group);
    return NULL;
  }
  return cdn_eval(s, group_at(s->system, (size_t)group)->entry);
}

void cdni_declare_trigger_reads(cdn_declarer *d, int group, cdn_ticket ticket) {
  if (group >= 0) cdni_declare_prerequisite(d, group_at(d->system, (size_t)group)->entry, ticket);
}

void cdni_declare_trigger_motion(cdn_declarer *d, int group, cdni_trigger_motion *moves) {
  if (group >= 0) group_at(d->system, (size_t)group)->moves = moves;
}

void cdni_declare_trigger_ways(cdn_declarer *d, int group, const cdni_trigger_ways *ways) {
  if (group >= 0) group_at(d->system, (size_t)group)->ways = ways;
}

void cdni_declare_trigger_shows(cdn_declarer *d, int group) {
  if (group >= 0) group_at(d->system, (size_t)group)->shows = true;
}

/* The group whose slot an event reads; NULL: there is none. */
static const trigger_group *read_group(const cdn_system *s, int64_t trigger) {
  if (trigger >= (int64_t)s->events.count) return NULL;
  const int group = cdni_event_at(s, (int)trigger)->def.group;
  return group >= 0 ? group_at(s, (size_t)group) : NULL;
}

/* With a function that knows its motion. */
static const trigger_group *moving_group(const cdn_system *s, int64_t trigger) {
  const trigger_group *g = read_group(s, trigger);
  return g && g->moves ? g : NULL;
}

bool cdni_trigger_shows(const cdn_system *system, int64_t trigger) {
  const trigger_group *g = read_group(system, trigger);
  return g && g->shows;
}

bool cdni_trigger_has_motion(const cdn_system *system, int64_t trigger) {
  return moving_group(system, trigger) != NULL;
}

cdn_status cdni_trigger_moves(cdn_state *state, int64_t trigger, double *value, double *rate, double *second) {
  const trigger_group *g = moving_group(state->system, trigger);
  const int slot = cdni_event_at(state->system, (int)trigger)->def.index;
  *value = *rate = *second = NAN;
  return g->moves(owner_of(state->system, g)->self, state, slot, value, rate, second);
}

/* The group that knows ways; NULL: there is none. */
static const trigger_group *group_with_ways(const cdn_system *s) {
  for (size_t i = 0; i < s->trigger_groups.count; i++)
    if (group_at(s, i)->ways) return group_at(s, i);
  return NULL;
}

int cdni_trigger_parts(const cdn_system *system) {
  const trigger_group *g = group_with_ways(system);
  return g ? g->ways->count(owner_of(system, g)->self) : 0;
}

cdn_status cdni_trigger_speeds(cdn_state *state, double *speeds, double *changes) {
  const trigger_group *g = group_with_ways(state->system);
  return g->ways->speeds(owner_of(state->system, g)->self, state, speeds, changes);
}

bool cdni_trigger_has_bound(const cdn_system *system, int64_t trigger) {
  const trigger_group *g = moving_group(system, trigger);
  return g && g->ways;
}

cdn_status cdni_trigger_bound(cdn_state *state, int64_t trigger, double *value, int *n, int32_t part[TRIGGER_PARTS],
                              double weight[TRIGGER_PARTS]) {
  const trigger_group *g = moving_group(state->system, trigger);
  const int slot = cdni_event_at(state->system, (int)trigger)->def.index;
  *value = NAN, *n = 0;
  return g->ways->bound(owner_of(state->system, g)->self, state, slot, value, n, part, weight);
}

/* ---- kinks ---- */

void cdni_declare_kinks(cdn_declarer *d, int n, cdn_cache entry, cdn_ticket of, cdni_kink_force *force) {
  add_group(d, (trigger_group){ .n = n, .entry = entry, .of = of.i, .force = force });
}

void cdni_declare_near_kinks(cdn_declarer *d, const cdni_near_kinks *ops, cdn_ticket of) {
  add_group(d, (trigger_group){ .of = of.i, .force = ops->force, .ops = ops });
}

void cdni_triggers_freeze(cdn_system *s) {
  static const cdn_ticket rates[] = { { TICKET_QDOT }, { TICKET_UDOT }, { TICKET_ZDOT } };
  for (size_t i = 0; i < s->trigger_groups.count; i++) {
    trigger_group *g = group_at(s, i);
    for (int r = 0; g->of != TICKET_NONE && r < CDNI_COUNT(rates); r++)
      g->counts = g->counts || cdni_ticket_is_upstream(s, (cdn_ticket){ g->of }, rates[r]);
  }
}

/* The group of listed kinks; NULL: there is none that counts. */
static const trigger_group *listed(const cdn_system *s) {
  for (size_t i = 0; i < s->trigger_groups.count; i++)
    if (group_at(s, i)->ops && group_at(s, i)->counts) return group_at(s, i);
  return NULL;
}

bool cdni_system_has_near_kinks(const cdn_system *system) { return listed(system) != NULL; }

int cdni_system_kinks(const cdn_system *system) {
  int n = 0;
  for (size_t i = 0; i < system->trigger_groups.count; i++)
    if (group_at(system, i)->counts) n += group_at(system, i)->n;
  return n;
}

int64_t cdni_slot_trigger(const cdn_system *system, int kink) { return (int64_t)system->events.count + kink; }

int64_t cdni_listed_trigger(const cdn_system *system, int64_t key) {
  return cdni_slot_trigger(system, cdni_system_kinks(system)) + key;
}

/* The group of a kink, and which of the group's it is. */
static const trigger_group *group_of(const cdn_system *s, int64_t trigger, int64_t *k) {
  *k = trigger - (int64_t)s->events.count;
  for (size_t i = 0; i < s->trigger_groups.count; i++) {
    const trigger_group *g = group_at(s, i);
    if (!g->counts) continue;
    if (*k < g->n) return g;
    *k -= g->n;
  }
  return listed(s);
}

cdn_status cdni_trigger_read(cdn_state *state, int64_t trigger, double *value, double *rate) {
  const cdn_system *s = state->system;
  int64_t k;
  *value = *rate = NAN;
  if (trigger < (int64_t)s->events.count) return cdn_event_value(state, (cdn_event){ (int32_t)trigger }, value);
  const trigger_group *g = group_of(s, trigger, &k);
  if (g->ops) return g->ops->calc(owner_of(s, g)->self, state, k, value, rate);
  CDNI_TRY(cdni_state_ensure(state, g->entry.ticket));
  const double *slots = cdni_state_storage(state, g->entry);
  *value = slots[k], *rate = slots[g->n + k];
  return CDN_OK;
}

cdn_status cdni_trigger_force(cdn_state *state, int64_t trigger, double x, double *f, bool *known) {
  int64_t k;
  const trigger_group *g = group_of(state->system, trigger, &k);
  *known = false;
  return g->force ? g->force(owner_of(state->system, g)->self, state, k, x, f, known) : CDN_OK;
}

cdn_status cdni_state_kinks(cdn_state *state, double *values) {
  const cdn_system *s = state->system;
  const int all = cdni_system_kinks(s);
  int first = 0;
  for (size_t i = 0; i < s->trigger_groups.count; i++) {
    const trigger_group *g = group_at(s, i);
    if (!g->counts || g->n == 0) continue;
    CDNI_TRY(cdni_state_ensure(state, g->entry.ticket));
    const double *from = cdni_state_storage(state, g->entry);
    memcpy(values + first, from, (size_t)g->n * sizeof *from);
    memcpy(values + all + first, from + g->n, (size_t)g->n * sizeof *from);
    first += g->n;
  }
  return CDN_OK;
}

cdn_status cdni_state_near_kinks(cdn_state *state, double reach, cdni_near_list *list) {
  const trigger_group *g = listed(state->system);
  list->n = 0;
  return g->ops->list(owner_of(state->system, g)->self, state, reach, list);
}

/* ---- lists ---- */

cdn_status cdni_near_list_add(cdni_near_list *list, int64_t key, double value, double rate) {
  if (list->n == list->room) {
    const int room = list->room > 0 ? 2 * list->room : 64;
    cdni_near_kink *kinks = cdni_alloc(list->allocator, (size_t)room * sizeof *kinks);
    if (!kinks) return CDN_ERR_NOMEM;
    if (list->n > 0) memcpy(kinks, list->kinks, (size_t)list->n * sizeof *kinks);
    if (list->kinks) cdni_free(list->allocator, list->kinks, (size_t)list->room * sizeof *list->kinks);
    list->kinks = kinks;
    list->room = room;
  }
  list->kinks[list->n++] = (cdni_near_kink){ key, value, rate };
  return CDN_OK;
}

void cdni_near_list_free(cdni_near_list *list) {
  if (list->kinks) cdni_free(list->allocator, list->kinks, (size_t)list->room * sizeof *list->kinks);
  list->kinks = NULL;
  list->n = list->room = 0;
}
