/* How constraints vary with q and u: what the kinds bring, and what matter's derivatives take.
 *
 * An element depends on the placement and motion of the bodies that it names, and on q and u of the mobilities that it
 * names. Its derivatives with respect to these few numbers are found first, one *change* at a time, and then met with how
 * every mobility of the tree moves the bodies (matter/derivatives.h). */
#ifndef CARDAN_CONSTRAINTS_DERIVATIVES_H
#define CARDAN_CONSTRAINTS_DERIVATIVES_H

#include "constraints/internal.h"
#include "matter/derivatives.h"

/* A small change of what an element names, and what comes of it. All by place in the element's lists. */
typedef struct constraint_change {
  const sv *S, *dV;            /* bodies: displacement about M's origin, in Ground, and change of V of that origin */
  const double *dq, *du;       /* mobilities */
  const sv *A;                 /* bodies: accelerations of M's origins, */
  const double *udot, *lambda; /* mobilities, and m: these three are constant */
  /* Found: changes of J^T lambda about M's origins (which move), of g^T lambda, and of the m acceleration errors
   * J A + g udot + bias. Zero before. */
  sv *dF;
  double *df, *da;
} constraint_change;

/* derivative_differences.c: the same for kinds that do not bring it. The copies are where the State is, and are moved about
 * meanwhile. */
typedef struct constraint_copy {
  body_pose *pose;
  body_twist *twist;
  double *q, *u, *g, *bias;
  sv *J;
} constraint_copy;
cdn_status cdni_constraint_vary_by_differences(const constraint_view *v, const constraint_copy *copy,
                                               const constraint_change *change);

#endif
