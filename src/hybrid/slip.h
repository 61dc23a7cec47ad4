/* Friction that slips: its law, and what presses on it. Private to the room. */
#ifndef CARDAN_HYBRID_SLIP_H
#define CARDAN_HYBRID_SLIP_H

#include "hybrid/internal.h"
#include "math/lu.h"
#include "matter/operators.h"

/* A force along the equations of `push` that follows reactions: that of friction that slips (its number among
 * frictions), or of a kept reaction (counted on from there). */
typedef struct follower {
  const char *name;
  int push, n;
  bool keeps;
} follower;
follower cdni_follower(const hybrid_room *room, int i);
static inline int hybrid_followers(const hybrid_room *room) { return hybrid_frictions(room) + hybrid_kept(room); }
bool cdni_follower_acts(const hybrid_room *room, const double *statuses, int i);

/* At the present speed of slip v: its direction e, v along it, and the coefficient. The force along the equations is
 * -pull times its size; scale: that of the second equation (friction_scale). */
typedef struct friction_law {
  double v[CONE_MOST_TANGENTS], e[CONE_MOST_TANGENTS], along, mu, pull[CONE_MOST_TANGENTS], scale;
} friction_law;
cdn_status cdni_follower_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out);
cdn_status cdni_friction_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out);
/* The forces of all followers, FOLLOWER_NUMBERS each; that of one. */
double *cdni_hybrid_forces(const hybrid_room *room, cdn_state *state);
static inline double *follower_force(const hybrid_room *room, cdn_state *state, int i) {
  return cdni_hybrid_forces(room, state) + FOLLOWER_NUMBERS * i;
}
/* Behind them: how far from a jam they are, and by friction how well a slip that begins follows its acceleration. */
static inline double *hybrid_ease(const hybrid_room *room, cdn_state *state) {
  return follower_force(room, state, hybrid_followers(room));
}
static inline double *hybrid_steers(const hybrid_room *room, cdn_state *state) { return hybrid_ease(room, state) + 1; }
/* Whether friction i slips so slowly, along two or three equations, that the direction of its slip follows its
 * acceleration: how well it does, 1: at best, negative: not at all. NAN: it does not begin. Stage of the second:
 * Acceleration. */
bool cdni_friction_begins(const hybrid_room *room, const double *statuses, int i);
double cdni_friction_steers(const hybrid_room *room, cdn_state *state, int i);
/* How far friction that slips is from jamming: 1 where pushes do not follow from it, towards 0 where they grow without
 * bound (Painleve). Stage: Acceleration. */
double cdni_hybrid_ease(const hybrid_room *room, cdn_state *state);
/* The columns of the followers that act, and their number: one each, and of a slip that begins one for each
 * equation, along the direction of its status and across (`across`: 0 along, then 1, 2). NULL: only counted. */
int cdni_slip_list_columns(const hybrid_room *room, const cdn_state *state, int *elements, int *across);
/* Their laws, with these directions; the part of a force (as in cdni_hybrid_forces) that is against one. */
cdn_status cdni_slip_laws(const hybrid_room *room, cdn_state *state, int n, const int *elements, const int *across,
                          friction_law *laws);
static inline double cdni_slip_along(const friction_law *law, const double *force) {
  return -(force[0] * law->e[0] + force[1] / law->scale * law->e[1] + force[2] * law->e[2]);
}
/* Whether column i, across a slip that begins, turns it at all. B: accelerations along the n columns by each. */
bool cdni_slip_turns(int n, const double *B, const int *across, int i);
/* Generalized forces, a column each (nu x n): each follower pushes with 1 against its slip, one that keeps a reaction
 * against its equation. G: room for the rows of one. */
cdn_status cdni_slip_columns(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                             const friction_law *laws, double *G, double *X);
/* For the answer X and L to these columns: how what mobilizers transmit follows each (JOINT_NUMBERS rows of each
 * friction that a mobilizer presses, n columns). */
cdn_status cdni_slip_joints(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                            const friction_law *laws, const double *X, const double *L, double *J);

#endif
