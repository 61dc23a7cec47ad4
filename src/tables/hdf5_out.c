/* Tables of HDF5: a dataset of rows, in the earliest format, which every version reads, and which can be opened after
 * its writer was killed. Its columns are members of one type by name. The head of a dataset has room for 64 kB: a table
 * of more columns is a matrix, and the names are in a dataset beside it. */
#include <errno.h>

#include "tables/hdf5.h"

typedef struct hdf5_writer {
  hid_t file, table, type; /* -1: not there */
  hsize_t rows;
  bool matrix;
} hdf5_writer;

enum { HEAD_ROOM = 56000, WAITING_BYTES = 1 << 20, CHUNK_BYTES = 1 << 16 };

/* Bytes that a type of these columns takes in the head of a dataset, with their units. */
static size_t count_bytes(const table_head *h) {
  enum { MEMBER = 52, UNIT = 16, WORD = 8 };
  size_t n = 0;
  for (int i = 0; i < h->n_columns; i++) n += MEMBER + UNIT + (strlen(h->name[i]) / WORD + 1) * WORD;
  return n;
}

/* ---- texts ---- */

static hid_t text_type(void) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  if (type >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0) return type;
  return -1;
}

/* n texts as an attribute of the table; n < 0: one, by itself. */
static bool put_texts(hid_t table, const char *name, int n, char *const *texts) {
  const hsize_t size = n < 0 ? 1 : (hsize_t)n;
  const hid_t type = text_type(), space = n < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL),
              attribute = H5Acreate2(table, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, texts) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good;
}

