/* Files of <stdio.h>, written and read as a stream. */
#include <cardan/stream.h>
#include <errno.h>
#include <stdio.h>

#include "core/core.h"

cdn_status cdn_file_write(void *file, const void *bytes, size_t size) {
  if (!file || (size > 0 && !bytes)) return cdni_refuse(CDN_ERR_ARG, __func__, "the file or the bytes are NULL");
  if (size == 0 || fwrite(bytes, 1, size, file) == size) return CDN_OK;
  return cdni_refuse(CDN_ERR_FILE, __func__, "%zu bytes could not be written to the file: %s", size,
                     errno ? strerror(errno) : "no reason is known");
}

cdn_status cdn_file_read(void *file, void *bytes, size_t size) {
  if (!file || (size > 0 && !bytes)) return cdni_refuse(CDN_ERR_ARG, __func__, "the file or the bytes are NULL");
  if (size == 0 || fread(bytes, 1, size, file) == size) return CDN_OK;
  return cdni_refuse(CDN_ERR_FILE, __func__, "%s before the %zu bytes that are asked for",
                     feof((FILE *)file) ? "the file ends" : "reading the file failed", size);
}
