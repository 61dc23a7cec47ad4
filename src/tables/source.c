/* Rows of files, whatever the format; and tables that are read as a whole. */
#include <stdarg.h>

#include "tables/internal.h"

static const char function[] = "cdn_table_read";

cdn_status tables_refuse(const table_source *s, cdn_status code, const char *format, ...) {
  char text[320];
  va_list args;
  va_start(args, format);
  cdni_vprint(text, sizeof text, format, args);
  va_end(args);
  return cdni_refuse(code, function, "%s: %s", s->path, text);
}

cdn_status tables_open(const char *path, table_source *s) {
  *s = (table_source){ .allocator = cdni_allocator_or_default((cdn_allocator){ 0 }) };
  s->path = cdni_strdup(&s->allocator, path);
  const cdn_status status = s->path ? tables_format_of(path)->open(s) : tables_no_memory(function);
  if (status != CDN_OK) tables_close(s);
  return status;
}

void tables_close(table_source *s) {
  if (s->close) s->close(s);
  tables_free_head(&s->allocator, &s->head);
  cdni_strfree(&s->allocator, s->path);
  *s = (table_source){ .allocator = s->allocator };
}

/* ---- whole tables ---- */

struct cdn_table {
  cdn_allocator allocator;
  table_head head;
  cdni_array values; /* double */
  int64_t rows;
  bool cut;
  char (*number)[CDN_NUMBER_SIZE]; /* of attributes */
};

static cdn_status read_rows(table_source *s, cdn_table *t) {
  const size_t columns = (size_t)s->head.n_columns;
  for (int64_t place = s->first; place < s->end;) {
    double *row = cdni_array_extend(&t->allocator, &t->values, sizeof *row, columns);
    if (!row) return tables_no_memory(function);
    CDNI_TRY(s->row(s, place, row, &place));
    t->rows++;
  }
  return CDN_OK;
}

static bool write_numbers(cdn_table *t) {
  const size_t n = t->head.attributes.count;
  t->number = cdni_calloc(&t->allocator, (n + 1) * sizeof *t->number);
  for (size_t i = 0; i < n && t->number; i++) {
    const table_attribute *x = &CDNI_AT(t->head.attributes, table_attribute, i);
    if (!x->text) cdn_number_text(x->number, t->number[i]);
  }
  return t->number != NULL;
}

cdn_status cdn_table_read(const char *path, cdn_table **out) {
  table_source s;
  if (out) *out = NULL;
  if (!path || !out) return cdni_refuse(CDN_ERR_ARG, function, "the path, or where the table shall go, is NULL");
  CDNI_TRY(tables_open(path, &s));
  cdn_table *t = cdni_calloc(&s.allocator, sizeof *t);
  cdn_status status = t ? CDN_OK : tables_no_memory(function);
  if (t) t->allocator = s.allocator;
  if (status == CDN_OK) status = read_rows(&s, t);
  if (status == CDN_OK) {
    t->cut = s.cut;
    t->head = s.head;
    s.head = (table_head){ 0 };
    if (!write_numbers(t)) status = tables_no_memory(function);
  }
  tables_close(&s);
  if (status == CDN_OK) *out = t;
  else cdn_table_destroy(t);
  return status;
}

void cdn_table_destroy(cdn_table *t) {
  if (!t) return;
  const cdn_allocator a = t->allocator;
  if (t->number) cdni_free(&a, t->number, (t->head.attributes.count + 1) * sizeof *t->number);
  tables_free_head(&a, &t->head);
  cdni_array_free(&a, &t->values);
  cdni_free(&a, t, sizeof *t);
}

int64_t cdn_table_row_count(const cdn_table *t) { return t ? t->rows : 0; }
int cdn_table_column_count(const cdn_table *t) { return t ? t->head.n_columns : 0; }
const double *cdn_table_values(const cdn_table *t) { return t ? t->values.data : NULL; }
bool cdn_table_is_cut(const cdn_table *t) { return t && t->cut; }

static bool has_column(const cdn_table *t, int column) { return t && column >= 0 && column < t->head.n_columns; }

const char *cdn_table_column_name(const cdn_table *t, int column) {
  return has_column(t, column) ? t->head.name[column] : NULL;
}
const char *cdn_table_column_unit(const cdn_table *t, int column) {
  return has_column(t, column) ? t->head.unit[column] : NULL;
}

int cdn_table_find_column(const cdn_table *t, const char *name) {
  for (int i = 0; t && name && i < t->head.n_columns; i++)
    if (strcmp(t->head.name[i], name) == 0) return i;
  return -1;
}

int cdn_table_attribute_count(const cdn_table *t) { return t ? (int)t->head.attributes.count : 0; }

const char *cdn_table_attribute_name(const cdn_table *t, int i) {
  return i >= 0 && i < cdn_table_attribute_count(t) ? CDNI_AT(t->head.attributes, table_attribute, i).name : NULL;
}

const char *cdn_table_attribute_text(const cdn_table *t, const char *name) {
  const table_attribute *x = t && name ? tables_find(&t->head, name) : NULL;
  if (!x) return NULL;
  return x->text ? x->text : t->number[x - &CDNI_AT(t->head.attributes, table_attribute, 0)];
}
