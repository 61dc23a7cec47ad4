/* One run of a problem, and what it was worth. */
#include "run.h"

#include <stdio.h>
#include <time.h>

#include "parts.h"

static void keep_worst(cdn_state *at, const true_motion *truth, int report, cdn_state *scratch, run *out) {
  const distance d = distance_of(at, truth->y[report], scratch);
  const double error = distance_norm(&d);
  if (error < out->error) return;
  out->error = error;
  out->error_q = d.q, out->error_u = d.u, out->error_z = d.z;
  out->error_time = truth->t[report];
  /* q is compared by mobilities */
  cdn_system_slot_name(cdn_state_system(at), d.pool == CDN_POOL_Q ? CDN_POOL_U : d.pool, d.slot, out->error_slot,
                       sizeof out->error_slot);
}

static void tell(cdn_stepper *stepper, run *out) {
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  snprintf(out->message, sizeof out->message, "%s at t = %.9g: [%s] %.150s", cdn_status_name(out->status), out->reached,
           failure.error.element, failure.error.text);
}

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

void run_problem(const problem *p, cdn_state *start, const true_motion *truth, const run_request *ask, run *out) {
  cdn_state *scratch = NULL;
  cdn_stepper *stepper = NULL;
  cdn_certificate c = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  const double began = now();
  *out = (run){ .method = ask->method, .accuracy = ask->accuracy, .estimate = NAN };
  def.method = ask->method;
  def.accuracy = ask->accuracy;
  def.companion = ask->companion;
  def.final_time = p->end;
  def.max_steps = ask->most;
  out->status = cdn_stepper_create(start, &def, &stepper);
  if (out->status) {
    cdn_error error;
    cdn_state_last_error(start, &error);
    snprintf(out->message, sizeof out->message, "%s at the start: [%s] %.150s", cdn_status_name(out->status),
             error.element, error.text);
    return;
  }
  MUST(NULL, cdn_state_create(cdn_state_system(start), &scratch));
  cdn_state *at = cdn_stepper_state(stepper);
  for (int i = 0; i < truth->n && !out->status && !out->cut; i++) {
    out->status = cdn_stepper_advance(stepper, truth->t[i], NULL);
    if (out->status == CDN_ERR_LIMIT) out->cut = true;
    if (!out->status) keep_worst(at, truth, i, scratch, out);
    if (cdn_stepper_certificate(stepper, &c)) break;
    if (c.evaluations > ask->most && i + 1 < truth->n) out->cut = true;
  }
  out->reached = cdn_state_time(at);
  if (out->status) tell(stepper, out);
  out->estimate = c.error_estimate, out->verdict = c.delivered;
  out->amplification = c.amplification, out->delivered_until = c.delivered_until;
  if (c.companion_message[0])
    snprintf(out->message + strlen(out->message), sizeof out->message - strlen(out->message), " [companion: %s]",
             c.companion_message);
  if (c.event_alone[0])
    snprintf(out->message + strlen(out->message), sizeof out->message - strlen(out->message), " [alone: %s at %.9g]",
             c.event_alone, c.event_alone_time);
  out->residual = c.energy_residual;
  out->evaluations = c.evaluations, out->companion_evaluations = c.companion_evaluations;
  out->steps = c.steps, out->rejected = c.rejected;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(scratch);
  out->seconds = now() - began;
}

bool run_has_failed(const problem *p, const run *r) {
  return !r->cut && r->status && !(p->fails_after > 0 && r->reached >= p->fails_after);
}
