/* What the Adams method remembers between steps, and what its two files know of each other: adams.c takes a step and tells its
 * error, adams_order.c chooses order and size of the next one. */
#ifndef CARDAN_INTEGRATORS_ADAMS_H
#define CARDAN_INTEGRATORS_ADAMS_H

#include "integrators/method.h"

enum {
  ADAMS_MOST = 12,             /* highest order of the predictor */
  ADAMS_KEPT = ADAMS_MOST + 2, /* differences kept: one more than order 12 needs tells whether 13 would be better */
};

/* Error over the tolerance that the next step aims at. */
#define ADAMS_TARGET 0.2
/* The error that is carried on counts as at least this part of the last term, without which there would be nothing to tell it by. */
#define ADAMS_LEAST 0.2
/* With a last term of so many tolerances no correction makes a step good enough. */
#define ADAMS_HOPELESS 2

/* Squares of the distance of the corrected solution from the predicted one and of that of their rates, and the inner product of
 * the two. */
typedef struct cdni_adams_apart {
  double y, f, both;
} cdni_adams_apart;

/* Lies at the start of the stepper's method memory, and holds no pointers. Arrays are counted from 1 as in the book. Errors are
 * over the tolerance. */
typedef struct cdni_adams_memory {
  int at;        /* the block of the history */
  int held;      /* differences that are there; 0: start anew at the next attempt */
  int order;     /* of the next attempt's predictor */
  int failures;  /* attempts in a row that were rejected */
  int patience;  /* steps to go before the size may grow again after a rejected attempt */
  bool starting; /* order and step go up together as long as nothing speaks against it */
  bool cornered; /* the last attempt was rejected because of a kink */
  double ratio;  /* next step over the last */

  /* Of the last attempt: */
  bool fall; /* one order less is no worse */
  bool kink; /* its difference is none of a smooth motion */
  /* sizes of the last terms at orders k, k - 1, k - 2: they tell the orders apart */
  double term, term_below, term_two_below;
  double correction;     /* by how much the predicted solution was corrected */
  double error;          /* of the corrected solution */
  double iteration;      /* the part of it that another correction would take away */
  double expected_error; /* what the next attempt's should be like; 0: nobody knows */

  /* The Jacobian as the steps see it. */
  cdni_adams_apart apart[3],
      apart_mean[3]; /* of q, u, z: in the last attempt, and summed over steps that fade with time */
  double jacobian;   /* its size */
  double damping;    /* minus the cosine of its eigenvalues' angle: 1 where motion is damped */

  double psi[ADAMS_KEPT + 2]; /* t - t_(n - i) at the last accepted step */
  /* Of the polynomial through the last attempt's step, whether or not an event has cut it short: */
  int terms, work_terms; /* its differences, and those of the power */
  int dense;             /* the block that they are in */
  double terms_psi[ADAMS_KEPT + 2];
  double try_psi[ADAMS_KEPT + 2], beta[ADAMS_KEPT + 2], sigma[ADAMS_KEPT + 3], g[ADAMS_KEPT + 2];
} cdni_adams_memory;

/* |gamma*_k|: error constants of the Adams-Moulton formulas. */
extern const double cdni_adams_moulton[ADAMS_MOST + 2];

cdni_adams_memory *cdni_adams_memory_of(const cdn_stepper *s);
/* phi_i of the book, i = 1 .. ADAMS_KEPT, of the last accepted step. */
double *cdni_adams_history(const cdn_stepper *s, int i);

/* adams_order.c: after an accepted step. */
void cdni_adams_choose(cdn_stepper *s);
/* After an attempt that was rejected: the size of the next one. */
double cdni_adams_retreat(cdn_stepper *s, double h, double error);

#endif
