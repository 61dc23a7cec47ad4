// The same problems in Siconos, where it is installed.
#ifndef CARDAN_BENCH_HYBRID_SICONOS_H
#define CARDAN_BENCH_HYBRID_SICONOS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Steps of Moreau and Jean (theta 1/2) up to `end`, all equal: coordinates in the order of the problem's q, then their
 *  speeds. Returns the seconds of processor time that the steps took. */
typedef double siconos_run(double end, int steps, double *y);
siconos_run siconos_woodpecker, siconos_chain, siconos_rocking;

#ifdef __cplusplus
}
#endif

#endif
