/* Reads a model file (URDF or MJCF), says what is in it, and lets it go for a second.
 *
 *   load_model [FILE]     default: examples/models/pendulum.xml of the source tree */
#include <cardan/core.h>
#include <cardan/model.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void describe(cdn_model *model) {
  const cdn_system *system = cdn_model_system(model);
  printf("%s: %d bodies, %d coordinates, %d speeds\n", cdn_model_name(model), cdn_model_body_count(model),
         cdn_system_nq(system), cdn_system_nu(system));
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    printf("  %-12s %-8s moves %-12s q[%d] (%s)\n", joint.name, joint.kind, joint.body, joint.first_q, joint.units);
  }
  for (int i = 0; i < cdn_model_warning_count(model); i++) printf("  %s\n", cdn_model_warning(model, i));
  for (int i = 0; i < cdn_model_not_understood_count(model); i++) {
    cdn_model_note note = cdn_model_not_understood(model, i);
    printf("  not simulated: %s, %d times, first in line %d\n", note.element, note.count, note.line);
  }
}

/* One second from the model's own start; *residual tells how well the energy balance closed. */
static cdn_status let_go(const cdn_system *system, double *residual) {
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_certificate certificate;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6;
  cdn_status status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 1, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) {
    *residual = fabs(certificate.energy_residual);
    printf("one second: %d steps, energy residual %.1e\n", (int)certificate.steps, *residual);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return status;
}

int main(int argc, char **argv) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/pendulum.xml", root ? root : ".");
  const char *file = argc > 1 ? argv[1] : path;

  cdn_model *model = NULL;
  double residual = 1;
  cdn_status status = cdn_model_load(file, NULL, &model);
  if (!status) {
    describe(model);
    status = let_go(cdn_model_system(model), &residual);
  }
  /* of a file that cannot be read, this names the line and the remedy */
  if (status) fprintf(stderr, "load_model: %s\n", cdn_last_error_text());
  cdn_model_destroy(model);
  return !status && residual < 1e-3 ? 0 : 1;
}
