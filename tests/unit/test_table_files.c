/* Tables that were cut, damaged, or never were tables; writers that were killed, and disks that are full: what is there
 * is said, and whole rows are read or nothing. */
#define _GNU_SOURCE
#include <cardan/table.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check_main.h"
#include "../testing.h"

enum { COLUMNS = 7, CHUNK = 64 };
static const char *const names[COLUMNS] = { "time", "a.x", "a.y", "a.z", "b.x", "b.y", "b.z" };
static const char *const formats[] = { "run.csv", "run.sto", "run.trc", "run.h5", "run.npz" };
enum { FIRST_BINARY = 3, HDF5 = 3, N_FORMATS = 5 };

static const char *path_of(const char *name) {
  static char folder[] = "/tmp/cardan-tables-XXXXXX", path[4][256];
  static int k;
  static bool made;
  if (!made) ck_assert(mkdtemp(folder) != NULL);
  made = true;
  k = (k + 1) % 4;
  snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
  return path[k];
}

static void make_row(int64_t i, double *row) {
  row[0] = (double)i / 1024;
  for (int k = 1; k < COLUMNS; k++) row[k] = sin((double)i + k) / 3;
}

static cdn_status create(const char *path, cdn_table_writer **w) {
  cdn_table_def def = cdn_default_table_def();
  def.names = names, def.n_columns = COLUMNS, def.chunk_rows = CHUNK;
  return cdn_table_create(path, &def, w);
}

/* Formats may have been left out of the library. */
static bool is_there(const char *name) {
  cdn_table_writer *w;
  const cdn_status status = create(path_of(name), &w);
  if (status == CDN_OK) OK(cdn_table_close(w));
  return status != CDN_ERR_UNSUPPORTED;
}

static void write_rows(const char *path, int n) {
  cdn_table_writer *w;
  double row[COLUMNS];
  OK(create(path, &w));
  OK(cdn_table_attribute(w, "model", "arm"));
  for (int i = 0; i < n; i++) {
    make_row(i, row);
    OK(cdn_table_rows(w, 1, row));
  }
  OK(cdn_table_close(w));
}

/* How many rows there are, each of them what it was; -1: the file was refused, by its name. */
static int64_t read_whole_rows(const char *path, bool *cut) {
  cdn_table *t;
  double row[COLUMNS];
  const cdn_status status = cdn_table_read(path, &t);
  if (status != CDN_OK) {
    ck_assert_ptr_null(t);
    ck_assert_msg(status == CDN_ERR_PARSE || status == CDN_ERR_FILE, "%s", cdn_last_error_text());
    ck_assert_msg(strstr(cdn_last_error_text(), path) != NULL, "%s", cdn_last_error_text());
    return -1;
  }
  const int64_t n = cdn_table_row_count(t);
  const double *values = cdn_table_values(t);
  for (int64_t i = 0; i < n && cdn_table_column_count(t) == COLUMNS; i++) {
    make_row(i, row);
    ck_assert_msg(memcmp(row, values + i * COLUMNS, sizeof row) == 0, "%s: row %d of %d is another one", path, (int)i,
                  (int)n);
  }
  *cut = cdn_table_is_cut(t);
  cdn_table_destroy(t);
  return n;
}

static char bytes[1 << 20];

static size_t slurp(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_ptr_nonnull(file);
  const size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n > 0 && n < sizeof bytes);
  return n;
}

static void spill(const char *path, const char *from, size_t n) {
  FILE *file = fopen(path, "wb");
  ck_assert_ptr_nonnull(file);
  ck_assert(fwrite(from, 1, n, file) == n && fclose(file) == 0);
}

START_TEST(what_was_cut_is_whole_rows_or_nothing) {
  enum { ROWS = 60 };
  for (int f = 0; f < N_FORMATS; f++) {
    if (!is_there(formats[f])) continue;
    write_rows(path_of(formats[f]), ROWS);
    const size_t size = slurp(path_of(formats[f]));
    const size_t step = f < FIRST_BINARY ? 17 : 149;
    char cut_name[32];
    snprintf(cut_name, sizeof cut_name, "cut-%s", formats[f]);
    const char *path = path_of(cut_name);
    for (size_t n = 0; n < size; n += step) {
      bool cut = false;
      spill(path, bytes, n);
      const int64_t rows = read_whole_rows(path, &cut);
      if (f >= FIRST_BINARY) ck_assert_msg(rows < 0, "%s: %zu of %zu bytes are a table", path, n, size);
      /* a cut at the end of a line of comma-separated values is none */
      else if (rows >= 0 && f > 0) ck_assert_msg(cut, "%s: %zu of %zu bytes were not cut", path, n, size);
      else if (rows >= 0 && n > 0 && bytes[n - 1] != '\n') ck_assert_msg(cut, "%s: %zu bytes were not cut", path, n);
    }
    bool cut = true;
    ck_assert_int_eq(read_whole_rows(path_of(formats[f]), &cut), ROWS);
    ck_assert(!cut);
  }
}
END_TEST

