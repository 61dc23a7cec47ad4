/* Constraints for a solver of differential-algebraic equations: the stabilized form of index 2 (Gear, Gupta, Leimkuhler 1985),
 *
 *   qdot = N (u + P^T mu),   udot = udot(t, q, u) + M^-1 G^T nu,   p(t, q) = 0,   v(t, q, u) = 0,
 *
 * where P and G are the rows of the position and of both kinds of equations, and udot(t, q, u) satisfies the constraints of accelerations
 * already, so that nu is what the multipliers lack, and both mu and nu vanish but for errors. Equations that are redundant
 * where a solver starts are left out. The algebraic variables follow y and the work in the solver's vectors. */
#ifndef CARDAN_INTEGRATORS_GGL_H
#define CARDAN_INTEGRATORS_GGL_H

#include "integrators/newton.h"

typedef struct cdni_ggl cdni_ggl;

/* *out NULL: the System has no constraints. */
cdn_status cdni_ggl_create(cdn_stepper *s, cdni_ggl **out);
void cdni_ggl_destroy(cdn_stepper *s, cdni_ggl *ggl);
/* Algebraic variables: 0 for NULL. */
int cdni_ggl_count(const cdni_ggl *ggl);
/* Leaves out what is redundant where `work` stands. */
cdn_status cdni_ggl_choose(cdn_stepper *s, cdni_ggl *ggl);
/* Where `work` stands: adds to ydot what the algebraic variables do; fills their residuals. */
cdn_status cdni_ggl_add_rates(cdn_stepper *s, cdni_ggl *ggl, const double *algebraic, double *ydot);
cdn_status cdni_ggl_residual(cdn_stepper *s, const cdni_ggl *ggl, const double *algebraic, double *residual);
/* After cdni_newton_factor at the same gamma, where `work` stands: borders its matrix. *singular is set if that cannot be
 * solved. O(n) solutions and products, n algebraic variables. */
cdn_status cdni_ggl_factor(cdn_stepper *s, cdni_ggl *ggl, const cdni_newton *newton, double gamma, bool *singular);
/* x (ny), which solves without constraints, and the residuals become the solution with them. */
cdn_status cdni_ggl_solve(cdn_stepper *s, cdni_ggl *ggl, double *x, double *algebraic);

#endif
