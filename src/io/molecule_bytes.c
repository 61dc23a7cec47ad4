/* Bytes of a file, with gzip undone. Of a compressed file no more is unpacked than is asked for. */
#define _POSIX_C_SOURCE 200809L /* fseeko */
#include <errno.h>

#include "io/molecule.h"

static cdn_status unreadable(io_log *log, const char *why) {
  return io_fail(log, CDN_ERR_FILE, 0, "the file cannot be read: %s", why);
}

/* Fills the piece; at the end of the file it is empty. */
static cdn_status take_piece(io_bytes *b, io_log *log) {
  errno = 0;
  b->at = 0, b->n = fread(b->piece, 1, sizeof b->piece, b->file);
  if (b->n == 0 && ferror(b->file)) return unreadable(log, errno ? strerror(errno) : "no reason is known");
  return CDN_OK;
}

static cdn_status start(io_bytes *b, io_log *log) {
  CDNI_TRY(take_piece(b, log));
  b->packed = b->n > 2 && b->piece[0] == 0x1f && b->piece[1] == 0x8b;
  if (!b->packed) return CDN_OK;
  if (!b->unpacking && inflateInit2(&b->z, MAX_WBITS + 16) != Z_OK)
    return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  b->unpacking = true, b->member_ended = false;
  b->z.next_in = b->piece, b->z.avail_in = (uInt)b->n;
  return CDN_OK;
}

cdn_status io_bytes_open(io_bytes *b, io_log *log) {
  *b = (io_bytes){ .file = NULL };
  const io_file_kind kind = io_file_look(&log->files, log->file);
  if (kind == IO_FILE_ABSENT) return unreadable(log, strerror(errno));
  if (kind != IO_FILE_REGULAR) return unreadable(log, "it is a directory, or no regular file");
  b->file = io_file_open(&log->files, log->file);
  if (!b->file) return unreadable(log, strerror(errno));
  return start(b, log);
}

void io_bytes_close(io_bytes *b) {
  if (b->unpacking) inflateEnd(&b->z);
  if (b->file) fclose(b->file);
  b->file = NULL, b->unpacking = false;
}

static cdn_status read_plain(io_bytes *b, io_log *log, char *to, size_t n, size_t *got) {
  while (*got < n) {
    if (b->at == b->n) CDNI_TRY(take_piece(b, log));
    if (b->n == 0) return CDN_OK;
    const size_t left = b->n - b->at, some = left < n - *got ? left : n - *got;
    memcpy(to + *got, b->piece + b->at, some);
    b->at += some, *got += some;
  }
  return CDN_OK;
}

static cdn_status unpack(io_bytes *b, io_log *log, char *to, size_t n, size_t *got) {
  enum { MOST_AT_ONCE = 1 << 30 };
  while (*got < n) {
    if (b->z.avail_in == 0) {
      CDNI_TRY(take_piece(b, log));
      b->z.next_in = b->piece, b->z.avail_in = (uInt)b->n;
      if (b->n == 0 && b->member_ended) return CDN_OK;
      if (b->n == 0) return io_fail(log, CDN_ERR_PARSE, 0, "the compressed file is cut off; make or fetch it again");
    }
    if (b->member_ended) inflateReset(&b->z), b->member_ended = false; /* gzip's files may follow each other */
    const size_t room = n - *got < MOST_AT_ONCE ? n - *got : MOST_AT_ONCE;
    b->z.next_out = (unsigned char *)to + *got, b->z.avail_out = (uInt)room;
    const int result = inflate(&b->z, Z_NO_FLUSH);
    *got += room - b->z.avail_out;
    if (result == Z_MEM_ERROR) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
      return io_fail(log, CDN_ERR_PARSE, 0, "the compressed file is damaged (%s); make or fetch it again",
                     b->z.msg ? b->z.msg : "its stream is no gzip");
    b->member_ended = result == Z_STREAM_END;
  }
  return CDN_OK;
}

cdn_status io_bytes_read(io_bytes *b, io_log *log, void *to, size_t n, size_t *got) {
  *got = 0;
  const cdn_status status = b->packed ? unpack(b, log, to, n, got) : read_plain(b, log, to, n, got);
  b->position += (int64_t)*got;
  return status;
}

/* ---- positions ---- */

static cdn_status back_to_beginning(io_bytes *b, io_log *log) {
  rewind(b->file);
  if (b->unpacking) inflateReset(&b->z);
  b->position = 0;
  return start(b, log);
}

/* Reads on to a position, or to the end. */
static cdn_status read_on(io_bytes *b, io_log *log, int64_t position) {
  char some[4096];
  while (b->position < position) {
    size_t got;
    const int64_t left = position - b->position;
    CDNI_TRY(io_bytes_read(b, log, some, left < (int64_t)sizeof some ? (size_t)left : sizeof some, &got));
    if (got == 0) break;
  }
  return CDN_OK;
}

cdn_status io_bytes_seek(io_bytes *b, io_log *log, int64_t position) {
  if (b->packed) {
    if (position < b->position) CDNI_TRY(back_to_beginning(b, log));
    return read_on(b, log, position);
  }
  errno = 0;
  if (fseeko(b->file, (off_t)position, SEEK_SET) != 0) return unreadable(log, strerror(errno));
  b->n = b->at = 0, b->position = position;
  return CDN_OK;
}

cdn_status io_bytes_size(io_bytes *b, io_log *log, int64_t *size) {
  if (b->packed) {
    CDNI_TRY(read_on(b, log, INT64_MAX));
    *size = b->position;
    return CDN_OK;
  }
  errno = 0;
  if (fseeko(b->file, 0, SEEK_END) != 0) return unreadable(log, strerror(errno));
  *size = (int64_t)ftello(b->file);
  return io_bytes_seek(b, log, *size);
}
