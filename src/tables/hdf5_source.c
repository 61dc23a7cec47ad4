/* Rows of HDF5 on demand, a block of them at a time. A place is the number of the row. */
#include <errno.h>

#include "tables/hdf5.h"

typedef struct hdf5_source {
  hid_t file, table, type; /* -1: not there */
  bool matrix;
  int64_t block_rows, block_at, in_block;
  double *block;
} hdf5_source;

enum { BLOCK_BYTES = 1 << 18, MOST_COLUMNS = 1 << 20 };

/* ---- texts ---- */

/* The texts of an attribute or a dataset, of any length or of equal ones; NULL: it has none. */
typedef struct texts {
  const cdn_allocator *a;
  size_t n, size; /* size 0: HDF5 has made each */
  hid_t type, space;
  char **made;
  char *bytes;
} texts;

static void free_texts(texts *t) {
  if (t->made) {
    H5Dvlen_reclaim(t->type, t->space, H5P_DEFAULT, t->made);
    cdni_free(t->a, t->made, t->n * sizeof *t->made);
  }
  cdni_free(t->a, t->bytes, t->n * t->size);
  if (t->type >= 0) H5Tclose(t->type);
  if (t->space >= 0) H5Sclose(t->space);
}

/* Text i as memory of the allocator's. */
static char *copy_text(const texts *t, size_t i) {
  if (t->made) return cdni_strdup(t->a, t->made[i] ? t->made[i] : "");
  char *copy = NULL, *room = cdni_calloc(t->a, t->size + 1);
  if (room) {
    memcpy(room, t->bytes + i * t->size, t->size);
    for (size_t k = strlen(room); k > 0 && room[k - 1] == ' ';) room[--k] = 0;
    copy = cdni_strdup(t->a, room);
  }
  cdni_free(t->a, room, t->size + 1);
  return copy;
}

/* Takes the type and the space. False: these are no texts. */
static bool begin_texts(texts *t, const cdn_allocator *a, hid_t type, hid_t space) {
  enum { MOST = 1 << 24 };
  const hssize_t n = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
  *t = (texts){ .a = a, .type = type, .space = space };
  if (type < 0 || n < 1 || n > MOST || H5Tget_class(type) != H5T_STRING) return false;
  t->n = (size_t)n;
  if (H5Tis_variable_str(type) > 0) return (t->made = cdni_calloc(a, t->n * sizeof *t->made)) != NULL;
  t->size = H5Tget_size(type);
  return t->size > 0 && t->size <= MOST && (t->bytes = cdni_calloc(a, t->n * t->size)) != NULL;
}

static void *room_of(texts *t) { return t->made ? (void *)t->made : (void *)t->bytes; }

static bool attribute_texts(texts *t, const cdn_allocator *a, hid_t attribute) {
  return begin_texts(t, a, H5Aget_type(attribute), H5Aget_space(attribute)) &&
         H5Aread(attribute, t->type, room_of(t)) >= 0;
}

static bool dataset_texts(texts *t, const cdn_allocator *a, hid_t set) {
  return begin_texts(t, a, H5Dget_type(set), H5Dget_space(set)) &&
         H5Dread(set, t->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, room_of(t)) >= 0;
}

/* ---- numbers ---- */

/* HDF5 converts numbers of any make, and trusts what a file says of them: only those of processors are taken. */
static bool is_number(hid_t type) {
  const hid_t known[] = { H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_STD_I64LE, H5T_STD_I32LE, H5T_STD_I16LE,  H5T_STD_I8LE,
                          H5T_STD_U64LE,  H5T_STD_U32LE,  H5T_STD_U16LE, H5T_STD_U8LE,  H5T_IEEE_F64BE, H5T_IEEE_F32BE,
                          H5T_STD_I64BE,  H5T_STD_I32BE,  H5T_STD_I16BE, H5T_STD_U64BE, H5T_STD_U32BE,  H5T_STD_U16BE };
  for (int i = 0; i < CDNI_COUNT(known); i++)
    if (H5Tequal(type, known[i]) > 0) return true;
  return false;
}

