/* A suction gripper lifts a box, carries it, and lets it go. Suction is an actuator on a body (MJCF's adhesion): what
 * touches the pad is pressed against it, through the contact's own points, so that friction holds the box, too. */
#include <cardan/controls.h>
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/stepper.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { X, Z, SUCTION, CONTROLS };
/* Down to the box, suction, up, aside, and off: what the controls are, in between on a line. */
static const struct {
  double t, value[CONTROLS]; /* s; m, m, of 1 */
} program[] = {
  { 0, { 0, 0, 0 } },     { 0.6, { 0, -0.2, 0 } }, { 0.8, { 0, -0.2, 1 } },  { 1.6, { 0, 0, 1 } },
  { 2.6, { 0.3, 0, 1 } }, { 3, { 0.3, 0, 1 } },    { 3.001, { 0.3, 0, 0 } }, { 4, { 0.3, 0, 0 } },
};
/* Up again the pad hangs lower by what its servo gives way under 0.9 kg: the box is at 0.24 m - 0.011 m. */
enum { LINES = sizeof program / sizeof *program, CARRIED = 5 };
static const double STEP = 0.002;

static cdn_status control(cdn_state *state) {
  const double t = cdn_state_time(state);
  double now[CONTROLS];
  int i = 0;
  while (i + 2 < LINES && t > program[i + 1].t) i++;
  const double part = (t - program[i].t) / (program[i + 1].t - program[i].t);
  for (int k = 0; k < CONTROLS; k++)
    now[k] = program[i].value[k] + part * (program[i + 1].value[k] - program[i].value[k]);
  return cdn_control_set_all(state, now);
}

static cdn_status place_of_box(const cdn_model *model, cdn_state *state, cdn_vec3 *p) {
  cdn_model_frame box;
  cdn_transform X_GB;
  CDN_TRY(cdn_model_find_frame(model, "box", &box));
  CDN_TRY(cdn_body_pose(state, box.body, &X_GB));
  *p = X_GB.p;
  return CDN_OK;
}

/* Runs to the program's line. */
static cdn_status run_to(cdn_stepper *stepper, int line) {
  cdn_status status = CDN_OK;
  for (double t = cdn_state_time(cdn_stepper_state(stepper)); t < program[line].t - STEP / 2 && !status; t += STEP) {
    status = control(cdn_stepper_state(stepper));
    if (!status) status = cdn_stepper_advance(stepper, t + STEP, NULL);
  }
  return status;
}

int main(void) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/suction.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT; /* suction acts through soft contact */
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def steps = cdn_default_stepper_def();
  cdn_vec3 carried = { 0, 0, 0 }, end = { 0, 0, 0 };
  cdn_status status = cdn_model_load(path, &options, &model);
  if (!status) status = cdn_state_create(cdn_model_system(model), &state);
  if (!status) status = cdn_model_steps_of_file(model, &steps.method, &steps.fixed_step);
  steps.companion = false;
  if (!status) status = cdn_stepper_create(state, &steps, &stepper);
  if (!status) status = run_to(stepper, CARRIED);
  if (!status) status = place_of_box(model, cdn_stepper_state(stepper), &carried);
  if (!status) status = run_to(stepper, LINES - 1);
  if (!status) status = place_of_box(model, cdn_stepper_state(stepper), &end);
  if (status) fprintf(stderr, "suction: %s\n", cdn_last_error_text());
  printf("the box hangs at x = %.3f, z = %.3f; let go it lies at x = %.3f, z = %.3f\n", carried.x, carried.z, end.x,
         end.z);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  return !status && fabs(carried.x - 0.3) < 0.01 && fabs(carried.z - 0.229) < 0.003 && fabs(end.z - 0.05) < 0.002 ? 0
                                                                                                                  : 1;
}
