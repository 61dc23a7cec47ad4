/* Laws of contact, as functions of numbers. A law is said once: what is pressed by depth and rate, what friction can
 * bear by slip speed, what is stored, and where it bends. Forces, energies, derivatives, kinks and rows of implicit
 * steps follow from that. */
#ifndef CARDAN_LAWS_LAWS_H
#define CARDAN_LAWS_LAWS_H

#include <math.h>

#include <cardan/contact_law.h>

/* ---- along the normal ---- */

/* A column that is NULL is what the law lacks (cdni_law_slopes has differences for it). */
typedef struct pressure_law {
  const char *name;
  int numbers; /* that it has */
  cdn_law_pressure_fn *pressure;
  cdn_law_slopes_fn *slopes;
  cdn_law_potential_fn *potential;
  cdn_law_bends_fn *bends;
} pressure_law;

/* Their numbers:
 * Hertz        stiffness k, d:   k x^(3/2) (1 + d v)
 * spring       force F, d, x_0:  F x / x_0 (1 + d v), of what has the force F at the depth x_0; x_0 = 0: F at any depth
 * smooth       as SMOOTH_ below: F (x^2 + c)^(3/4) (1 + tanh(b_x x)) / 2 (1 + d v) (1 + tanh(b_v (v + 1 / d))) / 2
 * exponential  d1, d2, d0, d:    d1 exp(d2 (x + d0)) (1 + d v) */
enum { LAW_HERTZ, LAW_SPRING, LAW_SMOOTH, LAW_EXPONENTIAL, LAW_COUNT };
enum { SMOOTH_FORCE, SMOOTH_CONSTANT, SMOOTH_DEPTH_SHARPNESS, SMOOTH_DAMPING, SMOOTH_RATE_SHARPNESS };
extern const pressure_law cdni_pressure_laws[];

/* Nothing pulls. What is no number remains none. */
static inline double law_force(const pressure_law *law, const double *numbers, double depth, double rate) {
  const double force = law->pressure(numbers, depth, rate);
  return force < 0 ? 0 : force;
}
/* That force, and its derivatives by depth and rate: the law's own, or differences. */
double cdni_law_slopes(const pressure_law *law, const double *numbers, double depth, double rate, double slope[2]);
/* Of a contact whose depth goes with its rate v as depth + h v: the convex function of V = -v that has minus the force
 * as its slope, over h, with 0 where nothing is deep; for a pressure that is none of the smooth ones below depth 0. */
double cdni_law_cost(const pressure_law *law, const double *numbers, double depth, double h, double rate);

/* hertz.c: f = stiffness depth^(3/2) of two smooth surfaces with the relative principal curvatures k[0] >= k[1] > 0 and
 * the combined modulus; `radius` are the half axes of the patch over the root of the depth. */
double cdni_hertz_stiffness(const double k[2], double modulus, double radius[2]);

/* ---- friction: mu has a static, a dynamic and a viscous coefficient ---- */

/* Stribeck's curve at x, and its slope (NULL: not wanted): it falls by `rise` from low + rise at 0 to low. */
static inline double stribeck(double low, double rise, double x, double *slope) {
  const double over = 1 + x * x, part = rise / over;
  if (slope) *slope = -2 * x * part / over;
  return low + part;
}
/* Without what is viscous, at x times the speed of the transition, where it is mu[0]. */
static inline double friction_dry(const double mu[3], double x, double *slope) {
  return stribeck(mu[1], 2 * (mu[0] - mu[1]), x, slope);
}
/* The coefficient of what can be borne at a slip speed: from the transition on it falls; below, it is what it is
 * there. */
double cdni_friction_bound(const double mu[3], double speed, double transition, double *slope);
/* The largest one at any speed, with what is viscous at this one. */
static inline double friction_most(const double mu[3], double speed) { return mu[0] + mu[2] * speed; }
/* Friction that the slip speed determines, over that speed and the normal force. It grows from zero over the
 * transition, so that it does not truly stick. */
double cdni_friction_over_speed(const double mu[3], double speed, double transition, double *slope);

/* ---- friction that sticks: bristle.c ---- */

typedef struct bristle {
  double stiffness, time, strength; /* N/m, s, N */
  double lever, lever0;             /* m; lever 0: no moment */
  cdn_vec3 normal;                  /* zero: there is none */
} bristle;
/* x: displacement and turn times lever0, m; v: their motion. Computes the force on the surface that moves at
 * v and its moment over lever0, and xdot. Returns whether nothing slides. */
bool cdni_bristle(const bristle *b, const double x[4], const double v[4], double f[4], double xdot[4]);
/* How that changes with small changes of x, v and the bristle's strength, levers and normal, and with those of its
 * stiffness and time as parts of themselves. */
typedef struct bristle_change {
  double x[4], v[4], strength, lever, lever0, stiffness, time;
  cdn_vec3 normal;
} bristle_change;
void cdni_bristle_derivative(const bristle *b, const double x[4], const double v[4], const bristle_change *d,
                             double df[4], double dxdot[4]);

#endif
