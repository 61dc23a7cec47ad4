/* Tables as text: a head, then a line a row. Heads of OpenSim's files tell how many rows follow; it is not known before
 * the end, and is written into the room that was left for it. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tables/internal.h"

enum { TEXT_CHUNK = 1 << 14, STREAM_BUFFER = 1 << 16, FIELD = 24 };

typedef struct text_writer {
  FILE *file;
  bool regular;        /* it can be cut and sought in */
  bool begun;          /* it has its head */
  int64_t bytes, rows; /* of the head and whole rows; of those that this writer has written */
  char *line;
  size_t line_size;
  long later[3]; /* where numbers of the head belong: rows, and the rate of a .trc */
  double first_time, last_time;
} text_writer;

/* ---- comma-separated values ---- */

static bool put(const cdn_allocator *a, cdni_array *text, const char *s, size_t n) {
  char *to = cdni_array_extend(a, text, 1, n);
  if (to) memcpy(to, s, n);
  return to || n == 0;
}

/* A field: quoted if it contains a comma, a quote or a line break. */
static bool put_field(const cdn_allocator *a, cdni_array *text, const char *field) {
  const bool quoted = strpbrk(field, ",\"\r\n") != NULL;
  bool ok = !quoted || put(a, text, "\"", 1);
  for (; *field && ok; field++) ok = (*field != '"' || put(a, text, "\"", 1)) && put(a, text, field, 1);
  return ok && (!quoted || put(a, text, "\"", 1));
}

bool cdni_csv_head(const cdn_allocator *a, cdni_array *text, int n, const char *const *names) {
  bool ok = true;
  for (int i = 0; i < n && ok; i++) ok = (i == 0 || put(a, text, ",", 1)) && put_field(a, text, names[i]);
  return ok && put(a, text, "\n", 1);
}

static size_t put_row(char *text, int n, const double *values, char between) {
  char *to = text;
  for (int i = 0; i < n; i++) {
    if (i > 0) *to++ = between;
    to += strlen(cdn_number_text(values[i], to));
  }
  *to++ = '\n';
  return (size_t)(to - text);
}

size_t cdni_csv_row(char *text, int n, const double *values) { return put_row(text, n, values, ','); }

static bool csv_head(cdn_table_writer *w, text_writer *t) {
  cdni_array text = { 0 };
  const bool ok = cdni_csv_head(&w->allocator, &text, w->head.n_columns, (const char *const *)w->head.name);
  if (ok) fwrite(text.data, 1, text.count, t->file);
  cdni_array_free(&w->allocator, &text);
  return ok;
}

/* ---- OpenSim's storages ---- */

/* The name of the file without folder and ending. */
static void put_stem(FILE *file, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *point = strrchr(name, '.');
  fprintf(file, "%.*s\n", point ? (int)(point - name) : (int)strlen(name), name);
}

/* A line has no line breaks. */
static void put_in_line(FILE *file, const char *text) {
  for (; *text; text++) fputc(*text == '\n' || *text == '\r' ? ' ' : *text, file);
}

/* Room for a number that is not known yet. */
static long put_room(FILE *file, const char *before, const char *after) {
  fputs(before, file);
  const long at = ftell(file);
  fprintf(file, "%-*d%s", FIELD, 0, after);
  return at;
}

static bool sto_head(cdn_table_writer *w, text_writer *t) {
  const table_head *h = &w->head;
  char number[CDN_NUMBER_SIZE];
  put_stem(t->file, w->path);
  fputs("version=1\n", t->file);
  t->later[0] = put_room(t->file, "nRows=", "\n");
  fprintf(t->file, "nColumns=%d\ninDegrees=no\nunits=", h->n_columns);
  for (int i = 0; i < h->n_columns; i++) {
    if (i > 0) fputc(',', t->file);
    put_in_line(t->file, h->unit[i]);
  }
  fputc('\n', t->file);
  for (size_t i = 0; i < h->attributes.count; i++) {
    const table_attribute *x = &CDNI_AT(h->attributes, table_attribute, i);
    put_in_line(t->file, x->name);
    fputc('=', t->file);
    put_in_line(t->file, x->text ? x->text : cdn_number_text(x->number, number));
    fputc('\n', t->file);
  }
  fputs("endheader\n", t->file);
  for (int i = 0; i < h->n_columns; i++) fprintf(t->file, "%s%c", h->name[i], i + 1 < h->n_columns ? '\t' : '\n');
  return true;
}

