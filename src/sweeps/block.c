/* A block: its cases one after another, and their rows in one file. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "core/sized.h"
#include "sweeps/internal.h"

CDNI_DEF(sweep_run_def, .between = NULL);

enum { CRASHES = 2 }; /* after which a case is given up */

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cdn_status cdni_sweep_need_block(const cdn_sweep *s, int64_t block, const char *function) {
  const int64_t n = cdn_sweep_block_count(s);
  if (block >= 0 && block < n) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "there is no block %lld: the study has blocks 0 to %lld", (long long)block,
                     (long long)n - 1);
}

/* ---- its file ---- */

/* Columns of the sweep, and the time. */
static cdn_status make_def(cdn_sweep *s, cdn_table_def *def) {
  const int n = s->n_columns + 1;
  *def = cdn_default_table_def();
  if (!s->block_names) {
    const char **names = cdni_sweep_memory(s, (size_t)n, sizeof *names);
    if (!names) return CDN_ERR_NOMEM;
    memcpy(names, s->column_names, (size_t)s->n_columns * sizeof *names);
    names[s->n_columns] = SWEEP_TIME_COLUMN;
    s->block_names = names;
  }
  def->names = s->block_names, def->n_columns = n;
  return CDN_OK;
}

static cdn_status write_rows(cdn_sweep *s, const char *path, int n, const double *rows) {
  cdn_table_def def;
  cdn_table_writer *writer;
  CDNI_TRY(make_def(s, &def));
  CDNI_TRY(cdn_table_create(path, &def, &writer));
  const cdn_status status = cdn_table_rows(writer, n, rows), closed = cdn_table_close(writer);
  return status != CDN_OK ? status : closed;
}

/* In place of the mark, which then gets the block's name. */
static cdn_status write_block(cdn_sweep *s, int64_t block, const char *mark, int n, const double *rows) {
  char path[SWEEP_PATH];
  cdni_sweep_block_path(s, block, SWEEP_TABLE, path);
  cdn_status status = write_rows(s, mark, n, rows);
  if (status == CDN_OK && rename(mark, path) != 0)
    status =
        cdni_refuse(CDN_ERR_FILE, "cdn_sweep_run_block", "%.200s: could not be written: %s", path, strerror(errno));
  if (status != CDN_OK) unlink(mark);
  return status;
}

static bool is_of_sweep(const cdn_sweep *s, int64_t block, const cdn_table *t) {
  bool good = cdn_table_column_count(t) == s->n_columns + 1 && !cdn_table_is_cut(t) &&
              cdn_table_row_count(t) == cdni_sweep_cases_of(s, block);
  for (int i = 0; i < s->n_columns && good; i++) good = strcmp(cdn_table_column_name(t, i), s->column_names[i]) == 0;
  for (int64_t i = 0; good && i < cdn_table_row_count(t); i++)
    good = cdn_table_values(t)[i * (s->n_columns + 1)] == (double)(block * s->study.block + i);
  return good;
}

cdn_status cdni_sweep_read_block(cdn_sweep *s, int64_t block, cdn_table **table, const double **rows) {
  char path[SWEEP_PATH];
  cdni_sweep_block_path(s, block, SWEEP_TABLE, path);
  CDNI_TRY(cdn_table_read(path, table));
  *rows = cdn_table_values(*table);
  if (is_of_sweep(s, block, *table)) return CDN_OK;
  cdn_table_destroy(*table);
  *table = NULL;
  return cdni_refuse(CDN_ERR_PARSE, "cdn_sweep_gather",
                     "%.200s: is not the whole table of its block; delete it and run the block again", path);
}

/* ---- its cases ---- */

typedef struct pass {
  cdn_sweep *sweep;
  const cdn_sweep_run_def *def;
  sweep_mark *mark;
  int64_t block, first, n, done;
  const unsigned char *crashes;
  double *rows;
} pass;

static cdn_status tell_between(const pass *p) {
  return p->def->between ? p->def->between(p->def->context, p->block, p->done, p->n) : CDN_OK;
}

