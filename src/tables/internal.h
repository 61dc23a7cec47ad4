/* Private to the room: what formats are made of. A format writes blocks of rows, and is a source of rows. */
#ifndef CARDAN_TABLES_INTERNAL_H
#define CARDAN_TABLES_INTERNAL_H

#include <stdio.h>

#include "tables/tables.h"

/* A text or a number beside the rows. */
typedef struct table_attribute {
  char *name, *text; /* text NULL: it is a number */
  double number;
} table_attribute;

/* The columns and attributes of a table. */
typedef struct table_head {
  char **name, **unit; /* n_columns each */
  int n_columns;
  cdni_array attributes; /* table_attribute */
} table_head;

/* head.c. Copies the names; units may be NULL, and so may one of them. False: out of memory; tables_free_head frees
 * what is there in any case. */
bool tables_copy_head(const cdn_allocator *a, table_head *head, int n, const char *const *names,
                      const char *const *units);
void tables_free_head(const cdn_allocator *a, table_head *head);
/* Keeps an attribute, or replaces one; text NULL: a number. False: out of memory. */
bool tables_keep(const cdn_allocator *a, table_head *head, const char *name, const char *text, double number);
const table_attribute *tables_find(const table_head *head, const char *name);
/* Why a format that finds columns by name does not have these; NULL: it has them. */
const char *tables_refuse_twins(const table_head *head, cdn_status *code);

/* ---- writing ---- */

typedef struct table_format table_format;
typedef struct table_source table_source;

struct cdn_table_writer {
  cdn_allocator allocator;
  const table_format *format;
  const char *function; /* the public one that is running, for messages */
  char *path;
  table_head head;
  int chunk;     /* rows */
  double *block; /* rows that wait */
  int waiting;
  int64_t written; /* rows, with those that wait */
  double checksum, last_flush;
  bool failed; /* nothing more is written */
  char reason[256];
  void *self; /* of the format */
};

/* A format's functions fail by tables_fail, or with CDN_ERR_NOMEM. */
struct table_format {
  int chunk_bytes; /* of numbers that wait */
  bool goes_on;    /* a table can be continued */
  /* NULL, or why it cannot have these columns, with *code. The text lives until the next call. */
  const char *(*refuses)(const table_head *head, cdn_status *code);
  /* rows < 0: begins a file. Else goes on behind so many rows, which were found to be there, at this place. */
  cdn_status (*begin)(cdn_table_writer *w, int64_t rows, int64_t place);
  cdn_status (*attribute)(cdn_table_writer *w,
                          const table_attribute *attribute);              /* NULL: they are written at the end */
  cdn_status (*append)(cdn_table_writer *w, int n, const double *values); /* whoever opens the file reads them */
  cdn_status (*sync)(cdn_table_writer *w);                                /* what was appended is on the disk */
  cdn_status (*end)(cdn_table_writer *w); /* frees `self`, whatever it returns; also after a failed `begin` */
  cdn_status (*open)(table_source *s);
};

/* formats.c: by the ending of the name. */
const table_format *tables_format_of(const char *path);
/* "PATH: could not be written: REASON" as the failure of the writer. reason NULL: errno's. */
cdn_status tables_fail(cdn_table_writer *w, const char *reason);
cdn_status tables_no_memory(const char *function);

extern const table_format tables_csv, tables_sto, tables_trc, tables_hdf5, tables_npz;

/* ---- reading ---- */

/* Rows in a file. A place is where a row begins: a byte of a text, the number of the row elsewhere. */
struct table_source {
  cdn_allocator allocator;
  char *path;
  table_head head;
  int64_t first, end; /* places of the first row, and behind the last whole one */
  bool cut;
  /* The row at a place, and where the next one begins. */
  cdn_status (*row)(table_source *s, int64_t place, double *value, int64_t *next);
  /* Its first number alone; NULL: `row` is as fast. */
  cdn_status (*time)(table_source *s, int64_t place, double *time, int64_t *next);
  /* Where the row that has this place begins; `place` is in the table. NULL: places are numbers of rows. */
  int64_t (*start)(table_source *s, int64_t place);
  void (*close)(table_source *s); /* frees `self`; NULL: there is nothing */
  void *self;
};

/* source.c. Errors as cdn_table_read. */
cdn_status tables_open(const char *path, table_source *s);
void tables_close(table_source *s);
/* "PATH: ..." as the thread's last failure. */
cdn_status tables_refuse(const table_source *s, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);

/* npz_source.c, text_source.c */
cdn_status tables_open_npz(table_source *s);
cdn_status tables_open_csv(table_source *s);
cdn_status tables_open_sto(table_source *s);
cdn_status tables_open_trc(table_source *s);

#endif
