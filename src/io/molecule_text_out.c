/* Texts that are written as a whole, compressed where the name says so. */
#include <errno.h>

#include "io/molecule.h"

static cdn_status unwritten(const io_text_out *out) {
  return cdni_refuse(CDN_ERR_FILE, out->function, "the file '%s' cannot be written: %s", out->path,
                     errno ? strerror(errno) : "no reason is known");
}

bool io_ends_in(const char *path, const char *ending) {
  const size_t n = strlen(path), m = strlen(ending);
  return n >= m && strcmp(path + n - m, ending) == 0;
}

cdn_status io_text_begin(io_text_out *out, const char *function, const char *path) {
  *out = (io_text_out){ .function = function, .path = path, .good = true };
  errno = 0;
  if (!cdni_whole_begin(&out->whole, path)) return unwritten(out);
  if (!io_ends_in(path, ".gz")) return CDN_OK;
  out->packed = deflateInit2(&out->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  if (out->packed) return CDN_OK;
  cdni_whole_end(&out->whole, false);
  return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
}

/* Compresses what waits, all of it. */
static void pack(io_text_out *out, int flush) {
  unsigned char piece[4096];
  do {
    out->z.next_out = piece, out->z.avail_out = sizeof piece;
    deflate(&out->z, flush);
    const size_t n = sizeof piece - out->z.avail_out;
    if (fwrite(piece, 1, n, out->whole.file) != n) out->good = false;
  } while (out->good && out->z.avail_out == 0);
}

void io_text_put(io_text_out *out, const char *format, ...) {
  char text[256];
  va_list args;
  if (!out->good) return;
  va_start(args, format);
  const int n = cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  const size_t size = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
  if (!out->packed) {
    if (fwrite(text, 1, size, out->whole.file) != size) out->good = false;
    return;
  }
  out->z.next_in = (unsigned char *)text, out->z.avail_in = (uInt)size;
  pack(out, Z_NO_FLUSH);
}

cdn_status io_text_end(io_text_out *out, cdn_status status) {
  if (out->packed) {
    if (status == CDN_OK && out->good) pack(out, Z_FINISH);
    deflateEnd(&out->z);
  }
  const bool written = cdni_whole_end(&out->whole, out->good && status == CDN_OK);
  return status != CDN_OK ? status : written ? CDN_OK : unwritten(out);
}
