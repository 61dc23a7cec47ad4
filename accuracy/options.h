/* The command line. */
#ifndef CARDAN_ACCURACY_OPTIONS_H
#define CARDAN_ACCURACY_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

enum { NAMES_MOST = 32 };

typedef struct options {
  const char *problem[NAMES_MOST], *method[NAMES_MOST]; /* names, or beginnings of names with a * behind; none: all */
  int n_problems, n_methods;
  double accuracy;  /* the only one; 0: those of the plan */
  int each;         /* every so many of the 91 accuracies */
  double seconds;   /* what a run may take, by estimate */
  int workers;      /* processes */
  bool companion;   /* runs estimate their errors */
  bool deliver;     /* only studies that deliver, no plain runs */
  bool verbose;     /* every run */
  bool list;        /* the problems, and nothing else */
  const char *json; /* where all rows go, or NULL */
} options;

/* False where the program is to end, with its exit status in *code. */
bool parse_options(int argc, char **argv, options *out, int *code);
bool options_want(const char *const *names, int n, const char *name);

#endif
