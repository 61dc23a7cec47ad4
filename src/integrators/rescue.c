/* Where no step is good enough, however short, or steps become so short that others would be cheaper, an event of the
 * System may take the run on (hybrid mechanics: captured steps). */
#include <math.h>

#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/step.h"
#include "system/events.h"

/* Steps are counted by so many: a burst of events has fewer. They are very short if their mean length, in s, is below
 * this part of the accuracy, which captured steps have: those would be twenty times fewer, but may not deliver. */
enum { COUNTED = 80 };
static const double SHORT = 0.05;

static bool may(const cdn_stepper *s) {
  const struct cdni_events *ev = s->events;
  if (!ev || ev->rescuer < 0 || s->muted || s->def.fixed_step > 0 || !(s->t > ev->rescued)) return false;
  const cdni_event *e = cdni_event_at(s->system, ev->rescuer);
  return fmin(s->until, s->def.final_time) > s->t && e->rescues(cdni_event_self(s->system, e), s->work);
}

static void call(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  ev->rescue = ev->boundary = true;
  ev->rescued = s->t;
}

bool cdni_rescue_takes(cdn_stepper *s, cdn_status failed) {
  const bool curable = failed == CDN_ERR_STEP || failed == CDN_ERR_CONSTRAINT || failed == CDN_ERR_SINGULAR;
  if (!curable || !may(s)) return false;
  cdni_restore(s);
  call(s);
  return true;
}

void cdni_rescue_note(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev || ev->rescuer < 0 || ++ev->window_steps < COUNTED) return;
  const bool are_short = s->t - ev->window_start < COUNTED * SHORT * s->def.accuracy;
  ev->window_start = s->t, ev->window_steps = 0;
  if (are_short && may(s)) call(s);
}

void cdni_rescue_forget(cdn_stepper *s) {
  struct cdni_events *ev = s->events;
  if (!ev->rescue) return;
  ev->rescue = false;
  ev->window_start = s->t, ev->window_steps = 0;
}
