/* Writes a spec into a file of the format that its name tells. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* realpath */
#endif
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "core/sized.h"
#include "core/whole_file.h"
#include "io/build.h"
#include "io/joints.h"
#include "io/spec_fields.h"

static const char function[] = "cdn_spec_save";

cdn_status io_put(cdn_buffer *text, const char *format, ...) {
  char piece[600];
  va_list args;
  va_start(args, format);
  const int n = cdni_vprint(piece, sizeof piece, format, args);
  va_end(args);
  if (n < 0 || n >= (int)sizeof piece) return cdni_refuse(CDN_ERR_LIMIT, function, "a piece of text is too long");
  return cdn_buffer_write(text, piece, (size_t)n);
}

/* ---- where files are ------------------------------------------------------------------------- */

/* The folder of a file that may not be there yet, without links, with a slash at its end. */
static bool real_folder(const char *file, char *folder, size_t size) {
  const char *slash = strrchr(file, '/');
  char given[4096];
  if (slash && (size_t)(slash - file) + 2 > sizeof given) return false;
  snprintf(given, sizeof given, "%.*s", slash ? (int)(slash - file) + 1 : 2, slash ? file : "./");
  char *real = realpath(given, NULL);
  const bool fits = real && snprintf(folder, size, "%s%s", real, strcmp(real, "/") == 0 ? "" : "/") < (int)size;
  free(real);
  return fits;
}

/* `target` as seen from a folder; both begin with a slash. */
static void relative(const char *target, const char *folder, char *path, size_t size) {
  size_t same = 0, used = 0;
  for (size_t k = 0; target[k] && target[k] == folder[k]; k++)
    if (target[k] == '/') same = k + 1;
  path[0] = 0;
  for (const char *c = folder + same; *c; c++)
    if (*c == '/' && used < size) used += (size_t)snprintf(path + used, size - used, "../");
  if (used < size) snprintf(path + used, size - used, "%s", target + same);
}

void io_path_from(const cdn_spec *spec, const char *file, const char *from, char *path, size_t size) {
  char found[4096], folder[4096];
  snprintf(path, size, "%s", file);
  if (io_find_file(&spec->log, file, found, sizeof found) != CDN_OK) return;
  char *real = realpath(found, NULL);
  if (real && real_folder(from, folder, sizeof folder)) relative(real, folder, path, size);
  free(real);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Kinds of mobilizers that are made of functions are not data. */
static cdn_status check_data(const cdn_spec *spec) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(spec, i);
    if (j->functions || j->custom)
      return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                         "joint '%s' is made of functions of a program, which a file cannot hold: give it another kind",
                         j->name);
  }
  return CDN_OK;
}

static const char *ending(const char *path) {
  const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
  return dot && (!slash || dot > slash) ? dot : "";
}

typedef cdn_status write_xml(cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *text);

static cdn_status write_copy(const cdn_spec *spec, const char *path, const io_lost *lost, write_xml *write,
                             cdn_buffer *text) {
  cdn_spec *copy = NULL; /* for messages about it */
  CDNI_TRY(cdn_spec_copy(spec, &copy));
  const cdn_status status = write(copy, path, lost, text);
  cdn_spec_destroy(copy);
  return status;
}

static cdn_status write_format(const cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *text) {
  const char *end = ending(path);
  if (strcasecmp(end, ".json") == 0) return io_write_json(spec, path, text);
  if (strcasecmp(end, ".xml") == 0 || strcasecmp(end, ".mjcf") == 0)
    return write_copy(spec, path, lost, io_write_mjcf, text);
  if (strcasecmp(end, ".urdf") == 0) return write_copy(spec, path, lost, io_write_urdf, text);
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                     "'%s' should end in .json, .xml or .urdf: the name tells the format", path);
}

static cdn_status write_file(const char *path, const cdn_buffer *text) {
  cdni_whole_file whole;
  bool good = cdni_whole_begin(&whole, path);
  if (good) {
    const bool arrived = fwrite(text->bytes, 1, text->size, whole.file) == text->size;
    good = cdni_whole_end(&whole, arrived);
  }
  if (good) return CDN_OK;
  return cdni_refuse(CDN_ERR_FILE, function, "'%s' could not be written: %s", path, strerror(errno));
}

CDNI_DEF(save_options, .tell_lost = NULL);

cdn_status cdn_spec_save(const cdn_spec *spec, const char *path, const cdn_save_options *options) {
  if (!spec) return cdni_misses(function, "spec");
  if (!path) return cdni_misses(function, "path");
  cdn_save_options known;
  const char *unreadable = read_save_options(&known, options ? options : &save_options_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  const io_lost lost = { known.tell_lost, known.context };
  cdn_buffer text = { 0 };
  cdn_status status = check_data(spec);
  if (status == CDN_OK) status = write_format(spec, path, &lost, &text);
  if (status == CDN_OK) status = write_file(path, &text);
  cdn_buffer_free(&text);
  return status;
}
