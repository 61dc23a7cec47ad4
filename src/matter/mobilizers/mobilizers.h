/* Every mobilizer kind, one file each. A kind NAME, in a file of that name, brings
 *
 *   NAME_position(c, q, R_GP, pose, H)   R_GM and r (from the parent's M origin) for the coordinates q, and its part of H
 *   NAME_N(q, u, qdot), NAME_N_inv(q, qdot, u)     qdot = N u, u = N^+ qdot
 *   NAME_normalize(q, scale)             redundant coordinates back to their manifold; returns their error
 *
 * Adding a kind: its file, an #include, and a line in the list: X(ENUM, name, nq, nu, form, coordinate names). */
#ifndef CARDAN_MOBILIZERS_H
#define CARDAN_MOBILIZERS_H

#include "matter/mobilizers/ball.h"
#include "matter/mobilizers/free.h"
#include "matter/mobilizers/pin.h"
#include "matter/mobilizers/slider.h"
#include "matter/mobilizers/weld.h"

#define MOBILIZER_LIST(X)                                                                                        \
  X(WELD, weld, 0, 0, HINGE_NONE, { 0 }, { 0 })                                                                  \
  X(PIN, pin, 1, 1, HINGE_ANGULAR, { "q" }, { "u" })                                                             \
  X(SLIDER, slider, 1, 1, HINGE_LINEAR, { "q" }, { "u" })                                                        \
  X(BALL, ball, 4, 3, HINGE_ANGULAR, COORDINATES({ "qw", "qx", "qy", "qz" }), COORDINATES({ "wx", "wy", "wz" })) \
  X(FREE, free, 7, 6, HINGE_FREE, COORDINATES({ "qw", "qx", "qy", "qz", "px", "py", "pz" }),                     \
    COORDINATES({ "wx", "wy", "wz", "vx", "vy", "vz" }))
#define COORDINATES(...) __VA_ARGS__

#endif
