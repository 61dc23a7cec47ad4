/* Norms that judge attempts, and distances of two runs (norm.c). */
#ifndef CARDAN_INTEGRATORS_NORM_H
#define CARDAN_INTEGRATORS_NORM_H

#include <cardan/stepper.h>

/* Projects the error estimate e (ny numbers) and gives the norm that judges the attempt. */
cdn_status cdni_step_norm(cdn_stepper *s, double *e, double *norm);
/* The largest of the three norms (9.12) of an error or a rate. z is relative to the larger of ya and yb; N is that
 * of the present `work`. Leaves E e in s->weighted. */
cdn_status cdni_error_norm(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm);
/* The same at another place, with E e in f: s->weighted stays. */
cdn_status cdni_norm_beside(cdn_stepper *s, cdn_state *place, const double *e, const double *ya, const double *yb,
                            double *f, double *norm);
/* cdni_error_norm in two parts: the weights of u and z in w (ny numbers; those of q stay), and the norm with them; w
 * may be s->weighted. */
void cdni_error_weights(const cdn_stepper *s, const double *ya, const double *yb, double *w);
cdn_status cdni_weighted_norm(cdn_stepper *s, const double *e, const double *w, double *norm);
/* Distance of two y at `place`, a State with the q of one of them: norms of q, u and z in `of`. u is relative to the
 * longer of its vectors in ya and yb, because an error of phase grows with speed. Gives the slot with the largest
 * difference in the pool with the largest norm (-1: there is none). */
cdn_status cdni_distance(cdn_stepper *s, cdn_state *place, const double *ya, const double *yb, double of[3],
                         cdn_pool *pool, int *slot);
/* Fills s->vector and s->q_weight. */
void cdni_find_vectors(cdn_stepper *s);
/* The slot with the largest weighted error, and this error over the norm of all. False if there is none. */
bool cdni_worst_slot(const cdn_stepper *s, cdn_pool *pool, int *i, double *share);

#endif