/* ---- attributes ---- */

static bool take_units(table_source *s, const texts *t) {
  for (size_t i = 0; i < t->n && t->n == (size_t)s->head.n_columns; i++) {
    char *unit = copy_text(t, i);
    if (!unit) return false;
    cdni_strfree(&s->allocator, s->head.unit[i]);
    s->head.unit[i] = unit;
  }
  return true;
}

static bool keep_text(table_source *s, const char *name, const texts *t) {
  char *text = copy_text(t, 0);
  const bool good = text && tables_keep(&s->allocator, &s->head, name, text, 0);
  cdni_strfree(&s->allocator, text);
  return good;
}

/* Texts and numbers that are alone; others are not for tables. */
static herr_t take_attribute(hid_t table, const char *name, const H5A_info_t *info, void *context) {
  table_source *s = context;
  (void)info;
  const hid_t attribute = H5Aopen(table, name, H5P_DEFAULT);
  if (attribute < 0) return -1;
  const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute);
  const H5T_class_t class = H5Tget_class(type);
  const bool alone = H5Sget_simple_extent_npoints(space) == 1;
  bool good = true;
  if (class == H5T_STRING && (alone || strcmp(name, HDF5_UNITS) == 0)) {
    texts t;
    good = attribute_texts(&t, &s->allocator, attribute) &&
           (strcmp(name, HDF5_UNITS) == 0 ? take_units(s, &t) : keep_text(s, name, &t));
    free_texts(&t);
  } else if (is_number(type) && alone) {
    double number;
    good =
        H5Aread(attribute, H5T_NATIVE_DOUBLE, &number) >= 0 && tables_keep(&s->allocator, &s->head, name, NULL, number);
  }
  H5Sclose(space);
  H5Tclose(type);
  H5Aclose(attribute);
  return good ? 0 : -1;
}

/* ---- columns ---- */

/* The members of a compound type, and the type of a row in memory. */
static cdn_status take_members(table_source *s, hdf5_source *h, hid_t type) {
  const int n = H5Tget_nmembers(type);
  if (n < 1 || n > MOST_COLUMNS) return tables_refuse(s, CDN_ERR_PARSE, "its dataset '" HDF5_TABLE "' has no columns");
  char **names = cdni_calloc(&s->allocator, (size_t)n * sizeof *names);
  cdn_status status = names ? CDN_OK : tables_no_memory("cdn_table_read");
  h->type = H5Tcreate(H5T_COMPOUND, (size_t)n * sizeof(double));
  for (int i = 0; i < n && status == CDN_OK; i++) {
    const hid_t member = H5Tget_member_type(type, (unsigned)i);
    names[i] = H5Tget_member_name(type, (unsigned)i);
    const size_t end = H5Tget_member_offset(type, (unsigned)i) + (member < 0 ? 0 : H5Tget_size(member));
    if (!names[i] || member < 0 || !is_number(member) || end > H5Tget_size(type))
      status = tables_refuse(s, CDN_ERR_PARSE, "its column '%.60s' holds no numbers", names[i] ? names[i] : "");
    else if (H5Tinsert(h->type, names[i], (size_t)i * sizeof(double), H5T_NATIVE_DOUBLE) < 0)
      status = tables_refuse(s, CDN_ERR_PARSE, "its column '%.60s' cannot be read", names[i]);
    if (member >= 0) H5Tclose(member);
  }
  if (status == CDN_OK && !tables_copy_head(&s->allocator, &s->head, n, (const char *const *)names, NULL))
    status = tables_no_memory("cdn_table_read");
  for (int i = 0; names && i < n; i++) H5free_memory(names[i]);
  cdni_free(&s->allocator, names, (size_t)n * sizeof *names);
  return status;
}