static cdn_status run_case(pass *p, int64_t i) {
  cdn_sweep *s = p->sweep;
  double *row = p->rows + i * (s->n_columns + 1);
  CDNI_TRY(cdni_sweep_mark_case(p->mark, p->first + i));
  const double began = processor_time();
  CDNI_TRY(cdni_sweep_case(s, p->first + i, true, row));
  row[s->n_columns] = processor_time() - began;
  p->done++;
  return CDN_OK;
}

/* The program may wait in `suspect`: no case runs then. */
static cdn_status run_suspect(pass *p, int64_t i) {
  if (!p->def->suspect) return run_case(p, i);
  CDNI_TRY(cdni_sweep_mark_pause(p->mark));
  CDNI_TRY(p->def->suspect(p->def->context, p->block, p->first + i, true));
  const cdn_status status = run_case(p, i), paused = cdni_sweep_mark_pause(p->mark);
  const cdn_status behind = p->def->suspect(p->def->context, p->block, p->first + i, false);
  return status != CDN_OK ? status : paused != CDN_OK ? paused : behind;
}

/* Those cases in which programs have ended so often. */
static cdn_status run_cases(pass *p, int crashes) {
  for (int64_t i = 0; i < p->n; i++) {
    if (p->crashes[i] != crashes) continue;
    CDNI_TRY(tell_between(p));
    CDNI_TRY(crashes > 0 ? run_suspect(p, i) : run_case(p, i));
  }
  return CDN_OK;
}

static cdn_status run_all(pass *p) {
  cdn_sweep *s = p->sweep;
  for (int64_t i = 0; i < p->n; i++) {
    if (p->crashes[i] < CRASHES) continue;
    double *row = p->rows + i * (s->n_columns + 1);
    cdni_sweep_empty_row(s, p->first + i, CDN_SWEEP_CRASHED, row);
    row[s->n_columns] = 0;
    p->done++;
  }
  /* what has brought a program down comes last */
  for (int crashes = 0; crashes < CRASHES; crashes++) CDNI_TRY(run_cases(p, crashes));
  return tell_between(p);
}

static bool has_file(const cdn_sweep *s, int64_t block) {
  char path[SWEEP_PATH];
  cdni_sweep_block_path(s, block, SWEEP_TABLE, path);
  return access(path, F_OK) == 0;
}

/* The block is this program's now, unless another one runs it, or has just finished it. */
static cdn_status run_marked(cdn_sweep *s, int64_t block, const cdn_sweep_run_def *def, unsigned char *crashes,
                             double *rows) {
  sweep_mark mark;
  CDNI_TRY(cdni_sweep_mark_open(s, block, crashes, &mark));
  if (mark.file < 0) return CDN_OK;
  pass p = { .sweep = s,
             .def = def,
             .mark = &mark,
             .block = block,
             .first = block * s->study.block,
             .n = cdni_sweep_cases_of(s, block),
             .crashes = crashes,
             .rows = rows };
  const bool done = has_file(s, block);
  cdn_status status = done ? CDN_OK : run_all(&p);
  const bool more = status != CDN_OK;
  if (done) unlink(mark.path);
  else if (!more) status = write_block(s, block, mark.path, (int)p.n, rows);
  cdni_sweep_mark_close(&mark, more);
  return status;
}

cdn_status cdn_sweep_run_block(cdn_sweep *sweep, int64_t block, const cdn_sweep_run_def *given) {
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ NULL, NULL, NULL });
  bool there;
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  const char *mistake = given ? read_sweep_run_def(&def, given) : NULL;
  if (mistake) return cdni_refuse(CDN_ERR_VERSION, __func__, "%s", mistake);
  CDNI_TRY(cdni_sweep_need_block(sweep, block, __func__));
  CDNI_TRY(cdni_sweep_enter(sweep, true, &there));
  if (has_file(sweep, block)) return CDN_OK;
  const size_t n = (size_t)cdni_sweep_cases_of(sweep, block);
  const size_t size = n * (size_t)(sweep->n_columns + 1) * sizeof(double);
  unsigned char *crashes = cdni_calloc(&a, n);
  double *rows = cdni_alloc(&a, size);
  const cdn_status status = crashes && rows ? run_marked(sweep, block, &def, crashes, rows)
                                            : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  if (crashes) cdni_free(&a, crashes, n);
  if (rows) cdni_free(&a, rows, size);
  return status;
}
