/* What there is of a study: blocks that are missing, where it stands, and one table of all. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/sized.h"
#include "sweeps/internal.h"

/* A byte for each block: what files it has. The caller frees it. NULL where memory ran out, which has been told. */
static cdn_status look(cdn_sweep *s, unsigned char **has) {
  bool there;
  *has = NULL;
  CDNI_TRY(cdni_sweep_enter(s, false, &there));
  *has = calloc((size_t)cdn_sweep_block_count(s), 1);
  if (!*has) return cdni_refuse(CDN_ERR_NOMEM, "cdn_sweep_missing", "out of memory");
  const cdn_status status = there ? cdni_sweep_look(s, *has) : CDN_OK;
  if (status != CDN_OK) free(*has);
  return status;
}

/* ---- missing ---- */

cdn_status cdn_sweep_missing(cdn_sweep *sweep, int64_t part, int64_t n_parts, int64_t room, int64_t *blocks,
                             int64_t *count) {
  unsigned char *has;
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(count, CDN_ERR_ARG);
  *count = 0;
  if (n_parts < 1 || part < 0 || part >= n_parts)
    return cdni_refuse(CDN_ERR_ARG, __func__, "there is no part %lld of %lld: parts are numbered from 0",
                       (long long)part, (long long)n_parts);
  CDNI_TRY(look(sweep, &has));
  const int64_t n = cdn_sweep_block_count(sweep);
  for (int crashes = 0; crashes < 2; crashes++)
    for (int64_t i = part; i < n; i += n_parts) {
      bool crashed = false, running = false;
      if (has[i] & SWEEP_HAS_TABLE) continue;
      if (has[i] & SWEEP_HAS_MARK) cdni_sweep_mark_look(sweep, i, &crashed, &running);
      if (running || crashed != (crashes == 1)) continue;
      if (blocks && *count < room) blocks[*count] = i;
      ++*count;
    }
  free(has);
  return CDN_OK;
}

/* ---- status ---- */

static void count_reason(cdn_sweep_report *r, int status, int64_t k) {
  int i = 0;
  while (i < r->n_reasons && r->reason[i] != status) i++;
  if (i == CDN_SWEEP_REASONS) return;
  if (i == r->n_reasons) {
    r->n_reasons++;
    r->reason[i] = status, r->reason_case[i] = k, r->reason_count[i] = 0;
  }
  r->reason_count[i]++;
}

static void count_row(const cdn_sweep *s, const double *row, cdn_sweep_report *r) {
  const double *fixed = row + cdni_sweep_fixed_at(s);
  const int status = (int)fixed[SWEEP_STATUS];
  r->cases_done++;
  r->seconds += row[s->n_columns];
  r->delivered += fixed[SWEEP_DELIVERED] == CDN_VERDICT_DELIVERED;
  r->not_delivered += fixed[SWEEP_DELIVERED] == CDN_VERDICT_NOT_DELIVERED;
  if (status == CDN_SWEEP_DONE) return;
  r->failed++;
  count_reason(r, status, (int64_t)row[0]);
}

static cdn_status count_block(cdn_sweep *s, int64_t block, cdn_sweep_report *r) {
  cdn_table *table;
  const double *rows;
  CDNI_TRY(cdni_sweep_read_block(s, block, &table, &rows));
  for (int64_t i = 0; i < cdn_table_row_count(table); i++) count_row(s, rows + i * (s->n_columns + 1), r);
  cdn_table_destroy(table);
  r->blocks_done++;
  return CDN_OK;
}

cdn_status cdn_sweep_status_sized(cdn_sweep *sweep, cdn_sweep_report *out, size_t struct_size) {
  unsigned char *has;
  cdn_sweep_report r = { .seconds_left = NAN };
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  CDNI_TRY(look(sweep, &has));
  cdn_status status = CDN_OK;
  r.cases = cdn_sweep_case_count(sweep), r.blocks = cdn_sweep_block_count(sweep);
  for (int64_t i = 0; i < r.blocks && status == CDN_OK; i++) {
    bool crashed = false, running = false;
    if (has[i] & SWEEP_HAS_TABLE) status = count_block(sweep, i, &r);
    else if (has[i] & SWEEP_HAS_MARK) cdni_sweep_mark_look(sweep, i, &crashed, &running);
    r.blocks_running += running;
  }
  free(has);
  const double workers = r.blocks_running > 0 ? (double)r.blocks_running : 1;
  if (r.cases_done > 0) r.seconds_left = r.seconds / (double)r.cases_done * (double)(r.cases - r.cases_done) / workers;
  if (status == CDN_OK) cdni_sized_write(out, struct_size, &r, sizeof r);
  return status;
}

