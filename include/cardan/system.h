/* Cardan: the System, a model, and its subsystems, the parts that a model is made of.
 *
 * You build a System and freeze it. A frozen System never changes, so threads may share it. Building is sticky:
 * adders return ids that need no check; the System keeps the first mistake, and cdn_system_freeze returns it.
 *
 * A *subsystem* declares its part of a State (variables, cache entries, error slots) and brings functions that
 * compute rates and errors. Matter and forces are subsystems like yours. This header contains no mechanics.
 * docs/state.md has an example.
 *
 * I want to
 *   start a model: cdn_system_create
 *   set options of the model: name, allocator, audit: cdn_default_system_def
 *   finish the model, so that States can be made of it: cdn_system_freeze
 *   know whether the model is finished: cdn_system_is_frozen
 *   share the model with another owner or thread: cdn_system_retain
 *   give up a model: cdn_system_release
 *   read the first building mistake: cdn_system_last_error
 *   get the model's name: cdn_system_name
 *   say in which units the model is, and know how they are called: cdn_system_set_units, cdn_system_units,
 *       cdn_system_unit
 *   count coordinates q, speeds u, auxiliary states z: cdn_system_nq, cdn_system_nu, cdn_system_nz
 *   count constraint equations at position, velocity and acceleration level: cdn_system_nqerr, cdn_system_nuerr,
 *       cdn_system_nudoterr
 *   name one coordinate, speed or z, such as "knee.q": cdn_system_slot_name
 *   find a slot of q, u or z by its name: cdn_system_find_slot
 *   list everything that has a ticket, find it by its name: cdn_system_ticket_count, cdn_ticket_name,
 *       cdn_system_find_ticket
 *   know the memory of one State: cdn_system_state_size
 *   add a subsystem: cdn_system_add_subsystem
 *   get a subsystem's private part: cdn_subsystem_self
 *   declare coordinates and speeds: cdn_declare_qu
 *   declare what prescribed coordinates depend on: cdn_declare_effective
 *   declare auxiliary states, and their unit changes: cdn_declare_z, cdn_declare_z_scale
 *   declare a discrete variable: cdn_declare_discrete
 *   declare an array of parameters: cdn_declare_parameters
 *   declare parameters that all States share until one is changed (charges): cdn_declare_shared_parameters
 *   declare a computed value: on demand, or with a stage: cdn_declare_cache, cdn_declare_eager_cache
 *   declare a variable that accepted steps update (friction, hysteresis): cdn_declare_auto_update
 *   declare constraint equations: cdn_declare_constraint_errors
 *   declare event triggers: cdn_declare_event_triggers
 *   keep the time and state of the last accepted step: cdn_declare_previous
 *   depend on what another subsystem computes: cdn_find_ticket
 *   depend on a whole stage: cdn_stage_ticket
 *   report a mistake while declaring: cdn_declare_error
 *   describe fixed data that checkpoints must compare: cdn_describe */
#ifndef CARDAN_SYSTEM_H
#define CARDAN_SYSTEM_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/* ---- building ---------------------------------------------------------------------------- */

typedef struct cdn_system_def {
  CDN_DEF_HEADER;
  const char *name;        /**< appears in messages; copied; may be NULL */
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
  /** true: check that compute functions read only what they declared; a read of anything else fails with
   *  CDN_ERR_UNDECLARED. Also refuse ids of variables, entries and regions that another System has declared, with
   *  CDN_ERR_ARG. Costs one test for each read. Default: true in builds of the library without NDEBUG. */
  bool audit;
} cdn_system_def;

CDN_DEF(system_def);

/** Makes an empty System with one reference. `def` may be NULL: the defaults. NULL if memory ran out or `def` is
 *  malformed. */
CDN_API cdn_system *cdn_system_create(const cdn_system_def *def) CDN_NODISCARD;

/** Checks the model, orders the dependency graph and lays out the memory of States. Afterwards nothing can be added.
 *  Returns the status of the first building mistake; cdn_system_last_error names the element. CDN_ERR_FROZEN if the
 *  System is frozen already; it stays frozen. Cost: O(size of the model). */
CDN_API cdn_status cdn_system_freeze(cdn_system *system) CDN_NODISCARD;
CDN_API bool cdn_system_is_frozen(const cdn_system *system);

