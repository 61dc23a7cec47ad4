/* The Jacobian of the rates and the equations of Newton's method, (1 - gamma J) x = r, for implicit methods.
 *
 * Unknowns are taken in the tangent basis, v = N^+ dq. So the matrix is of order nu + nz for all kinds of
 * coordinates, and dudot/dq is the matrix that analytic derivatives give:
 *
 *   dqdot = A dq + N du     dudot = K v + D du + Z dz     dzdot = G v + H du + L dz
 *
 * A (dqdot/dq at fixed u) has one block per body, which is zero except for quaternions and similar coordinates. The
 * length of a quaternion influences nothing else. zdot has a further term, W dudot, if it reads udot. */
#ifndef CARDAN_INTEGRATORS_NEWTON_H
#define CARDAN_INTEGRATORS_NEWTON_H

#include <cardan/stepper.h>

typedef struct cdni_newton cdni_newton;

cdn_status cdni_newton_create(cdn_stepper *s, cdni_newton **out);
void cdni_newton_destroy(cdn_stepper *s, cdni_newton *newton);

/* Evaluates the Jacobian at t, y. If bodies have all q and u, the rows of udot are analytic. If other subsystems
 * have q or u, these rows are differenced, with one evaluation for each of 2 nu + nz directions. The rows of zdot
 * come from dynamics/zdot.h. Leaves `work` at t, y. */
cdn_status cdni_newton_evaluate(cdn_stepper *s, cdni_newton *newton, double t, const double *y);
/* Forgets the structure of the Jacobian that earlier evaluations have found. */
void cdni_newton_forget(cdni_newton *newton);
/* Prepares to solve with 1 - gamma J; false if that is singular. O(nu^3 + nu^2 nz), and the cubes of the sizes of
 * blocks of z that vary with each other. */
bool cdni_newton_factor(cdni_newton *newton, double gamma);
/* r (ny numbers) becomes x. O(nu^2 + nu nz), and the squares of those sizes. */
void cdni_newton_solve(const cdni_newton *newton, double *r);
/* gamma of the last factors. */
double cdni_newton_gamma(const cdni_newton *newton);

/* J itself (ny x ny, row-major), for tests: `solve` solves with 1 - gamma J. */
void cdni_newton_jacobian(const cdni_newton *newton, double *J);

#endif
