/* Random piles of 10 to 1000 contacts in space that fall, each mu between 0 and 1/2: the set of an impact. */
#include "hybrid_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Problems of each size; of the largest, which cost Siconos a minute, one. */
enum { SIZES = 5, PROBLEMS = 3, LARGE = 1000 };

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Seconds of the fastest of several solutions from the same beginning. */
static double time_here(contact_set *set) {
  const cone_problem problem = problem_of(set);
  const size_t size = (size_t)set->n * sizeof *set->cones;
  cone *cones = malloc(size);
  double best = INFINITY, spent = 0;
  memcpy(cones, set->cones, size);
  while (spent < 0.2) {
    cone_problem again = problem;
    memcpy(set->cones, cones, size);
    const double began = now();
    const bool found = cdni_cones_solve(&again);
    const double seconds = now() - began;
    best = found ? fmin(best, seconds) : INFINITY, spent += fmax(seconds, 1e-3);
  }
  free(cones);
  return best;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Medians of some problems. */
typedef struct costs {
  int contacts;
  double here, there, worst;
  const char *name;
} costs;

static costs measure(contact_pile pile, int n, int seed) {
  costs c = { .name = "-" };
  double here[PROBLEMS], there[PROBLEMS];
  rng r = rng_of((uint64_t)seed);
  const int problems = n < LARGE ? PROBLEMS : 1;
  for (int k = 0; k < problems; k++) {
    contact_set set = draw_contacts(&r, pile, n, 0.5);
    here[k] = time_here(&set), there[k] = INFINITY;
    c.contacts = set.n;
#ifdef BENCH_SICONOS_SETS
    double *p = calloc((size_t)set.rows, sizeof *p);
    c.worst = fmax(c.worst, siconos_residual(&set, set.p));
    there[k] = siconos_best(&set, p, &c.name);
    free(p);
#else
    c.worst = fmax(c.worst, worst_violation(&set));
#endif
    free_contacts(&set);
  }
  qsort(here, (size_t)problems, sizeof *here, compare), qsort(there, (size_t)problems, sizeof *there, compare);
  c.here = here[problems / 2], c.there = there[problems / 2];
  return c;
}

/* The power by which costs grow between two sizes. */
static double power(const costs *a, const costs *b) {
  return log(b->here / a->here) / log((double)b->contacts / a->contacts);
}

void bench_sets(void) {
  static const char *const names[] = { "packed spheres", "columns of boxes", "wall of bricks" };
  static const int sizes[SIZES] = { 10, 30, 100, 300, 1000 };
  for (int pile = PILE_OF_SPHERES; pile <= WALL_OF_BRICKS; pile++) {
    costs c[SIZES];
    printf("\n| %s: contacts | Cardan, s | its residual | Siconos' fastest, s | solver | ratio |\n"
           "|---|---|---|---|---|---|\n",
           names[pile]);
    for (int k = 0; k < SIZES; k++) {
      c[k] = measure((contact_pile)pile, sizes[k], 7 + k);
      printf("| %d | %.2g | %.1e | %.2g | %s | %.2g |\n", c[k].contacts, c[k].here, c[k].worst, c[k].there, c[k].name,
             c[k].here / c[k].there);
      fflush(stdout);
    }
    printf("\ncosts grow with the power %.2f from %d to %d contacts, and %.2f from %d on\n",
           power(&c[0], &c[SIZES - 1]), c[0].contacts, c[SIZES - 1].contacts, power(&c[2], &c[SIZES - 1]),
           c[2].contacts);
  }
}
