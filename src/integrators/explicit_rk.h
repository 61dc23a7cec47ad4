/* Explicit Runge-Kutta methods by their coefficients. The rate at the end of a step is always evaluated, on the
 * manifold, and serves three times: as a further stage of the error estimate, in the dense output, and as the first
 * stage of the next step (first same as last). */
#ifndef CARDAN_INTEGRATORS_EXPLICIT_RK_H
#define CARDAN_INTEGRATORS_EXPLICIT_RK_H

#include "integrators/method.h"

#define CDNI_RK_STAGES 15

typedef struct cdni_rk_tableau {
  int stages;      /* the one at the end of the step not counted */
  const double *c; /* stages */
  const double *a; /* lower triangle without the diagonal, row after row: a21, a31, a32, a41, ... */
  const double *b; /* stages */
  const double *e; /* stages + 1: b minus the embedded method's weights; the last is that of the end */
  /* Weights (stages + 1) of the continuous extension at theta in [0, 1]. */
  void (*dense)(double theta, double *b);
} cdni_rk_tableau;

size_t cdni_rk_memory(const cdni_method *method, int ny);
cdn_status cdni_rk_attempt(cdn_stepper *s);
void cdni_rk_interpolate(const cdn_stepper *s, double theta, double *y, double *work);

#endif
