/* Methods that take equal steps only: they estimate no error. What they share; private to their files. */
#ifndef CARDAN_INTEGRATORS_FIXED_H
#define CARDAN_INTEGRATORS_FIXED_H

#include <cardan/matter.h>
#include <cardan/stepper.h>

#include "dynamics/dynamics.h"
#include "matter/kinds.h"
#include "matter/matter.h"

/* The data of Euler's methods (mujoco_euler.c). */
typedef struct euler_kind {
  step_damping damping;
  bool lone_bodies; /* these by the implicit midpoint */
} euler_kind;

/* The method of a step of size h that a public function was asked about: one of Euler's whose steps are linear in the
 * forces (*kind NULL: the semi-explicit one). Else it fails, and says that the method has no `what`. */
cdn_status cdni_euler_of(cdn_state *state, const char *function, const char *what, cdn_method method, double h,
                         const euler_kind **kind);
/* Puts `work` at the start of the step, with its rates, if it is not there: after an attempt that ended too late. */
cdn_status cdni_fixed_start(cdn_stepper *s);
/* q1 = q0 after h at the speeds u. `work` must be at q0. A quaternion turns at constant angular velocity; every other q
 * moves by h N(q0) u. q1 may be the place of neither q0 nor u. */
cdn_status cdni_fixed_move(cdn_stepper *s, double h, const double *q0, const double *u, double *q1);
/* Whether a joint has a quaternion and speeds that turn with it. */
static inline bool cdni_fixed_turns(const tree_node *n) { return n->quaternion && cdni_kind_of(n)->ball; }
/* Angular velocities and accelerations of balls and free joints in x (nu), from the axes of F to those that turn, or
 * back. */
void cdni_fixed_turn(const cdn_stepper *s, const double *q, bool back, double *x);
/* What number i of z changes by in a step of MuJoCo's, over its rate at the start: h, or of filters that are followed
 * exactly T (1 - exp(-h / T)). */
double cdni_fixed_z_step(const cdn_system *system, int i, double h);
/* Ends the step at y1: projects, evaluates, and fills what dense output and the certificate read. */
cdn_status cdni_fixed_arrive(cdn_stepper *s);
/* midpoint.c: q1 and u1 of free bodies without children by the implicit midpoint, from the step's accelerations a. */
cdn_status cdni_fixed_lone_bodies(cdn_stepper *s, const double *a);

#endif
