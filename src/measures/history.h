/* What measures remember of their operands: values at the ends of accepted steps, in a ring of fixed size inside a discrete
 * variable, and polynomials through them.
 *
 * A sample is *fresh* where the run began, or where something other than integration brought the State there: what is
 * before it says nothing of what follows. It is a *kink* where a derivative may jump. Polynomials reach across neither. */
#ifndef CARDAN_MEASURES_HISTORY_H
#define CARDAN_MEASURES_HISTORY_H

#include "measures/internal.h"

/* Marks of samples; kinks have this or a larger number, given by whoever knows of them. */
enum { HISTORY_PLAIN, HISTORY_FRESH, HISTORY_KINK };

typedef struct history {
  int n;          /* numbers in a value */
  bool rates;     /* rates are kept, too */
  int capacity;   /* samples */
  double spacing; /* samples closer than this are thinned out; 0: none are */
} history;

/* Bytes of a ring, which begins empty as zeros. */
size_t cdni_history_size(const history *h);
int cdni_history_count(const void *ring);
/* Sample k, 0 the newest: its time, and its values followed by its rates. */
double cdni_history_time(const history *h, const void *ring, int k);
const double *cdni_history_values(const history *h, const void *ring, int k);

/* The operand of m as it is now: h->n values, and rates if they are kept. */
cdn_status cdni_history_read(const history *h, const measure *m, cdn_state *state, double *values);
/* Takes in a sample at time t; any that are later are forgotten first (time has been set back). */
void cdni_history_push(const history *h, void *ring, double t, const double *values, int mark);
/* At the end of a step: the operand's sample, unless this moment has one already. */
cdn_status cdni_history_advance(const history *h, const measure *m, cdn_state *state, void *ring);
/* At the beginning of a run and after a jump: whether that leaves the newest sample as it is (values: what is now). */
bool cdni_history_continues(const history *h, const void *ring, double t, const double *values);

/* Lists samples for a polynomial, at most `most`: `first` and older ones up to the first that is marked, each at least
 * `apart` before the one listed before it. What is closer would add rounding, and little else. Returns how many. */
int cdni_history_older(const history *h, const void *ring, int first, int most, double apart, int *list);
/* The same of newer ones, none after time `until`: up to a kink, or to what is before a fresh one. */
int cdni_history_newer(const history *h, const void *ring, int first, int most, double apart, double until, int *list);
/* The same of the samples from before time t, where *width becomes how long the newest of them is past: they are an eighth of
 * that apart. None if time t itself is that of a fresh one. */
int cdni_history_before(const history *h, const void *ring, double t, int most, double *width, int *list);
/* The sample that time t follows (t at its time counts, give or take rounding), or -1 if t is before all of them. */
int cdni_history_find(const history *h, const void *ring, double t);
int cdni_history_mark(const history *h, const void *ring, int k);
void cdni_history_set_mark(const history *h, void *ring, int k, int mark);

/* ---- polynomials in Newton's form, through values and rates of one number ---- */

enum { POLYNOMIAL_MOST = 8 };

typedef struct polynomial {
  int n;
  double t[POLYNOMIAL_MOST], c[POLYNOMIAL_MOST], rate[POLYNOMIAL_MOST];
} polynomial;

/* Adds a value; with a rate (not NULL) both, which are two conditions. */
void cdni_polynomial_add(polynomial *p, double t, double value, const double *rate);
/* Adds number i of a sample, with its rate if there is one. */
void cdni_polynomial_add_sample(polynomial *p, const history *h, const void *ring, int k, int i);
/* Call when all has been added. */
void cdni_polynomial_fit(polynomial *p);
/* Its value; and its derivative, if not NULL. */
double cdni_polynomial_at(const polynomial *p, double t, double *derivative);

#endif
