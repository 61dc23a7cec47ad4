/* Cardan: control inputs, named numbers with limits that come from outside the mechanics: a motor's command, a
 * muscle's excitation, a valve.
 *
 * A control belongs to the System; its value is a variable of each State. Actuators, custom forces, measures, and
 * all entries that have its ticket as a prerequisite read it. Your program writes it, or it *follows* a source:
 * samples over time, a function of time, or a measure (feedback). Writing a control invalidates only the results
 * that read this control.
 *
 * Limits act when a control is read: a written value outside the limits is kept, and counts as the limit. (MuJoCo's
 * ctrlrange does the same.) See docs/controls.md.
 *
 * I want to
 *   add a control with a name, a unit and limits: cdn_system_add_control, cdn_default_control_def
 *   make it follow samples over time: cdn_control_follow_samples
 *   make it follow a function of time: cdn_control_follow_function
 *   find a control, count them: cdn_system_find_control, cdn_system_control_count
 *   ask its name, its unit, whether it follows something: cdn_control_name, cdn_control_unit, cdn_control_follows
 *   write one control, or all: cdn_control_set, cdn_control_set_all
 *   read the value within its limits, and what was written: cdn_control_value, cdn_control_given
 *   read and set limits: cdn_control_limits, cdn_control_set_limits
 *   depend on a control in an element of my own: cdn_control_ticket */
#ifndef CARDAN_CONTROLS_H
#define CARDAN_CONTROLS_H

#include <cardan/functions.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/** A control of a System; { -1 } after a building mistake. */
typedef struct cdn_control {
  int32_t i;
} cdn_control;

/* ---- building ---------------------------------------------------------------------------- */

/* Adders and followers copy their arguments and are sticky (system.h). */

typedef struct cdn_control_def {
  CDN_DEF_HEADER;
  const char *name;    /**< unique among controls; copied; NULL: the library makes one up */
  const char *unit;    /**< for display only, such as "N m"; copied; NULL: "" */
  double lower, upper; /**< in its unit; lower < upper, each may be infinite. Defaults: -INFINITY, INFINITY */
  double initial;      /**< the value in a new State, in its unit; finite. Default 0 */
} cdn_control_def;

CDN_DEF(control_def);

/** Adds a control. Numbers of the def are in its unit. */
CDN_API cdn_control cdn_system_add_control(cdn_system *system, const cdn_control_def *def);

/* Sources of a control; at most one each. A control with a source cannot be written: cdn_control_set refuses. Its
 * limits apply. */

/** Follows n >= 1 samples at increasing times t (s): linear between them, constant before and after. Steps end at
 *  these times. */
CDN_API void cdn_control_follow_samples(cdn_system *system, cdn_control control, int n, const double *t,
                                        const double *values);
/** Follows a function of time (one input), or a constant (no input); retained. For a smooth curve through samples use
 *  cdn_function_natural_spline. */
CDN_API void cdn_control_follow_function(cdn_system *system, cdn_control control, const cdn_function *f);

/* cdn_control_follow_measure is in measures.h. */

/* ---- controls of a System ------------------------------------------------------------------ */

/** The number of controls: their ids are 0 to this, without it. */
CDN_API int cdn_system_control_count(const cdn_system *system);
/** The control of that name, or { -1 }. O(number of controls). */
CDN_API cdn_control cdn_system_find_control(const cdn_system *system, const char *name);
/** Name and unit; NULL for a wrong id. Valid as long as the System. */
CDN_API const char *cdn_control_name(const cdn_system *system, cdn_control control);
CDN_API const char *cdn_control_unit(const cdn_system *system, cdn_control control);
/** Whether the control follows a source. */
CDN_API bool cdn_control_follows(const cdn_system *system, cdn_control control);
/** The control's ticket, for lists of prerequisites; available as soon as the control is added. { 0 } for a wrong
 *  id. */
CDN_API cdn_ticket cdn_control_ticket(const cdn_system *system, cdn_control control);

/* ---- in a State ----------------------------------------------------------------------------- */

/* Errors: CDN_ERR_ARG for a wrong id, CDN_ERR_NONFINITE. A setter that fails changes nothing. */

/** The effective value: the written value, or that of the source, within the limits. Evaluates the source. A compute
 *  function that calls it must have the control's ticket among its prerequisites. */
CDN_API cdn_status cdn_control_value(cdn_state *state, cdn_control control, double *value) CDN_NODISCARD;
/** Writes a value; it may be outside the limits. CDN_ERR_ARG if the control follows a source. O(entries that read
 *  it). */
CDN_API cdn_status cdn_control_set(cdn_state *state, cdn_control control, double value) CDN_NODISCARD;
/** Writes all controls at once: cdn_system_control_count numbers in the order of addition. Numbers of controls that
 *  follow a source are ignored. Values that do not change invalidate nothing. */
CDN_API cdn_status cdn_control_set_all(cdn_state *state, const double *values) CDN_NODISCARD;
/** The written value; NaN for a wrong id. */
CDN_API double cdn_control_given(const cdn_state *state, cdn_control control);
/** The limits in this State; either may be NULL. */
CDN_API cdn_status cdn_control_limits(const cdn_state *state, cdn_control control, double *lower,
                                      double *upper) CDN_NODISCARD;
/** Sets the limits, lower < upper; an Instance-stage variable. */
CDN_API cdn_status cdn_control_set_limits(cdn_state *state, cdn_control control, double lower,
                                          double upper) CDN_NODISCARD;

CDN_END_DECLS
#endif
