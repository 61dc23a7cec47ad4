/* Backward differences of the orders 3 to 5 amplify oscillations that are hardly damped, if a step is more than about a
 * fifteenth of the period. A pile that rests has such oscillations. Nothing drives them, and yet they grow from
 * rounding up to the tolerance, and keep steps that short forever. The orders 1 and 2 damp them, with steps of any
 * size. */
#ifndef CARDAN_INTEGRATORS_SUNDIALS_ORDER_H
#define CARDAN_INTEGRATORS_SUNDIALS_ORDER_H

#include "core/archive.h"

typedef struct cdni_order_guard {
  double *e[2]; /* weighted error estimates of the last two steps, the older one first */
  int known;    /* so many of them are known, all of steps of this size and order */
  int order;
  double h;
  double along, square; /* sums over the last steps: e.(before + behind) / 2, and e.e */
  int terms;            /* in these sums */
  /* Sums of e.Se, e.SSe and e.e, with S = (1 - gamma J)^-1 of Newton's equations, over steps in which something
   * oscillates. */
  double once, twice, plain;
  int answers;         /* in these sums */
  bool low;            /* the orders are at most 2 */
  int64_t steps, hold; /* steps since the limit was set or lifted; it is set for so many steps at least */
} cdni_order_guard;

void cdni_order_guard_begin(cdni_order_guard *g, double *memory, int stride);
/* The estimates so far are not followed by the next one. */
void cdni_order_guard_forget(cdni_order_guard *g);
/* What comes of a step. */
typedef enum cdni_order_verdict { CDNI_ORDER_GOOD, CDNI_ORDER_SUSPECT, CDNI_ORDER_CHANGED } cdni_order_verdict;
/* Takes note of a step whose weighted error estimate is e (n numbers). If the step is suspect, the model is asked. */
cdni_order_verdict cdni_order_guard_note(cdni_order_guard *g, double h, int order, const double *e, int n);
/* What the model says of the e of this step: Se and SSe, weighted. */
cdni_order_verdict cdni_order_guard_ask(cdni_order_guard *g, double gamma, const double *Se, const double *SSe, int n);
void cdni_order_guard_archive(cdni_order_guard *g, cdni_archive *a);

#endif
