/* Which values a case of a study has: a function of the study and the number of the case. Private to the room. */
#ifndef CARDAN_SWEEPS_DESIGN_H
#define CARDAN_SWEEPS_DESIGN_H

#include <stdbool.h>
#include <stdint.h>

/* Where the values of a variable come from. */
typedef enum sweep_source {
  SWEEP_GRID,        /* a list, crossed with everything else */
  SWEEP_LIST,        /* a list; all such lists have one length, and go together */
  SWEEP_CHOICE,      /* drawn from a list */
  SWEEP_UNIFORM,     /* drawn between a and b */
  SWEEP_LOG_UNIFORM, /* drawn so that the logarithm is uniform between those of a and b */
  SWEEP_NORMAL       /* drawn with mean a and deviation b */
} sweep_source;

typedef struct sweep_variable {
  const char *name;
  sweep_source source;
  double a, b;
  const double *list;
  int64_t n;     /* of the list */
  int dimension; /* among what is drawn; -1: it is not */
} sweep_variable;

/* How points are drawn. */
typedef enum sweep_sampling { SWEEP_RANDOM, SWEEP_LATIN, SWEEP_SOBOL, SWEEP_SAMPLING_COUNT } sweep_sampling;

typedef struct sweep_design {
  uint32_t seed;
  sweep_sampling sampling;
  int64_t drawn, listed, cases; /* draws; rows of the lists; all cases */
  const sweep_variable *variables;
  int n_variables;
} sweep_design;

/* The values of case k. */
void cdni_sweep_design(const sweep_design *d, int64_t k, double *values);

/* The place of number i in an order of 0 ... n - 1 at random, one for each key. */
uint64_t cdni_sweep_shuffle(const uint32_t key[2], uint32_t which, uint64_t n, uint64_t i);
/* The x below which a normal number of mean 0 and deviation 1 lies with the probability p, within (0, 1). */
double cdni_sweep_normal(double p);

enum { SWEEP_SOBOL_DIMENSIONS = 256 };
/* sobol.c: coordinate `dimension` of point i of Sobol's sequence, a fraction of 2^32. */
uint32_t cdni_sweep_sobol(int dimension, uint32_t i);
/* sobol_table.c: a primitive polynomial of degree s, and its first direction numbers. */
typedef struct sweep_sobol_row {
  uint16_t degree, polynomial; /* its coefficients between the first and the last one, which are 1 */
  uint16_t m[11];
} sweep_sobol_row;
extern const sweep_sobol_row cdni_sweep_sobol_rows[SWEEP_SOBOL_DIMENSIONS];

#endif
