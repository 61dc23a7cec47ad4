/* Cardan: orientation as angles, as axis and angle, and from directions; and the rates of these descriptions.
 *
 * R_AB turns vectors of B into A (math.h). A quaternion describes R_AB and has any length but zero. Angles are in
 * radians, rates in rad/s. All functions cost O(1).
 *
 * Three angles and a *sequence* of axes make a rotation in two ways. *Body-fixed* (intrinsic): B turns by `first`
 * about its first axis, then by `second` about its second axis, then by `third` about its third axis; each axis has
 * moved with B in the turns before:
 *
 *   R_AB = R_i(first) R_j(second) R_k(third)
 *
 * *Space-fixed* (extrinsic): all three axes are A's:  R_AB = R_k(third) R_j(second) R_i(first).
 *
 * *Gimbal lock*: the first and the last axis are parallel, and only the sum or the difference of their angles
 * matters. It occurs at second = +-pi/2 in sequences of three axes (Tait-Bryan, Cardan angles), and at second = 0 or
 * pi in sequences that return to the first axis (proper Euler angles). Yaw, pitch and roll of vehicles are
 * body-fixed ZYX; the angles of mobilizers (matter.h) are body-fixed XYZ.
 *
 * I want to
 *   make a rotation or quaternion of three angles, of any sequence: cdn_rotation_from_angles,
 *       cdn_quaternion_from_angles
 *   get the three angles (Euler, Cardan, roll, pitch, yaw) of a rotation or quaternion: cdn_angles_from_rotation,
 *       cdn_angles_from_quaternion
 *   — those that go on from the last ones without a jump: cdn_angles_near
 *   convert rates of angles to an angular velocity, and back: cdn_angular_velocity_from_angles, cdn_angle_rates
 *   get the axis and angle of a rotation: cdn_axis_angle_from_rotation, cdn_axis_angle_from_quaternion
 *   make a rotation that turns one direction into another: cdn_rotation_between, cdn_quaternion_between
 *   make a rotation from two directions: cdn_rotation_two_axes
 *   make, compose or invert quaternions: cdn_quaternion_axis_angle, cdn_quaternion_multiply, cdn_quaternion_conjugate
 *   convert a quaternion's rate to an angular velocity, and back: cdn_angular_velocity_from_quaternion,
 *       cdn_quaternion_rate */
#ifndef CARDAN_ANGLES_H
#define CARDAN_ANGLES_H

#include <cardan/math.h>

CDN_BEGIN_DECLS

/** The order of the axes of three angles. */
typedef enum cdn_sequence {
  CDN_XYZ,
  CDN_XZY,
  CDN_YXZ,
  CDN_YZX,
  CDN_ZXY,
  CDN_ZYX,
  CDN_XYX,
  CDN_XZX,
  CDN_YXY,
  CDN_YZY,
  CDN_ZXZ,
  CDN_ZYZ,
  CDN_SEQUENCE_COUNT
} cdn_sequence;

/** Whether the axes move with the body or stay in space. */
typedef enum cdn_axes_fixed { CDN_BODY_FIXED, CDN_SPACE_FIXED } cdn_axes_fixed;

/** Angles (rad) of the first, second and third turn, or their rates. */
typedef struct cdn_angles {
  double first, second, third;
} cdn_angles;

/* ---- three angles ---------------------------------------------------------------------------- */

/** R_AB of three angles of any size, to a few roundings. A sequence that does not exist gives NaNs, here and below. */
CDN_API cdn_rotation cdn_rotation_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles);
/** The unit quaternion of three angles, like cdn_rotation_from_angles. */
CDN_API cdn_quaternion cdn_quaternion_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles);
/** The angles of R_AB: first and third in (-pi, pi], second in [-pi/2, pi/2], or in [0, pi] for sequences that
 *  return to the first axis. The rotation by these angles equals R_AB to a few roundings, everywhere. The angles are
 *  accurate to a few roundings; near gimbal lock the first and the third are accurate to roundings divided by the
 *  distance from it. Returns false in gimbal lock (within 1e-15): the first and the third angle are then half of
 *  their common turn each. */
CDN_API bool cdn_angles_from_rotation(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_rotation R_AB,
                                      cdn_angles *angles);
