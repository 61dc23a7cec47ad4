/* What the Adams method remembers between steps. */
#ifndef CARDAN_INTEGRATORS_ADAMS_H
#define CARDAN_INTEGRATORS_ADAMS_H

#include "integrators/method.h"

enum {
  ADAMS_MOST = 12,             /* highest order of the predictor */
  ADAMS_KEPT = ADAMS_MOST + 2, /* differences kept: one more than order 12 needs tells whether 13 would be better */
};

/* Error over the tolerance that the next step aims at. */
#define ADAMS_TARGET 0.2
/* A step that could grow by less is left as it is: coefficients of equal steps are the most stable ones. */
#define ADAMS_DEADBAND 1.1
/* An error so many times the one expected is none of a smooth motion. */
#define ADAMS_SURPRISE 10
/* Part of the interval of stability that steps should keep to: what is known of the Jacobian is a guess. */
#define ADAMS_STABLE 0.6
/* What a step counts for in that guess beside the one after it. */
#define ADAMS_FADING 0.6

/* Lies at the start of the stepper's method memory, and holds no pointers. Arrays are counted from 1 as in the book. */
typedef struct cdni_adams_memory {
  int at;        /* the block of the history */
  int held;      /* differences that are there; 0: start anew at the next attempt */
  int order;     /* of the next attempt's predictor */
  int failures;  /* attempts in a row that were rejected */
  int patience;  /* steps to go before the size may grow again after a rejected attempt */
  bool starting; /* order and step go up together as long as nothing speaks against it */
  bool fall;     /* the last attempt says that one order less is no worse */
  double ratio;  /* next step over the last */
  double error_here, error_below, error_two_below; /* over the tolerance */
  double expected;                                 /* what the next attempt's should be like; 0: nobody knows */
  /* Squares of the distance of the corrected solution from the predicted one and of that of their rates, in the last attempt
   * and summed over steps that fade with time: the root of their ratio is the size of the Jacobian. */
  double y_apart, f_apart, y_apart_mean, f_apart_mean;
  double psi[ADAMS_KEPT + 2]; /* t - t_(n - i) at the last accepted step */
  /* Of the polynomial through the last attempt's step, whether or not an event has cut it short: */
  int terms, work_terms; /* its differences, and those of the power */
  int dense;             /* the block that they are in */
  double terms_psi[ADAMS_KEPT + 2];
  double try_psi[ADAMS_KEPT + 2], beta[ADAMS_KEPT + 2], sigma[ADAMS_KEPT + 3], g[ADAMS_KEPT + 2];
} cdni_adams_memory;

#endif
