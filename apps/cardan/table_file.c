/* Files of tables while they are written: whole rows at a time, so that they can be read at any moment, counted and
 * summed, so that a run which is resumed can tell whether a file is its own. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { STREAM_BUFFER = 1 << 16, MOST_WAITING = STREAM_BUFFER / 2 };

void table_file_begin(table_file *w, FILE *file, const char *path) {
  *w = (table_file){ .file = file, .path = path, .last_flush = wall_clock() };
  if (file) setvbuf(file, NULL, _IOFBF, STREAM_BUFFER);
}

cdn_status table_file_append(void *context, const void *text, size_t n) {
  table_file *w = context;
  fwrite(text, 1, n, w->file);
  w->so_far.bytes += (double)n;
  w->so_far.checksum = (double)crc32((uLong)w->so_far.checksum, text, (uInt)n);
  w->waiting += n;
  // whoever watches the file grow should see it, and little should be lost if the machine stops
  double now = wall_clock();
  if (w->waiting < MOST_WAITING && now - w->last_flush < 1) return CDN_OK;
  w->waiting = 0;
  w->last_flush = now;
  fflush(w->file);
  return CDN_OK; // a disk that is full shows when the file is closed
}

bool table_file_sync(table_file *w) {
  if (!w->file || w->file == stdout) return true;
  w->waiting = 0;
  // a flush that failed before has lost its bytes: the next one has nothing left to fail with
  return fflush(w->file) == 0 && !ferror(w->file) && fsync(fileno(w->file)) == 0;
}

/* ---- going on ------------------------------------------------------------------------------ */

/* Whether the file begins with the names of the run's columns, and rows are known to follow. Without this, a checkpoint
 * that somebody else made could name any file as its own. */
static bool has_header(FILE *file, const cdn_buffer *header, double bytes) {
  const char *expected = header->bytes;
  bool good = bytes > (double)header->size;
  for (size_t i = 0; good && i < header->size; i++) good = fgetc(file) == (unsigned char)expected[i];
  return good;
}

/* Whether the file begins with what the run has written so far. */
static bool has_rows(FILE *file, extent so_far) {
  char piece[1 << 16];
  double bytes = so_far.bytes;
  uLong sum = 0;
  while (bytes > 0) {
    size_t n = fread(piece, 1, bytes < sizeof piece ? (size_t)bytes : sizeof piece, file);
    if (n == 0) return false;
    sum = crc32(sum, (const Bytef *)piece, (uInt)n);
    bytes -= (double)n;
  }
  return (double)sum == so_far.checksum;
}

/* Checks the file and cuts off the rows beyond the checkpoint, which will be written again. */
static FILE *reopen(const char *path, const char *what, const cdn_buffer *header, extent so_far) {
  FILE *file = fopen(path, "r");
  if (!file) {
    complain("%s: the %s that is to be continued could not be opened: %s", path, what, strerror(errno));
    return NULL;
  }
  bool own = has_header(file, header, so_far.bytes);
  rewind(file);
  own = own && has_rows(file, so_far);
  fclose(file);
  if (!own) {
    complain("%s: is not the %s of this checkpoint, which had written %.0f bytes of it", path, what, so_far.bytes);
    return NULL;
  }
  file = fopen(path, "a");
  if (file && ftruncate(fileno(file), (off_t)so_far.bytes) == 0) return file;
  complain("%s: could not be continued: %s", path, strerror(errno));
  if (file) fclose(file);
  return NULL;
}

bool table_file_resume(table_file *w, const char *path, const char *what, const cdn_buffer *header, extent so_far) {
  FILE *file = reopen(path, what, header, so_far);
  table_file_begin(w, file, path);
  w->so_far = so_far;
  return file != NULL;
}
