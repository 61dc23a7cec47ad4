/* Rows of a file on demand are the rows that a search in memory finds. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../testing.h"
#include "tables/rows.h"

enum { COLUMNS = 5, MOST = 400 };
static char path[] = "/tmp/cardan-rows-XXXXXX";
static double table[MOST][COLUMNS];

static uint32_t noise = 7;
static uint32_t random_number(uint32_t n) { return noise = noise * 1664525 + 1013904223, (noise >> 8) % n; }

static FILE *begin_file(void) {
  close(mkstemp(path));
  FILE *file = fopen(path, "w");
  ck_assert_ptr_nonnull(file);
  fputs("time,\"x, or \"\"y\"\"\",b,c,d\n", file);
  return file;
}

static void remove_file(void) {
  unlink(path);
  strcpy(path + strlen(path) - 6, "XXXXXX");
}

/* Rows of all lengths, times that repeat, blank lines, both kinds of ends of line; `part`: the last row is cut. */
static void write_rows(int n, int pad, bool part) {
  FILE *file = begin_file();
  double time = -3;
  for (int i = 0; i < n; i++) {
    time += random_number(4) ? 0.001 * random_number(1000) : 0;
    table[i][0] = time;
    for (int k = 1; k < COLUMNS; k++) table[i][k] = (double)random_number(1u << 20) / (1 + random_number(9));
    for (int k = 0; k < COLUMNS; k++) fprintf(file, "%s%.17g", k ? "," : "", table[i][k]);
    if (pad > 0) fprintf(file, "%0*d", (int)random_number((uint32_t)pad), 0);
    if (pad > 0) table[i][COLUMNS - 1] = NAN; // its digits went on
    fputs(random_number(5) ? "\n" : "\r\n", file);
    if (random_number(20) == 0) fputs("\n", file);
  }
  if (part) fprintf(file, "%g,1,2", time + 1);
  fclose(file);
}

static void compare(const double *row, int i) {
  for (int k = 0; k < COLUMNS; k++) ck_assert(isnan(table[i][k]) || row[k] == table[i][k]);
}

static void look(cdni_rows *r, int n, double time) {
  const double *row, *next;
  int i = 0;
  while (i + 1 < n && table[i + 1][0] <= time) i++;
  OK(cdni_rows_at(r, time, &row, &next));
  compare(row, i);
  ck_assert((next != NULL) == (i + 1 < n));
  if (next) compare(next, i + 1);
}

START_TEST(rows_are_found) {
  static const int pads[] = { 0, 0, 300, 20000 };
  for (int round = 0; round < 60; round++) {
    const int n = round < 8 ? 1 + round : 1 + (int)random_number(MOST);
    write_rows(n, pads[round % 4], round % 3 == 0);
    cdni_rows *r;
    OK(cdni_rows_open(path, &r));
    ck_assert_int_eq(cdni_rows_columns(r), COLUMNS);
    ck_assert_str_eq(cdni_rows_name(r, 1), "x, or \"y\"");
    ck_assert(cdni_rows_first_time(r) == table[0][0] && cdni_rows_last_time(r) == table[n - 1][0]);
    ck_assert(cdni_rows_count(r) == n);
    const double *row;
    for (int pass = 0; pass < 2; pass++) {
      cdni_rows_rewind(r);
      for (int i = 0; i < n; i++) {
        OK(cdni_rows_next(r, &row));
        ck_assert_ptr_nonnull(row);
        compare(row, i);
      }
      OK(cdni_rows_next(r, &row));
      ck_assert_ptr_null(row);
    }
    const double span = table[n - 1][0] - table[0][0];
    for (int k = 0; k <= 100; k++) look(r, n, table[0][0] - 0.1 + (span + 0.2) * k / 100); // as one plays
    for (int k = 0; k < 200; k++)
      look(r, n, k % 2 ? table[0][0] + span * random_number(1000) / 999 : table[random_number((uint32_t)n)][0]);
    cdni_rows_close(r);
    remove_file();
  }
}
END_TEST

static void refused(const char *text) {
  cdni_rows *r;
  FILE *file = begin_file();
  fputs(text, file);
  fclose(file);
  FAILS(cdni_rows_open(path, &r), CDN_ERR_PARSE);
  ck_assert_ptr_null(r);
  remove_file();
}

START_TEST(files_that_are_no_tables) {
  cdni_rows *r;
  refused("");
  refused("1,2,3");
  refused("2,0,0,0,0\n1,0,0,0,0\n");
  refused("nan,0,0,0,0\n");
  FAILS(cdni_rows_open("/nowhere/run.csv", &r), CDN_ERR_FILE);
  static const char *const bad[] = { "5,1,2,3\n", "5,1,2,3,4,5\n", "5,1,x,3,4\n", "5,,1,2,3\n" };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const double *row, *next;
    FILE *file = begin_file();
    fprintf(file, "0,1,2,3,4\n1,1,2,3,4\n%s9,1,2,3,4\n", bad[i]);
    fclose(file);
    OK(cdni_rows_open(path, &r));
    OK(cdni_rows_at(r, 0.5, &row, &next));
    FAILS(cdni_rows_at(r, 1.5, &row, &next), CDN_ERR_PARSE);
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), path));
    FAILS(cdni_rows_at(r, 6, &row, &next), CDN_ERR_PARSE);
    OK(cdni_rows_at(r, 0.5, &row, &next));
    OK(cdni_rows_at(r, 9.5, &row, &next));
    ck_assert(row[0] == 9);
    cdni_rows_close(r);
    remove_file();
  }
}
END_TEST

/* A million rows are open at once. */
START_TEST(a_long_file) {
  enum { N = 1000000 };
  FILE *file = begin_file();
  for (int i = 0; i < N; i++)
    fprintf(file, "%.6f,%d,0.123456789012345678,-1.2345678901234567e-12,1234567.8901234567\n", 1e-3 * i, i);
  fclose(file);
  double begin = (double)clock() / CLOCKS_PER_SEC;
  cdni_rows *r;
  OK(cdni_rows_open(path, &r));
  const double opened = (double)clock() / CLOCKS_PER_SEC - begin;
  AT_MOST(fabs(cdni_rows_count(r) / N - 1), 0.05);
  begin = (double)clock() / CLOCKS_PER_SEC;
  for (int k = 0; k < 300; k++) {
    const double *row, *next;
    const int i = (int)random_number(N);
    OK(cdni_rows_at(r, 1e-3 * i + 1e-4, &row, &next));
    ck_assert(row[1] == i);
  }
  const double sought = ((double)clock() / CLOCKS_PER_SEC - begin) / 300;
  if (getenv("CARDAN_TEST_VERBOSE")) printf("10^6 rows: opened in %.2g s, a row found in %.2g s\n", opened, sought);
  AT_MOST(opened, 0.1);
  AT_MOST(sought, 0.02);
  cdni_rows_close(r);
  remove_file();
}
END_TEST

CHECK_MAIN("rows", rows_are_found, files_that_are_no_tables, a_long_file)
