/* Cardan: orientation by angles, by an axis and an angle, by directions; and the rates that go with them.
 *
 * R_AB turns vectors of B into A (math.h); a quaternion here is that of R_AB, of any length but zero. Angles are in
 * radians.
 *
 * Three angles and a *sequence* of axes make a rotation in two ways. *Body-fixed* (intrinsic): B turns by `first` about
 * the first axis, by `second` about the second as the first turn left it, by `third` about the third as both left it:
 *
 *   R_AB = R_i(first) R_j(second) R_k(third)
 *
 * *Space-fixed* (extrinsic): all three axes are A's:  R_AB = R_k(third) R_j(second) R_i(first).
 *
 * Sequences of three axes (Tait-Bryan, Cardan angles) are in *gimbal lock* where `second` is +-pi/2, those that return
 * to the first axis (proper Euler angles) where `second` is 0 or pi: the first and the last axis are then parallel, and
 * only the sum or the difference of their angles says anything. Yaw, pitch and roll of vehicles are body-fixed ZYX; the
 * mobilizers' own angles (matter.h) are body-fixed XYZ. */
#ifndef CARDAN_ANGLES_H
#define CARDAN_ANGLES_H

#include <cardan/math.h>

CDN_BEGIN_DECLS

/** The axes that three angles turn about, in order. */
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

/** Whether the later axes move along with the body. */
typedef enum cdn_axes_fixed { CDN_BODY_FIXED, CDN_SPACE_FIXED } cdn_axes_fixed;

/** The angles as numbers: of the first, second and third turn. */
typedef struct cdn_angles {
  double first, second, third;
} cdn_angles;

/* ---- three angles ---------------------------------------------------------------------------- */

/** R_AB of three angles of any size. The error is a few roundings of one. A sequence that does not exist gives NaNs,
 *  here and below. */
CDN_API cdn_rotation cdn_rotation_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles);
/** The same as a unit quaternion. */
CDN_API cdn_quaternion cdn_quaternion_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles);
/** The angles of R_AB: the first and the third in (-pi, pi], the second in [-pi/2, pi/2], or in [0, pi] for
 *  sequences that return to the first axis. Turning by them gives R_AB back to a few roundings, everywhere; the
 *  angles themselves are known to a few roundings but for the first and the third near gimbal lock, which are known
 *  to roundings divided by the distance from it. Returns false in gimbal lock (within 1e-15 of it): the first and
 *  the third angle then share what they make together, half each. */
CDN_API bool cdn_angles_from_rotation(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_rotation R_AB,
                                      cdn_angles *angles);
/** The same from a quaternion of any length but zero (zero: the identity). */
CDN_API bool cdn_angles_from_quaternion(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q,
                                        cdn_angles *angles);
/** The angles of the quaternion that are nearest to `near`: of the two solutions and of all whole turns those with the
 *  smallest sum of squares of differences. So angles go on without jumps while a body turns on and on. In gimbal lock
 *  (returns false) the first and the third angle depart from `near` by as much each. */
CDN_API bool cdn_angles_near(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_quaternion q, cdn_angles near,
                             cdn_angles *angles);

/** The angular velocity of B in A, in A's axes, while the angles change by these rates (rad/s). Exact to rounding,
 *  in gimbal lock too. In B's axes: cdn_rotate_inv of it. */
CDN_API cdn_vec3 cdn_angular_velocity_from_angles(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles,
                                                  cdn_angles rates);
/** The rates of angles for an angular velocity of B in A, in A's axes. They grow as one over the distance from
 *  gimbal lock, and so do their relative errors. Within 1e-15 of it the function returns false, and the rates are
 *  the smallest that come nearest to w_A: no rates turn B about the direction that is lost. */
CDN_API bool cdn_angle_rates(cdn_sequence sequence, cdn_axes_fixed fixed, cdn_angles angles, cdn_vec3 w_A,
                             cdn_angles *rates);

/* ---- axis and angle -------------------------------------------------------------------------- */

/** The unit quaternion of a turn by `angle` about `axis` (of any length; zero: the identity). cdn_rotation_axis_angle
 *  is the same as a rotation. */
CDN_API cdn_quaternion cdn_quaternion_axis_angle(cdn_vec3 axis, double angle);
/** The smallest angle that turns A into B, in [0, pi], and the unit axis of that turn (`axis` may be NULL). The
 *  angle has a relative error of a few roundings even if it is tiny. No turn has the axis x; of the two axes of half
 *  a turn it is the one that the quaternion with w >= 0 has. */
CDN_API double cdn_axis_angle_from_quaternion(cdn_quaternion q, cdn_vec3 *axis);
/** The same from a rotation, whose own roundings limit what is known of a tiny angle. */
CDN_API double cdn_axis_angle_from_rotation(cdn_rotation R_AB, cdn_vec3 *axis);

/* ---- from directions ------------------------------------------------------------------------- */

/** The smallest rotation that turns the direction `from` into the direction `to` (any lengths; zero: the identity).
 *  For opposite ones half a turn about some axis at right angles. The direction that it gives is right to a few
 *  roundings everywhere. */
CDN_API cdn_quaternion cdn_quaternion_between(cdn_vec3 from, cdn_vec3 to);
CDN_API cdn_rotation cdn_rotation_between(cdn_vec3 from, cdn_vec3 to);
/** The rotation whose axis number `axis` (0: x, 1: y, 2: z) points exactly along `along`, and whose axis number
 *  `second` comes as near to `toward` as it can. Directions that are zero or parallel: any rotation with the first
 *  property. Axes that do not exist, or twice the same: NaNs. cdn_rotation_x_to and cdn_rotation_z_to do with one
 *  direction. */
CDN_API cdn_rotation cdn_rotation_two_axes(int axis, cdn_vec3 along, int second, cdn_vec3 toward);

/* ---- quaternions ----------------------------------------------------------------------------- */

/** The quaternion of R_AC = R_AB R_BC; lengths multiply. */
CDN_API cdn_quaternion cdn_quaternion_multiply(cdn_quaternion AB, cdn_quaternion BC);
/** (w, -x, -y, -z): of R_BA, with the same length. */
CDN_API cdn_quaternion cdn_quaternion_conjugate(cdn_quaternion AB);
/** The quaternion's rate for an angular velocity of B in A, in A's axes: 1/2 (0, w_A) q. Its length stays. */
CDN_API cdn_quaternion cdn_quaternion_rate(cdn_quaternion q, cdn_vec3 w_A);
/** The angular velocity of B in A, in A's axes, by the quaternion's rate: the inverse of the former; a change of
 *  length has no effect. The zero quaternion gives NaNs. */
CDN_API cdn_vec3 cdn_angular_velocity_from_quaternion(cdn_quaternion q, cdn_quaternion qdot);

CDN_END_DECLS
#endif
