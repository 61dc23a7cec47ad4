/* Cardan: the System, and the door through which anything becomes part of one.
 *
 * A System is built, frozen, and from then on const: it may be shared by threads. Building is sticky: adders
 * return ids that need no checking; the first mistake is kept and cdn_system_freeze returns it.
 *
 * A *subsystem* declares what it needs of a State (variables, cache entries, error slots) and brings functions
 * that compute derivatives. Matter and forces use this same door. This header knows nothing of mechanics. */
#ifndef CARDAN_SYSTEM_H
#define CARDAN_SYSTEM_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/* ---- building ---------------------------------------------------------------------------- */

typedef struct cdn_system_def {
  CDN_DEF_HEADER;
  const char *name;        /**< appears in messages; copied; may be NULL */
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
  /** Check that what a compute function reads is upstream of it, and fail with CDN_ERR_UNDECLARED where it is
   *  not. Costs a test a read. Default: on in builds of the library without NDEBUG. */
  bool audit;
} cdn_system_def;

/** cdn_default_system_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_system_def_init(void *def, size_t size);
static inline cdn_system_def cdn_default_system_def(void) {
  cdn_system_def def;
  cdn_system_def_init(&def, sizeof def);
  return def;
}

/** An empty System with one reference, or NULL if memory ran out or `def` is malformed. `def` may be NULL. */
CDN_API cdn_system *cdn_system_create(const cdn_system_def *def);

/** Checks the model, orders the dependency graph and plans the State's block. After it, nothing can be added.
 *  Returns the first mistake made while building, if any; cdn_system_last_error tells which element. Cost: O(size
 *  of the model). Freezing twice is an error that leaves the System frozen. */
CDN_API cdn_status cdn_system_freeze(cdn_system *system) CDN_NODISCARD;
CDN_API bool cdn_system_is_frozen(const cdn_system *system);

/** Another reference to a System; thread-safe. */
CDN_API void cdn_system_retain(const cdn_system *system);
/** Drops a reference; the last one frees it. NULL is allowed. Every State holds a reference of its own. */
CDN_API void cdn_system_release(const cdn_system *system);

/** The first error met while building or freezing; code CDN_OK if none. */
CDN_API void cdn_system_last_error_sized(const cdn_system *system, cdn_error *out, size_t size);
static inline void cdn_system_last_error(const cdn_system *system, cdn_error *out) {
  cdn_system_last_error_sized(system, out, sizeof *out);
}
CDN_API const char *cdn_system_name(const cdn_system *system);

/* ---- what a frozen System says about itself ---------------------------------------------- */

CDN_API int cdn_system_nq(const cdn_system *system);       /**< number of generalized coordinates */
CDN_API int cdn_system_nu(const cdn_system *system);       /**< number of generalized speeds */
CDN_API int cdn_system_nz(const cdn_system *system);       /**< number of auxiliary states */
CDN_API int cdn_system_nqerr(const cdn_system *system);    /**< position constraint equations, on or off */
CDN_API int cdn_system_nuerr(const cdn_system *system);    /**< those and velocity constraint equations */
CDN_API int cdn_system_nudoterr(const cdn_system *system); /**< all of them: as many as there are multipliers */
/** Bytes of one State's block. */
CDN_API size_t cdn_system_state_size(const cdn_system *system);

/** Which of the pooled variables. */
typedef enum cdn_pool { CDN_POOL_Q, CDN_POOL_U, CDN_POOL_Z } cdn_pool;
/** Writes the name of pool slot i, such as "knee.q" or "torso.u[2]", to text (always terminated). */
CDN_API void cdn_system_slot_name(const cdn_system *system, cdn_pool pool, int i, char *text, size_t size);

/* ---- tickets ----------------------------------------------------------------------------- */

/* Everything that can be depended on has a ticket: time, the pools, a stage, a discrete variable or parameter
 * array, a cache entry. A prerequisite list names tickets. */
extern CDN_API const cdn_ticket CDN_T;           /**< time */
extern CDN_API const cdn_ticket CDN_Q;           /**< q as the integrator holds it */
extern CDN_API const cdn_ticket CDN_U;           /**< u as the integrator holds it */
extern CDN_API const cdn_ticket CDN_Z;           /**< all z */
extern CDN_API const cdn_ticket CDN_Q_EFF;       /**< q with prescribed values in place (8.3): what kinematics reads */
extern CDN_API const cdn_ticket CDN_U_EFF;       /**< u likewise */
extern CDN_API const cdn_ticket CDN_QDOT;        /**< N u */
extern CDN_API const cdn_ticket CDN_UDOT;        /**< generalized accelerations */
extern CDN_API const cdn_ticket CDN_ZDOT;        /**< rates of z */
extern CDN_API const cdn_ticket CDN_QERR;        /**< position constraint errors */
extern CDN_API const cdn_ticket CDN_UERR;        /**< velocity constraint errors */
extern CDN_API const cdn_ticket CDN_UDOTERR;     /**< acceleration constraint errors */
extern CDN_API const cdn_ticket CDN_MULTIPLIERS; /**< multipliers, one an acceleration constraint equation */
/** All that belongs to a stage and the stages before it. */
CDN_API cdn_ticket cdn_stage_ticket(cdn_stage stage);

