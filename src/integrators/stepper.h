/* The stepper: what a run is made of. */
#ifndef CARDAN_INTEGRATORS_STEPPER_H
#define CARDAN_INTEGRATORS_STEPPER_H

#include <stdatomic.h>

#include <cardan/stepper.h>

#include "constraints/project.h"
#include "integrators/control.h"
#include "integrators/doubt.h"
#include "integrators/failure.h"
#include "integrators/graze.h"
#include "integrators/unresolved.h"
#include "integrators/progress.h"
#include "integrators/method.h"
#include "integrators/second_look.h"
#include "integrators/singular.h"

/* Vectors of the stepper's block start at multiples of 64 bytes. */
static inline size_t cdni_stride(int n) { return ((size_t)n + 7) & ~(size_t)7; }

struct cdni_events;    /* events_run.h */
struct cdni_companion; /* companion.h */

/* The last event that a handler saw, and the run just before the handler: for comparing two runs on one side of it. */
typedef struct cdni_passage {
  int32_t event; /* -1: none yet */
  double time, *y, *f;
  bool smooth; /* its handler changed what follows, and y by no more than the accuracy */
} cdni_passage;

struct cdn_stepper {
  const cdn_system *system;
  cdn_allocator allocator;
  cdn_stepper_def def; /* its weights point into the block, or are NULL */
  const cdni_method *method;
  int nq, nu, nz, ny;
  size_t stride;   /* length of a vector of ny numbers in the block */
  bool has_bodies; /* the System has bodies, and so energies */

  /* `work` evaluates trial points; between calls it is at the last accepted step. `report` is shown to the caller:
   * it is at that step too, or within it. */
  cdn_state *work, *report;
  double until;    /* time that the present call has asked for; of a companion -INFINITY: it moves no time on */
  double reported; /* time at which report was shown, whatever the caller has done to it since */
  double *shown;   /* y of report when it was shown */
  uint64_t *noted; /* serials of the variables of report when it was shown (inputs.c) */
  bool tethered;   /* inputs were written before this call: a step ends at the time that the call asks for */

  /* y[at], f[at] are the accepted values, y[!at], f[!at] those of the attempt; they swap at each accepted step. */
  double t, *y[2], *f[2], power;
  int at;
  cdni_step step;
  bool dense;   /* `step` describes the step that ended at t */
  double taken; /* size of the last accepted step */

  /* Prescribed slots are not integrated: they do not count in norms, and y holds their effective values. */
  bool *prescribed;                   /* flags of the slots of q, then of u */
  int n_prescribed_q, n_prescribed_u; /* numbers of set flags */

  cdni_singular singular;
  cdni_projector *projector; /* NULL: the System has no constraints */

  cdni_unresolved unresolved;
  double *weighted;    /* E times the error estimate; norms are norms of it */
  bool weighted_valid; /* it belongs to the last attempt that had an estimate */
  double *scale;       /* new / old quaternion length, by q slot */
  double *drifted;     /* q at the end of a step, before projection */
  double pull;         /* largest change of q by projections in this attempt, over the change allowed (step.c) */
  double *scratch;     /* two vectors of ny */
  double *apart;       /* two more, for distances */
  double *weights;     /* room for q_weights, for u_weights, then for z_weights */
  double *q_weight;    /* by slot of q: the largest weight of q in the slot's mobilizer */
  int *vector;         /* by slot of q, then of u: the first slot of the vector that contains it (norm.c) */
  int *quaternion;     /* first slots of q of quaternions */
  int n_quaternions;
  double *memory; /* the method's own */
  void *solver;   /* the object that the method's `create` made */
  double *block;
  size_t block_size;

