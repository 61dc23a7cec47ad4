/* What many runs were worth, and tables of it in Markdown. */
#ifndef CARDAN_ACCURACY_SUMMARY_H
#define CARDAN_ACCURACY_SUMMARY_H

#include <stdio.h>

#include "sweep.h"

enum { SUMMARY_MOST = 128 * ACCURACIES };

/* Of the runs of a problem and a method, or of more. */
typedef struct summary {
  int n, failed;                     /* runs; those of them that ended with a failure: they say so */
  int within;                        /* errors of at most 10 accuracies */
  int said, not_known, false_claims; /* larger errors, by what the run says: not delivered, unknown, delivered */
  int false_alarms;                  /* errors of at most 1 accuracy that a run says it has not delivered */
  /* Estimates, of all runs that came to their end but those apart; those within a factor of 3. */
  int estimates, good_estimates;
  int rounding;         /* apart: runs whose errors are of rounding, at most ten times `floor` */
  int lost;             /* apart: runs whose errors are as large as the motion: above 0.3 */
  int longer, doubtful; /* accuracies left out */
  int crashed;          /* sweeps whose process did not come to its end */
  int64_t evaluations, companion_evaluations;
  int n_ratios;
  double ratio[SUMMARY_MOST]; /* delivered / asked, of the runs that did not fail */
} summary;

/* `floor`: the smallest error of all runs of the problem at tight accuracies, or INFINITY where there are none. */
void summarize(summary *s, const problem *p, const sweep *runs, double floor);
/* The smallest error of those runs whose accuracy is tight (below 1e-9), or INFINITY. */
double smallest_tight_error(const sweep *runs);

/* Tables: a heading, and a row a summary, which sorts its ratios. */
void print_heading(FILE *to, const char *first);
void print_row(FILE *to, const char *first, summary *s);
/* One run with all that is known of it, for people. */
void print_run(FILE *to, const problem *p, const run *r);
/* As an object of JSON. */
void print_json(FILE *to, const problem *p, const run *r, double floor);

#endif