/* The names of a matrix's columns, or their units, in a dataset beside it. */
static cdn_status take_texts(table_source *s, const hdf5_source *h, const char *name, hsize_t columns) {
  const bool are_units = s->head.n_columns > 0;
  const hid_t set = H5Lexists(h->file, name, H5P_DEFAULT) > 0 ? H5Dopen2(h->file, name, H5P_DEFAULT) : -1;
  if (set < 0 && are_units) return CDN_OK;
  texts t = { .type = -1, .space = -1 };
  cdn_status status = CDN_OK;
  if (set < 0 || columns > MOST_COLUMNS || !dataset_texts(&t, &s->allocator, set) || t.n != columns)
    status = tables_refuse(s, CDN_ERR_PARSE, "a matrix of %llu columns needs a dataset '%s' with a text for each",
                           (unsigned long long)columns, name);
  else if (are_units) status = take_units(s, &t) ? CDN_OK : tables_no_memory("cdn_table_read");
  else {
    char **names = cdni_calloc(&s->allocator, t.n * sizeof *names);
    bool good = names != NULL;
    for (size_t i = 0; i < t.n && good; i++) good = (names[i] = copy_text(&t, i)) != NULL;
    if (!good || !tables_copy_head(&s->allocator, &s->head, (int)t.n, (const char *const *)names, NULL))
      status = tables_no_memory("cdn_table_read");
    for (size_t i = 0; i < t.n && names; i++) cdni_strfree(&s->allocator, names[i]);
    cdni_free(&s->allocator, names, t.n * sizeof *names);
  }
  free_texts(&t);
  if (set >= 0) H5Dclose(set);
  return status;
}

/* ---- rows ---- */

static cdn_status read_block(table_source *s, hdf5_source *h, int64_t at) {
  const int64_t left = s->end - at, some = left < h->block_rows ? left : h->block_rows;
  const hsize_t columns = (hsize_t)s->head.n_columns, from[2] = { (hsize_t)at, 0 },
                size[2] = { (hsize_t)some, columns };
  const hdf5_call call = tables_hdf5_begin();
  const hid_t here = H5Screate_simple(h->matrix ? 2 : 1, size, NULL), there = H5Dget_space(h->table);
  const bool good = here >= 0 && there >= 0 &&
                    H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, size, NULL) >= 0 &&
                    H5Dread(h->table, h->type, here, there, H5P_DEFAULT, h->block) >= 0;
  if (here >= 0) H5Sclose(here);
  if (there >= 0) H5Sclose(there);
  tables_hdf5_end(call);
  h->block_at = at, h->in_block = good ? some : 0;
  return good ? CDN_OK
              : tables_refuse(s, CDN_ERR_FILE, "row %lld could not be read: the file is damaged", (long long)at);
}

static cdn_status row(table_source *s, int64_t place, double *value, int64_t *next) {
  hdf5_source *h = s->self;
  if (place < h->block_at || place >= h->block_at + h->in_block) CDNI_TRY(read_block(s, h, place));
  const size_t columns = (size_t)s->head.n_columns;
  memcpy(value, h->block + (size_t)(place - h->block_at) * columns, columns * sizeof *value);
  *next = place + 1;
  return CDN_OK;
}

/* ---- opening ---- */

static void close_source(table_source *s) {
  hdf5_source *h = s->self;
  const hdf5_call call = tables_hdf5_begin();
  if (h->type >= 0) H5Tclose(h->type);
  if (h->table >= 0) H5Dclose(h->table);
  if (h->file >= 0) H5Fclose(h->file);
  tables_hdf5_end(call);
  cdni_free(&s->allocator, h->block, (size_t)h->block_rows * (size_t)s->head.n_columns * sizeof *h->block);
  cdni_free(&s->allocator, h, sizeof *h);
}

/* Whether all rows are in the file. Where they are packed nothing follows from its size. */
static bool has_rows(const hdf5_source *h, hid_t type, hsize_t rows, hsize_t columns) {
  const hid_t properties = H5Dget_create_plist(h->table);
  const bool packed = H5Pget_nfilters(properties) != 0;
  const double bytes = (double)rows * (double)H5Tget_size(type) * (h->matrix ? (double)columns : 1);
  H5Pclose(properties);
  return packed || (double)H5Dget_storage_size(h->table) >= bytes;
}

