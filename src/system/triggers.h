/* Triggers: numbers of a State whose change of sign means something. Runs find the time of it.
 *
 * What happens then is said by an event (events.h), or by nobody. A trigger without an event is a *kink*: there forces
 * bend or jump, so that a step with error control ends, without a handler. Both are declared in groups, in one table of
 * the System, and have a number each: first the events, by their ids; then the kinks with slots, in the order of their
 * declaration; then those that a function lists, by their keys. */
#ifndef CARDAN_SYSTEM_TRIGGERS_H
#define CARDAN_SYSTEM_TRIGGERS_H

#include <cardan/system.h>

#include "core/core.h"

/* Adds to f (nu) the generalized force of kink k at value x: the difference between the present forces and those
 * without the kink. *known becomes false if the difference is not known. */
typedef cdn_status cdni_kink_force(const void *self, cdn_state *state, int64_t k, double x, double *f, bool *known);
/* The entry holds n values, then their n rates. A value changes its sign at the kink (NaN: no kink is near); a rate
 * may be NaN (not known). The kinks belong to ticket `of`. They count if rates are computed from that ticket.
 * `force` may be NULL. */
void cdni_declare_kinks(cdn_declarer *d, int n, cdn_cache entry, cdn_ticket of, cdni_kink_force *force);

/* A group that events read reads an entry of another subsystem that its stage does not imply. */
void cdni_declare_trigger_reads(cdn_declarer *d, int group, cdn_ticket ticket);

/* The value of a slot, how fast it changes, and how fast that rate does, in a State that is realized to Acceleration.
 * NaN: not known. A run does not look within a step for the zero of a value that is farther away than these bring it.
 */
typedef cdn_status cdni_trigger_motion(const void *self, cdn_state *state, int slot, double *value, double *rate,
                                       double *second);
/* Of a group that events read. */
void cdni_declare_trigger_motion(cdn_declarer *d, int group, cdni_trigger_motion *moves);
/* Or, of a group of slots, how far things move. */
enum { TRIGGER_PARTS = 4 };
typedef struct cdni_trigger_ways {
  /* How many parts there are, of which slots may depend. */
  int (*count)(const void *self);
  /* How fast each of them moves, and how fast that changes, in a State that is realized to Acceleration. Both >= 0. */
  cdn_status (*speeds)(const void *self, cdn_state *state, double *speeds, double *changes);
  /* A slot's value, and how far it can change: at most by the sum of `weight` times the ways of n parts, as long as
   * that is less than the value. *n = 0: it is not known. */
  cdn_status (*bound)(const void *self, cdn_state *state, int slot, double *value, int *n, int32_t part[TRIGGER_PARTS],
                      double weight[TRIGGER_PARTS]);
} cdni_trigger_ways;
/* Of one group of a System, whose motion is known, too. A run does not look at values that are farther from zero than
 * things have moved since. */
void cdni_declare_trigger_ways(cdn_declarer *d, int group, const cdni_trigger_ways *ways);
/* Values that are as smooth as the rates and come with them, such as multipliers and speeds. A run looks at them where
 * its method evaluates rates, and within a step only where that leaves a doubt. Here and where the motion is known, a
 * value that is NaN stays NaN until a handler changes the State. */
void cdni_declare_trigger_shows(cdn_declarer *d, int group);

/* Kinks that are too many for an entry with all of them: a function lists those that are near. */
typedef struct cdni_near_kink {
  int64_t key; /* which it is */
  double value, rate;
} cdni_near_kink;
/* The list to which that function adds kinks. It grows and never shrinks. */
typedef struct cdni_near_list {
  cdni_near_kink *kinks;
  int n, room;
  const cdn_allocator *allocator;
} cdni_near_list;
typedef struct cdni_near_kinks {
  /* Adds all kinks with values below zero, and all that reach zero within the time `reach` after the State or a quarter
   * of it before, if they go on at their present rates; in ascending order of their keys. It may add others. */
  cdn_status (*list)(const void *self, cdn_state *state, double reach, cdni_near_list *out);
  /* One of them, near or not. */
  cdn_status (*calc)(const void *self, cdn_state *state, int64_t key, double *value, double *rate);
  cdni_kink_force *force;
} cdni_near_kinks;
/* Of one subsystem of a System. They count if rates are computed from `of`. */
void cdni_declare_near_kinks(cdn_declarer *d, const cdni_near_kinks *ops, cdn_ticket of);
cdn_status cdni_near_list_add(cdni_near_list *list, int64_t key, double value, double rate);
void cdni_near_list_free(cdni_near_list *list);

/* How many kinks with slots count, and whether listed ones do. */
int cdni_system_kinks(const cdn_system *system);
bool cdni_system_has_near_kinks(const cdn_system *system);
/* The number of a trigger that is a kink with a slot, or a listed one. */
int64_t cdni_slot_trigger(const cdn_system *system, int kink);
int64_t cdni_listed_trigger(const cdn_system *system, int64_t key);

/* The value of one and its rate; a rate that is not known is NaN, as those of events are. */
cdn_status cdni_trigger_read(cdn_state *state, int64_t trigger, double *value, double *rate);
/* The value of an event whose motion is known, and the motion. */
cdn_status cdni_trigger_moves(cdn_state *state, int64_t trigger, double *value, double *rate, double *second);
bool cdni_trigger_has_motion(const cdn_system *system, int64_t trigger);
bool cdni_trigger_shows(const cdn_system *system, int64_t trigger);
/* The number of parts whose ways are known, their speeds, and the bound of an event's value. */
int cdni_trigger_parts(const cdn_system *system);
cdn_status cdni_trigger_speeds(cdn_state *state, double *speeds, double *changes);
bool cdni_trigger_has_bound(const cdn_system *system, int64_t trigger);
cdn_status cdni_trigger_bound(cdn_state *state, int64_t trigger, double *value, int *n, int32_t part[TRIGGER_PARTS],
                              double weight[TRIGGER_PARTS]);
/* The force of a kink; f (nu) is zero on entry. */
cdn_status cdni_trigger_force(cdn_state *state, int64_t trigger, double x, double *f, bool *known);
/* All kinks with slots: their values, then their rates. */
cdn_status cdni_state_kinks(cdn_state *state, double *values);
/* Replaces what is in the list by the kinks that are near. */
cdn_status cdni_state_near_kinks(cdn_state *state, double reach, cdni_near_list *list);

#endif
