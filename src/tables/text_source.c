/* Rows of text on demand. A place is the byte where a line begins. */
#define _GNU_SOURCE /* strtod_l */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <sys/stat.h>

#include "tables/internal.h"

enum { BLOCK = 1 << 16, MOST_HEAD_LINES = 10000 };

typedef struct text_source {
  locale_t locale; /* whose numbers have a point */
  FILE *file;
  cdni_array line; /* of characters: work */
  char *block;     /* a piece of the file */
  int64_t block_at;
  size_t block_size;
  char between;    /* fields: ',' or a tab; ' ': any blanks */
  int skipped;     /* fields at the beginning of a row */
  double per_unit; /* all numbers but the first are divided by it: lengths, to m */
  int64_t told;    /* rows that the head tells; -1: it does not */
} text_source;

/* ---- bytes ---- */

/* The bytes from an offset on, at least one of them; NULL at the end of the file. */
static const char *bytes_at(text_source *t, int64_t offset, size_t *n) {
  if (offset < t->block_at || offset >= t->block_at + (int64_t)t->block_size) {
    /* a search goes backward, too: a part of the block lies before the offset */
    t->block_at = offset > BLOCK / 4 ? offset - BLOCK / 4 : 0;
    t->block_size = fseeko(t->file, (off_t)t->block_at, SEEK_SET) == 0 ? fread(t->block, 1, BLOCK, t->file) : 0;
  }
  const int64_t in_block = offset - t->block_at;
  *n = in_block < (int64_t)t->block_size ? t->block_size - (size_t)in_block : 0;
  return *n > 0 ? t->block + in_block : NULL;
}

/* Where the line of a byte begins. */
static int64_t line_start(table_source *s, int64_t offset) {
  while (offset > s->first) {
    size_t n;
    const char *byte = bytes_at(s->self, offset - 1, &n);
    if (!byte || *byte == '\n') break;
    offset--;
  }
  return offset;
}

static char *text_of(const text_source *t) { return t->line.data; }

/* The line that begins at an offset, in t->line, without its end; *next is where the next one begins. False at the end
 * of the file, or if the line has no end. */
static bool read_line(table_source *s, int64_t offset, int64_t *next) {
  text_source *t = s->self;
  size_t length = 0, n;
  for (const char *bytes; (bytes = bytes_at(t, offset, &n));) {
    const char *newline = memchr(bytes, '\n', n);
    const size_t some = newline ? (size_t)(newline - bytes) : n, room = length + some + 1;
    if (room > t->line.count && !cdni_array_extend(&s->allocator, &t->line, 1, room - t->line.count)) return false;
    memcpy(text_of(t) + length, bytes, some);
    length += some;
    offset += (int64_t)some + (newline != NULL);
    if (!newline) continue;
    while (length > 0 && text_of(t)[length - 1] == '\r') length--;
    text_of(t)[length] = 0;
    *next = offset;
    return true;
  }
  return false;
}

static bool is_blank(const char *text) { return text[strspn(text, " \t")] == 0; }

/* The next line that is not blank: a blank one is no row. */
static bool read_full_line(table_source *s, int64_t offset, int64_t *next) {
  while (read_line(s, offset, next)) {
    if (!is_blank(text_of(s->self))) return true;
    offset = *next;
  }
  return false;
}

/* ---- rows ---- */

static cdn_status wrong(const table_source *s, const char *what) {
  return tables_refuse(s, CDN_ERR_PARSE, "the row '%.40s...' %s", text_of(s->self), what);
}

/* A number. A field of a .trc that is empty is a marker that was not seen. */
static bool read_number(const text_source *t, const char **at, double *x) {
  char *end;
  *x = NAN;
  if (t->between == '\t' && (**at == '\t' || **at == 0)) return true;
  *x = strtod_l(*at, &end, t->locale);
  const bool good = end != *at;
  *at = end;
  return good;
}

typedef enum follows { FIELD, NO_FIELD, RUBBISH } follows;