static cdn_status take_table(table_source *s, hdf5_source *h, hid_t type, hid_t space) {
  hsize_t size[2] = { 0 };
  const int axes = H5Sget_simple_extent_ndims(space);
  h->matrix = axes == 2 && is_number(type);
  if (!h->matrix && (axes != 1 || H5Tget_class(type) != H5T_COMPOUND))
    return tables_refuse(s, CDN_ERR_PARSE,
                         "its dataset '" HDF5_TABLE "' is neither rows of numbers by name nor a matrix");
  H5Sget_simple_extent_dims(space, size, NULL);
  if (size[0] > INT64_MAX / 2 || !has_rows(h, type, size[0], size[1]))
    return tables_refuse(s, CDN_ERR_PARSE,
                         "its dataset '" HDF5_TABLE "' lacks some of its %llu rows: the file is damaged",
                         (unsigned long long)size[0]);
  if (h->matrix) {
    CDNI_TRY(take_texts(s, h, HDF5_COLUMNS, size[1]));
    CDNI_TRY(take_texts(s, h, HDF5_UNITS, size[1]));
    h->type = H5Tcopy(H5T_NATIVE_DOUBLE);
  } else {
    CDNI_TRY(take_members(s, h, type));
  }
  if (H5Aiterate2(h->table, H5_INDEX_NAME, H5_ITER_INC, NULL, take_attribute, s) < 0)
    return tables_refuse(s, CDN_ERR_PARSE, "an attribute of its dataset '" HDF5_TABLE "' cannot be read");
  s->first = 0, s->end = (int64_t)size[0];
  const size_t row_bytes = (size_t)s->head.n_columns * sizeof(double);
  h->block_rows = (int64_t)(row_bytes < BLOCK_BYTES ? BLOCK_BYTES / row_bytes : 1);
  h->block = cdni_alloc(&s->allocator, (size_t)h->block_rows * row_bytes);
  return h->block ? CDN_OK : tables_no_memory("cdn_table_read");
}

/* Why HDF5 does not open a file. */
static cdn_status explain(const table_source *s) {
  static const unsigned char mark[8] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };
  unsigned char bytes[8] = { 0 };
  errno = 0;
  FILE *file = fopen(s->path, "rb");
  const size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
  const int reason = errno;
  if (file) fclose(file);
  if (!file || (n == 0 && reason)) return tables_refuse(s, CDN_ERR_FILE, "could not be read: %s", strerror(reason));
  if (n < sizeof bytes || memcmp(bytes, mark, sizeof mark) != 0)
    return tables_refuse(s, CDN_ERR_PARSE, "is no file of HDF5");
  return tables_refuse(s, CDN_ERR_PARSE, "is a file of HDF5 that was cut or damaged: HDF5 does not open it");
}

cdn_status tables_open_hdf5(table_source *s) {
  hdf5_source *h = cdni_calloc(&s->allocator, sizeof *h);
  if (!h) return tables_no_memory("cdn_table_read");
  *h = (hdf5_source){ .file = -1, .table = -1, .type = -1 };
  s->self = h, s->close = close_source, s->row = row;
  const hdf5_call call = tables_hdf5_begin();
  h->file = tables_hdf5_open(s->path, H5F_ACC_RDONLY);
  if (h->file >= 0 && H5Lexists(h->file, HDF5_TABLE, H5P_DEFAULT) > 0)
    h->table = H5Dopen2(h->file, HDF5_TABLE, H5P_DEFAULT);
  cdn_status status;
  if (h->file < 0) status = explain(s);
  else if (h->table < 0)
    status = tables_refuse(s, CDN_ERR_PARSE, "has no dataset '" HDF5_TABLE "', in which tables are");
  else {
    const hid_t type = H5Dget_type(h->table), space = H5Dget_space(h->table);
    status = take_table(s, h, type, space);
    H5Tclose(type);
    H5Sclose(space);
  }
  tables_hdf5_end(call);
  return status;
}