START_TEST(what_is_no_table_is_refused) {
  static const char *const foreign[] = { "",
                                         "x",
                                         "\n\n\n",
                                         "PK\3\4 and no archive",
                                         "\x89HDF\r\n\x1a\n and no more",
                                         "name\nversion=1\nendheader\n",
                                         "PathFileType\t4\t(X/Y/Z)\tx\n\n\n\n\n" };
  for (int f = 0; f < N_FORMATS; f++) {
    bool cut;
    if (!is_there(formats[f]) || !is_there("source.h5")) continue;
    ck_assert_int_eq(read_whole_rows(path_of("nowhere"), &cut), -1);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
      const char *path = path_of(formats[f]);
      spill(path, foreign[i], strlen(foreign[i]));
      const int64_t rows = read_whole_rows(path, &cut);
      ck_assert_msg(rows <= 0, "%s: '%s' has %d rows", path, foreign[i], (int)rows);
    }
    /* each format under the name of each other one */
    write_rows(path_of("source.h5"), 20);
    const size_t size = slurp(path_of("source.h5"));
    if (f != HDF5) {
      spill(path_of(formats[f]), bytes, size);
      ck_assert_int_le(read_whole_rows(path_of(formats[f]), &cut), 0);
    }
  }
  cdn_table *t;
  FAILS(cdn_table_read(path_of("."), &t), CDN_ERR_FILE);
}
END_TEST

