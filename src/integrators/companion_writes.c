/* What the caller writes between two calls changes the companion as it changes the run, so that the distance of the
 * two, the error so far, stays.
 *
 * Variables get the same values. y gets the same change: a difference of numbers, a rotation of a quaternion. A number
 * that does not depend on the run is a constant, and both get it: no error is left in it then. Where the
 * companion cannot change so, it starts anew from the run's State: where projection onto the constraints moves it by
 * more than the distance, or where an event lies between the two runs. The error that was known there stays a part
 * of the estimate. It grows as the errors grow that the run makes afterwards. */
#include <math.h>

#include "contact/contact.h"
#include "integrators/companion.h"
#include "integrators/events_run.h"
#include "integrators/stepper.h"
#include "matter/matter.h"
#include "system/system.h"

/* ---- variables ---- */

/* Values that belong to a State's own q, u or z: the companion gets them with its own. */
static cdn_status pass_on_relative(cdn_stepper *s, cdn_state *from, bool of_report) {
  cdn_state *to = s->companion->run->report;
  cdn_dvar memory;
  CDNI_TRY(cdni_locks_where_they_are(to, from));
  const int n = cdni_contact_memory_variable(s->system, &memory);
  if (n == 0) return CDN_OK;
  const bool written = of_report ? cdni_state_is_written(from, s->noted, memory.ticket)
                                 : memcmp(cdn_state_discrete(from, memory), cdn_state_discrete(s->report, memory),
                                          sizeof(double) * (size_t)n) != 0;
  return written ? cdni_contact_copy_memory(to, from) : CDN_OK;
}

void cdni_companion_pass_on(cdn_stepper *s, cdn_state *state) {
  cdni_companion *c = s->companion;
  cdn_error error;
  if (!c || c->lost) return;
  cdn_state *to = c->run->report;
  const bool of_report = state == s->report;
  cdn_status status =
      of_report ? cdni_state_pass_on(state, s->noted, to) : cdni_state_pass_on_differences(state, s->report, to);
  if (status == CDN_OK) status = pass_on_relative(s, state, of_report);
  if (status == CDN_OK) return;
  cdn_state_last_error(to, &error);
  cdni_companion_lose(c, &error);
}

/* ---- the error that was known ---- */

/* By how much the errors grow that the run has made since the companion started anew. */
static double growth(const cdn_stepper *s, const double of[3]) {
  const double made = s->local_errors - s->companion->local, largest = fmax(of[0], fmax(of[1], of[2]));
  return made > 0 ? fmax(1, largest / made) : 1;
}

void cdni_companion_total(const cdn_stepper *s, const double of[3], double total[3]) {
  const double factor = growth(s, of);
  for (int i = 0; i < 3; i++) total[i] = of[i] + factor * s->companion->carried[i];
}

/* ---- y ---- */

void cdni_companion_note_before(cdn_stepper *s) {
  if (s->companion && s->ny) memcpy(s->companion->before, s->shown, sizeof(double) * (size_t)s->ny);
}

static void begin_comparison(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  c->owed = false;
  c->differs = -1;
  c->compared = s->t;
  s->passage.event = c->run->passage.event = -1;
}

/* From the run's State. From now on both have had the same events. */
static void start_anew(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  begin_comparison(s);
  c->anew = s->t;
  c->local = s->local_errors;
  memset(c->present, 0, sizeof c->present);
  cdn_status status = cdn_state_copy(c->place, s->report);
  if (status == CDN_OK) status = cdni_restart(c->run, c->place, true, "cdn_stepper_restart");
  if (status != CDN_OK) cdni_companion_lose(c, &c->run->failure.error);
  const struct cdni_events *a = s->events, *b = c->run->events;
  for (int32_t i = 0; a && i < a->n; i++) b->records[i].count = a->records[i].count, a->records[i].agreed = 0;
}

/* Whether a number has so few digits that nobody has computed it from the run. */
static bool is_short(double x) {
  static const int DIGITS = 4;
  if (x == 0 || !isfinite(x)) return x == 0;
  const int places = DIGITS - 1 - (int)floor(log10(fabs(x)));
  if (abs(places) > 20) return false;
  const double unit = pow(10, abs(places));
  return places > 0 ? rint(x * unit) / unit == x : rint(x / unit) * unit == x;
}

/* Constants: short numbers, and those that were set to the same value before. */
static void find_constants(const cdn_stepper *s, const double *now, bool *constant) {
  cdni_companion *c = s->companion;
  for (int i = 0; i < s->ny; i++) {
    constant[i] = now[i] == c->given[i] || is_short(now[i]);
    if (now[i] != c->before[i]) c->given[i] = now[i];
  }
}

/* The companion's y with the change that the run had. */
static void change_alike(const cdn_stepper *s, double *y) {
  const cdni_companion *c = s->companion;
  const double *before = c->before, *now = cdni_state_y(s->report);
  const matter *m = cdni_matter(s->system);
  bool *constant = (bool *)s->scratch;
  find_constants(s, now, constant);
  memcpy(y, cdni_state_y(c->run->report), sizeof(double) * (size_t)s->ny);
  if (m) cdni_matter_change_q(m, before, now, constant, y);
  for (int i = m ? s->nq : 0; i < s->ny; i++)
    y[i] = constant[i] && now[i] != before[i] ? now[i] : y[i] + (now[i] - before[i]);
}

/* Changes the companion; false: it has to start anew. */
static bool changes_alike(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  const double error = fmax(c->present[0], fmax(c->present[1], c->present[2]));
  double *y = s->scratch + s->stride;
  cdni_gap moved;
  int32_t event;
  bool only_sets;
  int64_t lead, behind;
  if (c->run->reported != s->t || cdni_companion_differences(s, &event, &lead, &behind, &only_sets) > 0) return false;
  change_alike(s, y);
  if (cdn_state_copy(c->place, c->run->report) != CDN_OK) return false;
  if (cdn_state_set_ty(c->place, s->t, y) != CDN_OK) return false;
  if (cdni_restart(c->run, c->place, true, "cdn_stepper_advance") != CDN_OK) return false;
  if (cdni_companion_measure(s, s->t, y, cdni_state_y(c->run->report), &moved) != CDN_OK) return false;
  return moved.largest <= fmax(error, s->def.constraint_tolerance);
}

void cdni_companion_jump(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c || c->lost) return;
  if (changes_alike(s)) {
    begin_comparison(s);
    return;
  }
  cdni_companion_total(s, c->present, c->carried);
  start_anew(s);
}

void cdni_companion_begin_elsewhere(cdn_stepper *s) {
  cdni_companion *c = s->companion;
  if (!c) return;
  c->lost = false;
  c->largest = c->shift = 0;
  c->time = c->until = s->t;
  c->slot[0] = c->alone[0] = c->message[0] = c->bifurcation.name[0] = 0;
  memset(c->of, 0, sizeof c->of);
  memset(c->carried, 0, sizeof c->carried);
  start_anew(s);
}
