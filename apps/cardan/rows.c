/* Rows of a file on demand. A time is found by halving the file: lines tell where they begin. */
#define _POSIX_C_SOURCE 200809L
#include "rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "core/core.h"

enum { BLOCK = 1 << 16 };

/* A line of the file, as numbers. */
typedef struct row_place {
  off_t from, to; /* where the row begins, and where the next one does; to 0: none was read */
  double *value;
} row_place;

struct rows {
  char *path;
  FILE *file;
  int columns;
  char **name;
  off_t first, end; /* of the rows; the end of the last whole one */
  double first_time, last_time;
  off_t last;
  row_place place[2]; /* a row, and the one behind it */
  off_t at;           /* of rows_next */
  char *line;         /* work */
  size_t room;
  char *block; /* a piece of the file */
  off_t block_at;
  size_t block_size;
};

/* ---- bytes ---- */

/* The bytes from an offset on, at least one of them; NULL at the end of the file. */
static const char *bytes_at(rows *r, off_t offset, size_t *n) {
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
static off_t line_start(rows *r, off_t offset) {
  while (offset > r->first) {
    size_t n;
    const char *byte = bytes_at(r, offset - 1, &n);
    if (!byte || *byte == '\n') break;
    offset--;
  }
  return offset;
}

/* The line that begins at an offset, in r->line, without its end; *next is where the next one begins. False at the end
 * of the file, or if the line has no end. */
static bool read_line(rows *r, off_t offset, off_t *next) {
  size_t length = 0, n;
  for (const char *bytes; (bytes = bytes_at(r, offset, &n));) {
    const char *newline = memchr(bytes, '\n', n);
    const size_t some = newline ? (size_t)(newline - bytes) : n;
    if (length + some + 1 > r->room) {
      char *grown = realloc(r->line, r->room = 2 * (length + some + 1));
      if (!grown) {
        complain("out of memory");
        exit(CMD_FAILED);
      }
      r->line = grown;
    }
    memcpy(r->line + length, bytes, some);
    length += some;
    offset += (off_t)some + (newline != NULL);
    if (!newline) continue;
    while (length > 0 && r->line[length - 1] == '\r') length--;
    r->line[length] = 0;
    *next = offset;
    if (length > 0) return true;
    // a blank line is no row
  }
  return false;
}

/* ---- rows ---- */

static cdn_status wrong(const rows *r, const char *what) {
  return cdni_refuse(CDN_ERR_PARSE, "cardan", "%s: the row '%.40s...' %s", r->path, r->line, what);
}

static cdn_status read_numbers(const rows *r, double *value) {
  const char *at = r->line;
  for (int i = 0; i < r->columns; i++) {
    char *end;
    value[i] = strtod(at, &end);
    if (end == at || (*end && *end != ',')) return wrong(r, "has a field that is no number");
    if (!*end && i + 1 < r->columns) return wrong(r, "has fewer fields than the header");
    at = end + 1;
    if (*end && i + 1 == r->columns) return wrong(r, "has more fields than the header");
  }
  return CDN_OK;
}

/* The time of a row, and where the next one begins. */
static bool read_time(rows *r, off_t offset, double *time, off_t *next) {
  if (!read_line(r, offset, next)) return false;
  *time = strtod(r->line, NULL);
  return true;
}

static cdn_status read_place(rows *r, row_place *p, off_t offset) {
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
static off_t find(rows *r, double time) {
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

static void swap_places(rows *r) {
  const row_place kept = r->place[0];
  r->place[0] = r->place[1];
  r->place[1] = kept;
}

cdn_status rows_at(rows *r, double time, const double **row, const double **next) {
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

void rows_rewind(rows *r) { r->at = r->first; }

cdn_status rows_next(rows *r, const double **row) {
  *row = NULL;
  if (r->at >= r->end) return CDN_OK;
  CDN_TRY(read_place(r, &r->place[0], r->at));
  r->at = r->place[0].to;
  *row = r->place[0].value;
  return CDN_OK;
}

/* ---- opening ---- */

char *next_field(char **line) {
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

static bool read_header(rows *r) {
  off_t next;
  if (!read_line(r, 0, &next)) return false;
  for (const char *c = r->line; *c; c++) r->columns += *c == ',';
  r->name = allocate((size_t)++r->columns, sizeof *r->name);
  int n = 0;
  for (char *line = r->line; line;) {
    const char *field = next_field(&line);
    r->name[n] = allocate(strlen(field) + 1, 1);
    strcpy(r->name[n++], field);
  }
  r->columns = n;
  r->first = next;
  return true;
}

/* The last whole row. */
static bool find_last(rows *r) {
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

rows *rows_open(const char *path, int *code) {
  rows *r = allocate(1, sizeof *r);
  *code = CMD_INPUT;
  r->path = strcpy(allocate(strlen(path) + 1, 1), path);
  r->block = allocate(BLOCK, 1);
  r->file = open_seekable(path);
  if (!r->file) complain("%s: could not be read: %s", path, strerror(errno));
  else if (!read_header(r)) complain("%s: holds no table: its first line names the columns", path);
  else if (!find_last(r)) complain("%s: holds no rows", path);
  else if (!(r->last_time >= r->first_time))
    complain("%s: its times do not increase: its rows cannot be found by time", path);
  else *code = CMD_OK;
  if (*code != CMD_OK) {
    rows_close(r);
    return NULL;
  }
  for (int k = 0; k < 2; k++) r->place[k].value = allocate((size_t)r->columns, sizeof(double));
  r->at = r->first;
  return r;
}

void rows_close(rows *r) {
  if (!r) return;
  if (r->file && r->file != stdin) fclose(r->file);
  for (int i = 0; i < r->columns && r->name; i++) free(r->name[i]);
  for (int k = 0; k < 2; k++) free(r->place[k].value);
  free(r->name);
  free(r->line);
  free(r->block);
  free(r->path);
  free(r);
}

int rows_columns(const rows *r) { return r->columns; }
const char *rows_name(const rows *r, int column) { return r->name[column]; }
double rows_first_time(const rows *r) { return r->first_time; }
double rows_last_time(const rows *r) { return r->last_time; }

double rows_count(rows *r) {
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
