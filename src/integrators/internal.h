/* The internals of the stepper, shared by the files of this room. */
#ifndef CARDAN_INTEGRATORS_INTERNAL_H
#define CARDAN_INTEGRATORS_INTERNAL_H

#include <float.h>
#include <math.h>
#include <stdatomic.h>

#include <cardan/motion.h>

#include "constraints/project.h"
#include "integrators/chatter.h"
#include "integrators/method.h"
#include "integrators/singular.h"
#include "soft/soft.h"
#include "system/system.h"

/* Vectors of the stepper's block start at multiples of 64 bytes. */
static inline size_t cdni_stride(int n) { return ((size_t)n + 7) & ~(size_t)7; }

/* Memory of the step size control (control.c). */
typedef struct cdni_control {
  double next;       /* size of the next attempt */
  double last_error; /* error of the last accepted step, over the tolerance */
  bool rejected;     /* the last attempt was rejected: the size must not grow at once */
} cdni_control;

/* How unevenly rates are spread over the run (control.c): those of u, then those of z. */
typedef struct cdni_bursts {
  double largest[2]; /* rates so far; it fades */
  double sum[2];     /* integral over time */
  double foreseen;   /* the largest over the mean that is expected where shapes may touch; it fades, too */
} cdni_bursts;

/* Progress of the run (headway.c). */
typedef struct cdni_headway {
  int steps, length;  /* steps accepted in the present window; how many it will have */
  int windows;        /* in a row without headway */
  int turns;          /* steps of the present window whose rates change the other way than over the step before */
  double since, mean; /* start of the window; mean step of the window before it, 0: there is none */
  double change;      /* of all rates, over the last step */
  double moved, path; /* weighted, over the short steps of the window: how far from `start` they led; their sum */
  double *start;      /* y at the start of the window */
  cdni_chatter chatter;
} cdni_headway;

/* The last attempts, for the failure report: a ring. */
typedef struct cdni_attempts {
  int count, next;
  double t[CDN_FAILURE_STEPS], h[CDN_FAILURE_STEPS], error[CDN_FAILURE_STEPS];
  double judged; /* error of the last attempt that had an estimate, over the error allowed */
} cdni_attempts;

/* Motions and errors of coordinates (faint.c): nq numbers each; a vector has its number at its first slot. */
typedef struct cdni_faint {
  double *start;         /* q at the start of the run */
  double *moved, *apart; /* largest weighted distances from that start, and from the companion */
  double *driven;        /* distance that the rates at the (re)start would move them within the time scale */
  double size;           /* the largest weighted coordinate that moves */
  int largest;           /* its slot; -1: none has moved */
} cdni_faint;

/* The first occurrence of something that casts doubt on the verdict, and how bad the worst was (doubt.c). */
typedef struct cdni_qualm {
  double time, worst; /* worst 0: it has not occurred */
  char name[64];      /* of the element */
} cdni_qualm;
/* What looks at shown States have found (second_look.c). */
typedef struct cdni_looks {
  double usual[2];    /* differences of rates at the last two looks, times the step */
  double from, until; /* the run came back from the second of these times to the first */
} cdni_looks;

struct cdni_events;    /* events.h */
struct cdni_companion; /* companion.c */

