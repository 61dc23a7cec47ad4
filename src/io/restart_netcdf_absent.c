/* Restarts of NetCDF in a library that was built without libnetcdf. */
#include "io/molecule.h"

static const char remedy[] = "NetCDF needs libnetcdf, without which this library was built: install it (Debian: "
                             "libnetcdf-dev) and build again, or use a restart that is text (ntxo = 1 of AMBER)";

cdn_status io_restart_read_netcdf(restart_data *r) { return io_fail(&r->log, CDN_ERR_UNSUPPORTED, 0, "%s", remedy); }

cdn_status io_restart_write_netcdf(const char *path, const cdn_restart_def *def) {
  (void)def;
  return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_restart_save", "the file '%s' cannot be written: %s", path, remedy);
}
