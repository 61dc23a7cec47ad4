/* Cardan: the State, which holds all variables of a System (t, q, u, z, parameters) and caches the results computed
 * from them.
 *
 * Reading never invalidates. A setter invalidates exactly the results that depend on the variable. A getter computes
 * its result if it is not valid, so a result that you read is never out of date. A State belongs to one thread at a
 * time; functions that may compute results take it non-const.
 *
 * Pointers that getters return are valid as long as the State; the numbers change when the State does. Regions
 * (regions.h) and shared parameter arrays are the exceptions: setting or copying may move them.
 *
 * I want to
 *   find a parameter array by its name: cdn_system_find_parameters
 *   read any variable or cache entry by its ticket: cdn_state_entry
 *   make a State with default values: cdn_state_create
 *   copy a State: cdn_state_copy
 *   give up a State: cdn_state_destroy
 *   get the System of a State: cdn_state_system
 *   read or set the time: cdn_state_time, cdn_state_set_time
 *   read or set all coordinates: cdn_state_q, cdn_state_set_q
 *   read or set all speeds: cdn_state_u, cdn_state_set_u
 *   read or set all auxiliary states: cdn_state_z, cdn_state_set_z
 *   set some slots of q, u or z: cdn_state_set_slots
 *   set time, q, u and z at once: cdn_state_set_ty
 *   read q and u with prescribed values in place: cdn_state_q_eff, cdn_state_u_eff
 *   write prescribed values into q and u: cdn_prescribe
 *   read the rates of q, u and z: cdn_state_qdot, cdn_state_udot, cdn_state_zdot
 *   compute everything up to a stage now: cdn_realize
 *   know the highest stage that is computed: cdn_state_stage
 *   know whether a variable has changed since I looked: cdn_state_serial
 *   get the accelerations of the State under all its forces: cdn_state_udot
 *   read constraint errors: positions, velocities, accelerations: cdn_state_qerr, cdn_state_uerr, cdn_state_udoterr
 *   read the multipliers: cdn_state_multipliers
 *   read the last failure of a State: cdn_state_last_error
 *   save or load a State: cdn_state_save, cdn_state_load
 *   read or set declared auxiliary states: cdn_state_zvar, cdn_state_set_zvar
 *   read or set a discrete variable: cdn_state_discrete, cdn_state_set_discrete
 *   read or set parameters: cdn_state_parameters, cdn_state_set_parameters
 *   read a computed value: cdn_eval
 *   make these updates now: cdn_state_auto_update
 *   read the values of declared triggers: cdn_state_event_triggers
 *   read them: cdn_state_previous_t, cdn_state_previous_y
 *   report a failure while computing: cdn_state_fail
 *   use scratch memory without allocating: cdn_work_push, cdn_work_pop */
#ifndef CARDAN_STATE_H
#define CARDAN_STATE_H

#include <cardan/stream.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/** Makes a State of a frozen System, with default values; the first use realizes it to Instance. Errors: CDN_ERR_ARG
 *  (NULL), CDN_ERR_NOT_FROZEN (call cdn_system_freeze first), CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_state_create(const cdn_system *system, cdn_state **out) CDN_NODISCARD;
/** Copies src to dst, results included: one memcpy, and one for each region. Both must be States of the same System.
 *  CDN_ERR_ARG if they are not, and while something of dst is being computed. Allocates only if a region of src is
 *  longer than that of dst ever was. CDN_ERR_NOMEM: dst is unchanged. */
CDN_API cdn_status cdn_state_copy(cdn_state *dst, const cdn_state *src) CDN_NODISCARD;
CDN_API void cdn_state_destroy(cdn_state *state); /**< NULL is allowed */
CDN_API const cdn_system *cdn_state_system(const cdn_state *state);
/** The highest stage to which the whole State is realized now. */
CDN_API cdn_stage cdn_state_stage(const cdn_state *state);
/** The last failure of a call on this State; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_state_last_error, (const cdn_state *state, cdn_error *out), (state, out), out);
/** For callbacks: stores the message of a failure on the State and returns `code`. `element` may be NULL. */
CDN_API cdn_status cdn_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *element,
                                  const char *format, ...) CDN_PRINTF(5, 6);

