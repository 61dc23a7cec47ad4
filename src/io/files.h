/* Where the files of a model come from: from a program's memory, where it gives a function for that, else from the
 * disk. Everything in this room that reads a file opens it here. */
#ifndef CARDAN_IO_FILES_H
#define CARDAN_IO_FILES_H

#include <cardan/model.h>
#include <stdio.h>

typedef struct io_files {
  cdn_read_file_fn *read; /* NULL: all files are on the disk */
  void *user;
} io_files;

typedef enum io_file_kind { IO_FILE_ABSENT, IO_FILE_REGULAR, IO_FILE_DIRECTORY, IO_FILE_OTHER } io_file_kind;

/* What is there; of what is absent, errno tells why. `files` NULL: the disk. */
io_file_kind io_file_look(const io_files *files, const char *path);
/* Opens a file for reading bytes; NULL: errno tells why. The caller closes it by fclose. */
FILE *io_file_open(const io_files *files, const char *path);
/* The number of bytes of an open file, which is then at its beginning; -1: that cannot be told (a pipe). */
long io_file_size(FILE *file);

#endif
