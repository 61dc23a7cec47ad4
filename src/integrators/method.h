/* What an integration method is. A method takes one step from (t0, y0) of a size that the step loop chose, says how
 * far off it may be, and can tell y anywhere within that step. It knows nothing of accuracy, weights, reports or
 * energy: those belong to the loop. A new method is one file that fills a cdni_method; an explicit Runge-Kutta one
 * is a file of coefficients (see explicit_rk.h). */
#ifndef CARDAN_INTEGRATORS_METHOD_H
#define CARDAN_INTEGRATORS_METHOD_H

#include <cardan/stepper.h>

#include "core/core.h"

/* One step. The loop fills the upper half, the method the lower half. */
typedef struct cdni_step {
  double t0, t1, h;      /* h = t1 - t0, exactly as a stage should see it */
  const double *y0, *f0; /* y and ydot at t0 */
  double power0;         /* power of the forces without potential at t0 */

  double *y1, *f1; /* y at t1, on the manifold, and ydot there */
  double power1;
  double work;   /* integral of the power, by the method's own weights */
  double *error; /* estimate of the local error, without weights */
} cdni_step;

typedef struct cdni_method cdni_method;
struct cdni_method {
  const char *name;
  /* Power of h with which the error estimate shrinks: what the step size control goes by. */
  int error_order;
  /* How many doubles of memory of its own the method wants for ny variables (64-byte aligned, kept over steps). */
  size_t (*memory)(const cdni_method *method, int ny);
  /* Fills the lower half of s->step. A failure of an evaluation is passed on as it is. */
  cdn_status (*attempt)(cdn_stepper *s);
  /* y at t0 + theta h of the last accepted step, unprojected, and the work done up to there. */
  void (*interpolate)(const cdn_stepper *s, double theta, double *y, double *work);
  /* Coefficients, for methods that share their code. */
  const void *data;
};

extern const cdni_method cdni_dormand_prince;

/* ---- what a method may ask of the loop ---- */

/* ydot and power at a trial point; ydot is copied out. */
cdn_status cdni_evaluate(cdn_stepper *s, double t, const double *y, double *ydot, double *power);
/* The end of a step: brings y1 to the manifold in place and fills f1 and power1 there, where the next step starts.
 * raw (may be NULL) receives the rates that belong to y1 as it was handed in, for estimates and dense output. */
cdn_status cdni_arrive(cdn_stepper *s, double *raw);

#endif
