/* A quadruped stands up: its twelve motors have the torques of a PD controller, which is asked before every step. The
 * file's contact is MuJoCo's, and so are the steps. */
#include <cardan/controls.h>
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/stepper.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOINTS = 3, LEGS = 4 };
static const double KP = 150, KD = 4;          /* N m/rad, N m s/rad */
static const double CROUCHED = 1, UP = 0.5;    /* rad, of a hip */
static const double LINK = 0.2, RADIUS = 0.02; /* m, of thigh and shank, and of a foot */
static const double STEP = 0.002, END = 2.5;   /* s */

/* Goes up from 0.5 s to 1.5 s. */
static double hip_at(double t) {
  const double s = fmin(fmax(t - 0.5, 0), 1);
  return CROUCHED + (UP - CROUCHED) * s * s * (3 - 2 * s);
}

/* The actuators are in the order of the file: roll, hip and knee of each leg. */
static cdn_status control(const cdn_model *model, cdn_state *state) {
  const double hip = hip_at(cdn_state_time(state)), targets[JOINTS] = { 0, hip, -2 * hip };
  for (int i = 0; i < LEGS * JOINTS; i++) {
    cdn_model_actuator motor;
    CDN_TRY(cdn_model_get_actuator(model, i, &motor));
    const double q = *cdn_body_q(state, motor.mobilized), u = *cdn_body_u(state, motor.mobilized);
    CDN_TRY(cdn_control_set(state, motor.control, KP * (targets[i % JOINTS] - q) - KD * u));
  }
  return CDN_OK;
}

/* How high the trunk is, and the cosine of its tilt. */
static cdn_status look(const cdn_model *model, cdn_state *state, double *height, double *upright) {
  cdn_model_frame trunk;
  cdn_transform X;
  CDN_TRY(cdn_model_find_frame(model, "trunk", &trunk));
  CDN_TRY(cdn_body_pose(state, trunk.body, &X));
  *height = X.p.z, *upright = X.R.z.z;
  return CDN_OK;
}

int main(void) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/quadruped.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def steps = cdn_default_stepper_def();
  double before = 0, after = 0, upright = 0;
  cdn_status status = cdn_model_load(path, &options, &model);
  if (!status) status = cdn_state_create(cdn_model_system(model), &state);
  if (!status) status = cdn_model_set_key(model, "crouch", state);
  if (!status) status = cdn_model_steps_of_file(model, &steps.method, &steps.fixed_step);
  steps.companion = false;
  if (!status) status = cdn_stepper_create(state, &steps, &stepper);
  for (int k = 0; k < END / STEP && !status; k++) {
    status = control(model, cdn_stepper_state(stepper));
    if (!status) status = cdn_stepper_advance(stepper, STEP * (k + 1), NULL);
    if (!status && k == 200) status = look(model, cdn_stepper_state(stepper), &before, &upright);
  }
  if (!status) status = look(model, cdn_stepper_state(stepper), &after, &upright);
  if (status) fprintf(stderr, "quadruped_pd: %s\n", cdn_last_error_text());
  const double straight = 2 * LINK * cos(UP) + RADIUS;
  printf("the trunk is %.3f m high crouched, %.3f m standing (%.3f without sag)\n", before, after, straight);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return !status && after > before + 0.08 && fabs(after - straight) < 0.02 && upright > 0.999 ? 0 : 1;
}
