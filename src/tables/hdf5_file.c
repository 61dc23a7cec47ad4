/* A driver of HDF5's that keeps files whole. HDF5 changes the pieces of a file that tell where all is in the order of
 * their places, some of them long before it flushes: a process that is killed between two of them leaves a file that
 * cannot be read, or has rows of zeros. Here what was not part of the file at the last flush is written at once, and so
 * are rows; what was is kept in memory. A flush then writes the pieces in an order in which the file is whole before
 * and after each: first how long it is, then the tree of chunks, from the root on, and the sizes of datasets last. A
 * piece is written page by page from its end, for its beginning tells how much of it counts, and a page is written
 * whole or not at all. */
#define _POSIX_C_SOURCE 200809L
#include "tables/hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096 };

/* A piece that waits for the next flush. */
typedef struct piece {
  haddr_t at;
  size_t size;
  H5FD_mem_t kind;
  int rank; /* when its turn is */
  unsigned char *bytes;
} piece;

typedef struct ordered_file {
  H5FD_t base;
  cdn_allocator allocator;
  int handle;
  struct stat info;
  haddr_t end_of_space; /* of what HDF5 has given out */
  haddr_t length, kept; /* of the file; at the last flush */
  cdni_array pieces;    /* piece */
  int failure;
} ordered_file;

/* ---- bytes ---- */

static void write_bytes(ordered_file *f, const unsigned char *bytes, haddr_t at, size_t size) {
  while (size > 0 && !f->failure) {
    errno = 0;
    const ssize_t n = pwrite(f->handle, bytes, size, (off_t)at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) f->failure = errno ? errno : ENOSPC;
    else bytes += n, at += (haddr_t)n, size -= (size_t)n;
  }
  if (!f->failure && at > f->length) f->length = at;
}

static void write_backward(ordered_file *f, const piece *p) {
  for (haddr_t end = p->at + p->size; end > p->at;) {
    const haddr_t page = (end - 1) / PAGE * PAGE, from = page > p->at ? page : p->at;
    write_bytes(f, p->bytes + (from - p->at), from, (size_t)(end - from));
    end = from;
  }
}

static void free_pieces(ordered_file *f) {
  for (size_t i = 0; i < f->pieces.count; i++) {
    const piece *p = &CDNI_AT(f->pieces, piece, i);
    cdni_free(&f->allocator, p->bytes, p->size);
  }
  f->pieces.count = 0;
}

/* ---- pieces ---- */

/* Whether the file has a node of a tree there already: nodes are never freed. */
static bool is_known_node(const ordered_file *f, const piece *p) {
  char mark[4];
  return pread(f->handle, mark, sizeof mark, (off_t)p->at) == sizeof mark && memcmp(mark, "TREE", sizeof mark) == 0;
}

/* A new node comes before those that lead to it. */
static int find_rank(const ordered_file *f, const piece *p) {
  switch (p->kind) {
    case H5FD_MEM_SUPER: return 0;
    case H5FD_MEM_BTREE: return is_known_node(f, p) ? 2 : 1;
    case H5FD_MEM_OHDR: return 3;
    default: return 2;
  }
}

static int compare(const void *one, const void *other) {
  const piece *a = one, *b = other;
  if (a->rank != b->rank) return a->rank - b->rank;
  return a->at < b->at ? -1 : a->at > b->at;
}

static bool keep_piece(ordered_file *f, H5FD_mem_t kind, haddr_t at, size_t size, const void *bytes) {
  piece *p = NULL;
  for (size_t i = 0; i < f->pieces.count && !p; i++) {
    piece *x = &CDNI_AT(f->pieces, piece, i);
    if (x->at == at && x->size == size) p = x;
  }
  if (!p) {
    piece fresh = { at, size, kind, 0, cdni_alloc(&f->allocator, size) };
    if (fresh.bytes) p = cdni_array_push(&f->allocator, &f->pieces, sizeof fresh, &fresh);
    if (!p) cdni_free(&f->allocator, fresh.bytes, size);
    if (!p) return false;
  }
  memcpy(p->bytes, bytes, size);
  return true;
}

/* ---- what HDF5 calls ---- */