/* In a process of its own. */
static bool reads_without_harm(const char *path) {
  int status;
  const pid_t child = fork();
  ck_assert(child >= 0);
  if (child == 0) {
    cdn_table *t = NULL;
    const bool good = cdn_table_read(path, &t) == CDN_OK || !t;
    cdn_table_destroy(t);
    _exit(good ? 0 : 1);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Any bytes: nothing crashes. HDF5's own library trusts some of what a file says, so few of its files may. */
START_TEST(damaged_files_do_no_harm) {
  uint32_t noise = 1;
  for (int f = 0; f < N_FORMATS; f++) {
    if (!is_there(formats[f])) continue;
    write_rows(path_of(formats[f]), 30);
    const size_t size = slurp(path_of(formats[f]));
    char name[32];
    snprintf(name, sizeof name, "odd-%s", formats[f]);
    const char *path = path_of(name);
    const int files = f == HDF5 ? 100 : 200;
    int harmed = 0;
    for (int k = 0; k < files; k++) {
      char saved[8];
      size_t at[8];
      for (int i = 0; i < 8; i++) {
        noise = noise * 1664525u + 1013904223u;
        at[i] = (noise >> 8) % (i < 4 && size > 1500 ? 1500 : size);
        saved[i] = bytes[at[i]];
        bytes[at[i]] = (char)(noise >> 3);
      }
      spill(path, bytes, size);
      for (int i = 7; i >= 0; i--) bytes[at[i]] = saved[i];
      harmed += !reads_without_harm(path);
    }
    ck_assert_msg(harmed <= (f == HDF5 ? files / 20 : 0), "%s: %d of %d damaged files do harm", formats[f], harmed,
                  files);
  }
}
END_TEST

/* ---- writers that are killed ---- */

/* Writes for ever; tells how many rows have been given. */
static void write_until_killed(const char *path, volatile int64_t *given) {
  cdn_table_writer *w;
  double row[COLUMNS];
  if (create(path, &w) != CDN_OK) _exit(1);
  *given = 0;
  for (int64_t i = 0;; i++) {
    make_row(i, row);
    if (cdn_table_rows(w, 1, row) != CDN_OK) _exit(1);
    *given = i + 1;
  }
}

START_TEST(a_killed_writer_loses_a_chunk_at_most) {
  int64_t *given = mmap(NULL, sizeof *given, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ck_assert(given != MAP_FAILED);
  for (int k = 0; k < 40; k++) {
    const char *path = path_of(k % 4 == 3 || !is_there("killed.h5") ? "killed.csv" : "killed.h5");
    *given = -1;
    const pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) write_until_killed(path, given);
    while (*(volatile int64_t *)given < 0) usleep(100);
    usleep((useconds_t)(k * 797 % 20000));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    bool cut;
    const int64_t rows = read_whole_rows(path, &cut);
    ck_assert_msg(rows >= *given - CHUNK, "%s: %d rows are left of %d", path, (int)rows, (int)*given);
    cdn_table_writer *w;
    cdn_table_def def = cdn_default_table_def();
    def.names = names, def.n_columns = COLUMNS;
    OK(cdn_table_continue(path, &def, rows / 2, &w));
    OK(cdn_table_close(w));
    ck_assert_int_eq(read_whole_rows(path, &cut), rows / 2);
  }
  munmap(given, sizeof *given);
}
END_TEST

/* ---- disks that are full ---- */

/* 0: all is as it should be. */
static int fill_disk(const char *path) {
  cdn_table_writer *w;
  double row[COLUMNS];
  const struct rlimit limit = { 200000, 200000 };
  signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &limit);
  if (create(path, &w) != CDN_OK) return 1;
  cdn_status status = CDN_OK;
  for (int i = 0; status == CDN_OK && i < 20000; i++) {
    make_row(i, row);
    status = cdn_table_rows(w, 1, row);
  }
  if (status != CDN_ERR_FILE || !strstr(cdn_last_error_text(), path)) return 2;
  if (cdn_table_rows(w, 1, row) != CDN_ERR_FILE || cdn_table_flush(w) != CDN_ERR_FILE) return 3;
  return cdn_table_close(w) == CDN_ERR_FILE ? 0 : 4;
}

START_TEST(a_full_disk_is_said) {
  for (int f = 0; f < N_FORMATS; f++) {
    char name[32];
    int status;
    bool cut;
    if (!is_there(formats[f])) continue;
    snprintf(name, sizeof name, "full-%s", formats[f]);
    const char *path = path_of(name);
    const pid_t child = fork();
    if (child == 0) _exit(fill_disk(path));
    waitpid(child, &status, 0);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: %x", path, (unsigned)status);
    if (f == N_FORMATS - 1) ck_assert_int_ne(access(path, F_OK), 0);
    else ck_assert_int_gt(read_whole_rows(path, &cut), 500);
  }
  cdn_table_writer *w;
  OK(create("/dev/full", &w) == CDN_OK ? cdn_table_close(w) == CDN_OK ? CDN_ERR_ARG : CDN_OK : CDN_OK);
}
END_TEST

/* ---- calls ---- */

START_TEST(calls_without_what_they_need) {
  cdn_table_writer *w = NULL;
  cdn_table_def def = cdn_default_table_def();
  const char *const twins[] = { "time", "q", "q" }, *const blank[] = { "time", "a joint" };
  FAILS(cdn_table_create(NULL, &def, &w), CDN_ERR_ARG);
  FAILS(cdn_table_create(path_of("x.csv"), NULL, &w), CDN_ERR_ARG);
  FAILS(cdn_table_create(path_of("x.csv"), &def, &w), CDN_ERR_ARG);
  FAILS(cdn_table_create(path_of("x.csv"), &def, NULL), CDN_ERR_ARG);
  def.names = twins, def.n_columns = 3;
  const bool all = is_there("y.h5") && is_there("y.npz");
  if (all) FAILS(cdn_table_create(path_of("x.h5"), &def, &w), CDN_ERR_ARG);
  if (all) FAILS(cdn_table_create(path_of("x.npz"), &def, &w), CDN_ERR_ARG);
  FAILS(cdn_table_create(path_of("x.trc"), &def, &w), CDN_ERR_UNSUPPORTED);
  if (all) FAILS(cdn_table_create("/nowhere/x.h5", &def, &w), CDN_ERR_ARG);
  def.names = blank, def.n_columns = 2;
  FAILS(cdn_table_create(path_of("x.sto"), &def, &w), CDN_ERR_UNSUPPORTED);
  for (int f = 0; f < N_FORMATS && all; f++) {
    char name[64];
    snprintf(name, sizeof name, "/nowhere/%s", formats[f]);
    FAILS(create(name, &w), CDN_ERR_FILE);
    ck_assert_ptr_null(w);
  }
  FAILS(cdn_table_rows(NULL, 0, NULL), CDN_ERR_ARG);
  FAILS(cdn_table_close(NULL), CDN_ERR_ARG);
  OK(create(path_of("x.csv"), &w));
  FAILS(cdn_table_rows(w, 1, NULL), CDN_ERR_ARG);
  FAILS(cdn_table_rows(w, -1, NULL), CDN_ERR_ARG);
  OK(cdn_table_rows(w, 0, NULL));
  FAILS(cdn_table_attribute(w, "", "x"), CDN_ERR_ARG);
  FAILS(cdn_table_attribute(w, "units", "x"), CDN_ERR_ARG);
  FAILS(cdn_table_attribute(w, "model", NULL), CDN_ERR_ARG);
  OK(cdn_table_close(w));
  cdn_table *t;
  FAILS(cdn_table_read(NULL, &t), CDN_ERR_ARG);
  FAILS(cdn_table_read(path_of("x.csv"), NULL), CDN_ERR_ARG);
  OK(cdn_table_read(path_of("x.csv"), &t));
  ck_assert_int_eq(cdn_table_row_count(t), 0);
  ck_assert_ptr_null(cdn_table_column_name(t, COLUMNS));
  ck_assert_ptr_null(cdn_table_column_unit(t, -1));
  ck_assert_ptr_null(cdn_table_attribute_name(t, 0));
  cdn_table_destroy(t);
  cdn_table_destroy(NULL);
  FAILS(cdn_table_continue(path_of("x.npz"), &def, 0, &w), CDN_ERR_UNSUPPORTED);
  FAILS(cdn_table_continue(path_of("x.csv"), &def, -1, &w), CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("table files", what_was_cut_is_whole_rows_or_nothing, what_is_no_table_is_refused, damaged_files_do_no_harm,
           a_killed_writer_loses_a_chunk_at_most, a_full_disk_is_said, calls_without_what_they_need)
