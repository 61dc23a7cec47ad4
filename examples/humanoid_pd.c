/* A PD controller for a humanoid that comes from a file. The file is read into a System that is not frozen yet; the
 * controller is a force on the file's joints, which the model's table names, with what limits of effort the file gives.
 * The walker hangs in a harness in mid-stride; the controller makes it stand straight: all angles zero. */
#include <cardan/core.h>
#include <cardan/model.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct controller {
  cdn_model_joint joint[32];
  int n;
  double kp, kd;
} controller;

static cdn_status hold(const void *self, cdn_state *state, cdn_forces *forces) {
  const controller *c = self;
  for (int i = 0; i < c->n; i++) {
    const cdn_model_joint *j = &c->joint[i];
    double torque = -c->kp * *cdn_body_q(state, j->mobilized) - c->kd * *cdn_body_u(state, j->mobilized);
    cdn_forces_add_mobility(forces, j->mobilized, 0, fmin(fmax(torque, j->effort_lower), j->effort_upper));
  }
  return CDN_OK;
}

static void add_controller(cdn_system *system, const cdn_model *model) {
  controller c = { .kp = 500, .kd = 40 };
  for (int i = 0; i < cdn_model_joint_count(model) && c.n < 32; i++) {
    c.joint[c.n] = cdn_model_get_joint(model, i);
    if (c.joint[c.n].nq == 1 && c.joint[c.n].units[0] == 'r') c.n++; /* rad: hinges, not the harness */
  }
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = hold, .reads = CDN_READS_VELOCITY };
  ops.subsystem.name = "controller", ops.subsystem.self_size = sizeof c;
  cdn_system_add_custom_force(system, &ops, &c);
}

/* The largest angle of a hinge. */
static double largest_angle(const cdn_model *model, cdn_state *state) {
  double most = 0;
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    cdn_model_joint joint = cdn_model_get_joint(model, i);
    if (joint.nq == 1 && joint.units[0] == 'r') most = fmax(most, fabs(cdn_state_q(state)[joint.first_q]));
  }
  return most;
}

int main(void) {
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  char path[1024];
  snprintf(path, sizeof path, "%s/examples/models/walker.xml", root ? root : ".");
  cdn_system *system = cdn_system_create(NULL);
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  double before = 0, after = INFINITY;
  cdn_status status = cdn_model_load_into(path, NULL, system, &model);
  if (!status) add_controller(system, model);
  if (!status) status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, NULL, &stepper);
  if (!status) before = largest_angle(model, state);
  if (!status) status = cdn_stepper_advance(stepper, 3, NULL);
  if (!status) after = largest_angle(model, cdn_stepper_state(stepper));
  if (status) fprintf(stderr, "humanoid_pd: %s\n", cdn_last_error_text());
  printf("largest angle: %.3f rad at first, %.3f rad after 3 s under control\n", before, after);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  cdn_system_release(system);
  return !status && before > 0.5 && after < 0.05 ? 0 : 1;
}
