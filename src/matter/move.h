/* Where coordinates come at constant speeds, as steps of equal size move them; and how that varies. */
#ifndef CARDAN_MATTER_MOVE_H
#define CARDAN_MATTER_MOVE_H

#include "matter/matter.h"

/* The ways of quaternions: along their rate, afterwards normalized; or at constant angular velocity. Every other q
 * moves by h qdot. */
typedef enum move_way { MOVE_STRAIGHT, MOVE_TURN } move_way;

/* q1 = q0 after h at the speeds u, for a State at q0 (all its q and u), with one lane or several, and nq numbers a
 * lane; quaternions are not normalized. `qdot`: room for as many. q1 may be the place of neither q0 nor u. */
cdn_status cdni_move(cdn_state *state, move_way way, int lanes, int nq, const double *h, const double *q0,
                     const double *u, double *qdot, double *q1);
/* Moves the State, and normalizes. by_q and by_u: how its new q vary with the old ones and with u, in the tangent bases
 * of both; six numbers in each row of nu, those of the mobilities of the row's own joint. */
enum { MOVE_COLUMNS = 6 };
cdn_status cdni_move_vary(cdn_state *state, const char *function, move_way way, double h, const double *u, double *by_q,
                          double *by_u);

/* d(N u)/dq of one joint; elements that are not set are zero. */
typedef double rate_block[7][7];
void cdni_rate_block(const matter *m, const tree_node *n, const double *q, const double *u, rate_block D);
/* Fails, naming the joint, where displacements by speeds do not form a tangent basis of their own. */
cdn_status cdni_refuse_nonholonomic(cdn_state *state, const matter *m, const char *function);

#endif