static const char *sto_refuses(const table_head *h, cdn_status *code) {
  *code = CDN_ERR_UNSUPPORTED;
  if (strcmp(h->name[0], "time") != 0) return "tables of OpenSim begin with a column 'time'; choose .csv, .h5 or .npz";
  for (int i = 0; i < h->n_columns; i++)
    if (strpbrk(h->name[i], " \t\r\n"))
      return "tables of OpenSim have no spaces in the names of columns; choose .csv, .h5 or .npz";
  return NULL;
}

/* ---- markers ---- */

static bool is_axis(const char *name, const char *next, char axis) {
  const size_t n = strlen(name);
  return n > 2 && n == strlen(next) && strncmp(name, next, n - 1) == 0 && name[n - 2] == '.' && next[n - 1] == axis;
}

static const char *trc_refuses(const table_head *h, cdn_status *code) {
  static const char why[] =
      "a .trc holds markers: columns NAME.x, NAME.y, NAME.z in m behind 'time'; choose .sto for others";
  const char *blank = sto_refuses(h, code);
  if (blank) return blank;
  if (h->n_columns < 4 || h->n_columns % 3 != 1) return why;
  for (int i = 1; i < h->n_columns; i += 3)
    for (int k = 0; k < 3; k++)
      if (!is_axis(h->name[i], h->name[i + k], "xyz"[k]) || (h->unit[i + k][0] && strcmp(h->unit[i + k], "m") != 0))
        return why;
  return NULL;
}

static bool trc_head(cdn_table_writer *w, text_writer *t) {
  const table_head *h = &w->head;
  const int markers = h->n_columns / 3;
  const char *slash = strrchr(w->path, '/');
  fprintf(t->file, "PathFileType\t4\t(X/Y/Z)\t%s\n", slash ? slash + 1 : w->path);
  fputs("DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n",
        t->file);
  t->later[1] = put_room(t->file, "", "\t");
  t->later[2] = put_room(t->file, "", "\t");
  t->later[0] = put_room(t->file, "", "");
  fprintf(t->file, "\t%d\tm\t0\t1\t0\nFrame#\tTime", markers);
  for (int i = 0; i < markers; i++) {
    const char *name = h->name[1 + 3 * i];
    fprintf(t->file, "\t%.*s\t\t", (int)strlen(name) - 2, name);
  }
  fputs("\n\t", t->file);
  for (int i = 0; i < markers; i++) fprintf(t->file, "\tX%d\tY%d\tZ%d", i + 1, i + 1, i + 1);
  fputs("\n\n", t->file);
  return true;
}

/* ---- files ---- */

static cdn_status begin_head(cdn_table_writer *w) {
  text_writer *t = w->self;
  if (t->begun) return CDN_OK;
  t->begun = true;
  if (w->format == &tables_csv ? !csv_head(w, t) : w->format == &tables_sto ? !sto_head(w, t) : !trc_head(w, t))
    return tables_no_memory(w->function);
  if (fflush(t->file) != 0) return tables_fail(w, NULL);
  t->bytes = ftello(t->file);
  return CDN_OK;
}

static cdn_status open_at(cdn_table_writer *w, text_writer *t, int64_t rows, int64_t place) {
  struct stat info;
  t->file = strcmp(w->path, "-") == 0 ? stdout : fopen(w->path, rows < 0 ? "w" : "r+");
  if (!t->file) return tables_fail(w, NULL);
  setvbuf(t->file, NULL, _IOFBF, STREAM_BUFFER);
  t->regular = t->file != stdout && fstat(fileno(t->file), &info) == 0 && S_ISREG(info.st_mode);
  /* comma-separated values have no attributes to wait for */
  if (rows < 0) return w->format == &tables_csv ? begin_head(w) : CDN_OK;
  t->begun = true, t->bytes = place;
  if (ftruncate(fileno(t->file), (off_t)place) == 0 && fseeko(t->file, (off_t)place, SEEK_SET) == 0) return CDN_OK;
  return tables_fail(w, NULL);
}

