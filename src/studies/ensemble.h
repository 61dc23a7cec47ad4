/* An ensemble's inside, shared by its files.
 *
 * States are kept in batches of as many as there are lanes: t, y and rates of each batch are blocks of lanes
 * (math/lane_block.h). What is computed on the way belongs to the worker, one a thread, that has the batch in hand: it
 * stays in the CPU's cache from batch to batch, where results kept for every State would fill memory.
 *
 * A worker evaluates a State of several lanes (system/system.h), which goes through the System's graph as a lone State does. What no
 * lanes are written for is asked of views: lone States that stand for a lane each. */
#ifndef CARDAN_STUDIES_ENSEMBLE_H
#define CARDAN_STUDIES_ENSEMBLE_H

#include <cardan/ensemble.h>

#include "constraints/constraints.h"
#include "forces/forces.h"
#include "integrators/explicit_rk.h"
#include "math/lane_block.h"
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
  cdni_traits traits;
  bool quaternions; /* some coordinates are brought to unit length */
  bool prescribed;  /* a lock or a motion drives a mobilizer, in all States */
  int count, lanes, n_batches;
  int nq, nu, nz, ny;
  cdn_method method;
  const cdni_rk_tableau *rk; /* NULL: semi-explicit Euler */

  cdn_system *twin; /* whose States have the lanes; NULL: State by State */

  /* What varies: rows of n_values, as the States hold it. */
  cdni_array varying;
  cdni_array own; /* cdn_dvar: variables in which a State that is given may differ from the others */
  size_t n_values;
  double *values;
  /* Shared arrays that vary: rows of what each State holds. States with the same values have them once. */
  cdni_array sharing; /* cdn_dvar */
  cdni_shared_values **held;
  bool any_applied; /* some State may have forces from outside */

  /* Constants of the lanes: of each batch if they vary, else one for all. */
  size_t n_constants;
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

/* A lone State that stands for one of a batch. */
typedef struct view {
  cdn_state *state;
  int viewed; /* whose values it has; -1: nobody's */
  int lane;   /* which lane of the evaluation in hand it stands for; -1: none */
} view;

struct worker {
  cdn_ensemble *e;
  int n_views; /* one for all lanes, or one each where every evaluation asks them */
  view views[CDNI_MOST_LANES];
  cdn_state *state;     /* of several lanes; NULL: the view is all there is */
  int constants_of;     /* whose constants it has: a batch, if they vary; -1: nobody's */
  cdni_lanes in_lanes;  /* failed: in State by State evaluation, too */
  cdn_stepper *stepper; /* where States advance one by one; NULL: not made so far */
  double stepper_h;     /* the size of its steps */
  void *memory;
  size_t memory_size;
  /* Vectors of y in lanes: a trial y, and rates of a step's stages. */
  double *trial, *stages;
  double *one;         /* of one State: ny */
  double *mobility[2]; /* vectors of nu in lanes */

  bool settles; /* what is prescribed is written into y, as steps do */

  /* The evaluation in hand. */
  int batch;
  const double *now, *at_y;
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

/* ensemble_values.c: a view becomes State k, with t and y as given (lane blocks of its batch). */
cdn_status cdni_ensemble_load(worker *w, view *v, int k, int lane, const double *t, const double *y);
/* The lane's constants as State k has them, which a view has been loaded with. */
cdn_status cdni_ensemble_put_constants(worker *w, const view *v, int k);

/* ensemble_apart.c: n steps of size h, State by State. */
cdn_status cdni_ensemble_advance_apart(cdn_ensemble *e, const char *function, double h, int64_t n);

/* ensemble_evaluate.c: (t, y) becomes what the results are of. The State of the worker, of all lanes or of one; NULL if it cannot
 * be had. */
cdn_state *cdni_ensemble_at(worker *w, int batch, const double *t, const double *y);
/* For the lanes of an evaluation: the same, which takes from the others what is computed there. */
cdn_state *cdni_ensemble_standing_state(void *worker, int lane);
/* A lane's own State, which knows nothing of the others; NULL if there is none. */
cdn_state *cdni_ensemble_lane_state(worker *w, int lane);
/* The lane's State has failed, with the story that its view has to tell. */
void cdni_ensemble_lane_failed(worker *w, int lane, cdn_status status);
/* What an evaluation came to: lanes that have failed are evaluated once more, each by itself, up to a stage, for the story. */
void cdni_ensemble_tell(worker *w, cdn_status status, cdn_stage stage);
/* Rates at (t, y) for the live lanes. Where they cannot be had the State has failed. In lanes that are not live, or fail
 * because y is not finite, y that is not finite becomes what it was at the last whole step: nothing there is worth the time. */
void cdni_ensemble_evaluate(worker *w, int batch, const double *t, double *y, double *rates);
/* Rates of the batch, computed if they are not known. */
void cdni_ensemble_know(worker *w, int batch);

#endif
