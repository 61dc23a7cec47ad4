/* Constraints for a solver of differential-algebraic equations: the stabilized form of index 2 (Gear, Gupta,
 * Leimkuhler 1985),
 *
 *   qdot = N (u + P^T mu),   udot = udot(t, q, u) + M^-1 G^T nu,   p(t, q) = 0,   v(t, q, u) = 0,
 *
 * where P has the rows of the position equations, and G those of the position and velocity equations. udot(t, q, u)
 * satisfies the acceleration constraints already, so nu only corrects the multipliers; mu and nu are zero except for
 * errors. Equations that are redundant where a solver starts are left out. In the solver's vectors the algebraic
 * variables follow y and the work. */
#ifndef CARDAN_INTEGRATORS_GGL_H
#define CARDAN_INTEGRATORS_GGL_H

#include <cardan/stepper.h>

#include "integrators/newton.h"

typedef struct cdni_ggl cdni_ggl;

/* *out NULL: the System has no constraints. */
cdn_status cdni_ggl_create(cdn_stepper *s, cdni_ggl **out);
void cdni_ggl_destroy(cdn_stepper *s, cdni_ggl *ggl);
/* Number of algebraic variables; 0 for NULL. */
int cdni_ggl_count(const cdni_ggl *ggl);
/* Leaves out the equations that are redundant at the present `work`. */
cdn_status cdni_ggl_choose(cdn_stepper *s, cdni_ggl *ggl);
/* At the present `work`: adds the effect of the algebraic variables to ydot; computes their residuals. */
cdn_status cdni_ggl_add_rates(cdn_stepper *s, cdni_ggl *ggl, const double *algebraic, double *ydot);
cdn_status cdni_ggl_residual(cdn_stepper *s, const cdni_ggl *ggl, const double *algebraic, double *residual);
/* After cdni_newton_factor with the same gamma, at the present `work`: borders its matrix. Sets *singular if the
 * bordered matrix cannot be solved with. O(n) solutions and products for n algebraic variables. */
cdn_status cdni_ggl_factor(cdn_stepper *s, cdni_ggl *ggl, const cdni_newton *newton, double gamma, bool *singular);
/* On entry x (ny) is the solution without constraints, and `algebraic` has residuals; on return both are the
 * solution with constraints. */
cdn_status cdni_ggl_solve(cdn_stepper *s, cdni_ggl *ggl, double *x, double *algebraic);

#endif
