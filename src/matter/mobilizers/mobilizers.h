/* Every mobilizer kind, one file for each. A kind NAME, in a file of that name, defines
 *
 *   NAME_place(c, q, R_GF, R_GM, p, H)   R_GM, p_FM and H for the coordinates q, in the axes to which R_GF leads:
 *                                        Ground's, or any other, such as F's own. H has the type of its form: sv[nu]
 *                                        for HINGE_FULL, v3[nu] for HINGE_ANGULAR and HINGE_LINEAR (hinge.h)
 *   NAME_bias(c, q, u, H, z)             Hdot u (5.3) in the axes of H, if it is not zero; z: the z axis of M
 *   NAME_N(q, u, qdot), NAME_N_inv(q, qdot, u), NAME_Ndot(q, u, out)    qdot = N u, u = N^+ qdot, out = Ndot u
 *   NAME_normalize(q, scale)             redundant coordinates back to their manifold; returns their error
 *   NAME_fit_R(wanted, q, kind), NAME_fit_p(p, way, q, kind)            coordinates from a wanted pose (fit.h)
 *
 * and, if it has a quaternion, the same functions as NAME_euler_... for body-fixed x-y-z angles. Reversed forms
 * follow from these (reverse.h). The most common kinds also define NAME_position(c, q, R_GP, parent, pose, H), which
 * does not need R_GF, stores the pose and returns R_GM. To add a kind: its file, an #include, and a line (two with
 * Euler angles) in the list: X(ROW, name, KIND, nq, nu, form, quaternion, bias, coordinate names, speed names).
 * Function-based and custom kinds are not in the list: ops describe them (custom.c). */
#ifndef CARDAN_MATTER_MOBILIZERS_H
#define CARDAN_MATTER_MOBILIZERS_H

#include "matter/mobilizers/ball.h"
#include "matter/mobilizers/bend_stretch.h"
#include "matter/mobilizers/bushing.h"
#include "matter/mobilizers/cylinder.h"
#include "matter/mobilizers/ellipsoid.h"
#include "matter/mobilizers/free.h"
#include "matter/mobilizers/free_line.h"
#include "matter/mobilizers/gimbal.h"
#include "matter/mobilizers/line_orientation.h"
#include "matter/mobilizers/pin.h"
#include "matter/mobilizers/planar.h"
#include "matter/mobilizers/screw.h"
#include "matter/mobilizers/slider.h"
#include "matter/mobilizers/spherical_coords.h"
#include "matter/mobilizers/translation.h"
#include "matter/mobilizers/universal.h"
#include "matter/mobilizers/weld.h"

