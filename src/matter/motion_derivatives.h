/* Derivatives of prescribed accelerations by q and u: rows of the derivatives of forward dynamics. */
#ifndef CARDAN_MATTER_MOTION_DERIVATIVES_H
#define CARDAN_MATTER_MOTION_DERIVATIVES_H

#include "matter/motion.h"

/* Number of mobilities whose prescribed udot depends on q or u. */
int cdni_motion_varying(const matter *m, const cdn_state *state);
/* The first motion that drives such a mobility; -1: there is none. */
int cdni_motion_first_varying(const matter *m, const cdn_state *state);
/* Its derivatives by q (in the basis of u) or by u: that many rows of nu, in the order of the bodies. */
cdn_status cdni_motion_udot_by(const matter *m, cdn_state *state, const char *function, cdn_pool pool, int rows,
                               double *P);
/* X += M_fp P and X_p = P, for these rows P; M and X are nu x nu. */
void cdni_motion_add_rows(const matter *m, const cdn_state *state, const double *M, const double *P, double *X);
void cdni_motion_set_rows(const matter *m, const cdn_state *state, const double *P, double *X);

/* Whether a motion that is on reads a control. */
bool cdni_motion_reads_control(const matter *m, const cdn_state *state, cdn_control control);
/* Which mobilities (nu flags each) have q, or u, that are prescribed. */
void cdni_motion_held(const matter *m, const cdn_state *state, bool *q, bool *u);
/* Frees q and u of all mobilizers, for differences in a State whose block is restored afterwards. What is prescribed
 * does not give way to forces, as before. */
void cdni_motion_release(const matter *m, cdn_state *state);

#endif
