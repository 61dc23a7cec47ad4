/* The runs of `cardan sweep`: processes take blocks from one list, by a counter that they share. A process that crashes
 * is replaced by another one; its block is on the list of the next round. */
#define _GNU_SOURCE
#include "sweep.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "simulate.h"

/* What all processes see. */
typedef struct common {
  atomic_llong next, cases; /* place in the list; cases that have been run */
  atomic_int full;          /* a file could not be written: nobody begins another block */
  char message[512];        /* why */
} common;

typedef struct crew {
  cdn_sweep *sweep;
  common *shared;
  int64_t *blocks, count; /* the list of this round */
  pid_t *workers;
  int n;
  int64_t before; /* cases of this block that are counted in `cases` */
} crew;

/* ---- signals -------------------------------------------------------------------------------- */

static cdn_sweep *running;
static volatile sig_atomic_t caught;

static void end_cases(int number) {
  caught = number;
  cdn_sweep_interrupt(running);
}

/* The first signal ends the cases that run; a second one ends the program. */
static void end_on_signals(cdn_sweep *sweep) {
  struct sigaction action = { .sa_handler = end_cases, .sa_flags = (int)SA_RESETHAND };
  sigemptyset(&action.sa_mask);
  running = sweep;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- a worker ------------------------------------------------------------------------------- */

static cdn_status between(void *context, int64_t block, int64_t done, int64_t cases) {
  crew *c = context;
  (void)block, (void)cases;
  atomic_fetch_add(&c->shared->cases, done - c->before);
  c->before = done;
  return caught ? CDN_ERR_LIMIT : CDN_OK;
}

/* Returns the code with which the process ends. */
static int work(crew *c, pid_t parent) {
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  def.between = between, def.context = c;
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) return CMD_FAILED;
  while (!caught && !atomic_load(&c->shared->full)) {
    const long long i = atomic_fetch_add(&c->shared->next, 1);
    if (i >= c->count) return CMD_OK;
    c->before = 0;
    const cdn_status status = cdn_sweep_run_block(c->sweep, c->blocks[i], &def);
    if (status == CDN_OK) continue;
    atomic_fetch_sub(&c->shared->cases, c->before);
    if (caught) break;
    if (atomic_exchange(&c->shared->full, 1) == 0)
      snprintf(c->shared->message, sizeof c->shared->message, "%s", cdn_last_error_text());
    return CMD_OUTPUT;
  }
  return caught ? 128 + caught : CMD_OK;
}

static bool start_worker(crew *c, int i) {
  const pid_t parent = getpid();
  fflush(NULL);
  c->workers[i] = fork();
  if (c->workers[i] < 0) {
    complain("no process could be started: %s", strerror(errno));
    return false;
  }
  if (c->workers[i] == 0) _exit(work(c, parent));
  return true;
}

/* ---- a round -------------------------------------------------------------------------------- */

static void stop_all(const crew *c) {
  for (int i = 0; i < c->n; i++)
    if (c->workers[i] > 0) kill(c->workers[i], SIGTERM);
}

/* Looks after the workers until all have ended. Those that crash are replaced while the list has blocks. */
static bool watch(crew *c, progress *shown, double cases) {
  static const struct timespec pause = { .tv_nsec = 20000000 };
  bool good = true, told = false;
  for (int left = c->n; left > 0;) {
    int how;
    const pid_t ended = waitpid(-1, &how, WNOHANG);
    if (caught && !told) stop_all(c), told = true;
    progress_count(shown, (double)atomic_load(&c->shared->cases), cases, "cases");
    if (ended <= 0) {
      nanosleep(&pause, NULL);
      continue;
    }
    for (int i = 0; i < c->n; i++) {
      if (c->workers[i] != ended) continue;
      c->workers[i] = 0;
      left--;
      if (!WIFSIGNALED(how) || caught || !good || atomic_load(&c->shared->next) >= c->count) continue;
      good = start_worker(c, i);
      left += good;
    }
  }
  return good;
}

static cdn_status list_missing(crew *c, const sweep_arguments *a) {
  free(c->blocks);
  c->blocks = NULL;
  CDN_TRY(cdn_sweep_missing(c->sweep, a->part, a->parts, 0, NULL, &c->count));
  const int64_t room = c->count;
  c->blocks = allocate((size_t)room, sizeof *c->blocks);
  CDN_TRY(cdn_sweep_missing(c->sweep, a->part, a->parts, room, c->blocks, &c->count));
  if (c->count > room) c->count = room;
  return CDN_OK;
}

static double cases_of(const crew *c) {
  const int64_t size = cdn_sweep_block_size(c->sweep), all = cdn_sweep_case_count(c->sweep);
  double cases = 0;
  for (int64_t i = 0; i < c->count; i++) {
    const int64_t left = all - c->blocks[i] * size;
    cases += (double)(left < size ? left : size);
  }
  return cases;
}

/* Runs the list. Returns CMD_OK or the code to exit with. */
static int run_round(crew *c, int most, progress *shown) {
  bool good = true;
  atomic_store(&c->shared->next, 0);
  atomic_store(&c->shared->cases, 0);
  c->n = c->count < most ? (int)c->count : most;
  for (int i = 0; i < c->n; i++) c->workers[i] = 0;
  for (int i = 0; i < c->n && good; i++) {
    good = start_worker(c, i);
    if (!good) c->n = i;
  }
  good = watch(c, shown, cases_of(c)) && good;
  progress_erase(shown);
  if (caught) return 128 + caught;
  if (atomic_load(&c->shared->full)) {
    complain("%s", c->shared->message);
    return CMD_OUTPUT;
  }
  return good ? CMD_OK : CMD_FAILED;
}

/* Rounds, as long as there are blocks: a case that crashes is recorded after the second time, so there is an end. */
static int run_all(crew *c, const sweep_arguments *a, int most) {
  progress shown = progress_begin("sweep", 0, 1, a->quiet);
  for (;;) {
    if (list_missing(c, a) != CDN_OK) {
      complain_last_error();
      return CMD_INPUT;
    }
    if (c->count == 0) return CMD_OK;
    const int code = run_round(c, most, &shown);
    if (code != CMD_OK) return code;
  }
}

/* ---- the whole ------------------------------------------------------------------------------ */

static int processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

int sweep_run(cdn_sweep *sweep, const sweep_arguments *a) {
  const int most = a->threads > 0 ? (int)a->threads : processors();
  crew c = { .sweep = sweep, .workers = allocate((size_t)most, sizeof *c.workers) };
  c.shared = mmap(NULL, sizeof *c.shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (c.shared == MAP_FAILED) {
    complain("memory that processes share: %s", strerror(errno));
    free(c.workers);
    return CMD_FAILED;
  }
  end_on_signals(sweep);
  int code = run_all(&c, a, most);
  running = NULL;
  munmap(c.shared, sizeof *c.shared);
  free(c.workers);
  free(c.blocks);
  if (code == CMD_OK && !a->quiet) code = sweep_print_status(sweep);
  return code;
}
