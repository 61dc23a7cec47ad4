/* Archives: little-endian numbers, one after another, in a frame with two checksums. */
#include "core/archive.h"

#include <zlib.h>

cdni_archive cdni_archive_begin(const cdn_allocator *allocator, bool loading) {
  return (cdni_archive){ .loading = loading, .allocator = *allocator };
}

void cdni_archive_end(cdni_archive *a) { cdni_array_free(&a->allocator, &a->bytes); }

cdn_status cdni_archive_fail(cdni_archive *a, cdn_status status, const char *reason) {
  if (a->status == CDN_OK) {
    a->status = status;
    a->reason = reason;
  }
  return a->status;
}

/* ---- bytes ---- */

/* Room for n more bytes; NULL if memory ran out, or something failed before. */
static unsigned char *extend(cdni_archive *a, size_t n) {
  if (a->status != CDN_OK || n == 0) return NULL;
  unsigned char *to = cdni_array_extend(&a->allocator, &a->bytes, 1, n);
  if (!to) cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
  return to;
}

const char *cdni_archive_look(cdni_archive *a, size_t n) {
  if (a->status != CDN_OK) return NULL;
  if (n > a->bytes.count - a->at) {
    cdni_archive_fail(a, CDN_ERR_PARSE, "it ends too early");
    return NULL;
  }
  const char *here = (const char *)a->bytes.data + a->at;
  a->at += n;
  return here;
}

void cdni_archive_bytes(cdni_archive *a, void *bytes, size_t n) {
  if (n == 0) return;
  if (a->loading) {
    const char *from = cdni_archive_look(a, n);
    if (from) memcpy(bytes, from, n);
  } else {
    unsigned char *to = extend(a, n);
    if (to) memcpy(to, bytes, n);
  }
}

static void put(unsigned char *to, uint64_t x, int n) {
  for (int i = 0; i < n; i++) to[i] = (unsigned char)(x >> 8 * i);
}

static uint64_t get(const unsigned char *from, int n) {
  uint64_t x = 0;
  for (int i = 0; i < n; i++) x |= (uint64_t)from[i] << 8 * i;
  return x;
}

/* ---- numbers ---- */

void cdni_archive_doubles(cdni_archive *a, double *x, size_t n) {
  uint64_t bits;
  if (n == 0) return;
  if (a->loading) {
    const unsigned char *from = (const unsigned char *)cdni_archive_look(a, 8 * n);
    for (size_t i = 0; from && i < n; i++) {
      bits = get(from + 8 * i, 8);
      memcpy(&x[i], &bits, sizeof bits);
    }
  } else {
    unsigned char *to = extend(a, 8 * n);
    for (size_t i = 0; to && i < n; i++) {
      memcpy(&bits, &x[i], sizeof bits);
      put(to + 8 * i, bits, 8);
    }
  }
}

void cdni_archive_double(cdni_archive *a, double *x) { cdni_archive_doubles(a, x, 1); }

void cdni_archive_int64(cdni_archive *a, int64_t *x, int64_t least, int64_t most) {
  if (!a->loading) {
    unsigned char *to = extend(a, 8);
    if (to) put(to, (uint64_t)*x, 8);
    return;
  }
  const unsigned char *from = (const unsigned char *)cdni_archive_look(a, 8);
  if (!from) return;
  int64_t value = (int64_t)get(from, 8);
  if (value < least || value > most) cdni_archive_fail(a, CDN_ERR_PARSE, "a number in it is out of range");
  else *x = value;
}

void cdni_archive_int(cdni_archive *a, int *x, int least, int most) {
  int64_t value = *x;
  cdni_archive_int64(a, &value, least, most);
  *x = (int)value;
}

void cdni_archive_bool(cdni_archive *a, bool *x) {
  int64_t value = *x;
  cdni_archive_int64(a, &value, 0, 1);
  *x = value != 0;
}

void cdni_archive_mark(cdni_archive *a, const char letters[4]) {
  char found[4];
  memcpy(found, letters, 4);
  cdni_archive_bytes(a, found, 4);
  if (memcmp(found, letters, 4) != 0) cdni_archive_fail(a, CDN_ERR_PARSE, "its sections are not in order");
}

/* ---- the frame ---- */

