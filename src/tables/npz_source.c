/* Tables of NumPy, read into memory. A place is the number of the row. */
#include <errno.h>
#include <zip.h>

#include "tables/npy.h"

typedef struct npz_source {
  double *value;
  size_t count;
} npz_source;

/* A file of the archive in memory. */
typedef struct member {
  char *name; /* without .npy */
  unsigned char *bytes;
  size_t size;
  npy_array array;
} member;

enum { MOST_MEMBERS = 100000 };

static cdn_status row(table_source *s, int64_t place, double *value, int64_t *next) {
  const npz_source *z = s->self;
  const size_t columns = (size_t)s->head.n_columns;
  memcpy(value, z->value + (size_t)place * columns, columns * sizeof *value);
  *next = place + 1;
  return CDN_OK;
}

static void close_source(table_source *s) {
  npz_source *z = s->self;
  cdni_free(&s->allocator, z->value, z->count * sizeof *z->value);
  cdni_free(&s->allocator, z, sizeof *z);
}

static cdn_status no_memory(void) { return tables_no_memory("cdn_table_read"); }

/* ---- the archive ---- */

static void free_member(table_source *s, member *m) {
  npy_free(&s->allocator, &m->array);
  cdni_free(&s->allocator, m->bytes, m->size);
  cdni_strfree(&s->allocator, m->name);
}

static cdn_status read_bytes(table_source *s, zip_t *zip, zip_uint64_t i, member *m) {
  zip_stat_t info;
  if (zip_stat_index(zip, i, 0, &info) != 0 || !(info.valid & ZIP_STAT_SIZE) || info.size > SIZE_MAX / 2)
    return tables_refuse(s, CDN_ERR_PARSE, "its array %llu cannot be found", (unsigned long long)i);
  m->size = (size_t)info.size;
  m->bytes = cdni_alloc(&s->allocator, m->size);
  if (!m->bytes && m->size > 0) return no_memory();
  zip_file_t *file = zip_fopen_index(zip, i, 0);
  size_t done = 0;
  for (zip_int64_t n = 1; file && n > 0 && done<m->size; done += n> 0 ? (size_t)n : 0)
    n = zip_fread(file, m->bytes + done, m->size - done);
  char rest;
  const bool whole = file && done == m->size && zip_fread(file, &rest, 1) == 0; /* the sum is right, too */
  const int closed = file ? zip_fclose(file) : 0;
  if (whole && closed == 0) return CDN_OK;
  return tables_refuse(s, CDN_ERR_PARSE, "its array '%.60s' is damaged", m->name);
}

static cdn_status read_member(table_source *s, zip_t *zip, zip_uint64_t i, cdni_array *members) {
  const char *name = zip_get_name(zip, i, 0);
  if (!name || !cdni_ends_in(name, ".npy")) return CDN_OK;
  member m = { .name = cdni_strdup(&s->allocator, name) };
  if (!m.name) return no_memory();
  cdn_status status = read_bytes(s, zip, i, &m);
  if (status == CDN_OK) {
    const size_t length = strlen(name) - strlen(".npy");
    char *plain = cdni_calloc(&s->allocator, length + 1);
    if (plain) {
      memcpy(plain, name, length);
      cdni_strfree(&s->allocator, m.name);
      m.name = cdni_strdup(&s->allocator, plain);
      cdni_free(&s->allocator, plain, length + 1);
    }
    const char *wrong = npy_parse(&s->allocator, &m.array, m.bytes, m.size);
    if (!plain || !m.name) status = no_memory();
    else if (wrong) status = tables_refuse(s, CDN_ERR_PARSE, "its array '%.60s' %s", m.name, wrong);
  }
  if (status == CDN_OK && !cdni_array_push(&s->allocator, members, sizeof m, &m)) status = no_memory();
  if (status != CDN_OK) free_member(s, &m);
  return status;
}

static member *find(const cdni_array *members, const char *name) {
  for (size_t i = 0; i < members->count; i++) {
    member *m = &CDNI_AT(*members, member, i);
    if (strcmp(m->name, name) == 0) return m;
  }
  return NULL;
}

/* ---- columns and rows ---- */

