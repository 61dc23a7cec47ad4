/* The stepper's inside, shared by the files of this room. */
#ifndef CARDAN_INTEGRATORS_INTERNAL_H
#define CARDAN_INTEGRATORS_INTERNAL_H

#include <float.h>
#include <math.h>

#include <cardan/motion.h>

#include "constraints/project.h"
#include "integrators/method.h"
#include "integrators/singular.h"
#include "system/system.h"

/* Vectors of the stepper's block start at multiples of 64 bytes. */
static inline size_t cdni_stride(int n) { return ((size_t)n + 7) & ~(size_t)7; }

/* What step size control remembers (control.c). */
typedef struct cdni_control {
  double next;       /* size that will be tried next */
  double last_error; /* of the last accepted step, over the tolerance */
  bool rejected;     /* the last attempt was: do not grow at once */
} cdni_control;

/* How fast a run has come on (headway.c). */
typedef struct cdni_headway {
  int steps, windows; /* accepted since the present window began; windows in a row without headway */
  double since, mean; /* when it began; mean step of the one before it, 0: there is none */
} cdni_headway;

/* The last attempts, for the failure report: a ring. */
typedef struct cdni_attempts {
  int count, next;
  double t[CDN_FAILURE_STEPS], h[CDN_FAILURE_STEPS], error[CDN_FAILURE_STEPS];
  double judged; /* error of the last one that had one, over what it was allowed */
} cdni_attempts;

/* How far coordinates have moved, and how far off they are (faint.c): nq numbers each, those of a vector at its first slot. */
typedef struct cdni_faint {
  double *start;         /* q where the run began */
  double *moved, *apart; /* largest weighted distances, from there and from the companion */
  double *driven;        /* how far they would go within the time scale from where the run began or restarted */
  double size;           /* the largest weighted coordinate that moves */
  int largest;           /* its slot; -1: none has moved */
} cdni_faint;

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
  size_t stride;   /* of vectors of ny */
  bool has_bodies; /* there are energies to account for */

  /* `work` is where trial points are evaluated; between calls it stands at the last accepted step. `report` is what the
   * caller sees: there, or within that step. */
  cdn_state *work, *report;
  double reported; /* time of report, whatever has been done to it since */
  double *shown;   /* y of report as the caller was shown it */
  uint64_t *noted; /* serials of report then (inputs.c) */
  bool tethered;   /* inputs were written before this call: steps end where it asks to */

  /* Accepted and trial values change places at each accepted step: y[at], f[at] are the accepted ones. */
  double t, *y[2], *f[2], power;
  int at;
  cdni_step step;
  bool dense;   /* step describes the one that led to t */
  double taken; /* size of the last accepted step */

  /* What is prescribed is not integrated: it has no part in norms, and y holds its effective value. */
  bool *prescribed;                   /* flags of the slots of q, then of u */
  int n_prescribed_q, n_prescribed_u; /* how many there are */

  cdni_singular singular;
  cdni_projector *projector; /* NULL: the System has no constraints */

  cdni_faint faint;
  double *weighted;    /* E times the error estimate: what the norms are taken of */
  bool weighted_valid; /* ... of the last attempt that had one */
  double *scale;       /* new / old quaternion length by q slot */
  double *drifted;     /* q at a step's end before it was projected */
  double pull;         /* how far projections move q in this attempt, over what they may (step.c) */
  double *scratch;     /* two vectors of ny */
  double *apart;       /* two more, for distances */
  double *weights;     /* room for q_weights, for u_weights, then for z_weights */
  double *q_weight;    /* the largest weight of q in a slot's mobilizer */
  int *vector;         /* by slot of q, then of u: the first slot of the vector that it is a component of (norm.c) */
  double *memory;      /* the method's own */
  void *solver;        /* what the method's `create` made */
  double *block;
  size_t block_size;

  cdni_control control;
  cdni_headway headway;
  double allowed;       /* error of the step that is tried */
  double rounding;      /* the least that any step may be allowed, as y is rounded */
  bool at_rounding;     /* ... is more than the accuracy allows */
  double covered;       /* sum of the accepted steps */
  double spent;         /* sum of their errors, each over what it was allowed */
  bool extended;        /* the method's `extend` was called for the last step */
  int stiff, not_stiff; /* steps in a row that stability did and did not seem to limit (control.c) */
  double fixed_start;   /* fixed steps end at fixed_start + n h, so that t does not drift */
  int64_t fixed_count, attempts;

  cdni_attempts last;
  cdn_certificate certificate;
  double largest_kinetic, absolute_work; /* the scale of the energy residual */
  double local_errors;                   /* sum of the norms of the estimated errors of all steps */
  bool muted;                            /* this is a companion: nothing is reported */
  cdni_passage passage;                  /* where this run has a companion or is one */
  struct cdni_companion *companion;      /* NULL: none */
  struct cdni_events *events;            /* NULL: the System has none */
  cdn_failure failure;
  int failed; /* the cdn_status of the last call that was to go on with the run, if it could not */

  bool busy;      /* a call that runs callbacks is under way */
  bool destroyed; /* ... and one of them asked for this stepper to be destroyed */
};