/* ---- declaring resources ----------------------------------------------------------------- */

typedef struct cdn_declarer cdn_declarer; /**< borrowed: valid during `declare` only */

/** A run of z: indices first .. first + n - 1 of the z pool, known after freezing. */
typedef struct cdn_zvar {
  int32_t group;
  cdn_ticket ticket;
} cdn_zvar;
/** A discrete variable of fixed size: any trivially copyable bytes. */
typedef struct cdn_dvar {
  int32_t i;
  cdn_ticket ticket;
} cdn_dvar;
/** A computed value of fixed size. */
typedef struct cdn_cache {
  int32_t i;
  cdn_ticket ticket;
} cdn_cache;

/** Computes a cache entry into `out`, which is 8-byte aligned, of the declared size, and holds the previous
 *  contents. What it reads through the State must be upstream of the entry. */
typedef cdn_status cdn_calc_fn(const void *self, cdn_state *state, void *out);

/** Runs of q and u that this subsystem moves: its ops must bring calc_udot, and calc_qdot unless qdot = u.
 *  One call a subsystem. `q0` and `u0` are the default values, or NULL for zeros. Copied. */
CDN_API void cdn_declare_qu(cdn_declarer *d, int nq, const double *q0, int nu, const double *u0);
/** What calc_q_eff (CDN_POOL_Q) or calc_u_eff (CDN_POOL_U) of this subsystem reads: time if it is a function of time, the
 *  discrete variables and parameters that it looks at. u_eff may read q_eff anyway. */
CDN_API void cdn_declare_effective(cdn_declarer *d, cdn_pool pool, int n_prerequisites,
                                   const cdn_ticket *prerequisites);
/** n auxiliary states with default values z0 (NULL: zeros): the subsystem's calc_zdot gives their rates. */
CDN_API cdn_zvar cdn_declare_z(cdn_declarer *d, int n, const double *z0);
/** The unit changes of these z (n numbers > 0): an error of `accuracy` times its unit is what a step may have (manual
 *  9.2). Ones unless stated; cdn_stepper_def.z_weights replaces them. */
CDN_API void cdn_declare_z_scale(cdn_declarer *d, cdn_zvar z, const double *scale);
/** A discrete variable with its default value; setting it invalidates `invalidates` and every later stage,
 *  and whatever names its ticket as a prerequisite. CDN_STAGE_MODEL or later. */
CDN_API cdn_dvar cdn_declare_discrete(cdn_declarer *d, const char *name, size_t size, const void *initial,
                                      cdn_stage invalidates);
/** An Instance-stage array of n doubles: parameters are variables (masses, stiffnesses, switches). */
CDN_API cdn_dvar cdn_declare_parameters(cdn_declarer *d, const char *name, int n, const double *defaults);
/** A lazy cache entry: computed when asked for, valid until something upstream changes. */
CDN_API cdn_cache cdn_declare_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc,
                                    int n_prerequisites, const cdn_ticket *prerequisites);
/** The same, computed at the latest when `stage` is realized. */
CDN_API cdn_cache cdn_declare_eager_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc,
                                          int n_prerequisites, const cdn_ticket *prerequisites, cdn_stage stage);

/** A discrete variable and the cache entry that holds its next value (manual 7.3; friction memory, hysteresis).
 *  Read the *update* in computations; the stepper computes it, if nobody has, and swaps it in at the end of each
 *  accepted step, which invalidates nothing. (The update at a run's very start is thus read, but not swapped in.) */
typedef struct cdn_autovar {
  cdn_dvar variable;
  cdn_cache update;
} cdn_autovar;
CDN_API cdn_autovar cdn_declare_auto_update(cdn_declarer *d, const char *name, size_t size, const void *initial,
                                            cdn_calc_fn *calc, int n_prerequisites, const cdn_ticket *prerequisites);

/** Slots for np position, nv velocity and na acceleration constraint equations: np qerr, np + nv uerr,
 *  np + nv + na udoterr and multipliers (manual 7.4.4), which the ops' calc_qerr, calc_uerr, calc_udoterr and
 *  calc_multipliers fill. One call a subsystem. */
CDN_API void cdn_declare_constraint_errors(cdn_declarer *d, int np, int nv, int na);
/** n event trigger values that may be evaluated once `stage` is realized: the ops' calc_event_triggers computes them when
 *  they are asked for. Returns the group's index, for cdn_declare_event (events.h) and cdn_state_event_triggers. */
CDN_API int cdn_declare_event_triggers(cdn_declarer *d, cdn_stage stage, int n);
/** Ask for t and y of the last accepted step to be kept (cdn_state_previous_*). */
CDN_API void cdn_declare_previous(cdn_declarer *d);
/** The ticket of something declared under this name by a subsystem added before this one, or a ticket that makes
 *  freezing fail if there is none. Names: "subsystem.entry". Lets one subsystem read what another computed. */
