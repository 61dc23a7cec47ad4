/* The numeric passes of the elimination, compiled for several instruction sets; at one lane only. */
#ifndef CARDAN_CONSTRAINTS_KERNELS_H
#define CARDAN_CONSTRAINTS_KERNELS_H

#include "constraints/loops.h"
#include "math/kernel_sets.h"

/* One solution under way. */
typedef struct loop_solution {
  const loop_plan *p;
  const tree_data *d;
  const loop_factor *f;
  const loop_problem *in;
  int island;
  sv *z;          /* by body: bias forces */
  double *eps;    /* nu */
  double *lambda; /* m_all: of all blocks */
  double *
      beta; /* m_all: right hand sides; at redundant equations, after the inward pass, how they contradict the others */
} loop_solution;

typedef struct loop_kernels {
  /* as cdni_loop_factor, with rows entered and P set to the bodies' own */
  int (*factor)(const loop_plan *p, const tree_data *d, const double *weights, const real *soft_D,
                const int32_t *was_redundant, int island, const uint8_t *changed, loop_factor *f);
  void (*inward)(const loop_solution *s);
  void (*outward)(const loop_solution *s);
} loop_kernels;

/* By kernel_set; NULL for sets of several lanes. */
extern const loop_kernels *const cdni_loop_kernels[KERNEL_SET_COUNT];

#endif