static H5FD_t *open_file(const char *path, unsigned flags, hid_t properties, haddr_t most) {
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ 0 });
  (void)properties, (void)most;
  ordered_file *f = cdni_calloc(&a, sizeof *f);
  if (!f) return NULL;
  f->allocator = a;
  f->handle = open(path,
                   (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | O_CLOEXEC | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
                       (flags & H5F_ACC_TRUNC ? O_TRUNC : 0),
                   0666);
  if (f->handle >= 0 && fstat(f->handle, &f->info) == 0) {
    f->length = f->kept = (haddr_t)f->info.st_size;
    return &f->base;
  }
  const int reason = errno;
  if (f->handle >= 0) close(f->handle);
  cdni_free(&a, f, sizeof *f);
  errno = reason;
  return NULL;
}

static herr_t close_file(H5FD_t *file) {
  ordered_file *f = (ordered_file *)file;
  const cdn_allocator a = f->allocator;
  close(f->handle);
  free_pieces(f);
  cdni_array_free(&a, &f->pieces);
  cdni_free(&a, f, sizeof *f);
  return 0;
}

static int compare_files(const H5FD_t *one, const H5FD_t *other) {
  const struct stat *a = &((const ordered_file *)one)->info, *b = &((const ordered_file *)other)->info;
  if (a->st_dev != b->st_dev) return a->st_dev < b->st_dev ? -1 : 1;
  return a->st_ino < b->st_ino ? -1 : a->st_ino > b->st_ino;
}

static herr_t query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  if (flags) *flags = H5FD_FEAT_DEFAULT_VFD_COMPATIBLE; /* what is new is at the end of the file */
  return 0;
}

static haddr_t get_space(const H5FD_t *file, H5FD_mem_t kind) {
  (void)kind;
  return ((const ordered_file *)file)->end_of_space;
}

static herr_t set_space(H5FD_t *file, H5FD_mem_t kind, haddr_t end) {
  (void)kind;
  ((ordered_file *)file)->end_of_space = end;
  return 0;
}

static haddr_t get_length(const H5FD_t *file, H5FD_mem_t kind) {
  (void)kind;
  return ((const ordered_file *)file)->length;
}

static herr_t get_handle(H5FD_t *file, hid_t properties, void **handle) {
  (void)properties;
  *handle = file;
  return 0;
}

