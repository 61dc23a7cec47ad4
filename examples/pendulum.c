/* The README's program: a pendulum swings for ten seconds, and the certificate says how accurate the run was. */
#include <cardan/core.h>
#include <stdio.h>

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def bob = cdn_default_body_def();
  bob.name = "bob";
  bob.mobilizer = CDN_PIN;      /* turns about the z axis of the frames that it joins */
  bob.X_BM.p = cdn_v3(0, 1, 0); /* the pin sits one metre above the bob's origin */
  bob.mass.mass = 1;            /* a point mass at the origin */
  cdn_body body = cdn_system_add_body(system, &bob);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_system_freeze(system); /* the first building mistake, if any */
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  double angle = 1.0;
  if (status == CDN_OK) status = cdn_body_set_q(state, body, 1, &angle);
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8;
  how.companion = true; /* a second run goes along and measures the error of this one */
  if (status == CDN_OK) status = cdn_stepper_create(state, &how, &stepper);
  for (int i = 1; status == CDN_OK && i <= 10; i++) {
    status = cdn_stepper_advance(stepper, i, NULL);
    if (status == CDN_OK) printf("%2d s  %+.9f rad\n", i, *cdn_body_q(cdn_stepper_state(stepper), body));
  }
  cdn_certificate certificate = { .delivered = CDN_VERDICT_UNKNOWN };
  char verdict[400];
  if (status == CDN_OK) status = cdn_stepper_certificate(stepper, &certificate);
  cdn_certificate_verdict(&certificate, verdict, sizeof verdict);
  if (status == CDN_OK) printf("%s; energy residual %.1e\n", verdict, certificate.energy_residual);
  else fprintf(stderr, "pendulum: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return certificate.delivered == CDN_VERDICT_DELIVERED ? 0 : 1;
}