/** Adds a reference to a System; thread-safe. */
CDN_API void cdn_system_retain(const cdn_system *system);
/** Removes a reference; the last one frees the System. Thread-safe. NULL is allowed. Every State holds a reference. */
CDN_API void cdn_system_release(const cdn_system *system);

/** The first error of building or freezing; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_system_last_error, (const cdn_system *system, cdn_error *out), (system, out), out);
CDN_API const char *cdn_system_name(const cdn_system *system);

/** Units that the numbers of a System are in. The library calculates with numbers; units are what it calls them, in
 *  parameters, coordinates and pages. */
typedef enum cdn_units {
  CDN_UNITS_SI,        /**< m, s, kg, N, J: what comments of the headers say */
  CDN_UNITS_MOLECULAR, /**< nm, ps, Da, kJ/mol/nm, kJ/mol */
  CDN_UNITS_COUNT
} cdn_units;
/** Sets them; default CDN_UNITS_SI. cdn_system_add_molecule sets CDN_UNITS_MOLECULAR. Sticky. */
CDN_API void cdn_system_set_units(cdn_system *system, cdn_units units);
CDN_API cdn_units cdn_system_units(const cdn_system *system);
/** What the System calls a unit of the SI: "N m" is "kJ/mol" where units are molecular. In the SI, and where nothing is
 *  to be called otherwise ("rad", "1"), that is `si` itself; else static text. "" for what has no name. */
CDN_API const char *cdn_system_unit(const cdn_system *system, const char *si);

/* ---- sizes of a frozen System ------------------------------------------------------------ */

CDN_API int cdn_system_nq(const cdn_system *system);       /**< number of generalized coordinates */
CDN_API int cdn_system_nu(const cdn_system *system);       /**< number of generalized speeds */
CDN_API int cdn_system_nz(const cdn_system *system);       /**< number of auxiliary states */
CDN_API int cdn_system_nqerr(const cdn_system *system);    /**< position constraint equations, enabled or not */
CDN_API int cdn_system_nuerr(const cdn_system *system);    /**< position and velocity constraint equations */
CDN_API int cdn_system_nudoterr(const cdn_system *system); /**< all constraint equations, and so all multipliers */
/** Bytes of memory of one State, without the parts whose size varies: elements of regions, own values of shared
 *  arrays, workspace, and the numbers of the enabled constraints. */
CDN_API size_t cdn_system_state_size(const cdn_system *system);

/** The pools of continuous variables. */
typedef enum cdn_pool { CDN_POOL_Q, CDN_POOL_U, CDN_POOL_Z } cdn_pool;
/** Writes the name of slot i of a pool, such as "knee.q" or "torso.u[2]", into `text` (cut to `size`, ended with 0). */
CDN_API void cdn_system_slot_name(const cdn_system *system, cdn_pool pool, int i, char *text, size_t size);
/** The reverse: the slot of this name in a pool of a frozen System; -1 if there is none. -1 with the thread's last
 *  error (base.h): no such pool, the System is not frozen, no memory. O(slots). */
CDN_API int cdn_system_find_slot(const cdn_system *system, cdn_pool pool, const char *name);

/* ---- tickets ----------------------------------------------------------------------------- */

/* Every prerequisite has a ticket: time, the pools, a stage, a discrete variable, a parameter array, a cache entry.
 * Lists of prerequisites contain tickets. */
extern CDN_API const cdn_ticket CDN_T;           /**< time */
extern CDN_API const cdn_ticket CDN_Q;           /**< q as the integrator holds it */
extern CDN_API const cdn_ticket CDN_U;           /**< u as the integrator holds it */
extern CDN_API const cdn_ticket CDN_Z;           /**< all z */
extern CDN_API const cdn_ticket CDN_Q_EFF;       /**< q with prescribed values inserted (8.3); kinematics read it */
extern CDN_API const cdn_ticket CDN_U_EFF;       /**< u with prescribed values inserted */
extern CDN_API const cdn_ticket CDN_QDOT;        /**< N u */
extern CDN_API const cdn_ticket CDN_UDOT;        /**< generalized accelerations */
extern CDN_API const cdn_ticket CDN_ZDOT;        /**< rates of z */
extern CDN_API const cdn_ticket CDN_QERR;        /**< position constraint errors */
extern CDN_API const cdn_ticket CDN_UERR;        /**< velocity constraint errors */
extern CDN_API const cdn_ticket CDN_UDOTERR;     /**< acceleration constraint errors */
extern CDN_API const cdn_ticket CDN_MULTIPLIERS; /**< multipliers, one for each acceleration constraint equation */
/** The ticket of all results of a stage and of the stages before it. */
CDN_API cdn_ticket cdn_stage_ticket(cdn_stage stage);

