/* Tables of numbers in files: what the room offers beside <cardan/table.h>. */
#ifndef CARDAN_TABLES_TABLES_H
#define CARDAN_TABLES_TABLES_H

#include <cardan/table.h>

#include "core/core.h"

/* The text of comma-separated values: appends the line of the columns' names to an array of characters. */
bool cdni_csv_head(const cdn_allocator *a, cdni_array *text, int n, const char *const *names);
/* A row, where there is room for CDNI_CSV_ROOM(n) characters. Returns its length; there is no 0 behind it. */
#define CDNI_CSV_ROOM(n) ((size_t)(n) * (CDN_NUMBER_SIZE + 1) + 1)
size_t cdni_csv_row(char *text, int n, const double *values);

/* Whether a file's name has this ending in any case of letters, and something before it. */
bool cdni_ends_in(const char *path, const char *ending);

/* A number that tells the rows so far from others; exact as a double. */
double cdni_table_checksum(const cdn_table_writer *writer);
/* cdn_table_continue, which also asks for the checksum of the rows. */
cdn_status cdni_table_continue(const char *path, const cdn_table_def *def, double rows, double checksum,
                               cdn_table_writer **out);
/* Whether tables of this name can be continued. */
bool cdni_table_goes_on(const char *path);
/* Flushes, and waits until all is on the disk. */
cdn_status cdni_table_sync(cdn_table_writer *writer);

#endif
