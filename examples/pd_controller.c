/* A digital controller: a motor turns a wheel to an angle. Every 10 ms the controller samples angle and speed and sets
 * the motor's torque, which is held until the next sample. The torque is a slow variable: it changes at events only, so
 * the steps in between see a smooth system, and what it changes is the forces alone; poses are not computed again.
 *
 * Between samples the angle is a parabola, so the motion is known exactly, sample by sample. */
#include <cardan/core.h>
#include <cardan/events.h>
#include <math.h>
#include <stdio.h>

typedef struct controller {
  cdn_body wheel;
  double kp, kd, target;
} controller;

static cdn_status sample(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const controller *c = self;
  (void)what, (void)action;
  double torque = c->kp * (c->target - *cdn_body_q(state, c->wheel)) - c->kd * *cdn_body_u(state, c->wheel);
  return cdn_state_set_applied_mobility_forces(state, &torque);
}

/* A look at the State now and then: it does not touch the steps. */
static cdn_status show(const void *self, cdn_state *state, const cdn_occurrence *what) {
  const controller *c = self;
  printf("%5.2f s  angle %.6f rad  torque %+.6f Nm\n", what->time, *cdn_body_q(state, c->wheel),
         cdn_state_applied_mobility_forces(state)[0]);
  return CDN_OK;
}

int main(void) {
  const double inertia = 0.02, T = 0.01, duration = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "wheel", def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { inertia, inertia, inertia, 0, 0, 0 } };
  controller c = { .wheel = cdn_system_add_body(system, &def), .kp = 2, .kd = 0.3, .target = 1 };

  cdn_event_def event = cdn_default_event_def();
  event.kind = CDN_EVENT_PERIODIC;
  event.self = &c, event.self_size = sizeof c;
  event.name = "controller", event.period = T, event.handle = sample;
  cdn_system_add_event(system, &event);
  event.name = "display", event.period = 0.1, event.phase = 0.05, event.handle = NULL, event.report = show;
  cdn_system_add_event(system, &event);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, NULL, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, duration, NULL);
  if (status) fprintf(stderr, "pd_controller: %s\n", cdn_last_error_text());

  double angle = 0, speed = 0, error = 1;
  for (int k = 0; k < (int)lround(duration / T); k++) {
    double a = (c.kp * (c.target - angle) - c.kd * speed) / inertia;
    angle += speed * T + 0.5 * a * T * T;
    speed += a * T;
  }
  if (!status) error = fabs(*cdn_body_q(cdn_stepper_state(stepper), c.wheel) - angle);
  printf("at %g s: %.1e rad from the exact motion of the sampled system\n", duration, error);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && error < 1e-12 ? 0 : 1;
}
