/* The search for an equilibrium: what its two files share. equilibrium.c walks, equilibrium_model.c says where to. */
#ifndef CARDAN_STUDIES_EQUILIBRIUM_H
#define CARDAN_STUDIES_EQUILIBRIUM_H

#include <cardan/equilibrium.h>

#include "studies/statics.h"

#define CDNI_NOT_A_STEP 1e-13 /* rad, m */

typedef struct search {
  cdn_state *rest;
  const char *function;
  const cdn_equilibrium_def *def;
  cdn_equilibrium_goal goal; /* at present */
  double radius;             /* of the steps taken */
  cdn_equilibrium *report;
  double *q, *q0, *middle, *rate, *start; /* nq */
  double *force, *along;                  /* nu */

  /* The model. In the basis of modes: columns of X are Z's numbers. */
  cdni_statics s;
  double imbalance;                      /* |g| */
  double *X, *d, *g;                     /* n x n, n, n: modes, their curvatures, the gradient */
  double *k;                             /* n: the stiffness that steps take */
  double *y, *v;                         /* n, nu: a step, and its displacement */
  bool *balanced;                        /* nu: mobilities whose own acceleration is within the tolerance */
  bool *idle;                            /* nu: mobilities that nothing concerns */
  double *L, *residual, *U, *VT, *sigma; /* any equilibrium: n x n, n, n x n, n x n, n */
  double *work;
} search;

/* The doubles that a model of nu mobilities takes; `at` NULL: only counts. */
size_t cdni_equilibrium_model_divide(search *x, int nu, double *at);

/* Linearizes statics where the State is, and counts the directions for the report. */
cdn_status cdni_equilibrium_model_fill(search *x);
/* y and v for the best step of at most this length; returns the largest number of v. */
double cdni_equilibrium_step(search *x, double radius);
/* The length of y. */
double cdni_equilibrium_length(const search *x);
/* What the model promises of y: the work, or how much less unbalanced the State will be. */
double cdni_equilibrium_promise(const search *x);

#endif
