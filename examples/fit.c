/* Poses instead of coordinates: a drone is put in the air by its position, yaw, pitch and roll, and given a
 * velocity; the arm under it is pointed at something by its universal joint, as nearly as that can; and the arm is
 * held against gravity. */
#include <cardan/core.h>
#include <cardan/operators.h>
#include <cardan/angles.h>
#include <math.h>
#include <stdio.h>

static const double DEGREE = 3.14159265358979323846 / 180;

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, NULL, cdn_v3(0, 0, -9.81));
  cdn_body_def def = cdn_default_body_def();
  def.name = "drone", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ 1.2, { 0, 0, 0 }, { 0.01, 0.01, 0.02, 0, 0, 0 } };
  const cdn_body drone = cdn_system_add_body(system, &def);
  def.name = "arm", def.mobilizer = CDN_UNIVERSAL, def.parent = drone;
  def.X_PF.p = cdn_v3(0, 0, -0.05);
  def.mass = (cdn_mass_properties){ 0.2, { 0, 0, -0.15 }, { 0.002, 0.002, 1e-4, 0, 0, 0 } };
  const cdn_body arm = cdn_system_add_body(system, &def);

  cdn_state *state = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);

  /* In the air: yaw, pitch and roll are body-fixed angles about z, y, x. */
  const cdn_angles attitude = { 30 * DEGREE, -10 * DEGREE, 5 * DEGREE };
  const cdn_transform pose = { cdn_rotation_from_angles(CDN_ZYX, CDN_BODY_FIXED, attitude), { 2, 1, 10 } };
  if (!status) status = cdn_body_set_q_to_fit_transform(state, drone, pose);
  if (!status) status = cdn_body_set_u_to_fit_velocity(state, drone, (cdn_spatial){ { 0, 0, 0.1 }, { 3, 0, 0 } });

  /* The arm hangs along -z of its frame: turn that to a target on the ground, seen in the drone's axes. */
  const cdn_vec3 target = { 4, 1, 0 };
  const cdn_vec3 there = cdn_rotate_inv(pose.R, cdn_sub(target, cdn_transform_point(pose, def.X_PF.p)));
  if (!status) status = cdn_body_set_q_to_fit_rotation(state, arm, cdn_rotation_between(cdn_v3(0, 0, -1), there));

  /* Motors at the joint hold the arm; the rotors hold all of it. */
  double f[8];
  if (!status) status = cdn_calc_gravity_compensation(state, f);
  if (!status) status = cdn_state_set_applied_mobility_forces(state, f);

  cdn_vec3 tip, root;
  cdn_transform X;
  cdn_angles seen;
  if (!status) status = cdn_body_station(state, arm, cdn_v3(0, 0, -0.3), &tip, NULL);
  if (!status) status = cdn_body_station(state, arm, cdn_v3(0, 0, 0), &root, NULL);
  if (!status) status = cdn_body_pose(state, drone, &X);
  if (!status) status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  bool good = false;
  if (!status) {
    cdn_angles_from_rotation(CDN_ZYX, CDN_BODY_FIXED, X.R, &seen);
    printf("yaw %.1f, pitch %.1f, roll %.1f degrees\n", seen.first / DEGREE, seen.second / DEGREE, seen.third / DEGREE);
    const double miss =
        cdn_axis_angle_from_quaternion(cdn_quaternion_between(cdn_sub(tip, root), cdn_sub(target, root)), NULL);
    printf("the arm points %.2f degrees past its target\n", miss / DEGREE);
    printf("lift %.3f N, joint torques %.4f and %.4f N m, vertical acceleration %.1e m/s^2\n", f[5], f[6], f[7],
           cdn_state_udot(state)[5]);

    good = fabs(seen.first - attitude.first) < 1e-14 && miss < 2 * DEGREE && fabs(f[5] - 1.4 * 9.81) < 1e-12;
  }
  if (status) fprintf(stderr, "fit: %s\n", cdn_last_error_text());
  cdn_state_destroy(state);
  cdn_system_release(system);
  return good ? 0 : 1;
}