/* ---- gather ---- */

/* Attributes of HDF5 have 64 kB at most. */
enum { LONGEST_STUDY = 60000 };

static cdn_status describe(cdn_sweep *s, cdn_table_writer *writer) {
  const uint32_t v = cdn_version();
  char version[40];
  char *study = json_dumps(s->study.root, JSON_COMPACT | JSON_REAL_PRECISION(17));
  if (!study) return cdni_refuse(CDN_ERR_NOMEM, "cdn_sweep_gather", "out of memory");
  snprintf(version, sizeof version, "%u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
  cdn_status status = CDN_OK;
  if (strlen(study) <= LONGEST_STUDY) status = cdn_table_attribute(writer, "study", study);
  free(study);
  if (status == CDN_OK) status = cdn_table_attribute(writer, "model", cdn_model_name(s->model));
  if (status == CDN_OK) status = cdn_table_number(writer, "seed", s->design.seed);
  return status == CDN_OK ? cdn_table_attribute(writer, "cardan", version) : status;
}

static cdn_status add_block(cdn_sweep *s, int64_t block, cdn_table_writer *writer, double *row) {
  cdn_table *table;
  const double *rows;
  CDNI_TRY(cdni_sweep_read_block(s, block, &table, &rows));
  cdn_status status = CDN_OK;
  for (int64_t i = 0; i < cdn_table_row_count(table) && status == CDN_OK; i++) {
    memcpy(row, rows + i * (s->n_columns + 1), (size_t)s->n_columns * sizeof *row); /* without the time */
    status = cdn_table_rows(writer, 1, row);
  }
  cdn_table_destroy(table);
  return status;
}

static cdn_status write_all(cdn_sweep *s, cdn_table_writer *writer) {
  double *row = calloc((size_t)s->n_columns, sizeof *row);
  cdn_status status = row ? describe(s, writer) : cdni_refuse(CDN_ERR_NOMEM, "cdn_sweep_gather", "out of memory");
  for (int64_t i = 0; i < cdn_sweep_block_count(s) && status == CDN_OK; i++) status = add_block(s, i, writer, row);
  free(row);
  return status;
}

/* Beside `path`, with the same ending, which tells the format. */
static char *name_part(cdn_sweep *s, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
  const int length = dot && dot > name ? (int)(dot - path) : (int)strlen(path);
  return cdni_sweep_text(s, "%.*s.part-%ld%s", length, path, (long)getpid(), path + length);
}

cdn_status cdn_sweep_gather(cdn_sweep *sweep, const char *path) {
  int64_t missing = 0;
  cdn_table_writer *writer;
  cdn_table_def def = cdn_default_table_def();
  unsigned char *has;
  CDNI_NEED_OBJECT(sweep, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(path, CDN_ERR_ARG);
  CDNI_TRY(look(sweep, &has));
  for (int64_t i = 0; i < cdn_sweep_block_count(sweep); i++) missing += !(has[i] & SWEEP_HAS_TABLE);
  free(has);
  if (missing > 0)
    return cdni_refuse(CDN_ERR_LIMIT, __func__, "%.200s: %lld of %lld blocks are missing: run the study first",
                       sweep->study.results, (long long)missing, (long long)cdn_sweep_block_count(sweep));
  const char *part = name_part(sweep, path);
  if (!part) return CDN_ERR_NOMEM;
  def.names = sweep->column_names, def.units = sweep->column_units, def.n_columns = sweep->n_columns;
  CDNI_TRY(cdn_table_create(part, &def, &writer));
  cdn_status status = write_all(sweep, writer);
  const cdn_status closed = cdn_table_close(writer);
  if (status == CDN_OK) status = closed;
  if (status == CDN_OK && rename(part, path) != 0)
    status = cdni_refuse(CDN_ERR_FILE, __func__, "%.200s: could not be written: %s", path, strerror(errno));
  if (status != CDN_OK) unlink(part);
  return status;
}
