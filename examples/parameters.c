/* Parameters are variables: masses, frames, stiffnesses and switches belong to a State and change without rebuilding.
 * One System serves a whole family of oscillators; each run's period is compared with 2 pi sqrt(m / k). */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

static const double pi = 3.14159265358979323846;

/* Lets the State oscillate for what should be one period; returns how far from its start it ends, or -1. */
static double miss(cdn_state *state, double period) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  double far = -1;
  how.accuracy = 1e-9;
  if (cdn_stepper_create(state, &how, &stepper)) return -1;
  if (!cdn_stepper_advance(stepper, period, NULL))
    far = fabs(cdn_state_q(cdn_stepper_state(stepper))[0] - cdn_state_q(state)[0]);
  cdn_stepper_destroy(stepper);
  return far;
}

int main(void) {
  const double start = 0.1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "block";
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = 1;
  def.q0 = &start;
  cdn_body block = cdn_system_add_body(system, &def);
  cdn_force spring = cdn_system_add_mobility_spring(system, "spring", block, 0, 10, 0);
  cdn_force damper = cdn_system_add_mobility_damper(system, "damper", block, 0, 5);

  cdn_state *state = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_force_set_enabled(state, damper, false); /* a switch is a parameter, too */

  double worst = 0;
  for (int i = 1; !status && i <= 4; i++)
    for (int j = 1; !status && j <= 4; j++) {
      double k = 10 * i, m = 0.5 * j, period = 2 * pi * sqrt(m / k);
      cdn_mass_properties mass = cdn_body_mass_properties(state, block);
      mass.mass = m;
      status = cdn_body_set_mass_properties(state, block, mass);
      if (!status) status = cdn_mobility_spring_set(state, spring, k, 0);
      if (status) break;
      double far = miss(state, period);
      printf("m = %3.1f kg, k = %2.0f N/m: period %.6f s, misses the start by %.1e m\n", m, k, period, far);
      if (far < 0) status = CDN_ERR_STEP;
      worst = fmax(worst, far);
    }
  if (status) fprintf(stderr, "parameters: %s\n", cdn_last_error_text());

  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && worst < 1e-7 ? 0 : 1;
}