static bool make_room(table_source *s, size_t rows) {
  npz_source *z = s->self;
  z->count = rows * (size_t)s->head.n_columns;
  z->value = cdni_alloc(&s->allocator, z->count * sizeof *z->value);
  s->end = (int64_t)rows;
  return z->value || z->count == 0;
}

static cdn_status name_columns(table_source *s, size_t n, char **names) {
  const bool good = tables_copy_head(&s->allocator, &s->head, (int)n, (const char *const *)names, NULL);
  return good ? CDN_OK : no_memory();
}

static cdn_status take_rows(table_source *s, const npy_array *x) {
  const npz_source *z = s->self;
  const size_t n = x->fields.count, bytes = n * sizeof(char *);
  const npy_field *field = x->fields.data;
  for (size_t k = 0; k < n; k++)
    if (!npy_is_number(&field[k]))
      return tables_refuse(s, CDN_ERR_PARSE, "its column '%.60s' holds no numbers", field[k].name);
  char **names = cdni_calloc(&s->allocator, bytes);
  for (size_t k = 0; names && k < n; k++) names[k] = field[k].name;
  const cdn_status status = names ? name_columns(s, n, names) : no_memory();
  cdni_free(&s->allocator, names, bytes);
  CDNI_TRY(status);
  if (!make_room(s, x->axes[0])) return no_memory();
  for (size_t i = 0; i < x->axes[0]; i++)
    for (size_t k = 0; k < n; k++) z->value[i * n + k] = npy_number(x, &field[k], i);
  return CDN_OK;
}

static cdn_status take_matrix(table_source *s, const npy_array *x, const member *columns) {
  const npz_source *z = s->self;
  const size_t rows = x->axes[0], n = x->axes[1];
  if (!columns || columns->array.count != n || n < 1 || n > 1 << 20)
    return tables_refuse(s, CDN_ERR_PARSE, "a matrix of %zu columns needs an array 'columns' with a text for each", n);
  char **names = cdni_calloc(&s->allocator, n * sizeof *names);
  bool good = names != NULL;
  for (size_t k = 0; k < n && good; k++) good = (names[k] = npy_text(&s->allocator, &columns->array, k)) != NULL;
  const cdn_status status =
      good ? name_columns(s, n, names) : tables_refuse(s, CDN_ERR_PARSE, "its array 'columns' holds no texts");
  for (size_t k = 0; names && k < n; k++) cdni_strfree(&s->allocator, names[k]);
  cdni_free(&s->allocator, names, n * sizeof *names);
  CDNI_TRY(status);
  if (!make_room(s, rows)) return no_memory();
  for (size_t i = 0; i < rows; i++)
    for (size_t k = 0; k < n; k++)
      z->value[i * n + k] = npy_number(x, x->fields.data, x->columns_first ? k * rows + i : i * n + k);
  return CDN_OK;
}

static bool is_column(const member *m) {
  return m->array.n_axes == 1 && m->array.fields.count == 1 && npy_is_number(m->array.fields.data);
}

/* Arrays of one length, each a column; `time` comes first. */
static cdn_status take_columns(table_source *s, const cdni_array *members) {
  const npz_source *z = s->self;
  const member *first = find(members, "time");
  const size_t bytes = (members->count + 1) * sizeof(member *);
  const member **column = cdni_calloc(&s->allocator, bytes);
  char **names = cdni_calloc(&s->allocator, bytes);
  size_t n = 0;
  cdn_status status = column && names ? CDN_OK : no_memory();
  if (status == CDN_OK && first && is_column(first)) column[n++] = first;
  for (size_t i = 0; i < members->count && status == CDN_OK; i++) {
    const member *m = &CDNI_AT(*members, member, i);
    if (!is_column(m) || (n > 0 && m == column[0])) continue;
    column[n++] = m;
    if (m->array.count != column[0]->array.count)
      status = tables_refuse(s, CDN_ERR_PARSE, "its arrays '%.60s' and '%.60s' have not as many numbers",
                             column[0]->name, m->name);
  }
  for (size_t k = 0; k < n && status == CDN_OK; k++) names[k] = column[k]->name;
  if (status == CDN_OK && n == 0)
    status = tables_refuse(s, CDN_ERR_PARSE, "has no array 'table', and none that is a column");
  if (status == CDN_OK) status = name_columns(s, n, names);
  if (status == CDN_OK && !make_room(s, column[0]->array.count)) status = no_memory();
  for (size_t k = 0; k < n && status == CDN_OK; k++)
    for (size_t i = 0; i < column[k]->array.count; i++)
      z->value[i * n + k] = npy_number(&column[k]->array, column[k]->array.fields.data, i);
  cdni_free(&s->allocator, column, bytes);
  cdni_free(&s->allocator, names, bytes);
  return status;
}

