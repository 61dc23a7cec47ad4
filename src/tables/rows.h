/* A table of any format whose rows are read when they are asked for: of a file of any length a few rows are in memory.
 * The first column is a time that does not decrease. For the library and the command. */
#ifndef CARDAN_TABLES_ROWS_H
#define CARDAN_TABLES_ROWS_H

#include <cardan/base.h>

typedef struct cdni_rows cdni_rows;

/* Opens a file ('-': standard input). CDN_ERR_FILE, CDN_ERR_PARSE, CDN_ERR_UNSUPPORTED or CDN_ERR_NOMEM, with the
 * message as the thread's last failure; then *out is NULL. */
cdn_status cdni_rows_open(const char *path, cdni_rows **out);
void cdni_rows_close(cdni_rows *r);
int cdni_rows_columns(const cdni_rows *r);
const char *cdni_rows_name(const cdni_rows *r, int column);
const char *cdni_rows_unit(const cdni_rows *r, int column);            /* "": none is known */
const char *cdni_rows_attribute(const cdni_rows *r, const char *name); /* a text; NULL: there is none */
/* Times of the first and the last whole row. */
double cdni_rows_first_time(const cdni_rows *r);
double cdni_rows_last_time(const cdni_rows *r);
/* How many rows there are; of text above 64 MB, an estimate from the lengths of a thousand. */
double cdni_rows_count(cdni_rows *r);
/* The last row that is not after a time (the first row, if all are), and the row behind it (NULL: there is none). Both
 * live until the next call. Errors as cdni_rows_open. O(log bytes). */
cdn_status cdni_rows_at(cdni_rows *r, double time, const double **row, const double **next);
/* All rows in turn: the first, after cdni_rows_rewind; *row is NULL behind the last one. */
void cdni_rows_rewind(cdni_rows *r);
cdn_status cdni_rows_next(cdni_rows *r, const double **row);

#endif
