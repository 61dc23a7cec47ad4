/* The folder of a study's results: one file for each block, and `study.json`, which tells whose results they are. */
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/archive.h"
#include "core/whole_file.h"
#include "sweeps/internal.h"

void cdni_sweep_block_path(const cdn_sweep *s, int64_t block, const char *ending, char path[SWEEP_PATH]) {
  snprintf(path, SWEEP_PATH, "%s/block-%06lld%s", s->study.results, (long long)block, ending);
}

static cdn_status refuse_file(const char *path, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, "cdn_sweep_run_block", "%.200s: could not be %s: %s", path, what, strerror(errno));
}

/* ---- whose results ---- */

static cdn_status read_bytes(const char *path, cdn_buffer *bytes) {
  char some[4096];
  cdn_status status = CDN_OK;
  FILE *file = fopen(path, "rb");
  if (!file) return refuse_file(path, "read");
  for (size_t n; status == CDN_OK && (n = fread(some, 1, sizeof some, file)) > 0;)
    status = cdn_buffer_write(bytes, some, n);
  if (status == CDN_OK && ferror(file)) status = refuse_file(path, "read");
  fclose(file);
  return status;
}

/* The study, the bytes of its model, and the library: results of one folder agree in all of them. */
static cdn_status make_title(const cdn_sweep *s, char **out) {
  cdn_buffer model = { 0 };
  const uint32_t v = cdn_version();
  char version[40];
  *out = NULL;
  CDNI_TRY(read_bytes(s->study.model, &model));
  const uint32_t sum = cdni_checksum(model.bytes, model.size);
  cdn_buffer_free(&model);
  snprintf(version, sizeof version, "%u.%u.%u", v / 1000000, v / 1000 % 1000, v % 1000);
  json_t *title =
      json_pack("{s:O, s:f, s:s}", "study", s->study.root, "checksum of the model", (double)sum, "cardan", version);
  *out = title ? json_dumps(title, JSON_INDENT(1) | JSON_REAL_PRECISION(17)) : NULL;
  json_decref(title);
  return *out ? CDN_OK : CDN_ERR_NOMEM;
}

static cdn_status write_title(const char *path, const char *title) {
  cdni_whole_file file;
  if (!cdni_whole_begin(&file, path)) return refuse_file(path, "written");
  const bool good = fputs(title, file.file) >= 0 && fputc('\n', file.file) >= 0;
  return cdni_whole_end(&file, good) ? CDN_OK : refuse_file(path, "written");
}

static cdn_status compare_title(const cdn_sweep *s, const char *path, const char *title) {
  cdn_buffer there = { 0 };
  const size_t n = strlen(title);
  cdn_status status = read_bytes(path, &there);
  if (status == CDN_OK && (there.size != n + 1 || memcmp(there.bytes, title, n) != 0))
    status = cdni_refuse(CDN_ERR_ARG, "cdn_sweep_run_block",
                         "%.200s: its results are of another study, or the model or the library has changed since: "
                         "remove the folder, or give the study another \"results\"",
                         s->study.results);
  cdn_buffer_free(&there);
  return status;
}

cdn_status cdni_sweep_enter(cdn_sweep *s, bool make, bool *there) {
  char path[SWEEP_PATH];
  char *title;
  *there = true;
  if (s->is_ours) return CDN_OK;
  snprintf(path, sizeof path, "%s/study.json", s->study.results);
  if (make && mkdir(s->study.results, 0777) != 0 && errno != EEXIST) return refuse_file(s->study.results, "made");
  const bool titled = access(path, F_OK) == 0;
  if (!titled && !make) {
    *there = false;
    return CDN_OK;
  }
  CDNI_TRY(make_title(s, &title));
  cdn_status status = titled ? CDN_OK : write_title(path, title);
  /* another process may have been first */
  if (status == CDN_OK) status = compare_title(s, path, title);
  free(title);
  s->is_ours = status == CDN_OK;
  return status;
}

/* ---- which files there are ---- */

cdn_status cdni_sweep_look(cdn_sweep *s, unsigned char *has) {
  const int64_t n = cdn_sweep_block_count(s);
  DIR *folder = opendir(s->study.results);
  if (!folder) return refuse_file(s->study.results, "read");
  for (struct dirent *entry; (entry = readdir(folder));) {
    long long block;
    int length = 0;
    if (sscanf(entry->d_name, "block-%lld%n", &block, &length) != 1 || block < 0 || block >= n) continue;
    const char *ending = entry->d_name + length;
    if (strcmp(ending, SWEEP_TABLE) == 0) has[block] |= SWEEP_HAS_TABLE;
    if (strcmp(ending, SWEEP_MARK) == 0) has[block] |= SWEEP_HAS_MARK;
  }
  closedir(folder);
  return CDN_OK;
}
