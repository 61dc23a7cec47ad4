/* Derivatives of constraints by q and u: the interface between the kinds and matter's derivatives.
 *
 * An element depends on the placement and motion of its bodies, and on q and u of its mobilities. Its derivatives by
 * these few numbers are computed first, one *change* at a time; then they are combined with the motion of the bodies
 * for every mobility of the tree (matter/derivatives.h). */
#ifndef CARDAN_CONSTRAINTS_DERIVATIVES_H
#define CARDAN_CONSTRAINTS_DERIVATIVES_H

#include "constraints/internal.h"
#include "matter/derivatives.h"

/* A small change of an element's bodies and mobilities, and its effects. Indices are those of the element's lists. */
typedef struct constraint_change {
  const sv *S, *dV;            /* bodies: displacement about M's origin, in Ground, and change of V of that origin */
  const double *dq, *du;       /* mobilities */
  const sv *A;                 /* bodies: accelerations of M's origins, */
  const double *udot, *lambda; /* mobilities, and m: these three are constant */
  bool of_speeds;              /* A and udot are velocities, and the errors are those of velocities */
  /* Results: changes of J^T lambda about M's origins (which move), of g^T lambda, and of the m acceleration errors
   * J A + g udot + bias. Zero on entry. */
  sv *dF;
  double *df, *da;
} constraint_change;

/* derivative_differences.c: computes these for kinds without a function of their own. The copies are at the State's
 * values, and are moved about during the call. */
typedef struct constraint_copy {
  body_pose *pose;
  body_twist *twist;
  double *q, *u, *g, *bias;
  sv *J;
} constraint_copy;
cdn_status cdni_constraint_vary_by_differences(const constraint_view *v, const constraint_copy *copy,
                                               const constraint_change *change);

#endif
