/* Convex functions of accelerations: what a soft row costs, the force that follows, and its derivative.
 *
 * A soft row wants J a = aref. With the residual r = J a - aref its function s(r) is convex, the force on the row is
 * f = -ds/dr, and the accelerations are those with the least 1/2 |a - a0|_M^2 + sum s(J a - aref) (MuJoCo, chapter
 * Computation). R = 1 / D is the regularisation of a row. Rows that share a function are one group:
 *
 * equality       any number of rows:  s = sum D_i r_i^2 / 2
 * friction loss  one row:             s = D r^2 / 2 for |r| <= loss / D, beyond that linear with the slope loss
 * limit          one row:             s = D r^2 / 2 for r < 0, else 0 (a contact without friction, too)
 * bounded        one row:             s = D r^2 / 2 while the force -D r is between two bounds, beyond them linear
 * elliptic       a contact:           r is (normal, two tangents, torsion, two rolls), as many as its dimension; three
 *                                     zones: nothing, the full quadratic, and the cone's middle zone
 * pyramidal      a contact:           the same r; its edges normal +- friction_k tangent_k are limits of equal D
 *
 * Two more are those of an implicit step of the length h (step.c), at whose end a row has the velocity V = h r:
 *
 * press          one row:             f is the pressure of a law of contact at the depth w = depth - h V, where w is
 * positive, and
 *                                     at the rate -V
 * slide          1 to 3 rows:         f = -P(D r) - viscous r, where P shortens a vector to the length loss
 */
#ifndef CARDAN_SOFT_FUNCTION_H
#define CARDAN_SOFT_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "laws/laws.h"

enum { SOFT_MOST_ROWS = 6 };

/* The first six are those of cdn_soft_kind. */
typedef enum soft_kind {
  SOFT_EQUALITY,
  SOFT_FRICTION_LOSS,
  SOFT_LIMIT,
  SOFT_ELLIPTIC,
  SOFT_PYRAMIDAL,
  SOFT_BOUNDED,
  SOFT_PRESS,
  SOFT_SLIDE
} soft_kind;

/* Where in D and friction the numbers of a press are; D[0] is its slope where the step begins. */
enum { PRESS_NUMBERS = 1 };
enum { PRESS_STEP, PRESS_DEPTH, SLIDE_VISCOUS = 0 };
_Static_assert(PRESS_NUMBERS + CDN_LAW_NUMBERS <= SOFT_MOST_ROWS, "the numbers of a law are in D");
/* Where in friction the bounds of a bounded row are. */
enum { BOUNDED_LOWER, BOUNDED_UPPER };

typedef struct soft_function {
  int32_t kind, rows;       /* numbers of r: 1 to 6; cones: 3, 4 or 6 (1 is a limit) */
  double D[SOFT_MOST_ROWS]; /* 1 / R; of the edges of a pyramid: D[0]; elliptic: D_k = D_0 (friction_k / mu)^2 */
  double loss;              /* friction loss, slide: the largest force */
  double mu;                /* elliptic: of the regularised cone; 0: there is no friction, as if the rest were 0, too */
  double friction[5];       /* cones: of the rows after the first */
  const pressure_law *law;  /* press */
} soft_function;

/* s(r). f (rows) = -ds/dr; H (rows x rows; NULL: not wanted) = d2s/dr2, positive semidefinite. `zone` (NULL: not
 * wanted) tells which piece of the function r is on: H is constant on pieces of equal zone, but for the middle zone of
 * a cone, SOFT_ZONE_MIDDLE. */
enum { SOFT_ZONE_NOTHING = 0, SOFT_ZONE_MIDDLE = -1 };
double cdni_soft_function(const soft_function *s, const double *r, double *f, double *H, int32_t *zone);
/* The same, where H and `zone` are those of another r: H is left as it is where the piece is the same. */
double cdni_soft_function_again(const soft_function *s, const double *r, double *f, double *H, int32_t *zone);
/* The length of n numbers of which the sum of the squares leaves the range of a double, or is 0. */
double cdni_soft_scaled_length(const double *x, int n);
/* The first two derivatives of s(r + t d) by t. */
void cdni_soft_function_along(const soft_function *s, const double *r, const double *d, double t, double out[2]);

#endif
