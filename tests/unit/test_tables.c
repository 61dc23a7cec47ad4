/* Tables: numbers come back as the same bits in every format; what is no table is refused; nothing is half read. */
#define _GNU_SOURCE
#include <cardan/table.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../check_main.h"
#include "../testing.h"

static char folder[] = "/tmp/cardan-tables-XXXXXX";

static const char *path_of(const char *name) {
  static char path[4][256];
  static int k;
  static bool made;
  k = (k + 1) % 4;
  if (!made) ck_assert(mkdtemp(folder) != NULL);
  made = true;
  snprintf(path[k], sizeof path[k], "%s/%s", folder, name);
  return path[k];
}

enum { COLUMNS = 7, ROWS = 1000 };
static const char *const names[COLUMNS] = { "time", "a.x", "a.y", "a.z", "b.x", "b.y", "b.z" };
static const char *const units[COLUMNS] = { "s", "m", "m", "m", "m", "m", "m" };
static double rows[ROWS][COLUMNS];

/* Numbers of all sizes; the corners of doubles among them. */
static void draw_rows(void) {
  const double corners[] = { 0, -0.0, DBL_MIN, DBL_TRUE_MIN, DBL_MAX, -DBL_MAX, 1. / 3, NAN, INFINITY, -INFINITY };
  uint64_t bits = 88172645463325252u;
  for (int i = 0; i < ROWS; i++) {
    rows[i][0] = i / 128.;
    for (int k = 1; k < COLUMNS; k++) {
      bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
      memcpy(&rows[i][k], &bits, sizeof bits);
      if (isnan(rows[i][k]) || i < 10) rows[i][k] = corners[(i + k) % 10];
    }
  }
}

static cdn_table_def make_def(int chunk) {
  cdn_table_def def = cdn_default_table_def();
  def.names = names, def.units = units, def.n_columns = COLUMNS, def.chunk_rows = chunk;
  return def;
}

/* Formats may have been left out of the library. */
static bool is_there(const char *name) {
  const cdn_table_def def = make_def(0);
  cdn_table_writer *w = NULL;
  const cdn_status status = cdn_table_create(path_of(name), &def, &w);
  if (status == CDN_OK) OK(cdn_table_close(w));
  return status != CDN_ERR_UNSUPPORTED;
}

static cdn_table_writer *create(const char *path, int chunk) {
  const cdn_table_def def = make_def(chunk);
  cdn_table_writer *w = NULL;
  OK(cdn_table_create(path, &def, &w));
  return w;
}

/* The first n rows are in the file, and no others. */
static void expect_rows(const char *path, int n) {
  cdn_table *t = NULL;
  OK(cdn_table_read(path, &t));
  ck_assert_int_eq(cdn_table_row_count(t), n);
  ck_assert_int_eq(cdn_table_column_count(t), COLUMNS);
  for (int k = 0; k < COLUMNS; k++) ck_assert_str_eq(cdn_table_column_name(t, k), names[k]);
  const double *value = cdn_table_values(t);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < COLUMNS; k++) {
      const double x = value[i * COLUMNS + k];
      ck_assert_msg(memcmp(&x, &rows[i][k], sizeof x) == 0 || (isnan(x) && isnan(rows[i][k])),
                    "%s: row %d, column %d: %a, not %a", path, i, k, x, rows[i][k]);
    }
  cdn_table_destroy(t);
}

static const char *const formats[] = { "run.csv", "run.h5", "run.npz", "run.sto", "run.mot", "run.trc" };

START_TEST(numbers_come_back) {
  draw_rows();
  for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
    for (int chunk = 0; chunk < 300 && is_there(formats[f]); chunk = chunk * 3 + 1) {
      const char *path = path_of(formats[f]);
      cdn_table_writer *w = create(path, chunk);
      int at = 0;
      for (int n = 0; at < ROWS; at += n, n = (n * 7 + 3) % 411) {
        if (n > ROWS - at) n = ROWS - at;
        OK(cdn_table_rows(w, n, rows[at]));
      }
      ck_assert_int_eq(cdn_table_written(w), ROWS);
      OK(cdn_table_close(w));
      expect_rows(path, ROWS);
    }
}
END_TEST

START_TEST(attributes_come_back) {
  for (int f = 1; f < 4; f++) {
    const bool at_end = f < 3;
    if (!is_there(formats[f])) continue;
    cdn_table *t;
    cdn_table_writer *w = create(path_of(formats[f]), 0);
    OK(cdn_table_attribute(w, "model", "old"));
    OK(cdn_table_attribute(w, "model", "gelenk-träger"));
    OK(cdn_table_number(w, "seed", 1. / 3));
    OK(cdn_table_rows(w, 10, rows[0]));
    if (at_end) OK(cdn_table_attribute(w, "certificate", "{}"));
    OK(cdn_table_close(w));
    OK(cdn_table_read(path_of(formats[f]), &t));
    ck_assert_str_eq(cdn_table_attribute_text(t, "model"), "gelenk-träger");
    ck_assert_str_eq(cdn_table_attribute_text(t, "seed"), "0.3333333333333333");
    if (at_end) ck_assert_str_eq(cdn_table_attribute_text(t, "certificate"), "{}");
    ck_assert_ptr_null(cdn_table_attribute_text(t, "nothing"));
    for (int k = 0; k < COLUMNS; k++) ck_assert_str_eq(cdn_table_column_unit(t, k), units[k]);
    ck_assert_int_eq(cdn_table_find_column(t, "b.x"), 4);
    ck_assert_int_eq(cdn_table_find_column(t, "c"), -1);
    cdn_table_destroy(t);
  }
}
END_TEST

/* A table that goes on is one that was written at once. */
START_TEST(a_table_goes_on) {
  draw_rows();
  for (int f = 0; f < 2; f++)
    for (int cut = 0; cut <= 600 && is_there(formats[f]); cut += 150) {
      const char *path = path_of(formats[f]);
      const cdn_table_def def = make_def(64);
      cdn_table_writer *w = create(path, 64);
      OK(cdn_table_attribute(w, "model", "arm"));
      OK(cdn_table_rows(w, 700, rows[0]));
      OK(cdn_table_close(w));
      OK(cdn_table_continue(path, &def, cut, &w));
      ck_assert_int_eq(cdn_table_written(w), cut);
      OK(cdn_table_rows(w, ROWS - cut, rows[cut]));
      OK(cdn_table_close(w));
      expect_rows(path, ROWS);
      FAILS(cdn_table_continue(path, &def, ROWS + 1, &w), CDN_ERR_PARSE);
      cdn_table_def other = def;
      other.n_columns--;
      FAILS(cdn_table_continue(path, &other, 10, &w), CDN_ERR_PARSE);
      expect_rows(path, ROWS);
    }
}
END_TEST

CHECK_MAIN("tables", numbers_come_back, attributes_come_back, a_table_goes_on)
