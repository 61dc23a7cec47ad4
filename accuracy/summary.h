/* What many runs were worth, and tables of it in Markdown. */
#ifndef CARDAN_ACCURACY_SUMMARY_H
#define CARDAN_ACCURACY_SUMMARY_H

#include <stdio.h>

#include "sweep.h"

/* Of the runs of a problem and a method, or of more. */
typedef struct summary {
  int n;                  /* runs that came to their end, or were right to fail */
  int failed;             /* that ended with a failure */
  int within;             /* errors of at most 10 accuracies */
  int beyond, far_beyond; /* CDN_OK, errors above 10 and above 1000 accuracies */
  int rounding;           /* of those beyond: asked for less than ten times what any run attained */
  int longer, doubtful;   /* accuracies left out */
  int crashed;            /* sweeps whose process did not come to its end */
  int n_ratios;
  double ratio[ACCURACIES * 128]; /* delivered / asked, of the runs that came to their end */
} summary;

/* `floor`: the smallest error that any run of the problem has. */
void summarize(summary *s, const problem *p, const sweep *runs, double floor);
/* The smallest error of any of these runs, or INFINITY. */
double smallest_error(const sweep *runs);

/* Tables: a heading, and a row a summary. Ratios are sorted by it. */
void print_heading(FILE *to, const char *first);
void print_row(FILE *to, const char *first, summary *s);
/* One run with all that is known of it, for people. */
void print_run(FILE *to, const problem *p, const run *r);
/* As an object of JSON. */
void print_json(FILE *to, const problem *p, const run *r, bool rounding);

#endif
