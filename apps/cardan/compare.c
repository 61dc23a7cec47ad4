/* cardan compare: two trajectories, row by row: by how much each quantity differs, and when. */

#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const help_page page = {
  "compare", "A.csv B.csv [options]",
  "Compares two trajectories that 'cardan simulate' wrote: of each quantity the largest difference, and when it occurs.\n"
  "Rows are compared at the times that both files have. The exit code is 0 if all quantities are equal within the\n"
  "tolerance, and 8 if not. Without --tolerance equal means: the same bits.\n",
  "  cardan compare before.csv after.csv\n"
  "  cardan compare loose.csv tight.csv --tolerance 1e-6\n"
  "  cardan compare a.csv b.csv --columns hip.q,knee.q\n",
  "which trajectory? The first argument is a CSV file that 'cardan simulate -o' wrote"
};

typedef struct compare {
  const char *first;
  text_list second;
  const char *columns;
  double tolerance;
  bool all, quiet;
} compare;

/* A quantity that both files have, and where the two differ most. */
typedef struct quantity {
  const char *name;
  int column[2];
  bool differs;          /* in any bit */
  double off, size;      /* the largest difference, and the largest value */
  double time, value[2]; /* of the largest difference */
} quantity;

typedef struct comparison {
  cdni_rows *file[2];
  quantity *list;
  int n;
  int64_t both, alone[2]; /* rows */
  bool lacks;             /* a column that was not left out is in one file alone */
} comparison;

/* ---- columns ------------------------------------------------------------------------------- */

static int find_column(const cdni_rows *r, const char *name) {
  int i = 1;
  while (i < cdni_rows_columns(r) && strcmp(cdni_rows_name(r, i), name) != 0) i++;
  return i < cdni_rows_columns(r) ? i : -1;
}

/* Whether a list of names has one. */
static bool is_in(const char *list, const char *name) {
  const size_t n = strlen(name);
  for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, n) == 0 && (at[n] == ',' || at[n] == 0)) return true;
  return false;
}

/* What the list names and no file has. */
static bool has_all(const compare *a, const comparison *c) {
  char *words = strcpy(allocate(strlen(a->columns) + 1, 1), a->columns);
  bool good = true;
  for (char *rest = words, *word; rest && good;) {
    word = rest;
    rest = strchr(rest, ',');
    if (rest) *rest++ = 0;
    good = find_column(c->file[0], word) > 0 || find_column(c->file[1], word) > 0;
    if (!good) complain("--columns: neither file has a column '%s'", visible(word));
  }
  free(words);
  return good;
}

