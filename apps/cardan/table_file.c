/* Tables of a run while they are written: into a file of any format, or into a temporary one, where it is not known yet
 * whether the rows are wanted. What has been written is counted and summed, so that a run which is resumed can tell
 * whether a file is its own. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/trajectory.h"

static void take_writer(table_file *w, const char *path, cdn_trajectory *writer) {
  *w = (table_file){ .path = path, .writer = writer };
  w->row = allocate((size_t)cdn_trajectory_columns(writer) + 1, sizeof *w->row);
}

bool table_file_open(table_file *w, const char *path, const cdn_trajectory_def *def, cdn_state *state) {
  cdn_trajectory *writer;
  *w = (table_file){ .path = NULL };
  if (!path) return true;
  if (cdn_trajectory_open(state, def, path, &writer) != CDN_OK) return complain_last_error();
  take_writer(w, path, writer);
  return true;
}

bool table_file_resume(table_file *w, const char *path, const char *what, const cdn_trajectory_def *def,
                       cdn_state *state, extent so_far) {
  cdn_trajectory *writer;
  *w = (table_file){ .path = NULL };
  if (!path) return true;
  const cdn_status status = cdni_trajectory_open(state, def, path, so_far.rows, so_far.checksum, &writer);
  if (status == CDN_ERR_PARSE)
    complain("%s: is not the %s of this checkpoint, which had written %.0f rows of it", path, what, so_far.rows);
  else if (status != CDN_OK) complain("the %s that is to be continued: %s", what, cdn_last_error_text());
  if (status != CDN_OK) return false;
  take_writer(w, path, writer);
  return true;
}

extent table_file_extent(const table_file *w) {
  const cdn_table_writer *table = cdn_trajectory_table(w->writer);
  return table ? (extent){ (double)cdn_table_written(table), cdni_table_checksum(table) } : (extent){ 0 };
}

cdn_status table_file_row(table_file *w, cdn_state *state, const double *own) {
  if (!w->writer || w->failed) return CDN_OK;
  if (w->temporary) {
    const size_t n = (size_t)cdn_trajectory_columns(w->writer);
    CDN_TRY(cdn_trajectory_values(w->writer, state, own, w->row));
    w->failed = fwrite(w->row, sizeof *w->row, n, w->temporary) != n;
    if (w->failed) complain("a temporary file could not be written: %s", strerror(errno));
    return w->failed ? CDN_ERR_FILE : CDN_OK;
  }
  const cdn_status status = cdn_trajectory_row(w->writer, state, own);
  w->failed = status == CDN_ERR_FILE;
  return w->failed ? CDN_OK : status; /* why is told when the table is closed */
}

bool table_file_sync(table_file *w) {
  if (w->writer && !w->failed) w->failed = cdni_table_sync(cdn_trajectory_table(w->writer)) != CDN_OK;
  return !w->failed;
}

void table_file_keep(table_file *w, const char *name, const char *text) {
  if (w->writer && !w->failed) w->failed = cdn_table_attribute(cdn_trajectory_table(w->writer), name, text) != CDN_OK;
}

bool table_file_close(table_file *w) {
  const cdn_status status = w->writer ? cdn_trajectory_close(w->writer) : CDN_OK;
  if (status != CDN_OK) complain_last_error();
  free(w->row);
  *w = (table_file){ .path = NULL };
  return status == CDN_OK;
}

/* ---- rows that may not be wanted ------------------------------------------------------------ */

void table_file_pour(table_file *w, FILE *temporary) {
  if (!w->writer || !temporary) return;
  const size_t n = (size_t)cdn_trajectory_columns(w->writer);
  rewind(temporary);
  while (!w->failed && fread(w->row, sizeof *w->row, n, temporary) == n)
    w->failed = cdn_table_rows(cdn_trajectory_table(w->writer), 1, w->row) != CDN_OK;
}
