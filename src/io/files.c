/* Files by a program's function, or from the disk. */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "io/files.h"

#include <errno.h>
#include <sys/stat.h>

typedef enum from { FROM_DISK, FROM_MEMORY, FROM_NOWHERE } from;

static from ask(const io_files *files, const char *path, const void **bytes, size_t *size) {
  *bytes = NULL, *size = 0;
  if (!files || !files->read) return FROM_DISK;
  const cdn_status status = files->read(files->user, path, bytes, size);
  if (status == CDN_OK) return *bytes ? FROM_MEMORY : FROM_DISK;
  errno = status == CDN_ERR_FILE ? ENOENT : status == CDN_ERR_NOMEM ? ENOMEM : EIO;
  return FROM_NOWHERE;
}

io_file_kind io_file_look(const io_files *files, const char *path) {
  const void *bytes;
  size_t size;
  struct stat is;
  const from where = ask(files, path, &bytes, &size);
  if (where == FROM_MEMORY) return IO_FILE_REGULAR;
  if (where == FROM_NOWHERE || stat(path, &is) != 0) return IO_FILE_ABSENT;
  return S_ISREG(is.st_mode) ? IO_FILE_REGULAR : S_ISDIR(is.st_mode) ? IO_FILE_DIRECTORY : IO_FILE_OTHER;
}

FILE *io_file_open(const io_files *files, const char *path) {
  const void *bytes;
  size_t size;
  const from where = ask(files, path, &bytes, &size);
  if (where == FROM_DISK) return fopen(path, "rb");
  if (where == FROM_NOWHERE) return NULL;
  return fmemopen((void *)bytes, size, "rb"); /* it is only read */
}

long io_file_size(FILE *file) {
  const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  rewind(file);
  return size;
}