static void find_quantities(const compare *a, comparison *c) {
  c->list = allocate((size_t)cdni_rows_columns(c->file[0]), sizeof *c->list);
  for (int k = 0; k < 2; k++)
    for (int i = 1; i < cdni_rows_columns(c->file[k]); i++) {
      const char *name = cdni_rows_name(c->file[k], i);
      const int other = find_column(c->file[1 - k], name);
      if (a->columns && !is_in(a->columns, name)) continue;
      if (k == 0 && other > 0) c->list[c->n++] = (quantity){ .name = name, .column = { i, other }, .time = NAN };
      if (other > 0) continue;
      c->lacks = true;
      if (!a->quiet) printf("only in %s: %s\n", k == 0 ? a->first : a->second.item[0], visible(name));
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

static bool same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

static void compare_rows(comparison *c, const double *x, const double *y) {
  c->both++;
  for (int i = 0; i < c->n; i++) {
    quantity *q = &c->list[i];
    const double a = x[q->column[0]], b = y[q->column[1]], off = isnan(a) && isnan(b) ? 0 : fabs(a - b);
    q->size = fmax(q->size, fmax(fabs(a), fabs(b)));
    if (same_bits(a, b) || (isnan(a) && isnan(b))) continue;
    const bool is_most = !q->differs || !(off <= q->off); /* one that is no number stays */
    if (is_most && !isnan(q->off)) q->off = off, q->time = x[0], q->value[0] = a, q->value[1] = b;
    q->differs = true;
  }
}

/* Both files have their times in order. Times are the same to rounding: reports of two runs differ by no more. */
static cdn_status compare_files(comparison *c) {
  static const double SAME = 1e-12;
  const double *row[2];
  for (int k = 0; k < 2; k++) {
    cdni_rows_rewind(c->file[k]);
    CDN_TRY(cdni_rows_next(c->file[k], &row[k]));
  }
  while (row[0] && row[1]) {
    const double apart = row[0][0] - row[1][0], same = SAME * fmax(fabs(row[0][0]), fabs(row[1][0]));
    const bool both = fabs(apart) <= same;
    if (both) compare_rows(c, row[0], row[1]);
    for (int k = 0; k < 2; k++) {
      const bool is_next = both || (k == 0) == (apart < 0);
      if (!both && is_next) c->alone[k]++;
      if (is_next) CDN_TRY(cdni_rows_next(c->file[k], &row[k]));
    }
  }
  for (int k = 0; k < 2; k++)
    while (row[k]) {
      c->alone[k]++;
      CDN_TRY(cdni_rows_next(c->file[k], &row[k]));
    }
  return CDN_OK;
}

/* ---- telling ------------------------------------------------------------------------------- */

/* Relative to the largest value, and 1. */
static double relative(const quantity *q) { return q->off / fmax(q->size, 1); }

static bool is_equal(const compare *a, const quantity *q) {
  return !q->differs || (a->tolerance > 0 && relative(q) <= a->tolerance);
}

/* What differs most comes first; what is no number in one file alone before all else. */
static int by_difference(const void *x, const void *y) {
  const quantity *a = x, *b = y;
  const double off[2] = { relative(a), relative(b) };
  if (a->differs != b->differs) return b->differs - a->differs;
  if (isnan(off[0]) || isnan(off[1])) return isnan(off[1]) - isnan(off[0]);
  return (off[0] < off[1]) - (off[0] > off[1]);
}

static void print_quantities(const compare *a, const comparison *c) {
  enum { MOST = 20 };
  int width = 8, differ = 0;
  while (differ < c->n && c->list[differ].differs) differ++;
  const int shown = a->all ? differ : differ < MOST ? differ : MOST;
  for (int i = 0; i < shown; i++) {
    const int n = (int)strlen(visible(c->list[i].name));
    width = n > width ? n : width;
  }
  if (shown > 0) printf("  %-*s %16s %16s %16s %16s\n", width, "quantity", "differs by", "at t, s", "first", "second");
  for (int i = 0; i < shown; i++) {
    const quantity *q = &c->list[i];
    char off[CDN_NUMBER_SIZE], time[CDN_NUMBER_SIZE], first[CDN_NUMBER_SIZE], second[CDN_NUMBER_SIZE];
    printf("  %-*s %16s %16s %16s %16s\n", width, visible(q->name), rounded(q->off, off), rounded(q->time, time),
           rounded(q->value[0], first), rounded(q->value[1], second));
  }
  if (shown < differ) printf("  and %d more quantities differ by less (--all shows them)\n", differ - shown);
}

static int tell(const compare *a, comparison *c) {
  int unequal = 0, differ = 0;
  qsort(c->list, (size_t)c->n, sizeof *c->list, by_difference);
  for (int i = 0; i < c->n; i++) unequal += !is_equal(a, &c->list[i]), differ += c->list[i].differs;
  const bool equal = unequal == 0 && !c->lacks;
  if (!a->quiet) {
    print_quantities(a, c);
    for (int k = 0; k < 2; k++)
      if (c->alone[k] > 0)
        printf("%s: %lld rows are at times that the other file does not have\n", k == 0 ? a->first : a->second.item[0],
               (long long)c->alone[k]);
  }
  if (equal && differ == 0) printf("equal to the last bit: %d quantities at %lld times\n", c->n, (long long)c->both);
  else if (equal)
    printf("equal within %g of the largest value of each quantity, and of 1: %d quantities at %lld times\n",
           a->tolerance, c->n, (long long)c->both);
  else if (unequal == 0) printf("different: a column is in one of the files alone\n");
  else
    printf("different: %d of %d quantities at %lld times; the largest difference is in %s\n", unequal, c->n,
           (long long)c->both, visible(c->list[0].name));
  return equal ? CMD_OK : CMD_DIFFERENT;
}

/* ---- the command --------------------------------------------------------------------------- */

static int compare_both(const compare *a, comparison *c) {
  if (a->columns && !has_all(a, c)) return CMD_USAGE;
  find_quantities(a, c);
  if (compare_files(c) != CDN_OK) {
    complain("%s", cdn_last_error_text());
    return CMD_INPUT;
  }
  if (c->both > 0) return tell(a, c);
  complain("%s and %s have no row at the same time: simulate both with the same --report", a->first, a->second.item[0]);
  return CMD_INPUT;
}

int command_compare(int argc, char **argv) {
  compare a = { 0 };
  const option table[] = {
    { "other", 0, OPTION_OPERANDS, &a.second, NULL, NULL },
    { "tolerance", 0, OPTION_POSITIVE, &a.tolerance, "T",
      "differences up to T are equal, relative to the largest value of the quantity, and to 1 (default: none is)" },
    { "columns", 0, OPTION_TEXT, &a.columns, "A,B,...", "only these columns" },
    { "all", 0, OPTION_FLAG, &a.all, NULL, "show all quantities that differ, not only the 20 that differ most" },
    { "quiet", 0, OPTION_FLAG, &a.quiet, NULL, "only the last line" },
  };
  int code = options_parse(&page, table, sizeof table / sizeof *table, argc, argv, &a.first);
  if (code != OPTIONS_GO) return code;
  if (a.second.n != 1) {
    complain("compare needs two trajectories, and %d are named", a.second.n + 1);
    return CMD_USAGE;
  }
  comparison c = { .n = 0 };
  c.file[0] = open_rows(a.first, &code);
  c.file[1] = c.file[0] ? open_rows(a.second.item[0], &code) : NULL;
  if (c.file[0] && c.file[1]) code = compare_both(&a, &c);
  free(c.list);
  for (int k = 0; k < 2; k++) cdni_rows_close(c.file[k]);
  return code;
}
