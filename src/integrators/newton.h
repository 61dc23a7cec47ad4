/* The Jacobian of the rates and the equations of Newton's method, (1 - gamma J) x = r, for implicit methods.
 *
 * Unknowns are taken in the tangent basis, v = N^+ dq, so that the matrix is of order nu + nz, whatever the coordinates are,
 * and dudot/dq is what analytic derivatives give:
 *
 *   dqdot = A dq + N du     dudot = K v + D du + Z dz     dzdot = G v + H du + L dz
 *
 * A (dqdot/dq at fixed u) is a block a body, and zero but for quaternions and the like. A length of a quaternion moves
 * nothing else. zdot has a further term, W dudot, where it reads udot. */
#ifndef CARDAN_INTEGRATORS_NEWTON_H
#define CARDAN_INTEGRATORS_NEWTON_H

#include "integrators/internal.h"

typedef struct cdni_newton cdni_newton;

cdn_status cdni_newton_create(cdn_stepper *s, cdni_newton **out);
void cdni_newton_destroy(cdn_stepper *s, cdni_newton *newton);

/* The Jacobian at t, y. Where bodies have all q and u, the rows of udot are analytic; where other subsystems move they are
 * differenced, at one evaluation for each of 2 nu + nz directions. The rows of zdot are what dynamics/zdot.h tells. Leaves
 * `work` at t, y. */
cdn_status cdni_newton_evaluate(cdn_stepper *s, cdni_newton *newton, double t, const double *y);
/* Forgets what evaluations of the past have taught of the Jacobian's structure. */
void cdni_newton_forget(cdni_newton *newton);
/* Prepares to solve with 1 - gamma J; false if that is singular. O(nu^3 + nu^2 nz), and the cubes of the sizes of blocks of z
 * that vary with each other. */
bool cdni_newton_factor(cdni_newton *newton, double gamma);
/* r (ny numbers) becomes x. O(nu^2 + nu nz), and the squares of those sizes. */
void cdni_newton_solve(const cdni_newton *newton, double *r);

/* J itself (ny x ny, row-major), for tests: what `solve` inverts 1 - gamma J of. */
void cdni_newton_jacobian(const cdni_newton *newton, double *J);

#endif
