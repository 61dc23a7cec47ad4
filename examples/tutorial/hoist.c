/* The tutorial's program: a motor moves the hoist of hoist.xml by one metre, and keeps its load from swinging. */
#include <cardan/core.h>
#include <cardan/model.h>
#include <stdio.h>

int main(int argc, char **argv) {
  if (argc < 2) return 2;

  /* A file, a motor of our own, and the System is complete. */
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model = NULL;
  cdn_status status = cdn_model_load_into(argv[1], NULL, system, &model);
  const cdn_body trolley = cdn_model_find_body(model, "trolley"), rod = cdn_model_find_body(model, "rod");
  const cdn_force motor = cdn_system_add_mobility_force(system, "motor", trolley, 0, 0);
  if (!status) status = cdn_system_freeze(system);

  /* A State to start from, and a stepper that advances it to an accuracy. */
  cdn_state *start = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6;
  how.companion = true; /* a second run measures the error of this one */
  if (!status) status = cdn_state_create(system, &start);
  if (!status) status = cdn_stepper_create(start, &how, &stepper);

  /* Fifty times a second: read the State, set the motor, advance. */
  for (int k = 0; k < 400 && !status; k++) {
    cdn_state *state = cdn_stepper_state(stepper);
    const double x = *cdn_body_q(state, trolley), v = *cdn_body_u(state, trolley);
    const double angle = *cdn_body_q(state, rod), rate = *cdn_body_u(state, rod);
    if (k % 50 == 0) printf("%d s  trolley %+.4f m  rod %+.4f rad\n", k / 50, x, angle);
    status = cdn_mobility_force_set(state, motor, 40 * (1 - x) - 60 * v + 150 * angle + 10 * rate);
    if (!status) status = cdn_stepper_advance(stepper, 0.02 * (k + 1), NULL);
  }

  cdn_certificate certificate = { .delivered = CDN_VERDICT_UNKNOWN };
  char verdict[400];
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  cdn_certificate_verdict(&certificate, verdict, sizeof verdict);
  if (status) fprintf(stderr, "hoist: %s\n", cdn_last_error_text());
  else printf("%s\n", verdict);
  cdn_stepper_destroy(stepper), cdn_state_destroy(start), cdn_model_destroy(model), cdn_system_release(system);
  return status ? 1 : 0;
}
