/* Which case of a block was begun: a small file that outlives the program. Each program that runs the block adds a line
 * "run", then a line with the number of each case before it runs, and "stop" where no case runs: it waits, or ends as
 * it should. A number that "run" or nothing follows is a case in which a program ended. As long as it runs, the program
 * holds a lock. Where the block is done its rows take the place of these lines, and the file gets the block's name: to
 * make and to remove a file more for each block takes more time than all else. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweeps/internal.h"

static cdn_status refuse_mark(const char *path, const char *what) {
  return cdni_refuse(CDN_ERR_FILE, "cdn_sweep_run_block", "%.200s: could not be %s: %s", path, what, strerror(errno));
}

static bool put(int file, const char *line) {
  const ssize_t n = (ssize_t)strlen(line);
  return write(file, line, (size_t)n) == n;
}

/* Counts the crashes of each case, in `crashes` if it is there; whether there was any. */
static bool count_crashes(int file, int64_t first, int64_t n, unsigned char *crashes) {
  enum { MOST = 255 };
  char line[64];
  long long open = -1;
  bool any = false;
  FILE *marks = fdopen(dup(file), "r");
  if (!marks) return false;
  rewind(marks);
  for (bool more = true; more;) {
    more = fgets(line, sizeof line, marks) != NULL;
    const bool ended = !more || strcmp(line, "run\n") == 0;
    if (ended && open >= first && open < first + n) {
      any = true;
      if (crashes && crashes[open - first] < MOST) crashes[open - first]++;
    }
    open = ended || line[0] < '0' || line[0] > '9' || strchr(line, ',') ? -1 : strtoll(line, NULL, 10);
  }
  fclose(marks);
  return any;
}

/* A file that nobody has removed meanwhile; -1: errno says why. */
static int open_locked(const char *path) {
  for (;;) {
    struct stat info;
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return -1;
    /* where a file system knows no locks, there are none */
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      errno = EWOULDBLOCK;
      return -1;
    }
    if (fstat(file, &info) == 0 && info.st_nlink > 0) return file;
    close(file);
  }
}

cdn_status cdni_sweep_mark_open(cdn_sweep *s, int64_t block, unsigned char *crashes, sweep_mark *mark) {
  cdni_sweep_block_path(s, block, SWEEP_MARK, mark->path);
  mark->file = open_locked(mark->path);
  if (mark->file < 0) return errno == EWOULDBLOCK ? CDN_OK : refuse_mark(mark->path, "written");
  count_crashes(mark->file, block * s->study.block, cdni_sweep_cases_of(s, block), crashes);
  if (put(mark->file, "run\n")) return CDN_OK;
  const cdn_status status = refuse_mark(mark->path, "written");
  close(mark->file);
  return status;
}

cdn_status cdni_sweep_mark_case(sweep_mark *mark, int64_t k) {
  char line[32];
  snprintf(line, sizeof line, "%lld\n", (long long)k);
  return put(mark->file, line) ? CDN_OK : refuse_mark(mark->path, "written");
}

cdn_status cdni_sweep_mark_pause(sweep_mark *mark) {
  return put(mark->file, "stop\n") ? CDN_OK : refuse_mark(mark->path, "written");
}

void cdni_sweep_mark_close(sweep_mark *mark, bool more) {
  if (more) (void)!put(mark->file, "stop\n");
  close(mark->file);
}

void cdni_sweep_mark_look(const cdn_sweep *s, int64_t block, bool *crashed, bool *running) {
  char path[SWEEP_PATH];
  *crashed = *running = false;
  cdni_sweep_block_path(s, block, SWEEP_MARK, path);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  *running = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (!*running) *crashed = count_crashes(file, block * s->study.block, cdni_sweep_cases_of(s, block), NULL);
  close(file);
}
