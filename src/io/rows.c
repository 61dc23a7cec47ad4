/* Rows of a file on demand. A time is found by halving the file: lines tell where they begin. */
#define _GNU_SOURCE /* strtod_l */
#include "io/rows.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <sys/types.h>

#include "core/core.h"

enum { BLOCK = 1 << 16 };

/* A line of the file, as numbers. */
typedef struct row_place {
  off_t from, to; /* where the row begins, and where the next one does; to 0: none was read */
  double *value;
} row_place;

struct cdni_rows {
  cdn_allocator allocator;
  locale_t locale; /* whose numbers have a point */
  char *path;
  FILE *file;
  int columns, room; /* room: for names */
  char **name;
  off_t first, end; /* of the rows; the end of the last whole one */
  double first_time, last_time;
  off_t last;
  row_place place[2]; /* a row, and the one behind it */
  off_t at;           /* of cdni_rows_next */
  cdni_array line;    /* of characters: work */
  char *block;        /* a piece of the file */
  off_t block_at;
  size_t block_size;
};

/* ---- bytes ---- */

/* The bytes from an offset on, at least one of them; NULL at the end of the file. */
static const char *bytes_at(cdni_rows *r, off_t offset, size_t *n) {
  if (offset < r->block_at || offset >= r->block_at + (off_t)r->block_size) {
    // a search goes backward, too: half of the block lies before the offset
    r->block_at = offset > BLOCK / 4 ? offset - BLOCK / 4 : 0;
    r->block_size = fseeko(r->file, r->block_at, SEEK_SET) == 0 ? fread(r->block, 1, BLOCK, r->file) : 0;
  }
  const off_t in_block = offset - r->block_at;
  *n = in_block < (off_t)r->block_size ? r->block_size - (size_t)in_block : 0;
  return *n > 0 ? r->block + in_block : NULL;
}

/* Where the line of a byte begins. */
static off_t line_start(cdni_rows *r, off_t offset) {
  while (offset > r->first) {
    size_t n;
    const char *byte = bytes_at(r, offset - 1, &n);
    if (!byte || *byte == '\n') break;
    offset--;
  }
  return offset;
}

/* The line that was read last. */
static char *text_of(const cdni_rows *r) { return r->line.data; }

/* The line that begins at an offset, in r->line, without its end; *next is where the next one begins. False at the end
 * of the file, or if the line has no end. */
static bool read_line(cdni_rows *r, off_t offset, off_t *next) {
  size_t length = 0, n;
  for (const char *bytes; (bytes = bytes_at(r, offset, &n));) {
    const char *newline = memchr(bytes, '\n', n);
    const size_t some = newline ? (size_t)(newline - bytes) : n;
    const size_t room = length + some + 1;
    if (room > r->line.count && !cdni_array_extend(&r->allocator, &r->line, 1, room - r->line.count)) return false;
    memcpy(text_of(r) + length, bytes, some);
    length += some;
    offset += (off_t)some + (newline != NULL);
    if (!newline) continue;
    while (length > 0 && text_of(r)[length - 1] == '\r') length--;
    text_of(r)[length] = 0;
    *next = offset;
    if (length > 0) return true;
    // a blank line is no row
  }
  return false;
}

/* ---- rows ---- */

static cdn_status wrong(const cdni_rows *r, const char *what) {
  return cdni_refuse(CDN_ERR_PARSE, "cardan", "%s: the row '%.40s...' %s", r->path, text_of(r), what);
}

static cdn_status read_numbers(const cdni_rows *r, double *value) {
  const char *at = text_of(r);
  for (int i = 0; i < r->columns; i++) {
    char *end;
    value[i] = strtod_l(at, &end, r->locale);
    if (end == at || (*end && *end != ',')) return wrong(r, "has a field that is no number");
    if (!*end && i + 1 < r->columns) return wrong(r, "has fewer fields than the header");
    at = end + 1;
    if (*end && i + 1 == r->columns) return wrong(r, "has more fields than the header");
  }
  return CDN_OK;
}

