/* How far a motion is from the truth, in the norm by which runs are asked for an accuracy. */
#ifndef CARDAN_ACCURACY_DISTANCE_H
#define CARDAN_ACCURACY_DISTANCE_H

#include <cardan/cardan.h>

typedef struct distance {
  double q, u, z; /* of the pools; 0 for a pool without variables */
  cdn_pool pool;  /* the variable that is farthest off */
  int slot;
} distance;

/* Of `at` from the truth y = (q, u, z). `scratch`, another State of the System, is overwritten. What is prescribed does
 * not count. q: root mean square of N^+ dq over mobilities, quaternions of unit length and of the nearer sign. u: root
 * mean square, each mobilizer's speeds relative to the length of their vector where that exceeds 1. z: root mean
 * square, each relative to its size above 1. */
distance distance_of(const cdn_state *at, const double *y, cdn_state *scratch);
/* The largest of the three. */
double distance_norm(const distance *d);

#endif