  cdni_looks looks;
  cdni_control control;
  cdni_progress progress;
  cdni_bursts bursts;
  double allowed;       /* error allowed to the attempt */
  double rounding;      /* lower bound of `allowed`: rounding of y */
  bool at_rounding;     /* that bound is above the share of the accuracy */
  double covered;       /* sum of the sizes of accepted steps */
  double spent;         /* sum of their errors, each over the error allowed */
  bool extended;        /* the method's `extend` was called for the last step */
  int stiff, not_stiff; /* steps in a row that stability seemed to limit, and did not (control.c) */
  double fixed_start;   /* fixed steps end at fixed_start + n h, so that t does not drift */
  int64_t fixed_count, attempts;

  cdni_attempts last;
  cdn_certificate certificate;
  double kinetic, kinetic_before;        /* at the ends of the last step */
  double largest_kinetic, absolute_work; /* the scale of the energy residual */
  double uncertain_work;                 /* of motions that are prescribed: steps do not follow their power */
  double local_errors;                   /* sum of the norms of the estimated errors of all steps */
  double floor;                          /* sum of the squares of the errors of steps that rounding allowed */
  double unsolved;                       /* largest residual of the soft rows in this attempt */
  cdni_grazes grazes;                    /* events with handlers that an error of the size of the accuracy decides */
  cdni_qualm inexact;                    /* soft rows that were not solved as well as the accuracy asks */
  cdni_qualm forgotten;                  /* contacts for which the memory of friction had no slot: their number */
  int64_t most_stiff;                    /* no call takes steps once this many were stiff; 0: all do */
  const cdn_stepper *judged;             /* of a companion: the run beside which it advances */
  bool muted;                            /* this is a companion: reporters are not called */
  cdni_passage passage;                  /* used if this run has a companion or is one */
  struct cdni_companion *companion;      /* NULL: none */
  struct cdni_events *events;            /* NULL: the System has none */
  cdn_failure failure;
  int failed; /* status of the last call that should have continued the run, if it failed */

  atomic_bool interrupted; /* another thread, or a signal, wants the present call to return */
  atomic_bool *interrupt; /* the flag that ends this run's calls: its own; a companion's is that of the run beside it */
  atomic_bool hurried;    /* and the attempt of a step shall not be awaited */
  atomic_bool *hurry;     /* likewise */

  bool busy;      /* a call that runs callbacks is in progress */
  bool destroyed; /* one of these callbacks asked to destroy this stepper */
};

/* The accuracy that the verdict is about. */
static inline double cdni_asked(const cdn_stepper *s) {
  return s->def.asked_accuracy > 0 ? s->def.asked_accuracy : s->def.accuracy;
}

/* Upper bound for the norm of a step's error estimate (control.c). */
static inline double cdni_tolerance(const cdn_stepper *s) { return s->allowed; }

/* Whether the run ends because it is stiff. */
static inline bool cdni_is_too_stiff(const cdn_stepper *s) {
  return s->most_stiff > 0 && s->certificate.stiff_steps >= s->most_stiff;
}

/* Makes a stepper with all its memory, but without a start; a companion is `muted`. `state` tells the System. On
 * failure everything is freed, and the message is on `state`. */
cdn_status cdni_stepper_make(cdn_state *state, const cdn_stepper_def *def, bool muted, const char *function,
                             cdn_stepper **out);

/* The report State at the last accepted step, and at a time within it. *again: there the step has missed
 * something, and the run has gone back to take it again. */
cdn_status cdni_report_step(cdn_stepper *s);
/* Copies the working State to the report State. */
cdn_status cdni_show(cdn_stepper *s);
cdn_status cdni_report_within(cdn_stepper *s, double t, bool *again);

/* Restarts from a State of the System. Methods without memory keep their step size, unless y `jumps`. */
cdn_status cdni_restart(cdn_stepper *s, cdn_state *state, bool jumps, const char *function);
/* The first start of a new stepper. */
cdn_status cdni_start(cdn_stepper *s, const cdn_state *initial);
/* checkpoint.c: saves or loads all of a stepper except its def. */
void cdni_archive_run(cdn_stepper *s, cdni_archive *a);

#endif
