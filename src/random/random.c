/* A State's place in the stream of random numbers. It is kept with the time at which it began to hold: at another time
 * the next one holds. So what is drawn at a State does not depend on whether it was drawn there before. */
#include "random/random.h"

#include <math.h>
#include <string.h>

#include "rooms.h"
#include "system/adding.h"

typedef struct kept {
  cdn_random_place place;
  double since; /* s; NaN: it holds at any time until a step is made */
} kept;

typedef struct random_room {
  uint32_t seed;
  cdn_ticket ticket; /* of the place in force, from the first call on */
  cdn_autovar kept;
} random_room;

static const random_room *room_of(const cdn_system *system) { return cdni_system_room_get(system, CDNI_ROOM_RANDOM); }
static const random_room *of(const void *self) { return *(const random_room *const *)self; }

static cdn_status calc_next(const void *self, cdn_state *state, void *out) {
  kept next = *(const kept *)cdn_state_discrete(state, of(self)->kept.variable);
  const double t = cdn_state_time(state);
  if (isnan(next.since)) next.since = t;
  if (next.since != t) next.place.count++, next.since = t;
  *(kept *)out = next;
  return CDN_OK;
}

static cdn_status calc_place(const void *self, cdn_state *state, void *out) {
  const kept *now = cdn_eval(state, of(self)->kept.update);
  if (!now) return CDN_ERR_CALLBACK;
  *(cdn_random_place *)out = now->place;
  return CDN_OK;
}

static cdn_status declare(void *self, cdn_declarer *d) {
  random_room *room = *(random_room **)self;
  const kept initial = { { .seed = room->seed }, NAN };
  room->kept = cdn_declare_auto_update(d, "kept", sizeof(kept), &initial, calc_next, 1, &CDN_T);
  cdni_declare_well_known(d, room->ticket);
  cdn_declare_cache(d, "place", sizeof(cdn_random_place), calc_place, 1, &room->kept.update.ticket);
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  (void)self, (void)system;
  cdn_describe(d, "random", "random numbers");
}

static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                       .name = "random",
                                       .self_size = sizeof(random_room *),
                                       .declare = declare,
                                       .describe = describe };

const cdni_room_ops cdni_random_room = { .size = sizeof(random_room), .subsystem = &ops };

void cdn_system_use_random(cdn_system *system, uint32_t seed) {
  cdni_adder by;
  random_room *room = cdni_adder_begin(&by, system, CDNI_ROOM_RANDOM, __func__, "random");
  if (!room) return;
  room->seed = seed;
  if (room->ticket.i == 0) room->ticket = cdni_ticket_reserve(system);
}

cdn_ticket cdn_system_random_ticket(const cdn_system *system) {
  const random_room *room = system ? room_of(system) : NULL;
  return room ? room->ticket : (cdn_ticket){ 0 };
}

static const random_room *need(cdn_state *state, const char *function, const void *given) {
  const random_room *room = room_of(cdn_state_system(state));
  if (!room)
    cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                    "the System has no random numbers: call cdn_system_use_random while building it");
  else if (!given) cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the place is NULL");
  return given ? room : NULL;
}

cdn_status cdn_state_random(cdn_state *state, uint32_t user, cdn_random_place *out) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const random_room *room = need(state, __func__, out);
  if (!room) return CDN_ERR_ARG;
  const void *place;
  size_t size;
  CDNI_TRY(cdn_state_entry(state, room->ticket, &place, &size));
  *out = *(const cdn_random_place *)place;
  out->user = user;
  return CDN_OK;
}

cdn_status cdn_state_set_random(cdn_state *state, const cdn_random_place *place) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const random_room *room = need(state, __func__, place);
  if (!room) return CDN_ERR_ARG;
  kept now = { { place->seed, place->run, place->count, 0 }, NAN };
  return cdn_state_set_discrete(state, room->kept.variable, &now);
}

/* ---- States of an ensemble ---- */

_Static_assert(sizeof(kept) % sizeof(double) == 0, "it is copied as doubles");

int cdni_random_variable(const cdn_system *system, cdn_dvar *v) {
  const random_room *room = system ? room_of(system) : NULL;
  if (!room) return 0;
  *v = room->kept.variable;
  return (int)(sizeof(kept) / sizeof(double));
}

void cdni_random_part(const double *first, double *values, int k) {
  kept of_first, own;
  memcpy(&of_first, first, sizeof of_first);
  memcpy(&own, values, sizeof own);
  if (own.place.run == of_first.place.run) own.place.run += (uint32_t)k;
  memcpy(values, &own, sizeof own);
}