/** The angles of a quaternion of any length (zero: the identity), like cdn_angles_from_rotation. */
CDN_API bool cdn_angles_from_quaternion(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q,
                                        cdn_angles *angles);
/** The angles of the quaternion that are nearest to `near`: of both solutions and all whole turns, the angles with
 *  the smallest sum of squared differences. With them, angles have no jumps while a body turns on and on. In gimbal
 *  lock the function returns false, and the first and the third angle differ from `near` by equal amounts. */
CDN_API bool cdn_angles_near(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q, cdn_angles near,
                             cdn_angles *angles);

/** The angular velocity of B in A, in A's axes (rad/s), from angles and their rates. Exact to rounding, in gimbal lock
 *  too. For B's axes apply cdn_rotate_inv. */
CDN_API cdn_vec3 cdn_angular_velocity_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles,
                                                  cdn_angles rates);
/** The rates of the angles from the angular velocity of B in A, in A's axes. The rates and their relative errors
 *  grow as 1 / (distance from gimbal lock). Within 1e-15 of it the function returns false and gives the smallest
 *  rates that come nearest to w_A; no rates can turn B about the lost direction. */
CDN_API bool cdn_angle_rates(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles, cdn_vec3 w_A,
                             cdn_angles *rates);

/* ---- axis and angle -------------------------------------------------------------------------- */

/** The unit quaternion of a turn by `angle` about `axis` (any length; zero: the identity). cdn_rotation_axis_angle
 *  gives the rotation. */
CDN_API cdn_quaternion cdn_quaternion_axis_angle(cdn_vec3 axis, double angle);
/** The smallest angle that turns A into B, in [0, pi], and the unit axis of that turn (`axis` may be NULL). Even a
 *  tiny angle has a relative error of a few roundings only. Without a turn the axis is x. For half a turn, of the
 *  two possible axes it is that of the quaternion with w >= 0. */
CDN_API double cdn_axis_angle_from_quaternion(cdn_quaternion q, cdn_vec3 *axis);
/** The angle and axis of a rotation. The rounding of R_AB limits the accuracy of a tiny angle. */
CDN_API double cdn_axis_angle_from_rotation(cdn_rotation R_AB, cdn_vec3 *axis);

/* ---- from directions ------------------------------------------------------------------------- */

/** The smallest rotation that turns the direction `from` into the direction `to` (any lengths; zero: the identity). For
 *  opposite directions: half a turn about some axis perpendicular to them. The turned direction is accurate to a few
 *  roundings everywhere. */
CDN_API cdn_quaternion cdn_quaternion_between(cdn_vec3 from, cdn_vec3 to);
CDN_API cdn_rotation cdn_rotation_between(cdn_vec3 from, cdn_vec3 to);
/** The rotation whose axis number `axis` (0: x, 1: y, 2: z) points exactly along `along`, and whose axis number
 *  `second` is as near to `toward` as possible. If a direction is zero, or both are parallel: any rotation with the
 *  first property. Axis numbers that are equal or out of range give NaNs. For one direction see cdn_rotation_x_to
 *  and cdn_rotation_z_to. */
CDN_API cdn_rotation cdn_rotation_two_axes(int axis, cdn_vec3 along, int second, cdn_vec3 toward);

/* ---- quaternions ----------------------------------------------------------------------------- */

/** The quaternion of R_AC = R_AB R_BC; its length is the product of the lengths. */
CDN_API cdn_quaternion cdn_quaternion_multiply(cdn_quaternion AB, cdn_quaternion BC);
/** The quaternion (w, -x, -y, -z) of R_BA, with the same length. */
CDN_API cdn_quaternion cdn_quaternion_conjugate(cdn_quaternion AB);
/** The rate of the quaternion for an angular velocity of B in A, in A's axes: 1/2 (0, w_A) q. The length stays
 *  constant. */
CDN_API cdn_quaternion cdn_quaternion_rate(cdn_quaternion q, cdn_vec3 w_A);
/** The angular velocity of B in A, in A's axes (rad/s), from the quaternion and its rate: the inverse of
 *  cdn_quaternion_rate. A rate of the length has no effect. The zero quaternion gives NaNs. */
CDN_API cdn_vec3 cdn_angular_velocity_from_quaternion(cdn_quaternion q, cdn_quaternion qdot);

CDN_END_DECLS
#endif
