// The woodpecker toy in Siconos, where it is installed.
#ifndef CARDAN_BENCH_HYBRID_SICONOS_H
#define CARDAN_BENCH_HYBRID_SICONOS_H

#ifdef __cplusplus
extern "C" {
#endif

/** Steps of Moreau and Jean (theta 1/2) up to `end`: y, phi_M, phi_S, then their speeds. Returns the seconds of
 *  processor time that the steps took. */
double siconos_woodpecker(double end, int steps, double y[6]);

#ifdef __cplusplus
}
#endif

#endif
