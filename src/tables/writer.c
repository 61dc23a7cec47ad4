/* Writing tables: what is the same in all formats. Rows wait until a chunk is full, or a second has passed. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <time.h>
#include <zlib.h>

#include "core/sized.h"
#include "tables/internal.h"

CDNI_DEF(table_def, .names = NULL);

enum { MOST_COLUMNS = 1 << 20, MOST_CHUNK_BYTES = 1 << 28 };
static const double WAITING = 1; /* s */

static double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- failures ---- */

cdn_status tables_no_memory(const char *function) {
  return cdni_refuse(CDN_ERR_NOMEM, function, "out of memory for a table");
}

static cdn_status say_failure(const cdn_table_writer *w) {
  return cdni_refuse(CDN_ERR_FILE, w->function, "%s: could not be written: %s", w->path, w->reason);
}

cdn_status tables_fail(cdn_table_writer *w, const char *reason) {
  if (!w->failed)
    snprintf(w->reason, sizeof w->reason, "%s", reason ? reason : errno ? strerror(errno) : "no reason is known");
  w->failed = true;
  return say_failure(w);
}

/* ---- checksums ---- */

/* Numbers that are none have many bits, and text keeps one of them. */
static void add_checksum(cdn_table_writer *w, int n, const double *values) {
  enum { PIECE = 512 };
  double piece[PIECE];
  for (size_t left = (size_t)n * (size_t)w->head.n_columns; left > 0;) {
    const size_t some = left < PIECE ? left : PIECE;
    for (size_t i = 0; i < some; i++) piece[i] = isnan(values[i]) ? NAN : values[i];
    w->checksum = (double)crc32((uLong)w->checksum, (const Bytef *)piece, (uInt)(some * sizeof *piece));
    values += some, left -= some;
  }
}

double cdni_table_checksum(const cdn_table_writer *w) { return w->checksum; }

/* ---- beginning ---- */

static cdn_status check_def(const char *function, const char *path, const cdn_table_def *def,
                            const cdn_table_def *known) {
  if (!path || !def) return cdni_refuse(CDN_ERR_ARG, function, "the path, or the def of the columns, is NULL");
  if (known->n_columns < 1 || known->n_columns > MOST_COLUMNS || !known->names || known->chunk_rows < 0)
    return cdni_refuse(CDN_ERR_ARG, function, "%s: a table has 1 to %d columns with names, and chunks of >= 0 rows",
                       path, MOST_COLUMNS);
  for (int i = 0; i < known->n_columns; i++)
    if (!known->names[i] || !known->names[i][0])
      return cdni_refuse(CDN_ERR_ARG, function, "%s: column %d has no name", path, i);
  return CDN_OK;
}

static void free_writer(cdn_table_writer *w) {
  const cdn_allocator a = w->allocator;
  cdni_free(&a, w->block, (size_t)w->chunk * (size_t)w->head.n_columns * sizeof *w->block);
  tables_free_head(&a, &w->head);
  cdni_strfree(&a, w->path);
  cdni_free(&a, w, sizeof *w);
}

static cdn_status make(const char *function, const char *path, const cdn_table_def *def, cdn_table_writer **out) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  const double row = (double)def->n_columns * sizeof(double);
  cdn_table_writer *w = cdni_calloc(&a, sizeof *w);
  if (!w) return tables_no_memory(function);
  w->allocator = a;
  w->format = tables_format_of(path);
  w->function = function;
  w->chunk =
      (int)fmax(1, fmin(def->chunk_rows > 0 ? def->chunk_rows : w->format->chunk_bytes / row, MOST_CHUNK_BYTES / row));
  w->path = cdni_strdup(&a, path);
  w->block = cdni_alloc(&a, (size_t)w->chunk * (size_t)def->n_columns * sizeof *w->block);
  w->last_flush = wall_clock();
  if (w->path && w->block && tables_copy_head(&a, &w->head, def->n_columns, def->names, def->units)) {
    *out = w;
    return CDN_OK;
  }
  free_writer(w);
  return tables_no_memory(function);
}

