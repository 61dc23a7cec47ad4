/* A sweep of 1000 variations: an arm of two links swings down, with other masses and dampers in each. All of them are
 * advanced at one accuracy, each with steps of its own, and each tells whether the accuracy was delivered. */
#include <cardan/core.h>
#include <cardan/ensemble.h>
#include <stdio.h>

enum { COUNT = 1000 };

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def link = cdn_default_body_def();
  link.mobilizer = CDN_PIN;
  link.mass =
      (cdn_mass_properties){ .mass = 1, .com = { 0.5, 0, 0 }, .inertia = { .xx = 0.01, .yy = 0.34, .zz = 0.34 } };
  link.parent = cdn_system_add_body(system, &link);
  link.X_PF.p = cdn_v3(1, 0, 0);
  const cdn_body tip = cdn_system_add_body(system, &link);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  const cdn_force damper = cdn_system_add_mobility_damper(system, "damper", tip, 0, 0.1);

  cdn_state *state = NULL;
  cdn_ensemble *ensemble = NULL;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = COUNT, def.threads = 2, def.vary = CDN_VARY_MASSES | CDN_VARY_FORCES;
  def.accuracy = 1e-6, def.companion = true;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = cdn_ensemble_create(state, &def, &ensemble);
  for (int k = 0; status == CDN_OK && k < COUNT; k++) {
    link.mass.mass = 0.5 + 1e-3 * k;
    status = cdn_body_set_mass_properties(state, tip, link.mass);
    if (status == CDN_OK) status = cdn_mobility_damper_set(state, damper, 0.02 * (k % 50));
    if (status == CDN_OK) status = cdn_ensemble_set_state(ensemble, k, state);
  }
  if (status == CDN_OK) status = cdn_ensemble_advance_to(ensemble, 5);
  if (status != CDN_OK) fprintf(stderr, "sweep: %s\n", cdn_last_error_text());
  int delivered = 0, worst = 0;
  double largest = 0;
  for (int k = 0; status == CDN_OK && k < COUNT; k++) {
    cdn_certificate c;
    delivered += cdn_ensemble_verdict(ensemble, k) == CDN_VERDICT_DELIVERED;
    if (cdn_ensemble_certificate(ensemble, k, &c) == CDN_OK && c.error_estimate > largest)
      largest = c.error_estimate, worst = k;
  }
  printf("%d of %d have delivered 1e-6; the least accurate is number %d, with about %.1e\n", delivered, COUNT, worst,
         largest);
  cdn_ensemble_destroy(ensemble), cdn_state_destroy(state), cdn_system_release(system);
  return status == CDN_OK && delivered > COUNT / 2 && largest > 0 ? 0 : 1;
}