CDN_API cdn_ticket cdn_find_ticket(cdn_declarer *d, const char *name);
/** Record an error that makes freezing fail; for use in `declare`. Returns `code` for convenience. */
CDN_API cdn_status cdn_declare_error(cdn_declarer *d, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);

/** Where a subsystem describes itself: borrowed, valid during `describe` only. */
typedef struct cdn_description cdn_description;
/** One line of what a checkpoint compares before it is loaded: an element's name and what it is, such as ("thigh", "pin on
 *  pelvis"). Declared variables are compared anyway; this is for what is fixed in the System and decides what its variables
 *  mean. Of lines that differ, the first is reported with both texts. */
CDN_API void cdn_describe(cdn_description *d, const char *element, const char *format, ...) CDN_PRINTF(3, 4);

/* ---- subsystems -------------------------------------------------------------------------- */

/** The operations of a subsystem. `self` is the System's private copy of what was given to
 *  cdn_system_add_subsystem; it is writable in `declare` only. All but `declare` are optional. A function that
 *  fails returns a status, which passes through to the caller of realize; see also cdn_state_fail. */
typedef struct cdn_subsystem_ops {
  uint32_t struct_size;
  const char *name; /**< unique names make better messages; copied */
  size_t self_size; /**< bytes of the private part */
  cdn_status (*declare)(void *self, cdn_declarer *d);
  /** Rates of this subsystem's own q, u, z, given the whole realized State (zdot may read udot). */
  cdn_status (*calc_qdot)(const void *self, cdn_state *state, double *qdot);
  cdn_status (*calc_udot)(const void *self, cdn_state *state, double *udot);
  cdn_status (*calc_zdot)(const void *self, cdn_state *state, double *zdot);
  /** q-space = N (u-space) and u-space = N^+ (q-space) on this subsystem's runs; needed where qdot is not u. */
  cdn_status (*multiply_by_N)(const void *self, cdn_state *state, const double *u, double *q);
  cdn_status (*multiply_by_N_inv)(const void *self, cdn_state *state, const double *q, double *u);
  /** Bring redundant coordinates (quaternions) back to their manifold in place and set scale[i] to
   *  new / old length for each q slot that changed; returns the largest error found. */
  double (*normalize_q)(const void *self, const cdn_state *state, double *q, double *scale);
  /** Prescribed coordinates (8.3): q (u) holds this subsystem's own as the integrator holds them; overwrite those that
   *  are known otherwise, from what cdn_declare_effective has named, and for u from q_eff. What is written must not
   *  depend on what was there. Both or neither. */
  cdn_status (*calc_q_eff)(const void *self, cdn_state *state, double *q);
  cdn_status (*calc_u_eff)(const void *self, cdn_state *state, double *u);
  /** Sets the flags of the slots that these overwrite at present (discrete variables decide it): they are not integrated.
   *  Needed with them. */
  void (*mark_prescribed)(const void *self, const cdn_state *state, bool *q, bool *u);
  /** Constraint errors of this subsystem's own equations, and their multipliers, in the order in which it counts them:
   *  given positions, velocities, and rates. */
  cdn_status (*calc_qerr)(const void *self, cdn_state *state, double *qerr);
  cdn_status (*calc_uerr)(const void *self, cdn_state *state, double *uerr);
  cdn_status (*calc_udoterr)(const void *self, cdn_state *state, double *udoterr);
  cdn_status (*calc_multipliers)(const void *self, cdn_state *state, double *multipliers);
  /** Names the subsystem's slot `i` of a pool. */
  void (*slot_name)(const void *self, cdn_pool pool, int i, char *text, size_t size);
  /** Values of a declared group of event triggers (NaN: not defined here), given a State realized to its stage. It may
   *  read what that stage needs, and what the subsystem itself has declared before the group. */
  cdn_status (*calc_event_triggers)(const void *self, cdn_state *state, int group, double *values);
  /** A run begins at this State, or goes on from it after a handler or a restart has changed something: what remembers
   *  the steps before may take note that they do not lead here. It may set this subsystem's own variables. */
  cdn_status (*begin_run)(const void *self, cdn_state *state);
  /** The latest time at which a step from this State may end, for what looks back a fixed time or knows of a moment at
   *  which rates jump; INFINITY: any. A time that is not after the State's is ignored. */
  double (*next_stop)(const void *self, const cdn_state *state);
  /** What checkpoints compare, beyond what was declared: see cdn_describe. */
  void (*describe)(const void *self, const cdn_system *system, cdn_description *d);
  void (*destroy)(void *self);
} cdn_subsystem_ops;

/** Adds a subsystem; `self` is copied (self_size bytes; may be NULL if that is 0). */
CDN_API cdn_subsystem cdn_system_add_subsystem(cdn_system *system, const cdn_subsystem_ops *ops, const void *self);
/** The private part of a subsystem (const: a frozen System does not change), or NULL for a wrong id. */
CDN_API const void *cdn_subsystem_self(const cdn_system *system, cdn_subsystem id);

CDN_END_DECLS
#endif
