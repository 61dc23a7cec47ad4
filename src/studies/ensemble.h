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
#include "integrators/gauge.h"
#include "math/lane_block.h"
#include "core/threads.h"

/* A variable that may differ between States: n doubles, from `at` on in the row of values of a State. */
typedef struct varying {
  cdn_dvar v;
  int n;
  bool parameters; /* else forces applied from outside */
  size_t at;
} varying;

typedef struct worker worker;

/* Places on the way of a call where a State is compared with its companion, beside its end. */
#define CDNI_MARKS 7

/* The run of a State since its values were last set. */
typedef struct course {
  double next, last_error; /* size of the next attempt (0: not chosen yet), and error of the last step */
  bool rejected;           /* the last attempt was */
  cdni_trend of_e, of_look;
  bool advanced; /* and compared with its companion */
  double since;  /* when it began */
  double of[3];  /* largest errors of q, u, z: distances from the companion, scaled */
  double largest, time, until;
  cdn_pool pool;
  int slot;
  double smallest, longest; /* steps */
  double longest_of_call;   /* of the present call */
  int64_t steps, rejections, evaluations;
  double local_errors; /* sum of the estimated errors of its steps */
  cdni_gone_through passage;
} course;

struct cdn_ensemble {
  const cdn_system *system;
  cdn_allocator allocator;
  const matter *m;
  const force_room *forces;
  cdni_traits traits;
  bool quaternions; /* some coordinates are brought to unit length */
  bool prescribed;  /* a lock or a motion drives a mobilizer in all States */
  bool sweeps;      /* things may meet: a stepper looks at what they sweep */
  int count, lanes, n_batches;
  int nq, nu, nz, ny;
  cdn_method method;
  const cdni_method *how;
  const cdni_rk_tableau *rk; /* NULL: semi-explicit Euler, or Euler with damping */
  double accuracy;
  int64_t max_steps;
  double *damping;         /* of joints, by mobility, for Euler with implicit damping in lanes; else NULL */
  bool apart;              /* the method takes the steps of each State by itself */
  bool remembers_friction; /* contacts whose friction sticks */
  bool draws;              /* random numbers: State k has its own stream */
  size_t place;            /* where its place in the stream is in its row of values */

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
  course *courses;         /* by State, and by lane that fills up the last batch */
  cdni_array *guesses;     /* likewise: where the solution of its soft rows starts (soft/soft.h) */
  bool *driven;            /* by slot of q and u: prescribed, and no part of errors; NULL: none is */
  int n_free[3];           /* numbers of the other slots of q and u, and of all z */
  cdn_ensemble *companion; /* the second solutions: the same States with shorter steps. NULL: none */
  bool judged;             /* it has one */
  bool follows;            /* it is a companion: the threads belong to another ensemble */
  cdn_state *prototype;

  int n_workers;
  worker *workers;
  cdni_threads *threads;
  atomic_bool interrupted; /* another thread, or a signal, wants the present call to return */
  atomic_bool *interrupt;  /* the flag that ends calls: its own; a companion's is that of the States */
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
  double *one, *other; /* of one State: ny */
  double *mobility[2]; /* vectors of nu in lanes */

  cdn_stepper *gauge; /* measures distances from the companions; NULL: there are none */
  /* Where the States of the batch were, for their companions: vectors of y in lanes, times, and how many there are. */
  double *mark_y, mark_t[CDNI_MARKS][CDNI_MOST_LANES];
  int n_marks[CDNI_MOST_LANES];

  bool prescribes; /* evaluations write prescribed values into y, as steps do */
  bool begins;     /* evaluations are those of the start of steps; else, with `arrives`, of their ends */
  bool arrives;

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
/* The second half of it. */
cdn_status cdni_ensemble_first_failure(cdn_ensemble *e, const char *function);

/* ensemble_values.c: loads State k into a view, with the given t and y (lane blocks of its batch). */
cdn_status cdni_ensemble_load(worker *w, view *v, int k, int lane, const double *t, const double *y);
/* The run of State k begins anew, at its present values. */
void cdni_ensemble_restart(cdn_ensemble *e, int k);
/* Stores the constants of State k, which has been loaded into the view, as those of its lane. */
cdn_status cdni_ensemble_put_constants(worker *w, const view *v, int k);

/* How far the States go. */
typedef struct cdni_stretch {
  cdn_ensemble *e;
  double h; /* size of steps; 0: under error control */
  int64_t n;
  /* By State: the times at which they end. NULL: n steps on, or under error control `end` for all. */
  const double *ends;
  double end;
  /* Of companions: the ensemble that they follow, and the error of its States over their distance. Else NULL. */
  cdn_ensemble *leader;
  double scale;
} cdni_stretch;

/* Under error control: the size of a State's steps over that of its companion's. The two take 2.4 times the time of the
 * State alone, and with what is rejected up to 2.5 times. */
#define CDNI_COMPANION_RATIO 1.4

/* ensemble_advance.c: prepares a batch for steps: prescribed values, unit quaternions, rates. */
void cdni_ensemble_begin(worker *w, int batch);
/* Room for y, for rates at the end of a step, and for an error estimate. */
typedef struct cdni_ends {
  double *y, *rates, *error;
} cdni_ends;
cdni_ends cdni_ensemble_ends(const worker *w);
/* The step that a Runge-Kutta method takes from the batch's y, and its stages. */
cdni_rk_step cdni_ensemble_rk_step(const worker *w, const double *t0, const double *t1, const double *h);
void cdni_ensemble_rk_stages(worker *w, const cdni_rk_step *step);
/* Brings quaternions at the end of a step to unit length, and computes the rates there. */
void cdni_ensemble_arrive(worker *w, int batch, const double *t1, const cdni_ends *ends);
/* Takes over the end of the step in these lanes. The others stay at the start of the step. */
void cdni_ensemble_accept(worker *w, int batch, const bool *lanes, const double *t1, const cdni_ends *ends);
/* ensemble_control.c: a job: steps under error control; ensemble_apart.c: one by one, each with a stepper. */
void cdni_ensemble_control(void *stretch, int thread, int batch);
void cdni_ensemble_go_apart(void *stretch, int thread, int batch);
/* The steppers for that. CDN_ERR_NOMEM. */
cdn_status cdni_ensemble_make_steppers(const cdni_stretch *x);
/* Afterwards: a thread may still view a State as it was before another thread has advanced it. */
void cdni_ensemble_forget_views(cdn_ensemble *e);

/* ensemble_verdict.c: advances States and their companions by this job, and compares them. Returns the status of the
 * first State that has failed. */
cdn_status cdni_ensemble_advance(cdni_stretch *x, const char *function,
                                 void (*job)(void *stretch, int thread, int batch));
/* Marks the present place of a State. */
void cdni_ensemble_mark(worker *w, int batch, int lane);
/* When a companion has reached mark m of its State, or its end: notes how far apart they are. */
void cdni_ensemble_compare(const cdni_stretch *x, int thread, int batch, int lane, int m);
/* A companion's steps for n steps of its State. */
int64_t cdni_ensemble_companion_steps(int64_t n);
/* A companion's def. */
cdn_ensemble_def cdni_ensemble_companion_def(const cdn_ensemble *e, const cdn_ensemble_def *def);

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