static herr_t read_file(H5FD_t *file, H5FD_mem_t kind, hid_t properties, haddr_t at, size_t size, void *buffer) {
  ordered_file *f = (ordered_file *)file;
  unsigned char *to = buffer;
  (void)kind, (void)properties;
  for (size_t done = 0; done < size;) {
    const ssize_t n = pread(f->handle, to + done, size - done, (off_t)(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return -1;
    if (n == 0) memset(to + done, 0, size - done);
    done = n == 0 ? size : done + (size_t)n;
  }
  for (size_t i = 0; i < f->pieces.count; i++) {
    const piece *p = &CDNI_AT(f->pieces, piece, i);
    const haddr_t from = p->at > at ? p->at : at, end = p->at + p->size < at + size ? p->at + p->size : at + size;
    if (from < end) memcpy(to + (from - at), p->bytes + (from - p->at), (size_t)(end - from));
  }
  return 0;
}

static herr_t write_file(H5FD_t *file, H5FD_mem_t kind, hid_t properties, haddr_t at, size_t size, const void *bytes) {
  ordered_file *f = (ordered_file *)file;
  (void)properties;
  if (f->failure) return 0;
  if (at >= f->kept || kind == H5FD_MEM_DRAW) write_bytes(f, bytes, at, size);
  else if (!keep_piece(f, kind, at, size, bytes)) f->failure = ENOMEM;
  return 0;
}

static herr_t lengthen(H5FD_t *file, hid_t properties, hbool_t closing) {
  ordered_file *f = (ordered_file *)file;
  (void)properties, (void)closing;
  if (f->failure || f->length >= f->end_of_space) return 0;
  if (ftruncate(f->handle, (off_t)f->end_of_space) != 0) f->failure = errno;
  else f->length = f->end_of_space;
  return 0;
}

static herr_t flush_file(H5FD_t *file, hid_t properties, hbool_t closing) {
  ordered_file *f = (ordered_file *)file;
  (void)lengthen(file, properties, closing);
  for (size_t i = 0; i < f->pieces.count; i++) {
    piece *p = &CDNI_AT(f->pieces, piece, i);
    p->rank = find_rank(f, p);
  }
  if (f->pieces.count > 1) qsort(f->pieces.data, f->pieces.count, sizeof(piece), compare);
  for (size_t i = 0; i < f->pieces.count; i++) write_backward(f, &CDNI_AT(f->pieces, piece, i));
  free_pieces(f);
  f->kept = f->length;
  return 0;
}

static const H5FD_class_t ordered = { .name = "cardan",
                                      .maxaddr = (haddr_t)INT64_MAX,
                                      .fc_degree = H5F_CLOSE_STRONG,
                                      .open = open_file,
                                      .close = close_file,
                                      .cmp = compare_files,
                                      .query = query,
                                      .get_eoa = get_space,
                                      .set_eoa = set_space,
                                      .get_eof = get_length,
                                      .get_handle = get_handle,
                                      .read = read_file,
                                      .write = write_file,
                                      .flush = flush_file,
                                      .truncate = lengthen,
                                      .fl_map = H5FD_FLMAP_DICHOTOMY };

/* The driver, registered once: HDF5 reads it after the last file that has it has let go of it. Called with the lock. */
static hid_t ordered_driver(void) {
  static hid_t driver = -1;
  if (H5Iget_type(driver) != H5I_VFL) driver = H5FDregister(&ordered);
  return driver;
}

/* What HDF5 keeps of a file in memory does not grow with the file. */
static bool bound_memory(hid_t access) {
  enum { MOST_KEPT = 1 << 16, LEAST_KEPT = 1 << 14 };
  H5AC_cache_config_t config = { .version = H5AC__CURR_CACHE_CONFIG_VERSION };
  if (H5Pget_mdc_config(access, &config) < 0) return false;
  config.set_initial_size = true, config.initial_size = config.max_size = MOST_KEPT, config.min_size = LEAST_KEPT;
  config.incr_mode = H5C_incr__off, config.flash_incr_mode = H5C_flash_incr__off;
  return H5Pset_mdc_config(access, &config) >= 0;
}

hid_t tables_hdf5_open(const char *path, unsigned flags) {
  enum { CHILDREN = 256 }; /* half of those that a node of a tree has: two levels of it are enough for 100,000 chunks */
  const hid_t driver = ordered_driver(), access = H5Pcreate(H5P_FILE_ACCESS), create = H5Pcreate(H5P_FILE_CREATE);
  hid_t file = -1;
  if (driver >= 0 && H5Pset_driver(access, driver, NULL) >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
      H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, flags == H5F_ACC_TRUNC ? H5F_LIBVER_V18 : H5F_LIBVER_LATEST) >=
          0 &&
      bound_memory(access) && H5Pset_istore_k(create, CHILDREN) >= 0 && H5Pset_obj_track_times(create, false) >= 0) {
    errno = 0;
    file = flags == H5F_ACC_TRUNC ? H5Fcreate(path, flags, create, access) : H5Fopen(path, flags, access);
  }
  const int reason = errno;
  H5Pclose(access);
  H5Pclose(create);
  errno = reason;
  return file;
}

int tables_hdf5_failure(hid_t file) {
  void *handle;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return EIO;
  return ((const ordered_file *)handle)->failure;
}

bool tables_hdf5_sync(hid_t file) {
  void *handle;
  if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) < 0) return false;
  ordered_file *f = handle;
  if (!f->failure && fsync(f->handle) != 0) f->failure = errno;
  return !f->failure;
}

static pthread_mutex_t alone = PTHREAD_MUTEX_INITIALIZER;

hdf5_call tables_hdf5_begin(void) {
  hdf5_call call;
  pthread_mutex_lock(&alone);
  H5Eget_auto2(H5E_DEFAULT, &call.print, &call.context);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  return call;
}

void tables_hdf5_end(hdf5_call call) {
  H5Eset_auto2(H5E_DEFAULT, call.print, call.context);
  pthread_mutex_unlock(&alone);
}