/* ---- variables ------------------------------------------------------------------------------
 *
 * Setters return CDN_ERR_NONFINITE for a NaN or an infinity, and CDN_ERR_ARG while something of the State is being
 * computed; then nothing changes. */

/** The time, s, and the pools: rad or m, rad/s or m/s, and what their owners say of z. */
CDN_API double cdn_state_time(const cdn_state *state);
CDN_API const double *cdn_state_q(const cdn_state *state); /**< nq numbers */
CDN_API const double *cdn_state_u(const cdn_state *state); /**< nu numbers */
CDN_API const double *cdn_state_z(const cdn_state *state); /**< nz numbers: the whole pool */
/** The nz numbers of one group within the pool of z. */
CDN_API const double *cdn_state_zvar(const cdn_state *state, cdn_zvar z);

/** Set the time (s), or all numbers of a pool. */
CDN_API cdn_status cdn_state_set_time(cdn_state *state, double t) CDN_NODISCARD;
CDN_API cdn_status cdn_state_set_q(cdn_state *state, const double *q) CDN_NODISCARD;
CDN_API cdn_status cdn_state_set_u(cdn_state *state, const double *u) CDN_NODISCARD;
CDN_API cdn_status cdn_state_set_z(cdn_state *state, const double *z) CDN_NODISCARD;
/** Sets slots first ... first + n - 1 of a pool. CDN_ERR_ARG if the pool does not have all of them. */
CDN_API cdn_status cdn_state_set_slots(cdn_state *state, cdn_pool pool, int first, int n,
                                       const double *values) CDN_NODISCARD;
CDN_API cdn_status cdn_state_set_zvar(cdn_state *state, cdn_zvar z, const double *values) CDN_NODISCARD;
/** Sets t and all of y = (q, u, z) at once. */
CDN_API cdn_status cdn_state_set_ty(cdn_state *state, double t, const double *y) CDN_NODISCARD;

/** The bytes of a discrete variable; NULL for a wrong one. The setter copies as many. */
CDN_API const void *cdn_state_discrete(const cdn_state *state, cdn_dvar v);
CDN_API cdn_status cdn_state_set_discrete(cdn_state *state, cdn_dvar v, const void *value) CDN_NODISCARD;
/** The parameter array with this name, "subsystem.array", and its length (n may be NULL). Where there is none, its
 *  ticket is { 0 } and n is 0. */
CDN_API cdn_dvar cdn_system_find_parameters(const cdn_system *system, const char *name, int *n);
/** Parameter arrays: read all numbers, or set n of them from index `first`. Setting a shared array may allocate;
 *  CDN_ERR_NOMEM: it is unchanged. */
CDN_API const double *cdn_state_parameters(const cdn_state *state, cdn_dvar v);
CDN_API cdn_status cdn_state_set_parameters(cdn_state *state, cdn_dvar v, int first, int n,
                                            const double *values) CDN_NODISCARD;
/** Number of changes of a variable (t, q, u, z, a discrete variable) since the State was made; 0 for other tickets. */
CDN_API uint64_t cdn_state_serial(const cdn_state *state, cdn_ticket ticket);

/** Writes the effective values of q and u (manual 8.3) back into q and u where they differ. After this cdn_state_q and
 *  cdn_state_u give the values that kinematics use. Invalidates only results that depend on the old q and u. *changed
 *  (may be NULL) tells whether anything was written. The stepper calls it by itself. */
CDN_API cdn_status cdn_prescribe(cdn_state *state, bool *changed) CDN_NODISCARD;

/** t and y after the last accepted step, if a subsystem has declared cdn_declare_previous; else NULL. */
CDN_API const double *cdn_state_previous_t(const cdn_state *state);
CDN_API const double *cdn_state_previous_y(const cdn_state *state);

