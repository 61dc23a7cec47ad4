/* Cardan: the State. Every number that can vary, and behind them whatever has been computed from them.
 *
 * Reading never invalidates. A setter invalidates exactly what depends on what it sets. A getter of a computed
 * value computes it if need be: nothing is ever stale. A State belongs to one thread at a time; it is passed
 * non-const wherever results may be computed. */
#ifndef CARDAN_STATE_H
#define CARDAN_STATE_H

#include <cardan/stream.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/** A State of a frozen System with default values, realized to Instance stage by its first use. */
CDN_API cdn_status cdn_state_create(const cdn_system *system, cdn_state **out) CDN_NODISCARD;
/** dst becomes a copy of src, results included: one memcpy. Both must be States of the same System. Refused while something
 *  of dst is being computed, as setters are. */
CDN_API cdn_status cdn_state_copy(cdn_state *dst, const cdn_state *src) CDN_NODISCARD;
CDN_API void cdn_state_destroy(cdn_state *state); /**< NULL is allowed */
CDN_API const cdn_system *cdn_state_system(const cdn_state *state);
/** The highest stage to which everything is realized now. */
CDN_API cdn_stage cdn_state_stage(const cdn_state *state);
/** The last failure of a call on this State; code CDN_OK if none yet. */
CDN_API void cdn_state_last_error_sized(const cdn_state *state, cdn_error *out, size_t size);
static inline void cdn_state_last_error(const cdn_state *state, cdn_error *out) {
  cdn_state_last_error_sized(state, out, sizeof *out);
}
/** For callbacks: keep a failure's story on the State and return its code. `element` may be NULL. */
CDN_API cdn_status cdn_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *element,
                                  const char *format, ...) CDN_PRINTF(5, 6);

/* ---- variables. Setters return CDN_ERR_NONFINITE for NaN or Inf, CDN_ERR_ARG while something of the State is being computed,
 * and then change nothing. ---- */

CDN_API double cdn_state_time(const cdn_state *state);
CDN_API const double *cdn_state_q(const cdn_state *state); /**< nq numbers; stays where it is for the State's life */
CDN_API const double *cdn_state_u(const cdn_state *state); /**< nu numbers */
CDN_API const double *cdn_state_z(const cdn_state *state); /**< nz numbers: the whole pool */
/** This group's run of the z pool. */
CDN_API const double *cdn_state_zvar(const cdn_state *state, cdn_zvar z);

CDN_API cdn_status cdn_state_set_time(cdn_state *state, double t);
CDN_API cdn_status cdn_state_set_q(cdn_state *state, const double *q);
CDN_API cdn_status cdn_state_set_u(cdn_state *state, const double *u);
CDN_API cdn_status cdn_state_set_z(cdn_state *state, const double *z);
/** Slots first .. first + n - 1 of a pool; CDN_ERR_ARG where the pool does not have them all. */
CDN_API cdn_status cdn_state_set_slots(cdn_state *state, cdn_pool pool, int first, int n, const double *values);
CDN_API cdn_status cdn_state_set_zvar(cdn_state *state, cdn_zvar z, const double *values);
/** t and all of y = (q, u, z) in one go. */
CDN_API cdn_status cdn_state_set_ty(cdn_state *state, double t, const double *y);

CDN_API const void *cdn_state_discrete(const cdn_state *state, cdn_dvar v);
CDN_API cdn_status cdn_state_set_discrete(cdn_state *state, cdn_dvar v, const void *value);
/** Parameter arrays: read all, or set n of them from index `first`. */
CDN_API const double *cdn_state_parameters(const cdn_state *state, cdn_dvar v);
CDN_API cdn_status cdn_state_set_parameters(cdn_state *state, cdn_dvar v, int first, int n, const double *values);
/** Counts the changes of a variable since the State was made (q, u, z, t, discrete variables); 0 otherwise. */
CDN_API uint64_t cdn_state_serial(const cdn_state *state, cdn_ticket ticket);

