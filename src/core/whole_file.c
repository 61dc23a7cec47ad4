/* Files that are written as a whole. */
#define _XOPEN_SOURCE 700
#include "core/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A new file beside `path`; its name has the number of this process, and another one if that is taken. -1: errno says
 * why. */
static int make_beside(const char *path, mode_t mode, char **name) {
  enum { LONGEST_ENDING = 64, ATTEMPTS = 100 };
  const size_t size = strlen(path) + LONGEST_ENDING;
  *name = malloc(size);
  if (!*name) return -1;
  int handle = -1;
  for (int i = 0; i < ATTEMPTS; i++) {
    snprintf(*name, size, "%s.%ld-%d.part", path, (long)getpid(), i);
    handle = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (handle >= 0 || errno != EEXIST) break;
  }
  if (handle >= 0) return handle;
  free(*name);
  *name = NULL;
  return -1;
}

static bool begin(cdni_whole_file *w, const char *path) {
  struct stat info;
  const bool there = stat(path, &info) == 0, whole = !there || S_ISREG(info.st_mode);
  /* a link stays one: what it leads to is replaced */
  w->path = there ? realpath(path, NULL) : strdup(path);
  if (!w->path) return false;
  int handle = whole ? make_beside(w->path, there ? info.st_mode & 0777 : 0666, &w->temporary) : -1;
  if (handle < 0 && whole && errno != EACCES && errno != EROFS) return false;
  if (handle < 0) handle = open(w->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  else if (whole && there) (void)!fchmod(handle, info.st_mode & 0777);
  w->file = handle >= 0 ? fdopen(handle, "wb") : NULL;
  if (!w->file && handle >= 0) close(handle);
  return w->file != NULL;
}

static void drop(cdni_whole_file *w) {
  const int reason = errno;
  if (w->temporary) unlink(w->temporary);
  free(w->temporary);
  free(w->path);
  *w = (cdni_whole_file){ .file = NULL };
  errno = reason;
}

bool cdni_whole_begin(cdni_whole_file *w, const char *path) {
  *w = (cdni_whole_file){ .file = NULL };
  if (begin(w, path)) return true;
  drop(w);
  return false;
}

bool cdni_whole_end(cdni_whole_file *w, bool good) {
  int reason = good ? 0 : errno;
  /* errno of an earlier failed write is gone by now; a failing flush or close sets it anew */
  errno = 0;
  if (good && (ferror(w->file) || fflush(w->file) != 0)) good = false, reason = errno;
  if (fclose(w->file) != 0) good = false, reason = reason ? reason : errno;
  if (good && w->temporary && rename(w->temporary, w->path) != 0) good = false, reason = errno;
  if (good) {
    free(w->temporary);
    w->temporary = NULL;
  }
  drop(w);
  errno = reason;
  return good;
}
