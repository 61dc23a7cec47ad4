/* Passes over the rows of an island, by Newton's method and what it shares with the other solvers: one table of
 * functions for each set of kernels of one lane. Private to the room. */
#ifndef CARDAN_SOFT_ROW_KERNELS_H
#define CARDAN_SOFT_ROW_KERNELS_H

#include "math/kernel_sets.h"
#include "soft/internal.h"

/* Products along the step d = y - x: x^T M d, d^T M d, and d^T J^T H J d; the slope of the functions at x; products of
 * forces and J d, regardless of signs, but those of exact rows in a pass, whose forces may be anything before they have
 * settled. */
typedef struct soft_step_sums {
  double m0, m1, curved, slope, size;
} soft_step_sums;

/* What a trial found at a place of the step. */
typedef struct soft_trial {
  double cost;
  soft_slope slope; /* of the functions */
  bool done;        /* no function is curved there, or on another piece than before */
  double left; /* half of the sum of (f - g)^2 / D: at y that is what is left to promise, for the gradient is J^T (g -
             * f). Of a step that goes straight it is not asked for */
  bool same;   /* no function is on another piece than before */
  double force, change; /* of a step that goes straight: sums of A f^2, and of A g^2 and A (f - g)^2 where a function is
                         * bent on the way, by inverse inertias A along the rows */
} soft_trial;

struct soft_row_kernels {
  /* Functions at the residuals: forces and weights, and the sum of the costs. n_islands: rows on nothing that moves. */
  double (*value)(const soft_problem *p, int island);
  /* F += J^T (f + H J x), f likewise: what the Newton step solves for. */
  void (*ask)(const soft_problem *p, int island);
  /* J d, and the forces that hold y. */
  soft_step_sums (*multiply)(const soft_problem *p, int island);
  /* Forces and weights at x + t d. */
  soft_trial (*evaluate)(const soft_problem *p, int island, double t);
  /* The whole first step of one that goes straight: both, without what a line search asks for. */
  soft_trial (*leap)(const soft_problem *p, int island);
  /* Before the first step: to the guess, its value, and what the step solves for. */
  void (*begin)(const soft_problem *p, int island);
  /* The forces of all groups are added to F and f. */
  void (*add_forces)(const soft_problem *p, sv *F, double *f);
  /* Their weights: as cdni_soft_weigh. */
  void (*weigh)(const soft_problem *p, int island, bool all);
};

/* By kernel_set; NULL for sets of several lanes. */
extern const soft_row_kernels *const cdni_soft_row_kernels[KERNEL_SET_COUNT];

#endif