/* What the norm of a step's error estimate must not exceed (control.c). */
static inline double cdni_tolerance(const cdn_stepper *s) { return s->allowed; }

/* step.c: one accepted step that does not pass `end`; the report State is made ready for times before its end if
 * `serve` is one. On failure `work` is back at the last accepted step and the failure is kept. */
cdn_status cdni_take_step(cdn_stepper *s, double end, double serve);
/* Starts, or starts again, from what `work` holds: normalizes, and evaluates what is not valid. */
cdn_status cdni_begin(cdn_stepper *s);
/* Takes note of an error estimate before it is projected. */
void cdni_note_estimate(cdn_stepper *s, const double *e);
/* ydot and power where `work` stands: what is valid is not computed again. */
cdn_status cdni_evaluate_here(cdn_stepper *s, double *ydot, double *power);
/* A failure that a smaller step may cure: one that says so, or numbers that ran away. */
bool cdni_is_recoverable(const cdn_stepper *s, cdn_status status);
/* Puts `work` back at the last accepted step. */
void cdni_restore(cdn_stepper *s);

/* Which slots are prescribed where `work` stands. */
void cdni_note_prescribed(cdn_stepper *s);
/* Writes what is prescribed where `state` stands into its q and u, and into y (may be NULL). */
cdn_status cdni_settle(const cdn_stepper *s, cdn_state *state, double *y);

/* project.c: the manifold of the constraints, quaternion lengths among them (10.1). */

/* Where steps end they are projected whatever their errors are: what is left alone adds up over steps, and near singular
 * poses, where small errors of constraints are large ones of position, it may lead into another branch of the motion. */
typedef enum cdni_when { CDNI_WHERE_OFF, CDNI_ALWAYS } cdni_when;

/* Brings quaternions to unit length where they are off by more than rounding; the error that they had, or 0 if they are
 * left alone. s->scale has the new lengths over the old ones. */
double cdni_normalize(cdn_stepper *s, double *q);
/* Sets a State to time t and y on the manifold, as near to y as errors are measured: quaternions, what is prescribed
 * (8.4), then q and u (CDNI_WHERE_OFF: by more than the tolerance). y becomes what it is set to. */
cdn_status cdni_project(cdn_stepper *s, cdn_state *state, double t, double *y, cdni_when when);
/* Its last two parts, for a State that has been set; *moved is set if they did something. Nothing where the System has no
 * constraints. */
