/* Cardan: control inputs. Named numbers with limits that come from outside the mechanics: a motor's command, a muscle's
 * excitation, a valve.
 *
 * A control belongs to the System; its value is a variable of each State. Actuators, custom forces, measures and whatever names
 * its ticket read it. It is written by users, or it *follows* something: samples over time, a function of time, or a measure, which
 * closes a loop. Writing one control invalidates what reads that control and nothing else.
 *
 * Limits act where a control is read: a value outside is kept as it was written, and counts as the limit. (MuJoCo's ctrlrange does
 * the same.) See docs/controls.md. */
#ifndef CARDAN_CONTROLS_H
#define CARDAN_CONTROLS_H

#include <cardan/functions.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/** A control of a System. A building mistake makes { -1 }. */
typedef struct cdn_control {
  int32_t i;
} cdn_control;

/* ---- building ---------------------------------------------------------------------------- */

/* Adders and followers copy what they are given. They are sticky: the first mistake is kept, and freezing returns it. */

typedef struct cdn_control_def {
  CDN_DEF_HEADER;
  const char *name;    /**< unique among controls; NULL: one is made up */
  const char *unit;    /**< shown, not interpreted ("N m"); NULL: "" */
  double lower, upper; /**< lower < upper, each may be infinite. Defaults: -INFINITY, INFINITY */
  double initial;      /**< the value in a new State; finite. Default 0 */
} cdn_control_def;

/** cdn_default_control_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_control_def_init(void *def, size_t size);
static inline cdn_control_def cdn_default_control_def(void) {
  cdn_control_def def;
  cdn_control_def_init(&def, sizeof def);
  return def;
}

CDN_API cdn_control cdn_system_add_control(cdn_system *system, const cdn_control_def *def);

/* What a control follows; at most one thing. It is then not written any more: cdn_control_set refuses. Its limits act on. */

/** n >= 1 values at increasing times t (s): straight lines between them, constant before and after. Steps end at these times. */
CDN_API void cdn_control_follow_samples(cdn_system *system, cdn_control control, int n, const double *t,
                                        const double *values);
/** A function of time (one input) or a constant (none); retained. For a smooth curve through samples take
 *  cdn_function_natural_spline. */
CDN_API void cdn_control_follow_function(cdn_system *system, cdn_control control, const cdn_function *f);

/* cdn_control_follow_measure is in measures.h. */

/* ---- asking the System --------------------------------------------------------------------- */

CDN_API int cdn_system_control_count(const cdn_system *system);
/** The control of that name, or { -1 }. O(number of controls). */
CDN_API cdn_control cdn_system_find_control(const cdn_system *system, const char *name);
/** NULL for a wrong id. The text lives as long as the System. */
CDN_API const char *cdn_control_name(const cdn_system *system, cdn_control control);
CDN_API const char *cdn_control_unit(const cdn_system *system, cdn_control control);
/** Whether it follows something. */
CDN_API bool cdn_control_follows(const cdn_system *system, cdn_control control);
/** What depends on the control names this ticket as a prerequisite, before freezing, too. { 0 } for a wrong id. */
CDN_API cdn_ticket cdn_control_ticket(const cdn_system *system, cdn_control control);

/* ---- in a State ----------------------------------------------------------------------------- */

/* Errors: CDN_ERR_ARG for a control that is not there, CDN_ERR_NONFINITE. A setter that fails changes nothing. */

/** The value that counts: as written, or as followed, within the limits. For compute functions that have the control's ticket among
 *  their prerequisites, and for everybody else. Evaluates what it follows. */
CDN_API cdn_status cdn_control_value(cdn_state *state, cdn_control control, double *value) CDN_NODISCARD;
/** Writes a value; it may be outside the limits. CDN_ERR_ARG for a control that follows something. O(what reads it). */
CDN_API cdn_status cdn_control_set(cdn_state *state, cdn_control control, double value) CDN_NODISCARD;
/** Writes all controls at once, cdn_system_control_count numbers in the order in which they were added; those of controls that
 *  follow something are ignored. Only what differs counts as written. */
CDN_API cdn_status cdn_control_set_all(cdn_state *state, const double *values) CDN_NODISCARD;
/** What was written; NaN for a control that is not there. */
CDN_API double cdn_control_given(const cdn_state *state, cdn_control control);
/** The limits in this State; either may be NULL. */
CDN_API cdn_status cdn_control_limits(const cdn_state *state, cdn_control control, double *lower,
                                      double *upper) CDN_NODISCARD;
/** Instance stage. lower < upper. */
CDN_API cdn_status cdn_control_set_limits(cdn_state *state, cdn_control control, double lower,
                                          double upper) CDN_NODISCARD;

CDN_END_DECLS
#endif