/** How many tickets there are: their numbers are 1 to this, without it. */
CDN_API int cdn_system_ticket_count(const cdn_system *system);
/** The name that belongs to a ticket: "t", "q", "Position", "matter.pose", "subsystem.entry"; NULL for a wrong ticket.
 *  Valid as long as the System. */
CDN_API const char *cdn_ticket_name(const cdn_system *system, cdn_ticket ticket);
/** The ticket with this name; { 0 } if there is none. Entries and variables of a subsystem have tickets once they are
 *  declared. O(tickets). */
CDN_API cdn_ticket cdn_system_find_ticket(const cdn_system *system, const char *name);

/* ---- declaring resources ----------------------------------------------------------------- */

typedef struct cdn_declarer cdn_declarer; /**< valid during `declare` only */

/** A group of z: n neighbouring slots of the z pool; their place is known after freezing. */
typedef struct cdn_zvar {
  int32_t group;
  cdn_ticket ticket; /**< of the whole group, for lists of prerequisites */
} cdn_zvar;
/* What a subsystem declares belongs to one System. `of` is a mark of this System: where the audit is on, functions of a
 * State refuse what another System has declared. A mark of 0 is not looked at: programs may make an id of a ticket. */

/** A discrete variable of fixed size: any trivially copyable bytes. */
typedef struct cdn_dvar {
  int32_t of;
  cdn_ticket ticket; /**< for lists of prerequisites */
} cdn_dvar;
/** A computed value of fixed size. */
typedef struct cdn_cache {
  int32_t of;
  cdn_ticket ticket; /**< for lists of prerequisites */
} cdn_cache;

/** Computes a cache entry into `out`, which has the declared size, is 8-byte aligned, and holds the previous
 *  contents. The function may read from the State only prerequisites of the entry, and entries computed from them. */
typedef cdn_status cdn_calc_fn(const void *self, cdn_state *state, void *out);

/** Declares q and u of this subsystem. Its ops must have calc_udot, and calc_qdot unless qdot = u. At most one call
 *  for each subsystem. `q0` and `u0` are default values (copied); NULL: zeros. */
CDN_API void cdn_declare_qu(cdn_declarer *d, int nq, const double *q0, int nu, const double *u0);
/** Declares the prerequisites of calc_q_eff (CDN_POOL_Q) or calc_u_eff (CDN_POOL_U) of this subsystem: time if it is a
 *  function of time, and the discrete variables and parameters that it reads. u_eff may always read q_eff. */
CDN_API void cdn_declare_effective(cdn_declarer *d, cdn_pool pool, int n_prerequisites,
                                   const cdn_ticket *prerequisites);
/** Declares n auxiliary states z with default values z0 (NULL: zeros). The subsystem's calc_zdot computes their
 *  rates. */
CDN_API cdn_zvar cdn_declare_z(cdn_declarer *d, int n, const double *z0);
/** Declares the unit changes of these z (n numbers > 0): each step may make an error of accuracy times the unit (manual
 *  9.2). Default: ones. cdn_stepper_def.z_weights overrides them. */
CDN_API void cdn_declare_z_scale(cdn_declarer *d, cdn_zvar z, const double *scale);
/** Declares a discrete variable with a default value. Setting it invalidates the stage `invalidates`
 *  (CDN_STAGE_MODEL or later), every later stage, and every entry that has its ticket as a prerequisite. */
CDN_API cdn_dvar cdn_declare_discrete(cdn_declarer *d, const char *name, size_t size, const void *initial,
                                      cdn_stage invalidates);
/** Declares an Instance-stage array of n doubles, for parameters such as masses, stiffnesses and switches. */
CDN_API cdn_dvar cdn_declare_parameters(cdn_declarer *d, const char *name, int n, const double *defaults);
/** Declares a parameter array that all States share until one of them is changed, such as the charges of a molecule. A
 *  State reads the defaults in the System until the array is set in it. Setting gives the State values of its own,
 *  which its copies share in turn. So setting may allocate, and moves the array: pointers from cdn_state_parameters
 *  are valid until the array is set in this State, or another State is copied to it or loaded. */
