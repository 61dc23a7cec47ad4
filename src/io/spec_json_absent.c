/* Models in JSON in a library that was built without jansson. */
#include "io/spec_fields.h"

cdn_status io_read_json(cdn_spec *spec, const char *text, size_t size) {
  (void)text, (void)size;
  return io_fail(&spec->log, CDN_ERR_UNSUPPORTED, 0,
                 "models in JSON are read by jansson, without which this library was built: install jansson (Debian: "
                 "libjansson-dev) and build again");
}