/* The time of a row, and where the next one begins. */
static bool read_time(cdni_rows *r, off_t offset, double *time, off_t *next) {
  if (!read_line(r, offset, next)) return false;
  *time = strtod_l(text_of(r), NULL, r->locale);
  return true;
}

static cdn_status read_place(cdni_rows *r, row_place *p, off_t offset) {
  if (p->to > 0 && p->from == offset) return CDN_OK;
  p->to = 0;
  off_t next;
  if (!read_line(r, offset, &next)) {
    return cdni_refuse(CDN_ERR_FILE, "cardan", "%s: could not be read at byte %lld: it may have been cut", r->path,
                       (long long)offset);
  }
  CDN_TRY(read_numbers(r, p->value));
  p->from = offset, p->to = next;
  return CDN_OK;
}

/* The last row that is not after a time. */
static off_t find(cdni_rows *r, double time) {
  off_t low = r->first, high = r->last, next;
  double t;
  if (time >= r->last_time) return r->last;
  while (high > low) {
    off_t middle = line_start(r, low + (high - low) / 2);
    if (middle <= low && (!read_time(r, low, &t, &middle) || middle >= high)) break;
    if (read_time(r, middle, &t, &next) && t <= time) low = middle;
    else high = middle;
  }
  return low;
}

static void swap_places(cdni_rows *r) {
  const row_place kept = r->place[0];
  r->place[0] = r->place[1];
  r->place[1] = kept;
}

cdn_status cdni_rows_at(cdni_rows *r, double time, const double **row, const double **next) {
  enum { AHEAD = 8 }; // who plays asks for the next rows
  row_place *p = r->place;
  *row = *next = NULL;
  for (int k = 0;; k++) {
    const bool near = p[0].to > 0 && p[0].value[0] <= time && k < AHEAD;
    if (!near) CDN_TRY(read_place(r, &p[0], find(r, time)));
    *row = p[0].value;
    *next = NULL;
    if (p[0].to >= r->end) return CDN_OK;
    const cdn_status status = read_place(r, &p[1], p[0].to);
    if (!near) CDN_TRY(status);
    if (status != CDN_OK) p[0].to = 0; // it may be jumped over
    if (status != CDN_OK) continue;
    *next = p[1].value;
    if (!near || p[1].value[0] > time) return CDN_OK;
    swap_places(r);
  }
}

void cdni_rows_rewind(cdni_rows *r) { r->at = r->first; }

cdn_status cdni_rows_next(cdni_rows *r, const double **row) {
  *row = NULL;
  if (r->at >= r->end) return CDN_OK;
  CDN_TRY(read_place(r, &r->place[0], r->at));
  r->at = r->place[0].to;
  *row = r->place[0].value;
  return CDN_OK;
}

/* ---- opening ---- */

char *cdni_next_field(char **line) {
  char *from = *line, *to = from, *field = from;
  bool quoted = *from == '"';
  if (quoted) from++;
  for (; *from; from++) {
    if (quoted && *from == '"' && from[1] == '"') from++;
    else if (quoted && *from == '"') {
      quoted = false;
      continue;
    } else if (!quoted && *from == ',') break;
    *to++ = *from;
  }
  *line = *from ? from + 1 : NULL;
  *to = 0;
  return field;
}

static cdn_status no_memory(void) { return cdni_refuse(CDN_ERR_NOMEM, "cardan", "out of memory for a table"); }

static cdn_status read_header(cdni_rows *r) {
  off_t next;
  if (!read_line(r, 0, &next))
    return cdni_refuse(CDN_ERR_PARSE, "cardan", "%s: holds no table: its first line names the columns", r->path);
  int most = 1;
  for (const char *c = text_of(r); *c; c++) most += *c == ',';
  r->name = cdni_calloc(&r->allocator, (size_t)most * sizeof *r->name);
  if (!r->name) return no_memory();
  r->room = most;
  for (char *line = text_of(r); line; r->columns++)
    if (!(r->name[r->columns] = cdni_strdup(&r->allocator, cdni_next_field(&line)))) return no_memory();
  r->first = next;
  return CDN_OK;
}

