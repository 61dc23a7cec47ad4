/* Private to the room: what the files about HDF5 share. */
#ifndef CARDAN_TABLES_HDF5_H
#define CARDAN_TABLES_HDF5_H

#include <hdf5.h>

#include "tables/internal.h"

#define HDF5_TABLE "table"     /* the dataset of the rows */
#define HDF5_COLUMNS "columns" /* of a wide table: the names */
#define HDF5_UNITS "units"     /* an attribute of the rows; of a wide table, a dataset */

/* One thread at a time is in HDF5, and HDF5 prints nothing, whatever the program has set. From the first call to the
 * second. */
typedef struct hdf5_call {
  H5E_auto2_t print;
  void *context;
} hdf5_call;
hdf5_call tables_hdf5_begin(void);
void tables_hdf5_end(hdf5_call call);

/* hdf5_file.c. Opens a file so that it can be read at any moment: H5F_ACC_TRUNC, H5F_ACC_RDWR or H5F_ACC_RDONLY.
 * < 0: it failed. */
hid_t tables_hdf5_open(const char *path, unsigned flags);
/* Why nothing more is written to such a file: an errno; 0: all has been written. A file that has failed takes in
 * whatever comes, and forgets it, so that HDF5 can close it. */
int tables_hdf5_failure(hid_t file);
/* What was flushed is on the disk. */
bool tables_hdf5_sync(hid_t file);
cdn_status tables_open_hdf5(table_source *s);

#endif
