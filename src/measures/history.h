/* Histories of operands: values at the ends of accepted steps, in a ring of fixed size inside a discrete variable,
 * and polynomials through them.
 *
 * A sample is *fresh* if the run began there, or if something other than integration brought the State there:
 * samples before it say nothing about the values after it. A sample is a *kink* if a derivative may jump there.
 * Polynomials span neither. */
#ifndef CARDAN_MEASURES_HISTORY_H
#define CARDAN_MEASURES_HISTORY_H

#include "measures/internal.h"

/* Marks of samples. A kink has this or a larger number, given by its source. */
enum { HISTORY_PLAIN, HISTORY_FRESH, HISTORY_KINK };

typedef struct history {
  int n;          /* numbers in a value */
  bool rates;     /* rates are kept as well */
  int capacity;   /* most samples */
  double spacing; /* samples closer together than this (s) are thinned out; 0: none are */
} history;

/* Bytes of a ring; zeros are an empty ring. */
size_t cdni_history_size(const history *h);
int cdni_history_count(const void *ring);
/* Sample k (0: the newest): its time, and its values followed by its rates. */
double cdni_history_time(const history *h, const void *ring, int k);
const double *cdni_history_values(const history *h, const void *ring, int k);

/* The present operand of m: h->n values, and rates if they are kept. */
cdn_status cdni_history_read(const history *h, const measure *m, cdn_state *state, double *values);
/* Adds a sample at time t. Later samples are dropped first, because the time has been set back. */
void cdni_history_push(const history *h, void *ring, double t, const double *values, int mark);
/* At the end of a step: adds the operand's sample, unless there is one of this moment. */
cdn_status cdni_history_advance(const history *h, const measure *m, cdn_state *state, void *ring);
/* At the start of a run and after a jump: whether the newest sample still holds (values: the present ones). */
bool cdni_history_continues(const history *h, const void *ring, double t, const double *values);

/* Lists samples for a polynomial, at most `most`: `first` and older ones up to the first marked one, each at least
 * `apart` before the one listed before it. Closer samples would add little but rounding. Returns the number. */
int cdni_history_older(const history *h, const void *ring, int first, int most, double apart, int *list);
/* Likewise newer samples, none after time `until`, up to a kink or to the sample before a fresh one. */
int cdni_history_newer(const history *h, const void *ring, int first, int most, double apart, double until, int *list);
/* Likewise the samples before time t, an eighth of *width apart; *width becomes the time from the newest of them to
 * t. None, if t is the time of a fresh sample. */
int cdni_history_before(const history *h, const void *ring, double t, int most, double *width, int *list);
/* The last sample at or before time t (t may be earlier by rounding), or -1 if t is before all samples. */
int cdni_history_find(const history *h, const void *ring, double t);
int cdni_history_mark(const history *h, const void *ring, int k);
void cdni_history_set_mark(const history *h, void *ring, int k, int mark);

/* ---- polynomials in Newton's form, through values and rates of one number ---- */

enum { POLYNOMIAL_MOST = 8 };

typedef struct polynomial {
  int n;
  double t[POLYNOMIAL_MOST], c[POLYNOMIAL_MOST], rate[POLYNOMIAL_MOST];
} polynomial;

/* Adds a value, and a rate if it is not NULL: one or two conditions. */
void cdni_polynomial_add(polynomial *p, double t, double value, const double *rate);
/* Adds number i of a sample, with its rate if rates are kept. */
void cdni_polynomial_add_sample(polynomial *p, const history *h, const void *ring, int k, int i);
/* Call after the last addition. */
void cdni_polynomial_fit(polynomial *p);
/* The value of the polynomial; and its derivative, if not NULL. */
double cdni_polynomial_at(const polynomial *p, double t, double *derivative);

#endif
