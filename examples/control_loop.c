/* A control loop: read the State, compute a torque, write it, advance. A motor turns a wheel to an angle; the loop runs
 * at 100 Hz, and the torque stays as it is between two turns of the loop. What is written into the stepper's State
 * takes effect with the next call of advance.
 *
 * Between samples the angle is a parabola, so the motion is known exactly, sample by sample. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const double inertia = 0.02, T = 0.01, kp = 2, kd = 0.3, target = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "wheel", def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { inertia, inertia, inertia, 0, 0, 0 } };
  cdn_body wheel = cdn_system_add_body(system, &def);
  cdn_force motor = cdn_system_add_mobility_force(system, "motor", wheel, 0, 0);

  cdn_state *initial = NULL;
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &initial);
  if (!status) status = cdn_stepper_create(initial, NULL, &stepper);

  double angle = 0, speed = 0, error = 1;
  for (int k = 0; k < 100 && !status; k++) {
    cdn_state *state = cdn_stepper_state(stepper);
    double torque = kp * (target - *cdn_body_q(state, wheel)) - kd * *cdn_body_u(state, wheel);
    status = cdn_mobility_force_set(state, motor, torque);
    if (!status) status = cdn_stepper_advance(stepper, T * (k + 1), NULL);

    double a = (kp * (target - angle) - kd * speed) / inertia;
    angle += speed * T + 0.5 * a * T * T;
    speed += a * T;
  }
  if (status) fprintf(stderr, "control_loop: %s\n", cdn_last_error_text());
  else error = fabs(*cdn_body_q(cdn_stepper_state(stepper), wheel) - angle);
  printf("angle %.6f rad, %.1e rad from the exact motion of the sampled system\n", angle, error);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(initial);
  cdn_system_release(system);
  return !status && error < 1e-12 ? 0 : 1;
}