/* Reads the rows that are there: their checksum, and the place behind them. */
static cdn_status go_over(cdn_table_writer *w, const table_source *s, double rows, int64_t *place) {
  cdn_status status = CDN_OK;
  *place = s->first;
  for (double i = 0; i < rows && status == CDN_OK; i++) {
    if (*place >= s->end)
      return cdni_refuse(CDN_ERR_PARSE, w->function, "%s: has %.0f rows, and the table to go on with %.0f", w->path, i,
                         rows);
    status = s->row((table_source *)s, *place, w->block, place);
    if (status == CDN_OK) add_checksum(w, 1, w->block);
  }
  return status;
}

static cdn_status find_place(cdn_table_writer *w, double rows, const double *checksum, int64_t *place) {
  table_source s;
  CDNI_TRY(tables_open(w->path, &s));
  bool same = s.head.n_columns == w->head.n_columns;
  for (int i = 0; i < w->head.n_columns && same; i++) same = strcmp(s.head.name[i], w->head.name[i]) == 0;
  cdn_status status = CDN_OK;
  if (!same)
    status = cdni_refuse(CDN_ERR_PARSE, w->function, "%s: has other columns than the table to go on with", w->path);
  if (status == CDN_OK) status = go_over(w, &s, rows, place);
  if (status == CDN_OK && checksum && w->checksum != *checksum)
    status = cdni_refuse(CDN_ERR_PARSE, w->function, "%s: has other rows than the table to go on with", w->path);
  for (size_t i = 0; i < s.head.attributes.count && status == CDN_OK; i++) {
    const table_attribute *x = &CDNI_AT(s.head.attributes, table_attribute, i);
    if (!tables_keep(&w->allocator, &w->head, x->name, x->text, x->number)) status = tables_no_memory(w->function);
  }
  tables_close(&s);
  w->written = (int64_t)rows;
  return status;
}

/* rows < 0: begins. */
static cdn_status begin(const char *function, const char *path, const cdn_table_def *def, double rows,
                        const double *checksum, cdn_table_writer **out) {
  cdn_table_def known;
  if (out) *out = NULL;
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the writer shall go is NULL");
  const char *unreadable = read_table_def(&known, def ? def : &table_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  CDNI_TRY(check_def(function, path, def, &known));
  cdn_table_writer *w = NULL;
  CDNI_TRY(make(function, path, &known, &w));
  cdn_status status = CDN_OK, code = CDN_ERR_ARG;
  const char *why = w->format->refuses ? w->format->refuses(&w->head, &code) : NULL;
  int64_t place = 0;
  if (why) status = cdni_refuse(code, function, "%s: %s", path, why);
  else if (rows >= 0 && (!w->format->goes_on || strcmp(path, "-") == 0))
    status = cdni_refuse(CDN_ERR_UNSUPPORTED, function, "%s: cannot be gone on with; a file of .csv or .h5 can", path);
  if (status == CDN_OK && rows >= 0) status = find_place(w, rows, checksum, &place);
  if (status == CDN_OK) {
    status = w->format->begin(w, (int64_t)rows, place);
    if (status != CDN_OK) (void)w->format->end(w);
  }
  if (status == CDN_OK) *out = w;
  else free_writer(w);
  return status;
}

cdn_status cdn_table_create(const char *path, const cdn_table_def *def, cdn_table_writer **out) {
  return begin(__func__, path, def, -1, NULL, out);
}

cdn_status cdn_table_continue(const char *path, const cdn_table_def *def, int64_t rows, cdn_table_writer **out) {
  if (rows < 0) {
    if (out) *out = NULL;
    return cdni_refuse(CDN_ERR_ARG, __func__, "a table cannot be continued behind %lld rows", (long long)rows);
  }
  return begin(__func__, path, def, (double)rows, NULL, out);
}

cdn_status cdni_table_continue(const char *path, const cdn_table_def *def, double rows, double checksum,
                               cdn_table_writer **out) {
  return begin("cdn_table_continue", path, def, rows, &checksum, out);
}

/* ---- rows ---- */

static cdn_status append(cdn_table_writer *w, int n, const double *values) {
  CDNI_TRY(w->format->append(w, n, values));
  add_checksum(w, n, values);
  return CDN_OK;
}

static cdn_status write_waiting(cdn_table_writer *w) {
  const int n = w->waiting;
  w->waiting = 0;
  w->last_flush = wall_clock();
  return n > 0 ? append(w, n, w->block) : CDN_OK;
}

cdn_status cdn_table_rows(cdn_table_writer *w, int n, const double *values) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  w->function = __func__;
  if (n < 0 || (n > 0 && !values)) return cdni_refuse(CDN_ERR_ARG, __func__, "%s: rows are missing", w->path);
  if (w->failed) return say_failure(w);
  const size_t columns = (size_t)w->head.n_columns;
  for (int left = n; left > 0;) {
    const int room = w->chunk - w->waiting, some = left < room ? left : room;
    if (some == w->chunk) {
      CDNI_TRY(append(w, some, values));
    } else {
      memcpy(w->block + (size_t)w->waiting * columns, values, (size_t)some * columns * sizeof *values);
      w->waiting += some;
      if (w->waiting == w->chunk) CDNI_TRY(write_waiting(w));
    }
    w->written += some;
    values += (size_t)some * columns, left -= some;
  }
  return w->waiting > 0 && wall_clock() - w->last_flush >= WAITING ? write_waiting(w) : CDN_OK;
}

