/* Small convex problems with bounds: lambda that minimizes 1/2 lambda^T K lambda - r^T lambda with lower <= lambda
 * <= upper. */
#ifndef CARDAN_MATH_BOX_H
#define CARDAN_MATH_BOX_H

#include <stdint.h>

#include "core/core.h"

/* What holds a lambda at the solution. */
typedef enum cdni_box_side {
  CDNI_BOX_FREE,     /* its equation, (K lambda)_i = r_i */
  CDNI_BOX_AT_LOWER, /* its lower bound */
  CDNI_BOX_AT_UPPER, /* its upper bound */
  CDNI_BOX_HELD      /* nothing: the others meet its equation, which depends on theirs */
} cdni_box_side;

typedef struct cdni_box {
  int n;
  const double *K;     /* n x n, symmetric and positive semidefinite */
  const double *whole; /* n: the diagonal of K before anything was eliminated; rounding in K is relative to it */
  const double *r;     /* n */
  const double *size;  /* n: the sizes of the terms that r was summed from; rounding in r is relative to them */
  const double *lower, *upper; /* n; infinite: no bound */
} cdni_box;

typedef enum cdni_box_result {
  CDNI_BOX_SOLVED,
  CDNI_BOX_CONTRADICTION, /* no lambda is least: *which can grow for ever, and its equation comes no nearer */
  CDNI_BOX_TOO_LONG       /* more exchanges than cdni_box_most_exchanges(n) */
} cdni_box_result;

int cdni_box_most_exchanges(int n);
/* Numbers of scratch. */
size_t cdni_box_scratch(int n);
/* Finds on which side each lambda is, and its value. The values of those that are free have the rounding of all
 * exchanges: solve their equations once more. The results follow from the numbers given alone. */
cdni_box_result cdni_box_solve(const cdni_box *box, double *lambda, int32_t *side, int *which, double *scratch);

#endif
