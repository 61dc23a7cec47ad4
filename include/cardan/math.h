/* Cardan: value types of three-dimensional mechanics.
 * Notation of the manual (12.1): R_AB turns a vector expressed in B into the same vector expressed in A;
 * X_AB = (R_AB, p_AB) places frame B in frame A; spatial quantities list rotation first.
 *
 * I want to
 *   make a vector: cdn_v3
 *   add, subtract, scale vectors: cdn_add, cdn_sub, cdn_scale
 *   get a dot product, cross product, length: cdn_dot, cdn_cross, cdn_norm
 *   make a rotation: identity, by axis and angle, from a quaternion: cdn_rotation_identity, cdn_rotation_axis_angle,
 *       cdn_rotation_from_quaternion
 *   make a rotation that turns z, or x, into a direction: cdn_rotation_z_to, cdn_rotation_x_to
 *   compose or invert rotations: cdn_rotation_multiply, cdn_rotation_transpose
 *   rotate a vector, or rotate it back: cdn_rotate, cdn_rotate_inv
 *   get the quaternion of a rotation: cdn_quaternion_from_rotation
 *   make, compose or invert transforms: cdn_transform_identity, cdn_transform_multiply, cdn_transform_invert
 *   transform a point: cdn_transform_point
 *   express an inertia in other axes, or about another point: cdn_inertia_reexpress, cdn_inertia_shift
 *   get principal moments and axes: cdn_inertia_principal
 *   merge mass properties, or express them in another frame: cdn_mass_properties_merge, cdn_mass_properties_transform
 */
#ifndef CARDAN_MATH_H
#define CARDAN_MATH_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/* clang-format off */
/** A vector by its components x, y, z along the axes of a frame: lengths (m) or whatever has a direction. */
typedef struct cdn_vec3 { double x, y, z; } cdn_vec3;
/** R_AB by columns: x, y, z are B's axes expressed in A. */
typedef struct cdn_rotation { cdn_vec3 x, y, z; } cdn_rotation;
/** X_AB: B's axes in A (R) and B's origin measured from A's origin, expressed in A (p, m). */
typedef struct cdn_transform { cdn_rotation R; cdn_vec3 p; } cdn_transform;
/** A spatial vector: velocity (w, v), acceleration (alpha, a), force (moment, force), momentum. */
typedef struct cdn_spatial { cdn_vec3 w, v; } cdn_spatial;
/** w + x i + y j + z k. Of any length but zero where a rotation is meant. */
typedef struct cdn_quaternion { double w, x, y, z; } cdn_quaternion;
/** Inertia matrix by its six numbers; products of inertia are the matrix's elements (ixy = -sum m x y). xx, yy, zz are
 *  on its diagonal; xy, xz, yz beside it. kg m^2. */
typedef struct cdn_inertia { double xx, yy, zz, xy, xz, yz; } cdn_inertia;

/** Mass, centre of mass p_BC (com) in the body frame B, and the *central* inertia: about the centre of mass, in
 *  B's axes. kg, m, kg m^2. */
typedef struct cdn_mass_properties { double mass; cdn_vec3 com; cdn_inertia inertia; } cdn_mass_properties;

/** The vector (x, y, z), in any unit. */
static inline cdn_vec3 cdn_v3(double x, double y, double z) { cdn_vec3 r = { x, y, z }; return r; }
/* clang-format on */
static inline cdn_vec3 cdn_add(cdn_vec3 a, cdn_vec3 b) { return cdn_v3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline cdn_vec3 cdn_sub(cdn_vec3 a, cdn_vec3 b) { return cdn_v3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline cdn_vec3 cdn_scale(double s, cdn_vec3 a) { return cdn_v3(s * a.x, s * a.y, s * a.z); }
static inline double cdn_dot(cdn_vec3 a, cdn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline cdn_vec3 cdn_cross(cdn_vec3 a, cdn_vec3 b) {
  return cdn_v3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
/** Euclidean length, without overflow or underflow on the way. */
CDN_API double cdn_norm(cdn_vec3 a);

/** The rotation that turns nothing. */
CDN_API cdn_rotation cdn_rotation_identity(void);
/** R_AC = R_AB R_BC. */
CDN_API cdn_rotation cdn_rotation_multiply(cdn_rotation R_AB, cdn_rotation R_BC);
CDN_API cdn_rotation cdn_rotation_transpose(cdn_rotation R_AB);
/** v_A = R_AB v_B. */
CDN_API cdn_vec3 cdn_rotate(cdn_rotation R_AB, cdn_vec3 v_B);
/** v_B = R_AB^T v_A. */
CDN_API cdn_vec3 cdn_rotate_inv(cdn_rotation R_AB, cdn_vec3 v_A);
/** Rotation by `angle` (rad) about `axis` (any length but zero). A zero axis gives the identity. */
CDN_API cdn_rotation cdn_rotation_axis_angle(cdn_vec3 axis, double angle);
/** Rotation of a quaternion of any non-zero length; the zero quaternion gives the identity. */
CDN_API cdn_rotation cdn_rotation_from_quaternion(cdn_quaternion q);
/** The unit quaternion of R with w >= 0; well conditioned for every R. */
CDN_API cdn_quaternion cdn_quaternion_from_rotation(cdn_rotation R);
/** Some rotation whose z axis is `z` (any length but zero): the smallest one that turns (0,0,1) into it. */
CDN_API cdn_rotation cdn_rotation_z_to(cdn_vec3 z);
/** The smallest rotation that turns (1,0,0) into the direction of `x`. */
CDN_API cdn_rotation cdn_rotation_x_to(cdn_vec3 x);

/** The transform that moves nothing. */
CDN_API cdn_transform cdn_transform_identity(void);
/** X_AC = X_AB X_BC. */
CDN_API cdn_transform cdn_transform_multiply(cdn_transform X_AB, cdn_transform X_BC);
/** X_BA from X_AB. */
CDN_API cdn_transform cdn_transform_invert(cdn_transform X_AB);
/** The station p_B, measured from A's origin and expressed in A. */
CDN_API cdn_vec3 cdn_transform_point(cdn_transform X_AB, cdn_vec3 p_B);

/** R_AB I_B R_AB^T: the same inertia in A's axes, about the same point. */
CDN_API cdn_inertia cdn_inertia_reexpress(cdn_rotation R_AB, cdn_inertia I_B);
/** From about the centre of mass to about a point at distance `p` from it (parallel axes). */
CDN_API cdn_inertia cdn_inertia_shift(cdn_inertia central, double mass, cdn_vec3 p);
/** The rigid union of two sets of mass properties given in the same frame. */
CDN_API cdn_mass_properties cdn_mass_properties_merge(cdn_mass_properties a, cdn_mass_properties b);
/** Mass properties given in frame B, in frame A. */
CDN_API cdn_mass_properties cdn_mass_properties_transform(cdn_transform X_AB, cdn_mass_properties m_B);
/** Principal moments in ascending order and their axes (columns), right-handed. */
CDN_API void cdn_inertia_principal(cdn_inertia I, double moments[3], cdn_rotation *axes);

CDN_END_DECLS
#endif