/* The last whole row. */
static bool find_last(cdni_rows *r) {
  off_t next;
  if (!read_time(r, r->first, &r->first_time, &next) || fseeko(r->file, 0, SEEK_END) != 0) return false;
  r->end = line_start(r, ftello(r->file));
  r->last = r->end;
  do r->last = line_start(r, r->last - 1);
  while (r->last > r->first && (!read_time(r, r->last, &r->last_time, &next) || next > r->end));
  if (!read_time(r, r->last, &r->last_time, &next)) return false;
  r->end = next;
  return true;
}

/* Standard input and pipes are copied: rows are read here and there. */
static FILE *open_seekable(const char *path) {
  FILE *from = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (!from || fseeko(from, 0, SEEK_END) == 0) return from;
  FILE *copy = tmpfile();
  char piece[BLOCK];
  for (size_t n; copy && (n = fread(piece, 1, sizeof piece, from)) > 0;)
    if (fwrite(piece, 1, n, copy) != n) {
      fclose(copy);
      copy = NULL;
    }
  if (from != stdin) fclose(from);
  return copy;
}

static cdn_status open_rows(cdni_rows *r, const char *path) {
  r->path = cdni_strdup(&r->allocator, path);
  r->block = cdni_alloc(&r->allocator, BLOCK);
  r->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!r->path || !r->block || !r->locale) return no_memory();
  r->file = open_seekable(path);
  if (!r->file) return cdni_refuse(CDN_ERR_FILE, "cardan", "%s: could not be read: %s", path, strerror(errno));
  CDNI_TRY(read_header(r));
  if (!find_last(r)) return cdni_refuse(CDN_ERR_PARSE, "cardan", "%s: holds no rows", path);
  if (!(r->last_time >= r->first_time))
    return cdni_refuse(CDN_ERR_PARSE, "cardan", "%s: its times do not increase: its rows cannot be found by time",
                       path);
  for (int k = 0; k < 2; k++)
    if (!(r->place[k].value = cdni_calloc(&r->allocator, (size_t)r->columns * sizeof(double)))) return no_memory();
  r->at = r->first;
  return CDN_OK;
}

cdn_status cdni_rows_open(const char *path, cdni_rows **out) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  *out = NULL;
  cdni_rows *r = cdni_calloc(&a, sizeof *r);
  if (!r) return no_memory();
  r->allocator = a;
  const cdn_status status = open_rows(r, path);
  if (status == CDN_OK) *out = r;
  else cdni_rows_close(r);
  return status;
}

void cdni_rows_close(cdni_rows *r) {
  if (!r) return;
  const cdn_allocator a = r->allocator;
  if (r->file && r->file != stdin) fclose(r->file);
  if (r->locale) freelocale(r->locale);
  for (int i = 0; i < r->columns; i++) cdni_strfree(&a, r->name[i]);
  cdni_free(&a, r->name, (size_t)r->room * sizeof *r->name);
  for (int k = 0; k < 2; k++) cdni_free(&a, r->place[k].value, (size_t)r->columns * sizeof(double));
  cdni_array_free(&a, &r->line);
  cdni_free(&a, r->block, BLOCK);
  cdni_strfree(&a, r->path);
  cdni_free(&a, r, sizeof *r);
}

int cdni_rows_columns(const cdni_rows *r) { return r->columns; }
const char *cdni_rows_name(const cdni_rows *r, int column) { return r->name[column]; }
double cdni_rows_first_time(const cdni_rows *r) { return r->first_time; }
double cdni_rows_last_time(const cdni_rows *r) { return r->last_time; }

double cdni_rows_count(cdni_rows *r) {
  enum { ALL = 64 << 20, PLACES = 20, SAMPLE = 50 };
  const double bytes = (double)(r->end - r->first);
  double n = 0, seen = 0;
  off_t at = r->first, next;
  if (r->end < ALL) {
    for (; at < r->end && read_line(r, at, &next); at = next) n++;
    return n;
  }
  for (int k = 0; k < PLACES; k++) {
    at = line_start(r, r->first + (off_t)(bytes * k / PLACES));
    for (int i = 0; i < SAMPLE && at < r->end && read_line(r, at, &next); i++, at = next)
      n++, seen += (double)(next - at);
  }
  return floor(n * bytes / seen);
}
