/* A digital PD controller from measures. A mass on a spring with a damper is driven to a place. Every 50 ms the
 * controller takes the position and the speed and sets the force of its motor, which stays until the next sample: the
 * command is a sum of measures, and what the motor gets is that sum sampled and held. The force reads the held value by
 * its ticket.
 *
 * Between samples the plant is linear and the force constant, so the motion from sample to sample is known exactly. */
#include <cardan/core.h>
#include <cardan/measures.h>
#include <math.h>
#include <stdio.h>

static const double m = 2, c = 1, k = 50;        /* the plant */
static const double kp = 300, kd = 30, T = 0.05; /* the controller */

typedef struct motor {
  cdn_body cart;
  cdn_measure command;
} motor;

static cdn_status push(const void *self, cdn_state *state, cdn_forces *forces) {
  const motor *p = self;
  const double *f = cdn_measure_value(state, p->command);
  if (!f) return CDN_ERR_CALLBACK; /* its message is on the State */
  cdn_forces_add_mobility(forces, p->cart, 0, *f);
  return CDN_OK;
}

/* From sample to sample: x - f / k is a damped oscillation. */
static void exact(double *x, double *v, double f) {
  double a = c / (2 * m), w = sqrt(k / m - a * a), rest = f / k, d = *x - rest, u = *v;
  double decay = exp(-a * T), cosine = cos(w * T), sine = sin(w * T);
  *x = rest + decay * (d * cosine + (u + a * d) / w * sine);
  *v = decay * (u * cosine - (a * u + k / m * d) / w * sine);
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "cart", def.mobilizer = CDN_SLIDER;
  def.mass.mass = m;
  cdn_body cart = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", cart, 0, k, 0);
  cdn_system_add_mobility_damper(system, "damper", cart, 0, c);

  const double rest = 0, weights[] = { kp, -kp, -kd };
  cdn_measure target = cdn_system_add_variable_measure(system, "target", 1, &rest);
  cdn_measure position = cdn_system_add_coordinate_measure(system, "position", cart, CDN_Q, 0);
  cdn_measure speed = cdn_system_add_coordinate_measure(system, "speed", cart, CDN_U, 0);
  const cdn_measure terms[] = { target, position, speed };
  cdn_measure law = cdn_system_add_sum_measure(system, "law", 3, terms, weights);
  cdn_measure command = cdn_system_add_sample_hold_measure(system, "command", law, T, 0, NULL);
  cdn_measure highest = cdn_system_add_extreme_measure(system, "highest", position, CDN_MAXIMUM);

  motor self = { cart, command };
  const cdn_ticket reads[] = { cdn_measure_ticket(system, command) };
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = push, .prerequisites = reads, .n_prerequisites = 1 };
  ops.subsystem.name = "motor";
  ops.subsystem.self_size = sizeof self;
  cdn_system_add_custom_force(system, &ops, &self);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-10;
  const double goal = 0.3;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_measure_set_value(state, target, &goal);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);

  double x = 0, v = 0, worst = 0;
  for (int i = 0; !status && i < 40; i++) {
    exact(&x, &v, kp * (goal - x) - kd * v);
    status = cdn_stepper_advance(stepper, (i + 1) * T, NULL);
    if (status) break;
    cdn_state *now = cdn_stepper_state(stepper);
    worst = fmax(worst, fmax(fabs(*cdn_body_q(now, cart) - x), fabs(*cdn_body_u(now, cart) - v)));
    if (i % 4 == 3)
      printf("%4.1f s  %.6f m  %+9.4f N\n", (i + 1) * T, *cdn_body_q(now, cart), *cdn_measure_value(now, command));
  }
  double when = 0;
  if (!status) status = cdn_measure_extreme_times(cdn_stepper_state(stepper), highest, &when);
  if (!status) printf("highest: %.6f m at %.4f s\n", *cdn_measure_value(cdn_stepper_state(stepper), highest), when);
  if (status) fprintf(stderr, "digital_pd: %s\n", cdn_last_error_text());
  printf("%.1e from the exact motion of the sampled system\n", worst);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && worst < 1e-8 ? 0 : 1;
}