CDN_API cdn_dvar cdn_declare_shared_parameters(cdn_declarer *d, const char *name, int n, const double *defaults);
/** Declares a lazy cache entry: computed when asked for, valid until one of its prerequisites changes. */
CDN_API cdn_cache cdn_declare_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc,
                                    int n_prerequisites, const cdn_ticket *prerequisites);
/** Declares an eager cache entry: computed when `stage` is realized, or earlier when asked for. */
CDN_API cdn_cache cdn_declare_eager_cache(cdn_declarer *d, const char *name, size_t size, cdn_calc_fn *calc,
                                          int n_prerequisites, const cdn_ticket *prerequisites, cdn_stage stage);

/** A discrete variable with a cache entry that holds its next value (manual 7.3; friction memory, hysteresis).
 *  Computations read the *update*. At the end of each accepted step the stepper computes the update if it is not
 *  valid, and makes it the variable's value; this invalidates nothing. (At the very start of a run the update is
 *  read, but does not become the value.) */
typedef struct cdn_autovar {
  cdn_dvar variable;
  cdn_cache update;
} cdn_autovar;
CDN_API cdn_autovar cdn_declare_auto_update(cdn_declarer *d, const char *name, size_t size, const void *initial,
                                            cdn_calc_fn *calc, int n_prerequisites, const cdn_ticket *prerequisites);

/** Declares np position, nv velocity and na acceleration constraint equations: np slots of qerr, np + nv of uerr, np
 *  + nv + na of udoterr and of multipliers (manual 7.4.4). calc_qerr, calc_uerr, calc_udoterr and calc_multipliers
 *  of the ops fill them. At most one call for each subsystem. */
CDN_API void cdn_declare_constraint_errors(cdn_declarer *d, int np, int nv, int na);
/** Declares n event trigger values, which can be computed once `stage` is realized; calc_event_triggers of the ops
 *  computes them when asked for. Returns the index of the group, for cdn_declare_event (events.h) and
 *  cdn_state_event_triggers. */
CDN_API int cdn_declare_event_triggers(cdn_declarer *d, cdn_stage stage, int n);
/** Lets States keep t and y of the last accepted step (cdn_state_previous_*). */
CDN_API void cdn_declare_previous(cdn_declarer *d);
/** The ticket of an entry "subsystem.entry" that an earlier subsystem declared. With it one subsystem can read
 *  results of another. If there is no such entry, freezing fails. */
CDN_API cdn_ticket cdn_find_ticket(cdn_declarer *d, const char *name);
/** Records an error, so that freezing fails; for use in `declare`. Returns `code`. */
CDN_API cdn_status cdn_declare_error(cdn_declarer *d, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);

/** The description of a System in checkpoints; valid during `describe` only. */
typedef struct cdn_description cdn_description;
/** Adds a line to the description: an element's name and its nature, such as ("thigh", "pin on pelvis"). Before a
 *  checkpoint is loaded, the descriptions of both Systems are compared, and the first lines that differ are reported.
 *  Declared variables are compared anyway; describe whatever else decides what the variables mean. */
CDN_API void cdn_describe(cdn_description *d, const char *element, const char *format, ...) CDN_PRINTF(3, 4);

/* ---- subsystems -------------------------------------------------------------------------- */

/** The derivatives of a subsystem's zdot; valid during `calc_zdot_derivative` only. */
typedef struct cdn_zdot_derivatives cdn_zdot_derivatives;
/** The picture of a State that is being made (scene.h); valid during `decorate` only. */
typedef struct cdn_decorations cdn_decorations;

/** The operations of a subsystem. `self` is the System's private copy of the argument of cdn_system_add_subsystem;
 *  only `declare` may write it. All operations but `declare` are optional. A status other than CDN_OK is returned to
 *  the caller of realize; cdn_state_fail adds a message. */
