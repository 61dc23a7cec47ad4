/* A crane: its trolley is driven along the beam by a motion of our own, from rest to rest, while the load swings below
 * it. The travel takes two periods of the load's small swings, so that the load hangs still at the end; then an event
 * sets the brake, which is a lock. The drive's force and power come out of the dynamics: nobody had to tune a
 * controller. */
#include <cardan/core.h>
#include <cardan/events.h>
#include <math.h>
#include <stdio.h>

/* Parameters: how far, and in how many seconds. x / L = s - sin(2 pi s) / (2 pi) with s = t / T. */
static const double TURN = 6.283185307179586;

static cdn_status travel(const void *self, const cdn_motion_input *in, double *q) {
  double L = in->params[0], s = fmin(in->t / in->params[1], 1);
  (void)self;
  q[0] = L * (s - sin(TURN * s) / TURN);
  return CDN_OK;
}
static cdn_status travel_dot(const void *self, const cdn_motion_input *in, double *qdot) {
  double L = in->params[0], T = in->params[1], s = fmin(in->t / T, 1);
  (void)self;
  qdot[0] = L / T * (1 - cos(TURN * s));
  return CDN_OK;
}
static cdn_status travel_dotdot(const void *self, const cdn_motion_input *in, double *qdotdot) {
  double L = in->params[0], T = in->params[1], s = fmin(in->t / T, 1);
  (void)self;
  qdotdot[0] = L * TURN / (T * T) * sin(TURN * s);
  return CDN_OK;
}

static const cdn_motion_ops drive = {
  .struct_size = sizeof drive, .name = "travel", .q = travel, .qdot = travel_dot, .qdotdot = travel_dotdot
};

static cdn_status brake(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)what, (void)action;
  return cdn_body_lock(state, *(const cdn_body *)self, CDN_LEVEL_POSITION);
}

int main(void) {
  const double g = 9.80665, rope = 2, period = TURN * sqrt(rope / g), T = 2 * period;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "trolley", def.mobilizer = CDN_SLIDER, def.mass.mass = 20;
  cdn_body trolley = cdn_system_add_body(system, &def);
  def.name = "load", def.mobilizer = CDN_PIN, def.parent = trolley, def.mass.mass = 100;
  def.X_BM.p = cdn_v3(0, rope, 0);
  cdn_body load = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));

  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "drive", motion.body = trolley, motion.kind = CDN_MOTION_CUSTOM, motion.custom = &drive;
  motion.params[0] = 3, motion.params[1] = T;
  cdn_system_add_motion(system, &motion);
  cdn_event_def event = cdn_default_event_def();
  event.name = "brake", event.kind = CDN_EVENT_SCHEDULED, event.times = &T, event.n_times = 1;
  event.handle = brake, event.self = &trolley, event.self_size = sizeof trolley;
  cdn_system_add_event(system, &event);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  double largest = 0, left = 0;
  for (int i = 1; !status && i <= 24; i++) {
    double t = i * T / 16, power = 0;
    status = cdn_stepper_advance(stepper, t, NULL);
    cdn_state *now = cdn_stepper_state(stepper);
    if (!status) status = cdn_motion_power(now, &power);
    if (status) break;
    double swing = *cdn_body_q(now, load), force = -cdn_motion_forces(now)[0];
    printf("%5.2f s  trolley %.3f m  load %+.4f rad  drive %+7.1f N %+7.1f W%s\n", t, *cdn_body_q(now, trolley), swing,
           force, power, cdn_body_lock_level(now, trolley) ? "  locked" : "");
    if (t < T) largest = fmax(largest, fabs(swing));
    else left = fmax(left, fabs(swing));
  }
  cdn_certificate certificate = { .energy_residual = 1 };
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (status) fprintf(stderr, "crane: %s\n", cdn_last_error_text());
  printf("the load swung by %.3f rad on the way, by %.5f rad at the end; energy residual %.1e\n", largest, left,
         certificate.energy_residual);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && left < 0.03 * largest && fabs(certificate.energy_residual) < 1e-6 ? 0 : 1;
}
