/* Pictures in JPEG files, of a library that was built without libjpeg. */
#include "io/pictures.h"

cdn_status io_picture_read_jpeg(const char *path, FILE *file, io_picture *out) {
  (void)file;
  (void)out;
  return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_model_dress",
                     "the picture '%s' is a JPEG, and this library was built without libjpeg: "
                     "convert it to PNG, or install libjpeg-dev and build it again",
                     path);
}
