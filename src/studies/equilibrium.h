/* The search for an equilibrium, shared by its two files. equilibrium.c takes steps, equilibrium_model.c chooses
 * them. */
#ifndef CARDAN_STUDIES_EQUILIBRIUM_H
#define CARDAN_STUDIES_EQUILIBRIUM_H

#include <cardan/equilibrium.h>

#include "studies/statics.h"

#define CDNI_NOT_A_STEP 1e-13 /* rad, m */

typedef struct search {
  cdn_state *from, *rest; /* the user's, and the one that the search moves */
  const char *function;
  const cdn_equilibrium_def *def;
  cdn_equilibrium_goal goal; /* of the present search */
  double radius;             /* trust radius of the steps */
  cdn_equilibrium *report;
  double *q, *q0, *middle, *rate, *start; /* nq */
  double *z, *z0;                         /* nz: of a step, and before it */
  double *force, *along;                  /* nu */

  /* The model, in the basis of modes: column k of X has the components of mode k in Z. */
  cdni_statics s;
  cdni_statics_friction friction;
  double imbalance;                      /* |g| */
  double *X, *d, *g;                     /* n x n, n, n: modes, their curvatures, the gradient */
  double *k;                             /* n: the stiffness that the step uses */
  double *y, *v;                         /* n, nu: a step, and its displacement */
  bool *balanced;                        /* nu: mobilities whose own acceleration is within the tolerance */
  bool *idle;                            /* nu: mobilities that no force or constraint depends on */
  double *L, *residual, *U, *VT, *sigma; /* CDN_EQUILIBRIUM_ANY: n x n, n, n x n, n x n, n */
  double *work;
} search;

/* Divides memory for a model of nu mobilities; returns the number of doubles. `at` NULL: counts only. */
size_t cdni_equilibrium_model_divide(search *x, int nu, double *at);

/* Linearizes statics at the present State, and counts the directions for the report. */
cdn_status cdni_equilibrium_model_fill(search *x);
/* Computes y and v for the best step of at most this length; returns the largest element of v. */
double cdni_equilibrium_step(search *x, double radius);
/* The length of y. */
double cdni_equilibrium_length(const search *x);
/* The model's prediction for y: the work, or the decrease of the imbalance. */
double cdni_equilibrium_promise(const search *x);

#endif
