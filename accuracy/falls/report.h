/* Many scenes, by all methods, in processes of their own, and tables of what came out. */
#ifndef CARDAN_ACCURACY_REPORT_H
#define CARDAN_ACCURACY_REPORT_H

#include "scene.h"

typedef struct falls_request {
  uint64_t seed;
  int scenes, first;
  int only; /* a single scene, every run of which is printed; -1: none */
  int workers, n_methods;
  const char *family, *law; /* NULL: all */
  const char *const *method;
  double accuracy; /* 0: random ones */
  double fixed;    /* > 0: equal steps of this size only; 0: no equal steps; < 0: both */
  int64_t most;    /* steps of a run, after which it is cut; 0: as the scene has it */
  bool truth;      /* judge the errors of all runs, else only of those that are behind something */
  bool verbose;
} falls_request;

/* Prints each run that is wrong on a line by which the program falls repeats it, and then the tables. False: no memory,
 * or no processes. */
bool falls_run(const falls_request *ask);

#endif
