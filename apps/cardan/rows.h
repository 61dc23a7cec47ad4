/* A table of comma-separated values whose rows are read when they are asked for: of a file of any length a few rows are
 * in memory. The first column is a time that does not decrease. */
#ifndef ROWS_H
#define ROWS_H

#include "command.h"

typedef struct rows rows;

/* Opens a file ('-': standard input). NULL after it has said what is wrong; *code is the exit code then. */
rows *rows_open(const char *path, int *code);
void rows_close(rows *r);
int rows_columns(const rows *r);
const char *rows_name(const rows *r, int column);
/* Times of the first and the last whole row. */
double rows_first_time(const rows *r);
double rows_last_time(const rows *r);
/* How many rows there are; of files above 64 MB, an estimate from the lengths of a thousand. */
double rows_count(rows *r);
/* The last row that is not after a time (the first row, if all are), and the row behind it (NULL: there is none). Both
 * live until the next call. CDN_ERR_PARSE or CDN_ERR_FILE, with the message as the thread's last failure. O(log
 * bytes). */
cdn_status rows_at(rows *r, double time, const double **row, const double **next);
/* All rows in turn: the first, after rows_rewind; *row is NULL behind the last one. */
void rows_rewind(rows *r);
cdn_status rows_next(rows *r, const double **row);

/* The next field of a line, unquoted in place; *line moves behind it, or becomes NULL after the last one. */
char *next_field(char **line);

#endif