typedef struct cdn_subsystem_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; should be unique; copied */
  size_t self_size; /**< bytes of the private part */
  cdn_status (*declare)(void *self, cdn_declarer *d);
  /** Compute the rates of this subsystem's own q, u and z. zdot may read udot. */
  cdn_status (*calc_qdot)(const void *self, cdn_state *state, double *qdot);
  cdn_status (*calc_udot)(const void *self, cdn_state *state, double *udot);
  cdn_status (*calc_zdot)(const void *self, cdn_state *state, double *zdot);
  /** q = N u and u = N^+ q on this subsystem's own slots; needed if qdot is not u. */
  cdn_status (*multiply_by_N)(const void *self, cdn_state *state, const double *u, double *q);
  cdn_status (*multiply_by_N_inv)(const void *self, cdn_state *state, const double *q, double *u);
  /** Brings redundant coordinates (quaternions) back to their manifold in place. Sets scale[i] to new / old length
   *  for each changed q slot. Returns the largest error that it found. */
  double (*normalize_q)(const void *self, const cdn_state *state, double *q, double *scale);
  /** Insert prescribed values (8.3). On entry q (u) has this subsystem's slots as the integrator holds them;
   *  overwrite the prescribed ones. Read only what cdn_declare_effective named, and q_eff for u. A value written
   *  must not depend on the value that it replaces. Both functions or neither. */
  cdn_status (*calc_q_eff)(const void *self, cdn_state *state, double *q);
  cdn_status (*calc_u_eff)(const void *self, cdn_state *state, double *u);
  /** Sets the flags of the slots that calc_q_eff and calc_u_eff overwrite at present, as discrete variables decide.
   *  These slots are not integrated. Needed with calc_q_eff and calc_u_eff. */
  void (*mark_prescribed)(const void *self, const cdn_state *state, bool *q, bool *u);
  /** Compute errors of this subsystem's constraint equations, and their multipliers, in its own order. Position errors
   *  need Position, velocity errors Velocity, acceleration errors and multipliers the accelerations. */
  cdn_status (*calc_qerr)(const void *self, cdn_state *state, double *qerr);
  cdn_status (*calc_uerr)(const void *self, cdn_state *state, double *uerr);
  cdn_status (*calc_udoterr)(const void *self, cdn_state *state, double *udoterr);
  cdn_status (*calc_multipliers)(const void *self, cdn_state *state, double *multipliers);
  /** Names the subsystem's slot `i` of a pool. */
  void (*slot_name)(const void *self, cdn_pool pool, int i, char *text, size_t size);
  /** Computes the values of a declared group of event triggers (NaN: not defined here), with the State realized to the
   *  group's stage. It may read the prerequisites of that stage, and what the subsystem declared before the group. */
  cdn_status (*calc_event_triggers)(const void *self, cdn_state *state, int group, double *values);
  /** A run starts at this State, or a handler or a restart has changed the State discontinuously: discard step history
   *  here. May set this subsystem's own variables. */
  cdn_status (*begin_run)(const void *self, cdn_state *state);
  /** The latest time (s) at which a step from this State may end: for delays, and for known times at which rates jump.
   *  INFINITY: no limit. A time that is not after the State's is ignored. */
  double (*next_stop)(const void *self, const cdn_state *state);
  /** Describes the subsystem for checkpoints, beyond its declared variables: see cdn_describe. */
  void (*describe)(const void *self, const cdn_system *system, cdn_description *d);
  void (*destroy)(void *self);
  /** Describes the derivatives of calc_zdot by q, u, z and udot, with the functions of <cardan/derivatives.h>. NULL:
   *  derivatives use differences of calc_zdot. */
  cdn_status (*calc_zdot_derivative)(const void *self, cdn_state *state, cdn_zdot_derivatives *derivatives);
  /** Adds marks to the picture of a State, with the functions of <cardan/scene.h>. It may read everything, and realize
   *  the State as far as it needs. */
  cdn_status (*decorate)(const void *self, cdn_state *state, cdn_decorations *d);
} cdn_subsystem_ops;

/** Adds a subsystem. Copies self_size bytes of `self` (which may be NULL if that is 0). Sticky. */
CDN_API cdn_subsystem cdn_system_add_subsystem(cdn_system *system, const cdn_subsystem_ops *ops, const void *self);
/** The private part of a subsystem, which a frozen System does not change; NULL for a wrong id. */
CDN_API const void *cdn_subsystem_self(const cdn_system *system, cdn_subsystem id);

CDN_END_DECLS
#endif
