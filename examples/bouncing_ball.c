/* A ball that bounces until it rests. The impact is an event: its trigger is the ball's height, falling through zero;
 * its handler sends the ball back up at a part of the speed, and ends the run when that has become small. Impacts in
 * closed form: v_k = e^k v_0, and each flight takes 2 v_k / g. */
#include <cardan/core.h>
#include <cardan/events.h>
#include <math.h>
#include <stdio.h>

typedef struct floor_event {
  cdn_body ball;
  double restitution, rest_speed;
} floor_event;

/* The run's own part, found through cdn_stepper_def.user: the System stays const and may be shared by threads. */
typedef struct bounces {
  int n;
  double last;
} bounces;

static cdn_status height(const void *self, cdn_state *state, double *value) {
  const floor_event *f = self;
  cdn_vec3 p;
  cdn_status status = cdn_body_station(state, f->ball, cdn_v3(0, 0, 0), &p, NULL);
  *value = p.y;
  return status;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const floor_event *f = self;
  bounces *log = what->user;
  double up = -f->restitution * *cdn_body_u(state, f->ball);
  printf("%2d  impact at %.9f s, up again at %.6f m/s\n", log->n, what->time, up);
  log->n++;
  log->last = what->time;
  /* without this the bounces would follow each other ever faster, and the run would end with a report that says so */
  if (up < f->rest_speed) {
    *action = CDN_STOP;
    up = 0;
  }
  return cdn_body_set_u(state, f->ball, 1, &up);
}

int main(void) {
  const double h = 1, g = 9.81, e = 0.6;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "ball", def.mobilizer = CDN_SLIDER, def.q0 = &h, def.mass.mass = 0.1;
  def.X_PF.R = def.X_BM.R = cdn_rotation_x_to(cdn_v3(0, 1, 0)); /* a slider slides along x; this one upwards */
  floor_event impact = { .ball = cdn_system_add_body(system, &def), .restitution = e, .rest_speed = 1e-3 };
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));

  cdn_event_def event = cdn_default_event_def();
  event.name = "impact";
  event.value = height;
  event.direction = CDN_FALLING;
  event.handle = bounce;
  event.self = &impact, event.self_size = sizeof impact; /* copied */
  cdn_system_add_event(system, &event);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  bounces log = { 0, 0 };
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6, how.user = &log;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  cdn_return_reason reason = CDN_REACHED_TIME;
  if (!status) status = cdn_stepper_advance(stepper, 100, &reason);
  cdn_certificate certificate = { .energy_residual = 1 };
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (status) fprintf(stderr, "bouncing_ball: %s\n", cdn_last_error_text());

  double t = sqrt(2 * h / g), v = g * t;
  for (int k = 1; k < log.n; k++) v *= e, t += 2 * v / g;
  printf("the last impact is %.1e s off; impacts took %.6f J of %.6f J; energy residual %.1e\n", log.last - t,
         -certificate.energy_jumps, 0.1 * g * h, certificate.energy_residual);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && reason == CDN_STOPPED && fabs(log.last - t) < 1e-7 && fabs(certificate.energy_residual) < 1e-9 ? 0
                                                                                                                   : 1;
}