/* ---- computed values ---------------------------------------------------------------------- */

/** Realizes all stages up to `stage`: computes the eager entries that are not valid. On failure the State is
 *  realized as far as it came, and cdn_state_last_error has the message. */
CDN_API cdn_status cdn_realize(cdn_state *state, cdn_stage stage) CDN_NODISCARD;
/** The value behind a ticket of any subsystem: t, a pool, a variable, a region, or a cache entry, which is computed if
 *  it is not valid. *value points to *size bytes (`size` may be NULL), which are valid until something changes; for a
 *  region, to its elements. CDN_ERR_ARG for a stage or a wrong ticket; otherwise what computing returns.
 *  cdn_system_find_ticket finds tickets by name. */
CDN_API cdn_status cdn_state_entry(cdn_state *state, cdn_ticket ticket, const void **value, size_t *size) CDN_NODISCARD;
/** The value of a cache entry, computed if it is not valid; NULL on failure (see cdn_state_last_error). */
CDN_API const void *cdn_eval(cdn_state *state, cdn_cache entry);

CDN_API const double *cdn_state_q_eff(cdn_state *state); /**< q with prescribed values inserted; NULL on failure */
CDN_API const double *cdn_state_u_eff(cdn_state *state); /**< u with prescribed values inserted; NULL on failure */
CDN_API const double *cdn_state_qdot(cdn_state *state);  /**< nq rates; realizes Velocity; NULL on failure */
CDN_API const double *cdn_state_udot(cdn_state *state);  /**< nu rates; realizes Acceleration; NULL on failure */
CDN_API const double *cdn_state_zdot(cdn_state *state);  /**< nz rates; realizes what they need; NULL on failure */

/** Errors of the constraint equations at position, velocity and acceleration level, and the multipliers: the pools
 *  of all subsystems, with cdn_system_nqerr, _nuerr and _nudoterr numbers (multipliers: as many as udoterr). Zeros
 *  for constraints that are off. Computed when asked for, with the stages that they need; NULL on failure. */
CDN_API const double *cdn_state_qerr(cdn_state *state);
CDN_API const double *cdn_state_uerr(cdn_state *state);
CDN_API const double *cdn_state_udoterr(cdn_state *state);
CDN_API const double *cdn_state_multipliers(cdn_state *state);
/** Values of a trigger group, computed if they are not valid; NULL on failure. */
CDN_API const double *cdn_state_event_triggers(cdn_state *state, int group);

/** Updates the auto-update variables as an accepted step does: each valid update value becomes the variable's value.
 *  Invalidates the update entries only. The stepper calls it by itself. CDN_ERR_ARG while something is being
 *  computed. */
CDN_API cdn_status cdn_state_auto_update(cdn_state *state) CDN_NODISCARD;

/* ---- checkpoints (docs/checkpoints.md) ---------------------------------------------------- */

/** Writes t, y, discrete variables, parameters, regions, previous values, and a description of the System. Computed
 *  values are not written, except those that were computed from auto-update values which have been swapped in since.
 *  Errors: the status that `write` returned; CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_state_save(cdn_state *state, cdn_write_fn *write, void *context) CDN_NODISCARD;
/** Sets them to the saved values. The saved State must be of the same System, or of one with the same elements, with
 *  the same names, in the same order. CDN_ERR_ARG: another System (the message has the first difference);
 *  CDN_ERR_PARSE: damaged bytes; the status that `read` returned. After an error the State is unchanged. */
CDN_API cdn_status cdn_state_load(cdn_state *state, cdn_read_fn *read, void *context) CDN_NODISCARD;

/* ---- workspace ---------------------------------------------------------------------------- */

/** Scratch memory of the State, 64-byte aligned. Allocates only while it grows. Frames nest: pop them in reverse order.
 *  NULL if memory ran out. */
CDN_API void *cdn_work_push(cdn_state *state, size_t bytes);
CDN_API void cdn_work_pop(cdn_state *state, void *frame);

CDN_END_DECLS
#endif