/** Writes the effective values of q and u (8.3) back into q and u, where they differ: after this, what is read with
 *  cdn_state_q and cdn_state_u is what kinematics see. Invalidates nothing but what depends on q and u as they were.
 *  *changed (may be NULL) tells whether there was anything to write. The stepper does it by itself. */
CDN_API cdn_status cdn_prescribe(cdn_state *state, bool *changed) CDN_NODISCARD;

/** t and y after the last accepted step, for subsystems that declared cdn_declare_previous; else NULL. */
CDN_API const double *cdn_state_previous_t(const cdn_state *state);
CDN_API const double *cdn_state_previous_y(const cdn_state *state);

/* ---- computed values ---------------------------------------------------------------------- */

/** Realizes every stage up to `stage`: computes the eager entries that are not valid. On failure the State is as
 *  far realized as it got, and cdn_state_last_error has the story. */
CDN_API cdn_status cdn_realize(cdn_state *state, cdn_stage stage) CDN_NODISCARD;
/** The value of a cache entry, computed if need be; NULL on failure (see cdn_state_last_error). */
CDN_API const void *cdn_eval(cdn_state *state, cdn_cache entry);

CDN_API const double *cdn_state_q_eff(cdn_state *state); /**< q with prescribed values in place; NULL on failure */
CDN_API const double *cdn_state_u_eff(cdn_state *state); /**< u likewise */
CDN_API const double *cdn_state_qdot(cdn_state *state);  /**< realizes what it needs; NULL on failure */
CDN_API const double *cdn_state_udot(cdn_state *state);  /**< likewise */
CDN_API const double *cdn_state_zdot(cdn_state *state);  /**< likewise */

/** Errors of the constraint equations at position, velocity and acceleration level, and their multipliers: the pools
 *  of all subsystems (cdn_system_nqerr, _nuerr, _nudoterr numbers; multipliers are as many as udoterr). Of constraints
 *  that are off, zeros. Each realizes what it needs; lazy; NULL on failure. */
CDN_API const double *cdn_state_qerr(cdn_state *state);
CDN_API const double *cdn_state_uerr(cdn_state *state);
CDN_API const double *cdn_state_udoterr(cdn_state *state);
CDN_API const double *cdn_state_multipliers(cdn_state *state);
/** Values of a trigger group, computed if need be; NULL on failure. */
CDN_API const double *cdn_state_event_triggers(cdn_state *state, int group);

/** What an accepted step does to auto-update variables: every valid update value becomes the variable's value.
 *  Invalidates the update entries and nothing else. The stepper does it by itself. Refused while something is being computed,
 *  as setters are. */
CDN_API cdn_status cdn_state_auto_update(cdn_state *state) CDN_NODISCARD;

/* ---- checkpoints (docs/checkpoints.md) ---------------------------------------------------- */

/** Writes t, y, discrete variables and parameters, previous values, and what the System is made of. Computed values are not
 *  written, but for those that were computed from auto-update values which have since been swapped in. */
CDN_API cdn_status cdn_state_save(cdn_state *state, cdn_write_fn *write, void *context) CDN_NODISCARD;
/** Sets all of them to what was saved from a State of the same System, or of one that is made of the same elements with
 *  the same names in the same order. CDN_ERR_ARG: another System, and the story names the first difference;
 *  CDN_ERR_PARSE: damaged bytes. The State is then what it was. */
CDN_API cdn_status cdn_state_load(cdn_state *state, cdn_read_fn *read, void *context) CDN_NODISCARD;

/* ---- workspace ---------------------------------------------------------------------------- */

/** Scratch memory of the State, 64-byte aligned: allocates only while it grows. Frames must nest; pop in reverse
 *  order. NULL if memory ran out. */
CDN_API void *cdn_work_push(cdn_state *state, size_t bytes);
CDN_API void cdn_work_pop(cdn_state *state, void *frame);

CDN_END_DECLS
#endif
