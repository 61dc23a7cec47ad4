/* Work in processes of its own, several at a time. */
#define _DEFAULT_SOURCE
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *shared_memory(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static void show_progress(const jobs *j, int done) {
  if (!isatty(STDERR_FILENO)) return;
  if (done < j->n) fprintf(stderr, "\r%s: %d of %d\033[K", j->what, done, j->n);
  else fputs("\r\033[K", stderr);
  fflush(stderr);
}

static pid_t start(const jobs *j, int job, unsigned seconds) {
  fflush(NULL);
  const pid_t child = fork();
  if (child) return child;
  const struct rlimit limit = { seconds, seconds };
  setrlimit(RLIMIT_CPU, &limit);
  j->work(j->context, job);
  _exit(EXIT_SUCCESS);
}

bool run_jobs(const jobs *j, int workers, unsigned seconds) {
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int most = workers ? workers : processors > 0 ? (int)processors : 1;
  pid_t *child = malloc((size_t)j->n * sizeof *child);
  bool *over = calloc((size_t)j->n, sizeof *over), well = child && over;
  int started = 0, ended = 0, told = 0;
  while (well && ended < j->n) {
    while (started < j->n && started - ended < most) {
      child[started] = start(j, started, seconds);
      if (child[started] < 0) break;
      started++;
    }
    const pid_t who = wait(NULL);
    well = who > 0;
    for (int i = 0; i < started && well; i++) {
      if (child[i] == who) over[i] = true, ended++;
    }
    while (told < started && over[told]) {
      if (j->finished) j->finished(j->context, told);
      told++;
    }
    show_progress(j, ended);
  }
  free(child), free(over);
  return well;
}
