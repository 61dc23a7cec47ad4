/* The structures of an ensemble, shared by its files.
 *
 * States are stored in batches. A batch has one State for each lane; its t, y and rates are blocks of lanes
 * (math/lane_block.h). Intermediate results belong to the worker that evaluates the batch; there is one worker for each
 * thread. So they stay in the CPU's cache from batch to batch. Results kept for every State would fill the memory.
 *
 * A worker evaluates a State of several lanes (system/system.h), which goes through the System's graph like a lone
 * State. Entries that are not written for lanes are computed by views: lone States, each of which stands for a lane. */
#ifndef CARDAN_STUDIES_ENSEMBLE_H
#define CARDAN_STUDIES_ENSEMBLE_H

#include <cardan/ensemble.h>

#include "constraints/constraints.h"
#include "forces/forces.h"
#include "integrators/explicit_rk.h"
#include "math/lane_block.h"
#include "studies/threads.h"

/* A variable that may differ between States: n doubles, from `at` on in the row of values of a State. */
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
  bool prescribed;  /* a lock or a motion drives a mobilizer in all States */
  int count, lanes, n_batches;
  int nq, nu, nz, ny;
  cdn_method method;
  const cdni_rk_tableau *rk; /* NULL: semi-explicit Euler, or Euler with damping */
  double *damping;           /* of joints, by mobility, for Euler with implicit damping in lanes; else NULL */
  bool apart;                /* the method takes the steps of each State by itself */

  cdn_system *twin; /* its States have the lanes; NULL: States are evaluated one by one */

  /* Variables that vary: one row of n_values for each State. */
  cdni_array varying;
  cdni_array own; /* cdn_dvar: variables in which a State given by cdn_ensemble_set_state may differ */
  size_t n_values;
  double *values;
  /* Shared arrays that vary: one row for each State of the values that it holds. States with equal values share
   * them. */
  cdni_array sharing; /* cdn_dvar */
  cdni_shared_values **held;
  bool any_applied; /* some State may have applied forces */

  /* Constants of the lanes: for each batch if they vary, else once for all. */
  size_t n_constants;
  bool constants_vary;
  double *constants;

  double *t, *y, *rates; /* n_batches x lanes, and blocks of ny */
  bool *known;           /* by batch: the rates belong to the present y */
  cdn_status *status;    /* by State, and by lane that fills up the last batch */
  cdn_error *errors;     /* by State */
  cdn_error error;
  cdn_state *prototype;

  int n_workers;
  worker *workers;
  cdni_threads *threads;
};

/* A lone State that stands for a State of a batch. */
typedef struct view {
  cdn_state *state;
  int viewed; /* the State whose values it has; -1: none */
  int lane;   /* the lane of the present evaluation for which it stands; -1: none */
} view;

struct worker {
  cdn_ensemble *e;
  int n_views; /* one for all lanes, or one for each lane if every evaluation needs them */
  view views[CDNI_MOST_LANES];
  cdn_state *state;     /* of several lanes; NULL: there is only the view */
  int constants_of;     /* the batch whose constants it has, if constants vary; -1: none */
  cdni_lanes in_lanes;  /* `failed` is used without lanes, too */
  cdn_stepper *stepper; /* for States that advance one by one; NULL: not made yet */
  double stepper_h;     /* the size of its steps */
  void *memory;
  size_t memory_size;
  /* Vectors of y in lanes: a trial y, and rates of a step's stages. */
  double *trial, *stages;
  double *one;         /* of one State: ny */
  double *mobility[2]; /* vectors of nu in lanes */

  bool settles; /* evaluations write prescribed values into y, as steps do */

  /* The present evaluation. */
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

/* ensemble.c: stores a failure that belongs to no single State; returns its code. */
cdn_status cdni_ensemble_fail(cdn_ensemble *e, cdn_status code, const char *function, int index, const char *format,
                              ...) CDN_PRINTF(5, 6);
/* Runs a job for every batch. Returns the status of the first State that has failed, and stores its message. */
cdn_status cdni_ensemble_run(cdn_ensemble *e, const char *function, void (*job)(void *context, int thread, int batch),
                             void *context);

/* ensemble_values.c: loads State k into a view, with the given t and y (lane blocks of its batch). */
cdn_status cdni_ensemble_load(worker *w, view *v, int k, int lane, const double *t, const double *y);
/* Stores the constants of State k, which has been loaded into the view, as those of its lane. */
cdn_status cdni_ensemble_put_constants(worker *w, const view *v, int k);

/* ensemble_apart.c: n steps of size h, State by State. */
cdn_status cdni_ensemble_advance_apart(cdn_ensemble *e, const char *function, double h, int64_t n);

/* ensemble_evaluate.c: sets t and y of a batch in the worker's State of all lanes (or of the single State), and returns
 * it; NULL on failure. */
cdn_state *cdni_ensemble_at(worker *w, int batch, const double *t, const double *y);
/* The lone State of a lane, which takes valid results from the State of all lanes; NULL on failure. */
cdn_state *cdni_ensemble_standing_state(void *worker, int lane);
/* The lone State of a lane, which computes everything by itself; NULL on failure. */
cdn_state *cdni_ensemble_lane_state(worker *w, int lane);
/* Marks the State of a lane as failed, with the message of its view. */
void cdni_ensemble_lane_failed(worker *w, int lane, cdn_status status);
/* Ends an evaluation with this status. Failed lanes are evaluated once more, each by itself, up to a stage, to get a
 * message. */
void cdni_ensemble_tell(worker *w, cdn_status status, cdn_stage stage);
/* Computes the rates of the live lanes at (t, y). A State whose rates cannot be computed has failed. In lanes that are
 * not live, or whose y is not finite, a y that is not finite is replaced by the y of the last whole step. */
void cdni_ensemble_evaluate(worker *w, int batch, const double *t, double *y, double *rates);
/* Computes the rates of the batch, unless they are known. */
void cdni_ensemble_know(worker *w, int batch);

#endif
