/* What the readers and writers of molecules' files share: bytes that may be compressed by gzip, lines, numbers in
 * columns, memory, texts that are written. */
#ifndef CARDAN_IO_MOLECULE_H
#define CARDAN_IO_MOLECULE_H

#include <cardan/molecule_files.h>
#include <stdio.h>
#include <zlib.h>

#include "core/core.h"
#include "core/whole_file.h"
#include "io/log.h"

/* ---- bytes (molecule_bytes.c) ---- */

enum { IO_BYTES_PIECE = 1 << 14 };

/* A file that is read from its beginning; gzip is undone. Zero-initialise it. */
typedef struct io_bytes {
  FILE *file;
  bool packed;
  z_stream z;
  bool unpacking, member_ended; /* z is in use; between two members of the compressed file */
  size_t n, at;                 /* bytes in `piece`, and the next of them; of a compressed file z knows */
  int64_t position;             /* bytes that were read */
  unsigned char piece[IO_BYTES_PIECE];
} io_bytes;

/* Opens the file of the log, by its files; fails with the log's message. */
cdn_status io_bytes_open(io_bytes *b, io_log *log);
/* Reads up to n bytes; *got < n: the file has ended. */
cdn_status io_bytes_read(io_bytes *b, io_log *log, void *to, size_t n, size_t *got);
/* Goes to a position: what is compressed is read up to there, from the beginning where that lies before. */
cdn_status io_bytes_seek(io_bytes *b, io_log *log, int64_t position);
/* The length of all, unpacked, whose reading takes as long as reading a compressed file does. Then it is at its end. */
cdn_status io_bytes_size(io_bytes *b, io_log *log, int64_t *size);
void io_bytes_close(io_bytes *b);

/* ---- lines (molecule_text.c) ---- */

enum { IO_LONGEST_LINE = 4096 };

typedef struct io_lines {
  io_bytes bytes;
  io_log *log;
  void *locale;  /* a locale_t, whose numbers have a point */
  int line;      /* number of the line in `text`, from 1 */
  size_t length; /* without the line's end */
  char text[IO_LONGEST_LINE + 1];
  size_t n, at; /* bytes that wait */
  char wait[IO_LONGEST_LINE];
} io_lines;

cdn_status io_lines_open(io_lines *l, io_log *log);
/* The next line; *there is false after the last one. A byte 0, or a line of more than IO_LONGEST_LINE, is no text. */
cdn_status io_lines_next(io_lines *l, bool *there);
void io_lines_close(io_lines *l);

/* A number in `width` characters, with blanks about it. NULL, or what is wrong with it: static storage. An exponent may
 * begin with D, or have no letter where it has three digits, as Fortran writes it. */
const char *io_field_double(const io_lines *l, const char *field, size_t width, double *x);
const char *io_field_int(const char *field, size_t width, int32_t *x);
/* Copies the field without blanks at its ends, and a final 0; `size` bytes at most. */
void io_field_text(const char *field, size_t width, char *to, size_t size);

/* ---- what is loaded ---- */

/* Memory that is freed together. */
typedef struct io_blocks {
  cdn_allocator allocator;
  cdni_array blocks;
} io_blocks;

/* n zeroed things of `size` bytes; of none, room for one. NULL: memory ran out, which the log tells. */
void *io_blocks_new(io_blocks *blocks, io_log *log, size_t n, size_t size);
char *io_blocks_text(io_blocks *blocks, io_log *log, const char *text);
void io_blocks_free(io_blocks *blocks);

/* Reads the arguments of a function that loads: `missing` is whether a pointer that it needs is NULL; a def of NULL has
 * the defaults. */
cdn_status io_molecule_arguments(const char *function, bool missing, const cdn_molecule_read_def *def,
                                 cdn_molecule_read_def *known);
/* Begins the log of a file that is read by this def. */
cdn_status io_molecule_log(io_log *log, const char *function, const char *path, const cdn_molecule_read_def *def);

/* ---- chemistry (molecule_elements.c) ---- */

/* The symbol of an element ("Cl"), "" for a number that none has; its number by the symbol, in either case, 0: none. */
const char *io_element_symbol(int atomic_number);
int io_element_number(const char *symbol);
/* The element of an atom by mass (Da) and name, 0: none fits. Hydrogens may have taken mass from their neighbours. */
int io_element_by_mass(double mass, const char *name);

/* ---- texts that are written (molecule_text_out.c) ---- */

typedef struct io_text_out {
  const char *function, *path;
  cdni_whole_file whole;
  bool packed, good;
  z_stream z;
} io_text_out;

/* Whether the path has this ending. */
bool io_ends_in(const char *path, const char *ending);
/* Begins a text; a path that ends in .gz is compressed. */
cdn_status io_text_begin(io_text_out *out, const char *function, const char *path);
/* Formats at most 255 bytes. After a failure nothing is done. */
void io_text_put(io_text_out *out, const char *format, ...) CDN_PRINTF(2, 3);
/* Ends it: `status` other than CDN_OK drops it and is returned. */
cdn_status io_text_end(io_text_out *out, cdn_status status);

/* ---- NetCDF (restart_netcdf.c) ---- */

/* The place of the restart that is being read. */
typedef struct restart_data {
  cdn_restart shown;
  cdn_molecule_read_def def;
  io_log log;
  io_blocks blocks;
  cdni_array numbers; /* double: of the text */
} restart_data;

/* Reads the log's file into the restart, in nm and ps. */
cdn_status io_restart_read_netcdf(restart_data *r);
cdn_status io_restart_write_netcdf(const char *path, const cdn_restart_def *def);

#endif
