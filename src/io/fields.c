/* Files of height fields: MuJoCo's binary format. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "io/meshes.h"

static const char function[] = "cdn_model_build";

static cdn_status broken(const char *path, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, function, "'%s' is no height field of MuJoCo's format: %s", path, what);
}

/* Words of a little-endian file. */
static uint32_t word_at(const unsigned char *b) {
  return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* The numbers after the counts. */
static cdn_status read_numbers(const char *path, FILE *file, size_t n, double *heights) {
  for (size_t i = 0; i < n; i++) {
    unsigned char bytes[4];
    if (fread(bytes, 1, sizeof bytes, file) != sizeof bytes) return broken(path, "it ends among the heights");
    const uint32_t word = word_at(bytes);
    float height;
    memcpy(&height, &word, sizeof height);
    if (!isfinite(height)) return broken(path, "a height is not finite");
    heights[i] = height;
  }
  return CDN_OK;
}

static cdn_status read_open_file(const char *path, FILE *file, int *rows, int *columns, double **heights) {
  unsigned char counts[8];
  const long size = io_file_size(file);
  if (fread(counts, 1, sizeof counts, file) != sizeof counts) return broken(path, "it is shorter than its two counts");
  const uint32_t m = word_at(counts), n = word_at(counts + 4);
  /* The counts have to agree with the size of the file before memory is asked for. */
  if (m < 2 || n < 2 || m > 10000 || n > 10000)
    return broken(path, "it has fewer than 2 or more than 10000 rows or columns");
  if (size < 0 || (uint64_t)size != 8 + 4 * (uint64_t)m * n) return broken(path, "its size is not what its counts say");
  *heights = cdni_alloc(NULL, (size_t)m * n * sizeof **heights);
  if (!*heights) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the heights of '%s'", path);
  *rows = (int)m, *columns = (int)n;
  return read_numbers(path, file, (size_t)m * n, *heights);
}

cdn_status cdni_field_read(const io_files *files, const char *path, int *rows, int *columns, double **heights) {
  const char *end = strrchr(path, '.');
  *heights = NULL;
  if (end && strcasecmp(end, ".png") == 0)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                       "pictures are not read ('%s'): save the heights in MuJoCo's binary format", path);
  const io_file_kind kind = io_file_look(files, path);
  if (kind == IO_FILE_DIRECTORY || kind == IO_FILE_OTHER) return broken(path, "it is not a regular file");
  FILE *file = io_file_open(files, path);
  if (!file) return cdni_refuse(CDN_ERR_FILE, function, "the file '%s' cannot be opened: %s", path, strerror(errno));
  const cdn_status status = read_open_file(path, file, rows, columns, heights);
  fclose(file);
  if (status == CDN_OK) return CDN_OK;
  cdni_free(NULL, *heights, 0);
  *heights = NULL;
  return status;
}
