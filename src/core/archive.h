/* An archive: numbers on their way into a checkpoint or out of one. One function describes what an object consists of, and
 * the archive's direction decides whether it is saved or loaded, so that both cannot differ. */
#ifndef CARDAN_CORE_ARCHIVE_H
#define CARDAN_CORE_ARCHIVE_H

#include <cardan/stream.h>

#include "core/core.h"

typedef struct cdni_archive {
  bool loading;
  cdn_allocator allocator;
  /* The first thing that went wrong: from then on nothing is done, and what is loaded stays as it was. */
  cdn_status status;
  const char *why;  /* static storage; NULL: the story is elsewhere */
  cdni_array bytes; /* char; all of it, without the frame that it is sent in */
  size_t at;        /* loading: where reading goes on */
} cdni_archive;

cdni_archive cdni_archive_begin(const cdn_allocator *allocator, bool loading);
void cdni_archive_end(cdni_archive *a);
cdn_status cdni_archive_fail(cdni_archive *a, cdn_status status, const char *why);

/* ---- what is saved or loaded ---- */

void cdni_archive_bytes(cdni_archive *a, void *bytes, size_t n); /* as they are in memory */
void cdni_archive_doubles(cdni_archive *a, double *x, size_t n);
void cdni_archive_double(cdni_archive *a, double *x);
void cdni_archive_bool(cdni_archive *a, bool *x);
/* Loading fails where the number is not within least .. most. */
void cdni_archive_int64(cdni_archive *a, int64_t *x, int64_t least, int64_t most);
void cdni_archive_int(cdni_archive *a, int *x, int least, int most);
/* Four letters between sections: loading fails where they are not found. */
void cdni_archive_mark(cdni_archive *a, const char letters[4]);
/* The next n bytes of an archive that is being loaded, where they lie; NULL if there are not so many. */
const char *cdni_archive_look(cdni_archive *a, size_t n);

/* CRC-32. */
uint32_t cdni_checksum(const void *bytes, size_t n);

/* ---- the frame: what kind of thing it is, version, length, checksum ---- */

enum { CDNI_ARCHIVE_VERSION = 3, CDNI_ARCHIVE_STATE = 1, CDNI_ARCHIVE_STEPPER = 2 };

cdn_status cdni_archive_send(cdni_archive *a, int kind, cdn_write_fn *write, void *context);
/* Fills an archive that was begun for loading. */
cdn_status cdni_archive_receive(cdni_archive *a, int kind, cdn_read_fn *read, void *context);

#endif
