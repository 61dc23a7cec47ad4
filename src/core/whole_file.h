/* Files that are written as a whole: under another name beside, and then renamed. Private to the library and the
 * command. Whoever reads the file meanwhile sees the old one, and a failure leaves it as it was. */
#ifndef CARDAN_WHOLE_FILE_H
#define CARDAN_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct cdni_whole_file {
  FILE *file;
  char *path,
      *temporary; /* of it; NULL: it is written in place (a pipe, a device, a folder where nothing can be made) */
} cdni_whole_file;

/* Begins one for `path`. False: errno says why it cannot be written. */
bool cdni_whole_begin(cdni_whole_file *whole, const char *path);
/* Closes it. Where `good` and all has arrived, it takes the place of an earlier file; else what was made is removed,
 * and nothing that was there before. False where it is not good, or not written: errno says why. */
bool cdni_whole_end(cdni_whole_file *whole, bool good);

#endif