/* The last event that a handler saw, and the run just before the handler: for comparing two runs on one side of it. */
typedef struct cdni_passage {
  int32_t event; /* -1: none yet */
  double time, *y, *f;
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

  cdni_faint faint;
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
  double *memory;      /* the method's own */
  void *solver;        /* the object that the method's `create` made */
  double *block;
  size_t block_size;

  cdni_looks looks;
  cdni_control control;
  cdni_headway headway;
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
  double local_errors;                   /* sum of the norms of the estimated errors of all steps */
  double floor;                          /* sum of the squares of the errors of steps that rounding allowed */
  double unsolved;                       /* largest residual of the soft rows in this attempt */
  cdni_qualm grazed;                     /* an event with a handler that an error of the size of the accuracy decides */
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

/* step.c: takes one accepted step that ends at `end` or before. If `serve` lies before its end, prepares the report
 * State for times within the step. On failure `work` is back at the last accepted step, and the failure is stored. */
cdn_status cdni_take_step(cdn_stepper *s, double end, double serve);
/* Whether the run ends because it is stiff. */
static inline bool cdni_is_too_stiff(const cdn_stepper *s) {
  return s->most_stiff > 0 && s->certificate.stiff_steps >= s->most_stiff;
}
/* Starts, or restarts, from the contents of `work`: normalizes, and evaluates what is not valid. */
cdn_status cdni_begin(cdn_stepper *s);
/* Notes an error estimate before it is projected. */
void cdni_note_estimate(cdn_stepper *s, const double *e);
/* ydot and power of the present `work`; valid results are not computed again. */
cdn_status cdni_evaluate_here(cdn_stepper *s, double *ydot, double *power);
/* Whether a shorter step may avoid a failure: one marked recoverable, or numbers that are not finite. */
bool cdni_is_recoverable(const cdn_stepper *s, cdn_status status);
/* Puts `work` back at the last accepted step. */
void cdni_restore(cdn_stepper *s);

/* Finds the slots that are prescribed at the present `work`. */
void cdni_note_prescribed(cdn_stepper *s);
/* Writes the prescribed values of `state` into its q and u, and into y (may be NULL). */
cdn_status cdni_settle(const cdn_stepper *s, cdn_state *state, double *y);

/* project.c: the manifold of the constraints, with unit quaternions (10.1). */

/* Ends of steps are always projected, however small their errors are: remaining errors would add up over the steps.
 * Near singular poses small constraint errors are large position errors, and could lead into another branch of the
 * motion. */
typedef enum cdni_when { CDNI_WHERE_OFF, CDNI_ALWAYS } cdni_when;

/* Brings quaternions to unit length if they are off by more than rounding. Returns the error that they had, or 0 if
 * nothing changed. Sets s->scale to new over old lengths. */
double cdni_normalize(cdn_stepper *s, double *q);
/* Sets a State to time t and the point of the manifold nearest to y, in the norm of the errors: normalizes
 * quaternions, prescribes (8.4), then projects q and u (CDNI_WHERE_OFF: only if errors exceed the tolerance). Writes
 * the result to y. */
cdn_status cdni_project(cdn_stepper *s, cdn_state *state, double t, double *y, cdni_when when);
/* Project q, and u, of a State that has been set; set *moved if they changed anything. Nothing without constraints. */
cdn_status cdni_project_q(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
cdn_status cdni_project_u(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
/* Projects a State that has been set, where rates must be evaluated on the manifold (singular.h). */
cdn_status cdni_project_rates(cdn_stepper *s, cdn_state *state);
/* Removes from an error estimate the part that the projections of this attempt removed from y. */
cdn_status cdni_project_estimate(cdn_stepper *s, double *e);
/* Projects `work` at the start of a run if it is near the manifold; fails if it is not. */
cdn_status cdni_project_start(cdn_stepper *s);
/* Refuses a start at a singular pose with speeds that lead off the manifold; needs the rates of `work`. */
cdn_status cdni_project_start_rates(cdn_stepper *s);

/* y and the work done at time t within the last accepted step, unprojected. First makes the evaluations that the
 * method's dense output needs, on `report`, which must hold the discrete variables of that step. */
cdn_status cdni_look(cdn_stepper *s, double t, double *y, double *work);
/* stepper.c: the report State at the last accepted step, and at a time within it. *again: there the step has missed
 * something, and the run has gone back to take it again. */
cdn_status cdni_report_step(cdn_stepper *s);
cdn_status cdni_report_within(cdn_stepper *s, double t, bool *again);

/* second_look.c: whether the rates at t, at which `report` stands with y, differ from those of dense output by more
 * than errors do. */
cdn_status cdni_look_twice(cdn_stepper *s, double t, const double *y, bool *surprising);
/* Takes the run back, to come to the surprise at t again in shorter steps. */
cdn_status cdni_go_back(cdn_stepper *s, double t);
/* Latest end of the next step: `end`, or before it where a surprise is near. */
double cdni_looks_end(const cdn_stepper *s, double end);

/* Makes a stepper with all its memory, but without a start; a companion is `muted`. `state` tells the System. On
 * failure everything is freed, and the message is on `state`. */
cdn_status cdni_stepper_make(cdn_state *state, const cdn_stepper_def *def, bool muted, const char *function,
                             cdn_stepper **out);

/* events.c: these functions do nothing if the System has no events. */
cdn_status cdni_events_create(cdn_stepper *s);
void cdni_events_destroy(cdn_stepper *s);
/* Saves or loads the memory of events. */
void cdni_events_archive(cdn_stepper *s, cdni_archive *a);
/* Starts watching from the present `work`. */
cdn_status cdni_events_reset(cdn_stepper *s);
/* Latest end of the next step: `end`, or before it the time of the next scheduled event that has a handler. */
double cdni_events_end(const cdn_stepper *s, double end);
/* What events make of an attempt whose error is small enough. */
typedef enum cdni_outcome {
  CDNI_STEP_TAKEN,
  CDNI_STEP_AGAIN,  /* take it again, to end just before an event */
  CDNI_STEP_SHORTER /* take a shorter one: this one is too long to resolve an event */
} cdni_outcome;

/* The course of a step: tried, found good (locate.c: `error` is the attempt's, over the tolerance), accepted.
 * cdni_events_aim gives the end of an attempt that would end at t1 without events; `end` is that of the present
 * call, which may be earlier than before. */
void cdni_events_attempt(cdn_stepper *s);
double cdni_events_aim(cdn_stepper *s, double t1, double end);
cdn_status cdni_events_examine(cdn_stepper *s, double error, cdni_outcome *outcome);
void cdni_events_rejected(cdn_stepper *s);
void cdni_events_accepted(cdn_stepper *s);
/* Tells the step size control about an accepted step that an event has ended. */
cdn_status cdni_events_resize(cdn_stepper *s, double error);
/* Whether an event has ended the present step; whether events are to be shown within it. */
bool cdni_events_cut(const cdn_stepper *s);
bool cdni_events_within(const cdn_stepper *s);
/* Lets all events occur up to time t, within the steps taken so far. *why other than CDN_REACHED_TIME: advance
 * should return (if `all`: only because the run was stopped), and the report State is at that moment. */
cdn_status cdni_events_serve(cdn_stepper *s, double t, bool all, cdn_why *why);

/* companion.c: the second run and its distance from this one. These functions do nothing without a companion. */

/* Makes a companion that starts at `initial`, if the def asks for one. The message of a failure is on `initial`. */
cdn_status cdni_companion_create(cdn_stepper *s, cdn_state *initial);
void cdni_companion_destroy(cdn_stepper *s);
/* Advances the companion to the time at which the run is shown. CDN_ERR_LIMIT: call again. */
cdn_status cdni_companion_catch_up(cdn_stepper *s);
/* Catches up, and compares the two runs. */
cdn_status cdni_companion_follow(cdn_stepper *s);
/* Follows when advance is about to return for the reason `why`. After CDN_ERR_LIMIT the next call must finish this
 * first. */
cdn_status cdni_companion_show(cdn_stepper *s, cdn_why why);
bool cdni_companion_owes(cdn_stepper *s, cdn_why *why);
/* companion_writes.c: what the caller changes in the run changes in the companion. */

/* Passes the caller's changes of variables on: those of the report State since it was shown, or those in which
 * `state`, another State, differs from the report State. */
void cdni_companion_pass_on(cdn_stepper *s, cdn_state *state);
/* The caller is about to change y of the run; the run has restarted with the change. */
void cdni_companion_note_before(cdn_stepper *s);
void cdni_companion_jump(cdn_stepper *s);
/* Starts anew from the report State, which is at another time than before: nothing of what was known holds. */
void cdni_companion_begin_elsewhere(cdn_stepper *s);
/* The distances `of` of q, u and z, and the error that the run had where the companion last started anew. */
void cdni_companion_total(const cdn_stepper *s, const double of[3], double total[3]);
/* A triggered event is about to be handled at the present `work`. */
void cdni_companion_note_event(cdn_stepper *s, int32_t event);
/* The run has taken a step; the longest step that it began at time t or before. */
void cdni_companion_note_step(cdn_stepper *s);
double cdni_companion_longest_step(const cdn_stepper *s, double t);
/* Fills the companion's part of the certificate. */
void cdni_companion_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_companion_archive(cdn_stepper *s, cdn_state *state, cdni_archive *a);

/* judge.c: how the companion is run; `stiff`: by the method that takes over where the problem is stiff, if there is
 * one. */
cdn_stepper_def cdni_judge_def(const cdn_stepper *s, bool stiff);
bool cdni_judge_has_other(const cdn_stepper *s);
/* Limits the next step of a companion by those of its run; nothing for other runs. */
void cdni_judge_limit_steps(cdn_stepper *judge);

/* faint.c: coordinates that are too small, or too large, for the accuracy asked. */
void cdni_faint_begin(cdn_stepper *s);
/* The run starts, or restarts, with its present rates. */
cdn_status cdni_faint_drive(cdn_stepper *s);
void cdni_faint_accept(cdn_stepper *s);
/* The weighted differences of all slots between the run and its companion. */
void cdni_faint_compare(cdn_stepper *s, const double *weighted);
void cdni_faint_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_faint_archive(cdn_stepper *s, cdni_archive *a);

/* verdict.c: a number with a digit or two, as errors are known. */
enum { CDNI_BRIEF = 24 };
const char *cdni_brief(double x, char text[CDNI_BRIEF]);

/* doubt.c: reasons why a verdict cannot be trusted although the two runs agree. */

/* A qualm about an element of this name at the present `work`. */
void cdni_note_qualm(cdni_qualm *q, double time, double size, const char *name);
/* Looks for them at an accepted step, at whose end `work` stands. */
cdn_status cdni_doubt_accept(cdn_stepper *s);
/* Turns "delivered" into "unknown" where there is a doubt; energies and coordinates have been certified. The energy
 * residual is relative to `energy_scale`, J. */
void cdni_doubt_certify(cdn_stepper *s, cdn_certificate *out, double energy_scale);
void cdni_doubt_archive(cdn_stepper *s, cdni_archive *a);

/* parting.c: whether two runs shown at time t took different ways at a singular pose since the time `since`. */
typedef struct cdni_parting {
  double time;
  char name[96]; /* "": they did not */
} cdni_parting;
bool cdni_parted(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_parting *out);

/* inputs.c: the caller's changes of the report State since it was shown. */

/* Notes the contents of `report`, as the caller is shown them. */
void cdni_note_shown(cdn_stepper *s);
/* Whether the caller has written anything. */
bool cdni_has_inputs(const cdn_stepper *s);
/* Takes the caller's changes into the run, and restarts it if something jumped. */
cdn_status cdni_take_inputs(cdn_stepper *s);
/* stepper.c: restarts from a State of the System. Methods without memory keep their step size, unless y `jumps`. */
cdn_status cdni_restart(cdn_stepper *s, cdn_state *state, bool jumps, const char *function);
/* stepper.c: the first start of a new stepper. */
cdn_status cdni_start(cdn_stepper *s, const cdn_state *initial);
/* checkpoint.c: saves or loads all of a stepper except its def. */
void cdni_archive_run(cdn_stepper *s, cdni_archive *a);

/* singular.c: steps go over singular poses, never into them. These functions do nothing if steps are fixed. */
size_t cdni_singular_memory(const cdn_stepper *s); /* doubles */
void cdni_singular_divide(cdn_stepper *s, double *memory);
void cdni_singular_reset(cdn_stepper *s);
/* Call before the size of a first step is chosen: if equations are redundant the run may start in a pose, and its
 * first step is then a bridge. */
void cdni_singular_start(cdn_stepper *s);
/* The run's own method; s->method may be the method of bridges. */
const cdni_method *cdni_singular_own_method(const cdn_stepper *s);
/* Call before an attempt at a new step: behind a bridge the run's own method begins anew. */
cdn_status cdni_singular_leave(cdn_stepper *s);
/* The size of an attempt for which errors allow h, at most `left`. Decides which method takes it. */
double cdni_singular_size(cdn_stepper *s, double h, double left);
/* Whether rates are evaluated on the manifold. Not with SUNDIALS: Newton's iteration does not know the projections. */
bool cdni_singular_holds(const cdn_stepper *s);
/* Prepares the attempt if it is a bridge. */
cdn_status cdni_singular_begin(cdn_stepper *s);
/* Whether the attempt was a bridge. The error of a bridge (over the tolerance; < 0: not evaluated) tells nothing
 * about other steps. */
bool cdni_singular_judges(cdn_stepper *s, double error);
/* Whether rounding near a singular pose is as large as the errors of this attempt. */
bool cdni_singular_is_rough(const cdn_stepper *s);
/* Whether a good attempt ends clear of poses; if not, the next attempt will. */
bool cdni_singular_is_clear(cdn_stepper *s);
cdn_status cdni_singular_accept(cdn_stepper *s);
/* The smallest sine at the present `work`, relative to its size elsewhere, and its block. INFINITY without
 * constraints. */
double cdni_singular_nearest(cdn_stepper *s, int *block);
void cdni_singular_archive(cdn_stepper *s, cdni_archive *a);

/* norm.c: projects the error estimate e (ny numbers) and gives the norm that judges the attempt. */
cdn_status cdni_step_norm(cdn_stepper *s, double *e, double *norm);
/* The largest of the three norms (9.12) of an error or a rate. z is relative to the larger of ya and yb; N is that
 * of the present `work`. Leaves E e in s->weighted. */
cdn_status cdni_error_norm(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm);
/* The same at another place, with E e in f: s->weighted stays. */
cdn_status cdni_norm_beside(cdn_stepper *s, cdn_state *place, const double *e, const double *ya, const double *yb,
                            double *f, double *norm);
/* cdni_error_norm in two parts: the weights of u and z in w (ny numbers; those of q stay), and the norm with them; w
 * may be s->weighted. */
void cdni_error_weights(const cdn_stepper *s, const double *ya, const double *yb, double *w);
cdn_status cdni_weighted_norm(cdn_stepper *s, const double *e, const double *w, double *norm);
/* Distance of two y at `place`, a State with the q of one of them: norms of q, u and z in `of`. u is relative to the
 * longer of its vectors in ya and yb, because an error of phase grows with speed. Gives the slot with the largest
 * difference in the pool with the largest norm (-1: there is none). */
cdn_status cdni_distance(cdn_stepper *s, cdn_state *place, const double *ya, const double *yb, double of[3],
                         cdn_pool *pool, int *slot);
/* Fills s->vector and s->q_weight. */
void cdni_find_vectors(cdn_stepper *s);
/* The slot with the largest weighted error, and this error over the norm of all. False if there is none. */
bool cdni_worst_slot(const cdn_stepper *s, cdn_pool *pool, int *i, double *share);

/* control.c */
cdn_status cdni_first_step(cdn_stepper *s);
/* The next step's share of the accuracy, relative to the share of a step in a short run. If the end of the run is
 * known, its steps share the accuracy; equal shares keep the sum of errors at the least cost, and the number of
 * steps is foretold. 1 if no end is known. */
double cdni_share(const cdn_stepper *s);
/* What is expected of a run at its start; then the rates of the step that has just been accepted. */
void cdni_bursts_begin(cdn_stepper *s);
void cdni_note_bursts(cdn_stepper *s);
/* Sets the error allowed to a step of size h. */
void cdni_allow(cdn_stepper *s, double h);
double cdni_min_step(const cdn_stepper *s);
/* Choose the size of the next attempt, after one of size h with this error over the tolerance. */
void cdni_control_accepted(cdn_stepper *s, double h, double error);
void cdni_control_rejected(cdn_stepper *s, double h, double error);
/* After an accepted step of size h that an event has cut short, from an attempt of size `planned` with error
 * `error`. */
void cdni_control_cut(cdn_stepper *s, double h, double planned, double error);
/* After an attempt that could not be evaluated. */
void cdni_control_failed(cdn_stepper *s, double h);
/* Counts the accepted step if stability rather than accuracy seems to limit it. */
void cdni_note_stiffness(cdn_stepper *s);

/* headway.c: a run starts, or restarts, at the present y. */
void cdni_headway_begin(cdn_stepper *s);
/* After an accepted step: false if steps of this size will never reach the time `goal`. */
bool cdni_makes_headway(cdn_stepper *s, double goal);
/* The report of such a run: the cause of the short steps, and the cure. */
cdn_status cdni_fail_headway(cdn_stepper *s, double goal);

/* certificate.c */
cdn_status cdni_certificate_begin(cdn_stepper *s);
/* After an evaluation of the rates: how the soft rows were solved. */
cdn_status cdni_certificate_evaluation(cdn_stepper *s);
/* After a stage of the convex step. */
void cdni_certificate_stage(cdn_stepper *s, const soft_effort *effort);
/* Power of everything without a potential: forces, motions and locks, constraints that demand motion. */
cdn_status cdni_power(const cdn_stepper *s, cdn_state *state, double *power);
/* Energy of the present `work`. */
cdn_status cdni_certificate_energy(cdn_stepper *s, double *energy);
/* Books the step that is about to be accepted; `work` is at its end. */
cdn_status cdni_certificate_accept(cdn_stepper *s);
/* Before a restart at time t: the energy there, with the work after t taken back. */
cdn_status cdni_certificate_rewind(cdn_stepper *s, double t, double *energy);
/* After the restart: the difference of the energies is booked as a jump. */
cdn_status cdni_certificate_restart(cdn_stepper *s, double energy_before);
/* Largest error of quaternion lengths in q, which is not changed. */
double cdni_quaternion_error(cdn_stepper *s, const double *q);

/* failure.c: these functions store the report on the stepper and return the status. */

/* Beginning and end of a public call that runs callbacks. A second such call from within a callback is refused,
 * because the first one is in the middle of changing the same data. */
cdn_status cdni_enter(cdn_stepper *s, const char *function);
cdn_status cdni_leave(cdn_stepper *s, const char *function, cdn_status status);
void cdni_note_attempt(cdn_stepper *s, double error);
cdn_status cdni_fail_argument(cdn_stepper *s, const char *function, cdn_status code, const char *format, ...)
    CDN_PRINTF(4, 5);
cdn_status cdni_fail_evaluation(cdn_stepper *s, const char *function, cdn_status code);
cdn_status cdni_fail_step(cdn_stepper *s, double error);
/* Whether the present call must return before another attempt: CDN_ERR_LIMIT. */
bool cdni_is_interrupted(const cdn_stepper *s);
bool cdni_at_limit(const cdn_stepper *s);
cdn_status cdni_fail_limit(cdn_stepper *s);
/* Fills the common part of a report: the time, the worst coordinate, and the last attempts in order. */
cdn_failure *cdni_begin_report(cdn_stepper *s);
/* Adds to the advice which constraint has the largest multiplier at the present `work`, and whether the pose is
 * singular. */
void cdni_add_mechanism(cdn_stepper *s, cdn_failure *f);
/* Whether the report's advice names a singular pose as the cause; the advice then begins with it. */
bool cdni_blames_pose(const cdn_failure *f);
/* A failure at an event, with the message of `work` if its last failure has this code. */
cdn_status cdni_fail_event(cdn_stepper *s, cdn_status code, const char *event, const char *format, ...)
    CDN_PRINTF(4, 5);

#endif
