/* What the files of `cardan sweep` share, and cardan-mpi with them. */
#ifndef SWEEP_H
#define SWEEP_H

#include <cardan/sweep.h>

#include "command.h"

typedef struct sweep_arguments {
  const char *study, *gather, *part_text;
  bool status, quiet, has_case, names;
  double threads; /* 0: as many as processors */
  int64_t part, parts, one;
} sweep_arguments;

/* sweep_run.c: runs what is missing, in processes. Returns CMD_OK or the code to exit with. */
int sweep_run(cdn_sweep *sweep, const sweep_arguments *a);
/* sweep_status.c: what is done, what failed and why, how long the rest takes. Returns CMD_OK or the code to exit
 * with. */
int sweep_print_status(cdn_sweep *sweep);

#endif
