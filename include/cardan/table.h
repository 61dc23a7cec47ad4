/* Cardan: tables, rows of numbers under columns that have names and units, in files of several formats. The ending of
 * a file's name says its format: `.h5` or `.hdf5` (HDF5), `.npz` (NumPy), `.sto` and `.mot` (OpenSim), `.trc`
 * (markers); every other name is of comma-separated values. docs/data.md tells what each keeps and what reads it.
 *
 * I want to
 *   write a table: cdn_default_table_def, cdn_table_create, cdn_table_rows, cdn_table_close
 *   keep a text or a number beside the rows: cdn_table_attribute, cdn_table_number
 *   see to it that the rows so far can be read: cdn_table_flush
 *   go on with a table that a run has left: cdn_table_continue
 *   count the rows that were written: cdn_table_written
 *   read a table: cdn_table_read, cdn_table_values, cdn_table_destroy
 *   know its columns and rows: cdn_table_column_count, cdn_table_column_name, cdn_table_column_unit,
 *       cdn_table_find_column, cdn_table_row_count
 *   know whether a table was cut short: cdn_table_is_cut
 *   read what was kept beside the rows: cdn_table_attribute_text, cdn_table_attribute_count,
 *       cdn_table_attribute_name */
#ifndef CARDAN_TABLE_H
#define CARDAN_TABLE_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/* ---- writing ------------------------------------------------------------------------------- */

typedef struct cdn_table_writer cdn_table_writer; /**< a table being written; one thread at a time */

/** The columns of a table. */
typedef struct cdn_table_def {
  CDN_DEF_HEADER;
  const char *const *names; /**< n_columns names, UTF-8. HDF5 and NumPy need them to differ. Copied */
  const char *const *units; /**< n_columns units, such as "rad"; "" where there is none. NULL: none has one. Copied */
  int n_columns;            /**< at least 1 */
  /** Rows that wait in memory and are written at once: a run that is killed loses so many at most. Rows that have
   *  waited for a second are written by the next call. 0, the default: as many as fill 1 MB, 16 kB where the format is
   *  text; but one row at least. */
  int chunk_rows;
} cdn_table_def;
CDN_DEF(table_def);

/** Begins a table in a file. What was there is replaced; `.npz` replaces it when the table is closed. "-": standard
 *  output, as comma-separated values. Errors, with *out = NULL: CDN_ERR_ARG (no columns, a name that the format cannot
 *  have), CDN_ERR_FILE (the file cannot be written), CDN_ERR_UNSUPPORTED (the library was built without this format;
 *  `.sto`, `.mot` and `.trc` need a first column `time`, `.trc` the coordinates NAME.x, NAME.y, NAME.z of markers in m
 *  behind it), CDN_ERR_VERSION, CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_table_create(const char *path, const cdn_table_def *def, cdn_table_writer **out) CDN_NODISCARD;
/** Goes on with a table of these columns behind its first `rows` rows (>= 0); what follows them is cut off. Reads
 *  those rows. CDN_ERR_PARSE: the file is no such table, or has fewer rows. CDN_ERR_UNSUPPORTED: `.npz` is written as a
 *  whole, and standard output cannot be read. Otherwise as cdn_table_create. */
CDN_API cdn_status cdn_table_continue(const char *path, const cdn_table_def *def, int64_t rows,
                                      cdn_table_writer **out) CDN_NODISCARD;
/** Keeps a text beside the rows, UTF-8, before or after any of them; one of this name is replaced. HDF5 and NumPy have
 *  every attribute. `.sto` and `.mot` have in their heads those that were given before the first row, in one line each.
 *  Comma-separated values and `.trc` have none: there the call does nothing. CDN_ERR_ARG for a name that is empty, has
 *  one of "=/" or a line break, or means something in a format: table, columns, units, time, version, nRows, nColumns,
 *  datarows, inDegrees. */
CDN_API cdn_status cdn_table_attribute(cdn_table_writer *writer, const char *name, const char *text) CDN_NODISCARD;
/** The same for a number; in text it reads back as the same bits. */
CDN_API cdn_status cdn_table_number(cdn_table_writer *writer, const char *name, double value) CDN_NODISCARD;
/** Adds n rows: n * n_columns numbers, row by row. They read back as the same bits, in every format. Once a call has
 *  failed with CDN_ERR_FILE (a full disk), all later ones do; the file has whole rows then. */
CDN_API cdn_status cdn_table_rows(cdn_table_writer *writer, int n, const double *values) CDN_NODISCARD;
/** Hands all rows to the system: whoever opens the file now reads them. Does nothing for `.npz`. CDN_ERR_FILE. */
CDN_API cdn_status cdn_table_flush(cdn_table_writer *writer) CDN_NODISCARD;
CDN_API int64_t cdn_table_written(const cdn_table_writer *writer); /**< rows, with those of cdn_table_continue */
/** Writes what is left, closes the file, frees the writer. CDN_ERR_FILE if not all has been written. */
CDN_API cdn_status cdn_table_close(cdn_table_writer *writer) CDN_NODISCARD;

/* ---- reading ------------------------------------------------------------------------------- */

typedef struct cdn_table cdn_table; /**< a table in memory: it never changes, and threads may share it */

/** Reads a table ("-": comma-separated values from standard input). HDF5: of any program, where a dataset `table` has
 *  numbers by name, or is a matrix. NumPy: likewise an array `table`, or arrays of one axis and one length.
 *  CDN_ERR_FILE: there is no such file, or reading failed. CDN_ERR_PARSE: it holds no table, or was cut within what
 *  describes it; the message tells what and where. CDN_ERR_UNSUPPORTED, CDN_ERR_NOMEM. *out is NULL then. Takes 8 bytes
 *  a number. */
CDN_API cdn_status cdn_table_read(const char *path, cdn_table **out) CDN_NODISCARD;
CDN_API void cdn_table_destroy(cdn_table *table); /**< NULL is allowed */
CDN_API int64_t cdn_table_row_count(const cdn_table *table);
CDN_API int cdn_table_column_count(const cdn_table *table);
/** The name of a column; NULL: there is no such column. Lives as long as the table, as all that follows. */
CDN_API const char *cdn_table_column_name(const cdn_table *table, int column);
CDN_API const char *cdn_table_column_unit(const cdn_table *table, int column); /**< "": none is known; or NULL */
CDN_API int cdn_table_find_column(const cdn_table *table, const char *name);   /**< the first of this name, or -1 */
/** All numbers, row by row: row_count * column_count of them. */
CDN_API const double *cdn_table_values(const cdn_table *table);
/** Whether the file ended within a row, or before the rows that its head names: what is there are the whole rows. So is
 *  a table that is being written, or whose writer was killed. HDF5 has whole rows at all times. */
CDN_API bool cdn_table_is_cut(const cdn_table *table);
CDN_API int cdn_table_attribute_count(const cdn_table *table);
CDN_API const char *cdn_table_attribute_name(const cdn_table *table, int i); /**< NULL: there is no such attribute */
/** The text of an attribute, or a number as text; NULL: there is none of this name. */
CDN_API const char *cdn_table_attribute_text(const cdn_table *table, const char *name);

CDN_END_DECLS
#endif
