/* The interface of forces for the rooms above, beyond the public headers. */
#ifndef CARDAN_FORCES_FORCES_H
#define CARDAN_FORCES_FORCES_H

#include <cardan/forces.h>
#include <cardan/perturbation.h>

#include "matter/matter.h"

typedef struct force_room force_room;
struct derivative_pass;

/* The forces of a System, NULL if it has none. */
const force_room *cdni_forces(const cdn_system *system);

/* ---- sums: forces that read the same variables, and all have a potential or all have none, share a sum and its
 * entry ---- */

enum { CDNI_FORCE_SUMS = 6 }; /* at most */
/* The tickets of the sums, known when the forces have been declared; returns their number. */
int cdni_forces_sums(const force_room *room, cdn_ticket *tickets);
/* All sums, in F (one for each body, about M's origins) and f (matter's nu); added to what is there if F and f have
 * begun. There is at least one sum. */
cdn_status cdni_forces_add(const force_room *room, cdn_state *state, bool begun, sv *F, double *f);
/* The sums without a potential. */
cdn_status cdni_forces_nonpotential(const force_room *room, cdn_state *state, sv *F, double *f);
/* What element i adds to the sums F (about M's origins) and f, and its potential. Force must be realized. */
cdn_status cdni_force_alone(const force_room *room, cdn_state *state, int i, sv *F, double *f, double *potential);
/* How the elements that read a control vary with it: added to F and f, of those that know it; whether there are others;
 * and what these others add. In a State at Dynamics but for what the control changes. O(readers). */
cdn_status cdni_forces_by_control(const force_room *room, cdn_state *state, cdn_control control, sv *F, double *f,
                                  bool *others);
cdn_status cdni_forces_of_control(const force_room *room, cdn_state *state, cdn_control control, sv *F, double *f);
/* The power of the sums without a potential. */
cdn_status cdni_forces_nonpotential_power(const force_room *room, cdn_state *state, const body_twist *twist,
                                          const double *u, double *power);
/* The power of given forces; F and f may be NULL. */
double cdni_force_power(const matter *m, const body_twist *twist, const double *u, const sv *F, const double *f);

/* Whether a parameter array (by its ticket) belongs to the elements: 0 if not; -1 if it is a choice, which States of an
 * ensemble share; 1 if it has numbers of elements. */
int cdni_force_params_belong(const force_room *room, int32_t ticket);

/* The two stations between which a force acts; false: it is no force between two stations. */
bool cdni_force_stations(const cdn_system *system, int i, cdn_body bodies[2], cdn_vec3 stations[2]);
/* The path along which a spring, a damper or a stop pulls; { -1 }: it is no such force. */
cdn_path cdni_force_path(const cdn_system *system, int i);
/* The body on which a medium acts, and the centre of the box or ellipsoid that stands for it; false: it is no such
 * force. */
bool cdni_force_of_medium(const cdn_system *system, int i, cdn_body *body, cdn_vec3 *center);

/* Tells of a custom force that it depends on masses; and fails while such a force is on: for derivatives by them. */
void cdni_force_depends_on_masses(const cdn_system *system, cdn_force force);
cdn_status cdni_forces_refuse_masses(cdn_state *state, const char *function);

/* Whether force i is a perturbation (perturbation.h). */
bool cdni_force_is_perturbation(const cdn_system *system, int i);
/* Refuses what is no perturbation, and numbers that are not finite. */
cdn_status cdni_perturbation_check(const cdn_state *state, const char *function, cdn_force force, cdn_vec3 p_B,
                                   cdn_vec3 target_G);
/* Takes hold: body, p_B, target_G, stiffness and damping of `how`. */
cdn_status cdni_perturbation_hold(cdn_state *state, cdn_force force, const cdn_perturbation *how);

/* The slots and the bounds (infinite: none) of force i where it is a mobility stop, as the State has them; false: it is
 * none. */
bool cdni_force_stop(const cdn_state *state, int i, int32_t slots[2], double bounds[2]);

/* damping (matter's nu): sums of -df/du of the mobility dampers that are on, at the State's speeds. *constant (or
 * NULL): whether they are the same at all speeds. room may be NULL: there are none. */
cdn_status cdni_forces_joint_damping(const force_room *room, cdn_state *state, double *damping, int nu, bool *constant);
/* How each of them varies with its speed. */
cdn_status cdni_forces_joint_damping_by_u(const force_room *room, cdn_state *state, double *change, int nu);

