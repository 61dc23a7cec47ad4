/* Private to the room: the columns of a trajectory. */
#ifndef CARDAN_IO_TRAJECTORY_COLUMNS_H
#define CARDAN_IO_TRAJECTORY_COLUMNS_H

#include <cardan/trajectory.h>

#include "core/core.h"

typedef struct trajectory_columns {
  cdn_allocator allocator;
  cdni_array names, units; /* char *, as many of the one as of the other */
} trajectory_columns;

/* Fills in the columns of a def that has been checked. False: out of memory. */
bool io_name_columns(trajectory_columns *c, const cdn_system *system, const cdn_trajectory_def *def,
                     const cdn_measure *measures, int n_measures);
void io_free_columns(trajectory_columns *c);

#endif
