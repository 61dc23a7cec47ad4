/* Tables of NumPy in a library that was built without libzip. */
#include "tables/absent.h"

TABLES_ABSENT(tables_npz, "tables of NumPy need libzip, without which this library was built: install it (Debian: "
                          "libzip-dev) and build again with -Dnpz=enabled, or choose .csv");