/* ---- actuators ---- */

/* An actuator on a mobility (cdn_system_add_actuator). Its force is by_signal * signal + rest, within lower and upper;
 * the generalized force is gear times it, in slot u of the System. */
typedef struct force_actuator {
  cdn_control control;
  double gear, length, rate, signal, force, by_signal, rest, lower, upper;
  int32_t u;
} force_actuator;
bool cdni_force_is_actuator(const cdn_system *system, cdn_force force);
cdn_control cdni_force_actuator_control(const cdn_system *system, cdn_force force);
/* Its length; the other numbers, too, if `moves`. The force must be an actuator. */
cdn_status cdni_force_read_actuator(cdn_state *state, cdn_force force, bool moves, force_actuator *out);

/* gravity_compensation.c: whether a force is one; the force that it has in a State, and where; the part of its weight
 * that all of them leave a body, 1 without any. */
bool cdni_force_is_compensation(const cdn_system *system, cdn_force force);
cdn_status cdni_compensation_at(cdn_state *state, cdn_force force, cdn_body *body, cdn_vec3 *p_B, cdn_vec3 *f_G);
double cdni_compensation_left(const force_room *room, cdn_state *state, int body);

/* ---- friction that remembers ---- */

/* The z of elements whose friction sticks: their number, and the first of them. */
int cdni_forces_memory_z(const cdn_state *state, int *first);
/* In a State at rest: sets them to what they are after all that slides has slid. */
cdn_status cdni_forces_hold(cdn_state *state);
/* Copies them between States of one System. */
cdn_status cdni_forces_copy_memory(cdn_state *to, const cdn_state *from);

/* ---- derivatives ---- */

/* Adds all force elements and the applied forces to a pass over matter (matter/derivatives.h); dz: derivatives of
 * tau, nu x nz, NULL if not wanted. `function` is the public one. */
cdn_status cdni_forces_differentiate(struct derivative_pass *p, const char *function, double *dz);
/* Whether element i, which is on, brings no derivatives, so that those above are differences. */
bool cdni_force_is_differenced(cdn_state *state, int i);
/* By mobility (matter's nu): -df/dq and -df/du of the springs, dampers, stops and actuators on it. */
cdn_status cdni_forces_on_mobilities(const force_room *room, cdn_state *state, double *stiffness, double *damping);
/* Whether all forces that are on, among speeds, vary with that of their own mobility alone; then damping (matter's nu)
 * is -df/du. room may be NULL: no forces. */
cdn_status cdni_forces_own_damping(const force_room *room, cdn_state *state, double *damping, int nu, bool *own);
/* derivative_many.c, for a calc_derivative. Forces between n bodies of the tree, which follow from how these lie to
 * each other: where all move as one piece the forces turn along. Small motions (a turn, a displacement) and forces (a
 * moment, a force) are about `origin`, in Ground's axes. */
typedef struct force_web {
  int n;
  const int32_t *body;
  v3 origin;
  /* Adds to K, n blocks of 6 x 6 by rows: minus the derivatives of the force on body i by the motions of the others.
   * Blocks of the same body of the tree are not read. */
  cdn_status (*find_row)(const void *law, int i, double *K);
  const void *law;
} force_web;
/* Whether derivatives by q are wanted: the functions below may be called. */
bool cdni_force_derivatives_by_q(const cdn_force_derivatives *d);
/* O(n) rows, and O(n times bodies) for the tree; memory for 6 numbers a body and mobility. */
cdn_status cdni_force_derivatives_add_web(cdn_force_derivatives *d, const force_web *web);
/* by_q (matter's nu) of a number that varies as such a force on body i does; gradient: 6 numbers a body of the web, by
 * the motions of the others. O(bodies). */
cdn_status cdni_force_derivatives_of_number(cdn_force_derivatives *d, const force_web *web, int i,
                                            const double *gradient, double *by_q);
/* Adds a b^T, of two rows by mobility, to the second derivatives of the potential. O(nu^2). */
void cdni_force_derivatives_add_product(cdn_force_derivatives *d, const double *a, const double *b);
/* g (zero without gravity, and if it is off), and the bodies it excludes (NULL: none). */
v3 cdni_gravity(const force_room *room, cdn_state *state, const double **excluded);

#endif
