/* Trajectories that go on in a table of an earlier run, for the command. */
#ifndef CARDAN_IO_TRAJECTORY_H
#define CARDAN_IO_TRAJECTORY_H

#include <cardan/trajectory.h>

#include "tables/tables.h"

/* cdn_trajectory_open; rows >= 0: goes on behind so many rows of this checksum (cdni_table_continue). */
cdn_status cdni_trajectory_open(cdn_state *state, const cdn_trajectory_def *def, const char *path, double rows,
                                double checksum, cdn_trajectory **out);

#endif