/* Goes to the next field of the line. */
static follows next_field(const text_source *t, const char **at) {
  const char *from = *at;
  if (t->between != ',') *at += strspn(from, t->between == ' ' ? " \t" : " ");
  if (!**at) return NO_FIELD;
  if (t->between == ' ') return *at > from ? FIELD : RUBBISH;
  if (**at != t->between) return RUBBISH;
  ++*at;
  return FIELD;
}

static cdn_status read_numbers(const table_source *s, double *value) {
  const text_source *t = s->self;
  const char *at = text_of(t);
  follows what = FIELD;
  if (t->between == ' ') at += strspn(at, " \t");
  for (int i = -t->skipped; i < s->head.n_columns; i++) {
    double x;
    if (what == NO_FIELD) return wrong(s, "has fewer fields than the header");
    if (!read_number(t, &at, &x) || (what = next_field(t, &at)) == RUBBISH)
      return wrong(s, "has a field that is no number");
    if (i >= 0) value[i] = i > 0 ? x / t->per_unit : x;
  }
  return what == NO_FIELD || (t->between == '\t' && is_blank(at)) ? CDN_OK
                                                                  : wrong(s, "has more fields than the header");
}

static cdn_status row(table_source *s, int64_t place, double *value, int64_t *next) {
  if (!read_full_line(s, place, next))
    return tables_refuse(s, CDN_ERR_FILE, "could not be read at byte %lld: it may have been cut", (long long)place);
  return read_numbers(s, value);
}

/* The first number of a row, whatever follows. */
static cdn_status time_of(table_source *s, int64_t place, double *time, int64_t *next) {
  const text_source *t = s->self;
  if (!read_full_line(s, place, next)) return CDN_ERR_FILE;
  const char *at = text_of(t);
  if (t->between == ' ') at += strspn(at, " \t");
  for (int i = 0; i <= t->skipped; i++)
    if (!read_number(t, &at, time) || (i < t->skipped && next_field(t, &at) != FIELD)) return CDN_ERR_PARSE;
  return CDN_OK;
}

/* ---- opening ---- */

static void close_text(table_source *s) {
  text_source *t = s->self;
  if (t->file && t->file != stdin) fclose(t->file);
  if (t->locale) freelocale(t->locale);
  cdni_array_free(&s->allocator, &t->line);
  cdni_free(&s->allocator, t->block, BLOCK);
  cdni_free(&s->allocator, t, sizeof *t);
}

