/* Studies that deliver (cardan/deliver.h): what they deliver against what was asked of them, and against a plain
 * run. */
#ifndef CARDAN_ACCURACY_DELIVERY_H
#define CARDAN_ACCURACY_DELIVERY_H

#include <stdio.h>

#include "run.h"

enum { DELIVERIES = 46 }; /* accuracies, 10^0.2 apart, from 1e-1 to 1e-10 */

/* One study. The plain run is its first attempt. */
typedef struct study {
  bool ran;
  cdn_status status;
  double accuracy;
  double plain_error, error; /* the largest distances from the truth, of the plain run and of the run that is kept */
  cdn_verdict plain, verdict;
  double plain_estimate, estimate;
  int64_t plain_evaluations; /* of the run alone */
  cdn_delivery delivery;
} study;

typedef struct studies {
  bool done;
  study all[DELIVERIES];
} studies;

/* Of one problem, from loose to tight, every `each`-th accuracy, or only this one. Accuracies at which a plain run
 * takes more than `seconds`, by its evaluations, are left out. */
void run_studies(const problem *p, const true_motion *truth, cdn_method method, int each, double only, double seconds,
                 studies *out);

/* A table: a heading, and a row for some problems. */
void print_delivery_heading(FILE *to);
void print_delivery_row(FILE *to, const char *first, const studies *const *some, int n);
/* Every study, for people. */
void print_studies(FILE *to, const problem *p, const studies *s);

#endif
