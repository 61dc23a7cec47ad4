/* An ensemble's inside, shared by its files.
 *
 * States are kept in batches of as many as there are lanes: t, y and rates of each batch are blocks of lanes
 * (math/lane_block.h). What is computed on the way belongs to the worker, one a thread, that has the batch in hand: it
 * stays in the CPU's cache from batch to batch, where results kept for every State would fill memory. */
#ifndef CARDAN_STUDIES_ENSEMBLE_H
#define CARDAN_STUDIES_ENSEMBLE_H

#include <cardan/ensemble.h>

#include "forces/lanes.h"
#include "integrators/explicit_rk.h"
#include "math/lane_block.h"
#include "matter/lanes.h"
#include "studies/threads.h"

/* A variable that differs between States: n doubles, at `at` in a State's row of values. */
typedef struct varying {
  cdn_dvar v;
  int n;
  bool parameters; /* else forces applied from outside */
  size_t at;
} varying;

typedef struct worker worker;

struct cdn_ensemble {
  const cdn_system *system;
  cdn_allocator allocator;
  const matter *m;
  const force_room *forces;
  bool forces_act; /* some of them on bodies or mobilities */
  cdni_traits traits;
  bool prescribed; /* a lock or a motion drives a mobilizer, in all States */
  int count, lanes, n_batches;
  int nq, nu, nz, ny;
  const cdni_rk_tableau *rk; /* NULL: semi-explicit Euler */

  /* Evaluation in lanes; NULL: State by State. */
  const tree_kernels *kernels;
  const force_kernels *force_kernels;

  /* What varies: rows of n_values, as the States hold it. */
  cdni_array varying;
  size_t n_values;
  double *values;
  bool any_applied; /* some State may have forces from outside */

  /* Constants of bodies and forces in lanes: of each batch if they vary, else one for all. Offsets count numbers. */
  size_t n_constants, at_frames, at_mass, at_frame_params, at_force_params;
  bool constants_vary;
  double *constants;

  double *t, *y, *rates; /* n_batches x lanes, and blocks of ny */
  bool *known;           /* by batch: rates are those of y */
  cdn_status *status;    /* by State, those that fill up the last batch too */
  cdn_error *errors;     /* by State */
  cdn_error error;
  cdn_state *prototype;

  int n_workers;
  worker *workers;
  cdni_threads *threads;
};

struct worker {
  cdn_ensemble *e;
  cdn_state *view;      /* one State at a time */
  int viewed;           /* whose values the view has; -1: nobody's */
  bool constants_there; /* the view's constants were computed */
  void *memory;
  size_t memory_size;
  tree_data d;
  double *F, *f; /* totals of forces, lane blocks */
  cdni_force_lanes sum;
  /* Vectors of y in lanes: a trial y, and rates of a step's stages. */
  double *trial, *stages;
  double *one;         /* of one State: ny, and room for whatever is gathered */
  double *mobility[2]; /* vectors of nu in lanes */

  /* The evaluation in hand. */
  int batch, loaded; /* the lane that the view stands for; -1: none */
  const double *now, *at_y;
  bool failed[CDNI_MOST_LANES];
};

static inline size_t ensemble_width(const cdn_ensemble *e) { return (size_t)e->ny * (size_t)e->lanes; }
static inline double *ensemble_y(const cdn_ensemble *e, int batch) { return e->y + (size_t)batch * ensemble_width(e); }
static inline double *ensemble_rates(const cdn_ensemble *e, int batch) {
  return e->rates + (size_t)batch * ensemble_width(e);
}
static inline double *ensemble_t(const cdn_ensemble *e, int batch) { return e->t + (size_t)batch * (size_t)e->lanes; }
static inline double *ensemble_constants(const cdn_ensemble *e, int batch) {
  return e->constants + (e->constants_vary ? (size_t)batch * e->n_constants * (size_t)e->lanes : 0);
}
/* The State in a lane; -1 if there is none, or it has failed. */
static inline int ensemble_live(const cdn_ensemble *e, int batch, int lane) {
  const int k = batch * e->lanes + lane;
  return k < e->count && e->status[k] == CDN_OK ? k : -1;
}
static inline size_t ensemble_pool_first(const cdn_ensemble *e, cdn_pool pool) {
  return (size_t)(pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? e->nq : e->nq + e->nu);
}
static inline size_t ensemble_pool_size(const cdn_ensemble *e, cdn_pool pool) {
  return (size_t)(pool == CDN_POOL_Q ? e->nq : pool == CDN_POOL_U ? e->nu : e->nz);
}

/* ensemble.c: keeps a failure that is no State's; returns its code. */
cdn_status cdni_ensemble_fail(cdn_ensemble *e, cdn_status code, const char *function, int index, const char *format,
                              ...) CDN_PRINTF(5, 6);
/* Runs a job for every batch; returns the status of the first State that has failed and keeps its story. */
cdn_status cdni_ensemble_run(cdn_ensemble *e, const char *function, void (*job)(void *context, int thread, int batch),
                             void *context);

/* ensemble_values.c: the view becomes State k, with t and y as given (lane blocks of its batch). */
cdn_status cdni_ensemble_load(worker *w, int k, int lane, const double *t, const double *y);
/* The lane's constants as State k has them. */
cdn_status cdni_ensemble_put_constants(worker *w, int k);

/* ensemble_evaluate.c: y becomes what the results are of. */
void cdni_ensemble_at(worker *w, int batch, const double *t, const double *y);
/* Positions, inertias if wanted, velocities if wanted. In lanes only. */
void cdni_ensemble_kinematics(worker *w, bool inertias, bool velocities);
/* qdot = N u for lane blocks of q and u, in the batch in hand. */
void cdni_ensemble_multiply_N(worker *w, const double *q, const double *u, double *qdot);
/* A lane's State, loaded; NULL if there is none. */
cdn_state *cdni_ensemble_lane_state(void *context, int lane);
/* The lane's State has failed, with the story that the view has to tell. */
void cdni_ensemble_lane_failed(worker *w, int lane, cdn_status status);
/* Rates at (t, y) for the live lanes. Where they cannot be had the State has failed. In lanes that are not live, or fail
 * because y is not finite, y becomes what it was at the last whole step: nothing there is worth the time. */
void cdni_ensemble_evaluate(worker *w, int batch, const double *t, double *y, double *rates);
/* Rates of the batch, computed if they are not known. */
void cdni_ensemble_know(worker *w, int batch);

#endif
