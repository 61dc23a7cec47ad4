/* Which format a file has, by its name. */
#include <strings.h>

#include "tables/internal.h"

bool cdni_ends_in(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n > m && strcasecmp(path + n - m, ending) == 0;
}

bool cdni_table_goes_on(const char *path) { return tables_format_of(path)->goes_on; }

const table_format *tables_format_of(const char *path) {
  static const struct {
    const char *ending;
    const table_format *format;
  } formats[] = { { ".h5", &tables_hdf5 }, { ".hdf5", &tables_hdf5 }, { ".npz", &tables_npz },
                  { ".sto", &tables_sto }, { ".mot", &tables_sto },   { ".trc", &tables_trc } };
  for (int i = 0; i < CDNI_COUNT(formats); i++)
    if (cdni_ends_in(path, formats[i].ending)) return formats[i].format;
  return &tables_csv;
}
