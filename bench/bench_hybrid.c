/* Rigid contact: what an error costs, here and in Siconos. The woodpecker toy of ./run accuracy, three periods; errors
 * at the end, of positions and angles and of speeds relative to 1 or to themselves, against a run at 1e-11. Then sets
 * of contacts (hybrid_sets.h).
 *
 * bench_hybrid [SECONDS]    what a run in Siconos may take (default 20); its steps are halved until one takes longer */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hybrid_sets.h"
#include "hybrid_siconos.h"
#include "problem.h"

/* y, phi_M and phi_S with their speeds. Returns seconds of processor time, the least of several runs. */
static double run_here(const problem *p, double accuracy, double y[6]) {
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
    best = fmin(best, seconds), spent += fmax(seconds, 1e-3);
    memcpy(y, cdn_state_q(cdn_stepper_state(stepper)), 3 * sizeof *y);
    memcpy(y + 3, cdn_state_u(cdn_stepper_state(stepper)), 3 * sizeof *y);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(start);
  }
  return best;
}

static double error_of(const double y[6], const double truth[6]) {
  double worst = 0;
  for (int i = 0; i < 6; i++) worst = fmax(worst, fabs(y[i] - truth[i]) / (i < 3 ? 1 : fmax(1, fabs(truth[i]))));
  return worst;
}

int main(int argc, char **argv) {
  const problem *p = find_problem("rigid-woodpecker");
  const double most = argc > 1 ? strtod(argv[1], NULL) : 20;
  double truth[6], y[6];
  run_here(p, 1e-11, truth);
  printf("| woodpecker, %.2f s | error at the end | seconds |\n|---|---|---|\n", p->end);
  for (double accuracy = 1e-2; accuracy > 0.5e-9; accuracy *= 0.1) {
    const double seconds = run_here(p, accuracy, y);
    printf("| Cardan, accuracy %.0e | %.1e | %.2g |\n", accuracy, error_of(y, truth), seconds);
  }
#ifdef BENCH_SICONOS
  double seconds = 0;
  for (int steps = 4300; seconds < most; steps *= 4) {
    seconds = siconos_woodpecker(p->end, steps, y);
    printf("| Siconos, Moreau-Jean, %d steps | %.1e | %.2g |\n", steps, error_of(y, truth), seconds);
  }
#else
  (void)most;
  printf("\nSiconos is not installed (Debian: libsiconos-kernel-dev): no comparison.\n");
#endif
  bench_sets();
  return 0;
}
