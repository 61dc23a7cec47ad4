/* An archive saves numbers to a checkpoint or loads them. One function describes the contents of an object, and the
 * direction of the archive decides whether it saves or loads, so that both always agree. */
#ifndef CARDAN_CORE_ARCHIVE_H
#define CARDAN_CORE_ARCHIVE_H

#include <cardan/stream.h>

#include "core/core.h"

typedef struct cdni_archive {
  bool loading;
  cdn_allocator allocator;
  /* The first failure; after it nothing more is done, and values not yet loaded stay as they were. */
  cdn_status status;
  const char *reason; /* static storage; NULL: the message is on the object */
  cdni_array bytes;   /* char; the contents without the frame */
  size_t at;          /* loading: position of the next byte */
} cdni_archive;

cdni_archive cdni_archive_begin(const cdn_allocator *allocator, bool loading);
void cdni_archive_end(cdni_archive *a);
cdn_status cdni_archive_fail(cdni_archive *a, cdn_status status, const char *reason);

/* ---- contents ---- */

void cdni_archive_bytes(cdni_archive *a, void *bytes, size_t n); /* a copy of memory */
void cdni_archive_doubles(cdni_archive *a, double *x, size_t n);
void cdni_archive_double(cdni_archive *a, double *x);
void cdni_archive_bool(cdni_archive *a, bool *x);
/* Loading fails if the number is not within least ... most. */
void cdni_archive_int64(cdni_archive *a, int64_t *x, int64_t least, int64_t most);
void cdni_archive_int(cdni_archive *a, int *x, int least, int most);
/* A mark of four letters between sections; loading fails if it is missing. */
void cdni_archive_mark(cdni_archive *a, const char letters[4]);
/* The next n bytes of an archive that is being loaded, in its own memory; NULL if fewer are left. */
const char *cdni_archive_look(cdni_archive *a, size_t n);

/* CRC-32. */
uint32_t cdni_checksum(const void *bytes, size_t n);

/* ---- the frame: kind of object, version, length, checksum ---- */

enum { CDNI_ARCHIVE_VERSION = 12, CDNI_ARCHIVE_STATE = 1, CDNI_ARCHIVE_STEPPER = 2 };

cdn_status cdni_archive_send(cdni_archive *a, int kind, cdn_write_fn *write, void *context);
/* Fills an archive that was begun for loading. */
cdn_status cdni_archive_receive(cdni_archive *a, int kind, cdn_read_fn *read, void *context);

#endif