static bool put_number(hid_t table, const char *name, double value) {
  const hid_t space = H5Screate(H5S_SCALAR),
              attribute = H5Acreate2(table, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_DOUBLE, &value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return good;
}

/* The same beside the table, where there is no end to their number. */
static bool put_dataset(hid_t file, const char *name, int n, char *const *texts) {
  const hsize_t size = (hsize_t)n;
  const hid_t type = text_type(), space = H5Screate_simple(1, &size, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(properties, false);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  const bool good = set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0;
  if (set >= 0) H5Dclose(set);
  if (properties >= 0) H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return good;
}

/* ---- the dataset ---- */

static hid_t make_type(const table_head *h, hid_t number) {
  const hid_t type = H5Tcreate(H5T_COMPOUND, (size_t)h->n_columns * sizeof(double));
  bool good = type >= 0;
  for (int i = 0; i < h->n_columns && good; i++)
    good = H5Tinsert(type, h->name[i], (size_t)i * sizeof(double), number) >= 0;
  if (!good && type >= 0) H5Tclose(type);
  return good ? type : -1;
}

/* Chunks are smaller than what is written at once: a file has room for a whole one at its end. They are written without
 * a cache, and what is beyond the rows is never read. */
static hid_t make_dataset(const cdn_table_writer *w, const hdf5_writer *h) {
  const hsize_t columns = (hsize_t)w->head.n_columns, none[2] = { 0, columns }, any[2] = { H5S_UNLIMITED, columns },
                row = columns * sizeof(double), chunk[2] = { row < CHUNK_BYTES ? CHUNK_BYTES / row : 1, columns };
  const int axes = h->matrix ? 2 : 1;
  const hid_t space = H5Screate_simple(axes, none, any), create = H5Pcreate(H5P_DATASET_CREATE),
              access = H5Pcreate(H5P_DATASET_ACCESS),
              type = h->matrix ? H5Tcopy(H5T_IEEE_F64LE) : make_type(&w->head, H5T_IEEE_F64LE);
  hid_t set = -1;
  if (space >= 0 && type >= 0 && H5Pset_chunk(create, axes, chunk) >= 0 && H5Pset_obj_track_times(create, false) >= 0 &&
      H5Pset_fill_time(create, H5D_FILL_TIME_NEVER) >= 0 && H5Pset_chunk_cache(access, 1, 0, 0) >= 0)
    set = H5Dcreate2(h->file, HDF5_TABLE, type, space, H5P_DEFAULT, create, access);
  if (type >= 0) H5Tclose(type);
  H5Pclose(access);
  H5Pclose(create);
  if (space >= 0) H5Sclose(space);
  return set;
}

static bool make_table(const cdn_table_writer *w, hdf5_writer *h) {
  const table_head *head = &w->head;
  const int n = head->n_columns;
  h->matrix = count_bytes(head) > HEAD_ROOM;
  if (h->matrix &&
      (!put_dataset(h->file, HDF5_COLUMNS, n, head->name) || !put_dataset(h->file, HDF5_UNITS, n, head->unit)))
    return false;
  h->table = make_dataset(w, h);
  return h->table >= 0 && (h->matrix || put_texts(h->table, HDF5_UNITS, n, head->unit));
}

/* Goes on behind the first rows. */
static bool find_table(hdf5_writer *h, int64_t rows) {
  hsize_t size[2] = { 0 };
  const hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
  H5Pset_chunk_cache(access, 1, 0, 0);
  h->table = H5Dopen2(h->file, HDF5_TABLE, access);
  H5Pclose(access);
  const hid_t space = h->table >= 0 ? H5Dget_space(h->table) : -1;
  if (space < 0) return false;
  const int axes = H5Sget_simple_extent_ndims(space);
  const bool good = (axes == 1 || axes == 2) && H5Sget_simple_extent_dims(space, size, NULL) >= 0;
  H5Sclose(space);
  h->matrix = axes == 2;
  h->rows = size[0] = (hsize_t)rows;
  return good && H5Dset_extent(h->table, size) >= 0;
}

/* ---- what is asked of a format ---- */

/* What HDF5 did, and what has become of it on the disk. */
static cdn_status judge(cdn_table_writer *w, bool good) {
  const hdf5_writer *h = w->self;
  const int failure = h->file >= 0 ? tables_hdf5_failure(h->file) : 0;
  if (failure) return tables_fail(w, strerror(failure));
  return good ? CDN_OK : tables_fail(w, "HDF5 failed");
}

static cdn_status begin(cdn_table_writer *w, int64_t rows, int64_t place) {
  hdf5_writer *h = cdni_calloc(&w->allocator, sizeof *h);
  (void)place;
  w->self = h;
  if (!h) return tables_no_memory(w->function);
  h->table = h->type = -1;
  const hdf5_call call = tables_hdf5_begin();
  h->file = tables_hdf5_open(w->path, rows < 0 ? H5F_ACC_TRUNC : H5F_ACC_RDWR);
  cdn_status status = h->file < 0 ? tables_fail(w, NULL) : CDN_OK;
  if (status == CDN_OK) {
    bool good = rows < 0 ? make_table(w, h) : find_table(h, rows);
    h->type = good && !h->matrix ? make_type(&w->head, H5T_NATIVE_DOUBLE) : H5Tcopy(H5T_NATIVE_DOUBLE);
    good = good && h->type >= 0 && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
    status = judge(w, good);
  }
  tables_hdf5_end(call);
  return status;
}

static cdn_status put_attribute(cdn_table_writer *w, const table_attribute *x) {
  const hdf5_writer *h = w->self;
  const hdf5_call call = tables_hdf5_begin();
  bool good = true;
  if (H5Aexists(h->table, x->name) > 0) good = H5Adelete(h->table, x->name) >= 0;
  if (good) good = x->text ? put_texts(h->table, x->name, -1, &x->text) : put_number(h->table, x->name, x->number);
  const cdn_status status = judge(w, good);
  tables_hdf5_end(call);
  return status;
}

static bool append_rows(const cdn_table_writer *w, hdf5_writer *h, int n, const double *values) {
  const hsize_t columns = (hsize_t)w->head.n_columns, from[2] = { h->rows, 0 }, some[2] = { (hsize_t)n, columns },
                size[2] = { h->rows + (hsize_t)n, columns };
  if (H5Dset_extent(h->table, size) < 0) return false;
  const hid_t here = H5Screate_simple(h->matrix ? 2 : 1, some, NULL), there = H5Dget_space(h->table);
  const bool good =
      here >= 0 && there >= 0 && H5Sselect_hyperslab(there, H5S_SELECT_SET, from, NULL, some, NULL) >= 0 &&
      H5Dwrite(h->table, h->type, here, there, H5P_DEFAULT, values) >= 0 && H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0;
  if (here >= 0) H5Sclose(here);
  if (there >= 0) H5Sclose(there);
  h->rows += (hsize_t)n;
  return good;
}

static cdn_status append(cdn_table_writer *w, int n, const double *values) {
  const hdf5_call call = tables_hdf5_begin();
  const cdn_status status = judge(w, append_rows(w, w->self, n, values));
  tables_hdf5_end(call);
  return status;
}

static cdn_status sync_file(cdn_table_writer *w) {
  const hdf5_writer *h = w->self;
  const hdf5_call call = tables_hdf5_begin();
  const bool good = H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0 && tables_hdf5_sync(h->file);
  const cdn_status status = judge(w, good);
  tables_hdf5_end(call);
  return status;
}

static cdn_status end(cdn_table_writer *w) {
  hdf5_writer *h = w->self;
  if (!h) return CDN_OK;
  const hdf5_call call = tables_hdf5_begin();
  bool good = true;
  if (h->type >= 0) H5Tclose(h->type);
  if (h->table >= 0) good = H5Dclose(h->table) >= 0;
  if (h->file >= 0) good = H5Fflush(h->file, H5F_SCOPE_LOCAL) >= 0 && good;
  const cdn_status status = w->failed ? CDN_ERR_FILE : judge(w, good);
  if (h->file >= 0 && H5Fclose(h->file) < 0 && status == CDN_OK) (void)tables_fail(w, "HDF5 could not close it");
  tables_hdf5_end(call);
  cdni_free(&w->allocator, h, sizeof *h);
  w->self = NULL;
  return w->failed ? CDN_ERR_FILE : status;
}

const table_format tables_hdf5 = { .chunk_bytes = WAITING_BYTES,
                                   .goes_on = true,
                                   .refuses = tables_refuse_twins,
                                   .begin = begin,
                                   .attribute = put_attribute,
                                   .append = append,
                                   .sync = sync_file,
                                   .end = end,
                                   .open = tables_open_hdf5 };
