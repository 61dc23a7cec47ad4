/* Rows of a file on demand. A time is found by halving the file: rows tell where they begin. */
#include "tables/rows.h"

#include <math.h>

#include "tables/internal.h"

/* A row of the file. */
typedef struct row_place {
  int64_t from, to; /* where the row begins, and where the next one does; to -1: none was read */
  double *value;
} row_place;

struct cdni_rows {
  table_source source;
  double first_time, last_time;
  int64_t last;
  row_place place[2]; /* a row, and the one behind it */
  int64_t at;         /* of cdni_rows_next */
  double *work;       /* a row */
};

/* ---- rows ---- */

static cdn_status read_place(cdni_rows *r, row_place *p, int64_t place) {
  int64_t next;
  if (p->to >= 0 && p->from == place) return CDN_OK;
  p->to = -1;
  CDNI_TRY(r->source.row(&r->source, place, p->value, &next));
  p->from = place, p->to = next;
  return CDN_OK;
}

/* The time of a row, and where the next one begins. */
static bool read_time(cdni_rows *r, int64_t place, double *time, int64_t *next) {
  table_source *s = &r->source;
  if (s->time) return s->time(s, place, time, next) == CDN_OK;
  if (s->row(s, place, r->work, next) != CDN_OK) return false;
  *time = r->work[0];
  return true;
}

static int64_t start_of(cdni_rows *r, int64_t place) {
  return r->source.start ? r->source.start(&r->source, place) : place;
}

/* The last row that is not after a time. */
static int64_t find(cdni_rows *r, double time) {
  int64_t low = r->source.first, high = r->last, next;
  double t;
  if (time >= r->last_time) return r->last;
  while (high > low) {
    int64_t middle = start_of(r, low + (high - low) / 2);
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
  enum { AHEAD = 8 }; /* who plays asks for the next rows */
  row_place *p = r->place;
  *row = *next = NULL;
  for (int k = 0;; k++) {
    const bool near = p[0].to >= 0 && p[0].value[0] <= time && k < AHEAD;
    if (!near) CDN_TRY(read_place(r, &p[0], find(r, time)));
    *row = p[0].value;
    *next = NULL;
    if (p[0].to >= r->source.end) return CDN_OK;
    const cdn_status status = read_place(r, &p[1], p[0].to);
    if (!near) CDN_TRY(status);
    if (status != CDN_OK) p[0].to = -1; /* it may be jumped over */
    if (status != CDN_OK) continue;
    *next = p[1].value;
    if (!near || p[1].value[0] > time) return CDN_OK;
    swap_places(r);
  }
}

void cdni_rows_rewind(cdni_rows *r) { r->at = r->source.first; }

cdn_status cdni_rows_next(cdni_rows *r, const double **row) {
  *row = NULL;
  if (r->at >= r->source.end) return CDN_OK;
  CDN_TRY(read_place(r, &r->place[0], r->at));
  r->at = r->place[0].to;
  *row = r->place[0].value;
  return CDN_OK;
}

/* ---- opening ---- */

static cdn_status need_time(cdni_rows *r, int64_t place, double *time) {
  int64_t next;
  if (read_time(r, place, time, &next)) return CDN_OK;
  CDNI_TRY(r->source.row(&r->source, place, r->work, &next));
  return tables_refuse(&r->source, CDN_ERR_PARSE, "a row does not begin with a time");
}

static cdn_status open_rows(cdni_rows *r, const char *path) {
  table_source *s = &r->source;
  CDNI_TRY(tables_open(path, s));
  const size_t bytes = (size_t)s->head.n_columns * sizeof(double);
  r->work = cdni_calloc(&s->allocator, bytes);
  for (int k = 0; k < 2; k++) r->place[k] = (row_place){ 0, -1, cdni_calloc(&s->allocator, bytes) };
  if (!r->work || !r->place[0].value || !r->place[1].value) return tables_no_memory("cdn_table_read");
  if (s->first >= s->end) return tables_refuse(s, CDN_ERR_PARSE, "holds no rows");
  r->at = s->first, r->last = start_of(r, s->end - 1);
  CDNI_TRY(need_time(r, s->first, &r->first_time));
  CDNI_TRY(need_time(r, r->last, &r->last_time));
  if (r->last_time >= r->first_time) return CDN_OK;
  return tables_refuse(s, CDN_ERR_PARSE, "its times do not increase: its rows cannot be found by time");
}

cdn_status cdni_rows_open(const char *path, cdni_rows **out) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  *out = NULL;
  cdni_rows *r = cdni_calloc(&a, sizeof *r);
  if (!r) return tables_no_memory("cdn_table_read");
  r->source.allocator = a;
  const cdn_status status = open_rows(r, path);
  if (status == CDN_OK) *out = r;
  else cdni_rows_close(r);
  return status;
}

void cdni_rows_close(cdni_rows *r) {
  if (!r) return;
  const cdn_allocator a = r->source.allocator;
  const size_t bytes = (size_t)r->source.head.n_columns * sizeof(double);
  cdni_free(&a, r->work, bytes);
  for (int k = 0; k < 2; k++) cdni_free(&a, r->place[k].value, bytes);
  tables_close(&r->source);
  cdni_free(&a, r, sizeof *r);
}

int cdni_rows_columns(const cdni_rows *r) { return r->source.head.n_columns; }
const char *cdni_rows_name(const cdni_rows *r, int column) { return r->source.head.name[column]; }
const char *cdni_rows_unit(const cdni_rows *r, int column) { return r->source.head.unit[column]; }
double cdni_rows_first_time(const cdni_rows *r) { return r->first_time; }
double cdni_rows_last_time(const cdni_rows *r) { return r->last_time; }

const char *cdni_rows_attribute(const cdni_rows *r, const char *name) {
  const table_attribute *x = tables_find(&r->source.head, name);
  return x ? x->text : NULL;
}

double cdni_rows_count(cdni_rows *r) {
  enum { ALL = 64 << 20, PLACES = 20, SAMPLE = 50 };
  const int64_t first = r->source.first, end = r->source.end;
  const double bytes = (double)(end - first);
  double n = 0, seen = 0, t;
  int64_t at = first, next;
  if (!r->source.start) return bytes;
  if (end < ALL) {
    for (; at < end && read_time(r, at, &t, &next); at = next) n++;
    return n;
  }
  for (int k = 0; k < PLACES; k++) {
    at = start_of(r, first + (int64_t)(bytes * k / PLACES));
    for (int i = 0; i < SAMPLE && at < end && read_time(r, at, &t, &next); i++, at = next)
      n++, seen += (double)(next - at);
  }
  return floor(n * bytes / seen);
}
