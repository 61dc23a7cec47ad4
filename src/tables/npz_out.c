/* Tables of NumPy: an archive of arrays, `table` among them. An archive is written as a whole: until then rows are in a
 * temporary file. */
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <unistd.h>
#include <zip.h>

#include "tables/npy.h"

enum { NPZ_WAITING = 1 << 18, LONGEST_HEAD = 9000 };

typedef struct npz_writer {
  FILE *rows; /* with the head of their array before them */
  bool matrix;
} npz_writer;

/* NumPy reads heads of 10,000 characters without being asked: a table of more columns is a matrix. */
static bool is_wide(const table_head *h) {
  enum { FIELD = 14 };
  size_t n = 0;
  for (int i = 0; i < h->n_columns; i++) n += strlen(h->name[i]) + FIELD;
  return n > LONGEST_HEAD;
}

static bool put_head(cdn_table_writer *w, const npz_writer *z) {
  cdni_array head = { 0 };
  const bool made = npy_put_table_head(&w->allocator, &head, &w->head, z->matrix, w->written);
  const bool good = made && fwrite(head.data, 1, head.count, z->rows) == head.count;
  cdni_array_free(&w->allocator, &head);
  return good;
}

/* What would fail at the end fails at the beginning. */
static bool may_write(const char *path) {
  if (access(path, F_OK) == 0) return access(path, W_OK) == 0;
  const char *slash = strrchr(path, '/');
  char folder[4096];
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1, slash ? path : ".");
  return access(folder, W_OK) == 0;
}

static cdn_status begin(cdn_table_writer *w, int64_t rows, int64_t place) {
  (void)rows, (void)place;
  npz_writer *z = cdni_calloc(&w->allocator, sizeof *z);
  w->self = z;
  if (!z) return tables_no_memory(w->function);
  z->matrix = is_wide(&w->head);
  if (!may_write(w->path)) return tables_fail(w, NULL);
  z->rows = tmpfile();
  return z->rows && put_head(w, z) ? CDN_OK : tables_fail(w, NULL);
}

static cdn_status append(cdn_table_writer *w, int n, const double *values) {
  const npz_writer *z = w->self;
  const size_t count = (size_t)n * (size_t)w->head.n_columns;
  return fwrite(values, sizeof *values, count, z->rows) == count ? CDN_OK : tables_fail(w, NULL);
}

static cdn_status sync_nothing(cdn_table_writer *w) {
  (void)w;
  return CDN_OK;
}

/* ---- the archive ---- */

/* Takes the source. Nothing in an archive tells when it was made. */
static bool put(zip_t *zip, const char *name, zip_source_t *source) {
  char file[256];
  snprintf(file, sizeof file, "%.240s.npy", name);
  const zip_int64_t i = source ? zip_file_add(zip, file, source, ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE) : -1;
  if (i < 0 && source) zip_source_free(source);
  return i >= 0 && zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_STORE, 0) == 0 &&
         zip_file_set_dostime(zip, (zip_uint64_t)i, 0, 1 << 5 | 1, 0) == 0;
}

/* Bytes that the archive frees. */
static bool put_bytes(const cdn_table_writer *w, zip_t *zip, const char *name, cdni_array *bytes, bool made) {
  void *copy = made ? malloc(bytes->count) : NULL;
  const size_t n = bytes->count;
  if (copy) memcpy(copy, bytes->data, n);
  cdni_array_free(&w->allocator, bytes);
  zip_source_t *source = copy ? zip_source_buffer(zip, copy, n, 1) : NULL;
  if (!source) free(copy);
  return put(zip, name, source);
}

static bool put_parts(cdn_table_writer *w, npz_writer *z, zip_t *zip) {
  const table_head *h = &w->head;
  const cdn_allocator *a = &w->allocator;
  cdni_array bytes = { 0 };
  rewind(z->rows);
  if (!put_head(w, z) || fflush(z->rows) != 0 || fseek(z->rows, 0, SEEK_SET) != 0) return false;
  zip_source_t *rows = zip_source_filep(zip, z->rows, 0, -1); /* from where the file is; closes it */
  if (rows) z->rows = NULL;
  if (!put(zip, "table", rows)) return false;
  bool made = !z->matrix || npy_put_texts(a, &bytes, h->n_columns, h->name);
  if (z->matrix && !put_bytes(w, zip, "columns", &bytes, made)) return false;
  made = npy_put_texts(a, &bytes, h->n_columns, h->unit);
  if (!put_bytes(w, zip, "units", &bytes, made)) return false;
  for (size_t i = 0; i < h->attributes.count; i++) {
    const table_attribute *x = &CDNI_AT(h->attributes, table_attribute, i);
    made = x->text ? npy_put_texts(a, &bytes, -1, &x->text) : npy_put_number(a, &bytes, x->number);
    if (!put_bytes(w, zip, x->name, &bytes, made)) return false;
  }
  return true;
}

static cdn_status write_archive(cdn_table_writer *w, npz_writer *z) {
  int code;
  zip_error_t error;
  zip_t *zip = zip_open(w->path, ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!zip) {
    zip_error_init_with_code(&error, code);
    const cdn_status status = tables_fail(w, zip_error_strerror(&error));
    zip_error_fini(&error);
    return status;
  }
  const bool good = put_parts(w, z, zip);
  if (good && zip_close(zip) == 0) return CDN_OK;
  const cdn_status status = tables_fail(w, good ? zip_strerror(zip) : NULL);
  zip_discard(zip);
  return status;
}

static cdn_status end(cdn_table_writer *w) {
  npz_writer *z = w->self;
  if (!z) return CDN_OK;
  const cdn_status status = w->failed || !z->rows ? CDN_ERR_FILE : write_archive(w, z);
  if (z->rows) fclose(z->rows);
  cdni_free(&w->allocator, z, sizeof *z);
  w->self = NULL;
  return status;
}

const table_format tables_npz = { .chunk_bytes = NPZ_WAITING,
                                  .refuses = tables_refuse_twins,
                                  .begin = begin,
                                  .append = append,
                                  .sync = sync_nothing,
                                  .end = end,
                                  .open = tables_open_npz };
