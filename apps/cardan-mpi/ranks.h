/* What the files of `cardan-mpi` share. */
#ifndef RANKS_H
#define RANKS_H

#include <cardan/sweep.h>

/* All ranks call it: together they run the blocks of the study that are missing. Writes the least and the most number
 * of cases that a rank has run. Returns CMD_OK or the code to exit with, the same in all ranks; what was wrong has been
 * said. */
int ranks_run(cdn_sweep *sweep, int64_t *least, int64_t *most);

#endif
