/* Cardan: a State goes over to another System, by names. A program changes a model (spec_edit.h), builds and freezes it
 * again, and goes on from where it was. docs/editing.md has an example.
 *
 * I want to
 *   go on in a System that was built again: cdn_state_carry
 *   know what has changed, appeared or gone: cdn_carry_report_count, cdn_carry_report_entry, cdn_carry_fate_name,
 *       cdn_carry_report_destroy */
#ifndef CARDAN_CARRY_H
#define CARDAN_CARRY_H

#include <cardan/elements.h>

CDN_BEGIN_DECLS

typedef struct cdn_carry_report cdn_carry_report; /**< what is not simply the same */

typedef enum cdn_carry_fate {
  CDN_CARRY_NEW,     /**< it is in the new System alone, and has its default */
  CDN_CARRY_GONE,    /**< it was in the old one alone: what it had is lost */
  CDN_CARRY_FITTED,  /**< the same motion in other coordinates: of an angle in place of a quaternion, of a free joint */
  CDN_CARRY_NEAREST, /**< the joint cannot move so: it is as near as it can be; `error` says how near */
  CDN_CARRY_OTHER    /**< it is of another kind, or its numbers do not fit: it has its default */
} cdn_carry_fate;

/** "new", "gone", "fitted", "nearest", "other"; NULL for a wrong one. Static storage. */
CDN_API const char *cdn_carry_fate_name(cdn_carry_fate fate);

typedef struct cdn_carried {
  cdn_element_type type; /**< the type of the element */
  cdn_carry_fate fate;   /**< what became of it */
  const char *name;      /**< of the element; belongs to the report */
  /** A sentence, such as "mobilizer 'shoulder': its motion was fitted: ball became gimbal"; belongs to the report. */
  const char *text;
  /** Of CDN_CARRY_FITTED and CDN_CARRY_NEAREST: how far M is from where it was in F: the angle (rad), the distance (m),
   *  and the differences of velocity (rad/s, m/s) */
  double error[4];
} cdn_carried;

/** Sets `to`, a State of any System, to what `from` has under the same names:
 *
 *   - the time
 *   - q and u of mobilizers, found by their own names, else by those of their bodies. A mobilizer of the same kind gets
 *     the same numbers. Another one gets the coordinates and speeds that bring the body where it was, relative to the
 *     body on which it moves, with the velocity that it had: a ball becomes a gimbal, a quaternion angles
 *   - parameters that are not at the defaults of their System, of all types of elements (elements.h)
 *   - what is locked, and which motions, forces and constraints are on
 *   - controls that follow nothing; auxiliary states (activations, friction that sticks, integrals, those of custom
 *     forces); discrete variables and regions of measures and of subsystems of yours; applied forces; the place in the
 *     random numbers
 *
 *  What `from` does not have keeps the value that it has in `to`. Both may be States of one System. The memory of
 *  friction between shapes, and guesses of solvers, begin anew. `from` is realized to Velocity; it does not change
 *  otherwise, and its checkpoints stay valid.
 *
 *  *report (report may be NULL) lists what is not simply the same; it is NULL after a failure. Errors: CDN_ERR_ARG
 *  (NULL), CDN_ERR_NOMEM, and those of realizing `from`; the message is on `to`, which may have changed in part.
 *  O(n log n), and O(n) for each mobilizer whose motion is fitted. */
CDN_API cdn_status cdn_state_carry(cdn_state *from, cdn_state *to, cdn_carry_report **report) CDN_NODISCARD;

CDN_API int cdn_carry_report_count(const cdn_carry_report *report); /**< 0 for NULL */
/** CDN_ERR_ARG: no such entry; *out is all zero then. */
CDN_SIZED(cdn_carry_report_entry, (const cdn_carry_report *report, int i, cdn_carried *out), (report, i, out), out);
CDN_API void cdn_carry_report_destroy(cdn_carry_report *report); /**< NULL is allowed */

CDN_END_DECLS
#endif
