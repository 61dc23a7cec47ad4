/* What a live run says of itself. */
#include <math.h>
#include <stdio.h>

#include "view/live.h"

void cdni_live_numbers(live *l, view_run_numbers *out) {
  cdn_certificate c;
  *out = (view_run_numbers){ .step = NAN, .estimate = NAN };
  if (!l->stepper || cdn_stepper_certificate(l->stepper, &c) != CDN_OK) return;
  *out = (view_run_numbers){ cdn_stepper_last_step(l->stepper), c.error_estimate, c.steps, c.evaluations };
}

/* Nothing is delivered before the first step. Without an end of the run its steps cannot share the accuracy: it is that
 * of each. */
static cdn_verdict tell_verdict(live *l, char *text, size_t size) {
  cdn_certificate c;
  text[0] = 0;
  if (!l->stepper || cdn_stepper_certificate(l->stepper, &c) != CDN_OK || c.steps == 0) return CDN_VERDICT_UNKNOWN;
  const bool endless = isinf(l->def.final_time) && l->def.fixed_step == 0;
  const int used = endless ? snprintf(text, size, "accuracy of each step: ") : 0;
  cdn_certificate_verdict(&c, text + used, size - (size_t)used);
  return c.delivered;
}

/* A run that stays far behind the clock could keep up with it if nobody asked how exact it is. */
static const char *offer(const live *l) {
  const bool takes_time = l->def.companion || l->def.fixed_step == 0;
  const double wanted = l->speed > 0 ? l->speed : 1;
  return l->state == LIVE_RUNNING && takes_time && l->reached < 0.5 * wanted ? "interactive" : NULL;
}

cdn_status cdni_live_send_status(live *l) {
  static const char *const states[] = { "running", "paused", "failed", "ended" };
  cdn_view *v = l->view;
  char verdict[512];
  view_run_numbers numbers;
  cdn_state *shown = cdni_live_shown(l);
  const double time = cdn_state_time(shown), last = l->past.n > 0 ? l->past.past[l->past.n - 1].time : time;
  cdni_live_numbers(l, &numbers);
  const cdn_verdict delivered = tell_verdict(l, verdict, sizeof verdict);
  const view_status s = { .time = time,
                          .state = states[l->state],
                          .speed = l->speed,
                          .reached = l->state == LIVE_RUNNING ? l->reached : NAN,
                          .accuracy = l->def.fixed_step > 0 ? NAN : l->def.accuracy,
                          .method = cdn_method_name(l->def.method),
                          .contact = v->n_contacts > 0 ? v->contacts[v->contact] : NULL,
                          .layers = cdn_scene_layers(v->picture.scene),
                          .plots = v->plots,
                          .n_plots = v->n_plots,
                          .step = numbers.step,
                          .steps = numbers.steps,
                          .evaluations = numbers.evaluations,
                          .energy = cdni_view_energy(shown),
                          .estimate = numbers.estimate,
                          .companion = l->def.companion,
                          .verdict = verdict,
                          .delivered = delivered,
                          .from = l->past.n > 0 ? l->past.past[0].time : time,
                          .to = fmax(last, time),
                          .recording = l->trajectory ? l->recording : NULL,
                          .note = l->note[0] ? l->note : NULL,
                          .offers = offer(l) };
  snprintf(v->verdict, sizeof v->verdict, "%s", verdict);
  v->delivered = delivered;
  cdni_encode_status(&v->text, &s);
  CDNI_TRY(cdni_view_send(v, LINK_STATUS));
  return l->state == LIVE_RUNNING ? cdni_view_send_values(v, shown) : CDN_OK;
}