/* Standard input and pipes are copied: rows are read here and there. */
static FILE *open_seekable(const char *path) {
  struct stat info;
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return errno = EISDIR, NULL;
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

static cdn_status no_memory(void) { return tables_no_memory("cdn_table_read"); }

static cdn_status open_text(table_source *s, char between, int skipped) {
  text_source *t = cdni_calloc(&s->allocator, sizeof *t);
  if (!t) return no_memory();
  s->self = t, s->close = close_text, s->row = row, s->time = time_of, s->start = line_start;
  *t = (text_source){ .between = between, .skipped = skipped, .per_unit = 1, .told = -1 };
  t->block = cdni_alloc(&s->allocator, BLOCK);
  t->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (!t->block || !t->locale) return no_memory();
  t->file = open_seekable(s->path);
  return t->file ? CDN_OK : tables_refuse(s, CDN_ERR_FILE, "could not be read: %s", strerror(errno));
}

/* Behind the head: where the rows are, and whether they are as many as the head tells. */
static cdn_status find_rows(table_source *s, int64_t first) {
  const text_source *t = s->self;
  if (fseeko(t->file, 0, SEEK_END) != 0)
    return tables_refuse(s, CDN_ERR_FILE, "could not be read: %s", strerror(errno));
  const int64_t size = ftello(t->file);
  int64_t next, rows = 0;
  s->first = first < size ? first : size;
  s->end = line_start(s, size);
  s->cut = s->end < size;
  for (int64_t last; s->end > s->first; s->end = last) {
    last = line_start(s, s->end - 1);
    if (!read_line(s, last, &next) || !is_blank(text_of(t))) break;
  }
  for (int64_t at = s->first; t->told >= 0 && at < s->end && read_full_line(s, at, &next); at = next) rows++;
  if (t->told >= 0 && rows != t->told) s->cut = true;
  return CDN_OK;
}

/* ---- comma-separated values ---- */

/* The next field of a line, unquoted in place; *line moves behind it, or becomes NULL after the last one. */
static char *take_quoted(char **line) {
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

/* The columns, by a list of pointers to characters. */
static cdn_status take_columns(table_source *s, cdni_array *names) {
  const bool ok = names->count > 0 &&
                  tables_copy_head(&s->allocator, &s->head, (int)names->count, (const char *const *)names->data, NULL);
  cdni_array_free(&s->allocator, names);
  return ok ? CDN_OK : no_memory();
}

cdn_status tables_open_csv(table_source *s) {
  int64_t next = 0;
  cdni_array names = { 0 };
  CDNI_TRY(open_text(s, ',', 0));
  if (!read_line(s, 0, &next) || is_blank(text_of(s->self)) || strlen(text_of(s->self)) + 2 < (size_t)next)
    return tables_refuse(s, CDN_ERR_PARSE, "holds no table: its first line names the columns");
  for (char *line = text_of(s->self); line;) {
    const char *field = take_quoted(&line);
    if (!cdni_array_push(&s->allocator, &names, sizeof field, &field)) line = NULL, names.count = 0;
  }
  CDNI_TRY(take_columns(s, &names));
  return find_rows(s, next);
}

/* ---- OpenSim's storages ---- */

/* Fields between blanks or tabs, in place. */
static cdn_status take_labels(table_source *s, char *line, const char *between) {
  cdni_array names = { 0 };
  char *rest;
  for (char *field = strtok_r(line, between, &rest); field; field = strtok_r(NULL, between, &rest))
    if (!cdni_array_push(&s->allocator, &names, sizeof field, &field)) return no_memory();
  if (names.count == 0) return tables_refuse(s, CDN_ERR_PARSE, "names no columns behind its head");
  return take_columns(s, &names);
}

/* Units are in one line, in the order of the columns. */
static cdn_status take_units(table_source *s) {
  const table_attribute *units = tables_find(&s->head, "units");
  const char *at = units ? units->text : NULL;
  for (int i = 0; at && i < s->head.n_columns; i++) {
    const size_t n = strcspn(at, ",");
    char unit[64];
    snprintf(unit, sizeof unit, "%.*s", n < sizeof unit ? (int)n : 0, at);
    cdni_strfree(&s->allocator, s->head.unit[i]);
    if (!(s->head.unit[i] = cdni_strdup(&s->allocator, unit))) return no_memory();
    at = at[n] ? at + n + 1 : NULL;
  }
  return CDN_OK;
}

/* A line of the head: KEY=VALUE, or the name of the table. */
static bool keep_line(table_source *s, char *line) {
  char *equals = strchr(line, '=');
  if (!equals) return true;
  char *value = equals + 1, *end = equals;
  while (end > line && (end[-1] == ' ' || end[-1] == '\t')) end--;
  *end = 0;
  value += strspn(value, " \t");
  for (end = value + strlen(value); end > value && (end[-1] == ' ' || end[-1] == '\t');) *--end = 0;
  text_source *t = s->self;
  if (strcmp(line, "nRows") == 0 || strcmp(line, "datarows") == 0) t->told = strtoll(value, NULL, 10);
  return !line[0] || tables_keep(&s->allocator, &s->head, line, value, 0);
}

cdn_status tables_open_sto(table_source *s) {
  int64_t next = 0, at = 0;
  CDNI_TRY(open_text(s, ' ', 0));
  for (int i = 0;; i++, at = next) {
    if (i == MOST_HEAD_LINES || !read_line(s, at, &next))
      return tables_refuse(s, CDN_ERR_PARSE, "has no line 'endheader', behind which the names of columns follow");
    char *line = text_of(s->self) + strspn(text_of(s->self), " \t");
    if (strncmp(line, "endheader", 9) == 0 && is_blank(line + 9)) break;
    if (!keep_line(s, line)) return no_memory();
  }
  if (!read_full_line(s, next, &next)) return tables_refuse(s, CDN_ERR_PARSE, "ends behind its head");
  CDNI_TRY(take_labels(s, text_of(s->self), " \t"));
  CDNI_TRY(take_units(s));
  return find_rows(s, next);
}

/* ---- markers ---- */

/* What the head of a .trc says: its third line has the values of the second. */
static cdn_status take_rates(table_source *s, char *keys, char *values) {
  text_source *t = s->self;
  char *more_keys, *more_values, *key = strtok_r(keys, "\t ", &more_keys),
                                 *value = strtok_r(values, "\t ", &more_values);
  for (; key && value; key = strtok_r(NULL, "\t ", &more_keys), value = strtok_r(NULL, "\t ", &more_values)) {
    if (!tables_keep(&s->allocator, &s->head, key, value, 0)) return no_memory();
    if (strcmp(key, "NumFrames") == 0) t->told = strtoll(value, NULL, 10);
    if (strcmp(key, "Units") != 0) continue;
    t->per_unit = strcmp(value, "mm") == 0 ? 1000 : strcmp(value, "cm") == 0 ? 100 : strcmp(value, "m") == 0 ? 1 : 0;
    if (t->per_unit == 0)
      return tables_refuse(s, CDN_ERR_PARSE, "has lengths in '%.20s'; they may be in mm, cm or m", value);
  }
  return t->told >= 0 ? CDN_OK : tables_refuse(s, CDN_ERR_PARSE, "is no file of markers: its head has no NumFrames");
}

/* "Frame# Time NAME NAME ...": a column of three numbers each. */
static cdn_status take_markers(table_source *s, char *line) {
  char *rest, *field = strtok_r(line, "\t", &rest);
  cdni_array names = { 0 }, text = { 0 };
  bool ok = field && strncmp(field, "Frame", 5) == 0 && (field = strtok_r(NULL, "\t", &rest));
  if (!ok) return tables_refuse(s, CDN_ERR_PARSE, "is no file of markers: its fourth line begins with Frame# and Time");
  enum { NAME = 128 };
  char *to = cdni_array_extend(&s->allocator, &text, NAME, 1);
  if (to) strcpy(to, "time");
  for (ok = to != NULL; ok && (field = strtok_r(NULL, "\t", &rest));) {
    if (is_blank(field)) continue;
    to = cdni_array_extend(&s->allocator, &text, NAME, 3);
    for (int k = 0; k < 3 && to; k++) snprintf(to + NAME * k, NAME, "%.100s.%c", field, "xyz"[k]);
    ok = to != NULL;
  }
  for (size_t i = 0; i < text.count && ok; i++) {
    const char *name = (const char *)text.data + NAME * i;
    ok = cdni_array_push(&s->allocator, &names, sizeof name, &name) != NULL;
  }
  const cdn_status status = ok ? take_columns(s, &names) : no_memory();
  cdni_array_free(&s->allocator, &names);
  cdni_array_free(&s->allocator, &text);
  return status;
}

cdn_status tables_open_trc(table_source *s) {
  enum { LINES = 5 };
  int64_t at = 0, next;
  char *line[LINES] = { NULL };
  cdn_status status = open_text(s, '\t', 1);
  for (int i = 0; i < LINES && status == CDN_OK; i++, at = next) {
    if (!read_line(s, at, &next))
      status = tables_refuse(s, CDN_ERR_PARSE, "is no file of markers: its head has five lines");
    else if (!(line[i] = cdni_strdup(&s->allocator, text_of(s->self)))) status = no_memory();
    if (status != CDN_OK) break;
  }
  if (status == CDN_OK && strncmp(line[0], "PathFileType", 12) != 0)
    status = tables_refuse(s, CDN_ERR_PARSE, "is no file of markers: its first line begins with PathFileType");
  if (status == CDN_OK) status = take_markers(s, line[3]);
  if (status == CDN_OK) status = take_rates(s, line[1], line[2]);
  for (int i = 1; i < s->head.n_columns && status == CDN_OK; i++) {
    cdni_strfree(&s->allocator, s->head.unit[i]);
    if (!(s->head.unit[i] = cdni_strdup(&s->allocator, "m"))) status = no_memory();
  }
  for (int i = 0; i < LINES; i++) cdni_strfree(&s->allocator, line[i]);
  return status == CDN_OK ? find_rows(s, at) : status;
}
