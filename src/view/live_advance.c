/* Advancing a live run, and telling what happens on the way. */
#include <math.h>

#include "view/live.h"

/* Events with triggers; of those that come too thickly, how many. */
static void tell_events(live *l) {
  enum { MOST = 20 };
  const double clock = l->view->clock();
  if (clock >= l->last_message + 1) {
    char text[64];
    snprintf(text, sizeof text, "%d more events within a second", l->messages - MOST);
    if (l->messages > MOST) (void)!cdni_view_say(l->view, cdn_state_time(cdni_live_shown(l)), "event", text);
    l->last_message = clock;
    l->messages = 0;
  }
  for (int i = 0; i < cdn_stepper_occurrence_count(l->stepper); i++) {
    const cdn_occurrence *o = cdn_stepper_occurrence(l->stepper, i);
    if (o->direction == CDN_EITHER || l->messages++ >= MOST) continue;
    (void)!cdni_view_say(l->view, o->time, "event", o->name);
  }
}

static void end(live *l, const char *reason) {
  l->state = LIVE_ENDED;
  (void)!cdni_view_say(l->view, cdn_state_time(cdni_live_shown(l)), "event", reason);
}

static bool is_behind(const live *l, double now) {
  cdn_certificate c;
  return cdn_stepper_certificate(l->stepper, &c) == CDN_OK && c.compared_until < now;
}

void cdni_live_advance(live *l, double time, double deadline) {
  const bool alone = !l->view->link;
  if (cdni_live_begin(l) != CDN_OK) {
    cdni_live_fail(l, CDN_ERR_ARG);
    return;
  }
  for (;;) {
    const double now = cdn_state_time(cdn_stepper_state(l->stepper));
    const double far = isinf(time) ? now + 1e3 * (1 + fabs(now)) : time, target = fmin(far, l->def.final_time);
    /* after a pause the companion catches up first: where time is unbound, or the machine too slow, it never would */
    const bool behind = is_behind(l, now);
    cdn_return_reason reason = CDN_REACHED_TIME;
    cdn_status status = CDN_OK;
    if (behind) status = cdn_stepper_advance(l->stepper, now, &reason);
    else if (target > now) status = cdni_control_table_advance(l->view->controls, l->stepper, target, &reason);
    cdni_live_see_controls(l);
    if (status != CDN_OK && status != CDN_ERR_LIMIT) {
      cdni_live_fail(l, status);
      return;
    }
    if (status == CDN_OK && reason != CDN_REACHED_TIME) tell_events(l);
    if (status == CDN_OK && reason == CDN_STOPPED) {
      end(l, "an event has ended the run");
      return;
    }
    if (cdn_state_time(cdn_stepper_state(l->stepper)) >= l->def.final_time) {
      end(l, "the run has reached its end");
      return;
    }
    if ((status == CDN_OK && reason == CDN_REACHED_TIME && !behind) || (!alone && l->view->clock() >= deadline)) return;
  }
}

void cdni_live_step(live *l, double deadline) {
  if (cdni_live_begin(l) != CDN_OK) {
    cdni_live_fail(l, CDN_ERR_ARG);
    l->steps_left = 0;
    return;
  }
  while (l->steps_left > 0) {
    const cdn_status status = cdni_control_table_step(l->view->controls, l->stepper, l->def.final_time);
    cdni_live_see_controls(l);
    if (status == CDN_ERR_LIMIT) {
      if (l->view->link && l->view->clock() >= deadline) return;
      continue;
    }
    l->steps_left--;
    l->view->stale = true;
    if (status != CDN_OK) {
      cdni_live_fail(l, status);
      l->steps_left = 0;
    }
    if (l->view->link && l->view->clock() >= deadline) return;
  }
}
