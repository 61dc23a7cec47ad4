/* A double pendulum, let go; its angles, speeds and energies as comma-separated values. Thirty lines are enough. */
#include <cardan/core.h>
#include <cardan/trajectory.h>
#include <stdio.h>

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def arm = cdn_default_body_def();
  arm.name = "upper", arm.mobilizer = CDN_PIN, arm.X_BM.p = cdn_v3(0, 1, 0), arm.mass.mass = 1;
  arm.parent = cdn_system_add_body(system, &arm);
  arm.name = "lower";
  cdn_system_add_body(system, &arm);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_trajectory *rows = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_q(state, (double[]){ 2, -1 });
  if (!status) status = cdn_stepper_create(state, NULL, &stepper);
  if (!status) status = cdn_trajectory_create(state, NULL, cdn_file_write, stdout, &rows);
  if (!status) status = cdn_trajectory_run(rows, stepper, 10, 0.1);
  if (status) fprintf(stderr, "double_pendulum: %s\n", cdn_last_error_text());
  cdn_trajectory_destroy(rows), cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status != CDN_OK;
}
