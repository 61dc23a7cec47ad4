/* The way downhill, in O(n) a step: limited-memory BFGS with a line search, on the walks of equilibrium_walk.c. */
#ifndef CARDAN_STUDIES_DESCENT_H
#define CARDAN_STUDIES_DESCENT_H

#include "studies/equilibrium.h"

typedef enum descent_end {
  DESCENT_BALANCED,    /* forces are within the tolerance, or the next step would be shorter than the least one */
  DESCENT_ROUNDING,    /* rounding hides what a step would gain */
  DESCENT_NO_STEP,     /* no step gives up energy */
  DESCENT_EVALUATIONS, /* no more are allowed */
} descent_end;

typedef struct descent {
  search *x; /* from, rest, report, and the memory of walks */
  double tolerance, least_step, largest_step;
  int most_evaluations;
  /* results */
  int evaluations, iterations;
  double worst; /* the largest generalized force, of mobility worst_u (-1: none) */
  int worst_u;
  descent_end end;
  cdn_status failed; /* of the last step that was tried */

  double *slope, *covector;     /* nu: -udot, and -M udot: the gradient in the metric of M */
  double *direction;            /* nu */
  double *work;                 /* nu */
  double *steps, *turns, *rows; /* of the memory, nu each: displacements, changes of slope, changes of covector */
  double *weight, *share;       /* of the memory: 1 / (step . row), and the sums of the first loop */
  int first, kept;              /* the oldest in the ring, and how many */
  double scale;                 /* the inverse of stiffness over mass along the last step; 0: not known */
  cdn_spatial *V;               /* one for each body */
  double *places;               /* 3 for each body */
} descent;

/* Divides memory, beside that of the walks; returns the number of doubles. `at` NULL: counts only. */
size_t cdni_descent_divide(descent *d, double *at);
/* Goes down from where d->x->rest is, which fulfils the constraints; it is at the end afterwards. Energy never rises by
 * more than rounding. report->work adds up what was given up. Fails only where the start cannot be evaluated. */
cdn_status cdni_descent_run(descent *d);

#endif
