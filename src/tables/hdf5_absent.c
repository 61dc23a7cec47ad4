/* Tables of HDF5 in a library that was built without it. */
#include "tables/absent.h"

TABLES_ABSENT(tables_hdf5, "tables of HDF5 need libhdf5, without which this library was built: install it (Debian: "
                           "libhdf5-dev) and build again with -Dhdf5=enabled, or choose .csv");