cdn_status cdni_project_q(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
cdn_status cdni_project_u(cdn_stepper *s, cdn_state *state, cdni_when when, bool *moved);
/* Brings a State that has been set to the manifold where rates are to be evaluated there (singular.h). */
cdn_status cdni_project_rates(cdn_stepper *s, cdn_state *state);
/* Takes from an error estimate what the projections of this attempt took from y. */
cdn_status cdni_project_estimate(cdn_stepper *s, double *e);
/* Projects `work`, at which a run starts, if it is near the manifold, and fails if it is not. */
cdn_status cdni_project_start(cdn_stepper *s);
/* Refuses a start at a singular pose with speeds that lead off the manifold; `work` has its rates. */
cdn_status cdni_project_start_rates(cdn_stepper *s);

/* y and the work done at time t within the last accepted step, unprojected, after whatever the method's dense output
 * still has to evaluate there (on `report`, which must hold the discrete variables of that step). */
cdn_status cdni_look(cdn_stepper *s, double t, double *y, double *work);
/* stepper.c: the report State at the last accepted step, and at a time within it. */
cdn_status cdni_report_step(cdn_stepper *s);
cdn_status cdni_report_within(cdn_stepper *s, double t);

/* A stepper that has all that it needs, and stands nowhere yet; a companion is `muted`. On failure nothing is left of it, and the
 * story is on `state`, whose System it is for. */
cdn_status cdni_stepper_make(cdn_state *state, const cdn_stepper_def *def, bool muted, const char *function,
                             cdn_stepper **out);

/* events.c: all do nothing where the System has no events. */
cdn_status cdni_events_create(cdn_stepper *s);
void cdni_events_destroy(cdn_stepper *s);
/* Saves or loads what the events of a run remember. */
void cdni_events_archive(cdn_stepper *s, cdni_archive *a);
/* Starts to watch from where `work` stands. */
cdn_status cdni_events_reset(cdn_stepper *s);
/* The time that the next step must not pass: `end`, or before it the next event that has a handler. */
double cdni_events_end(const cdn_stepper *s, double end);
/* What is to be done with an attempt that is good enough, but for events. */
typedef enum cdni_outcome {
  CDNI_STEP_TAKEN,
  CDNI_STEP_AGAIN,  /* once more, to end just before an event */
  CDNI_STEP_SHORTER /* it is too long to know of an event */
} cdni_outcome;

/* A step's way: tried, found good (locate.c: `error` is its own over the tolerance), accepted. An event may shorten the step.
 * cdni_events_aim: where an attempt ends that without events would end at t1; the call's own end may be nearer than it was. */
void cdni_events_attempt(cdn_stepper *s);
double cdni_events_aim(cdn_stepper *s, double t1, double end);
cdn_status cdni_events_examine(cdn_stepper *s, double error, cdni_outcome *outcome);
void cdni_events_rejected(cdn_stepper *s);
void cdni_events_accepted(cdn_stepper *s);
/* What step size control has to know of the accepted step if an event has ended it. */
void cdni_events_resize(cdn_stepper *s, double error);
/* Whether an event has ended the present step, and whether some are to be shown within it. */
bool cdni_events_cut(const cdn_stepper *s);
bool cdni_events_within(const cdn_stepper *s);
/* Lets everything occur up to t that is within the steps taken so far. *why is CDN_REACHED_TIME unless advance should come
 * back (never for mere events if `all`): then the report State is where it should be. */
cdn_status cdni_events_serve(cdn_stepper *s, double t, bool all, cdn_why *why);

/* companion.c: the run beside the run, and how far the two are apart. All do nothing where there is none. */

/* A companion that starts where `initial` does, if the def asks for one. What fails is on `initial`. */
cdn_status cdni_companion_create(cdn_stepper *s, cdn_state *initial);
void cdni_companion_destroy(cdn_stepper *s);
/* Brings the companion to where the run is shown. CDN_ERR_LIMIT: call again. */
cdn_status cdni_companion_catch_up(cdn_stepper *s);
/* The same, and compares the two. */
cdn_status cdni_companion_follow(cdn_stepper *s);
/* The same where advance is about to return, for the reason given. If it is CDN_ERR_LIMIT, the next call must come back here. */
cdn_status cdni_companion_show(cdn_stepper *s, cdn_why why);
bool cdni_companion_owes(cdn_stepper *s, cdn_why *why);
/* Passes on what has been written into the report State, t and y excepted. */
void cdni_companion_pass_on(cdn_stepper *s);
/* Starts the companion anew from the report State. */
void cdni_companion_restart(cdn_stepper *s);
/* A triggered event is about to be handled where `work` stands. */
void cdni_companion_note_event(cdn_stepper *s, int32_t event);
/* What the certificate says of it. */
void cdni_companion_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_companion_archive(cdn_stepper *s, cdn_state *state, cdni_archive *a);

/* faint.c: coordinates that are too small, or too large, for the accuracy asked. */
void cdni_faint_begin(cdn_stepper *s);
/* The run starts, or starts again, with the rates that it has now. */
cdn_status cdni_faint_drive(cdn_stepper *s);
void cdni_faint_accept(cdn_stepper *s);
/* The weighted differences of all slots between the run and its companion. */
void cdni_faint_compare(cdn_stepper *s, const double *weighted);
void cdni_faint_certify(const cdn_stepper *s, cdn_certificate *out);
void cdni_faint_archive(cdn_stepper *s, cdni_archive *a);

/* parting.c: whether two runs that were shown at t have gone different ways at a singular pose since `since`. */
typedef struct cdni_parting {
  double time;
  char name[96]; /* "": they have not */
} cdni_parting;
bool cdni_parted(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_parting *out);

/* inputs.c: what the caller has written into the report State since it was shown. */

/* The caller is shown `report` as it is now. */
void cdni_note_shown(cdn_stepper *s);
/* Takes what was written into the run, and starts it anew where something jumped. */
cdn_status cdni_take_inputs(cdn_stepper *s);
/* stepper.c: starts anew from a State of the System. What has no memory keeps its step size, unless y `jumps`. */
cdn_status cdni_restart(cdn_stepper *s, cdn_state *state, bool jumps, const char *function);
/* stepper.c: the first start of a stepper that was made. */
cdn_status cdni_start(cdn_stepper *s, const cdn_state *initial);
/* checkpoint.c: saves or loads all of a stepper but its def. */
void cdni_archive_run(cdn_stepper *s, cdni_archive *a);

/* singular.c: steps go over singular poses, not into them. All do nothing where steps are fixed. */
size_t cdni_singular_memory(const cdn_stepper *s); /* doubles */
void cdni_singular_divide(cdn_stepper *s, double *memory);
void cdni_singular_reset(cdn_stepper *s);
/* Before the size of a first step is chosen: where equations are redundant the run may start in a pose, from which a bridge leads. */
void cdni_singular_start(cdn_stepper *s);
/* The run's method, where s->method may be that of bridges. */
const cdni_method *cdni_singular_own_method(const cdn_stepper *s);
/* Before an attempt at a new step: behind a bridge the run's own method begins anew. */
cdn_status cdni_singular_leave(cdn_stepper *s);
/* The size of an attempt that errors allow to be h, `left` at most; decides which method takes it. */
double cdni_singular_size(cdn_stepper *s, double h, double left);
/* Whether rates are evaluated on the manifold: Newton's iteration of SUNDIALS' methods knows nothing of projections. */
bool cdni_singular_holds(const cdn_stepper *s);
/* What the attempt needs if it is a bridge. */
cdn_status cdni_singular_begin(cdn_stepper *s);
/* Whether the attempt was a bridge, whose error over the tolerance (< 0: it could not be evaluated) says nothing of other steps. */
bool cdni_singular_judges(cdn_stepper *s, double error);
/* Whether an attempt that is good ends clear of poses; if not, the next one will. */
/* Rounding near a singular pose is as large as errors of this attempt. */
bool cdni_singular_is_rough(const cdn_stepper *s);
bool cdni_singular_is_clear(cdn_stepper *s);
cdn_status cdni_singular_accept(cdn_stepper *s);
/* The smallest sine where `work` stands, over what it is elsewhere, and its block. INFINITY: there are no constraints. */
double cdni_singular_nearest(cdn_stepper *s, int *block);
void cdni_singular_archive(cdn_stepper *s, cdni_archive *a);

/* norm.c: the norm by which the attempt is judged: of its error estimate e (ny numbers), which is projected before. */
cdn_status cdni_step_norm(cdn_stepper *s, double *e, double *norm);
/* The largest of the three norms (9.12) of an error or a rate; z is relative to the larger of ya and yb, N is that of the
 * state at which `work` stands. Leaves E e in s->weighted. */
cdn_status cdni_error_norm(cdn_stepper *s, const double *e, const double *ya, const double *yb, double *norm);
/* The same in two: weights of u and z into w (ny numbers, those of q left alone), and the norm by them; w may be
 * s->weighted. */
void cdni_error_weights(const cdn_stepper *s, const double *ya, const double *yb, double *w);
cdn_status cdni_weighted_norm(cdn_stepper *s, const double *e, const double *w, double *norm);
/* How far two y are apart at `place`, a State with the q of one of them: norms of q, u and z in `of`. u is relative to the longer
 * of its vectors in ya and yb, as an error of phase is. Names the slot that is furthest off in the pool with the largest norm
 * (-1: there is none). */
cdn_status cdni_distance(cdn_stepper *s, cdn_state *place, const double *ya, const double *yb, double of[3],
                         cdn_pool *pool, int *slot);
/* Fills s->vector and s->q_weight. */
void cdni_find_vectors(cdn_stepper *s);
/* The slot with the largest weighted error, and that error over the norm of all. False if there is none to name. */
bool cdni_worst_slot(const cdn_stepper *s, cdn_pool *pool, int *i, double *share);

/* control.c */
cdn_status cdni_first_step(cdn_stepper *s);
/* The part of what a step of a short run is allowed that the next step is: where the end of the run is known, steps share the
 * accuracy, by the number of steps that the run is expected to take. The equal share of each is the cheapest way to keep their
 * sum. 1 where no end is known. */
double cdni_share(const cdn_stepper *s);
/* Sets the error that a step of size h is allowed. */
void cdni_allow(cdn_stepper *s, double h);
double cdni_min_step(const cdn_stepper *s);
/* Sizes the next attempt after one of size h whose error over the tolerance was `error`. */
void cdni_control_accepted(cdn_stepper *s, double h, double error);
void cdni_control_rejected(cdn_stepper *s, double h, double error);
/* After an accepted step that an event has cut to size h, of an attempt of size `planned` with error `error`. */
void cdni_control_cut(cdn_stepper *s, double h, double planned, double error);
/* After an evaluation that failed. */
void cdni_control_failed(cdn_stepper *s, double h);
/* Counts the accepted step if stability rather than accuracy seems to limit it. */
void cdni_note_stiffness(cdn_stepper *s);

/* headway.c: after an accepted step: false if the steps of this size will never come to the time `goal`. */
bool cdni_makes_headway(cdn_stepper *s, double goal);
/* The report of such a run: what keeps the steps short, and what cures it. */
cdn_status cdni_fail_headway(cdn_stepper *s, double goal);

/* certificate.c */
cdn_status cdni_certificate_begin(cdn_stepper *s);
/* Power of all that has no potential: forces, motions and locks, constraints that demand motion. */
cdn_status cdni_power(const cdn_stepper *s, cdn_state *state, double *power);
/* Energy of what `work` holds. */
cdn_status cdni_certificate_energy(cdn_stepper *s, double *energy);
/* Books the step that is about to be accepted; `work` is at its end. */
cdn_status cdni_certificate_accept(cdn_stepper *s);
/* Before a restart at time t: the energy so far, with the work beyond t taken back. */
cdn_status cdni_certificate_rewind(cdn_stepper *s, double t, double *energy);
/* After it: what `work` has more than that is a jump. */
cdn_status cdni_certificate_restart(cdn_stepper *s, double energy_before);
/* Largest error of quaternion lengths in q, which is not changed. */
double cdni_quaternion_error(cdn_stepper *s, const double *q);

/* failure.c: each keeps the report on the stepper and returns the status. */

/* The beginning and the end of a public call that runs callbacks. Such a call from within one of these callbacks is refused:
 * the first call is in the midst of changing what the second would change. */
cdn_status cdni_enter(cdn_stepper *s, const char *function);
cdn_status cdni_leave(cdn_stepper *s, const char *function, cdn_status status);
void cdni_note_attempt(cdn_stepper *s, double error);
cdn_status cdni_fail_argument(cdn_stepper *s, const char *function, cdn_status code, const char *format, ...)
    CDN_PRINTF(4, 5);
cdn_status cdni_fail_evaluation(cdn_stepper *s, const char *function, cdn_status code);
cdn_status cdni_fail_step(cdn_stepper *s, double error);
cdn_status cdni_fail_limit(cdn_stepper *s);
/* What every report begins with: where, the worst coordinate, and the last attempts in order. */
cdn_failure *cdni_begin_report(cdn_stepper *s);
/* Adds to the advice which constraint pulls hardest where `work` stands, and that the pose is singular if it is. */
void cdni_add_mechanism(cdn_stepper *s, cdn_failure *f);
/* Whether a report has the singular pose for its cause, which its advice then begins with. */
bool cdni_blames_pose(const cdn_failure *f);
/* At an event, with what `work` has to say about it if it failed with this code. */
cdn_status cdni_fail_event(cdn_stepper *s, cdn_status code, const char *event, const char *format, ...)
    CDN_PRINTF(4, 5);

#endif
