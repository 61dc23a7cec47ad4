/* A gripper with four closed loops lifts a box by friction, shakes it, and holds it. Its loops are exact
 * constraints; the contacts of the fingers stand beside them: compliant ones in implicit contact steps, and then soft
 * ones in MuJoCo's steps. How far the loops are open, and how far the box slips between the fingers? On the command
 * line, without the lift:
 *
 *   cardan simulate examples/models/gripper.xml --control grip=80 --duration 1 --method implicit-contact --accuracy
 *   1e-3 -o grip.csv cardan view examples/models/gripper.xml grip.csv */
#include <cardan/core.h>
#include <cardan/model.h>
#include <cardan/controls.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct hold {
  cdn_model *model;
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_control height;
  cdn_body box, finger;
  double open;         /* largest error of a loop, m */
  double slip, creep;  /* of the box in the finger's frame: from the lift to the end, m; in the last second, m/s */
  double lifted, cost; /* m; evaluations */
} hold;

static cdn_status begin(hold *h, bool soft) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/gripper.xml", root ? root : ".");
  cdn_model_options options = cdn_default_model_options();
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_model_actuator grip, height;
  options.contact = soft ? CDN_MODEL_SOFT : CDN_MODEL_COMPLIANT;
  CDN_TRY(cdn_model_load(path, &options, &h->model));
  CDN_TRY(cdn_model_get_actuator(h->model, cdn_model_find_actuator(h->model, "grip"), &grip));
  CDN_TRY(cdn_model_get_actuator(h->model, cdn_model_find_actuator(h->model, "height"), &height));
  h->box = cdn_model_find_body(h->model, "box"), h->finger = cdn_model_find_body(h->model, "left_finger");
  h->height = height.control;
  CDN_TRY(cdn_state_create(cdn_model_system(h->model), &h->state));
  CDN_TRY(cdn_control_set(h->state, grip.control, 80)); /* N, at the piston */
  how.method = CDN_METHOD_IMPLICIT_CONTACT, how.accuracy = 1e-3;
  if (soft) CDN_TRY(cdn_model_steps_of_file(h->model, &how.method, &how.fixed_step));
  return cdn_stepper_create(h->state, &how, &h->stepper);
}

/* The middle of the box in the frame of the finger. */
static cdn_status grip_of(hold *h, cdn_vec3 *p) {
  cdn_transform box, finger;
  cdn_state *state = cdn_stepper_state(h->stepper);
  CDN_TRY(cdn_body_pose(state, h->box, &box));
  CDN_TRY(cdn_body_pose(state, h->finger, &finger));
  *p = cdn_transform_point(cdn_transform_invert(finger), box.p);
  return CDN_OK;
}

/* Where the hand is sent: up, then shaken twice a second, then still. */
static double height_at(double t) {
  const double up = fmin(fmax((t - 0.5) / 0.5, 0), 1), shaken = t > 1.5 && t < 3.5;
  return 0.15 * up * up * (3 - 2 * up) + (shaken ? 0.02 * sin(12.566370614359 * (t - 1.5)) : 0);
}

static cdn_status run(hold *h) {
  cdn_vec3 first = { 0 }, before = { 0 }, last = { 0 };
  cdn_certificate certificate;
  for (int i = 1; i <= 500; i++) {
    cdn_state *state = cdn_stepper_state(h->stepper);
    CDN_TRY(cdn_control_set(state, h->height, height_at(0.01 * i)));
    CDN_TRY(cdn_stepper_advance(h->stepper, 0.01 * i, NULL));
    const double *error = cdn_state_qerr(state);
    for (int k = 0; k < cdn_system_nqerr(cdn_state_system(state)); k++) h->open = fmax(h->open, fabs(error[k]));
    if (i == 50) CDN_TRY(grip_of(h, &first));
    if (i == 400) CDN_TRY(grip_of(h, &before));
  }
  CDN_TRY(grip_of(h, &last));
  CDN_TRY(cdn_stepper_certificate(h->stepper, &certificate));
  h->slip = cdn_norm(cdn_sub(last, first)), h->creep = cdn_norm(cdn_sub(last, before));
  h->cost = (double)certificate.evaluations;
  h->lifted = cdn_body_q(cdn_stepper_state(h->stepper), h->box)[6] - 0.03;
  return CDN_OK;
}

int main(void) {
  hold h[2] = { 0 };
  cdn_status status = CDN_OK;
  for (int i = 0; i < 2 && !status; i++) {
    status = begin(&h[i], i == 1);
    if (!status) status = run(&h[i]);
    if (!status)
      printf(
          "%-12s the box is %.3f m up; it slipped by %.2g mm, creeps by %.2g mm/s; loops are open by %.1g m; %.0f evaluations\n",
          i ? "soft:" : "implicit contact step:", h[i].lifted, 1e3 * h[i].slip, 1e3 * h[i].creep, h[i].open, h[i].cost);
  }
  if (status) fprintf(stderr, "grasp: %s\n", cdn_last_error_text());
  const bool good = !status && h[0].lifted > 0.14 && h[0].open < 1e-4 && h[0].slip < 1e-3 && h[0].creep < 1e-6;
  for (int i = 1; i >= 0; i--)
    cdn_stepper_destroy(h[i].stepper), cdn_state_destroy(h[i].state), cdn_model_destroy(h[i].model);
  return good ? 0 : 1;
}