/* magic | version | kind | bytes | byte order | checksum of the header || contents | checksum of the contents */
enum {
  AT_VERSION = 8,
  AT_KIND = 12,
  AT_SIZE = 16,
  AT_ORDER = 24,
  AT_CHECK = 28,
  HEADER = 32,
  TRAILER = 4,
  PIECE = 1 << 20
};
static const char magic[8] = { 'C', 'a', 'r', 'd', 'a', 'n', '\r', '\n' };

/* Discrete variables are bytes as the machine has them. */
static uint32_t byte_order(void) {
  const unsigned char bytes[4] = { 1, 2, 3, 4 };
  uint32_t order;
  memcpy(&order, bytes, sizeof order);
  return order;
}

uint32_t cdni_checksum(const void *bytes, size_t n) {
  return (uint32_t)crc32_z(crc32_z(0, NULL, 0), n ? bytes : "", n);
}

cdn_status cdni_archive_send(cdni_archive *a, int kind, cdn_write_fn *write, void *context) {
  unsigned char header[HEADER], trailer[TRAILER];
  cdn_status status = a->status;
  memcpy(header, magic, sizeof magic);
  put(header + AT_VERSION, CDNI_ARCHIVE_VERSION, 4);
  put(header + AT_KIND, (uint64_t)kind, 4);
  put(header + AT_SIZE, a->bytes.count, 8);
  put(header + AT_ORDER, byte_order(), 4);
  put(header + AT_CHECK, cdni_checksum(header, AT_CHECK), 4);
  put(trailer, cdni_checksum(a->bytes.data, a->bytes.count), TRAILER);
  if (status == CDN_OK) status = write(context, header, HEADER);
  if (status == CDN_OK && a->bytes.count) status = write(context, a->bytes.data, a->bytes.count);
  if (status == CDN_OK) status = write(context, trailer, TRAILER);
  return cdni_archive_fail(a, status, "the function that was to write it failed");
}

/* What is wrong with a header, or NULL. */
static const char *check_header(const unsigned char *header, int kind) {
  if (memcmp(header, magic, sizeof magic) != 0) return "these bytes are no checkpoint";
  if (get(header + AT_CHECK, 4) != cdni_checksum(header, AT_CHECK)) return "its header is damaged";
  if (get(header + AT_VERSION, 4) != CDNI_ARCHIVE_VERSION) return "it was written by another version of the library";
  if (get(header + AT_ORDER, 4) != byte_order()) return "it was written by a machine with another byte order";
  if (get(header + AT_KIND, 4) == (uint64_t)kind) return NULL;
  return kind == CDNI_ARCHIVE_STATE ? "it holds a stepper, not a State: use cdn_stepper_load"
                                    : "it holds a State, not a stepper: use cdn_state_load";
}

cdn_status cdni_archive_receive(cdni_archive *a, int kind, cdn_read_fn *read, void *context) {
  static const char ends[] = "it ends too early, or could not be read";
  unsigned char header[HEADER], trailer[TRAILER];
  cdn_status status = read(context, header, HEADER);
  if (status != CDN_OK) return cdni_archive_fail(a, status, ends);
  const char *wrong = check_header(header, kind);
  if (wrong) return cdni_archive_fail(a, CDN_ERR_PARSE, wrong);
  uint64_t size = get(header + AT_SIZE, 8);
  if (size == 0 || size > SIZE_MAX / 2) return cdni_archive_fail(a, CDN_ERR_PARSE, "its length makes no sense");
  /* piece by piece: a length that is not true then costs no more memory than there are bytes */
  for (uint64_t left = size; left > 0 && status == CDN_OK;) {
    size_t piece = left < PIECE ? (size_t)left : PIECE;
    void *to = cdni_array_extend(&a->allocator, &a->bytes, 1, piece);
    if (!to) return cdni_archive_fail(a, CDN_ERR_NOMEM, "out of memory");
    status = read(context, to, piece);
    left -= piece;
  }
  if (status == CDN_OK) status = read(context, trailer, TRAILER);
  if (status != CDN_OK) return cdni_archive_fail(a, status, ends);
  if (get(trailer, TRAILER) != cdni_checksum(a->bytes.data, a->bytes.count)) {
    return cdni_archive_fail(a, CDN_ERR_PARSE, "its checksum does not fit: it is damaged");
  }
  return CDN_OK;
}
