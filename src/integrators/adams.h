/* The memory of the Adams method, and the interface between its two files: adams.c takes a step and estimates its
 * error; adams_order.c chooses the order and the size of the next step. "The book" is Shampine and Gordon (1975). */
#ifndef CARDAN_INTEGRATORS_ADAMS_H
#define CARDAN_INTEGRATORS_ADAMS_H

#include "integrators/method.h"

enum {
  ADAMS_MOST = 12,             /* highest order of the predictor */
  ADAMS_KEPT = ADAMS_MOST + 2, /* differences kept: one more than order 12 needs shows whether 13 would be better */
};

/* The next step aims at this error, over the tolerance. Measured: docs/constants.md. */
#define ADAMS_TARGET 0.2
/* Lower bound of the error estimate, as a part of the last term. Measured: docs/constants.md. */
#define ADAMS_LEAST 0.2
/* If the last term is this many tolerances, no correction makes the step good enough. Measured: docs/constants.md. */
#define ADAMS_HOPELESS 2

/* Squared distances of the corrected from the predicted solution, and of their rates, and the inner product of both
 * differences. */
typedef struct cdni_adams_apart {
  double y, f, both;
} cdni_adams_apart;

/* Lies at the start of the stepper's method memory, and has no pointers. Array indices begin at 1 as in the book.
 * Errors are divided by the tolerance. */
typedef struct cdni_adams_memory {
  int at;        /* block of memory that has the history */
  int held;      /* number of valid differences; 0: start anew at the next attempt */
  int order;     /* of the next attempt's predictor */
  int failures;  /* attempts in a row that were rejected */
  int patience;  /* steps to go before the size may grow again after a rejected attempt */
  bool starting; /* start phase: order and step size grow together as long as errors allow */
  bool cornered; /* the last attempt was rejected because of a kink */
  double ratio;  /* next step over the last */

  /* Of the last attempt: */
  bool fall; /* one order less is no worse */
  bool kink; /* its difference is not that of a smooth motion */
  /* sizes of the last terms at orders k, k - 1, k - 2, for comparing the orders */
  double term, term_below, term_two_below;
  double correction;     /* size of the correction of the predicted solution */
  double error;          /* of the corrected solution */
  double iteration;      /* the part of the error that another correction would remove */
  double expected_error; /* expected error of the next attempt; 0: unknown */

  /* An estimate of the Jacobian from the corrections. */
  cdni_adams_apart apart[3],
      apart_mean[3]; /* of q, u, z: in the last attempt, and summed over steps that fade with time */
  double jacobian;   /* the size of the Jacobian */
  double damping;    /* minus the cosine of the angle of its eigenvalues: 1 for pure damping */

  double psi[ADAMS_KEPT + 2]; /* t - t_(n - i) at the last accepted step */
  /* The polynomial of the last attempt's step, also if an event has cut the step short: */
  int terms, work_terms; /* numbers of its differences, and of those of the power */
  int dense;             /* block of memory that has them */
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