static cdn_status take_units(table_source *s, const member *units) {
  const size_t n = units ? units->array.count : 0;
  for (size_t k = 0; k < n && n == (size_t)s->head.n_columns; k++) {
    char *unit = npy_text(&s->allocator, &units->array, k);
    if (!unit) return tables_refuse(s, CDN_ERR_PARSE, "its array 'units' holds no texts");
    cdni_strfree(&s->allocator, s->head.unit[k]);
    s->head.unit[k] = unit;
  }
  return CDN_OK;
}

/* Arrays without axes. */
static cdn_status take_attribute(table_source *s, const member *m) {
  const npy_field *f = m->array.fields.data;
  if (m->array.n_axes > 0 || m->array.fields.count != 1) return CDN_OK;
  char *text = f->kind == 'U' || f->kind == 'S' ? npy_text(&s->allocator, &m->array, 0) : NULL;
  bool good = true;
  if (text) good = tables_keep(&s->allocator, &s->head, m->name, text, 0);
  else if (npy_is_number(f)) good = tables_keep(&s->allocator, &s->head, m->name, NULL, npy_number(&m->array, f, 0));
  cdni_strfree(&s->allocator, text);
  return good ? CDN_OK : no_memory();
}

static cdn_status take_table(table_source *s, const cdni_array *members) {
  const member *table = find(members, "table");
  if (!table) CDNI_TRY(take_columns(s, members));
  else if (table->array.n_axes == 1 && CDNI_AT(table->array.fields, npy_field, 0).name)
    CDNI_TRY(take_rows(s, &table->array));
  else if (table->array.n_axes == 2 && table->array.fields.count == 1 && npy_is_number(table->array.fields.data))
    CDNI_TRY(take_matrix(s, &table->array, find(members, "columns")));
  else return tables_refuse(s, CDN_ERR_PARSE, "its array 'table' is neither rows of numbers by name nor a matrix");
  CDNI_TRY(take_units(s, find(members, "units")));
  for (size_t i = 0; i < members->count; i++) CDNI_TRY(take_attribute(s, &CDNI_AT(*members, member, i)));
  return CDN_OK;
}

cdn_status tables_open_npz(table_source *s) {
  npz_source *z = cdni_calloc(&s->allocator, sizeof *z);
  int code = 0;
  if (!z) return no_memory();
  s->self = z, s->close = close_source, s->row = row;
  zip_t *zip = zip_open(s->path, ZIP_RDONLY | ZIP_CHECKCONS, &code);
  if (!zip && (code == ZIP_ER_NOENT || code == ZIP_ER_OPEN || code == ZIP_ER_READ))
    return tables_refuse(s, CDN_ERR_FILE, "could not be read: %s", errno ? strerror(errno) : "no reason is known");
  if (!zip) return tables_refuse(s, CDN_ERR_PARSE, "is no archive of NumPy, or was cut or damaged");
  cdni_array members = { 0 };
  const zip_int64_t n = zip_get_num_entries(zip, 0);
  cdn_status status =
      n <= MOST_MEMBERS ? CDN_OK : tables_refuse(s, CDN_ERR_PARSE, "has more than %d arrays", MOST_MEMBERS);
  for (zip_int64_t i = 0; i < n && status == CDN_OK; i++) status = read_member(s, zip, (zip_uint64_t)i, &members);
  if (status == CDN_OK) status = take_table(s, &members);
  for (size_t i = 0; i < members.count; i++) free_member(s, &CDNI_AT(members, member, i));
  cdni_array_free(&s->allocator, &members);
  zip_discard(zip);
  return status;
}
