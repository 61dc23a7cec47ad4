/* Rigid contact: what an error costs, here and in Siconos. The woodpecker toy and the chain of blocks of ./run
 * accuracy, and blocks that rock (rocking.c); errors at the end, of positions and angles and of speeds relative to 1 or
 * to themselves, against a run at 1e-11. Then sets of contacts (hybrid_sets.h).
 *
 * bench_hybrid [SECONDS [NAME]]  what a run in Siconos may take (default 20); its steps are made shorter until the
 *                                error is 1e-4, or one takes longer. NAME: one of the problems, or "sets"; else all */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hybrid_sets.h"
#include "hybrid_siconos.h"
#include "problem.h"
#include "rocking.h"

/* The error at which costs are compared, and by what steps in Siconos become shorter. */
static const double ASKED = 1e-4, SHORTER = 2;
enum { MOST_NUMBERS = 6 * ROCKING_BLOCKS };

extern const problem rocking_blocks;

/* y: the first n of q, then of u. Returns seconds of processor time, the least of several runs. */
static double run_here(const problem *p, double accuracy, int n, double *y) {
  double best = INFINITY, spent = 0;
  while (spent < 0.5) {
    cdn_state *start = p->start(p);
    cdn_stepper *stepper = NULL;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = accuracy, def.final_time = p->end;
    MUST(start, cdn_stepper_create(start, &def, &stepper));
    const clock_t began = clock();
    MUST(cdn_stepper_state(stepper), cdn_stepper_advance(stepper, p->end, NULL));
    const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
    const cdn_state *end = cdn_stepper_state(stepper);
    best = fmin(best, seconds), spent += fmax(seconds, 1e-3);
    memcpy(y, cdn_state_q(end), (size_t)n * sizeof *y);
    memcpy(y + n, cdn_state_u(end), (size_t)n * sizeof *y);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(start);
  }
  return best;
}

static double error_of(int n, const double *y, const double *truth) {
  double worst = 0;
  for (int i = 0; i < 2 * n; i++) worst = fmax(worst, fabs(y[i] - truth[i]) / (i < n ? 1 : fmax(1, fabs(truth[i]))));
  return worst;
}

#ifdef BENCH_SICONOS
static void compare(const problem *p, siconos_run *there, int steps, int n, const double *truth, double most,
                    double here) {
  double y[MOST_NUMBERS], seconds = 0, error = INFINITY;
  for (; seconds < most && error > ASKED; steps = (int)(steps * SHORTER)) {
    seconds = there(p->end, steps, y), error = error_of(n, y, truth);
    printf("| Siconos, Moreau-Jean, %d steps | %.1e | %.2g |\n", steps, error, seconds);
    fflush(stdout);
  }
  if (error <= ASKED) printf("\nfor an error of %.0e: %.3g of Siconos' time\n", ASKED, here / seconds);
  else printf("\nfor an error of %.0e: less than %.2g of Siconos' time\n", ASKED, here / seconds);
}
#endif

/* n: how many coordinates Siconos has; steps: there, to begin with. */
static void bench(const problem *p, siconos_run *there, int n, int steps, double most) {
  double truth[MOST_NUMBERS], y[MOST_NUMBERS], here = INFINITY;
  run_here(p, 1e-11, n, truth);
  printf("\n| %s | error at the end | seconds |\n|---|---|---|\n", p->what);
  for (double accuracy = 1e-2; accuracy > 0.5e-9; accuracy *= 0.1) {
    const double seconds = run_here(p, accuracy, n, y), error = error_of(n, y, truth);
    printf("| Cardan, accuracy %.0e | %.1e | %.2g |\n", accuracy, error, seconds);
    if (error <= ASKED) here = fmin(here, seconds);
  }
#ifdef BENCH_SICONOS
  compare(p, there, steps, n, truth, most, here);
#else
  (void)there, (void)steps, (void)most;
#endif
}

int main(int argc, char **argv) {
  const double most = argc > 1 ? strtod(argv[1], NULL) : 20;
  const struct {
    const problem *p;
    siconos_run *there;
    int n, steps;
  } runs[] = { { find_problem("rigid-woodpecker"), siconos_woodpecker, 3, 4300 },
               { find_problem("rigid-chain"), siconos_chain, 3, 10000 },
               { &rocking_blocks, siconos_rocking, 3 * ROCKING_BLOCKS, 1000 } };
  for (int i = 0; i < (int)(sizeof runs / sizeof *runs); i++)
    if (argc < 3 || strcmp(argv[2], runs[i].p->name) == 0)
      bench(runs[i].p, runs[i].there, runs[i].n, runs[i].steps, most);
#ifndef BENCH_SICONOS
  printf("\nSiconos is not installed (Debian: libsiconos-kernel-dev): no comparison.\n");
#endif
  if (argc < 3 || strcmp(argv[2], "sets") == 0) bench_sets();
  return 0;
}