/* clang-format off */
#define SLOTS(...) { __VA_ARGS__ }
#define SLOTS_QUATERNION "qw", "qx", "qy", "qz"
#define SLOTS_ANGLES "ax", "ay", "az"
#define SLOTS_POINT "px", "py", "pz"
#define SLOTS_OMEGA "wx", "wy", "wz"
#define SLOTS_VELOCITY "vx", "vy", "vz"
#define MOBILIZER_LIST(X)                                                                                                 \
  X(WELD, weld, WELD, 0, 0, HINGE_NONE, 0, 0, { 0 }, { 0 })                                                               \
  X(PIN, pin, PIN, 1, 1, HINGE_ANGULAR, 0, 0, { "q" }, { "u" })                                                           \
  X(SLIDER, slider, SLIDER, 1, 1, HINGE_LINEAR, 0, 0, { "q" }, { "u" })                                                   \
  X(BALL, ball, BALL, 4, 3, HINGE_ANGULAR, 1, 0, SLOTS(SLOTS_QUATERNION), SLOTS(SLOTS_OMEGA))                                         \
  X(BALL_EULER, ball_euler, BALL, 3, 3, HINGE_ANGULAR, 0, 0, SLOTS(SLOTS_ANGLES), SLOTS(SLOTS_OMEGA))                                 \
  X(FREE, free, FREE, 7, 6, HINGE_FREE, 1, 0, SLOTS(SLOTS_QUATERNION, SLOTS_POINT), SLOTS(SLOTS_OMEGA, SLOTS_VELOCITY))                             \
  X(FREE_EULER, free_euler, FREE, 6, 6, HINGE_FREE, 0, 0, SLOTS(SLOTS_ANGLES, SLOTS_POINT), SLOTS(SLOTS_OMEGA, SLOTS_VELOCITY))                     \
  X(UNIVERSAL, universal, UNIVERSAL, 2, 2, HINGE_ANGULAR, 0, 1, SLOTS("ax", "ay"), SLOTS("ux", "uy"))                     \
  X(CYLINDER, cylinder, CYLINDER, 2, 2, HINGE_FULL, 0, 0, SLOTS("az", "pz"), SLOTS("wz", "vz"))                           \
  X(BEND_STRETCH, bend_stretch, BEND_STRETCH, 2, 2, HINGE_FULL, 0, 1, SLOTS("angle", "length"), SLOTS("bend", "stretch")) \
  X(PLANAR, planar, PLANAR, 3, 3, HINGE_FULL, 0, 0, SLOTS("az", "px", "py"), SLOTS("wz", "vx", "vy"))                     \
  X(GIMBAL, gimbal, GIMBAL, 3, 3, HINGE_ANGULAR, 0, 1, SLOTS(SLOTS_ANGLES), SLOTS("ux", "uy", "uz"))                            \
  X(BUSHING, bushing, BUSHING, 6, 6, HINGE_FULL, 0, 1, SLOTS(SLOTS_ANGLES, SLOTS_POINT), SLOTS("ux", "uy", "uz", SLOTS_VELOCITY))             \
  X(ELLIPSOID, ellipsoid, ELLIPSOID, 4, 3, HINGE_FULL, 1, 1, SLOTS(SLOTS_QUATERNION), SLOTS(SLOTS_OMEGA))                             \
  X(ELLIPSOID_EULER, ellipsoid_euler, ELLIPSOID, 3, 3, HINGE_FULL, 0, 1, SLOTS(SLOTS_ANGLES), SLOTS(SLOTS_OMEGA))                     \
  X(TRANSLATION, translation, TRANSLATION, 3, 3, HINGE_LINEAR, 0, 0, SLOTS(SLOTS_POINT), SLOTS(SLOTS_VELOCITY))                         \
  X(LINE_ORIENTATION, line_orientation, LINE_ORIENTATION, 4, 2, HINGE_ANGULAR, 1, 0, SLOTS(SLOTS_QUATERNION), SLOTS("wx", "wy")) \
  X(LINE_ORIENTATION_EULER, line_orientation_euler, LINE_ORIENTATION, 3, 2, HINGE_ANGULAR, 0, 0, SLOTS(SLOTS_ANGLES),           \
    SLOTS("wx", "wy"))                                                                                                    \
  X(FREE_LINE, free_line, FREE_LINE, 7, 5, HINGE_FULL, 1, 0, SLOTS(SLOTS_QUATERNION, SLOTS_POINT), SLOTS("wx", "wy", SLOTS_VELOCITY))         \
  X(FREE_LINE_EULER, free_line_euler, FREE_LINE, 6, 5, HINGE_FULL, 0, 0, SLOTS(SLOTS_ANGLES, SLOTS_POINT), SLOTS("wx", "wy", SLOTS_VELOCITY)) \
  X(SPHERICAL_COORDS, spherical_coords, SPHERICAL_COORDS, 3, 3, HINGE_FULL, 0, 1, SLOTS("azimuth", "zenith", "radius"),   \
    SLOTS("ua", "uz", "ur"))                                                                                              \
  X(SCREW, screw, SCREW, 1, 1, HINGE_FULL, 0, 0, { "q" }, { "u" })
/* clang-format on */

/* Pins are not in this list: their sines are computed for eight at once (kernel_kinematics.c). Nor are free joints,
 * which are mostly on Ground. */
#define OWN_POSITION_LIST(X) X(WELD, weld) X(SLIDER, slider) X(BALL, ball)

typedef enum mobilizer_row {
#define MOBILIZER_ROW(ROW, ...) ROW_##ROW,
  MOBILIZER_LIST(MOBILIZER_ROW)
#undef MOBILIZER_ROW
      ROW_CUSTOM /* and function-based: described by ops */
} mobilizer_row;

#endif
