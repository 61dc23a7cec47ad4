/* What presses on friction. Private to the room. */
#ifndef CARDAN_HYBRID_PRESS_H
#define CARDAN_HYBRID_PRESS_H

#include "hybrid/internal.h"

/* What presses, and its changes along some columns (a row a number; `columns` may be 0): the multipliers of all
 * constraints, and JOINT_NUMBERS of each friction that a mobilizer presses, and of each kept reaction of a mobilizer
 * (NULL: there are none). */
typedef struct pressing {
  const double *lambda, *joints;
  int columns;
  const double *L, *J;
} pressing;

/* N of friction i, and its slopes along the columns. */
double cdni_friction_press(const hybrid_room *room, const cdn_state *state, int i, const pressing *p, double *slope);

/* What a kept reaction has now, and its slopes along the columns. */
double cdni_kept_now(const hybrid_room *room, int i, const pressing *p, double *slope);
/* Of friction that sticks: what its force may still grow by. *bound (may be NULL): the bound. */
double cdni_friction_margin(const hybrid_room *room, const cdn_state *state, int i, const pressing *p, double *bound);

/* What mobilizers transmit to these, with these forces on bodies (about M's origins, without those of constraints)
 * and the accelerations and multipliers that the State has, valid or not yet: JOINT_NUMBERS each. */
cdn_status cdni_joint_forces(const hybrid_room *room, cdn_state *state, const sv *acting, double *joints);
/* The same with accelerations A of M's origins and multipliers of all constraints (NULL: none). */
cdn_status cdni_joint_forces_at(const hybrid_room *room, cdn_state *state, const sv *A, const sv *acting,
                                const double *lambda, double *joints);
/* The same of a State whose accelerations are valid, in scratch that the caller gives back (cdn_work_pop); NULL if
 * there are none. */
cdn_status cdni_joints_of(const hybrid_room *room, cdn_state *state, double **joints);
/* How they change with changes of udot and of the multipliers (each number `step` after the one before), and with
 * forces along the equations of one constraint (-1: none). joints[k * step]: number k. O(bodies + constraints). */
typedef struct joint_cause {
  const double *udot, *lambda;
  size_t udot_step, lambda_step;
  int pushed;
  const double *force;
} joint_cause;
cdn_status cdni_joint_change(const hybrid_room *room, cdn_state *state, const joint_cause *cause, size_t step,
                             double *joints);

#endif