static cdn_status begin(cdn_table_writer *w, int64_t rows, int64_t place) {
  text_writer *t = cdni_calloc(&w->allocator, sizeof *t);
  w->self = t;
  if (!t) return tables_no_memory(w->function);
  t->line_size = CDNI_CSV_ROOM(w->head.n_columns);
  t->line = cdni_alloc(&w->allocator, t->line_size);
  return t->line ? open_at(w, t, rows, place) : tables_no_memory(w->function);
}

static cdn_status append(cdn_table_writer *w, int n, const double *values) {
  text_writer *t = w->self;
  const int columns = w->head.n_columns;
  size_t bytes = 0;
  CDNI_TRY(begin_head(w));
  for (int i = 0; i < n; i++, values += columns) {
    const size_t size = put_row(t->line, columns, values, w->format == &tables_csv ? ',' : '\t');
    if (w->format == &tables_trc) bytes += (size_t)fprintf(t->file, "%lld\t", (long long)(t->rows + 1));
    bytes += fwrite(t->line, 1, size, t->file);
    if (t->rows == 0) t->first_time = values[0];
    t->last_time = values[0];
    t->rows++;
  }
  if (fflush(t->file) != 0 || ferror(t->file)) {
    const cdn_status status = tables_fail(w, NULL);
    if (t->regular) (void)!ftruncate(fileno(t->file), (off_t)t->bytes);
    return status;
  }
  t->bytes += (int64_t)bytes;
  return CDN_OK;
}

static cdn_status sync_file(cdn_table_writer *w) {
  const text_writer *t = w->self;
  return !t->regular || fsync(fileno(t->file)) == 0 ? CDN_OK : tables_fail(w, NULL);
}

/* The numbers that the head has room for. */
static cdn_status end_head(cdn_table_writer *w) {
  text_writer *t = w->self;
  CDNI_TRY(begin_head(w));
  const double span = t->last_time - t->first_time, rate = span > 0 ? (double)(t->rows - 1) / span : 0;
  const bool trc = w->format == &tables_trc;
  for (int i = 0; i < (trc ? 3 : 1) && t->regular; i++) {
    char text[CDN_NUMBER_SIZE + 1];
    if (i == 0) snprintf(text, sizeof text, "%lld", (long long)t->rows);
    else cdn_number_text(rate, text);
    if (fseek(t->file, t->later[i], SEEK_SET) != 0 || fprintf(t->file, "%-*s", FIELD, text) < 0)
      return tables_fail(w, NULL);
  }
  return CDN_OK;
}

static cdn_status end(cdn_table_writer *w) {
  text_writer *t = w->self;
  cdn_status status = CDN_OK;
  if (!t) return CDN_OK;
  if (t->file && !w->failed && w->format != &tables_csv) status = end_head(w);
  if (t->file && (fflush(t->file) != 0 || ferror(t->file))) status = tables_fail(w, NULL);
  if (t->file && t->file != stdout && fclose(t->file) != 0) status = tables_fail(w, NULL);
  cdni_free(&w->allocator, t->line, t->line_size);
  cdni_free(&w->allocator, t, sizeof *t);
  w->self = NULL;
  return status;
}

const table_format tables_csv = { .chunk_bytes = TEXT_CHUNK,
                                  .goes_on = true,
                                  .begin = begin,
                                  .append = append,
                                  .sync = sync_file,
                                  .end = end,
                                  .open = tables_open_csv };
const table_format tables_sto = { .chunk_bytes = TEXT_CHUNK,
                                  .refuses = sto_refuses,
                                  .begin = begin,
                                  .append = append,
                                  .sync = sync_file,
                                  .end = end,
                                  .open = tables_open_sto };
const table_format tables_trc = { .chunk_bytes = TEXT_CHUNK,
                                  .refuses = trc_refuses,
                                  .begin = begin,
                                  .append = append,
                                  .sync = sync_file,
                                  .end = end,
                                  .open = tables_open_trc };
