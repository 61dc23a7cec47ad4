/* A table of comma-separated values whose rows are read when they are asked for: of a file of any length a few rows are
 * in memory. The first column is a time that does not decrease. For the library and the command. */
#ifndef CARDAN_IO_ROWS_H
#define CARDAN_IO_ROWS_H

#include <cardan/base.h>

typedef struct cdni_rows cdni_rows;

/* Opens a file ('-': standard input). CDN_ERR_FILE, CDN_ERR_PARSE or CDN_ERR_NOMEM, with the message as the thread's
 * last failure; then *out is NULL. */
cdn_status cdni_rows_open(const char *path, cdni_rows **out);
void cdni_rows_close(cdni_rows *r);
int cdni_rows_columns(const cdni_rows *r);
const char *cdni_rows_name(const cdni_rows *r, int column);
/* Times of the first and the last whole row. */
double cdni_rows_first_time(const cdni_rows *r);
double cdni_rows_last_time(const cdni_rows *r);
/* How many rows there are; of files above 64 MB, an estimate from the lengths of a thousand. */
double cdni_rows_count(cdni_rows *r);
/* The last row that is not after a time (the first row, if all are), and the row behind it (NULL: there is none). Both
 * live until the next call. Errors as cdni_rows_open. O(log bytes). */
cdn_status cdni_rows_at(cdni_rows *r, double time, const double **row, const double **next);
/* All rows in turn: the first, after cdni_rows_rewind; *row is NULL behind the last one. */
void cdni_rows_rewind(cdni_rows *r);
cdn_status cdni_rows_next(cdni_rows *r, const double **row);

/* The next field of a line, unquoted in place; *line moves behind it, or becomes NULL after the last one. */
char *cdni_next_field(char **line);

#endif
