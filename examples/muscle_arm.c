/* An arm that is moved by two muscles: each turn of a control loop finds the torque that the elbow needs, and the
 * excitations of the muscles that give it, which only pull. Biceps and triceps run over a cylinder at the elbow. */
#include <cardan/actuators.h>
#include <cardan/core.h>
#include <cardan/mobilizers.h>
#include <cardan/operators.h>
#include <math.h>
#include <stdio.h>

/* Over the front of the elbow, or the back. */
static cdn_path add_tendon(cdn_system *system, const char *name, cdn_body forearm, double side) {
  const cdn_transform bone = { cdn_rotation_identity(), cdn_v3(0, 0, 0) };
  const cdn_path path = cdn_system_add_path(system, name);
  cdn_path_add_point(system, path, cdn_ground(), cdn_v3(0.03 * side, 0.28, 0));
  cdn_path_add_cylinder(system, path, cdn_ground(), &bone, 0.02);
  cdn_path_pass_by(system, path, cdn_ground(), cdn_v3(0.05 * side, 0, 0));
  cdn_path_add_point(system, path, forearm, cdn_v3(0.02 * side, -0.06, 0));
  return path;
}

static cdn_force add_muscle(cdn_system *system, const char *name, cdn_path path) {
  cdn_control_def control = cdn_default_control_def();
  control.name = name, control.lower = 0, control.upper = 1;
  cdn_drive_def def = cdn_default_drive_def();
  def.on = CDN_ON_PATH, def.path = path, def.control = cdn_system_add_control(system, &control);
  def.dynamics = CDN_ACTUATOR_MUSCLE, def.time[0] = 0.01, def.time[1] = 0.04;
  def.gain_law = def.bias_law = CDN_LAW_OF_MUSCLE;
  def.muscle.peak = 900, def.muscle.vmax = 8;
  def.muscle.length_range[0] = 0.24, def.muscle.length_range[1] = 0.36;
  def.passive = def.muscle;
  return cdn_system_add_drive(system, name, &def);
}

/* The torque of the muscles that leads the elbow to the target as a spring and a damper of its own would: what is
 * missing to that acceleration, and what they give now. */
static cdn_status needed_torque(cdn_state *state, cdn_body forearm, const cdn_force muscles[2], double target,
                                double *torque) {
  const double stiffness = 60, damping = 12; /* 1/s^2, 1/s */
  const double udot = stiffness * (target - *cdn_body_q(state, forearm)) - damping * *cdn_body_u(state, forearm);
  CDN_TRY(cdn_residual(state, &udot, torque));
  for (int i = 0; i < 2; i++) {
    double p, moment;
    CDN_TRY(cdn_actuator_force(state, muscles[i], &p));
    CDN_TRY(cdn_actuator_moments(state, muscles[i], &moment));
    *torque += p * moment;
  }
  return CDN_OK;
}

/* One turn of the loop: excitations that give the torque. */
static cdn_status control(cdn_state *state, cdn_body forearm, const cdn_force muscles[2], double target) {
  const double none[2] = { 0, 0 }, all[2] = { 1, 1 };
  double torque, excitation[2];
  CDN_TRY(needed_torque(state, forearm, muscles, target, &torque));
  CDN_TRY(cdn_actuator_find_controls(state, 2, muscles, &torque, none, all, excitation, NULL));
  return cdn_control_set_all(state, excitation);
}

int main(void) {
  const double target = 1.4, T = 0.01; /* rad, s */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "forearm", def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1.5, .com = { 0, -0.15, 0 }, .inertia = { 0.015, 0.002, 0.015, 0, 0, 0 } };
  const cdn_body forearm = cdn_system_add_body(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  const cdn_force muscles[2] = { add_muscle(system, "biceps", add_tendon(system, "biceps", forearm, 1)),
                                 add_muscle(system, "triceps", add_tendon(system, "triceps", forearm, -1)) };

  cdn_state *initial = NULL;
  cdn_stepper *stepper = NULL;
  double angle = 0, biceps = 0, triceps = 0;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &initial);
  if (!status) status = cdn_stepper_create(initial, NULL, &stepper);
  for (int k = 0; k < 300 && !status; k++) {
    cdn_state *state = cdn_stepper_state(stepper);
    status = control(state, forearm, muscles, target);
    if (!status) status = cdn_stepper_advance(stepper, T * (k + 1), NULL);
    if (!status) status = cdn_actuator_signal(state, muscles[0], &biceps);
    if (!status) status = cdn_actuator_signal(state, muscles[1], &triceps);
    angle = *cdn_body_q(state, forearm);
    if (!status && k % 30 == 29)
      printf("%.1f s: elbow %.3f rad, activation of the biceps %.3f, of the triceps %.3f\n", T * (k + 1), angle, biceps,
             triceps);
  }
  if (status) fprintf(stderr, "muscle_arm: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(initial);
  cdn_system_release(system);
  return !status && fabs(angle - target) < 0.02 && biceps > triceps ? 0 : 1;
}