/* Names that mean something in one of the formats, or that a line of a head cannot have. */
static bool is_taken(const char *name) {
  static const char *const taken[] = { "table", "units",    "columns",  "time",     "version",
                                       "nRows", "nColumns", "datarows", "inDegrees" };
  for (int i = 0; i < CDNI_COUNT(taken); i++)
    if (strcmp(name, taken[i]) == 0) return true;
  return strpbrk(name, "=/\r\n") != NULL;
}

static cdn_status keep(cdn_table_writer *w, const char *function, const char *name, const char *text, double number) {
  if (!name || !name[0]) return cdni_refuse(CDN_ERR_ARG, function, "the attribute has no name");
  if (is_taken(name))
    return cdni_refuse(CDN_ERR_ARG, function, "%s: an attribute cannot have the name '%s', which formats need", w->path,
                       name);
  w->function = function;
  if (w->failed) return say_failure(w);
  if (!tables_keep(&w->allocator, &w->head, name, text, number)) return tables_no_memory(function);
  return w->format->attribute ? w->format->attribute(w, tables_find(&w->head, name)) : CDN_OK;
}

cdn_status cdn_table_attribute(cdn_table_writer *w, const char *name, const char *text) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(text, CDN_ERR_ARG);
  return keep(w, __func__, name, text, 0);
}

cdn_status cdn_table_number(cdn_table_writer *w, const char *name, double value) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  return keep(w, __func__, name, NULL, value);
}

cdn_status cdn_table_flush(cdn_table_writer *w) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  w->function = __func__;
  return w->failed ? say_failure(w) : write_waiting(w);
}

cdn_status cdni_table_sync(cdn_table_writer *w) {
  CDNI_TRY(cdn_table_flush(w));
  return w->format->sync(w);
}

int64_t cdn_table_written(const cdn_table_writer *w) { return w ? w->written : 0; }

cdn_status cdn_table_close(cdn_table_writer *w) {
  CDNI_NEED_OBJECT(w, CDN_ERR_ARG);
  w->function = __func__;
  cdn_status status = w->failed ? CDN_ERR_FILE : write_waiting(w);
  const cdn_status ended = w->format->end(w);
  if (status == CDN_OK) status = ended;
  if (w->failed) status = say_failure(w);
  free_writer(w);
  return status;
}
