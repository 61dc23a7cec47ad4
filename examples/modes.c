/* Normal modes of a double pendulum, next to the closed form: omega^2 = (2 -+ sqrt 2) g / l. */
#include <cardan/core.h>
#include <cardan/modes.h>
#include <math.h>
#include <stdio.h>

int main(void) {
  const double g = 9.80665, length = 0.7;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body last = cdn_ground();
  for (int i = 0; i < 2; i++) {
    cdn_body_def bob = cdn_default_body_def();
    bob.parent = last;
    bob.mobilizer = CDN_PIN;
    bob.X_PF.p = cdn_v3(0, i ? -length : 0, 0);
    bob.mass = (cdn_mass_properties){ .mass = 2, .com = cdn_v3(0, -length, 0) };
    last = cdn_system_add_body(system, &bob);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));

  cdn_state *state = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state); /* q = 0: it hangs */
  double omega2[2] = { 0 }, shapes[4] = { 0 }, worst = 0;
  int n = 0;
  if (status == CDN_OK) status = cdn_normal_modes(state, &n, omega2, shapes);
  for (int k = 0; k < n; k++) {
    const double expected = (2 + (k ? sqrt(2) : -sqrt(2))) * g / length;
    printf("mode %d: %.6f Hz (%.6f), angles 1 : %+.6f\n", k + 1, sqrt(omega2[k]) / (2 * 3.14159265358979),
           sqrt(expected) / (2 * 3.14159265358979), shapes[2 * k + 1] / shapes[2 * k]);
    worst = fmax(worst, fabs(omega2[k] / expected - 1));
  }
  if (status != CDN_OK) fprintf(stderr, "modes: %s\n", cdn_last_error_text());
  cdn_state_destroy(state), cdn_system_release(system);
  return status == CDN_OK && n == 2 && worst < 1e-12 ? 0 : 1;
}
