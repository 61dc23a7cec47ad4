/* Gragg's, Bulirsch's and Stoer's method in long double, for the truth of problems whose equations can be written
 * down. */
#ifndef CARDAN_ACCURACY_EXTRAPOLATION_H
#define CARDAN_ACCURACY_EXTRAPOLATION_H

enum { EXTRAPOLATION_MOST = 32 }; /* variables */

/* f = dx/dt */
typedef void extrapolation_rates(const void *self, long double t, const long double *x, long double *f);

typedef struct extrapolation {
  extrapolation_rates *rates;
  const void *self;
  int n;
  long double t, x[EXTRAPOLATION_MOST];
  long double lost[EXTRAPOLATION_MOST]; /* what rounding has taken from x; zeros to begin with */
  long double step;                     /* to be tried next; 0: not known yet */
} extrapolation;

/* Goes on to `end`, with local errors of some roundings. */
void extrapolate_to(extrapolation *e, long double end);

#endif
