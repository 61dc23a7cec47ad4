/* Where the files of assets are. A path is as seen from the model's file; "package://NAME/REST" is in a package, a
 * directory called NAME. It
 * is looked for beside the model's file and beside every directory that the file is in, then where ROS has its
 * packages:
 * in the directories of ROS_PACKAGE_PATH, and in share/ of those of AMENT_PREFIX_PATH. */
#ifndef _GNU_SOURCE
#  define _GNU_SOURCE /* realpath */
#endif
#include <stdio.h>
#include <stdlib.h>

#include "io/build.h"

/* A directory (its first `length` characters, with the slash), a part in between, and the rest. */
static bool try_path(const io_files *files, const char *directory, int length, const char *between, const char *rest,
                     char *path, size_t size) {
  return snprintf(path, size, "%.*s%s%s", length, directory, between, rest) < (int)size &&
         io_file_look(files, path) == IO_FILE_REGULAR;
}

/* In a directory, or the directory itself, if that is the package: `rest` begins with its name. */
static bool try_package(const io_files *files, const char *directory, int length, const char *rest, char *path,
                        size_t size) {
  const int name = (int)strcspn(rest, "/");
  if (try_path(files, directory, length, "", rest, path, size)) return true;
  int start = length - 1;
  while (start > 0 && directory[start - 1] != '/') start--;
  return length - 1 - start == name && strncmp(directory + start, rest, (size_t)name) == 0 &&
         try_path(files, directory, start, "", rest, path, size);
}

/* From the model's directory upwards. */
static bool try_upwards(const io_files *files, const char *model, const char *rest, char *path, size_t size) {
  for (int length = (int)strlen(model); length > 0; length--) {
    while (length > 0 && model[length - 1] != '/') length--;
    if (length > 0 && try_package(files, model, length, rest, path, size)) return true;
  }
  return false;
}

/* In the directories of a list with colons. */
static bool try_list(const io_files *files, const char *list, const char *between, const char *rest, char *path,
                     size_t size) {
  char directory[4096];
  for (const char *at = list; at && *at; at += *at == ':') {
    const int n = (int)strcspn(at, ":");
    const bool whole =
        n > 0 && snprintf(directory, sizeof directory, "%.*s/%s", n, at, between) < (int)sizeof directory;
    if (whole && try_package(files, directory, (int)strlen(directory), rest, path, size)) return true;
    at += n;
  }
  return false;
}

/* The model's file with all directories that it is in; as it was given where it is no file. */
static void whole_path(const char *file, char *whole, size_t size) {
  char *real = realpath(file, NULL);
  snprintf(whole, size, "%s", real ? real : file);
  free(real);
}

static const char *or_nothing(const char *list) { return list && *list ? list : "not set"; }

static cdn_status find_package(const io_log *log, const char *scheme, const char *rest, char *path, size_t size) {
  const char *ros = getenv("ROS_PACKAGE_PATH"), *ament = getenv("AMENT_PREFIX_PATH");
  char model[4096];
  whole_path(log->file, model, sizeof model);
  if (try_upwards(&log->files, model, rest, path, size) || try_list(&log->files, ros, "", rest, path, size) ||
      try_list(&log->files, ament, "share/", rest, path, size))
    return CDN_OK;
  const char *slash = strrchr(model, '/');
  return cdni_refuse(
      CDN_ERR_FILE, "cdn_model_build",
      "'%.100s%.200s' is not found: it was looked for in %.*s and the directories above it, in ROS_PACKAGE_PATH "
      "(%.100s) and in share/ of AMENT_PREFIX_PATH (%.100s)",
      scheme, rest, slash && slash - model < 200 ? (int)(slash - model) + 1 : 200, model, or_nothing(ros),
      or_nothing(ament));
}

cdn_status io_find_file(const io_log *log, const char *file, char *path, size_t size) {
  static const char *const packages[] = { "package://", "model://" };
  if (strncmp(file, "file://", 7) == 0) file += 7;
  for (int i = 0; i < CDNI_COUNT(packages); i++)
    if (strncmp(file, packages[i], strlen(packages[i])) == 0)
      return find_package(log, packages[i], file + strlen(packages[i]), path, size);
  const char *slash = file[0] == '/' ? NULL : strrchr(log->file, '/');
  snprintf(path, size, "%.*s%s", slash ? (int)(slash - log->file) + 1 : 0, log->file, file);
  return CDN_OK;
}
