/* Ranks that share a study. Rank 0 lists the blocks that are missing. A rank takes the next one by one counter, in a
 * window of rank 0. Where machines are joined by TCP, rank 0 answers the others only while it is within MPI: therefore
 * it goes there between cases, and a rank asks for its next block before it runs the last case of the present one. */
#define _POSIX_C_SOURCE 200809L
#include "ranks.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

/* What the window of rank 0 has: the next place in the list; tickets of ranks that wait to run a suspected case, and
 * how many have had their turn. Sums alone change it: OpenMPI 4.1 crashes in MPI_Compare_and_swap within a machine. */
enum { NEXT, TICKETS, SERVED, N_SHARED };
#define FAR ((int64_t)1 << 40) /* behind every list */

typedef struct crew {
  cdn_sweep *sweep;
  int rank;
  int64_t *blocks, count; /* the list */
  MPI_Win window;
  int64_t *shared; /* rank 0's */
  int64_t place;   /* the place in the list that this rank was given */
  bool asked;      /* the answer is on its way */
  int64_t cases;   /* that this rank has run */
} crew;

/* ---- signals -------------------------------------------------------------------------------- */

static cdn_sweep *running;
static volatile sig_atomic_t caught, at_work;

/* A rank in the middle of a block ends its case; any other one waits within MPI, which no signal ends. */
static void end_cases(int number) {
  caught = number;
  cdn_sweep_interrupt(running);
  if (!at_work) _exit(128 + number);
}

static void end_on_signals(cdn_sweep *sweep) {
  struct sigaction action = { .sa_handler = end_cases };
  sigemptyset(&action.sa_mask);
  running = sweep;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

/* ---- the window ------------------------------------------------------------------------------ */

/* The answer is there after a flush. */
static void ask(crew *c) {
  static const int64_t one = 1;
  c->asked = true;
  MPI_Fetch_and_op(&one, &c->place, MPI_INT64_T, 0, NEXT, MPI_SUM, c->window);
}

static int64_t next_place(crew *c) {
  if (!c->asked) ask(c);
  MPI_Win_flush(0, c->window);
  c->asked = false;
  return c->place;
}

/* The number as it was. */
static int64_t add(crew *c, int which, int64_t by) {
  int64_t was;
  MPI_Fetch_and_op(&by, &was, MPI_INT64_T, 0, which, MPI_SUM, c->window);
  MPI_Win_flush(0, c->window);
  return was;
}

static void open_window(crew *c) {
  MPI_Win_allocate(c->rank == 0 ? N_SHARED * sizeof *c->shared : 0, sizeof *c->shared, MPI_INFO_NULL, MPI_COMM_WORLD,
                   &c->shared, &c->window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, c->window);
}

/* All ranks are here, and none has a question open. */
static void reset_window(crew *c) {
  for (int i = 0; c->rank == 0 && i < N_SHARED; i++) c->shared[i] = 0;
  MPI_Win_sync(c->window);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void close_window(crew *c) {
  MPI_Win_unlock_all(c->window);
  MPI_Win_free(&c->window);
}

/* ---- a round -------------------------------------------------------------------------------- */

static cdn_status between(void *context, int64_t block, int64_t done, int64_t cases) {
  crew *c = context;
  int there;
  (void)block;
  if (done == cases) c->cases += cases;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
  /* not where a block is one long case: another rank may be free sooner */
  if (cases > 1 && done == cases - 1 && !c->asked) ask(c);
  return caught ? CDN_ERR_LIMIT : CDN_OK;
}

/* Where a rank crashes, all are killed, and many of them at once, as Slurm does it, in the middle of a case. Of such
 * cases one runs at a time: the next crash meets the one that is to blame. */
static cdn_status take_turns(void *context, int64_t block, int64_t k, bool begins) {
  static const struct timespec pause = { .tv_nsec = 2000000 };
  crew *c = context;
  (void)block, (void)k;
  if (!begins) {
    add(c, SERVED, 1);
    return CDN_OK;
  }
  const int64_t ticket = add(c, TICKETS, 1);
  while (add(c, SERVED, 0) != ticket && !caught) nanosleep(&pause, NULL);
  return caught ? CDN_ERR_LIMIT : CDN_OK;
}

/* The list of rank 0, in all ranks. Returns CMD_OK or the code to exit with. */
static int list_missing(crew *c) {
  int64_t room = 0;
  cdn_status status = CDN_OK;
  if (c->rank == 0) status = cdn_sweep_missing(c->sweep, 0, 1, 0, NULL, &room);
  if (status != CDN_OK) {
    complain_last_error();
    room = -1;
  }
  MPI_Bcast(&room, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (room < 0) return CMD_INPUT;
  free(c->blocks);
  c->blocks = allocate((size_t)room, sizeof *c->blocks);
  c->count = 0;
  if (c->rank == 0 && cdn_sweep_missing(c->sweep, 0, 1, room, c->blocks, &c->count) != CDN_OK) complain_last_error();
  if (c->count > room) c->count = room;
  MPI_Bcast(&c->count, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  MPI_Bcast(c->blocks, (int)c->count, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return CMD_OK;
}

static cdn_status run_block(crew *c, int64_t block) {
  cdn_sweep_run_def def = cdn_default_sweep_run_def();
  def.between = between, def.suspect = take_turns, def.context = c;
  at_work = 1;
  const cdn_status status = cdn_sweep_run_block(c->sweep, block, &def);
  at_work = 0;
  if (caught) {
    nanosleep(&(struct timespec){ .tv_sec = 1 }, NULL); /* others may have been told as well: they end their cases */
    MPI_Abort(MPI_COMM_WORLD, 128 + caught);
  }
  return status;
}

/* Nobody begins another block. The first rank to do so says why. */
static void end_list(crew *c) {
  if (add(c, NEXT, FAR) < FAR) complain("rank %d: %s", c->rank, cdn_last_error_text());
}

static int run_list(crew *c) {
  int code = CMD_OK, worst;
  for (int64_t i; code == CMD_OK && (i = next_place(c)) < c->count;)
    if (run_block(c, c->blocks[i]) != CDN_OK) code = CMD_OUTPUT;
  if (c->asked) next_place(c);
  if (code != CMD_OK) end_list(c);
  MPI_Allreduce(&code, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return worst;
}

int ranks_run(cdn_sweep *sweep, int64_t *least, int64_t *most) {
  crew c = { .sweep = sweep };
  int code;
  MPI_Comm_rank(MPI_COMM_WORLD, &c.rank);
  end_on_signals(sweep);
  open_window(&c);
  while ((code = list_missing(&c)) == CMD_OK && c.count > 0) {
    reset_window(&c);
    code = run_list(&c);
    if (code != CMD_OK) break;
  }
  close_window(&c);
  MPI_Allreduce(&c.cases, least, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
  MPI_Allreduce(&c.cases, most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  free(c.blocks);
  return code;
}
